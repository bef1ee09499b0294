//! The comments of a sheet: old ones (notes) and threads.

use std::collections::HashSet;

use crate::error::PackageError;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::CellRef;
use crate::xlsx::book::Sheet;
use crate::xml::{Node, Ns};

/// A comment at a cell; each answer in a thread is one of its own.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Comment {
    pub(super) at: CellRef,
    pub(super) text: String,
}

/// The comments of a sheet by row and column. Where there is a thread, the note that stands in for it in older
/// programs is left out: it repeats the thread.
pub(super) fn of_sheet(package: &Package, sheet: &Sheet) -> Result<Vec<Comment>, PackageError> {
    let Some(part) = &sheet.part else { return Ok(Vec::new()) };
    let (mut notes, mut threads) = (Vec::new(), Vec::new());
    for relationship in Relationships::read(package, part)?.list {
        let part = relationship.part.as_ref().filter(|part| package.has(part));
        match (relationship.kind.as_str(), part) {
            ("comments", Some(part)) => notes.append(&mut read(package, part, "comment")?),
            ("threadedComment", Some(part)) => threads.append(&mut read(package, part, "threadedComment")?),
            _ => {}
        }
    }
    let threaded: HashSet<CellRef> = threads.iter().map(|comment: &Comment| comment.at).collect();
    notes.retain(|note: &Comment| !threaded.contains(&note.at));
    notes.append(&mut threads);
    // The sort keeps the answers of a thread in their order.
    notes.sort_by_key(|comment| (comment.at.row(), comment.at.col()));
    Ok(notes)
}

fn read(package: &Package, part: &str, element: &str) -> Result<Vec<Comment>, PackageError> {
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let nodes = tree.root().descendants().filter(|node| node.local() == element);
    Ok(nodes.filter_map(|node| Some(Comment { at: node.attr("ref")?.parse().ok()?, text: text_of(node) })).collect())
}

/// A note holds runs of rich text (with phonetic hints, which are no text), a thread's comment plain text.
fn text_of(comment: Node<'_>) -> String {
    let Some(text) = comment.elements().find(|node| node.local() == "text") else { return String::new() };
    if text.ns() != Ns::S {
        return text.text().to_string();
    }
    let mut out = String::new();
    for piece in text.elements() {
        match piece.local() {
            "t" => out.push_str(&piece.text()),
            "r" => piece.children_named(Ns::S, "t").for_each(|run| out.push_str(&run.text())),
            _ => {}
        }
    }
    out
}
