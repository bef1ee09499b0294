//! Resolving the model of a call, and calling it.

use jig_contract::ops::EgressScope;
use jig_contract::{BlobHash, Code, OpError, WorkbenchId};
use jig_prompt::escape::{unescape, unescape_answer, unescape_value};
use jig_providers::{Message, Model, Part, Prepared, Request, Step, StopReason};
use jig_store::Head;
use tokio_util::sync::CancellationToken;

use crate::egress::{Covered, Sending, sealed};
use crate::state::View;
use crate::{CallContext, Workbench};

/// The permission to send one scope to one model.
pub(crate) struct SendPermit {
    workbench: WorkbenchId,
    model: Model,
    scope: EgressScope,
    hash: BlobHash,
}

impl Workbench {
    /// The model named by the call, else the workbench's, else the default of the settings.
    pub(crate) async fn chosen_model(&self, head: &Head, named: Option<&str>) -> Result<Option<Model>, OpError> {
        let models = self.models()?;
        if let Some(name) = named {
            return models.find(name).map(Some);
        }
        let own = View::of(self.store(), head).settings().await?.default_model;
        let name = own.or_else(|| models.default_name().map(str::to_owned));
        name.map(|name| models.find(&name)).transpose()
    }

    /// Like `chosen_model`, if a model is required.
    pub(crate) async fn needed_model(&self, head: &Head, named: Option<&str>) -> Result<Model, OpError> {
        match self.chosen_model(head, named).await? {
            Some(model) => Ok(model),
            None => Err(self.models()?.none_chosen()),
        }
    }

    /// What would be sent to a model: this scope with exactly this content. `None` if the model runs locally. A model
    /// that cannot be called is an error before anyone is asked for consent.
    pub(crate) fn sending<'a>(
        &self,
        head: &'a Head,
        model: &Model,
        scope: EgressScope,
        content: &[u8],
    ) -> Result<Sending<'a>, OpError> {
        let models = self.models()?;
        models.open(model).map_err(|error| named(error, model))?;
        let host = models.host(model)?.unwrap_or_default();
        let scope = EgressScope { model_id: model.id.to_string(), host, ..scope };
        Ok(Sending { head, began: head.state, scope: sealed(scope, &jig_store::hash_of(content)) })
    }

    /// The gate for one call with this body: it must contain no likely key, and a person must have consented. Called
    /// last before sending, because it consumes a one-time consent.
    pub(crate) async fn permit(
        &self,
        model: &Model,
        sending: &Sending<'_>,
        body: &[u8],
    ) -> Result<SendPermit, OpError> {
        let Sending { head, scope, .. } = sending;
        let secrets = self.check_secrets(&head.id, (&scope.model_id, &scope.host), body, scope).await;
        secrets.map_err(|error| named(error, model))?;
        // An empty host means that nothing is sent, so no consent is needed.
        if !sending.scope.host.is_empty() {
            self.use_consent(sending).await.map_err(|error| named(error, model))?;
        }
        self.permitted(model, sending)
    }

    /// A permit for something whose consent was already checked.
    pub(crate) fn permitted(&self, model: &Model, sending: &Sending<'_>) -> Result<SendPermit, OpError> {
        let hash = sending.scope.hash.parse();
        let hash = hash.map_err(|e| OpError::new(Code::Internal, "invalid hash of a scope").because(e))?;
        let (workbench, scope) = (sending.head.id.clone(), sending.scope.clone());
        Ok(SendPermit { workbench, model: model.clone(), scope, hash })
    }

    /// Whether the same could be sent now. Does not consume a one-time consent.
    pub(crate) async fn check_permit(&self, model: &Model, sending: &Sending<'_>, body: &[u8]) -> Result<(), OpError> {
        let Sending { head, scope, .. } = sending;
        if scope.host.is_empty() {
            return Ok(());
        }
        let secrets = self.check_secrets(&head.id, (&scope.model_id, &scope.host), body, scope).await;
        secrets.map_err(|error| named(error, model))?;
        self.covered(sending).await.map(drop).map_err(|error| named(error, model))
    }

    /// Whether a stored consent covers this.
    pub(crate) async fn is_covered_for_good(&self, sending: &Sending<'_>) -> Result<bool, OpError> {
        if sending.scope.host.is_empty() {
            return Ok(true);
        }
        match self.covered(sending).await {
            Ok(Covered::Lasting) => Ok(true),
            Ok(Covered::Once(_)) => Ok(false),
            Err(error) if error.code() == Code::EgressConsentRequired => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Whether any stored consent exists for this model at its host. Which calls it covers depends on their content.
    pub(crate) async fn any_lasting_consent(&self, id: &WorkbenchId, model: &Model) -> Result<bool, OpError> {
        use jig_contract::ops::ConsentReach;
        let models = self.models()?;
        models.open(model)?;
        let Some(host) = models.host(model)? else { return Ok(true) };
        let consents = self.store().consents(id).await?;
        Ok(consents.iter().any(|consent| {
            let lasting = matches!(consent.reach, ConsentReach::Kept | ConsentReach::All);
            lasting && consent.model_id == model.id.as_str() && consent.host == host
        }))
    }

    /// Calls a model. The call is recorded in the egress log before it is sent, and its end afterwards.
    pub(crate) async fn ask(
        &self,
        context: &CallContext,
        permit: &SendPermit,
        request: &Request,
    ) -> Result<Message, OpError> {
        let prepared = self.prepared(&permit.model, request)?;
        let SendPermit { workbench, scope, .. } = permit;
        // A retry also contains the model's previous answer.
        self.check_secrets(workbench, (&scope.model_id, &scope.host), &prepared.body, scope).await?;
        self.ask_prepared(&context.cancel, permit, prepared, |_| {}).await
    }

    /// A request as the exact bytes to send.
    pub(crate) fn prepared(&self, model: &Model, request: &Request) -> Result<Prepared, OpError> {
        Ok(self.models()?.open(model)?.prepare(request)?)
    }

    /// Calls a model with bytes that were prepared and stored earlier. `tell` receives partial output.
    pub(crate) async fn ask_prepared(
        &self,
        cancel: &CancellationToken,
        permit: &SendPermit,
        prepared: Prepared,
        tell: impl FnMut(Step) + Send,
    ) -> Result<Message, OpError> {
        let models = self.models()?;
        let SendPermit { workbench, model, hash, .. } = permit;
        let provider = models.open(model)?;
        let permit = models.gate.permit(workbench.clone(), model.id.clone(), *hash);
        let answer = provider.complete(prepared, permit, cancel.clone()).message_telling(tell).await;
        models.log.written().await;
        answer.map(restored).map_err(|error| named(error.into(), model).workbench(workbench))
    }
}

/// Why an answer counts as unfinished; `None` if the model ended it itself.
pub(crate) const fn unfinished(message: &Message) -> Option<&'static str> {
    match message.stop {
        StopReason::EndTurn => None,
        StopReason::MaxTokens => Some("the answer reached the output limit before it was complete; answer shorter"),
        StopReason::WindowFull => Some("the model's context window was full before the answer was complete"),
        StopReason::Refusal => Some("the model refused, or a content filter stopped its answer"),
        StopReason::ToolUse | StopReason::MalformedCall => Some("the answer calls a tool, and there are none"),
        StopReason::Other => Some("the answer ended for an unknown reason"),
    }
}

/// Decodes escaped characters in the text and tool calls of a message, so that files and fields get the original text.
fn restored(mut message: Message) -> Message {
    for part in &mut message.parts {
        match part {
            Part::Text { text } => *text = unescape_answer(text).into_owned(),
            Part::ToolCall(call) => {
                call.name = unescape(&call.name).into_owned();
                call.arguments = unescape_value(&call.arguments);
            }
            // Some providers require their reasoning to be returned unchanged.
            Part::Reasoning(_) | Part::Image(_) | Part::ToolResult(_) => {}
        }
    }
    message
}

pub(crate) fn named(mut error: OpError, model: &Model) -> OpError {
    error.info.provider_id.get_or_insert_with(|| model.id.provider().to_owned());
    error.info.model_id.get_or_insert_with(|| model.id.to_string());
    error
}
