//! Scripted models for tests.

use std::path::Path;

use jig_contract::{Code, OpError};
use jig_providers::{ModelId, Scripted};

/// Loads all scripts of a folder.
pub(super) fn load(folder: &Path) -> Result<Vec<Scripted>, OpError> {
    let wrong = |path: &Path, why: String| {
        OpError::new(Code::SettingsInvalid, format!("the script {} {why}", path.display()))
            .hint("the setting `scripts` names a folder of scripts; docs/guide/models.md shows one")
    };
    let entries = std::fs::read_dir(folder).map_err(|error| wrong(folder, format!("cannot be read: {error}")))?;
    let mut scripts = Vec::new();
    for entry in entries {
        let path = entry.map_err(|error| wrong(folder, format!("cannot be read: {error}")))?.path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let id: ModelId =
            format!("scripted:{name}").parse().map_err(|bad| wrong(&path, format!("has no name: {bad}")))?;
        let text = std::fs::read_to_string(&path).map_err(|error| wrong(&path, format!("cannot be read: {error}")))?;
        scripts.push(Scripted::new(id, &text)?);
    }
    Ok(scripts)
}
