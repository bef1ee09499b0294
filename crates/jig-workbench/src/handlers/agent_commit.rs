//! Commits new versions of agent workspaces, and upgrades them to a new built-in one.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jig_context::agent::{FILE_BYTES_MAX, FileRef, Files, LOCK, Merged, Reference, WorkspaceName, merge};
use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, OpError, WorkbenchPath};
use jig_store::{Change, Head, Plan, TreeEdit, hash_of};

use super::agent::whole;
use super::host_files::{FolderLimits, read_folder};
use crate::engine::Planned;
use crate::sessions::{AGENT_FOLDER, shown_problems};
use crate::{CallContext, Handle, Workbench};

const FILES_MAX: usize = 1_000;
const BYTES_MAX: u64 = 64 << 20;
/// Records the built-in files that the workbench's own were derived from, as the base of later upgrades.
const BASE: &str = "meta/agent-base.json";

impl Handle<AgentWorkspaceCommit> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: AgentWorkspaceCommitParams,
    ) -> Result<AgentWorkspaceCommitOutput, OpError> {
        let id = params.workbench_id.check()?;
        let reference = whole(params.name.as_deref().unwrap_or("own"))?;
        if reference.version.is_some() {
            return Err(wrong("a new version is made of the newest one; leave out the number"));
        }
        let (given, left_out) = given_files(params.files, params.folder).await?;
        let wish = Wish {
            given,
            delete: params.delete,
            expected: params.expected_head,
            message: params.message,
            dry_run: params.dry_run,
        };
        let committed = match &reference.name {
            WorkspaceName::Shipped => {
                Err(wrong("`jig` comes with Jig and is not changed").hint("push to `own`, or to a name of your own"))
            }
            WorkspaceName::Own => self.commit_own(context, &id, &reference, &wish).await,
            WorkspaceName::Shared(name) => {
                // Callers limited to one workbench may not change what all workbenches share.
                if context.access.workbench.is_some() {
                    return Err(OpError::new(
                        Code::NotPermitted,
                        "this token is for one workbench; others share this workspace",
                    ));
                }
                self.commit_shared(context, &id, &reference, name, &wish).await
            }
        };
        Ok(AgentWorkspaceCommitOutput { left_out, ..committed? })
    }
}

impl Handle<AgentWorkspaceUpgrade> for Workbench {
    async fn handle(
        &self,
        context: &CallContext,
        params: AgentWorkspaceUpgradeParams,
    ) -> Result<AgentWorkspaceCommitOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut session = self.enter_lightly(&id).await?;
        let new = self.resolve_workspace(&session.head, &whole("jig")?).await?.files;
        let (new, dry_run) = (&new, params.dry_run);
        let plan = |head: Head| {
            Box::pin(async move {
                let own = self.present_files(&head, &whole("own")?).await?;
                let base = self.upgrade_base(&head).await?;
                let Merged { files, taken, conflicts } = merge(&base, &hashes(&own), &hashes(new));
                let mut changes = Vec::new();
                let merged: Files = files
                    .iter()
                    .filter_map(|(path, hash)| {
                        let known = own.get(path).filter(|file| file.hash == *hash).or_else(|| new.get(path));
                        known.map(|file| (path.clone(), *file))
                    })
                    .collect();
                changes.extend(self.agent_changes(&own, &merged).await?);
                for conflict in &conflicts {
                    let only = |files: &Files| -> Files {
                        files.get_key_value(&conflict.path).map(|(p, f)| (p.clone(), *f)).into_iter().collect()
                    };
                    let shown = self.agent_changes(&only(&own), &only(new)).await?;
                    let diff = shown.into_iter().next().and_then(|change| change.diff);
                    changes.push(AgentChange { path: conflict.path.clone(), kind: "conflict".to_owned(), diff });
                }
                let up_to_date = taken.is_empty() && base == hashes(new);
                if dry_run || up_to_date {
                    return Ok(Plan::nothing((changes, false)));
                }
                let mut edits = Vec::new();
                for path in &taken {
                    let place = format!("{AGENT_FOLDER}/{path}");
                    match new.get(path) {
                        Some(file) => {
                            let bytes = self.workspace_bytes(&file.hash).await?;
                            edits.push(self.file_edit(place, bytes).await?);
                        }
                        None => edits.push(TreeEdit::Remove { path: place }),
                    }
                }
                edits
                    .push(self.file_edit(BASE.to_owned(), serde_json::to_vec(&hashes(new)).unwrap_or_default()).await?);
                let state = self.store().edit(head.state, &edits).await?;
                let count = taken.len();
                let summary = format!("took over {count} files of the agent workspace that comes with Jig");
                let change = Change::new(context.actor.clone(), "AgentWorkspaceUpgrade", summary, state);
                Ok(Plan::change(change, vec![AGENT_FOLDER.to_owned(), BASE.to_owned()], (changes, true)))
            }) as Planned<'_, (Vec<AgentChange>, bool)>
        };
        let (changes, saved) = self.change(&mut session, plan).await.map_err(|error| error.workbench(&id))?;
        self.committed(&session.head, &whole("own")?, changes, saved).await
    }
}

/// The parameters of a commit.
struct Wish {
    given: BTreeMap<String, Vec<u8>>,
    delete: bool,
    expected: Option<String>,
    message: Option<String>,
    dry_run: bool,
}

impl Workbench {
    async fn commit_own(
        &self,
        context: &CallContext,
        id: &jig_contract::WorkbenchId,
        reference: &Reference,
        wish: &Wish,
    ) -> Result<AgentWorkspaceCommitOutput, OpError> {
        let mut session = self.enter_lightly(id).await?;
        let plan = |head: Head| {
            Box::pin(async move {
                let root = self.hash_at(head.state, AGENT_FOLDER).await?;
                expected(wish, root)?;
                let own = self.present_files(&head, reference).await?;
                let next = wished(&own, wish);
                let changes = self.pending_changes(&own, &next, wish).await?;
                if wish.dry_run || changes.is_empty() {
                    return Ok(Plan::nothing((changes, false)));
                }
                let edits = self.edits(&own, &next, wish, AGENT_FOLDER).await?;
                let state = self.store().edit(head.state, &edits).await?;
                context.check_cancelled()?;
                let summary = wish.message.clone().unwrap_or_else(|| summary(&changes));
                let change = Change::new(context.actor.clone(), "AgentWorkspaceCommit", summary, state);
                Ok(Plan::change(change, vec![AGENT_FOLDER.to_owned()], (changes, true)))
            }) as Planned<'_, (Vec<AgentChange>, bool)>
        };
        let (changes, saved) = self.change(&mut session, plan).await.map_err(|error| error.workbench(id))?;
        if wish.dry_run {
            return self.checked_only(&session.head, reference, wish, changes).await;
        }
        self.committed(&session.head, reference, changes, saved).await
    }

    async fn commit_shared(
        &self,
        context: &CallContext,
        id: &jig_contract::WorkbenchId,
        reference: &Reference,
        name: &str,
        wish: &Wish,
    ) -> Result<AgentWorkspaceCommitOutput, OpError> {
        let head = self.enter_lightly(id).await?.head;
        let newest = self.store().agent_version(name, None).await?;
        expected(wish, newest.as_ref().map(|version| version.root))?;
        let own = self.present_files(&head, reference).await?;
        let next = wished(&own, wish);
        let changes = self.pending_changes(&own, &next, wish).await?;
        if wish.dry_run {
            return self.checked_only(&head, reference, wish, changes).await;
        }
        if changes.is_empty() {
            return self.committed(&head, reference, changes, false).await;
        }
        let base = match &newest {
            Some(version) => version.root,
            None => self.store().empty_tree().await?,
        };
        let edits = self.edits(&own, &next, wish, "").await?;
        let root = self.store().edit(base, &edits).await?;
        let message = wish.message.clone().unwrap_or_else(|| summary(&changes));
        let after = newest.map(|version| version.version);
        if self.store().add_agent_version(name, after, root, &context.actor, &message).await?.is_none() {
            return Err(OpError::new(Code::Conflict, format!("somebody else made a version of `{name}` first"))
                .hint("look at it with `jig agent diff`, then push again"));
        }
        self.committed(&head, reference, changes, true).await
    }

    /// The current files; empty if the workspace does not exist yet.
    async fn present_files(&self, head: &Head, reference: &Reference) -> Result<Files, OpError> {
        match self.resolve_workspace(head, reference).await {
            Ok(resolved) => Ok(resolved.files),
            Err(error) if error.code() == Code::AgentWorkspaceNotFound => Ok(Files::new()),
            Err(error) => Err(error),
        }
    }

    /// The changes of a commit, with text diffs.
    async fn pending_changes(&self, own: &Files, next: &Files, wish: &Wish) -> Result<Vec<AgentChange>, OpError> {
        // New content is stored first, so that it can be read like any other.
        self.store().blobs().put_many(wish.given.values().map(|bytes| bytes.clone().into()).collect()).await?;
        self.agent_changes(own, next).await
    }

    async fn edits(&self, own: &Files, next: &Files, wish: &Wish, folder: &str) -> Result<Vec<TreeEdit>, OpError> {
        let place = |path: &str| if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        let mut edits: Vec<TreeEdit> = own
            .keys()
            .filter(|path| !next.contains_key(*path))
            .map(|path| TreeEdit::Remove { path: place(path) })
            .collect();
        for (path, bytes) in &wish.given {
            edits.push(self.file_edit(place(path), bytes.clone()).await?);
        }
        Ok(edits)
    }

    async fn committed(
        &self,
        head: &Head,
        reference: &Reference,
        changes: Vec<AgentChange>,
        saved: bool,
    ) -> Result<AgentWorkspaceCommitOutput, OpError> {
        let resolved = match self.resolve_workspace(head, reference).await {
            Ok(resolved) => resolved,
            Err(error) if error.code() == Code::AgentWorkspaceNotFound => {
                return Ok(AgentWorkspaceCommitOutput { saved, changes, ..AgentWorkspaceCommitOutput::default() });
            }
            Err(error) => return Err(error),
        };
        let compiled = self.compile_workspace(&resolved, &jig_session::Policy::default()).await?;
        let problems = compiled.err().map(shown_problems).unwrap_or_default();
        let version = Some(resolved.version);
        Ok(AgentWorkspaceCommitOutput { version, saved, changes, problems, left_out: Vec::new() })
    }

    /// The result of a dry run: the errors of the new version, next to the current version.
    async fn checked_only(
        &self,
        head: &Head,
        reference: &Reference,
        wish: &Wish,
        changes: Vec<AgentChange>,
    ) -> Result<AgentWorkspaceCommitOutput, OpError> {
        let own = self.present_files(head, reference).await?;
        let files = wished(&own, wish);
        let present = self.resolve_workspace(head, reference).await.ok().map(|resolved| resolved.version);
        let compiled = self.compile_files(files).await?;
        let problems = compiled.err().map(shown_problems).unwrap_or_default();
        Ok(AgentWorkspaceCommitOutput { version: present, changes, problems, ..AgentWorkspaceCommitOutput::default() })
    }

    /// The built-in files of the last upgrade.
    async fn upgrade_base(&self, head: &Head) -> Result<BTreeMap<String, BlobHash>, OpError> {
        let Some(hash) = self.hash_at(head.state, BASE).await? else { return Ok(BTreeMap::new()) };
        let bytes = self.store().blobs().get(&hash).await?;
        serde_json::from_slice(&bytes)
            .map_err(|e| OpError::new(Code::BlobCorrupt, format!("{BASE} cannot be read")).because(e))
    }
}

fn wrong(words: &str) -> OpError {
    OpError::new(Code::ValidationFailed, words)
}

fn hashes(files: &Files) -> BTreeMap<String, BlobHash> {
    files.iter().map(|(path, file)| (path.clone(), file.hash)).collect()
}

/// The files after the commit.
fn wished(own: &Files, wish: &Wish) -> Files {
    let mut next = if wish.delete { Files::new() } else { own.clone() };
    for (path, bytes) in &wish.given {
        next.insert(path.clone(), FileRef { hash: hash_of(bytes), bytes: bytes.len() as u64 });
    }
    next
}

fn summary(changes: &[AgentChange]) -> String {
    let first: Vec<&str> = changes.iter().take(3).map(|change| change.path.as_str()).collect();
    let more = changes.len().saturating_sub(first.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("changed the agent workspace: {}{more}", first.join(", "))
}

/// Refuses a commit if the newest version is not the one that the caller has seen.
fn expected(wish: &Wish, root: Option<BlobHash>) -> Result<(), OpError> {
    let Some(expected) = wish.expected.as_deref() else { return Ok(()) };
    let now = root.map_or("none".to_owned(), |root| root.to_string());
    if expected == now {
        return Ok(());
    }
    Err(OpError::new(Code::Conflict, format!("the newest version is {now}, not {expected}"))
        .detail(serde_json::json!({ "head": now }))
        .hint("look at what changed with `jig agent diff`, then push again"))
}

/// The files in a call, by path, and what was left out of a folder. `agent.lock` is never part of a workspace.
async fn given_files(
    files: Vec<AgentFile>,
    folder: Option<String>,
) -> Result<(BTreeMap<String, Vec<u8>>, Vec<LeftAlone>), OpError> {
    let (mut given, left_out) = match folder {
        None => (BTreeMap::new(), Vec::new()),
        Some(folder) => {
            let limits = FolderLimits { files: FILES_MAX, bytes: BYTES_MAX };
            let read = tokio::task::spawn_blocking(move || read_folder(&folder, &limits)).await;
            let read =
                read.map_err(|e| OpError::new(Code::Internal, "reading the folder was broken off").because(e))??;
            let is_hidden = |path: &str| path.split('/').any(|name| name.starts_with('.'));
            let (hidden, given): (BTreeMap<_, _>, BTreeMap<_, _>) =
                read.files.into_iter().filter(|(path, _)| path != LOCK).partition(|(path, _)| is_hidden(path));
            let hidden = hidden.into_keys().map(|path| LeftAlone { path, reason: "hidden file".to_owned() });
            (given, read.left_out.into_iter().chain(hidden).collect())
        }
    };
    for file in files {
        let bytes = match (file.text, file.base64) {
            (Some(text), None) => text.into_bytes(),
            (None, Some(base64)) => STANDARD
                .decode(base64)
                .map_err(|_| wrong(&format!("`{}`: `base64` cannot be read", super::shown(&file.path))))?,
            _ => return Err(wrong(&format!("`{}`: give `text` or `base64`", super::shown(&file.path)))),
        };
        if given.insert(file.path.clone(), bytes).is_some() {
            return Err(wrong(&format!("`{}` is given twice", super::shown(&file.path))));
        }
    }
    if given.is_empty() {
        return Err(wrong("no file is given").hint("give `files`, or a `folder` of this machine"));
    }
    for (path, bytes) in &given {
        WorkbenchPath::new(path).map_err(<WorkbenchPath as jig_contract::Checked>::refuse)?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            let words = format!("`{path}` has {} bytes; at most {FILE_BYTES_MAX} are taken", bytes.len());
            return Err(OpError::new(Code::LimitExceeded, words));
        }
    }
    if given.len() > FILES_MAX {
        return Err(OpError::new(Code::LimitExceeded, format!("a workspace has at most {FILES_MAX} files")));
    }
    Ok((given, left_out))
}
