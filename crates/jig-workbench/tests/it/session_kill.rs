//! A process with a running agent is killed at random times: the session resumes each time, every repeated call is on
//! record, and the log replays.

use std::path::Path;
use std::time::Duration;

use jig_contract::{Actor, Code};
use jig_fake_model::{Answer, Reply};
use jig_testkit::home::open;
use jig_workbench::{CallContext, Config, Keys, Secret};
use serde_json::{Value, json};

use crate::child;
use crate::model_home::{MODEL, ModelHome};
use crate::session_home::of_session;

const KILLS: u64 = 100;
/// The maximum lifetime of a job in microseconds.
const SOON: u64 = 200_000;

fn settings(config: &mut Config, url: &str) {
    config.models.base_urls = [("openai".to_owned(), url.to_owned())].into();
    config.models.keys = Keys::new(|_, _| Ok(Some(Secret::new("sk-x"))));
    config.models.default = Some(MODEL.to_owned());
    // The session of a killed worker becomes free almost immediately.
    config.job_lease_ms = 30;
}

/// The job: resumes the session, and sends the next task when it is idle.
pub(crate) async fn work(home: &Path) {
    let told: Value = serde_json::from_slice(&std::fs::read(home.join("told.json")).unwrap()).unwrap();
    let text = |name: &str| told[name].as_str().unwrap().to_owned();
    let mut config = Config::new(home);
    settings(&mut config, &text("url"));
    let workbench = open(config).await;
    println!("ready");
    loop {
        for (name, more) in [
            ("WorkshopResume", json!({})),
            ("WorkshopSend", json!({ "message": "go on", "options": { "mode": "direct" } })),
        ] {
            let params = of_session(&text("session"), more);
            match workbench.call(name, CallContext::new(Actor::person()), params).await {
                Ok(_) => {}
                Err(error) if error.code() == Code::RunActive => tokio::time::sleep(Duration::from_millis(10)).await,
                Err(error) => panic!("{name}: {error}"),
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_agent_goes_on_and_its_log_replays() {
    let home = ModelHome::with(|config| config.job_lease_ms = 30).await;
    home.agree(MODEL).await;
    let session = home.session(json!({})).await;
    let url = format!("{}/v1", home.server.url());
    let told = json!({ "url": url, "session": session }).to_string();
    std::fs::write(home.home.home().join("told.json"), told).unwrap();
    for n in 0..5_000 {
        let input = json!({ "path": format!("f{}.txt", n % 7), "text": format!("{n}\n") });
        home.server.reply(Reply::answer(Answer::call(&format!("c{n}"), "write_text_file", &input)));
    }
    let mut moment = 0x9e37_79b9_u64;
    let (mut records, mut longest) = (0, SOON);
    for kill in 0..KILLS {
        let mut job = child::start("session-work", &home.home.home());
        moment = moment.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros((moment >> 33) % longest));
        job.kill().unwrap();
        job.wait().unwrap();
        let shown = home.on("SessionGet", &session, json!({})).await;
        let now = shown["session"]["records"].as_u64().unwrap();
        assert!(now >= records, "kill {kill}: a record was lost");
        records = now;
        // On a busy machine, jobs live longer before they are killed.
        longest = if records < 3 * kill { (longest * 2).min(10 * SOON) } else { SOON };
        if kill % 20 == 19 {
            home.replays(&session).await;
        }
    }
    let replayed = home.replays(&session).await;
    let asked = home.server.requests().len() as u64;
    let recorded = replayed["requests"].as_u64().unwrap();
    assert!(recorded >= asked, "{asked} requests came in, {recorded} are in the log");
    assert!(recorded > 10, "the jobs hardly got to work: {recorded}");
    let doctor = home.home.ok("StoreDoctor", json!({})).await;
    assert_eq!(doctor["ok"], true, "{doctor:#}");
    // The next worker settles what was left.
    for _ in 0..50 {
        match home.home.call("WorkshopResume", of_session(&session, json!({}))).await {
            Ok(shown) if shown["session"]["status"] == "idle" => break,
            Ok(_) => {}
            Err(error) => assert_eq!(error.code(), Code::RunActive, "{error}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let shown = home.on("SessionGet", &session, json!({})).await;
    assert_eq!(shown["session"]["status"], "idle", "{shown:#}");
    home.replays(&session).await;
}
