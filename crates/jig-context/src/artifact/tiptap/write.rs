//! Converts an editor document to Markdown.

use std::collections::BTreeMap;

use serde_json::Value;

use super::Converted;
use super::escape::{Where, longest_run};
use super::inline::{inline, picture};

/// The maximum nesting depth.
const DEPTH_MAX: usize = 100;

/// Collects what could not be preserved.
#[derive(Default)]
pub(super) struct Report {
    nodes: BTreeMap<String, usize>,
    marks: BTreeMap<String, usize>,
    said: Vec<&'static str>,
}

impl Report {
    pub(super) fn unknown(&mut self, kind: &str) {
        *self.nodes.entry(shown(kind)).or_default() += 1;
    }

    pub(super) fn unknown_mark(&mut self, kind: &str) {
        *self.marks.entry(shown(kind)).or_default() += 1;
    }

    pub(super) fn say(&mut self, words: &'static str) {
        if !self.said.contains(&words) {
            self.said.push(words);
        }
    }

    fn warnings(self) -> Vec<String> {
        let times = |count: usize| if count == 1 { String::new() } else { format!(" ({count} times)") };
        let nodes = self.nodes.iter().map(|(kind, n)| format!("the node `{kind}` was kept as its text{}", times(*n)));
        let marks = self.marks.iter().map(|(kind, n)| format!("the mark `{kind}` was left out{}", times(*n)));
        nodes.chain(marks).chain(self.said.iter().map(|words| (*words).to_owned())).collect()
    }
}

fn shown(kind: &str) -> String {
    crate::document::shown(if kind.is_empty() { "without a type" } else { kind })
}

/// Converts a document.
pub(super) fn document(document: &Value) -> Result<Converted<String>, String> {
    let kind = document["type"].as_str();
    if kind != Some("doc") {
        let found = kind.map_or_else(|| "it has no `type`".to_owned(), |kind| format!("its type is `{}`", shown(kind)));
        return Err(format!(
            "not a document of a Tiptap or ProseMirror editor: the root node is {found}, expected `doc`"
        ));
    }
    check_depth(document)?;
    let mut report = Report::default();
    let text = blocks(document, Level::Top, &mut report);
    let text = if text.is_empty() { text } else { format!("{text}\n") };
    Ok(Converted { document: text, warnings: report.warnings() })
}

fn check_depth(document: &Value) -> Result<(), String> {
    let mut open = vec![(document, 0)];
    while let Some((node, depth)) = open.pop() {
        if depth > DEPTH_MAX {
            return Err(format!("the document is nested more than {DEPTH_MAX} levels deep"));
        }
        open.extend(node["content"].as_array().into_iter().flatten().map(|child| (child, depth + 1)));
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Top,
    Inside,
}

/// The blocks of a node, separated by blank lines.
fn blocks(node: &Value, level: Level, report: &mut Report) -> String {
    let children = node["content"].as_array().map_or(&[][..], Vec::as_slice);
    let mut written: Vec<String> = Vec::new();
    let mut list_before: Option<(bool, bool)> = None;
    for (n, child) in children.iter().enumerate() {
        let ordered = list_kind(child);
        // Two adjacent lists would merge, so every second one uses another marker.
        let other = match (ordered, list_before) {
            (Some(now), Some((before, other))) if now == before => !other,
            _ => false,
        };
        let text = block(child, children.get(..n).unwrap_or_default(), other, level, report);
        if text.is_empty() {
            continue;
        }
        list_before = ordered.map(|now| (now, other));
        written.push(text);
    }
    written.join("\n\n")
}

/// `Some(ordered)` if a node is a list.
fn list_kind(node: &Value) -> Option<bool> {
    match node["type"].as_str().unwrap_or_default() {
        "orderedList" | "ordered_list" => Some(true),
        "bulletList" | "bullet_list" | "taskList" | "task_list" => Some(false),
        _ => None,
    }
}

fn block(node: &Value, before: &[Value], other: bool, level: Level, report: &mut Report) -> String {
    match node["type"].as_str().unwrap_or_default() {
        "paragraph" => inline(node, Where::Paragraph, report),
        "heading" => heading(node, report),
        "blockquote" => prefixed(&blocks(node, Level::Inside, report), "> ", "> "),
        "codeBlock" | "code_block" => code(node),
        "horizontalRule" | "horizontal_rule" => "___".to_owned(),
        "image" => picture(node, Where::Paragraph),
        "bulletList" | "bullet_list" | "taskList" | "task_list" | "orderedList" | "ordered_list" => {
            list(node, other, report)
        }
        "table" => table(node, report),
        "htmlBlock" => html(node, report),
        "frontMatter" if level == Level::Top && before.is_empty() => raw(node, report),
        "metadataBlock" if level == Level::Top && follows_title(before) => raw(node, report),
        "text" | "hardBreak" | "hard_break" | "htmlInline" => {
            inline(&serde_json::json!({ "content": [node] }), Where::Paragraph, report)
        }
        kind => {
            report.unknown(kind);
            unknown(node, report)
        }
    }
}

fn follows_title(before: &[Value]) -> bool {
    let rest = match before {
        [first, rest @ ..] if first["type"] == "frontMatter" => rest,
        all => all,
    };
    matches!(rest, [title] if title["type"] == "heading" && title["attrs"]["level"] == 1)
}

/// A metadata block verbatim, if it would be parsed as one again.
fn raw(node: &Value, report: &mut Report) -> String {
    let text = words(node);
    let titled = format!("# x\n\n{text}\n");
    if crate::artifact::markdown::preamble(&titled).metadata.is_some_and(|found| found.end == titled.len()) {
        return text;
    }
    report.unknown(node["type"].as_str().unwrap_or_default());
    unknown(node, report)
}

/// An unknown node is reduced to its blocks or its text.
fn unknown(node: &Value, report: &mut Report) -> String {
    let known = |child: &Value| child["type"] != "text" && child["content"].is_array();
    if node["content"].as_array().is_some_and(|children| children.iter().any(known)) {
        return blocks(node, Level::Inside, report);
    }
    let text = words(node);
    let node = serde_json::json!({ "content": [{ "type": "text", "text": text }] });
    inline(&node, Where::Paragraph, report)
}

/// The text of a node, or a name from its attributes.
pub(super) fn words(node: &Value) -> String {
    let mut words = String::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        words.push_str(node["text"].as_str().unwrap_or_default());
        open.extend(node["content"].as_array().into_iter().flatten().rev());
    }
    if words.is_empty() {
        let named = ["label", "text", "name", "title", "id"].iter().find_map(|name| node["attrs"][*name].as_str());
        named.unwrap_or_default().clone_into(&mut words);
    }
    words
}

fn heading(node: &Value, report: &mut Report) -> String {
    let level = node["attrs"]["level"].as_u64().unwrap_or(1);
    if !(1..=6).contains(&level) {
        report.say("headings have levels 1 to 6; others were brought to the nearest");
    }
    let signs = "#".repeat(usize::try_from(level.clamp(1, 6)).unwrap_or(1));
    format!("{signs} {}", inline(node, Where::Heading, report)).trim_end().to_owned()
}

fn code(node: &Value) -> String {
    let text = words(&serde_json::json!({ "content": node["content"] })).replace('\0', "\u{fffd}");
    let language = node["attrs"]["language"].as_str().unwrap_or_default();
    let language = language.split_whitespace().collect::<Vec<_>>().join(" ").replace('\\', "\\\\").replace('&', "\\&");
    let sign = if language.contains('`') { '~' } else { '`' };
    let fence = sign.to_string().repeat((longest_run(&text, sign) + 1).max(3));
    let text = text.replace("\r\n", "\n");
    if text.is_empty() { format!("{fence}{language}\n{fence}") } else { format!("{fence}{language}\n{text}\n{fence}") }
}

fn html(node: &Value, report: &mut Report) -> String {
    let text = words(&serde_json::json!({ "content": node["content"] }));
    let text = text.trim_matches(['\n', '\r']);
    let closed = crate::artifact::check::checked(text, crate::artifact::check::Headings::Refused).is_ok();
    if text.trim().is_empty() || closed {
        return text.trim_end().to_owned();
    }
    report.say("HTML that leaves something open was kept as code");
    code(&serde_json::json!({ "attrs": { "language": "html" }, "content": [{ "type": "text", "text": text }] }))
}

fn list(node: &Value, other: bool, report: &mut Report) -> String {
    let ordered = list_kind(node) == Some(true);
    let start = node["attrs"]["start"].as_u64().or_else(|| node["attrs"]["order"].as_u64());
    let start = start.unwrap_or(1).min(999_000_000);
    let items = node["content"].as_array().map_or(&[][..], Vec::as_slice);
    let mut written = Vec::with_capacity(items.len());
    let mut loose = false;
    for (number, item) in (start..).zip(items) {
        let sign = match (ordered, other) {
            (true, false) => format!("{number}."),
            (true, true) => format!("{number})"),
            (false, false) => "-".to_owned(),
            (false, true) => "*".to_owned(),
        };
        let is_item = matches!(
            item["type"].as_str().unwrap_or_default(),
            "listItem" | "list_item" | "taskItem" | "task_item" | "todo_item"
        );
        let inside =
            if is_item { blocks(item, Level::Inside, report) } else { block(item, &[], false, Level::Inside, report) };
        loose |= inside.contains("\n\n");
        let checked = &item["attrs"]["checked"];
        let task = matches!(item["type"].as_str(), Some("taskItem" | "task_item" | "todo_item"));
        let begin = match (task, checked.as_bool()) {
            (true, Some(true)) => format!("{sign} [x] "),
            (true, _) => format!("{sign} [ ] "),
            (false, _) => format!("{sign} "),
        };
        let indent = " ".repeat(sign.len() + 1);
        let text = prefixed(&inside, &begin, &indent);
        written.push(if inside.is_empty() { begin.trim_end().to_owned() } else { text });
    }
    written.join(if loose { "\n\n" } else { "\n" })
}

fn table(node: &Value, report: &mut Report) -> String {
    let rows = node["content"].as_array().map_or(&[][..], Vec::as_slice);
    let cells = |row: &'_ Value| row["content"].as_array().cloned().unwrap_or_default();
    let width = rows.iter().map(|row| cells(row).len()).max().unwrap_or_default();
    if width == 0 {
        return String::new();
    }
    let is_header = |cell: &Value| matches!(cell["type"].as_str(), Some("tableHeader" | "table_header"));
    if !rows.first().is_some_and(|row| cells(row).iter().all(is_header)) {
        report.say("a table without a row of headings has its first row as that");
    }
    let mut lines = Vec::with_capacity(rows.len() + 1);
    for (n, row) in rows.iter().enumerate() {
        let mut texts: Vec<String> = cells(row).iter().map(|cell| cell_text(cell, report)).collect();
        texts.resize(width, String::new());
        lines.push(format!("| {} |", texts.join(" | ")));
        if n == 0 {
            let mut marks: Vec<&str> = cells(row).iter().map(alignment).collect();
            marks.resize(width, "---");
            lines.push(format!("| {} |", marks.join(" | ")));
        }
    }
    lines.join("\n")
}

fn alignment(cell: &Value) -> &'static str {
    match cell["attrs"]["align"].as_str() {
        Some("left") => ":---",
        Some("center") => ":---:",
        Some("right") => "---:",
        _ => "---",
    }
}

fn cell_text(cell: &Value, report: &mut Report) -> String {
    let attrs = &cell["attrs"];
    if attrs["colspan"].as_u64().unwrap_or(1) > 1 || attrs["rowspan"].as_u64().unwrap_or(1) > 1 {
        report.say("cells over several columns or rows became single ones");
    }
    let children = cell["content"].as_array().map_or(&[][..], Vec::as_slice);
    let block = |child: &Value| matches!(child["type"].as_str(), Some("paragraph" | "heading"));
    if children.len() > 1 || children.iter().any(|child| !block(child)) {
        report.say("cells of tables hold one line; what was more was put on it");
    }
    let mut texts = Vec::new();
    for child in children {
        let text = if child["content"].is_array() && block(child) {
            inline(child, Where::Cell, report)
        } else if child["type"] == "image" || child["type"] == "text" {
            inline(&serde_json::json!({ "content": [child] }), Where::Cell, report)
        } else {
            let text = words(child);
            inline(&serde_json::json!({ "content": [{ "type": "text", "text": text }] }), Where::Cell, report)
        };
        if !text.is_empty() {
            texts.push(text);
        }
    }
    texts.join(" ")
}

/// Prefixes every line. Blank lines inside quotes get the marker without a trailing space.
fn prefixed(text: &str, first: &str, others: &str) -> String {
    let line = |(n, line): (usize, &str)| {
        let before = if n == 0 { first } else { others };
        if line.is_empty() { before.trim_end().to_owned() } else { format!("{before}{line}") }
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}
