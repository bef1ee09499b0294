//! An agent can only publish if the owner permits asking, and with a person's confirmation.

use jig_surfaces::mcp::McpOptions;
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::mcp_client::{Client, Person, VERSIONS};

/// A server whose owner permits asking.
fn bound() -> McpOptions {
    McpOptions { ask_publish: true, ..crate::mcp_client::bound() }
}

async fn drafted(bench: &Bench) {
    bench.add("old.txt", b"old\n").await;
    let write = json!({ "workbench_id": "deck", "path": "notes.txt", "text": "new\n" });
    bench.call("DraftWriteText", write).await;
    bench.call("DraftRemoveFile", json!({ "workbench_id": "deck", "path": "old.txt" })).await;
}

async fn has_draft(bench: &Bench) -> bool {
    bench.call("DraftGetState", json!({ "workbench_id": "deck" })).await["exists"] == true
}

#[tokio::test]
async fn a_person_who_agrees_publishes_and_has_seen_the_deletions() {
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        drafted(&bench).await;
        let mut client = Client::new(bench.workbench.clone(), bound(), version, Person::Yes).await;
        let published = client.value("publish_draft", json!({})).await;
        assert_eq!((&published["modified"], &published["deleted"]), (&json!(["notes.txt"]), &json!(["old.txt"])));
        let question = client.heard.try_recv().unwrap();
        assert!(question.contains("“Deck”") && question.contains("0 added, 1 modified, 1 deleted"), "{question}");
        assert!(question.contains("Modified: notes.txt") && question.contains("old.txt"), "{question}");
        assert!(!has_draft(&bench).await);
    }
}

#[tokio::test]
async fn a_person_who_does_not_agree_keeps_the_draft() {
    for version in VERSIONS {
        for person in [Person::No, Person::Declines] {
            let bench = Bench::with_notes().await;
            drafted(&bench).await;
            let client = Client::new(bench.workbench.clone(), bound(), version.clone(), person).await;
            let (code, text) = client.failure("publish_draft", json!({})).await;
            assert_eq!(code, "NOT_PERMITTED");
            assert!(text.contains("jig publish"), "{text}");
            assert!(has_draft(&bench).await, "{person:?}");
        }
    }
}

#[tokio::test]
async fn where_nobody_can_be_asked_the_answer_says_how_a_person_publishes() {
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        drafted(&bench).await;
        let client = Client::new(bench.workbench.clone(), bound(), version, Person::CannotBeAsked).await;
        let (code, text) = client.failure("publish_draft", json!({})).await;
        assert_eq!(code, "NOT_PERMITTED");
        assert!(text.contains("jig review") && text.contains("jig publish"), "{text}");
        assert!(has_draft(&bench).await);
    }
}

#[tokio::test]
async fn without_the_setting_nobody_is_asked_and_the_reply_says_where_a_person_confirms() {
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        drafted(&bench).await;
        let mut client = Client::new(bench.workbench.clone(), crate::mcp_client::bound(), version, Person::Yes).await;
        for arguments in [json!({}), json!({ "confirm_deletions": ["old.txt"] })] {
            let (code, text) = client.failure("publish_draft", arguments).await;
            assert_eq!(code, "NOT_PERMITTED");
            assert!(text.contains("web app") && text.contains("jig publish"), "{text}");
        }
        assert!(client.heard.try_recv().is_err(), "nobody was asked");
        assert!(has_draft(&bench).await);
    }
}

#[tokio::test]
async fn without_a_draft_nobody_is_asked() {
    for version in VERSIONS {
        let bench = Bench::with_notes().await;
        let mut client = Client::new(bench.workbench.clone(), bound(), version, Person::Yes).await;
        assert_eq!(client.failure("publish_draft", json!({})).await.0, "DRAFT_NOT_FOUND");
        assert!(client.heard.try_recv().is_err());
    }
}

#[tokio::test]
async fn an_answer_counts_only_for_what_was_asked() {
    use rmcp::model::{CallToolRequestParams, CallToolResponse};
    let bench = Bench::with_notes().await;
    drafted(&bench).await;
    let client = Client::new(bench.workbench.clone(), bound(), VERSIONS[1].clone(), Person::Yes).await;
    let yes = json!({ "publish": { "action": "accept", "content": { "publish": true } } });
    let with = |state: Option<String>, arguments: Value| {
        let mut request = CallToolRequestParams::new("publish_draft");
        request.arguments = arguments.as_object().cloned();
        request.input_responses = serde_json::from_value(yes.clone()).ok();
        request.request_state = state;
        request
    };
    let code = |response: CallToolResponse| match response {
        CallToolResponse::Complete(result) => result.structured_content.unwrap()["error_code"].clone(),
        other => panic!("{other:?}"),
    };
    let ask = async || match client.service.call_tool_once(CallToolRequestParams::new("publish_draft")).await.unwrap() {
        CallToolResponse::InputRequired(question) => question.request_state,
        other => panic!("{other:?}"),
    };
    let once = async |request| client.service.call_tool_once(request).await.unwrap();

    let invented = once(with(Some("0190b6c2-7d3e-7000-8000-000000000001".to_owned()), json!({}))).await;
    assert_eq!(code(invented), "NOT_PERMITTED");
    let state = ask().await;
    let other_call = once(with(state.clone(), json!({ "on_conflict": "keep_draft" }))).await;
    assert_eq!(code(other_call), "CONFLICT");
    assert_eq!(code(once(with(state, json!({}))).await), "NOT_PERMITTED", "a question is answered once");
    let state = ask().await;
    bench.call("DraftWriteText", json!({ "workbench_id": "deck", "path": "more.txt", "text": "more" })).await;
    assert_eq!(code(once(with(state, json!({}))).await), "CONFLICT", "the Draft is not the one that was shown");
    assert!(has_draft(&bench).await);
}
