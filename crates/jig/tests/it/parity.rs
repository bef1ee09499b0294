//! The same calls through every interface give the same results and errors.

use std::collections::BTreeSet;

use clap::Command;
use jig_contract::{OPERATIONS, OpSpec, find};
use serde_json::{Value, json};

use crate::environment::{TestEnvironment, redact};
use crate::http_process::Http;
use crate::mcp_process::Mcp;
use crate::rpc_process::Rpc;
use crate::script::{Step, steps};

const SIGN: &str = r##"<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><rect width="40" height="20" fill="#08f"/></svg>"##;
const MINUTES: &str = r#"<office:document xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0"><office:body><office:text><text:p>All came.</text:p><text:h text:outline-level="1">Agenda</text:h><text:p>Budget</text:p></office:text></office:body></office:document>"#;

const PARTNER: &str = "anchor_role: partner\ndisplay_name: Partner\ncategory: market\nis_singleton: false\nfield_schema:\n  fields:\n    - {key: name, type: text, label: Name}\n";

type Answer = Result<Value, Value>;

/// A new home with the files that the script adds.
fn place() -> TestEnvironment {
    let environment = TestEnvironment::new();
    environment.write("notes.txt", "one\ntwo\n");
    environment.write("bank.csv", "day,amount\n1,20\n2,30\n");
    environment.write("sign.svg", SIGN);
    environment.write("minutes.fodt", MINUTES);
    environment.write("partner.yaml", PARTNER);
    environment.write("plan.md", "# The plan\n\n## First\n\n- a\n\n## Second\n");
    environment.write("policy.pdf", include_bytes!("../../../../demo/files/policy.pdf"));
    environment
}

/// Runs the script through one interface on a new home, and removes what differs between any two runs.
fn run(door: impl FnOnce(&TestEnvironment, &[Step]) -> Vec<Answer>) -> Vec<(String, Value)> {
    let environment = place();
    let mut script = steps();
    let work = environment.work();
    for step in &mut script {
        step.params = serde_json::from_str(&step.params.to_string().replace("{work}", work.to_str().unwrap())).unwrap();
    }
    let answers = door(&environment, &script);
    let root = environment.work().parent().unwrap().to_owned();
    script
        .iter()
        .zip(answers)
        .map(|(step, answer)| {
            let answer = match answer {
                Ok(output) => json!({ "output": output }),
                Err(info) => json!({ "error": info }),
            };
            let mut answer: Value = serde_json::from_str(&redact(&answer.to_string(), &root)).unwrap();
            take_out(step.operation, &mut answer);
            (step.operation.to_owned(), answer)
        })
        .collect()
}

/// Removes values that differ per interface or run: the caller, and the size of an archive, which depends on its
/// timestamps.
fn take_out(operation: &str, value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.remove("actor");
            members.remove("query_elapsed_ms");
            // The tag covers ids and times.
            members.remove("etag");
            if operation == "WorkbenchExport" {
                members.remove("bytes");
            }
            // An agent context contains the artifact's id and the current time, and both affect its token count.
            if operation.starts_with("AgentContext") {
                for name in ["context_version", "text", "tokens", "used", "age_seconds"] {
                    members.remove(name);
                }
            }
            members.values_mut().for_each(|member| take_out(operation, member));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| take_out(operation, item)),
        _ => {}
    }
}

/// Runs the steps in order. Values from an answer are substituted into the parameters of later steps.
fn each(script: &[Step], mut call: impl FnMut(&Step) -> Answer) -> Vec<Answer> {
    let mut kept: Vec<(String, String)> = Vec::new();
    let mut answers = Vec::with_capacity(script.len());
    for step in script {
        let text = kept.iter().fold(step.params.to_string(), |text, (name, value)| text.replace(name, value));
        let filled = Step { params: serde_json::from_str(&text).unwrap(), ..*step };
        let answer = call(&filled);
        let code = answer.as_ref().err().map(|info| info["error_code"].as_str().unwrap());
        assert_eq!(code, step.fails, "{} {}: {answer:?}", step.operation, filled.params);
        if let Some((name, pointer)) = step.keeps {
            let value = answer.as_ref().ok().and_then(|output| output.pointer(pointer)).and_then(Value::as_str);
            let value = value.unwrap_or_else(|| panic!("{} keeps {pointer}: {answer:?}", step.operation));
            kept.push((format!("{{{name}}}"), value.to_owned()));
        }
        answers.push(answer);
    }
    answers
}

fn through_rpc(environment: &TestEnvironment, script: &[Step]) -> Vec<Answer> {
    let mut rpc = Rpc::start(environment);
    let answers = each(script, |step| rpc.call(step.operation, step.params.clone()));
    assert_eq!(rpc.finish(), 0);
    answers
}

fn through_arguments(environment: &TestEnvironment, script: &[Step]) -> Vec<Answer> {
    each(script, |step| by_command(environment, step, &arguments(step)))
}

fn through_json_parameters(environment: &TestEnvironment, script: &[Step]) -> Vec<Answer> {
    let params = |step: &Step| vec!["--params".to_owned(), step.params.to_string()];
    each(script, |step| by_command(environment, step, &params(step)))
}

/// Uses tools where they exist and the command line for the rest, both on the same home. Tools return lean results, so
/// those of the command line are made lean too.
fn through_mcp(environment: &TestEnvironment, script: &[Step]) -> Vec<Answer> {
    // An agent's write to an entry may become a proposal, and an artifact it writes is marked as its own, so these
    // writes are made as a person, as in the other interfaces.
    const AS_PERSON: [&str; 6] =
        ["EntryPut", "EntryMarkDone", "ArtifactCreate", "ArtifactApplyOps", "ConversationAdd", "DraftPublish"];
    let mut mcp = Mcp::start(environment, &["--tools", "files,review,tables,plans,targeting"]);
    let answers = each(script, |step| {
        let op = spec(step);
        match op.surfaces.tool {
            // A step that later ones refer to needs the complete result.
            Some(tool) if !AS_PERSON.contains(&step.operation) && step.keeps.is_none() => {
                let mut params = step.params.clone();
                if let Some(action) = op.surfaces.action {
                    params["action"] = action.into();
                }
                mcp.call(tool, params)
            }
            _ => by_command(environment, step, &arguments(step)),
        }
    });
    assert_eq!(mcp.finish(), 0);
    answers
}

/// An answer as MCP gives it.
fn leaned(operation: &str, answer: &Value) -> Value {
    // Types check the form of hashes.
    let hash = "0".repeat(64);
    let answer: Value = serde_json::from_str(&answer.to_string().replace("[hash]", &hash)).unwrap();
    let mut lean = match (answer.get("output"), answer.get("error")) {
        (Some(output), _) => json!({ "output": jig_surfaces::mcp::lean(operation, output, false) }),
        (_, Some(error)) => {
            let info = serde_json::from_value(error.clone()).unwrap_or_else(|e| panic!("{operation}: {e}: {error}"));
            json!({ "error": jig_surfaces::mcp::lean_error(&info) })
        }
        _ => Value::Null,
    };
    take_out(operation, &mut lean);
    serde_json::from_str(&short_hashes(&lean.to_string().replace(&hash, "[hash]"))).unwrap()
}

/// Placeholders for hashes of twelve digits, which are those of tools.
fn short_hashes(text: &str) -> String {
    let hash = regex::Regex::new(r#"(hash[a-z_]*"?:? ?"?)[0-9a-f]{12}\b"#).unwrap();
    hash.replace_all(text, "${1}[hash]").into_owned()
}

/// Operations on files of the host are not available over HTTP; the command line runs them on the same home.
fn through_http(environment: &TestEnvironment, script: &[Step]) -> Vec<Answer> {
    let http = Http::start(environment);
    let answers = each(script, |step| match spec(step).surfaces.http && !of_host(step) {
        true => http.call(step.operation, &step.params),
        false => by_command(environment, step, &arguments(step)),
    });
    assert_eq!(http.finish(), 0);
    answers
}

/// Whether a call names a file of the host.
fn of_host(step: &Step) -> bool {
    let takes =
        ["KindPut", "EntryExtract", "AssetUpload", "RecipePut", "ArtifactImport", "StagePut"].contains(&step.operation);
    takes && step.params.get("source_path").is_some()
}

fn spec(step: &Step) -> &'static OpSpec {
    find(step.operation).unwrap()
}

fn by_command(environment: &TestEnvironment, step: &Step, arguments: &[String]) -> Answer {
    let (noun, verb) = spec(step).noun_and_verb();
    let mut all = vec![noun.as_str(), verb.as_str(), "--json"];
    if step.operation == "DraftPublish" {
        all.push("--yes");
    }
    all.extend(arguments.iter().map(String::as_str));
    let ran = environment.jig(&all);
    if ran.code == 0 {
        return Ok(ran.json());
    }
    let info: Value = serde_json::from_str(&ran.stderr).unwrap_or_else(|e| panic!("{e}: {all:?} {ran:?}"));
    let kind = jig_contract::Code::ALL.iter().find(|code| code.as_str() == info["error_code"]).unwrap().kind();
    assert_eq!(ran.code, i32::from(kind.exit()), "{info}");
    Err(info)
}

/// Parameters as command line arguments.
fn arguments(step: &Step) -> Vec<String> {
    let command = (spec(step).cli_args)(Command::new("x"));
    let (mut flags, mut places) = (Vec::new(), Vec::new());
    let mut params = step.params.as_object().unwrap().clone();
    // The fields of a group are flattened on the command line.
    if let Some(Value::Object(group)) = params.get("input").cloned() {
        params.remove("input");
        params.extend(group);
    }
    for name in params.keys() {
        assert!(command.get_arguments().any(|arg| arg.get_id() == name.as_str()), "{name}");
    }
    // In the order of the command, which defines positional arguments.
    let given = command.get_arguments().filter_map(|arg| params.get_key_value(arg.get_id().as_str()).map(|p| (arg, p)));
    for (arg, (name, value)) in given {
        let whole = || vec![value.clone()];
        // A list of objects is one JSON argument; other lists are repeated arguments.
        let json = matches!(name.as_str(), "ops" | "assets" | "data");
        let values = if json { whole() } else { value.as_array().cloned().unwrap_or_else(whole) };
        for value in values {
            let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            match arg.get_long() {
                Some(long) if value == true => flags.push(format!("--{long}")),
                Some(long) => flags.push(format!("--{long}={text}")),
                None => places.push(text),
            }
        }
    }
    [flags, vec!["--".to_owned()], places].concat()
}

#[test]
fn the_script_uses_every_operation_both_ways_where_it_can_fail() {
    let used: BTreeSet<&str> = steps().iter().map(|step| step.operation).collect();
    let all: BTreeSet<&str> = OPERATIONS.iter().map(|op| op.name).collect();
    assert_eq!(used, all);
}

#[test]
fn every_door_gives_the_same() {
    if !jig_testkit::has_sql_engine() {
        return;
    }
    let expected = run(through_rpc);
    for (door, answers) in
        [("arguments", run(through_arguments)), ("--params", run(through_json_parameters)), ("HTTP", run(through_http))]
    {
        for (expected, got) in expected.iter().zip(&answers) {
            assert_eq!(got, expected, "{door}");
        }
    }
    let script = steps();
    for ((expected, got), step) in expected.iter().zip(&run(through_mcp)).zip(&script) {
        let (operation, full) = expected;
        let lean = leaned(operation, full);
        let got: Value = serde_json::from_str(&short_hashes(&got.1.to_string())).unwrap();
        // Steps of the command line are complete.
        if got != *full {
            assert_eq!(got, lean, "MCP: {operation} {}", step.params);
        }
    }
}
