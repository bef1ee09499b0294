//! Changes since a version of a context.

use jig_contract::ops::{
    AgentContextChanges, ContextLevel, DoneDelta, MessageContext, SectionAction, SectionContext, SectionDelta,
    StageProgress, WholeReason,
};

use super::budget::{Budgets, Component};
use super::build::{Request, Sources, progress_of, version_of, visible_to};
use super::current::{Show, outline};
use super::history::{message_context, newest};
use super::text;
use super::version::Version;
use crate::artifact::Artifact;
use crate::document::{Part, Revision};

/// Decides between sending changes and sending the entire context.
pub struct Refresh<'a> {
    /// The version that the agent has.
    pub since: &'a Version,
    /// The current artifact.
    pub artifact: &'a Artifact,
    /// The artifact in the revision that the context showed; `None` if that revision no longer exists.
    pub before: Option<&'a Artifact>,
    /// The revisions of the artifact since then.
    pub revisions: &'a [Revision],
    /// Whether the caller asked for the entire context.
    pub asked: bool,
}

/// The changes, and the version that the agent has after applying them.
#[derive(Debug, Clone, PartialEq)]
pub struct Refreshed {
    /// The changes.
    pub changes: AgentContextChanges,
    /// The version after the changes.
    pub version: Version,
}

/// Why the entire context must be sent again; `None` if the changes suffice.
pub fn why_whole(refresh: &Refresh<'_>, current_stage: &str) -> Option<WholeReason> {
    let Refresh { since, artifact, before, revisions, asked } = refresh;
    if *asked {
        return Some(WholeReason::Asked);
    }
    if since.artifact != artifact.slug() {
        return Some(WholeReason::ArtifactSwitched);
    }
    if since.stage != current_stage {
        return Some(WholeReason::StageSwitched);
    }
    let by_agent = |revision: &Revision| matches!(revision.author, jig_contract::Actor::Agent { .. });
    if revisions.iter().any(by_agent) {
        return Some(WholeReason::AgentUpdated);
    }
    let other = since.id != artifact.document.id.0.simple().to_string();
    (before.is_none() || other).then_some(WholeReason::Unknown)
}

/// The changes; `None` if they do not fit the budgets, so that the entire context must be sent.
pub fn changes(sources: &Sources<'_>, request: &Request<'_>, refresh: &Refresh<'_>) -> Option<Refreshed> {
    let (since, artifact) = (refresh.since, refresh.artifact);
    let budgets = Budgets::of(request.window);
    let (done, total) = artifact.counts();
    let counted = (since.done, since.total) != (done, total);
    let progress: StageProgress = progress_of(sources.project);
    let stage_changed = since.stage_counts != Version::counts_of(&progress);
    let sections = sections(refresh.before?, artifact, since.level);
    let mut changes = AgentContextChanges {
        done: done_marks(refresh.before?, artifact),
        status: refresh.before.filter(|before| before.status != artifact.status).map(|_| artifact.status),
        sections_complete: counted.then_some(done),
        sections_total: counted.then_some(total),
        stage: stage_changed.then_some(progress),
        sections,
        messages: Vec::new(),
    };
    let size = |changes: &AgentContextChanges| {
        let json = serde_json::to_string(changes).unwrap_or_default();
        (request.count)(&json).max((request.count)(&text::changes_text(changes)))
    };
    if size(&changes) > budgets.limit(Component::CurrentArtifact) {
        return None;
    }
    let new = |message: &&jig_contract::ops::Message| {
        let of = message.artifact.as_deref();
        message.seq > since.message && visible_to(message) && of.is_none_or(|slug| slug == artifact.slug())
    };
    let messages: Vec<MessageContext> = sources.messages.iter().filter(new).map(message_context).collect();
    let limit = budgets.limit(Component::ChatHistory);
    let kept = newest(&messages, limit, &|messages| {
        let json = serde_json::to_string(messages).unwrap_or_default();
        (request.count)(&json).max((request.count)(&text::messages(messages)))
    });
    if kept.len() < messages.len() {
        return None;
    }
    changes.messages = kept;
    Some(Refreshed { changes, version: version_of(sources, artifact, since.level, request.now) })
}

fn sections(before: &Artifact, now: &Artifact, level: ContextLevel) -> Vec<SectionDelta> {
    let show = if level == ContextLevel::Minimal { Show::Title } else { Show::Preview };
    let view = outline(now, show);
    let mut found = Vec::new();
    for (part, mut section) in now.document.parts.iter().zip(view.sections) {
        let old = before.document.parts.iter().position(|old| old.id == part.id);
        let action = match old.and_then(|at| before.document.parts.get(at).map(|old| (at, old))) {
            None => SectionAction::Added,
            Some((at, old)) if is_changed(before, now, (at, old), (&section, part)) => SectionAction::Changed,
            Some(_) => continue,
        };
        if level == ContextLevel::Full {
            section.content = Some(now.content(part).to_owned());
        }
        found.push(SectionDelta { slug: section.slug.clone(), action, section: Some(section) });
    }
    let gone = before.document.parts.iter().filter(|old| now.document.parts.iter().all(|part| part.id != old.id));
    found.extend(gone.map(|old| SectionDelta {
        slug: old.name.to_string(),
        action: SectionAction::Removed,
        section: None,
    }));
    found
}

fn is_changed(before: &Artifact, now: &Artifact, old: (usize, &Part), new: (&SectionContext, &Part)) -> bool {
    let ((at, old), (section, part)) = (old, new);
    before.content(old) != now.content(part)
        || old.title != part.title
        || old.name != part.name
        || u32::try_from(at + 1).ok() != Some(section.order)
}

fn done_marks(before: &Artifact, now: &Artifact) -> Vec<DoneDelta> {
    let was = |part: &Part| before.document.parts.iter().any(|old| old.id == part.id && old.done.is_some());
    let other = now.document.parts.iter().filter(|part| was(part) != part.done.is_some());
    other.map(|part| DoneDelta { slug: part.name.to_string(), is_done: part.done.is_some() }).collect()
}
