//! A context as XML, and as parts of a prompt. Text from documents and people is escaped exactly once, where it is
//! written: here for XML, and by the prompt's own rules in a prompt.

use jig_contract::ops::{
    AgentContext, AgentContextChanges, ArtifactContext, ArtifactStatus, MessageContext, ProjectContext, SectionAction,
    StageProgress, SystemState,
};

use super::budget::Component;
use super::version::level_word;
use crate::recipe::escape;

/// A node of a context before serialisation, so that its text is escaped once, by the rules of the output format.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewNode {
    /// Text from documents and people.
    Text(String),
    /// An element.
    Element {
        /// Its name.
        name: &'static str,
        /// Its attributes.
        attributes: Vec<(&'static str, String)>,
        /// Its children.
        inside: Vec<ViewNode>,
    },
}

impl ViewNode {
    fn new(name: &'static str, attributes: &[(&'static str, &str)], inside: Vec<Self>) -> Self {
        let attributes = attributes.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
        Self::Element { name, attributes, inside }
    }

    fn text(name: &'static str, attributes: &[(&'static str, &str)], text: &str) -> Self {
        Self::new(name, attributes, vec![Self::Text(text.to_owned())])
    }
}

/// Nodes as XML, each element on its own lines.
fn xml(nodes: &[ViewNode]) -> String {
    let mut out = String::new();
    for node in nodes {
        match node {
            ViewNode::Text(text) => out += &content(text),
            ViewNode::Element { name, attributes, inside } => {
                out += &format!("<{name}");
                for (name, value) in attributes {
                    out += &format!(" {name}=\"{}\"", escape(value));
                }
                let body = xml(inside);
                out += &match inside.first() {
                    None => "/>\n".to_owned(),
                    // The text of a document starts on its own line.
                    Some(ViewNode::Text(_)) if matches!(*name, "section" | "content") => {
                        format!(">\n{body}\n</{name}>\n")
                    }
                    Some(ViewNode::Text(_)) => format!(">{body}</{name}>\n"),
                    Some(ViewNode::Element { .. }) => format!(">\n{body}</{name}>\n"),
                };
            }
        }
    }
    out
}

pub(super) fn whole(context: &AgentContext) -> String {
    let state = &context.system_state;
    let mut inside = vec![project_node(&context.project), artifact_node("current-artifact", &context.current_artifact)];
    inside.extend(context.related_artifacts.iter().map(|related| artifact_node("related-artifact", related)));
    inside.extend(messages_node(&context.chat_history));
    inside.extend(asked(state));
    let attributes = [("level", level_word(state.level)), ("version", state.context_version.as_str())];
    xml(&[ViewNode::new("agent-context", &attributes, inside)])
}

/// A piece of a context that a prompt places separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewPiece {
    /// The component whose budget it uses.
    pub component: Component,
    /// Its subject: `project`, or the slug of an artifact.
    pub name: String,
    /// Its content, not escaped.
    pub body: Vec<ViewNode>,
}

/// A context in pieces, without the conversation and without values that change while the work does not, such as times.
pub fn pieces(context: &AgentContext) -> Vec<ViewPiece> {
    let piece = |component, name: &str, body| ViewPiece { component, name: name.to_owned(), body };
    let current = &context.current_artifact;
    let project = std::iter::once(project_node(&context.project)).chain(asked(&context.system_state)).collect();
    let mut pieces = vec![
        piece(Component::Project, "project", project),
        piece(Component::CurrentArtifact, &current.slug, vec![artifact_node("current-artifact", current)]),
    ];
    let related = context.related_artifacts.iter();
    pieces.extend(
        related.map(|one| piece(Component::RelatedArtifacts, &one.slug, vec![artifact_node("related-artifact", one)])),
    );
    pieces
}

/// What the message is about, what to clarify first, and what was left out.
fn asked(state: &SystemState) -> Vec<ViewNode> {
    let targets = state.targets.iter().map(|target| ViewNode::text("target", &[], &target.address));
    let question = state.question.iter().map(|question| ViewNode::text("ask-first", &[], question));
    let left_out = state.left_out.iter().map(|left| {
        ViewNode::new("left-out", &[("what", &left.what), ("why", &left.why), ("how", &left.how)], Vec::new())
    });
    targets.chain(question).chain(left_out).collect()
}

pub(super) fn project(project: &ProjectContext) -> String {
    xml(&[project_node(project)])
}

fn project_node(project: &ProjectContext) -> ViewNode {
    let mut inside = Vec::new();
    if !project.description.is_empty() {
        inside.push(ViewNode::text("description", &[], &project.description));
    }
    for (name, value) in &project.stages {
        let progress: StageProgress = serde_json::from_value(value.clone()).unwrap_or_default();
        inside.push(stage(name, &progress));
    }
    if inside.is_empty() {
        inside.push(ViewNode::Text(String::new()));
    }
    ViewNode::new("project", &[("name", &project.name), ("stage", &project.current_stage)], inside)
}

fn stage(name: &str, progress: &StageProgress) -> ViewNode {
    let finalized = format!("{}/{}", progress.artifacts_finalized, progress.artifacts_total);
    let complete = format!("{}/{}", progress.sections_complete, progress.sections_total);
    let done = format!("{}%", progress.progress_pct);
    let attributes = [
        ("name", name),
        ("artifacts-finalized", finalized.as_str()),
        ("sections-complete", complete.as_str()),
        ("progress", done.as_str()),
    ];
    ViewNode::new("stage", &attributes, Vec::new())
}

pub(super) fn artifact(element: &'static str, artifact: &ArtifactContext) -> String {
    xml(&[artifact_node(element, artifact)])
}

fn artifact_node(element: &'static str, artifact: &ArtifactContext) -> ViewNode {
    let complete = format!("{}/{}", artifact.sections_complete, artifact.sections_total);
    let revision = artifact.revision.to_string();
    let mut inside = Vec::new();
    for section in &artifact.sections {
        let done = section.is_done.to_string();
        let mut attributes = vec![("slug", section.slug.as_str()), ("title", section.title.as_str()), ("done", &*done)];
        inside.push(match (&section.content, &section.preview) {
            (Some(text), _) => ViewNode::text("section", &attributes, text),
            (None, preview) => {
                attributes.extend(preview.iter().map(|preview| ("preview", preview.as_str())));
                ViewNode::new("section", &attributes, Vec::new())
            }
        });
    }
    for snapshot in &artifact.snapshots {
        let revision = snapshot.revision.to_string();
        inside.push(ViewNode::new("snapshot", &[("name", &snapshot.name), ("revision", &revision)], Vec::new()));
    }
    if let Some(text) = &artifact.content {
        inside.push(ViewNode::text("content", &[], text));
    }
    if inside.is_empty() {
        inside.push(ViewNode::Text(String::new()));
    }
    let attributes = [
        ("name", artifact.name.as_str()),
        ("slug", artifact.slug.as_str()),
        ("revision", revision.as_str()),
        ("stage", artifact.stage.as_str()),
        ("status", status(artifact.status)),
        ("sections-complete", complete.as_str()),
    ];
    ViewNode::new(element, &attributes, inside)
}

pub(super) fn messages(messages: &[MessageContext]) -> String {
    xml(&messages_node(messages).into_iter().collect::<Vec<_>>())
}

fn messages_node(messages: &[MessageContext]) -> Option<ViewNode> {
    let one = |message: &MessageContext| {
        let mut attributes = vec![("role", message.role.as_str())];
        attributes.extend(message.artifact.iter().map(|slug| ("artifact", slug.as_str())));
        ViewNode::text("message", &attributes, &message.content)
    };
    (!messages.is_empty()).then(|| ViewNode::new("chat-history", &[], messages.iter().map(one).collect()))
}

/// The changes as text.
pub fn changes_text(changes: &AgentContextChanges) -> String {
    let mut out = "<agent-context-changes>\n".to_owned();
    for delta in &changes.sections {
        let action = match delta.action {
            SectionAction::Added => "added",
            SectionAction::Changed => "changed",
            SectionAction::Removed => "removed",
        };
        let title =
            delta.section.as_ref().map(|section| format!(" title=\"{}\"", escape(&section.title))).unwrap_or_default();
        let text = delta.section.as_ref().and_then(|section| section.content.as_ref().or(section.preview.as_ref()));
        let text = text.map(|text| content(text)).unwrap_or_default();
        out += &format!("<section slug=\"{}\" change=\"{action}\"{title}>{text}</section>\n", escape(&delta.slug));
    }
    for done in &changes.done {
        out += &format!("<section slug=\"{}\" done=\"{}\"/>\n", escape(&done.slug), done.is_done);
    }
    if let Some(new) = changes.status {
        out += &format!("<status>{}</status>\n", status(new));
    }
    if let (Some(done), Some(total)) = (changes.sections_complete, changes.sections_total) {
        out += &format!("<sections-complete>{done}/{total}</sections-complete>\n");
    }
    if let Some(progress) = &changes.stage {
        out += &xml(&[stage("current", progress)]);
    }
    out + &messages(&changes.messages) + "</agent-context-changes>\n"
}

const fn status(status: ArtifactStatus) -> &'static str {
    match status {
        ArtifactStatus::Draft => "draft",
        ArtifactStatus::Finalized => "finalized",
    }
}

/// Escapes element content. Quotation marks need no escaping there.
fn content(text: &str) -> String {
    escape(text).replace("&quot;", "\"")
}
