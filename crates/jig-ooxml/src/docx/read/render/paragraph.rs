//! A paragraph as text: its place in a list, its pieces, then the text boxes that hang in it.

use super::{Lead, PictureRef, Renderer};
use crate::docx::blocks::Paragraph;
use crate::docx::inline::{self, Mark, Piece, View, What};
use crate::docx::numbering::Label;
use crate::docx::read::marked::Marked;
use crate::docx::styles::ListRef;
use crate::xml::Node;

impl Renderer<'_> {
    /// The text of a paragraph; empty when the view shows nothing of it.
    pub(super) fn paragraph(&mut self, paragraph: Paragraph<'_>, lead: Lead) -> String {
        let pieces = inline::pieces(paragraph.node);
        let mut boxes = Vec::new();
        let text = self.pieces(&pieces, paragraph.mark, &mut boxes);
        // A paragraph that only tracked changes hold apart counts in no list of this view.
        let gone = text.is_empty() && !paragraph.end_mark().is_in(self.options.view);
        let label = if gone { None } else { self.label(paragraph) };
        let mut lines = Vec::new();
        if !text.trim().is_empty() {
            lines.push(match lead {
                Lead::Heading(level) => prefixed(&text, label.as_ref(), level),
                Lead::None => text,
            });
        }
        for content in boxes {
            lines.extend(self.inner_blocks(content).into_iter().map(|line| format!("[text box] {line}")));
        }
        lines.join("\n")
    }

    /// The label of a paragraph that is in a list, which counts it.
    pub(in crate::docx::read) fn label(&mut self, paragraph: Paragraph<'_>) -> Option<Label> {
        let style_id = paragraph.style_id();
        let direct = paragraph.properties().map(ListRef::read).unwrap_or_default();
        let style =
            self.source.beside().styles.resolved(style_id.as_deref()).map(|style| style.list).unwrap_or_default();
        let num_id = direct.num_id.or(style.num_id).filter(|id| *id != 0)?;
        let by_style = || self.source.beside().numbering.level_of_style(num_id, style_id.as_deref()?);
        let given = |level: Option<i64>| level.and_then(|level| usize::try_from(level).ok());
        let level = given(direct.level).or_else(by_style).or_else(|| given(style.level)).unwrap_or(0);
        self.counters.next(num_id, level)
    }

    fn pieces<'t>(&mut self, pieces: &[Piece<'t>], outer: Mark<'t>, boxes: &mut Vec<Node<'t>>) -> String {
        let mut out = Marked::default();
        for piece in pieces {
            let mark = Mark {
                inserted: piece.mark.inserted.or(outer.inserted),
                deleted: piece.mark.deleted.or(outer.deleted),
            };
            if !self.options.shows(mark) {
                continue;
            }
            let mark = self.written(mark);
            match &piece.what {
                What::Text(text) => out.push(text, mark),
                What::TextBox(content) => boxes.push(*content),
                other => {
                    let text = self.reference(other);
                    out.push(&text, mark);
                }
            }
        }
        out.finish()
    }

    /// The marks that are written out in this view.
    fn written<'t>(&self, mark: Mark<'t>) -> Mark<'t> {
        match self.options.view {
            View::Markup => mark,
            View::Final if self.options.deleted => Mark { inserted: None, ..mark },
            View::Final | View::Original => Mark::default(),
        }
    }

    /// What stands in the text for something that is no text.
    fn reference(&mut self, what: &What<'_>) -> String {
        match what {
            What::Footnote(id) => self.note(id, false),
            What::Endnote(id) => self.note(id, true),
            What::Comment(id) if self.options.view == View::Markup => self.comments.shown(id),
            What::Picture(picture) => {
                let alt_text = picture.alt_text.clone();
                let shown = bracketed("image", alt_text.as_deref().unwrap_or_default());
                self.current.pictures.push(PictureRef { rel_id: picture.rel_id.clone(), alt_text });
                shown
            }
            What::Chart(id) => bracketed("chart", &self.related.chart_title(self.source, id)),
            What::Diagram(id) => bracketed("diagram", &self.related.diagram_text(self.source, id)),
            What::Text(_) | What::TextBox(_) | What::Comment(_) => String::new(),
        }
    }

    fn note(&mut self, id: &str, end: bool) -> String {
        let (at, label) = self.notes.meet(id, end);
        self.current.notes.push(at);
        format!("[^{label}]")
    }
}

fn bracketed(kind: &str, text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { format!("[{kind}]") } else { format!("[{kind}: {text}]") }
}

/// A paragraph's text behind the signs of its level, and its label.
fn prefixed(text: &str, label: Option<&Label>, heading: u8) -> String {
    let shown = label.map(|label| label.text.as_str()).filter(|label| !label.is_empty());
    if heading > 0 {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let signs = "#".repeat(usize::from(heading.min(6)));
        return match shown.filter(|_| label.is_some_and(|label| !label.bullet)) {
            Some(label) => format!("{signs} {label} {text}"),
            None => format!("{signs} {text}"),
        };
    }
    match (label, shown) {
        (Some(label), Some(shown)) => format!("{}{shown} {text}", "  ".repeat(label.level)),
        _ => text.to_owned(),
    }
}
