//! Which of the tools that a workspace shows can be called.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// What stands behind a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Something in the program does.
    Bound,
    /// Nothing does.
    Unbound,
    /// Something does, and the policy denies it.
    NotPermitted,
}

/// The tools of all catalogs, by what stands behind them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// They can be called, or a person is asked.
    pub bound: BTreeSet<String>,
    /// Nothing stands behind them.
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
