//! Reading a model's answer: lenient about what stands around it, strict about which files it brings.

use std::collections::BTreeMap;

use jig_contract::{BadPath, WorkbenchPath, fold_case};
use serde_json::Value;

use super::json;
use super::prompt::paths_in_words;
use super::tidy::tidy;
use crate::item::category::Category;
use crate::item::layout::{FILE_TEXT_MAX, FILES_MAX};

/// The longest answer that is read, in bytes.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The files of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The texts by their paths inside the item.
    pub files: BTreeMap<String, String>,
    /// What was put right without asking.
    pub warnings: Vec<String>,
}

/// What is wrong with an answer. Each is told to the model and, when that does not help, to the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// Nothing was written.
    #[error("the answer is empty")]
    Empty,
    /// More was written than is read.
    #[error("the answer has {bytes} bytes; at most {ANSWER_BYTES_MAX} are read")]
    TooLarge {
        /// How many.
        bytes: usize,
    },
    /// It breaks off.
    #[error("the answer breaks off in the middle of its JSON; write shorter files")]
    CutOff,
    /// There is no JSON in it.
    #[error("the answer holds no JSON object{}", why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    NoJson {
        /// What the reader stumbled over.
        why: Option<String>,
    },
    /// There is JSON, but not what was asked for.
    #[error("the JSON has no list `files`")]
    NoFiles,
    /// The list is empty.
    #[error("the list `files` is empty")]
    NoneAtAll,
    /// The list is too long.
    #[error("the answer has {files} files; at most {FILES_MAX} are taken")]
    TooMany {
        /// How many.
        files: usize,
    },
    /// An entry is not a path with a text.
    #[error("entry {number} of `files` must have a text `path` and a text `content`")]
    NoText {
        /// Which, counted from 1.
        number: usize,
    },
    /// A path leaves the folder or is no path.
    #[error("{0}")]
    Path(BadPath),
    /// A path that has no place in the item.
    #[error("`{path}` is not expected; allowed are {allowed}")]
    Unexpected {
        /// Which.
        path: String,
        /// What is.
        allowed: String,
    },
    /// The same path twice.
    #[error("`{path}` is there twice")]
    Twice {
        /// Which.
        path: String,
    },
    /// A text that is too long.
    #[error("`{path}` has {bytes} bytes; a file has at most {FILE_TEXT_MAX}")]
    TooLong {
        /// Which.
        path: String,
        /// How long.
        bytes: usize,
    },
}

/// Reads a model's answer. Of several JSON values the last one counts that brings the category's main file, else the
/// last that has the right form. Errors are collected, so that one repair can mend them all.
pub fn read_answer(category: Category, text: &str) -> Result<Answer, Vec<AnswerError>> {
    if text.len() > ANSWER_BYTES_MAX {
        return Err(vec![AnswerError::TooLarge { bytes: text.len() }]);
    }
    if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return Err(vec![AnswerError::Empty]);
    }
    // Some models write the object as a JSON text of its own.
    if let Ok(inner) = serde_json::from_str::<String>(text.trim()) {
        return read_answer(category, &inner);
    }
    let found = json::find(text);
    let lists: Vec<&[Value]> = found.values.iter().filter_map(files_of).collect();
    // A lone bracket behind a whole answer is prose; the beginning of more files is not.
    if found.cut_off.is_some_and(|start| lists.is_empty() || text[start..].contains("\"path\"")) {
        return Err(vec![AnswerError::CutOff]);
    }
    let with_main = lists.iter().rfind(|list| list.iter().any(|entry| brings_main(category, entry)));
    let Some(list) = with_main.or(lists.last()) else {
        let object = found.values.iter().any(Value::is_object);
        return Err(vec![if object { AnswerError::NoFiles } else { AnswerError::NoJson { why: found.fault } }]);
    };
    read_list(category, list)
}

/// The list of files in a value: `{"files": […]}`, or the list alone; also where the object is wrapped in another one or
/// in a list.
fn files_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(list) if !list.is_empty() && list.iter().all(|entry| entry.get("path").is_some()) => Some(list),
        value => named_files(value, WRAPPERS),
    }
}

/// How deep the object may be wrapped.
const WRAPPERS: usize = 2;

fn named_files(value: &Value, wrappers: usize) -> Option<&[Value]> {
    match value {
        Value::Object(fields) if fields.contains_key("files") => Some(fields.get("files")?.as_array()?),
        Value::Object(fields) if wrappers > 0 => fields.values().find_map(|value| named_files(value, wrappers - 1)),
        Value::Array(list) if wrappers > 0 => list.iter().find_map(|value| named_files(value, wrappers - 1)),
        _ => None,
    }
}

fn brings_main(category: Category, entry: &Value) -> bool {
    let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
    fold_case(inside(category, path)) == fold_case(category.main_file())
}

/// The path without the folder that models like to put before it.
fn inside(category: Category, path: &str) -> &str {
    let path = path.strip_prefix("./").unwrap_or(path);
    path.strip_prefix(category.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(path)
}

fn read_list(category: Category, list: &[Value]) -> Result<Answer, Vec<AnswerError>> {
    if list.is_empty() {
        return Err(vec![AnswerError::NoneAtAll]);
    }
    if list.len() > FILES_MAX {
        return Err(vec![AnswerError::TooMany { files: list.len() }]);
    }
    let mut answer = Answer { files: BTreeMap::new(), warnings: Vec::new() };
    let mut errors = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        if let Err(error) = take(category, index + 1, entry, &mut answer) {
            errors.push(error);
        }
    }
    if errors.is_empty() { Ok(answer) } else { Err(errors) }
}

fn take(category: Category, number: usize, entry: &Value, answer: &mut Answer) -> Result<(), AnswerError> {
    let text_of = |field: &str| entry.get(field).and_then(Value::as_str).ok_or(AnswerError::NoText { number });
    let (given, content) = (text_of("path")?, text_of("content")?);
    let path = String::from(WorkbenchPath::new(inside(category, given)).map_err(AnswerError::Path)?);
    let path = expected(category, path)?;
    if content.len() > FILE_TEXT_MAX {
        return Err(AnswerError::TooLong { path, bytes: content.len() });
    }
    let (text, dropped) = tidy(content);
    if dropped {
        answer.warnings.push(format!("characters that cannot be shown were left out of {path}"));
    }
    if answer.files.keys().any(|other| fold_case(other) == fold_case(&path)) {
        return Err(AnswerError::Twice { path });
    }
    answer.files.insert(path, text);
    Ok(())
}

/// The path as the layout has it, when it has a place there.
fn expected(category: Category, path: String) -> Result<String, AnswerError> {
    if fold_case(&path) == fold_case(category.main_file()) {
        return Ok(category.main_file().to_owned());
    }
    let name = path.strip_prefix("references/").filter(|name| !name.contains('/') && name.ends_with(".md"));
    if category.is_skill() && name.is_some_and(|name| name != ".md") {
        return Ok(path);
    }
    Err(AnswerError::Unexpected { path, allowed: paths_in_words(category) })
}

#[cfg(test)]
#[path = "answer_tests.rs"]
mod tests;
