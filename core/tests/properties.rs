//! What holds for every input, held against made-up ones.
//!
//! The inputs are the same in every run. `PROPTEST_RNG_SEED` and `PROPTEST_CASES` ask for others
//! and for more.
#![cfg(not(target_arch = "wasm32"))]

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::RngSeed;
use serde_json::Value as Json;
use skillglass::digest::{Digest, Hasher};
use skillglass::entry;
use skillglass::finding::{MAX_QUOTE, is_hidden, quote};
use skillglass::frontmatter::{Frontmatter, check_file_format, compare};
use skillglass::json::{self, JsonErrorKind, OddityKind};
use skillglass::name::check_name;
use skillglass::source::{LineIndex, Span};
use skillglass::uri::{Reference, SkillUri, Uri, same_after_decoding};
use skillglass::value::{Node, Value, json_string};
use skillglass::verify::{FileVerifier, Progress, SkillVerdict, Summary, Verdict, verify_file};
use skillglass::{contents, yaml};

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_260_728),
        given @ RngSeed::Fixed(_) => given,
    };
    ProptestConfig { rng_seed, failure_persistence: None, ..default }
}

// ---- Inputs: texts that come close to what they should be, which is where readers go wrong. ----

/// Pieces of `alphabet` and now and then any character, in any order.
fn soup(alphabet: &'static [&'static str]) -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        12 => select(alphabet).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn json_soup() -> impl Strategy<Value = String> {
    soup(&[
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "\"a\"",
        "\\",
        "\\n",
        "\\u00e9",
        "\\ud83d\\ude00",
        "\\ud83d",
        "\\u",
        "0",
        "1",
        "-",
        "-0",
        ".",
        ".5",
        "e",
        "E+1",
        "true",
        "false",
        "null",
        " ",
        "\n",
        "\t",
        "\u{feff}",
        "\u{1}",
        "é",
        "{\"a\":1,\"a\":2}",
        "[1,2]",
        "1.0",
        "\"\"",
    ])
}

fn yaml_soup() -> impl Strategy<Value = String> {
    soup(&[
        "a: b\n",
        "name: x\n",
        "- ",
        "? ",
        ": ",
        ":\t",
        "\n",
        "  ",
        "\t",
        "'",
        "\"",
        "\\",
        "\\u00e9",
        "\\ud83d\\ude00",
        "|\n",
        ">-\n",
        "|2+\n",
        "&a ",
        "*a",
        "!!str ",
        "!!int ",
        "! ",
        "!x ",
        "{",
        "}",
        "[",
        "]",
        ", ",
        "#",
        " # c\n",
        "...\n",
        "---\n",
        "%YAML 1.2\n",
        "<<",
        "~",
        "yes",
        "0755",
        "0x1F",
        "1:30",
        "2026-01-15",
        ".inf",
        "1e3",
        "é",
        "\u{feff}",
        "\r\n",
        "\r",
        "\u{85}",
        "`",
        "@",
    ])
}

fn markdown_soup() -> impl Strategy<Value = String> {
    let inside = prop_oneof![yaml_soup(), json_soup()];
    let fence = select(
        &["---\n", "---\r\n", "--- \n", "---\r", "----\n", "...\n", "\u{feff}---\n", ""][..],
    );
    (fence.clone(), inside, fence, yaml_soup())
        .prop_map(|(opening, yaml, closing, body)| format!("{opening}{yaml}\n{closing}{body}"))
}

fn uri_soup() -> impl Strategy<Value = String> {
    let tail = soup(&[
        "/", "..", ".", "a", "refunds", "acme", "SKILL.md", "%2e", "%2F", "%5c", "%", "%zz", "?",
        "#", ":", "@", " ", "\\", "é", "skill://", "https://", "//",
    ]);
    (select(&["skill://", "skill://acme/refunds/", "SKILL://", "", "a:"][..]), tail)
        .prop_map(|(head, tail)| format!("{head}{tail}"))
}

fn entry_soup() -> impl Strategy<Value = String> {
    soup(&[
        "{",
        "}",
        "[",
        "]",
        ",",
        "\"uri\":",
        "\"skill://a/SKILL.md\"",
        "\"skill://a/b\"",
        "\"dynamic\"",
        "\"frontmatter\":",
        "{\"name\":\"a\",\"description\":\"b\"}",
        "\"resources\":",
        "\"digest\":",
        "\"size\":",
        "9007199254740993",
        "-1",
        "0",
        "null",
        "\"\\ud800\"",
        "\"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
        "{\"uri\":\"skill://a/SKILL.md\",\"frontmatter\":{\"name\":\"a\",\"description\":\"b\"},\"resources\":",
    ])
}

fn contents_soup() -> impl Strategy<Value = String> {
    let items = soup(&[
        "{",
        "}",
        ",",
        "\"uri\":\"skill://a/b\"",
        "\"uri\":\"skill://a/%62\"",
        "\"text\":\"x\"",
        "\"text\":\"\\ud800\"",
        "\"blob\":\"AA==\"",
        "\"blob\":\"AA\\n\"",
        "\"blob\":\"-_8=\"",
        "\"mimeType\":1",
        "null",
    ]);
    items.prop_map(|items| format!("{{\"contents\":[{items}]}}"))
}

/// Characters that YAML lets stand in a double-quoted text, hidden ones among them.
fn yaml_character() -> impl Strategy<Value = char> {
    prop_oneof![
        select(
            &[
                'a', ' ', ':', '#', '-', '\'', '"', '\\', '\n', '\t', '{', ',', 'é', '\u{200b}',
                '😀'
            ][..]
        ),
        prop::char::range(' ', '~'),
        prop::char::range('\u{a0}', '\u{d7ff}'),
    ]
}

fn yaml_text() -> impl Strategy<Value = String> {
    vec(yaml_character(), 0..12).prop_map(String::from_iter)
}

/// Values that YAML and JSON both can write.
fn json_value() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        prop::num::f64::NORMAL.prop_map(Json::from),
        yaml_text().prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Json::from),
            prop::collection::btree_map("[a-z<é]{0,4}", inner, 0..5)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

/// Each member as a line of YAML, its value in JSON's own spelling.
fn frontmatter_of(members: &serde_json::Map<String, Json>) -> String {
    let lines: String =
        members.iter().map(|(name, value)| format!("{}: {value}\n", json_string(name))).collect();
    format!("---\n{lines}---\n")
}

fn members() -> impl Strategy<Value = serde_json::Map<String, Json>> {
    prop::collection::btree_map("[a-z]{1,8}", json_value(), 1..6)
        .prop_map(|members| members.into_iter().collect())
}

/// A whole number, small or of up to thirty digits.
fn whole() -> impl Strategy<Value = i128> {
    prop_oneof![
        (-20_i128..20),
        (0..20_u32, -3_i128..4).prop_map(|(bits, near)| (1_i128 << (45 + bits)) + near),
        (-1_000_000_000_000_000_000_000_000_000_000_i128
            ..1_000_000_000_000_000_000_000_000_000_000),
    ]
}

// ---- What is looked at. ----

fn in_bounds(span: Span, text: &str) -> bool {
    text.get(span.start..span.end).is_some()
}

/// Visits every node, and the place of every name, without recursion.
fn spans(root: &Node<'_>) -> Vec<Span> {
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        found.push(node.span);
        open.extend(node.as_array().unwrap_or_default());
        for member in node.as_object().unwrap_or_default() {
            found.push(member.name_span);
            open.push(&member.node);
        }
    }
    found
}

/// The number that a JSON text is.
fn number(text: &str) -> Node<'_> {
    json::read(text).expect("a number").root
}

fn same_double(a: &str, b: &str) -> bool {
    match (number(a).value, number(b).value) {
        (Value::Number(a), Value::Number(b)) => a.same_double(&b),
        _ => panic!("both are numbers"),
    }
}

proptest! {
    #![proptest_config(config())]

    // ---- No input makes a reader panic, and every place it names is in the text. ----

    #[test]
    fn json_places_are_in_the_text(text in prop_oneof![json_soup(), any::<String>()]) {
        match json::read(&text) {
            Ok(document) => {
                for span in spans(&document.root) {
                    prop_assert!(in_bounds(span, &text));
                }
                for oddity in &document.oddities {
                    prop_assert!(in_bounds(oddity.span, &text));
                }
            }
            Err(error) => prop_assert!(error.offset <= text.len(), "{error}"),
        }
    }

    #[test]
    fn yaml_places_are_in_the_text(text in prop_oneof![yaml_soup(), json_soup(), any::<String>()]) {
        match yaml::read(&text) {
            Ok(document) => {
                for span in document.root.iter().flat_map(spans) {
                    prop_assert!(in_bounds(span, &text), "{span:?}");
                }
                for note in &document.notes {
                    prop_assert!(in_bounds(note.span, &text), "{note:?}");
                }
            }
            Err(error) => {
                prop_assert!(in_bounds(error.span, &text), "{error:?}");
                let _words = (error.kind.to_string(), error.kind.repair());
            }
        }
    }

    #[test]
    fn frontmatter_places_are_in_the_file(text in prop_oneof![markdown_soup(), any::<String>()]) {
        match Frontmatter::read(text.as_bytes()) {
            Ok(frontmatter) => {
                for span in spans(&frontmatter.root) {
                    prop_assert!(in_bounds(span, &text), "{span:?}");
                }
                for note in &frontmatter.notes {
                    prop_assert!(in_bounds(note.span, &text), "{note:?}");
                }
                prop_assert!(in_bounds(frontmatter.yaml, &text));
                prop_assert_eq!(frontmatter.body.end, text.len());
                let lines = LineIndex::new(&text);
                for finding in check_file_format(&frontmatter.root, &lines) {
                    prop_assert!(finding.position.is_some_and(|place| place.line <= lines.line_count()));
                }
            }
            Err(error) => prop_assert!(in_bounds(error.span, &text), "{error:?}"),
        }
    }

    #[test]
    fn bytes_never_make_a_reader_panic(bytes in vec(any::<u8>(), 0..200)) {
        let _json = json::read_bytes(&bytes);
        let _frontmatter = Frontmatter::read(&bytes);
    }

    #[test]
    fn texts_never_make_a_reader_panic(
        uri in uri_soup(),
        entry in entry_soup(),
        result in contents_soup(),
        file in markdown_soup(),
    ) {
        let _notes = Uri::parse(&uri).map(|uri| uri.notes());
        let _name = check_name(&uri);
        if let Ok(document) = json::read(&result) {
            let _contents = contents::read(&document, &document.root, "skill://a/b");
        }
        let reading = entry::read(&entry);
        if let Some(entry) = &reading.entry {
            let verdict = verify_file(entry, &entry.uri, file.as_bytes());
            prop_assert!(!matches!(verdict, Verdict::Verified(_)));
            let _whole = SkillVerdict::of(entry, &reading.findings, [verdict]);
        } else {
            prop_assert!(!reading.findings.is_empty());
        }
    }

    // ---- Readers agree with others. ----

    #[test]
    fn json_is_what_serde_json_says_it_is(text in json_soup()) {
        let ours = json::read(&text);
        match serde_json::from_str::<Json>(&text) {
            Ok(theirs) => {
                let document = ours.expect("serde_json reads it");
                let again: Json = serde_json::from_str(&document.root.to_json()).expect("JSON");
                prop_assert_eq!(again, theirs);
            }
            Err(error) => {
                // What this reader takes and notes: halves of surrogate pairs and a byte order
                // mark. What it keeps and a double cannot: large exponents.
                let noted = ours.as_ref().is_ok_and(|document| document.oddities.iter().any(|oddity| {
                    matches!(oddity.kind, OddityKind::LoneSurrogate | OddityKind::ByteOrderMark)
                }));
                let large = error.to_string().contains("number out of range");
                prop_assert!(ours.is_err() || noted || large, "{error}");
            }
        }
    }

    #[test]
    fn json_values_come_back(value in json_value(), pretty in any::<bool>()) {
        let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
        let text = text.expect("a value");
        let document = json::read(&text).expect("JSON");
        prop_assert!(document.oddities.is_empty());
        // Both are read by the same reader, as serde_json rounds some doubles.
        let read = |text: &str| serde_json::from_str::<Json>(text).expect("JSON");
        prop_assert_eq!(read(&document.root.to_json()), read(&text));
    }

    #[test]
    fn depth_has_one_limit(depth in 1_usize..400, object in any::<bool>()) {
        let (opening, closing) = if object { ("{\"a\":", "}") } else { ("[", "]") };
        let text = format!("{}0{}", opening.repeat(depth), closing.repeat(depth));
        match json::read(&text) {
            Ok(_) => prop_assert!(depth <= skillglass::value::MAX_DEPTH),
            Err(error) => {
                prop_assert!(depth > skillglass::value::MAX_DEPTH);
                prop_assert_eq!(error.kind, JsonErrorKind::TooDeep);
            }
        }
    }

    // ---- Comparing. ----

    #[test]
    fn a_value_equals_itself(value in json_value()) {
        let text = value.to_string();
        let node = json::read(&text).expect("JSON").root;
        prop_assert!(node.same_content(&node.clone()));
        prop_assert!(node.same_content(&node.clone().into_owned()));
    }

    #[test]
    fn equality_goes_both_ways(a in json_value(), b in json_value()) {
        let (a_text, b_text) = (a.to_string(), b.to_string());
        let (a_node, b_node) = (json::read(&a_text).expect("JSON").root, json::read(&b_text).expect("JSON").root);
        prop_assert_eq!(a_node.same_content(&b_node), b_node.same_content(&a_node));
    }

    #[test]
    fn frontmatter_equals_its_own_json(members in members()) {
        let file = frontmatter_of(&members);
        let entry_text = Json::Object(members).to_string();
        let entry = json::read(&entry_text).expect("JSON").root;
        let frontmatter = Frontmatter::read(file.as_bytes())
            .map_err(|error| TestCaseError::fail(format!("{}: {file}", error.kind)))?;
        let comparison = compare(&frontmatter, &file, &entry, &entry_text);
        prop_assert!(comparison.is_equal(), "{comparison:?}");
    }

    #[test]
    fn another_field_is_seen_from_either_side(members in members(), value in json_value()) {
        let more = {
            let mut more = members.clone();
            more.insert("another-field".to_owned(), value);
            more
        };
        for (in_file, in_entry) in [(&members, &more), (&more, &members)] {
            let file = frontmatter_of(in_file);
            let entry_text = Json::Object(in_entry.clone()).to_string();
            let entry = json::read(&entry_text).expect("JSON").root;
            let frontmatter = Frontmatter::read(file.as_bytes()).expect("YAML");
            let comparison = compare(&frontmatter, &file, &entry, &entry_text);
            let differing: Vec<_> = comparison.differing().map(|field| field.name.as_str()).collect();
            prop_assert_eq!(differing, ["another-field"]);
        }
    }

    // ---- Numbers. ----

    #[test]
    fn numbers_are_compared_as_exact_decimals(
        a in -1_000_000_000_i128..1_000_000_000,
        b in -1_000_000_000_i128..1_000_000_000,
        a_exponent in -9_i32..9,
        b_exponent in -9_i32..9,
        apart in any::<bool>(),
    ) {
        let (b, b_exponent) = if apart { (b, b_exponent) } else { (a, a_exponent) };
        let scaled = |number: i128, exponent: i32| number * 10_i128.pow(u32::try_from(exponent + 9).expect("not negative"));
        let same = scaled(a, a_exponent) == scaled(b, b_exponent);
        let a_text = format!("{a}e{a_exponent}");
        let b_text = if b_exponent < 0 {
            format!("{b}E{b_exponent}")
        } else {
            format!("{}.0", b * 10_i128.pow(u32::try_from(b_exponent).expect("not negative")))
        };
        prop_assert_eq!(number(&a_text).same_content(&number(&b_text)), same, "{} {}", a_text, b_text);
    }

    #[test]
    fn whole_numbers_are_the_same_double_as_the_standard_library_says(a in whole(), near in -2000_i128..2000) {
        let (a, b) = (a.to_string(), (a + near).to_string());
        let doubles = (a.parse::<f64>().expect("a number"), b.parse::<f64>().expect("a number"));
        prop_assert_eq!(same_double(&a, &b), doubles.0.to_bits() == doubles.1.to_bits(), "{} {}", a, b);
    }

    #[test]
    fn counts_are_whole_and_safe(number_text in whole()) {
        let safe = (0..=9_007_199_254_740_991).contains(&number_text);
        let text = format!("{number_text}.00");
        let count = number(&text).as_count();
        prop_assert_eq!(count, safe.then(|| u64::try_from(number_text).expect("safe")));
    }

    // ---- Places and quotes. ----

    #[test]
    fn positions_count_lines_and_utf16(
        text in prop_oneof![yaml_soup(), any::<String>()],
        times in 1..40_usize,
    ) {
        let text = text.repeat(times);
        let lines = LineIndex::new(&text);
        let mut line = 1;
        let mut column = 1;
        let mut characters = text.char_indices().peekable();
        while let Some((at, character)) = characters.next() {
            let position = lines.position(at);
            prop_assert_eq!((position.line, position.column), (line, column));
            let next = characters.peek().map(|(_, next)| *next);
            if character == '\n' || (character == '\r' && next != Some('\n')) {
                (line, column) = (line + 1, 1);
            } else {
                column += character.len_utf16();
            }
        }
        prop_assert_eq!(lines.line_count(), line);
    }

    #[test]
    fn quotes_are_bounded_and_hide_nothing(
        text in prop_oneof![
            any::<String>(),
            soup(&[
                "a", "\"", "\n", "\t", "\0", "\u{7f}", "\u{85}", "\u{ad}", "\u{115f}", "\u{180e}", "\u{200b}", "\u{202e}",
                "\u{2066}", "\u{3164}", "\u{fe0f}", "\u{feff}", "\u{ffa0}", "\u{fff9}", "\u{e0041}",
            ]),
        ],
    ) {
        let quoted = quote(&text.repeat(3));
        prop_assert!(!quoted.chars().any(is_hidden), "{quoted:?}");
        prop_assert!(quoted.chars().count() <= MAX_QUOTE * 10 + 3);
    }

    // ---- URIs. ----

    #[test]
    fn a_file_of_a_skill_is_below_its_root(text in uri_soup()) {
        let skill = SkillUri::parse("skill://acme/refunds/SKILL.md").expect("a skill");
        if let Ok(path) = skill.file_path(&text) {
            prop_assert_eq!(format!("{}/{path}", skill.root()), &*text);
            let climbs = |segment| [".", ".."].iter().any(|dots| same_after_decoding(segment, dots));
            prop_assert!(!path.split('/').any(climbs) && !path.contains("//"));
        }
    }

    #[test]
    fn a_reference_never_leads_out_of_a_skill(reference in uri_soup(), from in "[a-z]{0,3}(/[a-z]{1,3}){0,3}") {
        let skill = SkillUri::parse("skill://acme/refunds/SKILL.md").expect("a skill");
        if let Reference::File { uri, .. } = skill.resolve_from(&from, &reference) {
            prop_assert!(skill.file_path(&uri).is_ok(), "{uri}");
        }
    }

    #[test]
    fn a_skill_uri_is_put_together_from_its_parts(text in uri_soup()) {
        if let Ok(uri) = SkillUri::parse(&format!("{text}/SKILL.md")) {
            prop_assert_eq!(uri.uri().as_str(), format!("{}/SKILL.md", uri.root()));
            prop_assert_eq!(uri.root(), format!("{}://{}", uri.uri().scheme(), uri.skill_path()));
            prop_assert!(uri.skill_path().ends_with(uri.name()) && !uri.name().is_empty());
            prop_assert!(uri.skill_path().starts_with(uri.prefix()));
        }
    }

    // ---- Verifying. ----

    #[test]
    fn digests_come_back(bytes in vec(any::<u8>(), 0..300)) {
        let digest = Digest::of(&bytes);
        prop_assert_eq!(digest.to_string().parse(), Ok(digest));
        prop_assert!(digest.to_string().to_uppercase().parse::<Digest>().is_err());
    }

    #[test]
    fn pieces_are_judged_as_the_whole(
        bytes in vec(any::<u8>(), 0..300),
        cuts in vec(0_usize..300, 0..5),
        promised in 0_u64..300,
    ) {
        let digest = Digest::of(&bytes);
        let mut hasher = Hasher::new();
        let mut right = FileVerifier::new(bytes.len() as u64, digest);
        let mut sized = FileVerifier::new(promised, digest);
        let mut rest = bytes.as_slice();
        let mut last = Progress::More;
        for cut in cuts.into_iter().chain([bytes.len()]) {
            let (piece, after) = rest.split_at(cut.min(rest.len()));
            rest = after;
            hasher.update(piece);
            prop_assert_eq!(right.update(piece), Progress::More);
            last = sized.update(piece);
        }
        prop_assert_eq!(hasher.finish(), digest);
        prop_assert!(right.finish().is_ok());
        prop_assert_eq!(last == Progress::TooLong, bytes.len() as u64 > promised);
        prop_assert_eq!(sized.finish().is_ok(), bytes.len() as u64 == promised);
    }

    #[test]
    fn only_the_promised_bytes_are_verified(
        promised in vec(any::<u8>(), 0..80),
        at in any::<prop::sample::Index>(),
        flip in 1_u8..,
        change in 0..4,
    ) {
        let uri = "skill://a/file";
        let text = format!(
            r#"{{"uri":"skill://a/SKILL.md","frontmatter":{{"name":"a","description":"b"}},"resources":[{{"uri":"{uri}","digest":"{}","size":{}}}]}}"#,
            Digest::of(&promised),
            promised.len()
        );
        let reading = entry::read(&text);
        let entry = reading.entry.as_ref().expect("an entry");
        let mut came = promised.clone();
        match change {
            0 if !came.is_empty() => came[at.index(promised.len())] ^= flip,
            1 => came.push(flip),
            2 => came.extend_from_slice(b"\r\n"),
            _ => came.truncate(promised.len().saturating_sub(1)),
        }
        let verdict = verify_file(entry, uri, &came);
        prop_assert_eq!(matches!(verdict, Verdict::Verified(_)), came == promised);
        let whole = SkillVerdict::of(entry, &reading.findings, [verdict]);
        prop_assert!(whole.summary != Summary::Verified, "SKILL.md is neither listed nor given");
    }
}
