//! Who may write what: an agent writes working kinds itself, and for the rest it proposes.

use jig_contract::Actor;
use jig_contract::ops::{KindCategory, KindDefinition};

use super::Entry;

/// The words that a definition may have.
pub(super) const TIERS: [&str; 3] = ["foundation", "working", "scratch"];

/// What a kind's entries are to the work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tier {
    /// Everything rests on them: people write.
    Foundation,
    /// Agents work with them.
    Working,
    /// Agents may do with them what they like.
    Scratch,
    /// A word that this version does not know: nobody but people writes.
    Unknown,
}

/// Whether a write may happen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// It may.
    Write,
    /// A person must decide.
    Propose {
        /// Why, in words.
        why: String,
    },
}

/// A kind's tier: what it says, or what its category suggests.
pub fn tier_of(kind: &KindDefinition) -> Tier {
    match (kind.tier.as_deref(), kind.category) {
        (Some("foundation"), _) | (None, KindCategory::Foundation) => Tier::Foundation,
        (Some("working"), _) | (None, KindCategory::Market | KindCategory::Insight) => Tier::Working,
        (Some("scratch"), _) => Tier::Scratch,
        (Some(_), _) => Tier::Unknown,
    }
}

/// Whether this writer may change these fields of the entry as it is now. People may always. When in doubt, a person
/// decides.
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
