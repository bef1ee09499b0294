//! Copies published files out of a workbench.

use std::path::{Path, PathBuf};

use jig_contract::ops::*;
use jig_contract::{Code, OpError};
use serde_json::json;

use crate::state::{View, no_file};
use crate::{CallContext, Handle, Workbench};

impl Handle<FileExtract> for Workbench {
    async fn handle(&self, context: &CallContext, params: FileExtractParams) -> Result<FileExtractOutput, OpError> {
        let id = params.workbench_id.check()?;
        let paths = params.paths.iter().map(|path| path.check()).collect::<Result<Vec<_>, _>>()?;
        let session = self.enter(&id).await?;
        self.refuse_draft(&session, "extract files").await?;
        let view = View::of(self.store(), &session.head);
        let mut files = Vec::new();
        for path in &paths {
            match view.file(Root::Published, path).await? {
                Some(file) => files.push((path.clone(), file)),
                None => return Err(no_file(view, Root::Published, path).await),
            }
        }
        if paths.is_empty() {
            files = self.files_of(&session.head, Root::Published).await?;
        }
        let to = PathBuf::from(&params.to);
        if !params.overwrite {
            refuse_existing(&to, files.iter().map(|(path, _)| path.as_str()))?;
        }
        let mut written = Vec::new();
        for (path, file) in files {
            context.check_cancelled()?;
            let target = to.join(path.as_str());
            self.copy_out(&file.hash, &target).await?;
            written.push(ExtractedFile { path, to: target.display().to_string(), bytes: file.bytes });
        }
        Ok(FileExtractOutput { written })
    }
}

impl Workbench {
    /// Writes a temporary file and renames it, so that the target is either complete or absent.
    pub(super) async fn copy_out(&self, hash: &jig_contract::BlobHash, target: &Path) -> Result<(), OpError> {
        let failed = |error: &std::io::Error| match error.kind() {
            std::io::ErrorKind::StorageFull => {
                OpError::new(Code::DiskFull, "no space left on device").hint("free some space, then retry")
            }
            kind => OpError::new(Code::FileWriteFailed, format!("`{}` cannot be written: {kind}", target.display()))
                .hint("check the folder's rights"),
        };
        if let Some(parent) = target.parent() {
            tokio::fs::create_dir_all(parent).await.map_err(|e| failed(&e))?;
        }
        let partial = partial_name(target, &self.env().fresh_id().to_string());
        let copied = async {
            self.store().blobs().write_to(hash, &partial).await?;
            tokio::fs::rename(&partial, target).await.map_err(|e| failed(&e))
        };
        let done = copied.await;
        if done.is_err() {
            let _ = tokio::fs::remove_file(&partial).await;
        }
        done
    }
}

fn partial_name(target: &Path, id: &str) -> PathBuf {
    target.with_file_name(format!(".jig-{id}.part"))
}

fn refuse_existing<'a>(to: &Path, paths: impl Iterator<Item = &'a str>) -> Result<(), OpError> {
    let existing: Vec<&str> = paths.filter(|path| std::fs::symlink_metadata(to.join(path)).is_ok()).collect();
    if existing.is_empty() {
        return Ok(());
    }
    Err(OpError::new(Code::FileExists, format!("`{}` has {} of these files already", to.display(), existing.len()))
        .hint("nothing was written; choose another folder, or overwrite them with `--overwrite`")
        .detail(json!({ "paths": existing })))
}
