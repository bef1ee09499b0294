//! How runs end with realistic model behaviour, over real HTTP: malformed, truncated, refused, looping, contradictory,
//! parallel, huge, slow, empty, prose around JSON, several languages. Each row states the end of the run, its code, the
//! content of the Draft and the number of calls; for every row, usage is counted and the session replays.

use std::time::Duration;

use jig_fake_model::{Answer, Habits, Piece, Reply, Stop};
use jig_testkit::ID;
use serde_json::{Value, json};

use crate::model_home::{MODEL, ModelHome};
use crate::session_home::events;

/// A behaviour and its expected outcome.
struct Row {
    name: &'static str,
    mode: &'static str,
    replies: Vec<Reply>,
    end: End,
    /// The files of the Draft; empty if there must be no Draft.
    draft: &'static [&'static str],
}

enum End {
    /// The run completes, and its answer contains this.
    Answered(&'static str),
    /// The run pauses with this code, and the reason contains this.
    Paused(&'static str, &'static str),
    /// The run fails.
    Failed(&'static str),
    /// The run completes with this plan.
    Planned(&'static str),
}

/// A complete answer without any output.
const NO_OUTPUT: &str = r#"{"status":"completed","output":[],"usage":{"input_tokens":100,"output_tokens":1}}"#;

fn says(text: &str) -> Reply {
    Reply::text(text)
}

fn ends(text: &str, stop: Stop) -> Reply {
    Reply::answer(Answer::text(text).ending(stop))
}

fn calls(list: &[(&str, &str)]) -> Reply {
    let mut answer = Answer::text("");
    for (at, (tool, arguments)) in list.iter().enumerate() {
        answer = answer.and_call(&format!("c{at}"), tool, arguments);
    }
    Reply::answer(answer)
}

fn writes(path: &str) -> Reply {
    calls(&[("write_text_file", &json!({ "path": path, "text": "x\n" }).to_string())])
}

/// Replies for research and plan, so that the rest applies to the first item.
fn planned(rest: Vec<Reply>) -> Vec<Reply> {
    [vec![says("found"), says("- [ ] one")], rest].concat()
}

fn cut(text: &str) -> Reply {
    says(text).with(Habits { cut_after: Some(3), ..Habits::default() })
}

fn direct(name: &'static str, replies: Vec<Reply>, end: End, draft: &'static [&'static str]) -> Row {
    Row { name, mode: "direct", replies, end, draft }
}

fn auto(name: &'static str, rest: Vec<Reply>, end: End, draft: &'static [&'static str]) -> Row {
    Row { name, mode: "auto", replies: planned(rest), end, draft }
}

/// Runs one row.
async fn play(row: Row) {
    let name = row.name;
    let home = ModelHome::agreed().await;
    home.home.add("notes.txt", "hello\n").await;
    let session = home.session(json!({})).await;
    let count = row.replies.len();
    for reply in row.replies {
        home.server.reply(reply);
    }
    let params = json!({ "message": "Do it", "options": { "mode": row.mode } });
    let done = home.on("WorkshopSend", &session, params).await;
    let last = |kind: &str| {
        let all = done["events"].as_array().unwrap().iter().rev();
        all.map(|record| &record["event"]).find(|event| event["type"] == kind).cloned().unwrap_or_default()
    };
    match row.end {
        End::Answered(text) => {
            assert_eq!(
                (done["session"]["status"].as_str(), &last("run_ended")["outcome"]),
                (Some("idle"), &json!("completed")),
                "{name}: {done:#}"
            );
            let answer = done["messages"].as_array().unwrap().last().unwrap()["text"].as_str().unwrap();
            assert!(answer.contains(text), "{name}: {answer}");
        }
        End::Paused(code, why) => {
            assert_eq!(done["session"]["status"], "suspended", "{name}: {done:#}");
            let suspended = &done["run"]["suspended"];
            let message = suspended["message"].as_str().unwrap_or_default();
            assert!(suspended["code"] == code && message.contains(why), "{name}: {suspended}");
            assert!(!events(&done).iter().any(|event| event == "run_ended"), "{name}");
            let plan = done["notes"]["plan"].as_str().unwrap_or_default();
            assert!(!plan.contains("[x]"), "{name}: no item is ticked: {plan}");
        }
        End::Failed(code) => {
            assert_eq!(
                (&last("run_ended")["outcome"], &last("run_ended")["code"]),
                (&json!("failed"), &json!(code)),
                "{name}: {done:#}"
            );
        }
        End::Planned(plan) => {
            assert_eq!(done["session"]["status"], "idle", "{name}: {done:#}");
            let made = done["notes"]["plan"].as_str().unwrap();
            assert!(made.starts_with(plan), "{name}: {made}");
        }
    }
    assert_eq!(home.server.left(), 0, "{name}: every reply is used, so that no call was left out");
    assert_eq!(home.server.requests().len(), count, "{name}");
    let answers = events(&done).iter().filter(|event| *event == "model_answered").count() as u64;
    let told = home.on("SessionEvents", &session, json!({ "limit": 1_000 })).await;
    let used = told["events"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|record| record["event"]["what"]["input_tokens"].as_u64())
        .max();
    assert!(used.unwrap_or(0) >= 100 * answers, "{name}: usage of {answers} answers: {used:?}");
    let paths: Vec<String> = if home.home.plain("DraftGetState").await["exists"] == true {
        home.home.texts("draft").await.into_keys().filter(|path| path != "notes.txt").collect()
    } else {
        Vec::new()
    };
    assert_eq!(paths, row.draft, "{name}");
    home.replays(&session).await;
}

#[tokio::test]
async fn malformed_calls_get_an_error_result_and_the_run_continues() {
    let bad: [(&'static str, &'static str); 10] = [
        ("not JSON", "{not json"),
        ("an array", "[1,2]"),
        ("a number", "7"),
        ("a string", "\"notes.txt\""),
        ("truncated", "{\"path\": \"note"),
        ("single quotes", "{'path': 'notes.txt'}"),
        ("two objects", "{\"path\":\"a\"}{\"path\":\"b\"}"),
        ("a wrong type", "{\"path\": 7, \"text\": \"x\"}"),
        ("a missing field", "{\"path\": \"b.md\"}"),
        ("an extra field", "{\"path\": \"b.md\", \"text\": \"x\", \"pathh\": \"c.md\"}"),
    ];
    for (name, arguments) in bad {
        let good = json!({ "path": "a.md", "text": "x\n" }).to_string();
        let mixed = calls(&[("write_text_file", arguments), ("write_text_file", &good)]);
        // The other call of the answer was executed; the malformed one was never retried.
        play(direct(name, vec![mixed, says("done")], End::Failed("INVALID_PARAMS"), &["a.md"])).await;
    }
    for (name, tool) in
        [("an unknown tool", "format_disk"), ("an empty name", ""), ("a strange name", "write text\u{7}file")]
    {
        let mixed = calls(&[(tool, "{}"), ("read_file", "{\"path\": \"notes.txt\"}")]);
        play(direct(name, vec![mixed, says("done")], End::Failed("TOOL_NOT_VISIBLE"), &[])).await;
    }
    let twins = Answer::text("").and_call("same", "write_text_file", "{\"path\":\"a.md\",\"text\":\"1\"}").and_call(
        "same",
        "write_text_file",
        "{\"path\":\"b.md\",\"text\":\"2\"}",
    );
    let twins = vec![Reply::answer(twins), says("done")];
    play(direct("two calls with one id", twins, End::Answered("done"), &["a.md", "b.md"])).await;
}

#[tokio::test]
async fn slips_with_a_certain_meaning_are_understood_with_a_warning() {
    for (name, arguments) in [
        ("a trailing comma", "{\"path\": \"a.md\", \"text\": \"x\\n\",}"),
        ("a code fence", "```json\n{\"path\": \"a.md\", \"text\": \"x\\n\"}\n```"),
        ("encoded twice", "\"{\\\"path\\\": \\\"a.md\\\", \\\"text\\\": \\\"x\\\"}\""),
        ("a raw line break", "{\"path\": \"a.md\", \"text\": \"x\ny\"}"),
    ] {
        let home = ModelHome::agreed().await;
        let session = home.session(json!({})).await;
        home.server.reply(calls(&[("write_text_file", arguments)]));
        let done = home.says("done").direct(&session, "go").await;
        let result =
            done["events"].as_array().unwrap().iter().find(|record| record["event"]["type"] == "tool_finished");
        let text = result.unwrap()["event"]["outcome"]["text"].as_str().unwrap();
        assert!(text.contains("warning"), "{name}: {text}");
        assert!(home.home.texts("draft").await.contains_key("a.md"), "{name}");
        home.replays(&session).await;
    }
    for arguments in ["", "null", "  "] {
        let list = vec![calls(&[("list_files", arguments)]), says("one file")];
        play(direct("no arguments", list, End::Answered("one file"), &[])).await;
    }
}

#[tokio::test]
async fn three_malformed_calls_in_a_row_pause_the_run_and_resume_goes_on() {
    let bad = || calls(&[("write_text_file", "{not json")]);
    let unusable = "MODEL_ANSWER_UNUSABLE";
    play(direct("three in a row", vec![bad(), bad(), bad()], End::Paused(unusable, "`write_text_file`"), &[])).await;
    play(auto("three in an item", vec![bad(), bad(), bad()], End::Paused(unusable, "3 times in a row"), &[])).await;
    let unknown = || calls(&[("format_disk", "{}")]);
    let list = vec![unknown(), unknown(), unknown()];
    play(direct("an unknown tool three times", list, End::Paused(unusable, "`format_disk`"), &[])).await;
    let list = vec![bad(), bad(), writes("a.md"), bad(), bad(), says("done")];
    play(direct("a good call in between", list, End::Failed("INVALID_PARAMS"), &["a.md"])).await;

    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.server.reply(bad()).reply(bad()).reply(bad());
    let paused = home.direct(&session, "go").await;
    assert_eq!(paused["session"]["status"], "suspended");
    home.server.reply(writes("a.md")).reply(says("done"));
    let done = home.on("WorkshopResume", &session, json!({})).await;
    assert_eq!(done["session"]["status"], "idle");
    assert!(home.home.texts("draft").await.contains_key("a.md"));
}

#[tokio::test]
async fn answers_that_did_not_end_are_retried_once_and_then_pause_the_run() {
    let unusable = "MODEL_ANSWER_UNUSABLE";
    type Make = fn() -> Reply;
    let table: [(&'static str, Make, &'static str); 8] = [
        ("length", || ends("half a sen", Stop::Length), "output limit"),
        ("length without words", || ends("", Stop::Length), "output limit"),
        ("content filter", || ends("", Stop::Refusal), "content filter"),
        ("a refusal in words", || ends("I cannot help with that.", Stop::Refusal), "I cannot help"),
        ("empty", || says(""), "empty"),
        ("blank", || says(" \n\t "), "empty"),
        ("an unknown reason", || ends("so", Stop::Unknown), "unknown reason"),
        ("no output", || Reply::json(200, NO_OUTPUT), "empty"),
    ];
    for (name, make, why) in table {
        play(direct(name, vec![make(), make()], End::Paused(unusable, why), &[])).await;
        play(auto(name, vec![make(), make()], End::Paused(unusable, why), &[])).await;
        let research =
            Row { name, mode: "ask", replies: vec![make(), make()], end: End::Paused(unusable, why), draft: &[] };
        play(research).await;
        play(direct(name, vec![make(), says("all of it")], End::Answered("all of it"), &[])).await;
    }
    let list = vec![writes("a.md"), says("done"), ends("su", Stop::Refusal), ends("su", Stop::Refusal)];
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    for reply in planned(list) {
        home.server.reply(reply);
    }
    let paused = home.on("WorkshopSend", &session, json!({ "message": "go" })).await;
    assert_eq!((&paused["session"]["status"], &paused["run"]["phase"]), (&json!("suspended"), &json!("summary")));
}

#[tokio::test]
async fn a_cut_answer_is_continued_and_a_cut_stream_is_asked_for_again() {
    let list = vec![ends("The sum of all rows in the file is ", Stop::Length), says("42.")];
    play(direct("continued", list, End::Answered("The sum of all rows in the file is 42."), &[])).await;
    let list =
        vec![ends("The sum of all rows in the file is", Stop::Length), says("The sum of all rows in the file is 42.")];
    play(direct("started over", list, End::Answered("The sum of all rows in the file is 42."), &[])).await;
    let plan = vec![
        says("found"),
        ends("- [ ] one\n- [ ] t", Stop::Length),
        says("wo\n"),
        writes("a.md"),
        says("ok"),
        writes("b.md"),
        says("ok"),
        says("both"),
    ];
    play(Row {
        name: "a plan in two pieces",
        mode: "auto",
        replies: plan,
        end: End::Planned("- [x] one\n- [x] two"),
        draft: &["a.md", "b.md"],
    })
    .await;
    let half = Answer::text("")
        .and_call("c1", "write_text_file", "{\"path\":\"a.md\",\"text\":\"1\"}")
        .and_call("c2", "write_text_file", "{\"path\":\"b.md\",\"te")
        .ending(Stop::Length);
    let list = vec![Reply::answer(half), writes("b.md"), says("done")];
    play(direct("a call cut at the limit", list, End::Answered("done"), &["a.md", "b.md"])).await;
    let words = "This answer is cut off in the middle of it";
    play(direct("one cut stream", vec![cut(words), says("all of it")], End::Answered("all of it"), &[])).await;
    play(direct(
        "two cut streams",
        vec![cut(words), cut(words)],
        End::Paused("PROVIDER_UNAVAILABLE", "before the answer was complete"),
        &[],
    ))
    .await;
    let clean = says(words).with(Habits { end_after: Some(3), no_done: true, ..Habits::default() });
    play(direct(
        "a stream without an end",
        vec![clean.clone(), clean],
        End::Paused("PROVIDER_UNAVAILABLE", "complete"),
        &[],
    ))
    .await;
}

#[tokio::test]
async fn an_item_is_done_only_when_its_calls_were() {
    let fails = || calls(&[("write_text_file", "{\"path\":\"../out.md\",\"text\":\"x\"}")]);
    let list = vec![fails(), says("Done!"), fails(), says("Done!"), says("Nothing worked.")];
    play(auto(
        "a failed call twice",
        list,
        End::Planned("- [!] one (failed: the last call of `write_text_file` failed"),
        &[],
    ))
    .await;
    let list = vec![fails(), says("Erledigt ✅"), writes("a.md"), says("fertig"), says("ok")];
    play(auto("the retry works", list, End::Planned("- [x] one"), &["a.md"])).await;
    let list = vec![fails(), writes("a.md"), says("完了しました"), says("ok")];
    play(auto("corrected in the same attempt", list, End::Planned("- [x] one"), &["a.md"])).await;
    let list = vec![says("Nothing has to change: the total is there already."), says("ok")];
    play(auto("none needed", list, End::Planned("- [x] one"), &[])).await;
    let list = vec![calls(&[("format_disk", "{}")]), says("hecho"), says("FAILED: no hay tal herramienta"), says("ok")];
    play(auto("only refused calls", list, End::Planned("- [!] one (failed: no hay tal herramienta)"), &[])).await;
    let both = calls(&[
        ("write_text_file", "{\"path\":\"../out.md\",\"text\":\"x\"}"),
        ("write_text_file", "{\"path\":\"a.md\",\"text\":\"x\"}"),
    ]);
    let list = vec![both.clone(), says("both written"), both, says("both written"), says("ok")];
    play(auto("a success hides no failure", list, End::Planned("- [!] one"), &["a.md"])).await;
}

#[tokio::test]
async fn loops_end_and_parallel_huge_and_prose_answers_are_taken_as_they_are() {
    let read = || calls(&[("read_file", "{\"path\": \"notes.txt\"}")]);
    play(direct("a loop", vec![read(), read(), read()], End::Failed("AGENT_LOOP_DETECTED"), &[])).await;
    let list = vec![read(), read(), read(), read(), read(), read(), says("I looped.")];
    play(auto(
        "a loop in an item",
        list,
        End::Planned("- [!] one (failed: the same call gave the same result 3 times)"),
        &[],
    ))
    .await;
    let many: Vec<(String, String)> = (0..20)
        .map(|n| ("write_text_file".to_owned(), json!({ "path": format!("f{n:02}.md"), "text": "x" }).to_string()))
        .collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(tool, input)| (tool.as_str(), input.as_str())).collect();
    let files: &'static [&'static str] = &[
        "f00.md", "f01.md", "f02.md", "f03.md", "f04.md", "f05.md", "f06.md", "f07.md", "f08.md", "f09.md", "f10.md",
        "f11.md", "f12.md", "f13.md", "f14.md", "f15.md", "f16.md", "f17.md", "f18.md", "f19.md",
    ];
    play(direct("twenty calls at once", vec![calls(&many), says("done")], End::Answered("done"), files)).await;
    let three = calls(&[("read_file", "{\"path\": \"notes.txt\"}"); 3]);
    play(direct("the same call thrice in one answer", vec![three, says("done")], End::Answered("done"), &[])).await;
    let prose = "Gerne! Hier ist der Aufruf:\n```json\n{\"name\": \"write_text_file\", \"arguments\": {\"path\": \"a.md\"}}\n```";
    play(direct("a call in prose is prose", vec![says(prose)], End::Answered("Hier ist der Aufruf"), &[])).await;
    let text = Answer::text("Ich schreibe die Datei. ファイルを書きます。").and_call(
        "c",
        "write_text_file",
        "{\"path\":\"a.md\",\"text\":\"Größe 漢字 🙂\"}",
    );
    play(direct(
        "words beside a call",
        vec![Reply::answer(text), says("Fertig. 終わり")],
        End::Answered("終わり"),
        &["a.md"],
    ))
    .await;
    let huge = "word ".repeat(60_000);
    play(direct("a huge answer", vec![Reply::text(huge)], End::Answered("word word"), &[])).await;
    let slow = says("slowly").with(Habits { pause: Duration::from_millis(20), ..Habits::default() });
    play(direct("slow", vec![slow], End::Answered("slowly"), &[])).await;
    let contradictory =
        Answer::text("I changed nothing.").and_call("c", "write_text_file", "{\"path\":\"a.md\",\"text\":\"x\"}");
    play(direct(
        "says one thing and does another",
        vec![Reply::answer(contradictory), says("done")],
        End::Answered("done"),
        &["a.md"],
    ))
    .await;
}

#[tokio::test]
async fn every_format_ends_the_same_way() {
    for model in crate::model_home::MODELS {
        let home = ModelHome::new().await;
        home.agree(model).await;
        home.home.add("notes.txt", "hello\n").await;
        let session = home.session(json!({})).await;
        let options = json!({ "mode": "direct", "model": model });
        let mixed = Answer::text("").and_call("abcdefgh1", "write_text_file", "[1,2]").and_call(
            "abcdefgh2",
            "write_text_file",
            "{\"path\":\"a.md\",\"text\":\"x\"}",
        );
        home.server.reply(Reply::answer(mixed)).reply(says("done"));
        let done = home.on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
        assert_eq!(done["session"]["status"], "idle", "{model}: {done:#}");
        assert!(home.home.texts("draft").await.contains_key("a.md"), "{model}");
        for stop in [Stop::Length, Stop::Refusal, Stop::Unknown] {
            home.server.reply(ends("so", stop)).reply(ends("so", stop));
            let paused = home.on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
            assert_eq!(paused["session"]["status"], "suspended", "{model} {stop:?}: {paused:#}");
            assert!(paused["run"]["input_tokens"].as_u64().unwrap() >= 200, "{model} {stop:?}");
            home.on("WorkshopCancel", &session, json!({})).await;
        }
        home.replays(&session).await;
    }
}

#[tokio::test]
async fn a_call_that_is_announced_and_not_made_is_no_end() {
    let announced = r#"{"choices":[{"message":{"content":"I will now write."},"finish_reason":"tool_calls"}],
        "usage":{"prompt_tokens":100,"completion_tokens":9}}"#;
    let none = r#"{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":0}}"#;
    for (body, why) in [(announced, "announced"), (none, "empty")] {
        let home = ModelHome::new().await;
        home.agree("own:small").await;
        let session = home.session(json!({})).await;
        home.server.reply(Reply::json(200, body)).reply(Reply::json(200, body));
        let options = json!({ "mode": "direct", "model": "own:small" });
        let paused = home.on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
        assert_eq!(paused["session"]["status"], "suspended", "{paused:#}");
        assert!(paused["run"]["suspended"]["message"].as_str().unwrap().contains(why), "{paused:#}");
        assert_eq!(paused["run"]["input_tokens"], 200);
    }
}

/// The code and the reason of a paused run.
fn paused_by(done: &Value) -> (&str, &str) {
    let why = &done["run"]["suspended"];
    (why["why"].as_str().unwrap_or_default(), why["cap"]["which"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn limits_hold_before_a_call_and_during_it() {
    // A cap of one token is less than any question, so nothing is sent.
    for mode in ["ask", "auto", "direct"] {
        let home = ModelHome::agreed().await;
        let session = home.session(json!({})).await;
        let options = json!({ "mode": mode, "max_tokens": 1 });
        let done = home.on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
        assert_eq!(paused_by(&done), ("budget", "tokens"), "{mode}: {done:#}");
        assert_eq!(home.server.requests().len(), 0, "{mode}");
        home.replays(&session).await;
        home.says("found").says("Nothing has to change.");
        let done = home.on("WorkshopResume", &session, json!({ "max_tokens": 1_000_000 })).await;
        assert_eq!(done["session"]["status"], "idle", "{mode}: {done:#}");
    }
    // A model that never answers is interrupted by the run's time limit, before its own timeout.
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    home.server.reply(Reply::raw(200, vec![Piece::Hang]).header("content-type", "text/event-stream"));
    let options = json!({ "mode": "direct", "max_seconds": 1 });
    let done = home.on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
    assert_eq!(paused_by(&done), ("budget", "millis"), "{done:#}");
    assert!(home.server.let_go(1, Duration::from_secs(30)).await, "the call is ended, not left alone");
    home.replays(&session).await;
    home.says("done");
    let done = home.on("WorkshopResume", &session, json!({ "max_seconds": 600 })).await;
    assert_eq!(done["session"]["status"], "idle", "{done:#}");
    // The question alone would exceed the cost cap.
    let home = ModelHome::agreed().await;
    let session = home.session(json!({})).await;
    let options = json!({ "mode": "direct", "max_cost_micros": 1 });
    let done = home.on("WorkshopSend", &session, json!({ "message": "go", "options": options })).await;
    assert_eq!(paused_by(&done), ("budget", "micros"), "{done:#}");
    assert_eq!(home.server.requests().len(), 0);
}

#[tokio::test]
async fn context_and_entries_take_no_unfinished_answer() {
    let good = json!({ "files": [{ "path": "context.md", "content": "## Situation\n\n- **Deadline**: Friday\n" }] })
        .to_string();
    for stop in [Stop::Length, Stop::Refusal, Stop::Unknown] {
        let home = ModelHome::agreed().await;
        // Complete JSON from an unfinished answer: what is missing cannot be detected from the JSON.
        home.server.reply(ends(&good, stop)).reply(ends(&good, stop));
        let params = json!({ "workbench_id": ID, "category": "situation", "input": { "text": "Board on Friday" }, "model": MODEL });
        let error = home.home.call("ContextProcess", params.clone()).await.unwrap_err();
        assert!(!error.info.detail.unwrap()["errors"].as_array().unwrap().is_empty(), "{stop:?}");
        assert_eq!(home.server.left(), 0, "one question and one retry");
        home.server.reply(ends(&good, stop)).reply(says(&good));
        home.home.ok("ContextProcess", params).await;
    }
}
