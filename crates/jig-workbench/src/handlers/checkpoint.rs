//! Checkpoints, which are named states: create, list, restore.

use jig_contract::ops::*;
use jig_contract::{OpError, check_name};
use jig_store::{Change, CheckpointOf, Head, NewCheckpoint, Plan};

use crate::engine::Planned;
use crate::state::DRAFT_RECORD;
use crate::{CallContext, Handle, Workbench};

impl Handle<CheckpointCreate> for Workbench {
    async fn handle(&self, context: &CallContext, params: CheckpointCreateParams) -> Result<Checkpoint, OpError> {
        let id = params.workbench_id.check()?;
        let name = check_name("checkpoint", &params.name)?;
        let mut session = self.enter(&id).await?;
        let (checkpoint, head, entry) =
            self.store().create_checkpoint(&id, name, CheckpointReason::Manual, context.actor.clone()).await?;
        self.moved(&mut session, head, &entry).await;
        Ok(checkpoint)
    }
}

impl Handle<CheckpointList> for Workbench {
    async fn handle(&self, _: &CallContext, params: CheckpointListParams) -> Result<CheckpointListOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        Ok(CheckpointListOutput { checkpoints: self.store().checkpoints(&session.id).await? })
    }
}

impl Handle<CheckpointRestore> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: CheckpointRestoreParams,
    ) -> Result<CheckpointRestoreOutput, OpError> {
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        self.refuse_draft(&session, "restore a checkpoint").await?;
        let restored = self.store().checkpoint(&session.id, &params.checkpoint).await?;
        let restored = &restored;
        let plan = |_: Head| {
            Box::pin(async move {
                context.check_cancelled()?;
                let summary = format!("restored the checkpoint “{}”", restored.name);
                let before = NewCheckpoint {
                    name: format!("Before restoring “{}”", restored.name),
                    reason: CheckpointReason::Restore,
                    of: CheckpointOf::Before,
                };
                let change = Change::new(context.actor.clone(), "CheckpointRestore", summary, restored.state)
                    .with_checkpoint(before);
                let touches = ["published", "draft", DRAFT_RECORD, "meta", "agent"].map(str::to_owned).to_vec();
                Ok(Plan::change(change, touches, ()))
            }) as Planned<'_, ()>
        };
        self.change(&mut session, plan).await?;
        let before = self.store().checkpoint_made_by(&session.id, session.head.seq).await?;
        Ok(CheckpointRestoreOutput { restored: restored.clone(), before })
    }
}
