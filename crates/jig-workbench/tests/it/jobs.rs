//! Jobs: executed once by any server, retried if that helps, cancelled on request, and never lost with a server.

use std::sync::atomic::Ordering;
use std::time::Duration;

use jig_contract::{Code, Event};
use jig_fake_model::{Refusal, Reply};
use jig_testkit::ID;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::recipes::Clocked;

async fn bench() -> Clocked {
    let bench = Clocked::new().await;
    bench.home.ok("EntryPut", json!({ "workbench_id": ID, "role": "brand", "data": { "name": "Acme" } })).await;
    let recipe = "recipe: hello\ncontext_requirements:\n  entries:\n    - {role: brand, fields: [name], required: true}\nprompt: \"{{context}} Say hello. {{input}}\"\n";
    bench.home.ok("RecipePut", json!({ "workbench_id": ID, "definition": recipe })).await;
    bench
}

fn run(input: &str) -> Value {
    json!({ "workbench_id": ID, "recipe": "hello", "input": input, "wait": false })
}

async fn job(bench: &Clocked, id: &Value) -> Value {
    bench.home.ok("JobGet", json!({ "workbench_id": ID, "job_id": id })).await["job"].clone()
}

#[tokio::test]
async fn a_job_waits_for_a_server_and_the_same_run_is_open_once() {
    let bench = bench().await;
    let first =
        bench.home.ok("RecipeRun", json!({ "workbench_id": ID, "recipe": "hello", "wait": false })).await["job"]
            .clone();
    assert_eq!((&first["state"], &first["recipe"]), (&json!("queued"), &json!("hello")));
    let second =
        bench.home.ok("RecipeRun", json!({ "workbench_id": ID, "recipe": "hello", "wait": false })).await["job"]
            .clone();
    assert_eq!(first["id"], second["id"], "while one is open there is one");
    let other = bench.home.ok("RecipeRun", run("loudly")).await["job"]["id"].clone();
    assert_ne!(first["id"], other, "with words of its own it is another");
    bench.server.reply(Reply::text("Hello.")).reply(Reply::text("HELLO."));
    let mut events = bench.home.workbench.events();
    assert_eq!(bench.work().await.len(), 2);
    assert_eq!(
        (&job(&bench, &first["id"]).await["result"]["answer"], bench.server.requests().len()),
        (&json!("Hello."), 2)
    );
    let mut told = Vec::new();
    while let Ok(record) = events.try_recv() {
        if let Event::JobChanged { job_id, state } = record.event
            && first["id"] == job_id.as_str()
        {
            told.push(json!(state));
        }
    }
    assert_eq!(told, ["running", "done"]);
    let list =
        bench.home.ok("JobList", json!({ "workbench_id": ID, "recipe": "hello", "state": "done", "limit": 1 })).await;
    assert_eq!((&list["has_more"], list["jobs"].as_array().unwrap().len()), (&json!(true), 1));
    let unknown = json!({ "workbench_id": ID, "job_id": "0190b6c2-7d3e-7000-8000-000000000001" });
    bench.home.fails_with(Code::JobNotFound, "JobGet", unknown).await;
    bench.home.ok("WorkbenchCreate", json!({ "name": "other", "id": "other" })).await;
    let foreign = json!({ "workbench_id": "other", "job_id": first["id"] });
    bench.home.fails_with(Code::JobNotFound, "JobCancel", foreign).await;
}

#[tokio::test]
async fn what_may_work_later_is_tried_again_with_a_pause_and_what_cannot_is_not() {
    let bench = bench().await;
    bench.server.reply(Reply::refuse(Refusal::Overloaded)).reply(Reply::text("Hello."));
    let id = bench.home.ok("RecipeRun", run("a")).await["job"]["id"].clone();
    bench.work().await;
    let tried = job(&bench, &id).await;
    assert_eq!(
        (&tried["state"], &tried["attempts"], &tried["error"]["retryable"]),
        (&json!("queued"), &json!(1), &json!(true)),
        "{tried}"
    );
    bench.work().await;
    assert_eq!(job(&bench, &id).await["attempts"], 1, "not before its pause is over");
    bench.later(1);
    bench.work().await;
    assert_eq!(job(&bench, &id).await["state"], "done");
    bench.server.reply(Reply::refuse(Refusal::Key));
    let id = bench.home.ok("RecipeRun", run("b")).await["job"]["id"].clone();
    bench.work().await;
    let failed = job(&bench, &id).await;
    assert_eq!((&failed["state"], &failed["error"]["error_code"]), (&json!("failed"), &json!("PROVIDER_AUTH_FAILED")));
    bench.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": crate::model_home::MODEL })).await;
    bench.home.fails_with(Code::EgressConsentRequired, "RecipeRun", run("c")).await;
}

#[tokio::test]
async fn consent_is_asked_for_again_before_the_call() {
    let bench = bench().await;
    let id = bench.home.ok("RecipeRun", run("a")).await["job"]["id"].clone();
    bench.home.ok("ConsentRevoke", json!({ "workbench_id": ID, "consent": crate::model_home::MODEL })).await;
    bench.work().await;
    let failed = job(&bench, &id).await;
    assert_eq!(
        (&failed["state"], &failed["error"]["error_code"]),
        (&json!("failed"), &json!("EGRESS_CONSENT_REQUIRED"))
    );
    assert_eq!(bench.server.connections(), 0);
}

#[tokio::test]
async fn a_job_is_stopped_while_it_waits_and_while_it_works() {
    let bench = bench().await;
    let waiting = bench.home.ok("RecipeRun", run("a")).await["job"]["id"].clone();
    let stopped = bench.home.ok("JobCancel", json!({ "workbench_id": ID, "job_id": waiting })).await["job"].clone();
    assert_eq!(stopped["state"], "cancelled");
    assert_eq!(bench.work().await, Vec::<Value>::new());
    bench.server.reply(Reply::text("Hello.").after(Duration::from_secs(60)));
    let id = bench.home.ok("RecipeRun", run("b")).await["job"]["id"].clone();
    let (cancel, workbench) = (CancellationToken::new(), bench.home.workbench.clone());
    let server = tokio::spawn({
        let cancel = cancel.clone();
        async move { workbench.run_jobs(cancel).await }
    });
    while bench.server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bench.home.ok("JobCancel", json!({ "workbench_id": ID, "job_id": id })).await;
    while job(&bench, &id).await["state"] == "running" {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(job(&bench, &id).await["state"], "cancelled");
    cancel.cancel();
    server.await.unwrap();
    let again = bench.home.ok("JobCancel", json!({ "workbench_id": ID, "job_id": id })).await["job"].clone();
    assert_eq!(again["state"], "cancelled", "what has ended stays as it is");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_servers_do_each_job_once() {
    let bench = bench().await;
    let other = bench.another().await;
    for n in 0..20 {
        bench.server.reply(Reply::text(format!("Hello {n}.")));
        bench.home.ok("RecipeRun", run(&n.to_string())).await;
    }
    let cancel = CancellationToken::new();
    let servers: Vec<_> = [bench.home.workbench.clone(), other]
        .into_iter()
        .map(|workbench| {
            let cancel = cancel.clone();
            tokio::spawn(async move { workbench.run_jobs(cancel).await })
        })
        .collect();
    loop {
        let done = bench.home.ok("JobList", json!({ "workbench_id": ID, "state": "done" })).await;
        if done["jobs"].as_array().unwrap().len() == 20 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    cancel.cancel();
    for server in servers {
        server.await.unwrap();
    }
    assert_eq!((bench.server.requests().len(), bench.server.left()), (20, 0));
    let jobs = bench.home.plain("JobList").await["jobs"].clone();
    assert!(jobs.as_array().unwrap().iter().all(|job| job["attempts"] == 1), "{jobs}");
}

#[tokio::test]
async fn a_server_that_dies_loses_no_job_and_an_output_is_not_made_twice() {
    let bench = bench().await;
    let customer =
        json!({ "workbench_id": ID, "role": "customer", "data": { "description": "x", "pain_points": ["y"] } });
    bench.home.ok("EntryPut", customer).await;
    bench.home.ok("EntryPut", json!({ "workbench_id": ID, "role": "brand", "data": { "voice": "v" } })).await;
    let answer = json!({ "topics": ["t"], "schedule": ["s"], "hooks": ["h"] }).to_string();
    // The first server dies during the call: its task is dropped and reports nothing.
    bench.server.reply(Reply::text(&answer).after(Duration::from_secs(60))).reply(Reply::text(&answer));
    let params = json!({ "workbench_id": ID, "recipe": "weekly-content-calendar", "wait": false });
    let id = bench.home.ok("RecipeRun", params).await["job"]["id"].clone();
    let dying = bench.another().await;
    let server = tokio::spawn(async move { dying.run_jobs(CancellationToken::new()).await });
    while bench.server.requests().is_empty() {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    server.abort();
    let _ = server.await;
    assert_eq!(bench.work().await, Vec::<Value>::new(), "its lease still runs");
    bench.clock.fetch_add(61_000, Ordering::SeqCst);
    let ended = bench.work().await;
    assert_eq!((&ended[0]["id"], &ended[0]["state"], &ended[0]["attempts"]), (&id, &json!("done"), &json!(2)));
    let outputs = bench.home.plain("OutputList").await["outputs"].clone();
    assert_eq!((outputs.as_array().unwrap().len(), &outputs[0]["job_id"]), (1, &id));
}

#[tokio::test]
async fn assets_are_cleaned_up_once_a_day() {
    let bench = bench().await;
    let upload = json!({ "workbench_id": ID, "name": "a.txt", "content_base64": "YQ==", "expires_in_hours": 1 });
    let id = bench.home.ok("AssetUpload", upload).await["asset"]["asset_id"].clone();
    bench.work().await;
    let removed = || async {
        bench.home.ok("AssetGet", json!({ "workbench_id": ID, "asset_id": id })).await["asset"]["removed"].clone()
    };
    assert_eq!(removed().await, false);
    bench.later(2);
    bench.work().await;
    assert_eq!(removed().await, false, "it was looked at today");
    bench.later(24);
    bench.work().await;
    assert_eq!(removed().await, true);
}
