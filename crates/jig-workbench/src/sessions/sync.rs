//! Syncs a session with its workspace: resolves the reference once, reads everything by hash, compiles one snapshot.

use std::collections::BTreeSet;

use jig_context::agent::{Defaults, Part, PhaseDefaults, Reference, Snapshot};
use jig_contract::{BlobHash, Code, OpError};
use jig_session::{
    Command, Coverage, Effect, Phase, PhaseChoice, SnapshotDefaults, SnapshotSummary, SyncOutcome, SyncProblem,
};

use super::live::Live;
use crate::Workbench;

impl Workbench {
    /// Executes a sync effect.
    pub(crate) async fn perform_sync(&self, live: &mut Live, effect: &Effect) -> Result<(), OpError> {
        let Effect::SyncWorkspace { effect, reference, known } = effect else { return Ok(()) };
        let outcome = match self.synced(live, reference, *known).await {
            Ok(outcome) => outcome,
            // Errors end the sync as failed; otherwise it would stay open for ever.
            Err(error) => SyncOutcome::Failed(vec![SyncProblem {
                file: String::new(),
                pointer: String::new(),
                message: error.to_string(),
            }]),
        };
        self.command(live, &Command::SyncDone { effect: *effect, outcome }).await?;
        Ok(())
    }

    async fn synced(
        &self,
        live: &Live,
        reference: &str,
        known: Option<jig_contract::BlobHash>,
    ) -> Result<SyncOutcome, OpError> {
        let reference: Reference = reference.parse().map_err(bad_reference)?;
        let head = self.enter(&live.row.workbench_id).await?.head;
        let resolved = self.resolve_workspace(&head, &reference).await?;
        if known == Some(resolved.version.root) {
            return Ok(SyncOutcome::Unchanged { root: resolved.version.root });
        }
        let policy = live.state.core.about.as_ref().map(|about| about.defaults.policy.clone()).unwrap_or_default();
        Ok(match self.compile_workspace(&resolved, &policy).await? {
            Ok(snapshot) => {
                let bytes = snapshot.to_bytes();
                self.store().blobs().put(bytes).await?;
                // Images of the built-in workspace are not in the blob store yet.
                for picture in pictures(&snapshot) {
                    let bytes = self.workspace_bytes(&picture).await?;
                    self.store().blobs().put(bytes).await?;
                }
                SyncOutcome::Ready(summary(&snapshot, &resolved.version.reference))
            }
            Err(problems) => SyncOutcome::Failed(problems.into_iter().map(problem).collect()),
        })
    }
}

/// The error for an invalid workspace reference.
pub(crate) fn bad_reference(error: jig_context::agent::BadReference) -> OpError {
    OpError::new(Code::ValidationFailed, error.to_string()).hint("`jig agent list` shows the workspaces").because(error)
}

/// The blobs that a snapshot refers to but does not contain.
fn pictures(snapshot: &Snapshot) -> BTreeSet<BlobHash> {
    let parts = snapshot.packs.values().flat_map(|pack| &pack.parts);
    parts.filter_map(|part| if let Part::Image { hash, .. } = part { Some(*hash) } else { None }).collect()
}

fn problem(problem: jig_context::agent::Problem) -> SyncProblem {
    SyncProblem { file: problem.file, pointer: problem.pointer, message: problem.message }
}

/// The metadata that a session stores about a snapshot.
fn summary(snapshot: &Snapshot, reference: &str) -> SnapshotSummary {
    let catalogs = snapshot
        .catalogs
        .iter()
        .map(|(id, catalog)| (id.clone(), catalog.tools.iter().map(|tool| tool.name.clone()).collect()));
    let coverage = snapshot.coverage.clone();
    SnapshotSummary {
        snapshot: snapshot.hash(),
        root: snapshot.root,
        reference: reference.to_owned(),
        packs: snapshot.packs.keys().cloned().collect(),
        catalogs: catalogs.collect(),
        defaults: defaults(&snapshot.defaults),
        coverage: Coverage { bound: coverage.bound, unbound: coverage.unbound, not_permitted: coverage.not_permitted },
        warnings: snapshot.warnings.clone(),
        blobs: pictures(snapshot).into_iter().collect(),
    }
}

fn defaults(defaults: &Defaults) -> SnapshotDefaults {
    let phase = |phase: Phase| {
        let PhaseDefaults { prompt_pack, tool_catalog } = defaults.phases.get(phase.as_str())?.clone();
        Some((phase, PhaseChoice { pack: prompt_pack, catalog: tool_catalog }))
    };
    SnapshotDefaults {
        pack: defaults.prompt_pack.clone(),
        catalog: defaults.tool_catalog.clone(),
        phases: Phase::ALL.into_iter().filter_map(phase).collect(),
    }
}
