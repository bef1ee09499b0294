//! Replays a log and checks that every record still follows from the ones before it.

use crate::effect::effects;
use crate::evolve::evolve;
use crate::log::{Record, digest};
use crate::next::next;
use crate::state::State;

/// The first record that does not follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Its number.
    pub seq: u64,
    /// The step it belongs to, or 0.
    pub step: u32,
    /// What differs, for people.
    pub what: String,
    /// The value in the log.
    pub recorded: String,
    /// The value computed now.
    pub computed: String,
}

/// The result of a replay.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// The state at its end.
    pub state: State,
    /// The number of records.
    pub records: u64,
    /// The number of effects that were compared.
    pub effects: u64,
}

impl Replayed {
    /// Applies another record after checking its number, whether it is derived, and the hash of its effects.
    pub fn take(&mut self, record: &Record) -> Result<(), Box<Difference>> {
        let differs = |state: &State, what: &str, recorded: String, computed: String| {
            let step = state.core.run.as_ref().and_then(|run| run.step.as_ref()).map_or(0, |step| step.number);
            Box::new(Difference { seq: record.seq, step, what: what.to_owned(), recorded, computed })
        };
        let expected = self.state.core.seq.saturating_add(1);
        if record.seq != expected {
            let (is, should) = (record.seq.to_string(), expected.to_string());
            return Err(differs(&self.state, "the number of the record", is, should));
        }
        let follows = next(&self.state.core);
        if record.derived && follows.as_ref() != Some(&record.event) {
            let computed = follows.as_ref().map_or("nothing".to_owned(), json_text);
            return Err(differs(&self.state, "what follows by itself", json_text(&record.event), computed));
        }
        if let Some(event) = follows.filter(|_| !record.derived) {
            return Err(differs(&self.state, "what follows by itself", json_text(&record.event), json_text(&event)));
        }
        evolve(&mut self.state, record);
        let due = effects(&self.state, record);
        let computed = digest(&due);
        if computed != record.effects {
            let hash =
                |hash: Option<jig_contract::BlobHash>| hash.map_or("nothing".to_owned(), |hash| hash.to_string());
            let now = format!("{} ({})", hash(computed), json_text(&due));
            return Err(differs(&self.state, "what is to be done outside", hash(record.effects), now));
        }
        self.records += 1;
        self.effects += due.len() as u64;
        Ok(())
    }
}

/// Replays a log from the start.
pub fn check<'a>(records: impl IntoIterator<Item = &'a Record>) -> Result<Replayed, Box<Difference>> {
    let mut replayed = Replayed::default();
    for record in records {
        replayed.take(record)?;
    }
    Ok(replayed)
}

fn json_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
