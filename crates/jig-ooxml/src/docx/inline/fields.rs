//! Fields written as a row of runs: begin, instruction, separator, result, end.

use crate::docx::word;
use crate::xml::{Node, Ns};

/// The fields that are open at a place of a paragraph.
///
/// A field may begin in one paragraph and end in a later one. What such a paragraph holds is read as
/// it stands: hiding text for want of a separator would lose it in damaged files.
#[derive(Debug, Default)]
pub(super) struct Fields {
    /// How many pieces there were when the field began; none once its result has begun.
    open: Vec<Option<usize>>,
}

impl Fields {
    /// Takes in a `w:fldChar`. Gives how many pieces to keep where an instruction ends: text inside
    /// one, such as the result of a field within it, is not shown.
    pub(super) fn meet(&mut self, node: Node<'_>, pieces: usize) -> Option<usize> {
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

/// What a check box of an old form shows. It stands at the field's beginning.
pub(super) fn check_box(node: Node<'_>) -> Option<&'static str> {
    let check = node.path(Ns::W, &["ffData", "checkBox"])?;
    let on = word::switch(check, "checked").or_else(|| word::switch(check, "default")).unwrap_or(false);
    Some(if on { "☒" } else { "☐" })
}
