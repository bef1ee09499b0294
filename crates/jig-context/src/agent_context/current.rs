//! The current artifact, within its budget.

use jig_contract::ops::{ArtifactContext, ContextLevel, SectionContext, SnapshotContext};

use super::budget::Component;
use super::build::{Fitted, Work};
use super::error::{ContextError, SectionSize};
use super::text;
use crate::artifact::{Artifact, preview};

/// How much of each section is included.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// Its title and whether it is done.
    Title,
    /// Also a preview of its text.
    Preview,
}

/// An artifact without section texts.
pub(super) fn outline(artifact: &Artifact, show: Show) -> ArtifactContext {
    let (done, total) = artifact.counts();
    let sections = artifact.document.parts.iter().zip(1..).map(|(part, order)| SectionContext {
        slug: part.name.to_string(),
        title: part.title.clone(),
        is_done: part.done.is_some(),
        is_collapsed: artifact.layout.get(&part.id).is_some_and(|layout| layout.is_collapsed),
        order,
        preview: if show == Show::Preview { preview(artifact.content(part)) } else { None },
        content: None,
    });
    ArtifactContext {
        id: artifact.document.id.0.to_string(),
        name: format!("{}.md", artifact.slug()),
        slug: artifact.slug().to_owned(),
        revision: artifact.revision(),
        stage: artifact.stage.clone(),
        status: artifact.status,
        sections: sections.collect(),
        content: None,
        snapshots: Vec::new(),
        sections_complete: done,
        sections_total: total,
        updated_at: artifact.document.revision.at,
    }
}

/// Adds the texts of the sections that the message is about to an outline.
pub(super) fn add_named(work: &Work<'_>, artifact: &Artifact, outline: &mut ArtifactContext) -> bool {
    let mut any = false;
    for (section, part) in outline.sections.iter_mut().zip(&artifact.document.parts) {
        if work.named.has_section(artifact.slug(), &section.slug) {
            section.content = Some(artifact.content(part).to_owned());
            any = true;
        }
    }
    any
}

pub(super) fn fit(work: &mut Work<'_>, artifact: &Artifact) -> Result<Fitted<ArtifactContext>, ContextError> {
    let show = if work.level == ContextLevel::Minimal { Show::Title } else { Show::Preview };
    let mut view = outline(artifact, show);
    if work.level != ContextLevel::Minimal {
        view.snapshots = snapshots(work, artifact);
    }
    match work.level {
        ContextLevel::Minimal => {}
        ContextLevel::Standard => {
            add_named(work, artifact, &mut view);
        }
        ContextLevel::Full => view.content = Some(artifact.markdown()),
    }
    let limit = work.limit(Component::CurrentArtifact);
    let tokens = size(work, &view);
    if tokens <= limit {
        return Ok(Fitted { value: view, tokens, summarized: false });
    }
    if work.level == ContextLevel::Full {
        return summarized(work, artifact, view);
    }
    let dropped = drop_previews(work, &mut view, limit);
    let tokens = size(work, &view);
    if tokens > limit {
        return Err(too_large(work, artifact, tokens));
    }
    tell_previews(work, artifact, dropped);
    Ok(Fitted { value: view, tokens, summarized: false })
}

/// Used when the complete text does not fit: previews, and the named sections as far as they fit.
fn summarized(
    work: &mut Work<'_>,
    artifact: &Artifact,
    mut view: ArtifactContext,
) -> Result<Fitted<ArtifactContext>, ContextError> {
    let limit = work.limit(Component::CurrentArtifact);
    let content = view.content.take().unwrap_or_default();
    let tokens = (work.request.count)(&content);
    let slug = artifact.slug();
    work.leave_out(
        format!("the text of {slug}.md"),
        tokens,
        Component::CurrentArtifact,
        format!("name a section: {}", sections_to_ask_for(work, artifact, limit).join(", ")),
    );
    let outline = view.clone();
    if add_named(work, artifact, &mut view) && size(work, &view) > limit {
        let asked: Vec<String> = view
            .sections
            .iter()
            .filter(|section| section.content.is_some())
            .map(|section| format!("@{slug}#{}", section.slug))
            .collect();
        let tokens = size(work, &view).saturating_sub(size(work, &outline));
        work.leave_out(asked.join(", "), tokens, Component::CurrentArtifact, "choose a model with a larger window");
        view = outline;
    }
    let dropped = drop_previews(work, &mut view, limit);
    let tokens = size(work, &view);
    if tokens > limit {
        return Err(too_large(work, artifact, tokens));
    }
    tell_previews(work, artifact, dropped);
    Ok(Fitted { value: view, tokens, summarized: true })
}

/// Drops previews from the end until the rest fits, and returns how many were dropped.
pub(super) fn drop_previews(work: &Work<'_>, view: &mut ArtifactContext, limit: u64) -> usize {
    let shown = view.sections.iter().filter(|section| section.preview.is_some()).count();
    if size(work, view) <= limit {
        return 0;
    }
    // Binary search: the size grows with each preview.
    let previews: Vec<Option<String>> = view.sections.iter().map(|section| section.preview.clone()).collect();
    let keep = |view: &mut ArtifactContext, most: usize| {
        let mut kept = 0;
        for (section, preview) in view.sections.iter_mut().zip(&previews) {
            section.preview = preview.clone().filter(|_| kept < most);
            kept += usize::from(preview.is_some());
        }
    };
    let (mut fits, mut fails) = (0, shown);
    while fits + 1 < fails {
        let middle = usize::midpoint(fits, fails);
        keep(view, middle);
        if size(work, view) <= limit { fits = middle } else { fails = middle }
    }
    keep(view, fits);
    shown - fits
}

fn tell_previews(work: &mut Work<'_>, artifact: &Artifact, dropped: usize) {
    if dropped > 0 {
        let what = format!("the previews of {dropped} sections of {}.md", artifact.slug());
        work.leave_out(what, 0, Component::CurrentArtifact, "name a section");
    }
}

/// Named revisions that the message refers to.
fn snapshots(work: &Work<'_>, artifact: &Artifact) -> Vec<SnapshotContext> {
    let Some(message) = work.request.message.map(jig_contract::fold_case) else { return Vec::new() };
    let all = message.contains("snapshot");
    let named = |name: &str| name.chars().count() > 2 && message.contains(&jig_contract::fold_case(name));
    let fitting = artifact.snapshots.iter().filter(|snapshot| all || named(&snapshot.name));
    fitting
        .map(|snapshot| SnapshotContext { name: snapshot.name.clone(), revision: snapshot.revision, at: snapshot.at })
        .collect()
}

pub(super) fn size(work: &Work<'_>, view: &ArtifactContext) -> u64 {
    work.size(view, &text::artifact("current-artifact", view))
}

pub(super) fn too_large(work: &Work<'_>, artifact: &Artifact, tokens: u64) -> ContextError {
    let mut sizes = sizes(work, artifact);
    sizes.sort_by_key(|size| std::cmp::Reverse(size.tokens));
    sizes.truncate(50);
    let (component, window) = (Component::CurrentArtifact, work.request.window);
    ContextError::TooLarge { component, tokens, limit: work.limit(component), window, sizes }
}

fn sizes(work: &Work<'_>, artifact: &Artifact) -> Vec<SectionSize> {
    let size = |part: &crate::document::Part| SectionSize {
        address: format!("@{}#{}", artifact.slug(), part.name),
        tokens: (work.request.count)(artifact.content(part)),
    };
    artifact.document.parts.iter().map(size).collect()
}

/// Sections that would fit if the agent asked for them.
fn sections_to_ask_for(work: &Work<'_>, artifact: &Artifact, limit: u64) -> Vec<String> {
    sizes(work, artifact).into_iter().filter(|size| size.tokens < limit / 2).map(|size| size.address).take(8).collect()
}
