//! The tool list: what each tool is called and says here, what it takes from the operations behind it.

use jig_contract::ops::full_ops_schema;
use jig_contract::{Code, Effect, OPERATIONS, OpError, OpSpec, slim};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use std::sync::Arc;

use super::schema::outline;
use crate::nearest;

/// A group of tools that can be served without the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ToolSet {
    /// Read and edit files.
    Files,
    /// Show what the Draft changes, and ask to publish it.
    Review,
    /// SQL.
    Tables,
    /// Entries and plans.
    Plans,
    /// Which artifact a message is about, and what an agent should know about it. Not served unless chosen.
    Targeting,
    /// Not tools: the edit tools with the fields of every op in their schemas. Not served unless chosen.
    OfficeFull,
}

impl ToolSet {
    /// All sets, by the names that `--tools` takes.
    pub const NAMES: [(&'static str, Self); 6] = [
        ("files", Self::Files),
        ("review", Self::Review),
        ("tables", Self::Tables),
        ("plans", Self::Plans),
        ("targeting", Self::Targeting),
        ("office-full", Self::OfficeFull),
    ];

    /// The sets that are served unless others are chosen.
    pub const USUAL: [Self; 4] = [Self::Files, Self::Review, Self::Tables, Self::Plans];
}

impl std::str::FromStr for ToolSet {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let found = Self::NAMES.into_iter().find(|(known, _)| *known == name).map(|(_, set)| set);
        found.ok_or_else(|| {
            format!("unknown tool set `{name}`: choose from {}", Self::NAMES.map(|set| set.0).join(", "))
        })
    }
}

/// How a client chooses the workbench of its calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// There is only one: no tool names or creates one.
    Confined,
    /// The connection has one, or remembers the one that the tool `workbench` chose. Other tools take `workbench_id` too,
    /// but do not list it.
    Remembered,
    /// A connection without memory: each call may name it.
    PerCall,
}

/// What a client is offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolScope {
    /// The sets.
    pub sets: Vec<ToolSet>,
    /// How it chooses the workbench.
    pub naming: Naming,
}

impl Default for ToolScope {
    fn default() -> Self {
        Self { sets: ToolSet::USUAL.to_vec(), naming: Naming::Remembered }
    }
}

/// What a tool is, beside its operations.
struct ToolText {
    name: &'static str,
    set: ToolSet,
    title: &'static str,
    /// With the words that people and tool search use: formats, programs, verbs.
    about: &'static str,
    /// Parameters that are accepted but not listed.
    hidden: &'static [&'static str],
    /// Parameters whose descriptions are listed. The names of the others explain themselves.
    described: &'static [&'static str],
}

/// A missing file is created anyway. `dry_run` is seldom what an agent needs: it can undo.
const EDIT_HIDDEN: &[&str] = &["must_exist", "create_new", "dry_run"];
/// The defaults of these are nearly always right; results mention them when useful, and the guide to tables documents
/// them.
const TABLE_HIDDEN: &[&str] = &[
    "root",
    "delimiter",
    "quote",
    "has_header",
    "encoding",
    "source_sheet",
    "source_range",
    "base_hash",
    "dry_run",
    "safe_csv",
    "target_delimiter",
    "byte_order_mark",
    "newline",
    "create_workbook_if_missing",
    "create_sheet_if_missing",
    "clear_target_range",
];

const fn tool(name: &'static str, set: ToolSet, title: &'static str, about: &'static str) -> ToolText {
    ToolText { name, set, title, about, hidden: &[], described: &[] }
}

const TOOLS: &[ToolText] = &[
    ToolText {
        hidden: &["root", "limit"],
        ..tool(
            "list_files",
            ToolSet::Files,
            "List files",
            "List the files: Excel, Word, PowerPoint, PDF, CSV, text, images",
        )
    },
    ToolText {
        hidden: &["root"],
        ..tool(
            "get_file_map",
            ToolSet::Files,
            "Outline of a file",
            "Outline a file before reading it: sheets with ranges and headers, document sections, slides, pages, CSV columns",
        )
    },
    ToolText {
        hidden: &["slide_index", "root"],
        described: &["range", "section", "paragraphs", "slide", "pages"],
        ..tool(
            "read_file",
            ToolSet::Files,
            "Read a file",
            "Read a file, or one region of it, as text. Large file: get_file_map first, then only the region you need",
        )
    },
    ToolText {
        hidden: &["root"],
        ..tool(
            "search_files",
            ToolSet::Files,
            "Search in files",
            "Find text in all files of any format, with addresses",
        )
    },
    ToolText {
        hidden: EDIT_HIDDEN,
        ..tool(
            "xlsx_operations",
            ToolSet::Files,
            "Edit Excel spreadsheet",
            "Create or edit an Excel workbook (.xlsx): edit spreadsheet cells, formulas, rows, formats, sheets, charts",
        )
    },
    ToolText {
        hidden: EDIT_HIDDEN,
        ..tool(
            "docx_operations",
            ToolSet::Files,
            "Edit Word document",
            "Create or edit a Word document (.docx): text, headings, tables, images, redlines (tracked changes)",
        )
    },
    ToolText {
        hidden: EDIT_HIDDEN,
        ..tool(
            "pptx_operations",
            ToolSet::Files,
            "Edit PowerPoint presentation",
            "Create or edit a PowerPoint presentation (.pptx): add slides, text, bullets, tables, images, notes",
        )
    },
    ToolText {
        hidden: EDIT_HIDDEN,
        ..tool(
            "text_operations",
            ToolSet::Files,
            "Edit text file",
            "Edit parts of a text, Markdown, CSV, JSON or code file",
        )
    },
    ToolText {
        hidden: &["dry_run"],
        ..tool(
            "write_text_file",
            ToolSet::Files,
            "Write text file",
            "Create or replace an entire text, Markdown, CSV or code file",
        )
    },
    ToolText {
        hidden: &["dry_run", "base_hash"],
        ..tool(
            "manage_files",
            ToolSet::Files,
            "Rename, copy or delete a file",
            "Rename or move (to a new path), copy or delete a file in the Draft",
        )
    },
    ToolText {
        hidden: &["root", "scale", "thumbnail"],
        ..tool("preview", ToolSet::Files, "Preview as image", "See a page, slide or sheet as an image (screenshot)")
    },
    tool(
        "undo",
        ToolSet::Files,
        "Undo own change",
        "Undo your newest change of the Draft; call again for earlier ones",
    ),
    ToolText {
        described: &["style_guide"],
        ..tool(
            "edit_help",
            ToolSet::Files,
            "Help for edits",
            "Look up ops and their fields before using one that the edit tools do not describe",
        )
    },
    ToolText {
        hidden: &["id"],
        ..tool(
            "workbench",
            ToolSet::Files,
            "Choose or create a workbench",
            "List workbenches (projects with files), create one (name), or use one (workbench_id) for the next calls",
        )
    },
    tool(
        "diff",
        ToolSet::Review,
        "Show changes (diff)",
        "Compare the Draft with the originals: all changed files, or with path the diff of one file",
    ),
    ToolText {
        // The person's confirmation sets these; the agent has no part in it.
        hidden: &["reviewed", "confirm_deletions"],
        ..tool("publish_draft", ToolSet::Review, "Publish the Draft", "Ask the person to approve and publish the Draft")
    },
    ToolText {
        hidden: TABLE_HIDDEN,
        described: &["query", "tables"],
        ..tool(
            "table_query",
            ToolSet::Tables,
            "Query with SQL",
            "Run a SQL SELECT on a CSV, Excel, Parquet or JSON Lines file, as table `data`: filter, join, aggregate, pivot",
        )
    },
    ToolText {
        hidden: TABLE_HIDDEN,
        ..tool(
            "table_export",
            ToolSet::Tables,
            "Export a query to a file",
            "Write the rows of a SQL query to a new CSV or Excel file",
        )
    },
    ToolText {
        hidden: TABLE_HIDDEN,
        described: &["mode"],
        ..tool(
            "table_update_from_export",
            ToolSet::Tables,
            "Write a query into a sheet",
            "Write the rows of a SQL query into a sheet of an Excel workbook",
        )
    },
    ToolText {
        hidden: &["resolve_assets", "seen_revision", "revision", "sources", "propose", "limit", "category", "state"],
        described: &["data", "role"],
        ..tool(
            "entries",
            ToolSet::Plans,
            "Read and write entries",
            "Structured knowledge about a project (brand, audience, competitors, …). kinds: the kinds and their fields; \
             list, get, put; done: mark a field as done",
        )
    },
    ToolText {
        hidden: &["seen_revision", "revision", "template", "status", "limit", "override", "reason"],
        described: &["ops", "sections"],
        ..tool(
            "plans",
            ToolSet::Plans,
            "Read and write plans",
            "Plans and specifications (artifacts, Markdown in sections). list; get (slug); create (title); edit (ops)",
        )
    },
    tool(
        "target_resolve",
        ToolSet::Targeting,
        "Resolve what a message is about",
        "Find the artifact or section that a message is about",
    ),
    tool(
        "agent_context_build",
        ToolSet::Targeting,
        "Build an agent's context",
        "Build what an agent should know for a message",
    ),
    tool(
        "agent_context_refresh",
        ToolSet::Targeting,
        "Refresh an agent's context",
        "Show what changed since a context was built",
    ),
    tool(
        "agent_context_check",
        ToolSet::Targeting,
        "Check an agent's context",
        "Check whether an agent's context is current",
    ),
    tool("project_get", ToolSet::Targeting, "Show the project", "Show the project: stage, plans and progress"),
    tool("conversation_list", ToolSet::Targeting, "List conversation notes", "List notes and messages about plans"),
    tool("conversation_add", ToolSet::Targeting, "Add a conversation note", "Add a note or message about a plan"),
];

/// All tools of a scope, sorted by name.
pub fn tools(scope: &ToolScope) -> Vec<Tool> {
    let offered = TOOLS.iter().filter(|text| is_offered(scope, text));
    let mut tools: Vec<Tool> = offered.map(|text| tool_of(scope, text)).collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

fn is_offered(scope: &ToolScope, text: &ToolText) -> bool {
    scope.sets.contains(&text.set) && !(scope.naming == Naming::Confined && text.name == "workbench")
}

/// Whether a tool is served. What is not listed is not served either: clients call only what they have seen.
pub(super) fn has_tool(scope: &ToolScope, name: &str) -> bool {
    TOOLS.iter().any(|text| text.name == name && is_offered(scope, text))
}

fn operations(tool: &str) -> impl Iterator<Item = &'static OpSpec> {
    OPERATIONS.iter().filter(move |op| op.surfaces.tool == Some(tool))
}

/// Other names for actions, as models write them.
const ACTION_ALIASES: [(&str, &str); 14] = [
    ("move", "rename"),
    ("mv", "rename"),
    ("duplicate", "copy"),
    ("cp", "copy"),
    ("remove", "delete"),
    ("rm", "delete"),
    ("read", "get"),
    ("show", "get"),
    ("write", "put"),
    ("update", "put"),
    ("set", "put"),
    ("select", "use"),
    ("new", "create"),
    ("add", "create"),
];

/// The operation that a call of a tool refers to. Takes the `action` out of the arguments.
pub(super) fn operation(tool: &str, arguments: &mut Map<String, Value>) -> Result<&'static OpSpec, OpError> {
    let all: Vec<&OpSpec> = operations(tool).collect();
    if let [one] = all.as_slice() {
        return Ok(one);
    }
    let given = ["action", "op", "operation"].into_iter().find_map(|key| match arguments.get(key) {
        Some(Value::String(action)) if !action.trim().is_empty() => Some((key, action.trim().to_lowercase())),
        _ => None,
    });
    let known: Vec<&str> = all.iter().filter_map(|op| op.surfaces.action).collect();
    let find = |action: &str| all.iter().find(|op| op.surfaces.action == Some(action)).copied();
    let Some((key, action)) = given else {
        arguments.remove("action");
        return implied(&all, arguments).ok_or_else(|| {
            OpError::new(Code::InvalidParams, format!("`action` is missing: {}", known.join(", "))).suggest(known)
        });
    };
    arguments.shift_remove(key);
    let alias = ACTION_ALIASES.iter().find(|(alias, _)| *alias == action).map_or("", |(_, name)| name);
    find(&action).or_else(|| find(alias)).ok_or_else(|| {
        let near = nearest(&action, known.iter().copied());
        let message = format!("unknown action `{action}` of {tool}: choose from {}", known.join(", "));
        OpError::new(Code::InvalidParams, message).suggest(near)
    })
}

/// The operation that the given parameters identify: a read that they suffice for (`diff` with `path`, `plans` with
/// `slug`), or a change with a parameter that no other operation of the tool has (`plans` with `ops`). `manage_files` with
/// a `path` alone identifies nothing.
fn implied(all: &[&'static OpSpec], arguments: &Map<String, Value>) -> Option<&'static OpSpec> {
    let takes = |op: &OpSpec, name: &str| (op.params_schema)().to_value()["properties"][name].is_object();
    let fits = |op: &&&'static OpSpec| {
        let is_known = |name: &String| takes(op, name) || matches!(name.as_str(), "max_tokens" | "cursor");
        let needed = required(&(op.params_schema)().to_value());
        arguments.keys().all(is_known)
            && needed.iter().all(|name| name == "workbench_id" || arguments.contains_key(name))
    };
    let candidates = || all.iter().filter(fits).copied();
    let reads = candidates().filter(|op| op.effect == Effect::Read);
    let read = reads.max_by_key(|op| required(&(op.params_schema)().to_value()).len());
    read.or_else(|| {
        candidates().find(|op| {
            let others = || all.iter().filter(|other| other.name != op.name);
            arguments.keys().any(|name| takes(op, name) && !others().any(|other| takes(other, name)))
        })
    })
}

fn required(schema: &Value) -> Vec<String> {
    let names = schema["required"].as_array().into_iter().flatten();
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

/// Whether an operation takes a workbench.
pub(super) fn takes_workbench(op: &OpSpec) -> bool {
    (op.params_schema)().to_value()["properties"]["workbench_id"].is_object()
}

/// Whether an operation cannot do without a workbench.
pub(super) fn needs_workbench(op: &OpSpec) -> bool {
    required(&(op.params_schema)().to_value()).iter().any(|name| name == "workbench_id")
}

fn tool_of(scope: &ToolScope, text: &ToolText) -> Tool {
    let all: Vec<&OpSpec> = operations(text.name).collect();
    let input = input_schema(scope, text, &all);
    let changes = all.iter().any(|op| op.effect != Effect::Read);
    // The output schema of a read is useful in advance; for a write, the receipt is self-explanatory.
    let output = match all.as_slice() {
        [op] if !changes => outline(op.name, &(op.output_schema)().to_value()),
        _ => Map::from_iter([("type".to_owned(), "object".into())]),
    };
    Tool::new(text.name, text.about, input)
        .with_title(text.title)
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations(text.name, changes))
}

/// The parameters of all operations of a tool.
fn input_schema(scope: &ToolScope, text: &ToolText, all: &[&OpSpec]) -> Map<String, Value> {
    let mut properties = Map::new();
    let mut definitions = Map::new();
    let mut always: Option<Vec<String>> = None;
    let actions: Vec<&str> = all.iter().filter_map(|op| op.surfaces.action).collect();
    let implied_action = all.iter().all(|op| op.effect == Effect::Read) && text.name != "workbench";
    if all.len() > 1 && !implied_action {
        properties.insert("action".to_owned(), json!({ "enum": actions }));
    }
    for op in all {
        let mut given = (op.params_schema)().to_value();
        if let (true, Some((ops, inner))) = (scope.sets.contains(&ToolSet::OfficeFull), full_ops_schema(op.name)) {
            given["properties"]["ops"] = ops.to_value();
            given["$defs"] = Value::Object(inner);
        }
        let mut schema = slim(&given);
        if let Some(Value::Object(inner)) = schema.shift_remove("$defs") {
            definitions.extend(inner);
        }
        let needed = required(&Value::Object(schema.clone()));
        always = Some(match always {
            None => needed,
            Some(known) => known.into_iter().filter(|name| needed.contains(name)).collect(),
        });
        if let Some(Value::Object(members)) = schema.shift_remove("properties") {
            for (name, member) in members {
                properties.entry(name).or_insert(member);
            }
        }
        if op.effect == Effect::Read && all.len() == 1 {
            for (name, kind) in [("max_tokens", "integer"), ("cursor", "string")] {
                properties.entry(name).or_insert(json!({ "type": kind }));
            }
        }
    }
    // A read that returns one small thing has no budget.
    if matches!(text.name, "preview") {
        properties.retain(|name, _| name != "max_tokens" && name != "cursor");
    }
    let hides_workbench = scope.naming != Naming::PerCall && text.name != "workbench";
    let has_workbench = |name: &str| name == "workbench_id" && hides_workbench;
    properties.retain(|name, _| !text.hidden.contains(&name.as_str()) && !has_workbench(name));
    for (name, member) in &mut properties {
        let keeps = text.described.contains(&name.as_str());
        if let (false, Value::Object(member)) = (keeps, member) {
            member.remove("description");
        }
    }
    let mut needed: Vec<Value> = Vec::new();
    if properties.contains_key("action") {
        needed.push("action".into());
    }
    // Calls that name no workbench use the current one, or the only one.
    let always = always.unwrap_or_default().into_iter().filter(|name| name != "workbench_id");
    needed.extend(always.map(Value::from));
    let mut schema = Map::from_iter([("type".to_owned(), "object".into())]);
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !needed.is_empty() {
        schema.insert("required".to_owned(), Value::Array(needed));
    }
    if !definitions.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(definitions));
    }
    schema
}

/// Only meaningful hints: a read-only tool is neither destructive nor needs to be idempotent.
fn annotations(name: &str, changes: bool) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(!changes).open_world(false);
    if !changes {
        return annotations;
    }
    // Publishing replaces what people approved, and deleting removes a file from the Draft. Of the others, only writing
    // an entire file gives the same result when it is repeated.
    let destructive = matches!(name, "publish_draft" | "manage_files");
    annotations.destructive(destructive).idempotent(name == "write_text_file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_for_agents_has_a_tool_and_every_tool_an_operation() {
        for op in OPERATIONS {
            let Some(name) = op.surfaces.tool else { continue };
            assert!(TOOLS.iter().any(|text| text.name == name), "{name} has no description");
        }
        for text in TOOLS {
            let all: Vec<_> = operations(text.name).collect();
            assert!(!all.is_empty(), "{} has no operation", text.name);
            let known =
                |name: &&&str| all.iter().any(|op| (op.params_schema)().to_value()["properties"][**name].is_object());
            for name in text.described.iter().chain(text.hidden).filter(|name| !TABLE_HIDDEN.contains(name)) {
                assert!(known(&name), "{}: {name}", text.name);
            }
        }
    }

    #[test]
    fn actions_are_found_by_name_alias_and_what_they_need() {
        let op = |tool: &str, arguments: Value| {
            let Value::Object(mut arguments) = arguments else { panic!("an object") };
            operation(tool, &mut arguments).map(|op| op.name).map_err(|error| error.to_string())
        };
        assert_eq!(op("manage_files", json!({ "action": "move", "path": "a", "to": "b" })).unwrap(), "DraftMoveFile");
        assert_eq!(op("manage_files", json!({ "op": "Delete", "path": "a" })).unwrap(), "DraftRemoveFile");
        assert_eq!(op("diff", json!({})).unwrap(), "ReviewGetChangeSet");
        assert_eq!(op("diff", json!({ "path": "a" })).unwrap(), "ReviewGetDiff");
        assert_eq!(op("plans", json!({ "slug": "concept" })).unwrap(), "ArtifactGet");
        assert_eq!(op("read_file", json!({ "path": "a" })).unwrap(), "FileRead");
        assert_eq!(op("plans", json!({ "ops": [] })).unwrap(), "ArtifactApplyOps");
        assert_eq!(op("workbench", json!({ "name": "Deck" })).unwrap(), "WorkbenchCreate");
        let refused = op("manage_files", json!({ "path": "a" })).unwrap_err();
        assert!(refused.contains("rename, copy, delete") || refused.contains("`action` is missing"), "{refused}");
        assert!(op("entries", json!({ "action": "explode" })).unwrap_err().contains("choose from"));
    }
}
