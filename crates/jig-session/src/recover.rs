//! Recovery of effects that were running when the program exited.

use crate::effect::EffectId;
use crate::state::{Open, State};

/// How to recover an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovery {
    /// Repeat it: it changes nothing, or nothing had left the machine.
    Again(EffectId),
    /// Mark it as interrupted; it is not repeated automatically.
    Interrupt(EffectId),
}

/// The recovery of every open effect. Questions to a person simply stay open.
pub fn recover(state: &State) -> Vec<Recovery> {
    let one = |(effect, open): (&EffectId, &Open)| match open {
        Open::Model { requested: true } | Open::Tool { repeatable: false, .. } => Some(Recovery::Interrupt(*effect)),
        Open::Model { requested: false } | Open::Tool { repeatable: true, .. } => Some(Recovery::Again(*effect)),
        // Idempotent: restoring the same state twice is the same as once.
        Open::Sync | Open::Restore { .. } => Some(Recovery::Again(*effect)),
        Open::Ask { .. } => None,
    };
    state.core.open.iter().filter_map(one).collect()
}
