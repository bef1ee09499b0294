//! The wire form of sessions.

use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError};
use jig_session::{Body, CallStage, Core, Event, Open, Run, StepStage};
use jig_store::SessionRow;
use serde_json::{Value, json};

use super::live::Live;
use super::progress::{permit_answer, permit_reach, run_mode};
use crate::Workbench;

impl Live {
    /// The state of the session and the events since it was loaded.
    pub(crate) fn output(&self) -> SessionOutput {
        let core = &self.state.core;
        let snapshot = |hash: Option<BlobHash>| hash.and_then(|hash| snapshot_info(core, &hash));
        let others = core.workspace.adopted.iter().filter(|hash| core.workspace.active != Some(**hash));
        let messages = self.state.history.entries.iter().filter_map(|entry| {
            let (role, text) = match &entry.body {
                Body::Message { text, .. } => ("person", text),
                Body::Reply { text } => ("agent", text),
                Body::Notice { text } => ("notice", text),
                Body::Answer(_) | Body::Result { .. } => return None,
            };
            Some(SessionMessage { seq: entry.seq, role: role.to_owned(), text: text.clone() })
        });
        let events =
            self.added.iter().map(|record| json!({ "seq": record.seq, "at": record.at, "event": record.event }));
        SessionOutput {
            session: SessionInfo {
                title: self.title(),
                status: self.status().to_owned(),
                records: core.seq,
                recipe: core.about.as_ref().and_then(|about| about.defaults.recipe.clone()),
                ..info(&self.row)
            },
            defaults: core.about.as_ref().map(|about| json!(about.defaults)).unwrap_or_default(),
            workspace: SessionWorkspace {
                active: snapshot(core.workspace.active),
                pending: snapshot(core.workspace.pending),
                staged: snapshot(core.workspace.staged.map(|staged| staged.snapshot)),
                earlier: others.filter_map(|hash| snapshot_info(core, hash)).collect(),
            },
            run: core.run.as_ref().map(run_info),
            questions: questions(core),
            permissions: permissions(core),
            messages: messages.collect(),
            steps: core.steps,
            notes: self.notes(),
            events: events.collect(),
        }
    }
}

impl Workbench {
    /// A step: the request, the answer and the tool results.
    pub(crate) async fn shown_step(&self, live: &Live, step: Option<u32>) -> Result<SessionShowOutput, OpError> {
        let number = step.unwrap_or(live.state.core.steps);
        let Some(step) = live.state.history.step(number) else {
            let words = format!("the session has {} steps; there is no step {number}", live.state.core.steps);
            return Err(OpError::new(Code::ValidationFailed, words).hint("steps are numbered from 1"));
        };
        let mut output = SessionShowOutput {
            step: step.step,
            run: step.run,
            phase: step.phase.as_str().to_owned(),
            snapshot: step.snapshot,
            state: step.request.map(|(_, _, state)| state),
            request_hash: step.request.map(|(request, ..)| request),
            request: None,
            bill: None,
            answer: None,
            results: Vec::new(),
        };
        if let Some((request, bill, _)) = step.request {
            let bytes = self.store().blobs().get(&request).await?;
            let as_text = || Value::String(String::from_utf8_lossy(&bytes).into_owned());
            output.request = Some(serde_json::from_slice(&bytes).unwrap_or_else(|_| as_text()));
            output.bill = serde_json::from_slice(&self.store().blobs().get(&bill).await?).ok();
        }
        for entry in live.state.history.entries.iter().filter(|entry| entry.step == number) {
            match &entry.body {
                Body::Answer(answer) => output.answer = Some(json!(answer)),
                Body::Result { call, name, outcome } => {
                    output.results.push(json!({ "call": call, "tool": name, "result": outcome }));
                }
                Body::Message { .. } | Body::Reply { .. } | Body::Notice { .. } => {}
            }
        }
        Ok(output)
    }
}

/// The list form of a session.
pub(crate) fn info(row: &SessionRow) -> SessionInfo {
    SessionInfo {
        id: row.id.clone(),
        workbench_id: row.workbench_id.clone(),
        title: row.title.clone(),
        status: row.status.clone(),
        created_at: row.created_at,
        updated_at: row.updated_at,
        records: row.seq,
        recipe: recipe_of(row),
    }
}

/// The recipe if the session is a recipe run, which is fixed at creation.
pub(crate) fn recipe_of(row: &SessionRow) -> Option<String> {
    match serde_json::from_str(&row.first).ok()? {
        Event::SessionCreated { defaults, .. } => defaults.recipe,
        _ => None,
    }
}

fn snapshot_info(core: &Core, hash: &BlobHash) -> Option<SnapshotInfo> {
    let known = core.workspace.summary(hash)?;
    Some(SnapshotInfo {
        snapshot: known.snapshot,
        reference: known.reference.clone(),
        packs: known.packs.iter().cloned().collect(),
        catalogs: known.catalogs.keys().cloned().collect(),
        bound: known.coverage.bound.iter().cloned().collect(),
        not_permitted: known.coverage.not_permitted.iter().cloned().collect(),
        unbound: known.coverage.unbound.iter().cloned().collect(),
        warnings: known.warnings.clone(),
    })
}

fn run_info(run: &Run) -> RunInfo {
    RunInfo {
        run: run.number,
        mode: run_mode(run.mode),
        model: run.config.model.clone(),
        phase: run.phase.map(|phase| phase.as_str().to_owned()),
        item: run.item.map(|(item, _)| item),
        items: run.plan.as_ref().and_then(|plan| u32::try_from(plan.items.len()).ok()),
        suspended: run.suspended.as_ref().map(|why| json!(why)),
        input_tokens: run.spent.input,
        output_tokens: run.spent.output,
        cost_micros: run.spent.micros,
        millis: run.spent.millis,
    }
}

/// Standing answers to permission questions.
pub(crate) fn permissions(core: &Core) -> Vec<StandingPermission> {
    let one = |(capability, reach, standing): (&str, jig_session::Reach, &jig_session::Standing)| StandingPermission {
        capability: capability.to_owned(),
        answer: permit_answer(standing.answer),
        reach: permit_reach(reach),
        actor: standing.actor.clone(),
        at: standing.at,
    };
    core.standing().into_iter().map(one).collect()
}

fn questions(core: &Core) -> Vec<PermissionQuestion> {
    let calls = match core.run.as_ref().and_then(|run| run.step.as_ref()).map(|step| &step.stage) {
        Some(StepStage::Calls(calls)) => calls.as_slice(),
        _ => &[],
    };
    let one = |(effect, open): (&jig_session::EffectId, &Open)| {
        let Open::Ask { capability, .. } = open else { return None };
        let call = calls.iter().find(|call| call.stage == CallStage::Asked(*effect))?;
        Some(PermissionQuestion {
            question: effect.0,
            tool: call.call.name.clone(),
            capability: capability.clone(),
            input: call.call.input.clone(),
        })
    };
    core.open.iter().filter_map(one).collect()
}
