//! `DocxFind`: where a text occurs.

use serde::Deserialize;
use serde_json::{Value, json};

use super::notes::Comments;
use super::render::{BlockKind, Options, Rendered};
use super::{Document, params};
use crate::edit::EditError;
use crate::error::Error;

#[derive(Deserialize)]
struct Params {
    #[serde(alias = "search", alias = "find")]
    query: Option<String>,
    #[serde(default)]
    match_case: bool,
    #[serde(default = "usual")]
    max_results: usize,
}

fn usual() -> usize {
    50
}

/// Characters shown on either side of what was found.
const AROUND: usize = 60;

/// The places of a text: body, tables, notes, headers, footers and comments. One result for each place, with how
/// often the text occurs there.
pub(super) fn find(document: &Document, given: &Value, warnings: &mut Vec<String>) -> Result<Value, Error> {
    let params: Params = params::parse(given, warnings)?;
    let query = params.query.filter(|query| !query.is_empty());
    let query = query.ok_or_else(|| EditError::new("query", "a text to look for is needed"))?;
    let rendered = document.rendered(Options::default())?;
    warnings.extend(rendered.warnings.iter().cloned());
    let needle = Needle::new(&query, params.match_case);
    let mut found =
        Found { matches: Vec::new(), total: 0, places: 0, most: params.max_results.min(super::capped::MOST) };
    in_body(&rendered, &needle, &mut found);
    for (label, text) in &rendered.notes {
        let kind = if label.starts_with('e') { "endnote" } else { "footnote" };
        found.look(&needle, text, || json!({ "place": kind, "note": label }));
    }
    for margin in &rendered.margins {
        found.look(
            &needle,
            &margin.text,
            || json!({ "place": margin.kind, "pages": margin.pages, "part": margin.part }),
        );
    }
    for (id, author, text) in Comments::read(&document.source)?.all() {
        found.look(&needle, text, || json!({ "place": "comment", "comment": id, "author": author }));
    }
    Ok(json!({
        "matches": found.matches,
        "match_count": found.total,
        "place_count": found.places,
        "truncated": found.places > found.matches.len(),
    }))
}

fn in_body(rendered: &Rendered, needle: &Needle, found: &mut Found) {
    let mut sections = rendered.sections.iter().enumerate().peekable();
    let mut current = None;
    for (at, block) in rendered.blocks.iter().enumerate() {
        while let Some(section) = sections.next_if(|(_, section)| section.blocks.start <= at) {
            current = Some(section);
        }
        let (index, heading) = current.map_or((None, ""), |(index, section)| (Some(index), &section.heading));
        found.look(needle, &block.text, || match block.what {
            BlockKind::Table { index: table, .. } => {
                json!({ "place": "table", "section_index": index, "section": heading, "table": table })
            }
            BlockKind::Paragraph { index: paragraph, .. } => {
                json!({ "place": "body", "section_index": index, "section": heading, "paragraph": paragraph })
            }
            BlockKind::Empty => json!({ "place": "body", "section_index": index, "section": heading }),
        });
    }
}

struct Found {
    matches: Vec<Value>,
    total: usize,
    places: usize,
    most: usize,
}

impl Found {
    fn look(&mut self, needle: &Needle, text: &str, place: impl Fn() -> Value) {
        let Some((count, at, len)) = needle.find(text) else { return };
        self.total += count;
        self.places += 1;
        if self.matches.len() >= self.most {
            return;
        }
        let mut entry = place();
        if let Some(object) = entry.as_object_mut() {
            object.insert("count".to_owned(), count.into());
            object.insert("snippet".to_owned(), snippet(text, at, len).into());
        }
        self.matches.push(entry);
    }
}

/// A text to look for.
struct Needle {
    text: String,
    match_case: bool,
}

impl Needle {
    fn new(query: &str, match_case: bool) -> Self {
        Self { text: if match_case { query.to_owned() } else { query.to_lowercase() }, match_case }
    }

    /// How often it occurs, and the first place in bytes with its length.
    fn find(&self, text: &str) -> Option<(usize, usize, usize)> {
        if self.match_case {
            let at = text.find(&self.text)?;
            return Some((text.matches(&self.text).count(), at, self.text.len()));
        }
        let lower = text.to_lowercase();
        let at = lower.find(&self.text)?;
        let count = lower.matches(&self.text).count();
        // Lower case may have other lengths: the place is counted in what its characters become.
        let start = original(text, at);
        Some((count, start, original(text, at + self.text.len()).saturating_sub(start)))
    }
}

/// The place in a text that a place in its lower case comes from.
fn original(text: &str, lower_at: usize) -> usize {
    let mut lower = 0;
    for (at, c) in text.char_indices() {
        if lower >= lower_at {
            return at;
        }
        lower += c.to_lowercase().map(char::len_utf8).sum::<usize>();
    }
    text.len()
}

fn snippet(text: &str, at: usize, len: usize) -> String {
    let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
    let start = before.char_indices().rev().nth(AROUND - 1).map_or(0, |(at, _)| at);
    let end = rest.char_indices().map(|(at, _)| at).filter(|at| *at >= len).nth(AROUND).unwrap_or(rest.len());
    let shown = text.get(start..at + end).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let (front, back) = (if start > 0 { "…" } else { "" }, if at + end < text.len() { "…" } else { "" });
    format!("{front}{shown}{back}")
}
