//! `replace_text`: searching the text of a document across its runs, and changing only the characters
//! that were found.

mod plain;
mod text;
mod tracked;

use std::collections::{BTreeMap, HashMap};

use jig_file_api::ops::docx::ReplaceText;
use serde_json::{Map, Value};

use crate::edit::{Change, OpInput, without_table_escapes};
use crate::error::Error;
use crate::search::SearchPattern;
use crate::xml::{Node, NodeId, Ns, Splice, XmlPart};

use self::text::{Sequence, sequences};
use super::markup::Dialect;
use super::session::Session;
use super::track::Revisions;

/// What is done to one piece of text: ranges that go, each with what comes in its place.
#[derive(Debug, Default)]
struct Edits<'r> {
    list: Vec<(std::ops::Range<usize>, Option<&'r str>)>,
}

/// What is done to a part, by the element that holds the text.
type PartEdits<'r> = HashMap<NodeId, Edits<'r>>;

impl Session<'_> {
    /// Carries out `replace_text`.
    pub(super) fn replace_text(&mut self, input: &OpInput, fields: ReplaceText) -> Result<(), Error> {
        let search = fields.search;
        if search.is_empty() {
            return Err(input.error("search", "the text to look for is empty").into());
        }
        let replace = self.clean(&fields.replace, &input.at("replace"));
        let pattern = SearchPattern::new(&search, fields.match_case);
        let mut counts = self.replace_all(&pattern, &replace, fields.track_changes)?;
        // Tables are read as Markdown, where a pipe inside a cell has a backslash.
        if counts.is_empty()
            && let Some(plain) = without_table_escapes(&search)
        {
            let replace = without_table_escapes(&replace).unwrap_or(replace);
            counts =
                self.replace_all(&SearchPattern::new(&plain, fields.match_case), &replace, fields.track_changes)?;
            if !counts.is_empty() {
                self.warn(format!("{}: `\\|` read as `|`, as it is in the document", input.at("search")));
            }
        }
        self.report_replaced(input, &search, &counts);
        Ok(())
    }

    fn replace_all(
        &mut self,
        pattern: &SearchPattern,
        replace: &str,
        track: Option<bool>,
    ) -> Result<BTreeMap<&'static str, usize>, Error> {
        let mut revisions = self.revisions(track)?;
        let mut counts = BTreeMap::new();
        let names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        for name in names {
            let part = self.part(&name)?;
            let kind = self.part_kind(&name);
            self.replace_in(&part, kind, pattern, replace, revisions.as_mut(), &mut counts)?;
        }
        self.keep(revisions);
        Ok(counts)
    }

    fn part_kind(&self, name: &str) -> &'static str {
        if self.names.headers.iter().any(|part| part.name == name) {
            "headers"
        } else if self.names.footers.iter().any(|part| part.name == name) {
            "footers"
        } else if self.names.footnotes.as_deref() == Some(name) {
            "footnotes"
        } else if self.names.endnotes.as_deref() == Some(name) {
            "endnotes"
        } else {
            "body"
        }
    }

    fn replace_in(
        &mut self,
        part: &XmlPart,
        kind: &'static str,
        pattern: &SearchPattern,
        replace: &str,
        revisions: Option<&mut Revisions>,
        counts: &mut BTreeMap<&'static str, usize>,
    ) -> Result<(), Error> {
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let mut edits = PartEdits::new();
        for sequence in sequences(&tree, revisions.is_some()) {
            let found = pattern.find_all(&sequence.text);
            if found.is_empty() {
                continue;
            }
            if sequence.counted {
                *counts.entry(location(sequence.node, kind)).or_default() += found.len();
            }
            if let Some(warning) = unstable(&sequence) {
                self.warn(warning);
            }
            for range in &found {
                spread(&sequence, range, replace, &mut edits);
            }
        }
        if edits.is_empty() {
            return Ok(());
        }
        let dialect = Dialect::of(&tree);
        let mut splice = Splice::new(&part.text);
        match revisions {
            Some(revisions) => tracked::write(&mut splice, &tree, &edits, &dialect, revisions),
            None => plain::write(&mut splice, &tree, &edits, &dialect),
        }
        self.set_part(part, splice)
    }

    fn report_replaced(&mut self, input: &OpInput, search: &str, counts: &BTreeMap<&'static str, usize>) {
        let total: usize = counts.values().sum();
        let shown: String = search.chars().take(60).collect();
        let summary = match total {
            0 => {
                self.warn(format!(
                    "{}: “{shown}” does not occur in the document, nothing was replaced",
                    input.at("search")
                ));
                format!("Found no “{shown}” to replace.")
            }
            1 => format!("Replaced “{shown}” once ({}).", words(counts)),
            _ => format!("Replaced “{shown}” {total} times ({}).", words(counts)),
        };
        let locations: Map<String, Value> =
            counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
        self.report(Change::new(input, summary).with("replacements", total).with("locations", locations));
    }
}

fn words(counts: &BTreeMap<&'static str, usize>) -> String {
    let words = counts.iter().map(|(name, count)| format!("{} {count}", name.replace('_', " ")));
    words.collect::<Vec<_>>().join(", ")
}

/// Where a paragraph stands, for the counts.
fn location(node: Node<'_>, kind: &'static str) -> &'static str {
    for around in node.ancestors() {
        match (around.ns(), around.local()) {
            (Ns::W, "txbxContent") => return "text_boxes",
            (Ns::W, "tbl") if kind == "body" => return "tables",
            _ => {}
        }
    }
    kind
}

/// A content control that shows data from elsewhere: Word may put the old text back.
fn unstable(sequence: &Sequence<'_>) -> Option<String> {
    let bound = |node: Node<'_>| node.is(Ns::W, "sdt") && node.path(Ns::W, &["sdtPr", "dataBinding"]).is_some();
    let inside = sequence.node.ancestors().any(bound) || sequence.node.elements().any(bound);
    inside.then(|| {
        "a replaced text stands in a content control that is bound to data; Word may put the old text back".to_owned()
    })
}

/// Says for each element under a match what goes, and at the first what comes.
fn spread<'r>(sequence: &Sequence<'_>, range: &std::ops::Range<usize>, replace: &'r str, edits: &mut PartEdits<'r>) {
    let from = sequence.atoms.partition_point(|atom| atom.end <= range.start);
    let mut replacement = Some(replace);
    for atom in sequence.atoms.get(from..).unwrap_or_default() {
        if atom.start >= range.end {
            break;
        }
        let local = range.start.max(atom.start) - atom.start..range.end.min(atom.end) - atom.start;
        edits.entry(atom.node.id()).or_default().list.push((local, replacement.take()));
    }
}
