//! What to do with what was under way when the program ended.

use crate::effect::EffectId;
use crate::state::{Open, State};

/// What becomes of something that was under way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// It is done again: it changes nothing, or nothing had left the machine.
    Again(EffectId),
    /// It is marked as interrupted, and not done again by itself.
    Interrupt(EffectId),
}

/// What to do after a crash, for each effect that is still open. A question to a person simply stays open.
pub fn recover(state: &State) -> Vec<Recovery> {
    let one = |(effect, open): (&EffectId, &Open)| match open {
        Open::Model { requested: true } | Open::Tool { repeatable: false, .. } => Some(Recovery::Interrupt(*effect)),
        Open::Model { requested: false } | Open::Tool { repeatable: true, .. } => Some(Recovery::Again(*effect)),
        // To bring back the same state twice is to bring it back once.
        Open::Sync | Open::Restore { .. } => Some(Recovery::Again(*effect)),
        Open::Ask { .. } => None,
    };
    state.core.open.iter().filter_map(one).collect()
}
