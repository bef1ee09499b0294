//! Adding files from this machine: all of them or none.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, WorkbenchPath};
use jig_store::{Change, FileNode, Head, Plan, TreeEdit};
use serde_json::json;

use crate::draft::check_base;
use crate::engine::Planned;
use crate::handlers::names;
use crate::state::{DRAFT_RECORD, View, place};
use crate::{CallContext, Handle, Workbench};

impl Handle<FileAdd> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileAddParams) -> Result<FileAddOutput, OpError> {
        let id = params.workbench_id.check()?;
        let folder = params.folder.as_ref().map(|folder| folder.check()).transpose()?;
        let base = params.base_hash.map(|hash| hash.check()).transpose()?;
        let mut session = self.enter(&id).await?;
        self.refuse_draft(&session, "add files").await?;

        let paths = params.paths.clone();
        let found = tokio::task::spawn_blocking(move || find(&paths, folder.as_ref())).await;
        let found =
            found.map_err(|e| OpError::new(Code::Internal, "looking for the files was broken off").because(e))??;
        if base.is_some() && found.files.len() != 1 {
            return Err(OpError::new(
                Code::ValidationFailed,
                "`base_hash` is the hash of one file, and several are named",
            )
            .hint("add that file alone"));
        }
        let stored = self.store_all(context, &found.files).await?;

        let (stored, over) = (&stored, Over { replace: params.replace || base.is_some(), base });
        let plan =
            |head: Head| Box::pin(async move { self.plan_add(context, &head, stored, over).await }) as Planned<'_, _>;
        let sorted: Sorted = self.change(&mut session, plan).await?;
        Ok(FileAddOutput {
            added: self.describe(sorted.added).await?,
            replaced: self.describe(sorted.replaced).await?,
            unchanged: self.describe(sorted.unchanged).await?,
            left_alone: found.left_alone,
        })
    }
}

type Files = Vec<(WorkbenchPath, FileNode)>;

/// What may be put in the place of what is there.
#[derive(Clone, Copy)]
struct Over {
    replace: bool,
    /// The hash that the one file must still have.
    base: Option<BlobHash>,
}

#[derive(Default)]
struct Sorted {
    added: Files,
    replaced: Files,
    unchanged: Files,
}

impl Workbench {
    /// Puts the bytes into the blob store. Until the commit they are orphans and do no harm.
    async fn store_all(&self, context: &CallContext, files: &BTreeMap<WorkbenchPath, Found>) -> Result<Files, OpError> {
        for (path, file) in files {
            self.check_size(path, file.bytes)?;
        }
        let sources: Vec<PathBuf> = files.values().map(|file| file.source.clone()).collect();
        context.check_cancelled()?;
        let nodes = self.store().blobs().put_files(&sources).await.map_err(|(n, error)| {
            let name = files.keys().nth(n).map_or("", WorkbenchPath::as_str);
            match OpError::from(error) {
                error if error.code() == Code::FileWriteFailed => {
                    OpError::new(Code::FileReadFailed, format!("`{name}` cannot be read")).because(error)
                }
                error => error,
            }
        })?;
        let stored: Files = files.keys().cloned().zip(nodes).collect();
        // A file may have grown between the look and the read.
        stored.iter().try_for_each(|(path, file)| self.check_size(path, file.bytes))?;
        Ok(stored)
    }

    async fn plan_add(
        &self,
        context: &CallContext,
        head: &Head,
        stored: &Files,
        over: Over,
    ) -> Result<Plan<Sorted>, OpError> {
        let view = View::of(self.store(), head);
        let mut sorted = Sorted::default();
        for (path, file) in stored {
            let there = view.file(Root::Published, path).await?;
            check_base(path, over.base, there.as_ref())?;
            let list = match there {
                None => &mut sorted.added,
                Some(existing) if existing == *file => &mut sorted.unchanged,
                Some(_) => &mut sorted.replaced,
            };
            list.push((path.clone(), *file));
        }
        if !over.replace && !sorted.replaced.is_empty() {
            let paths: Vec<WorkbenchPath> = sorted.replaced.into_iter().map(|(path, _)| path).collect();
            return Err(OpError::new(Code::FileExists, format!("these files exist already: {}", names(&paths)))
                .hint("nothing was added; replace them with `--replace`, or choose a folder with `--folder`")
                .detail(json!({ "paths": paths })));
        }
        let (files, _) = view.size(Root::Published).await?;
        self.check_count(files + sorted.added.len() as u64)?;
        if sorted.added.is_empty() && sorted.replaced.is_empty() {
            return Ok(Plan::nothing(sorted));
        }
        let new = || sorted.added.iter().chain(&sorted.replaced);
        let edits: Vec<TreeEdit> = new()
            .map(|(path, file)| TreeEdit::File {
                path: place(Root::Published, path),
                hash: file.hash,
                bytes: file.bytes,
            })
            .collect();
        context.check_cancelled()?;
        let state = self.store().edit(head.state, &edits).await?;
        let change = Change::new(context.actor.clone(), "FileAdd", summary(&sorted), state);
        let touches = new().map(|(path, _)| place(Root::Published, path)).chain([DRAFT_RECORD.to_owned()]).collect();
        Ok(Plan::change(change, touches, sorted))
    }
}

fn summary(sorted: &Sorted) -> String {
    let part = |word: &str, files: &Files| {
        let paths: Vec<WorkbenchPath> = files.iter().map(|(path, _)| path.clone()).collect();
        (!paths.is_empty()).then(|| format!("{word} {}", names(&paths)))
    };
    let parts: Vec<String> =
        [part("added", &sorted.added), part("replaced", &sorted.replaced)].into_iter().flatten().collect();
    parts.join("; ")
}

/// A file on this machine that is to be added.
struct Found {
    source: PathBuf,
    bytes: u64,
}

#[derive(Default)]
struct Finds {
    files: BTreeMap<WorkbenchPath, Found>,
    left_alone: Vec<LeftAlone>,
}

/// Finds the files that are named, and those in folders that are named. Follows no link.
fn find(paths: &[String], folder: Option<&WorkbenchPath>) -> Result<Finds, OpError> {
    let mut finds = Finds::default();
    if paths.is_empty() {
        return Err(OpError::new(Code::ValidationFailed, "no file is named").hint("name the files to add"));
    }
    for given in paths {
        let source = Path::new(given);
        let meta = std::fs::symlink_metadata(source).map_err(|e| unreadable(given, &e))?;
        if meta.is_dir() {
            find_in_folder(source, folder, &mut finds)?;
        } else if meta.is_file() {
            let name = source.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(given))?;
            let path = inside(folder, name)?;
            finds.add(path, Found { source: source.to_owned(), bytes: meta.len() })?;
        } else {
            return Err(OpError::new(Code::SandboxViolation, format!("`{given}` is {}", special(&meta)))
                .hint("only regular files and folders can be added; name the file itself"));
        }
    }
    if finds.files.is_empty() {
        return Err(OpError::new(Code::ValidationFailed, "there is no file to add in what is named")
            .detail(json!({ "left_alone": finds.left_alone })));
    }
    Ok(finds)
}

impl Finds {
    fn add(&mut self, path: WorkbenchPath, found: Found) -> Result<(), OpError> {
        if self.files.contains_key(&path) {
            return Err(OpError::new(Code::FileExists, format!("two of the files would both become `{path}`"))
                .hint("add them one by one, into different folders (`--folder`)"));
        }
        self.files.insert(path, found);
        Ok(())
    }

    fn leave(&mut self, path: &Path, reason: impl Into<String>) {
        self.left_alone.push(LeftAlone { path: path.display().to_string(), reason: reason.into() });
    }
}

fn find_in_folder(top: &Path, folder: Option<&WorkbenchPath>, finds: &mut Finds) -> Result<(), OpError> {
    // A folder keeps its name; `.` and `..` have none, so their files go to the top.
    let prefix = match top.file_name() {
        Some(name) => Some(inside(folder, name.to_str().ok_or_else(|| not_utf8(&top.display().to_string()))?)?),
        None => folder.cloned(),
    };
    let mut open = vec![(top.to_owned(), prefix)];
    while let Some((dir, prefix)) = open.pop() {
        let entries = std::fs::read_dir(&dir).map_err(|e| unreadable(&dir.display().to_string(), &e))?;
        for entry in entries {
            let entry = entry.map_err(|e| unreadable(&dir.display().to_string(), &e))?;
            let source = entry.path();
            let meta = match entry.metadata() {
                Ok(meta) => meta,
                Err(e) => {
                    finds.leave(&source, format!("it cannot be read ({})", e.kind()));
                    continue;
                }
            };
            let Some(name) = entry.file_name().to_str().map(str::to_owned) else {
                finds.leave(&source, "its name is not valid UTF-8");
                continue;
            };
            match inside(prefix.as_ref(), &name) {
                Err(error) => finds.leave(&source, error.to_string()),
                Ok(path) if meta.is_dir() => open.push((source, Some(path))),
                Ok(path) if meta.is_file() => finds.add(path, Found { source, bytes: meta.len() })?,
                Ok(_) => finds.leave(&source, format!("it is {}", special(&meta))),
            }
        }
    }
    Ok(())
}

fn inside(folder: Option<&WorkbenchPath>, name: &str) -> Result<WorkbenchPath, OpError> {
    let path = folder.map_or_else(|| WorkbenchPath::new(name), |folder| folder.join(name));
    path.map_err(|e| OpError::new(Code::SandboxViolation, e.to_string()).hint("rename the file, or leave it out"))
}

pub(super) fn special(meta: &std::fs::Metadata) -> &'static str {
    if meta.is_symlink() { "a symbolic link" } else { "a device, a socket or a pipe, not a file" }
}

pub(super) fn unreadable(given: &str, error: &std::io::Error) -> OpError {
    match error.kind() {
        std::io::ErrorKind::NotFound => OpError::new(Code::FileNotFound, format!("there is no file `{given}`"))
            .hint("check the path; it is relative to the current folder"),
        kind => OpError::new(Code::FileReadFailed, format!("`{given}` cannot be read: {kind}"))
            .hint("check the file's rights"),
    }
}

pub(super) fn not_utf8(given: &str) -> OpError {
    OpError::new(Code::SandboxViolation, format!("the name of `{given}` is not valid UTF-8")).hint("rename the file")
}
