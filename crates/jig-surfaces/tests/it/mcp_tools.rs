//! The tool list: its content and its token count.

use jig_contract::{Effect, OPERATIONS};
use jig_surfaces::mcp::{Naming, tools};
use serde_json::{Value, json};

fn list(naming: Naming) -> Vec<Value> {
    tools(naming).iter().map(|tool| serde_json::to_value(tool).unwrap()).collect()
}

#[test]
fn the_list_costs_at_most_3500_tokens() {
    for naming in [Naming::Required, Naming::Optional] {
        let text = serde_json::to_string(&json!({ "tools": list(naming) })).unwrap();
        let tokens = bpe_openai::o200k_base().count(&text);
        assert!(tokens <= 3_500, "{tokens} tokens");
    }
}

#[test]
fn every_listed_operation_is_a_tool_in_order_with_all_that_clients_show() {
    let mut expected: Vec<_> = OPERATIONS
        .iter()
        .filter(|op| op.surfaces.listed)
        .filter_map(|op| op.surfaces.tool.map(|name| (name.to_owned(), op.summary(), op.effect == Effect::Read)))
        .collect();
    expected.sort();
    let got: Vec<_> = list(Naming::Required)
        .iter()
        .map(|tool| {
            let text = |key: &str| tool[key].as_str().unwrap().to_owned();
            assert_eq!(tool["inputSchema"]["type"], "object", "{tool}");
            assert_eq!(tool["outputSchema"]["type"], "object", "{tool}");
            assert_eq!(tool["annotations"]["openWorldHint"], false, "{tool}");
            assert!(text("title").starts_with(char::is_uppercase), "{tool}");
            (text("name"), text("description"), tool["annotations"]["readOnlyHint"].as_bool().unwrap())
        })
        .collect();
    assert_eq!(got, expected);
    assert!(got.len() <= 14, "few tools");
}

#[test]
fn tools_that_take_ops_say_what_each_takes() {
    let tools = list(Naming::Required);
    let with_ops: Vec<&Value> =
        tools.iter().filter(|tool| tool["inputSchema"]["properties"]["ops"].is_object()).collect();
    assert_eq!(with_ops.len(), 5);
    for tool in with_ops {
        let item = &tool["inputSchema"]["properties"]["ops"]["items"];
        let words = item["description"].as_str().unwrap();
        let name = if item["properties"]["op"].is_object() { "op" } else { "operation" };
        for op in item["properties"][name]["enum"].as_array().unwrap() {
            assert!(words.contains(op.as_str().unwrap()), "{op} in {words}");
        }
    }
}

#[test]
fn schemas_point_only_at_what_they_hold() {
    for tool in list(Naming::Required) {
        for schema in ["inputSchema", "outputSchema"] {
            let text = tool[schema].to_string();
            for (at, _) in text.match_indices("#/") {
                let pointer = text[at + 1..].split('"').next().unwrap();
                assert!(tool[schema].pointer(pointer).is_some(), "{} {pointer}", tool["name"]);
            }
        }
    }
}

#[test]
fn every_tool_that_reads_says_how_to_get_less_and_the_rest() {
    for tool in list(Naming::Required).iter().filter(|tool| tool["annotations"]["readOnlyHint"] == true) {
        let members = &tool["inputSchema"]["properties"];
        assert_eq!(members["max_tokens"]["type"], "integer", "{tool}");
        assert_eq!(members["cursor"]["type"], "string", "{tool}");
    }
}

#[test]
fn a_bound_workbench_need_not_be_named() {
    for (naming, required) in [(Naming::Required, true), (Naming::Optional, false)] {
        for tool in list(naming).iter().filter(|tool| tool["name"] != "list_workbenches") {
            let schema = &tool["inputSchema"];
            assert!(schema["properties"]["workbench_id"].is_object(), "{tool}");
            let named = schema["required"].as_array().is_some_and(|r| r.contains(&json!("workbench_id")));
            assert_eq!(named, required, "{tool}");
        }
    }
}
