//! Write permissions: an agent writes entries of working kinds directly and proposes everything else.

use jig_contract::Actor;
use jig_contract::ops::{KindCategory, KindDefinition};

use super::Entry;

/// The values of `tier` in a definition.
pub(super) const TIERS: [&str; 3] = ["foundation", "working", "scratch"];

/// The role of a kind's entries in the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Everything builds on them, so only people write them.
    Foundation,
    /// Agents write them.
    Working,
    /// Agents may write them freely.
    Scratch,
    /// A tier that this version does not know; only people write.
    Unknown,
}

/// Whether a write is permitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Permitted.
    Write,
    /// A person must decide.
    Propose {
        /// The reason, for people.
        why: String,
    },
}

/// The tier of a kind, from its definition or derived from its category.
pub fn tier_of(kind: &KindDefinition) -> Tier {
    match (kind.tier.as_deref(), kind.category) {
        (Some("foundation"), _) | (None, KindCategory::Foundation) => Tier::Foundation,
        (Some("working"), _) | (None, KindCategory::Market | KindCategory::Insight) => Tier::Working,
        (Some("scratch"), _) => Tier::Scratch,
        (Some(_), _) => Tier::Unknown,
    }
}

/// Whether an author may change these fields of the current entry. People always may. When in doubt, a person decides.
pub fn decide(kind: &KindDefinition, entry: Option<&Entry>, fields: &[impl AsRef<str>], writer: &Actor) -> Decision {
    if matches!(writer, Actor::Person { .. } | Actor::Outside) {
        return Decision::Write;
    }
    let propose = |why: String| Decision::Propose { why };
    match tier_of(kind) {
        Tier::Foundation => return propose(format!("{} is a foundation: a person decides", kind.anchor_role)),
        Tier::Unknown => return propose(format!("the tier of {} is not known: a person decides", kind.anchor_role)),
        Tier::Working | Tier::Scratch => {}
    }
    let part = |name: &str| entry.and_then(|entry| entry.document.part(name));
    for part in fields.iter().filter_map(|field| part(field.as_ref())) {
        if part.is_done() {
            return propose(format!("`{}` was said to be done: a person decides", part.name));
        }
        if !matches!(part.provenance.by, Actor::Agent { .. } | Actor::System) {
            return propose(format!("a person stands for `{}`: a person decides", part.name));
        }
    }
    Decision::Write
}
