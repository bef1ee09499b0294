//! The built-in workspace.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};

use super::index::{INDEX, SCHEMA};
use super::tools::{TOOLS, descriptor};

/// Increased whenever a built-in file changes in a way that users notice.
pub const SHIPPED_VERSION: u64 = 1;

/// A pack: id, purpose, and the role and file of each template.
type ShippedPack = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const PACKS: &[ShippedPack] = &[
    ("chat", "A conversation about the artifact at hand", &[("system", "chat.system.md"), ("user", "chat.user.md")]),
    ("research-agent", "Research for one section, with an answer of a fixed form", &[("user", "research-agent.md")]),
    ("direct", "A task in one loop", &[("system", "base.md"), ("system", "direct.md")]),
    ("research", "Finding out, before anything is planned", &[("system", "base.md"), ("system", "research.md")]),
    ("plan", "A list of items to work off", &[("system", "base.md"), ("system", "plan.md"), ("user", "plan.user.md")]),
    (
        "implement",
        "One item of a plan",
        &[("system", "base.md"), ("system", "implement.md"), ("user", "implement.user.md")],
    ),
    (
        "summary",
        "What was done, for the person who asked",
        &[("system", "base.md"), ("system", "summary.md"), ("user", "summary.user.md")],
    ),
];

const TEMPLATES: &[(&str, &str)] = &[
    ("base.md", include_str!("shipped/templates/base.md")),
    ("chat.system.md", include_str!("shipped/templates/chat.system.md")),
    ("chat.user.md", include_str!("shipped/templates/chat.user.md")),
    ("direct.md", include_str!("shipped/templates/direct.md")),
    ("implement.md", include_str!("shipped/templates/implement.md")),
    ("implement.user.md", include_str!("shipped/templates/implement.user.md")),
    ("plan.md", include_str!("shipped/templates/plan.md")),
    ("plan.user.md", include_str!("shipped/templates/plan.user.md")),
    ("research-agent.md", include_str!("shipped/templates/research-agent.md")),
    ("research.md", include_str!("shipped/templates/research.md")),
    ("summary.md", include_str!("shipped/templates/summary.md")),
    ("summary.user.md", include_str!("shipped/templates/summary.user.md")),
];

const CATALOGS: &[(&str, &str)] = &[
    ("read-only", "Looking, without changing anything"),
    ("plan", "Reading and recalling, for the one who plans"),
    ("default", "Work on files, tables and context"),
    ("coding", "The same, with tools for plain text"),
];

static FILES: LazyLock<BTreeMap<String, Vec<u8>>> = LazyLock::new(make);

/// The built-in files, by path.
pub fn shipped() -> &'static BTreeMap<String, Vec<u8>> {
    &FILES
}

fn make() -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut put = |path: String, value: &Value| files.insert(path, format!("{value:#}\n").into_bytes());
    for (id, description, templates) in PACKS {
        let part = |(role, file): &(&str, &str)| json!({ "type": "template", "role": role, "path": format!("prompts/templates/{file}") });
        let parts: Vec<Value> = templates.iter().map(part).collect();
        put(format!("prompts/packs/{id}.json"), &json!({ "id": id, "description": description, "parts": parts }));
    }
    for (id, description) in CATALOGS {
        let shows = TOOLS.iter().filter(|tool| tool.catalogs.contains(id));
        let tools: Vec<Value> = shows.map(|tool| json!(format!("tools/descriptors/{}.json", tool.name))).collect();
        put(format!("tools/catalogs/{id}.json"), &json!({ "id": id, "description": description, "tools": tools }));
    }
    for tool in TOOLS {
        if let Some(descriptor) = descriptor(tool).and_then(|descriptor| serde_json::to_value(descriptor).ok()) {
            put(format!("tools/descriptors/{}.json", tool.name), &descriptor);
        }
    }
    put(INDEX.to_owned(), &index());
    for (name, text) in TEMPLATES {
        files.insert(format!("prompts/templates/{name}"), text.as_bytes().to_vec());
    }
    files
}

fn index() -> Value {
    let packs: serde_json::Map<String, Value> =
        PACKS.iter().map(|(id, ..)| ((*id).to_owned(), json!(format!("prompts/packs/{id}.json")))).collect();
    let catalogs: serde_json::Map<String, Value> =
        CATALOGS.iter().map(|(id, _)| ((*id).to_owned(), json!(format!("tools/catalogs/{id}.json")))).collect();
    let phase = |pack: &str, catalog: &str| json!({ "prompt_pack": pack, "tool_catalog": catalog });
    json!({
        "schema": SCHEMA,
        "prompt_packs": packs,
        "tool_catalogs": catalogs,
        "defaults": {
            "prompt_pack": "direct",
            "tool_catalog": "default",
            "phases": {
                "direct": phase("direct", "default"),
                "research": phase("research", "read-only"),
                "plan": phase("plan", "plan"),
                "implement": phase("implement", "default"),
                "summary": { "prompt_pack": "summary" },
            },
        },
    })
}
