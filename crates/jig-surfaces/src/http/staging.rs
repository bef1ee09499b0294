//! Staging of uploads: each is streamed to its own folder, never held in memory entirely, and passed to an operation by
//! path. The folder is removed after the response.

use std::ffi::OsStr;
use std::fs::TryLockError;
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::body::Body;
use axum::http::StatusCode;
use bytes::Bytes;
use http_body_util::BodyExt;
use jig_contract::{Code, Env, Given, OpError, WorkbenchPath};
use tokio::fs::File;
use tokio::io::AsyncWriteExt;
use tokio::sync::OnceCell;

use super::app::App;
use super::body::{self, Bounds};
use super::problem::Problem;

/// The age at which a folder without a known server is removed: an older version created it.
const LEFT_BEHIND: Duration = Duration::from_secs(24 * 60 * 60);

/// The extension of a server's lock file.
const LOCK: &str = "lock";

/// The staging area of this server. Other servers on the same home have theirs next to it: the names of a server's
/// folders start with its id, and while it runs it holds a lock on the file with that id.
pub(super) struct Staging {
    uploads: PathBuf,
    id: String,
    lock: OnceCell<std::fs::File>,
}

impl Staging {
    pub(super) fn new(uploads: PathBuf, env: &Env) -> Self {
        Self { uploads, id: env.fresh_id().to_string(), lock: OnceCell::new() }
    }

    /// Removes leftovers of killed servers.
    pub(super) fn sweep(&self) {
        let Ok(entries) = std::fs::read_dir(&self.uploads) else { return };
        let paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        let has_lock = |folder: &Path| self.uploads.join(server_of(folder)).with_extension(LOCK).exists();
        let mut ended = Vec::new();
        for path in paths.iter().filter(|path| path.extension() == Some(OsStr::new(LOCK))) {
            // Only its server holds the lock, and the system releases it however that ends.
            let Ok(file) = std::fs::File::options().write(true).open(path) else { continue };
            if file.try_lock().is_ok() {
                ended.push((server_of(path), path, file));
            }
        }
        for path in paths.iter().filter(|path| path.is_dir()) {
            let server = server_of(path);
            if ended.iter().any(|(of, ..)| *of == server) || !has_lock(path) && is_old(path) {
                let _ = std::fs::remove_dir_all(path);
            }
        }
        for (_, path, _) in ended {
            let _ = std::fs::remove_file(path);
        }
    }

    /// Creates a folder for one request.
    async fn folder(&self, env: &Env) -> std::io::Result<PathBuf> {
        let (uploads, id) = (self.uploads.clone(), self.id.clone());
        self.lock.get_or_try_init(async || tokio::task::spawn_blocking(move || lock(&uploads, &id)).await?).await?;
        let folder = self.uploads.join(format!("{}.{}", self.id, env.fresh_id()));
        tokio::fs::create_dir(&folder).await?;
        Ok(folder)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        if self.lock.get().is_some() {
            let _ = std::fs::remove_file(self.uploads.join(&self.id).with_extension(LOCK));
        }
    }
}

/// The server id at the start of a name.
fn server_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().to_owned()
}

fn is_old(path: &Path) -> bool {
    let age = path.metadata().and_then(|meta| meta.modified()).ok().and_then(|at| at.elapsed().ok());
    age.is_some_and(|age| age > LEFT_BEHIND)
}

fn lock(uploads: &Path, id: &str) -> std::io::Result<std::fs::File> {
    std::fs::create_dir_all(uploads)?;
    let path = uploads.join(id).with_extension(LOCK);
    loop {
        let file = std::fs::File::options().create(true).append(true).open(&path)?;
        match file.try_lock() {
            // Another server that starts now may have removed it before it was locked.
            Ok(()) if path.exists() => return Ok(file),
            Ok(()) | Err(TryLockError::WouldBlock) => {}
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

/// A folder for the upload of one request, removed on drop.
pub(super) struct StagingFolder(PathBuf);

impl Drop for StagingFolder {
    fn drop(&mut self) {
        // What cannot be removed now is removed when a server starts.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

impl StagingFolder {
    pub(super) async fn make(app: &App) -> Result<Self, Problem> {
        Ok(Self(app.staging.folder(&app.options.env).await.map_err(|e| unwritable(&e))?))
    }

    /// The path of a name in the folder.
    pub(super) fn place(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Creates a file. Its path follows the workbench's rules, so it cannot leave the folder.
    pub(super) async fn file(&self, path: &WorkbenchPath) -> Result<(PathBuf, File), Problem> {
        let place = self.0.join(path.as_str());
        if let Some(above) = place.parent() {
            tokio::fs::create_dir_all(above).await.map_err(|e| unwritable(&e))?;
        }
        let file = File::create_new(&place).await.map_err(|e| unwritable(&e))?;
        Ok((place, file))
    }
}

/// Writes a body to a file in a new folder, and returns both and the size. An incomplete body is deleted with the
/// folder.
pub(super) async fn keep(app: &App, name: &str, body: Body) -> Result<(StagingFolder, PathBuf, u64), Problem> {
    let time = app.options.upload_time();
    tokio::time::timeout(time, write(app, name, body)).await.map_err(|_| body::too_slow(time))?
}

async fn write(app: &App, name: &str, mut body: Body) -> Result<(StagingFolder, PathBuf, u64), Problem> {
    let folder = StagingFolder::make(app).await?;
    let (place, mut to) = folder.file(&Given::<WorkbenchPath>::from(name).check()?).await?;
    let mut bytes: u64 = 0;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| Problem::request(StatusCode::BAD_REQUEST, "the body broke off"))?;
        let data = frame.into_data().unwrap_or_else(|_| Bytes::new());
        bytes += data.len() as u64;
        if bytes > app.options.max_upload_bytes as u64 {
            return Err(body::too_large(bounds(app)));
        }
        to.write_all(&data).await.map_err(|e| unwritable(&e))?;
    }
    to.flush().await.map_err(|e| unwritable(&e))?;
    Ok((folder, place, bytes))
}

/// The limits of an uploaded file.
pub(super) fn bounds(app: &App) -> Bounds {
    let (bytes, time) = (app.options.max_upload_bytes, app.options.upload_time());
    Bounds { bytes, time, setting: "serve.max_upload_bytes" }
}

pub(super) fn unwritable(error: &std::io::Error) -> Problem {
    use std::io::ErrorKind::{QuotaExceeded, StorageFull};
    if matches!(error.kind(), StorageFull | QuotaExceeded) {
        return OpError::new(Code::DiskFull, "no space left on device").action("retry").into();
    }
    OpError::new(Code::FileWriteFailed, format!("the upload could not be stored: {}", error.kind())).into()
}
