//! Processes context items: a question to a model, a retry, and a commit; or by rules without a model.

use jig_context::item::process::{Processed, Processing};
use jig_context::item::{Again, Category, DirectEdits, Input, Source, offline};
use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, RevisionTag, WorkbenchId};
use jig_providers::Model;
use jig_store::Head;

use super::context::editable;
use crate::events::Progress;
use crate::items::{Depth, ItemChange};
use crate::models::{check_room, request, unfinished};
use crate::{CallContext, Handle, Workbench};

/// The purpose in the log of model calls.
const PURPOSE: &str = "context.process";

impl Handle<ContextProcess> for Workbench {
    async fn handle(&self, context: &CallContext, params: ContextProcessParams) -> Result<ContextItemOutput, OpError> {
        let (id, category) = (params.workbench_id.check()?, Category::from(params.category));
        let start =
            self.start_processing(&id, category, params.model.as_deref(), params.base_revision.as_ref()).await?;
        // A damaged item can be processed again. Of its source, only the creation time is kept, if it can be read.
        let (before, _) = self.item_files_left(start.head.state, category).await?;
        let previous = Self::item_source(category, &before);
        let input = self.raw_input(context, params.input).await?;
        self.process(context, start, &input, previous, "ContextProcess").await
    }
}

impl Handle<ContextReprocess> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ContextReprocessParams,
    ) -> Result<ContextItemOutput, OpError> {
        let (id, category) = (params.workbench_id.check()?, Category::from(params.category));
        let start =
            self.start_processing(&id, category, params.model.as_deref(), params.base_revision.as_ref()).await?;
        let files = self.item_files(start.head.state, category, Depth::Whole).await?;
        let item = editable(category, &files).map_err(|error| error.workbench(&id))?;
        let edits = if params.overwrite_direct_edits { DirectEdits::Overwrite } else { DirectEdits::Keep };
        let input = match item.again(edits).map_err(|error| error.workbench(&id))? {
            Again::Text(text) => Input::text(text)?,
            Again::File { file, note } => {
                self.file_input(context, &file.name, file.bytes.clone(), note.map(str::to_owned)).await?
            }
        };
        self.process(context, start, &input, Some(item.source), "ContextReprocess").await
    }
}

/// The state and model that processing started with.
struct Start {
    head: Head,
    category: Category,
    model: Model,
    seen: Option<BlobHash>,
}

impl Workbench {
    /// Reads the workbench and releases it: a model call can take minutes, which must not block others.
    async fn start_processing(
        &self,
        id: &WorkbenchId,
        category: Category,
        model: Option<&str>,
        base: Option<&RevisionTag>,
    ) -> Result<Start, OpError> {
        let session = self.enter(id).await?;
        self.refuse_draft_for_context(&session.head).await?;
        let head = session.head.clone();
        let seen = self.seen_item(&head, category, base).await?;
        let model = self.needed_model(&head, model).await.map_err(|error| error.workbench(id))?;
        Ok(Start { head, category, model, seen })
    }

    /// Processes and saves the item. If any step fails, nothing is saved.
    async fn process(
        &self,
        context: &CallContext,
        start: Start,
        input: &Input,
        previous: Option<Source>,
        operation: &'static str,
    ) -> Result<ContextItemOutput, OpError> {
        let Start { head, category, model, seen } = &start;
        let (id, category) = (&head.id, *category);
        let made = if model.id.as_str() == offline::MODEL_ID {
            by_rules(category, input).await
        } else {
            self.by_model(context, &start, input, operation).await
        };
        let processed = match made {
            Ok(processed) => processed,
            Err(error) => {
                // Without permission the model was never called, so this does not count as its failure.
                if !matches!(error.code(), Code::EgressConsentRequired | Code::SecretDetected) {
                    self.count(id, "context.process.failure", category, model.id.as_str(), 0).await;
                }
                return Err(error);
            }
        };
        let warnings = processed.warnings.clone();
        let tokens = self.item_tokens(category, &processed.files);
        let item = processed.into_item(input, previous.as_ref(), model.id.as_str(), self.env().now());
        let mut session = self.enter(id).await?;
        let (verb, counted) = match (operation, seen) {
            ("ContextReprocess", _) => ("made again", "context.edit"),
            (_, Some(_)) => ("replaced", "context.edit"),
            (_, None) => ("added", "context.add"),
        };
        let change = ItemChange {
            category,
            item: Some(item),
            seen: *seen,
            operation,
            summary: format!("{verb} the {} context, by {}", category.label(), model.id),
        };
        self.change_item(context, &mut session, change).await?;
        self.count(id, "context.process.success", category, model.id.as_str(), tokens).await;
        self.count(id, counted, category, "", 0).await;
        self.item_output(&session.head, category, warnings).await
    }

    /// Asks a model, and retries once with all errors of its answer.
    async fn by_model(
        &self,
        context: &CallContext,
        start: &Start,
        input: &Input,
        operation: &'static str,
    ) -> Result<Processed, OpError> {
        let Start { head, category, model, .. } = start;
        let mut processing = Processing::start(*category, input);
        let Some(question) = processing.request() else {
            return Err(OpError::new(Code::Internal, "processing starts without a question"));
        };
        check_room(model, question)?;
        let first = self.prepared(model, &request(question, PURPOSE))?;
        let sending = self.sending(head, model, scope(*category, input, operation), &first.body)?;
        let permit = self.permit(model, &sending, &first.body).await?;
        let now = || self.env().now();
        let progress = Progress { events: self.sender(), id: &head.id, seq: head.seq, operation, now: &now };
        let mut phase = category.processing();
        while let Some(question) = processing.request() {
            context.check_cancelled()?;
            progress.phase(phase);
            let answer = self.ask(context, &permit, &request(question, PURPOSE)).await.map_err(for_the_person)?;
            processing = match unfinished(&answer) {
                None => processing.answered(&answer.text()),
                Some(reason) => processing.unfinished(&answer.text(), reason),
            };
            phase = "asking_for_a_repair";
        }
        match processing {
            Processing::Done(processed) => Ok(processed),
            Processing::Failed(failure) => {
                let mut error = OpError::from(failure).workbench(&head.id);
                error.info.provider_id = Some(model.id.provider().to_owned());
                error.info.model_id = Some(model.id.to_string());
                Err(error)
            }
            Processing::Ask(_) => Err(OpError::new(Code::Internal, "processing ended with a question")),
        }
    }
}

/// The sources of the question: the input in the call, or the item's previous input.
fn scope(category: Category, input: &Input, operation: &str) -> EgressScope {
    let file = input.source_file().map(|file| format!("the file {}", file.name));
    if operation == "ContextReprocess" {
        return EgressScope {
            items: vec![category.to_string()],
            sources: file.into_iter().collect(),
            ..EgressScope::default()
        };
    }
    let input = Some(file.unwrap_or_else(|| "the text of this call".to_owned()));
    EgressScope { input, ..EgressScope::default() }
}

/// A failed call is not retried automatically; the person decides.
fn for_the_person(error: OpError) -> OpError {
    if error.code() == Code::UserCanceled { error } else { error.action("retry").action("cancel") }
}

async fn by_rules(category: Category, input: &Input) -> Result<Processed, OpError> {
    let input = input.clone();
    let built = tokio::task::spawn_blocking(move || offline::build(category, &input)).await;
    built.map_err(|e| OpError::new(Code::Internal, "the rules broke off through a fault in Jig").because(e))
}
