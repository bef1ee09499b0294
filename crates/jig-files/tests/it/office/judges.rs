//! What other programs say of the engine's output: the files of every case, and every sample after
//! a small edit.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Mutex;

use serde_json::{Value, json};

use super::judge::{self, Complaints};
use super::samples::{call, packages, small_edit};
use crate::support::archive;
use crate::support::case::{Case, Format, Outcome, sample};

/// An edited file with what it was before.
struct Output {
    /// `xlsx-set-cells.xlsx`: flat, so that all are in one folder.
    name: String,
    format: Format,
    before: Vec<u8>,
    after: Vec<u8>,
    expectations: Value,
}

/// All edited files, rebuilt by each test: the engine is far faster than its judges.
fn outputs() -> Vec<Output> {
    let cases = Case::all();
    let edited = cases.iter().filter_map(|case| match case.run() {
        Outcome::Edited { before, after, .. } => {
            let ending = case.target().replace("case.", "");
            let name = format!("{}.{ending}", case.name.replace('/', "-"));
            let expectations = case.expectations().unwrap_or_else(|| json!([]));
            Some(Output { name, format: case.format, before, after, expectations })
        }
        _ => None,
    });
    let samples = packages().into_iter().filter_map(|(format, name)| {
        let before = sample(&name);
        let (answer, after) = call(format, "ApplyOps", &before, &json!({"ops": small_edit(format)}));
        // A refusal is for the test of the samples to report.
        answer.ok()?;
        let expectations = if opens_in_python(&name) { small_expectations(format) } else { json!([]) };
        Some(Output { name: format!("sample-{name}"), format, before, after, expectations })
    });
    edited.chain(samples).collect()
}

/// The Python libraries know no strict packages, and python-docx no macro files.
fn opens_in_python(name: &str) -> bool {
    !["strict.xlsx", "strict.docx", "strict.pptx", "macros.docm"].contains(&name)
}

fn small_expectations(format: Format) -> Value {
    match format {
        Format::Xlsx => json!([
            {"sheet": "Added by test", "cell": "B2", "value": "added text"},
            {"sheet": "Added by test", "cell": "B3", "value": 42.5},
        ]),
        Format::Docx => json!([{"contains": "added text"}]),
        Format::Pptx => json!([{"slide": -1, "contains": "added text"}]),
    }
}

fn write(folder: &Path, outputs: &[Output]) {
    for output in outputs {
        std::fs::write(folder.join(&output.name), &output.after).unwrap();
    }
}

#[test]
fn the_validator_finds_no_new_error() {
    let Some(validator) = judge::find("JIG_TEST_VALIDATOR") else { return };
    let outputs = outputs();
    let (folder, originals) = (judge::folder("office-validated"), judge::folder("office-originals"));
    write(&folder, &outputs);
    // Many cases start from one sample: it is judged once.
    let mut inputs = BTreeMap::<&[u8], String>::new();
    for output in &outputs {
        let number = inputs.len();
        let ending = output.name.rsplit('.').next().unwrap();
        inputs.entry(&output.before).or_insert_with(|| format!("{number}.{ending}"));
    }
    for (bytes, name) in &inputs {
        std::fs::write(originals.join(name), bytes).unwrap();
    }
    let paths =
        inputs.values().map(|name| originals.join(name)).chain(outputs.iter().map(|one| folder.join(&one.name)));
    let verdicts = in_parallel(paths.collect(), |path| judge::validate(&validator, path));
    let mut wrong = Vec::new();
    for output in &outputs {
        let (before, after) =
            (&verdicts[&originals.join(&inputs[output.before.as_slice()])], &verdicts[&folder.join(&output.name)]);
        let before = with_copies(before, &output.before, &output.after);
        let new = judge::new_complaints(&before, after);
        wrong.extend(new.into_iter().map(|complaint| format!("{}: {complaint}", output.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is held against a part is held against a copy of it too, such as the chart of a slide that was doubled.
fn with_copies(complaints: &Complaints, before: &[u8], after: &[u8]) -> Complaints {
    let (before, after) = (archive::Archive::read(before), archive::Archive::read(after));
    let mut all = complaints.clone();
    for copy in after.0.iter().filter(|entry| before.get(&entry.name).is_none()) {
        let Some(original) = before.0.iter().find(|entry| entry.content() == copy.content()) else { continue };
        let (from, to) = (format!(" | /{}", original.name), format!(" | /{}", copy.name));
        let more = complaints.iter().filter_map(|(text, count)| Some((text.strip_suffix(&from)?, count)));
        all.extend(more.map(|(text, count)| (format!("{text}{to}"), *count)));
    }
    all
}

/// One program run a file takes most of a second, so as many run at once as there are cores.
fn in_parallel<P: Ord + Send>(items: Vec<P>, work: impl Fn(&P) -> Complaints + Sync) -> BTreeMap<P, Complaints> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let (queue, done) = (Mutex::new(items), Mutex::new(BTreeMap::new()));
    let next = || queue.lock().unwrap().pop();
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = next() {
                    let verdict = work(&item);
                    done.lock().unwrap().insert(item, verdict);
                }
            });
        }
    });
    done.into_inner().unwrap()
}

#[test]
fn libreoffice_opens_every_output() {
    let Some(soffice) = judge::find("JIG_TEST_SOFFICE") else { return };
    let outputs = outputs();
    let folder = judge::folder("office-converted");
    write(&folder, &outputs);
    for (format, to) in [(Format::Xlsx, "ods"), (Format::Docx, "txt:Text"), (Format::Pptx, "odp")] {
        let of_format = outputs.iter().filter(|output| output.format == format);
        let files: Vec<String> = of_format.map(|output| output.name.clone()).collect();
        assert_eq!(judge::convert(&soffice, &folder, &files, to), [""; 0], "LibreOffice made nothing of them");
    }
}

#[test]
fn python_reads_back_what_was_written() {
    let Some(python) = judge::find("JIG_TEST_PYTHON") else { return };
    let outputs = outputs();
    let folder = judge::folder("office-read-back");
    write(&folder, &outputs);
    let questions = outputs.iter().filter(|output| output.expectations != json!([])).map(|output| {
        json!({"file": folder.join(&output.name), "kind": output.format.ending(), "expect": output.expectations})
    });
    let answer = judge::ask_python(&python, &questions.collect());
    let wrong: Vec<String> = answer.as_array().unwrap().iter().map(Value::to_string).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The judges themselves, on files of which the verdict is known.
#[test]
fn the_judges_can_tell_good_from_bad() {
    let folder = judge::folder("office-known");
    let mut broken = archive::Archive::read(&sample("minimal.docx"));
    broken.put(
        "word/document.xml",
        b"<w:document xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\"><w:p/></w:document>",
    );
    std::fs::write(folder.join("good.docx"), sample("minimal.docx")).unwrap();
    std::fs::write(folder.join("bad.docx"), broken.write()).unwrap();
    if let Some(validator) = judge::find("JIG_TEST_VALIDATOR") {
        let verdict = |name: &str| judge::validate_now(&validator, &folder.join(name)).len();
        assert_eq!((verdict("good.docx"), verdict("bad.docx")), (0, 1));
    }
    if let Some(soffice) = judge::find("JIG_TEST_SOFFICE") {
        std::fs::write(folder.join("cut.docx"), &sample("minimal.docx")[..300]).unwrap();
        let files = ["good.docx", "cut.docx"].map(str::to_owned);
        assert_eq!(judge::convert(&soffice, &folder, &files, "txt:Text"), ["cut.docx"]);
    }
    if let Some(python) = judge::find("JIG_TEST_PYTHON") {
        let expect = json!([{"contains": "Only a document."}, {"contains": "nothing of the sort"}]);
        let file = folder.join("good.docx");
        let answer = judge::ask_python(&python, &json!([{"file": file, "kind": "docx", "expect": expect}]));
        let complaint = json!({"file": "good.docx", "expected": {"contains": "nothing of the sort"}, "found": false});
        assert_eq!(answer, json!([complaint]));
    }
}
