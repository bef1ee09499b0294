//! The boxes of notes: shapes of a VML drawing. It is written as text, since programs write VML that is no XML.

use super::super::WorkbookEdit;
use super::super::attachments::edit_part;
use super::super::hyperlinks::relationship_uri;
use super::super::order::{WORKSHEET, insert_in_order};
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xlsx::address::{CellRef, MAX_COLUMN, MAX_ROW};
use crate::xml::{Ns, XmlPart};

const TYPE: &str = "application/vnd.openxmlformats-officedocument.vmlDrawing";
const EMPTY: &str = "<xml xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" xmlns:x=\"urn:schemas-microsoft-com:office:excel\"><o:shapelayout v:ext=\"edit\"><o:idmap v:ext=\"edit\" data=\"IDMAP\"/></o:shapelayout></xml>";
const SHAPE_TYPE: &str = "<v:shapetype id=\"_x0000_t202\" coordsize=\"21600,21600\" o:spt=\"202\" path=\"m,l,21600r21600,l21600,xe\"><v:stroke joinstyle=\"miter\"/><v:path gradientshapeok=\"t\" o:connecttype=\"rect\"/></v:shapetype>";

/// Adds a box for the note of a cell, unless it has one.
pub(super) fn ensure(editor: &mut WorkbookEdit<'_>, sheet: &str, cell: CellRef) -> Result<(), Error> {
    let part = drawing(editor, sheet)?;
    let mut content = editor.package.xml(&part)?;
    if has_box(editor, &part, cell)? {
        return Ok(());
    }
    let text = &content.text;
    let Some(end) = text.rfind("</xml>").or_else(|| text.rfind("</")) else {
        editor
            .warnings
            .push(format!("the drawing {part} cannot be read, so the note of {cell} has no box in older programs"));
        return Ok(());
    };
    let mut markup = String::new();
    if !text.contains("_x0000_t202\"") || !text.contains("shapetype") {
        markup.push_str(SHAPE_TYPE);
    }
    markup.push_str(&shape(cell, next_id(text)));
    if !(text.contains("xmlns:v=\"urn:schemas-microsoft-com:vml\"")
        && text.contains("xmlns:x=\"urn:schemas-microsoft-com:office:excel\""))
    {
        // The drawing has other prefixes, so the new shapes declare their own.
        let declared = "xmlns:v=\"urn:schemas-microsoft-com:vml\" xmlns:o=\"urn:schemas-microsoft-com:office:office\" xmlns:x=\"urn:schemas-microsoft-com:office:excel\"";
        markup = markup.replace("<v:shapetype ", &format!("<v:shapetype {declared} "));
        markup = markup.replace("<v:shape ", &format!("<v:shape {declared} "));
    }
    content.text.insert_str(end, &markup);
    editor.package.set_xml(&content);
    Ok(())
}

/// Removes the boxes of cells.
pub(super) fn remove(editor: &mut WorkbookEdit<'_>, sheet: &str, cells: &[CellRef]) -> Result<(), Error> {
    let relationships = Relationships::read(&editor.package, sheet)?;
    for part in relationships.of_kind("vmlDrawing").filter_map(|found| found.part.clone()) {
        if !editor.package.has(&part) {
            continue;
        }
        edit_part(editor, &part, |root, splice| {
            for data in root.descendants().filter(|node| node.is_element() && node.local() == "ClientData") {
                let number = |name: &str| {
                    let child = data.elements().find(|node| node.local() == name);
                    child.and_then(|node| node.text().trim().parse::<u32>().ok())
                };
                let at = number("Row").zip(number("Column")).and_then(|(row, col)| CellRef::new(row + 1, col + 1));
                let is_note = data.attr("ObjectType").as_deref() == Some("Note");
                if is_note
                    && at.is_some_and(|at| cells.contains(&at))
                    && let Some(shape) = data.parent().filter(|shape| shape.local() == "shape")
                {
                    splice.remove(shape);
                }
            }
        })?;
    }
    Ok(())
}

fn has_box(editor: &mut WorkbookEdit<'_>, part: &str, cell: CellRef) -> Result<bool, Error> {
    let mut found = false;
    let content = editor.package.xml(part)?;
    if let Ok(tree) = content.tree(editor.package.limits()) {
        for data in tree.root().descendants().filter(|node| node.is_element() && node.local() == "ClientData") {
            let number = |name: &str| {
                let child = data.elements().find(|node| node.local() == name);
                child.and_then(|node| node.text().trim().parse::<u32>().ok())
            };
            let is_note = data.attr("ObjectType").as_deref() == Some("Note");
            found |= is_note && number("Row") == Some(cell.row() - 1) && number("Column") == Some(cell.col() - 1);
        }
    }
    Ok(found)
}

/// The drawing for boxes of notes, which is created where it is missing.
fn drawing(editor: &mut WorkbookEdit<'_>, sheet: &str) -> Result<String, Error> {
    let relationships = Relationships::read(&editor.package, sheet)?;
    let mut named = None;
    editor.edit_frame(sheet, |root, _| {
        let node = root.child(Ns::S, "legacyDrawing");
        named = node.and_then(|node| node.attr_ns(Ns::R, "id")).map(std::borrow::Cow::into_owned);
        Ok(())
    })?;
    let known = named.as_deref().and_then(|id| relationships.part(id)).filter(|part| editor.package.has(part));
    if let Some(part) = known {
        return Ok(part.to_owned());
    }
    let part = editor.sibling("drawings/vmlDrawing{}.vml", "drawings/vmlDrawing1.vml");
    let data = free_idmap(&editor.package).to_string();
    editor.package.set_xml(&XmlPart::new(part.as_str(), EMPTY.replace("IDMAP", &data)));
    ContentTypes::add_default(&mut editor.package, "vml", TYPE)?;
    if ContentTypes::read(&editor.package)?.of(&part) != Some(TYPE) {
        ContentTypes::add(&mut editor.package, &part, TYPE)?;
    }
    let id = Relationships::add(&mut editor.package, sheet, "vmlDrawing", &part)?;
    editor.edit_frame(sheet, |root, splice| {
        let prefix = root.prefix();
        let (declared, r) = match root.attr_prefix_for(Ns::R) {
            Some(r) => (String::new(), r),
            None => (format!(" xmlns:r=\"{}\"", relationship_uri(root)), "r:".to_owned()),
        };
        let markup = format!("<{prefix}legacyDrawing{declared} {r}id=\"{id}\"/>");
        match root.child(Ns::S, "legacyDrawing") {
            Some(old) => splice.replace(old.range(), markup),
            None => insert_in_order(splice, root, "legacyDrawing", &markup, &WORKSHEET),
        }
        Ok(())
    })?;
    Ok(part)
}

/// A block of shape ids that no other drawing uses.
fn free_idmap(package: &Package) -> u32 {
    let drawings = package.names().filter(|name| name.to_ascii_lowercase().ends_with(".vml"));
    u32::try_from(drawings.count()).unwrap_or(0) + 1
}

/// The number of the next shape: above those that there are, in the drawing's block.
fn next_id(text: &str) -> u32 {
    let block = text.find("idmap").and_then(|at| {
        let rest = text.get(at..)?;
        let data = rest.get(rest.find("data=\"")? + 6..)?;
        data.split(['"', ',']).next()?.trim().parse::<u32>().ok()
    });
    let first = block.unwrap_or(1).saturating_mul(1024);
    let used = text.match_indices("_x0000_s").filter_map(|(at, mark)| {
        let digits: String = text.get(at + mark.len()..)?.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    used.max().unwrap_or(0).max(first).saturating_add(1)
}

/// A hidden box beside its cell.
fn shape(cell: CellRef, id: u32) -> String {
    let (row, col) = (cell.row() - 1, cell.col() - 1);
    // Near the edges of the sheet the box moves inwards.
    let left = (col + 1).min(MAX_COLUMN - 3);
    let top = row.saturating_sub(1).min(MAX_ROW - 6);
    let (right, bottom) = (left + 2, top + 4);
    format!(
        "<v:shape id=\"_x0000_s{id}\" type=\"#_x0000_t202\" style='position:absolute;margin-left:59.25pt;margin-top:1.5pt;width:108pt;height:59.25pt;z-index:1;visibility:hidden' fillcolor=\"#ffffe1\" o:insetmode=\"auto\"><v:fill color2=\"#ffffe1\"/><v:shadow on=\"t\" color=\"black\" obscured=\"t\"/><v:path o:connecttype=\"none\"/><v:textbox style='mso-direction-alt:auto'><div style='text-align:left'></div></v:textbox><x:ClientData ObjectType=\"Note\"><x:MoveWithCells/><x:SizeWithCells/><x:Anchor>{left}, 15, {top}, 2, {right}, 31, {bottom}, 1</x:Anchor><x:AutoFill>False</x:AutoFill><x:Row>{row}</x:Row><x:Column>{col}</x:Column></x:ClientData></v:shape>"
    )
}
