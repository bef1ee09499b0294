//! What is in a paragraph, piece by piece in reading order.

mod drawing;
mod fields;
mod math;
mod symbol;

use std::borrow::Cow;

use self::fields::Fields;
use super::word;
use crate::xml::{Node, Ns};

pub use drawing::Picture;

/// The tracked changes around something. Both at once: inserted by one person, deleted by another.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mark<'t> {
    /// The element that says it is inserted.
    pub inserted: Option<Node<'t>>,
    /// The element that says it is deleted.
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

    /// Whether a view shows what is so marked.
    pub fn is_in(self, view: View) -> bool {
        match view {
            View::Final => self.deleted.is_none(),
            View::Original => self.inserted.is_none(),
            View::Markup => true,
        }
    }
}

/// How tracked changes are read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum View {
    /// As if all were accepted.
    #[default]
    Final,
    /// As if all were rejected.
    Original,
    /// Everything, with marks.
    Markup,
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
    /// What it is.
    pub what: What<'t>,
}

/// What a piece is.
#[derive(Debug, Clone, PartialEq)]
pub enum What<'t> {
    /// Text. Only that of `w:t` and `w:delText` is written so in the file.
    Text(Cow<'t, str>),
    /// A reference to the footnote with this id.
    Footnote(String),
    /// A reference to the endnote with this id.
    Endnote(String),
    /// The place where the comment with this id hangs.
    Comment(String),
    /// A text box: its `w:txbxContent`.
    TextBox(Node<'t>),
    /// A picture.
    Picture(Picture<'t>),
    /// A chart, by the id of its relationship.
    Chart(String),
    /// SmartArt, by the id of the relationship to its data.
    Diagram(String),
}

impl<'t> Piece<'t> {
    /// Its text; empty for all but text.
    pub fn text(&self) -> &str {
        match &self.what {
            What::Text(text) => text,
            _ => "",
        }
    }

    /// Whether its text stands in the file as it is, so that an edit can change it by characters.
    pub fn is_plain(&self) -> bool {
        matches!(self.what, What::Text(_)) && self.node.ns() == Ns::W && matches!(self.node.local(), "t" | "delText")
    }
}

/// The pieces of a `w:p`. Of alternatives the one that is read; of fields the result.
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
                Ns::W => self.word(node, run, mark),
                Ns::M if matches!(node.local(), "oMath" | "oMathPara") => {
                    self.push(node, run, mark, What::Text(math::linear(node).into()));
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

    fn word(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        let mut text = |text: &'static str| self.push(node, run, mark, What::Text(text.into()));
        match node.local() {
            "r" => self.walk(node, Some(node), mark),
            "t" => self.push(node, run, mark, What::Text(node.text())),
            "delText" => {
                let mark = if mark.deleted.is_none() { mark.deleted_by(node) } else { mark };
                self.push(node, run, mark, What::Text(node.text()));
            }
            "tab" | "ptab" => text("\t"),
            "br" | "cr" => text("\n"),
            "noBreakHyphen" => text("-"),
            "sym" => self.push(node, run, mark, What::Text(symbol::read(node).into())),
            "ins" | "moveTo" => self.walk(node, run, mark.inserted_by(node)),
            "del" | "moveFrom" => self.walk(node, run, mark.deleted_by(node)),
            "hyperlink" | "smartTag" | "sdt" | "sdtContent" | "customXml" | "fldSimple" | "dir" | "bdo"
            | "rubyBase" => self.walk(node, run, mark),
            "ruby" => self.ruby(node, run, mark),
            "fldChar" => self.field(node, run, mark),
            "footnoteReference" => self.note(node, run, mark, What::Footnote),
            "endnoteReference" => self.note(node, run, mark, What::Endnote),
            "commentReference" => self.note(node, run, mark, What::Comment),
            "drawing" | "pict" | "object" => {
                drawing::read(node, &mut |what| self.push(node, run, mark, what));
            }
            // Soft hyphens are seen at the end of a line only; the rest holds no text.
            _ => {}
        }
    }

    fn push(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>, what: What<'t>) {
        self.pieces.push(Piece { node, run, mark, what });
    }

    fn note(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>, what: fn(String) -> What<'t>) {
        if let Some(id) = word::attr(node, "id") {
            self.push(node, run, mark, what(id.into_owned()));
        }
    }

    /// Text with its reading above it: the reading follows in brackets.
    fn ruby(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        if let Some(base) = node.child(Ns::W, "rubyBase") {
            self.walk(base, run, mark);
        }
        if let Some(reading) = node.child(Ns::W, "rt") {
            self.push(node, run, mark, What::Text("(".into()));
            self.walk(reading, run, mark);
            self.push(node, run, mark, What::Text(")".into()));
        }
    }

    fn field(&mut self, node: Node<'t>, run: Option<Node<'t>>, mark: Mark<'t>) {
        if let Some(keep) = self.fields.meet(node, self.pieces.len()) {
            self.pieces.truncate(keep);
        }
        if let Some(shown) = fields::check_box(node) {
            self.push(node, run, mark, What::Text(shown.into()));
        }
    }
}

#[cfg(test)]
mod tests;
