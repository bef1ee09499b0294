//! Which model a call means, and asking it.

use jig_contract::ops::EgressScope;
use jig_contract::{BlobHash, Code, OpError, WorkbenchId};
use jig_prompt::escape::{unescape, unescape_answer, unescape_value};
use jig_providers::{Message, Model, Part, Prepared, Request, Step};
use jig_store::Head;
use tokio_util::sync::CancellationToken;

use crate::egress::Beside;
use crate::state::View;
use crate::{CallContext, Workbench};

/// Somebody agreed: this may be sent.
pub(crate) struct Agreed {
    workbench: WorkbenchId,
    model: Model,
    scope: BlobHash,
}

impl Workbench {
    /// The model that a call names, else the workbench's, else the settings'; none when nobody has chosen one.
    pub(crate) async fn chosen_model(&self, head: &Head, named: Option<&str>) -> Result<Option<Model>, OpError> {
        let models = self.models()?;
        if let Some(name) = named {
            return models.find(name).map(Some);
        }
        let own = View::of(self.store(), head).settings().await?.default_model;
        let name = own.or_else(|| models.default_name().map(str::to_owned));
        name.map(|name| models.find(&name)).transpose()
    }

    /// The same, where there must be one.
    pub(crate) async fn needed_model(&self, head: &Head, named: Option<&str>) -> Result<Model, OpError> {
        match self.chosen_model(head, named).await? {
            Some(model) => Ok(model),
            None => Err(self.models()?.none_chosen()),
        }
    }

    /// The gate: whether this workbench's content may go to this model, with what comes beside it. A consent for one
    /// call is used up, so this comes last before the call.
    pub(crate) async fn agreed(&self, head: &Head, model: &Model, beside: &Beside) -> Result<Agreed, OpError> {
        let models = self.models()?;
        // What cannot be called at all is said before anybody is asked to agree to it.
        models.open(model).map_err(|error| named(error, model))?;
        let host = models.host(model)?;
        let scope = self.egress_scope(head, model.id.as_str(), host.as_deref().unwrap_or_default(), beside).await?;
        // What is done inside the program sends nothing that somebody would have to agree to.
        if host.is_some() {
            self.use_consent(&head.id, &scope).await.map_err(|error| named(error, model).workbench(&head.id))?;
        }
        let EgressScope { hash, .. } = scope;
        let scope = hash.parse().map_err(|e| OpError::new(Code::Internal, "a scope's hash is none").because(e))?;
        Ok(Agreed { workbench: head.id.clone(), model: model.clone(), scope })
    }

    /// The gate for a run of an agent that began at a state: a yes holds for all its calls, as long as people add
    /// nothing. `given` is what this worker has a yes for.
    pub(crate) async fn agreed_in_run(
        &self,
        head: &Head,
        model: &Model,
        began: BlobHash,
        beside: &Beside,
        given: &mut Option<String>,
    ) -> Result<Agreed, OpError> {
        let models = self.models()?;
        models.open(model).map_err(|error| named(error, model))?;
        let host = models.host(model)?;
        let (name, address) = (model.id.as_str(), host.as_deref().unwrap_or_default());
        let scope = self.egress_scope_since(head, began, name, address, beside).await?;
        // One that stays is looked at every time, so that revoking it ends the run; only one that is used up is remembered.
        let lasting = host.is_none() || self.lasting_consent(&head.id, &scope).await?;
        if !lasting && given.as_ref() != Some(&scope.hash) {
            self.use_consent(&head.id, &scope).await.map_err(|error| named(error, model).workbench(&head.id))?;
            *given = Some(scope.hash.clone());
        }
        let hash = scope.hash.parse().map_err(|e| OpError::new(Code::Internal, "a scope's hash is none").because(e))?;
        Ok(Agreed { workbench: head.id.clone(), model: model.clone(), scope: hash })
    }

    /// Whether a run that began at a state could go on. A consent for one run is not used up.
    pub(crate) async fn check_agreed_in_run(
        &self,
        head: &Head,
        model: &Model,
        began: BlobHash,
        beside: &Beside,
        given: Option<String>,
    ) -> Result<(), OpError> {
        let models = self.models()?;
        models.open(model).map_err(|error| named(error, model))?;
        let Some(host) = models.host(model)? else { return Ok(()) };
        let scope = self.egress_scope_since(head, began, model.id.as_str(), &host, beside).await?;
        if given.as_ref() == Some(&scope.hash) {
            return Ok(());
        }
        self.check_consent(&head.id, &scope).await.map_err(|error| named(error, model).workbench(&head.id))
    }

    /// Whether the same could be sent now. A consent for one call is not used up.
    pub(crate) async fn check_agreed(&self, head: &Head, model: &Model, beside: &Beside) -> Result<(), OpError> {
        let models = self.models()?;
        models.providers.open(&model.id)?;
        let Some(host) = models.host(model)? else { return Ok(()) };
        let scope = self.egress_scope(head, model.id.as_str(), &host, beside).await?;
        self.check_consent(&head.id, &scope).await.map_err(|error| named(error, model).workbench(&head.id))
    }

    /// Whether somebody has agreed beforehand to calls like this one.
    pub(crate) async fn agreed_beforehand(&self, head: &Head, model: &Model, beside: &Beside) -> Result<bool, OpError> {
        let models = self.models()?;
        models.providers.open(&model.id)?;
        let Some(host) = models.host(model)? else { return Ok(true) };
        let scope = self.egress_scope(head, model.id.as_str(), &host, beside).await?;
        self.lasting_consent(&head.id, &scope).await
    }

    /// Asks a model what was agreed to. The call is in the log of calls before it is sent, and its end is after.
    pub(crate) async fn ask(
        &self,
        context: &CallContext,
        agreed: &Agreed,
        request: &Request,
    ) -> Result<Message, OpError> {
        let prepared = self.prepared(&agreed.model, request)?;
        self.ask_prepared(&context.cancel, agreed, prepared, |_| {}).await
    }

    /// A request as it goes over the wire, byte for byte.
    pub(crate) fn prepared(&self, model: &Model, request: &Request) -> Result<Prepared, OpError> {
        Ok(self.models()?.open(model)?.prepare(request)?)
    }

    /// Asks a model with bytes that were prepared, and kept, before. `tell` gets what comes before the whole answer.
    pub(crate) async fn ask_prepared(
        &self,
        cancel: &CancellationToken,
        agreed: &Agreed,
        prepared: Prepared,
        tell: impl FnMut(Step) + Send,
    ) -> Result<Message, OpError> {
        let models = self.models()?;
        let Agreed { workbench, model, scope } = agreed;
        let provider = models.open(model)?;
        let permit = models.gate.permit(workbench.clone(), model.id.clone(), *scope);
        let answer = provider.complete(prepared, permit, cancel.clone()).message_telling(tell).await;
        models.log.written().await;
        answer.map(restored).map_err(|error| named(error.into(), model).workbench(workbench))
    }
}

/// What a model says and calls, with the codes that stand for characters of the material turned back: whatever is written
/// to a file or a field from here on is the text that was read.
fn restored(mut message: Message) -> Message {
    for part in &mut message.parts {
        match part {
            Part::Text { text } => *text = unescape_answer(text).into_owned(),
            Part::ToolCall(call) => {
                call.name = unescape(&call.name).into_owned();
                call.arguments = unescape_value(&call.arguments);
            }
            // Some providers want their own thoughts back byte for byte.
            Part::Reasoning(_) | Part::Image(_) | Part::ToolResult(_) => {}
        }
    }
    message
}

fn named(mut error: OpError, model: &Model) -> OpError {
    error.info.provider_id.get_or_insert_with(|| model.id.provider().to_owned());
    error.info.model_id.get_or_insert_with(|| model.id.to_string());
    error
}
