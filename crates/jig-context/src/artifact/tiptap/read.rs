//! Converts Markdown to an editor document.

use pulldown_cmark::{Alignment, CodeBlockKind, Event, Parser, Tag, TagEnd};
use serde_json::{Map, Value, json};

use super::Converted;
use crate::artifact::markdown::{options, preamble};

/// Quotes and lists nested deeper are flattened into their parent, keeping their text.
const DEPTH_MAX: usize = 40;

/// Converts a text.
pub(super) fn document(text: &str) -> Converted<Value> {
    let start = preamble(text);
    let mut builder = Builder::default();
    if let Some(front) = start.front {
        builder.add(raw("frontMatter", text[front].trim_end()));
    }
    for title in start.title.into_iter() {
        builder.run(&text[title]);
    }
    if let Some(metadata) = start.metadata {
        builder.add(raw("metadataBlock", text[metadata].trim_end()));
    }
    builder.run(&text[start.content..]);
    let mut warnings = Vec::new();
    if builder.html > 0 {
        warnings.push(format!(
            "{} of HTML became nodes `htmlBlock` and `htmlInline`, which editors may not know",
            if builder.html == 1 { "one piece".to_owned() } else { format!("{} pieces", builder.html) }
        ));
    }
    Converted { document: json!({ "type": "doc", "content": builder.done() }), warnings }
}

fn raw(kind: &str, text: &str) -> Value {
    json!({ "type": kind, "content": [{ "type": "text", "text": text }] })
}

struct Open {
    kind: &'static str,
    attrs: Map<String, Value>,
    content: Vec<Value>,
    /// A paragraph that is implicit in Markdown, as in a tight list.
    implied: bool,
}

#[derive(Default)]
struct Builder {
    done: Vec<Value>,
    open: Vec<Open>,
    marks: Vec<Value>,
    alignments: Vec<Alignment>,
    skipped: usize,
    html: usize,
}

impl Builder {
    fn run(&mut self, text: &str) {
        for event in Parser::new_ext(text, options()) {
            self.event(event);
        }
        while !self.open.is_empty() {
            self.close();
        }
    }

    fn done(self) -> Vec<Value> {
        self.done
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(end) => self.end(end),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => {
                self.marks.push(json!({ "type": "code" }));
                self.text(&text);
                self.marks.pop();
            }
            Event::Html(text) => self.text(&text),
            Event::InlineHtml(html) => {
                self.html += 1;
                self.inline(json!({ "type": "htmlInline", "attrs": { "html": html.as_ref() } }));
            }
            Event::SoftBreak => self.text(" "),
            Event::HardBreak => self.inline(json!({ "type": "hardBreak" })),
            Event::Rule => {
                self.end_implied();
                self.add(json!({ "type": "horizontalRule" }));
            }
            Event::TaskListMarker(checked) => self.task(checked),
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Emphasis => return self.marks.push(json!({ "type": "italic" })),
            Tag::Strong => return self.marks.push(json!({ "type": "bold" })),
            Tag::Strikethrough => return self.marks.push(json!({ "type": "strike" })),
            Tag::Link { dest_url, title, .. } => {
                return self.marks.push(json!({ "type": "link", "attrs": titled("href", &dest_url, &title) }));
            }
            Tag::Image { dest_url, title, .. } => {
                let attrs = titled("src", &dest_url, &title);
                self.textblock();
                return self.push("image", attrs.as_object().cloned().unwrap_or_default());
            }
            _ => {}
        }
        if self.skipped > 0 || self.open.len() >= DEPTH_MAX {
            self.skipped += 1;
            return;
        }
        self.end_implied();
        let none = Map::new();
        match tag {
            Tag::Heading { level, .. } => {
                self.push("heading", Map::from_iter([("level".to_owned(), json!(level as u8))]));
            }
            Tag::BlockQuote(_) => self.push("blockquote", none),
            Tag::CodeBlock(kind) => {
                let language = match &kind {
                    CodeBlockKind::Fenced(info) if !info.trim().is_empty() => json!(info.trim()),
                    _ => Value::Null,
                };
                self.push("codeBlock", Map::from_iter([("language".to_owned(), language)]));
            }
            Tag::HtmlBlock => {
                self.html += 1;
                self.push("htmlBlock", none);
            }
            Tag::List(None) => self.push("bulletList", none),
            Tag::List(Some(start)) => self.push("orderedList", Map::from_iter([("start".to_owned(), json!(start))])),
            Tag::Item => self.push("listItem", none),
            Tag::Table(alignments) => {
                self.alignments = alignments;
                self.push("table", none);
            }
            Tag::TableHead => self.push("tableHead", none),
            Tag::TableRow => self.push("tableRow", none),
            Tag::TableCell => self.cell(),
            _ => self.push("paragraph", none),
        }
    }

    fn cell(&mut self) {
        let row = self.open.last();
        let kind = if row.is_some_and(|row| row.kind == "tableHead") { "tableHeader" } else { "tableCell" };
        let at = row.map_or(0, |row| row.content.len());
        let align = match self.alignments.get(at) {
            Some(Alignment::Left) => Some("left"),
            Some(Alignment::Center) => Some("center"),
            Some(Alignment::Right) => Some("right"),
            _ => None,
        };
        let mut attrs = Map::from_iter([("colspan".to_owned(), json!(1)), ("rowspan".to_owned(), json!(1))]);
        if let Some(align) = align {
            attrs.insert("align".to_owned(), json!(align));
        }
        self.push(kind, attrs);
    }

    fn end(&mut self, end: TagEnd) {
        match end {
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough | TagEnd::Link => {
                self.marks.pop();
                return;
            }
            TagEnd::Image => {}
            _ if self.skipped > 0 => {
                self.skipped -= 1;
                return;
            }
            _ => self.end_implied(),
        }
        self.close();
    }

    fn push(&mut self, kind: &'static str, attrs: Map<String, Value>) {
        self.open.push(Open { kind, attrs, content: Vec::new(), implied: false });
    }

    fn end_implied(&mut self) {
        while self.open.last().is_some_and(|open| open.implied) {
            self.close();
        }
    }

    /// Opens a paragraph if inline content appears without one.
    fn textblock(&mut self) {
        const HOLDS_WORDS: [&str; 5] = ["paragraph", "heading", "codeBlock", "htmlBlock", "image"];
        if !self.open.last().is_some_and(|open| HOLDS_WORDS.contains(&open.kind)) {
            self.open.push(Open { kind: "paragraph", attrs: Map::new(), content: Vec::new(), implied: true });
        }
    }

    fn text(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.textblock();
        let Some(open) = self.open.last_mut() else { return };
        let plain = matches!(open.kind, "codeBlock" | "htmlBlock" | "image");
        let marks = if plain { Vec::new() } else { sorted(&self.marks) };
        if let Some(last) = open.content.last_mut()
            && last["type"] == "text"
            && last["marks"].as_array().map_or(&[][..], Vec::as_slice) == marks
            && let Some(before) = last["text"].as_str()
        {
            last["text"] = json!(format!("{before}{text}"));
            return;
        }
        let mut node = json!({ "type": "text", "text": text });
        if !marks.is_empty() {
            node["marks"] = Value::Array(marks);
        }
        open.content.push(node);
    }

    fn inline(&mut self, node: Value) {
        self.textblock();
        if let Some(open) = self.open.last_mut() {
            open.content.push(node);
        }
    }

    fn task(&mut self, checked: bool) {
        if let Some(item) = self.open.iter_mut().rev().find(|open| open.kind == "listItem") {
            item.kind = "taskItem";
            item.attrs.insert("checked".to_owned(), json!(checked));
        }
    }

    fn add(&mut self, node: Value) {
        match self.open.last_mut() {
            Some(open) => open.content.push(node),
            None => self.done.push(node),
        }
    }

    fn close(&mut self) {
        let Some(mut open) = self.open.pop() else { return };
        match open.kind {
            "image" => {
                let alt: String = open.content.iter().filter_map(|node| node["text"].as_str()).collect();
                open.attrs.insert("alt".to_owned(), json!(alt));
                let node = json!({ "type": "image", "attrs": open.attrs });
                return self.add(node);
            }
            "codeBlock" | "htmlBlock" => trim_end(&mut open.content),
            "paragraph" if is_picture(&open.content) => {
                let picture = open.content.remove(0);
                return self.add(picture);
            }
            "paragraph" if open.content.is_empty() && open.implied => return,
            "tableHead" => open.kind = "tableRow",
            "tableHeader" | "tableCell" | "listItem" | "taskItem" if open.content.is_empty() => {
                open.content.push(json!({ "type": "paragraph" }));
            }
            "bulletList" | "orderedList" if open.content.iter().any(|item| item["type"] == "taskItem") => {
                for list in runs(open) {
                    self.add(list);
                }
                return;
            }
            _ => {}
        }
        let node = node(open);
        self.add(node);
    }
}

fn node(open: Open) -> Value {
    let mut node = json!({ "type": open.kind });
    if !open.attrs.is_empty() {
        node["attrs"] = Value::Object(open.attrs);
    }
    if !open.content.is_empty() {
        node["content"] = Value::Array(open.content);
    }
    node
}

/// Splits a list with both task and plain items, because editors do not support mixed lists.
fn runs(list: Open) -> Vec<Value> {
    let mut runs: Vec<Open> = Vec::new();
    for item in list.content {
        let kind = if item["type"] == "taskItem" { "taskList" } else { list.kind };
        match runs.last_mut().filter(|run| run.kind == kind) {
            Some(run) => run.content.push(item),
            None => {
                let attrs = if kind == list.kind { list.attrs.clone() } else { Map::new() };
                runs.push(Open { kind, attrs, content: vec![item], implied: false });
            }
        }
    }
    runs.into_iter().map(node).collect()
}

/// A paragraph that contains only an image is replaced by the image, as editors expect.
fn is_picture(content: &[Value]) -> bool {
    matches!(content, [only] if only["type"] == "image")
}

fn trim_end(content: &mut Vec<Value>) {
    if let Some(last) = content.last_mut()
        && let Some(text) = last["text"].as_str()
    {
        let text = text.strip_suffix('\n').unwrap_or(text).to_owned();
        if text.is_empty() { drop(content.pop()) } else { last["text"] = json!(text) }
    }
}

fn titled(name: &str, address: &str, title: &str) -> Value {
    let title = if title.is_empty() { Value::Null } else { json!(title) };
    json!({ name: address, "title": title })
}

/// Marks in a fixed order, without duplicates.
fn sorted(marks: &[Value]) -> Vec<Value> {
    const ORDER: [&str; 5] = ["link", "bold", "italic", "strike", "code"];
    let mut kept: Vec<Value> = Vec::new();
    for kind in ORDER {
        kept.extend(marks.iter().rev().find(|mark| mark["type"] == kind).cloned());
    }
    kept
}
