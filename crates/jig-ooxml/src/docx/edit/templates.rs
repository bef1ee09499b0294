//! `fill_template`: placeholders in the text, and parts of it that are repeated for the items of a list.
//!
//! A part is filled as a fragment: its placeholders are replaced, and what a list repeats is a fragment of its own, filled once
//! for each item and put in its place. Values are only ever written as text, and what was filled in is not read again.

use std::collections::BTreeSet;
use std::ops::Range;

use jig_file_api::ops::docx_content::FillTemplate;
use serde_json::Value;

use super::DocumentEdit;
use super::markup::Dialect;
use super::replace_text::{PartEdits, Sequence, sequences, spread, write_plain};
use crate::edit::{EditError, OpInput, OpReport, overlap};
use crate::error::{DocumentIssue, Error, counted};
use crate::limits::Limits;
use crate::xml::{Node, Ns, Splice, Tree, XmlPart, strip_illegal};

/// Bytes that a filled part may have.
const LARGEST: usize = 64 << 20;
/// Lists inside each other.
const DEEPEST: usize = 8;

/// What was filled, and what had no value.
#[derive(Default)]
struct Filled {
    placeholders: usize,
    repeated: usize,
    missing: BTreeSet<String>,
}

impl DocumentEdit<'_> {
    /// Applies `fill_template`.
    pub(super) fn fill_template(&mut self, input: &OpInput, fields: FillTemplate) -> Result<(), Error> {
        if self.revisions(None)?.is_some() {
            self.warn(format!("{}: filling a template is not tracked", input.at("")));
        }
        let values = Value::Object(fields.values);
        let limits = self.limits();
        let mut filled = Filled::default();
        let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        for name in names {
            let part = self.part(&name)?;
            if !part.text().contains('{') {
                continue;
            }
            let tree = part.tree(&limits)?;
            let root = tree.root();
            let mut filler = Filler { limits: &limits, input, filled: &mut filled, name: &name };
            let new = filler.tree(&tree, &[&values], 0)?;
            let new = new.get(root.open_range().end..).unwrap_or_default();
            let new = new.strip_suffix(part.text().get(root.inner_range().end..).unwrap_or_default()).unwrap_or(new);
            let mut splice = Splice::new(part.text());
            if new != root.inner() {
                splice.set_inner(root, new);
            }
            self.splice_part(&part, splice)?;
        }
        let missing: Vec<String> = filled.missing.into_iter().collect();
        if !missing.is_empty() {
            let list = missing.iter().take(20).cloned().collect::<Vec<_>>().join(", ");
            self.warn(format!("{}: no value for {list}; these placeholders stay", input.at("values")));
        }
        if filled.placeholders == 0 && missing.is_empty() {
            self.warn(format!("{}: the document has no {{{{placeholders}}}}", input.at("")));
        }
        let summary = format!("Filled {}.", counted(filled.placeholders, "placeholder"));
        self.report(
            OpReport::new(input, summary)
                .with("placeholders", filled.placeholders)
                .with("repeated", filled.repeated)
                .with("missing", missing),
        );
        Ok(())
    }
}

/// What a tag in double braces is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TagKind {
    Value,
    Open,
    Close,
}

/// A tag in double braces.
#[derive(Debug, Clone)]
struct Tag {
    sequence: usize,
    range: Range<usize>,
    kind: TagKind,
    name: String,
}

/// The tags of a text. Braces around anything that is not a name are text.
fn tags(text: &str, sequence: usize) -> Vec<Tag> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = text.get(from..).and_then(|rest| rest.find("{{")).map(|at| from + at) {
        let Some(end) = text.get(start + 2..).and_then(|rest| rest.find("}}")).map(|at| start + 2 + at) else { break };
        let inner = text.get(start + 2..end).unwrap_or_default();
        // The innermost braces count.
        if let Some(later) = inner.rfind("{{") {
            from = start + 2 + later;
            continue;
        }
        let inner = inner.trim();
        let (kind, name) = match inner.chars().next() {
            Some('#') => (TagKind::Open, inner.get(1..).unwrap_or_default()),
            Some('/') => (TagKind::Close, inner.get(1..).unwrap_or_default()),
            _ => (TagKind::Value, inner),
        };
        let name = name.trim();
        let is_name = !name.is_empty()
            && name.chars().count() <= 200
            && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ' '));
        if is_name {
            found.push(Tag { sequence, range: start..end + 2, kind, name: name.to_owned() });
        }
        from = end + 2;
    }
    found
}

struct Filler<'a> {
    limits: &'a Limits,
    input: &'a OpInput,
    filled: &'a mut Filled,
    name: &'a str,
}

impl Filler<'_> {
    /// The text of a part with its placeholders filled.
    fn tree(&mut self, tree: &Tree<'_>, scopes: &[&Value], depth: usize) -> Result<String, Error> {
        let sequences = sequences(tree, false);
        let all: Vec<Tag> = sequences.iter().enumerate().flat_map(|(at, sequence)| tags(&sequence.text, at)).collect();
        let mut splice = Splice::new(tree.source());
        let mut texts: Vec<(usize, Range<usize>, String)> = Vec::new();
        let mut at = 0;
        while let Some(tag) = all.get(at) {
            match tag.kind {
                TagKind::Value => {
                    match text_of(scopes, &tag.name) {
                        Some(text) => {
                            self.filled.placeholders += 1;
                            texts.push((tag.sequence, tag.range.clone(), text));
                        }
                        None => {
                            self.filled.missing.insert(tag.name.clone());
                        }
                    }
                    at += 1;
                }
                TagKind::Close => {
                    return Err(self.error(DocumentIssue::TemplateClose { name: tag.name.clone() }).into());
                }
                TagKind::Open => {
                    let close = closing(&all, at)
                        .ok_or_else(|| self.error(DocumentIssue::TemplateOpen { name: tag.name.clone() }))?;
                    let Some(end) = all.get(close) else { break };
                    let (range, markup) = self.repeated(tree, &sequences, tag, end, scopes, depth)?;
                    splice.replace(range, markup);
                    at = close + 1;
                }
            }
        }
        let mut edits = PartEdits::new();
        for (sequence, range, text) in &texts {
            if let Some(sequence) = sequences.get(*sequence) {
                spread(sequence, range, text, &mut edits);
            }
        }
        write_plain(&mut splice, tree, &edits, &Dialect::of(tree));
        let text = splice.finish().map_err(|error| overlap(self.name, &error))?;
        if text.len() > LARGEST {
            return Err(self.error(DocumentIssue::TemplateTooLarge { limit: LARGEST >> 20 }).into());
        }
        Ok(text)
    }

    /// What a list repeats: the range in the part, and its markup for all items.
    fn repeated(
        &mut self,
        tree: &Tree<'_>,
        sequences: &[Sequence<'_>],
        open: &Tag,
        close: &Tag,
        scopes: &[&Value],
        depth: usize,
    ) -> Result<(Range<usize>, String), Error> {
        if depth == DEEPEST {
            return Err(self.error(DocumentIssue::TemplateTooDeep { limit: DEEPEST }).into());
        }
        let places = sequences.get(open.sequence).zip(sequences.get(close.sequence));
        let found = places.and_then(|(first, last)| unit(first, last, open, close));
        let Some((range, inner)) = found else {
            return Err(self.error(DocumentIssue::TemplateCrossed { name: open.name.clone() }).into());
        };
        // The unit without the two tags.
        let mut edits = PartEdits::new();
        if inner == range {
            for tag in [open, close] {
                if let Some(sequence) = sequences.get(tag.sequence) {
                    spread(sequence, &tag.range, "", &mut edits);
                }
            }
        }
        let source = tree.source();
        let mut stripped = Splice::new(source);
        write_plain(&mut stripped, tree, &edits, &Dialect::of(tree));
        let text = stripped.finish().map_err(|error| overlap(self.name, &error))?;
        let end = (inner.end + text.len()).saturating_sub(source.len());
        let unit = text.get(inner.start..end).unwrap_or_default();
        let items: Vec<&Value> = match find(scopes, &open.name) {
            Some(Value::Array(items)) => items.iter().collect(),
            None | Some(Value::Null | Value::Bool(false)) => {
                if find(scopes, &open.name).is_none() {
                    self.filled.missing.insert(open.name.clone());
                }
                Vec::new()
            }
            Some(value) => vec![value],
        };
        let root = tree.root();
        let head = source.get(root.open_range()).unwrap_or_default();
        let mut out = String::new();
        for (number, item) in items.iter().enumerate() {
            let content = XmlPart::new(self.name, format!("{head}{unit}</{}>", root.qualified()));
            let fragment = content.tree(self.limits)?;
            let mut inner_scopes = scopes.to_vec();
            inner_scopes.push(item);
            let filled = self.tree(&fragment, &inner_scopes, depth + 1)?;
            let filled = filled.get(fragment.root().open_range().end..).unwrap_or_default();
            let filled = filled.strip_suffix(&format!("</{}>", root.qualified())).unwrap_or(filled);
            out.push_str(&if number == 0 { filled.to_owned() } else { self.copy(head, filled, root)? });
            self.filled.repeated += 1;
            if out.len() > LARGEST {
                return Err(self.error(DocumentIssue::TemplateTooLarge { limit: LARGEST >> 20 }).into());
            }
        }
        Ok((range, out))
    }

    /// A copy of a unit without what may occur only once: ids of paragraphs, bookmarks and the anchors of comments.
    fn copy(&self, head: &str, unit: &str, root: Node<'_>) -> Result<String, Error> {
        let content = XmlPart::new(self.name, format!("{head}{unit}</{}>", root.qualified()));
        let tree = content.tree(self.limits)?;
        let mut splice = Splice::new(&content.text);
        for node in tree.root().descendants().filter(|node| node.is_element()) {
            let once = node.ns() == Ns::W
                && matches!(
                    node.local(),
                    "bookmarkStart" | "bookmarkEnd" | "commentRangeStart" | "commentRangeEnd" | "commentReference"
                );
            if once {
                splice.remove(node);
                continue;
            }
            for attribute in node.attributes() {
                if matches!(attribute.name.rsplit(':').next(), Some("paraId" | "textId")) {
                    splice.remove_attr(node, attribute.name);
                }
            }
        }
        let text = splice.finish().map_err(|error| overlap(self.name, &error))?;
        let inner = text.get(tree.root().open_range().end..).unwrap_or_default();
        Ok(inner.strip_suffix(&format!("</{}>", root.qualified())).unwrap_or(inner).to_owned())
    }

    fn error(&self, issue: DocumentIssue) -> EditError {
        self.input.error("values", issue)
    }
}

/// The position of the tag that closes another.
fn closing(tags: &[Tag], open: usize) -> Option<usize> {
    let name = &tags.get(open)?.name;
    let mut depth = 0_usize;
    for (at, tag) in tags.iter().enumerate().skip(open) {
        match tag.kind {
            TagKind::Open => depth += 1,
            TagKind::Close => {
                depth -= 1;
                if depth == 0 {
                    return (tag.name == *name).then_some(at);
                }
            }
            TagKind::Value => {}
        }
    }
    None
}

/// What two tags repeat: the range that is replaced, and the range of the unit in it. Both are the same, unless the tags are in
/// paragraphs of their own, which go.
fn unit(first: &Sequence<'_>, last: &Sequence<'_>, open: &Tag, close: &Tag) -> Option<(Range<usize>, Range<usize>)> {
    let around = |node: Node<'_>, name: &str| node.ancestors().find(|around| around.is(Ns::W, name)).map(Node::range);
    let whole = |start: Range<usize>, end: Range<usize>| Some((start.start..end.end, start.start..end.end));
    if first.node == last.node {
        return whole(first.node.range(), first.node.range());
    }
    // Cells of one row, or rows of one table.
    let (row, end) = (around(first.node, "tr"), around(last.node, "tr"));
    if let (Some(row), Some(end)) = (row, end) {
        let same_cell = around(first.node, "tc") == around(last.node, "tc");
        if !same_cell && around(first.node, "tbl") == around(last.node, "tbl") {
            return whole(row, end);
        }
    }
    if first.node.parent() != last.node.parent() {
        return None;
    }
    let alone = |sequence: &Sequence<'_>, tag: &Tag| sequence.text.trim().len() == tag.range.len();
    match alone(first, open) && alone(last, close) {
        true => {
            Some((first.node.range().start..last.node.range().end, first.node.range().end..last.node.range().start))
        }
        false => whole(first.node.range(), last.node.range()),
    }
}

/// The value of a name: in the innermost scope that has it.
fn find<'v>(scopes: &[&'v Value], name: &str) -> Option<&'v Value> {
    if name == "." {
        return scopes.last().copied();
    }
    scopes.iter().rev().find_map(|scope| {
        scope.get(name).or_else(|| {
            name.split('.').try_fold(*scope, |value, step| match value {
                Value::Array(list) => list.get(step.parse::<usize>().ok()?),
                other => other.get(step),
            })
        })
    })
}

/// A value as the text of a placeholder.
fn text_of(scopes: &[&Value], name: &str) -> Option<String> {
    let text = match find(scopes, name)? {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Array(list) if list.iter().all(|item| !item.is_object() && !item.is_array()) => {
            let words = list.iter().map(|item| item.as_str().map_or_else(|| item.to_string(), str::to_owned));
            words.collect::<Vec<_>>().join(", ")
        }
        Value::Array(_) | Value::Object(_) => return None,
    };
    Some(strip_illegal(&text).0.into_owned())
}
