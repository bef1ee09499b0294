//! `accept_changes` and `reject_changes`: resolves tracked changes in the text, tables, headers, footers, notes and text boxes.
//!
//! A part is copied node by node. Elements without a selected change inside are copied as they are written, so only what a
//! change covers differs. A paragraph whose end goes is joined with the next one, which keeps its own properties, as in Word.

use std::collections::{BTreeMap, HashSet};

use jig_file_api::ops::docx::ScalarText;
use jig_file_api::ops::docx_structure::ResolveChanges;

use super::blocks::kept_markers;
use super::{Body, DocumentEdit};
use crate::docx::word;
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::{DocumentIssue, Error, counted};
use crate::xml::{Node, NodeId, Ns, Splice, Tree};

impl DocumentEdit<'_> {
    /// Applies `accept_changes`, and without `accept` `reject_changes`.
    pub(super) fn resolve_changes(
        &mut self,
        input: &OpInput,
        fields: &ResolveChanges,
        accept: bool,
    ) -> Result<(), Error> {
        let limits = self.limits();
        let ids: Option<HashSet<String>> =
            fields.ids.as_ref().map(|ids| ids.iter().map(|ScalarText(id)| id.trim().to_owned()).collect());
        if ids.as_ref().is_some_and(HashSet::is_empty) {
            return Err(input.error("ids", DocumentIssue::Empty { item: "id" }).into());
        }
        let mut filter = Filter { author: fields.author.clone(), ids, range: None };
        let mut names: Vec<String> = self.names.texts().into_iter().map(str::to_owned).collect();
        if let Some(section) = &fields.section {
            let styles = self.styles()?;
            let main = self.main();
            let tree = main.tree(&limits)?;
            let body = Body::read(&tree, main.name(), &styles)?;
            let index = self.find_section(&body, section, &input.at("section"))?;
            let blocks = body.sections().get(index).map(|section| section.blocks.clone()).unwrap_or_default();
            let blocks = body.blocks.get(blocks).unwrap_or_default();
            let start = blocks.first().map_or(0, |block| block.node().range().start);
            let end = blocks.last().map_or(0, |block| block.node().range().end);
            filter.range = Some(start..end);
            names = vec![self.names.document.clone()];
        }
        let mut seen = Seen::default();
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        for name in names {
            let part = self.part(&name)?;
            let tree = part.tree(&limits)?;
            let chosen = Chosen::find(&tree, &filter, &mut seen);
            if chosen.changes.is_empty() {
                continue;
            }
            for id in &chosen.changes {
                *counts.entry(kind_of(tree.node(*id))).or_default() += 1;
            }
            let mut resolver = Resolver { chosen: &chosen, accept, section_breaks: 0 };
            let root = tree.root();
            let new = resolver.inside(root);
            let breaks = resolver.section_breaks;
            let mut splice = Splice::new(part.text());
            splice.set_inner(root, new);
            self.splice_part(&part, splice)?;
            if breaks > 0 {
                self.warn(format!("{}: {breaks} section break(s) went with the paragraph that had them", input.at("")));
            }
        }
        // Their numbers may be used again.
        self.revisions = None;
        self.check_filter(input, &filter, &seen)?;
        let total: usize = counts.values().sum();
        if total == 0 {
            self.warn(format!(
                "{}: there are no tracked changes to {}",
                input.at(""),
                if accept { "accept" } else { "reject" }
            ));
        }
        let verb = if accept { "Accepted" } else { "Rejected" };
        let kinds: serde_json::Map<String, serde_json::Value> =
            counts.into_iter().map(|(kind, count)| (kind.to_owned(), count.into())).collect();
        self.report(
            OpReport::new(input, format!("{verb} {}.", counted(total, "tracked change")))
                .with("tracked_changes", total)
                .with("kinds", kinds),
        );
        Ok(())
    }

    fn check_filter(&self, input: &OpInput, filter: &Filter, seen: &Seen) -> Result<(), EditError> {
        if let Some(author) = filter.author.as_ref().filter(|_| !seen.by_author) {
            let issue = DocumentIssue::NoSuchAuthor { author: author.clone(), what: "tracked changes" };
            return Err(input.error("author", issue).suggest(seen.authors.iter().take(10).cloned()));
        }
        let missing = filter.ids.iter().flatten().find(|id| !seen.ids.contains(*id));
        if let Some(id) = missing {
            let near: Vec<&String> = seen.ids.iter().take(10).collect();
            return Err(input.error("ids", DocumentIssue::NoChange { id: id.clone() }).suggest(near));
        }
        Ok(())
    }
}

/// Which changes an op is about.
struct Filter {
    author: Option<String>,
    ids: Option<HashSet<String>>,
    /// The range of a section in the main part.
    range: Option<std::ops::Range<usize>>,
}

/// What the document has, for errors.
#[derive(Default)]
struct Seen {
    authors: std::collections::BTreeSet<String>,
    ids: std::collections::BTreeSet<String>,
    by_author: bool,
}

impl Filter {
    fn takes(&self, node: Node<'_>, seen: &mut Seen) -> bool {
        let author = word::attr(node, "author").unwrap_or_default();
        let id = word::attr(node, "id").unwrap_or_default();
        seen.authors.insert(author.clone().into_owned());
        seen.ids.insert(id.clone().into_owned());
        let same = |wanted: &String| wanted.trim().to_lowercase() == author.trim().to_lowercase();
        let by_author = self.author.as_ref().is_none_or(same);
        seen.by_author |= by_author;
        let in_range = |range: &std::ops::Range<usize>| range.contains(&node.range().start);
        by_author
            && self.ids.as_ref().is_none_or(|ids| ids.contains(id.as_ref()))
            && self.range.as_ref().is_none_or(in_range)
    }
}

/// Whether an element is the mark of a tracked change.
fn is_change(node: Node<'_>) -> bool {
    node.is_element()
        && node.ns() == Ns::W
        && match node.local() {
            "ins" | "del" | "moveFrom" | "moveTo" | "cellIns" | "cellDel" | "cellMerge" | "numberingChange"
            | "tblGridChange" => true,
            local => local.ends_with("PrChange") || local == "tblPrExChange",
        }
}

fn kind_of(node: Node<'_>) -> &'static str {
    match node.local() {
        "ins" | "cellIns" => "insertions",
        "del" | "cellDel" => "deletions",
        "moveFrom" | "moveTo" => "moves",
        _ => "formatting",
    }
}

/// The changes of a part that are resolved.
struct Chosen {
    changes: HashSet<NodeId>,
    /// The marks around moved text that go with it.
    markers: HashSet<NodeId>,
    /// The elements around all of these.
    around: HashSet<NodeId>,
}

impl Chosen {
    fn find(tree: &Tree<'_>, filter: &Filter, seen: &mut Seen) -> Self {
        let mut chosen = Self { changes: HashSet::new(), markers: HashSet::new(), around: HashSet::new() };
        let mut moves = Moves::default();
        for node in tree.root().descendants().filter(|node| node.is_element() && node.ns() == Ns::W) {
            if is_change(node) {
                if matches!(node.local(), "moveFrom" | "moveTo") {
                    moves.note(node);
                }
                if filter.takes(node, seen) {
                    chosen.changes.insert(node.id());
                }
            } else if node.local().ends_with("RangeStart") || node.local().ends_with("RangeEnd") {
                moves.mark(node);
            }
        }
        moves.complete(&mut chosen);
        // The marks of inserted and deleted content controls have no content of their own.
        for id in chosen.changes.iter().chain(&chosen.markers) {
            for node in tree.node(*id).ancestors() {
                if !chosen.around.insert(node.id()) {
                    break;
                }
            }
        }
        chosen
    }
}

/// Moves: both ends have a name, and are resolved together.
#[derive(Default)]
struct Moves<'t> {
    /// Open ranges: id and name.
    open: Vec<(String, String)>,
    by_name: BTreeMap<String, Vec<Node<'t>>>,
    markers: BTreeMap<String, Vec<Node<'t>>>,
    names: BTreeMap<String, String>,
}

impl<'t> Moves<'t> {
    fn mark(&mut self, node: Node<'t>) {
        let id = word::attr(node, "id").unwrap_or_default().into_owned();
        match node.local() {
            start @ ("moveFromRangeStart" | "moveToRangeStart") => {
                let name = word::attr(node, "name").unwrap_or_default().into_owned();
                let key = format!("{}{id}", start.trim_end_matches("RangeStart"));
                self.open.push((key.clone(), name.clone()));
                self.names.insert(key, name.clone());
                self.markers.entry(name).or_default().push(node);
            }
            end @ ("moveFromRangeEnd" | "moveToRangeEnd") => {
                let key = format!("{}{id}", end.trim_end_matches("RangeEnd"));
                self.open.retain(|(open, _)| *open != key);
                if let Some(name) = self.names.get(&key) {
                    self.markers.entry(name.clone()).or_default().push(node);
                }
            }
            _ => {}
        }
    }

    fn note(&mut self, node: Node<'t>) {
        let side = node.local();
        // The end of a paragraph precedes the range's content, but belongs to the range it is in.
        if let Some((_, name)) = self.open.iter().rev().find(|(key, _)| key.starts_with(side)) {
            self.by_name.entry(name.clone()).or_default().push(node);
        }
    }

    fn complete(self, chosen: &mut Chosen) {
        for (name, nodes) in &self.by_name {
            if nodes.iter().any(|node| chosen.changes.contains(&node.id())) {
                chosen.changes.extend(nodes.iter().map(|node| node.id()));
                chosen.markers.extend(self.markers.get(name).into_iter().flatten().map(|node| node.id()));
            }
        }
        // The marks of a move without content say nothing.
        for (name, markers) in &self.markers {
            if !self.by_name.contains_key(name) && !chosen.changes.is_empty() {
                chosen.markers.extend(markers.iter().map(|node| node.id()));
            }
        }
    }
}

/// What happens to the content of a mark.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    Stays,
    Goes,
}

/// Copies a part without the chosen changes.
struct Resolver<'c> {
    chosen: &'c Chosen,
    accept: bool,
    section_breaks: usize,
}

impl Resolver<'_> {
    fn fate(&self, node: Node<'_>) -> Option<Fate> {
        if !self.chosen.changes.contains(&node.id()) {
            return None;
        }
        let adds = matches!(node.local(), "ins" | "moveTo" | "cellIns");
        Some(if adds == self.accept { Fate::Stays } else { Fate::Goes })
    }

    /// The fate of something by the mark of this name in its properties.
    fn marked(&self, properties: Option<Node<'_>>, names: &[&str]) -> Option<Fate> {
        let marks = properties.into_iter().flat_map(Node::elements).filter(|node| node.ns() == Ns::W);
        let fates: Vec<Fate> =
            marks.filter(|node| names.contains(&node.local())).filter_map(|node| self.fate(node)).collect();
        if fates.contains(&Fate::Goes) { Some(Fate::Goes) } else { fates.first().copied() }
    }

    fn is_untouched(&self, node: Node<'_>) -> bool {
        !(self.chosen.around.contains(&node.id())
            || self.chosen.changes.contains(&node.id())
            || self.chosen.markers.contains(&node.id()))
    }

    /// The content of an element.
    fn inside(&mut self, parent: Node<'_>) -> String {
        let mut out = String::new();
        let mut carried: Option<Carried> = None;
        for node in parent.children() {
            self.child(node, &mut carried, &mut out);
        }
        if let Some(carried) = carried {
            out.push_str(&carried.alone(needs_paragraph(parent) && !out.contains("p>")));
        }
        out
    }

    fn child(&mut self, node: Node<'_>, carried: &mut Option<Carried>, out: &mut String) {
        if !node.is_element() {
            // White space between blocks; inside a joined paragraph it would be nothing.
            out.push_str(node.source());
            return;
        }
        if self.chosen.markers.contains(&node.id()) {
            return;
        }
        if let Some(fate) = self.fate(node).filter(|_| is_container(node)) {
            match fate {
                // Marks of ranges that end elsewhere stay.
                Fate::Goes => put(&kept_markers(&[node]), carried, out),
                Fate::Stays => {
                    for inner in node.children() {
                        let restored = !self.accept && matches!(node.local(), "del" | "moveFrom");
                        if restored && inner.is_element() && !inner.is(Ns::W, "p") {
                            let markup = self.restored(inner);
                            put(&markup, carried, out);
                        } else {
                            self.child(inner, carried, out);
                        }
                    }
                }
            }
            return;
        }
        if node.is(Ns::W, "p") {
            self.paragraph(node, carried, out);
            return;
        }
        if carried.is_some() && is_point(node) {
            let markup = self.copied(node);
            put(&markup, carried, out);
            return;
        }
        let markup = self.copied(node);
        // A paragraph cannot be joined with a table or with what is inside a content control.
        if !markup.is_empty()
            && let Some(carried) = carried.take()
        {
            out.push_str(&carried.alone(false));
        }
        out.push_str(&markup);
    }

    /// A paragraph, joined with the one before it if that one's end went.
    fn paragraph(&mut self, node: Node<'_>, carried: &mut Option<Carried>, out: &mut String) {
        let before = carried.take();
        if before.is_none() && self.is_untouched(node) {
            out.push_str(node.source());
            return;
        }
        let properties = node.child(Ns::W, "pPr");
        let end = properties.and_then(|properties| properties.child(Ns::W, "rPr"));
        let goes = self.marked(end, &["ins", "del", "moveFrom", "moveTo"]) == Some(Fate::Goes);
        let mut content = before.map(|before| before.content).unwrap_or_default();
        let mut none: Option<Carried> = None;
        for inner in node.children().filter(|inner| Some(*inner) != properties) {
            self.child(inner, &mut none, &mut content);
        }
        let properties_markup = properties.map(|properties| self.copied(properties)).unwrap_or_default();
        if goes {
            self.section_breaks +=
                usize::from(properties.is_some_and(|properties| properties.child(Ns::W, "sectPr").is_some()));
            let open = open_tag(node);
            *carried =
                Some(Carried { open, properties: properties_markup, content, close: node.qualified().to_owned() });
            return;
        }
        out.push_str(&format!("{}{properties_markup}{content}</{}>", open_tag(node), node.qualified()));
    }

    /// An element with the chosen changes resolved; empty if it goes.
    fn copied(&mut self, node: Node<'_>) -> String {
        if self.is_untouched(node) {
            return node.source().to_owned();
        }
        if self.chosen.changes.contains(&node.id()) || self.chosen.markers.contains(&node.id()) {
            return String::new();
        }
        match (node.ns(), node.local()) {
            (Ns::W, "tr") if self.marked(node.child(Ns::W, "trPr"), &["ins", "del"]) == Some(Fate::Goes) => {
                return String::new();
            }
            (Ns::W, "tc") => {
                let properties = node.child(Ns::W, "tcPr");
                if self.marked(properties, &["cellIns", "cellDel"]) == Some(Fate::Goes) {
                    return String::new();
                }
            }
            (Ns::W, "pPr" | "rPr" | "tblPr" | "trPr" | "tcPr" | "sectPr" | "tblPrEx" | "tblGrid" | "numPr") => {
                return self.properties(node);
            }
            (Ns::W, "r") if self.marked(node.child(Ns::W, "rPr"), &["ins", "del"]) == Some(Fate::Goes) => {
                return String::new();
            }
            _ => {}
        }
        let inner = self.inside(node);
        // A table without rows and a row without cells are invalid.
        let lacks = |child: &'static str| !inner.contains(&format!("<{}{child}", node.prefix()));
        if (node.is(Ns::W, "tbl") && lacks("tr")) || (node.is(Ns::W, "tr") && lacks("tc")) {
            return String::new();
        }
        if node.is_single_tag() {
            return node.source().to_owned();
        }
        format!("{}{inner}</{}>", open_tag(node), node.qualified())
    }

    /// Properties: with the previous ones if their change is rejected.
    fn properties(&mut self, node: Node<'_>) -> String {
        let change = node.elements().find(|child| self.chosen.changes.contains(&child.id()) && has_old(*child));
        let old = change.filter(|_| !self.accept);
        if node.is(Ns::W, "numPr") && self.marked(Some(node), &["ins"]) == Some(Fate::Goes) {
            return String::new();
        }
        let mut out = String::new();
        match old {
            Some(change) => {
                let previous = change.elements().next();
                let stays = |local: &str| match node.local() {
                    "pPr" => matches!(local, "rPr" | "sectPr"),
                    "sectPr" => matches!(local, "headerReference" | "footerReference"),
                    "rPr" | "trPr" => matches!(local, "ins" | "del" | "moveFrom" | "moveTo"),
                    "tcPr" => matches!(local, "cellIns" | "cellDel" | "cellMerge"),
                    _ => false,
                };
                let kept: String =
                    node.elements().filter(|child| stays(child.local())).map(|child| self.copied(child)).collect();
                let inner: String = previous.map_or_else(String::new, |previous| {
                    let known = previous.elements().filter(|child| !(node.is(Ns::W, "sectPr") && stays(child.local())));
                    known.map(Node::source).collect()
                });
                // Marks come first in a run's properties; in those of rows and cells, and the end of a paragraph, last.
                let first = matches!(node.local(), "sectPr" | "rPr");
                out = if first { format!("{kept}{inner}") } else { format!("{inner}{kept}") };
            }
            None => {
                for child in node.children() {
                    if child.is(Ns::W, "cellMerge") && self.chosen.changes.contains(&child.id()) {
                        continue;
                    }
                    if child.is_element() {
                        out.push_str(&self.copied(child));
                    }
                }
            }
        }
        if node.is(Ns::W, "tcPr")
            && let Some(merge) =
                node.child(Ns::W, "cellMerge").filter(|merge| self.chosen.changes.contains(&merge.id()))
        {
            out = self.merged(node, merge, out);
        }
        let is_required = matches!(node.local(), "tblPr" | "tblGrid" | "sectPr");
        if out.trim().is_empty() && !is_required {
            return String::new();
        }
        format!("{}{out}</{}>", open_tag(node), node.qualified())
    }

    /// Properties of a cell whose vertical merge changes.
    fn merged(&self, node: Node<'_>, merge: Node<'_>, properties: String) -> String {
        let state = word::attr(merge, if self.accept { "vMerge" } else { "vMergeOrig" });
        let value = match state.as_deref() {
            Some("rest" | "restart") => "restart",
            Some("cont" | "continue") => "continue",
            _ => return properties,
        };
        let w = node.prefix();
        let markup = format!("<{w}vMerge {w}val=\"{value}\"/>");
        if properties.contains(&format!("<{w}vMerge")) {
            return properties;
        }
        // After the width and span of the cell, which the schema has before it.
        let at = ["hMerge", "gridSpan", "tcW", "cnfStyle"]
            .iter()
            .filter_map(|name| {
                let start = properties.find(&format!("<{w}{name}"))?;
                Some(start + properties.get(start..)?.find('>')? + 1)
            })
            .max()
            .unwrap_or(0);
        let (before, after) = properties.split_at(at);
        format!("{before}{markup}{after}")
    }

    /// Content whose deletion is rejected.
    fn restored(&mut self, node: Node<'_>) -> String {
        if node.is(Ns::W, "r") {
            return self.restored_run(node);
        }
        let deeper = node.descendants().any(|inner| matches!(inner.local(), "delText" | "delInstrText"));
        if !deeper || self.chosen.changes.contains(&node.id()) || node.is_single_tag() {
            return self.copied(node);
        }
        let inner: String = node.elements().map(|inner| self.restored(inner)).collect();
        format!("{}{inner}</{}>", open_tag(node), node.qualified())
    }

    /// A run whose deletion is rejected: its text elements get their usual names again.
    fn restored_run(&mut self, run: Node<'_>) -> String {
        let mut out = open_tag(run);
        for child in run.children() {
            match (child.ns(), child.local()) {
                (Ns::W, "delText" | "delInstrText") if child.is_element() => {
                    let name = if child.local() == "delText" { "t" } else { "instrText" };
                    let source = child.source();
                    let rest = source.get(1 + child.qualified().len()..).unwrap_or_default();
                    let rest = rest.strip_suffix(&format!("</{}>", child.qualified())).map(str::to_owned);
                    let w = child.prefix();
                    match rest {
                        Some(rest) => out.push_str(&format!("<{w}{name}{rest}</{w}{name}>")),
                        None => out.push_str(&format!("<{w}{name}/>")),
                    }
                }
                _ if child.is_element() => out.push_str(&self.copied(child)),
                _ => out.push_str(child.source()),
            }
        }
        out.push_str(&format!("</{}>", run.qualified()));
        out
    }
}

/// A paragraph without its end, until the next one takes its content.
struct Carried {
    open: String,
    properties: String,
    content: String,
    close: String,
}

impl Carried {
    /// As a paragraph of its own, if it has content or one is needed.
    fn alone(self, needed: bool) -> String {
        if self.content.trim().is_empty() && !needed {
            return String::new();
        }
        format!("{}{}{}</{}>", self.open, self.properties, self.content, self.close)
    }
}

fn put(markup: &str, carried: &mut Option<Carried>, out: &mut String) {
    match carried {
        Some(carried) => carried.content.push_str(markup),
        None => out.push_str(markup),
    }
}

/// The start tag of an element, opened if it is written as one tag.
fn open_tag(node: Node<'_>) -> String {
    let tag = node.tree().source().get(node.open_range()).unwrap_or_default();
    match tag.strip_suffix("/>") {
        Some(tag) => format!("{}>", tag.trim_end()),
        None => tag.to_owned(),
    }
}

/// Whether a mark has the changed content inside it; those in properties are empty.
fn is_container(node: Node<'_>) -> bool {
    let in_properties = node.parent().is_some_and(|parent| matches!(parent.local(), "rPr" | "trPr" | "numPr"));
    matches!(node.local(), "ins" | "del" | "moveFrom" | "moveTo") && !in_properties
}

/// Whether a change stores the previous properties.
fn has_old(node: Node<'_>) -> bool {
    node.local().ends_with("PrChange") || matches!(node.local(), "tblPrExChange" | "tblGridChange")
}

/// Elements between paragraphs that can be inside one: the ends of ranges.
fn is_point(node: Node<'_>) -> bool {
    node.ns() == Ns::W
        && (node.local().ends_with("RangeStart")
            || node.local().ends_with("RangeEnd")
            || matches!(node.local(), "bookmarkStart" | "bookmarkEnd" | "permStart" | "permEnd" | "proofErr"))
}

/// Containers that are invalid without a paragraph.
fn needs_paragraph(node: Node<'_>) -> bool {
    node.ns() == Ns::W
        && matches!(node.local(), "tc" | "txbxContent" | "hdr" | "ftr" | "footnote" | "endnote" | "comment")
}
