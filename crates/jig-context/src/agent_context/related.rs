//! Related artifacts as summaries, within their budget.

use std::collections::BTreeSet;

use jig_contract::ops::{ArtifactContext, ContextLevel};

use super::budget::Component;
use super::build::{Fitted, Work};
use super::current::{Show, add_named, outline, too_large};
use super::error::ContextError;
use super::text;
use crate::artifact::Artifact;

/// Candidates in order: artifacts that the message names, linked artifacts, other artifacts of the stage. Level
/// `standard` includes only the first group, level `minimal` none.
pub(super) fn fit(work: &mut Work<'_>, current: &Artifact) -> Result<Fitted<Vec<ArtifactContext>>, ContextError> {
    let mut views: Vec<ArtifactContext> = Vec::new();
    let limit = work.limit(Component::RelatedArtifacts);
    for artifact in related(work, current) {
        let mut view = outline(artifact, Show::Preview);
        let named = add_named(work, artifact, &mut view);
        views.push(view);
        if size(work, &views) <= limit {
            continue;
        }
        views.pop();
        if named && work.level == ContextLevel::Standard {
            return Err(too_large_related(work, artifact));
        }
        views.push(outline(artifact, Show::Title));
        if size(work, &views) <= limit {
            work.leave_out(
                format!("the previews of {}.md", artifact.slug()),
                0,
                Component::RelatedArtifacts,
                how(artifact),
            );
            continue;
        }
        let view = views.pop();
        let tokens = view.map(|view| size(work, &[view])).unwrap_or_default();
        work.leave_out(format!("{}.md", artifact.slug()), tokens, Component::RelatedArtifacts, how(artifact));
    }
    let tokens = if views.is_empty() { 0 } else { size(work, &views) };
    Ok(Fitted { value: views, tokens, summarized: false })
}

fn how(artifact: &Artifact) -> String {
    format!("name @{} in a message, or make it the artifact at hand", artifact.slug())
}

fn too_large_related(work: &Work<'_>, artifact: &Artifact) -> ContextError {
    let mut view = outline(artifact, Show::Title);
    add_named(work, artifact, &mut view);
    let limit = work.limit(Component::RelatedArtifacts);
    match too_large(work, artifact, size(work, &[view])) {
        ContextError::TooLarge { tokens, window, sizes, .. } => {
            ContextError::TooLarge { component: Component::RelatedArtifacts, tokens, limit, window, sizes }
        }
        other => other,
    }
}

fn related<'a>(work: &Work<'a>, current: &Artifact) -> Vec<&'a Artifact> {
    let others = || work.sources.artifacts.iter().copied().filter(|artifact| artifact.slug() != current.slug());
    let mut found: Vec<&Artifact> = match work.level {
        ContextLevel::Minimal => return Vec::new(),
        ContextLevel::Standard | ContextLevel::Full => {
            others().filter(|artifact| work.named.has(artifact.slug())).collect()
        }
    };
    if work.level == ContextLevel::Full {
        let from = links(current);
        let linked = |artifact: &&Artifact| from.contains(artifact.slug()) || links(artifact).contains(current.slug());
        let groups: [Vec<&Artifact>; 2] =
            [others().filter(linked).collect(), others().filter(|artifact| artifact.stage == current.stage).collect()];
        for artifact in groups.into_iter().flatten() {
            if !found.iter().any(|known| known.slug() == artifact.slug()) {
                found.push(artifact);
            }
        }
    }
    found
}

/// The artifacts that a text may link to: `@slug`, and file names that end in `.md`.
fn links(artifact: &Artifact) -> BTreeSet<String> {
    let text = artifact.markdown();
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let mut found = BTreeSet::new();
    for word in text.split(|c: char| !is_name(c) && c != '@').filter(|word| !word.is_empty()) {
        if let Some(name) = word.rsplit('@').next().filter(|_| word.contains('@')) {
            found.insert(jig_contract::fold_case(name.trim_end_matches('.').trim_end_matches(".md")));
        } else if let Some(name) = word.trim_end_matches('.').strip_suffix(".md") {
            found.insert(jig_contract::fold_case(name));
        }
    }
    found
}

fn size(work: &Work<'_>, views: &[ArtifactContext]) -> u64 {
    let text: String = views.iter().map(|view| text::artifact("related-artifact", view)).collect();
    work.size(&views, &text)
}
