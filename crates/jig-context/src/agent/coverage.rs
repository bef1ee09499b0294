//! Which tools of a workspace can be called.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Whether a tool has an implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It has one.
    Bound,
    /// It has none.
    Unbound,
    /// It has one, but the policy denies it.
    NotPermitted,
}

/// The tools of all catalogs, by whether they can be called.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// They can be called, possibly after asking a person.
    pub bound: BTreeSet<String>,
    /// They have no implementation.
    pub unbound: BTreeSet<String>,
    /// The policy denies them.
    pub not_permitted: BTreeSet<String>,
}

impl Coverage {
    pub(super) fn of<'a>(names: impl Iterator<Item = &'a str>, standing: &dyn Fn(&str) -> Standing) -> Self {
        let mut coverage = Self::default();
        for name in names {
            let set = match standing(name) {
                Standing::Bound => &mut coverage.bound,
                Standing::Unbound => &mut coverage.unbound,
                Standing::NotPermitted => &mut coverage.not_permitted,
            };
            set.insert(name.to_owned());
        }
        coverage
    }
}
