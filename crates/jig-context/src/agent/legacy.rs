//! Legacy workspaces without an index: every `tools/*.json` is a descriptor.

use super::catalog::{Catalog, Descriptor, Form, descriptor};
use super::index::INDEX;
use super::reader::Reader;
use super::snapshot::{Snapshot, Source};

/// The warning for such a workspace.
pub const LEGACY_NOTE: &str =
    "there is no agent.workspace.json, so tools/*.json were looked for; this is deprecated, add an index";

/// The catalog that contains these tools.
const CATALOG: &str = "default";

pub(super) fn load(reader: &mut Reader<'_>, snapshot: &mut Snapshot, allowed: bool) {
    let is_tool =
        |path: &&String| path.strip_prefix("tools/").is_some_and(|name| !name.contains('/') && name.ends_with(".json"));
    let found: Vec<String> = reader.files.keys().filter(is_tool).cloned().collect();
    if found.is_empty() || !allowed {
        let words = if found.is_empty() {
            "it is missing"
        } else {
            "it is missing, and looking for tools/*.json instead is switched off (the setting `agent.legacy_tools`)"
        };
        reader.complain(INDEX, "", words);
        return;
    }
    let mut tools: Vec<Descriptor> = Vec::new();
    for path in found {
        let Some(tool) = descriptor(reader, &path, (&path, ""), Form::Legacy) else { continue };
        if tools.iter().any(|other| other.name == tool.name) {
            reader.complain(&path, "/name", format!("there is a tool `{}` already", tool.name));
            continue;
        }
        tools.push(tool);
    }
    snapshot.source = Source::Legacy;
    snapshot.defaults.tool_catalog = Some(CATALOG.to_owned());
    snapshot.catalogs.insert(CATALOG.to_owned(), Catalog { id: CATALOG.to_owned(), description: None, tools });
    snapshot.warnings.push(LEGACY_NOTE.to_owned());
}
