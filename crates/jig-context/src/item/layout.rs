//! The file layout of items: locations, which files may be edited, and reading an item.

use std::collections::BTreeMap;

use jig_contract::{BadPath, WorkbenchPath, fold_case};

use super::category::Category;
use super::input::is_blank;
use super::source::{Source, SourceInput};
use super::{Item, SourceFile};

/// The folder of all items in a workbench's state.
pub const CONTEXT_FOLDER: &str = "meta/context";
/// The file that records an item's input.
pub const SOURCE_JSON: &str = "source.json";
/// The folder of the input file.
pub const SOURCE_FILE_FOLDER: &str = "source_file";
/// The maximum number of texts of an item.
pub const FILES_MAX: usize = 64;
/// The maximum size of a text, in bytes.
pub const FILE_TEXT_MAX: usize = 1 << 20;

/// An item that exists but cannot be read. Prompts leave it out, and people are warned.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{} context could not be loaded. You may need to re-add it.", category.label())]
pub struct Damaged {
    /// Its category.
    pub category: Category,
    /// The error, for the log.
    pub why: String,
}

/// Whether a path inside an item is an editable text. The recorded input is not, however its name is spelled.
pub fn is_editable(path: &WorkbenchPath) -> bool {
    let first = path.segments().next().map(fold_case).unwrap_or_default();
    first != SOURCE_JSON && first != SOURCE_FILE_FOLDER
}

impl Category {
    /// The folder of this category's item.
    pub fn folder(self) -> String {
        format!("{CONTEXT_FOLDER}/{self}")
    }

    /// Converts a path inside the item to a path of the workbench's state.
    pub fn path_of(self, inside: &str) -> Result<WorkbenchPath, BadPath> {
        WorkbenchPath::new(format!("{}/{inside}", self.folder()))
    }

    /// Converts a path of the workbench's state to a path inside the item, if it is in there.
    pub fn inside(self, path: &WorkbenchPath) -> Option<&str> {
        path.as_str().strip_prefix(&self.folder())?.strip_prefix('/')
    }
}

impl Item {
    /// All files of the item, by path in the workbench's state. They replace everything in its folder.
    pub fn into_files(self) -> Result<BTreeMap<WorkbenchPath, Vec<u8>>, BadPath> {
        let category = self.category;
        let mut all = BTreeMap::new();
        all.insert(category.path_of(SOURCE_JSON)?, self.source.to_json().into_bytes());
        if let Some(file) = self.source_file {
            all.insert(category.path_of(&format!("{SOURCE_FILE_FOLDER}/{}", file.name))?, file.bytes);
        }
        for (path, text) in self.files {
            all.insert(category.path_of(&path)?, text.into_bytes());
        }
        Ok(all)
    }

    /// Reads the item of a category; `None` if the category is empty. Other files in the map are ignored.
    pub fn read(category: Category, state: &BTreeMap<WorkbenchPath, Vec<u8>>) -> Result<Option<Self>, Damaged> {
        let Some(files) = artifact(category, state)? else { return Ok(None) };
        let damaged = |why| Damaged { category, why };
        let find = |inside: &str| state.iter().find(|(path, _)| category.inside(path) == Some(inside));
        let (_, json) = find(SOURCE_JSON).ok_or_else(|| damaged(format!("{SOURCE_JSON} is missing")))?;
        let source = Source::from_json(json).map_err(damaged)?;
        let source_file = match &source.input {
            SourceInput::Text { .. } => None,
            SourceInput::File { original_filename: name, .. } => find(&format!("{SOURCE_FILE_FOLDER}/{name}"))
                .map(|(_, bytes)| SourceFile { name: name.clone(), bytes: bytes.clone() }),
        };
        Ok(Some(Self { category, files, source, source_file }))
    }
}

/// The texts of an item, for prompts; `None` if the category is empty. Does not need `source.json`, so that an item
/// with intact texts is never left out.
pub fn artifact(
    category: Category,
    state: &BTreeMap<WorkbenchPath, Vec<u8>>,
) -> Result<Option<BTreeMap<String, String>>, Damaged> {
    let damaged = |why| Damaged { category, why };
    let mut there = false;
    let mut files = BTreeMap::new();
    for (path, bytes) in state {
        let Some(inside) = category.inside(path) else { continue };
        there = true;
        if !WorkbenchPath::new(inside).is_ok_and(|inside| is_editable(&inside)) {
            continue;
        }
        let text = std::str::from_utf8(bytes).map_err(|_| damaged(format!("{inside} is not UTF-8")))?;
        files.insert(inside.to_owned(), text.to_owned());
    }
    if !there {
        return Ok(None);
    }
    let main = category.main_file();
    match files.get(main) {
        None => Err(damaged(format!("{main} is missing"))),
        Some(text) if is_blank(text) => Err(damaged(format!("{main} is empty"))),
        Some(_) => Ok(Some(files)),
    }
}

#[cfg(test)]
#[path = "layout_tests.rs"]
mod tests;
