//! Artifacts in a prompt: the agent context, at the level that the message needs, and complete artifacts that the
//! message is about.

use jig_context::agent_context::{self, Component, ContextError, Request, Sources, ViewNode, build, pieces};
use jig_context::artifact::{Artifact, without_comments};
use jig_contract::ops::{AgentContext, ContextLevel, TargetClass, WantedLevel};
use jig_contract::{OpError, Timestamp};
use jig_prompt::{
    AgentComponent, AgentLevel, AgentPart, Class, Counter as _, Document, Input, Markup, Need, Notice, Part,
};
use jig_store::Head;

use crate::Workbench;
use crate::handlers::TARGET_TEXT_BYTES_MAX;

impl Workbench {
    /// Adds the artifacts of a state to a prompt and returns the agent context, if there are artifacts. Depends on the
    /// state and the message only: the conversation is added elsewhere.
    pub(crate) async fn add_plans(
        &self,
        head: &Head,
        at: Timestamp,
        message: &str,
        input: &mut Input,
    ) -> Result<Option<AgentContext>, OpError> {
        let seen = self.artifacts_at(head.state).await?;
        if seen.is_empty() {
            return Ok(None);
        }
        let artifacts: Vec<&Artifact> = seen.iter().map(|seen| seen.artifact.as_ref()).collect();
        let project = self.project_info(head).await?;
        let catalog = self.plans_catalog_at(head.state).await?;
        let sources =
            Sources { project: &project, artifacts: &artifacts, messages: &[], last_message: 0, catalog: &catalog };
        let tokenizer = input.model.tokenizer.clone();
        let count = |text: &str| tokenizer.of(self.prompts().counter().count(text));
        let long = message.len() > TARGET_TEXT_BYTES_MAX;
        if long {
            let words = "The message is too long to be searched for the names of plans; put long texts into a file.";
            input.notices.push(Notice::new(words));
        }
        let request = Request {
            artifact: None,
            level: WantedLevel::Auto,
            message: Some(message).filter(|message| !message.is_empty() && !long),
            window: input.model.window,
            tokenizer: &tokenizer.name,
            count: &count,
            now: at,
        };
        let built = match build(sources, request) {
            Err(error @ ContextError::TooLarge { .. }) => {
                let words = OpError::from(error).to_string();
                input.notices.push(Notice::new(format!("The plans are shown by name only: {words}.")));
                build(sources, Request { level: WantedLevel::Minimal, ..request })
            }
            built => built,
        };
        let view = built.map_err(OpError::from)?.context;
        input.documents.extend(whole(&artifacts, &view));
        input.agent_context = Some(shown(&view));
        Ok(Some(view))
    }
}

/// The artifacts that the message is about entirely, unless the agent context already has their texts.
fn whole(artifacts: &[&Artifact], view: &AgentContext) -> Vec<Document> {
    let state = &view.system_state;
    let named = |slug: &str| {
        state
            .targets
            .iter()
            .any(|target| target.class == TargetClass::Artifact && target.artifact == slug && target.section.is_none())
    };
    let in_view = |slug: &str| view.current_artifact.slug == slug && view.current_artifact.content.is_some();
    let wanted = artifacts.iter().filter(|artifact| named(artifact.slug()) && !in_view(artifact.slug()));
    wanted.map(|artifact| document(artifact)).collect()
}

fn document(artifact: &Artifact) -> Document {
    let part = |name: &str, text: &str| Part {
        name: name.to_owned(),
        text: without_comments(text).trim().to_owned(),
        need: Need::Referenced,
    };
    let sections = artifact.document.parts.iter().map(|one| part(one.name.as_str(), artifact.content(one)));
    let parts = std::iter::once(part("lead", &artifact.lead)).chain(sections);
    Document {
        class: Class::Artifact,
        kind: artifact.slug().to_owned(),
        key: String::new(),
        title: Some(artifact.document.title.clone()),
        parts: parts.filter(|part| !part.text.is_empty()).collect(),
    }
}

/// The agent context in prompt form. It is already within its budgets, so everything except related artifacts is
/// mandatory.
fn shown(view: &AgentContext) -> jig_prompt::AgentContext {
    let part = |piece: agent_context::ViewPiece| {
        let (component, need) = match piece.component {
            Component::CurrentArtifact => (AgentComponent::CurrentArtifact, Need::Pinned),
            Component::RelatedArtifacts => (AgentComponent::RelatedArtifacts, Need::Referenced),
            _ => (AgentComponent::Project, Need::Pinned),
        };
        AgentPart { component, name: piece.name, body: piece.body.into_iter().map(markup).collect(), need }
    };
    jig_prompt::AgentContext {
        level: match view.system_state.level {
            ContextLevel::Minimal => AgentLevel::Minimal,
            ContextLevel::Standard => AgentLevel::Standard,
            ContextLevel::Full => AgentLevel::Full,
        },
        parts: pieces(view).into_iter().map(part).collect(),
    }
}

fn markup(node: ViewNode) -> Markup {
    match node {
        ViewNode::Text(text) => Markup::Text(text),
        ViewNode::Element { name, attributes, inside } => {
            Markup::Element { name, attributes, inside: inside.into_iter().map(markup).collect() }
        }
    }
}
