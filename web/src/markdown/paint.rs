//! From Markdown to elements: made one by one, text as text, nothing parsed by the browser.

use leptos::prelude::document;
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use skillglass::entry::SkillEntry;
use web_sys::Element;

use super::{OPTIONS, Target, target};
use crate::browser;
use crate::route::{Route, Tab};
use crate::text::{Piece, name_hidden, pieces};

/// How deep elements nest; what is deeper stands at this depth.
const MAX_DEPTH: usize = 40;

/// How many events are painted.
const MAX_EVENTS: usize = 40_000;

/// How many are painted in one frame, so that the browser lays out no more at a time.
const SLICE: usize = 250;

/// Where a painting gets its links from.
#[derive(Clone, Copy)]
pub(crate) struct Painting<'p> {
    /// The entry that says what is listed.
    pub(crate) entry: &'p SkillEntry,
    /// The label of its server.
    pub(crate) label: &'p str,
    /// The skill's key.
    pub(crate) key: &'p str,
    /// The file the text stands in.
    pub(crate) path: &'p str,
}

/// A place for a picture, to be filled by whoever can read the file.
pub(crate) struct Picture {
    /// The empty element.
    pub(crate) place: Element,
    /// What the reference leads to.
    pub(crate) target: Target,
    /// The text that stands for it.
    pub(crate) alt: String,
}

/// Paints `text` into `parent`, as long as that is in the document. Gives the places of its pictures, and whether all was
/// painted.
pub(crate) async fn paint(
    painting: Painting<'_>,
    text: &str,
    parent: Element,
) -> (Vec<Picture>, bool) {
    let mut painter = Painter {
        painting,
        stack: vec![parent.clone()],
        open: Vec::new(),
        in_head: false,
        alt: None,
        pictures: Vec::new(),
    };
    let mut events = Parser::new_ext(text, OPTIONS);
    for slice in 0..MAX_EVENTS / SLICE {
        if slice > 0 {
            browser::frame().await;
        }
        if !parent.is_connected() {
            break;
        }
        let before = events.by_ref().take(SLICE).map(|event| painter.event(event)).count();
        if before < SLICE {
            break;
        }
    }
    (painter.pictures, events.next().is_none())
}

/// Adds a server's text to an element: hidden characters become visible marks.
pub(crate) fn plain_text(parent: &Element, text: &str) {
    for piece in pieces(text) {
        match piece {
            Piece::Plain(plain) => append_text(parent, plain),
            Piece::Hidden(run) => {
                if let Some(chip) = child(parent, "span", "hidden-run") {
                    let _ = chip.set_attribute("title", "characters that nobody would see");
                    append_text(&chip, &name_hidden(run));
                }
            }
        }
    }
}

fn append_text(parent: &Element, text: &str) {
    let _ = parent.append_child(&document().create_text_node(text));
}

fn child(parent: &Element, name: &str, class: &str) -> Option<Element> {
    let element = document().create_element(name).ok()?;
    if !class.is_empty() {
        element.set_class_name(class);
    }
    parent.append_child(&element).ok()?;
    Some(element)
}

struct Painter<'p> {
    painting: Painting<'p>,
    /// The elements that are open, the innermost last. The first is the parent and stays.
    stack: Vec<Element>,
    /// For each tag that is open, how deep the stack was, and what to say behind it.
    open: Vec<(usize, Option<String>)>,
    /// Whether the row that is open is a table's head.
    in_head: bool,
    /// The text of the picture that is open.
    alt: Option<(Target, String)>,
    pictures: Vec<Picture>,
}

impl Painter<'_> {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.leaf("code", "", &text),
            Event::Html(html) => self.text(&html),
            Event::InlineHtml(html) => self.leaf("code", "raw-html", &html),
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.leaf("br", "", ""),
            Event::Rule => self.leaf("hr", "", ""),
            Event::TaskListMarker(done) => {
                self.leaf("span", "task", if done { "☑ " } else { "☐ " });
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
            Event::FootnoteReference(name) => self.text(&format!("[^{name}]")),
        }
    }

    fn text(&mut self, text: &str) {
        match &mut self.alt {
            Some((_, alt)) => alt.push_str(text),
            None => plain_text(self.innermost(), text),
        }
    }

    fn leaf(&mut self, name: &str, class: &str, text: &str) {
        if self.alt.is_some() {
            return self.text(text);
        }
        if let Some(leaf) = child(self.innermost(), name, class) {
            plain_text(&leaf, text);
        }
    }

    fn innermost(&self) -> &Element {
        &self.stack[self.stack.len() - 1]
    }

    fn start(&mut self, tag: Tag<'_>) {
        self.open.push((self.stack.len(), None));
        match tag {
            Tag::Paragraph => self.push("p", ""),
            Tag::Heading { level, .. } => self.push(heading(level), ""),
            Tag::BlockQuote(_) => self.push("blockquote", ""),
            Tag::CodeBlock(kind) => self.code_block(&kind),
            Tag::HtmlBlock => self.push("pre", "raw-html"),
            Tag::MetadataBlock(_) => self.push("pre", "metadata"),
            Tag::List(None) => self.push("ul", ""),
            Tag::List(Some(first)) => {
                self.push("ol", "");
                let _ = self.innermost().set_attribute("start", &first.to_string());
            }
            Tag::Item => self.push("li", ""),
            Tag::Table(_) => {
                self.push("div", "scroll");
                self.push("table", "");
            }
            Tag::TableHead => {
                self.in_head = true;
                self.push("thead", "");
                self.push("tr", "");
            }
            Tag::TableRow => self.push("tr", ""),
            Tag::TableCell => self.push(if self.in_head { "th" } else { "td" }, ""),
            Tag::Emphasis => self.push("em", ""),
            Tag::Strong => self.push("strong", ""),
            Tag::Strikethrough => self.push("del", ""),
            Tag::Link { dest_url, .. } => self.link(&dest_url),
            Tag::Image { dest_url, .. } => {
                let target = target(self.painting.entry, self.painting.path, &dest_url);
                self.alt = Some((target, String::new()));
            }
            _ => self.push("div", ""),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::TableHead => self.in_head = false,
            TagEnd::Image => self.picture(),
            _ => {}
        }
        let Some((depth, note)) = self.open.pop() else { return };
        self.stack.truncate(depth.max(1));
        if let Some(note) = note {
            self.leaf("span", "link-note", &note);
        }
    }

    fn push(&mut self, name: &str, class: &str) {
        if self.stack.len() >= MAX_DEPTH || self.alt.is_some() {
            return;
        }
        if let Some(element) = child(self.innermost(), name, class) {
            self.stack.push(element);
        }
    }

    fn code_block(&mut self, kind: &CodeBlockKind<'_>) {
        self.push("pre", "code-block");
        let language = match kind {
            CodeBlockKind::Fenced(language) => {
                language.split_whitespace().next().unwrap_or_default()
            }
            CodeBlockKind::Indented => "",
        };
        if !language.is_empty() {
            self.leaf("span", "language", crate::text::head(language, 30).0);
        }
        self.push("code", "");
    }

    fn link(&mut self, reference: &str) {
        if self.alt.is_some() {
            return;
        }
        let Painting { entry, label, key, path } = self.painting;
        let inside = |tab| Route::skill(label, key, tab).hash();
        match target(entry, path, reference) {
            Target::File(uri) => {
                let tab = if uri == entry.uri {
                    Tab::Instructions
                } else {
                    Tab::Files { open: Some(uri.clone()) }
                };
                self.anchor(&inside(tab), &[("data-file", &uri)]);
            }
            Target::Directory => self.anchor(&inside(Tab::Files { open: None }), &[]),
            Target::Web(address) => match browser::host_of(&address) {
                Some(host) => {
                    let outward = [("target", "_blank"), ("rel", "noopener noreferrer")];
                    self.anchor(&address, &outward);
                    self.note(format!("{host} ↗"));
                }
                None => self.dead_link("not a web address"),
            },
            Target::Here => self.dead_link("in this text"),
            Target::Unlisted(_) => self.dead_link("not in the manifest"),
            Target::Outside => self.dead_link("outside of the skill"),
            Target::Dead(why) => self.dead_link(why),
        }
    }

    fn anchor(&mut self, href: &str, attributes: &[(&str, &str)]) {
        self.push("a", "");
        let anchor = self.innermost();
        if anchor.local_name() != "a" {
            return;
        }
        let _ = anchor.set_attribute("href", href);
        for (name, value) in attributes {
            let _ = anchor.set_attribute(name, value);
        }
    }

    fn dead_link(&mut self, why: &str) {
        self.push("span", "dead-link");
        self.note(why.to_owned());
    }

    /// Says something behind the tag that is open.
    fn note(&mut self, note: String) {
        if let Some((_, behind)) = self.open.last_mut() {
            *behind = Some(note);
        }
    }

    fn picture(&mut self) {
        let Some((target, alt)) = self.alt.take() else { return };
        if let Some(place) = child(self.innermost(), "span", "picture") {
            self.pictures.push(Picture { place, target, alt });
        }
    }
}

/// The page's own title and the skill's name stand above.
const fn heading(level: HeadingLevel) -> &'static str {
    match level {
        HeadingLevel::H1 => "h2",
        HeadingLevel::H2 => "h3",
        HeadingLevel::H3 => "h4",
        HeadingLevel::H4 => "h5",
        HeadingLevel::H5 | HeadingLevel::H6 => "h6",
    }
}
