//! The wire form of artifacts, and the numbers derived from them.

use jig_contract::ops::{ArtifactInfo, SectionDone, SectionInfo, StageProgress};

use super::apply::find;
use super::error::ArtifactError;
use super::{Artifact, kind_named, preview};
use crate::document::{Part, PartId};

/// How much of an artifact is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// The structure without texts.
    Outline,
    /// The structure and the texts.
    Content,
}

/// The artifact with the named sections, or all if none is named. Named sections always include their text.
pub fn info(artifact: &Artifact, sections: &[String], wish: Wish) -> Result<ArtifactInfo, ArtifactError> {
    let kind = kind_named(artifact.document.kind.clone());
    let mut wanted: Vec<PartId> = Vec::with_capacity(sections.len());
    for name in sections {
        wanted.push(find(&kind, artifact, name)?.id);
    }
    let whole = wanted.is_empty();
    let document = &artifact.document;
    let shown = document.parts.iter().enumerate().filter(|(_, part)| whole || wanted.contains(&part.id));
    let (done, total) = artifact.counts();
    let section_wish = if whole { Wish::Outline } else { wish };
    let text = whole && wish == Wish::Content;
    Ok(ArtifactInfo {
        id: document.id.0.to_string(),
        name: format!("{}.md", artifact.slug()),
        slug: artifact.slug().to_owned(),
        title: document.title.clone(),
        stage: artifact.stage.clone(),
        status: artifact.status,
        template: artifact.template.clone(),
        sections: shown.map(|(at, part)| section_info(artifact, part, at, section_wish)).collect(),
        lead: text.then(|| artifact.lead.clone()),
        content: text.then(|| artifact.markdown()),
        sections_complete: done,
        sections_total: total,
        progress_pct: share(done, total),
        changed_since_done: document.parts.iter().filter(|part| part.changed_since_done()).count() as u64,
        suggestions: 0,
        snapshots: artifact.snapshots.clone(),
        revision: artifact.revision(),
        newest_revision: None,
        created_at: artifact.created_at,
        updated_at: document.revision.at,
        updated_by: document.revision.author.clone(),
        // Computed by the caller: it depends on the file hash, which only the store knows.
        etag: String::new(),
    })
}

/// A section; `at` is its index.
pub fn section_info(artifact: &Artifact, part: &Part, at: usize, wish: Wish) -> SectionInfo {
    let content = artifact.content(part);
    SectionInfo {
        id: part.id.0,
        slug: part.name.to_string(),
        aliases: part.aliases.iter().map(ToString::to_string).collect(),
        title: part.title.clone(),
        is_done: part.done.is_some(),
        is_collapsed: artifact.layout.get(&part.id).is_some_and(|layout| layout.is_collapsed),
        order: u32::try_from(at + 1).unwrap_or(u32::MAX),
        preview: preview(content),
        content: (wish == Wish::Content).then(|| content.to_owned()),
        changed_since_done: part.changed_since_done(),
        done: part.done.as_ref().map(|done| SectionDone {
            by: done.by.clone(),
            at: done.at,
            revision: done.revision.0,
        }),
        changed_in: part.changed.0,
        by: part.provenance.by.clone(),
        at: part.provenance.at,
    }
}

/// The progress of the artifacts of one stage.
pub fn progress<'a>(artifacts: impl IntoIterator<Item = &'a Artifact>) -> StageProgress {
    let mut sum = StageProgress::default();
    for artifact in artifacts {
        let (done, total) = artifact.counts();
        sum.artifacts_total += 1;
        sum.artifacts_finalized += u64::from(artifact.status == jig_contract::ops::ArtifactStatus::Finalized);
        sum.sections_complete += done;
        sum.sections_total += total;
    }
    sum.progress_pct = share(sum.sections_complete, sum.sections_total);
    sum
}

/// A percentage with one decimal place; 0 if `all` is 0.
pub fn share(of: u64, all: u64) -> f64 {
    if all == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of sections are small")]
    let percent = (of as f64 / all as f64) * 100.0;
    (percent * 10.0).round() / 10.0
}
