//! Builds an agent context.

use jig_contract::Timestamp;
use jig_contract::ops::{
    AgentContext, ContextBudget, ContextLeftOut, ContextLevel, Message, ProjectInfo, StageProgress, SystemState,
    TargetClass, TargetInfo, WantedLevel,
};

use super::budget::{Budgets, Component};
use super::error::ContextError;
use super::level::{Named, named_in};
use super::version::Version;
use super::{current, history, project, related, text};
use crate::artifact::Artifact;
use crate::document::Revision;
use crate::target::{Catalog, Class, Target};

/// The current state that a context is built from.
#[derive(Clone, Copy)]
pub struct Sources<'a> {
    /// The project.
    pub project: &'a ProjectInfo,
    /// All artifacts.
    pub artifacts: &'a [&'a Artifact],
    /// The newest messages of the conversation, oldest first.
    pub messages: &'a [Message],
    /// The number of the newest message.
    pub last_message: u64,
    /// Everything that a message can refer to.
    pub catalog: &'a Catalog,
}

/// The parameters of a context.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The slug of the current artifact.
    pub artifact: Option<&'a str>,
    /// The requested level.
    pub level: WantedLevel,
    /// The person's message.
    pub message: Option<&'a str>,
    /// The model's context window, in tokens.
    pub window: u64,
    /// The name of the tokenizer.
    pub tokenizer: &'a str,
    /// Counts the tokens of a text with that tokenizer.
    pub count: &'a dyn Fn(&str) -> u64,
    /// The current time.
    pub now: Timestamp,
}

/// A context in both forms.
#[derive(Debug, Clone, PartialEq)]
pub struct Built {
    /// The structured form.
    pub context: AgentContext,
    /// The text form.
    pub text: String,
    /// The token count of the text.
    pub tokens: u64,
}

/// Shared state while building the components.
pub(super) struct Work<'a> {
    pub(super) sources: Sources<'a>,
    pub(super) request: Request<'a>,
    pub(super) named: Named,
    pub(super) level: ContextLevel,
    pub(super) budgets: Budgets,
    pub(super) left_out: Vec<ContextLeftOut>,
}

impl Work<'_> {
    /// The token count of a component, in whichever form needs more.
    pub(super) fn size(&self, value: &impl serde::Serialize, text: &str) -> u64 {
        let json = serde_json::to_string(value).unwrap_or_default();
        (self.request.count)(&json).max((self.request.count)(text))
    }

    pub(super) fn limit(&self, component: Component) -> u64 {
        self.budgets.limit(component)
    }

    pub(super) fn leave_out(
        &mut self,
        what: impl Into<String>,
        tokens: u64,
        component: Component,
        how: impl Into<String>,
    ) {
        let why = format!("{} may take {} tokens", component.as_str().replace('_', " "), self.limit(component));
        self.left_out.push(ContextLeftOut { what: what.into(), tokens, why, how: how.into() });
    }
}

/// The current artifact: the requested one, the one that the message is about, or the newest of the stage.
pub fn current_artifact<'a>(
    sources: &Sources<'a>,
    wanted: Option<&str>,
    message: Option<&str>,
) -> Result<&'a Artifact, ContextError> {
    let by_slug = |slug: &str| {
        let slug = jig_contract::fold_case(slug.trim().trim_start_matches('@').trim_end_matches(".md"));
        sources.artifacts.iter().copied().find(|artifact| artifact.slug() == slug)
    };
    let there = || sources.artifacts.iter().map(|artifact| artifact.slug().to_owned()).collect();
    if let Some(wanted) = wanted {
        return by_slug(wanted)
            .ok_or_else(|| ContextError::NoArtifact { wanted: Some(wanted.to_owned()), there: there() });
    }
    let named = named_in(message, sources.catalog, None);
    let target = named
        .targets
        .iter()
        .filter(|target| target.class == Class::Artifact)
        .find_map(|target| by_slug(&target.document));
    let newest = |in_stage: bool| {
        let fits = |artifact: &&Artifact| !in_stage || artifact.stage == sources.project.current_stage;
        sources
            .artifacts
            .iter()
            .copied()
            .filter(fits)
            .max_by_key(|artifact| (artifact.document.revision.at, std::cmp::Reverse(artifact.slug())))
    };
    target
        .or_else(|| newest(true))
        .or_else(|| newest(false))
        .ok_or_else(|| ContextError::NoArtifact { wanted: None, there: Vec::new() })
}

/// Builds a context. Each component stays within its budget.
pub fn build(sources: Sources<'_>, request: Request<'_>) -> Result<Built, ContextError> {
    let artifact = current_artifact(&sources, request.artifact, request.message)?;
    let named = named_in(request.message, sources.catalog, Some(artifact.slug()));
    let level = named.level(request.level);
    let budgets = Budgets::of(request.window);
    let mut work = Work { sources, request, named, level, budgets, left_out: Vec::new() };
    let project = project::fit(&mut work)?;
    let current = current::fit(&mut work, artifact)?;
    let related = related::fit(&mut work, artifact)?;
    let messages = history::fit(&mut work, artifact);
    let version = version_of(&sources, artifact, level, request.now);
    let used = [
        (Component::SystemPrompt, 0),
        (Component::Project, project.tokens),
        (Component::CurrentArtifact, current.tokens),
        (Component::RelatedArtifacts, related.tokens),
        (Component::ChatHistory, messages.tokens),
        (Component::Response, 0),
        (Component::Reserve, 0),
    ];
    let budget = |(component, used): (Component, u64)| ContextBudget {
        component: component.as_str().to_owned(),
        limit: work.limit(component),
        used,
    };
    let state = SystemState {
        level,
        context_version: version.to_string(),
        built_at: request.now,
        targets: work.named.targets.iter().map(target_info).collect(),
        question: work.named.question.clone(),
        window: request.window,
        tokenizer: request.tokenizer.to_owned(),
        budgets: used.into_iter().map(budget).collect(),
        summarized: current.summarized,
        left_out: work.left_out,
    };
    let context = AgentContext {
        project: project.value,
        current_artifact: current.value,
        related_artifacts: related.value,
        chat_history: messages.value,
        system_state: state,
    };
    let text = text::whole(&context);
    Ok(Built { tokens: (request.count)(&text), context, text })
}

/// A component that fits its budget.
pub(super) struct Fitted<T> {
    pub(super) value: T,
    pub(super) tokens: u64,
    pub(super) summarized: bool,
}

/// The version that identifies the current state of what a context shows.
pub(super) fn version_of(sources: &Sources<'_>, artifact: &Artifact, level: ContextLevel, now: Timestamp) -> Version {
    let (done, total) = artifact.counts();
    Version {
        artifact: artifact.slug().to_owned(),
        id: artifact.document.id.0.simple().to_string(),
        revision: artifact.revision(),
        done,
        total,
        message: sources.last_message,
        stage_counts: Version::counts_of(&progress_of(sources.project)),
        level,
        stage: sources.project.current_stage.clone(),
        built_at: now,
    }
}

/// The progress of the current stage.
pub(super) fn progress_of(project: &ProjectInfo) -> StageProgress {
    let value = project.stages.get(&project.current_stage).cloned().unwrap_or_default();
    serde_json::from_value(value).unwrap_or_default()
}

/// The wire form of a target.
pub fn target_info(target: &Target) -> TargetInfo {
    TargetInfo {
        address: target.address(),
        class: match target.class {
            Class::Artifact => TargetClass::Artifact,
            Class::Entry => TargetClass::Entry,
            Class::Item => TargetClass::Item,
        },
        artifact: target.document.clone(),
        name: target.name.clone(),
        section: target.part.as_ref().map(|part| part.slug.clone()),
        title: target.part.as_ref().map(|part| part.title.clone()),
    }
}

/// Whether an agent may see a message. Private notes and retracted messages are never visible.
pub const fn visible_to(message: &Message) -> bool {
    !message.private && !message.undone
}

/// Whether a person made the revision, which includes edits of the file outside Jig.
pub(super) fn by_person(revision: &Revision) -> bool {
    matches!(revision.author, jig_contract::Actor::Person { .. } | jig_contract::Actor::Outside)
}
