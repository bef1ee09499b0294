//! Export and import of context items as skill folders, for any client of Agent Skills.

use std::path::{Path, PathBuf};

use jig_context::item::{Category, FILE_BYTES_MAX, Item, skill_folder};
use jig_contract::ops::*;
use jig_contract::{Code, OpError};

use super::context::damaged;
use super::host_files::{FolderLimits, HostFolder, read_folder};
use crate::items::{Depth, ItemChange, no_item};
use crate::{CallContext, Handle, Workbench};

/// The maximum number of files read from a folder. An item accepts fewer and reports the rest.
const FILES_READ: usize = 1_000;

impl Handle<ContextExport> for Workbench {
    async fn handle(&self, _: &CallContext, params: ContextExportParams) -> Result<ContextExportOutput, OpError> {
        let category = Category::from(params.category);
        let session = self.enter(&params.workbench_id.check()?).await?;
        let files = self.item_files(session.head.state, category, Depth::Texts).await?;
        drop(session);
        let item = match Item::read(category, &files) {
            Ok(Some(item)) => item,
            Ok(None) => return Err(no_item(category)),
            Err(damage) => return Err(damaged(&damage)),
        };
        let skill = skill_folder::export(&item)?;
        let out = PathBuf::from(&params.out);
        let (partial, target) = (out.join(format!(".jig-{}.part", self.env().fresh_id())), out.join(&skill.name));
        let written = skill.files.keys().cloned().collect();
        let writing = {
            let target = target.clone();
            tokio::task::spawn_blocking(move || write(&partial, &target, &skill.files)).await
        };
        writing.map_err(|e| OpError::new(Code::Internal, "writing the skill was broken off").because(e))??;
        Ok(ContextExportOutput { folder: target.display().to_string(), files: written })
    }
}

/// Writes a temporary folder and renames it, so that the skill is either complete or absent.
fn write(partial: &Path, target: &Path, files: &std::collections::BTreeMap<String, String>) -> Result<(), OpError> {
    if std::fs::symlink_metadata(target).is_ok() {
        return Err(OpError::new(Code::FileExists, format!("`{}` exists already", target.display()))
            .hint("choose another folder with `--out`, or remove the one that is there"));
    }
    let all = || -> std::io::Result<()> {
        for (path, text) in files {
            let place = partial.join(path);
            if let Some(parent) = place.parent() {
                std::fs::create_dir_all(parent)?;
            }
            std::fs::write(&place, text)?;
        }
        std::fs::rename(partial, target)
    };
    all().map_err(|error| {
        let _ = std::fs::remove_dir_all(partial);
        match error.kind() {
            std::io::ErrorKind::StorageFull => {
                OpError::new(Code::DiskFull, "no space left on device").hint("free some space, then retry")
            }
            kind => OpError::new(Code::FileWriteFailed, format!("`{}` cannot be written: {kind}", target.display()))
                .hint("check the folder's rights"),
        }
    })
}

impl Handle<ContextImport> for Workbench {
    async fn handle(&self, context: &CallContext, params: ContextImportParams) -> Result<ContextItemOutput, OpError> {
        let (id, category) = (params.workbench_id.check()?, Category::from(params.category));
        let limits = FolderLimits { files: FILES_READ, bytes: FILE_BYTES_MAX };
        let given = params.folder.clone();
        let reading = tokio::task::spawn_blocking(move || read_folder(&given, &limits)).await;
        let HostFolder { name, files, left_out } =
            reading.map_err(|e| OpError::new(Code::Internal, "reading the skill was broken off").because(e))??;
        let mut session = self.enter(&id).await?;
        self.refuse_draft_for_context(&session.head).await?;
        let seen = self.seen_item(&session.head, category, params.base_revision.as_ref()).await?;
        let (before, _) = self.item_files_left(session.head.state, category).await?;
        let previous = Self::item_source(category, &before);
        let imported = skill_folder::import(category, &name, &files, previous.as_ref(), self.env().now())?;
        let change = ItemChange {
            category,
            item: Some(imported.item),
            seen,
            operation: "ContextImport",
            summary: format!("took the skill {name} in as the {} context", category.label()),
        };
        self.change_item(context, &mut session, change).await?;
        let counted = if seen.is_some() { "context.edit" } else { "context.add" };
        self.count(&id, counted, category, "", 0).await;
        let left_out = left_out.iter().map(|one| format!("{} was left out: {}", one.path, one.reason));
        let warnings = imported.warnings.into_iter().chain(left_out).collect();
        self.item_output(&session.head, category, warnings).await
    }
}
