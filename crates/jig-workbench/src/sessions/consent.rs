//! Consent for agent runs.
//!
//! For a one-time consent, a run counts as one call: the consent is consumed when the run starts and covers all of its
//! requests. It is bound to the message, the conversation so far, and the exact content of the workbench at the start.
//! Later requests may also contain what the agent's tools read and write within the scope; if a person adds a file,
//! item, entry kind or artifact meanwhile, the run pauses and asks again. The consumed consent is stored with the
//! others, so that another process can continue the run.

use std::collections::BTreeSet;

use jig_context::agent::{Pack, Part, SHIPPED_NAME};
use jig_context::item::Category;
use jig_contract::ops::{Consent, EgressScope, ReadableScope};
use jig_contract::{BlobHash, OpError};
use jig_prompt::{Prompt, SourceKind};
use jig_providers::Model;
use jig_session::{Command, Event, Mode, Phase, RunConfig, Start, Task, decide};
use jig_store::Head;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::live::Live;
use super::request::Built;
use crate::egress::{Covered, Sending, names_half, sealed};
use crate::models::{SendPermit, named};
use crate::secrets::Locate;
use crate::{CallContext, Workbench};

/// What a run may send after consuming a one-time consent.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RunConsent {
    run: u32,
    /// The hash of the names of what is sent.
    names: String,
    /// The content of the workbench that the first request must have.
    materials: Option<BlobHash>,
}

/// One-time consents that cover a run that is about to start.
pub(crate) struct RunGrant {
    consents: Vec<Consent>,
    given: RunConsent,
}

impl RunGrant {
    /// For a run that starts after the Draft was rewound: its first request has the rewound content.
    pub(crate) fn after_rewind(mut self) -> Self {
        self.given.materials = None;
        self
    }
}

impl Workbench {
    /// The consent that a run has consumed, in any process.
    pub(crate) async fn run_consent(&self, live: &Live, run: u32) -> Result<Option<RunConsent>, OpError> {
        let kept = self.store().run_consent(&live.row.workbench_id, &live.row.id).await?;
        // An unreadable record means that consent is requested again.
        let given: Option<RunConsent> = kept.and_then(|kept| serde_json::from_str(&kept).ok());
        Ok(given.filter(|given| given.run == run))
    }

    /// Stores the consent of a run and removes that of the session's previous run.
    pub(crate) async fn keep_run_consent(
        &self,
        live: &Live,
        run: u32,
        given: Option<RunConsent>,
    ) -> Result<(), OpError> {
        let kept = given.map(|given| json!(RunConsent { run, ..given }).to_string());
        if kept.is_none() && self.store().run_consent(&live.row.workbench_id, &live.row.id).await?.is_none() {
            return Ok(());
        }
        Ok(self.store().set_run_consent(&live.row.workbench_id, &live.row.id, kept.as_deref()).await?)
    }

    /// Checks whether a run on a message could start at this state. Returns the consents that it would consume.
    pub(crate) async fn check_run(
        &self,
        context: &CallContext,
        live: &Live,
        head: &Head,
        (message, began): (&str, BlobHash),
        start: &Start,
    ) -> Result<Option<RunGrant>, OpError> {
        let model = self.models()?.find(&start.model)?;
        // A model that cannot be called is reported first.
        self.sending(head, &model, EgressScope::default(), &[])?;
        if self.models()?.host(&model)?.is_none() {
            return Ok(None);
        }
        let text = message.to_owned();
        let send = Command::Send { actor: context.actor.clone(), text, state: head.state, start: start.clone() };
        let decided = decide(&live.state, &send, self.env().now())?;
        let planned = decided.into_iter().find_map(|decided| match decided.event {
            Event::RunStarted { config, mode, .. } => Some((config, mode)),
            _ => None,
        });
        let Some((config, mode)) = planned else { return Ok(None) };
        let documents = self.pack_names(live, &config.snapshot, &config, mode).await?;
        let sending = self.run_sending(live, head, began, &model, message, documents).await?;
        match self.covered(&sending).await {
            Ok(covered) => self.run_grant(head, &sending, covered).await,
            Err(refusal) => {
                // The content of the first request is only assembled if a person has to read it.
                let prompt = self.prompt_at(context, head, Some(&model), message).await?;
                let shown = self.contents(head, &prompt).await?;
                let (scope, text) = (&sending.scope, prompt.text());
                let receiver = (scope.model_id.as_str(), scope.host.as_str());
                let secrets = self.check_secrets(&head.id, receiver, text.as_bytes(), &prompt).await;
                secrets.map_err(|error| named(error, &model))?;
                Err(named(told(refusal, sending.scope, shown), &model))
            }
        }
    }

    /// Checks whether a paused run could continue. Returns the consents that it would consume.
    pub(crate) async fn check_resumed_run(
        &self,
        context: &CallContext,
        live: &Live,
        head: &Head,
    ) -> Result<Option<RunGrant>, OpError> {
        let Some(run) = &live.state.core.run else { return Ok(None) };
        self.check_held_call(live, head).await?;
        let model = self.models()?.find(&run.config.model)?;
        let (began, message) = live.asked(head);
        let sending = match &run.config.task {
            Some(task) => {
                let built = self.task_request(model.clone(), task).await?;
                self.sending(head, &model, task_scope(task), &built.prepared.body)?
            }
            None => {
                let documents = self.pack_names(live, &run.snapshot, &run.config, run.mode).await?;
                self.run_sending(live, head, began, &model, &message, documents).await?
            }
        };
        if sending.scope.host.is_empty() || self.has_consent(live, run.number, &sending, None).await? {
            return Ok(None);
        }
        match self.covered(&sending).await {
            Ok(covered) => self.run_grant(head, &sending, covered).await,
            Err(refusal) if run.config.task.is_some() => Err(named(refusal, &model)),
            Err(refusal) => {
                let prompt = self.prompt_at(context, head, Some(&model), &message).await?;
                let shown = self.contents(head, &prompt).await?;
                Err(named(told(refusal, sending.scope, shown), &model))
            }
        }
    }

    async fn run_grant(
        &self,
        head: &Head,
        sending: &Sending<'_>,
        covered: Covered,
    ) -> Result<Option<RunGrant>, OpError> {
        let Covered::Once(consents) = covered else { return Ok(None) };
        let names = names_half(&sending.scope.hash).to_owned();
        let given = RunConsent { run: 0, names, materials: Some(self.materials(head).await?) };
        Ok(Some(RunGrant { consents, given }))
    }

    /// Consumes a one-time consent for a run that has just started. If another call was faster, the run has no consent
    /// and pauses before its first request.
    pub(crate) async fn use_run_grant(&self, live: &Live, grant: Option<RunGrant>) -> Result<(), OpError> {
        let (Some(grant), Some(run)) = (grant, &live.state.core.run) else { return Ok(()) };
        for once in &grant.consents {
            if self.store().drop_consent(&live.row.workbench_id, &once.id).await? {
                self.keep_run_consent(live, run.number, Some(grant.given)).await?;
                return Ok(());
            }
        }
        Ok(())
    }

    /// The gate for one request of a run.
    pub(super) async fn run_permit(&self, live: &Live, head: &Head, built: &Built) -> Result<SendPermit, OpError> {
        let run = live.state.core.run.as_ref();
        let number = run.map_or(0, |run| run.number);
        let task = run.and_then(|run| run.config.task.as_ref());
        if let Some(task) = task {
            let sending = self.sending(head, &built.model, task_scope(task), &built.prepared.body)?;
            self.check_permitted_text(head, &sending, built).await?;
            if !self.has_consent(live, number, &sending, None).await? {
                let once = !self.is_covered_for_good(&sending).await?;
                let permit = self.permit(&built.model, &sending, &built.prepared.body).await?;
                if once {
                    let names = names_half(&sending.scope.hash).to_owned();
                    let given = RunConsent { run: number, names, materials: None };
                    self.keep_run_consent(live, number, Some(given)).await?;
                }
                return Ok(permit);
            }
            return self.permitted(&built.model, &sending);
        }
        let (began, message) = live.asked(head);
        let documents = match run {
            Some(run) => self.pack_names(live, &run.snapshot, &run.config, run.mode).await?,
            None => EgressScope::default(),
        };
        let sending = self.run_sending(live, head, began, &built.model, &message, documents).await?;
        self.check_permitted_text(head, &sending, built).await?;
        if sending.scope.host.is_empty() || self.is_covered_for_good(&sending).await? {
            return self.permitted(&built.model, &sending);
        }
        // A stored consent is checked for every request, so that revoking it stops the run; only a consumed one is
        // remembered.
        if self.has_consent(live, number, &sending, Some(self.materials(head).await?)).await? {
            return self.permitted(&built.model, &sending);
        }
        let error = match self.covered(&sending).await {
            Err(error) => error,
            // The consent was granted while the run was paused; resuming the run consumes it.
            Ok(_) => crate::egress::refused(&sending.scope).workbench(&head.id),
        };
        Err(named(told(error, sending.scope, built.contents.clone()), &built.model))
    }

    /// Refuses a request of a run that contains a likely key.
    async fn check_permitted_text(&self, head: &Head, sending: &Sending<'_>, built: &Built) -> Result<(), OpError> {
        let receiver = (sending.scope.model_id.as_str(), sending.scope.host.as_str());
        let source: &dyn Locate = match &built.prompt {
            Some(prompt) => prompt,
            None => &sending.scope,
        };
        let checked = self.check_secrets(&head.id, receiver, &built.prepared.body, source).await;
        checked.map_err(|error| named(error, &built.model))
    }

    /// Whether the run has consumed a consent for this. Its first request must have the content that was consented to.
    async fn has_consent(
        &self,
        live: &Live,
        run: u32,
        sending: &Sending<'_>,
        materials: Option<BlobHash>,
    ) -> Result<bool, OpError> {
        let Some(mut given) = self.run_consent(live, run).await? else { return Ok(false) };
        if given.names != names_half(&sending.scope.hash) {
            return Ok(false);
        }
        if let (Some(agreed), Some(now)) = (given.materials, materials) {
            if agreed != now {
                return Ok(false);
            }
            given.materials = None;
            self.keep_run_consent(live, run, Some(given)).await?;
        }
        Ok(true)
    }

    /// What a run on a message sends: everything that the agent can read, by name, with a hash of the content.
    async fn run_sending<'a>(
        &self,
        live: &Live,
        head: &'a Head,
        began: BlobHash,
        model: &Model,
        message: &str,
        documents: EgressScope,
    ) -> Result<Sending<'a>, OpError> {
        let EgressScope { files, items, entries, artifacts, .. } = self.inventory(head, began).await?;
        // Logs are append-only, so the length identifies the earlier conversation. A new session has a different id in
        // each attempt, so it is left out.
        let core = &live.state.core;
        let said = (!live.state.history.entries.is_empty()).then(|| (live.row.id.to_string(), core.seq));
        let content = json!([message, said, self.materials(head).await?.to_string(), documents.hash]);
        let scope = EgressScope {
            files: files.clone(),
            items,
            entries: entries.clone(),
            artifacts: artifacts.clone(),
            documents: documents.documents,
            images: documents.images,
            input: Some("the message and the conversation so far".to_owned()),
            readable: Some(ReadableScope { files, entries, artifacts }),
            ..EgressScope::default()
        };
        let sending = self.sending(head, model, scope, content.to_string().as_bytes())?;
        Ok(Sending { began, ..sending })
    }

    /// Documents and images of the packs of a run, by path. Built-in packs contain nothing of the user's. The hash
    /// identifies the content.
    async fn pack_names(
        &self,
        live: &Live,
        snapshot: &BlobHash,
        config: &RunConfig,
        mode: Mode,
    ) -> Result<EgressScope, OpError> {
        let mut names = EgressScope { hash: snapshot.to_string(), ..EgressScope::default() };
        let known = live.state.core.workspace.summary(snapshot);
        if known.is_some_and(|known| known.reference.split('@').next() == Some(SHIPPED_NAME)) {
            return Ok(names);
        }
        let snapshot = self.snapshot(snapshot).await?;
        let used = |phase: Phase| (mode == Mode::Direct) == (phase == Phase::Direct);
        let phases = config.phases.iter().filter(|(phase, _)| used(**phase));
        let packs: BTreeSet<&String> = phases.filter_map(|(_, choice)| choice.pack.as_ref()).collect();
        for pack in packs.into_iter().filter_map(|id| snapshot.packs.get(id)) {
            add_pack(&mut names, pack);
        }
        Ok(names)
    }

    /// The sources of a prompt, by name.
    pub(crate) async fn contents(&self, head: &Head, prompt: &Prompt) -> Result<EgressScope, OpError> {
        let mut scope = EgressScope::default();
        let mut styled = false;
        for line in &prompt.bill.lines {
            let name = line.source.name.as_str();
            let whole = || name.trim_start_matches('@').split('#').next().unwrap_or_default().to_owned();
            match line.source.kind {
                SourceKind::File => scope.files.push(name.to_owned()),
                SourceKind::Item => scope.items.push(name.to_owned()),
                SourceKind::Skill => scope.items.push(name.split('/').next().unwrap_or_default().to_owned()),
                SourceKind::FormatStyle => styled = true,
                SourceKind::EntryField => scope.entries.push(whole()),
                SourceKind::ArtifactSection => scope.artifacts.push(whole()),
                SourceKind::AgentContext if name != "project" => scope.artifacts.push(name.to_owned()),
                _ => {}
            }
        }
        // The style item is merged into the skills of formats and then not sent separately.
        if styled && self.item_hash(head.state, Category::DocumentStyle).await?.is_some() {
            scope.items.push(Category::DocumentStyle.to_string());
        }
        Ok(scope)
    }
}

/// Adds the content of a pack.
pub(super) fn add_pack(scope: &mut EgressScope, pack: &Pack) {
    for part in &pack.parts {
        match part {
            Part::Template { path, .. } | Part::Messages { path, .. } | Part::Text { path, .. } => {
                scope.documents.push(path.clone());
            }
            Part::Image { path, .. } => scope.images.push(path.clone()),
        }
    }
}

/// The sources of a fixed question.
fn task_scope(task: &Task) -> EgressScope {
    let input = task.words.then(|| "the text of this call".to_owned());
    task.scope.as_deref().cloned().unwrap_or(EgressScope { input, ..EgressScope::default() })
}

/// A refusal that lists what the first request shows. The hash stays that of the entire run.
fn told(mut refusal: OpError, scope: EgressScope, shown: EgressScope) -> OpError {
    let hash = scope.hash.clone();
    let EgressScope { files, items, entries, artifacts, .. } = shown;
    let listed = sealed(EgressScope { files, items, entries, artifacts, ..scope }, &BlobHash::from_bytes([0; 32]));
    refusal.info.detail = Some(json!({ "scope": EgressScope { hash, ..listed } }));
    refusal
}
