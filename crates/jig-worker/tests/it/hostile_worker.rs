//! A worker whose methods attack from inside, after it has confined itself.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use jig_files::engine::FileError;
use jig_worker::{Call, LANDLOCK_ABI, Methods, NO_SANDBOX, Reply, Server, WorkerLimits, WorkerOptions, serve};
use rustix::process::{Pid, Resource, Rlimit, Signal, getpid, getppid, kill_process, setrlimit};
use serde_json::{Value, json};

/// Set for the process that is the worker: the scratch folder.
const FOLDER: &str = "JIG_HOSTILE_WORKER";

/// Set too: how long a call of it may take.
const SECONDS: &str = "JIG_HOSTILE_WORKER_SECONDS";

/// Tries everything, and reports what worked.
struct Hostile;

impl Methods for Hostile {
    fn worker(&self) -> &'static str {
        "hostile"
    }

    fn call(&self, server: &Server<'_>, call: &Call<'_>) -> Result<Reply, FileError> {
        if call.method == "Hang" {
            loop {
                std::hint::spin_loop();
            }
        }
        if call.method == "Work" {
            return Ok(Reply::Result(json!(honest_work(&server.root.folder))));
        }
        let target = call.params["target"].as_str().unwrap_or_default();
        Ok(Reply::Result(json!(attacks(&server.root.folder, Path::new(target), &call.params["port"]))))
    }
}

/// What a worker does all day.
fn honest_work(folder: &Path) -> BTreeMap<&'static str, bool> {
    let draft = folder.join("w/draft");
    let file = draft.join("new");
    BTreeMap::from([
        ("read", std::fs::read(folder.join("w/published/input")).is_ok()),
        ("write", std::fs::write(&file, "x").is_ok() && std::fs::rename(&file, draft.join("newer")).is_ok()),
        ("folder", std::fs::create_dir(draft.join("sub")).is_ok() && std::fs::remove_dir(draft.join("sub")).is_ok()),
        ("thread", std::thread::spawn(|| 7).join().is_ok_and(|seven| seven == 7)),
        ("memory", vec![1_u8; 64 << 20].iter().map(|byte| u64::from(*byte)).sum::<u64>() == 64 << 20),
        ("sync", std::fs::File::create(&file).and_then(|file| file.sync_all()).is_ok()),
    ])
}

fn attacks(folder: &Path, target: &Path, port: &Value) -> BTreeMap<&'static str, bool> {
    let input = folder.join("w/published/input");
    let draft = folder.join("w/draft");
    let port = u16::try_from(port.as_u64().unwrap_or(0)).unwrap_or(0);
    let parent = getppid().unwrap_or(Pid::INIT);
    let mode = |path: &Path| std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o666)).is_ok();
    let unlimited = Rlimit { current: None, maximum: None };
    let time = std::fs::FileTimes::new().set_modified(std::time::SystemTime::UNIX_EPOCH);
    BTreeMap::from([
        ("read the target", std::fs::read(target).is_ok()),
        ("write the target", std::fs::OpenOptions::new().write(true).open(target).is_ok()),
        ("list the target's folder", target.parent().is_some_and(|folder| std::fs::read_dir(folder).is_ok())),
        ("remove the target", std::fs::remove_file(target).is_ok()),
        ("write an input", std::fs::OpenOptions::new().write(true).open(&input).is_ok()),
        (
            "empty an input by opening it",
            std::fs::OpenOptions::new().read(true).custom_flags(libc::O_TRUNC).open(&input).is_ok(),
        ),
        (
            "empty an input in another way",
            rustix::fs::openat2(
                rustix::fs::CWD,
                &input,
                rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::TRUNC,
                rustix::fs::Mode::empty(),
                rustix::fs::ResolveFlags::empty(),
            )
            .is_ok(),
        ),
        ("replace an input", std::fs::write(folder.join("w/published/new"), "x").is_ok()),
        ("change the mode of an input", mode(&input)),
        ("change the mode of the target", mode(target)),
        ("change the times of an input", std::fs::File::open(&input).is_ok_and(|file| file.set_times(time).is_ok())),
        ("link an input", std::fs::hard_link(&input, draft.join("hard")).is_ok()),
        ("link the target", std::fs::hard_link(target, draft.join("hard")).is_ok()),
        (
            "read through a link",
            symlink(target, draft.join("link")).is_ok() && std::fs::read(draft.join("link")).is_ok(),
        ),
        ("signal the parent", kill_process(parent, Signal::CONT).is_ok()),
        ("signal everyone", rustix::process::kill_current_process_group(Signal::CONT).is_ok()),
        ("signal init", kill_process(Pid::INIT, Signal::CONT).is_ok()),
        ("open the parent", rustix::process::pidfd_open(parent, rustix::process::PidfdFlags::empty()).is_ok()),
        ("raise its memory", setrlimit(Resource::As, unlimited).is_ok()),
        ("raise its files", setrlimit(Resource::Nofile, unlimited).is_ok()),
        ("limit its parent", rustix::process::prlimit(Some(parent), Resource::Nofile, unlimited).is_ok()),
        ("connect", std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()),
        ("listen", std::net::TcpListener::bind("127.0.0.1:0").is_ok()),
        ("send a datagram", std::net::UdpSocket::bind("127.0.0.1:0").is_ok()),
        ("a socket of the machine", std::os::unix::net::UnixListener::bind(draft.join("socket")).is_ok()),
        ("a pair of sockets", std::os::unix::net::UnixStream::pair().is_ok()),
        ("run a program", Command::new("/bin/true").spawn().is_ok()),
        ("read its own memory", std::fs::read("/proc/self/maps").is_ok()),
        ("read its parent's variables", std::fs::read(format!("/proc/{}/environ", parent.as_raw_nonzero())).is_ok()),
        ("change its root", rustix::process::chroot(&draft).is_ok()),
        (
            "make a pipe",
            rustix::fs::mknodat(
                rustix::fs::CWD,
                draft.join("fifo"),
                rustix::fs::FileType::Fifo,
                rustix::fs::Mode::RWXU,
                0,
            )
            .is_ok(),
        ),
    ])
}

/// The worker itself, in a process of its own. As a test of the suite it does nothing.
#[test]
fn worker_process() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    let seconds = std::env::var_os(SECONDS).unwrap().to_str().unwrap().parse().unwrap();
    let limits = WorkerLimits { memory_bytes: None, cpu_seconds: Some(60), writable: Some(folder.join("w/draft")) };
    let options =
        WorkerOptions { limits: Some(limits), call_seconds: Some(seconds), ..WorkerOptions::new(folder, || None) };
    serve(&options, &Hostile, BufReader::new(std::io::stdin()), std::io::stdout()).unwrap();
    kill_process(getpid(), Signal::KILL).unwrap();
}

fn scratch() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for root in ["draft", "published"] {
        std::fs::create_dir_all(folder.path().join("w").join(root)).unwrap();
    }
    std::fs::write(folder.path().join("w/published/input"), "input").unwrap();
    folder
}

/// Calls a hostile worker once for each request.
fn calls(folder: &Path, seconds: u64, requests: &[Value]) -> Vec<Value> {
    calls_with(&[], folder, seconds, requests)
}

/// The same with further variables.
fn calls_with(variables: &[(&str, &str)], folder: &Path, seconds: u64, requests: &[Value]) -> Vec<Value> {
    let mut worker = Command::new(std::env::current_exe().unwrap())
        .args(["hostile_worker::worker_process", "--exact", "--nocapture", "--test-threads=1"])
        .envs(variables.iter().copied())
        .env(FOLDER, folder)
        .env(SECONDS, seconds.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = worker.stdin.take().unwrap();
    let mut lines = BufReader::new(worker.stdout.take().unwrap()).lines().map_while(Result::ok);
    let mut replies = Vec::new();
    for (id, request) in requests.iter().enumerate() {
        let mut request = request.clone();
        request["jsonrpc"] = "2.0".into();
        request["id"] = id.into();
        writeln!(input, "{request}").unwrap();
        // The harness writes lines of its own.
        let reply = lines.by_ref().find_map(|line| serde_json::from_str::<Value>(&line[line.find('{')?..]).ok());
        replies.push(reply.expect("a reply for every request"));
    }
    drop(input);
    let _ = worker.wait();
    replies
}

/// The thread that works cannot be stopped; another one answers in its place and ends the process.
#[test]
fn a_call_that_never_ends_is_answered_and_the_process_ends() {
    let folder = scratch();
    let hang = [json!({ "method": "WorkerGetInfo" }), json!({ "method": "Hang" })];
    let replies = calls(folder.path(), 1, &hang);
    assert_eq!(replies[0]["result"]["worker"], "hostile");
    let error = &replies[1]["error"];
    assert_eq!((&replies[1]["id"], &error["data"]["error_code"]), (&json!(1), &json!("TOOL_WORKER_UNAVAILABLE")));
    assert_eq!(error["message"], "the call timed out after 1 seconds; nothing was changed");
}

/// The isolation that a worker reports, and the attacks that succeeded. Its own work must succeed before and after.
fn attacked(variables: &[(&str, &str)]) -> (Value, Vec<String>) {
    let folder = scratch();
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("secret");
    std::fs::write(&target, "secret").unwrap();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let replies = calls_with(
        variables,
        folder.path(),
        300,
        &[
            json!({ "method": "WorkerGetInfo" }),
            json!({ "method": "Work" }),
            json!({ "method": "Attack", "params": { "target": target, "port": port } }),
            json!({ "method": "Work" }),
        ],
    );
    let attacks = replies[2]["result"].as_object().unwrap();
    assert!(attacks.len() > 20);
    let worked: Vec<String> = attacks.iter().filter(|(_, ok)| **ok == true).map(|(name, _)| name.clone()).collect();
    // A successful attack may have broken the worker itself.
    for honest in [Some(&replies[1]), worked.is_empty().then_some(&replies[3])].into_iter().flatten() {
        let failed: Vec<_> = honest["result"].as_object().unwrap().iter().filter(|(_, ok)| **ok != true).collect();
        assert!(failed.is_empty(), "{variables:?}: a worker cannot do its work: {failed:?}");
    }
    if worked.is_empty() {
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "secret");
        assert_eq!(std::fs::read_to_string(folder.path().join("w/published/input")).unwrap(), "input");
    }
    (replies[0]["result"]["isolation"].clone(), worked)
}

/// Also where Landlock is of an older version: what it lacks, seccomp forbids.
#[test]
fn a_worker_that_was_taken_over_can_work_but_not_attack() {
    if !crate::can_confine() {
        return;
    }
    let (isolation, worked) = attacked(&[]);
    assert_eq!((&isolation["network"], worked.as_slice()), (&json!("full"), &[][..]));
    for version in ["1", "2", "3", "4", "5"] {
        let (isolation, worked) = attacked(&[(LANDLOCK_ABI, version)]);
        assert_eq!((&isolation["files"], &isolation["network"]), (&json!("partly"), &json!("full")), "{version}");
        assert!(worked.is_empty(), "version {version}: attacks that worked: {worked:?}");
    }
}

/// The part that the system has is enforced, and the missing one is reported.
#[test]
fn what_a_system_lacks_is_reported_and_the_rest_holds() {
    if !crate::can_confine() {
        return;
    }
    let files = ["read the target", "write the target", "remove the target", "write an input", "link the target"];
    let calls = ["connect", "listen", "send a datagram", "signal the parent", "change the mode of an input"];
    for (variables, state, held, open) in [
        ((NO_SANDBOX, "landlock"), ["no", "full"], &calls[..], "read the target"),
        ((LANDLOCK_ABI, "0"), ["no", "full"], &calls[..], "read the target"),
        ((NO_SANDBOX, "seccomp"), ["full", "no"], &files[..], "change the mode of an input"),
        ((NO_SANDBOX, "1"), ["no", "no"], &[][..], "read the target"),
    ] {
        let (isolation, worked) = attacked(&[variables]);
        assert_eq!([&isolation["files"], &isolation["network"]], state, "{variables:?}");
        let broken: Vec<_> = held.iter().filter(|attack| worked.iter().any(|one| one == *attack)).collect();
        assert!(broken.is_empty(), "{variables:?}: {broken:?}");
        assert!(worked.iter().any(|attack| attack == open), "{variables:?}: the test shows nothing: {worked:?}");
    }
}
