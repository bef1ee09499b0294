//! `replace_text`: searches the text of a document across its runs and changes only the characters that were found.
//!
//! The text of each part is a list of [`Sequence`]s, each with the elements that hold it. A match is spread over those
//! elements as [`Edits`]. They are written in place, or as tracked changes: then each run with a part of a match is split
//! into what stays, what is deleted and what is inserted.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use jig_file_api::ops::docx::ReplaceText;
use serde_json::{Map, Value};

use super::DocumentEdit;
use super::markup::{Dialect, Markup, needs_preserve};
use super::revisions::{Revisions, kept_properties};
use crate::docx::inline::{self, Piece, PieceKind};
use crate::docx::word;
use crate::edit::{OpInput, OpReport, without_table_escapes};
use crate::error::{DocumentIssue, Error};
use crate::search::SearchPattern;
use crate::xml::{Node, NodeId, NodeKind, Ns, ParsedPart, Splice, Tree, escape_text, unescape};

/// The changes of one piece of text: ranges that are removed, each with its replacement.
#[derive(Debug, Default)]
pub(super) struct Edits<'r> {
    list: Vec<(Range<usize>, Option<&'r str>)>,
}

/// The changes of a part, by the element that holds the text.
pub(super) type PartEdits<'r> = HashMap<NodeId, Edits<'r>>;

impl DocumentEdit<'_> {
    /// Applies `replace_text`.
    pub(super) fn replace_text(&mut self, input: &OpInput, fields: ReplaceText) -> Result<(), Error> {
        let search = fields.search;
        if search.is_empty() {
            return Err(input.error("search", DocumentIssue::EmptySearch).into());
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
        self.keep_revisions(revisions);
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
        part: &ParsedPart,
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
        let mut splice = Splice::new(part.text());
        match revisions {
            Some(revisions) => write_tracked(&mut splice, &tree, &edits, &dialect, revisions),
            None => write_plain(&mut splice, &tree, &edits, &dialect),
        }
        self.splice_part(part, splice)
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
            1 => format!("Replaced “{shown}” once ({}).", locations_text(counts)),
            _ => format!("Replaced “{shown}” {total} times ({}).", locations_text(counts)),
        };
        let locations: Map<String, Value> =
            counts.iter().map(|(name, count)| ((*name).to_owned(), (*count).into())).collect();
        self.report(OpReport::new(input, summary).with("replacements", total).with("locations", locations));
    }
}

fn locations_text(counts: &BTreeMap<&'static str, usize>) -> String {
    let words = counts.iter().map(|(name, count)| format!("{} {count}", name.replace('_', " ")));
    words.collect::<Vec<_>>().join(", ")
}

/// The kind of place that a paragraph is in, for the counts.
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

/// A warning for a content control that is bound to data: Word may restore the old text.
fn unstable(sequence: &Sequence<'_>) -> Option<String> {
    let bound = |node: Node<'_>| node.is(Ns::W, "sdt") && node.path(Ns::W, &["sdtPr", "dataBinding"]).is_some();
    let inside = sequence.node.ancestors().any(bound) || sequence.node.elements().any(bound);
    inside.then(|| {
        "a replaced text is in a content control that is bound to data; Word may restore the old text".to_owned()
    })
}

/// Adds the changes of a match: each of its elements loses its part of the match, and the first gets the replacement.
pub(super) fn spread<'r>(sequence: &Sequence<'_>, range: &Range<usize>, replace: &'r str, edits: &mut PartEdits<'r>) {
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

/// Text that readers see as one, and its elements.
#[derive(Debug)]
pub(super) struct Sequence<'t> {
    /// The paragraph, or the branch of alternative content.
    pub(super) node: Node<'t>,
    pub(super) text: String,
    pub(super) atoms: Vec<Atom<'t>>,
    /// Whether its matches are counted: those in the fallback of alternative content are not.
    pub(super) counted: bool,
}

/// An element with a piece of the text: `w:t`, or a tab or line break.
#[derive(Debug, Clone, Copy)]
pub(super) struct Atom<'t> {
    pub(super) node: Node<'t>,
    /// Its place in the text.
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All texts of a part. `whole_runs`: only elements directly in a run can be changed.
pub(super) fn sequences<'t>(tree: &'t Tree<'t>, whole_runs: bool) -> Vec<Sequence<'t>> {
    let mut all = Vec::new();
    for node in tree.root().descendants().filter(|node| node.is_element()) {
        if node.is(Ns::W, "p") && !is_deleted(node) {
            add_sequences(node, is_counted(node), whole_runs, &mut all);
        } else if node.is(Ns::Mc, "AlternateContent") && !is_deleted(node) {
            // The branch that readers see belongs to its paragraph; the others are separate.
            let read = word::branch(node);
            for branch in node.elements().filter(|branch| Some(*branch) != read) {
                add_sequences(branch, false, whole_runs, &mut all);
            }
        }
    }
    all
}

/// Whether a tracked change around its block deletes it. Those inside a paragraph are marks of its pieces.
fn is_deleted(node: Node<'_>) -> bool {
    node.ancestors().any(|around| around.is(Ns::W, "del") || around.is(Ns::W, "moveFrom"))
}

/// Whether readers see all branches of alternative content around it.
fn is_counted(node: Node<'_>) -> bool {
    let mut at = node;
    for around in node.ancestors() {
        if around.is(Ns::Mc, "AlternateContent") && word::branch(around) != Some(at) {
            return false;
        }
        at = around;
    }
    true
}

fn add_sequences<'t>(node: Node<'t>, counted: bool, whole_runs: bool, all: &mut Vec<Sequence<'t>>) {
    let fresh = || Sequence { node, text: String::new(), atoms: Vec::new(), counted };
    let mut current = fresh();
    for piece in inline::pieces(node) {
        if piece.mark.deleted.is_some() {
            continue;
        }
        match use_of(&piece, whole_runs) {
            PieceUse::Text(text) => {
                let start = current.text.len();
                current.text.push_str(text);
                if !text.is_empty() {
                    current.atoms.push(Atom { node: piece.node, start, end: current.text.len() });
                }
            }
            PieceUse::Ignored => {}
            PieceUse::Boundary => push_sequence(std::mem::replace(&mut current, fresh()), all),
        }
    }
    push_sequence(current, all);
}

fn push_sequence<'t>(sequence: Sequence<'t>, all: &mut Vec<Sequence<'t>>) {
    if !sequence.atoms.is_empty() {
        all.push(sequence);
    }
}

/// How the search uses a piece.
enum PieceUse<'p> {
    /// Text that can be found and changed.
    Text(&'p str),
    /// A match may span it; it stays.
    Ignored,
    /// No match spans it.
    Boundary,
}

fn use_of<'p>(piece: &'p Piece<'_>, whole_runs: bool) -> PieceUse<'p> {
    if !matches!(piece.kind, PieceKind::Text(_)) {
        return PieceUse::Ignored;
    }
    let text = piece.text();
    let changeable = piece.node.ns() == Ns::W
        && match piece.node.local() {
            "t" | "tab" | "ptab" | "cr" => true,
            "br" => word::attr(piece.node, "type").is_none_or(|kind| kind == "textWrapping"),
            _ => false,
        };
    let in_place = piece.run.is_some() && (!whole_runs || piece.node.parent() == piece.run);
    if changeable && in_place { PieceUse::Text(text) } else { PieceUse::Boundary }
}

/// Changes the characters inside `w:t` and nothing around them.
pub(super) fn write_plain(splice: &mut Splice<'_>, tree: &Tree<'_>, edits: &PartEdits<'_>, dialect: &Dialect) {
    for (id, edits) in edits {
        let node = tree.node(*id);
        if node.local() == "t" {
            edit_text(splice, node, edits);
        } else if let Some(replacement) = edits.list.iter().find_map(|(_, replacement)| *replacement) {
            let mut markup = Markup::new(dialect);
            markup.run_text(replacement, "t");
            splice.replace(node.range(), markup.finish());
        } else {
            splice.remove(node);
        }
    }
}

fn edit_text(splice: &mut Splice<'_>, node: Node<'_>, edits: &Edits<'_>) {
    let old = node.text();
    let new = changed(&old, edits);
    let broken = new.contains(['\n', '\t', '\r']) && edits.list.iter().any(|(_, new)| new.is_some());
    if needs_preserve(&new) || broken {
        preserve(splice, node);
    }
    let mut children = node.children();
    let only_text = children.next().filter(|child| child.kind() == NodeKind::Text && children.next().is_none());
    if only_text.is_none() {
        splice.set_inner(node, inline_markup(&new, node));
        return;
    }
    let mut offsets = Offsets { raw: node.inner(), raw_at: 0, text_at: 0 };
    let start = node.inner_range().start;
    for (range, replacement) in &edits.list {
        let from = start + offsets.advance(range.start);
        let to = start + offsets.advance(range.end);
        splice.replace(from..to, replacement.map(|new| inline_markup(new, node)).unwrap_or_default());
    }
}

/// The text with all its changes.
fn changed(old: &str, edits: &Edits<'_>) -> String {
    let mut new = String::with_capacity(old.len());
    let mut at = 0;
    for (range, replacement) in &edits.list {
        new.push_str(old.get(at..range.start).unwrap_or_default());
        new.push_str(replacement.unwrap_or_default());
        at = range.end;
    }
    new.push_str(old.get(at..).unwrap_or_default());
    new
}

fn preserve(splice: &mut Splice<'_>, node: Node<'_>) {
    match node.attr_ns(Ns::Xml, "space") {
        Some(value) if value == "preserve" => {}
        _ => splice.set_attr(node, "xml:space", "preserve"),
    }
}

/// Text inside a `w:t`: a line break or tab closes it and opens it again.
fn inline_markup(text: &str, node: Node<'_>) -> String {
    let text = text.replace("\r\n", "\n");
    let (name, w) = (node.qualified(), node.prefix());
    let mut out = String::new();
    for piece in text.split_inclusive(['\n', '\r', '\t']) {
        let (words, element) = match piece.chars().next_back() {
            Some('\t') => (piece.strip_suffix('\t').unwrap_or_default(), "tab"),
            Some(end @ ('\n' | '\r')) => (piece.strip_suffix(end).unwrap_or_default(), "br"),
            _ => (piece, ""),
        };
        out.push_str(&escape_text(words));
        if !element.is_empty() {
            out.push_str(&format!("</{name}><{w}{element}/><{name} xml:space=\"preserve\">"));
        }
    }
    out
}

/// Maps positions in a text to positions in its markup, in ascending order.
struct Offsets<'a> {
    raw: &'a str,
    raw_at: usize,
    text_at: usize,
}

impl Offsets<'_> {
    fn advance(&mut self, to: usize) -> usize {
        let ahead = to.saturating_sub(self.text_at);
        // Without references in between, text and markup have the same length.
        if self.raw.get(self.raw_at..self.raw_at + ahead).is_some_and(|raw| !raw.contains('&')) {
            self.raw_at += ahead;
            self.text_at += ahead;
        }
        while self.text_at < to {
            let rest = self.raw.get(self.raw_at..).unwrap_or_default();
            let Some(c) = rest.chars().next() else { break };
            let (raw, text) = if c == '&' { reference(rest) } else { (c.len_utf8(), c.len_utf8()) };
            self.raw_at += raw;
            self.text_at += text;
        }
        self.raw_at
    }
}

/// The length of a character reference, and of the character it refers to.
fn reference(rest: &str) -> (usize, usize) {
    let end = rest.bytes().take(12).position(|byte| byte == b';').map_or(1, |at| at + 1);
    let written = rest.get(..end).unwrap_or("&");
    let meant = unescape(written);
    if meant == written { (1, 1) } else { (written.len(), meant.len()) }
}

/// Writes the changes as tracked changes.
fn write_tracked(
    splice: &mut Splice<'_>,
    tree: &Tree<'_>,
    edits: &PartEdits<'_>,
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    let runs: BTreeSet<NodeId> = edits.keys().filter_map(|id| tree.node(*id).parent()).map(Node::id).collect();
    for run in runs {
        let run = tree.node(run);
        let pieces = take_apart(run, edits);
        splice.replace(run.range(), put_together(run, &pieces, dialect, revisions));
    }
}

/// Part of a run's content.
enum RunPiece {
    Kept(String),
    Deleted(String),
    Inserted(String),
}

fn take_apart(run: Node<'_>, edits: &PartEdits<'_>) -> Vec<RunPiece> {
    let mut pieces = RunPieces::default();
    for child in run.children().filter(|child| !child.is(Ns::W, "rPr")) {
        match edits.get(&child.id()) {
            None => pieces.keep(child.source()),
            Some(edits) if child.local() == "t" => split_text(child, edits, &mut pieces),
            Some(edits) => {
                pieces.delete(child.source());
                let inserted = edits.list.iter().find_map(|(_, replacement)| *replacement);
                pieces.insert(inserted.unwrap_or_default());
            }
        }
    }
    pieces.0
}

fn split_text(node: Node<'_>, edits: &Edits<'_>, pieces: &mut RunPieces) {
    let (old, w) = (node.text(), node.prefix());
    let element =
        |name: &str, text: &str| format!("<{w}{name} xml:space=\"preserve\">{}</{w}{name}>", escape_text(text));
    let mut at = 0;
    let keep = |range: Range<usize>, pieces: &mut RunPieces| {
        if let Some(text) = old.get(range).filter(|text| !text.is_empty()) {
            pieces.keep(&element("t", text));
        }
    };
    for (range, replacement) in &edits.list {
        keep(at..range.start, pieces);
        pieces.delete(&element("delText", old.get(range.clone()).unwrap_or_default()));
        pieces.insert(replacement.unwrap_or_default());
        at = range.end;
    }
    keep(at..old.len(), pieces);
}

#[derive(Default)]
struct RunPieces(Vec<RunPiece>);

impl RunPieces {
    fn keep(&mut self, markup: &str) {
        match self.0.last_mut() {
            Some(RunPiece::Kept(kept)) => kept.push_str(markup),
            _ => self.0.push(RunPiece::Kept(markup.to_owned())),
        }
    }

    fn delete(&mut self, markup: &str) {
        match self.0.last_mut() {
            Some(RunPiece::Deleted(deleted)) => deleted.push_str(markup),
            _ => self.0.push(RunPiece::Deleted(markup.to_owned())),
        }
    }

    fn insert(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(RunPiece::Inserted(text.to_owned()));
        }
    }
}

fn put_together(run: Node<'_>, pieces: &[RunPiece], dialect: &Dialect, revisions: &mut Revisions) -> String {
    let tag = run.tree().source().get(run.open_range()).unwrap_or_default();
    let name = run.qualified();
    let old_properties = run.child(Ns::W, "rPr").map_or("", Node::source);
    let new_properties = run.child(Ns::W, "rPr").map_or_else(String::new, kept_properties);
    let mut out = String::new();
    for piece in pieces {
        match piece {
            RunPiece::Kept(content) => out.push_str(&format!("{tag}{old_properties}{content}</{name}>")),
            RunPiece::Deleted(content) => {
                out.push_str(&revisions.open("del", dialect));
                out.push_str(&format!("{tag}{old_properties}{content}</{name}></{}del>", dialect.w));
            }
            RunPiece::Inserted(text) => {
                let mut markup = Markup::new(dialect);
                let open = revisions.open("ins", dialect);
                markup.raw(&open);
                markup.open("r", &[]);
                markup.raw(&new_properties);
                markup.run_text(text, "t");
                markup.close("r");
                markup.close("ins");
                out.push_str(&outside_insertion(run, &markup.finish(), revisions));
            }
        }
    }
    out
}

/// Text inserted into an insertion of another author is written next to it, as Word does: the insertion is closed
/// before it and opened again after it.
fn outside_insertion(run: Node<'_>, markup: &str, revisions: &mut Revisions) -> String {
    match run.parent().filter(|parent| parent.is(Ns::W, "ins")) {
        Some(parent) => {
            let again = revisions.again(parent);
            format!("</{}>{markup}{again}", parent.qualified())
        }
        None => markup.to_owned(),
    }
}
