//! The built-in tools and the operations behind them. Descriptors are generated from the operations, so the two cannot
//! disagree.

use jig_contract::{OpSpec, find, slim};
use serde_json::Value;

use super::catalog::Descriptor;

/// A tool and its operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ToolSpec {
    /// The tool.
    pub name: &'static str,
    /// The operation; `None` if the session answers the call itself.
    pub operation: Option<&'static str>,
    /// The catalogs that include it.
    pub catalogs: &'static [&'static str],
}

const READS: &[&str] = &["read-only", "default", "coding"];
const RECALLS: &[&str] = &["plan", "read-only", "default", "coding"];
const WRITES: &[&str] = &["default", "coding"];
const CODES: &[&str] = &["coding"];

const fn tool(name: &'static str, operation: &'static str, catalogs: &'static [&'static str]) -> ToolSpec {
    ToolSpec { name, operation: Some(operation), catalogs }
}

/// All built-in tools.
pub const TOOLS: &[ToolSpec] = &[
    tool("list_files", "FileList", READS),
    tool("get_file_info", "FileGetInfo", READS),
    tool("get_file_map", "FileGetMap", READS),
    tool("read_file", "FileRead", RECALLS),
    tool("table_get_map", "TabularGetMap", READS),
    tool("table_describe", "TabularDescribe", READS),
    tool("table_stats", "TabularGetStats", READS),
    tool("table_read_rows", "TabularReadRows", READS),
    tool("table_query", "TabularQuery", READS),
    tool("table_export", "TabularExport", WRITES),
    tool("table_update_from_export", "TabularUpdateFromExport", WRITES),
    tool("write_text_file", "DraftWriteText", WRITES),
    tool("docx_operations", "DocxApplyOps", WRITES),
    tool("xlsx_operations", "XlsxApplyOps", WRITES),
    tool("pptx_operations", "PptxApplyOps", WRITES),
    tool("edit_help", "EditDescribe", WRITES),
    tool("docx_get_styles", "DocxGetStyles", READS),
    tool("xlsx_get_styles", "XlsxGetStyles", READS),
    tool("pptx_get_styles", "PptxGetStyles", READS),
    tool("docx_copy_assets", "DocxCopyAssets", WRITES),
    tool("xlsx_copy_assets", "XlsxCopyAssets", WRITES),
    tool("pptx_copy_assets", "PptxCopyAssets", WRITES),
    ToolSpec { name: "recall_tool_result", operation: None, catalogs: RECALLS },
    tool("context_read", "EntryGet", RECALLS),
    tool("entry_propose", "EntryPut", WRITES),
    tool("artifact_operations", "ArtifactApplyOps", WRITES),
    tool("search_files", "FileSearch", CODES),
    tool("text_operations", "TextApplyOps", CODES),
    tool("remove_file", "DraftRemoveFile", CODES),
];

/// Parameters that the session fills in: the workbench, the copy of the files, and that an entry is only proposed.
const FILLED: [&str; 5] = ["workbench_id", "root", "source_root", "target_root", "propose"];

/// Omitted to save tokens in every request: results report a file or sheet that was created, and `slide` counts from 1
/// like everything else.
const SELDOM: [&str; 2] = ["must_exist", "slide_index"];

/// Parameters of many tools whose names are self-explanatory. Small context windows have no room for their
/// descriptions.
const PLAIN: [&str; 3] = ["base_hash", "base_revision", "dry_run"];

/// The descriptor of a built-in tool.
pub fn descriptor(tool: &ToolSpec) -> Option<Descriptor> {
    let Some(operation) = tool.operation else { return Some(recall()) };
    find(operation).map(|operation| of_operation(tool.name, operation))
}

fn of_operation(name: &str, operation: &OpSpec) -> Descriptor {
    let mut schema = slim(&(operation.params_schema)().to_value());
    schema.remove("description");
    if let Some(Value::Object(members)) = schema.get_mut("properties") {
        if let Some(ops) = members.get_mut("ops") {
            untype(ops);
        }
        members.retain(|member, _| !FILLED.contains(&member.as_str()) && !SELDOM.contains(&member.as_str()));
        for name in PLAIN {
            if let Some(Value::Object(member)) = members.get_mut(name) {
                member.remove("description");
            }
        }
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|member| member.as_str().is_none_or(|member| !FILLED.contains(&member)));
    }
    if schema.get("required").is_some_and(|required| required.as_array().is_some_and(Vec::is_empty)) {
        schema.remove("required");
    }
    let mut schema = slim(&Value::Object(schema));
    schema.insert("additionalProperties".to_owned(), false.into());
    Descriptor { name: name.to_owned(), description: operation.summary(), input_schema: Value::Object(schema) }
}

/// Leaves the description of the ops and drops the types of their fields: sessions run in small windows too, and an op
/// with an unknown field is refused with its signature.
fn untype(ops: &mut Value) {
    if let Some(Value::Object(properties)) = ops.pointer_mut("/items/properties") {
        properties.clear();
        properties.insert("op".to_owned(), serde_json::json!({ "type": "string" }));
    }
}

/// The descriptor of `recall`, which the session answers itself.
fn recall() -> Descriptor {
    let input_schema = serde_json::json!({
        "type": "object",
        "properties": {
            "id": { "type": "string", "description": "The id that the receipt names" },
            "offset": { "type": "integer", "description": "Skip this many characters" },
        },
        "required": ["id"],
        "additionalProperties": false,
    });
    let description = "Show more of an earlier tool result that was cut".to_owned();
    Descriptor { name: "recall_tool_result".to_owned(), description, input_schema }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tools that every working agent must have, by name.
    const PROMISED: &str = "list_files get_file_info get_file_map read_file table_get_map table_describe table_stats \
        table_read_rows table_query table_export table_update_from_export write_text_file docx_operations \
        xlsx_operations pptx_operations docx_get_styles xlsx_get_styles pptx_get_styles docx_copy_assets \
        xlsx_copy_assets pptx_copy_assets recall_tool_result context_read artifact_operations entry_propose";

    #[test]
    fn every_promised_tool_is_in_the_default_catalog_as_its_operation_describes_it() {
        for name in PROMISED.split_whitespace() {
            let tool = TOOLS.iter().find(|tool| tool.name == name);
            let tool = tool.unwrap_or_else(|| panic!("{name} is missing"));
            assert!(tool.catalogs.contains(&"default"), "{name}");
            let descriptor = descriptor(tool).unwrap();
            let Some(operation) = tool.operation.and_then(find) else { continue };
            assert_eq!(descriptor.description, operation.summary(), "{name}");
            let schema = (operation.params_schema)().to_value();
            let members = schema["properties"].as_object().unwrap();
            let shown = descriptor.input_schema["properties"].as_object().unwrap();
            for member in members.keys() {
                let is_shown = !FILLED.contains(&member.as_str()) && !SELDOM.contains(&member.as_str());
                assert_eq!(shown.contains_key(member), is_shown, "{name}: {member}");
            }
        }
    }
}
