//! A person's edits in the Draft survive regenerate, undo to a message, and resume; a rewind only drops confirmed ones.

use jig_contract::Code;
use jig_fake_model::{Habits, Reply};
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::ModelHome;
use crate::session_home::of_session;

/// A session whose agent has written `a.md` and `b.md` on its first message.
async fn written() -> (ModelHome, String, u64) {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.calls("a", "write_text_file", &json!({ "path": "a.md", "text": "agent\n" }))
        .calls("b", "write_text_file", &json!({ "path": "b.md", "text": "agent\n" }))
        .says("written");
    let done = home.direct(&session, "Write two files").await;
    let message = done["messages"][0]["seq"].as_u64().unwrap();
    (home, session, message)
}

async fn edit(home: &ModelHome, path: &str, text: &str) {
    home.home.ok("DraftWriteText", json!({ "workbench_id": ID, "path": path, "text": text })).await;
}

fn edited(detail: &Value) -> Vec<(&str, &str)> {
    let all = detail["edits"].as_array().unwrap().iter();
    all.map(|edit| (edit["path"].as_str().unwrap(), edit["actors"][0]["type"].as_str().unwrap_or("?"))).collect()
}

#[tokio::test]
async fn going_back_lists_what_it_would_drop_and_needs_each_file_by_name() {
    for operation in ["WorkshopUndoToMessage", "WorkshopRegenerate"] {
        let (home, session, message) = written().await;
        edit(&home, "a.md", "a person's words\n").await;
        edit(&home, "mine.md", "a person's file\n").await;
        // A manual edit of the folder.
        std::fs::write(home.home.view("draft/b.md"), "by hand\n").unwrap();
        let params = |confirm: Value| {
            let mut params = json!({ "confirm_drop": confirm });
            match operation {
                "WorkshopUndoToMessage" => params["message"] = message.into(),
                _ => params["options"] = json!({ "mode": "direct" }),
            }
            of_session(&session, params)
        };
        let before = home.home.texts("draft").await;
        let asked = home.server.requests().len();
        for confirm in [json!([]), json!(["a.md"]), json!(["a.md", "b.md"]), json!(["mine.md", "no-such.md"])] {
            let error = home.home.fails_with(Code::DraftEditsNotConfirmed, operation, params(confirm.clone())).await;
            let detail = error.info.detail.unwrap();
            let left = ["a.md", "b.md", "mine.md"]
                .into_iter()
                .filter(|path| !confirm.as_array().unwrap().contains(&json!(path)));
            assert_eq!(
                edited(&detail).iter().map(|(path, _)| *path).collect::<Vec<_>>(),
                left.collect::<Vec<_>>(),
                "{operation}"
            );
            assert!(!detail["edits"][0]["actors"].as_array().unwrap().is_empty(), "{detail}");
        }
        let kept = home.home.texts("draft").await;
        assert_eq!(
            (&kept["a.md"], &kept["b.md"], &kept["mine.md"]),
            (&"a person's words\n".to_owned(), &"by hand\n".to_owned(), &before["mine.md"])
        );
        assert_eq!(home.server.requests().len(), asked, "{operation}: no model was asked");
        let shown = home.on("SessionGet", &session, json!({})).await;
        assert_eq!(shown["messages"].as_array().unwrap().len(), 2, "{operation}: the conversation is as it was");

        home.says("again");
        home.home.ok(operation, params(json!(["a.md", "b.md", "mine.md"]))).await;
        assert_eq!(home.home.plain("DraftGetState").await["exists"], false, "{operation}");
        home.replays(&session).await;
    }
}

#[tokio::test]
async fn what_only_the_agent_wrote_is_dropped_without_a_question() {
    let (home, session, message) = written().await;
    // An edit that the person undid, and one from before the message.
    edit(&home, "mine.md", "x\n").await;
    home.home.plain("JournalUndo").await;
    home.on("WorkshopUndoToMessage", &session, json!({ "message": message })).await;
    assert_eq!(home.home.plain("DraftGetState").await["exists"], false);

    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    edit(&home, "mine.md", "before\n").await;
    home.calls("a", "write_text_file", &json!({ "path": "a.md", "text": "agent\n" })).says("written");
    home.direct(&session, "Write").await;
    home.says("nothing");
    home.on("WorkshopRegenerate", &session, json!({ "options": { "mode": "direct" } })).await;
    assert_eq!(
        home.home.texts("draft").await.into_keys().collect::<Vec<_>>(),
        ["mine.md"],
        "what was there before stays"
    );
}

#[tokio::test]
async fn another_agents_edits_and_those_over_the_agents_own_are_asked_about_too() {
    let (home, session, message) = written().await;
    let other = home.session(json!({})).await;
    home.calls("c", "write_text_file", &json!({ "path": "b.md", "text": "other agent\n" })).says("written");
    home.direct(&other, "Write b").await;
    let params = of_session(&session, json!({ "message": message }));
    let error = home.home.fails_with(Code::DraftEditsNotConfirmed, "WorkshopUndoToMessage", params).await;
    assert_eq!(edited(&error.info.detail.unwrap()).iter().map(|(path, _)| *path).collect::<Vec<_>>(), ["b.md"]);
    assert_eq!(home.home.texts("draft").await["b.md"], "other agent\n");
}

#[tokio::test]
async fn a_persons_edits_while_a_run_is_paused_survive_its_resume() {
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.calls("a", "write_text_file", &json!({ "path": "a.md", "text": "agent\n" }));
    let cut = Habits { cut_after: Some(2), ..Habits::default() };
    for _ in 0..2 {
        home.server.reply(Reply::text("this is cut off in the middle").with(cut));
    }
    let paused = home.direct(&session, "Write").await;
    assert_eq!(paused["session"]["status"], "suspended");
    edit(&home, "a.md", "a person's words\n").await;
    edit(&home, "mine.md", "mine\n").await;
    home.says("done");
    let done = home.on("WorkshopResume", &session, json!({})).await;
    assert_eq!(done["session"]["status"], "idle");
    let draft = home.home.texts("draft").await;
    assert_eq!((draft["a.md"].as_str(), draft["mine.md"].as_str()), ("a person's words\n", "mine\n"));
}
