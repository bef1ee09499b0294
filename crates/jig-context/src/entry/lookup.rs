//! Finds kinds and keys by name, with errors that list the alternatives.

use jig_contract::ops::KindDefinition;
use jig_contract::{Code, OpError};

use crate::definition::Problem;
use crate::document::{Address, Key, KindName, nearest, shown};

/// Finds a kind by name, ignoring case.
pub fn find_kind<'a>(kinds: &'a [KindDefinition], role: &str) -> Result<&'a KindDefinition, OpError> {
    let found = kinds.iter().find(|kind| kind.anchor_role == role.to_lowercase());
    found.ok_or_else(|| {
        OpError::new(Code::KindNotFound, format!("there is no kind of entries `{}`", shown(role)))
            .suggest(nearest(role, kinds.iter().map(|kind| kind.anchor_role.as_str())))
            .hint("`jig kind list` shows the kinds; `jig kind put` adds one")
    })
}

/// The key for an entry: required for a keyed kind, forbidden for a singleton.
pub fn key_for(kind: &KindDefinition, entry_key: Option<&str>) -> Result<Key, OpError> {
    let wrong = |message: String| OpError::new(Code::ValidationFailed, message);
    let key = Key::new(entry_key.unwrap_or_default()).map_err(|error| wrong(error.to_string()))?;
    let role = &kind.anchor_role;
    match (kind.is_singleton, key.is_singleton()) {
        (true, false) => {
            Err(wrong(format!("there is only one {role}: it has no key, but `{key}` was given"))
                .hint("leave the key out"))
        }
        (false, true) => Err(wrong(format!("there can be many of {role}: say which one by its key"))
            .hint(format!("`jig entry list {role}` shows the keys"))),
        _ => Ok(key),
    }
}

/// The error for a missing entry, with existing keys.
pub fn no_entry<'a>(kind: &KindDefinition, key: &Key, keys: impl IntoIterator<Item = &'a str>) -> OpError {
    let address = |name: KindName| Address { kind: name, key: key.clone(), part: None }.to_string();
    let shown = KindName::new(&kind.anchor_role).map_or_else(|_| kind.anchor_role.clone(), address);
    OpError::new(Code::EntryNotFound, format!("there is no {shown}"))
        .suggest(nearest(key.as_str(), keys))
        .hint(format!("`jig entry list {0}` shows what there is; `jig entry put {0}` makes one", kind.anchor_role))
}

/// Checks whether a kind may change like this while entries exist. Switching between singleton and keyed would
/// invalidate their keys.
pub fn check_change(present: &KindDefinition, given: &KindDefinition, entries: usize) -> Result<(), Problem> {
    if present.is_singleton == given.is_singleton || entries == 0 {
        return Ok(());
    }
    let message = format!("it cannot change while there are entries: {entries} of {}", present.anchor_role);
    Err(Problem::new("is_singleton", message))
}
