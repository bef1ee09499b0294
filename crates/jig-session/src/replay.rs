//! Replaying a log: does every record still follow?

use crate::effect::effects;
use crate::evolve::evolve;
use crate::log::{Record, digest};
use crate::next::next;
use crate::state::State;

/// The first record that no longer follows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The record.
    pub seq: u64,
    /// The step it belongs to; 0 for none.
    pub step: u32,
    /// What is other, in words.
    pub what: String,
    /// What the log has.
    pub recorded: String,
    /// What follows now.
    pub computed: String,
}

/// A log that was replayed.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Replayed {
    /// The state at its end.
    pub state: State,
    /// How many records there were.
    pub records: u64,
    /// How many effects were compared.
    pub effects: u64,
}

impl Replayed {
    /// Takes one more record, if it follows: its number, what is derived from the state, and its effects.
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
            let computed = follows.as_ref().map_or("nothing".to_owned(), shown);
            return Err(differs(&self.state, "what follows by itself", shown(&record.event), computed));
        }
        if let Some(event) = follows.filter(|_| !record.derived) {
            return Err(differs(&self.state, "what follows by itself", shown(&record.event), shown(&event)));
        }
        evolve(&mut self.state, record);
        let due = effects(&self.state, record);
        let computed = digest(&due);
        if computed != record.effects {
            let hash =
                |hash: Option<jig_contract::BlobHash>| hash.map_or("nothing".to_owned(), |hash| hash.to_string());
            let now = format!("{} ({})", hash(computed), shown(&due));
            return Err(differs(&self.state, "what is to be done outside", hash(record.effects), now));
        }
        self.records += 1;
        self.effects += due.len() as u64;
        Ok(())
    }
}

/// Replays a log from its beginning.
pub fn check<'a>(records: impl IntoIterator<Item = &'a Record>) -> Result<Replayed, Box<Difference>> {
    let mut replayed = Replayed::default();
    for record in records {
        replayed.take(record)?;
    }
    Ok(replayed)
}

fn shown(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}
