//! Text with its tracked changes written out: `[+inserted+]{author}`, `[-deleted-]{author}`. What one
//! person inserted and another deleted is shown as deleted.

use crate::docx::inline::Mark;
use crate::docx::word;
use crate::xml::Node;

/// Text in the making. Neighbours of the same kind and author read as one change.
#[derive(Default)]
pub(super) struct Marked<'t> {
    out: String,
    open: Mark<'t>,
}

impl<'t> Marked<'t> {
    pub(super) fn push(&mut self, text: &str, mark: Mark<'t>) {
        if text.is_empty() {
            return;
        }
        if !same(mark, self.open) {
            self.close();
            self.open = mark;
            self.out.push_str(match (mark.deleted, mark.inserted) {
                (Some(_), _) => "[-",
                (None, Some(_)) => "[+",
                (None, None) => "",
            });
        }
        self.out.push_str(text);
    }

    pub(super) fn finish(mut self) -> String {
        self.close();
        self.out
    }

    fn close(&mut self) {
        let (sign, node) = match (self.open.deleted, self.open.inserted) {
            (Some(node), _) => ("-]", node),
            (None, Some(node)) => ("+]", node),
            (None, None) => return,
        };
        self.out.push_str(sign);
        self.out.push('{');
        self.out.push_str(&author(node));
        self.out.push('}');
        self.open = Mark::default();
    }
}

fn same(a: Mark<'_>, b: Mark<'_>) -> bool {
    let kind = |mark: Mark<'_>| (mark.deleted.is_some(), mark.inserted.is_some());
    let person = |mark: Mark<'_>| mark.deleted.or(mark.inserted).map(author);
    kind(a) == kind(b) && person(a) == person(b)
}

/// Who made a tracked change.
pub(super) fn author(node: Node<'_>) -> String {
    word::attr(node, "author").map(std::borrow::Cow::into_owned).unwrap_or_default()
}
