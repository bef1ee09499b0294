//! A workbench for one test, in a folder that is removed afterwards.

use std::path::{Path, PathBuf};

use jig_contract::{Actor, Code, Env, OpError};
use jig_workbench::{CallContext, Config, Workbench};
use serde_json::{Value, json};
use tempfile::TempDir;

/// The id of the workbench that [`TestHome::with_workbench`] creates.
pub const ID: &str = "test";

/// A home folder with an open workbench.
pub struct TestHome {
    dir: TempDir,
    /// The open workbench.
    pub workbench: Workbench,
}

impl TestHome {
    /// An empty home with the default settings.
    pub async fn new() -> Self {
        Self::with(|_| {}).await
    }

    /// An empty home with custom settings.
    pub async fn with(change: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut config = Config::new(dir.path().join("home"));
        change(&mut config);
        let workbench = open(config).await;
        Self { dir, workbench }
    }

    /// An empty home with custom settings, clock and ids.
    pub async fn with_env(env: Env, change: impl FnOnce(&mut Config)) -> Self {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let mut config = Config::new(dir.path().join("home"));
        change(&mut config);
        let workbench = Workbench::open(config, env).await.expect("a workbench");
        Self { dir, workbench }
    }

    /// A home with one empty workbench, [`ID`].
    pub async fn with_workbench() -> Self {
        let home = Self::new().await;
        home.ok("WorkbenchCreate", json!({ "name": "Test", "id": ID })).await;
        home
    }

    /// The folder for this test's own files.
    pub fn path(&self) -> &Path {
        self.dir.path()
    }

    /// The home folder.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home")
    }

    /// A path in the folder of plain files of the workbench [`ID`].
    pub fn view(&self, path: &str) -> PathBuf {
        self.home().join("workbenches").join(ID).join(path)
    }

    /// Writes a file outside the workbench and gives its path.
    pub fn outside(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.dir.path().join("outside").join(name);
        std::fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// Adds a file with this content to the published files of [`ID`].
    pub async fn add(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.outside(name, content);
        let folder = name.rsplit_once('/').map(|(folder, _)| folder);
        self.ok("FileAdd", json!({ "workbench_id": ID, "paths": [path], "folder": folder })).await;
    }

    /// Writes a text into the Draft of [`ID`].
    pub async fn write(&self, path: &str, text: &str) -> Value {
        self.ok("DraftWriteText", json!({ "workbench_id": ID, "path": path, "text": text })).await
    }

    /// Calls an operation as a person.
    pub async fn call(&self, name: &str, params: Value) -> Result<Value, OpError> {
        self.workbench.call(name, CallContext::new(Actor::person()), params).await
    }

    /// Calls an operation that must succeed.
    pub async fn ok(&self, name: &str, params: Value) -> Value {
        match self.call(name, params).await {
            Ok(value) => value,
            Err(error) => panic!("{name}: {} {error} {:?}", error.code(), error.source),
        }
    }

    /// Calls an operation on [`ID`] that takes nothing else.
    pub async fn plain(&self, name: &str) -> Value {
        self.ok(name, json!({ "workbench_id": ID })).await
    }

    /// Calls an operation that must fail, and returns its error.
    pub async fn fails(&self, name: &str, params: Value) -> OpError {
        match self.call(name, params).await {
            Ok(value) => panic!("{name} should fail but gave {value}"),
            Err(error) => error,
        }
    }

    /// Calls an operation that must fail with this code.
    pub async fn fails_with(&self, code: Code, name: &str, params: Value) -> OpError {
        let error = self.fails(name, params).await;
        assert_eq!(error.code(), code, "{name}: {error}");
        error
    }

    /// The files of a root, as path → text.
    pub async fn texts(&self, root: &str) -> std::collections::BTreeMap<String, String> {
        let mut texts = std::collections::BTreeMap::new();
        let list = self.ok("FileList", json!({ "workbench_id": ID, "root": root, "limit": 100_000 })).await;
        for file in list["files"].as_array().expect("files") {
            let path = file["path"].as_str().expect("a path");
            let id = ID.parse().expect("an id");
            let root =
                if root == "draft" { jig_contract::ops::Root::Draft } else { jig_contract::ops::Root::Published };
            let (context, path_in) = (CallContext::new(Actor::person()), path.parse().expect("a path"));
            let (_, content) = self.workbench.open_file(&context, &id, &path_in, Some(root)).await.expect("a file");
            let bytes = content.read().await.expect("bytes");
            texts.insert(path.to_owned(), String::from_utf8_lossy(&bytes).into_owned());
        }
        texts
    }
}

/// Opens a home as the binary does.
pub async fn open(config: Config) -> Workbench {
    match Workbench::open(config, Env::system()).await {
        Ok(workbench) => workbench,
        Err(error) => panic!("cannot open: {error} {:?}", error.source),
    }
}

/// The files below a folder on disk, as path → text, without links and folders.
pub fn texts_on_disk(folder: &Path) -> std::collections::BTreeMap<String, String> {
    let mut texts = std::collections::BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(dir) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&dir) else { continue };
        for entry in entries.flatten() {
            let meta = entry.metadata().expect("metadata");
            if meta.is_dir() {
                open.push(entry.path());
            } else if meta.is_file() {
                let path = entry.path();
                let name = path.strip_prefix(folder).expect("below the folder").to_str().expect("UTF-8").to_owned();
                texts.insert(name, String::from_utf8_lossy(&std::fs::read(&path).expect("bytes")).into_owned());
            }
        }
    }
    texts
}
