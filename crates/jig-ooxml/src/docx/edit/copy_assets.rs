//! Copying styles and images from one document into another.

mod fragment;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};
use sha1::{Digest, Sha1};

use self::fragment::Fragment;
use super::DocumentEdit;
use super::styles::{free_style_id, insert_list, next_number};
use crate::content_types::ContentTypes;
use crate::docx::parts::PartNames;
use crate::docx::styles::{Style, StyleKind, Styles};
use crate::docx::word;
use crate::edit::{Applied, ApplyOptions, EditError, OpReport, asset_list, nearest};
use crate::error::{DocumentIssue, Error};
use crate::limits::Limits;
use crate::package::Package;
use crate::xml::{Node, Ns, ParsedPart, Splice};

/// The document that assets are copied from.
struct Source {
    package: Package,
    names: PartNames,
    styles: Styles,
    styles_part: Option<ParsedPart>,
    numbering_part: Option<ParsedPart>,
}

impl Source {
    fn open(bytes: Arc<[u8]>, limits: Limits) -> Result<Self, Error> {
        let package = Package::open(bytes, limits)?;
        let names = PartNames::find(&package)?;
        let read =
            |name: &Option<String>| name.as_deref().map(|name| package.xml(name).map(ParsedPart::new)).transpose();
        let (styles_part, numbering_part) = (read(&names.styles)?, read(&names.numbering)?);
        let tree = styles_part.as_ref().map(|part| part.tree(&limits)).transpose()?;
        let styles = Styles::of_trees(tree.as_ref(), None);
        Ok(Self { package, names, styles, styles_part, numbering_part })
    }
}

/// Copies assets from one document into another. A style is copied with the styles it is based on or linked to and the
/// list it needs; one that the target has under the same name is redefined. An image becomes a part of the target,
/// under the id in the result. The list is copied completely or not at all.
///
/// Without a target, into a new document.
pub fn copy_assets(
    source: Arc<[u8]>,
    target: Option<Arc<[u8]>>,
    assets: &Value,
    options: &ApplyOptions<'_>,
) -> Result<Applied, Error> {
    let list = asset_list(assets)?;
    let asked = list.iter().enumerate().map(|(at, asset)| Selector::read(asset, &format!("assets[{at}]")));
    let asked = asked.collect::<Result<Vec<_>, _>>()?;
    let source = Source::open(source, options.limits)?;
    let mut edit = DocumentEdit::open(target, options)?;
    let mut copied = Copied::default();
    for (index, selector) in asked.iter().enumerate() {
        let (summary, details) = match &selector.asset {
            Asset::Style(kind, name) => edit.copy_style(&source, *kind, name, selector, &mut copied)?,
            Asset::Image(rel_id) => edit.copy_image(&source, rel_id, selector)?,
        };
        edit.report(OpReport { index, op: "copy_asset".to_owned(), summary, details });
    }
    edit.finish()
}

impl DocumentEdit<'_> {
    fn copy_image(
        &mut self,
        source: &Source,
        rel_id: &str,
        selector: &Selector,
    ) -> Result<(String, Map<String, Value>), Error> {
        let images: Vec<_> = source.names.relationships.of_kind("image").collect();
        let Some(found) = images.iter().find(|image| image.id == rel_id) else {
            let near = nearest(rel_id, images.iter().map(|image| image.id.as_str()));
            let issue = DocumentIssue::NoSourceImage { rel_id: rel_id.to_owned() };
            return Err(EditError::new(&selector.at, issue).suggest(near).into());
        };
        let part = found
            .part
            .as_deref()
            .filter(|part| source.package.has(part))
            .ok_or_else(|| EditError::new(&selector.at, DocumentIssue::LinkedImage))?;
        let bytes = source.package.read(part)?;
        let extension = part.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
        let types = ContentTypes::read(&source.package)?;
        let content_type = types.of(part).unwrap_or("application/octet-stream").to_owned();
        let new_id = self.add_picture(&bytes, &extension, &content_type)?;
        let digest: String = Sha1::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
        let mut details = selector.details("image");
        details.insert("rel_id".to_owned(), new_id.clone().into());
        details.insert("source_rel_id".to_owned(), rel_id.into());
        details.insert("size_bytes".to_owned(), bytes.len().into());
        details.insert("sha1".to_owned(), digest.into());
        Ok((format!("Copied the image {rel_id} as {new_id}."), details))
    }
}

static TYPES: [&str; 4] = ["paragraph_style", "character_style", "table_style", "image"];

/// A requested asset.
#[derive(Debug, Clone, PartialEq)]
struct Selector {
    asset: Asset,
    /// The selector as it was given.
    given: Value,
    /// Its path, for messages.
    at: String,
}

#[derive(Debug, Clone, PartialEq)]
enum Asset {
    /// A style by name or id.
    Style(StyleKind, String),
    /// An image by the id of its relationship.
    Image(String),
}

impl Selector {
    fn read(given: &Value, at: &str) -> Result<Self, EditError> {
        let (kind, name) = match given {
            Value::String(text) => {
                let parts = text.split_once(':');
                let (kind, name) = parts.ok_or_else(|| {
                    EditError::new(at, DocumentIssue::AssetWithoutType)
                        .suggest(["paragraph_style:Heading 1", "image:rId5"])
                })?;
                (kind.trim().to_owned(), name.trim().to_owned())
            }
            Value::Object(fields) => {
                let text = |name: &str| fields.get(name).and_then(Value::as_str).map(str::to_owned);
                let id = text("asset_id").and_then(|id| id.split_once(':').map(|(k, n)| (k.to_owned(), n.to_owned())));
                let kind = text("type").or_else(|| id.as_ref().map(|(kind, _)| kind.clone()));
                let names = ["name", "id", "rel_id", "style_id"].iter().find_map(|name| text(name));
                let kind = kind
                    .ok_or_else(|| EditError::new(format!("{at}.type"), DocumentIssue::MissingType).suggest(TYPES))?;
                let name = names.or_else(|| id.map(|(_, name)| name));
                let name = name.ok_or_else(|| {
                    EditError::new(format!("{at}.name"), DocumentIssue::Missing { what: "the name or id of the asset" })
                })?;
                (kind, name)
            }
            _ => return Err(EditError::new(at, DocumentIssue::InvalidAsset)),
        };
        let asset = match kind.as_str() {
            "paragraph_style" => Asset::Style(StyleKind::Paragraph, name),
            "character_style" => Asset::Style(StyleKind::Character, name),
            "table_style" => Asset::Style(StyleKind::Table, name),
            "image" => Asset::Image(name),
            other => {
                let issue = DocumentIssue::UnknownAssetType { kind: other.to_owned(), known: &TYPES };
                return Err(EditError::new(at, issue).suggest(nearest(other, TYPES)));
            }
        };
        Ok(Self { asset, given: given.clone(), at: at.to_owned() })
    }

    /// The details of every entry of the result.
    fn details(&self, kind: &str) -> Map<String, Value> {
        let mut details = Map::new();
        details.insert("type".to_owned(), kind.into());
        details.insert("selector".to_owned(), self.given.clone());
        details
    }
}

/// What earlier selectors of the same call have copied.
#[derive(Debug, Default)]
struct Copied {
    /// Lists, from their number in the source to that in the target.
    lists: BTreeMap<String, String>,
}

impl DocumentEdit<'_> {
    /// Copies one style.
    fn copy_style(
        &mut self,
        source: &Source,
        kind: StyleKind,
        name: &str,
        selector: &Selector,
        copied: &mut Copied,
    ) -> Result<(String, Map<String, Value>), Error> {
        let Some(style) = source.styles.find(kind, name) else {
            let issue =
                DocumentIssue::NoSourceStyle { kind: kind.asset_type().replace('_', " "), name: name.to_owned() };
            return Err(EditError::new(&selector.at, issue).suggest(source.styles.near(kind, name)).into());
        };
        let Some(part) = &source.styles_part else {
            return Err(EditError::new(&selector.at, DocumentIssue::NoSourceStyles).into());
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

    /// Adds a style to the target: it replaces one of the same name, or follows all others.
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
        let mut splice = Splice::new(part.text());
        match old {
            Some(old) => splice.replace(old.range(), markup),
            None => splice.append(tree.root(), markup),
        }
        self.splice_part(&part, splice)?;
        self.forget_styles();
        Ok(())
    }
}

/// The styles to copy, with their ids in the target.
struct Plan {
    /// Ids in the source, base styles first.
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
        // The style of the next paragraph is only a convenience: it is named if the target has it.
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

impl DocumentEdit<'_> {
    /// Copies the list that a style names; returns its number in the target. `0`, which means
    /// no list, stays.
    fn copy_list_of(
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
        let Some((list, definition)) = find_list(tree.root(), &number) else { return Ok(None) };
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
        let mut splice = Splice::new(part.text());
        insert_list(&mut splice, root, &definition, &fragment.for_part(root).0);
        self.splice_part(&part, splice)?;
        if dropped > 0 {
            self.warn(format!(
                "a list of a copied style: {dropped} setting(s) of newer versions of Word were left out, the target does not know them"
            ));
        }
        Ok(number)
    }
}

/// A list and its definition, by the number of the list.
fn find_list<'t>(root: Node<'t>, number: &str) -> Option<(Node<'t>, Node<'t>)> {
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

/// Removes references of levels to image bullets and to styles that are not copied.
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
