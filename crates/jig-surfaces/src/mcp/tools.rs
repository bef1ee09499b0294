//! The tool list, generated from the list of operations.

use std::sync::{Arc, LazyLock};

use jig_contract::{Effect, OPERATIONS, OpSpec, slim};
use rmcp::model::{Tool, ToolAnnotations};
use serde_json::{Map, Value};

use super::schema::outline;

/// Whether calls must name their workbench.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// Every call must name it.
    Required,
    /// The connection has a default workbench.
    Optional,
}

/// All tools, sorted by name.
pub fn tools(naming: Naming) -> Vec<Tool> {
    // Computed once: over HTTP, every call looks up its tool.
    static REQUIRED: LazyLock<Vec<Tool>> = LazyLock::new(|| list(Naming::Required));
    static OPTIONAL: LazyLock<Vec<Tool>> = LazyLock::new(|| list(Naming::Optional));
    match naming {
        Naming::Required => REQUIRED.clone(),
        Naming::Optional => OPTIONAL.clone(),
    }
}

fn list(naming: Naming) -> Vec<Tool> {
    let listed = OPERATIONS.iter().filter(|op| op.surfaces.listed);
    let mut tools: Vec<Tool> = listed.filter_map(|op| tool(op, naming)).collect();
    tools.sort_by(|a, b| a.name.cmp(&b.name));
    tools
}

/// The operation of a tool.
pub(super) fn operation(tool: &str) -> Option<&'static OpSpec> {
    OPERATIONS.iter().find(|op| op.surfaces.tool == Some(tool))
}

/// Whether an operation takes a workbench.
pub(super) fn takes_workbench(op: &OpSpec) -> bool {
    (op.params_schema)().to_value()["properties"]["workbench_id"].is_object()
}

fn tool(op: &OpSpec, naming: Naming) -> Option<Tool> {
    let name = op.surfaces.tool?;
    let mut input = slim(&(op.params_schema)().to_value());
    input.remove("description");
    if naming == Naming::Optional {
        make_optional(&mut input);
    }
    drop_plain_words(&mut input);
    drop_seldom(name, &mut input);
    if let (Some(Value::Object(members)), "DraftPublish") = (input.get_mut("properties"), op.name) {
        // The person's confirmation sets these; the agent has no part in it.
        members.remove("reviewed");
        members.remove("confirm_deletions");
    }
    if op.effect == Effect::Read {
        add_budget(&mut input);
    }
    // The output schema of a read is useful in advance; for a write, the receipt is self-explanatory.
    let output = match op.effect {
        Effect::Read => outline(&(op.output_schema)().to_value()),
        _ => Map::from_iter([("type".to_owned(), "object".into())]),
    };
    let tool = Tool::new(name, op.summary(), input)
        .with_title(title(name))
        .with_raw_output_schema(Arc::new(output))
        .with_annotations(annotations(op));
    Some(tool)
}

const PLAIN: [&str; 15] = [
    "workbench_id",
    "path",
    "root",
    "cursor",
    "base_hash",
    "base_revision",
    "dry_run",
    "create_new",
    "copy_from",
    "ops",
    "limit",
    "line_count",
    "match_case",
    "max_results",
    "max_tokens",
];

/// Drops descriptions of properties with self-explanatory names.
fn drop_plain_words(input: &mut Map<String, Value>) {
    let Some(Value::Object(members)) = input.get_mut("properties") else { return };
    // Accepted but not listed: results report a file or sheet that was created.
    members.shift_remove("must_exist");
    for name in PLAIN {
        if let Some(Value::Object(member)) = members.get_mut(name) {
            member.remove("description");
        }
    }
}

/// Adds the parameters for the token budget (see `budget`).
fn add_budget(input: &mut Map<String, Value>) {
    let members = input.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    let Some(members) = members.as_object_mut() else { return };
    for (name, kind) in [("max_tokens", "integer"), ("cursor", "string")] {
        let member = Map::from_iter([("type".to_owned(), kind.into())]);
        members.entry(name).or_insert(Value::Object(member));
    }
}

/// Parameters of table tools that are accepted but not listed: the defaults they override are nearly always right,
/// results mention them when useful, and the guide to tables documents them.
const SELDOM: [&str; 16] = [
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

fn drop_seldom(tool: &str, input: &mut Map<String, Value>) {
    // Only people may override a lock.
    if let (true, Some(Value::Object(members))) = (tool.starts_with("artifact_"), input.get_mut("properties")) {
        members.retain(|name, _| name != "override");
    }
    if let (true, Some(Value::Object(members))) = (tool.starts_with("table_"), input.get_mut("properties")) {
        members.retain(|name, _| !SELDOM.contains(&name.as_str()));
        for (name, member) in members {
            if let (true, Value::Object(member)) = (name != "query" && name != "tables" && name != "mode", member) {
                member.remove("description");
            }
        }
    }
}

fn make_optional(input: &mut Map<String, Value>) {
    if let Some(Value::Array(required)) = input.get_mut("required") {
        required.retain(|name| name != "workbench_id");
        if required.is_empty() {
            input.remove("required");
        }
    }
}

/// `list_files` → `List files`.
fn title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Only meaningful hints: a read-only tool is neither destructive nor needs to be idempotent.
fn annotations(op: &OpSpec) -> ToolAnnotations {
    let annotations = ToolAnnotations::new().read_only(op.effect == Effect::Read).open_world(false);
    if op.effect == Effect::Read {
        return annotations;
    }
    // Publishing replaces what people approved. Of the others, only writing an entire file is idempotent.
    let destructive = op.effect == Effect::Destructive || op.name == "DraftPublish";
    annotations.destructive(destructive).idempotent(matches!(op.name, "DraftWriteText" | "DraftRemoveFile"))
}
