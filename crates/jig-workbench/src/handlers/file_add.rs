//! Adds local files, all or nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jig_contract::ops::*;
use jig_contract::{Code, HashPrefix, OpError, WorkbenchPath};
use jig_store::{Change, FileNode, Head, Plan, TreeEdit};
use serde_json::json;

use super::file_find::{Choice, Found, find};
use crate::draft::check_base;
use crate::engine::Planned;
use crate::handlers::names;
use crate::secrets::secret_file;
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
        let choice = Choice { no_ignore: params.no_ignore, exclude: params.exclude.clone() };
        let found = tokio::task::spawn_blocking(move || find(&paths, folder.as_ref(), &choice)).await;
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
        // The files are committed, so others need not wait for the search.
        drop(session);
        let search = self.search_keys(context, &id, sorted.added.iter().chain(&sorted.replaced)).await;
        let unsearched = search.unsearched();
        let mut secrets = search.secrets;
        for path in &found.for_secrets {
            if !secrets.iter().any(|known| known.source == path.as_str()) {
                secrets.push(secret_file(&id, path.as_str()));
            }
        }
        let skipped = found.counts();
        Ok(FileAddOutput {
            added: self.describe(sorted.added).await?,
            replaced: self.describe(sorted.replaced).await?,
            unchanged: self.describe(sorted.unchanged).await?,
            left_alone: found.left_alone,
            skipped,
            secrets,
            unsearched,
        })
    }
}

type Files = Vec<(WorkbenchPath, FileNode)>;

/// What may be replaced.
#[derive(Clone, Copy)]
struct Over {
    replace: bool,
    /// The hash that the single existing file must still have.
    base: Option<HashPrefix>,
}

#[derive(Default)]
struct Sorted {
    added: Files,
    replaced: Files,
    unchanged: Files,
}

impl Workbench {
    /// Stores the bytes as blobs. Until the commit they are unreferenced and can be collected.
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
        // A file may have grown between listing and reading it.
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
