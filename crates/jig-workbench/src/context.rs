//! Who calls, and what they may do.

use jig_contract::{Actor, Code, Effect, OpError, OpSpec};
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::call_scope;

/// What a door knows about one call.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// Who calls.
    pub actor: Actor,
    /// Ends the call early when cancelled.
    pub cancel: CancellationToken,
    /// Whether a person has confirmed this one call to publish.
    pub may_publish: bool,
    /// How much the caller may do, and where.
    pub access: Access,
}

impl CallContext {
    /// A call by this actor beside its user, with nothing granted beyond what it may do anyway.
    pub fn new(actor: Actor) -> Self {
        Self { actor, cancel: CancellationToken::new(), may_publish: false, access: Access::owner() }
    }

    /// Stops here if the caller has cancelled. Called only where stopping leaves nothing half done.
    pub(crate) fn check_cancelled(&self) -> Result<(), OpError> {
        if self.cancel.is_cancelled() {
            return Err(call_scope::cancelled_error());
        }
        Ok(())
    }

    /// Refuses what the caller may not do, on the workbench that the parameters name.
    pub(crate) fn check_permitted(&self, op: &OpSpec, named: Option<&str>) -> Result<(), OpError> {
        self.access.check(op, named)?;
        self.check_agent(op)
    }

    /// An agent reads, writes to the Draft, and works on entries as far as their tiers allow. What is approved belongs to
    /// people.
    fn check_agent(&self, op: &OpSpec) -> Result<(), OpError> {
        let agent = matches!(self.actor, Actor::Agent { .. });
        // What an agent may not write of an entry becomes a proposal, so it may always try; sections of artifacts are its
        // to change until a person locks them.
        // Rejecting is a decision on a review.
        let harmless = op.effect == Effect::Read
            || (op.effect == Effect::Draft && op.name != "ReviewReject")
            || matches!(
                op.name,
                "CheckpointCreate"
                    | "EntryPut"
                    | "EntryMarkDone"
                    | "AssetUpload"
                    | "ArtifactCreate"
                    | "ArtifactApplyOps"
                    | "ConversationAdd"
            );
        if !agent || harmless || (op.name == "DraftPublish" && self.may_publish) {
            return Ok(());
        }
        if op.name == "DraftPublish" {
            return Err(publish_needs_person());
        }
        Err(OpError::new(Code::NotPermitted, format!("an agent may not call {}", op.name))
            .hint("ask the person you work for to do this"))
    }
}

/// The refusal of an agent that wants to publish, with where a person can.
pub fn publish_needs_person() -> OpError {
    OpError::new(Code::NotPermitted, "the Draft was not published: publishing needs a person's confirmation")
        .action("review")
        .hint("tell the person you work for: the Draft is ready for review in the web app, or with `jig review`")
        .hint("they publish it there, or with `jig publish`")
}
