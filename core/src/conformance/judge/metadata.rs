//! What resources say of themselves beside their content.

use super::broken;
use crate::finding::{Finding, excerpt, quote};
use crate::value::Node;

/// A resource as `resources/list` describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct Resource {
    pub(in super::super) uri: String,
    pub(in super::super) name: Option<String>,
    pub(in super::super) description: Option<String>,
    pub(in super::super) mime_type: Option<String>,
    pub(in super::super) size: Option<u64>,
}

impl Resource {
    /// Reads a resource that has a URI.
    pub(in super::super) fn read(node: &Node<'_>) -> Option<Self> {
        let text = |name: &str| node.get(name).and_then(Node::as_str).map(str::to_owned);
        Some(Self {
            uri: text("uri")?,
            name: text("name"),
            description: text("description"),
            mime_type: text("mimeType"),
            size: node.get("size").and_then(Node::as_count),
        })
    }
}

/// Whether two media types are the same, parameters and letter case set aside.
pub(super) fn same_type(a: &str, b: &str) -> bool {
    let essence =
        |text: &str| text.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence(a) == essence(b)
}

/// The media type of a `SKILL.md`, where it was read and where it was listed.
pub(in super::super) fn media_type(read: Option<&str>, listed: Option<&str>) -> Vec<Finding> {
    const MARKDOWN: &str = "text/markdown";
    const ID: &str = "skillmd-mimetype";
    let stated = [(read, "resources/read"), (listed, "resources/list")];
    let stated = stated.into_iter().filter_map(|(kind, by)| Some((kind?, by)));
    if stated.clone().next().is_none() {
        return vec![broken(ID, "neither resources/read nor resources/list names a media type")];
    }
    stated
        .filter(|(kind, _)| !same_type(kind, MARKDOWN))
        .map(|(kind, by)| {
            broken(ID, format!("{by} names another media type")).sides(MARKDOWN, excerpt(kind, 80))
        })
        .collect()
}

/// Name and description of a listed `SKILL.md` beside its frontmatter's.
pub(in super::super) fn labels(resource: &Resource, frontmatter: &Node<'_>) -> Vec<Finding> {
    let pairs = [
        ("skillmd-metadata-name", "name", &resource.name),
        ("skillmd-metadata-description", "description", &resource.description),
    ];
    pairs
        .into_iter()
        .filter_map(|(id, field, found)| {
            let wanted = frontmatter.get(field)?.as_str()?;
            if found.as_deref() == Some(wanted) {
                return None;
            }
            let found =
                found.as_deref().map_or_else(|| "none".to_owned(), |text| excerpt(text, 200));
            let message = format!("the resource's {field} is not the frontmatter's");
            Some(broken(id, message).sides(excerpt(wanted, 200), found))
        })
        .collect()
}

/// Two statements about one file's media type.
pub(in super::super) fn agreement(read: &str, listed: &str) -> Option<Finding> {
    (!same_type(read, listed)).then(|| {
        let message = "resources/list and resources/read name different media types";
        broken("resource-metadata-all", message).sides(excerpt(listed, 80), excerpt(read, 80))
    })
}

/// A size in `resources/list` beside that of the file.
pub(in super::super) fn size(resource: &Resource, served: u64) -> Option<Finding> {
    let listed = resource.size.filter(|listed| *listed != served)?;
    let message = "resources/list names another size than the file has";
    let finding = broken("resource-metadata-all", message);
    Some(finding.sides(served.to_string(), listed.to_string()))
}

/// What is wrong with an object's `_meta`: keys without a prefix.
pub(in super::super) fn meta_keys(node: &Node<'_>) -> Vec<Finding> {
    let Some(meta) = node.get("_meta") else { return Vec::new() };
    let Some(keys) = meta.as_object() else {
        let message = format!("_meta is {} instead of an object", meta.kind());
        return vec![broken("meta-prefix", message).pointer("/_meta")];
    };
    keys.iter()
        .filter(|key| !has_prefix(&key.name))
        .take(5)
        .map(|key| {
            let message = format!("the key {} of _meta has no prefix", quote(&key.name));
            broken("meta-prefix", message).pointer("/_meta")
        })
        .collect()
}

/// Whether a key of `_meta` begins with labels, separated by dots, and a slash.
fn has_prefix(key: &str) -> bool {
    key.split_once('/').is_some_and(|(prefix, _)| {
        prefix.split('.').all(|label| label.starts_with(|c: char| c.is_ascii_alphabetic()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn markdown_is_wanted_wherever_a_type_is_named() {
        assert_eq!(media_type(Some("text/markdown; charset=utf-8"), None), []);
        assert_eq!(media_type(Some("text/markdown"), Some("text/plain")).len(), 1);
        assert_eq!(media_type(None, None).len(), 1);
        assert!(agreement("text/csv", "TEXT/CSV").is_none() && agreement("a/b", "a/c").is_some());
    }

    #[test]
    fn labels_are_the_frontmatters() {
        let text = r#"{"uri":"skill://a/SKILL.md","name":"a","description":"c"}"#;
        let resource = Resource::read(&json::read(text).unwrap().root).unwrap();
        let document = json::read(r#"{"name":"a","description":"b"}"#).unwrap();
        let ids: Vec<_> =
            labels(&resource, &document.root).iter().map(|finding| finding.id).collect();
        assert_eq!(ids, ["skillmd-metadata-description"]);
    }

    #[test]
    fn keys_have_prefixes() {
        let bare = |key: &str| {
            let text = format!(r#"{{"_meta":{{"{key}":1}}}}"#);
            meta_keys(&json::read(&text).unwrap().root).len()
        };
        assert_eq!(bare("io.modelcontextprotocol.skills/x"), 0);
        assert_eq!(bare("acme/x"), 0);
        assert_eq!(bare("x"), 1);
        assert_eq!(bare("/x"), 1);
    }
}
