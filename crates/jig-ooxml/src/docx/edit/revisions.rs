//! Tracked changes: author, date and a unique number for each mark, and marking existing content as
//! deleted.

use super::markup::Dialect;
use crate::docx::tables;
use crate::xml::{Node, Ns, Splice, Tree, escape_attribute};

/// Creates the marks of tracked changes, each with a unique number.
#[derive(Debug, Clone)]
pub(super) struct Revisions {
    author: String,
    date: Option<String>,
    next: u32,
}

impl Revisions {
    pub(super) fn new(author: &str, date: Option<&str>) -> Self {
        let author = if author.trim().is_empty() { "Jig" } else { author };
        Self { author: author.to_owned(), date: date.map(str::to_owned), next: 1 }
    }

    /// Skips the numbers that a part uses already.
    pub(super) fn avoid(&mut self, tree: &Tree<'_>) {
        for node in tree.root().descendants().filter(|node| node.is_element() && node.ns() == Ns::W) {
            let used = node.attr("id").and_then(|id| id.parse::<u32>().ok());
            // Word's numbers end at 2^31; a single one near the end must not use them up.
            if let Some(id) = used.filter(|id| *id < 0x7000_0000) {
                self.next = self.next.max(id + 1);
            }
        }
    }

    fn attributes(&mut self, dialect: &Dialect) -> String {
        let w = &dialect.w;
        let id = self.next;
        self.next += 1;
        let date = self.date.as_ref().map(|date| format!(" {w}date=\"{}\"", escape_attribute(date)));
        let author = escape_attribute(&self.author);
        format!(" {w}id=\"{id}\" {w}author=\"{author}\"{}", date.unwrap_or_default())
    }

    /// The start tag of a mark, such as `<w:ins …>`.
    pub(super) fn open(&mut self, name: &str, dialect: &Dialect) -> String {
        format!("<{}{name}{}{}>", dialect.w, dialect.declare, self.attributes(dialect))
    }

    /// A mark without content, such as `<w:del …/>`.
    pub(super) fn element(&mut self, name: &str, dialect: &Dialect) -> String {
        format!("<{}{name}{}{}/>", dialect.w, dialect.declare, self.attributes(dialect))
    }

    /// The start tag of an existing mark, with a new number.
    pub(super) fn again(&mut self, mark: Node<'_>) -> String {
        let tag = mark.tree().source().get(mark.open_range()).unwrap_or_default();
        let Some(value) = mark.attr_value_range("id") else { return tag.to_owned() };
        let start = mark.range().start;
        let (before, after) = (tag.get(..value.start - start), tag.get(value.end - start..));
        let id = self.next;
        self.next += 1;
        format!("{}{id}{}", before.unwrap_or_default(), after.unwrap_or_default())
    }
}

/// The properties of a run for another run: without their tracked changes.
pub(super) fn kept_properties(properties: Node<'_>) -> String {
    let source = properties.tree().source();
    let mut out = source.get(properties.open_range()).unwrap_or_default().to_owned();
    if properties.is_single_tag() {
        return out;
    }
    for child in properties.elements() {
        if !matches!(child.local(), "rPrChange" | "ins" | "del" | "moveFrom" | "moveTo") {
            out.push_str(child.source());
        }
    }
    out.push_str(&format!("</{}>", properties.qualified()));
    out
}

/// Marks content as deleted.
pub(super) struct Striker<'s, 'a, 'd> {
    pub(super) splice: &'s mut Splice<'a>,
    pub(super) dialect: &'d Dialect,
    pub(super) revisions: &'s mut Revisions,
}

impl Striker<'_, '_, '_> {
    /// A block: a paragraph with its end, or a table with its rows.
    pub(super) fn block(&mut self, node: Node<'_>) {
        if node.is(Ns::W, "tbl") { self.table(node) } else { self.paragraph(node, true) }
    }

    /// The content of a paragraph and, with `end`, its end. An end with a section break stays.
    pub(super) fn paragraph(&mut self, node: Node<'_>, end: bool) {
        let properties = node.child(Ns::W, "pPr");
        // The end first, because its mark precedes the content.
        if end && properties.is_none_or(|properties| properties.child(Ns::W, "sectPr").is_none()) {
            self.mark_end(node, "del");
        }
        self.content(node);
    }

    /// All rows of a table.
    pub(super) fn table(&mut self, node: Node<'_>) {
        for row in tables::rows(node) {
            self.row(&row);
        }
    }

    /// A row with its content.
    pub(super) fn row(&mut self, row: &tables::Row<'_>) {
        if row.mark.deleted.is_some() {
            return;
        }
        for cell in &row.cells {
            self.cell(cell.node);
        }
        self.mark_row(row.node, "del");
    }

    /// The content of a cell.
    pub(super) fn cell(&mut self, cell: Node<'_>) {
        let blocks: Vec<Node<'_>> = crate::docx::blocks::blocks(cell).iter().map(|b| b.node()).collect();
        for (at, block) in blocks.iter().enumerate() {
            // The last paragraph of a cell ends it.
            if block.is(Ns::W, "p") {
                self.paragraph(*block, at + 1 < blocks.len());
            } else {
                self.table(*block);
            }
        }
    }

    /// Marks a row as inserted or deleted.
    fn mark_row(&mut self, row: Node<'_>, name: &str) {
        let mark = self.revisions.element(name, self.dialect);
        if let Some(properties) = row.child(Ns::W, "trPr") {
            match properties.child(Ns::W, "trPrChange") {
                Some(history) => self.splice.before(history, mark),
                None => self.splice.append(properties, mark),
            }
            return;
        }
        let w = &self.dialect.w;
        let markup = format!("<{w}trPr{}>{mark}</{w}trPr>", self.dialect.declare);
        match row.child(Ns::W, "tblPrEx") {
            Some(exceptions) => self.splice.after(exceptions, markup),
            None => self.splice.prepend(row, markup),
        }
    }

    /// The runs in an element, whatever wraps them.
    pub(super) fn content(&mut self, node: Node<'_>) {
        let mut open_until: Option<usize> = None;
        for child in node.elements() {
            let is_text = child.is(Ns::W, "r") || matches!((child.ns(), child.local()), (Ns::M, "oMath" | "oMathPara"));
            let joined = open_until.is_some_and(|end| end == child.range().start);
            if let Some(end) = open_until.filter(|_| !is_text || !joined) {
                self.close(end);
                open_until = None;
            }
            if is_text {
                if open_until.is_none() {
                    let open = self.revisions.open("del", self.dialect);
                    self.splice.before(child, open);
                }
                self.rename_texts(child);
                open_until = Some(child.range().end);
                continue;
            }
            match (child.ns(), child.local()) {
                (
                    Ns::W,
                    "hyperlink" | "smartTag" | "sdt" | "sdtContent" | "customXml" | "fldSimple" | "dir" | "bdo" | "ins"
                    | "moveTo",
                )
                | (Ns::Mc, "AlternateContent" | "Choice" | "Fallback") => self.content(child),
                _ => {}
            }
        }
        if let Some(end) = open_until {
            self.close(end);
        }
    }

    fn close(&mut self, at: usize) {
        self.splice.insert(at, format!("</{}del>", self.dialect.w));
    }

    /// In a deleted run, the elements of text and field instructions have other names.
    fn rename_texts(&mut self, run: Node<'_>) {
        for node in run.elements().filter(|node| node.ns() == Ns::W) {
            let new = match node.local() {
                "t" => "delText",
                "instrText" => "delInstrText",
                _ => continue,
            };
            let (start, qualified) = (node.range().start + 1, node.qualified());
            let name = format!("{}{new}", node.prefix());
            self.splice.replace(start..start + qualified.len(), name.clone());
            if !node.is_single_tag() {
                let close = node.inner_range().end + 2;
                self.splice.replace(close..close + qualified.len(), name);
            }
        }
    }

    /// Marks the end of a paragraph as inserted or deleted.
    pub(super) fn mark_end(&mut self, paragraph: Node<'_>, name: &str) {
        let Some(properties) = paragraph.child(Ns::W, "pPr") else {
            let mark = self.revisions.element(name, self.dialect);
            let w = &self.dialect.w;
            let declare = &self.dialect.declare;
            self.splice.prepend(paragraph, format!("<{w}pPr{declare}><{w}rPr>{mark}</{w}rPr></{w}pPr>"));
            return;
        };
        let Some(run) = properties.child(Ns::W, "rPr") else {
            let mark = self.revisions.element(name, self.dialect);
            let markup = format!("<{w}rPr{}>{mark}</{w}rPr>", self.dialect.declare, w = self.dialect.w);
            let behind = properties.elements().find(|node| matches!(node.local(), "sectPr" | "pPrChange"));
            match behind {
                Some(node) => self.splice.before(node, markup),
                None => self.splice.append(properties, markup),
            }
            return;
        };
        if run.child(Ns::W, name).is_some() {
            return;
        }
        let mark = self.revisions.element(name, self.dialect);
        // The schema requires `ins` before `del`, and both before everything else.
        match run.child(Ns::W, "ins").filter(|_| name == "del") {
            Some(inserted) => self.splice.after(inserted, mark),
            None => self.splice.prepend(run, mark),
        }
    }
}

/// The properties of a paragraph in the form in which `w:pPrChange` stores them.
pub(super) fn base_properties(paragraph: Node<'_>) -> String {
    let Some(properties) = paragraph.child(Ns::W, "pPr") else { return String::new() };
    let base = properties.elements().filter(|node| !matches!(node.local(), "rPr" | "sectPr" | "pPrChange"));
    base.map(Node::source).collect()
}

/// A mark with the previous properties of a paragraph.
pub(super) fn history_of(old: &str, dialect: &Dialect, revisions: &mut Revisions) -> String {
    let w = &dialect.w;
    format!("{}<{w}pPr>{old}</{w}pPr></{w}pPrChange>", revisions.open("pPrChange", dialect))
}
