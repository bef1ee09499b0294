//! Prompts: recipes and prompt packs, with arguments, completion and change notifications.

use jig_contract::Env;
use jig_surfaces::mcp::McpOptions;
use rmcp::model::{
    ArgumentInfo, CompleteRequestParams, GetPromptRequestParams, PaginatedRequestParams, Reference, SubscriptionFilter,
};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS, bound};

async fn client(bench: &Bench, options: McpOptions) -> Client {
    Client::new(bench.workbench.clone(), options, VERSIONS[1].clone(), Person::CannotBeAsked).await
}

async fn get(client: &Client, name: &str, arguments: Value) -> Result<Value, String> {
    let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
    let request = GetPromptRequestParams::new(name).with_arguments(arguments);
    let got = client.service.get_prompt(request).await;
    got.map(|got| serde_json::to_value(got).unwrap()).map_err(|error| error.to_string())
}

const RECIPE: &str = "recipe: greeting\ndescription: Say hello\nprompt: |\n  Greet. {{input}}\n  {{context}}\n";

async fn with_recipe() -> Bench {
    let bench = Bench::with_notes().await;
    bench.call("RecipePut", json!({ "workbench_id": "deck", "definition": RECIPE })).await;
    bench
}

#[tokio::test]
async fn recipes_and_packs_are_listed_and_filled_in() {
    let bench = with_recipe().await;
    let client = client(&bench, bound()).await;
    let listed = client.service.list_all_prompts().await.unwrap();
    let names: Vec<&str> = listed.iter().map(|prompt| prompt.name.as_str()).collect();
    let mut sorted = names.clone();
    sorted.sort_unstable();
    assert_eq!(names, sorted);
    assert!(names.contains(&"recipe-greeting") && names.contains(&"pack-direct"), "{names:?}");
    let greeting = listed.iter().find(|prompt| prompt.name == "recipe-greeting").unwrap();
    assert_eq!(greeting.description.as_deref(), Some("Say hello"));
    let filled = get(&client, "recipe-greeting", json!({ "input": "Ada is here." })).await.unwrap();
    let text = filled["messages"][0]["content"]["text"].as_str().unwrap();
    assert!(text.contains("Greet. Ada is here."), "{text}");
    assert_eq!(filled["messages"][0]["role"], "user");
    let pack = get(&client, "pack-direct", json!({ "message": "Sum up notes.txt" })).await.unwrap();
    let messages = pack["messages"].as_array().unwrap();
    assert!(messages.len() >= 2, "{pack}");
    assert!(messages.last().unwrap()["content"]["text"].as_str().unwrap().contains("Sum up notes.txt"), "{pack}");
}

#[tokio::test]
async fn what_is_wrong_with_a_call_is_said() {
    let bench = with_recipe().await;
    let client = client(&bench, bound()).await;
    for (name, arguments, expected) in [
        ("recipe-greting", json!({}), "-32602"),
        ("recipe-greeting", json!({ "inputs": "x" }), "no argument `inputs`"),
        ("recipe-greeting", json!({ "input": 1 }), "must be a text"),
        ("recipe-greeting", json!({ "max_tokens": "many" }), "whole number"),
        ("recipe-greeting", json!({ "workbench": "other" }), "WORKBENCH_NOT_FOUND"),
        ("pack-direct", json!({}), "`message` is missing"),
        ("pack-nothing", json!({ "message": "x" }), "there is no prompt pack `nothing`"),
        ("nothing", json!({}), "there is no prompt `nothing`"),
    ] {
        let error = get(&client, name, arguments).await.unwrap_err();
        assert!(error.contains(expected) && error.contains("-32602"), "{name}: {error}");
    }
    let page = PaginatedRequestParams::default().with_cursor(Some("nonsense".to_owned()));
    assert!(client.service.list_prompts(Some(page)).await.unwrap_err().to_string().contains("-32602"));
}

#[tokio::test]
async fn without_a_bound_workbench_a_prompt_says_which_it_means() {
    let bench = with_recipe().await;
    let client = client(&bench, McpOptions::new(Env::system())).await;
    let listed = client.service.list_all_prompts().await.unwrap();
    let greeting = listed.iter().find(|prompt| prompt.name == "recipe-greeting").unwrap();
    let needed = greeting.arguments.as_ref().unwrap().iter().find(|one| one.name == "workbench").unwrap();
    assert_eq!(needed.required, Some(true));
    assert!(get(&client, "recipe-greeting", json!({})).await.unwrap_err().contains("`workbench` is missing"));
    assert!(get(&client, "recipe-greeting", json!({ "workbench": "deck" })).await.is_ok());
}

#[tokio::test]
async fn arguments_are_completed() {
    let bench = with_recipe().await;
    bench.call("ArtifactCreate", json!({ "workbench_id": "deck", "title": "Concept" })).await;
    let client = client(&bench, bound()).await;
    let complete = async |prompt: &str, name: &str, typed: &str| {
        let request = CompleteRequestParams::new(Reference::for_prompt(prompt), ArgumentInfo::new(name, typed));
        client.service.complete(request).await.unwrap().completion.values
    };
    assert_eq!(complete("pack-direct", "workbench", "d").await, ["deck"]);
    assert_eq!(complete("pack-direct", "message", "Look at @con").await, ["Look at @concept"]);
    assert_eq!(complete("recipe-greeting", "input", "@concept#wh").await, ["@concept#what-is-it"]);
    assert_eq!(complete("pack-direct", "message", "no address").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_client_hears_when_the_list_changes_and_not_otherwise() {
    let bench = Bench::with_notes().await;
    let client = client(&bench, bound()).await;
    let filter = SubscriptionFilter::builder().prompts_list_changed().build();
    let mut listening = client.service.listen(filter).await.unwrap();
    let first = format!("{:?}", listening.next().await.unwrap());
    assert!(first.contains("PromptListChanged"), "what changed before is told: {first}");
    bench.add("other.txt", b"no prompt\n").await;
    bench.call("RecipePut", json!({ "workbench_id": "deck", "definition": RECIPE })).await;
    let next = format!("{:?}", listening.next().await.unwrap());
    assert!(next.contains("PromptListChanged"), "{next}");
    let quiet = tokio::time::timeout(std::time::Duration::from_millis(200), listening.next()).await;
    assert!(quiet.is_err(), "a file is not a prompt: {quiet:?}");
}
