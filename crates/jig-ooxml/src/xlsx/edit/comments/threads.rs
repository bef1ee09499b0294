//! The threaded comments part of a sheet, the persons of the workbook, and the notes that stand for threads in programs
//! that do not know them.

use sha1::{Digest, Sha1};

use super::super::WorkbookEdit;
use super::super::attachments::edit_part;
use super::boxes;
use super::notes::Notes;
use crate::content_types::ContentTypes;
use crate::error::Error;
use crate::relationships::{Mode, Relationships, relative};
use crate::xlsx::address::CellRef;
use crate::xml::{Node, XmlPart, escape_attribute, escape_text};

const NAMESPACE: &str = "http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments";
const KIND: &str = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment";
const TYPE: &str = "application/vnd.ms-excel.threadedcomments+xml";
const PERSON_KIND: &str = "http://schemas.microsoft.com/office/2017/10/relationships/person";
const PERSON_TYPE: &str = "application/vnd.ms-excel.person+xml";
/// What Excel writes at the head of a note that stands for a thread.
const NOTICE: &str = "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment; however, any edits to it will get removed if the file is opened in a newer version of Excel. Learn more: https://go.microsoft.com/fwlink/?linkid=870924\n\n";

/// A thread: its first comment and the replies in their order.
pub(super) struct Thread {
    pub(super) at: CellRef,
    part: String,
    pub(super) comments: Vec<Comment>,
}

/// A comment of a thread.
pub(super) struct Comment {
    pub(super) id: String,
    pub(super) text: String,
    done: bool,
}

impl Thread {
    pub(super) fn is_resolved(&self) -> bool {
        self.comments.first().is_some_and(|first| first.done)
    }

    fn id(&self) -> &str {
        self.comments.first().map_or("", |first| first.id.as_str())
    }
}

fn parts(editor: &WorkbookEdit<'_>, sheet: &str) -> Result<Vec<String>, Error> {
    let relationships = Relationships::read(&editor.package, sheet)?;
    let parts = relationships.of_kind("threadedComment").filter_map(|found| found.part.clone());
    Ok(parts.filter(|part| editor.package.has(part)).collect())
}

fn nodes(root: Node<'_>) -> Vec<Node<'_>> {
    root.elements().filter(|node| node.local() == "threadedComment").collect()
}

fn cell_of(node: Node<'_>) -> Option<CellRef> {
    node.attr("ref")?.parse().ok()
}

/// The cells with threads, in order.
pub(super) fn cells(editor: &mut WorkbookEdit<'_>, sheet: &str) -> Result<Vec<CellRef>, Error> {
    let mut cells = Vec::new();
    for part in parts(editor, sheet)? {
        edit_part(editor, &part, |root, _| cells.extend(nodes(root).into_iter().filter_map(cell_of)))?;
    }
    cells.sort_unstable();
    cells.dedup();
    Ok(cells)
}

/// The thread of a cell.
pub(super) fn at(editor: &mut WorkbookEdit<'_>, sheet: &str, cell: CellRef) -> Result<Option<Thread>, Error> {
    for part in parts(editor, sheet)? {
        let mut comments = Vec::new();
        edit_part(editor, &part, |root, _| {
            let mut found: Vec<(bool, Comment)> = Vec::new();
            for node in nodes(root).into_iter().filter(|node| cell_of(*node) == Some(cell)) {
                let text = node.elements().find(|child| child.local() == "text");
                let comment = Comment {
                    id: node.attr("id").unwrap_or_default().into_owned(),
                    text: text.map(|text| text.text().into_owned()).unwrap_or_default(),
                    done: node.attr("done").is_some_and(|done| matches!(done.trim(), "1" | "true")),
                };
                found.push((node.attr("parentId").is_some(), comment));
            }
            // The first comment is the one without a parent, wherever it is written.
            found.sort_by_key(|(is_reply, _)| *is_reply);
            comments.extend(found.into_iter().map(|(_, comment)| comment));
        })?;
        if !comments.is_empty() {
            return Ok(Some(Thread { at: cell, part, comments }));
        }
    }
    Ok(None)
}

/// Starts a thread.
pub(super) fn start(
    editor: &mut WorkbookEdit<'_>,
    sheet: &str,
    cell: CellRef,
    author: &str,
    text: &str,
) -> Result<Thread, Error> {
    let part = match parts(editor, sheet)?.into_iter().next() {
        Some(part) => part,
        None => {
            let part =
                editor.sibling("threadedComments/threadedComment{}.xml", "threadedComments/threadedComment1.xml");
            let main = editor.namespace()?;
            let text = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<ThreadedComments xmlns=\"{NAMESPACE}\" xmlns:x=\"{main}\"></ThreadedComments>"
            );
            editor.package.set_xml(&XmlPart::new(part.as_str(), text));
            ContentTypes::add(&mut editor.package, &part, TYPE)?;
            let target = relative(sheet, &part);
            Relationships::add_raw(&mut editor.package, sheet, KIND, &target, Mode::Internal)?;
            part
        }
    };
    let thread = Thread { at: cell, part, comments: Vec::new() };
    let id = add(editor, &thread, author, text, None)?;
    Ok(Thread { comments: vec![Comment { id, text: text.to_owned(), done: false }], ..thread })
}

/// Adds a reply.
pub(super) fn reply(
    editor: &mut WorkbookEdit<'_>,
    _sheet: &str,
    thread: &Thread,
    author: &str,
    text: &str,
) -> Result<(), Error> {
    add(editor, thread, author, text, Some(thread.id())).map(|_| ())
}

fn add(
    editor: &mut WorkbookEdit<'_>,
    thread: &Thread,
    author: &str,
    text: &str,
    parent: Option<&str>,
) -> Result<String, Error> {
    let person = person(editor, author)?;
    let now = editor.options.now.and_then(moment);
    let date = now.map(|now| format!(" dT=\"{now}\"")).unwrap_or_default();
    let mut id = String::new();
    let (cell, part) = (thread.at, thread.part.as_str());
    edit_part(editor, part, |root, splice| {
        let prefix = root.prefix();
        let known: Vec<Node<'_>> = nodes(root);
        let ids: Vec<String> =
            known.iter().filter_map(|node| node.attr("id")).map(|id| id.to_ascii_lowercase()).collect();
        let seed = [part, &cell.to_string(), author, text, &date, &known.len().to_string()].join("\u{0}");
        id = free_guid(&seed, &ids);
        let parent = parent.map(|parent| format!(" parentId=\"{}\"", escape_attribute(parent))).unwrap_or_default();
        let markup = format!(
            "<{prefix}threadedComment ref=\"{cell}\"{date} personId=\"{person}\" id=\"{id}\"{parent}><{prefix}text>{}</{prefix}text></{prefix}threadedComment>",
            escape_text(text)
        );
        match known.iter().rev().find(|node| cell_of(**node) == Some(cell)) {
            Some(last) => splice.after(*last, markup),
            None => splice.append(root, markup),
        }
    })?;
    Ok(id)
}

/// A moment of RFC 3339 in UTC as Excel writes it: without a zone, with hundredths of a second.
fn moment(now: &str) -> Option<String> {
    let plain = now.trim().trim_end_matches(['Z', 'z']);
    let (seconds, rest) = plain.split_at_checked(19)?;
    let is_moment = seconds.bytes().enumerate().all(|(at, byte)| match at {
        4 | 7 => byte == b'-',
        10 => matches!(byte, b'T' | b't' | b' '),
        13 | 16 => byte == b':',
        _ => byte.is_ascii_digit(),
    });
    let digits: String =
        rest.strip_prefix('.').unwrap_or_default().chars().take(2).filter(char::is_ascii_digit).collect();
    is_moment.then(|| format!("{}.{digits:0<2}", seconds.replace([' ', 't'], "T")))
}

/// Marks a thread as resolved, or as open.
pub(super) fn resolve(editor: &mut WorkbookEdit<'_>, thread: &Thread, resolved: bool) -> Result<(), Error> {
    let id = thread.id().to_owned();
    edit_part(editor, &thread.part, |root, splice| {
        for node in nodes(root).into_iter().filter(|node| cell_of(*node) == Some(thread.at)) {
            if node.attr("id").is_some_and(|own| own == id) {
                match resolved {
                    true => splice.set_attr(node, "done", "1"),
                    false => splice.remove_attr(node, "done"),
                }
            }
        }
    })
}

/// Removes comments of a thread.
pub(super) fn remove(editor: &mut WorkbookEdit<'_>, thread: &Thread, ids: &[String]) -> Result<(), Error> {
    edit_part(editor, &thread.part, |root, splice| {
        for node in nodes(root).into_iter().filter(|node| cell_of(*node) == Some(thread.at)) {
            if node.attr("id").is_some_and(|id| ids.iter().any(|gone| *gone == id)) {
                splice.remove(node);
            }
        }
    })
}

/// Writes the note that stands for a thread, with all its texts.
pub(super) fn write_note(editor: &mut WorkbookEdit<'_>, sheet: &str, thread: &Thread) -> Result<(), Error> {
    let mut text = NOTICE.to_owned();
    for (number, comment) in thread.comments.iter().enumerate() {
        let head = if number == 0 { "Comment:" } else { "\nReply:" };
        text.push_str(&format!("{head}\n    {}", comment.text));
    }
    let author = format!("tc={}", thread.id());
    Notes::open(editor, sheet)?.set(editor, thread.at, &author, &text, Some(thread.id()))?;
    boxes::ensure(editor, sheet, thread.at)
}

/// The id of a person of the workbook, who is added where missing.
fn person(editor: &mut WorkbookEdit<'_>, name: &str) -> Result<String, Error> {
    let book = editor.book.part.clone();
    let relationships = Relationships::read(&editor.package, &book)?;
    let mut known = relationships.of_kind("person").filter_map(|found| found.part.clone());
    let part = match known.find(|part| editor.package.has(part)) {
        Some(part) => part,
        None => {
            let part = editor.sibling("persons/person{}.xml", "persons/person.xml");
            let main = editor.namespace()?;
            let text = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<personList xmlns=\"{NAMESPACE}\" xmlns:x=\"{main}\"></personList>"
            );
            editor.package.set_xml(&XmlPart::new(part.as_str(), text));
            ContentTypes::add(&mut editor.package, &part, PERSON_TYPE)?;
            let target = relative(&book, &part);
            Relationships::add_raw(&mut editor.package, &book, PERSON_KIND, &target, Mode::Internal)?;
            editor.book = crate::xlsx::workbook_part::WorkbookPart::read(&editor.package)?;
            part
        }
    };
    let mut id = String::new();
    edit_part(editor, &part, |root, splice| {
        let persons: Vec<Node<'_>> = root.elements().filter(|node| node.local() == "person").collect();
        let same = persons.iter().find(|node| node.attr("displayName").is_some_and(|known| known == name));
        if let Some(found) = same.and_then(|node| node.attr("id")) {
            id = found.into_owned();
            return;
        }
        let ids: Vec<String> =
            persons.iter().filter_map(|node| node.attr("id")).map(|id| id.to_ascii_lowercase()).collect();
        id = free_guid(&format!("person\u{0}{name}"), &ids);
        let (prefix, name) = (root.prefix(), escape_attribute(name));
        let markup =
            format!("<{prefix}person displayName=\"{name}\" id=\"{id}\" userId=\"{name}\" providerId=\"None\"/>");
        splice.append(root, markup);
    })?;
    Ok(id)
}

/// An id made from what it stands for, so that the same edit of the same file gives the same bytes.
fn free_guid(seed: &str, taken: &[String]) -> String {
    let mut number = 0_u32;
    loop {
        let hash = Sha1::new().chain_update(seed).chain_update(number.to_le_bytes()).finalize();
        let hex: String = hash.iter().take(16).map(|byte| format!("{byte:02X}")).collect();
        let piece = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        // The version and the variant of a GUID made from a hash.
        let id =
            format!("{{{}-{}-5{}-A{}-{}}}", piece(0, 8), piece(8, 12), piece(13, 16), piece(17, 20), piece(20, 32));
        if !taken.contains(&id.to_ascii_lowercase()) {
            return id;
        }
        number += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_guids_and_do_not_collide() {
        let one = free_guid("a", &[]);
        assert_eq!(one.len(), 38);
        assert_eq!(one, free_guid("a", &[]));
        let other = free_guid("a", &[one.to_ascii_lowercase()]);
        assert_ne!(one, other);
    }

    #[test]
    fn moments_lose_their_zone() {
        assert_eq!(moment("2024-01-05T10:30:00Z").as_deref(), Some("2024-01-05T10:30:00.00"));
        assert_eq!(moment("2024-01-05T10:30:00.1234Z").as_deref(), Some("2024-01-05T10:30:00.12"));
        assert_eq!(moment("yesterday"), None);
    }
}
