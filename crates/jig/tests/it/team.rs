//! Two real servers on one PostgreSQL database and one bucket: nothing is lost or duplicated, even if one is killed.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Mutex};
use std::time::{Duration, Instant};

use jig_fake_model::{FakeModel, Reply};
use serde_json::{Value, json};

use crate::environment::TestEnvironment;
use crate::http_process::Http;
use crate::postgres;
use crate::s3::Bucket;

const CLIENTS: usize = 16;
const ROUNDS: usize = 6;
const WORKBENCHES: [&str; 4] = ["north", "south", "east", "west"];
/// How long to wait for background work.
const PATIENCE: Duration = Duration::from_secs(120);
const MODEL: &str = "openai:gpt-5.2";

/// Two homes on one database and one bucket; `None` without PostgreSQL.
fn homes() -> Option<[TestEnvironment; 2]> {
    let (url, bucket) = (postgres::database()?, Bucket::new());
    Some([(); 2].map(|()| {
        let mut environment = TestEnvironment::new();
        environment.set("JIG_DATABASE", &url);
        environment.set("JIG_JOBS_LEASE_SECONDS", "5");
        bucket.tell(&mut environment);
        environment
    }))
}

#[test]
fn sixteen_clients_on_two_servers_lose_nothing_and_make_nothing_twice() {
    let Some(homes) = homes() else { return };
    let servers = [Http::start(&homes[0]), Http::start(&homes[1])];
    for (n, id) in WORKBENCHES.iter().enumerate() {
        servers[n % 2].call("WorkbenchCreate", &json!({ "name": id, "id": id })).unwrap();
    }
    let (written, together) = (Mutex::new(Vec::new()), Barrier::new(CLIENTS));
    std::thread::scope(|scope| {
        for client in 0..CLIENTS {
            let (servers, written, together) = (&servers, &written, &together);
            scope.spawn(move || {
                together.wait();
                let mine = client_writes(servers, client);
                written.lock().unwrap().extend(mine);
            });
        }
    });
    let written = written.into_inner().unwrap();
    for id in WORKBENCHES {
        let here: Vec<&Write> = written.iter().filter(|write| write.workbench == id).collect();
        check_workbench(&servers, id, &here);
    }
    let jobs = queue_jobs(&servers);
    check_jobs(&servers[1], &jobs);
    for (server, home) in servers.into_iter().zip(&homes) {
        assert_eq!(server.finish(), 0);
        assert_eq!(home.jig(&["doctor", "--json"]).json()["ok"], json!(true));
    }
}

/// A write that a server accepted.
struct Write {
    workbench: &'static str,
    role: &'static str,
    key: String,
    value: String,
    revision: u64,
}

/// A client that uses another server and another workbench in each round.
fn client_writes(servers: &[Http; 2], client: usize) -> Vec<Write> {
    let mut accepted = Vec::new();
    for workbench in WORKBENCHES {
        // All clients compete to create this entry.
        accepted.extend(put(&servers[client % 2], workbench, "brand", "", &format!("by {client}"), Some(0)));
    }
    for round in 0..ROUNDS {
        let (server, workbench) = (&servers[(client + round) % 2], WORKBENCHES[(client + round) % 4]);
        let value = format!("round {round} of {client}");
        // Only this client writes this entry, so it is never refused.
        let own = put(server, workbench, "competitor", &format!("c{client}"), &value, None);
        accepted.push(own.expect("only this writer writes the entry"));
        // All clients write this entry, based on the revision they read.
        let seen = server.call("EntryGet", &json!({ "workbench_id": workbench, "role": "vision" }));
        let base = seen.ok().map_or(0, |seen| seen["entry"]["revision"].as_u64().unwrap());
        accepted.extend(put(server, workbench, "vision", "", &value, Some(base)));
        // All clients write this entry unconditionally.
        accepted.extend(put(server, workbench, "problem", "", &value, None));
    }
    accepted
}

/// The field that records the last writer.
fn field(role: &str) -> &'static str {
    match role {
        "brand" => "voice",
        "competitor" => "description",
        _ => "statement",
    }
}

/// Writes an entry. `None` if another client was faster, which is the only accepted reason for a refusal.
fn put(
    server: &Http,
    workbench: &'static str,
    role: &'static str,
    key: &str,
    value: &str,
    base: Option<u64>,
) -> Option<Write> {
    let mut params = json!({ "workbench_id": workbench, "role": role, "data": { field(role): value } });
    if !key.is_empty() {
        params["entry_key"] = key.into();
    }
    if let Some(base) = base {
        params["base_revision"] = base.into();
    }
    match server.call("EntryPut", &params) {
        Ok(answer) => {
            assert_eq!(answer["outcome"], "written", "{answer}");
            let revision = answer["entry"]["revision"].as_u64().unwrap();
            Some(Write { workbench, role, key: key.to_owned(), value: value.to_owned(), revision })
        }
        Err(error) => {
            assert_eq!(error["error_code"], "CONFLICT", "{error}");
            None
        }
    }
}

fn check_workbench(servers: &[Http; 2], id: &str, accepted: &[&Write]) {
    // Each change is in the journal exactly once, plus the creation of the workbench.
    let journal = servers[0].call("JournalList", &json!({ "workbench_id": id })).unwrap();
    assert_eq!(journal["total"], accepted.len() + 1, "{id}");
    let mut by_entry: BTreeMap<(&str, &str), Vec<&Write>> = BTreeMap::new();
    for write in accepted {
        by_entry.entry((write.role, &write.key)).or_default().push(write);
    }
    assert_eq!(by_entry[&("brand", "")].len(), 1, "{id}: one of all made it");
    assert_eq!(by_entry.len(), 3 + CLIENTS, "{id}: every client has written here");
    for server in servers {
        for role in ["brand", "vision", "problem"] {
            let list = server.call("EntryList", &json!({ "workbench_id": id, "role": role })).unwrap();
            assert_eq!((&list["total"], list["entries"].as_array().unwrap().len()), (&json!(1), 1), "{id}: {role}");
        }
    }
    for ((role, key), mut writes) in by_entry {
        writes.sort_by_key(|write| write.revision);
        let revisions: Vec<u64> = writes.iter().map(|write| write.revision).collect();
        assert_eq!(revisions, (1..=writes.len() as u64).collect::<Vec<_>>(), "{id}: {role} {key}: no two are one");
        let key = Some(key).filter(|key| !key.is_empty());
        let params = json!({ "workbench_id": id, "role": role, "entry_key": key });
        let now = servers[1].call("EntryGet", &params).unwrap()["entry"].clone();
        let last = writes.last().unwrap();
        assert_eq!((&now["revision"], &now["data"][field(role)]), (&json!(last.revision), &json!(last.value)));
        let history = servers[0].call("EntryHistory", &params).unwrap();
        assert_eq!(history["revisions"].as_array().unwrap().len(), writes.len(), "{id}: {role}");
    }
}

/// Queues jobs without a model, at both servers at once.
fn queue_jobs(servers: &[Http; 2]) -> Vec<(&'static str, String)> {
    let jobs = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for (n, server) in servers.iter().enumerate() {
            let jobs = &jobs;
            scope.spawn(move || {
                for (m, id) in WORKBENCHES.iter().cycle().take(12).enumerate() {
                    let input = format!("number {m} of {n}");
                    let params = json!({ "workbench_id": id, "recipe": "competitor-snapshot",
                                         "model": "offline:extract", "input": input, "wait": false });
                    let job = server.call("RecipeRun", &params).unwrap()["job"]["id"].as_str().unwrap().to_owned();
                    jobs.lock().unwrap().push((*id, job));
                }
            });
        }
    });
    jobs.into_inner().unwrap()
}

fn check_jobs(server: &Http, jobs: &[(&'static str, String)]) {
    for (id, job) in jobs {
        let job = ended(server, id, job);
        assert_eq!((&job["state"], &job["attempts"]), (&json!("done"), &json!(1)), "{job}");
    }
    for id in WORKBENCHES {
        let outputs = server.call("OutputList", &json!({ "workbench_id": id })).unwrap()["outputs"].clone();
        let made: Vec<&str> = outputs.as_array().unwrap().iter().map(|made| made["job_id"].as_str().unwrap()).collect();
        let asked: BTreeSet<&str> = jobs.iter().filter(|job| job.0 == id).map(|job| job.1.as_str()).collect();
        assert_eq!((made.len(), made.into_iter().collect::<BTreeSet<_>>()), (asked.len(), asked), "{id}");
    }
}

/// Waits until the job has ended.
fn ended(server: &Http, id: &str, job: &str) -> Value {
    until(&format!("the end of job {job}"), || {
        let job = server.call("JobGet", &json!({ "workbench_id": id, "job_id": job })).unwrap()["job"].clone();
        (job["state"] != "queued" && job["state"] != "running").then_some(job)
    })
}

/// Polls until the condition holds, for a limited time.
fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let begin = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(begin.elapsed() < PATIENCE, "waited too long for {what}");
        std::thread::yield_now();
    }
}

#[test]
fn a_server_that_is_killed_loses_nothing_and_its_job_goes_on_elsewhere() {
    let Some(mut homes) = homes() else { return };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    // The first server's model never answers.
    let models = [(); 2].map(|()| runtime.block_on(FakeModel::start()).unwrap());
    for (home, model) in homes.iter_mut().zip(&models) {
        home.set("JIG_PROVIDERS", &format!("openai={}/v1", model.url()));
        home.set("OPENAI_API_KEY", "sk-test");
    }
    let [first, second] = [Http::start(&homes[0]), Http::start(&homes[1])];
    let north = |more: Value| {
        let mut params = json!({ "workbench_id": "north" });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        params
    };
    first.call("WorkbenchCreate", &json!({ "name": "North", "id": "north" })).unwrap();
    first.call("EntryPut", &north(json!({ "role": "brand", "data": { "name": "Acme", "voice": "Plain." } }))).unwrap();
    for server in [&first, &second] {
        server.call("ConsentGrant", &north(json!({ "model": MODEL, "reach": "all" }))).unwrap();
    }
    let mut jobs = Vec::new();
    let asked = |model: &FakeModel| model.requests().len();
    until("the first server to take a job", || {
        let number = jobs.len();
        models[0].reply(Reply::text("too late").after(Duration::from_secs(3_600)));
        models[1].reply(Reply::text("It is."));
        let run = json!({ "recipe": "brand-voice-check", "model": MODEL, "input": format!("{number}"), "wait": false });
        jobs.push(first.call("RecipeRun", &north(run)).unwrap()["job"]["id"].as_str().unwrap().to_owned());
        // Each server has its own model, which shows who runs the job.
        until("a server to take it", || (asked(&models[0]) + asked(&models[1]) > number).then_some(()));
        (asked(&models[0]) > 0).then_some(())
    });
    let shown = |http: &Http| (http.address.clone(), http.start.clone().unwrap());
    let addresses = [shown(&first), shown(&second)];
    let stop = AtomicBool::new(false);
    let acknowledged: Vec<(usize, usize)> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (addresses, stop) = (&addresses, &stop);
                scope.spawn(move || (client, write_until(addresses, client, stop)))
            })
            .collect();
        until("writes before the end", || (second_total(&second) > CLIENTS as u64 * 2).then_some(()));
        first.kill();
        let at_death = second_total(&second);
        until("writes after the end", || (second_total(&second) > at_death + CLIENTS as u64).then_some(()));
        stop.store(true, Ordering::Relaxed);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    for (client, last) in acknowledged {
        let params = north(json!({ "role": "competitor", "entry_key": format!("c{client}") }));
        let there = second.call("EntryGet", &params).unwrap()["entry"]["data"]["description"].clone();
        let there: usize = there.as_str().unwrap().parse().unwrap();
        // A write in flight when the server was killed may or may not be stored. An acknowledged one must be.
        assert!(there >= last, "client {client}: {last} was acknowledged, {there} is there");
    }
    let (held, mut again) = (asked(&models[0]), 0);
    for job in &jobs {
        let ended = ended(&second, "north", job);
        assert_eq!((&ended["state"], &ended["result"]["answer"]), (&json!("done"), &json!("It is.")), "{ended}");
        again += usize::from(ended["attempts"] == 2);
    }
    assert_eq!(
        (held, asked(&models[1])),
        (again, jobs.len()),
        "each was answered once, and started twice where a server died"
    );
    check_journal(&second);
    assert_eq!(second.finish(), 0);
    assert_eq!(homes[1].jig(&["doctor", "--json"]).json()["ok"], json!(true));
}

fn second_total(server: &Http) -> u64 {
    server.call("JournalList", &json!({ "workbench_id": "north", "limit": 1 })).unwrap()["total"].as_u64().unwrap()
}

/// Writes numbers into its own entry, alternating between the servers, and returns the last acknowledged one.
fn write_until(addresses: &[(String, String); 2], client: usize, stop: &AtomicBool) -> usize {
    let (mut last, begin) = (0, Instant::now());
    for number in 1.. {
        if stop.load(Ordering::Relaxed) || begin.elapsed() > PATIENCE * 3 {
            break;
        }
        let data = json!({ "data": { "name": "x", "description": number.to_string() } }).to_string();
        if acknowledged(&addresses[(client + number) % 2], client, &data) {
            last = number;
        }
    }
    last
}

/// Whether a write was acknowledged. A dead server acknowledges none.
fn acknowledged((address, start): &(String, String), client: usize, body: &str) -> bool {
    let Ok(mut stream) = TcpStream::connect(address) else { return false };
    let path = format!("/api/workbenches/north/context-entries/competitor/c{client}");
    let head =
        format!("PUT {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nAuthorization: Bearer {start}\r\n");
    let about = format!("Content-Type: application/json\r\nContent-Length: {}\r\n", body.len());
    let mut answer = String::new();
    let sent = write!(stream, "{head}{about}\r\n{body}").and_then(|()| stream.read_to_string(&mut answer));
    let status = answer.split(' ').nth(1).unwrap_or_default();
    // A write that the dying server still stored can conflict with a later one.
    assert!(matches!(status, "" | "200" | "201" | "409"), "{answer}");
    sent.is_ok() && status.starts_with('2') && answer.contains("\"outcome\":\"written\"")
}

/// The journal is a chain without gaps.
fn check_journal(server: &Http) {
    let (mut before, mut after): (Option<u64>, Option<Value>) = (None, None);
    loop {
        let mut params = json!({ "workbench_id": "north", "limit": 500 });
        if let Some(before) = before {
            params["before"] = before.into();
        }
        let page = server.call("JournalList", &params).unwrap();
        for entry in page["entries"].as_array().unwrap() {
            let seq = entry["seq"].as_u64().unwrap();
            assert!(before.is_none_or(|before| before == seq + 1), "{before:?} follows {seq}");
            assert!(after.is_none_or(|after| after == entry["state_after"]), "change {seq} leads elsewhere");
            (before, after) = (Some(seq), Some(entry["state_before"].clone()));
        }
        if page["has_more"] == json!(false) {
            assert_eq!(before, Some(1));
            return;
        }
    }
}
