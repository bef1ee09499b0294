//! Targeting and agent contexts through the operations of every interface.

use jig_contract::{Actor, Code};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

async fn with_artifacts() -> TestHome {
    let home = TestHome::with_workbench().await;
    for title in ["Concept", "Research", "Validation"] {
        home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": title })).await;
    }
    home
}

async fn target(home: &TestHome, text: &str, current: Option<&str>) -> Value {
    let mut params = json!({ "workbench_id": ID, "text": text });
    if let Some(current) = current {
        params["current_artifact"] = current.into();
    }
    home.ok("TargetResolve", params).await
}

async fn apply(home: &TestHome, actor: Actor, op: Value) {
    let params = json!({ "workbench_id": ID, "ops": [op] });
    home.workbench.call("ArtifactApplyOps", CallContext::new(actor), params).await.unwrap();
}

fn update(slug: &str, section: &str, content: &str) -> Value {
    json!({ "operation": "update_section", "artifact_slug": slug, "section_slug": section, "content": content })
}

#[tokio::test]
async fn the_context_schemas_examples_hold_in_a_workbench_made_from_templates() {
    let home = with_artifacts().await;
    let found = target(&home, "Update the problem statement", Some("concept.md")).await;
    assert_eq!(found["outcome"], "found");
    let place = &found["target"];
    assert_eq!((&place["artifact"], &place["section"]), (&json!("concept"), &json!("problem-being-solved")));
    assert_eq!(
        (&found["how"]["artifact"], &found["rest"]),
        (&json!("current"), &json!("Update the problem statement"))
    );
    let found = target(&home, "Fix the competitive analysis in research.md", None).await;
    assert_eq!(found["target"]["address"], "@research#competitive-analysis");
    assert_eq!((&found["how"]["artifact"], &found["how"]["score"]), (&json!("explicit"), &json!(1.0)));
    let asked = target(&home, "Update the problem section", Some("concept")).await;
    assert_eq!(asked["outcome"], "did_you_mean");
    assert_eq!(asked["question"], "Did you mean 'Problem Being Solved' in concept.md?");
    for slug in ["concept", "research"] {
        let op = json!({ "operation": "create_section", "artifact_slug": slug, "title": "Overview", "content": "" });
        apply(&home, Actor::person(), op).await;
    }
    let asked = target(&home, "Update the overview", None).await;
    assert_eq!(asked["outcome"], "ambiguous");
    assert_eq!(asked["question"], "I found 'Overview' in concept.md and research.md. Which would you like to update?");
    assert_eq!(asked["choices"].as_array().map(Vec::len), Some(2));
    let missing = target(&home, "@concept#xyz fix", None).await;
    assert_eq!((&missing["outcome"], &missing["error"]), (&json!("not_found"), &json!("SECTION_NOT_FOUND")));
    assert_eq!(missing["message"], "Section 'xyz' not found in artifact 'concept'");
    assert_eq!(target(&home, "@nothing fix", None).await["error"], "ARTIFACT_NOT_FOUND");
}

#[tokio::test]
async fn entries_renamed_sections_and_slash_commands_are_known_and_what_is_gone_is_not() {
    let home = with_artifacts().await;
    let put = |role: &str, key: Option<&str>, data: Value| {
        let mut params = json!({ "workbench_id": ID, "role": role, "data": data });
        if let Some(key) = key {
            params["entry_key"] = key.into();
        }
        params
    };
    home.ok("EntryPut", put("brand", None, json!({ "name": "Acme Ropes", "voice": "Plain" }))).await;
    home.ok("EntryPut", put("competitor", Some("globex"), json!({ "name": "Globex" }))).await;
    assert_eq!(target(&home, "@brand#voice warmer", None).await["target"]["address"], "@brand#voice");
    assert_eq!(target(&home, "Update the brand voice", None).await["target"]["address"], "@brand#voice");
    let field = target(&home, "@competitor:globex#strengths add price", None).await;
    assert_eq!((&field["target"]["class"], &field["target"]["section"]), (&json!("entry"), &json!("strengths")));
    let rename = json!({ "operation": "rename_section", "artifact_slug": "concept", "section_slug": "non-goals", "title": "Out of Bounds" });
    apply(&home, Actor::person(), rename).await;
    assert_eq!(target(&home, "@concept#non-goals fix", None).await["target"]["section"], "out-of-bounds");
    let params = json!({ "workbench_id": ID, "text": "/research prices", "commands": ["research"] });
    let command = home.ok("TargetResolve", params).await;
    assert_eq!((&command["outcome"], &command["command"]), (&json!("command"), &json!("research")));
    home.ok("ArtifactDelete", json!({ "workbench_id": ID, "slug": "research" })).await;
    let gone = target(&home, "Fix the competitive analysis", None).await;
    assert_eq!(gone["outcome"], "not_found", "{gone}");
    home.ok("EntryArchive", json!({ "workbench_id": ID, "role": "brand" })).await;
    assert_eq!(target(&home, "@brand#voice warmer", None).await["outcome"], "not_found");
    let long = json!({ "workbench_id": ID, "text": "x".repeat(300_000) });
    home.fails_with(Code::LimitExceeded, "TargetResolve", long).await;
    let nowhere = json!({ "workbench_id": ID, "text": "x", "current_artifact": "nowhere" });
    home.fails_with(Code::ArtifactNotFound, "TargetResolve", nowhere).await;
}

async fn view(home: &TestHome, level: &str, message: Option<&str>) -> Value {
    let mut params = json!({ "workbench_id": ID, "artifact": "concept", "level": level });
    if let Some(message) = message {
        params["message"] = message.into();
    }
    home.ok("AgentContextBuild", params).await
}

#[tokio::test]
async fn a_view_has_its_level_its_counts_and_nothing_private() {
    let home = with_artifacts().await;
    apply(&home, Actor::person(), update("concept", "what-is-it", "A DELETED-TEXT layer.")).await;
    apply(&home, Actor::person(), update("concept", "what-is-it", "A planning layer.")).await;
    let say = |text: &str, artifact: Option<&str>, private: bool| json!({ "workbench_id": ID, "text": text, "artifact": artifact, "private": private });
    let jess = || CallContext::new(Actor::Person { name: Some("jess".into()) });
    for params in [
        say("PRIVATE-NOTE", Some("concept"), true),
        say("Of research.", Some("research"), false),
        say("Of all.", None, false),
    ] {
        home.workbench.call("ConversationAdd", jess(), params).await.unwrap();
    }
    let full = view(&home, "full", None).await;
    let context = &full["context"];
    assert_eq!(context["project"]["stages"]["discovery"]["artifacts_total"], 3);
    assert_eq!(context["currentArtifact"]["sections_total"], 6);
    assert_eq!(context["currentArtifact"]["sections"][0]["preview"], "A planning layer.");
    assert_eq!(context["currentArtifact"]["sections"][1]["preview"], Value::Null);
    let related: Vec<&Value> = context["relatedArtifacts"].as_array().unwrap().iter().map(|one| &one["slug"]).collect();
    assert_eq!(related, ["research", "validation"]);
    let said = context["chatHistory"].to_string();
    assert!(said.contains("Of all.") && !said.contains("Of research."), "{said}");
    for level in ["auto", "minimal", "standard", "full"] {
        for message in [None, Some("Compare concept and research"), Some("@concept#what-is-it fix")] {
            let shown = view(&home, level, message).await;
            for secret in ["PRIVATE-NOTE", "DELETED-TEXT", "jess", "blake3", "meta/"] {
                assert!(!shown.to_string().contains(secret), "{secret} in {shown}");
            }
        }
    }
    let auto = view(&home, "auto", Some("Update the problem statement")).await;
    assert_eq!(auto["context"]["systemState"]["level"], "standard");
    let budgets = full["context"]["systemState"]["budgets"].as_array().unwrap();
    assert_eq!(budgets.iter().map(|budget| budget["limit"].as_u64().unwrap()).sum::<u64>(), 200_000);
    assert!(budgets.iter().all(|budget| budget["used"].as_u64() <= budget["limit"].as_u64()));
}

#[tokio::test]
async fn a_view_is_refreshed_by_what_changed_or_as_a_whole() {
    let home = with_artifacts().await;
    let version = view(&home, "standard", None).await["context_version"].clone();
    let since = |version: &Value| json!({ "workbench_id": ID, "since": version });
    let same = home.ok("AgentContextRefresh", since(&version)).await;
    assert_eq!((&same["changed"], &same["changes"]), (&json!(false), &json!({})));
    let done = json!({ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "core-features", "is_done": true });
    apply(&home, Actor::person(), done).await;
    apply(&home, Actor::person(), update("concept", "what-is-it", "A planning layer.")).await;
    let changed = home.ok("AgentContextRefresh", since(&version)).await;
    let changes = &changed["changes"];
    assert_eq!(changes["done"], json!([{ "slug": "core-features", "is_done": true }]));
    assert_eq!(changes["sections"][0]["section"]["preview"], "A planning layer.");
    assert_eq!((&changes["sections_complete"], &changes["stage"]["sections_complete"]), (&json!(1), &json!(1)));
    assert_eq!(changes["messages"].as_array().map(Vec::len), Some(2));
    assert_eq!(changed["context"], Value::Null);
    apply(&home, Actor::agent("a"), update("concept", "value-proposition", "Speed.")).await;
    let whole = home.ok("AgentContextRefresh", since(&changed["context_version"])).await;
    assert_eq!((&whole["reason"], whole["context"].is_object()), (&json!("agent_updated"), true));
    let version = &whole["context_version"];
    let mut other = since(version);
    other["artifact"] = "research".into();
    assert_eq!(home.ok("AgentContextRefresh", other).await["reason"], "artifact_switched");
    let mut asked = since(version);
    asked["full"] = true.into();
    assert_eq!(home.ok("AgentContextRefresh", asked).await["reason"], "asked");
    home.ok("StageSet", json!({ "workbench_id": ID, "stage": "design" })).await;
    assert_eq!(home.ok("AgentContextRefresh", since(version)).await["reason"], "stage_switched");
    home.fails_with(Code::ValidationFailed, "AgentContextRefresh", since(&json!("nonsense"))).await;
}

#[tokio::test]
async fn a_view_that_is_no_longer_true_is_told() {
    let home = with_artifacts().await;
    let version = view(&home, "minimal", None).await["context_version"].as_str().unwrap().to_owned();
    let check = |version: &str| json!({ "workbench_id": ID, "context_version": version });
    let fresh = home.ok("AgentContextCheck", check(&version)).await;
    assert_eq!((&fresh["stale"], &fresh["warnings"]), (&json!(false), &Value::Null));
    let reasons = |output: &Value| {
        let all = output["warnings"].as_array().cloned().unwrap_or_default();
        all.iter().map(|warning| warning["reason"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let built: i64 = version.rsplit(':').next().unwrap().parse().unwrap();
    let old = version.replace(&built.to_string(), &(built - 301_000).to_string());
    let mut active = check(&old);
    active["active"] = true.into();
    assert_eq!(reasons(&home.ok("AgentContextCheck", active).await), ["age"]);
    let section = json!({ "operation": "create_section", "artifact_slug": "concept", "title": "Risks", "content": "" });
    apply(&home, Actor::person(), section).await;
    let stale = home.ok("AgentContextCheck", check(&version)).await;
    assert_eq!(
        (reasons(&stale), &stale["action"]),
        (vec!["section_count".to_owned(), "person_changed".to_owned()], &json!("refresh"))
    );
    home.ok("ArtifactDelete", json!({ "workbench_id": ID, "slug": "concept" })).await;
    home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept" })).await;
    assert_eq!(
        reasons(&home.ok("AgentContextCheck", check(&version)).await),
        ["moved"],
        "another artifact of that name"
    );
    let whole = home.ok("AgentContextRefresh", json!({ "workbench_id": ID, "since": version })).await;
    assert_eq!(whole["reason"], "unknown");
}

#[tokio::test]
async fn what_does_not_fit_is_an_error_or_a_summary_that_says_so() {
    let home = with_artifacts().await;
    apply(&home, Actor::person(), update("concept", "what-is-it", &"context kit ".repeat(9_000))).await;
    let params =
        json!({ "workbench_id": ID, "artifact": "concept", "level": "standard", "message": "@concept#what-is-it fix" });
    let error = home.fails_with(Code::ContextTooLarge, "AgentContextBuild", params).await;
    assert_eq!(error.info.message, "Artifact content exceeds token limit");
    assert_eq!(error.info.detail.as_ref().unwrap()["sizes"][0]["section"], "@concept#what-is-it");
    assert!(error.info.suggestions.contains(&"@concept#non-goals".to_owned()), "{:?}", error.info.suggestions);
    let full = view(&home, "full", None).await;
    let state = &full["context"]["systemState"];
    assert_eq!((&state["summarized"], &state["left_out"][0]["what"]), (&json!(true), &json!("the text of concept.md")));
    let empty = TestHome::with_workbench().await;
    empty.fails_with(Code::ArtifactNotFound, "AgentContextBuild", json!({ "workbench_id": ID })).await;
}

#[test]
fn the_budgets_are_those_of_prompts() {
    use jig_context::agent_context::{Budgets, Component};
    let (view, prompt) = (Budgets::of(200_000), jig_prompt::Budgets::default());
    let same = |of: Component, share: jig_prompt::Share| assert_eq!(view.limit(of), share.of(200_000), "{of:?}");
    same(Component::SystemPrompt, prompt.instructions);
    same(Component::Project, prompt.project);
    same(Component::CurrentArtifact, prompt.current_artifact);
    same(Component::RelatedArtifacts, prompt.related_artifacts);
    same(Component::ChatHistory, prompt.history);
    same(Component::Response, prompt.response);
}

#[tokio::test]
async fn the_revision_of_a_view_is_a_base_and_another_agents_rewrite_makes_the_view_old() {
    let home = TestHome::with_workbench().await;
    let agent = |name: &str| jig_workbench::CallContext::new(jig_contract::Actor::agent(name));
    let content = "# Plan\n\n## One\n\na\n\n## Two\n\nb\n";
    home.ok("ArtifactPut", json!({ "workbench_id": ID, "slug": "plan", "content": content })).await;
    let build = json!({ "workbench_id": ID, "artifact": "plan", "message": "Update @plan#one" });
    for level in ["minimal", "standard", "full"] {
        let mut params = build.clone();
        params["level"] = level.into();
        let view = home.ok("AgentContextBuild", params).await;
        assert_eq!(view["context"]["currentArtifact"]["revision"], 1, "{view:#}");
        assert!(view["text"].as_str().unwrap().contains("revision=\"1\""), "the model sees it too: {}", view["text"]);
    }
    let view = home.ok("AgentContextBuild", build).await;
    let (base, version) = (view["context"]["currentArtifact"]["revision"].clone(), view["context_version"].clone());
    let write = |section: &str, text: &str, base: &Value| json!({ "workbench_id": ID, "base_revision": base, "ops": [{ "operation": "update_section", "artifact_slug": "plan", "section_slug": section, "content": text }] });
    let check = json!({ "workbench_id": ID, "context_version": version });
    let apply = async |name: &str, params: Value| home.workbench.call("ArtifactApplyOps", agent(name), params).await;
    let stale = async |name: &str| {
        home.workbench.call("AgentContextCheck", agent(name), check.clone()).await.unwrap()["warnings"].clone()
    };
    apply("first", write("one", "a2", &base)).await.unwrap();
    assert_eq!(stale("first").await, Value::Null, "its own change is not news to it");
    let warnings = stale("second").await;
    assert_eq!(warnings[0]["reason"], "agent_changed", "{warnings}");
    let refused = apply("second", write("one", "mine", &base)).await.unwrap_err();
    assert_eq!(refused.code(), Code::Conflict, "{refused}");
    apply("second", write("two", "b2", &base)).await.unwrap();
    assert_eq!(stale("first").await[0]["reason"], "agent_changed");
}
