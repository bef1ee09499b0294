//! Replays a session from its log: every derived event, every effect, and every byte of every request.

use std::collections::BTreeMap;

use jig_contract::ops::{ReplayDifference, SessionReplayOutput};
use jig_contract::{BlobHash, OpError, SessionId};
use jig_session::{Difference, Effect, EffectId, Event, Record, Replayed, effects};
use jig_store::hash_of;
use serde_json::Value;

use super::live::Live;
use super::log::Logged;
use super::request::Moment;
use crate::{CallContext, Workbench};

/// The maximum length of a reported difference, in characters.
const SHOWN: usize = 4_000;

impl Workbench {
    pub(crate) async fn replay(&self, context: &CallContext, live: &Live) -> Result<SessionReplayOutput, OpError> {
        let mut replay = Replay { replayed: Replayed::default(), open: BTreeMap::new(), requests: 0 };
        let mut difference = None;
        let mut log = self.log(&live.row.id, 0);
        while let Some(Logged { record, .. }) = log.next().await? {
            context.check_cancelled()?;
            difference = self.replay_record(context, live, &mut replay, &record).await?;
            if difference.is_some() {
                break;
            }
        }
        Ok(SessionReplayOutput {
            same: difference.is_none(),
            records: replay.replayed.records,
            effects: replay.replayed.effects,
            requests: replay.requests,
            difference,
        })
    }

    /// The first record of a log that does not follow, without rebuilding requests.
    pub(crate) async fn follows(&self, session: &SessionId) -> Result<Option<Difference>, OpError> {
        let mut replayed = Replayed::default();
        let mut log = self.log(session, 0);
        while let Some(Logged { record, .. }) = log.next().await? {
            if let Err(difference) = replayed.take(&record) {
                return Ok(Some(*difference));
            }
        }
        Ok(None)
    }

    async fn replay_record(
        &self,
        context: &CallContext,
        live: &Live,
        replay: &mut Replay,
        record: &Record,
    ) -> Result<Option<ReplayDifference>, OpError> {
        if let Event::ModelRequested { effect, state, name, request, .. } = &record.event
            && let Some((due, at)) = replay.open.get(effect)
        {
            let mut head = self.store().head(&live.row.workbench_id).await?;
            (head.state, head.name) = (*state, name.clone());
            let moment = Moment { head: &head, at: *at };
            let built = self.build_request(context, &replay.replayed.state, due, &moment).await;
            let body = built.map(|built| built.prepared.body.to_vec());
            let found = match body {
                Ok(body) => self.compared_bytes(&body, request).await,
                Err(error) => Some((request.to_string(), error.to_string(), String::new())),
            };
            if let Some((recorded, computed, diff)) = found {
                let step = if let Effect::CallModel { step, .. } = due { *step } else { 0 };
                let what = "the request to the model".to_owned();
                return Ok(Some(ReplayDifference { record: record.seq, step, what, recorded, computed, diff }));
            }
            replay.requests += 1;
        }
        if let Err(difference) = replay.replayed.take(record) {
            let Difference { seq, step, what, recorded, computed } = *difference;
            return Ok(Some(ReplayDifference { record: seq, step, what, recorded, computed, diff: String::new() }));
        }
        for effect in effects(&replay.replayed.state, record) {
            replay.open.insert(effect.id(), (effect, record.at));
        }
        let still = &replay.replayed.state.core.open;
        replay.open.retain(|id, _| still.contains_key(id));
        Ok(None)
    }

    /// Compares computed bytes with those under the recorded hash.
    async fn compared_bytes(&self, computed: &[u8], recorded: &BlobHash) -> Option<(String, String, String)> {
        let hash = hash_of(computed);
        if hash != *recorded {
            let kept = self.store().blobs().get(recorded).await;
            let diff = match kept {
                Ok(kept) => lines(&pretty(&kept), &pretty(computed)),
                Err(error) => format!("the bytes under the recorded hash cannot be read: {error}"),
            };
            return Some((recorded.to_string(), hash.to_string(), diff));
        }
        // The recorded bytes must also be available and intact.
        match self.store().blobs().get(recorded).await {
            Ok(_) => None,
            Err(error) => Some((error.to_string(), hash.to_string(), String::new())),
        }
    }
}

struct Replay {
    replayed: Replayed,
    open: BTreeMap<EffectId, (Effect, jig_contract::Timestamp)>,
    requests: u64,
}

/// A request formatted for comparison by line, if it is JSON.
fn pretty(bytes: &[u8]) -> String {
    match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => format!("{value:#}").replace("\\n", "\n"),
        Err(_) => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// The line diff of two texts.
pub(crate) fn lines(before: &str, after: &str) -> String {
    let diff = similar::TextDiff::from_lines(before, after);
    let text = diff.unified_diff().context_radius(2).to_string();
    let mut shown: String = text.chars().take(SHOWN).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push_str("\n… (there is more)\n");
    }
    shown
}
