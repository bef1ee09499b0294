//! Valid workspaces compile; every kind of error is reported with its file and location.

use serde_json::json;

use super::fixtures::*;
use crate::agent::{Compiled, FileRef, Files, LEGACY_NOTE, Options, Part, Role, Snapshot, Source, Standing, compile};

#[test]
fn a_good_workspace_becomes_one_value() {
    let files = good();
    let snapshot = compiled(&files, true).unwrap();
    let pack = &snapshot.packs["main"];
    let kinds: Vec<&str> = pack
        .parts
        .iter()
        .map(|part| match part {
            Part::Template { role: Role::System, .. } => "system",
            Part::Template { .. } => "user",
            Part::Messages { .. } => "messages",
            Part::Text { .. } => "text",
            Part::Image { .. } => "image",
        })
        .collect();
    assert_eq!(kinds, ["system", "messages", "text", "text", "image", "user"]);
    assert_eq!(pack.response_format.as_ref().unwrap().name, "answer");
    let options = &pack.options;
    assert_eq!((options.temperature, options.max_tokens), (Some(0.5), Some(100)));
    assert_eq!((options.streaming, options.timeout_seconds), (Some(false), Some(30)));
    assert_eq!(snapshot.catalogs["small"].tools.len(), 1);
    assert_eq!(snapshot.defaults.phases["research"].tool_catalog.as_deref(), Some("small"));
    assert_eq!(snapshot.coverage.bound.iter().collect::<Vec<_>>(), ["a"]);
    assert_eq!(snapshot.coverage.unbound.iter().collect::<Vec<_>>(), ["b"]);
    assert_eq!(snapshot.files.len(), files.len(), "every file was used");
    assert_eq!(Snapshot::from_bytes(&snapshot.to_bytes()).unwrap(), snapshot);
    assert_eq!(compiled(&files, true).unwrap().hash(), snapshot.hash(), "the same files give the same value");
}

#[test]
fn the_index_drives_loading() {
    let mut files = good();
    let before = compiled(&files, true).unwrap();
    files.insert("prompts/packs/broken.json".to_owned(), b"{".to_vec());
    files.insert("tools/old.json".to_owned(), b"{".to_vec());
    assert_eq!(compiled(&files, true).unwrap(), before, "what the index does not name is never read");
}

#[test]
fn bytes_that_are_not_what_the_root_names_are_refused() {
    let files = good();
    let listing: Files = files
        .iter()
        .map(|(path, bytes)| (path.clone(), FileRef { hash: hash(bytes), bytes: bytes.len() as u64 }))
        .collect();
    let index = listing["agent.workspace.json"].hash;
    let torn = std::collections::BTreeMap::from([(index, b"{}".to_vec())]);
    let options = Options { legacy: true, standing: &|_| Standing::Bound };
    let Compiled::Wrong(problems) = compile(hash(b"root"), &listing, &torn, &options) else { panic!() };
    assert_eq!(problems[0].to_string(), "agent.workspace.json: its bytes are not those that the workspace names");
}

#[test]
fn everything_that_is_wrong_is_told_at_once() {
    let problems = spoiled_by(|files| {
        files.remove("context/docs/rules.md");
        files.insert("tools/descriptors/a.json".to_owned(), br#"{"name":"a b","colour":1}"#.to_vec());
        files.insert("prompts/templates/system.md".to_owned(), b"one\n{{projekt.name}}".to_vec());
    });
    let expected = [
        "agent.workspace.json /context/house: there is no file `context/docs/rules.md`",
        "prompts/templates/system.md line 2: there is no variable `projekt.name`; did you mean `project`?",
        "tools/descriptors/a.json /colour: there is no member `colour`",
        "tools/descriptors/a.json /description: it is missing",
        "tools/descriptors/a.json /input_schema: it is missing",
        "tools/descriptors/a.json /name: `a b` is not a valid tool name: use 1 to 64 letters a–z and A–Z, digits, `_` or `-`",
    ];
    assert_eq!(problems, expected);
}

#[test]
fn faults_of_the_index() {
    let index = |value| spoiled("agent.workspace.json", &value);
    assert_eq!(index(json!([])), ["agent.workspace.json: this must be an object"]);
    assert_eq!(
        index(json!({ "schema": "other/2", "prompt_packs": {} })),
        [
            "agent.workspace.json: it names neither a prompt pack nor a tool catalog",
            "agent.workspace.json /schema: this program knows `jig.agent-workspace/1` and no other form",
        ]
    );
    let packs = |packs| index(json!({ "schema": "jig.agent-workspace/1", "prompt_packs": packs }));
    assert_eq!(
        packs(json!({ "main": "../main.json" })),
        [
            "agent.workspace.json /prompt_packs/main: `../main.json` is not a valid path inside the workspace: `.` and `..` are not names"
        ]
    );
    assert!(packs(json!({ "main": "/etc/passwd" }))[0].contains("not a valid path inside the workspace"));
    assert!(
        packs(json!({ "a/b": "x.json" }))[0]
            .starts_with("agent.workspace.json /prompt_packs/a~1b: `a/b` is not a valid id")
    );
    assert_eq!(packs(json!({ "main": 5 })), ["agent.workspace.json /prompt_packs/main: it must be the path of a file"]);
    let wrong = json!({ "schema": "jig.agent-workspace/1", "prompt_packs": { "main": "prompts/packs/main.json" },
        "context": { "house": ["context/docs/rules.md"] },
        "defaults": { "prompt_pack": "none", "phases": { "dream": {}, "plan": { "colour": 1 } } }, "extra": 1 });
    let problems = index(wrong);
    assert!(
        problems.contains(&"agent.workspace.json /defaults/prompt_pack: there is no `none`; there are main".to_owned())
    );
    assert!(problems.iter().any(|problem| problem.contains("/defaults/phases/dream: there is no phase")));
    assert!(
        problems.contains(&"agent.workspace.json /defaults/phases/plan/colour: there is no member `colour`".to_owned())
    );
    assert!(problems.contains(&"agent.workspace.json /extra: there is no member `extra`".to_owned()));
}

#[test]
fn a_name_that_is_there_twice_is_no_json() {
    let problems = spoiled_by(|files| {
        let text = br#"{"schema":"jig.agent-workspace/1","prompt_packs":{"a":"x","a":"y"}}"#;
        files.insert("agent.workspace.json".to_owned(), text.to_vec());
    });
    assert_eq!(problems.len(), 1);
    assert!(problems[0].contains("`a` is there twice"), "{problems:?}");
}

#[test]
fn faults_of_packs() {
    let pack = |parts| spoiled("prompts/packs/main.json", &json!({ "id": "main", "parts": parts }));
    assert_eq!(pack(json!([])), ["prompts/packs/main.json /parts: it is empty"]);
    assert_eq!(pack(json!("x")), ["prompts/packs/main.json /parts: it must be a list"]);
    let one = |part| pack(json!([part]));
    assert_eq!(one(json!("x")), ["prompts/packs/main.json /parts/0: this must be an object"]);
    assert!(
        one(json!({ "type": "colour" }))[0].starts_with("prompts/packs/main.json /parts/0/type: `colour` is none of")
    );
    assert!(
        one(json!({ "type": "template", "role": "king", "path": "a" }))[0].contains("/parts/0/role: `king` is none of")
    );
    assert_eq!(
        one(json!({ "type": "context", "path": "prompts/templates/user.md" })),
        [
            "prompts/packs/main.json /parts/0/path: static context lies in context/docs, context/images or context/snippets"
        ]
    );
    assert!(
        one(json!({ "type": "context_group", "group": "none" }))[0]
            .contains("/parts/0/group: the index has no context group")
    );
    assert_eq!(
        spoiled(
            "prompts/packs/main.json",
            &json!({ "id": "other", "parts": [{ "type": "messages", "path": "prompts/examples.json" }], "tool_choice": "any" })
        ),
        [
            "prompts/packs/main.json /id: the index calls it `main`",
            "prompts/packs/main.json /tool_choice: there is no member `tool_choice`",
        ]
    );
    assert_eq!(spoiled("prompts/examples.json", &json!([])), ["prompts/examples.json: it must have 1 to 100 messages"]);
    assert_eq!(
        spoiled("prompts/examples.json", &json!([{ "role": "user", "content": "x", "name": "y" }])),
        ["prompts/examples.json /0/name: there is no member `name`"]
    );
    assert_eq!(
        spoiled("prompts/options.json", &json!({ "temperature": 9, "streaming": 1, "colour": 1 })),
        [
            "prompts/options.json /colour: there is no member `colour`",
            "prompts/options.json /streaming: it must be true or false",
            "prompts/options.json /temperature: it must be a number from 0 to 2",
        ]
    );
    assert!(
        spoiled("prompts/format.json", &json!({ "name": "x", "schema": { "type": "nothing" } }))[0]
            .starts_with("prompts/format.json /schema/type: ")
    );
    let empty = spoiled_by(|files| _ = files.insert("prompts/templates/user.md".to_owned(), b"  \n".to_vec()));
    assert_eq!(empty, ["prompts/templates/user.md: it is empty"]);
    let large = spoiled_by(|files| _ = files.insert("prompts/templates/user.md".to_owned(), vec![b'x'; 2 << 20]));
    assert_eq!(
        large,
        [
            "prompts/packs/main.json /parts/4/path: `prompts/templates/user.md` has 2097152 bytes; at most 1048576 are allowed"
        ]
    );
    let picture = spoiled_by(|files| _ = files.insert("context/images/logo.png".to_owned(), b"text".to_vec()));
    assert_eq!(picture, ["context/images/logo.png: not a PNG, JPEG, WebP or GIF image"]);
}

#[test]
fn faults_of_catalogs_and_descriptors() {
    let catalog = |tools| spoiled("tools/catalogs/small.json", &json!({ "id": "small", "tools": tools }));
    assert_eq!(catalog(json!([])), ["tools/catalogs/small.json /tools: it is empty"]);
    assert_eq!(
        catalog(json!(["nowhere.json"])),
        ["tools/catalogs/small.json /tools/0: there is no file `nowhere.json`"]
    );
    assert_eq!(
        catalog(json!(["tools/descriptors/a.json", "tools/descriptors/a.json"])),
        ["tools/catalogs/small.json /tools/1: there is a tool `a` in this catalog already"]
    );
    let twice = spoiled("tools/descriptors/b.json", &tool("a"));
    assert_eq!(twice, ["tools/catalogs/default.json /tools/1: there is a tool `a` in this catalog already"]);
    let descriptor = |name: &str, schema| {
        spoiled("tools/descriptors/b.json", &json!({ "name": name, "description": "x", "input_schema": schema }))
    };
    assert!(descriptor(&"x".repeat(65), json!({}))[0].contains("is not a valid tool name"));
    assert_eq!(descriptor(&"x".repeat(64), json!({})), [] as [&str; 0]);
    assert!(descriptor("", json!({}))[0].contains("/name: it is empty"));
    assert_eq!(descriptor("b", json!([])), ["tools/descriptors/b.json /input_schema: a schema is an object"]);
    assert_eq!(
        descriptor("b", json!({ "type": "string" })),
        ["tools/descriptors/b.json /input_schema/type: the input of a tool is an object"]
    );
    let bad = descriptor("b", json!({ "type": "object", "properties": { "n": { "type": "whole" } } }));
    assert!(bad[0].starts_with("tools/descriptors/b.json /input_schema/properties/n/type: "), "{bad:?}");
    let bad = descriptor("b", json!({ "properties": { "n": { "pattern": "(" } } }));
    assert_eq!(bad.len(), 1, "{bad:?}");
}

#[test]
fn without_an_index_tools_are_looked_for_where_that_is_allowed() {
    let mut files = Texts::new();
    files.insert("tools/x.json".to_owned(), tool("x").to_string().into_bytes());
    let old = json!({ "name": "y", "description": "Old", "parameters": { "type": "object" } });
    files.insert("tools/y.json".to_owned(), old.to_string().into_bytes());
    files.insert("tools/deep/z.json".to_owned(), b"{".to_vec());
    let snapshot = compiled(&files, true).unwrap();
    assert_eq!((snapshot.source, snapshot.warnings[0].as_str()), (Source::Legacy, LEGACY_NOTE));
    let names: Vec<&str> = snapshot.catalogs["default"].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["x", "y"]);
    assert_eq!(snapshot.defaults.tool_catalog.as_deref(), Some("default"));
    let refused = compiled(&files, false).unwrap_err();
    assert!(refused[0].message.contains("`agent.legacy_tools`"), "{refused:?}");
    assert_eq!(compiled(&Texts::new(), true).unwrap_err()[0].to_string(), "agent.workspace.json: it is missing");
    files.insert("tools/z.json".to_owned(), tool("x").to_string().into_bytes());
    assert_eq!(compiled(&files, true).unwrap_err()[0].to_string(), "tools/z.json /name: there is a tool `x` already");
}
