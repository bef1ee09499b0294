//! `agent.workspace.json`: the index of a workspace.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{ID_RULE, Object, escaped, is_id};
use super::problem::Problem;

/// The file name of the index.
pub const INDEX: &str = "agent.workspace.json";
/// The index format that this version reads.
pub const SCHEMA: &str = "jig.agent-workspace/1";

const NAMES_MAX: usize = 100;
const PATH_MAX: usize = 1_024;
/// The phases for which an index may set defaults.
pub(super) const PHASES: [&str; 5] = ["direct", "research", "plan", "implement", "summary"];

/// An index as parsed from the file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Index {
    pub(super) packs: BTreeMap<String, String>,
    pub(super) catalogs: BTreeMap<String, String>,
    pub(super) context: BTreeMap<String, Vec<String>>,
    pub(super) defaults: Defaults,
}

/// The choices of an index where neither the run nor the session makes one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Defaults {
    /// The prompt pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_pack: Option<String>,
    /// The tool catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_catalog: Option<String>,
    /// Choices for single phases: `direct`, `research`, `plan`, `implement`, `summary`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub phases: BTreeMap<String, PhaseDefaults>,
}

/// The choices for one phase.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseDefaults {
    /// The prompt pack.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_pack: Option<String>,
    /// The tool catalog.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_catalog: Option<String>,
}

/// Parses an index and reports all errors.
pub(super) fn read(value: Value, problems: &mut Vec<Problem>) -> Index {
    let mut index = Index::default();
    let Some(mut object) = Object::of(value, INDEX, "", problems) else { return index };
    match object.needed("schema", 100) {
        Some(schema) if schema != SCHEMA => {
            object.complain("schema", format!("this program knows `{SCHEMA}` and no other form"));
        }
        _ => {}
    }
    let told = object.problems().len();
    index.packs = paths(&mut object, "prompt_packs");
    index.catalogs = paths(&mut object, "tool_catalogs");
    let nothing = index.packs.is_empty() && index.catalogs.is_empty() && object.problems().len() == told;
    index.context = groups(&mut object);
    if nothing {
        object.complain("", "it names neither a prompt pack nor a tool catalog");
    }
    if let Some(value) = object.take("defaults") {
        let pointer = object.at("defaults");
        index.defaults = defaults(value, &pointer, &index, object.problems());
    }
    object.end();
    index
}

/// A map from ids to file paths.
fn paths(object: &mut Object<'_>, name: &'static str) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for (id, value) in object.map(name, NAMES_MAX) {
        let place = format!("{}/{}", object.at(name), escaped(&id));
        let problem = match value {
            _ if !is_id(&id) => format!("`{}` is not a valid id: an id is {ID_RULE}", crate::document::shown(&id)),
            Value::String(path) if path.len() <= PATH_MAX => {
                found.insert(id, path);
                continue;
            }
            _ => "it must be the path of a file".to_owned(),
        };
        object.problems().push(Problem::new(INDEX, place, problem));
    }
    found
}

fn groups(object: &mut Object<'_>) -> BTreeMap<String, Vec<String>> {
    let mut found = BTreeMap::new();
    for (id, value) in object.map("context", NAMES_MAX) {
        let place = format!("{}/{}", object.at("context"), escaped(&id));
        let texts: Option<Vec<String>> = match value {
            Value::Array(values) if !values.is_empty() && values.len() <= NAMES_MAX => {
                values.into_iter().map(|value| value.as_str().map(str::to_owned)).collect()
            }
            _ => None,
        };
        match texts {
            Some(paths) if is_id(&id) => {
                found.insert(id, paths);
            }
            Some(_) => object.problems().push(Problem::new(INDEX, place, format!("an id is {ID_RULE}"))),
            None => object.problems().push(Problem::new(INDEX, place, "it must be a list of paths, with at least one")),
        }
    }
    found
}

fn defaults(value: Value, pointer: &str, index: &Index, problems: &mut Vec<Problem>) -> Defaults {
    let mut defaults = Defaults::default();
    let Some(mut object) = Object::of(value, INDEX, pointer, problems) else { return defaults };
    defaults.prompt_pack = known(&mut object, "prompt_pack", &index.packs);
    defaults.tool_catalog = known(&mut object, "tool_catalog", &index.catalogs);
    for (phase, value) in object.map("phases", PHASES.len() + 20) {
        let place = format!("{pointer}/phases/{}", escaped(&phase));
        if !PHASES.contains(&phase.as_str()) {
            let words =
                format!("there is no phase `{}`; there are {}", crate::document::shown(&phase), PHASES.join(", "));
            object.problems().push(Problem::new(INDEX, place, words));
            continue;
        }
        let Some(mut one) = Object::of(value, INDEX, &place, object.problems()) else { continue };
        let choice = PhaseDefaults {
            prompt_pack: known(&mut one, "prompt_pack", &index.packs),
            tool_catalog: known(&mut one, "tool_catalog", &index.catalogs),
        };
        one.end();
        defaults.phases.insert(phase, choice);
    }
    object.end();
    defaults
}

fn known(object: &mut Object<'_>, name: &'static str, names: &BTreeMap<String, String>) -> Option<String> {
    let id = object.text(name, 200)?;
    if !names.contains_key(&id) {
        let there = names.keys().cloned().collect::<Vec<_>>().join(", ");
        object.complain(name, format!("there is no `{}`; there are {there}", crate::document::shown(&id)));
        return None;
    }
    Some(id)
}
