//! The content of a paragraph, piece by piece in reading order.

mod math;
mod symbol;

use std::borrow::Cow;

use super::word;
use crate::xml::{Node, Ns};

pub use jig_file_api::read::docx::View;

/// The tracked changes around a piece or block. It can have both: inserted by one author, deleted by another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mark<'t> {
    /// The element that marks it as inserted.
    pub inserted: Option<Node<'t>>,
    /// The element that marks it as deleted.
    pub deleted: Option<Node<'t>>,
}

impl<'t> Mark<'t> {
    /// Also inserted by an element.
    #[must_use]
    pub fn inserted_by(self, node: Node<'t>) -> Self {
        Self { inserted: Some(node), ..self }
    }

    /// Also deleted by an element.
    #[must_use]
    pub fn deleted_by(self, node: Node<'t>) -> Self {
        Self { deleted: Some(node), ..self }
    }

    /// Whether a view shows content with these marks.
    pub fn is_in(self, view: View) -> bool {
        match view {
            View::Final => self.deleted.is_none(),
            View::Original => self.inserted.is_none(),
            View::Markup => true,
        }
    }
}

/// An image in the text.
#[derive(Debug, Clone, PartialEq)]
pub struct Picture<'t> {
    /// The element that refers to the image: `a:blip` or `v:imagedata`.
    pub node: Node<'t>,
    /// The id of the relationship to the image.
    pub rel_id: String,
    /// The alternative text of the author.
    pub alt_text: Option<String>,
}

/// A piece of a paragraph.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece<'t> {
    /// The element it is read from: `w:t`, `w:tab`, `w:drawing`, …
    pub node: Node<'t>,
    /// The run it is in; none for mathematics outside of runs.
    pub run: Option<Node<'t>>,
    /// Tracked changes around it.
    pub mark: Mark<'t>,
    /// Its kind.
    pub kind: PieceKind<'t>,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq)]
pub enum PieceKind<'t> {
    /// Text. Only that of `w:t` and `w:delText` is in this form in the file.
    Text(Cow<'t, str>),
    /// A reference to the footnote with this id.
    Footnote(String),
    /// A reference to the endnote with this id.
    Endnote(String),
    /// The anchor of the comment with this id.
    Comment(String),
    /// A text box: its `w:txbxContent`.
    TextBox(Node<'t>),
    /// An image.
    Picture(Picture<'t>),
    /// A chart, by the id of its relationship.
    Chart(String),
    /// SmartArt, by the id of the relationship to its data.
    Diagram(String),
}

impl<'t> Piece<'t> {
    /// Its text; empty for all but text.
    pub fn text(&self) -> &str {
        match &self.kind {
            PieceKind::Text(text) => text,
            _ => "",
        }
    }

    /// Whether the file contains its text as it is, so that an edit can change single characters.
    pub fn is_plain(&self) -> bool {
        matches!(self.kind, PieceKind::Text(_))
            && self.node.ns() == Ns::W
            && matches!(self.node.local(), "t" | "delText")
    }
}

/// The pieces of a `w:p`: of alternatives the first choice, of fields the result.
pub fn pieces(paragraph: Node<'_>) -> Vec<Piece<'_>> {
    let mut walker = Walker { pieces: Vec::new(), fields: Fields::default() };
    walker.walk(paragraph, None, Mark::default());
    walker.pieces
}

/// The text of pieces as a view shows it, without marks, notes and boxes.
pub fn text(pieces: &[Piece<'_>], view: View) -> String {
    pieces.iter().filter(|piece| piece.mark.is_in(view)).map(Piece::text).collect()
}

/// The text of a `w:p` with all tracked changes accepted.
pub fn paragraph_text(paragraph: Node<'_>) -> String {
    text(&pieces(paragraph), View::Final)
}

struct Walker<'t> {
    pieces: Vec<Piece<'t>>,
    fields: Fields,
}

impl<'t> Walker<'t> {
    fn walk(&mut self, parent: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        for node in parent.elements() {
            match node.ns() {
                Ns::W => self.word_element(node, run, mark),
                Ns::M if matches!(node.local(), "oMath" | "oMathPara") => {
                    self.push(node, run, mark, PieceKind::Text(math::linear(node).into()));
                }
                Ns::Mc if node.local() == "AlternateContent" => {
                    if let Some(branch) = word::branch(node) {
                        self.walk(branch, run, mark);
                    }
                }
                _ => {}
            }
        }
    }

    fn word_element(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        let mut text = |text: &'static str| self.push(node, run, mark, PieceKind::Text(text.into()));
        match node.local() {
            "r" => self.walk(node, Some(node), mark),
            "t" => self.push(node, run, mark, PieceKind::Text(node.text())),
            "delText" => {
                let mark = if mark.deleted.is_none() { mark.deleted_by(node) } else { mark };
                self.push(node, run, mark, PieceKind::Text(node.text()));
            }
            "tab" | "ptab" => text("\t"),
            "br" | "cr" => text("\n"),
            "noBreakHyphen" => text("-"),
            "sym" => self.push(node, run, mark, PieceKind::Text(symbol::read(node).into())),
            "ins" | "moveTo" => self.walk(node, run, mark.inserted_by(node)),
            "del" | "moveFrom" => self.walk(node, run, mark.deleted_by(node)),
            "hyperlink" | "smartTag" | "sdt" | "sdtContent" | "customXml" | "fldSimple" | "dir" | "bdo"
            | "rubyBase" => self.walk(node, run, mark),
            "ruby" => self.ruby(node, run, mark),
            "fldChar" => self.field(node, run, mark),
            "footnoteReference" => self.note(node, run, mark, PieceKind::Footnote),
            "endnoteReference" => self.note(node, run, mark, PieceKind::Endnote),
            "commentReference" => self.note(node, run, mark, PieceKind::Comment),
            "drawing" | "pict" | "object" => {
                read_drawing(node, None, &mut |kind| self.push(node, run, mark, kind));
            }
            // Soft hyphens are visible only at the end of a line; the rest has no text.
            _ => {}
        }
    }

    fn push(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>, kind: PieceKind<'t>) {
        self.pieces.push(Piece { node, run, mark, kind });
    }

    fn note(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>, kind: fn(String) -> PieceKind<'t>) {
        if let Some(id) = word::attr(node, "id") {
            self.push(node, run, mark, kind(id.into_owned()));
        }
    }

    /// Text with its reading above it: the reading follows in brackets.
    fn ruby(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        if let Some(base) = node.child(Ns::W, "rubyBase") {
            self.walk(base, run, mark);
        }
        if let Some(reading) = node.child(Ns::W, "rt") {
            self.push(node, run, mark, PieceKind::Text("(".into()));
            self.walk(reading, run, mark);
            self.push(node, run, mark, PieceKind::Text(")".into()));
        }
    }

    fn field(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        if let Some(keep) = self.fields.pieces_to_keep(node, self.pieces.len()) {
            self.pieces.truncate(keep);
        }
        if let Some(shown) = check_box(node) {
            self.push(node, run, mark, PieceKind::Text(shown.into()));
        }
    }
}

/// The open fields at a position of a paragraph. A field is a sequence of runs: begin, instruction, separator, result,
/// end.
///
/// A field may begin in one paragraph and end in a later one. All text of such paragraphs is read: hiding it because
/// the separator is missing would lose it in damaged files.
#[derive(Debug, Default)]
struct Fields {
    /// How many pieces there were when the field began; none after its separator.
    open: Vec<Option<usize>>,
}

impl Fields {
    /// How many pieces to keep at a `w:fldChar` that ends an instruction: the text inside one, such as the result of a
    /// field within it, is not shown. `pieces` is how many there are.
    fn pieces_to_keep(&mut self, node: Node<'_>, pieces: usize) -> Option<usize> {
        match word::attr(node, "fldCharType").as_deref() {
            Some("begin") => {
                self.open.push(Some(pieces));
                None
            }
            Some("separate") => self.open.last_mut().and_then(Option::take),
            Some("end") => self.open.pop().flatten(),
            _ => None,
        }
    }
}

/// The check box of a legacy form. Its state is part of the begin mark.
fn check_box(node: Node<'_>) -> Option<&'static str> {
    let check = node.path(Ns::W, &["ffData", "checkBox"])?;
    let on = word::switch(check, "checked").or_else(|| word::switch(check, "default")).unwrap_or(false);
    Some(if on { "☒" } else { "☐" })
}

/// Visits everything in a `w:drawing`, `w:pict` or `w:object` except the content of text boxes. `alt_text` is that of the
/// elements around it.
fn read_drawing<'t>(parent: Node<'t>, alt_text: Option<&str>, visit: &mut impl FnMut(PieceKind<'t>)) {
    let own = description(parent);
    let alt_text = own.as_deref().or(alt_text);
    for node in parent.elements() {
        match (node.ns(), node.local()) {
            (Ns::W, "txbxContent") => visit(PieceKind::TextBox(node)),
            (Ns::A, "blip") | (Ns::V, "imagedata") => visit_picture(node, alt_text, visit),
            (Ns::C | Ns::Cx, "chart") => visit_related(node, "id", PieceKind::Chart, visit),
            (Ns::Dgm, "relIds") => visit_related(node, "dm", PieceKind::Diagram, visit),
            (Ns::Mc, "AlternateContent") => {
                if let Some(branch) = word::branch(node) {
                    read_drawing(branch, alt_text, visit);
                }
            }
            _ => read_drawing(node, alt_text, visit),
        }
    }
}

fn visit_picture<'t>(node: Node<'t>, alt_text: Option<&str>, visit: &mut impl FnMut(PieceKind<'t>)) {
    let names = ["embed", "link", "id", "href"];
    if let Some(rel_id) = names.iter().find_map(|name| node.attr_ns(Ns::R, name)).filter(|id| !id.is_empty()) {
        let alt_text = alt_text.map(str::to_owned);
        visit(PieceKind::Picture(Picture { node, rel_id: rel_id.into_owned(), alt_text }));
    }
}

fn visit_related<'t>(
    node: Node<'t>,
    name: &str,
    kind: fn(String) -> PieceKind<'t>,
    visit: &mut impl FnMut(PieceKind<'t>),
) {
    if let Some(id) = node.attr_ns(Ns::R, name) {
        visit(kind(id.into_owned()));
    }
}

/// The alternative text of an element for its content.
fn description(node: Node<'_>) -> Option<String> {
    let properties = match (node.ns(), node.local()) {
        (Ns::Wp, "inline" | "anchor") => node.child(Ns::Wp, "docPr"),
        (Ns::Pic, "pic") => node.child(Ns::Pic, "nvPicPr").and_then(|inner| inner.child(Ns::Pic, "cNvPr")),
        (Ns::V, _) => return node.attr("alt").filter(|text| !text.is_empty()).map(std::borrow::Cow::into_owned),
        _ => None,
    }?;
    let text = |name| properties.attr(name).filter(|text| !text.trim().is_empty());
    text("descr").or_else(|| text("title")).map(std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests;
