//! Many files and many threads.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::*;

#[tokio::test]
async fn ten_thousand_files_are_shown_and_only_what_changed_is_touched() {
    let mut bench = Bench::showing([]).await;
    let hash = bench.store.blobs().put("same").await.unwrap();
    let path = |n: u32| format!("published/{:02}/file {n:04} ü.txt", n % 50);
    let edits: Vec<_> = (0..10_000).map(|n| TreeEdit::File { path: path(n), hash, bytes: 4 }).collect();
    bench.commit(&edits).await;
    assert_eq!(bench.write().await, ViewReport { written: 10_000, removed: 0, left_alone: vec![] });
    assert_eq!(bench.scan().await, Scan::default());
    assert_eq!(bench.view.check(&bench.store, bench.head).await.unwrap(), []);
    bench.put(&path(1), "by hand");
    bench.put("published/00/new", "new");
    std::fs::remove_file(bench.at(&path(2))).unwrap();
    let scan = bench.scan().await;
    assert_eq!(scan, changes(&[removed(&path(2)), written("published/00/new", "new"), written(&path(1), "by hand")]));
    assert_eq!(bench.take_in(&scan.changes).await, ViewReport::default());
    bench.commit_text(&path(3), "from the head").await;
    assert_eq!(bench.write().await, ViewReport { written: 1, removed: 0, left_alone: vec![] });
    bench.commit(&[TreeEdit::Remove { path: "published".to_owned() }]).await;
    assert_eq!(bench.write().await, ViewReport { written: 0, removed: 10_000, left_alone: vec![] });
    bench.assert_settled().await;
}

#[tokio::test]
async fn ten_thousand_files_are_dropped_in() {
    let mut bench = Bench::showing([]).await;
    for n in 0..10_000 {
        bench.put(&format!("published/{}/{n}.txt", n % 10), "same");
    }
    let scan = bench.scan().await;
    assert_eq!((scan.changes.len(), scan.left_alone.len(), scan.behind), (10_000, 0, false));
    assert_eq!(bench.take_in(&scan.changes).await, ViewReport::default());
    assert_eq!(bench.scan().await, Scan::default());
}

#[test]
fn the_lock_is_held_by_one_thread_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let view = View::new(folder.path().join("view"));
    let (held, entered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    std::thread::scope(|scope| {
        for _ in 0..8 {
            let (view, held, entered) = (view.clone(), Arc::clone(&held), Arc::clone(&entered));
            scope.spawn(move || {
                for _ in 0..50 {
                    let lock = wait_for_lock(&view);
                    assert!(!held.swap(true, Ordering::SeqCst), "two hold the lock");
                    std::thread::yield_now();
                    entered.fetch_add(1, Ordering::SeqCst);
                    held.store(false, Ordering::SeqCst);
                    drop(lock);
                }
            });
        }
    });
    assert_eq!(entered.load(Ordering::SeqCst), 400);
}

#[test]
fn the_lock_of_another_process_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let view = View::new(folder.path());
    drop(wait_for_lock(&view));
    // Takes the lock, reports it, waits for a line, leaves a trace, and exits.
    let script = "exec 9<>.jig/lock; flock 9; echo held; read -r _; echo done > trace";
    let mut other = std::process::Command::new("sh")
        .args(["-c", script])
        .current_dir(folder.path())
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(other.stdout.take().unwrap()), &mut line).unwrap();
    assert_eq!(line, "held\n");
    let waiting = std::thread::spawn(move || drop(wait_for_lock(&view)));
    assert!(!waiting.is_finished());
    std::io::Write::write_all(&mut other.stdin.take().unwrap(), b"go\n").unwrap();
    waiting.join().unwrap();
    assert_eq!(std::fs::read_to_string(folder.path().join("trace")).unwrap(), "done\n");
    assert!(other.wait().unwrap().success());
}

#[test]
fn a_lock_on_a_folder_that_was_removed_guards_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let view = View::new(folder.path().join("view"));
    let first = wait_for_lock(&view);
    let other = view.clone();
    let waiting = std::thread::spawn(move || wait_for_lock(&other));
    view.remove().unwrap();
    drop(first);
    let second = waiting.join().unwrap();
    let lock = std::fs::File::open(folder.path().join("view/.jig/lock")).unwrap();
    assert!(lock.try_lock().is_err(), "the lock that is held is the one that others find");
    drop(second);
    lock.try_lock().unwrap();
}

fn wait_for_lock(view: &View) -> jig_store::ViewLock {
    loop {
        if let Some(lock) = view.try_lock().unwrap() {
            return lock;
        }
        std::thread::yield_now();
    }
}
