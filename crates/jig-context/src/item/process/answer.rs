//! Parses a model's answer: tolerant about its wrapping, strict about the files it contains.

use std::collections::BTreeMap;

use jig_contract::{BadPath, WorkbenchPath, fold_case};
use serde_json::Value;

use super::json;
use super::prompt::paths_in_words;
use super::tidy::tidy;
use crate::item::category::Category;
use crate::item::layout::{FILE_TEXT_MAX, FILES_MAX};

/// The maximum size of an answer, in bytes.
pub const ANSWER_BYTES_MAX: usize = 4 << 20;

/// The files of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The texts, by path inside the item.
    pub files: BTreeMap<String, String>,
    /// Corrections that needed no retry.
    pub warnings: Vec<String>,
}

/// An error in an answer. Reported to the model and, if the retry fails, to the person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The answer is empty.
    #[error("the answer is empty")]
    Empty,
    /// The answer is too large.
    #[error("the answer has {bytes} bytes; at most {ANSWER_BYTES_MAX} are read")]
    TooLarge {
        /// Its size.
        bytes: usize,
    },
    /// The answer is cut off.
    #[error("the answer breaks off in the middle of its JSON; write shorter files")]
    CutOff,
    /// The answer contains no JSON.
    #[error("the answer holds no JSON object{}", why.as_ref().map(|why| format!(": {why}")).unwrap_or_default())]
    NoJson {
        /// The parser's error.
        why: Option<String>,
    },
    /// The JSON does not have the requested structure.
    #[error("the JSON has no list `files`")]
    NoFiles,
    /// The list of files is empty.
    #[error("the list `files` is empty")]
    NoneAtAll,
    /// The list of files is too long.
    #[error("the answer has {files} files; at most {FILES_MAX} are taken")]
    TooMany {
        /// The number of files.
        files: usize,
    },
    /// An entry is not a path with a text.
    #[error("entry {number} of `files` must have a text `path` and a text `content`")]
    NoText {
        /// Its number, counted from 1.
        number: usize,
    },
    /// A path is invalid or leaves the folder.
    #[error("{0}")]
    Path(BadPath),
    /// A path is not part of the item's layout.
    #[error("`{path}` is not expected; allowed are {allowed}")]
    Unexpected {
        /// The path.
        path: String,
        /// The valid paths.
        allowed: String,
    },
    /// A path occurs twice.
    #[error("`{path}` is there twice")]
    Twice {
        /// The path.
        path: String,
    },
    /// A text is too long.
    #[error("`{path}` has {bytes} bytes; a file has at most {FILE_TEXT_MAX}")]
    TooLong {
        /// Its path.
        path: String,
        /// Its size.
        bytes: usize,
    },
}

/// Parses a model's answer. If it contains several JSON values, the last one with the category's main file counts, else
/// the last one with the right structure. All errors are collected, so that one retry can fix them.
pub fn read_answer(category: Category, text: &str) -> Result<Answer, Vec<AnswerError>> {
    if text.len() > ANSWER_BYTES_MAX {
        return Err(vec![AnswerError::TooLarge { bytes: text.len() }]);
    }
    if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() {
        return Err(vec![AnswerError::Empty]);
    }
    // Some models encode the object as a JSON string.
    if let Ok(inner) = serde_json::from_str::<String>(text.trim()) {
        return read_answer(category, &inner);
    }
    let found = json::find(text);
    let lists: Vec<&[Value]> = found.values.iter().filter_map(files_of).collect();
    // A stray bracket after a complete answer is prose; the start of more files means that the answer was cut off.
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

/// The list of files in a value: `{"files": […]}` or the list alone, possibly wrapped in another object or list.
fn files_of(value: &Value) -> Option<&[Value]> {
    match value {
        Value::Array(list) if !list.is_empty() && list.iter().all(|entry| entry.get("path").is_some()) => Some(list),
        value => named_files(value, WRAPPERS),
    }
}

/// The maximum number of wrappers.
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

/// The path without the folder that models tend to add.
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

/// The path as the layout spells it, if it is part of the layout.
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
