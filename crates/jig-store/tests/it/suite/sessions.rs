//! Session logs, and versions of shared agent workspaces.

use jig_contract::{BlobHash, SessionId, Timestamp};
use jig_store::{Collect, LogAppend, LogRow, Repair, hash_of};

use super::conformance;
use crate::setup::{Clock, Setup, id, made, me, text};

conformance! {
    a_log_grows_and_never_changes, a_session_is_one_workers_at_a_time, what_a_log_names_is_kept,
    a_log_goes_with_its_workbench, versions_follow_each_other, sessions_are_in_archives, the_doctor_knows_sessions,
    a_session_is_forgotten_with_its_log_when_it_is_old_and_free,
}

fn session(n: u32) -> SessionId {
    SessionId::new(format!("0190b6c2-7d3e-7000-8000-{n:012}")).unwrap()
}

fn rows(after: u64, events: &[&str]) -> Vec<LogRow> {
    let row = |(at, event): (usize, &&str)| LogRow {
        seq: after + 1 + at as u64,
        at: Timestamp::from_millis(5),
        version: 1,
        derived: at % 2 == 1,
        effects: (at == 0).then(|| hash_of(b"effects")),
        event: (*event).to_owned(),
    };
    events.iter().enumerate().map(row).collect()
}

fn append<'a>(after: u64, rows: &'a [LogRow], blobs: &'a [BlobHash]) -> LogAppend<'a> {
    LogAppend { after, rows, blobs, title: "A\0title", status: "idle" }
}

async fn a_log_grows_and_never_changes(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    let first = rows(0, &[r#"{"b":1,"a":"\u0000"}"#, "{ }"]);
    store.create_session(&session(1), &id("deck"), &append(0, &first, &[])).await.unwrap();
    let more = rows(2, &["[]"]);
    assert!(store.append_session(&session(1), &append(2, &more, &[])).await.unwrap());
    assert!(!store.append_session(&session(1), &append(2, &more, &[])).await.unwrap(), "another writer was faster");
    let all: Vec<LogRow> = first.into_iter().chain(more).collect();
    assert_eq!(store.session_log(&session(1), 0, 100).await.unwrap(), all, "to the byte");
    assert_eq!(store.session_log(&session(1), 2, 100).await.unwrap(), all[2..]);
    let found = store.session(&session(1)).await.unwrap().unwrap();
    assert_eq!((found.seq, found.title.as_str(), found.status.as_str()), (3, "A\u{fffd}title", "idle"));
    assert_eq!(store.session(&session(2)).await.unwrap(), None);
    for sql in [
        "UPDATE session_events SET event = 'x'",
        "DELETE FROM session_events",
        "INSERT INTO session_events SELECT * FROM session_events",
    ] {
        assert!(sqlx::raw_sql(sql).execute(&mut setup.raw().await).await.is_err(), "{sql}");
    }
    for n in 2..5 {
        store.create_session(&session(n), &id("deck"), &append(0, &rows(0, &["{}"]), &[])).await.unwrap();
    }
    let page = store.sessions(&id("deck"), None, 3).await.unwrap();
    let last = page.last().unwrap();
    let rest = store.sessions(&id("deck"), Some((last.created_at, &last.id)), 3).await.unwrap();
    assert_eq!((page.len(), rest.len()), (3, 1));
}

async fn a_session_is_one_workers_at_a_time(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    made(&store, "deck").await;
    store.create_session(&session(1), &id("deck"), &append(0, &rows(0, &["{}"]), &[])).await.unwrap();
    let hold = async |who: &str| store.hold_session(&session(1), who, 1_000).await.unwrap();
    assert!(hold("a").await && hold("a").await);
    assert!(!hold("b").await && store.session_is_held(&session(1)).await.unwrap());
    clock.pass(1_001);
    assert!(!store.session_is_held(&session(1)).await.unwrap());
    assert!(hold("b").await && !hold("a").await);
    store.release_session(&session(1), "a").await.unwrap();
    assert!(!hold("a").await, "only its own is let go");
    store.release_session(&session(1), "b").await.unwrap();
    assert!(hold("a").await);
}

async fn a_session_is_forgotten_with_its_log_when_it_is_old_and_free(setup: Setup) {
    let clock = Clock::new();
    let store = setup.open_at(&clock).await;
    made(&store, "deck").await;
    for n in 1..4 {
        store.create_session(&session(n), &id("deck"), &append(0, &rows(0, &["{}"]), &[hash_of(b"x")])).await.unwrap();
    }
    clock.pass(1_000);
    let before = store.session(&session(1)).await.unwrap().unwrap().updated_at;
    let later = Timestamp::from_millis(before.as_millis() + 1);
    assert!(store.append_session(&session(2), &append(1, &rows(1, &["{}"]), &[])).await.unwrap());
    assert!(store.hold_session(&session(3), "a", 1_000).await.unwrap());
    let old = async |after: &str, limit| {
        let found = store.old_sessions(&id("deck"), later, after, limit).await.unwrap();
        found.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(old("", 10).await, [session(1)], "one has grown since, one belongs to a person");
    assert_eq!(old(session(1).as_str(), 10).await, []);
    assert_eq!(store.old_sessions(&id("deck"), before, "", 10).await.unwrap(), [], "it is not older than itself");
    for (n, expected) in [(1, true), (2, false), (3, false), (4, false)] {
        assert_eq!(store.forget_session(&session(n), later).await.unwrap(), expected, "{n}");
    }
    assert_eq!(store.session(&session(1)).await.unwrap(), None);
    assert_eq!(store.session_log(&session(1), 0, 10).await.unwrap(), []);
    clock.pass(1_001);
    assert_eq!(old("", 1).await, [session(3)], "its holder is silent for too long");
    assert_eq!(store.session_log(&session(3), 0, 10).await.unwrap().len(), 1);
}

async fn what_a_log_names_is_kept(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    let kept = store.blobs().put("request").await.unwrap();
    let lost = store.blobs().put("nobody's").await.unwrap();
    let first = rows(0, &["{}"]);
    store.create_session(&session(1), &id("deck"), &append(0, &first, &[kept, kept])).await.unwrap();
    let root = store.edit(store.empty_tree().await.unwrap(), &[text(&store, "a.md", "words").await]).await.unwrap();
    store.add_agent_version("house", None, root, &me(), "first").await.unwrap().unwrap();
    setup.age(10 * 60 * 60 * 1_000);
    store.collect(Collect::Remove).await.unwrap();
    assert!(store.blobs().get(&kept).await.is_ok());
    assert_eq!(store.files(root, "").await.unwrap().len(), 1);
    assert!(store.blobs().get(&lost).await.is_err(), "what nothing names is gone");
}

async fn a_log_goes_with_its_workbench(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    store.create_session(&session(1), &id("deck"), &append(0, &rows(0, &["{}"]), &[hash_of(b"x")])).await.unwrap();
    store.delete_workbench(&id("deck")).await.unwrap();
    assert_eq!(store.session(&session(1)).await.unwrap(), None);
    assert_eq!(store.session_log(&session(1), 0, 10).await.unwrap(), []);
}

async fn versions_follow_each_other(setup: Setup) {
    let store = setup.open().await;
    let add = async |after, root: &[u8]| {
        store
            .add_agent_version("house", after, hash_of(root), &me(), "why\0")
            .await
            .unwrap()
            .map(|version| version.version)
    };
    assert_eq!(add(None, b"1").await, Some(1));
    assert_eq!(add(None, b"2").await, None, "there is one already");
    assert_eq!(add(Some(1), b"2").await, Some(2));
    assert_eq!(add(Some(1), b"3").await, None, "another writer was faster");
    let newest = store.agent_version("house", None).await.unwrap().unwrap();
    assert_eq!((newest.version, newest.root, newest.message.as_str()), (2, hash_of(b"2"), "why\u{fffd}"));
    assert_eq!(store.agent_version("house", Some(1)).await.unwrap().unwrap().root, hash_of(b"1"));
    assert_eq!(store.agent_version("house", Some(9)).await.unwrap(), None);
    assert_eq!(store.agent_versions("house", 10).await.unwrap().len(), 2);
    store.add_agent_version("attic", None, hash_of(b"x"), &me(), "").await.unwrap();
    let names: Vec<(String, u64)> =
        store.agent_workspaces().await.unwrap().into_iter().map(|version| (version.name, version.version)).collect();
    assert_eq!(names, [("attic".to_owned(), 1), ("house".to_owned(), 2)]);
    let sql = "UPDATE agent_versions SET root = 'x'";
    assert!(sqlx::raw_sql(sql).execute(&mut setup.raw().await).await.is_err());
}

async fn sessions_are_in_archives(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    let kept = store.blobs().put("request").await.unwrap();
    let first = rows(0, &[r#"{"type":"a","text":"\u0000"}"#, r#"{ "type" : "b" }"#]);
    store.create_session(&session(1), &id("deck"), &append(0, &first, &[kept])).await.unwrap();
    let file = setup.folder.path().join("deck.jig");
    store.export(&id("deck"), &file).await.unwrap();
    let bytes = std::fs::read(&file).unwrap();
    store.export(&id("deck"), &file).await.unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), bytes, "equal contents make equal archives");

    let elsewhere = Setup::local().await;
    let other = elsewhere.open().await;
    other.import(&file, None, None, me()).await.unwrap();
    assert_eq!(other.session_log(&session(1), 0, 10).await.unwrap(), first, "to the byte");
    let (was, is) = (store.session(&session(1)).await.unwrap(), other.session(&session(1)).await.unwrap());
    assert_eq!(is, was);
    assert_eq!(other.blobs().get(&kept).await.unwrap(), "request");
    elsewhere.age(10 * 60 * 60 * 1_000);
    other.collect(Collect::Remove).await.unwrap();
    assert!(other.blobs().get(&kept).await.is_ok(), "it is still named");
    assert_eq!(other.check(None, Repair::No).await.unwrap().problems, []);

    // A taken id is replaced by a new one.
    store.import(&file, Some(id("copy")), None, me()).await.unwrap();
    let copy = store.sessions(&id("copy"), None, 10).await.unwrap();
    assert_eq!(copy.len(), 1);
    assert_ne!(copy[0].id, session(1));
    assert_eq!(store.session_log(&copy[0].id, 0, 10).await.unwrap(), first);
    assert_eq!(store.sessions(&id("deck"), None, 10).await.unwrap().len(), 1);
}

async fn the_doctor_knows_sessions(setup: Setup) {
    let store = setup.open().await;
    made(&store, "deck").await;
    let kept = store.blobs().put("request").await.unwrap();
    store.create_session(&session(1), &id("deck"), &append(0, &rows(0, &["{}", "{}"]), &[kept])).await.unwrap();
    let root = store.edit(store.empty_tree().await.unwrap(), &[text(&store, "a.md", "words").await]).await.unwrap();
    store.add_agent_version("house", None, root, &me(), "first").await.unwrap().unwrap();
    assert_eq!(store.check(None, Repair::No).await.unwrap().problems, []);
    std::fs::remove_file(setup.blob_file(&kept)).unwrap();
    std::fs::remove_file(setup.blob_file(&hash_of(b"words"))).unwrap();
    sqlx::raw_sql("UPDATE sessions SET seq = 3").execute(&mut setup.raw().await).await.unwrap();
    let told: Vec<String> =
        store.check(None, Repair::No).await.unwrap().problems.into_iter().map(|problem| problem.message).collect();
    for part in ["a session's record", "should end at 3, but ends at 2", "it is in a shared agent workspace"] {
        assert!(told.iter().any(|message| message.contains(part)), "{part}: {told:#?}");
    }
}
