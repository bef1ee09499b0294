//! What is sent as bytes: written to a folder of its own as it comes, never held in memory whole, and handed to an operation
//! by its place. The folder goes when the answer is given.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jig_contract::{Code, OpError, WorkbenchPath};
use tokio::fs::File;

use super::app::App;
use super::problem::Problem;

/// What a server that was killed left behind is swept away after this long.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// A folder for what one request brings. It goes with this value.
pub(super) struct StagingFolder(PathBuf);

impl Drop for StagingFolder {
    fn drop(&mut self) {
        // What cannot be removed now is swept away later.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl StagingFolder {
    pub(super) async fn make(app: &App) -> Result<Self, Problem> {
        let folder = Self(app.workbench.uploads_folder().join(app.options.env.fresh_id().to_string()));
        tokio::fs::create_dir_all(&folder.0).await.map_err(|e| unwritable(&e))?;
        Ok(folder)
    }

    /// Where something of this name lies.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// A new file. The rules for its path are the workbench's; what passes them cannot leave the folder either.
    pub(super) async fn file(&self, path: &WorkbenchPath) -> Result<(PathBuf, File), Problem> {
        let place = self.0.join(path.as_str());
        if let Some(above) = place.parent() {
            tokio::fs::create_dir_all(above).await.map_err(|e| unwritable(&e))?;
        }
        let file = File::create_new(&place).await.map_err(|e| unwritable(&e))?;
        Ok((place, file))
    }
}

pub(super) fn unwritable(error: &std::io::Error) -> Problem {
    let full = error.kind() == std::io::ErrorKind::StorageFull;
    let code = if full { Code::DiskFull } else { Code::FileWriteFailed };
    OpError::new(code, format!("what was sent could not be kept: {}", error.kind())).into()
}

/// Removes what a server that was killed left behind.
pub(super) fn sweep(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let age = entry.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
        if age.is_some_and(|age| age > LEFT_BEHIND) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}
