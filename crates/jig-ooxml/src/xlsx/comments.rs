//! The notes and comment threads of a sheet, as information about it lists them.

use std::collections::{BTreeMap, HashMap};

use jig_file_api::read::xlsx::{CommentInfo, CommentReply};

use super::address::CellRef;
use super::workbook_part::{Sheet, WorkbookPart};
use crate::edit::excerpt;
use crate::error::PackageError;
use crate::package::Package;
use crate::relationships::Relationships;
use crate::xml::{Node, Ns};

/// The most replies of a thread that are listed: its last ones.
const REPLIES: usize = 50;

/// The notes and threads of a sheet, by row and column. The note that stands for a thread in older programs is left out.
pub(super) fn of_sheet(
    package: &Package,
    book: &WorkbookPart,
    sheet: &Sheet,
) -> Result<Vec<CommentInfo>, PackageError> {
    let Some(part) = &sheet.part else { return Ok(Vec::new()) };
    let relationships = Relationships::read(package, part)?;
    let parts = |kind: &'static str| {
        let found = relationships.of_kind(kind).filter_map(|found| found.part.as_deref());
        found.filter(|part| package.has(part)).map(str::to_owned).collect::<Vec<_>>()
    };
    let (notes, threads) = (parts("comments"), parts("threadedComment"));
    let mut found: BTreeMap<CellRef, CommentInfo> = BTreeMap::new();
    for part in notes {
        read_notes(package, &part, &mut found)?;
    }
    if !threads.is_empty() {
        let persons = persons(package, book)?;
        for part in threads {
            read_threads(package, &part, &persons, &mut found)?;
        }
    }
    Ok(found.into_values().collect())
}

fn read_notes(package: &Package, part: &str, found: &mut BTreeMap<CellRef, CommentInfo>) -> Result<(), PackageError> {
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let root = tree.root();
    let authors = root.child(Ns::S, "authors");
    let authors: Vec<String> = authors
        .into_iter()
        .flat_map(|list| list.children_named(Ns::S, "author"))
        .map(|author| author.text().into_owned())
        .collect();
    let list = root.child(Ns::S, "commentList");
    for node in list.into_iter().flat_map(|list| list.children_named(Ns::S, "comment")) {
        let Some(at) = cell_of(node) else { continue };
        let author = node.attr("authorId").and_then(|id| authors.get(id.trim().parse::<usize>().ok()?));
        let text = node.child(Ns::S, "text").map(rich_text).unwrap_or_default();
        let author = author.cloned().unwrap_or_default();
        let info = CommentInfo {
            cell: at.to_string(),
            kind: "note",
            author,
            text: excerpt(&text),
            resolved: false,
            replies: Vec::new(),
        };
        found.insert(at, info);
    }
    Ok(())
}

fn read_threads(
    package: &Package,
    part: &str,
    persons: &HashMap<String, String>,
    found: &mut BTreeMap<CellRef, CommentInfo>,
) -> Result<(), PackageError> {
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let nodes: Vec<Node<'_>> = tree.root().elements().filter(|node| node.local() == "threadedComment").collect();
    let author = |node: &Node<'_>| {
        let id = node.attr("personId").unwrap_or_default().to_ascii_lowercase();
        persons.get(&id).cloned().unwrap_or_default()
    };
    let text = |node: &Node<'_>| {
        let text = node.elements().find(|child| child.local() == "text");
        excerpt(&text.map(|text| text.text().into_owned()).unwrap_or_default())
    };
    for node in nodes.iter().filter(|node| node.attr("parentId").is_none()) {
        let Some(at) = cell_of(*node) else { continue };
        let resolved = node.attr("done").is_some_and(|done| matches!(done.trim(), "1" | "true"));
        let info = CommentInfo {
            cell: at.to_string(),
            kind: "thread",
            author: author(node),
            text: text(node),
            resolved,
            replies: Vec::new(),
        };
        found.insert(at, info);
    }
    for node in nodes.iter().filter(|node| node.attr("parentId").is_some()) {
        if let Some(thread) = cell_of(*node).and_then(|at| found.get_mut(&at)).filter(|info| info.kind == "thread") {
            thread.replies.push(CommentReply { author: author(node), text: text(node) });
            if thread.replies.len() > REPLIES {
                thread.replies.remove(0);
            }
        }
    }
    Ok(())
}

/// The names of persons by their ids, in lower case.
fn persons(package: &Package, book: &WorkbookPart) -> Result<HashMap<String, String>, PackageError> {
    let Some(part) = book.relationships.first("person").filter(|part| package.has(part)) else {
        return Ok(HashMap::new());
    };
    let content = package.xml(part)?;
    let tree = content.tree(package.limits())?;
    let persons = tree.root().elements().filter(|node| node.local() == "person");
    let entry = |node: Node<'_>| {
        Some((node.attr("id")?.to_ascii_lowercase(), node.attr("displayName").unwrap_or_default().into_owned()))
    };
    Ok(persons.filter_map(entry).collect())
}

fn cell_of(node: Node<'_>) -> Option<CellRef> {
    node.attr("ref")?.parse().ok()
}

/// The text of runs, without phonetic hints.
fn rich_text(text: Node<'_>) -> String {
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
