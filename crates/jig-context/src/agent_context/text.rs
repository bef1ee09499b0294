//! A view as text for a prompt. What documents and people say is escaped, so that it stays in its own element.

use jig_contract::ops::{
    AgentContext, AgentContextChanges, ArtifactContext, ArtifactStatus, MessageContext, ProjectContext, SectionAction,
    StageProgress, SystemState,
};

use super::budget::Component;
use super::version::level_word;
use crate::recipe::escape;

pub(super) fn whole(context: &AgentContext) -> String {
    let state = &context.system_state;
    let mut out = format!(
        "<agent-context level=\"{}\" version=\"{}\">\n",
        level_word(state.level),
        escape(&state.context_version)
    );
    out += &project(&context.project);
    out += &artifact("current-artifact", &context.current_artifact);
    for related in &context.related_artifacts {
        out += &artifact("related-artifact", related);
    }
    out += &messages(&context.chat_history);
    out + &asked(state) + "</agent-context>\n"
}

/// A piece of a view as text, for a prompt that gives each its own place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewPiece {
    /// Whose budget it takes from.
    pub component: Component,
    /// What it shows: `project`, the slug of an artifact.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A view piece by piece, without the conversation and without anything that changes while the work does not.
pub fn pieces(context: &AgentContext) -> Vec<ViewPiece> {
    let piece = |component, name: &str, text| ViewPiece { component, name: name.to_owned(), text };
    let current = &context.current_artifact;
    let mut pieces = vec![
        piece(Component::Project, "project", project(&context.project) + &asked(&context.system_state)),
        piece(Component::CurrentArtifact, &current.slug, artifact("current-artifact", current)),
    ];
    let related = context.related_artifacts.iter();
    pieces.extend(related.map(|one| piece(Component::RelatedArtifacts, &one.slug, artifact("related-artifact", one))));
    pieces
}

/// What the message is about, what to ask first, and what is not shown.
fn asked(state: &SystemState) -> String {
    let mut out = String::new();
    for target in &state.targets {
        out += &format!("<target>{}</target>\n", escape(&target.address));
    }
    if let Some(question) = &state.question {
        out += &format!("<ask-first>{}</ask-first>\n", content(question));
    }
    for left in &state.left_out {
        out += &format!(
            "<left-out what=\"{}\" why=\"{}\" how=\"{}\"/>\n",
            escape(&left.what),
            escape(&left.why),
            escape(&left.how)
        );
    }
    out
}

pub(super) fn project(project: &ProjectContext) -> String {
    let mut out =
        format!("<project name=\"{}\" stage=\"{}\">\n", escape(&project.name), escape(&project.current_stage));
    if !project.description.is_empty() {
        out += &format!("<description>{}</description>\n", content(&project.description));
    }
    for (name, value) in &project.stages {
        let progress: StageProgress = serde_json::from_value(value.clone()).unwrap_or_default();
        out += &stage(name, &progress);
    }
    out + "</project>\n"
}

fn stage(name: &str, progress: &StageProgress) -> String {
    format!(
        "<stage name=\"{}\" artifacts-finalized=\"{}/{}\" sections-complete=\"{}/{}\" progress=\"{}%\"/>\n",
        escape(name),
        progress.artifacts_finalized,
        progress.artifacts_total,
        progress.sections_complete,
        progress.sections_total,
        progress.progress_pct
    )
}

pub(super) fn artifact(element: &str, artifact: &ArtifactContext) -> String {
    let mut out = format!(
        "<{element} name=\"{}\" slug=\"{}\" stage=\"{}\" status=\"{}\" sections-complete=\"{}/{}\">\n",
        escape(&artifact.name),
        escape(&artifact.slug),
        escape(&artifact.stage),
        status(artifact.status),
        artifact.sections_complete,
        artifact.sections_total
    );
    for section in &artifact.sections {
        let head = format!(
            "<section slug=\"{}\" title=\"{}\" done=\"{}\"",
            escape(&section.slug),
            escape(&section.title),
            section.is_done
        );
        out += &match (&section.content, &section.preview) {
            (Some(text), _) => format!("{head}>\n{}\n</section>\n", content(text)),
            (None, Some(preview)) => format!("{head} preview=\"{}\"/>\n", escape(preview)),
            (None, None) => format!("{head}/>\n"),
        };
    }
    for snapshot in &artifact.snapshots {
        out += &format!("<snapshot name=\"{}\" revision=\"{}\"/>\n", escape(&snapshot.name), snapshot.revision);
    }
    if let Some(text) = &artifact.content {
        out += &format!("<content>\n{}\n</content>\n", content(text));
    }
    format!("{out}</{element}>\n")
}

pub(super) fn messages(messages: &[MessageContext]) -> String {
    if messages.is_empty() {
        return String::new();
    }
    let one = |message: &MessageContext| {
        let of = message.artifact.as_ref().map(|slug| format!(" artifact=\"{}\"", escape(slug))).unwrap_or_default();
        format!("<message role=\"{}\"{of}>{}</message>\n", escape(&message.role), content(&message.content))
    };
    format!("<chat-history>\n{}</chat-history>\n", messages.iter().map(one).collect::<String>())
}

/// What changed, as text.
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
        out += &stage("current", progress);
    }
    out + &messages(&changes.messages) + "</agent-context-changes>\n"
}

const fn status(status: ArtifactStatus) -> &'static str {
    match status {
        ArtifactStatus::Draft => "draft",
        ArtifactStatus::Finalized => "finalized",
    }
}

/// A text between tags: quotation marks stay as people write them.
fn content(text: &str) -> String {
    escape(text).replace("&quot;", "\"")
}
