//! The tool list: its content and its token count.

use std::collections::BTreeSet;

use jig_contract::{Effect, OPERATIONS};
use jig_surfaces::mcp::{Naming, ToolScope, ToolSet, tools};
use serde_json::{Value, json};

fn scope(sets: &[ToolSet], naming: Naming) -> ToolScope {
    ToolScope { sets: sets.to_vec(), naming }
}

fn list(scope: &ToolScope) -> Vec<Value> {
    tools(scope).iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
}

fn complete() -> Vec<Value> {
    list(&ToolScope::default())
}

/// The tokens of what clients show a model of each tool: its name, description and input schema.
fn cost(tools: &[Value]) -> usize {
    let count = |tool: &Value| {
        let shown = json!({
            "name": tool["name"], "description": tool["description"], "inputSchema": tool["inputSchema"]
        });
        let tokens = bpe_openai::o200k_base().count(&shown.to_string());
        println!("{tokens:6} {}", tool["name"]);
        tokens
    };
    tools.iter().map(count).sum()
}

#[test]
fn the_lists_keep_to_their_budgets() {
    let all = complete();
    let tokens = cost(&all);
    println!("complete: {} tools, {tokens} tokens", all.len());
    assert!(tokens <= 7_000, "{tokens} tokens");
    for naming in [Naming::Confined, Naming::Remembered, Naming::PerCall] {
        let files = list(&scope(&[ToolSet::Files], naming));
        let tokens = cost(&files);
        println!("files, {naming:?}: {} tools, {tokens} tokens", files.len());
        assert!(files.len() <= 14, "{} tools", files.len());
        assert!(tokens <= 3_500, "{tokens} tokens");
    }
    let full = cost(&list(&scope(&[ToolSet::Files, ToolSet::OfficeFull], Naming::Remembered)));
    println!("office-full: {full} tokens");
    let wire = bpe_openai::o200k_base().count(&json!({ "tools": all }).to_string());
    println!("complete on the wire: {wire} tokens");
    assert!(wire <= 9_000, "{wire} tokens with titles, annotations and output schemas");
}

#[test]
fn every_operation_for_agents_is_behind_a_listed_tool() {
    let every = list(&scope(&ToolSet::NAMES.map(|(_, set)| set), Naming::PerCall));
    let listed: BTreeSet<&str> = every.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    let expected: BTreeSet<&str> = OPERATIONS.iter().filter_map(|op| op.surfaces.tool).collect();
    assert_eq!(listed, expected);
    let names: Vec<&str> = every.iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.is_sorted(), "{names:?}");
    for tool in &every {
        let text = |key: &str| tool[key].as_str().unwrap().to_owned();
        assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
        assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
        assert!(text("title").starts_with(char::is_uppercase), "{tool}");
        let of_tool = OPERATIONS.iter().filter(|op| op.surfaces.tool == tool["name"].as_str());
        let reads = of_tool.clone().all(|op| op.effect == Effect::Read);
        assert_eq!(tool["annotations"]["readOnlyHint"], reads, "{tool}");
        for action in of_tool.filter_map(|op| op.surfaces.action).filter(|_| !reads) {
            let actions = tool["inputSchema"]["properties"]["action"]["enum"].as_array().unwrap();
            assert!(actions.contains(&json!(action)), "{tool}");
        }
    }
}

#[test]
fn annotations_are_true() {
    for tool in complete() {
        let hint = |name: &str| tool["annotations"][name].as_bool();
        let name = tool["name"].as_str().unwrap();
        if hint("readOnlyHint") == Some(true) {
            continue;
        }
        let destructive = ["publish_draft", "manage_files"].contains(&name);
        assert_eq!(hint("destructiveHint"), Some(destructive), "{name}");
        // Repeating a list of ops appends or inserts once more.
        assert_eq!(hint("idempotentHint"), Some(name == "write_text_file"), "{name}");
    }
}

#[test]
fn tools_that_take_ops_type_their_fields() {
    let tools = complete();
    let with_ops: Vec<&Value> =
        tools.iter().filter(|tool| tool["inputSchema"]["properties"]["ops"].is_object()).collect();
    assert_eq!(with_ops.len(), 5);
    for tool in with_ops {
        let item = &tool["inputSchema"]["properties"]["ops"]["items"];
        // Constrained decoders allow only declared fields otherwise.
        assert_eq!(item["additionalProperties"], true, "{tool}");
        assert!(item["properties"].as_object().unwrap().len() > 5, "{tool}");
        let words = item["description"].as_str().unwrap();
        let name = if item["properties"]["op"].is_object() { "op" } else { "operation" };
        let described = item["properties"][name]["enum"].as_array().unwrap().iter();
        assert!(described.filter(|op| words.contains(op.as_str().unwrap())).count() > 3, "{words}");
    }
}

#[test]
fn schemas_point_only_at_what_they_hold() {
    let every = list(&scope(&ToolSet::NAMES.map(|(_, set)| set), Naming::PerCall));
    for tool in every {
        for schema in ["inputSchema", "outputSchema"] {
            let text = tool[schema].to_string();
            for (at, _) in text.match_indices("#/") {
                let pointer = text[at + 1..].split('"').next().unwrap();
                assert!(tool[schema].pointer(pointer).is_some(), "{} {pointer}", tool["name"]);
            }
            assert!(!text.contains("\"x-"), "{} {text}", tool["name"]);
        }
    }
}

#[test]
fn tools_that_read_say_how_to_get_less_and_the_rest() {
    for name in ["list_files", "get_file_map", "read_file", "search_files", "table_query", "edit_help"] {
        let tools = complete();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        let members = &tool["inputSchema"]["properties"];
        assert_eq!(members["max_tokens"]["type"], "integer", "{tool}");
        assert_eq!(members["cursor"]["type"], "string", "{tool}");
    }
}

#[test]
fn local_models_can_be_constrained_by_the_schemas() {
    for tool in complete() {
        let text = tool["inputSchema"].to_string().replace("\"properties\":{}", "");
        // llama.cpp takes an empty schema for an object, and knows neither `not` nor `if`.
        for keyword in [":{}", "[{}", "\"not\"", "\"if\"", "patternProperties", "unevaluated"] {
            assert!(!text.contains(keyword), "{keyword} in {text}");
        }
    }
}

#[test]
fn a_confined_server_offers_nothing_about_workbenches() {
    for tool in list(&scope(&ToolSet::USUAL, Naming::Confined)) {
        assert!(tool["inputSchema"]["properties"]["workbench_id"].is_null(), "{tool}");
        assert_ne!(tool["name"], "workbench");
    }
    for tool in complete() {
        let names_one = tool["inputSchema"]["properties"]["workbench_id"].is_object();
        assert_eq!(names_one, tool["name"] == "workbench", "calls use the current one: {tool}");
    }
    let all = list(&scope(&ToolSet::USUAL, Naming::PerCall));
    let workbench_is_needed = |tool: &Value| {
        tool["inputSchema"]["required"].as_array().is_some_and(|names| names.contains(&json!("workbench_id")))
    };
    assert!(!all.iter().any(workbench_is_needed), "calls use the current workbench, or the only one");
}

#[test]
fn seeds_count_from_zero_and_tools_from_one() {
    for tool in complete() {
        let text = tool["inputSchema"].to_string();
        assert!(!text.contains("slide_index") && !text.contains("from 0\""), "{tool}");
    }
}

/// The words with which clients' tool search looks for an ability.
#[test]
fn tool_search_finds_the_tools() {
    let tools = complete();
    let find = |query: &str| {
        let score = |tool: &Value| {
            let text = format!("{} {} {}", tool["name"], tool["title"], tool["description"]).to_lowercase();
            query.split(' ').filter(|word| text.contains(&word.to_lowercase())).count()
        };
        let best = tools.iter().max_by_key(|tool| score(tool)).unwrap();
        best["name"].as_str().unwrap().to_owned()
    };
    for (query, expected) in [
        ("edit spreadsheet cells", "xlsx_operations"),
        ("create Excel workbook formulas", "xlsx_operations"),
        ("edit Word document tables", "docx_operations"),
        ("tracked changes redlines", "docx_operations"),
        ("PowerPoint slides bullets", "pptx_operations"),
        ("rename a file", "manage_files"),
        ("screenshot of a page", "preview"),
        ("run SQL on CSV", "table_query"),
        ("read a PDF file as text", "read_file"),
    ] {
        let found = find(query);
        // Reading tools name the formats too.
        assert_eq!(found, expected, "{query}");
    }
}
