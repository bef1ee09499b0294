//! Rules of every run: loops end, receipts lead to the complete result, answers can be regenerated, context writes ask.

use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::ModelHome;
use crate::session_home::events;

fn outcomes(done: &Value) -> Vec<&Value> {
    let all = done["events"].as_array().unwrap().iter();
    all.filter(|record| record["event"]["type"] == "tool_finished").map(|record| &record["event"]["outcome"]).collect()
}

#[tokio::test]
async fn the_same_call_with_the_same_result_three_times_ends_the_item() {
    let home = ModelHome::agreed().await;
    home.home.add("a.txt", "one\n").await;
    let session = home.session(json!({})).await;
    home.says("found").says("- [ ] look around\n");
    for attempt in 0..2 {
        for turn in 0..3 {
            home.calls(&format!("c{attempt}{turn}"), "read_file", &json!({ "path": "a.txt" }));
        }
    }
    home.says("It could not be done.");
    let done = home.on("WorkshopSend", &session, json!({ "message": "Look" })).await;
    let failed: Vec<&Value> = done["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|record| &record["event"])
        .filter(|event| event["type"] == "item_failed")
        .collect();
    assert_eq!(failed.len(), 2);
    assert!(failed.iter().all(|event| event["code"] == "AGENT_LOOP_DETECTED"), "{failed:#?}");
    assert!(done["notes"]["plan"].as_str().unwrap().starts_with("- [!] look around (failed: "), "{:#}", done["notes"]);
    home.replays(&session).await;
}

#[tokio::test]
async fn a_receipt_has_content_and_leads_to_the_whole_result() {
    let home = ModelHome::agreed().await;
    let text: String = (0..4_000).map(|line| format!("line {line}\n")).collect();
    home.home.add("long.txt", &text).await;
    let session = home.session(json!({})).await;
    home.calls("a", "read_file", &json!({ "path": "long.txt", "line_count": 4_000 })).says("cut");
    let done = home.direct(&session, "Read it").await;
    let first = outcomes(&done)[0]["text"].as_str().unwrap().to_owned();
    assert!(first.len() <= 8 * 1_024 && first.contains("line 1\\n"), "{} bytes", first.len());
    let note = first.split("recall_tool_result with id \"").nth(1).unwrap();
    let id = note.split('"').next().unwrap();
    let offset: u64 = note.split("offset ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
    home.calls("b", "recall_tool_result", &json!({ "id": id, "offset": offset })).says("more");
    home.calls("c", "recall_tool_result", &json!({ "id": "000000000000" })).says("none");
    let done = home.direct(&session, "Go on").await;
    let more = outcomes(&done)[0]["text"].as_str().unwrap().to_owned();
    let (head, tail) = (first.split("\n[cut:").next().unwrap(), more.split("\n[cut:").next().unwrap());
    let numbers = |text: &str| text.matches("line ").count();
    assert!(numbers(tail) > 100 && !tail.is_empty() && head.len() as u64 == offset, "{offset}");
    let done = home.direct(&session, "And this?").await;
    assert_eq!(outcomes(&done)[0]["failed"], "VALIDATION_FAILED");
    home.replays(&session).await;
}

#[tokio::test]
async fn an_answer_is_made_again_from_the_same_message() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.calls("a", "write_text_file", &json!({ "path": "a.md", "text": "first\n" })).says("the first");
    home.direct(&session, "Write something").await;
    home.calls("b", "write_text_file", &json!({ "path": "b.md", "text": "second\n" })).says("the second");
    let again = home.on("WorkshopRegenerate", &session, json!({ "options": { "mode": "direct" } })).await;
    let said: Vec<&str> =
        again["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect();
    assert_eq!(said, ["Write something", "the second"]);
    let draft = home.home.texts("draft").await;
    assert_eq!(draft.keys().collect::<Vec<_>>(), ["b.md"], "what the first answer made is gone");
    assert!(events(&again).contains(&"rewound".to_owned()));
    home.replays(&session).await;
}

#[tokio::test]
async fn artifacts_are_changed_and_entries_proposed_only_where_a_person_lets_it() {
    let home = ModelHome::agreed().await;
    home.home
        .ok(
            "ArtifactCreate",
            json!({ "workbench_id": ID, "title": "Concept", "content": "# Concept\n\n## Goal\n\nOld.\n" }),
        )
        .await;
    let rules = json!([{ "capability": "artifacts.write", "decision": "ask" }, { "capability": "context.write", "decision": "allow" }]);
    let session = home.session(json!({ "policy": rules })).await;
    let ops = json!([{ "operation": "update_section", "artifact_slug": "concept", "section_slug": "goal", "content": "New." }]);
    home.calls("a", "artifact_operations", &json!({ "ops": ops }))
        .calls("b", "entry_propose", &json!({ "role": "brand", "data": { "name": "Acme" } }))
        .calls("c", "context_read", &json!({ "role": "brand" }))
        .says("done");
    let asked = home.direct(&session, "Change the goal").await;
    assert_eq!(asked["questions"][0]["capability"], "artifacts.write");
    let read = || home.home.ok("ArtifactGet", json!({ "workbench_id": ID, "slug": "concept" }));
    assert!(read().await.to_string().contains("Old."), "nothing happens before somebody said yes");
    let question = asked["questions"][0]["question"].clone();
    let done = home.on("SessionPermit", &session, json!({ "question": question, "answer": "allow" })).await;
    assert!(done["run"].is_null(), "{:#}", done["run"]);
    assert!(read().await.to_string().contains("New."));
    let proposals = home.home.ok("EntryListProposals", json!({ "workbench_id": ID })).await;
    assert_eq!(proposals["proposals"].as_array().unwrap().len(), 1);
    let entries = home.home.ok("EntryList", json!({ "workbench_id": ID })).await;
    assert!(!entries.to_string().contains("Acme"), "a proposal is not a write: {entries}");
    home.replays(&session).await;
}

#[tokio::test]
async fn without_a_model_it_says_which_ones_work_on_tasks() {
    let home = jig_testkit::TestHome::with_workbench().await;
    let made = home.ok("SessionCreate", json!({ "workbench_id": ID })).await;
    let params = json!({ "workbench_id": ID, "session_id": made["session"]["id"], "message": "Add it up" });
    let error = home.fails_with(jig_contract::Code::ProviderNotConfigured, "WorkshopSend", params).await;
    let hints = error.info.hints.join(" ");
    assert!(hints.contains("offline:demo") && !hints.contains("offline:extract"), "{hints}");
}

/// An undone step is not credited, and a redone step is.
#[tokio::test]
async fn review_names_the_steps_that_made_what_is_there_now() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.calls("a", "write_text_file", &json!({ "path": "b.txt", "text": "one" })).says("FIRST");
    home.direct(&session, "first").await;
    home.calls("b", "write_text_file", &json!({ "path": "b.txt", "text": "two" })).says("SECOND");
    home.direct(&session, "second").await;
    let seen = async || {
        let set = home.home.plain("ReviewGetChangeSet").await;
        let runs = set["changes"][0]["steps"].as_array().unwrap().iter().map(|step| step["run"].as_u64().unwrap());
        (runs.collect::<Vec<_>>(), set["summary"]["text"].as_str().unwrap_or_default().to_owned())
    };
    let both = seen().await;
    assert_eq!((both.0.len(), both.1.as_str()), (2, "SECOND"));
    let first = (both.0[..1].to_vec(), "FIRST".to_owned());
    home.home.plain("JournalUndo").await;
    assert_eq!(seen().await, first, "the second was taken back");
    home.home.plain("JournalRedo").await;
    assert_eq!(seen().await, both, "and made again");
    home.home.plain("JournalUndo").await;
    home.home.plain("JournalUndo").await;
    home.home.plain("JournalRedo").await;
    assert_eq!(seen().await, first, "the first alone was made again");
    home.home.plain("JournalRedo").await;
    let message = home.on("SessionGet", &session, json!({})).await["messages"][2]["seq"].clone();
    home.on("WorkshopUndoToMessage", &session, json!({ "message": message })).await;
    assert_eq!(seen().await, first, "back to before the second message");
}
