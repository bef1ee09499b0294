//! A case: a folder with an input, what is done to it, and what is expected.
//!
//! - `input.txt` names a file under `tests/data/office`; without it the operations make a new file.
//! - `ops.json` is a list of operations, or an object: `{"ops": […], …}` with further parameters of
//!   `ApplyOps`, or `{"method": …, …}` for any other method. `files` in either object puts further
//!   samples beside the input, by name.
//! - `expected.txt` is the outcome as facts; `UPDATE=1` rewrites it. Sentences are left out: the recorded replies of
//!   `jig-worker` have them.
//! - `readback.json` lists what an independent library must find in the output.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::engine::{self, Files, Refusal};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Format {
    Xlsx,
    Docx,
    Pptx,
}

impl Format {
    pub(crate) const ALL: [Self; 3] = [Self::Xlsx, Self::Docx, Self::Pptx];

    /// By the ending of a file's name, macro files and templates included.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match Path::new(name).extension()?.to_str()? {
            "xlsx" | "xlsm" => Some(Self::Xlsx),
            "docx" | "docm" => Some(Self::Docx),
            "pptx" | "pptm" => Some(Self::Pptx),
            _ => None,
        }
    }

    pub(crate) fn ending(self) -> &'static str {
        match self {
            Self::Xlsx => "xlsx",
            Self::Docx => "docx",
            Self::Pptx => "pptx",
        }
    }

    /// The protocol's name of a method of this format.
    pub(crate) fn method(self, verb: &str) -> String {
        let prefix = match self {
            Self::Xlsx => "Xlsx",
            Self::Docx => "Docx",
            Self::Pptx => "Pptx",
        };
        format!("{prefix}{verb}")
    }
}

pub(crate) struct Case {
    pub(crate) format: Format,
    /// `xlsx/set-cells`, as the folder.
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    /// The name of the sample that is edited.
    pub(crate) input: Option<String>,
    call: Map<String, Value>,
}

/// What a case came to.
pub(crate) enum Outcome {
    Refused(Refusal),
    /// A method that writes nothing.
    Read(Value),
    Edited {
        result: Value,
        before: Vec<u8>,
        after: Vec<u8>,
    },
}

impl Case {
    /// Every case, by format and name.
    pub(crate) fn all() -> Vec<Self> {
        let mut cases = Vec::new();
        for format in Format::ALL {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(format.ending());
            for entry in fs::read_dir(folder).unwrap() {
                cases.push(Self::open(format, entry.unwrap().path()));
            }
        }
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        cases
    }

    fn open(format: Format, folder: PathBuf) -> Self {
        let name = format!("{}/{}", format.ending(), folder.file_name().unwrap().to_str().unwrap());
        let input = fs::read_to_string(folder.join("input.txt")).ok().map(|text| text.trim().to_owned());
        let text = fs::read_to_string(folder.join("ops.json")).unwrap_or_else(|error| panic!("{name}: {error}"));
        let call = match serde_json::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}")) {
            Value::Object(call) => call,
            ops => Map::from_iter([("ops".to_owned(), ops)]),
        };
        Self { format, name, folder, input, call }
    }

    /// Does what the case says.
    pub(crate) fn run(&self) -> Outcome {
        let mut files = self.files();
        let target = self.target();
        let before = files.get(&target).cloned();
        let params = self.params();
        match engine::call(&self.method(), &params, &mut files) {
            Err(refusal) => {
                assert_eq!(files, self.files(), "{}: a refused call changed a file", self.name);
                Outcome::Refused(refusal)
            }
            Ok(result) if !self.writes() => {
                assert_eq!(files, self.files(), "{}: a read changed a file", self.name);
                Outcome::Read(result)
            }
            Ok(result) => {
                let before = before.unwrap_or_else(|| self.made_without_ops());
                Outcome::Edited { result, before, after: files.remove(&target).unwrap() }
            }
        }
    }

    /// The text of a file as the engine itself reads it.
    pub(crate) fn read_back(&self, bytes: &[u8]) -> String {
        let mut files = Files::from([(self.target(), bytes.to_vec())]);
        let params = json!({"workbench_id": "w", "root": "draft", "path": self.target()});
        match engine::call(&self.format.method("ExtractText"), &params, &mut files) {
            Ok(result) => result["text"].as_str().unwrap_or_default().to_owned(),
            Err(refusal) => panic!("{}: the output cannot be read: {refusal:?}", self.name),
        }
    }

    pub(crate) fn method(&self) -> String {
        let set = self.call.get("method").and_then(Value::as_str);
        set.map_or_else(|| self.format.method("ApplyOps"), str::to_owned)
    }

    /// What the case puts in the Draft.
    pub(crate) fn files(&self) -> Files {
        let mut files = Files::new();
        if let Some(input) = &self.input {
            files.insert(self.target(), sample(input));
        }
        let more = self.call.get("files").and_then(Value::as_object).into_iter().flatten();
        files.extend(more.map(|(name, from)| (name.clone(), sample(from.as_str().unwrap()))));
        files
    }

    pub(crate) fn expectations(&self) -> Option<Value> {
        let text = fs::read_to_string(self.folder.join("readback.json")).ok()?;
        Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", self.name)))
    }

    /// The input keeps its ending: a macro file is one by its name too.
    pub(crate) fn target(&self) -> String {
        let ending = self.input.as_deref().and_then(|input| input.rsplit('.').next());
        format!("case.{}", ending.unwrap_or(self.format.ending()))
    }

    fn writes(&self) -> bool {
        self.method().ends_with("ApplyOps") || self.method().ends_with("CopyAssets")
    }

    fn params(&self) -> Value {
        let mut params = self.call.clone();
        params.retain(|key, _| key != "method" && key != "files");
        let path = if self.method().ends_with("CopyAssets") { "target_path" } else { "path" };
        let defaults = [("workbench_id", json!("w")), ("root", json!("draft")), (path, json!(self.target()))];
        for (key, value) in defaults {
            params.entry(key).or_insert(value);
        }
        if self.input.is_none() && self.writes() {
            params.entry("create_new").or_insert(json!(true));
        }
        params.into()
    }

    /// What a new file is before any operation: the case's own changes are counted from there.
    fn made_without_ops(&self) -> Vec<u8> {
        match self.params()["copy_from"].as_str() {
            Some(from) => self.files().remove(from).unwrap(),
            None => engine::blank(&self.method()),
        }
    }
}

/// A sample under `tests/data/office`.
pub(crate) fn sample(name: &str) -> Vec<u8> {
    super::sample(&format!("office/{name}"))
}
