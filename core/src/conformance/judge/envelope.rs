//! The form that the base protocol gives to answers: how they come, and the members that they have.

use super::broken;
use crate::finding::{Bounded, Finding, Level, excerpt, quote};
use crate::json::{Oddity, OddityKind};
use crate::protocol::{Call, Era, Message, ReplyError, StreamFlaw};
use crate::source::Span;
use crate::value::{Node, Value};

/// The only revision in which messages come in arrays.
const WITH_ARRAYS: &str = "2025-03-26";

/// How many findings one answer may have.
const MAX_FINDINGS: usize = 20;

/// What in an answer does not have the form that the base protocol of this revision gives it.
///
/// Results of the extension's own methods are generic here; their members have checks of their own.
pub(in super::super) fn check(
    era: Era,
    revision: &str,
    call: &Call,
    message: &Message<'_>,
) -> Vec<Finding> {
    let mut form = Form { era, findings: Bounded::new(MAX_FINDINGS) };
    form.stream(message.flaw.as_ref());
    let root = &message.document.root;
    if root.as_array().is_none() {
        form.message(message, call);
    } else if revision != WITH_ARRAYS {
        form.broken("", "the answer is an array of messages", "send the answer by itself");
    }
    form.oddities(message);
    form.findings.into_vec()
}

/// What is wrong with the HTTP status of an answer that could be read.
pub(in super::super) fn check_status(status: u16, is_error: bool) -> Option<Finding> {
    let what = if is_error { "an error" } else { "a result" };
    let message = format!("{what} came with HTTP status {status}, so that clients do not read it");
    let finding = broken("wire-schema-valid", message).sides("200", status.to_string());
    let is_read = status == 200 || (is_error && status >= 400);
    (!is_read).then(|| finding.repair("answer with status 200; errors may have 4xx and 5xx"))
}

/// The finding for an answer that is no message at all.
pub(in super::super) fn no_message(why: &ReplyError) -> Finding {
    let repair = match why {
        ReplyError::MediaType { .. } => {
            "answer with Content-Type: application/json or text/event-stream"
        }
        ReplyError::NotJson { .. } => "send valid JSON in UTF-8",
        ReplyError::OtherId { .. } => SAME_ID,
        ReplyError::EndedEarly { .. } => "end the stream behind the answer, not before it",
        _ => "send one JSON-RPC response, with a result or an error",
    };
    broken("wire-schema-valid", why.to_string()).repair(repair)
}

const SAME_ID: &str = "send the request's id back as it came: a number";

struct Form {
    era: Era,
    /// There is room for so many only, so what is said once at most is said before what is said of
    /// each element.
    findings: Bounded,
}

impl Form {
    fn stream(&mut self, flaw: Option<&StreamFlaw>) {
        let (what, repair) = match flaw {
            None => return,
            Some(StreamFlaw::Unended) => (
                "the event stream ended before the empty line behind the answer, so that strict readers drop it",
                "send an empty line behind every event, the last one too",
            ),
            Some(StreamFlaw::Noise(found)) => {
                let what = "a line of standard output before the answer is no JSON-RPC message";
                let repair =
                    "write nothing but messages to standard output; logs go to standard error";
                let finding = broken("wire-schema-valid", what).actual(found).repair(repair);
                return self.findings.push(finding);
            }
            // Whether it is seen depends on how the network cuts the stream, so it fails nobody.
            Some(StreamFlaw::AnsweredTwice) => {
                let what = "the event stream has a second answer to the request; readers keep different ones";
                let repair = "send one response for each request, and end the stream behind it";
                return self.doubtful(broken("wire-schema-valid", what).repair(repair));
            }
            Some(StreamFlaw::NoMessage(found)) => {
                let what = "an event before the answer is no JSON-RPC message";
                let repair =
                    "send one message as the data of each event; a comment begins with a colon";
                let finding = broken("wire-schema-valid", what).actual(found).repair(repair);
                return self.doubtful(finding);
            }
        };
        self.broken("", what, repair);
    }

    fn message(&mut self, message: &Message<'_>, call: &Call) {
        let root = &message.document.root;
        if root.get("jsonrpc").and_then(Node::as_str) != Some("2.0") {
            self.broken("/jsonrpc", "jsonrpc is not \"2.0\"", "add \"jsonrpc\": \"2.0\"");
        }
        self.id(root, message.id);
        match (root.get("result"), root.get("error")) {
            (Some(_), Some(_)) => {
                self.broken("", "the answer has a result and an error", "send one of the two");
            }
            (Some(result), None) => self.result(result, call),
            (None, error) => self.error(error),
        }
    }

    /// The id is the request's. Clients take an error without one for their answer, and only an error
    /// for what could not be read is meant to have none, which no request of this run is.
    fn id(&mut self, root: &Node<'_>, asked: Option<u64>) {
        let id = root.get("id").filter(|id| id.value != Value::Null);
        match (id, asked) {
            (None, _) if root.get("result").is_some() => {
                self.broken("/id", "the answer has no id", SAME_ID);
            }
            (None, Some(asked)) => {
                let is = if root.get("id").is_some() { "null" } else { "missing" };
                let message = format!(
                    "the error's id is {is}, although the request's could be read: {asked}"
                );
                self.doubtful(broken("wire-schema-valid", message).pointer("/id").repair(SAME_ID));
            }
            (Some(id), Some(asked)) if id.as_count() != Some(asked) => {
                let found = excerpt(&id.to_json(), 40);
                let message = format!("the answer's id is {found}, the request's {asked}");
                self.broken("/id", message, SAME_ID);
            }
            _ => {}
        }
    }

    fn result(&mut self, result: &Node<'_>, call: &Call) {
        if result.as_object().is_none() {
            let message = format!("the result is {} instead of an object", result.kind());
            return self.broken("/result", message, "send an object");
        }
        self.modern_members(result, call);
        let cursor = result.get("nextCursor").map(|node| &node.value);
        if !matches!(cursor, None | Some(Value::String(_))) {
            let repair = "send cursors as strings, and leave nextCursor out of the last page";
            self.broken("/result/nextCursor", "nextCursor is not a string", repair);
        }
        match call {
            Call::Discover => self.discovery(result),
            Call::ListResources { .. } => {
                self.each(result, "resources", &RESOURCE);
            }
            Call::ReadResource { .. } => {
                self.each(result, "contents", &[("uri", true), ("mimeType", false)]);
            }
            _ => {}
        }
    }

    fn error(&mut self, error: Option<&Node<'_>>) {
        let member = |name| error.and_then(|error| error.get(name));
        if member("code").and_then(Node::as_integer).is_none() {
            let message = "the error's code is not a whole number";
            self.broken("/error/code", message, "send the code as a whole number");
        }
        if member("message").and_then(Node::as_str).is_none() {
            let message = "the error's message is not a string";
            self.broken("/error/message", message, "say in message what is refused, and why");
        }
    }

    /// What results have since 2026-07-28. The protocol's own cacheable results need cache fields.
    fn modern_members(&mut self, result: &Node<'_>, call: &Call) {
        if self.era == Era::Legacy {
            return;
        }
        let is_own =
            matches!(call, Call::Discover | Call::ListResources { .. } | Call::ReadResource { .. });
        match result.get("resultType").and_then(Node::as_str) {
            Some("input_required") if matches!(call, Call::ReadResource { .. }) => return,
            Some("complete") => {}
            Some(_) if !is_own => {}
            found => {
                let found = found.map_or_else(|| "missing or no string".to_owned(), quote);
                let message = format!("resultType is {found}");
                self.broken("/result/resultType", message, "add \"resultType\": \"complete\"");
            }
        }
        if !is_own {
            return;
        }
        if result.get("ttlMs").and_then(Node::as_count).is_none() {
            let message = "ttlMs is missing or no whole number of milliseconds, 0 or more";
            let repair = "add \"ttlMs\", or 0 where the result may change at any time";
            self.broken("/result/ttlMs", message, repair);
        }
        let scope = result.get("cacheScope").and_then(Node::as_str);
        if !matches!(scope, Some("public" | "private")) {
            let message = "cacheScope is missing or neither \"public\" nor \"private\"";
            let repair =
                "add \"cacheScope\": \"private\", or \"public\" where all may share the result";
            self.broken("/result/cacheScope", message, repair);
        }
    }

    fn discovery(&mut self, result: &Node<'_>) {
        let versions = result.get("supportedVersions").and_then(Node::as_array);
        if !versions.is_some_and(|versions| versions.iter().all(|node| node.as_str().is_some())) {
            let message = "supportedVersions is no array of strings";
            let repair = "list the revisions that are spoken, as \"2026-07-28\"";
            self.broken("/result/supportedVersions", message, repair);
        }
        if result.get("instructions").is_some_and(|node| node.as_str().is_none()) {
            let message = "instructions is no string";
            self.broken("/result/instructions", message, "send the instructions as one text");
        }
        let Some(capabilities) = result.get("capabilities").filter(|it| it.as_object().is_some())
        else {
            let message = "capabilities is no object";
            return self.broken("/result/capabilities", message, OBJECT);
        };
        let pointer = "/result/capabilities/resources";
        self.object(capabilities.get("resources"), "resources", pointer);
        let pointer = "/result/capabilities/extensions";
        self.object(capabilities.get("extensions"), "extensions", pointer);
        let extensions = capabilities.get("extensions").and_then(Node::as_object);
        for extension in extensions.unwrap_or_default() {
            self.object(Some(&extension.node), &extension.name, pointer);
        }
    }

    /// A member that is an object where it is there.
    fn object(&mut self, member: Option<&Node<'_>>, name: &str, pointer: &str) {
        if let Some(node) = member.filter(|node| node.as_object().is_none()) {
            let message = format!("{} is {} instead of an object", quote(name), node.kind());
            self.broken(pointer, message, OBJECT);
        }
    }

    /// An array whose elements have string members, the required ones among them.
    fn each(&mut self, result: &Node<'_>, array: &str, members: &[(&str, bool)]) {
        let Some(items) = result.get(array).and_then(Node::as_array) else {
            let message = format!("{array} is no array");
            return self.broken(&format!("/result/{array}"), message, "send an array");
        };
        for (index, item) in items.iter().enumerate() {
            for (name, required) in members {
                let node = item.get(name);
                let right = node.map_or(!required, |node| node.as_str().is_some());
                if !right {
                    let found =
                        node.map_or("missing".to_owned(), |node| excerpt(&node.to_json(), 80));
                    let message =
                        format!("{} in {array} is {found}, it must be a string", quote(name));
                    let pointer = format!("/result/{array}/{index}/{name}");
                    self.broken(&pointer, message, "send it as a string");
                }
            }
            for name in ["_meta", "annotations"] {
                let pointer = format!("/result/{array}/{index}/{name}");
                self.object(item.get(name), name, &pointer);
            }
            if let Some(size) = item.get("size").filter(|size| size.as_count().is_none()) {
                let message = format!("a size in {array} is {}", excerpt(&size.to_json(), 80));
                let pointer = format!("/result/{array}/{index}/size");
                self.broken(&pointer, message, "send the length in bytes, a whole number");
            }
            let uri = item.get("uri").and_then(Node::as_str);
            if let Some(uri) = uri.filter(|uri| !is_uri(uri)) {
                let message = format!("{} is no URI of RFC 3986", quote(uri));
                let pointer = format!("/result/{array}/{index}/uri");
                self.broken(&pointer, message, "percent-encode what RFC 3986 does not allow");
            }
        }
    }

    /// What readers take in different ways, in whatever has no check of its own for that.
    fn oddities(&mut self, message: &Message<'_>) {
        let result = message.document.root.get("result");
        let judged = ["skills", "skill", "contents"].map(|name| Some(result?.get(name)?.span));
        let is_judged = |at: Span| {
            judged.iter().flatten().any(|span| span.start <= at.start && at.end <= span.end)
        };
        for Oddity { kind, span } in &message.document.oddities {
            let at = excerpt(span.of(message.text), 80);
            let (what, repair) = match kind {
                OddityKind::ByteOrderMark => continue,
                _ if is_judged(*span) => continue,
                OddityKind::DuplicateMember => {
                    (format!("the member {at} occurs twice in one object"), "send each member once")
                }
                OddityKind::LoneSurrogate => (
                    format!("the escape {at} is half a surrogate pair, which is no text"),
                    "do not cut strings inside of a character",
                ),
            };
            self.broken("", format!("{what}; readers keep different values"), repair);
        }
    }

    /// What fails nobody.
    fn doubtful(&mut self, finding: Finding) {
        self.findings.push(Finding { level: Level::Should, ..finding });
    }

    fn broken(&mut self, pointer: &str, message: impl Into<String>, repair: &str) {
        let finding = broken("wire-schema-valid", message).pointer(pointer);
        self.findings.push(finding.repair(repair));
    }
}

/// The texts that a resource has, and whether it has to.
const RESOURCE: [(&str, bool); 5] =
    [("uri", true), ("name", true), ("title", false), ("description", false), ("mimeType", false)];

const OBJECT: &str = "send an object; {} where there is nothing to say";

/// Whether a text has a scheme, and only characters that URIs may have.
fn is_uri(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let mut rest = rest.bytes();
    let mut allowed = true;
    while let Some(byte) = rest.next() {
        allowed &= match byte {
            b'%' => [rest.next(), rest.next()]
                .into_iter()
                .all(|digit| digit.is_some_and(|digit| digit.is_ascii_hexdigit())),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=".contains(&byte),
        };
    }
    let named = scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    named && allowed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::Reply;

    fn pointers(era: Era, call: &Call, text: &str) -> Vec<String> {
        let reply = Reply { status: 200, text: text.to_owned(), id: Some(1), flaw: None };
        let findings = check(era, "2025-11-25", call, &reply.message().unwrap());
        findings.into_iter().filter_map(|finding| finding.pointer).collect()
    }

    fn discover(text: &str) -> Vec<String> {
        pointers(Era::Modern, &Call::Discover, text)
    }

    #[test]
    fn sound_messages_pass() {
        let discovery = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":0,
            "cacheScope":"private","supportedVersions":["2026-07-28"],"capabilities":{}}}"#;
        assert_eq!(discover(discovery), [""; 0]);
        let error = r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32602.0,"message":"x"}}"#;
        assert_eq!(discover(error), [""; 0]);
        let list = r#"{"jsonrpc":"2.0","id":1.0,"result":{"skills":[],"nextCursor":""}}"#;
        assert_eq!(pointers(Era::Legacy, &Call::ListSkills { cursor: None }, list), [""; 0]);
    }

    #[test]
    fn each_member_is_looked_at() {
        assert_eq!(discover(r#"[{"id":1,"result":{}}]"#), [""]);
        assert_eq!(
            discover(r#"{"id":1,"error":{}}"#),
            ["/jsonrpc", "/error/code", "/error/message"]
        );
        assert_eq!(discover(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#), [""]);
        assert_eq!(discover(r#"{"jsonrpc":"2.0","id":1,"result":5}"#), ["/result"]);
        let of_nobody =
            Reply { status: 200, text: r#"{"result":{}}"#.into(), id: None, flaw: None };
        let call = Call::GetSkill { uri: String::new() };
        let findings = check(Era::Legacy, "", &call, &of_nobody.message().unwrap());
        assert_eq!(findings[1].pointer.as_deref(), Some("/id"));
        let bare = discover(r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#);
        assert_eq!(bare.len(), 4, "{bare:?}");
        let read = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":-1,
            "cacheScope":"x","contents":[{"text":""}],"nextCursor":1}}"#;
        let call = Call::ReadResource { uri: "skill://a/b".into() };
        assert_eq!(
            pointers(Era::Modern, &call, read),
            ["/result/ttlMs", "/result/cacheScope", "/result/nextCursor", "/result/contents/0/uri"]
        );
        let list = r#"{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b"}]}}"#;
        let call = Call::ListResources { cursor: None };
        assert_eq!(pointers(Era::Legacy, &call, list), ["/result/resources/0/name"]);
        let list = list.replace(r#""a:b""#, r#""a:b","name":"","size":"7","annotations":[]"#);
        let odd = ["annotations", "size"].map(|name| format!("/result/resources/0/{name}"));
        assert_eq!(pointers(Era::Legacy, &call, &list), odd);
        let with = |capabilities: &str| {
            discover(&format!(
                r#"{{"jsonrpc":"2.0","id":1,"result":{{"resultType":"complete","ttlMs":0,
                "cacheScope":"private","supportedVersions":[],"capabilities":{capabilities}}}}}"#
            ))
        };
        assert_eq!(with("[]"), ["/result/capabilities"]);
        assert_eq!(with(r#"{"resources":true}"#), ["/result/capabilities/resources"]);
        assert_eq!(with(r#"{"extensions":{"x/y":null}}"#), ["/result/capabilities/extensions"]);
        assert_eq!(with(r#"{"resources":{},"extensions":{"x/y":{}}}"#), [""; 0]);
    }

    #[test]
    fn findings_do_not_grow_with_the_answer() {
        let list = |result: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            pointers(Era::Legacy, &Call::ListResources { cursor: None }, &text)
        };
        let nameless = vec![r#"{"uri":"a b"}"#; 10_000].join(",");
        let found = list(&format!(r#"{{"resources":[{nameless}],"nextCursor":1}}"#));
        assert_eq!((found.len(), found[0].as_str()), (MAX_FINDINGS, "/result/nextCursor"));
        let twice = vec![r#""x":1"#; 10_000].join(",");
        assert_eq!(list(&format!(r#"{{"resources":[],{twice}}}"#)).len(), MAX_FINDINGS);
    }

    #[test]
    fn the_id_is_the_requests_in_its_type() {
        let result = |id: &str| discover(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":5}}"#));
        assert_eq!(
            (result("1"), result("\"1\"")),
            (vec!["/result".into()], vec!["/id".into(), "/result".into()])
        );
        let error = |id: &str| {
            discover(&format!(r#"{{"jsonrpc":"2.0"{id},"error":{{"code":-32602,"message":"x"}}}}"#))
        };
        for none in [r#","id":null"#, ""] {
            assert_eq!(error(none), ["/id"], "{none}");
        }
        assert_eq!(error(r#","id":"server-error""#), ["/id"]);
    }

    #[test]
    fn what_readers_take_in_two_ways_is_told_once() {
        let told = |result: &str| {
            let text = format!(r#"{{"jsonrpc":"2.0","id":1,"result":{result}}}"#);
            pointers(Era::Legacy, &Call::ListSkills { cursor: None }, &text).len()
        };
        assert_eq!(told(r#"{"nextCursor":"a","nextCursor":"b"}"#), 1);
        assert_eq!(told(r#"{"nextCursor":"\ud800"}"#), 1);
        assert_eq!(told(r#"{"skills":[],"skills":[]}"#), 1);
        assert_eq!(told(r#"{"skills":[{"uri":"a","uri":"\ud800"}]}"#), 0, "a check of entries");
    }

    #[test]
    fn a_result_has_the_status_200() {
        assert!(check_status(200, false).is_none() && check_status(200, true).is_none());
        assert!(check_status(404, true).is_none() && check_status(202, true).is_some());
        for status in [202, 206, 404, 500] {
            let finding = check_status(status, false).unwrap();
            assert_eq!(finding.actual, Some(status.to_string()));
        }
    }

    #[test]
    fn arrays_and_cut_off_streams_are_told() {
        let check = |revision, text: &str, flaw| {
            let reply = Reply { status: 200, text: text.into(), id: Some(1), flaw };
            let call = Call::ListSkills { cursor: None };
            check(Era::Legacy, revision, &call, &reply.message().unwrap()).len()
        };
        let (answer, array) =
            (r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, r#"[{"id":1,"result":{}}]"#);
        assert_eq!(check("2025-11-25", answer, None), 0);
        let junk = StreamFlaw::NoMessage("junk".into());
        let noise = StreamFlaw::Noise("Listening".into());
        for flaw in [StreamFlaw::Unended, StreamFlaw::AnsweredTwice, junk, noise] {
            assert_eq!(check("2025-11-25", answer, Some(flaw.clone())), 1, "{flaw:?}");
        }
        assert_eq!((check("2025-03-26", array, None), check("2025-11-25", array, None)), (0, 1));
    }

    #[test]
    fn uris_have_a_scheme_and_plain_characters() {
        for right in ["skill://acme/caf%C3%A9.md", "file:///a", "urn:x:1", "a+b-c.d:"] {
            assert!(is_uri(right), "{right}");
        }
        for wrong in ["", "a", "/a", "://a", "1a:b", "skill://a b", "skill://é", "a:%2", "a:%zz"] {
            assert!(!is_uri(wrong), "{wrong}");
        }
    }
}
