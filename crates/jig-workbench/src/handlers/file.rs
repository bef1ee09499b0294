//! Listing and removing files.

use jig_contract::ops::*;
use jig_contract::{Code, OpError, WorkbenchPath};
use jig_files::FileKind;
use jig_store::{Change, Head, Plan, TreeEdit};

use crate::draft::check_base;
use crate::engine::Planned;
use crate::handlers::names;
use crate::state::{DRAFT_RECORD, View, no_file, place};
use crate::{CallContext, Handle, Workbench};

/// The default number of listed files.
const LIST_DEFAULT: usize = 1_000;

impl Handle<FileList> for Workbench {
    async fn handle(&self, _: &CallContext, params: FileListParams) -> Result<FileListOutput, OpError> {
        let session = self.enter(&params.workbench_id.check()?).await?;
        let folder = params.folder.map(|folder| folder.check()).transpose()?;
        let after = params.cursor.as_deref().map(WorkbenchPath::new).transpose().map_err(|_| bad_cursor())?;
        let limit = params.limit.map_or(LIST_DEFAULT, |n| n as usize).max(1);
        let root = View::of(self.store(), &session.head).choose(params.root).await?;

        let mut files = self.files_of(&session.head, root).await?;
        if let Some(folder) = &folder {
            files.retain(|(path, _)| path.is_within(folder));
            if files.is_empty() {
                return Err(OpError::new(Code::FileNotFound, format!("there is no folder `{folder}`"))
                    .hint("`jig files` without a folder lists all files"));
            }
        }
        let total = files.len() as u64;
        let total_bytes = files.iter().map(|(_, file)| file.bytes).sum();
        if let Some(after) = &after {
            files.retain(|(path, _)| path > after);
        }
        let more = files.len() > limit;
        files.truncate(limit);
        let cursor = files.last().filter(|_| more).map(|(path, _)| path.to_string());
        let files = self.describe(files).await?;
        Ok(FileListOutput { root, files, total, total_bytes, cursor, left_alone: session.left_alone })
    }
}

fn bad_cursor() -> OpError {
    OpError::new(Code::ValidationFailed, "the cursor is not one that an earlier answer gave")
        .hint("leave `cursor` out to begin at the first file")
}

/// Whether a file of this kind can be read and written as lines.
pub(super) fn is_text(kind: &str) -> bool {
    kind.parse::<FileKind>().is_ok_and(|kind| kind.is_text() || kind == FileKind::Empty)
}

impl Handle<FileRemove> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileRemoveParams) -> Result<FileRemoveOutput, OpError> {
        let id = params.workbench_id.check()?;
        let mut paths = params.paths.iter().map(|path| path.check()).collect::<Result<Vec<_>, _>>()?;
        paths.sort();
        paths.dedup();
        if paths.is_empty() {
            return Err(OpError::new(Code::ValidationFailed, "no file is named").hint("name the files to remove"));
        }
        let base = params.base_hash.map(|hash| hash.check()).transpose()?;
        if base.is_some() && paths.len() != 1 {
            let words = "`base_hash` is the hash of one file, and several are named";
            return Err(OpError::new(Code::ValidationFailed, words).hint("remove that file alone"));
        }
        let mut session = self.enter(&id).await?;
        self.refuse_draft(&session, "remove files").await?;
        let removed = &paths;
        let plan = |head: Head| {
            Box::pin(async move {
                let view = View::of(self.store(), &head);
                let mut edits = Vec::new();
                for path in removed {
                    let there = view.file(Root::Published, path).await?;
                    check_base(path, base, there.as_ref())?;
                    if there.is_none() {
                        return Err(no_file(view, Root::Published, path).await);
                    }
                    edits.push(TreeEdit::Remove { path: place(Root::Published, path) });
                }
                context.check_cancelled()?;
                let state = self.store().edit(head.state, &edits).await?;
                let summary = format!("removed {}", names(removed));
                let touches =
                    removed.iter().map(|path| place(Root::Published, path)).chain([DRAFT_RECORD.to_owned()]).collect();
                Ok(Plan::change(Change::new(context.actor.clone(), "FileRemove", summary, state), touches, ()))
            }) as Planned<'_, ()>
        };
        self.change(&mut session, plan).await?;
        Ok(FileRemoveOutput { removed: paths })
    }
}
