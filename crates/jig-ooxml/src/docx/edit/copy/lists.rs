//! Copying the list that a style needs.

use std::collections::BTreeMap;

use crate::docx::edit::session::Session;
use crate::docx::edit::style_use::{insert_list, next_number};
use crate::docx::word;
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use super::Source;
use super::fragment::Fragment;
use super::styles::Copied;

impl Session<'_> {
    /// Copies the list that a style names itself, and gives its number in the target. `0`, which means
    /// no list, stays.
    pub(super) fn copy_list_of(
        &mut self,
        source: &Source,
        style: Node<'_>,
        style_ids: &BTreeMap<String, String>,
        copied: &mut Copied,
    ) -> Result<Option<String>, Error> {
        let number = style.path(Ns::W, &["pPr", "numPr"]).and_then(|list| word::child_val(list, "numId"));
        let Some(number) = number else { return Ok(None) };
        if number == "0" {
            return Ok(Some(number.into_owned()));
        }
        if let Some(done) = copied.lists.get(number.as_ref()) {
            return Ok(Some(done.clone()));
        }
        let Some(part) = &source.numbering_part else { return Ok(None) };
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let Some((list, definition)) = find(tree.root(), &number) else { return Ok(None) };
        let new = self.write_list(list, definition, style_ids)?;
        copied.lists.insert(number.into_owned(), new.clone());
        Ok(Some(new))
    }

    fn write_list(
        &mut self,
        list: Node<'_>,
        definition: Node<'_>,
        style_ids: &BTreeMap<String, String>,
    ) -> Result<String, Error> {
        let part = self.numbering_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let root = tree.root();
        let definition_number = next_number(root.children_named(Ns::W, "abstractNum"), "abstractNumId", 0).to_string();
        let number = next_number(root.children_named(Ns::W, "num"), "numId", 1).to_string();
        let (definition, dropped) = definition_markup(definition, &definition_number, style_ids, root);
        let mut fragment = Fragment::new(list);
        fragment.set(list, "numId", &number);
        if let Some(child) = list.child(Ns::W, "abstractNumId") {
            fragment.set(child, "val", &definition_number);
        }
        clean_levels(&mut fragment, list, style_ids);
        let mut splice = Splice::new(&part.text);
        insert_list(&mut splice, root, &definition, &fragment.for_part(root).0);
        self.set_part(&part, splice)?;
        if dropped > 0 {
            self.warn(format!(
                "a list of a copied style: {dropped} setting(s) of newer versions of Word were left out, the target does not know them"
            ));
        }
        Ok(number)
    }
}

/// A list and its definition, by the number of the list.
fn find<'t>(root: Node<'t>, number: &str) -> Option<(Node<'t>, Node<'t>)> {
    let list = root.children_named(Ns::W, "num").find(|node| word::attr(*node, "numId").as_deref() == Some(number))?;
    let definition = word::child_val(list, "abstractNumId")?;
    let mut definitions = root.children_named(Ns::W, "abstractNum");
    let found = definitions.find(|node| word::attr(*node, "abstractNumId") == Some(definition.clone()))?;
    Some((list, found))
}

fn definition_markup(
    node: Node<'_>,
    number: &str,
    style_ids: &BTreeMap<String, String>,
    target: Node<'_>,
) -> (String, usize) {
    let mut fragment = Fragment::new(node);
    fragment.set(node, "abstractNumId", number);
    for child in node.elements().filter(|child| matches!(child.local(), "styleLink" | "numStyleLink")) {
        fragment.remove(child);
    }
    clean_levels(&mut fragment, node, style_ids);
    fragment.for_part(target)
}

/// Levels name styles and picture bullets; those that do not come along are taken out.
fn clean_levels(fragment: &mut Fragment<'_>, node: Node<'_>, style_ids: &BTreeMap<String, String>) {
    for inner in node.descendants().filter(|inner| inner.is_element() && inner.ns() == Ns::W) {
        match inner.local() {
            "lvlPicBulletId" => fragment.remove(inner),
            "pStyle" if inner.parent().is_some_and(|level| level.is(Ns::W, "lvl")) => {
                match word::val(inner).and_then(|id| style_ids.get(id.as_ref())) {
                    Some(id) => fragment.set(inner, "val", id),
                    None => fragment.remove(inner),
                }
            }
            _ => {}
        }
    }
}
