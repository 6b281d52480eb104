//! What the results of the extension's methods say, with findings about their form.

use std::fmt;

use crate::entry::{self, Reading};
use crate::finding::{Finding, Level, Section, excerpt, quote};
use crate::protocol::{
    Call, Era, INVALID_PARAMS, LEGACY_NOT_FOUND, Message, PROTOCOL_VERSION, RpcError,
    SKILLS_EXTENSION,
};
use crate::value::{Member, Node, Value, pointer_token};

/// What a server says of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Discovery {
    /// The name it gives itself; a label for people, never an identity.
    pub name: Option<String>,
    /// The version it gives itself.
    pub version: Option<String>,
    /// Its instructions.
    pub instructions: Option<String>,
    /// The revisions it lists.
    pub versions: Vec<String>,
    /// Whether it declares the skills extension.
    pub skills: bool,
    /// Whether `resources/directory/read` may be called.
    pub directory_read: bool,
    /// What is wrong with the declaration.
    pub findings: Vec<Finding>,
}

/// Reads the result of `server/discover`.
#[must_use]
pub fn read_discovery(result: &Node<'_>) -> Discovery {
    let text = |node: Option<&Node<'_>>| node.and_then(Node::as_str).map(|t| excerpt(t, 200));
    let meta = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    // Drafts carried it at the top level.
    let info = meta.or_else(|| result.get("serverInfo"));
    let versions = result.get("supportedVersions").and_then(Node::as_array).unwrap_or_default();
    let mut findings = Vec::new();
    let (skills, directory_read) = read_declaration(result.get("capabilities"), &mut findings);
    Discovery {
        name: text(info.and_then(|info| info.get("name"))),
        version: text(info.and_then(|info| info.get("version"))),
        instructions: result.get("instructions").and_then(Node::as_str).map(str::to_owned),
        versions: versions.iter().filter_map(|version| text(Some(version))).collect(),
        skills,
        directory_read,
        findings,
    }
}

/// Reads the result of `initialize`: the revision, and what the server says of itself.
#[must_use]
pub fn read_initialize(result: &Node<'_>) -> (Option<String>, Discovery) {
    let version = result.get("protocolVersion").and_then(Node::as_str).map(|v| excerpt(v, 40));
    let mut discovery = read_discovery(result);
    discovery.versions = version.clone().into_iter().collect();
    (version, discovery)
}

/// Members of envelopes that servers put around settings.
const ENVELOPE: [&str; 4] = ["config", "specVersion", "stability", "id"];

/// Whether the extension is declared, and with directory reads.
fn read_declaration(capabilities: Option<&Node<'_>>, findings: &mut Vec<Finding>) -> (bool, bool) {
    let must = |id, message: String, pointer: &str| {
        Finding::must(id, Section::Capabilities, message).pointer(pointer)
    };
    let member = |name| capabilities.and_then(|node| node.get(name));
    let declared = member("extensions").and_then(|node| node.get(SKILLS_EXTENSION));
    let Some(declared) = declared else {
        findings.extend(misplaced(capabilities));
        return (false, false);
    };
    let pointer = "/capabilities/extensions/io.modelcontextprotocol~1skills";
    if declared.as_object().is_none() {
        let message = format!("the extension's declaration is {}, not an object", declared.kind());
        findings.push(must("capability-empty-object", message, pointer));
    }
    let is_envelope = |member: &&Member<'_>| {
        ENVELOPE.contains(&&*member.name) || member.node.get("directoryRead").is_some()
    };
    if let Some(member) = declared.as_object().and_then(|all| all.iter().find(is_envelope)) {
        let message =
            format!("the declaration has {}: settings stand in it directly", quote(&member.name));
        let pointer = format!("{pointer}/{}", pointer_token(&member.name));
        findings.push(must("capability-declaration-inline", message, &pointer));
    }
    if member("resources").and_then(Node::as_object).is_none() {
        let message = "skills are declared without the resources capability they are read by";
        findings.push(must("capability-requires-resources", message.to_owned(), "/capabilities"));
    }
    let id = "capability-directory-read-boolean";
    let other = misspelt_member(declared, "directoryRead", id, Section::Capabilities);
    findings.extend(other.map(|finding| finding.pointer(pointer)));
    let flag = declared.get("directoryRead");
    if let Some(flag) = flag.filter(|flag| !matches!(flag.value, Value::Bool(_))) {
        let message = format!("directoryRead is {}, not a boolean", flag.kind());
        findings.push(must(
            "capability-directory-read-boolean",
            message,
            &format!("{pointer}/directoryRead"),
        ));
    }
    (true, flag.is_some_and(|flag| flag.value == Value::Bool(true)))
}

/// What to say of an extension that is declared elsewhere than under its identifier in `extensions`.
fn misplaced(capabilities: Option<&Node<'_>>) -> Option<Finding> {
    let member = |name| capabilities.and_then(|node| node.get(name));
    let is_named = |node: &Node<'_>| node.as_str() == Some(SKILLS_EXTENSION);
    let extensions = member("extensions");
    let listed = extensions.and_then(Node::as_array).unwrap_or_default();
    let (pointer, message) =
        if member("experimental").is_some_and(|node| node.get(SKILLS_EXTENSION).is_some()) {
            let message = "the extension is declared under experimental, as in an early draft";
            ("/capabilities/experimental", message.to_owned())
        } else if member(SKILLS_EXTENSION).is_some() {
            ("/capabilities", "the extension is declared beside extensions, not in it".to_owned())
        } else if listed.iter().any(is_named) {
            let message = "extensions is an array instead of an object with settings by identifier";
            ("/capabilities/extensions", message.to_owned())
        } else {
            let other = extensions.and_then(|node| misspelt(node, SKILLS_EXTENSION))?;
            ("/capabilities/extensions", other_spelling(other, SKILLS_EXTENSION))
        };
    let finding = Finding::must("capability-declaration-inline", Section::Capabilities, message);
    Some(finding.pointer(pointer))
}

/// The member whose name differs from `name` in letter case and punctuation only, where there is none of
/// that name.
fn misspelt<'n, 'a>(node: &'n Node<'a>, name: &str) -> Option<&'n Member<'a>> {
    fn letters(text: &str) -> impl Iterator<Item = u8> {
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
    }
    let members = node.as_object().filter(|_| node.get(name).is_none())?;
    members.iter().find(|member| letters(&member.name).eq(letters(name)))
}

/// What to say of a member that [`misspelt`] found.
fn other_spelling(member: &Member<'_>, name: &str) -> String {
    format!("the name {} is not {name}, which clients look for", quote(&member.name))
}

/// What to say of a member that some servers leave out, where one stands there under another name.
fn misspelt_member(
    node: &Node<'_>,
    name: &str,
    id: &'static str,
    section: Section,
) -> Option<Finding> {
    let other = misspelt(node, name)?;
    let finding = Finding::should(id, section, other_spelling(other, name));
    Some(finding.repair(format!("call it {name}")))
}

/// How long a result is fresh, and for whom.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Freshness {
    /// Milliseconds from receipt; 0 where the server names no valid number.
    pub ttl_ms: u64,
    /// Whether others may share it.
    pub public: bool,
}

impl Freshness {
    /// Whether a result that came at `received_ms` may still be used at `now_ms` without asking
    /// again (both in milliseconds since 1970). No result is fresh for longer than a day.
    ///
    /// ```
    /// use skillglass::protocol::results::Freshness;
    /// let freshness = Freshness { ttl_ms: 5_000, public: false };
    /// assert!(freshness.is_fresh(1_000, 5_999) && !freshness.is_fresh(1_000, 6_000));
    /// assert!(!Freshness::default().is_fresh(1_000, 1_000));
    /// ```
    #[must_use]
    pub const fn is_fresh(&self, received_ms: u64, now_ms: u64) -> bool {
        now_ms.saturating_sub(received_ms) < self.lasts_ms()
    }

    /// How long a result is fresh, in milliseconds: what the server names, at most a day.
    #[must_use]
    pub const fn lasts_ms(&self) -> u64 {
        if self.ttl_ms < MAX_TTL_MS { self.ttl_ms } else { MAX_TTL_MS }
    }
}

/// The longest time for which a result is taken for fresh: a day.
const MAX_TTL_MS: u64 = 24 * 60 * 60 * 1_000;

/// How many entries of a page are read: ten times the largest catalog this is built for. What is read of an empty one takes
/// a thousand times the room of its two bytes.
pub const MAX_PAGE_ENTRIES: usize = 100_000;

/// One page of `skills/list`.
#[derive(Clone, Debug)]
pub struct SkillPage {
    /// The entries, malformed ones included; the first [`MAX_PAGE_ENTRIES`].
    pub skills: Vec<Reading>,
    /// How many entries are left out behind these.
    pub left_out: usize,
    /// The cursor of the next page; `""` is one.
    pub next_cursor: Option<String>,
    /// How long the page is fresh.
    pub freshness: Freshness,
    /// What is wrong with the page itself.
    pub findings: Vec<Finding>,
}

/// Reads the result of `skills/list`. Its entries are read one by one with [`read_entries`], and not here: a page may
/// have thousands, and a caller that must not be held up reads some at a time.
///
/// ```
/// use skillglass::protocol::{Reply, results::{read_entries, read_page, read_skill_page}};
/// let text = r#"{"jsonrpc":"2.0","id":1,"result":{"skills":[{"uri":"skill://a/SKILL.md"}]}}"#;
/// let reply = Reply { status: 200, text: text.into(), id: Some(1), flaw: None };
/// let message = reply.message().unwrap();
/// let result = message.outcome().unwrap();
/// let mut page = read_page(result);
/// assert!(page.skills.is_empty());
/// page.skills.extend(read_entries(&message, result));
/// assert_eq!(page.skills.len(), read_skill_page(&message, result).skills.len());
/// ```
#[must_use]
pub fn read_page(result: &Node<'_>) -> SkillPage {
    let section = Section::SkillsList;
    let mut findings = Vec::new();
    check_result_type(result, section, &mut findings);
    let freshness = read_freshness(result, "skills-list-cache-attributes", section, &mut findings);
    let skills = result.get("skills");
    if skills.is_none_or(|node| node.as_array().is_none()) {
        let is = skills.map_or("missing", Node::kind);
        let message = format!("skills is {is}; it must be an array of entries");
        findings.push(Finding::must("list-skills-array", section, message).pointer("/skills"));
    }
    let next_cursor = read_cursor(result, "skills-list-pagination", section, &mut findings);
    let sent = skills.and_then(Node::as_array).map_or(0, <[_]>::len);
    let left_out = sent.saturating_sub(MAX_PAGE_ENTRIES);
    SkillPage { skills: Vec::new(), left_out, next_cursor, freshness, findings }
}

/// The cursor of the next page, of skills or of a directory; what is wrong with it is told under `id`.
pub(super) fn read_cursor(
    result: &Node<'_>,
    id: &'static str,
    section: Section,
    findings: &mut Vec<Finding>,
) -> Option<String> {
    let (level, message) = match result.get("nextCursor").map(|node| &node.value) {
        Some(Value::String(cursor)) => return Some(cursor.as_ref().to_owned()),
        Some(Value::Null) => {
            (Level::Should, "nextCursor is null instead of absent, which some clients refuse")
        }
        Some(_) => {
            (Level::Must, "nextCursor is not a string; the pages behind it cannot be asked for")
        }
        None => {
            findings.extend(misspelt_member(result, CURSOR, id, section));
            return None;
        }
    };
    findings.push(Finding::new(id, level, section, message).pointer("/nextCursor"));
    None
}

/// The member that leads to the next page.
const CURSOR: &str = "nextCursor";

/// Whether a page gives its cursor under another name, so that nobody knows what is behind it.
pub(crate) fn has_misspelt_cursor(result: &Node<'_>) -> bool {
    misspelt(result, CURSOR).is_some()
}

/// The entries of a page, each read when it is asked for; the first [`MAX_PAGE_ENTRIES`].
pub fn read_entries<'m>(
    message: &'m Message<'_>,
    result: &'m Node<'_>,
) -> impl Iterator<Item = Reading> + use<'m> {
    let skills = result.get("skills").and_then(Node::as_array).unwrap_or_default();
    let text = message.text;
    skills.iter().take(MAX_PAGE_ENTRIES).map(move |skill| entry::read(skill.span.of(text)))
}

/// Reads the result of `skills/list`, its entries included.
#[must_use]
pub fn read_skill_page(message: &Message<'_>, result: &Node<'_>) -> SkillPage {
    SkillPage { skills: read_entries(message, result).collect(), ..read_page(result) }
}

/// The entry that `skills/get` answered with.
#[derive(Clone, Debug)]
pub struct GotSkill {
    /// The entry; none where the result has none.
    pub reading: Option<Reading>,
    /// How long it is fresh.
    pub freshness: Freshness,
    /// What is wrong with the result itself.
    pub findings: Vec<Finding>,
}

/// Reads the result of `skills/get` for `uri`. An entry for another skill is refused.
#[must_use]
pub fn read_got_skill(message: &Message<'_>, result: &Node<'_>, uri: &str) -> GotSkill {
    const SHAPE: &str = "skills-get-entry-shape";
    let section = Section::SkillsGet;
    let mut findings = Vec::new();
    check_result_type(result, section, &mut findings);
    let freshness = read_freshness(result, "skills-get-cache-attributes", section, &mut findings);
    if result.get("nextCursor").is_some() {
        let message = "skills/get has no pages, yet the result has a nextCursor";
        findings.push(Finding::must("skills-get-no-cursor", section, message));
    }
    let reading = match result.get("skill") {
        Some(skill) if skill.as_object().is_some() => {
            Some(entry::read(skill.span.of(message.text)))
        }
        None if ["uri", "frontmatter"].iter().all(|name| result.get(name).is_some()) => {
            let message = "the entry stands directly in the result instead of in \"skill\"";
            let finding = Finding::must(SHAPE, section, message).pointer("/skill");
            findings.push(finding.repair("put the entry under \"skill\""));
            None
        }
        other => {
            let is = other.map_or("missing", Node::kind);
            let message = format!("skill is {is}; an unknown URI must be answered with -32602");
            findings.push(Finding::must(SHAPE, section, message).pointer("/skill"));
            None
        }
    };
    let other =
        reading.as_ref().and_then(|reading| reading.uri.as_deref()).filter(|got| *got != uri);
    if let Some(other) = other {
        let message = format!("asked for {}, the server answered with another skill", quote(uri));
        let finding = Finding::must(SHAPE, section, message).pointer("/skill/uri");
        findings.push(finding.sides(excerpt(uri, 200), excerpt(other, 200)));
        return GotSkill { reading: None, freshness, findings };
    }
    GotSkill { reading, freshness, findings }
}

/// The finding for an error that answers a question about something the server does not have:
/// the extension wants -32602 for an unknown skill, file or directory.
#[must_use]
pub fn judge_not_found(call: &Call, error: &RpcError) -> Option<Finding> {
    let (id, what) = match call {
        Call::GetSkill { .. } => ("skills-get-unknown-uri-invalid-params", "skill"),
        Call::ReadResource { .. } => ("read-unknown-32602", "file"),
        Call::ReadDirectory { .. } => ("directory-read-invalid-params", "directory"),
        _ => return None,
    };
    if error.code == Some(INVALID_PARAMS) {
        return None;
    }
    let code = error.code.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let message = format!("an unknown {what} is answered with error {code} instead of -32602");
    let finding = if error.code == Some(LEGACY_NOT_FOUND) {
        Finding::should(id, Section::Errors, message)
            .cause("-32002 is the code of older revisions; hosts still accept it")
    } else {
        Finding::must(id, Section::Errors, message)
    };
    Some(finding.sides("-32602", code))
}

/// What only servers since 2026-07-28 can know: `resultType` and the cache attributes.
const MODERN_RULES: [&str; 4] = [
    "result-type-complete",
    "skills-list-cache-attributes",
    "skills-get-cache-attributes",
    "cache-values-valid",
];

/// Whether the rule behind a finding on a result holds in an era.
///
/// ```
/// use skillglass::finding::{Finding, Section};
/// use skillglass::protocol::{Era, results::holds_in};
/// let finding = Finding::must("result-type-complete", Section::SkillsList, "it is missing");
/// assert!(holds_in(Era::Modern, &finding));
/// assert!(!holds_in(Era::Legacy, &finding));
/// ```
#[must_use]
pub fn holds_in(era: Era, finding: &Finding) -> bool {
    era == Era::Modern || !MODERN_RULES.contains(&finding.id)
}

/// Why a result is none yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unfinished {
    /// `input_required`: the server wants something first.
    InputRequired {
        /// What it asks of its client: method, and in the server's words what for, both bounded;
        /// empty where it only wants to be asked again.
        asks: Vec<String>,
        /// Whether it gave a state (`requestState`) that wants to be sent along.
        has_state: bool,
    },
    /// A `resultType` that the protocol does not have, as JSON and bounded; such a result is invalid.
    Unknown(String),
}

impl fmt::Display for Unfinished {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InputRequired { asks, .. } if !asks.is_empty() => write!(
                f,
                "the server wants input before it answers (input_required): {}",
                asks.join(", ")
            ),
            Self::InputRequired { has_state: true, .. } => f.write_str(
                "the server wants to be asked once more before it answers (input_required)",
            ),
            Self::InputRequired { .. } => f.write_str(
                "the server wants input before it answers (input_required), but names none",
            ),
            Self::Unknown(kind) => {
                write!(f, "the result says resultType {kind}, which nobody knows")
            }
        }
    }
}

impl std::error::Error for Unfinished {}

/// Whether a result is final. Without `resultType` it is, as in the revisions before 2026-07-28.
///
/// # Errors
/// See [`Unfinished`].
///
/// ```
/// use skillglass::{json, protocol::results::{Unfinished, check_finished}};
/// let check = |result: &str| check_finished(&json::read(result).unwrap().root);
/// assert_eq!(check(r#"{"contents":[]}"#), Ok(()));
/// let wants = r#"{"resultType":"input_required","inputRequests":{
///     "a":{"method":"elicitation/create","params":{"message":"Which team?"}}}}"#;
/// let asks = vec![r#"elicitation/create, "Which team?""#.to_owned()];
/// assert_eq!(check(wants), Err(Unfinished::InputRequired { asks, has_state: false }));
/// ```
pub fn check_finished(result: &Node<'_>) -> Result<(), Unfinished> {
    match result.get("resultType").map(|node| (node, node.as_str())) {
        None | Some((_, Some("complete"))) => Ok(()),
        Some((_, Some("input_required"))) => {
            let requests = result.get("inputRequests").and_then(Node::as_object);
            let asks = requests.unwrap_or_default().iter().take(MAX_ASKS).map(asks_for).collect();
            let has_state = result.get("requestState").and_then(Node::as_str).is_some();
            Err(Unfinished::InputRequired { asks, has_state })
        }
        Some((node, _)) => Err(Unfinished::Unknown(excerpt(&node.to_json(), 80))),
    }
}

/// How many of the things are told that a server asks for.
const MAX_ASKS: usize = 8;

/// What one of the requests in a result asks for.
fn asks_for(request: &Member<'_>) -> String {
    let text = |node: Option<&Node<'_>>| node.and_then(Node::as_str).map(str::to_owned);
    let method = text(request.node.get("method")).unwrap_or_else(|| request.name.to_string());
    let message = text(request.node.get("params").and_then(|params| params.get("message")));
    let method = excerpt(&method, 80);
    message.map_or(method.clone(), |message| format!("{method}, {}", quote(&message)))
}

/// `resultType` must be there and say `complete`.
pub(super) fn check_result_type(result: &Node<'_>, section: Section, findings: &mut Vec<Finding>) {
    let message = match result.get("resultType").map(|node| (node, node.as_str())) {
        Some((_, Some("complete"))) => return,
        Some((_, Some(other))) => format!("resultType is {} instead of \"complete\"", quote(other)),
        Some((node, None)) => format!("resultType is {} instead of \"complete\"", node.kind()),
        None => format!("resultType is missing, which {PROTOCOL_VERSION} requires"),
    };
    let finding = Finding::must("result-type-complete", section, message).pointer("/resultType");
    findings.push(finding.repair("add \"resultType\": \"complete\" to the result"));
}

fn read_freshness(
    result: &Node<'_>,
    missing_id: &'static str,
    section: Section,
    findings: &mut Vec<Finding>,
) -> Freshness {
    let mut found = |id, level, message: String, pointer: &str| {
        findings.push(Finding::new(id, level, section, message).pointer(pointer));
    };
    let ttl_ms = match result.get("ttlMs") {
        None => {
            let message = format!("ttlMs is missing, which {PROTOCOL_VERSION} requires");
            found(missing_id, Level::Must, message, "/ttlMs");
            0
        }
        Some(node) => node.as_count().unwrap_or_else(|| {
            let sent = excerpt(&node.to_json(), 40);
            let is_large = matches!(&node.value, Value::Number(number) if number.is_large_count());
            let (level, wants) = if is_large {
                (Level::Should, "many readers hold no whole number beyond 2^53 - 1")
            } else {
                (Level::Must, "it must be a whole number of milliseconds, 0 or more")
            };
            found("cache-values-valid", level, format!("ttlMs is {sent}; {wants}"), "/ttlMs");
            0
        }),
    };
    let public = match result.get("cacheScope").map(|node| (node, node.as_str())) {
        None => {
            let message = format!("cacheScope is missing, which {PROTOCOL_VERSION} requires");
            found(missing_id, Level::Must, message, "/cacheScope");
            false
        }
        Some((_, Some("public"))) => true,
        Some((_, Some("private"))) => false,
        Some((node, _)) => {
            let sent = excerpt(&node.to_json(), 40);
            let message = format!("cacheScope is {sent}; it must be \"public\" or \"private\"");
            found("cache-values-valid", Level::Must, message, "/cacheScope");
            false
        }
    };
    Freshness { ttl_ms, public }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Reply;

    fn with_result<T>(result: &str, read: impl FnOnce(&Message<'_>, &Node<'_>) -> T) -> T {
        let text = format!(r#"{{"jsonrpc":"2.0","id":0,"result":{result}}}"#);
        let reply = Reply { status: 200, text, id: None, flaw: None };
        let message = reply.message().unwrap();
        let result = message.outcome().unwrap();
        read(&message, result)
    }

    fn ids(findings: &[Finding]) -> Vec<&'static str> {
        findings.iter().map(|finding| finding.id).collect()
    }

    fn discovery(capabilities: &str) -> Discovery {
        let result =
            format!(r#"{{"supportedVersions":["2026-07-28"],"capabilities":{capabilities}}}"#);
        with_result(&result, |_, result| read_discovery(result))
    }

    #[test]
    fn declarations_are_judged() {
        let sound = discovery(
            r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":true}}}"#,
        );
        assert!(sound.skills && sound.directory_read && sound.findings.is_empty());
        let without = discovery(r#"{"extensions":{"io.modelcontextprotocol/skills":{}}}"#);
        assert_eq!(ids(&without.findings), ["capability-requires-resources"]);
        let flag = discovery(
            r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directoryRead":"true"}}}"#,
        );
        assert_eq!(ids(&flag.findings), ["capability-directory-read-boolean"]);
        assert!(!flag.directory_read);
        let word =
            discovery(r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":true}}"#);
        assert_eq!(ids(&word.findings), ["capability-empty-object"]);
        let draft =
            discovery(r#"{"resources":{},"experimental":{"io.modelcontextprotocol/skills":{}}}"#);
        assert!(!draft.skills);
        assert_eq!(ids(&draft.findings), ["capability-declaration-inline"]);
        let spelt =
            discovery(r#"{"resources":{},"extensions":{"io.modelcontextprotocol.skills":{}}}"#);
        assert_eq!(ids(&spelt.findings), ["capability-declaration-inline"]);
        let flag = discovery(
            r#"{"resources":{},"extensions":{"io.modelcontextprotocol/skills":{"directory_read":true}}}"#,
        );
        assert_eq!(ids(&flag.findings), ["capability-directory-read-boolean"]);
        for other in ["{}", r#"{"extensions":{"com.example/skills":{}}}"#] {
            let other = discovery(other);
            assert!(!other.skills && other.findings.is_empty());
        }
    }

    #[test]
    fn of_a_page_that_floods_the_first_entries_are_read() {
        let flood = format!(r#"{{"skills":[{}{{}}]}}"#, "{},".repeat(MAX_PAGE_ENTRIES));
        let (read, left_out) = with_result(&flood, |message, result| {
            (read_entries(message, result).count(), read_page(result).left_out)
        });
        assert_eq!((read, left_out), (MAX_PAGE_ENTRIES, 1));
    }

    #[test]
    fn pages_are_read_even_when_they_are_wrong() {
        let page = |result: &str| with_result(result, read_skill_page);
        let sound = page(
            r#"{"resultType":"complete","skills":[],"ttlMs":5.0,"cacheScope":"public","nextCursor":""}"#,
        );
        assert_eq!((sound.next_cursor.as_deref(), sound.freshness.ttl_ms), (Some(""), 5));
        assert!(sound.findings.is_empty());
        let spelt = page(
            r#"{"resultType":"complete","skills":[],"ttlMs":5,"cacheScope":"public","next_cursor":"2"}"#,
        );
        assert_eq!(ids(&spelt.findings), ["skills-list-pagination"]);
        let bare = page(r#"{"skills":[{"uri":"x"},null]}"#);
        assert_eq!(
            ids(&bare.findings),
            [
                "result-type-complete",
                "skills-list-cache-attributes",
                "skills-list-cache-attributes"
            ]
        );
        assert_eq!(bare.skills.len(), 2);
        assert!(!bare.findings.iter().any(|finding| holds_in(Era::Legacy, finding)));
        let odd = page(
            r#"{"resultType":"done","skills":{},"ttlMs":-1,"cacheScope":"all","nextCursor":5}"#,
        );
        assert_eq!(
            ids(&odd.findings),
            [
                "result-type-complete",
                "cache-values-valid",
                "cache-values-valid",
                "list-skills-array",
                "skills-list-pagination"
            ]
        );
        let older = odd.findings.iter().filter(|finding| holds_in(Era::Legacy, finding));
        assert_eq!(older.count(), 2);
    }

    #[test]
    fn not_found_has_one_code() {
        let judge = |code| {
            let error = RpcError { code, message: String::new(), data: None, status: 200 };
            judge_not_found(&Call::GetSkill { uri: "skill://a/SKILL.md".into() }, &error)
                .map(|finding| finding.level)
        };
        assert_eq!(judge(Some(-32602)), None);
        assert_eq!(judge(Some(-32601)), Some(Level::Must));
        assert_eq!(judge(Some(-32002)), Some(Level::Should));
        assert_eq!(judge(None), Some(Level::Must));
    }

    #[test]
    fn a_result_that_is_not_final_says_what_is_wanted() {
        let said = |result: &str| {
            let document = crate::json::read(result).unwrap();
            check_finished(&document.root).unwrap_err().to_string()
        };
        let wants = |members: &str| said(&format!(r#"{{"resultType":"input_required"{members}}}"#));
        let two = r#","requestState":"s","inputRequests":{"a":{"method":"roots/list"},"b":{}}"#;
        assert!(wants(two).ends_with("(input_required): roots/list, b"), "{}", wants(two));
        assert!(wants(r#","requestState":"s""#).contains("asked once more"));
        assert!(wants("").ends_with("but names none"));
        assert!(wants(r#","requestState":5,"inputRequests":[]"#).ends_with("but names none"));
        assert!(said(r#"{"resultType":7}"#).contains("resultType 7,"));
    }

    #[test]
    fn an_entry_for_another_skill_is_refused() {
        let got = |skill: &str| {
            let result = format!(
                r#"{{"resultType":"complete","ttlMs":0,"cacheScope":"private","skill":{skill}}}"#
            );
            with_result(&result, |message, result| {
                read_got_skill(message, result, "skill://a/SKILL.md")
            })
        };
        let right = r#"{"uri":"skill://a/SKILL.md","frontmatter":{"name":"a","description":"b"},"resources":"dynamic"}"#;
        let direct = with_result(right, |message, result| {
            read_got_skill(message, result, "skill://a/SKILL.md").findings
        });
        assert!(direct.iter().any(|finding| finding.message.contains("directly in the result")));
        assert!(got(right).reading.is_some_and(|reading| reading.entry.is_some()));
        let other = got(&right.replace("//a/", "//z/"));
        assert!(other.reading.is_none());
        assert_eq!(ids(&other.findings), ["skills-get-entry-shape"]);
        assert_eq!(ids(&got("null").findings), ["skills-get-entry-shape"]);
    }
}
