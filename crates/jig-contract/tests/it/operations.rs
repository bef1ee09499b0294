//! Requirements on every operation.

use std::collections::HashSet;

use jig_contract::{Effect, OPERATIONS, OpSpec, Operation, find, for_each_operation, params_from_json};

fn each(check: impl Fn(&OpSpec)) {
    assert!(OPERATIONS.len() >= 31);
    OPERATIONS.iter().for_each(check);
}

#[test]
fn names_and_tools_are_unique() {
    let mut seen = HashSet::new();
    let mut commands = HashSet::new();
    let mut tools = HashSet::new();
    for op in OPERATIONS {
        assert!(seen.insert(op.name), "{} twice", op.name);
        assert!(commands.insert(op.noun_and_verb()), "{} has another one's command", op.name);
        let (tool, action) = (op.surfaces.tool, op.surfaces.action);
        if let Some(tool) = tool {
            assert!(tools.insert((tool, action)), "tool {tool} {action:?} twice");
            // A tool has either one operation or several with an action each.
            let others = OPERATIONS.iter().filter(|other| other.surfaces.tool == Some(tool) && other.name != op.name);
            assert!(others.clone().all(|other| other.surfaces.action.is_some() && action.is_some()), "{tool}");
        }
        assert_eq!(find(op.name).map(|found| found.name), Some(op.name));
    }
    assert!(find("Nothing").is_none());
}

#[test]
fn commands_are_made_from_names() {
    let command = |name: &str| find(name).unwrap().noun_and_verb();
    assert_eq!(command("FileGetInfo"), ("file".to_owned(), "get-info".to_owned()));
    assert_eq!(command("DraftPublish"), ("draft".to_owned(), "publish".to_owned()));
}

#[test]
fn the_schema_of_text_ops_tells_what_each_op_takes() {
    let schema = (find("TextApplyOps").unwrap().params_schema)().to_value();
    let words = schema["properties"]["ops"]["items"]["description"].as_str().unwrap();
    for field in [
        "search",
        "all?",
        "count?",
        "match_case?",
        "lines",
        "line?",
        "after_text?",
        "before_text?",
        "line_start",
        "line_count?",
    ] {
        assert!(words.split([' ', ';', '.']).any(|word| word == field), "{field}: {words}");
    }
}

#[test]
fn every_operation_and_every_parameter_says_what_it_is() {
    each(|op| {
        let schema = (op.params_schema)();
        let summary = op.summary();
        assert!(summary.len() > 10 && !summary.ends_with('.'), "{}: {summary:?}", op.name);
        let properties = schema.get("properties").and_then(|p| p.as_object()).cloned().unwrap_or_default();
        for (name, property) in properties {
            assert!(property.get("description").is_some(), "{}.{name} has no description", op.name);
        }
        assert_eq!(schema.get("additionalProperties"), Some(&serde_json::json!(false)), "{}", op.name);
    });
}

#[test]
fn agents_get_no_tool_that_changes_what_is_approved_but_publish() {
    each(|op| {
        let changes = matches!(op.effect, Effect::Write | Effect::Destructive);
        // An entry that an agent may not write becomes a proposal. Sections of artifacts are open to agents until a
        // person locks them. A new workbench changes nothing that is there.
        let allowed = [
            "DraftPublish",
            "CheckpointCreate",
            "EntryPut",
            "EntryMarkDone",
            "ArtifactCreate",
            "ArtifactApplyOps",
            "ConversationAdd",
            "WorkbenchCreate",
        ]
        .contains(&op.name);
        assert!(op.surfaces.tool.is_none() || !changes || allowed, "{}", op.name);
    });
}

macro_rules! check_examples {
    ($($name:ident),* $(,)?) => {
        fn examples() { $(check_example::<jig_contract::ops::$name>();)* }
    };
}
for_each_operation!(check_examples);

fn check_example<O: Operation>() {
    let given: serde_json::Value = serde_json::from_str(O::EXAMPLE).unwrap();
    let params = params_from_json::<O>(given.clone()).unwrap_or_else(|e| panic!("{}: {e}", O::NAME));
    let back = serde_json::to_value(params).unwrap();
    for (key, value) in given.as_object().unwrap() {
        assert_eq!(back.get(key), Some(value), "{}.{key}", O::NAME);
    }
    let mut wrong = given;
    wrong["no_such_parameter"] = 1.into();
    let error = params_from_json::<O>(wrong).err().unwrap_or_else(|| panic!("{} ignores unknown parameters", O::NAME));
    assert_eq!(error.code().as_str(), "INVALID_PARAMS");
    assert!(error.info.message.contains("no_such_parameter"), "{}", error.info.message);
}

#[test]
fn every_example_is_taken_and_unknown_parameters_are_not() {
    examples();
}

#[test]
fn command_line_arguments_are_well_formed() {
    each(|op| {
        let command = (op.cli_args)(clap::Command::new("test"));
        command.debug_assert();
    });
}
