//! Copying a video or sound with its still image from one deck to a slide of another.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::super::images::{append_shape, free_shape_id, store};
use super::super::slides::used_relationships;
use super::super::{DeckEdit, place};
use super::{ShapeAsset, Source, fitted, slide_part, with_shape};
use crate::content_types::ContentTypes;
use crate::edit::{EditError, OpReport};
use crate::error::{DeckIssue, Error};
use crate::pptx::shape::{Frame, ShapeKind, identity, transform};
use crate::relationships::{Mode, Relationships, relative};
use crate::xml::Node;

/// A file that the shape shows or plays.
struct MediaFile {
    type_uri: String,
    part: String,
}

/// The shape as it is in the source.
struct SourceMedia {
    markup: String,
    /// The places of ids of relationships in the markup.
    ids: Vec<(Range<usize>, String)>,
    /// The place of the shape's own id.
    own_id: Option<Range<usize>>,
    /// The place of the content of its transform.
    transform: Option<Range<usize>>,
    files: BTreeMap<String, MediaFile>,
    frame: Option<Frame>,
    name: String,
}

pub(super) fn copy_media(from: &Source, edit: &mut DeckEdit<'_>, asset: &ShapeAsset) -> Result<OpReport, Error> {
    if from.presentation.strict != edit.presentation.strict {
        return Err(EditError::new(asset.at(), DeckIssue::StrictAndTransitional).into());
    }
    let taken = take(from, asset)?;
    let part = slide_part(&edit.presentation, ("target", asset), &asset.to)?;
    let folder = edit.presentation.folder().to_owned();
    let types = ContentTypes::read(&from.package)?;
    let (mut new_ids, mut parts) = (BTreeMap::new(), BTreeSet::new());
    for (id, file) in &taken.files {
        let bytes = from.package.read(&file.part)?;
        let extension = file.part.rsplit_once('.').map_or("bin", |(_, extension)| extension).to_ascii_lowercase();
        let kind = types.of(&file.part).unwrap_or("application/octet-stream");
        let copy = store(&mut edit.package, &folder, &bytes, &extension, kind)?;
        let target = relative(&part, &copy);
        let new = Relationships::add_raw(&mut edit.package, &part, &file.type_uri, &target, Mode::Internal)?;
        new_ids.insert(id.clone(), new);
        parts.insert(copy);
    }
    let frame = fitted(taken.frame, from.presentation.size, edit.presentation.size);
    edit.edit_part(&part, |root, splice| {
        let id = free_shape_id(root).to_string();
        let mut changes: Vec<(Range<usize>, String)> = Vec::new();
        for (range, old) in &taken.ids {
            changes.extend(new_ids.get(old).map(|new| (range.clone(), new.clone())));
        }
        changes.extend(taken.own_id.clone().map(|range| (range, id)));
        changes.extend(taken.transform.clone().map(|range| (range, place::off_ext("a:", frame))));
        append_shape(root, splice, &replaced(&taken.markup, changes));
        Ok(())
    })?;
    edit.warn(&asset.at(), "the animations that play the media were not copied; a click plays it");
    let summary = format!("Copied the media {} to slide {}.", taken.name, asset.to.slide + 1);
    Ok(asset.change(summary).with("name", taken.name).with("parts", parts.into_iter().collect::<Vec<_>>()))
}

fn take(from: &Source, asset: &ShapeAsset) -> Result<SourceMedia, Error> {
    let without = |lacks: &'static str| EditError::new(asset.at(), DeckIssue::SourceShape { lacks });
    with_shape(&from.package, &from.presentation, ("source", asset), &asset.from, |page, shape| {
        if shape.kind != ShapeKind::Media || shape.node.prefix() != "p:" {
            return Err(without("no media").into());
        }
        let nodes = || std::iter::once(shape.node).chain(shape.node.descendants()).filter(|node| node.is_element());
        let mut files = BTreeMap::new();
        for id in nodes().flat_map(used_relationships).filter(|id| !id.is_empty()) {
            let found = page.relationships.by_id(id).ok_or_else(|| without("no media"))?;
            let part = found.part.as_deref().and_then(|part| from.package.spelled(part));
            let part = part.ok_or_else(|| without("linked media"))?.to_owned();
            files.insert(id.to_owned(), MediaFile { type_uri: found.type_uri.clone(), part });
        }
        let (start, declared) = (shape.node.range().start, declarations(shape.node));
        // The declarations go behind the name of the outermost element.
        let name = 1 + shape.node.qualified().len();
        let at = |range: Range<usize>| range.start - start + declared.len()..range.end - start + declared.len();
        let source = shape.node.source();
        let markup =
            format!("{}{declared}{}", source.get(..name).unwrap_or_default(), source.get(name..).unwrap_or_default());
        let mut ids = Vec::new();
        for node in nodes() {
            let own: Vec<&str> = used_relationships(node).collect();
            for attribute in node.attributes().filter(|attribute| own.contains(&attribute.raw)) {
                let from = node.range().start + attribute.value_start;
                ids.push((at(from..from + attribute.raw.len()), attribute.raw.to_owned()));
            }
        }
        let own_id = identity(shape.node).and_then(|node| node.attr_value_range("id")).map(at);
        let transform = transform(shape.node).filter(|node| !node.is_single_tag());
        let transform = transform.filter(|node| node.prefix() == "a:").map(|node| at(node.inner_range()));
        Ok(SourceMedia { markup, ids, own_id, transform, files, frame: shape.frame, name: shape.name() })
    })
}

/// The declarations of the prefixes in a shape that are declared around it.
fn declarations(shape: Node<'_>) -> String {
    let mut prefixes = BTreeSet::new();
    for node in std::iter::once(shape).chain(shape.descendants()).filter(|node| node.is_element()) {
        prefixes.insert(node.prefix().trim_end_matches(':').to_owned());
        let names = node.attributes().filter_map(|attribute| attribute.name.split_once(':'));
        prefixes.extend(names.map(|(prefix, _)| prefix.to_owned()));
    }
    let mut markup = String::new();
    for prefix in prefixes.iter().filter(|prefix| !matches!(prefix.as_str(), "" | "xml" | "xmlns")) {
        let name = format!("xmlns:{prefix}");
        if shape.attributes().any(|attribute| attribute.name == name) {
            continue;
        }
        let declared = shape.ancestors().find_map(|node| node.attributes().find(|attribute| attribute.name == name));
        if let Some(declared) = declared {
            markup.push_str(&format!(" {name}=\"{}\"", declared.raw.replace('"', "&quot;")));
        }
    }
    markup
}

/// A text with ranges replaced.
fn replaced(text: &str, mut changes: Vec<(Range<usize>, String)>) -> String {
    changes.sort_by_key(|(range, _)| range.start);
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    for (range, new) in changes.into_iter().filter(|(range, _)| range.start <= range.end) {
        if range.start < at {
            continue;
        }
        out.push_str(text.get(at..range.start).unwrap_or_default());
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..).unwrap_or_default());
    out
}
