//! The conversation: it records what was done, and private notes stay private.

use jig_contract::{Actor, Code, Event};
use jig_testkit::{ID, TestHome};
use jig_workbench::CallContext;
use serde_json::{Value, json};

fn person(name: &str) -> CallContext {
    CallContext::new(Actor::Person { name: Some(name.to_owned()) })
}

fn texts(list: &Value) -> Vec<&str> {
    list["messages"].as_array().unwrap().iter().map(|message| message["text"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn every_operation_on_artifacts_is_told_with_its_change() {
    let home = TestHome::with_workbench().await;
    home.ok("ArtifactCreate", json!({ "workbench_id": ID, "title": "Concept" })).await;
    let op = json!({ "operation": "update_section", "artifact_slug": "concept", "section_slug": "what-is-it", "content": "x", "reason": "Clarified" });
    let agent = CallContext::new(Actor::Agent {
        name: Some("claude".into()),
        session: Some("s1".into()),
        run: Some("r1".into()),
        step: None,
    });
    let done =
        home.workbench.call("ArtifactApplyOps", agent, json!({ "workbench_id": ID, "ops": [op] })).await.unwrap();
    home.ok("ArtifactFinalize", json!({ "workbench_id": ID, "slug": "concept" })).await;
    home.ok("StageSet", json!({ "workbench_id": ID, "stage": "design" })).await;
    let list = home.plain("ConversationList").await;
    assert_eq!(
        texts(&list),
        ["made @concept", "updated what-is-it (Clarified)", "finalized @concept", "went to the stage design"]
    );
    let told = &list["messages"][1];
    assert_eq!(
        (&told["role"], &told["operation"], &told["artifact"]),
        (&json!("tool"), &json!("update_section"), &json!("concept"))
    );
    assert_eq!(
        (&told["journal_seq"], &told["session"], &told["run"]),
        (&done["journal_seq"], &json!("s1"), &json!("r1"))
    );
    assert_eq!((&told["actor"]["name"], &told["seq"], &told["undone"]), (&json!("claude"), &json!(2), &json!(false)));
    let about = home.ok("ConversationList", json!({ "workbench_id": ID, "artifact": "concept.md", "limit": 2 })).await;
    assert_eq!(
        (texts(&about), &about["has_more"], &about["last_seq"]),
        (vec!["updated what-is-it (Clarified)", "finalized @concept"], &json!(true), &json!(4))
    );
    let older = json!({ "workbench_id": ID, "artifact": "concept", "cursor": about["cursor"] });
    assert_eq!(texts(&home.ok("ConversationList", older).await), ["made @concept"]);
    let newer = home.ok("ConversationList", json!({ "workbench_id": ID, "after": 2, "limit": 1 })).await;
    assert_eq!((texts(&newer), &newer["cursor"]), (vec!["finalized @concept"], &json!("3")));
    let next = json!({ "workbench_id": ID, "after": 2, "cursor": "3" });
    assert_eq!(texts(&home.ok("ConversationList", next).await), ["went to the stage design"]);
    home.fails_with(Code::ArtifactNotFound, "ConversationList", json!({ "workbench_id": ID, "artifact": "nope" }))
        .await;
    home.ok("ArtifactUnfinalize", json!({ "workbench_id": ID, "slug": "concept" })).await;
    home.ok("ArtifactDelete", json!({ "workbench_id": ID, "slug": "concept" })).await;
    let gone = home.ok("ConversationList", json!({ "workbench_id": ID, "artifact": "concept" })).await;
    assert_eq!(gone["messages"].as_array().unwrap().len(), 5, "what was said of it stays");
}

#[tokio::test]
async fn people_and_agents_talk_and_private_notes_are_seen_by_their_author_only() {
    let home = TestHome::with_workbench().await;
    let mut live = home.workbench.events();
    let say = async |who: CallContext, text: &str, private: bool| {
        home.workbench
            .call("ConversationAdd", who, json!({ "workbench_id": ID, "text": text, "private": private }))
            .await
    };
    let agent = || CallContext::new(Actor::agent("claude"));
    let made = say(person("ada"), "Hello", false).await.unwrap();
    assert_eq!((&made["message"]["role"], &made["message"]["private"]), (&json!("user"), &json!(false)));
    assert_eq!(say(agent(), "Hi", false).await.unwrap()["message"]["role"], "assistant");
    say(person("ada"), "I do not trust this", true).await.unwrap();
    assert_eq!(say(agent(), "secret", true).await.unwrap_err().code(), Code::NotPermitted);
    let seen = async |who: CallContext| {
        let list = home.workbench.call("ConversationList", who, json!({ "workbench_id": ID })).await.unwrap();
        texts(&list).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(seen(person("ada")).await, ["Hello", "Hi", "I do not trust this"]);
    for who in [person("bob"), agent(), CallContext::new(Actor::person()), CallContext::new(Actor::System)] {
        assert_eq!(seen(who).await, ["Hello", "Hi"]);
    }
    let mut told = 0;
    while let Ok(record) = live.try_recv() {
        told += u32::from(matches!(record.event, Event::ConversationAdded { .. }));
    }
    assert_eq!(told, 2, "nobody is told of a private note");
    home.fails_with(Code::ValidationFailed, "ConversationAdd", json!({ "workbench_id": ID, "text": " " })).await;
    home.fails_with(Code::LimitExceeded, "ConversationAdd", json!({ "workbench_id": ID, "text": "x".repeat(300_000) }))
        .await;
    home.fails_with(
        Code::ArtifactNotFound,
        "ConversationAdd",
        json!({ "workbench_id": ID, "text": "x", "artifact": "y" }),
    )
    .await;
    home.fails_with(Code::WorkbenchNotFound, "ConversationAdd", json!({ "workbench_id": "nobody", "text": "x" })).await;
}
