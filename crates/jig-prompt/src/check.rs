//! Validates an input before anything is written: identifying names must exist and be unique.

use std::collections::BTreeSet;

use crate::error::AssembleError;
use crate::input::{Document, FileEntry, Input, Manifest, Need};

/// The files, if the list is complete.
pub(crate) fn files(manifest: &Manifest) -> Result<&[FileEntry], AssembleError> {
    let failed = |reason: String| AssembleError::Manifest { reason };
    match manifest {
        Manifest::Failed { reason } => Err(failed(reason.clone())),
        Manifest::Complete(files) if files.iter().any(|file| file.path.is_empty()) => {
            Err(failed("a file has no path".to_owned()))
        }
        Manifest::Complete(files) => match repeated(files.iter().map(|file| file.path.as_str())) {
            Some(path) => Err(failed(format!("{path} is listed twice"))),
            None => Ok(files),
        },
    }
}

/// Validates everything else.
pub(crate) fn names(input: &Input) -> Result<(), AssembleError> {
    let invalid = |problem: String| Err(AssembleError::Invalid { problem });
    let skills = input.skills.iter().chain(&input.format_styles);
    if let Some(name) = repeated(skills.clone().map(|skill| skill.name.as_str())) {
        return invalid(format!("there are two skills named {name}"));
    }
    for skill in skills {
        if let Some(path) = repeated(skill.references.iter().map(|file| file.path.as_str())) {
            return invalid(format!("the skill {} has two files named {path}", skill.name));
        }
    }
    if let Some(name) = repeated(input.tools.iter().map(|tool| tool.name.as_str())) {
        return invalid(format!("there are two tools named {name}"));
    }
    documents(input)
}

/// Documents without required parts are skipped, because there may be many.
fn documents(input: &Input) -> Result<(), AssembleError> {
    let invalid = |problem: String| Err(AssembleError::Invalid { problem });
    let is_needed = |document: &&Document| document.parts.iter().any(|part| part.need != Need::Unneeded);
    let needed = input.documents.iter().filter(is_needed);
    let addresses = needed.clone().map(|document| (document.class, document.kind.as_str(), document.key.as_str()));
    if let Some((_, kind, key)) = repeated(addresses) {
        return invalid(format!("there are two documents {kind} {key}"));
    }
    for document in needed {
        if let Some(name) = repeated(document.parts.iter().map(|part| part.name.as_str())) {
            return invalid(format!("the document {} {} has two parts named {name}", document.kind, document.key));
        }
    }
    Ok(())
}

/// The first duplicate value.
fn repeated<T: Ord + Copy>(values: impl IntoIterator<Item = T>) -> Option<T> {
    let mut seen = BTreeSet::new();
    values.into_iter().find(|value| !seen.insert(*value))
}
