//! Artifacts: listing, reading and full-text writes.

use jig_context::artifact::{
    self, Author, New, Put, Wish, create, finalize, find_stage, kind_of, put, template, title_in, unfinalize,
};
use jig_context::document::DocumentId;
use jig_contract::ops::*;
use jig_contract::{Actor, Code, OpError, RevisionTag, check_name};
use jig_store::Head;

use crate::artifacts::{ArtifactChange, ArtifactEdit, Making, SeenArtifact, said};
use crate::engine::Session;
use crate::entries::{bad_cursor, page_limit};
use crate::{CallContext, Handle, Workbench};

impl Handle<ArtifactList> for Workbench {
    async fn handle(&self, _: &CallContext, params: ArtifactListParams) -> Result<ArtifactListOutput, OpError> {
        let limit = page_limit(params.limit)? as usize;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let state = session.head.state;
        let stages = self.stages_at(state).await?;
        let mut all = self.artifacts_at(state).await?;
        if let Some(stage) = &params.stage {
            let used = all.iter().any(|seen| seen.artifact.stage == *stage);
            let stage = if used { stage.clone() } else { find_stage(&stages, stage)?.stage.clone() };
            all.retain(|seen| seen.artifact.stage == stage);
        }
        all.retain(|seen| params.status.is_none_or(|status| seen.artifact.status == status));
        let place = |seen: &SeenArtifact| {
            let stage = &seen.artifact.stage;
            let at = stages.iter().position(|known| known.stage == *stage).unwrap_or(stages.len());
            let known = stages.get(at).map_or(&[][..], |stage| &stage.artifacts);
            let named = known.iter().position(|template| template.slug == seen.artifact.slug());
            (at, stage.clone(), named.unwrap_or(known.len()), seen.artifact.slug().to_owned())
        };
        all.sort_by_key(place);
        let total = all.len() as u64;
        if let Some(after) = &params.cursor {
            let at = all.iter().position(|seen| seen.artifact.slug() == after).ok_or_else(bad_cursor)?;
            all.drain(..=at);
        }
        let has_more = all.len() > limit;
        all.truncate(limit);
        let mut artifacts = Vec::with_capacity(all.len());
        for seen in &all {
            artifacts.push(self.shown_artifact(state, seen, &[], Wish::Outline).await?);
        }
        let cursor = artifacts.last().map(|last| last.slug.clone()).filter(|_| has_more);
        Ok(ArtifactListOutput { artifacts, total, cursor, has_more })
    }
}

impl Handle<ArtifactGet> for Workbench {
    async fn handle(&self, _: &CallContext, params: ArtifactGetParams) -> Result<ArtifactOutput, OpError> {
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let state = session.head.state;
        let newest = self.needed_artifact(state, &params.slug).await.map_err(|e| e.workbench(&session.id))?;
        let seen = match params.revision {
            Some(revision) => self.artifact_revision(&newest, revision).await?,
            None => newest.clone(),
        };
        let wish = if params.outline { Wish::Outline } else { Wish::Content };
        let mut artifact = self.shown_artifact(state, &seen, &params.sections, wish).await?;
        let known = params.seen_revision.unwrap_or(artifact.revision);
        artifact.newest_revision = Some(newest.artifact.revision()).filter(|newest| *newest > known);
        Ok(ArtifactOutput { artifact, created: false, warnings: Vec::new() })
    }
}

impl Handle<ArtifactCreate> for Workbench {
    async fn handle(&self, context: &CallContext, params: ArtifactCreateParams) -> Result<ArtifactOutput, OpError> {
        let title = check_name("artifact", &params.title)?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let author = self.author(context, params.reason.clone(), Lock::Kept)?;
        let id = DocumentId(self.env().fresh_id());
        let (params, title, author) = (&params, &title, &author);
        let make = move |head: Head| {
            Box::pin(async move {
                let new = self.new_artifact(&head, params, title, id).await?;
                let slug = new.slug.to_string();
                let artifact = create(new, author.clone())?;
                let summary = format!("made @{slug}");
                Ok(ArtifactChange {
                    artifacts: vec![ArtifactEdit::Put(Box::new(artifact))],
                    suggestions: Vec::new(),
                    messages: vec![said(&context.actor, "ArtifactCreate", &slug, summary.clone())],
                    summary,
                    output: slug,
                })
            }) as Making<'_, String>
        };
        let (slug, _) = self.write_artifacts(context, &mut session, "ArtifactCreate", &make).await?;
        self.artifact_now(&session, &slug).await
    }
}

impl Handle<ArtifactPut> for Workbench {
    async fn handle(&self, context: &CallContext, params: ArtifactPutParams) -> Result<ArtifactOutput, OpError> {
        let title = params.title.as_deref().map(|title| check_name("artifact", title)).transpose()?;
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let author = self.author(context, params.reason, Lock::of(params.override_lock))?;
        let whole = Whole {
            slug: Some(params.slug),
            content: params.content,
            title,
            stage: params.stage,
            base_revision: params.base_revision,
            operation: "ArtifactPut",
        };
        let (slug, created) = self.put_whole(context, &mut session, whole, author).await?;
        Ok(ArtifactOutput { created, ..self.artifact_now(&session, &slug).await? })
    }
}

/// A full-text write, from any operation.
pub(super) struct Whole {
    pub(super) slug: Option<String>,
    pub(super) content: Option<String>,
    pub(super) title: Option<String>,
    pub(super) stage: Option<String>,
    pub(super) base_revision: Option<RevisionTag>,
    pub(super) operation: &'static str,
}

/// How a call treats a lock.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    Kept,
    Overridden,
}

impl Lock {
    pub(super) const fn of(overrides: bool) -> Self {
        if overrides { Self::Overridden } else { Self::Kept }
    }
}

impl Workbench {
    /// The author of a write. Only people may override a lock.
    pub(super) fn author(&self, context: &CallContext, reason: Option<String>, lock: Lock) -> Result<Author, OpError> {
        if lock == Lock::Overridden && !matches!(context.actor, Actor::Person { .. }) {
            return Err(OpError::new(Code::NotPermitted, "only people change what is finalized")
                .hint("leave `override` out, and ask the person you work for"));
        }
        Ok(Author {
            actor: context.actor.clone(),
            at: self.env().now(),
            reason: reason.unwrap_or_default().trim().to_owned(),
            overrides: lock == Lock::Overridden,
        })
    }

    /// Replaces an artifact's Markdown or creates the artifact. Returns its slug and whether it is new.
    pub(super) async fn put_whole(
        &self,
        context: &CallContext,
        session: &mut Session,
        whole: Whole,
        author: Author,
    ) -> Result<(String, bool), OpError> {
        let id = DocumentId(self.env().fresh_id());
        let operation = whole.operation;
        let (whole, author) = (&whole, &author);
        // The base is the revision at the start of the call: a later change by someone else is a conflict, because this
        // write would undo it.
        let first = match &whole.slug {
            Some(slug) => self.artifact_at(session.head.state, slug).await?.map(|seen| seen.artifact.revision()),
            None => None,
        };
        let make = move |head: Head| {
            Box::pin(async move {
                let present = match &whole.slug {
                    Some(slug) => self.artifact_at(head.state, slug.trim_end_matches(".md")).await?,
                    None => None,
                };
                let (artifact, new) = match present {
                    Some(seen) => (self.replaced(&head, &seen, whole, author, first).await?, false),
                    None => (self.made_whole(&head, whole, author, id).await?, true),
                };
                let slug = artifact.slug().to_owned();
                let lock = if author.overrides { " although it is finalized" } else { "" };
                let verb = if new { "made" } else { "rewrote" };
                let summary = format!("{verb} @{slug}{lock}");
                Ok(ArtifactChange {
                    artifacts: vec![ArtifactEdit::Put(Box::new(artifact))],
                    suggestions: Vec::new(),
                    messages: vec![said(&context.actor, operation, &slug, summary.clone())],
                    summary,
                    output: (slug, new),
                })
            }) as Making<'_, (String, bool)>
        };
        let (output, _) = self.write_artifacts(context, session, operation, &make).await?;
        Ok(output)
    }

    async fn replaced(
        &self,
        head: &Head,
        seen: &SeenArtifact,
        whole: &Whole,
        author: &Author,
        first: Option<u64>,
    ) -> Result<artifact::Artifact, OpError> {
        let stages = self.stages_at(head.state).await?;
        let stage = whole.stage.as_deref().map(|stage| find_stage(&stages, stage)).transpose()?;
        let base = self.artifact_base(&head.id, Some(seen), whole.base_revision.as_ref()).await?;
        if base == Some(0) {
            let words =
                format!("artifact '{}' exists already, in revision {}", seen.artifact.slug(), seen.artifact.revision());
            return Err(OpError::new(Code::Conflict, words)
                .detail(serde_json::json!({ "base_revision": 0, "newest": seen.artifact.revision() }))
                .action("reload"));
        }
        let change = Put {
            content: whole.content.clone(),
            title: whole.title.clone(),
            stage: stage.map(|stage| stage.stage.clone()),
            base_revision: base.or(first),
        };
        Ok(put(&seen.artifact, change, author.clone(), seen.previous())?)
    }

    async fn made_whole(
        &self,
        head: &Head,
        whole: &Whole,
        author: &Author,
        id: DocumentId,
    ) -> Result<artifact::Artifact, OpError> {
        self.artifact_base(&head.id, None, whole.base_revision.as_ref()).await?;
        let content = whole.content.clone().unwrap_or_default();
        let title = whole.title.clone().or_else(|| title_in(&content)).or_else(|| whole.slug.clone());
        let title = title.unwrap_or_else(|| "Untitled".to_owned());
        let stage = self.stage_for(head, whole.stage.as_deref()).await?;
        let slug = self.free_slug(head.state, whole.slug.as_deref(), &title).await?;
        Ok(create(New { id, slug, title, stage, template: None, content }, author.clone())?)
    }

    /// The stage in a call, or the current one.
    async fn stage_for(&self, head: &Head, wished: Option<&str>) -> Result<String, OpError> {
        match wished {
            Some(stage) => Ok(find_stage(&self.stages_at(head.state).await?, stage)?.stage.clone()),
            None => self.current_stage(head).await,
        }
    }

    async fn new_artifact(
        &self,
        head: &Head,
        params: &ArtifactCreateParams,
        title: &str,
        id: DocumentId,
    ) -> Result<New, OpError> {
        let stages = self.stages_at(head.state).await?;
        let slug = self.free_slug(head.state, params.slug.as_deref(), title).await?;
        let stage = self.stage_for(head, params.stage.as_deref()).await?;
        let plain = |content: String, stage: String| New {
            id,
            slug: slug.clone(),
            title: title.to_owned(),
            stage,
            template: None,
            content,
        };
        if let Some(content) = &params.content {
            if params.template.as_deref().is_some_and(|template| template != "none") {
                return Err(OpError::new(Code::ValidationFailed, "give the content or a template, not both"));
            }
            return Ok(plain(content.clone(), stage));
        }
        let wished = params.template.as_deref().unwrap_or(slug.as_str());
        let found = template(&stages, &wished.to_lowercase(), &stage).filter(|_| wished != "none");
        match (found, &params.template) {
            (Some((of, template)), _) => {
                let stage = if params.stage.is_some() { stage } else { of.stage.clone() };
                let content = filled(&template.content, title);
                Ok(New { template: Some(template.slug.clone()), ..plain(content, stage) })
            }
            (None, Some(name)) if name != "none" => {
                let known = stages.iter().flat_map(|stage| &stage.artifacts).map(|template| template.slug.as_str());
                Err(OpError::new(Code::ValidationFailed, format!("there is no template `{}`", super::shown(name)))
                    .suggest(jig_context::document::nearest(name, known))
                    .hint("`jig stage list` shows the stages and their templates"))
            }
            (None, _) => Ok(plain(format!("# {title}\n"), stage)),
        }
    }

    /// The artifact at the newest head, with its text.
    pub(super) async fn artifact_now(&self, session: &Session, slug: &str) -> Result<ArtifactOutput, OpError> {
        let state = session.head.state;
        let seen = self.needed_artifact(state, slug).await?;
        let artifact = self.shown_artifact(state, &seen, &[], Wish::Content).await?;
        Ok(ArtifactOutput { artifact, created: false, warnings: Vec::new() })
    }

    /// Writes an artifact that must exist.
    pub(super) async fn rewrite_artifact(
        &self,
        context: &CallContext,
        operation: &'static str,
        place: (jig_contract::Given<jig_contract::WorkbenchId>, String),
        base: Option<RevisionTag>,
        change: Rewrite<'_>,
    ) -> Result<ArtifactOutput, OpError> {
        let (id, slug) = place;
        let mut session = self.enter_lightly(&id.check()?).await?;
        let (slug, base) = (&slug, base.as_ref());
        let make = move |head: Head| {
            Box::pin(async move {
                let seen = self.needed_artifact(head.state, slug).await?;
                let base = self.artifact_base(&head.id, Some(&seen), base).await?;
                let (next, words) = change(&seen, base)?;
                let slug = seen.artifact.slug().to_owned();
                Ok(ArtifactChange {
                    artifacts: vec![ArtifactEdit::Put(Box::new(next))],
                    suggestions: Vec::new(),
                    messages: vec![said(&context.actor, operation, &slug, words.clone())],
                    summary: words,
                    output: slug,
                })
            }) as Making<'_, String>
        };
        let (slug, _) = self.write_artifacts(context, &mut session, operation, &make).await?;
        self.artifact_now(&session, &slug).await
    }
}

/// Plans a write on a revision, and returns its summary.
pub(super) type Rewrite<'a> =
    &'a (dyn Fn(&SeenArtifact, Option<u64>) -> Result<(artifact::Artifact, String), OpError> + Send + Sync);

/// Fills a template with the title of the artifact.
fn filled(content: &str, title: &str) -> String {
    match (title_in(content), content.find('\n')) {
        (Some(_), Some(end)) if content.starts_with("# ") => format!("# {title}{}", &content[end..]),
        _ => content.to_owned(),
    }
}

impl Handle<ArtifactDelete> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: ArtifactDeleteParams,
    ) -> Result<ArtifactDeleteOutput, OpError> {
        let mut session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let author = self.author(context, None, Lock::of(params.override_lock))?;
        let first = self.needed_artifact(session.head.state, &params.slug).await?.artifact.revision();
        let (params, author) = (&params, &author);
        let make = move |head: Head| {
            Box::pin(async move {
                let seen = self.needed_artifact(head.state, &params.slug).await?;
                let base = self.artifact_base(&head.id, Some(&seen), params.base_revision.as_ref()).await?;
                // Checks base and lock like every other write; the result is discarded.
                let probe = Put {
                    content: Some(String::from("\n")),
                    title: None,
                    stage: None,
                    base_revision: base.or(Some(first)),
                };
                put(&seen.artifact, probe, author.clone(), None)?;
                let (slug, revision) = (seen.artifact.slug().to_owned(), seen.artifact.revision());
                let lock = if author.overrides { " although it is finalized" } else { "" };
                let summary = format!("deleted @{slug}{lock}");
                let kind = kind_of(&slug).map_err(|e| OpError::new(Code::Internal, e.to_string()))?;
                Ok(ArtifactChange {
                    artifacts: vec![ArtifactEdit::Remove(kind.name)],
                    suggestions: Vec::new(),
                    messages: vec![said(&context.actor, "ArtifactDelete", &slug, summary.clone())],
                    summary,
                    output: ArtifactDeleteOutput { slug, revision },
                })
            }) as Making<'_, ArtifactDeleteOutput>
        };
        let (output, _) = self.write_artifacts(context, &mut session, "ArtifactDelete", &make).await?;
        Ok(output)
    }
}

impl Handle<ArtifactFinalize> for Workbench {
    async fn handle(&self, context: &CallContext, params: ArtifactFinalizeParams) -> Result<ArtifactOutput, OpError> {
        let author = self.author(context, None, Lock::Kept)?;
        let change = move |seen: &SeenArtifact, base: Option<u64>| {
            let next = finalize(&seen.artifact, base, &author, seen.previous())?;
            Ok((next, format!("finalized @{}", seen.artifact.slug())))
        };
        self.rewrite_artifact(
            context,
            "ArtifactFinalize",
            (params.workbench_id, params.slug),
            params.base_revision,
            &change,
        )
        .await
    }
}

impl Handle<ArtifactUnfinalize> for Workbench {
    async fn handle(&self, context: &CallContext, params: ArtifactUnfinalizeParams) -> Result<ArtifactOutput, OpError> {
        let author = self.author(context, None, Lock::Kept)?;
        let change = move |seen: &SeenArtifact, base: Option<u64>| {
            let next = unfinalize(&seen.artifact, base, &author, seen.previous())?;
            Ok((next, format!("took the lock of @{} away", seen.artifact.slug())))
        };
        self.rewrite_artifact(
            context,
            "ArtifactUnfinalize",
            (params.workbench_id, params.slug),
            params.base_revision,
            &change,
        )
        .await
    }
}
