//! Changing found text as a tracked change: the run is taken apart into what stays, what is deleted
//! and what is inserted.

use std::collections::BTreeSet;

use crate::docx::edit::markup::{Dialect, Markup};
use crate::docx::edit::track::{Revisions, kept_properties};
use crate::xml::{Node, NodeId, Ns, Splice, Tree, escape_text};

use super::{Edits, PartEdits};

pub(super) fn write(
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
enum Piece {
    Kept(String),
    Deleted(String),
    Inserted(String),
}

fn take_apart(run: Node<'_>, edits: &PartEdits<'_>) -> Vec<Piece> {
    let mut pieces = Pieces::default();
    for child in run.children().filter(|child| !child.is(Ns::W, "rPr")) {
        match edits.get(&child.id()) {
            None => pieces.keep(child.source()),
            Some(edits) if child.local() == "t" => text(child, edits, &mut pieces),
            Some(edits) => {
                pieces.delete(child.source());
                let inserted = edits.list.iter().find_map(|(_, replacement)| *replacement);
                pieces.insert(inserted.unwrap_or_default());
            }
        }
    }
    pieces.0
}

fn text(node: Node<'_>, edits: &Edits<'_>, pieces: &mut Pieces) {
    let (old, w) = (node.text(), node.prefix());
    let element =
        |name: &str, text: &str| format!("<{w}{name} xml:space=\"preserve\">{}</{w}{name}>", escape_text(text));
    let mut at = 0;
    let keep = |range: std::ops::Range<usize>, pieces: &mut Pieces| {
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
struct Pieces(Vec<Piece>);

impl Pieces {
    fn keep(&mut self, markup: &str) {
        match self.0.last_mut() {
            Some(Piece::Kept(kept)) => kept.push_str(markup),
            _ => self.0.push(Piece::Kept(markup.to_owned())),
        }
    }

    fn delete(&mut self, markup: &str) {
        match self.0.last_mut() {
            Some(Piece::Deleted(deleted)) => deleted.push_str(markup),
            _ => self.0.push(Piece::Deleted(markup.to_owned())),
        }
    }

    fn insert(&mut self, text: &str) {
        if !text.is_empty() {
            self.0.push(Piece::Inserted(text.to_owned()));
        }
    }
}

fn put_together(run: Node<'_>, pieces: &[Piece], dialect: &Dialect, revisions: &mut Revisions) -> String {
    let tag = run.tree().source().get(run.open_range()).unwrap_or_default();
    let name = run.qualified();
    let old_properties = run.child(Ns::W, "rPr").map_or("", Node::source);
    let new_properties = run.child(Ns::W, "rPr").map_or_else(String::new, kept_properties);
    let mut out = String::new();
    for piece in pieces {
        match piece {
            Piece::Kept(content) => out.push_str(&format!("{tag}{old_properties}{content}</{name}>")),
            Piece::Deleted(content) => {
                out.push_str(&revisions.open("del", dialect));
                out.push_str(&format!("{tag}{old_properties}{content}</{name}></{}del>", dialect.w));
            }
            Piece::Inserted(text) => {
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

/// What is put into someone's insertion stands beside it, as Word has it: the insertion is closed
/// before and opened again behind.
fn outside_insertion(run: Node<'_>, markup: &str, revisions: &mut Revisions) -> String {
    match run.parent().filter(|parent| parent.is(Ns::W, "ins")) {
        Some(parent) => {
            let again = revisions.again(parent);
            format!("</{}>{markup}{again}", parent.qualified())
        }
        None => markup.to_owned(),
    }
}
