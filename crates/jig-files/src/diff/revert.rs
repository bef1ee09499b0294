//! Reverts single changes: the new file with some of its changes undone, and nothing else.
//!
//! The result is compared with the old file again. When nothing differs any more it is the old file, byte for byte; when
//! a change is still there, that is an error and no file. The parts below: hunks of text, records of delimited text,
//! markup and slides of documents and presentations, cells and rows of workbooks.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use jig_ooxml::xlsx::address::ColumnName;
use jig_ooxml::xlsx::sheet_rows;
use jig_ooxml::xml::{Node, Ns, Splice, Tree, XmlPart};
use jig_ooxml::{ContentTypes, Limits, Package, Relationships, rels_name};
use serde_json::{Value, json};

use super::change::{
    CellRevert, Change, ChangeKind, MarkupSplice, RevertPlan, RowRevert, StructuredDiff, StructuredFormat,
};
use super::text::{Hunk, TextDiff, decode_alike};
use super::view::hunk_id;
use super::xlsx_layout::ORDER;
use super::{Diff, diff, select, view};
use crate::engine::{EditOptions, Engine, FileError, Format, Reason};
use crate::kind::FileKind;

/// A file with some changes reverted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reverted {
    /// The file.
    pub bytes: Vec<u8>,
    /// Whether the result is the old file, byte for byte.
    pub whole: bool,
    /// The ids of the reverted changes.
    pub changes: Vec<String>,
    /// What the user should know about the result.
    pub warnings: Vec<String>,
}

/// Two versions of a file, and how they differ.
pub(crate) struct Versions<'v> {
    pub(crate) kinds: (FileKind, FileKind),
    pub(crate) old: &'v Arc<[u8]>,
    pub(crate) new: &'v Arc<[u8]>,
    pub(crate) diff: &'v Diff,
}

/// Reverts the changes with these ids, or all that an address selects.
pub(crate) fn revert(engine: &Engine, versions: &Versions<'_>, ids: &[String]) -> Result<Reverted, FileError> {
    if ids.is_empty() {
        return Err(FileError::invalid("changes: at least one is needed"));
    }
    let (ids, stay) = selected(versions.diff, ids)?;
    let ids = ids.as_slice();
    let (mut bytes, mut warnings) = match versions.diff {
        Diff::Binary(_) => return Err(alone("this format", "nothing inside it is compared")),
        Diff::Text(found) => {
            let hunks = chosen_hunks(found, ids)?;
            (revert_hunks(versions, found, &hunks)?, Vec::new())
        }
        Diff::Structured(found) => {
            let chosen = chosen(found, ids)?;
            let (bytes, warnings) = match found.format {
                StructuredFormat::Csv => (revert_records(versions, &chosen)?, Vec::new()),
                StructuredFormat::Xlsx => revert_workbook(engine, versions, &chosen)?,
                StructuredFormat::Docx => revert_package(engine, Format::Docx, versions, &chosen)?,
                StructuredFormat::Pptx => revert_package(engine, Format::Pptx, versions, &chosen)?,
                // None of their changes is chosen: each says why it cannot go alone.
                StructuredFormat::Odt | StructuredFormat::Pdf => {
                    return Err(alone("this format", "it is read and not written"));
                }
            };
            (bytes, warnings)
        }
    };
    let compare = |bytes: &[u8]| diff(versions.kinds.0, versions.kinds.1, Some(versions.old), Some(bytes));
    let mut after = compare(&bytes);
    if let Some(better) = frames_too(engine, versions, &bytes, &after)? {
        after = compare(&better);
        bytes = better;
    }
    check(versions.diff, &after, ids)?;
    let whole = is_unchanged(&after);
    warnings.extend(stay);
    let bytes = if whole { versions.old.to_vec() } else { bytes };
    Ok(Reverted { bytes, whole, changes: ids.to_vec(), warnings })
}

/// The changes with these ids; an error if one cannot be reverted by itself.
fn chosen<'d>(diff: &'d StructuredDiff, ids: &[String]) -> Result<Vec<&'d Change>, FileError> {
    let mut chosen = Vec::new();
    let by_id: HashMap<&str, &Change> = diff.changes().map(|change| (change.id.as_str(), change)).collect();
    for id in ids {
        let change = *by_id.get(id.as_str()).ok_or_else(|| stale(id, diff))?;
        match (&change.revert, &change.not_revertible) {
            (RevertPlan::Follows, _) => {}
            (RevertPlan::None, why) => return Err(alone(id, why.as_deref().unwrap_or("it depends on other changes"))),
            _ => chosen.push(change),
        }
    }
    if chosen.is_empty() {
        let id = ids.first().map_or("", String::as_str);
        return Err(alone(id, "it follows from other changes; revert those"));
    }
    Ok(chosen)
}

/// The ids of the changes that addresses select, each once. A range or a section selects everything in it that can be
/// reverted by itself; the second list has a warning for each change that cannot.
fn selected(diff: &Diff, ids: &[String]) -> Result<(Vec<String>, Vec<String>), FileError> {
    let Diff::Structured(inside) = diff else { return Ok((ids.to_vec(), Vec::new())) };
    let changes: Vec<&Change> = inside.changes().collect();
    let known: Vec<&str> = changes.iter().map(|change| change.id.as_str()).collect();
    let present: HashSet<&str> = known.iter().copied().collect();
    let (mut out, mut stay, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for id in ids {
        if present.contains(id.as_str()) {
            out.extend(seen.insert(id.as_str()).then(|| id.clone()));
            continue;
        }
        let found: Vec<&Change> = select(&known, id).into_iter().filter_map(|at| changes.get(at).copied()).collect();
        let why = found.first().ok_or_else(|| stale(id, inside))?.not_revertible.as_deref();
        if found.iter().all(|change| change.not_revertible.is_some()) {
            return Err(alone(id, why.unwrap_or_default()));
        }
        for change in found.into_iter().filter(|change| seen.insert(&change.id)) {
            match &change.not_revertible {
                None => out.push(change.id.clone()),
                Some(why) => stay.push(format!("{} was not reverted: {why}", change.id)),
            }
        }
    }
    Ok((out, stay))
}

fn stale(id: &str, diff: &StructuredDiff) -> FileError {
    let near: Vec<&str> = diff.changes().map(|change| change.id.as_str()).take(2_000).collect();
    no_change(id, jig_ooxml::edit::nearest(id, near))
}

/// The error for an address that this difference does not have.
fn no_change(id: &str, suggestions: Vec<String>) -> FileError {
    let message = format!("change `{id}` not found: it is not in the current diff between the reference and the Draft");
    FileError { reason: Reason::Stale, message, suggestions, help: None }
}

/// The error for a change that can only be reverted with the whole file.
fn alone(id: &str, why: &str) -> FileError {
    FileError::invalid(format!("{id} cannot be reverted by itself: {why}; revert the whole file instead"))
}

fn is_unchanged(diff: &Diff) -> bool {
    match diff {
        Diff::Text(text) => text.is_unchanged(),
        Diff::Structured(inside) => inside.is_unchanged(),
        Diff::Binary(opaque) => opaque.same_bytes,
    }
}

/// A row put back at the edge of a range does not make the range longer again. Where what is around the rows differs
/// only since rows were put back, it goes back too; the file with that, or none when there is no such thing.
fn frames_too(
    engine: &Engine,
    versions: &Versions<'_>,
    bytes: &[u8],
    after: &Diff,
) -> Result<Option<Vec<u8>>, FileError> {
    let (Diff::Structured(before), Diff::Structured(now)) = (versions.diff, after) else { return Ok(None) };
    let known: HashSet<&str> = before.changes().map(|change| change.id.as_str()).collect();
    let is_frame = |change: &&Change| matches!(change.revert, RevertPlan::Frame { .. });
    let fresh: Vec<&Change> = now.changes().filter(is_frame).filter(|change| !known.contains(&*change.id)).collect();
    if fresh.is_empty() || before.format != StructuredFormat::Xlsx {
        return Ok(None);
    }
    let new: Arc<[u8]> = bytes.into();
    let again = Versions { kinds: versions.kinds, old: versions.old, new: &new, diff: after };
    Ok(Some(revert_workbook(engine, &again, &fresh)?.0))
}

/// At least as many changes must be gone as were reverted.
fn check(before: &Diff, after: &Diff, ids: &[String]) -> Result<(), FileError> {
    let count = |diff: &Diff| match diff {
        Diff::Text(text) => text.hunks.len(),
        Diff::Structured(inside) => inside.changes().filter(|change| change.kind != ChangeKind::Recalculated).count(),
        Diff::Binary(_) => usize::MAX,
    };
    let follows = |id: &&String| match before {
        Diff::Structured(inside) => {
            inside.changes().any(|change| change.id == **id && change.kind == ChangeKind::Recalculated)
        }
        _ => false,
    };
    let taken = ids.len() - ids.iter().filter(follows).count();
    if count(after).saturating_add(taken) > count(before) && !matches!(before, Diff::Text(_)) {
        let left = ids.first().map_or("the change", String::as_str);
        return Err(alone(left, "other changes depend on it"));
    }
    Ok(())
}

/// The ids of all changes of a difference.
pub(crate) fn all_ids(diff: &Diff) -> Vec<String> {
    match diff {
        Diff::Text(text) => (0..text.hunks.len()).map(view::hunk_id).collect(),
        Diff::Structured(inside) => inside.changes().map(|change| change.id.clone()).collect(),
        Diff::Binary(_) => Vec::new(),
    }
}

/// The places of the hunks with these ids.
fn chosen_hunks(diff: &TextDiff, ids: &[String]) -> Result<BTreeSet<usize>, FileError> {
    let place = |id: &String| {
        let found = (0..diff.hunks.len()).find(|at| hunk_id(*at) == *id);
        let last = diff.hunks.len().checked_sub(1).map(hunk_id);
        found.ok_or_else(|| no_change(id, last.into_iter().collect()))
    };
    ids.iter().map(place).collect()
}

/// The new text with the old lines of some hunks.
fn revert_hunks(versions: &Versions<'_>, diff: &TextDiff, chosen: &BTreeSet<usize>) -> Result<Vec<u8>, FileError> {
    let (old, new) = decode_alike(versions.old, versions.new);
    let first = chosen.first().copied().map(hunk_id).unwrap_or_default();
    if !(old.round_trips() && new.round_trips()) {
        return Err(alone(&first, "the file holds bytes that are not text in its encoding"));
    }
    let raw = |text: &crate::text::Text| -> Vec<String> {
        text.iter_lines().map(|line| format!("{}{}", line.text, line.ending)).collect()
    };
    let (old_lines, new_lines) = (raw(&old), raw(&new));
    let mut out = String::with_capacity(new.content().len());
    let mut at = 0;
    for (_, hunk) in diff.hunks.iter().enumerate().filter(|(place, _)| chosen.contains(place)) {
        let (old_range, new_range) = hunk_ranges(hunk);
        out.extend(new_lines.get(at..new_range.start).unwrap_or_default().iter().map(String::as_str));
        out.extend(old_lines.get(old_range).unwrap_or_default().iter().map(String::as_str));
        at = new_range.end;
    }
    out.extend(new_lines.get(at..).unwrap_or_default().iter().map(String::as_str));
    let same = old.line_ending() == new.line_ending();
    let format =
        if same { new.format() } else { crate::text::TextFormat { line_ending: new.line_ending(), ..new.format() } };
    format.encode(&out).map_err(|error| alone(&first, &error.to_string()))
}

/// The lines of a hunk on both sides, counted from 0.
fn hunk_ranges(hunk: &Hunk) -> (std::ops::Range<usize>, std::ops::Range<usize>) {
    let range = |start: usize, count: usize| {
        let from = if count > 0 { start.saturating_sub(1) } else { start };
        from..from + count
    };
    (range(hunk.old_start, hunk.old_count), range(hunk.new_start, hunk.new_count))
}

fn revert_records(versions: &Versions<'_>, chosen: &[&Change]) -> Result<Vec<u8>, FileError> {
    let (old, new) = decode_alike(versions.old, versions.new);
    let first = chosen.first().map_or("", |change| change.id.as_str());
    if !(old.round_trips() && new.round_trips()) {
        return Err(alone(first, "the file holds bytes that are not text in its encoding"));
    }
    let mut edits: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    for change in chosen {
        let RevertPlan::Records { old: from, new: to } = &change.revert else { continue };
        edits.push((to.clone(), from.clone()));
    }
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut out = String::with_capacity(new.content().len());
    let mut at = 0;
    for (range, from) in edits {
        let text = old.content().get(from.clone()).unwrap_or_default();
        out.push_str(new.content().get(at..range.start).unwrap_or_default());
        let replaced = new.content().get(range.clone()).unwrap_or_default();
        // Line feeds inside quotes make a text look mixed: then a record has its own line end, or its neighbour's.
        let before = old.content().get(..from.start).unwrap_or_default();
        let near = [text, replaced, out.as_str(), before].map(line_end).into_iter().find(|end| !end.is_empty());
        let ending = new.line_ending().characters().or(near).unwrap_or("\n");
        // A row is put behind a line that may have been the last one.
        let joins = range.is_empty() && !out.is_empty() && !out.ends_with(['\n', '\r']);
        if joins {
            out.push_str(ending);
        }
        let whole_line = range.is_empty() || !line_end(replaced).is_empty();
        out.push_str(text.trim_end_matches(['\r', '\n']));
        if whole_line && !text.is_empty() {
            out.push_str(ending);
        }
        at = range.end;
    }
    out.push_str(new.content().get(at..).unwrap_or_default());
    if !old.final_newline() && !new.final_newline() {
        out.truncate(out.trim_end_matches(['\r', '\n']).len());
    }
    // Not as a text whose lines all end alike: what stands inside quotes is a value.
    new.encoding().encode(&out).map_err(|error| alone(first, &error.to_string()))
}

/// The characters that end a record; none when it is the last one and not ended.
fn line_end(record: &str) -> &'static str {
    ["\r\n", "\n", "\r"].into_iter().find(|end| record.ends_with(*end)).unwrap_or_default()
}

type Outcome = Result<(Vec<u8>, Vec<String>), FileError>;

fn revert_package(engine: &Engine, format: Format, versions: &Versions<'_>, chosen: &[&Change]) -> Outcome {
    let old = Package::open(versions.old.clone(), Limits::default())?;
    let mut new = Package::open(versions.new.clone(), Limits::default())?;
    let first = chosen.first().map_or("", |change| change.id.as_str());
    splices(&mut new, chosen.iter().flat_map(|change| splices_of(change)), first)?;
    for change in chosen {
        if let RevertPlan::Part { name } = &change.revert {
            new.set(name, &old.read(name)?);
        }
    }
    let bytes = new.save()?;
    let (bytes, warnings) = apply_ranked(engine, format, bytes, chosen)?;
    if !chosen.iter().any(|change| matches!(change.revert, RevertPlan::Slide { .. })) {
        return Ok((bytes, warnings));
    }
    let mut new = Package::open(Arc::<[u8]>::from(bytes), Limits::default())?;
    put_slides(&old, &mut new, chosen)?;
    Ok((new.save()?, warnings))
}

fn splices_of(change: &Change) -> &[MarkupSplice] {
    match &change.revert {
        RevertPlan::Splices(splices) => splices,
        _ => &[],
    }
}

/// Puts markup into parts of a package, all of it at once.
fn splices<'c>(
    package: &mut Package,
    all: impl Iterator<Item = &'c MarkupSplice>,
    first: &str,
) -> Result<(), FileError> {
    let mut by_part: BTreeMap<&str, Vec<&MarkupSplice>> = BTreeMap::new();
    for splice in all {
        by_part.entry(&splice.part).or_default().push(splice);
    }
    for (part, list) in by_part {
        let mut content = package.xml(part)?;
        let mut splice = Splice::new(&content.text);
        for one in list {
            splice.replace(one.range.clone(), one.markup.as_str());
        }
        let text = splice.finish().map_err(|_| alone(first, "two changes fall on the same place"))?;
        content.text = text;
        // What does not parse is not written.
        content.tree(&Limits::default())?;
        package.set_xml(&content);
    }
    Ok(())
}

/// Applies the ops of changes, the highest rank first.
fn apply_ranked(engine: &Engine, format: Format, bytes: Vec<u8>, chosen: &[&Change]) -> Outcome {
    let mut ranked: Vec<(u64, &Vec<Value>)> = chosen
        .iter()
        .filter_map(|change| match &change.revert {
            RevertPlan::Ops { rank, ops } => Some((*rank, ops)),
            _ => None,
        })
        .collect();
    if ranked.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let ops: Vec<Value> = ranked.into_iter().flat_map(|(_, ops)| ops.iter().cloned()).collect();
    apply(engine, format, bytes, ops)
}

/// Applies ops without the checks on formulas that come from outside: these were in the old file.
fn apply(engine: &Engine, format: Format, bytes: Vec<u8>, ops: Vec<Value>) -> Outcome {
    let options = EditOptions { allow_outside_formulas: true, ..EditOptions::default() };
    let edited = engine.apply(format, Some(bytes.into()), &Value::Array(ops), &options)?;
    Ok((edited.bytes, edited.warnings))
}

/// How far relationships are followed.
const DEEPEST: usize = 6;

/// Puts slides behind those that they stood behind, in the order of the old presentation.
fn put_slides(old: &Package, new: &mut Package, chosen: &[&Change]) -> Result<(), FileError> {
    for change in chosen {
        let RevertPlan::Slide { part, behind } = &change.revert else { continue };
        if !new.has(part) {
            restore(old, new, part, 0).map_err(|why| alone(&change.id, &why))?;
        }
        place_slide(old, new, part, behind.as_deref(), &change.id)?;
    }
    Ok(())
}

/// Brings a part with all that it leads to and the new file lacks.
fn restore(old: &Package, new: &mut Package, part: &str, depth: usize) -> Result<(), String> {
    let told = |error: &dyn std::fmt::Display| error.to_string();
    if depth > DEEPEST {
        return Err("its parts refer to each other too deeply".to_owned());
    }
    let bytes = old.read(part).map_err(|e| told(&e))?;
    if new.has(part) {
        // A layout or a master may have changed since; a slide's own parts must be what they were.
        return Ok(());
    }
    new.set(part, &bytes);
    let kinds = ContentTypes::read(old).map_err(|e| told(&e))?;
    if let Some(kind) = kinds.of(part)
        && ContentTypes::read(new).map_err(|e| told(&e))?.of(part) != Some(kind)
    {
        ContentTypes::add(new, part, kind).map_err(|e| told(&e))?;
    }
    let rels = rels_name(part);
    if !old.has(&rels) {
        return Ok(());
    }
    new.set(&rels, &old.read(&rels).map_err(|e| told(&e))?);
    for relationship in Relationships::read(old, part).map_err(|e| told(&e))?.list {
        if let Some(target) = relationship.part.filter(|target| old.has(target)) {
            restore(old, new, &target, depth + 1)?;
        }
    }
    Ok(())
}

/// Lists a slide behind another one.
fn place_slide(old: &Package, new: &mut Package, part: &str, behind: Option<&str>, id: &str) -> Result<(), FileError> {
    let main = main_part(new)?;
    let rels = Relationships::read(new, &main)?;
    let known =
        |wanted: &str| rels.list.iter().find(|rel| rel.part.as_deref() == Some(wanted)).map(|rel| rel.id.clone());
    let own = match known(part) {
        Some(own) => own,
        None => Relationships::add(new, &main, "slide", part)?,
    };
    let number = old_number(old, part)?;
    let mut content = new.xml(&main)?;
    let tree = content.tree(new.limits())?;
    let Some(list) = tree.root().child(Ns::P, "sldIdLst") else {
        return Err(alone(id, "the presentation has no list of slides any more"));
    };
    let find = |rel: &str| list.elements().find(|node| node.attr_ns(Ns::R, "id").is_some_and(|found| found == rel));
    let taken = |number: &str| list.elements().any(|node| node.attr("id").is_some_and(|found| found == number));
    let mut splice = Splice::new(&content.text);
    let entry = match find(&own) {
        Some(node) => {
            let entry = node.source().to_owned();
            splice.remove(node);
            entry
        }
        None => {
            let largest = list.elements().filter_map(|node| node.attr("id")?.parse::<u64>().ok()).max().unwrap_or(255);
            let number = number.filter(|number| !taken(number)).unwrap_or_else(|| (largest + 1).to_string());
            let r = list.attr_prefix_for(Ns::R).unwrap_or_else(|| "r:".to_owned());
            format!("<{}sldId id=\"{number}\" {r}id=\"{own}\"/>", list.prefix())
        }
    };
    match behind.map(|behind| known(behind).and_then(|rel| find(&rel))) {
        Some(Some(node)) => splice.after(node, entry),
        Some(None) => return Err(alone(id, "the slide that it stood behind is gone")),
        None => splice.prepend(list, entry),
    }
    let text = splice.finish().map_err(|_| alone(id, "it is in two places"))?;
    content.text = text;
    new.set_xml(&content);
    Ok(())
}

fn main_part(package: &Package) -> Result<String, FileError> {
    let root = Relationships::read(package, "")?;
    Ok(root.first("officeDocument").unwrap_or("ppt/presentation.xml").to_owned())
}

/// The number that a slide had.
fn old_number(old: &Package, part: &str) -> Result<Option<String>, FileError> {
    let main = main_part(old)?;
    let rels = Relationships::read(old, &main)?;
    let Some(rel) = rels.list.iter().find(|rel| rel.part.as_deref() == Some(part)) else { return Ok(None) };
    let content = old.xml(&main)?;
    let tree = content.tree(old.limits())?;
    let slides = tree.root().child(Ns::P, "sldIdLst").into_iter().flat_map(jig_ooxml::xml::Node::elements);
    let mut own = slides.filter(|node| node.attr_ns(Ns::R, "id").is_some_and(|found| found == rel.id));
    Ok(own.next().and_then(|node| node.attr("id").map(std::borrow::Cow::into_owned)))
}

/// Takes changes back in an order in which none moves the place of another before it is done.
fn revert_workbook(engine: &Engine, versions: &Versions<'_>, chosen: &[&Change]) -> Outcome {
    let cells: Vec<&CellRevert> = chosen.iter().flat_map(|change| cells(change)).collect();
    let rows: Vec<&RowRevert> = chosen.iter().filter_map(|change| row(change)).collect();
    let mut bytes = versions.new.to_vec();
    let mut warnings = Vec::new();
    let mut take = |outcome: (Vec<u8>, Vec<String>)| {
        warnings.extend(outcome.1);
        outcome.0
    };
    bytes = take(values(engine, bytes, &cells)?);
    bytes = formats(
        engine,
        versions.old,
        bytes,
        cells.iter().filter(|cell| cell.style).map(|cell| cell_style(cell)).collect(),
    )?;
    bytes = frames(bytes, versions, chosen)?;
    bytes = take(structure(engine, bytes, &rows)?);
    bytes = formats(engine, versions.old, bytes, row_styles(&rows))?;
    bytes = take(apply_ranked(engine, Format::Xlsx, bytes, chosen)?);
    warnings.dedup();
    Ok((bytes, warnings))
}

fn cells(change: &Change) -> &[CellRevert] {
    match &change.revert {
        RevertPlan::Cells(plan) => plan,
        _ => &[],
    }
}

fn row(change: &Change) -> Option<&RowRevert> {
    match &change.revert {
        RevertPlan::Row(plan) => Some(plan),
        _ => None,
    }
}

fn values(engine: &Engine, bytes: Vec<u8>, cells: &[&CellRevert]) -> Outcome {
    let mut by_sheet: BTreeMap<&str, Vec<Value>> = BTreeMap::new();
    for cell in cells {
        if let Some(value) = &cell.cell {
            by_sheet.entry(&cell.sheets.0).or_default().push(value.clone());
        }
    }
    if by_sheet.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    let ops = by_sheet.into_iter().map(|(sheet, cells)| json!({ "op": "set_cells", "sheet": sheet, "cells": cells }));
    apply(engine, Format::Xlsx, bytes, ops.collect())
}

fn cell_style(cell: &CellRevert) -> Value {
    let (row, col) = cell.at;
    style(&cell.sheets, (cell.old_row, col), (row, col))
}

fn style(sheets: &(String, String), from: (u32, u32), to: (u32, u32)) -> Value {
    let address = |(row, col): (u32, u32)| format!("{}{row}", ColumnName(col));
    json!({
        "type": "cell_style", "source_sheet": sheets.1, "source_cell": address(from),
        "target_sheet": sheets.0, "target_cell": address(to),
    })
}

fn formats(engine: &Engine, old: &Arc<[u8]>, bytes: Vec<u8>, styles: Vec<Value>) -> Result<Vec<u8>, FileError> {
    if styles.is_empty() {
        return Ok(bytes);
    }
    let edited = engine.copy_assets(
        Format::Xlsx,
        old.clone().into(),
        Some(bytes.into()),
        &Value::Array(styles),
        &EditOptions::default(),
    )?;
    Ok(edited.bytes)
}

/// Rows put back and taken out, from the bottom up, runs of them at once.
fn structure(engine: &Engine, bytes: Vec<u8>, rows: &[&RowRevert]) -> Outcome {
    if rows.is_empty() {
        return Ok((bytes, Vec::new()));
    }
    let mut ops = Vec::new();
    let mut sorted: Vec<&RowRevert> = rows.to_vec();
    sorted
        .sort_by_key(|row| (row.sheets.0.clone(), std::cmp::Reverse((row.at, row.old.as_ref().map(|(old, _)| *old)))));
    let mut at = 0;
    while let Some(row) = sorted.get(at) {
        let run: Vec<&&RowRevert> =
            sorted.iter().skip(at).take_while(|other| belongs(row, other, &sorted, at)).collect();
        at += run.len().max(1);
        ops.extend(one_run(row, &run));
    }
    apply(engine, Format::Xlsx, bytes, ops)
}

/// Whether a row belongs to the run that starts with `first`.
fn belongs(first: &RowRevert, other: &RowRevert, sorted: &[&RowRevert], start: usize) -> bool {
    let place = sorted.iter().position(|row| std::ptr::eq(*row, other)).unwrap_or(start);
    let step = u32::try_from(place - start).unwrap_or(u32::MAX);
    let same_sheet = first.sheets == other.sheets;
    match (&first.old, &other.old) {
        (None, None) => same_sheet && first.at.checked_sub(step) == Some(other.at),
        (Some((a, _)), Some((b, _))) => same_sheet && first.at == other.at && a.checked_sub(step) == Some(*b),
        _ => false,
    }
}

fn one_run(first: &RowRevert, run: &[&&RowRevert]) -> Vec<Value> {
    let (sheet, count) = (&first.sheets.0, run.len());
    if first.old.is_none() {
        let top = run.iter().map(|row| row.at).min().unwrap_or(first.at);
        return vec![json!({ "op": "delete_rows", "sheet": sheet, "row": top, "count": count })];
    }
    let mut ops = vec![json!({ "op": "insert_rows", "sheet": sheet, "row": first.at, "count": count })];
    let lowest = run.iter().filter_map(|row| row.old.as_ref().map(|(old, _)| *old)).min().unwrap_or(0);
    let mut cells = Vec::new();
    for (old, values) in run.iter().filter_map(|row| row.old.as_ref()) {
        let number = first.at + (old - lowest);
        for value in values {
            let mut value = value.clone();
            let column = value["column"].as_str().unwrap_or_default().to_owned();
            value["cell"] = format!("{column}{number}").into();
            if let Some(object) = value.as_object_mut() {
                object.remove("column");
            }
            if value["type"] != "blank" {
                cells.push(value);
            }
        }
    }
    if !cells.is_empty() {
        ops.push(json!({ "op": "set_cells", "sheet": sheet, "cells": cells }));
    }
    ops
}

/// The formats of rows that were put back, at the places they have in the end.
fn row_styles(rows: &[&RowRevert]) -> Vec<Value> {
    let mut styles = Vec::new();
    for row in rows {
        let Some((old, values)) = &row.old else { continue };
        let same = |other: &&&RowRevert| other.sheets == row.sheets;
        // What was put back or taken out above moves the row.
        let above = rows.iter().filter(same).filter(|other| match &other.old {
            Some((number, _)) => number < old,
            None => false,
        });
        let gone = rows.iter().filter(same).filter(|other| other.old.is_none() && other.at < row.at).count();
        let number = i64::from(row.at) + above.count() as i64 - gone as i64;
        let Ok(number) = u32::try_from(number) else { continue };
        for value in values {
            let column = value["column"].as_str().and_then(jig_ooxml::xlsx::address::column_number);
            if let Some(column) = column {
                styles.push(style(&row.sheets, (*old, column), (number, column)));
            }
        }
    }
    styles
}

/// Parts put back, and what is around the rows: all children of a name for those that were there.
fn frames(bytes: Vec<u8>, versions: &Versions<'_>, chosen: &[&Change]) -> Result<Vec<u8>, FileError> {
    let concerns = |change: &&&Change| matches!(change.revert, RevertPlan::Frame { .. } | RevertPlan::Part { .. });
    if !chosen.iter().any(|change| concerns(&change)) {
        return Ok(bytes);
    }
    let mut package = Package::open(Arc::<[u8]>::from(bytes), Limits::default())?;
    for change in chosen {
        match &change.revert {
            RevertPlan::Part { name } => {
                let old = Package::open(versions.old.clone(), Limits::default())?;
                package.set(name, &old.read(name)?);
            }
            RevertPlan::Frame { part, name, markup } => {
                let content = replace_frame(&package, part, name, markup);
                package.set_xml(&content.map_err(|error| alone(&change.id, &error.message))?);
            }
            _ => {}
        }
    }
    Ok(package.save()?)
}

fn replace_frame(package: &Package, part: &str, name: &str, markup: &str) -> Result<XmlPart, FileError> {
    let text = sheet_rows(package, part, &mut |_| Ok(()))?;
    let mut content = package.xml(part)?;
    let tree = Tree::parse(part, &text, package.limits())?;
    let root = tree.root();
    let rows = root.elements().find(|node| node.local() == "sheetData");
    let behind = rows.map_or(usize::MAX, |rows| rows.range().end);
    // Behind the rows, places in the part are as much later as the rows are long.
    let longer = content.text.len() - text.len();
    let real = |at: usize| if at >= behind { at + longer } else { at };
    let mut splice = Splice::new(&content.text);
    let own: Vec<Node<'_>> = root.elements().filter(|node| node.local() == name).collect();
    for node in &own {
        splice.delete(real(node.range().start)..real(node.range().end));
    }
    let order = |name: &str| ORDER.iter().position(|(known, _)| *known == name).unwrap_or(ORDER.len());
    let later = root.elements().find(|node| order(node.local()) > order(name));
    let place = match (own.first(), later) {
        (Some(node), _) => real(node.range().start),
        (None, Some(node)) => real(node.range().start),
        (None, None) => real(root.inner_range().end),
    };
    splice.insert(place, markup);
    let out = splice.finish().map_err(|error| FileError::invalid(error.to_string()))?;
    content.text = out;
    Ok(content)
}
