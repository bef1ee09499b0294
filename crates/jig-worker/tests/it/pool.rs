//! The pool against a worker that returns what it should not: a script in the worker's place.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use jig_store::{Blobs, FileNode, TemporaryFolder};
use jig_worker::Method;
use jig_worker::{Done, FileWork, Input, Isolation, Job, for_workbench};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// A home with a store and a worker that runs this for each call. In it `$out` is the folder for the result of the call,
/// `$in` that of the inputs and `$secret` a file that the worker has no right to.
struct Home {
    folder: tempfile::TempDir,
    blobs: Blobs,
    work: FileWork,
    file: FileNode,
}

impl Home {
    async fn new(attack: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = folder.path().join("secret");
        std::fs::write(&secret, "secret").unwrap();
        let program = folder.path().join("worker");
        let version = env!("CARGO_PKG_VERSION");
        let script = format!(
            "#!/bin/bash\nscratch=\"$3\"; secret='{secret}'; id=0\n\
             read -r _; id=1; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"version\":\"{version}\",\"isolation\":{{\"files\":\"full\"}}}}}}'\n\
             while read -r line; do\n\
             id=$((id+1)); in=\"$scratch/w/published\"; out=\"$scratch/w/draft/$id\"; draft=\"$scratch/w/draft\"\n\
             {{ {attack}\n }} >/dev/null 2>&1\n\
             echo \"{{\\\"jsonrpc\\\":\\\"2.0\\\",\\\"id\\\":$id,\\\"result\\\":{{\\\"ok\\\":true,\\\"pid\\\":$$}}}}\"\ndone\n",
            secret = secret.display(),
        );
        std::fs::write(&program, script).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
        let blobs = Blobs::folder(folder.path().join("blobs")).unwrap();
        let bytes = &b"a file of a person"[..];
        let file = FileNode { hash: blobs.put(bytes).await.unwrap(), bytes: bytes.len() as u64 };
        let isolation = Isolation { seconds: 20, ..Isolation::new(program) };
        let work = FileWork::isolated(isolation, TemporaryFolder::below(folder.path().join("scratch")));
        Self { folder, blobs, work, file }
    }

    fn with(self, isolation: Isolation) -> Self {
        let scratch = TemporaryFolder::below(self.folder.path().join("scratch"));
        Self { work: FileWork::isolated(isolation, scratch), ..self }
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("worker")
    }

    fn blob(&self) -> PathBuf {
        self.blobs.local_path(&self.file.hash).unwrap()
    }

    async fn run(&self, method: &str) -> Result<Done, String> {
        self.run_for("one", method, &CancellationToken::new()).await
    }

    async fn run_for(&self, workbench: &str, method: &str, cancel: &CancellationToken) -> Result<Done, String> {
        let input = Input { name: "a.txt".to_owned(), file: self.file, converted: None };
        let job = Job {
            method: Method::find(method).unwrap(),
            params: json!({ "ops": [] }),
            input: Some(input.clone()),
            source: Some(input),
            beside: Vec::new(),
            now: String::new(),
            allow_outside_formulas: false,
        };
        let done = self.work.run(&self.blobs, job, cancel);
        for_workbench(workbench, done).await.map_err(|error| error.to_string())
    }

    fn is_unharmed(&self) {
        assert_eq!(std::fs::read_to_string(self.folder.path().join("secret")).unwrap(), "secret");
        assert_eq!(std::fs::read_to_string(self.blob()).unwrap(), "a file of a person");
    }
}

fn mode(path: &Path) -> u32 {
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

#[tokio::test]
async fn results_are_taken_only_if_they_are_plain_files_of_the_worker() {
    let home = Home::new("printf result > \"$out/edited.txt\"").await;
    assert_eq!(home.run("TextApplyOps").await.unwrap().output.unwrap(), "result");
    let attacks = [
        "ln -s \"$secret\" \"$out/edited.txt\"",
        "ln -s ../../published \"$out/x\"; ln -s x/* \"$out/edited.txt\"",
        "ln \"$secret\" \"$out/edited.txt\"",
        "ln \"$in\"/* \"$out/edited.txt\"",
        "mkdir \"$out/edited.txt\"",
        "truncate -s 3G \"$out/edited.txt\"",
        "rmdir \"$out\"; ln -s \"$(dirname \"$secret\")\" \"$out\"; cp \"$secret\" \"$out/edited.txt\"",
        "true",
    ];
    for attack in attacks {
        let home = Home::new(attack).await;
        let outcome = home.run("TextApplyOps").await;
        assert!(outcome.is_err(), "{attack}: {outcome:?}");
        home.is_unharmed();
    }
}

/// The next call copies a file into the worker's folder: where the worker expects it, a link waits.
#[tokio::test]
async fn nothing_is_written_through_what_a_worker_left_behind() {
    for trap in [
        "for n in 1 2 3 4 5 6; do mkdir -p \"$draft/$n\"; ln -sf \"$secret\" \"$draft/$n/edited.txt\"; done",
        "ln -sfn \"$(dirname \"$secret\")\" \"$draft/3\"; ln -sfn \"$(dirname \"$secret\")\" \"$draft/4\"",
    ] {
        let home = Home::new(&format!("{trap}; true")).await;
        for _ in 0..3 {
            let _ = home.run("FileRevert").await;
        }
        home.is_unharmed();
        assert!(!home.folder.path().join("edited.txt").exists(), "{trap}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn inputs_and_other_processes_are_out_of_a_workers_reach() {
    if !crate::can_confine() {
        return;
    }
    let attack = "chmod 777 \"$in\"/*; chmod 777 \"$secret\"; touch -t 200001010000 \"$in\"/*; echo x > \"$secret\"; \
                  for f in \"$in\"/*; do echo x > \"$f\"; done; rm -f \"$in\"/*; mv \"$in\" \"$draft/in\"; kill -9 $PPID; \
                  echo x > \"$scratch/../x\"; printf result > \"$out/edited.txt\"";
    let home = Home::new(attack).await;
    let before = mode(&home.blob());
    let modified = std::fs::metadata(home.blob()).unwrap().modified().unwrap();
    assert_eq!(home.run("TextApplyOps").await.unwrap().output.unwrap(), "result");
    home.is_unharmed();
    assert_eq!(mode(&home.blob()), before);
    assert_eq!(std::fs::metadata(home.blob()).unwrap().modified().unwrap(), modified);
    assert!(!home.folder.path().join("scratch/x").exists());
}

/// A worker may have been taken over by a file of its first workbench.
#[tokio::test]
async fn a_worker_works_for_one_workbench_only() {
    let home = Home::new("printf result > \"$out/edited.txt\"").await;
    let call = async |workbench: &str| {
        let input = Input { name: "a.txt".to_owned(), file: home.file, converted: None };
        let method = Method::find("TextApplyOps").unwrap();
        let job = Job {
            method,
            params: json!({ "ops": [] }),
            input: Some(input),
            source: None,
            beside: Vec::new(),
            now: String::new(),
            allow_outside_formulas: false,
        };
        let cancel = CancellationToken::new();
        let done = home.work.run(&home.blobs, job, &cancel);
        let done = if workbench.is_empty() { done.await } else { for_workbench(workbench, done).await };
        done.unwrap().result["pid"].as_u64().unwrap()
    };
    let (a, b) = (call("a").await, call("b").await);
    assert_ne!(a, b);
    assert_eq!((call("a").await, call("b").await), (a, b), "the worker of a workbench is kept");
    // Work for no workbench in particular shares a worker with nothing.
    let (one, other) = (call("").await, call("").await);
    assert!(one != other && ![a, b].contains(&one) && ![a, b].contains(&other));
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_ended_and_the_next_gets_another_worker() {
    let home = Home::new("[ -e \"$secret.slow\" ] && sleep 600; printf result > \"$out/edited.txt\"").await;
    let isolation = Isolation { seconds: 1, ..Isolation::new(home.folder.path().join("worker")) };
    let home = home.with(isolation);
    let slow = home.folder.path().join("secret.slow");
    std::fs::write(&slow, "").unwrap();
    let error = home.run("TextApplyOps").await.unwrap_err();
    assert!(error.contains("timed out after 1 seconds"), "{error}");
    std::fs::remove_file(slow).unwrap();
    assert_eq!(home.run("TextApplyOps").await.unwrap().output.unwrap(), "result");
}

/// Creates `started`, and waits until the file `secret.slow` is deleted.
const SLOW: &str = "touch \"$out/started\"; while [ -e \"$secret.slow\" ]; do sleep 0.05; done; \
                    printf result > \"$out/edited.txt\"";

async fn until_started(home: &Home) {
    fn finds(folder: &Path) -> bool {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
        entries.into_iter().any(|path| path.ends_with("started") || (path.is_dir() && finds(&path)))
    }
    while !finds(&home.folder.path().join("scratch")) {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_workbench_with_a_long_queue_delays_others_by_one_call_only() {
    let home = Home::new(SLOW).await;
    let isolation = Isolation { seconds: 20, workers: 1, ..Isolation::new(home.program()) };
    let home = home.with(isolation);
    let slow = home.folder.path().join("secret.slow");
    std::fs::write(&slow, "").unwrap();
    let order = std::sync::Mutex::new(Vec::new());
    let cancel = CancellationToken::new();
    let call = async |workbench: &'static str| {
        Box::pin(home.run_for(workbench, "TextApplyOps", &cancel)).await.unwrap();
        order.lock().unwrap().push(workbench);
    };
    // They are polled, and so queued, in this order.
    let rest = async {
        until_started(&home).await;
        let end = async {
            std::fs::remove_file(&slow).unwrap();
        };
        tokio::join!(call("busy"), call("busy"), call("busy"), call("busy"), call("other"), end);
    };
    tokio::join!(call("busy"), rest);
    assert_eq!(*order.lock().unwrap(), ["busy", "busy", "other", "busy", "busy", "busy"]);
}

#[tokio::test]
async fn a_cancelled_call_does_not_wait_for_a_worker() {
    let home = Home::new(SLOW).await;
    let isolation = Isolation { seconds: 20, workers: 1, ..Isolation::new(home.program()) };
    let home = home.with(isolation);
    let slow = home.folder.path().join("secret.slow");
    std::fs::write(&slow, "").unwrap();
    let (stays, gives_up) = (CancellationToken::new(), CancellationToken::new());
    let others = async {
        until_started(&home).await;
        let canceled = async {
            let calls = std::iter::repeat_with(|| Box::pin(home.run_for("two", "TextApplyOps", &gives_up)));
            for outcome in futures::future::join_all(calls.take(100)).await {
                assert!(outcome.unwrap_err().contains("cancelled"));
            }
        };
        // First all are queued, then all are cancelled.
        tokio::join!(canceled, async { gives_up.cancel() });
        std::fs::remove_file(&slow).unwrap();
    };
    let (done, ()) = tokio::join!(Box::pin(home.run_for("one", "TextApplyOps", &stays)), others);
    assert_eq!(done.unwrap().output.unwrap(), "result");
    assert_eq!(home.run("TextApplyOps").await.unwrap().output.unwrap(), "result");
}

/// Programs that never answer as a worker, or never stop sending.
#[tokio::test]
async fn a_program_that_does_not_answer_as_a_worker_is_killed_and_its_slot_is_free() {
    let version = env!("CARGO_PKG_VERSION");
    let hello = format!(
        "read -r _; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{\"version\":\"{version}\"}}}}'; read -r _"
    );
    let cases = [
        ("sleep 600".to_owned(), "did not start in time"),
        ("while :; do printf x; done".to_owned(), "did not start in time"),
        ("echo not JSON; sleep 600".to_owned(), "could not be started"),
        ("exit 3".to_owned(), "could not be started"),
        (format!("{hello}; head -c 200000000 /dev/zero | tr '\\0' x; sleep 600"), "stopped answering"),
        (format!("{hello}; while :; do printf x; sleep 0.01; done"), "timed out"),
        (format!("{hello}; echo '{{}}'; sleep 600"), "stopped answering"),
        (format!("{hello}; exec >&-; sleep 600"), "stopped answering"),
    ];
    for (script, words) in cases {
        let home = Home::new("printf result > \"$out/edited.txt\"").await;
        let good = std::fs::read(home.program()).unwrap();
        let isolation = Isolation { seconds: 3, workers: 1, ..Isolation::new(home.program()) };
        let home = home.with(isolation);
        std::fs::write(home.program(), format!("#!/bin/bash\n{script}\n")).unwrap();
        let error = home.run("TextApplyOps").await.unwrap_err();
        assert!(error.contains(words), "{script}: {error}");
        std::fs::write(home.program(), good).unwrap();
        assert_eq!(home.run("TextApplyOps").await.unwrap().output.unwrap(), "result", "{script}");
    }
}
