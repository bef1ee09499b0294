//! Extracts values for an entry's fields from a text or a file, with a model and one retry, or by rules. The result is
//! a proposal; the entry does not change.

use jig_context::document::Key;
use jig_context::entry::{NewProposal, propose};
use jig_context::extract::{Extracted, Extraction, Material, by_rules, check_material};
use jig_context::item::offline;
use jig_contract::ops::*;
use jig_contract::{Code, OpError};
use jig_providers::Model;
use jig_store::Head;

use super::host_files::{HostFile, read_file};
use crate::assets::file_source;
use crate::entries::{About, Edit, EntryEdit, Named, Target};
use crate::models::{check_room, request, unfinished};
use crate::state::{View, no_file};
use crate::{CallContext, Handle, Workbench};

/// The purpose in the log of model calls.
const PURPOSE: &str = "entry.extract";

impl Handle<EntryExtract> for Workbench {
    async fn handle(&self, context: &CallContext, params: EntryExtractParams) -> Result<ProposalOutput, OpError> {
        let id = params.workbench_id.check()?;
        let (role, key) = (params.role.clone(), params.entry_key.clone());
        let session = self.enter_lightly(&id).await?;
        let named = Named::of(self.kinds_at(session.head.state).await?, &role, key.as_deref())?;
        let model = self.needed_model(&session.head, params.model.as_deref()).await?;
        let source = self.material(context, &session.head, params).await?;
        check_material(&source.material.text)?;
        let kind = named.definition()?.clone();
        let found = if model.id.as_str() == offline::MODEL_ID {
            self.found_by_rules(kind, source.material.text.clone()).await?
        } else {
            let machine = Extraction::start(&kind, &source.material);
            let mut scope = source.scope.clone();
            scope.sources.push(format!("the definition of the kind {}", kind.anchor_role));
            self.found_by_model(context, &session.head, machine, &model, scope).await?
        };
        let proposal = self.save_proposal(context, session, &named, found, &model, source.source).await?;
        Ok(ProposalOutput { proposal })
    }
}

/// The text and its source.
struct Read {
    material: Material,
    source: EntrySource,
    scope: EgressScope,
}

impl Workbench {
    async fn material(&self, context: &CallContext, head: &Head, params: EntryExtractParams) -> Result<Read, OpError> {
        let wrong = |words: &str| {
            OpError::new(Code::ValidationFailed, words)
                .hint("give one of `text`, `path` (a file of the workbench) and `source_path` (`--file`)")
        };
        let with_call = |what: String| EgressScope { input: Some(what), ..EgressScope::default() };
        let (name, bytes, scope) = match (params.text, params.path, params.source_path) {
            (Some(text), None, None) => {
                let material = Material { text, name: None };
                return Ok(Read {
                    material,
                    source: EntrySource::Text,
                    scope: with_call("the text of this call".to_owned()),
                });
            }
            (None, Some(path), None) => {
                let path = path.check()?;
                // The file may have been edited manually since: what is read must be what the person sees.
                let head = self.enter(&head.id).await?.head;
                let view = View::of(self.store(), &head);
                let root = view.choose(None).await?;
                let Some(file) = view.file(root, &path).await? else { return Err(no_file(view, root, &path).await) };
                let bytes = self.store().blobs().get(&file.hash).await?.to_vec();
                let scope = EgressScope { files: vec![path.to_string()], ..EgressScope::default() };
                (path.to_string(), bytes, scope)
            }
            (None, None, Some(path)) => {
                let most = self.limits().file_bytes;
                let reading =
                    tokio::task::spawn_blocking(move || read_file(&path, |name, size| fits(name, size, most)));
                let read = reading.await;
                let HostFile { name, bytes } =
                    read.map_err(|e| OpError::new(Code::Internal, "reading the file was broken off").because(e))??;
                let scope = with_call(format!("the file {name}"));
                (name, bytes, scope)
            }
            (None, None, None) => return Err(wrong("there is nothing to look through")),
            _ => return Err(wrong("give a text or one file, not several")),
        };
        let file_name = name.rsplit('/').next().unwrap_or(&name);
        let text = self.text_in(context, file_name, &bytes).await?;
        let source = file_source(&name);
        Ok(Read { material: Material { text, name: Some(name) }, source, scope })
    }

    async fn found_by_rules(&self, kind: KindDefinition, text: String) -> Result<Extracted, OpError> {
        let found = tokio::task::spawn_blocking(move || by_rules(&kind, &text)).await;
        found.map_err(|e| OpError::new(Code::Internal, "the rules broke off through a fault in Jig").because(e))
    }

    /// Asks a model, and retries once with all errors of its answer.
    async fn found_by_model(
        &self,
        context: &CallContext,
        head: &Head,
        mut machine: Extraction,
        model: &Model,
        scope: EgressScope,
    ) -> Result<Extracted, OpError> {
        let Some(question) = machine.request() else {
            return Err(OpError::new(Code::Internal, "extraction starts without a question"));
        };
        check_room(model, question)?;
        let first = self.prepared(model, &request(question, PURPOSE))?;
        let sending = self.sending(head, model, scope, &first.body)?;
        let permit = self.permit(model, &sending, &first.body).await?;
        while let Some(question) = machine.request() {
            context.check_cancelled()?;
            let answer = self.ask(context, &permit, &request(question, PURPOSE)).await?;
            machine = match unfinished(&answer) {
                None => machine.answered(&answer.text()),
                Some(reason) => machine.unfinished(&answer.text(), reason),
            };
        }
        match machine {
            Extraction::Done(found) => Ok(found),
            Extraction::Failed(failure) => {
                let mut error = OpError::from(failure).workbench(&head.id);
                error.info.provider_id = Some(model.id.provider().to_owned());
                error.info.model_id = Some(model.id.to_string());
                Err(error)
            }
            Extraction::Ask(_) => Err(OpError::new(Code::Internal, "looking for values ended with a question")),
        }
    }

    async fn save_proposal(
        &self,
        context: &CallContext,
        mut session: crate::engine::Session,
        named: &Named,
        found: Extracted,
        model: &Model,
        source: EntrySource,
    ) -> Result<ProposalInfo, OpError> {
        let new = NewProposal {
            id: self.fresh_proposal_id()?,
            origin: ProposalOrigin::Extraction,
            role: named.kind.to_string(),
            key: named.key.clone(),
            display_name: None,
            fields: found.fields,
            by: context.actor.clone(),
            at: self.env().now(),
            model_id: Some(model.id.to_string()),
            sources: vec![source],
            recipe: None,
            job_id: None,
            reason: None,
            warnings: found.warnings,
        };
        if new.fields.is_empty() {
            // There is nothing to decide, so nothing is stored.
            let mut nothing = propose(new, None);
            nothing.state = ProposalState::Rejected;
            nothing.decision_reason = Some("nothing was found".to_owned());
            return Ok(nothing);
        }
        let new = &new;
        let make = |target: Target<'_>| {
            let proposal = propose(new.clone(), target.seen.map(|seen| seen.entry.as_ref()));
            let count = proposal.fields.len();
            Ok(Edit {
                entry: EntryEdit::Keep,
                summary: format!("found {} for {}", super::count(count as u64, "value"), target.named.address()),
                proposal: Some(proposal),
                output: (),
            })
        };
        let key = key_of(&named.key);
        let about = About { operation: "EntryExtract", role: named.kind.as_str(), entry_key: key, proposal: None };
        self.write_entry(context, &mut session, about, &make).await?;
        self.proposal_now(&session, &new.id).await
    }
}

/// The key as a call names it.
fn key_of(key: &Key) -> Option<&str> {
    (!key.is_singleton()).then(|| key.as_str())
}

fn fits(name: &str, size: u64, most: u64) -> Result<(), OpError> {
    if size <= most {
        return Ok(());
    }
    Err(OpError::new(Code::LimitExceeded, format!("`{name}` has {size} bytes; at most {most} are taken in"))
        .hint("the setting `limits.file_bytes` decides"))
}
