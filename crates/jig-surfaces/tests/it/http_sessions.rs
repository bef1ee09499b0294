//! Agent workspaces and sessions as resources: a complete task over HTTP, including a permission question.

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::http_server::{Server, json as with_json};

const DECK: &str = "/api/workbenches/deck";

fn proposes() -> Value {
    let input = json!({ "role": "brand", "data": { "name": "Acme" } });
    json!({ "tool_calls": [{ "id": "a", "name": "entry_propose", "arguments": input }] })
}

#[tokio::test]
async fn a_task_is_given_asked_about_shown_and_replayed() {
    let answers =
        [proposes(), json!({ "text": "Proposed." }), json!({ "text": "Once more." }), json!({ "text": "Other." })];
    let server = Server::with(Bench::with_script(&answers).await, |_| {}).await;
    let made =
        server.body("POST", &format!("{DECK}/sessions"), &json!({ "model": "scripted:play", "mode": "direct" })).await;
    assert_eq!(made.status, 201, "{}", made.text());
    let place = made.header("location").to_owned();
    assert_eq!(place, format!("{DECK}/sessions/{}", made.json()["session"]["id"].as_str().unwrap()));
    let listed = server.get(&format!("{DECK}/sessions?limit=1")).await.json();
    assert_eq!(listed["sessions"][0]["id"], made.json()["session"]["id"]);

    let asked = server.body("POST", &format!("{place}/messages"), &json!({ "message": "Note the brand" })).await;
    assert_eq!(asked.status, 200, "{}", asked.text());
    let question = &asked.json()["questions"][0];
    assert_eq!(question["capability"], "context.write", "{}", asked.text());
    let number = question["question"].as_u64().unwrap();
    assert_eq!(server.get(&place).await.json()["questions"][0]["question"], number, "whoever looks sees it");
    let answer = |number: u64, body: Value| {
        let place = format!("{place}/questions/{number}");
        let server = &server;
        async move { server.body("POST", &place, &body).await }
    };
    assert_eq!(answer(999, json!({ "answer": "allow" })).await.problem(), (409, "CONFLICT".to_owned()));
    assert_eq!(answer(number, json!({ "answer": "perhaps" })).await.problem().0, 400);
    let done = answer(number, json!({ "answer": "allow", "reach": "run" })).await;
    assert_eq!(done.status, 200, "{}", done.text());
    let last = done.json()["messages"].as_array().unwrap().last().unwrap()["text"].clone();
    assert_eq!(last, "Proposed.", "{}", done.text());
    assert_eq!(answer(number, json!({ "answer": "allow" })).await.problem(), (409, "CONFLICT".to_owned()), "once");

    let step = server.get(&format!("{place}/steps/1")).await.json();
    assert_eq!((&step["step"], &step["phase"]), (&json!(1), &json!("direct")));
    assert!(step["request"].to_string().contains("Note the brand") && step["bill"]["total"].is_u64(), "{step:#}");
    assert_eq!(server.get(&format!("{place}/steps/9")).await.problem(), (400, "VALIDATION_FAILED".to_owned()));
    assert_eq!(server.get(&format!("{place}/steps/one")).await.problem(), (400, "INVALID_PARAMS".to_owned()));
    let again = server.body("POST", &format!("{place}/regenerate"), &json!({})).await;
    let last = again.json()["messages"].as_array().unwrap().last().unwrap()["text"].clone();
    assert_eq!(last, "Once more.", "{}", again.text());
    server.body("POST", &format!("{place}/messages"), &json!({ "message": "More" })).await;
    let first = again.json()["messages"][0]["seq"].as_u64().unwrap();
    let back = server.body("POST", &format!("{place}/messages/{first}/undo"), &json!({})).await;
    assert_eq!(back.json()["messages"].as_array().unwrap().len(), 1, "{}", back.text());
    assert_eq!(server.body("POST", &format!("{place}/cancel"), &json!({})).await.status, 400, "no run is under way");
    assert_eq!(server.body("POST", &format!("{place}/resume"), &json!({})).await.status, 200);
    let replayed = server.get(&format!("{place}/replay")).await.json();
    assert_eq!((&replayed["same"], &replayed["requests"]), (&json!(true), &json!(4)), "{replayed:#}");
}

#[tokio::test]
async fn workspaces_are_pushed_looked_at_and_adopted() {
    let server = Server::with(Bench::with_script(&[]).await, |_| {}).await;
    let spaces = format!("{DECK}/agent-workspaces");
    let tool = json!({ "name": "look", "description": "Look", "input_schema": { "type": "object" } }).to_string();
    let push = json!({ "files": [{ "path": "tools/look.json", "text": tool }], "message": "first" });
    let pushed = server.body("POST", &spaces, &push).await;
    assert_eq!((pushed.status, &pushed.json()["saved"]), (200, &json!(true)), "{}", pushed.text());
    let stale = json!({ "files": [{ "path": "tools/look.json", "text": "{}" }], "expected_head": "none" });
    assert_eq!(server.body("POST", &spaces, &stale).await.problem(), (409, "CONFLICT".to_owned()));
    let host = server.body("POST", &spaces, &json!({ "folder": "/etc" })).await;
    assert_eq!(host.problem(), (403, "NOT_PERMITTED".to_owned()), "folders of the server are not for callers");
    let names = server.get(&spaces).await.json();
    let names: Vec<&str> =
        names["workspaces"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["own", "jig"]);
    assert_eq!(server.get(&format!("{spaces}/resolve?reference=own")).await.status, 200);
    let read = server.get(&format!("{spaces}/read?reference=own/tools/look.json")).await.json();
    assert_eq!(read["file"]["text"], tool.as_str());
    assert_eq!(server.get(&format!("{spaces}/diff?from=own&to=jig")).await.status, 200);
    let history = server.get(&format!("{spaces}/own/history")).await.json();
    assert_eq!(history["versions"].as_array().unwrap().len(), 1, "{history:#}");
    let upgraded = server.body("POST", &format!("{spaces}/upgrade"), &json!({ "dry_run": true })).await;
    assert_eq!(upgraded.status, 200, "{}", upgraded.text());

    let made = server.body("POST", &format!("{DECK}/sessions"), &json!({ "workspace": "jig" })).await;
    let place = made.header("location").to_owned();
    let synced = server.body("POST", &format!("{place}/sync"), &json!({ "reference": "own" })).await;
    let snapshot = synced.json()["workspace"]["pending"]["snapshot"].clone();
    assert!(
        synced.json()["workspace"]["pending"]["warnings"].to_string().contains("tools/*.json"),
        "{}",
        synced.text()
    );
    let apply = json!({ "snapshot": snapshot, "mode": "immediate_if_idle" });
    let applied = server.body("POST", &format!("{place}/apply"), &apply).await;
    assert_eq!(applied.json()["workspace"]["active"]["snapshot"], snapshot, "{}", applied.text());
    assert_eq!(server.body("POST", &format!("{place}/apply"), &apply).await.problem(), (409, "CONFLICT".to_owned()));
}

#[tokio::test]
async fn roles_and_workbenches_hold_for_sessions_too() {
    let server = Server::with(Bench::with_script(&[json!({ "text": "Hello." })]).await, |_| {}).await;
    server.bench.call("WorkbenchCreate", json!({ "name": "Elsewhere" })).await;
    let made = server.bench.call("SessionCreate", json!({ "workbench_id": "deck", "model": "scripted:play" })).await;
    let place = format!("{DECK}/sessions/{}", made["session"]["id"].as_str().unwrap());
    let (_, reader) = server.bench.token("reader", Some("deck")).await;
    let (_, writer) = server.bench.token("writer", Some("deck")).await;
    let (_, stranger) = server.bench.token("owner", Some("elsewhere")).await;
    let get = async |token: &str, path: &str| server.send(server.request("GET", path).bearer_auth(token)).await;
    let post = async |token: &str, path: &str, body: Value| {
        server.send(with_json(server.request("POST", path).bearer_auth(token), &body)).await
    };
    assert_eq!(get(&reader, &place).await.status, 200);
    assert_eq!(get(&stranger, &place).await.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()));
    let message = json!({ "message": "Hi", "options": { "mode": "direct" } });
    let answer = json!({ "answer": "allow" });
    let nothing = || json!({});
    for (path, body) in [
        ("messages", message.clone()),
        ("sync", nothing()),
        ("regenerate", nothing()),
        ("resume", nothing()),
        ("cancel", nothing()),
        ("questions/4", answer),
    ] {
        let path = format!("{place}/{path}");
        assert_eq!(post(&reader, &path, body.clone()).await.problem(), (403, "NOT_PERMITTED".to_owned()), "{path}");
        assert_eq!(post(&stranger, &path, body).await.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()), "{path}");
    }
    // The session of one workbench does not exist in another.
    let moved = place.replace("/deck/", "/elsewhere/");
    assert_eq!(get(&stranger, &moved).await.problem(), (404, "SESSION_NOT_FOUND".to_owned()));
    let done = post(&writer, &format!("{place}/messages"), message).await;
    assert_eq!(done.status, 200, "{}", done.text());
    // Shared content is not accessible to a token for one workbench.
    let shared = json!({ "name": "house", "files": [{ "path": "a.md", "text": "x" }] });
    let refused = post(&writer, &format!("{DECK}/agent-workspaces"), shared).await;
    assert_eq!(refused.problem(), (403, "NOT_PERMITTED".to_owned()), "{}", refused.text());
}

#[tokio::test]
async fn runs_that_wait_for_a_model_keep_nobody_else_from_being_served() {
    // A model that accepts connections and never responds.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let bench = Bench::with_config(|config| {
        config.models.base_urls = [("own".to_owned(), url)].into();
    })
    .await;
    bench.call("WorkbenchCreate", json!({ "name": "Deck" })).await;
    let grant = json!({ "workbench_id": "deck", "model": "own:small", "reach": "all" });
    bench.call("ConsentGrant", grant).await;
    let server = Server::with(bench, |options| options.at_once = 1).await;
    let mut sessions = Vec::new();
    for _ in 0..3 {
        let params = json!({ "workbench_id": "deck", "model": "own:small", "mode": "direct" });
        let made = server.done("SessionCreate", &params).await;
        sessions.push(made["session"]["id"].as_str().unwrap().to_owned());
    }
    let send = |session: &str| json!({ "workbench_id": "deck", "session_id": session, "message": "go" });
    let (first, second, third) = (send(&sessions[0]), send(&sessions[1]), send(&sessions[2]));
    let work = async {
        tokio::join!(
            server.op("WorkshopSend", &first),
            server.op("WorkshopSend", &second),
            server.op("WorkshopSend", &third)
        )
    };
    let others = async {
        // Each run has reached its model.
        let mut open = Vec::new();
        for _ in 0..3 {
            open.push(silent.accept().await.unwrap());
        }
        assert_eq!(server.get(&format!("{DECK}/sessions")).await.status, 200, "reads are served");
        let kept = server.op("WorkbenchCreate", &json!({ "name": "Another" })).await;
        assert_eq!(kept.status, 200, "changes are served: {}", kept.text());
        for session in &sessions {
            let params = json!({ "workbench_id": "deck", "session_id": session });
            assert_eq!(server.op("WorkshopCancel", &params).await.status, 200, "and so is a cancel");
        }
        open
    };
    let (ended, _open) = tokio::join!(work, others);
    for answer in [ended.0, ended.1, ended.2] {
        assert_eq!(answer.json()["session"]["status"], "idle", "{}", answer.text());
    }
}
