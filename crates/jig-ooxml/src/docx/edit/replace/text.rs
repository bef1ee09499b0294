//! The text of a part as rows of elements in which a match may lie.

use crate::docx::inline::{self, Piece, PieceKind};
use crate::docx::word;
use crate::xml::{Node, Ns, Tree};

/// Text that a person reads as one, and the elements that hold it.
#[derive(Debug)]
pub(super) struct Sequence<'t> {
    /// The paragraph, or the branch of alternative content.
    pub(super) node: Node<'t>,
    pub(super) text: String,
    pub(super) atoms: Vec<Atom<'t>>,
    /// Whether it counts: the second form of alternative content does not.
    pub(super) counted: bool,
}

/// An element that holds a piece of the text: `w:t`, or a tab or line break.
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
        if node.is(Ns::W, "p") {
            split(node, is_counted(node), whole_runs, &mut all);
        } else if node.is(Ns::Mc, "AlternateContent") {
            // The branch that is read belongs to its paragraph; the others follow it.
            let read = word::branch(node);
            for branch in node.elements().filter(|branch| Some(*branch) != read) {
                split(branch, false, whole_runs, &mut all);
            }
        }
    }
    all
}

/// Whether no branch around it is one that readers pass over.
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

fn split<'t>(node: Node<'t>, counted: bool, whole_runs: bool, all: &mut Vec<Sequence<'t>>) {
    let fresh = || Sequence { node, text: String::new(), atoms: Vec::new(), counted };
    let mut current = fresh();
    for piece in inline::pieces(node) {
        if piece.mark.deleted.is_some() {
            continue;
        }
        match reach(&piece, whole_runs) {
            Reach::In(text) => {
                let start = current.text.len();
                current.text.push_str(text);
                if !text.is_empty() {
                    current.atoms.push(Atom { node: piece.node, start, end: current.text.len() });
                }
            }
            Reach::Through => {}
            Reach::Stop => keep(std::mem::replace(&mut current, fresh()), all),
        }
    }
    keep(current, all);
}

fn keep<'t>(sequence: Sequence<'t>, all: &mut Vec<Sequence<'t>>) {
    if !sequence.atoms.is_empty() {
        all.push(sequence);
    }
}

enum Reach<'p> {
    /// The text can be found and changed.
    In(&'p str),
    /// A match may lie around it; it stays.
    Through,
    /// No match goes over it.
    Stop,
}

fn reach<'p>(piece: &'p Piece<'_>, whole_runs: bool) -> Reach<'p> {
    if !matches!(piece.kind, PieceKind::Text(_)) {
        return Reach::Through;
    }
    let text = piece.text();
    let changeable = piece.node.ns() == Ns::W
        && match piece.node.local() {
            "t" | "tab" | "ptab" | "cr" => true,
            "br" => word::attr(piece.node, "type").is_none_or(|kind| kind == "textWrapping"),
            _ => false,
        };
    let in_place = piece.run.is_some() && (!whole_runs || piece.node.parent() == piece.run);
    if changeable && in_place { Reach::In(text) } else { Reach::Stop }
}
