//! Who may do what: every operation, for every role, in the own workbench and in another one.

use jig_contract::{Effect, OPERATIONS, OpSpec};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::http_server::Server;

const ROLES: [&str; 3] = ["reader", "writer", "owner"];

/// What a role is worth, and what an operation needs: said here once more, apart from the code that decides it.
fn needed(op: &OpSpec) -> usize {
    let owners = ["ConsentGrant", "ConsentRevoke", "TokenCreate", "TokenList", "TokenRevoke"];
    match op.effect {
        _ if owners.contains(&op.name) => 2,
        Effect::Read => 0,
        Effect::Draft | Effect::Write => 1,
        Effect::Destructive => 2,
    }
}

/// Parameters that fit the operation's schema, and destroy nothing that later calls need.
fn example(op: &OpSpec) -> Value {
    let mut params: Value = serde_json::from_str(op.example).unwrap();
    if op.name == "WorkbenchDelete" {
        params["confirm"] = json!("another");
    }
    params
}

async fn two_workbenches() -> Server {
    let bench = Bench::new().await;
    for name in ["Board deck", "Elsewhere"] {
        bench.call("WorkbenchCreate", json!({ "name": name })).await;
    }
    Server::with(bench, |_| {}).await
}

#[tokio::test]
async fn each_operation_asks_for_its_role_and_its_workbench() {
    let server = two_workbenches().await;
    let mut tokens = Vec::new();
    for (worth, role) in ROLES.into_iter().enumerate() {
        for only in [None, Some("board-deck"), Some("elsewhere")] {
            tokens.push((worth, only, server.bench.token(role, only).await.1));
        }
    }
    for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
        let params = example(op);
        for (worth, only, token) in &tokens {
            let answer = server.op_as(token, op.name, &params).await;
            let code = if answer.status < 300 { String::new() } else { answer.problem().1 };
            let names_one = params.get("workbench_id").is_some();
            let expected = match only {
                Some(_) if op.name == "WorkbenchClone" => Some("NOT_PERMITTED"),
                Some("elsewhere") if names_one => Some("WORKBENCH_NOT_FOUND"),
                // The example's agent workspace is one that all workbenches share.
                Some(_) if op.name == "AgentWorkspaceCommit" => Some("NOT_PERMITTED"),
                Some(_) if !names_one && !["WorkbenchList", "ModelList"].contains(&op.name) => Some("NOT_PERMITTED"),
                _ if *worth < needed(op) => Some("NOT_PERMITTED"),
                _ => None,
            };
            let who = format!("{} for {only:?} calls {}: {}", ROLES[*worth], op.name, answer.text());
            match expected {
                Some(expected) => assert_eq!(code, expected, "{who}"),
                None => assert!(!["NOT_PERMITTED", "UNAUTHENTICATED"].contains(&code.as_str()), "{who}"),
            }
            if only.is_none() && code == "WORKBENCH_NOT_FOUND" {
                panic!("{who}");
            }
        }
    }
}

#[tokio::test]
async fn files_at_their_addresses_ask_for_the_role_of_their_operation() {
    let server = two_workbenches().await;
    for (method, needed) in [("PUT", 1), ("GET", 0), ("DELETE", 2)] {
        for (worth, role) in ROLES.into_iter().enumerate() {
            for only in [None, Some("board-deck"), Some("elsewhere")] {
                let (_, token) = server.bench.token(role, only).await;
                let request = server.request(method, "/api/workbenches/board-deck/files/a.txt").bearer_auth(&token);
                let answer = server.send(if method == "PUT" { request.body(role) } else { request }).await;
                let who = format!("{role} for {only:?} sends {method}: {}", answer.text());
                match (only, worth >= needed) {
                    (Some("elsewhere"), _) => {
                        assert_eq!(answer.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()), "{who}");
                    }
                    (_, false) => assert_eq!(answer.problem(), (403, "NOT_PERMITTED".to_owned()), "{who}"),
                    (_, true) => assert!(answer.status < 300 || answer.problem().1 == "FILE_NOT_FOUND", "{who}"),
                }
            }
        }
    }
    let nobody = server.send(server.request("PUT", "/api/workbenches/board-deck/files/a.txt").body("x")).await;
    assert_eq!(nobody.problem(), (401, "UNAUTHENTICATED".to_owned()));
}

#[tokio::test]
async fn a_token_for_one_workbench_learns_nothing_of_others() {
    let server = two_workbenches().await;
    let (_, token) = server.bench.token("owner", Some("board-deck")).await;
    let listed = server.op_as(&token, "WorkbenchList", &json!({})).await.json();
    let ids: Vec<&str> =
        listed["workbenches"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["board-deck"]);
    let mut answers = Vec::new();
    for id in ["elsewhere", "nowhere-x"] {
        let answer = server.op_as(&token, "WorkbenchGet", &json!({ "workbench_id": id })).await;
        assert_eq!(answer.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()));
        let mut problem = answer.json();
        problem["instance"] = Value::Null;
        answers.push(problem.to_string().replace(id, "[id]"));
        let by_route = server.request("GET", &format!("/api/workbenches/{id}/files/a.txt")).bearer_auth(&token);
        assert_eq!(server.send(by_route).await.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()));
        let events = server.request("GET", &format!("/api/workbenches/{id}/events")).bearer_auth(&token);
        assert_eq!(server.send(events).await.problem(), (404, "WORKBENCH_NOT_FOUND".to_owned()));
    }
    assert_eq!(answers[0], answers[1], "the answer must not tell whether there is one");
}

#[tokio::test]
async fn without_tokens_this_machine_is_the_owner_and_with_one_nobody_is() {
    let server = Server::start().await;
    assert_eq!(server.op("WorkbenchList", &json!({})).await.status, 200);
    let forwarded = server.request("GET", "/api/workbenches").header("x-forwarded-for", "192.0.2.1");
    assert_eq!(server.send(forwarded).await.problem(), (401, "UNAUTHENTICATED".to_owned()), "through a proxy");
    let made = server.done("TokenCreate", &json!({ "name": "Ada", "role": "writer" })).await;
    let (id, token) = (made["info"]["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    assert!(token.starts_with("jig_"), "{token}");
    let refused = server.get("/api/workbenches").await;
    assert_eq!(refused.problem(), (401, "UNAUTHENTICATED".to_owned()));
    assert_eq!(refused.header("www-authenticate"), "Bearer realm=\"jig\"");
    let with = |value: String| server.request("GET", "/api/workbenches").header("authorization", value);
    assert_eq!(server.send(with(format!("Bearer {token}"))).await.status, 200);
    assert_eq!(server.send(with(format!("bearer {token}"))).await.status, 200);
    for wrong in [format!("Bearer {token}x"), format!("Basic {token}"), token.to_owned(), "Bearer ".to_owned()] {
        assert_eq!(server.send(with(wrong.clone())).await.problem(), (401, "UNAUTHENTICATED".to_owned()), "{wrong}");
    }
    for query in [format!("token={token}"), format!("access_token={token}"), format!("authorization=Bearer%20{token}")]
    {
        let answer = server.get(&format!("/api/workbenches?{query}")).await;
        assert_eq!(answer.problem(), (401, "UNAUTHENTICATED".to_owned()), "never from the query");
    }
    let journal = json!({ "workbench_id": "deck", "name": "by Ada" });
    assert_eq!(server.op_as(token, "CheckpointCreate", &journal).await.status, 200);
    let log = server.op_as(token, "JournalList", &json!({ "workbench_id": "deck", "limit": 1 })).await.json();
    assert_eq!(log["entries"][0]["actor"], json!({ "type": "person", "name": "Ada" }));
    // Taken back, it is worth nothing at once; and whoever has begun with tokens goes on with them.
    server.bench.call("TokenRevoke", json!({ "token_id": id })).await;
    assert_eq!(server.send(with(format!("Bearer {token}"))).await.problem(), (401, "UNAUTHENTICATED".to_owned()));
    assert_eq!(server.get("/api/workbenches").await.problem(), (401, "UNAUTHENTICATED".to_owned()));
    for open in ["/sign-in", "/static/page.css", "/healthz", "/readyz", "/api/docs", "/api/openapi.json"] {
        assert_eq!(server.get(open).await.status, 200, "{open}");
    }
}

#[tokio::test]
async fn files_of_the_server_are_not_for_callers() {
    let server = Server::start().await;
    let secret = server.bench.home().join("jig.db");
    for (name, params) in [
        ("KindPut", json!({ "workbench_id": "deck", "source_path": secret })),
        ("RecipePut", json!({ "workbench_id": "deck", "source_path": secret })),
        ("EntryExtract", json!({ "workbench_id": "deck", "role": "brand", "source_path": secret })),
        ("AssetUpload", json!({ "workbench_id": "deck", "source_path": secret })),
    ] {
        assert_eq!(server.op(name, &params).await.problem(), (403, "NOT_PERMITTED".to_owned()), "{name}");
    }
    let by_route = json!({ "source_path": secret });
    let answer = server.body("POST", "/api/workbenches/deck/assets", &by_route).await;
    assert_eq!(answer.problem(), (403, "NOT_PERMITTED".to_owned()));
}
