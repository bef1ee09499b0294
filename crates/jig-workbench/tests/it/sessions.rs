//! Agent sessions over real HTTP: workspaces, runs, tools, replay.

use jig_contract::Code;
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};
use crate::session_home::{events, of_session, workspace};

const TOOLS: [&str; 3] = ["list_files", "read_file", "write_text_file"];

fn last_request(home: &ModelHome) -> String {
    home.server.requests().last().unwrap().json().to_string()
}

#[tokio::test]
async fn an_update_from_outside_is_adopted_by_sync_and_apply_and_the_session_replays() {
    let home = ModelHome::agreed().await;
    home.push("FIRST WORDS", &TOOLS).await;
    let session = home.session(json!({})).await;
    home.says("one").direct(&session, "go").await;
    assert!(last_request(&home).contains("FIRST WORDS"));

    home.push("SECOND WORDS", &TOOLS).await;
    home.says("two").direct(&session, "again").await;
    assert!(last_request(&home).contains("FIRST WORDS"), "nothing changes without sync and apply");

    let synced = home.on("SessionSync", &session, json!({})).await;
    assert_eq!(events(&synced), ["workspace_sync_requested", "workspace_snapshot_ready"]);
    home.says("three").direct(&session, "again").await;
    assert!(last_request(&home).contains("FIRST WORDS"), "nothing changes without apply");

    let snapshot = synced["workspace"]["pending"]["snapshot"].clone();
    home.on("SessionApply", &session, json!({ "snapshot": snapshot })).await;
    home.says("four").direct(&session, "again").await;
    assert!(last_request(&home).contains("SECOND WORDS"));

    let unchanged = home.on("SessionSync", &session, json!({})).await;
    assert_eq!(events(&unchanged), ["workspace_sync_requested", "workspace_sync_unchanged"]);
    let replayed = home.replays(&session).await;
    assert_eq!(replayed["requests"], 4);
}

#[tokio::test]
async fn a_wrong_workspace_is_refused_with_every_problem_and_the_old_one_stays() {
    let home = ModelHome::agreed().await;
    home.push("GOOD WORDS", &TOOLS).await;
    let session = home.session(json!({})).await;
    let made = home.push("{{nothing}} {{neither.this}}", &TOOLS).await;
    assert_eq!(made["problems"].as_array().unwrap().len(), 2, "{made:#}");
    let error = home.home.fails_with(Code::AgentWorkspaceInvalid, "SessionSync", of_session(&session, json!({}))).await;
    let problems = error.info.detail.unwrap()["problems"].clone();
    assert_eq!((&problems[0]["file"], problems.as_array().unwrap().len()), (&json!("prompts/templates/system.md"), 2));
    let synced = home.on("SessionGet", &session, json!({})).await;
    assert!(synced["workspace"]["pending"].is_null());
    home.says("ok").direct(&session, "go").await;
    assert!(last_request(&home).contains("GOOD WORDS"));
    home.replays(&session).await;
}

#[tokio::test]
async fn an_apply_names_its_snapshot_and_is_told_when_it_is_refused() {
    let home = ModelHome::agreed().await;
    home.push("ONE", &TOOLS).await;
    let session = home.session(json!({})).await;
    let mut snapshots = Vec::new();
    for words in ["TWO", "THREE"] {
        home.push(words, &TOOLS).await;
        let synced = home.on("SessionSync", &session, json!({})).await;
        snapshots.push(synced["workspace"]["pending"]["snapshot"].as_str().unwrap().to_owned());
    }
    let apply = |snapshot: &str| of_session(&session, json!({ "snapshot": snapshot }));
    let error = home.home.fails_with(Code::Conflict, "SessionApply", apply(&snapshots[0])).await;
    assert_eq!(error.info.detail.unwrap()["reason"], "superseded");
    let unknown = "0".repeat(64);
    let error = home.home.fails_with(Code::Conflict, "SessionApply", apply(&unknown)).await;
    assert_eq!(error.info.detail.unwrap()["reason"], "not_pending");
    home.home.ok("SessionApply", apply(&snapshots[1])).await;
    home.says("x").direct(&session, "go").await;
    assert!(last_request(&home).contains("THREE"));
    home.replays(&session).await;
}

#[tokio::test]
async fn a_task_is_researched_planned_and_done_in_the_draft() {
    let home = ModelHome::agreed().await;
    home.home.add("bank.csv", "day,amount\n1,10\n2,32\n").await;
    let session = home.session(json!({})).await;
    home.calls("a", "read_file", &json!({ "path": "bank.csv" }))
        .calls("b", "write_text_file", &json!({ "path": "no.txt", "text": "x" }))
        .says("The amounts are 10 and 32.")
        .says("- [ ] Write total.md with the sum 42")
        .calls("c", "write_text_file", &json!({ "path": "total.md", "text": "42\n" }))
        .says("Written.")
        .says("total.md holds the sum.");
    let done = home.on("WorkshopSend", &session, json!({ "message": "Add it up" })).await;
    let names = events(&done);
    assert_eq!(names.last().unwrap(), "run_ended", "{names:?}");
    let refused = done["events"].as_array().unwrap().iter().find(|record| record["event"]["type"] == "tool_refused");
    assert_eq!(refused.unwrap()["event"]["code"], "TOOL_NOT_VISIBLE", "research only reads");
    assert_eq!(home.home.texts("draft").await["total.md"], "42\n");
    assert!(!home.home.texts("draft").await.contains_key("no.txt"));
    assert_eq!(done["messages"][1]["text"], "total.md holds the sum.");
    let journal = home.home.ok("JournalList", json!({ "workbench_id": ID })).await;
    let write = journal["entries"].as_array().unwrap().iter().find(|entry| entry["operation"] == "DraftWriteText");
    assert_eq!(write.unwrap()["actor"]["session"], session.as_str());
    assert_eq!(write.unwrap()["actor"]["step"], 5);
    let replayed = home.replays(&session).await;
    assert_eq!(replayed["requests"], 7);

    let step = home.on("SessionShow", &session, json!({ "step": 5 })).await;
    assert_eq!(step["phase"], "implement");
    assert!(step["request"].to_string().contains("Write total.md with the sum 42"));
    assert_eq!(step["results"][0]["tool"], "write_text_file");
    assert!(step["bill"]["total"].as_u64().unwrap() > 100);
    assert_eq!(step["request_hash"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn a_write_in_research_is_refused_even_where_content_shows_it() {
    let home = ModelHome::agreed().await;
    home.push("WORDS", &TOOLS).await;
    let session = home.session(json!({})).await;
    home.calls("a", "write_text_file", &json!({ "path": "a.txt", "text": "x" })).says("no");
    let done = home.on("WorkshopSend", &session, json!({ "message": "go", "options": { "mode": "ask" } })).await;
    let all = done["events"].as_array().unwrap();
    let refused = all.iter().find(|record| record["event"]["type"] == "tool_refused").unwrap();
    assert_eq!(refused["event"]["code"], "TOOL_NOT_PERMITTED");
    assert_eq!(home.home.plain("DraftGetState").await["exists"], false, "nothing was written");
    home.replays(&session).await;
}

#[tokio::test]
async fn earlier_runs_reach_follow_ups_and_yes_twice_is_two_messages() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.says("Shall I?").direct(&session, "yes").await;
    home.says("Again?").direct(&session, "yes").await;
    home.says("Done.").direct(&session, "third").await;
    let sent = last_request(&home);
    assert!(sent.contains("Shall I?") && sent.contains("Again?"), "{sent}");
    let shown = home.on("SessionGet", &session, json!({})).await;
    let said: Vec<&str> = shown["messages"].as_array().unwrap().iter().map(|m| m["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["yes", "Shall I?", "yes", "Again?", "third", "Done."]);
    home.replays(&session).await;
}

#[tokio::test]
async fn refusals_and_wrong_inputs_are_results_that_the_model_sees() {
    let home = ModelHome::agreed().await;
    home.push("WORDS", &["read_file", "write_text_file", "nobody_knows"]).await;
    let session = home.session(json!({ "policy": [{ "capability": "files.write", "decision": "deny" }] })).await;
    home.calls("a", "list_files", &json!({}))
        .calls("b", "nobody_knows", &json!({}))
        .calls("c", "write_text_file", &json!({ "path": "a.txt", "text": "x" }))
        .calls("d", "read_file", &json!({ "path": 5 }))
        .calls("e", "read_file", &json!({ "path": "a.txt", "workbench_id": "other" }))
        .calls("f", "read_file", &json!({ "path": "../../etc/passwd" }))
        .says("I give up.");
    let done = home.direct(&session, "go").await;
    let all = done["events"].as_array().unwrap();
    let codes: Vec<&str> = all
        .iter()
        .filter_map(|record| record["event"]["code"].as_str().or_else(|| record["event"]["outcome"]["failed"].as_str()))
        .collect();
    let expected = [
        "TOOL_NOT_VISIBLE",
        "TOOL_NOT_BOUND",
        "TOOL_NOT_PERMITTED",
        "INVALID_PARAMS",
        "INVALID_PARAMS",
        "SANDBOX_VIOLATION",
    ];
    assert_eq!(codes[..6], expected);
    assert_eq!(codes[6..], ["TOOL_NOT_PERMITTED"], "no write was done, so the run has failed");
    let sent = last_request(&home);
    for code in expected {
        assert!(sent.contains(code), "{code}");
    }
    home.replays(&session).await;
}

#[tokio::test]
async fn a_person_is_asked_and_answers_through_a_door() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({ "policy": [{ "capability": "files.write", "decision": "ask" }] })).await;
    home.calls("a", "write_text_file", &json!({ "path": "a.txt", "text": "x" }));
    let asked = home.direct(&session, "go").await;
    assert_eq!(asked["session"]["status"], "waiting");
    let question = asked["questions"][0]["question"].clone();
    assert_eq!(asked["questions"][0]["capability"], "files.write");
    home.says("done");
    let done = home.on("SessionPermit", &session, json!({ "question": question, "answer": "allow" })).await;
    assert_eq!(done["session"]["status"], "idle");
    assert!(!events(&done).contains(&"effect_interrupted".to_owned()), "what was only just begun is not broken off");
    assert_eq!(home.home.texts("draft").await["a.txt"], "x");
    home.home
        .fails_with(
            Code::Conflict,
            "SessionPermit",
            of_session(&session, json!({ "question": question, "answer": "deny" })),
        )
        .await;
    home.replays(&session).await;
}

#[tokio::test]
async fn overrides_of_a_run_reach_the_model() {
    let home = ModelHome::agreed().await;
    let first = home.push("FIRST WORDS", &TOOLS).await;
    let version = first["version"]["version"].clone();
    home.push("SECOND WORDS", &["read_file"]).await;
    let session = home.session(json!({})).await;
    let send = |options: Value| json!({ "message": "go", "options": options });
    home.says("x").on("WorkshopSend", &session, send(json!({ "mode": "direct", "workspace_version": version }))).await;
    assert!(last_request(&home).contains("FIRST WORDS"));
    home.says("x").on("WorkshopSend", &session, send(json!({ "mode": "direct" }))).await;
    assert!(last_request(&home).contains("SECOND WORDS"), "for that run only");
    let refused = of_session(&session, send(json!({ "mode": "direct", "pack": "none" })));
    home.home.fails_with(Code::ValidationFailed, "WorkshopSend", refused).await;
    home.agree("own:small").await;
    home.says("x").on("WorkshopSend", &session, send(json!({ "mode": "ask", "model": "own:small" }))).await;
    assert!(last_request(&home).contains("\"small\""), "{}", last_request(&home));
    home.replays(&session).await;
}

#[tokio::test]
async fn a_cap_stops_a_run_and_it_goes_on_with_a_higher_one() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({ "max_tokens": 1 })).await;
    home.calls("a", "list_files", &json!({}));
    let stopped = home.direct(&session, "go").await;
    assert_eq!(stopped["session"]["status"], "suspended");
    assert_eq!(stopped["run"]["suspended"]["why"], "budget");
    home.home.fails_with(Code::BudgetCapReached, "WorkshopResume", of_session(&session, json!({}))).await;
    home.says("done");
    let done = home.on("WorkshopResume", &session, json!({ "max_tokens": 1_000_000 })).await;
    assert_eq!(done["session"]["status"], "idle");
    home.replays(&session).await;
}

#[tokio::test]
async fn a_model_that_fails_leaves_a_run_that_goes_on_later() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.server.reply(jig_fake_model::Reply::page());
    let stopped = home.direct(&session, "go").await;
    assert_eq!(stopped["run"]["suspended"]["why"], "model_failed", "{stopped:#}");
    home.says("done");
    let done = home.on("WorkshopResume", &session, json!({})).await;
    assert_eq!(done["messages"][1]["text"], "done");
    home.replays(&session).await;
}

#[tokio::test]
async fn going_back_to_a_message_brings_draft_and_conversation_back() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.calls("a", "write_text_file", &json!({ "path": "a.txt", "text": "one" }))
        .says("one")
        .direct(&session, "first")
        .await;
    home.calls("b", "write_text_file", &json!({ "path": "a.txt", "text": "two" }))
        .says("two")
        .direct(&session, "second")
        .await;
    let shown = home.on("SessionGet", &session, json!({})).await;
    let second = shown["messages"][2]["seq"].clone();
    home.says("other");
    let again = home.on("WorkshopRegenerate", &session, json!({ "options": { "mode": "direct" } })).await;
    assert_eq!(home.home.texts("draft").await["a.txt"], "one", "the second run was taken back");
    assert_eq!(again["messages"][3]["text"], "other");
    let back = home.on("WorkshopUndoToMessage", &session, json!({ "message": second })).await;
    assert_eq!(back["messages"].as_array().unwrap().len(), 3);
    home.home
        .fails_with(Code::ValidationFailed, "WorkshopUndoToMessage", of_session(&session, json!({ "message": 999 })))
        .await;
    home.replays(&session).await;
}

#[tokio::test]
async fn a_byte_changed_by_hand_in_the_log_is_found_at_its_step() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.calls("a", "list_files", &json!({})).says("done").direct(&session, "count the files").await;
    home.replays(&session).await;
    tamper(&home, "UPDATE session_events SET event = replace(event, 'count the files', 'count the filez')").await;
    let replayed = home.on("SessionReplay", &session, json!({})).await;
    assert_eq!(replayed["same"], false);
    assert_eq!(replayed["difference"]["step"], 1, "{replayed:#}");
    assert!(replayed["difference"]["diff"].as_str().unwrap().contains("count the filez"), "{replayed:#}");
    tamper(&home, "UPDATE session_events SET event = replace(event, 'count the filez', 'count the files')").await;
    home.replays(&session).await;
    // A result that the model never received.
    tamper(&home, "UPDATE session_events SET event = replace(event, '\"tools\":[', '\"tools\":[\"more\",')").await;
    let replayed = home.on("SessionReplay", &session, json!({})).await;
    assert_eq!(replayed["same"], false, "{replayed:#}");
}

pub(crate) async fn tamper(home: &ModelHome, sql: &'static str) {
    sqlx::any::install_default_drivers();
    let url = format!("sqlite:{}", home.home.home().join("jig.db").display());
    let pool = sqlx::AnyPool::connect(&url).await.unwrap();
    let off = "DROP TRIGGER IF EXISTS session_events_are_not_updated";
    sqlx::raw_sql(off).execute(&pool).await.unwrap();
    sqlx::raw_sql(sql).execute(&pool).await.unwrap();
    pool.close().await;
}

#[tokio::test]
async fn nothing_is_begun_before_somebody_agreed() {
    let home = ModelHome::new().await;
    let session = home.session(json!({})).await;
    let params = of_session(&session, json!({ "message": "go" }));
    home.home.fails_with(Code::EgressConsentRequired, "WorkshopSend", params).await;
    let shown = home.on("SessionGet", &session, json!({})).await;
    assert!(shown["run"].is_null() && shown["messages"].as_array().unwrap().is_empty());
    assert!(home.server.requests().is_empty());
}

#[tokio::test]
async fn shared_workspaces_have_versions_heads_and_differences() {
    let home = ModelHome::agreed().await;
    let commit = |system: &str, more: Value| {
        let mut params = json!({ "workbench_id": ID, "name": "house", "files": workspace(system, &TOOLS) });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    let first = home.home.ok("AgentWorkspaceCommit", commit("ONE", json!({ "expected_head": "none" }))).await;
    assert_eq!(first["version"]["reference"], "house@1");
    let root = first["version"]["root"].clone();
    let same = home.home.ok("AgentWorkspaceCommit", commit("ONE", json!({}))).await;
    assert_eq!((same["saved"].clone(), same["version"]["version"].clone()), (json!(false), json!(1)));
    let second = home.home.ok("AgentWorkspaceCommit", commit("TWO", json!({ "expected_head": root }))).await;
    assert_eq!(second["version"]["version"], 2);
    home.home
        .fails_with(Code::Conflict, "AgentWorkspaceCommit", commit("THREE", json!({ "expected_head": root })))
        .await;
    let diff =
        home.home.ok("AgentWorkspaceDiff", json!({ "workbench_id": ID, "from": "house@1", "to": "house" })).await;
    assert_eq!(diff["changes"].as_array().unwrap().len(), 1);
    assert!(diff["changes"][0]["diff"].as_str().unwrap().contains("+TWO"));
    let history = home.home.ok("AgentWorkspaceHistory", json!({ "workbench_id": ID, "name": "house" })).await;
    assert_eq!(history["versions"].as_array().unwrap().len(), 2);
    let read = json!({ "workbench_id": ID, "reference": "house@1/prompts/templates/system.md" });
    assert_eq!(home.home.ok("AgentWorkspaceRead", read).await["file"]["text"], "ONE");
    let pinned = home.session(json!({ "workspace": "house@1" })).await;
    home.says("x").direct(&pinned, "go").await;
    assert!(last_request(&home).contains("ONE"));
    for bad in ["house@9", "nobody", "own"] {
        let params = json!({ "workbench_id": ID, "reference": bad });
        home.home.fails_with(Code::AgentWorkspaceNotFound, "AgentWorkspaceResolve", params).await;
    }
    for path in ["../x", "/etc/passwd", "a/../../b", ""] {
        let files = json!([{ "path": path, "text": "x" }]);
        home.home.fails("AgentWorkspaceCommit", json!({ "workbench_id": ID, "name": "house", "files": files })).await;
    }
}

#[tokio::test]
async fn what_comes_with_jig_is_taken_over_without_touching_edits() {
    let home = ModelHome::agreed().await;
    let upgrade = json!({ "workbench_id": ID });
    let made = home.home.ok("AgentWorkspaceUpgrade", upgrade.clone()).await;
    assert_eq!(made["saved"], true);
    assert_eq!(made["problems"], json!([]));
    let edited = json!([{ "path": "prompts/templates/base.md", "text": "MY OWN BASE\n" }]);
    home.home.ok("AgentWorkspaceCommit", json!({ "workbench_id": ID, "files": edited })).await;
    let again = home.home.ok("AgentWorkspaceUpgrade", upgrade).await;
    assert_eq!(again["saved"], false, "nothing is new");
    let read = json!({ "workbench_id": ID, "reference": "own/prompts/templates/base.md" });
    assert_eq!(home.home.ok("AgentWorkspaceRead", read).await["file"]["text"], "MY OWN BASE\n");
    let history = home.home.ok("AgentWorkspaceHistory", json!({ "workbench_id": ID })).await;
    assert_eq!(history["versions"].as_array().unwrap().len(), 2);
}

#[tokio::test]
async fn blobs_of_sessions_are_kept_and_sessions_are_listed() {
    let home = ModelHome::with(|config| config.gc_grace_ms = 0).await;
    home.agree(MODEL).await;
    let session = home.session(json!({ "title": "Sums" })).await;
    home.says("x").direct(&session, "go").await;
    home.home.ok("StoreCollect", json!({})).await;
    home.replays(&session).await;
    let doctor = home.home.ok("StoreDoctor", json!({})).await;
    assert_eq!(doctor["ok"], true, "{doctor:#}");
    let list = home.home.plain("SessionList").await;
    assert_eq!(list["sessions"][0]["title"], "Sums");
    assert_eq!(list["sessions"][0]["status"], "idle");
    let other = "0190b6c2-7d3e-7000-8000-00000000ffff";
    home.home.fails_with(Code::SessionNotFound, "SessionGet", of_session(other, json!({}))).await;
}

/// Every artifact variable, in a custom pack.
const PLANS: &str = "{{project.name}}|{{project.current_stage}}|{{project.created_at}}|{{project.updated_at}}|{{currentArtifact.name}}|{{currentArtifact.slug}}|{{currentArtifact.stage}}|{{currentArtifact.status}}|{{currentArtifact.id}}|{{currentArtifact.updated_at}}|{{currentArtifact.sections_complete}}/{{currentArtifact.sections_total}}|{{targetSection}}|{{systemState.draft}}|{{#each currentArtifact.sections}}[{{order}} {{slug}} {{title}} {{is_done}} {{is_collapsed}} {{preview}}]{{/each}}|{{currentArtifact.content}}|{{#each relatedArtifacts}}({{name}}){{/each}}|{{#each chatHistory}}<{{role}}: {{content}}>{{/each}}|{{#each project.stages}}{{@key}} {{artifacts_total}}/{{artifacts_finalized}}/{{sections_complete}}/{{sections_total}}/{{progress_pct}};{{/each}}";

#[tokio::test]
async fn packs_speak_of_the_plans_and_the_session_replays() {
    let home = ModelHome::agreed().await;
    home.push(PLANS, &["list_files"]).await;
    let session = home.session(json!({})).await;
    home.says("Hello.");
    home.direct(&session, "Hi").await;
    assert!(last_request(&home).contains("|||||"), "without plans they say nothing: {}", last_request(&home));
    let content = "# Concept\n\n## What Is It?\n\nA layer.\n\n## Goals\n\nOne.\n";
    home.home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept", "content": content })).await;
    home.home
        .ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Research", "content": "## Overview\n\nFew.\n" }))
        .await;
    let done = json!([{ "operation": "mark_section_done", "artifact_slug": "concept", "section_slug": "goals", "is_done": true }]);
    home.home.ok("ArtifactApplyOps", json!({ "workbench_id": ID, "ops": done })).await;
    home.says("Done.");
    home.direct(&session, "Update the goals in concept.md").await;
    let sent = last_request(&home);
    for part in [
        "|discovery|20",
        "|concept.md|concept|discovery|draft|",
        "|1/2|goals|false|",
        "[1 what-is-it What Is It? false false A layer.][2 goals Goals true false One.]",
        "<user: Hi><assistant: Hello.>",
        "discovery 2/0/1/3/33.3;",
    ] {
        assert!(sent.contains(part), "{part}: {sent}");
    }
    home.says("The same.");
    home.direct(&session, "Compare concept and research").await;
    let sent = last_request(&home);
    assert!(sent.contains("(research.md)") && sent.contains("## What Is It?"), "{sent}");
    home.home.ok("ArtifactDelete", json!({ "workbench_id": ID, "slug": "research" })).await;
    assert_eq!(home.replays(&session).await["requests"], 3, "what was sent is made again from the states of then");
}
