//! The form that the base protocol gives to messages and to the results of its own methods.

use super::broken;
use crate::finding::{Finding, excerpt, quote};
use crate::protocol::{Call, Era, Message};
use crate::value::{Node, Value};

/// What in a message does not have the form of the base protocol.
///
/// Results of the extension's own methods are generic here; their members have checks of their own.
pub(in super::super) fn check(era: Era, call: &Call, message: &Message<'_>) -> Vec<Finding> {
    let mut form = Form { era, findings: Vec::new() };
    form.message(&message.document.root, call);
    form.findings
}

/// The finding for an answer that is no message at all.
pub(in super::super) fn no_message(why: &str) -> Finding {
    broken("wire-schema-valid", why)
}

struct Form {
    era: Era,
    findings: Vec<Finding>,
}

impl Form {
    fn message(&mut self, root: &Node<'_>, call: &Call) {
        // Only 2025-03-26 had arrays of messages; the reader took the response out of it.
        if root.as_array().is_some() {
            if self.era == Era::Modern {
                self.broken("", "the answer is an array of messages");
            }
            return;
        }
        if root.get("jsonrpc").and_then(Node::as_str) != Some("2.0") {
            self.broken("/jsonrpc", "jsonrpc is not \"2.0\"");
        }
        match (root.get("result"), root.get("error")) {
            (Some(_), Some(_)) => self.broken("", "the answer has a result and an error"),
            (Some(result), None) => self.result(root, result, call),
            (None, error) => self.error(error),
        }
    }

    fn result(&mut self, root: &Node<'_>, result: &Node<'_>, call: &Call) {
        if root.get("id").is_none_or(|id| id.value == Value::Null) {
            self.broken("/id", "the answer has no id");
        }
        if result.as_object().is_none() {
            let message = format!("the result is {} instead of an object", result.kind());
            return self.broken("/result", message);
        }
        self.modern_members(result, call);
        match call {
            Call::Discover => self.discovery(result),
            Call::ListResources { .. } => {
                self.each(
                    result,
                    "resources",
                    &[("uri", true), ("name", true), ("mimeType", false)],
                );
            }
            Call::ReadResource { .. } => {
                self.each(result, "contents", &[("uri", true), ("mimeType", false)]);
            }
            _ => {}
        }
        let cursor = result.get("nextCursor").map(|node| &node.value);
        if !matches!(cursor, None | Some(Value::String(_))) {
            self.broken("/result/nextCursor", "nextCursor is not a string");
        }
    }

    fn error(&mut self, error: Option<&Node<'_>>) {
        let member = |name| error.and_then(|error| error.get(name));
        let code = member("code").map(|node| &node.value);
        let whole =
            matches!(code, Some(Value::Number(number)) if number.text().parse::<i64>().is_ok());
        if !whole {
            self.broken("/error/code", "the error's code is not a whole number");
        }
        if member("message").and_then(Node::as_str).is_none() {
            self.broken("/error/message", "the error's message is not a string");
        }
    }

    /// What results have since 2026-07-28. The protocol's own cacheable results need cache fields.
    fn modern_members(&mut self, result: &Node<'_>, call: &Call) {
        if self.era == Era::Legacy {
            return;
        }
        if result.get("resultType").and_then(Node::as_str).is_none() {
            self.broken("/result/resultType", "resultType is missing or no string");
        }
        if !matches!(call, Call::Discover | Call::ListResources { .. } | Call::ReadResource { .. })
            || result.get("resultType").and_then(Node::as_str) == Some("input_required")
        {
            return;
        }
        if result.get("ttlMs").and_then(Node::as_count).is_none() {
            let message = "ttlMs is missing or no whole number of milliseconds, 0 or more";
            self.broken("/result/ttlMs", message);
        }
        let scope = result.get("cacheScope").and_then(Node::as_str);
        if !matches!(scope, Some("public" | "private")) {
            let message = "cacheScope is missing or neither \"public\" nor \"private\"";
            self.broken("/result/cacheScope", message);
        }
    }

    fn discovery(&mut self, result: &Node<'_>) {
        let versions = result.get("supportedVersions").and_then(Node::as_array);
        if !versions.is_some_and(|versions| versions.iter().all(|node| node.as_str().is_some())) {
            let message = "supportedVersions is no array of strings";
            self.broken("/result/supportedVersions", message);
        }
        let Some(capabilities) = result.get("capabilities").filter(|it| it.as_object().is_some())
        else {
            return self.broken("/result/capabilities", "capabilities is no object");
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
            self.broken(pointer, message);
        }
    }

    /// An array whose elements have string members, the required ones among them.
    fn each(&mut self, result: &Node<'_>, array: &str, members: &[(&str, bool)]) {
        let Some(items) = result.get(array).and_then(Node::as_array) else {
            return self.broken(&format!("/result/{array}"), format!("{array} is no array"));
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
                    self.broken(&format!("/result/{array}/{index}/{name}"), message);
                }
            }
            let uri = item.get("uri").and_then(Node::as_str);
            if let Some(uri) = uri.filter(|uri| !is_uri(uri)) {
                let message = format!("{} is no URI of RFC 3986", quote(uri));
                self.broken(&format!("/result/{array}/{index}/uri"), message);
            }
        }
    }

    fn broken(&mut self, pointer: &str, message: impl Into<String>) {
        self.findings.push(broken("wire-schema-valid", message).pointer(pointer));
    }
}

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
        let reply = Reply { status: 200, text: text.to_owned(), id: None };
        let findings = check(era, call, &reply.message().unwrap());
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
        let error = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"x"}}"#;
        assert_eq!(discover(error), [""; 0]);
        let list = r#"{"jsonrpc":"2.0","id":"1","result":{"skills":[],"nextCursor":""}}"#;
        assert_eq!(pointers(Era::Legacy, &Call::ListSkills { cursor: None }, list), [""; 0]);
    }

    #[test]
    fn each_member_is_looked_at() {
        assert_eq!(discover(r#"[{"result":{}}]"#), [""]);
        assert_eq!(
            discover(r#"{"id":1,"error":{}}"#),
            ["/jsonrpc", "/error/code", "/error/message"]
        );
        assert_eq!(discover(r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#), [""]);
        assert_eq!(discover(r#"{"jsonrpc":"2.0","result":5}"#), ["/id", "/result"]);
        let bare = discover(r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}}"#);
        assert_eq!(bare.len(), 4, "{bare:?}");
        let read = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","ttlMs":-1,
            "cacheScope":"x","contents":[{"text":""}],"nextCursor":1}}"#;
        let call = Call::ReadResource { uri: "skill://a/b".into() };
        assert_eq!(
            pointers(Era::Modern, &call, read),
            ["/result/ttlMs", "/result/cacheScope", "/result/contents/0/uri", "/result/nextCursor"]
        );
        let list = r#"{"jsonrpc":"2.0","id":1,"result":{"resources":[{"uri":"a:b"}]}}"#;
        let call = Call::ListResources { cursor: None };
        assert_eq!(pointers(Era::Legacy, &call, list), ["/result/resources/0/name"]);
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
    fn uris_have_a_scheme_and_plain_characters() {
        for right in ["skill://acme/caf%C3%A9.md", "file:///a", "urn:x:1", "a+b-c.d:"] {
            assert!(is_uri(right), "{right}");
        }
        for wrong in ["", "a", "/a", "://a", "1a:b", "skill://a b", "skill://é", "a:%2", "a:%zz"] {
            assert!(!is_uri(wrong), "{wrong}");
        }
    }
}
