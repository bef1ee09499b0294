//! Two versions of a file of any format: how they differ, and one of them with changes taken back.

use std::sync::Arc;

use quick_cache::sync::Cache;
use serde_json::{Map, Value, json};

use super::Engine;
use super::error::{FileError, Reason};
use crate::diff::revert::{self, Reverted};
use crate::diff::{Diff, diff, view};
use crate::file::{ContentHash, FileBytes};
use crate::kind::FileKind;
use crate::sniff::{Complete, sniff};

/// Two versions of a file. Without bytes, there is no file on that side.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    /// A name with the file's ending, which helps to tell what it is.
    pub name: String,
    /// Before.
    pub old: Option<FileBytes>,
    /// After.
    pub new: Option<FileBytes>,
}

/// Comparisons that were made recently: the next page of one compares nothing.
pub(super) struct DiffCache(Cache<DiffKey, Arc<Diff>>);

/// The content of both sides, and what it was read as: the name of a file decides too whether it is a table.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct DiffKey {
    kinds: (FileKind, FileKind),
    old: Option<ContentHash>,
    new: Option<ContentHash>,
}

/// How many comparisons are kept.
const MOST: usize = 4;

impl Default for DiffCache {
    fn default() -> Self {
        Self(Cache::new(MOST))
    }
}

impl std::fmt::Debug for DiffCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiffCache").field("diffs", &self.0.len()).finish()
    }
}

impl Versions {
    fn kinds(&self) -> (FileKind, FileKind) {
        let kind = |bytes: &Option<FileBytes>| {
            let bytes = bytes.as_deref().unwrap_or_default();
            sniff(&self.name, bytes, Complete::Whole).kind
        };
        (kind(&self.old), kind(&self.new))
    }
}

impl Engine {
    /// How two versions differ: a page of it (`page`, from 1), or with `overview` only what is said of the whole. With
    /// `marks`, the id and the mark of every change stand beside it.
    pub fn diff(&self, versions: &Versions, params: &Value) -> Result<Value, FileError> {
        let flag = |name: &str| params[name] == true;
        let found = self.compared(versions)?;
        let page = match &params["page"] {
            Value::Null => 1,
            page => page
                .as_u64()
                .and_then(|page| u32::try_from(page).ok())
                .ok_or_else(|| FileError::invalid("page: a whole number from 1 is needed"))?,
        };
        let mut answer = if flag("overview") {
            view::overview(&found)
        } else {
            let none = |pages| FileError::invalid(format!("there is no page {page}; the diff has pages 1 to {pages}"));
            view::answer(&found, page).map_err(none)?
        };
        if flag("marks") {
            answer["marks"] = view::marks(&found);
        }
        Ok(answer)
    }

    /// The new version with changes taken back: those of `changes`, or every one by itself with `all`.
    pub fn revert(&self, versions: &Versions, params: &Value) -> Result<(Reverted, Value), FileError> {
        let missing = || FileError::new(Reason::NotFound, "both versions of the file are needed");
        let old = versions.old.as_ref().ok_or_else(missing)?;
        let new = versions.new.as_ref().ok_or_else(missing)?;
        let found = self.compared(versions)?;
        let ids = match &params["changes"] {
            Value::Array(ids) => ids.iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>(),
            Value::Null if params["all"] == true => Some(revert::all_ids(&found)),
            _ => None,
        };
        let ids = ids.ok_or_else(|| FileError::invalid("changes: a list of ids is needed"))?;
        let both = revert::Versions { kinds: versions.kinds(), old: old.shared(), new: new.shared(), diff: &found };
        let reverted = revert::revert(self, &both, &ids)?;
        let answer = Map::from_iter([
            ("ok".to_owned(), Value::Bool(true)),
            ("reverted".to_owned(), json!(reverted.changes)),
            ("whole".to_owned(), json!(reverted.whole)),
            ("warnings".to_owned(), json!(reverted.warnings)),
        ]);
        Ok((reverted, Value::Object(answer)))
    }

    fn compared(&self, versions: &Versions) -> Result<Arc<Diff>, FileError> {
        let hash = |side: &Option<FileBytes>| side.as_ref().map(|file| *file.hash());
        let kinds = versions.kinds();
        let key = DiffKey { kinds, old: hash(&versions.old), new: hash(&versions.new) };
        let compare = || Ok(Arc::new(diff(kinds.0, kinds.1, versions.old.as_deref(), versions.new.as_deref())));
        self.diffs.0.get_or_insert_with(&key, compare)
    }
}
