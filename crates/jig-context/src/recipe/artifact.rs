//! The content that a recipe takes from an artifact: named sections or the complete text, without guidance for writers.

use jig_contract::ops::{ArtifactRequirement, UsedRevision};

use super::assemble::Attachment;
use crate::artifact::{Artifact, find, kind_named, trimmed, without_comments};

/// The attachment for a requirement; `None` if nothing of it has content. A section keeps the name that the recipe
/// uses.
pub fn of_artifact(requirement: &ArtifactRequirement, artifact: &Artifact) -> Option<Attachment> {
    let address = artifact.document.address().to_string();
    let (parts, used) = if requirement.sections.is_empty() {
        (whole(artifact), vec![UsedRevision { address: address.clone(), revision: artifact.revision() }])
    } else {
        sections(artifact, &requirement.sections, &address)
    };
    (!parts.is_empty()).then(|| Attachment {
        element: "artifact".to_owned(),
        name: requirement.artifact.clone(),
        address,
        used,
        parts,
        required: requirement.required,
    })
}

/// The complete text, if it contains more than headings.
fn whole(artifact: &Artifact) -> Vec<(String, String)> {
    let says =
        |text: &str| without_comments(text).lines().any(|line| !line.trim().is_empty() && !line.starts_with('#'));
    if !says(&artifact.lead) && !artifact.document.parts.iter().any(|part| says(artifact.content(part))) {
        return Vec::new();
    }
    vec![(artifact.slug().to_owned(), trimmed(&without_comments(&artifact.markdown())).to_owned())]
}

/// The named sections that have content.
fn sections(artifact: &Artifact, names: &[String], address: &str) -> (Vec<(String, String)>, Vec<UsedRevision>) {
    let kind = kind_named(artifact.document.kind.clone());
    let (mut parts, mut used) = (Vec::new(), Vec::new());
    for name in names {
        let Ok(part) = find(&kind, artifact, name) else { continue };
        let text = without_comments(artifact.content(part));
        if !text.trim().is_empty() {
            parts.push((name.clone(), trimmed(&text).to_owned()));
            used.push(UsedRevision { address: format!("{address}#{}", part.name), revision: artifact.revision() });
        }
    }
    (parts, used)
}
