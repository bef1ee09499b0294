//! Converts errors of the store into operation errors with hints.

use jig_contract::{Code, OpError};
use serde_json::json;

use crate::StoreError;
use crate::error::is_damaged;

impl From<StoreError> for OpError {
    fn from(error: StoreError) -> Self {
        use StoreError as E;
        let message = error.to_string();
        match &error {
            E::WorkbenchNotFound { id } => OpError::new(Code::WorkbenchNotFound, message)
                .workbench(id)
                .hint("`jig workbench list` shows the workbenches"),
            E::WorkbenchExists { id } => {
                OpError::new(Code::WorkbenchExists, message).workbench(id).hint("choose another id")
            }
            E::CheckpointNotFound { .. } => {
                OpError::new(Code::CheckpointNotFound, message).hint("`jig checkpoint list` shows the checkpoints")
            }
            E::BlobMissing { .. } | E::BlobCorrupt { .. } | E::TreeInvalid { .. } => {
                OpError::new(Code::BlobCorrupt, message)
                    .hint("`jig doctor` lists the damage; `jig doctor --repair` repairs what it can")
            }
            E::Conflict { paths } => OpError::new(Code::Conflict, message)
                .action("reload")
                .hint("read it again, then repeat the change")
                .detail(json!({ "paths": paths })),
            E::CaseCollision { path, existing } => OpError::new(Code::FileExists, message)
                .hint("names that differ only in case are the same on some systems; choose another")
                .detail(json!({ "path": path, "existing": existing })),
            E::PathInUse { path } => OpError::new(Code::FileExists, message)
                .hint("a name is either a file or a folder; choose another")
                .detail(json!({ "path": path })),
            E::Path(_) => OpError::new(Code::SandboxViolation, message).hint("name a file inside the workbench"),
            E::FileChanged => {
                OpError::new(Code::FileReadFailed, message).hint("retry when no other program writes to the file")
            }
            E::Collecting => {
                OpError::new(Code::Conflict, message).action("retry").hint("retry when the other process has finished")
            }
            E::Row { .. } => {
                OpError::new(Code::Internal, message).hint("`jig doctor` checks all stored data")
            }
            E::NothingToUndo | E::NothingToRedo => {
                OpError::new(Code::NothingToUndo, message).hint("`jig log` shows the changes")
            }
            E::DiskFull => OpError::new(Code::DiskFull, message)
                .action("retry")
                .hint("free some disk space, then retry; nothing was partially written"),
            E::TooNew { .. } => {
                OpError::new(Code::StoreTooNew, message).hint("use the version of Jig that wrote this data, or a newer one")
            }
            E::DatabaseMissing | E::ForeignDatabase => OpError::new(Code::StoreIncomplete, message)
                .hint("restore the database (`jig.db` in the home folder) from a backup; `jig settings` shows where it is")
                .hint("to start with an empty store instead, move `jig.db` and the `blobs` folder away, or use another \
                       home or bucket prefix; nothing was changed"),
            E::BlobsMissing => OpError::new(Code::StoreIncomplete, message)
                .hint("restore the blobs from a backup, or correct `blobs` or `home`; `jig settings` shows them")
                .hint("to start with an empty store instead, move the database away; nothing was changed"),
            E::WrongBlobs => OpError::new(Code::StoreIncomplete, message)
                .hint("correct `database`, `blobs` or `home`: `jig settings` shows where each value comes from")
                .hint("after a partial restore, restore the database and the blobs from the same backup"),
            E::ReadOnly => OpError::new(Code::StoreReadOnly, message)
                .hint("check the owner of the home folder, and whether its disk is mounted read-only"),
            E::Archive { .. } => OpError::new(Code::ArchiveInvalid, message)
                .hint("export it again with `jig export`; nothing was imported"),
            E::Settings { .. } => OpError::new(Code::SettingsInvalid, message)
                .hint("`jig settings` shows each setting and its source"),
            E::Database(database) if is_damaged(database) => OpError::new(Code::BlobCorrupt, message)
                .hint("restore a copy of the home folder; `jig settings` shows its path"),
            E::Database(_) | E::Blobs(_) => OpError::new(Code::StoreUnavailable, message)
                .hint("check that the database and the blob store respond, and that the home folder is writable")
                .hint("`jig settings` shows their addresses"),
            E::Io { .. } => {
                OpError::new(Code::FileWriteFailed, message).hint("check the folder's permissions and the free disk space")
            }
        }
        .because(error)
    }
}
