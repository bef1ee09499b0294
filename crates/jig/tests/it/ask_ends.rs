//! `jig ask` when it is refused, interrupted or killed: what it leaves behind, reports, and how to resume.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use jig_fake_model::{Answer, Habits, Reply};

use crate::ask::{DEMO, with_bank, with_server};
use crate::environment::TestEnvironment;

fn sessions(environment: &TestEnvironment) -> usize {
    let list = environment.jig(&["session", "list", "--json"]).json();
    list["sessions"].as_array().unwrap().len()
}

#[test]
fn a_refused_task_leaves_no_session() {
    let environment = with_bank();
    for (arguments, code, word) in [
        (&["x"][..], "PROVIDER_NOT_CONFIGURED", "offline:demo"),
        (&["x", "--model", "nobody:knows"], "PROVIDER_NOT_CONFIGURED", "nobody"),
        (&["x", "--model", "offline:demo", "--max-tokens", "0"], "VALIDATION_FAILED", "leave it out"),
        (&["x", "--model", "offline:demo", "--max-cost", "0"], "VALIDATION_FAILED", "leave it out"),
        (&["x", "--model", "offline:demo", "--max-seconds", "0"], "VALIDATION_FAILED", "leave it out"),
        (&["x", "--model", "offline:demo", "--pack", "nobody"], "VALIDATION_FAILED", "available: "),
        (&["x", "--model", "offline:demo", "--catalog", "nobody"], "VALIDATION_FAILED", "available: "),
        // Checked before a model is resolved.
        (&[""], "VALIDATION_FAILED", "jig ask"),
        (&[" \n\t"], "VALIDATION_FAILED", "jig ask"),
    ] {
        let ran = environment.jig(&[&["ask", "--json"][..], arguments].concat());
        assert_eq!(ran.failure().1, code, "{arguments:?}");
        assert!(ran.stderr.contains(word), "{arguments:?}: {ran:?}");
        assert_eq!(sessions(&environment), 0, "{arguments:?}");
    }
    let blank = environment.jig_with(&["ask", "-", "--json"], b"\n \n");
    assert_eq!(blank.failure().1, "VALIDATION_FAILED");
    assert_eq!(sessions(&environment), 0);
    let _ = environment.jig(&[&["ask", "Add it up"][..], &DEMO].concat()).success();
    assert_eq!(sessions(&environment), 1);
    // A refused request for a second session leaves none behind, and neither does a blank first task.
    for arguments in [&["x", "--new"][..], &["  "]] {
        let _ = environment.jig(&[&["ask", "--json"][..], arguments].concat()).failure();
        assert_eq!(sessions(&environment), 1, "{arguments:?}");
    }
}

#[test]
fn a_task_that_nobody_agreed_to_send_leaves_no_session() {
    let (_runtime, server, environment) = with_server();
    let ran = environment.jig(&["ask", "x", "--json"]);
    assert_eq!(ran.failure().1, "EGRESS_CONSENT_REQUIRED");
    assert_eq!((sessions(&environment), server.requests().len()), (0, 0));
}

/// Checks that a run pauses after this many bad answers, reports it, and can be resumed. The model then makes a
/// successful call, because a run whose last call failed counts as failed.
fn pauses_and_resumes(broken: impl Fn() -> Reply, times: usize, code: &str) {
    let (_runtime, server, environment) = with_server();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    for _ in 0..times {
        server.reply(broken());
    }
    server.reply(Reply::answer(Answer::text("").and_call("m2", "list_files", "{}")));
    server.reply(Reply::text("Here it is."));
    let stood = environment.jig(&["ask", "How much?", "--mode", "ask"]);
    assert_ne!(stood.code, 0, "{stood:?}");
    for word in [code, "is paused", "`jig ask --resume` resumes it", "jig workshop cancel"] {
        assert!(stood.stderr.contains(word), "{word}: {stood:?}");
    }
    assert_eq!(stood.stdout, "", "no answer is pretended");
    let list = environment.jig(&["session", "list", "--json"]).json();
    assert_eq!(list["sessions"][0]["status"], "suspended");
    assert!(environment.jig(&["ask", "--resume"]).success().contains("Here it is."));
}

#[test]
fn cut_streams_pause_the_run_and_say_so() {
    let cut = Habits { cut_after: Some(4), ..Habits::default() };
    // The first bad answer is retried.
    let broken = || Reply::text("this is broken off in the middle").with(cut);
    pauses_and_resumes(broken, 2, "PROVIDER_UNAVAILABLE");
}

#[test]
fn malformed_calls_pause_the_run_and_say_so() {
    // Each malformed call gets an error result; the third in a row pauses the run.
    let half = || Reply::answer(Answer::text("").and_call("m1", "read_file", "{\"path\": \"bank"));
    pauses_and_resumes(half, 3, "MODEL_ANSWER_UNUSABLE");
}

/// Starts a task and waits until the model is called.
fn begun(environment: &TestEnvironment, asked: impl Fn() -> usize) -> Child {
    let child = environment
        .command()
        .args(["ask", "How much?", "--mode", "ask"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while asked() == 0 {
        assert!(Instant::now() < patience, "the model is never asked");
        std::thread::sleep(Duration::from_millis(20));
    }
    child
}

/// Starts a task and kills the program while the model answers.
fn killed(environment: &TestEnvironment, asked: impl Fn() -> usize) {
    let mut child = begun(environment, asked);
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    let _ = child.wait().unwrap();
}

#[test]
fn after_a_kill_resume_says_that_it_waits_and_goes_on() {
    let (_runtime, server, mut environment) = with_server();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    let hangs = || Reply::text("for ever").with(Habits { hang_after: Some(1), ..Habits::default() });
    server.reply(hangs());
    environment.set("JIG_JOBS_LEASE_SECONDS", "5");
    killed(&environment, || server.requests().len());
    // The lease of the killed process counts, not the setting of the one that resumes.
    environment.set("JIG_JOBS_LEASE_SECONDS", "1");
    server.reply(Reply::text("Here it is."));
    let began = Instant::now();
    let resumed = environment.jig(&["ask", "--resume"]);
    assert!(resumed.stderr.contains("resuming run 1 at research"), "{resumed:?}");
    assert!(resumed.stderr.contains("waiting up to ") && resumed.stderr.contains(" s for the lock"), "{resumed:?}");
    assert!(!resumed.stderr.contains("RUN_ACTIVE"), "{resumed:?}");
    assert!(resumed.success().contains("Here it is."));
    assert!(began.elapsed() > Duration::from_secs(2), "it had to wait");
}

#[test]
fn a_worker_that_is_dead_for_long_holds_nothing_up() {
    let (_runtime, server, mut environment) = with_server();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    server.reply(Reply::text("for ever").with(Habits { hang_after: Some(1), ..Habits::default() }));
    environment.set("JIG_JOBS_LEASE_SECONDS", "1");
    killed(&environment, || server.requests().len());
    std::thread::sleep(Duration::from_millis(1_500));
    server.reply(Reply::text("Here it is."));
    let resumed = environment.jig(&["ask", "--resume"]);
    assert!(!resumed.stderr.contains("waiting"), "{resumed:?}");
    assert!(resumed.success().contains("Here it is."));
}

#[test]
fn somebody_who_is_alive_is_not_waited_for() {
    let (_runtime, server, environment) = with_server();
    let _ = environment.jig(&["consent", "grant", "openai:gpt-5.2", "--reach", "all"]).success();
    server.reply(Reply::text("for ever").with(Habits { hang_after: Some(1), ..Habits::default() }));
    let mut child = begun(&environment, || server.requests().len());
    let began = Instant::now();
    let busy = environment.jig(&["ask", "--resume"]);
    child.kill().unwrap();
    let _ = child.wait().unwrap();
    assert!(busy.stderr.contains("RUN_ACTIVE") && busy.stderr.contains("somebody else is at work"), "{busy:?}");
    assert!(began.elapsed() < Duration::from_secs(30), "a sign of life is seen within a second or two");
}
