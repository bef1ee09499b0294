//! Giving a paragraph that stays another text: its properties, and the look of its first run, stay too.

use crate::xml::{Node, Ns, Splice};

use super::exchange::{base_properties, history_of};
use super::markup::{Dialect, Markup};
use super::paragraph::NewParagraph;
use super::remove::{is_marker, kept_markers};
use super::strike::Striker;
use super::track::{Revisions, kept_properties};

/// Gives a paragraph another text. What the new one says of its own properties is put over the old.
pub(super) fn paragraph(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: Option<&mut Revisions>,
) {
    let like = first_run_properties(node);
    match revisions {
        Some(revisions) => {
            merge_properties(splice, node, new, dialect, Some(revisions));
            Striker { splice, dialect, revisions }.paragraph(node, false);
            let mut markup = Markup::new(dialect);
            new.write_runs_like(&mut markup, &like, Some(revisions));
            splice.append(node, markup.finish());
        }
        None => {
            merge_properties(splice, node, new, dialect, None);
            let mut markup = Markup::new(dialect);
            new.write_runs_like(&mut markup, &like, None);
            replace_content(splice, node, &markup.finish());
        }
    }
}

/// Gives a paragraph that keeps its text another format.
pub(super) fn format(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: Option<&mut Revisions>,
) {
    merge_properties(splice, node, new, dialect, revisions);
}

/// Puts the properties that a new paragraph gives over the old ones.
fn merge_properties(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: Option<&mut Revisions>,
) {
    if !new.is_formatted() {
        return;
    }
    let old = node.child(Ns::W, "pPr");
    let child = |name| old.and_then(|old| old.child(Ns::W, name)).map_or("", Node::source);
    let history = match revisions {
        Some(revisions) => history_of(&base_properties(node), dialect, revisions),
        None => child("pPrChange").to_owned(),
    };
    let (w, merged) = (&dialect.w, new.merged_properties(old, dialect));
    let inner = format!("{merged}{}{}{history}", child("rPr"), child("sectPr"));
    match old {
        Some(old) => splice.set_inner(old, inner),
        None => splice.prepend(node, format!("<{w}pPr{}>{inner}</{w}pPr>", dialect.declare)),
    }
}

/// Makes a paragraph another one, tracked: its text struck, its properties remembered.
pub(super) fn paragraph_whole(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    replace_properties(splice, node, new, dialect, revisions);
    Striker { splice, dialect, revisions }.paragraph(node, false);
    let mut markup = Markup::new(dialect);
    new.write_runs(&mut markup, Some(revisions));
    splice.append(node, markup.finish());
}

/// Puts new properties in the place of the old. The format of the paragraph's end and a section break stay.
fn replace_properties(
    splice: &mut Splice<'_>,
    node: Node<'_>,
    new: &NewParagraph,
    dialect: &Dialect,
    revisions: &mut Revisions,
) {
    let old = node.child(Ns::W, "pPr");
    let child = |name| old.and_then(|old| old.child(Ns::W, name)).map_or("", Node::source);
    let history = history_of(&base_properties(node), dialect, revisions);
    let tail = format!("{}{}{history}", child("rPr"), child("sectPr"));
    let mut markup = Markup::new(dialect);
    new.write_properties(&mut markup, None, &tail);
    match old {
        Some(old) => splice.replace(old.range(), markup.finish()),
        None => splice.prepend(node, markup.finish()),
    }
}

/// Takes everything out of a paragraph but its properties and the ends of ranges, and puts runs in.
fn replace_content(splice: &mut Splice<'_>, node: Node<'_>, runs: &str) {
    let content = node.elements().filter(|child| !child.is(Ns::W, "pPr"));
    let (kept, gone): (Vec<Node<'_>>, Vec<Node<'_>>) = content.partition(|child| is_marker(*child));
    // Comments hang on a run; it stays, or the comment would be lost with the text.
    let (hooks, gone): (Vec<Node<'_>>, Vec<Node<'_>>) =
        gone.into_iter().partition(|child| child.descendants().any(|inner| inner.is(Ns::W, "commentReference")));
    let Some(first) = gone.first() else {
        match kept.iter().chain(&hooks).map(|kept| kept.range().start).min() {
            Some(at) => splice.insert(at, runs),
            None => splice.append(node, runs),
        }
        return;
    };
    let markers = kept_markers(&gone);
    splice.replace(first.range(), format!("{runs}{markers}"));
    for other in gone.iter().skip(1) {
        splice.remove(*other);
    }
}

/// The properties of the first run that has text, as another run can take them over.
pub(super) fn first_run_properties(paragraph: Node<'_>) -> String {
    let runs = paragraph.descendants().filter(|node| node.is(Ns::W, "r"));
    // The text of a box that hangs here is not the paragraph's own.
    let own = runs.filter(|run| run.ancestors().find(|around| around.is(Ns::W, "p")) == Some(paragraph));
    let mut with_text = own.filter(|run| run.child(Ns::W, "t").is_some());
    let own = with_text.next().and_then(|run| run.child(Ns::W, "rPr"));
    // An empty paragraph shows its look at its end.
    let end = || paragraph.path(Ns::W, &["pPr", "rPr"]);
    let empty = !paragraph.descendants().any(|node| node.is(Ns::W, "t"));
    own.or_else(|| if empty { end() } else { None }).map(kept_properties).unwrap_or_default()
}
