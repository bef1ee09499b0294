//! Notes and comment threads of cells.
//!
//! A note is an entry of the comments part with a box in a VML drawing. A thread is a list of entries of the threaded
//! comments part, whose persons are in a part of the workbook, and a note that older programs show in its place.

mod boxes;
mod notes;
mod threads;

use jig_file_api::ops::xlsx::{AddComment, DeleteComment, DeleteNote, ReplyComment, ResolveComment, SetNote};

use self::notes::Notes;
use self::threads::Thread;
use super::cells::cell_at;
use super::layout::range_at;
use super::{WorkbookEdit, listed};
use crate::edit::{EditError, OpInput, OpReport, excerpt};
use crate::error::Error;
use crate::xlsx::address::{CellRange, CellRef};
use crate::xml::strip_illegal;

/// Sets the note of a cell.
pub(super) fn set_note(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &SetNote) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let cell = cell_at(&op.cell, &input.at("cell"))?;
    let text = text_of(input, &op.text)?;
    if threads::at(editor, &part, cell)?.is_some() {
        let why =
            format!("{cell} has a comment thread; reply to it with reply_comment, or delete it with delete_comment");
        return Err(input.error("cell", why).into());
    }
    let author = author_of(editor, op.author.as_deref());
    let mut notes = Notes::open(editor, &part)?;
    let old = notes.set(editor, cell, &author, &text, None)?;
    boxes::ensure(editor, &part, cell)?;
    let sheet = sheet_name(editor, place);
    let summary = match &old {
        None => format!("Added a note to {cell} on {sheet}."),
        Some(_) => format!("Replaced the note of {cell} on {sheet}."),
    };
    let change = OpReport::new(input, summary).with("sheet", sheet).with("cell", cell.to_string());
    let change = change.with("author", author).with("new", excerpt(&text));
    Ok(match old {
        Some(old) => change.with("old", excerpt(&old)),
        None => change,
    })
}

/// Deletes the notes of a range.
pub(super) fn delete_note(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &DeleteNote) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let range = range_at(&op.cell, &input.at("cell"))?;
    let sheet = sheet_name(editor, place);
    let threaded = threads::cells(editor, &part)?;
    let notes = Notes::open(editor, &part)?.list(editor)?;
    let hit: Vec<(CellRef, String)> = notes
        .iter()
        .filter(|note| range.contains(note.at) && !threaded.contains(&note.at))
        .map(|note| (note.at, note.text.clone()))
        .collect();
    if hit.is_empty() {
        if let Some(cell) = threaded.iter().find(|cell| range.contains(**cell)) {
            let why = format!("{cell} has a comment thread and no note; delete it with delete_comment");
            return Err(input.error("cell", why).into());
        }
        let known: Vec<String> = notes.iter().filter(|n| !threaded.contains(&n.at)).map(|n| n.at.to_string()).collect();
        return Err(none_there(input, "notes", range, &known).into());
    }
    let cells: Vec<CellRef> = hit.iter().map(|(cell, _)| *cell).collect();
    Notes::open(editor, &part)?.remove(editor, &cells)?;
    boxes::remove(editor, &part, &cells)?;
    notes::tidy(editor, &part)?;
    let summary = format!("Deleted {} note(s) on {sheet} ({}).", cells.len(), listed(cells.iter(), 8));
    let old: Vec<serde_json::Value> = hit
        .iter()
        .take(crate::edit::MOST_LISTED)
        .map(|(cell, text)| serde_json::json!({ "cell": cell.to_string(), "text": excerpt(text) }))
        .collect();
    Ok(OpReport::new(input, summary).with("sheet", sheet).with("notes", cells.len()).with("old", old))
}

/// Starts a comment thread.
pub(super) fn add_comment(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &AddComment) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let cell = cell_at(&op.cell, &input.at("cell"))?;
    let text = text_of(input, &op.text)?;
    if threads::at(editor, &part, cell)?.is_some() {
        let why = format!("{cell} has a comment thread already; add to it with reply_comment");
        return Err(input.error("cell", why).into());
    }
    if Notes::open(editor, &part)?.list(editor)?.iter().any(|note| note.at == cell) {
        let why =
            format!("{cell} has a note; a cell has either a note or a comment thread. Delete it with delete_note");
        return Err(input.error("cell", why).into());
    }
    let author = author_of(editor, op.author.as_deref());
    let thread = threads::start(editor, &part, cell, &author, &text)?;
    threads::write_note(editor, &part, &thread)?;
    let sheet = sheet_name(editor, place);
    let summary = format!("Added a comment to {cell} on {sheet}.");
    let change = OpReport::new(input, summary).with("sheet", sheet).with("cell", cell.to_string());
    Ok(change.with("author", author).with("new", excerpt(&text)))
}

/// Replies to a comment thread.
pub(super) fn reply(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &ReplyComment) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let cell = cell_at(&op.cell, &input.at("cell"))?;
    let text = text_of(input, &op.text)?;
    let thread = thread_at(editor, input, &part, cell)?;
    let author = author_of(editor, op.author.as_deref());
    threads::reply(editor, &part, &thread, &author, &text)?;
    let thread = thread_at(editor, input, &part, cell)?;
    threads::write_note(editor, &part, &thread)?;
    let sheet = sheet_name(editor, place);
    let replies = thread.comments.len().saturating_sub(1);
    let summary = format!("Replied to the comment of {cell} on {sheet}.");
    let change = OpReport::new(input, summary).with("sheet", sheet).with("cell", cell.to_string());
    Ok(change.with("author", author).with("new", excerpt(&text)).with("replies", replies))
}

/// Resolves a comment thread, or reopens it.
pub(super) fn resolve(editor: &mut WorkbookEdit<'_>, input: &OpInput, op: &ResolveComment) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let cell = cell_at(&op.cell, &input.at("cell"))?;
    let thread = thread_at(editor, input, &part, cell)?;
    let resolved = op.resolved != Some(false);
    threads::resolve(editor, &thread, resolved)?;
    let sheet = sheet_name(editor, place);
    let verb = if resolved { "Resolved" } else { "Reopened" };
    let summary = format!("{verb} the comment of {cell} on {sheet}.");
    let change = OpReport::new(input, summary).with("sheet", sheet).with("cell", cell.to_string());
    Ok(change.with("resolved", resolved).with("old", thread.is_resolved()))
}

/// Deletes a comment thread, or one of its replies.
pub(super) fn delete_comment(
    editor: &mut WorkbookEdit<'_>,
    input: &OpInput,
    op: &DeleteComment,
) -> Result<OpReport, Error> {
    let (place, part) = editor.grid(input, "sheet", &op.sheet)?;
    let cell = cell_at(&op.cell, &input.at("cell"))?;
    let thread = thread_at(editor, input, &part, cell)?;
    let sheet = sheet_name(editor, place);
    let report = |summary: String, old: Vec<String>| {
        let change = OpReport::new(input, summary).with("sheet", sheet.clone()).with("cell", cell.to_string());
        change.with("old", old)
    };
    if let Some(number) = op.reply {
        let replies = thread.comments.len().saturating_sub(1);
        let found = usize::try_from(number).ok().and_then(|number| thread.comments.get(number));
        let Some(found) = found else {
            let why = format!("the thread of {cell} has {replies} replies (got {number})");
            return Err(input.error("reply", why).into());
        };
        threads::remove(editor, &thread, std::slice::from_ref(&found.id))?;
        let left = thread_at(editor, input, &part, cell)?;
        threads::write_note(editor, &part, &left)?;
        let summary = format!("Deleted reply {number} of the comment of {cell} on {sheet}.");
        return Ok(report(summary, vec![excerpt(&found.text)]));
    }
    let old = thread.comments.iter().take(crate::edit::MOST_LISTED).map(|comment| excerpt(&comment.text)).collect();
    remove_thread(editor, &part, &thread)?;
    notes::tidy(editor, &part)?;
    Ok(report(format!("Deleted the comment of {cell} on {sheet}."), old))
}

fn remove_thread(editor: &mut WorkbookEdit<'_>, part: &str, thread: &Thread) -> Result<(), Error> {
    let ids: Vec<String> = thread.comments.iter().map(|comment| comment.id.clone()).collect();
    threads::remove(editor, thread, &ids)?;
    Notes::open(editor, part)?.remove(editor, &[thread.at])?;
    boxes::remove(editor, part, &[thread.at])
}

/// Removes all notes and threads of a range. Returns their cells.
pub(super) fn remove_all(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<Vec<CellRef>, Error> {
    let mut cells = Vec::new();
    for cell in threads::cells(editor, part)?.into_iter().filter(|cell| range.contains(*cell)) {
        if let Some(thread) = threads::at(editor, part, cell)? {
            remove_thread(editor, part, &thread)?;
            cells.push(cell);
        }
    }
    let notes = Notes::open(editor, part)?.list(editor)?;
    let left: Vec<CellRef> = notes.iter().map(|note| note.at).filter(|cell| range.contains(*cell)).collect();
    if !left.is_empty() {
        Notes::open(editor, part)?.remove(editor, &left)?;
        boxes::remove(editor, part, &left)?;
        cells.extend(left);
    }
    if !cells.is_empty() {
        notes::tidy(editor, part)?;
    }
    cells.sort_unstable();
    cells.dedup();
    Ok(cells)
}

/// Whether a range has notes or threads.
pub(super) fn has_any(editor: &mut WorkbookEdit<'_>, part: &str, range: CellRange) -> Result<bool, Error> {
    let notes = Notes::open(editor, part)?.list(editor)?;
    let threaded = threads::cells(editor, part)?;
    Ok(notes.iter().map(|note| note.at).chain(threaded).any(|cell| range.contains(cell)))
}

fn thread_at(editor: &mut WorkbookEdit<'_>, input: &OpInput, part: &str, cell: CellRef) -> Result<Thread, Error> {
    if let Some(thread) = threads::at(editor, part, cell)? {
        return Ok(thread);
    }
    if Notes::open(editor, part)?.list(editor)?.iter().any(|note| note.at == cell) {
        let why = format!("{cell} has a note and no comment thread; change it with set_note");
        return Err(input.error("cell", why).into());
    }
    let known: Vec<String> = threads::cells(editor, part)?.iter().map(ToString::to_string).collect();
    Err(none_there(input, "comment threads", CellRange::from(cell), &known).into())
}

fn none_there(input: &OpInput, what: &str, range: CellRange, known: &[String]) -> EditError {
    let have = match known.len() {
        0 => "the sheet has none".to_owned(),
        _ => format!("the sheet has {what} on {}", listed(known.iter(), 10)),
    };
    let near: Vec<String> = known.iter().take(3).cloned().collect();
    input.error("cell", format!("no {what} on {range}; {have}")).suggest(near)
}

fn sheet_name(editor: &WorkbookEdit<'_>, place: usize) -> String {
    editor.book.sheets.get(place).map(|sheet| sheet.name.clone()).unwrap_or_default()
}

fn author_of(editor: &WorkbookEdit<'_>, given: Option<&str>) -> String {
    let given = given.map(str::trim).filter(|author| !author.is_empty());
    strip_illegal(given.unwrap_or(editor.options.author)).0.into_owned()
}

fn text_of(input: &OpInput, text: &str) -> Result<String, EditError> {
    let text = strip_illegal(text).0.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Err(input.error("text", "missing or empty: the text of the comment"));
    }
    Ok(text)
}
