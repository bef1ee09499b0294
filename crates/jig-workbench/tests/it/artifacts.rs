//! Artifacts through the operations of every interface: stages, sections, operations, suggestions, locks, history.

use jig_contract::{Actor, Code, Event};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

fn of(slug: &str) -> Value {
    json!({ "workbench_id": ID, "slug": slug })
}

fn with(mut params: Value, name: &str, value: impl Into<Value>) -> Value {
    params[name] = value.into();
    params
}

fn agent(name: &str) -> CallContext {
    CallContext::new(Actor::agent(name))
}

#[expect(clippy::needless_pass_by_value, reason = "tests write the value where they call")]
fn ops(ops: Value) -> Value {
    json!({ "workbench_id": ID, "ops": ops })
}

fn update(slug: &str, section: &str, content: &str) -> Value {
    json!({ "operation": "update_section", "artifact_slug": slug, "section_slug": section, "content": content })
}

fn done(slug: &str, section: &str) -> Value {
    json!({ "operation": "mark_section_done", "artifact_slug": slug, "section_slug": section, "is_done": true })
}

async fn with_artifacts(titles: &[&str]) -> TestHome {
    let home = TestHome::with_workbench().await;
    for title in titles {
        home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": title })).await;
    }
    home
}

fn slugs(artifact: &Value) -> Vec<&str> {
    artifact["sections"].as_array().unwrap().iter().map(|section| section["slug"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn a_title_is_enough_and_a_template_of_that_name_fills_it() {
    let home = TestHome::with_workbench().await;
    let made = home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept" })).await["artifact"].clone();
    assert_eq!(
        (&made["slug"], &made["name"], &made["stage"]),
        (&json!("concept"), &json!("concept.md"), &json!("discovery"))
    );
    assert_eq!(
        (&made["status"], &made["revision"], &made["template"]),
        (&json!("draft"), &json!(1), &json!("concept"))
    );
    assert_eq!(
        slugs(&made),
        ["what-is-it", "problem-being-solved", "core-features", "value-proposition", "success-looks-like", "non-goals"]
    );
    assert_eq!(made["sections"][0]["preview"], Value::Null);
    let plain =
        home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "My Notes!" })).await["artifact"].clone();
    assert_eq!((&plain["slug"], &plain["content"]), (&json!("my-notes"), &json!("# My Notes!\n")));
    let again = home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "My notes" })).await;
    assert_eq!(again["artifact"]["slug"], "my-notes-2");
    let stack = home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Stack" })).await;
    assert_eq!(stack["artifact"]["stage"], "design", "the template's stage");
    let bare = json!({ "workbench_id": ID, "title": "Scope", "template": "none", "stage": "design" });
    assert_eq!(home.ok("ArtifactCreate", bare).await["artifact"]["sections_total"], 0);
    // Each address has one meaning, so the slug gets a suffix.
    let brand = home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Brand" })).await;
    assert_eq!(brand["artifact"]["slug"], "brand-2");
    for slug in ["brand", "company-context", "concept"] {
        let params = json!({ "workbench_id": ID, "title": "X", "slug": slug });
        home.fails_with(Code::ArtifactExists, "ArtifactCreate", params).await;
    }
    let kind = json!({ "anchor_role": "concept", "display_name": "C", "category": "market", "field_schema": { "fields": [{ "key": "a", "type": "text", "label": "A" }] } });
    home.fails_with(Code::ArtifactExists, "KindPut", json!({ "workbench_id": ID, "definition": kind })).await;
    home.fails_with(Code::ValidationFailed, "ArtifactCreate", json!({ "workbench_id": ID, "title": " " })).await;
    home.fails_with(
        Code::StageNotFound,
        "ArtifactCreate",
        json!({ "workbench_id": ID, "title": "x", "stage": "nope" }),
    )
    .await;
    let error = home
        .fails_with(
            Code::ValidationFailed,
            "ArtifactCreate",
            json!({ "workbench_id": ID, "title": "x", "template": "concpt" }),
        )
        .await;
    assert_eq!(error.info.suggestions, ["concept"]);
}

#[tokio::test]
async fn the_project_is_counted_as_in_the_seed() {
    let home = with_artifacts(&["Concept", "Research", "Validation", "Scope"]).await;
    let concept = home.ok("ArtifactGet", of("concept")).await["artifact"].clone();
    let research = home.ok("ArtifactGet", of("research")).await["artifact"].clone();
    let marks: Vec<Value> = slugs(&concept)
        .iter()
        .map(|slug| done("concept", slug))
        .chain(slugs(&research)[..3].iter().map(|slug| done("research", slug)))
        .collect();
    home.ok("ArtifactApplyOps", ops(json!(marks))).await;
    home.ok("ArtifactFinalize", of("concept")).await;
    home.ok("ArtifactFinalize", of("validation")).await;
    let described =
        home.ok("ProjectDescribe", json!({ "workbench_id": ID, "description": " A planning layer " })).await;
    let project = home.plain("ProjectGet").await["project"].clone();
    assert_eq!(described["project"], project);
    assert_eq!(
        (&project["id"], &project["name"], &project["current_stage"]),
        (&json!(ID), &json!("Test"), &json!("discovery"))
    );
    assert_eq!(project["description"], "A planning layer");
    assert_eq!(
        project["stages"]["discovery"],
        json!({ "artifacts_total": 4, "artifacts_finalized": 2, "sections_complete": 9, "sections_total": 17, "progress_pct": 52.9 })
    );
    let names: Vec<&String> = project["stages"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["discovery", "design", "environment", "workflow", "implementation"]);
    assert!(project["created_at"].is_string() && project["updated_at"].is_string());
    let set = home.ok("StageSet", json!({ "workbench_id": ID, "stage": "Design" })).await;
    assert_eq!(set["project"]["current_stage"], "design");
    home.fails_with(Code::StageNotFound, "StageSet", json!({ "workbench_id": ID, "stage": "x" })).await;
    let notes = home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Notes" })).await;
    assert_eq!(notes["artifact"]["stage"], "design", "the present one");
    let list = home.ok("ArtifactList", json!({ "workbench_id": ID, "stage": "discovery", "limit": 3 })).await;
    let listed: Vec<&str> =
        list["artifacts"].as_array().unwrap().iter().map(|one| one["slug"].as_str().unwrap()).collect();
    assert_eq!(
        (listed, &list["total"], &list["has_more"]),
        (vec!["concept", "research", "validation"], &json!(4), &json!(true))
    );
    let rest = json!({ "workbench_id": ID, "stage": "discovery", "cursor": list["cursor"] });
    assert_eq!(home.ok("ArtifactList", rest).await["artifacts"][0]["slug"], "scope");
    let locked = home.ok("ArtifactList", json!({ "workbench_id": ID, "status": "finalized" })).await;
    assert_eq!(locked["total"], 2);
}

#[tokio::test]
async fn own_stages_and_templates_are_data() {
    let home = TestHome::with_workbench().await;
    let stage = json!({ "stage": "launch", "title": "Launch", "artifacts": [{ "slug": "press", "title": "Press", "content": "# Press\n\n## Quotes\n" }] });
    let put = home.ok("StagePut", json!({ "workbench_id": ID, "definition": stage })).await;
    assert_eq!((&put["saved"], &put["stage"]["shipped"]), (&json!(true), &json!(false)));
    assert_eq!(home.ok("StagePut", json!({ "workbench_id": ID, "definition": stage })).await["saved"], false);
    let made = home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Press" })).await["artifact"].clone();
    assert_eq!((&made["stage"], slugs(&made)), (&json!("launch"), vec!["quotes"]));
    home.fails_with(Code::StageInUse, "StageDelete", json!({ "workbench_id": ID, "stage": "launch" })).await;
    home.ok("ArtifactPut", json!({ "workbench_id": ID, "slug": "press", "stage": "design" })).await;
    home.ok("StageSet", json!({ "workbench_id": ID, "stage": "launch" })).await;
    let gone = home.ok("StageDelete", json!({ "workbench_id": ID, "stage": "launch" })).await;
    assert_eq!(gone["shipped_again"], false);
    assert_eq!(home.plain("ProjectGet").await["project"]["current_stage"], "discovery", "one that is gone is none");
    let own = json!({ "stage": "design", "title": "Our design", "order": 9 });
    home.ok("StagePut", json!({ "workbench_id": ID, "definition": own })).await;
    let stages = home.plain("StageList").await["stages"].clone();
    assert_eq!(stages.as_array().unwrap().last().unwrap()["title"], "Our design");
    assert_eq!(home.ok("StageDelete", json!({ "workbench_id": ID, "stage": "design" })).await["shipped_again"], true);
    home.fails_with(Code::ValidationFailed, "StageDelete", json!({ "workbench_id": ID, "stage": "design" })).await;
    let error = home
        .fails_with(Code::ValidationFailed, "StagePut", json!({ "workbench_id": ID, "definition": { "stage": "x" } }))
        .await;
    assert_eq!(error.info.detail.as_ref().unwrap()["fields"][0]["field"], "title");
    let full = home.ok("StageList", json!({ "workbench_id": ID, "include_content": true })).await;
    assert!(full["stages"][0]["artifacts"][0]["content"].as_str().unwrap().contains("## What Is It?"));
}

#[tokio::test]
async fn operations_span_artifacts_and_happen_all_or_none() {
    let home = with_artifacts(&["Concept", "Research"]).await;
    let before = home.plain("JournalList").await["total"].as_u64().unwrap();
    let both = ops(json!([
        update("concept", "what-is-it", "One."),
        { "operation": "create_section", "artifact_slug": "research.md", "title": "Pricing", "content": "Two.", "after_section": "competitive-analysis", "order": 3 },
        { "operation": "suggest_edit", "artifact_slug": "research", "section_slug": "competitive-analysis", "suggestion": "Add comparison of pricing models", "rationale": "User asked about pricing validation" },
    ]));
    let output = home.workbench.call("ArtifactApplyOps", agent("claude"), both).await.unwrap();
    assert_eq!(output["journal_seq"], before + 1, "one change");
    let entry = home.plain("JournalList").await["entries"][0].clone();
    assert_eq!((&entry["state_before"], &entry["operation"]), (&output["snapshot"], &json!("ArtifactApplyOps")));
    let applied: Vec<(&str, &str)> = output["applied"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (one["operation"].as_str().unwrap(), one["section_slug"].as_str().unwrap()))
        .collect();
    assert_eq!(
        applied,
        [("update_section", "what-is-it"), ("create_section", "pricing"), ("suggest_edit", "competitive-analysis")]
    );
    assert_eq!(output["artifacts"][1]["suggestions"], 1);
    // The last operation fails, so none is applied.
    let broken = ops(json!([update("concept", "what-is-it", "Lost."), update("research", "nope", "x")]));
    let error = home.fails_with(Code::SectionNotFound, "ArtifactApplyOps", broken).await;
    assert_eq!(error.info.message, "operation 2: Section 'nope' not found in artifact 'research'");
    let concept = home.ok("ArtifactGet", with(of("concept"), "sections", json!(["what-is-it"]))).await;
    assert_eq!(concept["artifact"]["sections"][0]["content"], "One.");
    assert_eq!(concept["artifact"]["sections"][0]["by"]["name"], "claude");
    home.fails_with(Code::ArtifactNotFound, "ArtifactApplyOps", ops(json!([update("concpt", "a", "b")]))).await;
    home.fails_with(Code::ValidationFailed, "ArtifactApplyOps", ops(json!([]))).await;
    let base = with(
        ops(json!([update("concept", "what-is-it", "x"), update("research", "pricing", "y")])),
        "base_revision",
        1,
    );
    home.fails_with(Code::ValidationFailed, "ArtifactApplyOps", base).await;
    home.plain("JournalUndo").await;
    assert_eq!(slugs(&home.ok("ArtifactGet", of("research")).await["artifact"]).len(), 4, "undo takes both back");
    home.plain("JournalRedo").await;
    assert_eq!(slugs(&home.ok("ArtifactGet", of("research")).await["artifact"]).len(), 5);
}

#[tokio::test]
async fn of_two_agents_on_one_section_one_wins_and_the_other_gets_the_newer_text() {
    let home = with_artifacts(&["Concept"]).await;
    let write = |who: &'static str, section: &'static str| {
        let params = with(ops(json!([update("concept", section, &format!("by {who}"))])), "base_revision", 1);
        home.workbench.call("ArtifactApplyOps", agent(who), params)
    };
    let (one, two) = tokio::join!(write("one", "what-is-it"), write("two", "what-is-it"));
    let (winner, error) = match (one, two) {
        (Ok(_), Err(error)) => ("one", error),
        (Err(error), Ok(_)) => ("two", error),
        both => panic!("{both:?}"),
    };
    assert_eq!(error.code(), Code::Conflict);
    let detail = error.info.detail.as_ref().unwrap();
    assert_eq!((&detail["content"], &detail["section"]), (&json!(format!("by {winner}")), &json!("what-is-it")));
    assert_eq!(detail["newer"]["by"]["name"], winner);
    // Writes to different sections from the same base do not conflict, and none is lost.
    let (three, four) = tokio::join!(write("three", "core-features"), write("four", "non-goals"));
    three.unwrap();
    four.unwrap();
    let content = home.ok("ArtifactGet", of("concept")).await["artifact"]["content"].clone();
    for who in [winner, "three", "four"] {
        assert!(content.as_str().unwrap().contains(&format!("by {who}")), "{content}");
    }
    assert_eq!(home.ok("ArtifactGet", of("concept")).await["artifact"]["revision"], 4);
}

#[tokio::test]
async fn what_is_finalized_is_changed_by_nobody_but_people_who_say_so() {
    let home = with_artifacts(&["Concept"]).await;
    home.ok("ArtifactFinalize", of("concept")).await;
    let write = ops(json!([update("concept", "what-is-it", "x")]));
    let error = home.workbench.call("ArtifactApplyOps", agent("a"), write.clone()).await.unwrap_err();
    assert_eq!(
        (error.code(), error.info.message.as_str()),
        (Code::ArtifactFinalized, "Cannot modify finalized artifact 'concept'")
    );
    assert_eq!(error.info.actions, ["Ask user to un-finalize or create snapshot"]);
    let forced = with(write.clone(), "override", true);
    let error = home.workbench.call("ArtifactApplyOps", agent("a"), forced.clone()).await.unwrap_err();
    assert_eq!(error.code(), Code::NotPermitted);
    for name in ["ArtifactFinalize", "ArtifactUnfinalize", "ArtifactDelete", "ArtifactRestore", "ArtifactPut"] {
        let refused = home.workbench.call(name, agent("a"), of("concept")).await.unwrap_err();
        assert_eq!(refused.code(), Code::NotPermitted, "{name}");
    }
    home.fails_with(Code::ArtifactFinalized, "ArtifactPut", with(of("concept"), "content", "x")).await;
    home.fails_with(Code::ArtifactFinalized, "ArtifactDelete", of("concept")).await;
    home.ok("ArtifactSnapshot", with(of("concept"), "name", "as agreed")).await;
    home.ok("ArtifactApplyOps", forced).await;
    let history = home.ok("ArtifactHistory", of("concept")).await["revisions"].clone();
    assert!(history[0]["reason"].as_str().unwrap().starts_with("changed although finalized"), "{history}");
    assert!(home.plain("JournalList").await["entries"][0]["summary"].as_str().unwrap().contains("although finalized"));
    home.ok("ArtifactUnfinalize", of("concept")).await;
    home.workbench.call("ArtifactApplyOps", agent("a"), write).await.unwrap();
}

#[tokio::test]
async fn suggestions_wait_show_their_diff_and_are_decided_by_people() {
    let home = with_artifacts(&["Research"]).await;
    home.ok("ArtifactApplyOps", ops(json!([update("research", "differentiation", "- fast\n- cheap")]))).await;
    let suggest = json!([{ "operation": "suggest_edit", "artifact_slug": "research", "section_slug": "differentiation", "suggestion": "Say good", "content": "- fast\n- good" }]);
    let made = home.workbench.call("ArtifactApplyOps", agent("claude"), ops(suggest.clone())).await.unwrap();
    let id = made["applied"][0]["suggestion_id"].clone();
    assert_eq!(made["suggestions"][0]["id"], id);
    let list = home
        .ok(
            "SuggestionList",
            json!({ "workbench_id": ID, "artifact_slug": "research", "section_slug": "differentiation" }),
        )
        .await;
    let found = &list["suggestions"][0];
    assert_eq!(
        found["diff"],
        json!([{ "tag": "context", "text": "- fast" }, { "tag": "removed", "text": "- cheap" }, { "tag": "added", "text": "- good" }])
    );
    assert_eq!(
        (&found["conflict"], &found["created_by"]["name"], &found["base_revision"]),
        (&json!(false), &json!("claude"), &json!(2))
    );
    let accept = json!({ "workbench_id": ID, "suggestion_id": id });
    let refused = home.workbench.call("SuggestionAccept", agent("claude"), accept.clone()).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotPermitted);
    // The base has changed: the suggestion is marked as conflicting and cannot be accepted.
    home.ok("ArtifactApplyOps", ops(json!([update("research", "differentiation", "- other")]))).await;
    assert_eq!(home.plain("SuggestionList").await["suggestions"][0]["conflict"], true);
    let error = home.fails_with(Code::Conflict, "SuggestionAccept", accept.clone()).await;
    assert_eq!(error.info.detail.as_ref().unwrap()["content"], "- other");
    let taken = home.ok("SuggestionAccept", with(accept.clone(), "base_revision", 3)).await;
    assert_eq!(
        (&taken["changed"], &taken["suggestion"]["state"], &taken["artifact"]["revision"]),
        (&json!(true), &json!("accepted"), &json!(4))
    );
    home.fails_with(Code::Conflict, "SuggestionAccept", accept).await;
    assert_eq!(home.plain("SuggestionList").await["suggestions"], json!([]));
    let again = home.workbench.call("ArtifactApplyOps", agent("claude"), ops(suggest)).await.unwrap();
    let reject = json!({ "workbench_id": ID, "suggestion_id": again["applied"][0]["suggestion_id"], "reason": "no" });
    assert_eq!(home.ok("SuggestionReject", reject).await["suggestion"]["decision_reason"], "no");
    let all = home.ok("SuggestionList", json!({ "workbench_id": ID, "state": "rejected" })).await;
    assert_eq!(all["suggestions"].as_array().unwrap().len(), 1);
    home.fails_with(
        Code::SuggestionNotFound,
        "SuggestionReject",
        json!({ "workbench_id": ID, "suggestion_id": "0190b6c2-7d3e-7000-8000-000000000001" }),
    )
    .await;
    home.fails_with(Code::ValidationFailed, "SuggestionList", json!({ "workbench_id": ID, "section_slug": "x" })).await;
}

#[tokio::test]
async fn the_whole_can_be_edited_restored_named_and_deleted() {
    let home = with_artifacts(&["Concept"]).await;
    home.ok("ArtifactApplyOps", ops(json!([done("concept", "core-features")]))).await;
    home.ok("ArtifactSnapshot", with(of("concept"), "name", "first")).await;
    let text = "# The idea\n\n## Features\n\n- a\n\n## What Is It?\n\nx\n";
    let put = home.ok("ArtifactPut", with(with(of("concept"), "content", text), "base_revision", 2)).await["artifact"]
        .clone();
    assert_eq!((&put["title"], &put["content"], &put["revision"]), (&json!("The idea"), &json!(text), &json!(3)));
    assert_eq!(put["sections"][1]["id"], 1);
    let error = home
        .fails_with(Code::Conflict, "ArtifactPut", with(with(of("concept"), "content", "y"), "base_revision", 2))
        .await;
    assert_eq!(error.info.detail.as_ref().unwrap()["content"], text);
    home.fails_with(Code::Conflict, "ArtifactPut", with(with(of("concept"), "content", "y"), "base_revision", 0)).await;
    let old = home.ok("ArtifactGet", with(of("concept"), "revision", 2)).await["artifact"].clone();
    assert_eq!((&old["sections_complete"], &old["newest_revision"]), (&json!(1), &json!(3)));
    assert_eq!(home.ok("ArtifactGet", with(of("concept"), "seen_revision", 1)).await["artifact"]["newest_revision"], 3);
    let back = home.ok("ArtifactRestore", with(of("concept"), "snapshot", "first")).await["artifact"].clone();
    assert_eq!(
        (&back["content"], &back["sections_complete"], &back["revision"]),
        (&old["content"].clone(), &json!(1), &json!(4))
    );
    home.fails_with(Code::RevisionNotFound, "ArtifactRestore", with(of("concept"), "snapshot", "second")).await;
    home.fails_with(Code::RevisionNotFound, "ArtifactRestore", with(of("concept"), "revision", 99)).await;
    home.fails_with(Code::ValidationFailed, "ArtifactRestore", of("concept")).await;
    let history = home.ok("ArtifactHistory", with(of("concept"), "limit", 3)).await;
    let numbers: Vec<u64> =
        history["revisions"].as_array().unwrap().iter().map(|one| one["revision"].as_u64().unwrap()).collect();
    assert_eq!((numbers, &history["cursor"]), (vec![4, 3, 2], &json!("2")));
    assert_eq!(history["revisions"][2]["snapshots"], json!(["first"]));
    assert_eq!(history["revisions"][2]["changes"], json!([{ "section": "core-features", "change": "done" }]));
    let rest = home.ok("ArtifactHistory", with(of("concept"), "cursor", "2")).await;
    assert_eq!((rest["revisions"].as_array().unwrap().len(), &rest["has_more"]), (1, &json!(false)));
    let made = home.ok("ArtifactPut", with(with(of("fresh"), "content", "# Fresh\n"), "base_revision", 0)).await;
    assert_eq!((&made["artifact"]["slug"], &made["artifact"]["title"]), (&json!("fresh"), &json!("Fresh")));
    let gone = home.ok("ArtifactDelete", with(of("concept"), "base_revision", 4)).await;
    assert_eq!(gone, json!({ "slug": "concept", "revision": 4 }));
    let error = home.fails_with(Code::ArtifactNotFound, "ArtifactGet", of("concept")).await;
    assert_eq!(error.info.suggestions, ["fresh"]);
    home.plain("JournalUndo").await;
    assert_eq!(home.ok("ArtifactGet", of("concept")).await["artifact"]["revision"], 4);
    let error = home
        .fails_with(Code::SectionNotFound, "ArtifactGet", with(of("concept"), "sections", json!(["core-featrues"])))
        .await;
    assert_eq!(error.info.suggestions[0], "core-features");
}

#[tokio::test]
async fn events_tell_of_artifacts_live_and_replayed_alike() {
    let home = TestHome::with_workbench().await;
    let mut live = home.workbench.events();
    home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept" })).await;
    home.ok("ArtifactApplyOps", ops(json!([update("concept", "what-is-it", "x")]))).await;
    home.ok("ArtifactFinalize", of("concept")).await;
    home.ok("ArtifactUnfinalize", of("concept")).await;
    home.ok("ArtifactDelete", of("concept")).await;
    let mut told = Vec::new();
    while let Ok(record) = live.try_recv() {
        if let Event::ArtifactChanged { slug, action } = record.event {
            assert_eq!(slug, "concept");
            told.push(json!(action));
        }
    }
    assert_eq!(told, ["added", "updated", "finalized", "unfinalized", "deleted"]);
    let replayed = home.plain("EventList").await["events"].clone();
    let again: Vec<Value> = replayed
        .as_array()
        .unwrap()
        .iter()
        .map(|record| &record["event"])
        .filter(|event| event["type"] == "artifact_changed")
        .map(|event| event["action"].clone())
        .collect();
    assert_eq!(again, told);
}

#[tokio::test]
async fn artifacts_go_where_the_workbench_goes_and_the_doctor_finds_nothing() {
    let home = with_artifacts(&["Concept"]).await;
    home.ok(
        "ArtifactApplyOps",
        ops(json!([update("concept", "what-is-it", "x"),
        { "operation": "suggest_edit", "artifact_slug": "concept", "section_slug": "non-goals", "suggestion": "s" }])),
    )
    .await;
    home.ok("WorkbenchClone", json!({ "workbench_id": ID, "name": "Copy", "id": "copy" })).await;
    let file = home.path().join("test.jig").display().to_string();
    home.ok("WorkbenchExport", json!({ "workbench_id": ID, "to": file })).await;
    home.ok("WorkbenchImport", json!({ "from": file, "id": "back" })).await;
    for id in ["copy", "back"] {
        let old = home.ok("ArtifactGet", json!({ "workbench_id": id, "slug": "concept", "revision": 1 })).await;
        assert_eq!(old["artifact"]["newest_revision"], 2, "{id}");
        assert_eq!(
            home.ok("SuggestionList", json!({ "workbench_id": id })).await["suggestions"].as_array().unwrap().len(),
            1
        );
        let said = home.ok("ConversationList", json!({ "workbench_id": id, "artifact": "concept" })).await;
        assert_eq!(said["messages"].as_array().unwrap().len(), 3, "{id}");
    }
    let doctor = home.ok("StoreDoctor", json!({})).await;
    assert_eq!(doctor["ok"], true, "{doctor}");
    home.ok("StoreCollect", json!({})).await;
    assert_eq!(home.ok("ArtifactHistory", of("concept")).await["revisions"].as_array().unwrap().len(), 2);
    home.fails_with(Code::WorkbenchNotFound, "ArtifactList", json!({ "workbench_id": "nobody" })).await;
}
