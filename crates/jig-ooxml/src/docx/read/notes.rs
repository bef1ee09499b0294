//! Footnotes, endnotes and comments.

use std::collections::HashMap;

use super::source::Source;
use crate::docx::{blocks, inline, word};
use crate::error::Error;
use crate::xml::{Node, Ns, Tree};

/// A note that the text refers to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Note {
    pub(super) id: String,
    pub(super) end: bool,
    /// What stands in the text: `3` for the third footnote, `e3` for the third endnote.
    pub(super) label: String,
}

/// Notes in the order in which the text refers to them.
#[derive(Debug, Default)]
pub(super) struct Notes {
    list: Vec<Note>,
    places: HashMap<(bool, String), usize>,
    counts: [usize; 2],
}

impl Notes {
    /// The position and label of a note that is referred to.
    pub(super) fn meet(&mut self, id: &str, end: bool) -> (usize, String) {
        let at = *self.places.entry((end, id.to_owned())).or_insert(self.list.len());
        if let Some(known) = self.list.get(at) {
            return (at, known.label.clone());
        }
        let count = &mut self.counts[usize::from(end)];
        *count += 1;
        let label = if end { format!("e{count}") } else { count.to_string() };
        self.list.push(Note { id: id.to_owned(), end, label: label.clone() });
        (at, label)
    }

    /// The note at a position.
    pub(super) fn met(&self, at: usize) -> Option<Note> {
        self.list.get(at).cloned()
    }
}

/// The notes or comments of a part by their ids. Separators, which Word keeps among them, are left out.
pub(super) fn by_id<'t>(tree: Option<&'t Tree<'t>>) -> HashMap<String, Node<'t>> {
    let nodes = tree.into_iter().flat_map(|tree| tree.root().elements());
    let nodes = nodes.filter(|node| node.ns() == Ns::W && is_shown(*node));
    nodes.filter_map(|node| Some((word::attr(node, "id")?.into_owned(), node))).collect()
}

fn is_shown(note: Node<'_>) -> bool {
    word::attr(note, "type").is_none_or(|kind| kind == "normal")
}

/// Comments by id: who, and what.
#[derive(Debug, Default)]
pub(super) struct Comments {
    by_id: HashMap<String, (String, String)>,
}

impl Comments {
    pub(super) fn read(source: &Source) -> Result<Self, Error> {
        let Some(part) = &source.beside().comments else { return Ok(Self::default()) };
        let tree = part.tree(&source.limits)?;
        let comments = by_id(Some(&tree)).into_iter().map(|(id, node)| {
            let lines = blocks::blocks(node).into_iter().filter_map(blocks::Block::paragraph);
            let text: Vec<String> = lines.map(|paragraph| inline::paragraph_text(paragraph.node)).collect();
            let author = word::attr(node, "author").unwrap_or_default().into_owned();
            (id, (author, text.join(" ").trim().to_owned()))
        });
        Ok(Self { by_id: comments.collect() })
    }

    pub(super) fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Id, author and text of each comment, in the order of their ids.
    pub(super) fn all(&self) -> Vec<(&str, &str, &str)> {
        let comments = self.by_id.iter();
        let mut all: Vec<_> =
            comments.map(|(id, (author, text))| (id.as_str(), author.as_str(), text.as_str())).collect();
        all.sort_by_key(|(id, ..)| (id.parse::<u64>().unwrap_or(u64::MAX), *id));
        all
    }

    /// A comment at its place in the text.
    pub(super) fn shown(&self, id: &str) -> String {
        match self.by_id.get(id) {
            Some((author, text)) => format!("[comment by {author}: {text}]"),
            None => String::new(),
        }
    }
}
