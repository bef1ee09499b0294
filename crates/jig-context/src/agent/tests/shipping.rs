//! The built-in workspace is valid.

use jig_contract::find;

use super::fixtures::compiled;
use crate::agent::{Part, TOOLS, Variables, check_input, descriptor, render, shipped};

/// The names in the specification, and `edit_help`, which shows the fields of the ops that tools only name.
const NAMES: [&str; 26] = [
    "list_files",
    "get_file_info",
    "get_file_map",
    "read_file",
    "table_get_map",
    "table_describe",
    "table_stats",
    "table_read_rows",
    "table_query",
    "table_export",
    "table_update_from_export",
    "write_text_file",
    "docx_operations",
    "xlsx_operations",
    "pptx_operations",
    "docx_get_styles",
    "xlsx_get_styles",
    "pptx_get_styles",
    "docx_copy_assets",
    "xlsx_copy_assets",
    "pptx_copy_assets",
    "recall_tool_result",
    "context_read",
    "artifact_operations",
    "entry_propose",
    "edit_help",
];

#[test]
fn it_compiles_and_has_the_packs_and_catalogs() {
    let snapshot = compiled(shipped(), false).unwrap_or_else(|problems| panic!("{problems:#?}"));
    let packs: Vec<&String> = snapshot.packs.keys().collect();
    assert_eq!(packs, ["chat", "direct", "implement", "plan", "research", "research-agent", "summary"]);
    let catalogs: Vec<&String> = snapshot.catalogs.keys().collect();
    assert_eq!(catalogs, ["coding", "default", "plan", "read-only"]);
    let shown: Vec<&str> = snapshot.catalogs["default"].tools.iter().map(|tool| tool.name.as_str()).collect();
    for name in NAMES {
        assert!(shown.contains(&name), "{name}");
    }
    assert_eq!(shown.len(), NAMES.len());
    for part in snapshot.packs.values().flat_map(|pack| &pack.parts) {
        if let Part::Template { text, path, .. } = part {
            render(text, &Variables::default()).unwrap_or_else(|error| panic!("{path}: {error}"));
        }
    }
}

#[test]
fn reading_catalogs_hold_nothing_that_writes() {
    for tool in TOOLS.iter().filter(|tool| tool.catalogs.iter().any(|id| matches!(*id, "read-only" | "plan"))) {
        let effect = tool.operation.map(|operation| find(operation).unwrap().effect);
        assert!(effect.is_none_or(|effect| effect == jig_contract::Effect::Read), "{}", tool.name);
    }
}

#[test]
fn descriptors_are_what_the_operations_say() {
    for tool in TOOLS {
        let made = descriptor(tool).unwrap_or_else(|| panic!("{}: there is no such operation", tool.name));
        let kept = &shipped()[&format!("tools/descriptors/{}.json", tool.name)];
        let kept: crate::agent::Descriptor = serde_json::from_slice(kept).unwrap();
        assert_eq!(kept, made);
        let Some(operation) = tool.operation.and_then(find) else { continue };
        let own = (operation.params_schema)().to_value();
        let members = made.input_schema["properties"].as_object().cloned().unwrap_or_default();
        for name in members.keys() {
            assert!(own["properties"][name].is_object(), "{}: {name}", tool.name);
        }
        assert!(!members.contains_key("workbench_id"), "{}", tool.name);
        let mut example: serde_json::Value = serde_json::from_str(operation.example).unwrap();
        for filled in ["workbench_id", "root", "source_root", "target_root"] {
            example.as_object_mut().unwrap().remove(filled);
        }
        assert_eq!(check_input(&made.input_schema, &example), Ok(()), "{}: the operation's own example", tool.name);
        example["surplus"] = true.into();
        assert!(check_input(&made.input_schema, &example).is_err(), "{}: what is not named is refused", tool.name);
    }
}
