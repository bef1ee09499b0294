//! The Draft: start, read, write, remove, discard.

use bytes::Bytes;
use jig_contract::ops::*;
use jig_contract::{BlobHash, Code, Effect, HashPrefix, OpError, WorkbenchPath, find};
use jig_files::engine::Format;
use jig_store::{Change, FileNode, Head, Plan, TreeEdit};

use crate::draft::check_base;
use crate::engine::Planned;
use crate::handlers::{count, file::is_text};
use crate::state::{DRAFT_RECORD, View, no_draft, no_file, place};
use crate::{CallContext, Handle, Workbench};

const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

impl Handle<DraftCreate> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftCreateParams) -> Result<DraftSummary, OpError> {
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        self.refuse_draft(&session, "begin another").await?;
        let plan = |head: Head| {
            Box::pin(async move {
                let (edits, record) = self.begin_draft(&head, DraftSource::Request).await?;
                let state = self.store().edit(head.state, &edits).await?;
                let change = Change::new(context.actor.clone(), "DraftCreate", "began a Draft".to_owned(), state);
                Ok(Plan::change(change, vec![DRAFT_RECORD.to_owned()], record.into()))
            }) as Planned<'_, _>
        };
        self.change(&mut session, plan).await
    }
}

impl Handle<DraftGetState> for Workbench {
    async fn handle(&self, _: &CallContext, params: DraftGetStateParams) -> Result<DraftGetStateOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let view = View::of(self.store(), &session.head);
        let mut output = DraftGetStateOutput {
            exists: false,
            draft: None,
            age: None,
            reminder: None,
            stale: false,
            added: 0,
            modified: 0,
            deleted: 0,
            published_changed: Vec::new(),
            warning: None,
            working_session: None,
        };
        let Some(record) = view.draft().await? else { return Ok(output) };
        output.working_session = self.store().held_sessions(&session.id).await?.into_iter().next();
        let (reference, changes) = self.draft_changes(&session.head, &record).await?;
        for change in &changes.list {
            match change.change {
                ChangeType::Added => output.added += 1,
                ChangeType::Modified => output.modified += 1,
                ChangeType::Deleted => output.deleted += 1,
            }
        }
        output.published_changed = self.changed_outside(&session.head, &record, &reference).await?;
        output.warning = reference.warning;
        let days = self.env().now().since(record.created_at) / DAY_MS;
        let age = match days {
            0 => DraftAge::Fresh,
            1..7 => DraftAge::Reminder,
            _ => DraftAge::Stale,
        };
        output.exists = true;
        output.age = Some(age);
        output.stale = age == DraftAge::Stale;
        output.reminder = (age != DraftAge::Fresh)
            .then(|| format!("this Draft is {} old; review it with `jig review`", count(days.unsigned_abs(), "day")));
        output.draft = Some(record.into());
        Ok(output)
    }
}

impl Handle<DraftWriteText> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftWriteTextParams) -> Result<DraftWriteOutput, OpError> {
        let id = params.workbench_id.check()?;
        let path = params.path.check()?;
        let base = params.base_hash.map(|hash| hash.check()).transpose()?;
        self.check_size(&path, params.text.len() as u64)?;
        let mut session = self.enter(&id).await?;
        let bytes = Bytes::from(params.text);
        let file = FileNode { hash: BlobHash::from_bytes(*blake3::hash(&bytes).as_bytes()), bytes: bytes.len() as u64 };
        if !params.dry_run {
            self.store().blobs().put(bytes).await?;
        }
        let content = Content::Text { base };
        let write = Write { path, content, after: Some(file), dry_run: params.dry_run, operation: "DraftWriteText" };
        self.write(context, &mut session, write).await
    }
}

impl Handle<DraftRemoveFile> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftRemoveFileParams) -> Result<DraftWriteOutput, OpError> {
        let id = params.workbench_id.check()?;
        let path = params.path.check()?;
        let base = params.base_hash.map(|hash| hash.check()).transpose()?;
        let mut session = self.enter(&id).await?;
        let content = Content::Text { base };
        let write = Write { path, content, after: None, dry_run: params.dry_run, operation: "DraftRemoveFile" };
        self.write(context, &mut session, write).await
    }
}

impl Handle<DraftMoveFile> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftMoveFileParams) -> Result<DraftWriteOutput, OpError> {
        let transfer = Transfer {
            from: params.path.check()?,
            to: params.to.check()?,
            base: params.base_hash.map(|hash| hash.check()).transpose()?,
            overwrite: params.overwrite,
            dry_run: params.dry_run,
            moves: true,
        };
        self.transfer(context, &params.workbench_id.check()?, transfer).await
    }
}

impl Handle<DraftCopyFile> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftCopyFileParams) -> Result<DraftWriteOutput, OpError> {
        let transfer = Transfer {
            from: params.path.check()?,
            to: params.to.check()?,
            base: params.base_hash.map(|hash| hash.check()).transpose()?,
            overwrite: params.overwrite,
            dry_run: params.dry_run,
            moves: false,
        };
        self.transfer(context, &params.workbench_id.check()?, transfer).await
    }
}

impl Handle<DraftUndo> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftUndoParams) -> Result<DraftUndoOutput, OpError> {
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        let changes_draft = |entry: &JournalEntry| find(&entry.operation).is_some_and(|op| op.effect == Effect::Draft);
        // Only the caller's own changes of the Draft: publishing and other people's work are not the agent's to undo.
        let is_own = |entry: &JournalEntry| entry.actor.is_same_author(&context.actor) && changes_draft(entry);
        let undone = self.store().undo_if(&session.id, context.actor.clone(), is_own).await?;
        let (change, entry) = undone.map_err(|newest| {
            let message = match changes_draft(&newest) {
                true => "nothing to undo: the newest change of the Draft was made by someone else",
                false => "nothing to undo: the newest change of the workbench is not a change of the Draft",
            };
            OpError::new(Code::Conflict, message)
                .hint("change the files again instead; earlier changes can only be undone by a person")
                .detail(serde_json::json!({ "seq": newest.seq, "operation": newest.operation }))
        })?;
        let head = self.store().head(&session.id).await?;
        self.moved(&mut session, head, &entry).await;
        let draft_exists = View::of(self.store(), &session.head).draft().await?.is_some();
        Ok(DraftUndoOutput { undone: change.summary, operation: change.operation, draft_exists })
    }
}

/// A file that is moved or copied to another path.
struct Transfer {
    from: WorkbenchPath,
    to: WorkbenchPath,
    base: Option<HashPrefix>,
    overwrite: bool,
    dry_run: bool,
    /// Whether the file leaves its old path.
    moves: bool,
}

impl Workbench {
    async fn transfer(
        &self,
        context: &CallContext,
        id: &jig_contract::WorkbenchId,
        transfer: Transfer,
    ) -> Result<DraftWriteOutput, OpError> {
        let mut session = self.enter(id).await?;
        let transfer = &transfer;
        let (file, replaced, draft_created) = if transfer.dry_run {
            let head = session.head.clone();
            self.plan_transfer(context, &head, transfer).await?.output
        } else {
            let plan = |head: Head| {
                Box::pin(async move { self.plan_transfer(context, &head, transfer).await }) as Planned<'_, _>
            };
            self.change(&mut session, plan).await?
        };
        Ok(DraftWriteOutput {
            changed: true,
            summary: transfer_summary(transfer),
            hash_before: replaced.map(|file| file.hash),
            file: if transfer.dry_run { None } else { Some(self.describe_one(&transfer.to, file).await?) },
            draft_created: draft_created && !transfer.dry_run,
            dry_run: transfer.dry_run,
        })
    }

    /// The moved file, the file that it replaces, and whether this starts the Draft.
    async fn plan_transfer(
        &self,
        context: &CallContext,
        head: &Head,
        transfer: &Transfer,
    ) -> Result<Plan<(FileNode, Option<FileNode>, bool)>, OpError> {
        let (from, to) = (&transfer.from, &transfer.to);
        let view = View::of(self.store(), head);
        let starts_draft = view.draft().await?.is_none();
        let root = if starts_draft { Root::Published } else { Root::Draft };
        let Some(file) = view.file(root, from).await? else { return Err(no_file(view, root, from).await) };
        check_base(from, transfer.base, Some(&file))?;
        if from == to {
            return Err(OpError::new(Code::ValidationFailed, format!("`{from}` already has this path"))
                .hint("choose another path in `to`"));
        }
        // On disks that ignore case, only the name's case changes; that is a move like any other.
        let replaced = view.file(root, to).await?;
        if replaced.is_some() && !transfer.overwrite {
            return Err(OpError::new(Code::Conflict, format!("`{to}` already exists"))
                .hint("choose another path in `to`, or set `overwrite` to replace that file"));
        }
        check_same_format(from, to)?;
        self.check_size(to, file.bytes)?;
        let (files, _) = view.size(root).await?;
        self.check_count(files + u64::from(replaced.is_none() && !transfer.moves))?;
        let output = (file, replaced, starts_draft);
        if transfer.dry_run {
            return Ok(Plan::nothing(output));
        }
        let mut edits = self.draft_if_none(head, DraftSource::FirstWrite).await?;
        let (old, new) = (place(Root::Draft, from), place(Root::Draft, to));
        if transfer.moves {
            edits.push(TreeEdit::Remove { path: old.clone() });
        }
        edits.push(TreeEdit::File { path: new.clone(), hash: file.hash, bytes: file.bytes });
        context.check_cancelled()?;
        let state = self.store().edit(head.state, &edits).await?;
        let operation = if transfer.moves { "DraftMoveFile" } else { "DraftCopyFile" };
        let change = Change::new(context.actor.clone(), operation, transfer_summary(transfer), state);
        let touches = if starts_draft { Vec::new() } else { vec![old, new] };
        Ok(Plan::change(change, touches, output))
    }
}

fn transfer_summary(transfer: &Transfer) -> String {
    let verb = if transfer.moves { "moved" } else { "copied" };
    format!("{verb} {} to {} in the Draft", transfer.from, transfer.to)
}

/// A new extension would make a file that programs refuse to open; conversion is a separate operation.
fn check_same_format(from: &WorkbenchPath, to: &WorkbenchPath) -> Result<(), OpError> {
    let is_text = |path: &WorkbenchPath| Format::Text.takes(path.file_name());
    if from.extension() == to.extension() || (is_text(from) && is_text(to)) {
        return Ok(());
    }
    let (old, new) = (from.extension(), to.extension());
    Err(OpError::new(
        Code::ValidationFailed,
        format!("`{to}` must keep the extension of `{from}` (.{old}, not .{new})"),
    )
    .hint("moving and copying do not convert files; choose a path that ends like the file"))
}

/// Writes or removes one file of the Draft.
pub(super) struct Write {
    pub(super) path: WorkbenchPath,
    pub(super) content: Content,
    pub(super) after: Option<FileNode>,
    pub(super) dry_run: bool,
    pub(super) operation: &'static str,
}

/// The origin of new content, which decides what it may replace.
pub(super) enum Content {
    /// Complete text from a caller: it may not overwrite files of other formats.
    Text { base: Option<HashPrefix> },
    /// The result of editing the file with this hash, or no file: that must not have changed.
    Edited { base: Option<Option<BlobHash>> },
}

/// The effect of a planned write.
struct Written {
    before: Option<FileNode>,
    draft_created: bool,
    changed: bool,
}

impl Workbench {
    pub(super) async fn write(
        &self,
        context: &CallContext,
        session: &mut crate::engine::Session,
        write: Write,
    ) -> Result<DraftWriteOutput, OpError> {
        let done = if write.dry_run {
            let head = session.head.clone();
            self.plan_write(context, &head, &write).await?.output
        } else {
            let write = &write;
            let plan =
                |head: Head| Box::pin(async move { self.plan_write(context, &head, write).await }) as Planned<'_, _>;
            self.change(session, plan).await?
        };
        let file = match &write.after {
            Some(file) if !write.dry_run => Some(self.describe_one(&write.path, *file).await?),
            _ => None,
        };
        Ok(DraftWriteOutput {
            changed: done.changed,
            summary: summary(&write, &done),
            hash_before: done.before.map(|file| file.hash),
            file,
            draft_created: done.draft_created && done.changed && !write.dry_run,
            dry_run: write.dry_run,
        })
    }

    async fn plan_write(&self, context: &CallContext, head: &Head, write: &Write) -> Result<Plan<Written>, OpError> {
        let view = View::of(self.store(), head);
        let draft = view.draft().await?;
        let root = if draft.is_some() { Root::Draft } else { Root::Published };
        let before = view.file(root, &write.path).await?;
        match &write.content {
            Content::Text { base } => check_base(&write.path, *base, before.as_ref())?,
            Content::Edited { base } => check_same(&write.path, *base, before.as_ref())?,
        }
        if write.after.is_none() && before.is_none() {
            return Err(no_file(view, root, &write.path).await);
        }
        if write.after.is_some() {
            if matches!(write.content, Content::Text { .. }) {
                check_text_name(&write.path)?;
                self.check_overwrite(&write.path, before.as_ref()).await?;
            }
            let (files, _) = view.size(root).await?;
            self.check_count(files + u64::from(before.is_none()))?;
        }
        let changed = before != write.after;
        let written = Written { before, draft_created: draft.is_none(), changed };
        if !changed || write.dry_run {
            return Ok(Plan::nothing(written));
        }

        let mut edits = self.draft_if_none(head, DraftSource::FirstWrite).await?;
        let place = place(Root::Draft, &write.path);
        edits.push(match &write.after {
            Some(file) => TreeEdit::File { path: place.clone(), hash: file.hash, bytes: file.bytes },
            None => TreeEdit::Remove { path: place.clone() },
        });
        context.check_cancelled()?;
        let state = self.store().edit(head.state, &edits).await?;
        let change = Change::new(context.actor.clone(), write.operation, summary(write, &written), state);
        // If two first writes race, both start the Draft, and the later one is planned again on top of the earlier one.
        let touches = if written.draft_created { Vec::new() } else { vec![place] };
        Ok(Plan::change(change, touches, written))
    }

    /// Text must not overwrite a spreadsheet by mistake.
    async fn check_overwrite(&self, path: &WorkbenchPath, before: Option<&FileNode>) -> Result<(), OpError> {
        let Some(before) = before else { return Ok(()) };
        let info = self.describe_one(path, *before).await?;
        if is_text(&info.kind) || info.kind == "damaged" {
            return Ok(());
        }
        Err(OpError::new(Code::ValidationFailed, format!("`{path}` is not a text file ({})", info.kind))
            .hint("write to another name, or remove the file in the Draft first"))
    }
}

/// Text with the extension of another format would be a file that no program can open.
fn check_text_name(path: &WorkbenchPath) -> Result<(), OpError> {
    if Format::Text.takes(path.file_name()) {
        return Ok(());
    }
    let words = format!("text cannot be written to `{path}`: .{} is not a text format", path.extension());
    let error = OpError::new(Code::ValidationFailed, words);
    Err(match path.extension().as_str() {
        "docx" | "docm" | "dotx" | "dotm" => {
            error.hint("to write a Word document, use `docx_operations` (DocxApplyOps)")
        }
        "xlsx" | "xlsm" | "xltx" | "xltm" => error.hint("to write a workbook, use `xlsx_operations` (XlsxApplyOps)"),
        "pptx" | "pptm" | "potx" | "potm" => {
            error.hint("to write a presentation, use `pptx_operations` (PptxApplyOps)")
        }
        _ => error.hint("choose a name that ends in .txt, .md or another text format"),
    })
}

/// The file that an edit is based on must not have changed.
fn check_same(path: &WorkbenchPath, base: Option<Option<BlobHash>>, before: Option<&FileNode>) -> Result<(), OpError> {
    match base {
        Some(base) if base != before.map(|file| file.hash) => {
            Err(OpError::new(Code::Conflict, format!("`{path}` was changed while it was being edited"))
                .hint("read it again and repeat the edit"))
        }
        _ => Ok(()),
    }
}

fn summary(write: &Write, done: &Written) -> String {
    let verb = match (&done.before, &write.after) {
        _ if !done.changed => return format!("{} is unchanged", write.path),
        (None, _) => "wrote new file",
        (Some(_), Some(_)) if matches!(write.content, Content::Edited { .. }) => "edited",
        (Some(_), Some(_)) => "wrote",
        (Some(_), None) => "removed",
    };
    format!("{verb} {} in the Draft", write.path)
}

impl Handle<DraftDiscard> for Workbench {
    async fn handle(&self, context: &CallContext, params: DraftDiscardParams) -> Result<DraftDiscardOutput, OpError> {
        let mut session = self.enter(&params.workbench_id.check()?).await?;
        let plan = |head: Head| {
            Box::pin(async move {
                let record = View::of(self.store(), &head).draft().await?.ok_or_else(no_draft)?;
                // A Draft whose base is damaged can still be discarded.
                let files = match self.draft_changes(&head, &record).await {
                    Ok((_, changes)) => changes.list.len() as u64,
                    Err(_) => 0,
                };
                let edits = [
                    TreeEdit::Remove { path: Root::Draft.folder().to_owned() },
                    TreeEdit::Remove { path: DRAFT_RECORD.to_owned() },
                ];
                let state = self.store().edit(head.state, &edits).await?;
                let summary = format!("discarded the Draft ({} changed)", count(files, "file"));
                let touches = vec![Root::Draft.folder().to_owned(), DRAFT_RECORD.to_owned()];
                let output = DraftDiscardOutput { discarded: record.id, files };
                Ok(Plan::change(Change::new(context.actor.clone(), "DraftDiscard", summary, state), touches, output))
            }) as Planned<'_, _>
        };
        self.change(&mut session, plan).await
    }
}
