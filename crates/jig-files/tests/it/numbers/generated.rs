//! Workbooks that are made at random, by openpyxl and XlsxWriter and with values that LibreOffice computed: after each of
//! two edits every stored value is the one that LibreOffice computes from a copy without any, and none is lost unsaid.

use std::collections::{BTreeMap, BTreeSet};

use jig_files::engine::{EditOptions, Engine, Format};
use jig_worker::apply_reply;
use serde_json::{Value, json};

use crate::office::judge::{ask_program, convert, find, folder};

/// Makes workbooks, takes values out of copies, and tells what a file stores.
const SCRIPT: &str = include_str!("generated.py");
/// Makes other workbooks and edits; every number must pass.
const SEED: u32 = 7;
const BOOKS: u32 = 6;

fn edit(bytes: &[u8], op: &Value) -> (Vec<u8>, Value) {
    let ops = json!([op]);
    let edited = Engine::default().apply(Format::Xlsx, Some(bytes.into()), &ops, &EditOptions::default()).unwrap();
    let reply = apply_reply(&edited).unwrap();
    (edited.bytes, reply)
}

/// Stored values by cell, null where a formula has none.
type Values = BTreeMap<String, Value>;

fn values(listed: &Value) -> Values {
    listed.as_object().unwrap().iter().map(|(cell, value)| (cell.clone(), value.clone())).collect()
}

fn same(ours: &Value, theirs: &Value) -> bool {
    match (ours.as_f64(), theirs.as_f64()) {
        (Some(a), Some(b)) => (a - b).abs() <= (1e-9 * b.abs()).max(1e-11),
        _ => ours == theirs,
    }
}

#[test]
fn values_of_random_workbooks_are_those_of_libreoffice() {
    let (Some(python), Some(soffice)) = (find("JIG_TEST_PYTHON"), find("JIG_TEST_SOFFICE")) else { return };
    let place = folder("generated-workbooks");
    let ask = |question: Value| ask_program(&python, SCRIPT, &question);
    let made = ask(json!({ "make": BOOKS, "seed": SEED, "folder": place }));
    let books: Vec<Value> = made.as_array().unwrap().clone();
    let names: Vec<&str> = books.iter().map(|book| book["file"].as_str().unwrap()).collect();
    // Workbooks with stored values: LibreOffice saves what the others left out.
    ask(json!({ "strip": names, "folder": place }));
    let bare: Vec<String> = names.iter().map(|name| format!("bare-{name}")).collect();
    assert_eq!(convert(&soffice, &place, &bare, "xlsx:Calc MS Excel 2007 XML"), [""; 0]);
    let mut cases: Vec<(String, Vec<u8>, Value)> = Vec::new();
    for (name, book) in names.iter().zip(&books) {
        cases.push(((*name).to_owned(), std::fs::read(place.join(name)).unwrap(), book["edits"].clone()));
        let stored = std::fs::read(place.join("converted").join(format!("bare-{name}"))).unwrap();
        cases.push((format!("stored-{name}"), stored, book["edits"].clone()));
    }
    let mut stages = Vec::new();
    for (name, bytes, edits) in cases {
        let (mut bytes, mut replies) = (bytes, Vec::new());
        std::fs::write(place.join(format!("0-{name}")), &bytes).unwrap();
        for (at, op) in (1..).zip(edits.as_array().unwrap()) {
            let (edited, reply) = edit(&bytes, op);
            bytes = edited;
            std::fs::write(place.join(format!("{at}-{name}")), &bytes).unwrap();
            replies.push(reply);
        }
        stages.push((name, replies));
    }
    let stage = |at: usize, name: &str| format!("{at}-{name}");
    let files: Vec<String> =
        stages.iter().flat_map(|(name, replies)| (0..=replies.len()).map(move |at| stage(at, name))).collect();
    let copies: Vec<String> = files.iter().map(|file| format!("bare-{file}")).collect();
    ask(json!({ "strip": files, "folder": place }));
    assert_eq!(convert(&soffice, &place, &copies, "xlsx:Calc MS Excel 2007 XML"), [""; 0]);
    let stored = ask(json!({ "read": files, "folder": place }));
    let computed = ask(json!({ "read": copies, "folder": place.join("converted") }));
    let (mut compared, mut affected, mut wrong) = (0, 0, Vec::new());
    for (name, replies) in &stages {
        for (at, reply) in (1..).zip(replies) {
            let (before, after) = (values(&stored[stage(at - 1, name)]), values(&stored[stage(at, name)]));
            let truth = values(&computed[format!("bare-{}", stage(at, name))]);
            let was = values(&computed[format!("bare-{}", stage(at - 1, name))]);
            let stale: BTreeSet<&str> = reply["receipt"]["stale"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|stale| stale["cell"].as_str())
                .collect();
            let is_trusted = name.starts_with("stored-");
            for (cell, ours) in &after {
                let theirs = truth.get(cell).unwrap_or(&Value::Null);
                let differs = !same(theirs, was.get(cell).unwrap_or(&Value::Null));
                affected += u32::from(differs);
                let old = before.get(cell).unwrap_or(&Value::Null);
                if ours.is_null() {
                    if (differs || !old.is_null()) && !stale.contains(cell.as_str()) {
                        wrong.push(format!("{name} edit {at} {cell}: no value, not listed"));
                    }
                } else if is_trusted || differs || !same(ours, old) {
                    compared += 1;
                    if !same(ours, theirs) {
                        wrong.push(format!("{name} edit {at} {cell}: {ours}, LibreOffice {theirs}"));
                    }
                }
            }
            // The second edit removes nothing that the first kept, unless its value can be another.
            let kept = |cell: &&String| !before.get(*cell).unwrap_or(&Value::Null).is_null();
            for cell in after.keys().filter(kept).filter(|cell| after[*cell].is_null()) {
                let reason = reply["receipt"]["stale"].to_string();
                assert!(reason.contains(cell.as_str()), "{name} edit {at} {cell}");
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(compared > 300 && affected > 50, "only {compared} values compared, {affected} affected");
}
