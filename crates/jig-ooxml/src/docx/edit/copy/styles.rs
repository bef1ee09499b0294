//! Copying a style with all it stands on.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::docx::edit::session::Session;
use crate::docx::edit::style_use::free_style_id;
use crate::docx::styles::{Style, StyleKind, Styles};
use crate::docx::word;
use crate::edit::EditError;
use crate::error::Error;
use crate::xml::{Node, Ns, Splice};

use super::Source;
use super::fragment::Fragment;
use super::selector::Selector;

/// What earlier selectors of the same call have copied already.
#[derive(Debug, Default)]
pub(super) struct Copied {
    /// Lists, from their number in the source to that in the target.
    pub(super) lists: BTreeMap<String, String>,
}

impl Session<'_> {
    /// Copies one style.
    pub(super) fn copy_style(
        &mut self,
        source: &Source,
        kind: StyleKind,
        name: &str,
        selector: &Selector,
        copied: &mut Copied,
    ) -> Result<(String, Map<String, Value>), Error> {
        let Some(style) = source.styles.find(kind, name) else {
            let why = format!("the source has no {} `{name}`", kind.asset_type().replace('_', " "));
            return Err(EditError::new(&selector.at, why).suggest(source.styles.near(kind, name)).into());
        };
        let Some(part) = &source.styles_part else {
            return Err(EditError::new(&selector.at, "the source has no styles").into());
        };
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let nodes: BTreeMap<String, Node<'_>> = tree
            .root()
            .children_named(Ns::W, "style")
            .filter_map(|node| Some((word::attr(node, "styleId")?.into_owned(), node)))
            .collect();
        let plan = Plan::make(source, &*self.styles()?, style, &nodes);
        for id in &plan.copies {
            let (Some(node), Some(style)) = (nodes.get(id), source.styles.get(id)) else { continue };
            let list = self.copy_list_of(source, *node, &plan.ids, copied)?;
            self.write_style(*node, style, &plan, list.as_deref())?;
        }
        let mut details = selector.details(kind.asset_type());
        details.insert("name".to_owned(), style.name.clone().into());
        details.insert("style_id".to_owned(), plan.ids.get(&style.id).cloned().unwrap_or_default().into());
        let others = plan.copies.iter().filter(|id| **id != style.id).filter_map(|id| source.styles.get(id));
        let others: Vec<Value> = others.map(|style| style.name.clone().into()).collect();
        let summary = match others.len() {
            0 => format!("Copied the style {}.", style.name),
            count => format!("Copied the style {} and {count} that it needs.", style.name),
        };
        details.insert("also_copied".to_owned(), others.into());
        Ok((summary, details))
    }

    /// Puts a style into the target: in the place of one of the same name, or behind all others.
    fn write_style(&mut self, node: Node<'_>, style: &Style, plan: &Plan, list: Option<&str>) -> Result<(), Error> {
        let Some(id) = plan.ids.get(&style.id) else { return Ok(()) };
        let part = self.styles_part()?;
        let limits = self.limits();
        let tree = part.tree(&limits)?;
        let old =
            tree.root().children_named(Ns::W, "style").find(|old| word::attr(*old, "styleId").as_deref() == Some(id));
        let mut fragment = Fragment::new(node);
        fragment.set(node, "styleId", id);
        fragment.remove_attr(node, "default");
        if old.is_some_and(|old| matches!(word::attr(old, "default").as_deref(), Some("1" | "true" | "on"))) {
            fragment.add_attr(&format!("{}default=\"1\"", node.attr_prefix_for(Ns::W).unwrap_or_default()));
        }
        for reference in ["basedOn", "next", "link"] {
            let Some(child) = node.child(Ns::W, reference) else { continue };
            match word::val(child).and_then(|id| plan.ids.get(id.as_ref())) {
                Some(id) => fragment.set(child, "val", id),
                None => fragment.remove(child),
            }
        }
        if let Some(numbering) = node.path(Ns::W, &["pPr", "numPr"]) {
            match (list, numbering.child(Ns::W, "numId")) {
                (Some(list), Some(child)) => fragment.set(child, "val", list),
                (None, Some(_)) => fragment.remove(numbering),
                // Only a level: it belongs to the list of the style this one is based on.
                (_, None) => {}
            }
        }
        let (markup, dropped) = fragment.for_part(tree.root());
        if dropped > 0 {
            self.warn(format!(
                "the style {}: {dropped} setting(s) of newer versions of Word were left out, the target does not know them",
                style.name
            ));
        }
        let mut splice = Splice::new(&part.text);
        match old {
            Some(old) => splice.replace(old.range(), markup),
            None => splice.append(tree.root(), markup),
        }
        self.set_part(&part, splice)?;
        self.forget_styles();
        Ok(())
    }
}

/// Which styles are copied, and what each is called in the target.
struct Plan {
    /// Ids in the source, what others stand on first.
    copies: Vec<String>,
    /// From ids in the source to ids in the target.
    ids: BTreeMap<String, String>,
}

impl Plan {
    fn make(source: &Source, target: &Styles, wanted: &Style, nodes: &BTreeMap<String, Node<'_>>) -> Self {
        let mut plan = Self { copies: Vec::new(), ids: BTreeMap::new() };
        let mut open = vec![wanted.id.clone()];
        let mut taken: Vec<String> = Vec::new();
        while let Some(id) = open.pop() {
            let Some(style) = source.styles.get(&id).filter(|_| !plan.ids.contains_key(&id)) else { continue };
            let there = same(target, style);
            let new_id = match &there {
                Some(there) => there.id.clone(),
                None => free_id(target, &mut taken, &style.id),
            };
            plan.ids.insert(id.clone(), new_id);
            if there.is_some() && id != wanted.id {
                continue;
            }
            let node = nodes.get(&id);
            for reference in ["link", "basedOn"] {
                open.extend(node.and_then(|node| word::child_val(*node, reference)).map(std::borrow::Cow::into_owned));
            }
            plan.copies.insert(0, id);
        }
        // What follows a paragraph is only a convenience: it is named when the target has it.
        for node in plan.copies.iter().filter_map(|id| nodes.get(id)) {
            let next = word::child_val(*node, "next").and_then(|id| source.styles.get(&id));
            if let Some((next, there)) = next.and_then(|next| Some((next, same(target, next)?))) {
                plan.ids.entry(next.id.clone()).or_insert_with(|| there.id.clone());
            }
        }
        plan
    }
}

/// The style of the target that has the same name and kind.
fn same<'s>(target: &'s Styles, style: &Style) -> Option<&'s Style> {
    target.iter().find(|there| there.kind == style.kind && there.name.to_lowercase() == style.name.to_lowercase())
}

fn free_id(target: &Styles, taken: &mut Vec<String>, wanted: &str) -> String {
    let mut id = free_style_id(target, wanted);
    while taken.contains(&id) {
        id.push('x');
    }
    taken.push(id.clone());
    id
}
