//! Outputs of recipe runs, which are proposals with a recipe.

use std::sync::Arc;

use jig_contract::ops::*;
use jig_contract::{Code, OpError, ProposalId};

use super::proposal::Chosen;
use crate::engine::Session;
use crate::entries::{Waiting, page_limit};
use crate::{CallContext, Handle, Workbench};

impl Handle<OutputList> for Workbench {
    async fn handle(&self, _: &CallContext, params: OutputListParams) -> Result<OutputListOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let wanted = Waiting {
            recipe: params.recipe,
            state: params.state,
            origin: Some(ProposalOrigin::RecipeRun),
            cursor: params.cursor,
            limit: page_limit(params.limit)?,
            ..Waiting::default()
        };
        let (outputs, cursor) = self.list_proposals(session.head.state, &wanted).await?;
        Ok(OutputListOutput { outputs, has_more: cursor.is_some(), cursor })
    }
}

impl Handle<OutputGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: OutputGetParams) -> Result<OutputGetOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let output = self.needed_output(&session, &params.output_id.check()?).await?;
        Ok(OutputGetOutput { output: self.beside_entry(session.head.state, &output).await? })
    }
}

impl Handle<OutputPromote> for Workbench {
    async fn handle(&self, context: &CallContext, params: OutputPromoteParams) -> Result<OutputPromoteOutput, OpError> {
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let output = self.needed_output(&session, &params.output_id.check()?).await?;
        let chosen = Chosen { fields: params.fields, base_revision: params.base_revision, operation: "OutputPromote" };
        let (entry, output) = self.accept_proposal(context, &mut session, &output, chosen).await?;
        Ok(OutputPromoteOutput { entry, output })
    }
}

impl Handle<OutputReject> for Workbench {
    async fn handle(&self, context: &CallContext, params: OutputRejectParams) -> Result<OutputGetOutput, OpError> {
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let output = self.needed_output(&session, &params.output_id.check()?).await?;
        let output = self.reject_proposal(context, &mut session, &output, params.reason, "OutputReject").await?;
        Ok(OutputGetOutput { output })
    }
}

impl Workbench {
    /// An output. A proposal from another origin does not count.
    async fn needed_output(&self, session: &Session, id: &ProposalId) -> Result<Arc<ProposalInfo>, OpError> {
        let found = self.proposal_at(session.head.state, id).await?;
        found.filter(|proposal| proposal.origin == ProposalOrigin::RecipeRun).ok_or_else(|| {
            OpError::new(Code::OutputNotFound, format!("there is no output `{id}`"))
                .hint("`jig output list` shows what runs made")
                .workbench(&session.id)
        })
    }
}
