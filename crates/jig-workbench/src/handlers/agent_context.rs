//! Agent contexts: build, refresh, check.

use std::collections::BTreeMap;
use std::sync::Arc;

use jig_context::agent_context::{
    self, Check, Refresh, Request, Sources, Version, build, changes, changes_text, current_artifact, named_in,
    why_whole,
};
use jig_context::artifact::Artifact;
use jig_context::document::Revision;
use jig_context::target::Catalog;
use jig_contract::ops::*;
use jig_contract::{Code, OpError};
use jig_prompt::{Counter, Tokenizer};
use jig_store::{Head, MessageQuery, MessagesFrom, Reader};

use super::target::check_text;
use crate::artifacts::SeenArtifact;
use crate::models::tokenizer;
use crate::{CallContext, Handle, Workbench};

/// The assumed context window if no model is chosen.
const WINDOW: u64 = 200_000;
/// How many of the newest messages are read, of the workbench and of each named artifact.
const MESSAGES: u32 = 1_000;
/// A context that is more revisions behind is sent again entirely.
const REVISIONS: usize = 500;

/// The inputs of a context.
struct Material {
    project: ProjectInfo,
    artifacts: Vec<Arc<Artifact>>,
    messages: Vec<Message>,
    last_message: u64,
    catalog: Arc<Catalog>,
    window: u64,
    tokenizer: Tokenizer,
}

impl Material {
    fn refs(&self) -> Vec<&Artifact> {
        self.artifacts.iter().map(AsRef::as_ref).collect()
    }

    fn sources<'a>(&'a self, artifacts: &'a [&'a Artifact]) -> Sources<'a> {
        Sources {
            project: &self.project,
            artifacts,
            messages: &self.messages,
            last_message: self.last_message,
            catalog: &self.catalog,
        }
    }
}

impl Handle<AgentContextBuild> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: AgentContextBuildParams,
    ) -> Result<AgentContextBuildOutput, OpError> {
        params.message.as_deref().map(check_text).transpose()?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let asked = Asked {
            artifact: params.artifact.as_deref(),
            message: params.message.as_deref(),
            model: params.model.as_deref(),
        };
        let material = self.view_material(&session.head, &asked).await?;
        self.built(&material, &asked, params.level).map_err(|error| error.workbench(&session.id))
    }
}

/// The parameters of a call.
struct Asked<'a> {
    artifact: Option<&'a str>,
    message: Option<&'a str>,
    model: Option<&'a str>,
}

impl Handle<AgentContextRefresh> for Workbench {
    async fn handle(
        &self,
        _: &CallContext,
        params: AgentContextRefreshParams,
    ) -> Result<AgentContextRefreshOutput, OpError> {
        params.message.as_deref().map(check_text).transpose()?;
        let since = version(&params.since)?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let artifact = params.artifact.as_deref().unwrap_or(&since.artifact);
        let asked =
            Asked { artifact: Some(artifact), message: params.message.as_deref(), model: params.model.as_deref() };
        let material = self.view_material(&session.head, &asked).await?;
        let newest = self.needed_artifact(session.head.state, artifact).await.map_err(|e| e.workbench(&session.id))?;
        let (before, revisions) = self.since(&newest, &since).await?;
        let refresh = Refresh {
            since: &since,
            artifact: &newest.artifact,
            before: before.as_deref(),
            revisions: &revisions,
            asked: params.full,
        };
        let why = why_whole(&refresh, &material.project.current_stage);
        if why.is_none()
            && let Some(output) = self.changed(&material, &asked, &refresh)
        {
            return Ok(output);
        }
        let built = self.built(&material, &asked, wanted(since.level)).map_err(|e| e.workbench(&session.id))?;
        Ok(AgentContextRefreshOutput {
            context_version: built.context_version,
            changed: true,
            changes: None,
            reason: Some(why.unwrap_or(WholeReason::TooMuch)),
            context: Some(built.context),
            text: built.text,
        })
    }
}

impl Handle<AgentContextCheck> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: AgentContextCheckParams,
    ) -> Result<AgentContextCheckOutput, OpError> {
        let version = version(&params.context_version)?;
        let session = self.enter_lightly(&params.workbench_id.check()?).await?;
        let head = &session.head;
        let seen = self.artifact_at(head.state, &version.artifact).await?;
        let same = |seen: &SeenArtifact| seen.artifact.document.id.0.simple().to_string() == version.id;
        let seen = seen.filter(same);
        let revisions = match &seen {
            Some(seen) => self.since(seen, &version).await?.1,
            None => Vec::new(),
        };
        let newest = MessageQuery { limit: 1, ..all_messages(None) };
        let (messages, _, _) = self.store().messages(&session.id, &newest).await?;
        let last_message = messages.last().map(|message| message.at);
        Ok(agent_context::check(&Check {
            version: &version,
            sections_total: params.sections_total,
            artifact: seen.as_ref().map(|seen| seen.artifact.as_ref()),
            current_stage: &self.current_stage(head).await?,
            revisions: &revisions,
            caller: &context.actor,
            active: params.active,
            last_activity: last_message.into_iter().chain([head.updated_at]).max(),
            now: self.env().now(),
        }))
    }
}

impl Workbench {
    async fn view_material(&self, head: &Head, asked: &Asked<'_>) -> Result<Material, OpError> {
        let seen = self.artifacts_at(head.state).await?;
        let (window, tokenizer) = match self.chosen_model(head, asked.model).await? {
            Some(model) => (model.window, tokenizer(&model)),
            None => (WINDOW, Tokenizer::o200k()),
        };
        let mut material = Material {
            project: self.project_info(head).await?,
            artifacts: seen.into_iter().map(|seen| seen.artifact).collect(),
            messages: Vec::new(),
            last_message: 0,
            catalog: self.catalog_at(head.state).await?,
            window,
            tokenizer,
        };
        let about = slugs_of(&material, asked);
        (material.messages, material.last_message) = self.heard(head, &about).await?;
        Ok(material)
    }

    /// The newest messages of the workbench and of these artifacts, without private notes.
    async fn heard(&self, head: &Head, about: &[String]) -> Result<(Vec<Message>, u64), OpError> {
        let mut found: BTreeMap<u64, Message> = BTreeMap::new();
        let mut last = 0;
        for artifact in std::iter::once(None).chain(about.iter().cloned().map(Some)) {
            let (messages, _, newest) = self.store().messages(&head.id, &all_messages(artifact)).await?;
            last = newest;
            found.extend(messages.into_iter().map(|message| (message.seq, message)));
        }
        Ok((found.into_values().collect(), last))
    }

    fn built(
        &self,
        material: &Material,
        asked: &Asked<'_>,
        level: WantedLevel,
    ) -> Result<AgentContextBuildOutput, OpError> {
        let count = |text: &str| material.tokenizer.of(self.prompts().counter().count(text));
        let refs = material.refs();
        let request = self.request(material, asked, level, &count);
        let built = build(material.sources(&refs), request)?;
        Ok(AgentContextBuildOutput {
            context_version: built.context.system_state.context_version.clone(),
            context: built.context,
            text: built.text,
            tokens: built.tokens,
        })
    }

    fn request<'a>(
        &self,
        material: &'a Material,
        asked: &Asked<'a>,
        level: WantedLevel,
        count: &'a dyn Fn(&str) -> u64,
    ) -> Request<'a> {
        Request {
            artifact: asked.artifact,
            level,
            message: asked.message,
            window: material.window,
            tokenizer: &material.tokenizer.name,
            count,
            now: self.env().now(),
        }
    }

    /// The changes; `None` if they do not fit.
    fn changed(
        &self,
        material: &Material,
        asked: &Asked<'_>,
        refresh: &Refresh<'_>,
    ) -> Option<AgentContextRefreshOutput> {
        let count = |text: &str| material.tokenizer.of(self.prompts().counter().count(text));
        let refs = material.refs();
        let request = self.request(material, asked, wanted(refresh.since.level), &count);
        let refreshed = changes(&material.sources(&refs), &request, refresh)?;
        Some(AgentContextRefreshOutput {
            context_version: refreshed.version.to_string(),
            changed: refreshed.changes != AgentContextChanges::default(),
            text: changes_text(&refreshed.changes),
            changes: Some(refreshed.changes),
            reason: None,
            context: None,
        })
    }

    /// The artifact as the context showed it, with its later revisions. An artifact with another id was not part of
    /// that context.
    async fn since(
        &self,
        newest: &SeenArtifact,
        since: &Version,
    ) -> Result<(Option<Arc<Artifact>>, Vec<Revision>), OpError> {
        let mut revisions = Vec::new();
        if newest.artifact.document.id.0.simple().to_string() != since.id {
            return Ok((None, revisions));
        }
        let mut at = newest.clone();
        while at.artifact.revision() > since.revision && revisions.len() < REVISIONS {
            revisions.push(at.artifact.document.revision.clone());
            match self.artifact_before(&at).await? {
                Some(before) => at = before,
                None => return Ok((None, revisions)),
            }
        }
        let found = (at.artifact.revision() == since.revision).then(|| at.artifact.clone());
        Ok((found, revisions))
    }
}

/// The artifacts whose messages may be included: the current one, and those that the message is about.
fn slugs_of(material: &Material, asked: &Asked<'_>) -> Vec<String> {
    let refs = material.refs();
    let sources = material.sources(&refs);
    let current =
        current_artifact(&sources, asked.artifact, asked.message).ok().map(|artifact| artifact.slug().to_owned());
    let named = named_in(asked.message, &material.catalog, current.as_deref());
    let mut slugs: Vec<String> =
        current.into_iter().chain(named.targets.into_iter().map(|target| target.document)).collect();
    slugs.sort_unstable();
    slugs.dedup();
    slugs
}

const fn all_messages(artifact: Option<String>) -> MessageQuery {
    MessageQuery {
        reader: Reader::Nobody,
        artifact,
        include_undone: false,
        from: MessagesFrom::Before(None),
        limit: MESSAGES,
    }
}

const fn wanted(level: ContextLevel) -> WantedLevel {
    match level {
        ContextLevel::Minimal => WantedLevel::Minimal,
        ContextLevel::Standard => WantedLevel::Standard,
        ContextLevel::Full => WantedLevel::Full,
    }
}

fn version(text: &str) -> Result<Version, OpError> {
    Version::parse(text).map_err(|error| {
        OpError::new(Code::ValidationFailed, error.to_string())
            .hint("`AgentContextBuild` gives a view with its version")
    })
}
