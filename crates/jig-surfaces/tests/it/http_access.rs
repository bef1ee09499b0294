//! Permissions of every operation for every role, in the caller's workbench and in another one.

use jig_contract::{Effect, OPERATIONS, OpSpec};
use jig_surfaces::http::{HttpOptions, HttpServer};
use serde_json::{Value, json};

use crate::bench::Bench;
use crate::http_server::Server;

const ROLES: [&str; 3] = ["reader", "writer", "owner"];

/// The role that an operation requires, stated independently of the code under test.
fn needed(op: &OpSpec) -> usize {
    let owners = ["ConsentGrant", "ConsentRevoke", "TokenCreate", "TokenList", "TokenRevoke"];
    match op.effect {
        _ if owners.contains(&op.name) => 2,
        Effect::Read => 0,
        Effect::Draft | Effect::Write => 1,
        Effect::Destructive => 2,
    }
}

/// Parameters that match the operation's schema and destroy nothing that later calls need.
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

/// Operations that an agent may call with any role: reads, Draft writes, and writes that become proposals.
fn is_for_agents(op: &OpSpec) -> bool {
    const TRIES: [&str; 8] = [
        "WorkbenchCreate",
        "CheckpointCreate",
        "EntryPut",
        "EntryMarkDone",
        "AssetUpload",
        "ArtifactCreate",
        "ArtifactApplyOps",
        "ConversationAdd",
    ];
    match op.effect {
        Effect::Read => true,
        // Rejecting is a review decision.
        Effect::Draft => op.name != "ReviewReject",
        Effect::Write | Effect::Destructive => TRIES.contains(&op.name),
    }
}

#[tokio::test]
async fn each_operation_asks_for_its_role_its_workbench_and_who_holds_the_token() {
    let server = two_workbenches().await;
    let mut tokens = Vec::new();
    for (worth, role) in ROLES.into_iter().enumerate() {
        for only in [None, Some("board-deck"), Some("elsewhere")] {
            for kind in ["person", "agent"] {
                tokens.push((worth, only, kind, server.bench.token_for(kind, role, only).await.1));
            }
        }
    }
    for op in OPERATIONS.iter().filter(|op| op.surfaces.http) {
        let params = example(op);
        let nobody = server.strange("POST", &format!("/api/op/{}", op.name));
        let nobody = server.send(crate::http_server::json(nobody, &params)).await;
        assert_eq!(nobody.problem(), (401, "UNAUTHENTICATED".to_owned()), "{}", op.name);
        for (worth, only, kind, token) in &tokens {
            let answer = server.op_as(token, op.name, &params).await;
            let code = if answer.status < 300 { String::new() } else { answer.problem().1 };
            let names_one = params.get("workbench_id").is_some();
            let expected = match only {
                Some(_) if op.name == "WorkbenchClone" => Some("NOT_PERMITTED"),
                Some("elsewhere") if names_one => Some("WORKBENCH_NOT_FOUND"),
                // The example commits to an agent workspace that all workbenches share.
                Some(_) if op.name == "AgentWorkspaceCommit" => Some("NOT_PERMITTED"),
                Some(_) if !names_one && !["WorkbenchList", "ModelList", "EditDescribe"].contains(&op.name) => {
                    Some("NOT_PERMITTED")
                }
                _ if *worth < needed(op) => Some("NOT_PERMITTED"),
                _ if *kind == "agent" && !is_for_agents(op) => Some("NOT_PERMITTED"),
                _ => None,
            };
            let who = format!("{kind} {} for {only:?} calls {}: {}", ROLES[*worth], op.name, answer.text());
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
    let nobody = server.send(server.strange("PUT", "/api/workbenches/board-deck/files/a.txt").body("x")).await;
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
async fn tokens_are_shown_in_one_header_and_worth_nothing_once_revoked() {
    let server = Server::start().await;
    server.done("TokenCreate", &json!({ "name": "Me", "role": "owner" })).await;
    let made = server.done("TokenCreate", &json!({ "name": "Ada", "role": "writer" })).await;
    let (id, token) = (made["info"]["id"].as_str().unwrap(), made["token"].as_str().unwrap());
    assert!(token.starts_with("jig_"), "{token}");
    server.forget_start();
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
    server.bench.call("TokenRevoke", json!({ "token_id": id })).await;
    assert_eq!(server.send(with(format!("Bearer {token}"))).await.problem(), (401, "UNAUTHENTICATED".to_owned()));
    for open in ["/sign-in", "/static/page.css", "/healthz", "/readyz", "/api/docs", "/api/openapi.json"] {
        assert_eq!(server.get(open).await.status, 200, "{open}");
    }
}

#[tokio::test]
async fn an_agents_token_writes_as_an_agent_and_never_confirms() {
    let server = Server::start().await;
    let (_, agent) = server.bench.token_for("agent", "owner", None).await;
    let (_, person) = server.bench.token("writer", None).await;
    let write = json!({ "workbench_id": "deck", "path": "a.txt", "text": "a" });
    assert_eq!(server.op_as(&agent, "DraftWriteText", &write).await.status, 200);
    let log = server.op_as(&agent, "JournalList", &json!({ "workbench_id": "deck", "limit": 1 })).await.json();
    assert_eq!(log["entries"][0]["actor"], json!({ "type": "agent", "name": "a owner" }));
    let brand = json!({ "workbench_id": "deck", "role": "brand", "data": { "name": "Acme" } });
    let proposed = server.op_as(&agent, "EntryPut", &brand).await.json();
    assert_eq!(proposed["outcome"], "proposed", "a foundation is a person's: {proposed}");
    let accept = json!({ "workbench_id": "deck", "proposal_id": proposed["proposal"]["id"] });
    let deck = json!({ "workbench_id": "deck" });
    for (name, params) in [
        ("DraftPublish", &deck),
        ("DraftDiscard", &deck),
        ("JournalUndo", &deck),
        ("EntryAcceptProposal", &accept),
        ("TokenCreate", &json!({ "name": "Me", "role": "owner" })),
        ("StoreDoctor", &json!({ "repair": true })),
    ] {
        let answer = server.op_as(&agent, name, params).await;
        assert_eq!(answer.problem(), (403, "NOT_PERMITTED".to_owned()), "{name}");
    }
    let route = "/api/workbenches/deck/draft/publish";
    let by_route = crate::http_server::json(server.strange("POST", route).bearer_auth(&agent), &json!({}));
    assert_eq!(server.send(by_route).await.problem(), (403, "NOT_PERMITTED".to_owned()));
    // A form of the web app, with the agent's token as cookie.
    let form = server.strange("POST", "/w/deck/draft/publish").header("cookie", format!("jig_token={agent}"));
    let form = form.header("origin", format!("http://{}", server.address));
    let form = form.header("content-type", "application/x-www-form-urlencoded").body("");
    assert_eq!(server.send(form).await.status, 403);
    assert_eq!(server.op_as(&person, "DraftPublish", &deck).await.status, 200, "a person with a smaller role");
}

#[tokio::test]
async fn repair_is_for_owners_and_checking_for_writers() {
    let server = Server::start().await;
    let (_, writer) = server.bench.token("writer", None).await;
    let (_, owner) = server.bench.token("owner", None).await;
    assert_eq!(server.op_as(&writer, "StoreDoctor", &json!({ "repair": true })).await.problem().1, "NOT_PERMITTED");
    assert_eq!(server.op_as(&writer, "StoreDoctor", &json!({ "repair": false })).await.status, 200);
    assert_eq!(server.op_as(&owner, "StoreDoctor", &json!({ "repair": true })).await.status, 200);
}

#[tokio::test]
async fn this_machine_is_the_owner_only_with_the_start_token() {
    let server = Server::start().await;
    let start = server.start.clone().unwrap();
    assert!(start.starts_with("jig_start_"), "{start}");
    let get = |secret: Option<&str>| {
        let request = server.strange("GET", "/api/workbenches");
        match secret {
            Some(secret) => request.bearer_auth(secret),
            None => request,
        }
    };
    assert_eq!(server.send(get(None)).await.problem(), (401, "UNAUTHENTICATED".to_owned()));
    assert_eq!(server.send(get(Some("jig_start_wrong"))).await.problem().0, 401);
    assert_eq!(server.send(get(Some(&start))).await.status, 200);
    for header in ["forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"] {
        let through = get(Some(&start)).header(header, "192.0.2.1");
        assert_eq!(server.send(through).await.problem().0, 401, "{header}");
    }
    // The printed URL: the token is moved from the URL to a cookie.
    let address = format!("/sign-in?start={start}&next=/w/deck");
    let opened = server.send(server.strange("GET", &address)).await;
    assert_eq!((opened.status, opened.header("location")), (303, "/w/deck"), "{}", opened.text());
    let cookie = opened.header("set-cookie").split(';').next().unwrap().to_owned();
    let page = server.strange("GET", "/w/deck").header("cookie", &cookie).header("accept", "text/html");
    assert_eq!(server.send(page).await.status, 200);
    let program = server.strange("POST", "/api/op/WorkbenchList").header("cookie", &cookie);
    assert_eq!(server.send(crate::http_server::json(program, &json!({}))).await.status, 401, "programs use the header");
    let wrong = server.send(server.strange("GET", "/sign-in?start=jig_start_wrong")).await;
    assert_eq!((wrong.status, wrong.header("set-cookie").contains("jig_token")), (401, false));
    let elsewhere = server.send(server.strange("GET", &format!("/sign-in?start={start}&next=//evil.example"))).await;
    assert_eq!(elsewhere.header("location"), "/");
    for open in ["/healthz", "/readyz"] {
        assert_eq!(server.send(server.strange("GET", open)).await.status, 200);
    }
}

#[tokio::test]
async fn the_first_token_is_the_owners_and_neither_it_nor_the_last_locks_them_out() {
    for open in [false, true] {
        let server = Server::with(Bench::with_notes().await, |options| options.open_loopback = open).await;
        for first in [
            json!({ "name": "Bob", "role": "reader" }),
            json!({ "name": "Bot", "role": "owner", "kind": "agent" }),
            json!({ "name": "Ada", "role": "owner", "workbench_id": "deck" }),
        ] {
            assert_eq!(server.op("TokenCreate", &first).await.problem().1, "VALIDATION_FAILED", "{first}");
        }
        // Through the web app, which signs a visitor without other credentials in with the new token.
        let form = server.request("POST", "/settings/tokens").header("origin", format!("http://{}", server.address));
        let form = form.header("content-type", "application/x-www-form-urlencoded").body("name=Me&role=owner");
        let made = server.send(form).await;
        assert_eq!(made.status, 201, "{}", made.text());
        let cookies = made.headers.get_all("set-cookie").iter().map(|cookie| cookie.to_str().unwrap());
        let mut cookies = cookies.filter_map(|cookie| cookie.split(';').next());
        let cookie = cookies.find(|cookie| cookie.starts_with("jig_token=jig_")).map(str::to_owned);
        assert_eq!(cookie.is_some(), open, "{cookie:?}");
        let mut settings = server.request("GET", "/settings").header("accept", "text/html");
        if let Some(cookie) = &cookie {
            settings = settings.header("cookie", cookie);
        }
        assert_eq!(server.send(settings).await.status, 200, "the creator stays signed in");
        let tokens = server.bench.call("TokenList", json!({})).await;
        let id = tokens["tokens"][0]["id"].as_str().unwrap();
        server.bench.call("TokenRevoke", json!({ "token_id": id })).await;
        assert_eq!(server.bench.call("TokenList", json!({})).await["tokens"], json!([]));
        assert_eq!(server.get("/api/workbenches").await.status, 200, "the list says none, and so does the server");
    }
}

#[tokio::test]
async fn open_loopback_is_for_this_machine_without_proxies_and_until_there_is_a_token() {
    let server = Server::with(Bench::with_notes().await, |options| options.open_loopback = true).await;
    assert_eq!(server.start, None);
    assert_eq!(server.get("/api/workbenches").await.status, 200);
    let through = server.request("GET", "/api/workbenches").header("x-forwarded-for", "192.0.2.1");
    assert_eq!(server.send(through).await.problem().0, 401);
    server.bench.token("owner", None).await;
    assert_eq!(server.get("/api/workbenches").await.problem().0, 401);
}

#[tokio::test]
async fn a_server_for_others_needs_tokens_and_lets_nobody_in_without() {
    type Change = fn(&mut HttpOptions);
    let changes: [Change; 3] = [
        |options| options.hosts = vec!["jig.example".to_owned()],
        |options| options.trusted_proxies = vec!["127.0.0.1".parse().unwrap()],
        |options| options.bind = "0.0.0.0:0".parse().unwrap(),
    ];
    for change in changes {
        let bench = Bench::with_notes().await;
        let mut options = HttpOptions::new("127.0.0.1:0".parse().unwrap(), jig_contract::Env::system());
        options.open_loopback = true;
        change(&mut options);
        let refused = HttpServer::bind(bench.workbench.clone(), options).await.err().unwrap();
        assert_eq!(refused.code().as_str(), "NOT_PERMITTED");
        let (_, owner) = bench.token("owner", None).await;
        let server = Server::with(bench, |options| {
            options.open_loopback = true;
            options.start_token = Some("jig_start_given".into());
            change(options);
        })
        .await;
        assert_eq!(server.start, None);
        let get = || {
            let port = server.address.port();
            reqwest::Client::builder()
                .no_proxy()
                .build()
                .unwrap()
                .get(format!("http://127.0.0.1:{port}/api/workbenches"))
        };
        assert_eq!(server.send(get()).await.problem().0, 401);
        assert_eq!(server.send(get().bearer_auth("jig_start_given")).await.problem().0, 401);
        assert_eq!(server.send(get().bearer_auth(owner)).await.status, 200);
    }
}

#[tokio::test]
async fn tries_to_sign_in_are_limited_by_where_they_come_from() {
    let bench = Bench::with_notes().await;
    bench.token("owner", None).await;
    let server = Server::with(bench, |options| {
        options.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap(), "198.51.100.0/24".parse().unwrap()];
    })
    .await;
    let tries = async |from: &str| {
        let mut limited = 0;
        for n in 0..40 {
            let form = server.strange("POST", "/sign-in").header("origin", format!("http://{}", server.address));
            let form = form.header("content-type", "application/x-www-form-urlencoded").header("x-forwarded-for", from);
            let answer = server.send(form.body(format!("token=jig_guess{n}"))).await;
            limited += usize::from(answer.status == 429);
        }
        limited
    };
    assert!(tries("192.0.2.1").await > 0, "guessing is slowed down");
    // Another client behind the same proxy has its own limit; a client's own header is not trusted.
    let other = server.strange("GET", "/sign-in?start=x").header("x-forwarded-for", "192.0.2.2");
    assert_eq!(server.send(other).await.status, 401);
    assert!(tries("192.0.2.99, 192.0.2.1").await > 20, "the last one that the proxy saw counts");
    assert!(tries("192.0.2.98, 192.0.2.1, 198.51.100.7").await > 20, "behind two proxies as well");
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

/// The approved content: the hashes of the published files.
async fn published(server: &Server) -> Value {
    let list = server.done("FileList", &json!({ "workbench_id": "deck", "root": "published" })).await;
    json!(list["files"].as_array().unwrap().iter().map(|file| [&file["path"], &file["hash"]]).collect::<Vec<_>>())
}

#[tokio::test]
async fn an_agents_token_changes_no_published_file_by_any_route_or_form() {
    let server = Server::start().await;
    let deck = json!({ "workbench_id": "deck" });
    let checkpoint = server.done("CheckpointCreate", &json!({ "workbench_id": "deck", "name": "then" })).await;
    let checkpoint = checkpoint["id"].as_str().unwrap().to_owned();
    let write = json!({ "workbench_id": "deck", "path": "notes.txt", "text": "published\n" });
    server.done("DraftWriteText", &write).await;
    server.done("DraftPublish", &deck).await;
    let (_, agent) = server.bench.token_for("agent", "owner", None).await;
    let documented = server.get("/api/openapi.json").await.json();
    let fill = |path: &str| {
        let mut filled = path.replace("{workbench_id}", "deck").replace("{checkpoint}", &checkpoint);
        for (name, value) in [("{path}", "notes.txt"), ("{role}", "brand"), ("{category}", "situation")] {
            filled = filled.replace(name, value);
        }
        while let (Some(from), Some(to)) = (filled.find('{'), filled.find('}')) {
            filled.replace_range(from..=to, "x");
        }
        filled
    };
    let bodies = [
        json!({}),
        json!({ "confirm": "deck", "yes": true, "repair": true, "checkpoint": checkpoint, "replace": true }),
        json!({ "path": "notes.txt", "paths": ["notes.txt"], "text": "by an agent", "workbench_id": "deck" }),
    ];
    for drafted in [false, true] {
        if drafted {
            server
                .done("DraftWriteText", &json!({ "workbench_id": "deck", "path": "notes.txt", "text": "draft\n" }))
                .await;
        }
        let before = published(&server).await;
        let mut routes = 0;
        for (path, verbs) in documented["paths"].as_object().unwrap() {
            for verb in verbs.as_object().unwrap().keys().filter(|verb| !["get", "parameters"].contains(&verb.as_str()))
            {
                let verb = verb.to_uppercase();
                for body in &bodies {
                    let request = server.strange(&verb, &fill(path)).bearer_auth(&agent);
                    let answer = server.send(crate::http_server::json(request, body)).await;
                    assert!(answer.status < 500, "{verb} {path}: {}", answer.text());
                }
                assert_eq!(published(&server).await, before, "{verb} {path}");
                routes += 1;
            }
        }
        assert!(routes > 100, "only {routes} routes");
        let raw =
            server.strange("PUT", "/api/workbenches/deck/files/notes.txt").bearer_auth(&agent).body("by an agent");
        assert_eq!(server.send(raw).await.problem(), (403, "NOT_PERMITTED".to_owned()));
        // Forms of the web app, with the token as a browser's cookie.
        for (form, fields) in [
            ("draft/publish", ""),
            ("draft/discard", ""),
            ("review", "act=accept&path=notes.txt"),
            ("review", "act=reject&path=notes.txt"),
            ("files/remove", "path=notes.txt"),
            ("history", "act=undo"),
            ("history", "act=redo"),
            ("history", &format!("act=restore&checkpoint={checkpoint}")),
            ("settings", "act=delete&confirm=deck"),
            ("consent", "model=openai%3Agpt-5.2&reach=all"),
            ("workshop", "act=send&message=publish"),
            ("recipes", "definition=recipe%3A+x"),
        ] {
            let request =
                server.strange("POST", &format!("/w/deck/{form}")).header("cookie", format!("jig_token={agent}"));
            let request = request.header("origin", format!("http://{}", server.address));
            let request = request.header("content-type", "application/x-www-form-urlencoded").body(fields.to_owned());
            let answer = server.send(request).await;
            assert!((400..500).contains(&answer.status), "{form} {fields}: {} {}", answer.status, answer.text());
            assert_eq!(published(&server).await, before, "{form} {fields}");
        }
        assert_eq!(server.done("DraftGetState", &deck).await["exists"], true, "drafts are the agent's to write");
    }
}
