//! Calls as a model writes them that knows spreadsheets and documents but not these ops: names of other tools, fields one
//! level too deep, one item in the place of a list, addresses in other forms.
//!
//! Each must be understood, or refused with what to write instead. None may lose anything that it does not name. The
//! calls are stored in `tests/natural/*.jsonl`: `gives` are texts that must be there afterwards if the call is accepted,
//! `replaces` are texts of the file that the call should remove, `must` says that it has to be `refused`, and `warns`
//! that an accepted call must come with a warning.

use jig_worker::Profile;
use serde_json::{Value, json};

use crate::support::{Bench, warnings};

const FIRST: &str = include_str!("../natural/first.jsonl");
const SECOND: &str = include_str!("../natural/second.jsonl");

fn filled(profile: Profile) -> Bench {
    let bench = Bench::with_profile(profile);
    bench.book();
    bench.document();
    bench.deck();
    bench.notes();
    std::fs::write(bench.path("table.csv"), "item,amount\nRent,120\nFood,30\n").unwrap();
    bench
}

fn method(file: &str) -> &'static str {
    match file.rsplit_once('.').unwrap().1 {
        "xlsx" => "XlsxApplyOps",
        "docx" => "DocxApplyOps",
        "pptx" => "PptxApplyOps",
        _ => "TextApplyOps",
    }
}

/// Everything that a file shows.
fn shown(bench: &Bench, file: &str) -> String {
    match method(file) {
        "XlsxApplyOps" => bench.text("XlsxExtractText", file),
        "DocxApplyOps" => bench.text("DocxExtractText", file),
        "PptxApplyOps" => bench.text("PptxExtractText", file),
        _ => String::from_utf8(bench.bytes(file).unwrap()).unwrap(),
    }
}

fn originals(file: &str) -> &'static [&'static str] {
    match file {
        "book.xlsx" => &["Title", "Rent", "120", "Food", "30", "150"],
        "report.docx" => {
            &["Report", "First paragraph.", "Second paragraph.", "Costs", "Third paragraph.", "| a |", "| b |", "| d |"]
        }
        "deck.pptx" => &["One", "first", "second", "Two", "third"],
        "notes.txt" => &["alpha", "beta", "gamma"],
        _ => &["item,amount", "Rent,120", "Food,30"],
    }
}

fn texts<'a>(case: &'a Value, key: &str) -> Vec<&'a str> {
    case[key].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

/// How a case ended, or what is wrong with that.
fn play(bench: &Bench, case: &Value) -> Result<&'static str, String> {
    let file = case["file"].as_str().unwrap();
    let original = bench.bytes(file).unwrap();
    let outcome = judged(bench, file, &original, case);
    std::fs::write(bench.path(file), original).unwrap();
    outcome
}

fn judged(bench: &Bench, file: &str, original: &[u8], case: &Value) -> Result<&'static str, String> {
    let answer = bench.call(method(file), json!({ "path": file, "ops": case["ops"] }));
    let after = shown(bench, file);
    // Cells of tables are given by their text alone.
    let replaces = texts(case, "replaces");
    let is_replaced = |text: &str| replaces.iter().any(|gone| text == *gone || text == format!("| {gone} |"));
    let is_kept = |text: &&&str| !is_replaced(text) && !after.contains(**text);
    let lost: Vec<&str> = originals(file).iter().filter(is_kept).copied().collect();
    if !lost.is_empty() {
        return Err(format!("lost {lost:?}: {after}\n{answer}"));
    }
    if let Some(error) = answer.get("error") {
        let (message, data) = (error["message"].as_str().unwrap_or_default(), &error["data"]);
        if bench.bytes(file).unwrap() != original {
            return Err(format!("refused, but changed: {after}"));
        }
        let helps =
            ["did you mean", "known ops", "known fields", "usage:", "use `", "give ", "expected", "to remove it"];
        let hint = helps.iter().any(|help| message.contains(help))
            || data.get("corrected_ops").is_some()
            || data.get("signature").is_some()
            || data.get("suggestions").is_some();
        return if hint { Ok("refused") } else { Err(format!("refused without help: {message}")) };
    }
    if case["must"] == "refused" {
        return Err(format!("accepted: {after}\n{answer}"));
    }
    let missing: Vec<&str> = texts(case, "gives").into_iter().filter(|text| !after.contains(text)).collect();
    if !missing.is_empty() {
        return Err(format!("accepted, but not done ({missing:?}): {after}\n{answer}"));
    }
    if case["warns"] == true && warnings(&answer["result"]).is_empty() {
        return Err(format!("accepted without a warning: {answer}"));
    }
    Ok("understood")
}

#[track_caller]
fn all(cases: &str) {
    for profile in [Profile::Jig, Profile::Compat] {
        let bench = filled(profile);
        let mut wrong = Vec::new();
        let (mut understood, mut refused) = (0, 0);
        for line in cases.lines() {
            let case: Value = serde_json::from_str(line).unwrap();
            match play(&bench, &case) {
                Ok("understood") => understood += 1,
                Ok(_) => refused += 1,
                Err(why) => wrong.push(format!("{line}\n  {why}")),
            }
        }
        println!("{profile:?}: {understood} understood, {refused} refused with help, {} wrong", wrong.len());
        assert!(wrong.is_empty(), "{profile:?}, {} wrong:\n{}", wrong.len(), wrong.join("\n"));
        assert!(understood * 5 >= (understood + refused) * 2, "{understood} understood, {refused} refused");
    }
}

#[test]
fn natural_calls_are_understood_or_refused_with_help_and_lose_nothing() {
    all(FIRST);
}

#[test]
fn further_natural_calls_are_understood_or_refused_with_help_and_lose_nothing() {
    all(SECOND);
}
