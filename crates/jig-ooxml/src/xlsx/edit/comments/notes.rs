//! The comments part of a sheet: notes, and the notes that stand for threads.

use super::super::WorkbookEdit;
use super::super::attachments::edit_part;
use super::super::strings::needs_space;
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::relationships::{Relationships, rels_name};
use crate::xlsx::address::CellRef;
use crate::xml::{Node, Ns, escape_attribute, escape_text};

const TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.comments+xml";
/// The namespace of revision ids.
const XR: &str = "http://schemas.microsoft.com/office/spreadsheetml/2014/revision";

/// The comments part of a sheet, if it has one.
pub(super) struct Notes {
    sheet: String,
    part: Option<String>,
}

/// A note.
pub(super) struct Note {
    pub(super) at: CellRef,
    pub(super) text: String,
}

impl Notes {
    pub(super) fn open(editor: &WorkbookEdit<'_>, sheet: &str) -> Result<Self, Error> {
        let relationships = Relationships::read(&editor.package, sheet)?;
        let mut parts = relationships.of_kind("comments").filter_map(|found| found.part.clone());
        let part = parts.find(|part| editor.package.has(part));
        Ok(Self { sheet: sheet.to_owned(), part })
    }

    /// All notes, those of threads included.
    pub(super) fn list(&self, editor: &mut WorkbookEdit<'_>) -> Result<Vec<Note>, Error> {
        let mut notes = Vec::new();
        if let Some(part) = &self.part {
            edit_part(editor, part, |root, _| {
                for node in entries(root) {
                    if let Some(at) = node.attr("ref").and_then(|text| text.parse().ok()) {
                        notes.push(Note { at, text: text_of(node) });
                    }
                }
            })?;
        }
        Ok(notes)
    }

    /// Sets the note of a cell; returns its old text. `id` is the id of the thread that it stands for.
    pub(super) fn set(
        &mut self,
        editor: &mut WorkbookEdit<'_>,
        cell: CellRef,
        author: &str,
        text: &str,
        id: Option<&str>,
    ) -> Result<Option<String>, Error> {
        let part = self.create(editor)?;
        let mut old = None;
        let number = author_number(editor, &part, author)?;
        edit_part(editor, &part, |root, splice| {
            let prefix = root.prefix();
            let body = body(prefix, text);
            if let Some(node) = entries(root).into_iter().find(|node| is_at(*node, cell)) {
                old = Some(text_of(node));
                splice.set_attr(node, "authorId", &number.to_string());
                match node.child(Ns::S, "text") {
                    Some(text) => splice.replace(text.range(), body),
                    None => splice.prepend(node, body),
                }
                return;
            }
            let uid = id.and_then(|id| {
                let declared = root.attributes().find(|a| a.name.starts_with("xmlns:") && a.raw == XR)?;
                let xr = declared.name.strip_prefix("xmlns:")?;
                Some(format!(" {xr}:uid=\"{id}\""))
            });
            let uid = uid.unwrap_or_default();
            let markup = format!(
                "<{prefix}comment ref=\"{cell}\" authorId=\"{number}\" shapeId=\"0\"{uid}>{body}</{prefix}comment>"
            );
            match root.child(Ns::S, "commentList") {
                Some(list) => {
                    // In the order of the cells, as Excel writes them.
                    let later = list.children_named(Ns::S, "comment").find(|node| {
                        node.attr("ref").and_then(|text| text.parse::<CellRef>().ok()).is_some_and(|at| at > cell)
                    });
                    match later {
                        Some(later) => splice.before(later, markup),
                        None => splice.append(list, markup),
                    }
                }
                None => splice.append(root, format!("<{prefix}commentList>{markup}</{prefix}commentList>")),
            }
        })?;
        Ok(old)
    }

    /// Removes the notes of cells.
    pub(super) fn remove(&self, editor: &mut WorkbookEdit<'_>, cells: &[CellRef]) -> Result<(), Error> {
        let Some(part) = &self.part else { return Ok(()) };
        edit_part(editor, part, |root, splice| {
            for node in entries(root) {
                if cells.iter().any(|cell| is_at(node, *cell)) {
                    splice.remove(node);
                }
            }
        })
    }

    /// The part, which is created where it is missing.
    fn create(&mut self, editor: &mut WorkbookEdit<'_>) -> Result<String, Error> {
        if let Some(part) = &self.part {
            return Ok(part.clone());
        }
        let part = editor.sibling("comments{}.xml", "comments1.xml");
        let main = editor.namespace()?;
        let text = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<comments xmlns=\"{main}\" \
             xmlns:mc=\"{}\" mc:Ignorable=\"xr\" xmlns:xr=\"{XR}\"><authors></authors><commentList></commentList></comments>",
            Ns::Mc.uri()
        );
        editor.package.set(&part, text.as_bytes());
        ContentTypes::add(&mut editor.package, &part, TYPE)?;
        Relationships::add(&mut editor.package, &self.sheet, "comments", &part)?;
        self.part = Some(part.clone());
        Ok(part)
    }
}

/// The number of an author, who is added to the list where missing.
fn author_number(editor: &mut WorkbookEdit<'_>, part: &str, author: &str) -> Result<usize, Error> {
    let mut number = 0;
    edit_part(editor, part, |root, splice| {
        let prefix = root.prefix();
        let list = root.child(Ns::S, "authors");
        let known: Vec<Node<'_>> = list.into_iter().flat_map(|list| list.children_named(Ns::S, "author")).collect();
        if let Some(found) = known.iter().position(|node| node.text() == author) {
            number = found;
            return;
        }
        number = known.len();
        let markup = format!("<{prefix}author>{}</{prefix}author>", escape_text(author));
        match list {
            Some(list) => splice.append(list, markup),
            None => splice.prepend(root, format!("<{prefix}authors>{markup}</{prefix}authors>")),
        }
    })?;
    Ok(number)
}

fn entries(root: Node<'_>) -> Vec<Node<'_>> {
    let list = root.child(Ns::S, "commentList");
    list.into_iter().flat_map(|list| list.children_named(Ns::S, "comment")).collect()
}

fn is_at(node: Node<'_>, cell: CellRef) -> bool {
    node.attr("ref").and_then(|text| text.parse::<CellRef>().ok()) == Some(cell)
}

/// The text in the font that Excel gives notes.
fn body(prefix: &str, text: &str) -> String {
    let space = if needs_space(text) { " xml:space=\"preserve\"" } else { "" };
    let p = prefix;
    format!(
        "<{p}text><{p}r><{p}rPr><{p}sz val=\"9\"/><{p}color indexed=\"81\"/><{p}rFont val=\"Tahoma\"/><{p}family val=\"2\"/></{p}rPr>\
         <{p}t{space}>{}</{p}t></{p}r></{p}text>",
        escape_text(text)
    )
}

/// The text of a note, from runs of rich text.
fn text_of(comment: Node<'_>) -> String {
    let Some(text) = comment.child(Ns::S, "text") else { return String::new() };
    let mut out = String::new();
    for piece in text.elements() {
        match piece.local() {
            "t" => out.push_str(&piece.text()),
            "r" => piece.children_named(Ns::S, "t").for_each(|run| out.push_str(&run.text())),
            _ => {}
        }
    }
    out
}

/// Removes the comments part and the drawing of its boxes once both are empty.
pub(super) fn tidy(editor: &mut WorkbookEdit<'_>, sheet: &str) -> Result<(), Error> {
    let relationships = Relationships::read(&editor.package, sheet)?;
    for found in &relationships.list {
        let Some(part) = found.part.clone().filter(|part| editor.package.has(part)) else { continue };
        let mut left = 1;
        match found.kind.as_str() {
            "comments" => edit_part(editor, &part, |root, _| left = entries(root).len())?,
            "threadedComment" => edit_part(editor, &part, |root, _| left = root.elements().count())?,
            "vmlDrawing" => {
                let text = editor.package.xml(&part).map(|part| part.text).unwrap_or_default();
                // A drawing can hold controls and images of headers too.
                let has_shapes = text.contains(":shape ") || text.contains("<shape ");
                let related = editor.package.has(&rels_name(&part));
                left = usize::from(has_shapes || related || text.is_empty());
            }
            _ => {}
        }
        if left > 0 {
            continue;
        }
        if found.kind == "vmlDrawing" {
            let id = escape_attribute(&found.id).into_owned();
            let mut removed = false;
            editor.edit_frame(sheet, |root, splice| {
                let node = root.child(Ns::S, "legacyDrawing");
                if let Some(node) = node.filter(|node| node.attr_ns(Ns::R, "id").is_some_and(|own| own == id)) {
                    splice.remove(node);
                    removed = true;
                }
                Ok(())
            })?;
            if !removed {
                continue;
            }
        }
        Relationships::remove(&mut editor.package, sheet, &found.id)?;
        ContentTypes::remove(&mut editor.package, &part)?;
        editor.package.remove(&part);
    }
    Ok(())
}
