//! The caller of an operation and its permissions.

use jig_contract::{Actor, Code, Effect, OpError, OpSpec};
use tokio_util::sync::CancellationToken;

use crate::access::Access;
use crate::call_scope;

/// The context of a call, provided by the interface.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// Who calls.
    pub actor: Actor,
    /// Cancels the call.
    pub cancel: CancellationToken,
    /// Whether a person has confirmed this publish.
    pub may_publish: bool,
    /// The permissions of the caller.
    pub access: Access,
}

impl CallContext {
    /// A local call by this actor, with no confirmations.
    pub fn new(actor: Actor) -> Self {
        Self { actor, cancel: CancellationToken::new(), may_publish: false, access: Access::owner() }
    }

    /// Returns an error if the caller has cancelled. Only used where stopping leaves no partial work.
    pub(crate) fn check_cancelled(&self) -> Result<(), OpError> {
        if self.cancel.is_cancelled() {
            return Err(call_scope::cancelled_error());
        }
        Ok(())
    }

    /// Refuses operations that the caller may not call on the workbench in the parameters.
    pub(crate) fn check_permitted(&self, op: &OpSpec, named: Option<&str>) -> Result<(), OpError> {
        self.access.check(op, named)?;
        self.check_agent(op)
    }

    /// An agent may read, write to the Draft, and write entries as far as their tiers permit. Approval is reserved for
    /// people.
    fn check_agent(&self, op: &OpSpec) -> Result<(), OpError> {
        let agent = matches!(self.actor, Actor::Agent { .. });
        // An agent may always try to write an entry, because what it may not write becomes a proposal. Sections of
        // artifacts are open to it until a person locks them. Rejecting changes is a review decision, so it is
        // excluded.
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
                    | "WorkbenchCreate"
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

/// The error for an agent that tries to publish, with instructions for a person.
pub fn publish_needs_person() -> OpError {
    OpError::new(Code::NotPermitted, "the Draft was not published: publishing needs a person's confirmation")
        .action("review")
        .hint("tell the person you work for: the Draft is ready for review in the web app, or with `jig review`")
        .hint("they publish it there, or with `jig publish`")
}
