//! What has changed in a skill: fields, lines of the manifest, lines of a text.

use leptos::prelude::*;
use similar::{ChangeTag, TextDiff};
use skillglass::entry::diff::EntryDiff;
use skillglass::entry::{ManifestFile, SkillEntry};
use skillglass::finding::excerpt;

use crate::elements::{MarkedText, ServerText};
use crate::text::{self, Part, bytes, count, short_digest};

/// How many fields or files are named.
const MAX_NAMED: usize = 50;

/// How long a value may be to be shown, in characters.
const MAX_VALUE: usize = 2_000;

/// How many lines a text may have to be compared.
const MAX_LINES: usize = 4_000;

/// How many lines around a changed one are shown.
const AROUND: usize = 3;

/// How many lines of a comparison are shown.
const MAX_SHOWN: usize = 400;

/// What changed from an entry to a later one.
#[component]
pub(crate) fn EntryChanges<'e>(
    /// The entry before.
    before: &'e SkillEntry,
    /// The entry after.
    after: &'e SkillEntry,
) -> impl IntoView + use<> {
    let diff = EntryDiff::between(before, after);
    let fields: Vec<_> =
        diff.frontmatter.iter().take(MAX_NAMED).map(|name| field(name, before, after)).collect();
    let uris = diff
        .added
        .iter()
        .map(|uri| (uri, "added"))
        .chain(diff.removed.iter().map(|uri| (uri, "removed")))
        .chain(diff.changed.iter().map(|uri| (uri, "changed")));
    let number = diff.added.len() + diff.removed.len() + diff.changed.len();
    let files: Vec<_> =
        uris.take(MAX_NAMED).map(|(uri, word)| file(uri, word, before, after)).collect();
    let kind = diff.kind_changed.then(|| {
        view! { <p>"One of the two lists files, the other is dynamic: nothing pins its bytes."</p> }
    });
    let cut = |number: usize, what: &str| {
        (number > MAX_NAMED).then(|| format!("{} changed.", count(number - MAX_NAMED, what)))
    };
    view! {
        {kind}
        {changes_table("Field", "Changed fields", fields, cut(diff.frontmatter.len(), "more field"))}
        {changes_table("File", "Changed files", files, cut(number, "more file"))}
    }
}

/// Rows of before and now, if there are any, and how many are not shown.
pub(crate) fn changes_table(
    what: &'static str,
    label: &'static str,
    rows: Vec<AnyView>,
    cut: Option<String>,
) -> impl IntoView + use<> {
    (!rows.is_empty()).then(|| view! {
        <div class="scroll" tabindex="0" role="region" aria-label=label>
            <table class="data changes">
                <thead><tr><th scope="col">{what}</th><th scope="col">"Before"</th><th scope="col">"Now"</th></tr></thead>
                <tbody>{rows}</tbody>
            </table>
        </div>
        {cut.map(|cut| view! { <p class="cut-note">{cut}</p> })}
    })
}

fn field(name: &str, before: &SkillEntry, after: &SkillEntry) -> AnyView {
    let value = |entry: &SkillEntry| {
        entry.frontmatter.get(name).map(|node| excerpt(&node.to_json(), MAX_VALUE))
    };
    let (was, is) = (value(before), value(after));
    let cells = match (&was, &is) {
        (Some(was), Some(is)) => text::mark(was, is).map(|parts| cell(Some(&parts))),
        (was, is) => [was, is].map(|side| {
            cell(
                side.as_deref().map(|text| [Part { text, differs: true }]).as_ref().map(|p| &p[..]),
            )
        }),
    };
    let name = name.to_owned();
    view! { <tr><th scope="row" class="mono"><ServerText text=name/></th>{cells}</tr> }.into_any()
}

fn cell(parts: Option<&[Part<'_>]>) -> AnyView {
    match parts {
        Some(parts) => view! { <td class="value"><MarkedText parts=parts/></td> }.into_any(),
        None => view! { <td class="value none">"absent"</td> }.into_any(),
    }
}

fn file(uri: &str, word: &'static str, before: &SkillEntry, after: &SkillEntry) -> AnyView {
    // The two may lie at different places.
    let below =
        [after, before].map(|entry| entry.path_of(uri)).into_iter().find(|path| *path != uri);
    let path = below.unwrap_or(uri);
    let line = |entry: &SkillEntry| {
        let files = entry.manifest().map(|manifest| &manifest.files);
        let mut files = files.into_iter().flatten();
        let line = files.find(|file| entry.path_of(&file.uri) == path).map(promise);
        match line {
            Some(line) => view! { <td class="value mono">{line}</td> }.into_any(),
            None => view! { <td class="value none">"absent"</td> }.into_any(),
        }
    };
    let (was, is) = (line(before), line(after));
    let path = path.to_owned();
    view! {
        <tr>
            <th scope="row" class="mono"><ServerText text=path/> <span class="hint">" " {word}</span></th>
            {was}
            {is}
        </tr>
    }
    .into_any()
}

/// What a line of the manifest promises.
fn promise(line: &ManifestFile) -> String {
    let size = line.size.map_or_else(|| "no size".to_owned(), bytes);
    let digest = line.digest.map(|digest| short_digest(&digest.hex()));
    format!("{}, {size}", digest.as_deref().unwrap_or("no digest"))
}

/// A line of a comparison.
struct Line {
    class: &'static str,
    sign: &'static str,
    text: String,
}

/// The lines that changed from a text to a later one, with some around them.
#[component]
pub(crate) fn TextChanges<'t>(
    /// The text before.
    before: &'t str,
    /// The text after.
    after: &'t str,
) -> impl IntoView + use<> {
    let longest = before.lines().count().max(after.lines().count());
    if longest > MAX_LINES {
        return view! { <p class="cut-note">"The text is too long to be compared line by line."</p> }
            .into_any();
    }
    let lines = changed_lines(before, after);
    let more = lines.len().saturating_sub(MAX_SHOWN);
    let rows = lines.into_iter().take(MAX_SHOWN).map(|Line { class, sign, text }| {
        view! { <code class=class><span class="diff-sign">{sign}</span> <ServerText text=text/></code> }
    });
    view! {
        <div class="diff" tabindex="0" role="region" aria-label="Changed lines">{rows.collect_view()}</div>
        {(more > 0).then(|| view! { <p class="cut-note">{count(more, "more line")} " not shown."</p> })}
    }
    .into_any()
}

fn changed_lines(before: &str, after: &str) -> Vec<Line> {
    let diff = TextDiff::from_lines(before, after);
    let mut lines = Vec::new();
    for (number, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        if number > 0 {
            lines.push(Line { class: "diff-gap", sign: "…", text: String::new() });
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            let (class, sign) = match change.tag() {
                ChangeTag::Delete => ("diff-gone", "−"),
                ChangeTag::Insert => ("diff-new", "+"),
                ChangeTag::Equal => ("", " "),
            };
            let text = change.value().trim_end_matches(['\n', '\r']).to_owned();
            lines.push(Line { class, sign, text });
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_stand_among_some_that_are_not() {
        let before: String = (1..=20).map(|n| format!("line {n}\n")).collect();
        let after = before.replace("line 10\n", "line ten\n").replace("line 20\n", "");
        let lines = changed_lines(&before, &after);
        let signs: String = lines.iter().map(|line| line.sign).collect();
        assert_eq!(signs, "   −+   …   −");
        assert_eq!(lines[4].text, "line ten");
        assert!(changed_lines(&before, &before).is_empty());
    }
}
