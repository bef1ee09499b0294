//! Invalid archives of every kind: each is refused, and nothing of it is stored.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use jig_contract::BlobHash;
use jig_contract::ops::CheckpointReason;
use jig_store::{Node, Store, StoreError, Tree, hash_of};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::setup::{Setup, made, me, written};

/// The entries of an archive, for tampering.
type Entries = BTreeMap<String, Vec<u8>>;

/// A valid archive with two changes and a checkpoint.
async fn good(setup: &Setup) -> Entries {
    let store = setup.open().await;
    let head = written(&store, &made(&store, "deck").await, "published/a.txt", "some words").await;
    store.create_checkpoint(&head.id, "here".into(), CheckpointReason::Manual, me()).await.unwrap();
    let path = setup.folder.path().join("good.jig");
    store.export(&head.id, &path).await.unwrap();
    let mut zip = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
    let mut entries = Entries::new();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        entries.insert(entry.name().unwrap().into_owned(), bytes);
    }
    entries
}

fn zipped(entries: impl IntoIterator<Item = (String, Vec<u8>)>) -> Vec<u8> {
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, bytes) in entries {
        zip.start_file(name, SimpleFileOptions::default()).unwrap();
        zip.write_all(&bytes).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

/// Replaces all occurrences of some bytes by others of the same length.
fn patched(mut bytes: Vec<u8>, from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let places: Vec<usize> =
        bytes.windows(from.len()).enumerate().filter(|(_, w)| *w == from).map(|(at, _)| at).collect();
    assert!(!places.is_empty());
    for at in places {
        bytes[at..at + to.len()].copy_from_slice(to);
    }
    bytes
}

/// A store that is empty before and must be empty after.
struct Target {
    setup: Setup,
    store: Store,
}

impl Target {
    async fn new() -> Self {
        let setup = Setup::local().await;
        let store = setup.open().await;
        Self { setup, store }
    }

    fn file(&self, bytes: &[u8]) -> PathBuf {
        let path = self.setup.folder.path().join("x.jig");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    async fn refuses(&self, bytes: &[u8], why: &str) {
        let found = self.store.import(&self.file(bytes), None, None, me()).await;
        match found {
            Err(StoreError::Archive { why: found }) => assert!(found.contains(why), "“{found}” does not say “{why}”"),
            other => panic!("not refused ({why}): {other:?}"),
        }
        assert_eq!(self.store.heads().await.unwrap(), [], "{why}");
        assert_eq!(self.setup.blob_count(), 0, "{why}");
        let outside = std::fs::read_dir(self.setup.folder.path()).unwrap().count();
        assert!(outside <= 5, "only the database, the blobs and the archive: {why}");
    }
}

fn json_of(entries: &Entries, name: &str) -> Value {
    serde_json::from_slice(&entries[name]).unwrap()
}

fn lines_of(entries: &Entries, name: &str) -> Vec<Value> {
    std::str::from_utf8(&entries[name]).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn to_lines(lines: &[Value]) -> Vec<u8> {
    lines.iter().map(|line| format!("{line}\n")).collect::<String>().into_bytes()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_untampered_archive_is_taken() {
    let entries = good(&Setup::local().await).await;
    let target = Target::new().await;
    let (head, _) = target.store.import(&target.file(&zipped(entries)), None, None, me()).await.unwrap();
    assert_eq!(head.seq, 4);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_no_zip_or_half_a_zip_is_refused() {
    let whole = zipped(good(&Setup::local().await).await);
    let target = Target::new().await;
    target.refuses(b"", "not a zip").await;
    target.refuses(b"no archive at all", "not a zip").await;
    for cut in [whole.len() - 1, whole.len() - 30, whole.len() / 2, 40] {
        target.refuses(&whole[..cut], "").await;
    }
    target.refuses(&whole[40..], "").await;
    let missing = target.store.import(Path::new("/no/such/archive.jig"), None, None, me()).await;
    assert!(matches!(missing, Err(StoreError::Io { .. })), "{missing:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_flipped_byte_is_refused_or_harmless() {
    let entries = good(&Setup::local().await).await;
    let whole = zipped(entries);
    let target = Target::new().await;
    let (reference, _) = target.store.import(&target.file(&whole), None, None, me()).await.unwrap();
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x41;
        match target.store.import(&target.file(&bytes), None, None, me()).await {
            Ok((head, _)) => assert_eq!(head.state, reference.state, "byte {at}"),
            Err(StoreError::Archive { .. }) => {}
            Err(other) => panic!("byte {at}: {other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_entries_are_refused() {
    let entries = good(&Setup::local().await).await;
    let target = Target::new().await;
    let with = |name: &str, bytes: &[u8]| {
        let mut entries = entries.clone();
        entries.insert(name.to_owned(), bytes.to_vec());
        zipped(entries)
    };
    let without = |name: &str| {
        let mut entries = entries.clone();
        entries.remove(name).unwrap();
        zipped(entries)
    };
    for name in
        ["extra.txt", "../../escape", "/etc/passwd", "blobs/../../x", "blobs/short", "BLOBS/x", "jig.json/", "a\\..\\b"]
    {
        target.refuses(&with(name, b"x"), "unexpected entry").await;
    }
    for name in ["jig.json", "journal.jsonl", "checkpoints.jsonl"] {
        target.refuses(&without(name), &format!("{name} is missing")).await;
        target.refuses(&with(name, b"\xff{"), name).await;
    }
    let blobs: Vec<String> = entries.keys().filter(|name| name.starts_with("blobs/")).cloned().collect();
    for name in &blobs {
        target.refuses(&without(name), "is missing").await;
        let mut bytes = entries[name].clone();
        bytes[0] ^= 1;
        target.refuses(&with(name, &bytes), "is damaged").await;
        target.refuses(&with(name, &[bytes.as_slice(), b"x"].concat()), "").await;
    }
    let unneeded = format!("blobs/{}", hash_of(b"unneeded"));
    target.refuses(&with(&unneeded, b"unneeded"), "no state uses the blob").await;

    // The zip writer refuses duplicate names, so a name is patched afterwards.
    let twice = patched(with("jig.jsoX", b"{}"), b"jig.jsoX", b"jig.json");
    target.refuses(&twice, "duplicate").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_words_are_refused() {
    let entries = good(&Setup::local().await).await;
    let target = Target::new().await;
    let about = |change: fn(&mut Value)| {
        let mut about = json_of(&entries, "jig.json");
        change(&mut about);
        let mut entries = entries.clone();
        entries.insert("jig.json".into(), about.to_string().into_bytes());
        zipped(entries)
    };
    target
        .refuses(&about(|about| about["format"] = json!(5)), "it has format 5; this version reads formats up to 4")
        .await;
    target.refuses(&about(|about| about["format"] = json!(0)), "format 0").await;
    target.refuses(&about(|about| about["id"] = json!("../x")), "jig.json is invalid").await;
    target.refuses(&about(|about| about["name"] = json!("a\nb")), "invalid name").await;
    target.refuses(&about(|about| about["seq"] = json!(2)), "does not end at its head").await;
    target.refuses(&about(|about| about["head"] = json!("0".repeat(64))), "does not end at its head").await;
    target.refuses(&about(|about| about["seq"] = json!(-1)), "jig.json is invalid").await;

    let lines = |name: &str, change: fn(&mut Vec<Value>)| {
        let mut lines = lines_of(&entries, name);
        change(&mut lines);
        let mut entries = entries.clone();
        entries.insert(name.into(), to_lines(&lines));
        zipped(entries)
    };
    let journal = |change| lines("journal.jsonl", change);
    target.refuses(&journal(Vec::clear), "its journal is empty").await;
    target.refuses(&journal(|rows| drop(rows.remove(0))), "the journal starts at 2").await;
    target.refuses(&journal(|rows| drop(rows.remove(1))), "lacks rows after 1").await;
    target.refuses(&journal(|rows| drop(rows.pop())), "does not end at its head").await;
    target
        .refuses(&journal(|rows| rows[1]["state_before"] = rows[1]["state_after"].clone()), "does not start at the end")
        .await;
    target.refuses(&journal(|rows| rows[1]["position"] = json!(7)), "undo position").await;
    target.refuses(&journal(|rows| rows[0]["position"] = json!(1)), "undo position").await;
    target.refuses(&journal(|rows| rows[2]["operation"] = json!("JournalUndo")), "undo position").await;
    target.refuses(&journal(|rows| rows[1]["summary"] = json!("a\0b")), "NUL").await;
    target.refuses(&journal(|rows| rows[1]["actor"] = json!({ "type": "person", "name": "\0" })), "NUL").await;
    target.refuses(&journal(|rows| rows[1]["actor"] = json!("me")), "journal.jsonl, line 2").await;
    let checkpoints = |change| lines("checkpoints.jsonl", change);
    target.refuses(&checkpoints(|rows| rows[0]["id"] = json!("x")), "checkpoints.jsonl, line 1").await;
    target.refuses(&checkpoints(|rows| rows[0]["made_by"] = json!(9)), "does not belong to a row").await;
    target.refuses(&checkpoints(|rows| rows[0]["seq"] = json!(9)), "does not belong to a row").await;
    target.refuses(&checkpoints(|rows| rows[0]["state"] = json!("0".repeat(64))), "not in the journal").await;
    target.refuses(&checkpoints(|rows| rows[0]["name"] = json!("")), "an invalid name").await;
    target.refuses(&checkpoints(|rows| rows.push(rows[0].clone())), "is duplicated").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_sessions_are_refused() {
    let (mut entries, target) = (good(&Setup::local().await).await, Target::new().await);
    let id = "0190b6c2-7d3e-7000-8000-000000000001";
    let request = b"a request".to_vec();
    let session = json!({ "id": id, "created_at": 1, "updated_at": 2, "seq": 2, "title": "Sums", "status": "idle",
        "blobs": [hash_of(&request)] });
    let record = |seq: u64| json!({ "session": id, "seq": seq, "at": 1, "version": 1, "derived": false, "event": "{\"type\":\"a\"}" });
    let at = json_of(&entries, "jig.json")["created_at"].clone();
    let timed = |mut value: Value| {
        for name in ["created_at", "updated_at", "at"] {
            if value.get(name).is_some() {
                value[name] = at.clone();
            }
        }
        value
    };
    entries.insert("sessions.jsonl".into(), to_lines(&[timed(session)]));
    entries.insert("session-records.jsonl".into(), to_lines(&[timed(record(1)), timed(record(2))]));
    entries.insert(format!("blobs/{}", hash_of(&request)), request);
    let lines = |name: &str, change: fn(&mut Vec<Value>)| {
        let mut lines = lines_of(&entries, name);
        change(&mut lines);
        let mut entries = entries.clone();
        entries.insert(name.into(), to_lines(&lines));
        zipped(entries)
    };
    let sessions = |change| lines("sessions.jsonl", change);
    let records = |change| lines("session-records.jsonl", change);
    target.refuses(&sessions(|rows| rows[0]["id"] = json!("../x")), "sessions.jsonl, line 1").await;
    target.refuses(&sessions(|rows| rows.push(rows[0].clone())), "is duplicated").await;
    target.refuses(&sessions(|rows| rows[0]["title"] = json!("a\0b")), "NUL").await;
    target.refuses(&sessions(|rows| rows[0]["seq"] = json!(3)), "does not have all of its 3 records").await;
    target.refuses(&sessions(|rows| rows[0]["blobs"] = json!([])), "no state uses the blob").await;
    target.refuses(&sessions(|rows| rows[0]["blobs"][0] = json!("0".repeat(64))), "is missing").await;
    target.refuses(&sessions(Vec::clear), "does not belong to a session").await;
    target.refuses(&records(|rows| drop(rows.remove(0))), "is out of order").await;
    target.refuses(&records(|rows| drop(rows.pop())), "does not have all of its 2 records").await;
    target.refuses(&records(|rows| rows[1]["seq"] = json!(1)), "is out of order").await;
    target.refuses(&records(|rows| rows[1]["event"] = json!("[")), "is not an event").await;
    target.refuses(&records(|rows| rows[1]["event"] = json!("{\"a\":1}")), "is not an event").await;
    target.refuses(&records(|rows| rows[1]["version"] = json!(0)), "has no version").await;
    let (head, _) = target.store.import(&target.file(&zipped(entries.clone())), None, None, me()).await.unwrap();
    let taken = target.store.sessions(&head.id, None, 10).await.unwrap();
    assert_eq!((taken.len(), taken[0].id.as_str(), taken[0].seq), (1, id, 2));
}

/// An archive with one change to a state given as blobs.
fn with_state(entries: &Entries, state: BlobHash, blobs: &[Vec<u8>]) -> Vec<u8> {
    let mut entries = entries.clone();
    let mut about = json_of(&entries, "jig.json");
    let mut rows = lines_of(&entries, "journal.jsonl");
    let (empty, empty_blob) = (hash_of(b"jig-tree 1\n"), b"jig-tree 1\n".to_vec());
    rows.truncate(2);
    rows[1]["state_after"] = json!(state.to_string());
    about["seq"] = json!(2);
    about["head"] = json!(state.to_string());
    entries.retain(|name, _| !name.starts_with("blobs/"));
    entries.insert("jig.json".into(), about.to_string().into_bytes());
    entries.insert("journal.jsonl".into(), to_lines(&rows));
    entries.insert("checkpoints.jsonl".into(), Vec::new());
    entries.insert(format!("blobs/{empty}"), empty_blob);
    for blob in blobs {
        entries.insert(format!("blobs/{}", hash_of(blob)), blob.clone());
    }
    zipped(entries)
}

fn folder(entries: &[(&str, Node)]) -> (Vec<u8>, BlobHash) {
    let tree: Tree = entries.iter().map(|(name, node)| ((*name).to_owned(), *node)).collect();
    let encoded = tree.encode().into_bytes();
    let hash = hash_of(&encoded);
    (encoded, hash)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_folders_are_refused() {
    let entries = good(&Setup::local().await).await;
    let target = Target::new().await;
    let words = b"words".to_vec();
    let file = Node::File { hash: hash_of(&words), bytes: 5 };

    let (tree, state) = folder(&[("a", file)]);
    let path = target.file(&with_state(&entries, state, &[tree, words.clone()]));
    assert!(target.store.import(&path, None, None, me()).await.is_ok(), "made this way, a good one is taken");

    let target = Target::new().await;
    let refuses = async |nodes: &[(&str, Node)], blobs: &[Vec<u8>], why: &str| {
        let (tree, state) = folder(nodes);
        target.refuses(&with_state(&entries, state, &[blobs, &[tree]].concat()), why).await;
    };
    let all = [words.clone()];
    refuses(&[("..", file)], &all, "cannot be read").await;
    refuses(&[("a/b", file)], &all, "cannot be read").await;
    refuses(&[("con", file)], &all, "cannot be read").await;
    refuses(&[("a", file), ("A", file)], &all, "differ only in upper and lower case").await;
    refuses(&[("a", Node::File { hash: hash_of(&words), bytes: 4 })], &all, "larger than declared").await;
    refuses(&[("a", Node::File { hash: hash_of(&words), bytes: 6 })], &all, "does not match its folder").await;
    refuses(&[("a", file), ("b", Node::File { hash: hash_of(&words), bytes: 6 })], &all, "two sizes").await;
    refuses(&[("a", Node::File { hash: hash_of(&words), bytes: u64::MAX })], &all, "too large").await;
    let (inner, inner_hash) = folder(&[("a", file)]);
    let claimed = |bytes, files| [("d", Node::Folder { hash: inner_hash, bytes, files })];
    let with_inner = [words.clone(), inner];
    refuses(&claimed(5, 2), &with_inner, "do not match its parent").await;
    refuses(&claimed(9, 1), &with_inner, "do not match its parent").await;
    refuses(&[("d", Node::Folder { hash: hash_of(&words), bytes: 5, files: 1 })], &all, "cannot be read").await;

    // Very deeply nested folders.
    let (mut blobs, mut inner, mut hash) = (vec![words], None, hash_of(b""));
    for _ in 0..700 {
        let node = inner.map_or(file, |hash| Node::Folder { hash, bytes: 5, files: 1 });
        let (encoded, of) = folder(&[("d", node)]);
        blobs.push(encoded);
        (inner, hash) = (Some(of), of);
    }
    target.refuses(&with_state(&entries, hash, &blobs), "nested too deeply").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bombs_do_not_go_off() {
    let entries = good(&Setup::local().await).await;
    let target = Target::new().await;
    let with = |name: &str, bytes: Vec<u8>| {
        let mut entries = entries.clone();
        entries.insert(name.to_owned(), bytes);
        zipped(entries)
    };
    let spaces = |megabytes: usize| vec![b' '; megabytes << 20];
    target.refuses(&with("jig.json", spaces(64)), "jig.json is too large").await;
    target.refuses(&with("journal.jsonl", spaces(64)), "journal.jsonl is too large").await;

    // A blob that unpacks to more than its folder declares is not read beyond that size.
    let words = b"words".to_vec();
    let (tree, state) = folder(&[("a", Node::File { hash: hash_of(&words), bytes: 5 })]);
    let (from, to) = (hash_of(b"bomb").to_string(), hash_of(&words).to_string());
    let mut bomb = entries.clone();
    bomb.clear();
    let whole = with_state(&entries, state, &[tree]);
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(whole)).unwrap();
    for index in 0..zip.len() {
        let mut entry = zip.by_index(index).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        bomb.insert(entry.name().unwrap().into_owned(), bytes);
    }
    bomb.insert(format!("blobs/{from}"), vec![0; 256 << 20]);
    let bomb = patched(zipped(bomb), from.as_bytes(), to.as_bytes());
    assert!(bomb.len() < 1 << 20);
    target.refuses(&bomb, "larger than declared").await;
}
