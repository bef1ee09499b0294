//! Two versions of a file of any format: how they differ, and one of them with changes taken back.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value, json};

use super::Engine;
use super::error::{FileError, Reason};
use crate::diff::revert::{self, Reverted};
use crate::diff::{Diff, diff, view};
use crate::kind::FileKind;
use crate::sniff::{Complete, sniff};

/// Two versions of a file. Without bytes, there is no file on that side.
#[derive(Debug, Clone, Default)]
pub struct Versions {
    /// A name with the file's ending, which helps to tell what it is.
    pub name: String,
    /// Before.
    pub old: Option<Arc<[u8]>>,
    /// After.
    pub new: Option<Arc<[u8]>>,
}

/// Comparisons that were made lately: the next page of one costs no comparing.
#[derive(Default)]
pub(super) struct Compared(Mutex<VecDeque<(Key, Arc<Diff>)>>);

type Key = [Option<[u8; 32]>; 2];

/// How many are kept.
const MOST: usize = 4;

impl std::fmt::Debug for Compared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).len();
        f.debug_struct("Compared").field("kept", &kept).finish()
    }
}

impl Versions {
    fn kinds(&self) -> (FileKind, FileKind) {
        let kind = |bytes: &Option<Arc<[u8]>>| {
            let bytes = bytes.as_deref().unwrap_or_default();
            sniff(&self.name, bytes, Complete::Whole).kind
        };
        (kind(&self.old), kind(&self.new))
    }

    fn key(&self) -> Key {
        let hash = |bytes: &Option<Arc<[u8]>>| bytes.as_ref().map(|bytes| *blake3::hash(bytes).as_bytes());
        [hash(&self.old), hash(&self.new)]
    }
}

impl Engine {
    /// How two versions differ: a page of it (`page`, from 1), or with `overview` only what is said of the whole. With
    /// `marks`, the id and the mark of every change stand beside it.
    pub fn diff(&self, versions: &Versions, params: &Value) -> Result<Value, FileError> {
        let flag = |name: &str| params[name] == true;
        let found = self.compared(versions);
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
        let found = self.compared(versions);
        let ids = match &params["changes"] {
            Value::Array(ids) => ids.iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>(),
            Value::Null if params["all"] == true => Some(revert::all_ids(&found)),
            _ => None,
        };
        let ids = ids.ok_or_else(|| FileError::invalid("changes: a list of ids is needed"))?;
        let both = revert::Versions { kinds: versions.kinds(), old, new, diff: &found };
        let reverted = revert::revert(self, &both, &ids)?;
        let answer = Map::from_iter([
            ("ok".to_owned(), Value::Bool(true)),
            ("reverted".to_owned(), json!(reverted.changes)),
            ("whole".to_owned(), json!(reverted.whole)),
            ("warnings".to_owned(), json!(reverted.warnings)),
        ]);
        Ok((reverted, Value::Object(answer)))
    }

    fn compared(&self, versions: &Versions) -> Arc<Diff> {
        let key = versions.key();
        let kept = || self.compared.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, found)) = kept().iter().find(|(known, _)| *known == key) {
            return found.clone();
        }
        let (old_kind, new_kind) = versions.kinds();
        let found = Arc::new(diff(old_kind, new_kind, versions.old.as_deref(), versions.new.as_deref()));
        let mut list = kept();
        list.push_front((key, found.clone()));
        list.truncate(MOST);
        found
    }
}
