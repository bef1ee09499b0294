//! Links on cells: to addresses of the web and of mail, and to places in the workbook. Any other target is refused.

use std::rc::Rc;

use jig_file_api::ops::xlsx::{RemoveHyperlink, SetHyperlink};

use super::cells::cell_at;
use super::layout::{filled, range_at};
use super::order::{WORKSHEET, insert_in_order};
use super::styles::StylePatch;
use super::values::NewValue;
use super::{CellWrite, WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, OpReport};
use crate::error::Error;
use crate::relationships::{Mode, Relationships};
use crate::xlsx::address::{CellRange, CellRef, quoted_sheet};
use crate::xlsx::formula::same_sheet;
use crate::xml::{Node, Ns, escape_attribute, strip_illegal};

/// The most characters of an address that Excel opens.
const MOST_CHARS: usize = 2_079;
/// The schemes that a link may have.
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];
/// The most links that Excel reads on a sheet.
const MOST_LINKS: usize = 65_530;

/// Where a link leads.
enum Target {
    /// An address outside the workbook.
    Url(String),
    /// A place in the workbook.
    Place(String),
}

impl Target {
    fn shown(&self) -> &str {
        match self {
            Self::Url(url) => url,
            Self::Place(place) => place,
        }
    }
}

/// Sets a link on a cell.
pub(super) fn set(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &SetHyperlink) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let cell = cell_at(&op.cell, &input.at("cell"))?;
    let target = target(editor, input, op)?;
    let mut old: Option<(String, Option<String>)> = None;
    let mut wider = None;
    let mut count = 0;
    editor.edit_frame(&part, |root, _| {
        let list = root.child(Ns::S, "hyperlinks");
        for node in list.into_iter().flat_map(|list| list.children_named(Ns::S, "hyperlink")) {
            count += 1;
            let Some(range) = node.attr("ref").and_then(|text| text.parse::<CellRange>().ok()) else { continue };
            if range == CellRange::from(cell) {
                let id = node.attr_ns(Ns::R, "id").map(std::borrow::Cow::into_owned);
                let shown = node.attr("location").or_else(|| node.attr("display"));
                old = Some((shown.unwrap_or_default().into_owned(), id));
            } else if range.contains(cell) {
                wider = Some(range);
            }
        }
        Ok(())
    })?;
    if let Some(range) = wider {
        let why = format!("{cell} is in a link that covers {range}; remove that with remove_hyperlink first");
        return Err(input.error("cell", why).suggest([range.to_string()]).into());
    }
    if count >= MOST_LINKS {
        return Err(input.error("cell", format!("a sheet has at most {MOST_LINKS} links")).into());
    }
    let old_url = old.as_ref().and_then(|(_, id)| id.clone());
    let old_shown = match (&old, &old_url) {
        (Some(_), Some(id)) => Relationships::read(&editor.package, &part)?.by_id(id).map(|found| found.target.clone()),
        (Some((shown, _)), None) => Some(shown.clone()),
        (None, _) => None,
    };
    let id = match &target {
        Target::Url(url) => {
            let type_uri = link_type(editor, &part)?;
            Some(Relationships::add_raw(&mut editor.package, &part, &type_uri, url, Mode::External)?)
        }
        Target::Place(_) => None,
    };
    let tooltip = op.tooltip.as_deref().map(|text| strip_illegal(text).0.into_owned()).filter(|text| !text.is_empty());
    editor.edit_frame(&part, |root, splice| {
        let prefix = root.prefix();
        let list = root.child(Ns::S, "hyperlinks");
        let mut attributes = format!(" ref=\"{cell}\"");
        let mut declared = String::new();
        match (&target, &id) {
            (Target::Url(_), Some(id)) => {
                let r = list.unwrap_or(root).attr_prefix_for(Ns::R).unwrap_or_else(|| {
                    declared = format!(" xmlns:r=\"{}\"", relationship_uri(root));
                    "r:".to_owned()
                });
                attributes.push_str(&format!(" {r}id=\"{id}\""));
            }
            (target, _) => {
                let place = escape_attribute(target.shown()).into_owned();
                attributes.push_str(&format!(" location=\"{place}\""));
                if let Some(text) = op.text.as_deref().filter(|text| !text.is_empty()) {
                    attributes.push_str(&format!(" display=\"{}\"", escape_attribute(&strip_illegal(text).0)));
                }
            }
        }
        if let Some(tooltip) = &tooltip {
            attributes.push_str(&format!(" tooltip=\"{}\"", escape_attribute(tooltip)));
        }
        let markup = format!("<{prefix}hyperlink{declared}{attributes}/>");
        match list {
            Some(list) => {
                let same = |node: &Node<'_>| {
                    node.attr("ref").and_then(|text| text.parse::<CellRange>().ok()) == Some(CellRange::from(cell))
                };
                match list.children_named(Ns::S, "hyperlink").find(same) {
                    Some(node) => splice.replace(node.range(), markup),
                    None => splice.append(list, markup),
                }
            }
            None => {
                let markup = format!("<{prefix}hyperlinks>{markup}</{prefix}hyperlinks>");
                insert_in_order(splice, root, "hyperlinks", &markup, &WORKSHEET);
            }
        }
        Ok(())
    })?;
    if let Some(id) = old_url {
        drop_unused(editor, &part, &[id])?;
    }
    write_text(editor, input, &part, cell, op, &target)?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let summary = format!("Linked {cell} on {sheet} to {}.", target.shown());
    let change = OpReport::new(input, summary).with("sheet", sheet).with("cell", cell.to_string());
    let change = change.with("target", target.shown());
    Ok(match old_shown {
        Some(old) => change.with("old", old),
        None => change,
    })
}

/// The text of the cell, and the look of a link where it had none of its own.
fn write_text(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    part: &str,
    cell: CellRef,
    op: &SetHyperlink,
    target: &Target,
) -> Result<(), Error> {
    let is_empty = filled(editor, part, CellRange::from(cell))?.is_empty();
    let text = op.text.as_deref().filter(|text| !text.is_empty());
    let text = text.or(is_empty.then(|| target.shown()));
    let value = match text {
        Some(text) => {
            let given = serde_json::Value::from(text);
            let rules = editor.rules();
            Some(super::values::read(Some(&given), Some("string"), &input.at("text"), rules, &mut editor.warnings)?)
        }
        None => None,
    };
    let patch = StylePatch { font_color: Some("FF0563C1".to_owned()), underline: Some(true), ..StylePatch::default() };
    let value = value.filter(|value| *value != NewValue::Blank);
    let write = CellWrite { at: cell, value, patch: Some(Rc::new(patch)), field: input.at("text") };
    editor.write_cells(input, part, vec![write])?;
    Ok(())
}

/// The checked target of a link.
fn target(editor: &WorkbookEdit<'_>, input: &OpInput, op: &SetHyperlink) -> Result<Target, EditError> {
    let url = op.url.as_deref().map(str::trim).filter(|url| !url.is_empty());
    let place = op.place.as_deref().map(str::trim).filter(|place| !place.is_empty());
    match (url, place) {
        (Some(_), Some(_)) => Err(input.error("url", "`url` and `place` exclude each other; give one")),
        (None, None) => Err(input.error("url", "missing: give `url` or `place`")),
        (Some(url), None) => match url.strip_prefix('#') {
            Some(place) => inside(editor, input, "url", place, &op.sheet),
            None => checked_url(input, url).map(Target::Url),
        },
        (None, Some(place)) => inside(editor, input, "place", place.strip_prefix('#').unwrap_or(place), &op.sheet),
    }
}

/// An address of the web or of mail, with what addresses cannot hold written as `%20`.
fn checked_url(input: &OpInput, url: &str) -> Result<String, EditError> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    let known = scheme.as_deref().is_some_and(|scheme| SCHEMES.contains(&scheme));
    if !known {
        let why = format!("`{url}` is not a web or mail address; links begin with http, https or mailto");
        let error = input.error("url", why);
        let host = url.split(['/', '?', '#']).next().unwrap_or_default();
        let is_host = scheme.is_none() && host.contains('.') && !host.contains(char::is_whitespace);
        return Err(match (is_host, url.contains('@')) {
            (true, false) => error.suggest([format!("https://{url}")]),
            (_, true) if scheme.is_none() => error.suggest([format!("mailto:{url}")]),
            _ => error,
        });
    }
    let rest = url.split_once(':').map(|(_, rest)| rest).unwrap_or_default();
    let has_host = rest.strip_prefix("//").is_some_and(|host| !host.starts_with('/') && !host.is_empty());
    if scheme.as_deref() != Some("mailto") && !has_host {
        return Err(input.error("url", format!("`{url}` has no host; write it like `https://example.org/page`")));
    }
    if url.chars().any(char::is_control) {
        return Err(input.error("url", "the address has control characters"));
    }
    let mut out = String::with_capacity(url.len());
    for c in url.chars() {
        if c.is_ascii() && !matches!(c, ' ' | '"' | '<' | '>' | '\\' | '^' | '`' | '{' | '|' | '}') {
            out.push(c);
            continue;
        }
        let mut buffer = [0; 4];
        for byte in c.encode_utf8(&mut buffer).bytes() {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    if out.len() > MOST_CHARS {
        return Err(input.error("url", format!("the address has {} characters; {MOST_CHARS} are allowed", out.len())));
    }
    Ok(out)
}

/// A place in the workbook: cells of a sheet (without one, of the link's own), or a defined name.
fn inside(
    editor: &WorkbookEdit<'_>,
    input: &OpInput,
    field: &str,
    place: &str,
    own: &str,
) -> Result<Target, EditError> {
    if let Some((sheet, cells)) = crate::xlsx::address::split_sheet(place) {
        let at = editor.place(input, field, &sheet)?;
        let range = range_at(cells, &input.at(field))?;
        let name = editor.book.sheets.get(at).map(|sheet| sheet.name.clone()).unwrap_or_default();
        return Ok(Target::Place(format!("{}!{range}", quoted_sheet(&name))));
    }
    if editor.book.names.iter().any(|name| same_sheet(&name.name, place)) {
        return Ok(Target::Place(place.to_owned()));
    }
    if let Some(at) = editor.book.sheet_place(place) {
        let name = editor.book.sheets.get(at).map(|sheet| sheet.name.clone()).unwrap_or_default();
        return Ok(Target::Place(format!("{}!A1", quoted_sheet(&name))));
    }
    if let Ok(range) = place.parse::<CellRange>() {
        return Ok(Target::Place(format!("{}!{range}", quoted_sheet(own))));
    }
    let why = format!("`{place}` is not a place in the workbook; write it like `Sheet1!B2`, or give a defined name");
    let names: Vec<&str> = editor.book.names.iter().map(|name| name.name.as_str()).collect();
    Err(input.error(field, why).suggest(crate::edit::nearest(place, names)))
}

/// The type of relationships to addresses, as the package writes its own.
fn link_type(editor: &WorkbookEdit<'_>, part: &str) -> Result<String, Error> {
    let known = Relationships::read(&editor.package, part)?;
    if let Some(found) = known.of_kind("hyperlink").next() {
        return Ok(found.type_uri.clone());
    }
    let strict = editor.namespace()? == super::STRICT;
    let base = if strict {
        "http://purl.oclc.org/ooxml/officeDocument/relationships"
    } else {
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    };
    Ok(format!("{base}/hyperlink"))
}

/// The namespace of relationship ids in a sheet.
pub(super) fn relationship_uri(root: Node<'_>) -> &'static str {
    if root.declared_namespace().is_some_and(|uri| uri == super::STRICT) {
        "http://purl.oclc.org/ooxml/officeDocument/relationships"
    } else {
        Ns::R.uri()
    }
}

/// Removes the links of a range.
pub(super) fn remove(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &RemoveHyperlink) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let range = range_at(&op.range, &input.at("range"))?;
    let sheet = editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default();
    let removed = remove_in(editor, &part, range)?;
    if removed.is_empty() {
        let mut known = Vec::new();
        editor.edit_frame(&part, |root, _| {
            let list = root.child(Ns::S, "hyperlinks");
            let nodes = list.into_iter().flat_map(|list| list.children_named(Ns::S, "hyperlink"));
            known.extend(nodes.filter_map(|node| node.attr("ref")).map(std::borrow::Cow::into_owned).take(20));
            Ok(())
        })?;
        let have = if known.is_empty() {
            "the sheet has none".to_owned()
        } else {
            format!("the sheet has links in {}", listed(known.iter(), 10))
        };
        return Err(input
            .error("range", format!("no links in {range}; {have}"))
            .suggest(known.into_iter().take(3))
            .into());
    }
    let summary = format!("Removed {} link(s) of {range} on {sheet}.", removed.len());
    let change = OpReport::new(input, summary).with("sheet", sheet).with("range", range.to_string());
    Ok(change.with("links", removed.len()).with("old", removed))
}

/// Removes every link that reaches into a range, with its relationship. Returns what they were: `A1: https://…`.
pub(super) fn remove_in(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<Vec<String>, Error> {
    let relationships = Relationships::read(&editor.package, part)?;
    let (mut removed, mut ids) = (Vec::new(), Vec::new());
    editor.edit_frame(part, |root, splice| {
        let Some(list) = root.child(Ns::S, "hyperlinks") else { return Ok(()) };
        let nodes: Vec<Node<'_>> = list.children_named(Ns::S, "hyperlink").collect();
        let hit: Vec<&Node<'_>> = nodes
            .iter()
            .filter(|node| {
                let own = node.attr("ref").and_then(|text| text.parse::<CellRange>().ok());
                own.is_some_and(|own| own.intersection(range).is_some())
            })
            .collect();
        for node in &hit {
            let id = node.attr_ns(Ns::R, "id").map(std::borrow::Cow::into_owned);
            let target = id.as_deref().and_then(|id| relationships.by_id(id)).map(|found| found.target.clone());
            let place = node.attr("location").map(std::borrow::Cow::into_owned);
            let shown = target.or(place).unwrap_or_default();
            removed.push(format!("{}: {shown}", node.attr("ref").unwrap_or_default()));
            ids.extend(id);
        }
        if hit.len() == nodes.len() && !nodes.is_empty() {
            splice.remove(list);
        } else {
            hit.iter().for_each(|node| splice.remove(**node));
        }
        Ok(())
    })?;
    drop_unused(editor, part, &ids)?;
    Ok(removed)
}

/// Removes relationships that no link of the sheet uses any more.
fn drop_unused(editor: &mut WorkbookEdit<'_>, part: &str, ids: &[String]) -> Result<(), Error> {
    let mut used = Vec::new();
    editor.edit_frame(part, |root, _| {
        used.extend(
            root.descendants()
                .filter(|n| n.is_element())
                .filter_map(|node| node.attr_ns(Ns::R, "id"))
                .map(std::borrow::Cow::into_owned),
        );
        Ok(())
    })?;
    for id in ids.iter().filter(|id| !used.contains(id)) {
        Relationships::remove(&mut editor.package, part, id)?;
    }
    Ok(())
}
