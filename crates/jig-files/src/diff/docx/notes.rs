//! Footnotes, endnotes and comments, by their numbers.

use std::collections::HashMap;

use jig_ooxml::docx::blocks::blocks;
use jig_ooxml::xml::{Node, Ns, XmlPart};
use jig_ooxml::{PackageError, Relationships};

use super::super::change::{Change, ChangeKind, Splice, Undo};
use super::super::inside::InsideDiff;
use super::super::markup::{Links, same, spelled};
use super::{Side, block, block_misfit};

/// The three kinds: where they are, their element, and their names.
type Kind = (for<'s> fn(&'s Side<'_>) -> Option<&'s str>, &'static str, &'static str, &'static str);

const KINDS: [Kind; 3] = [
    (|side| side.names.footnotes.as_deref(), "footnote", "footnotes", "footnote"),
    (|side| side.names.endnotes.as_deref(), "endnote", "endnotes", "endnote"),
    (|side| side.names.comments.as_deref(), "comment", "comments", "comment"),
];

pub(super) fn compare(before: &Side<'_>, after: &Side<'_>, diff: &mut InsideDiff) -> Result<(), PackageError> {
    for (part, element, group, noun) in KINDS {
        let read = |side: &Side<'_>| part(side).map(|name| side.package.xml(name)).transpose();
        let empty = || XmlPart::new(part(after).or(part(before)).unwrap_or_default(), "<none/>");
        let (old, new) = (read(before)?.unwrap_or_else(empty), read(after)?.unwrap_or_else(empty));
        if old.text == new.text {
            continue;
        }
        let trees = (old.tree(before.package.limits())?, new.tree(after.package.limits())?);
        let rels = (before.relationships(&old.name), after.relationships(&new.name));
        let links = (Links::resolved(before.package, &rels.0), Links::resolved(after.package, &rels.1));
        let (olds, news) = (list(trees.0.root(), element), list(trees.1.root(), element));
        for (id, node) in &news {
            match olds.iter().find(|(other, _)| other == id) {
                Some((_, was)) if !same((*was, &links.0), (*node, &links.1)) => {
                    let change = changed(&format!("{noun} {id}"), noun, *was, *node);
                    let splice =
                        Splice { part: new.name.clone(), range: node.range(), markup: was.source().to_owned() };
                    let rels: (&Relationships, &Relationships) = (&rels.0, &rels.1);
                    let why = block_misfit((before, after), *was, trees.1.root(), rels);
                    diff.add(
                        group,
                        match why {
                            Some(why) => change.fixed(why),
                            None => change.undone_by(Undo::Splices(vec![splice])),
                        },
                    );
                }
                Some(_) => {}
                None => {
                    let change = Change::new(format!("{noun} {id}"), ChangeKind::Added, noun);
                    let text = text(*node);
                    diff.add(group, change.texts(None, Some(&text)).fixed("its mark stands in the text"));
                }
            }
        }
        for (id, node) in olds.iter().filter(|(id, _)| !news.iter().any(|(other, _)| other == id)) {
            let change = Change::new(format!("{noun} {id} (removed)"), ChangeKind::Removed, noun);
            let text = text(*node);
            diff.add(group, change.texts(Some(&text), None).fixed("its mark stood in the text"));
        }
    }
    Ok(())
}

fn changed(id: &str, noun: &'static str, old: Node<'_>, new: Node<'_>) -> Change {
    let (before, after) = (text(old), text(new));
    if before == after {
        return Change::new(id, ChangeKind::Formatted, noun).texts(None, Some(&after));
    }
    Change::new(id, ChangeKind::Changed, noun).texts(Some(&before), Some(&after)).words(&before, &after)
}

fn text(node: Node<'_>) -> String {
    block::texts(&blocks(node))
}

/// Notes by their numbers; those that only draw lines are left out.
fn list<'t>(root: Node<'t>, element: &str) -> Vec<(String, Node<'t>)> {
    let notes = root.elements().filter(|node| node.is(Ns::W, element));
    let own = notes.filter(|node| node.attr("type").is_none_or(|kind| kind == "normal"));
    own.map(|node| (node.attr("id").map(std::borrow::Cow::into_owned).unwrap_or_default(), node)).collect()
}

/// Whether the note that a mark leads to is the same on both sides.
pub(super) fn has_same(sides: (&Side<'_>, &Side<'_>), mark: Node<'_>) -> bool {
    let wanted = mark.local().trim_end_matches("Reference");
    let Some((_, element, ..)) = KINDS.iter().find(|(_, element, ..)| *element == wanted) else { return false };
    let key = (*element, mark.attr("id").unwrap_or_default().into_owned());
    let before = all(sides.0).get(&key);
    before.is_some() && before == all(sides.1).get(&key)
}

/// All notes of a side in one spelling. Parts that cannot be read have none.
fn all<'s>(side: &'s Side<'_>) -> &'s HashMap<(&'static str, String), String> {
    side.notes.get_or_init(|| {
        let mut found = HashMap::new();
        for (part, element, ..) in KINDS {
            let Some(Ok(content)) = part(side).map(|name| side.package.xml(name)) else { continue };
            let Ok(tree) = content.tree(side.package.limits()) else { continue };
            let links = Links::of(side.package, &content.name);
            let notes = list(tree.root(), element).into_iter();
            found.extend(notes.map(|(id, node)| ((element, id), spelled(node, &links))));
        }
        found
    })
}
