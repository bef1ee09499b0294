//! Runs one conversion: starts LibreOffice, supervises it, and terminates it with all its child processes.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use jig_contract::{Code, OpError};
use jig_worker::{ProgramAccess, spawn_confined};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use super::cache::unwritable;
use super::process_group::{ProcessGroup, configure, is_plain_file, remove_sockets};
use super::profile;

/// System paths that programs need: executables and libraries, fonts, user names, time zones. Missing ones are skipped.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/group",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/libreoffice",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/papersize",
    "/etc/passwd",
    "/etc/pki/nssdb",
    "/etc/ssl/openssl.cnf",
    "/etc/timezone",
    "/var/cache/fontconfig",
    "/var/lib/libreoffice",
    "/var/spool/libreoffice",
];
/// The folder where LibreOffice puts the socket by which its processes find each other. It is not configurable.
const SOCKETS: &str = "/tmp";

/// How many bytes of error output are reported.
const COMPLAINT: usize = 300;

/// Resource limits of a conversion.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) seconds: u64,
    #[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "limits time only there"))]
    pub(super) memory_bytes: u64,
}

/// Why an attempt produced no PDF.
enum Failure {
    /// The program exited without a result.
    NoResult(String),
    /// A retry would fail in the same way.
    Final(String),
}

/// A conversion in its own folder.
pub(super) struct Conversion<'a> {
    pub(super) program: &'a Path,
    pub(super) bounds: Bounds,
    pub(super) work: &'a Path,
}

impl Conversion<'_> {
    /// The path for the file to convert.
    pub(super) fn input(&self, ending: &str) -> Result<PathBuf, OpError> {
        // Extensions come from file names, so only characters that are valid in an extension are kept.
        let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        Ok(self.work.join(format!("file.{ending}")))
    }

    /// Returns the PDF file, or why there is no result.
    pub(super) async fn run(
        &self,
        input: &Path,
        cancel: &CancellationToken,
    ) -> Result<Result<PathBuf, String>, OpError> {
        profile::write(&self.work.join("profile")).map_err(|error| unwritable(&error))?;
        // With a new profile, LibreOffice restarts itself and then finds its own earlier socket, which the sandbox does
        // not permit it to remove. The second attempt finds the profile ready.
        let mut outcome = self.attempt(input, cancel).await?;
        if let Err(Failure::NoResult(_)) = outcome {
            outcome = self.attempt(input, cancel).await?;
        }
        Ok(outcome.map_err(|failure| match failure {
            Failure::NoResult(reason) | Failure::Final(reason) => reason,
        }))
    }

    async fn attempt(&self, input: &Path, cancel: &CancellationToken) -> Result<Result<PathBuf, Failure>, OpError> {
        let child = match spawn_confined(&mut self.command(input), &self.access()) {
            Ok((child, _)) => child,
            Err(error) => return Ok(Err(Failure::Final(format!("{} cannot be started: {error}", self.name())))),
        };
        let group = ProcessGroup::of(&child);
        group.limit(self.bounds);
        let limit = Duration::from_secs(self.bounds.seconds);
        let output = tokio::select! {
            output = tokio::time::timeout(limit, child.wait_with_output()) => output,
            () = cancel.cancelled() => {
                return Err(OpError::new(Code::UserCanceled, "the call was cancelled; nothing was changed"));
            }
        };
        let output = match output {
            Err(_) => {
                let words = format!("{} timed out after {} seconds", self.name(), self.bounds.seconds);
                return Ok(Err(Failure::Final(words)));
            }
            Ok(Err(error)) => return Ok(Err(Failure::Final(format!("{} was lost: {error}", self.name())))),
            Ok(Ok(output)) => output,
        };
        remove_sockets(Path::new(SOCKETS));
        let pdf = self.work.join("file.pdf");
        // It exits with 0 even if it could not read the file, so only the result counts.
        if is_plain_file(&pdf) {
            return Ok(Ok(pdf));
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint: String = complaint.lines().last().unwrap_or_default().chars().take(COMPLAINT).collect();
        let complaint = complaint.replace(&*self.work.to_string_lossy(), "…");
        let how = if output.status.success() { String::new() } else { format!(" ({})", output.status) };
        let why = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
        Ok(Err(Failure::NoResult(format!("{} could not convert the file{how}{why}", self.name()))))
    }

    /// The installation, the system's libraries and fonts, and the work folder: neither Jig's home nor the user's
    /// files.
    fn access(&self) -> ProgramAccess {
        let program = std::fs::canonicalize(self.program).unwrap_or_else(|_| self.program.to_owned());
        let mut read: Vec<PathBuf> = SYSTEM.iter().map(PathBuf::from).collect();
        if let Some(folder) = program.parent() {
            let is_installation = folder.file_name().is_some_and(|name| name == "program" || name == "MacOS");
            let above = folder.parent().filter(|_| is_installation);
            read.push(above.unwrap_or(folder).to_owned());
        }
        ProgramAccess { read: Some(read), write: vec![self.work.to_owned()], sockets: vec![PathBuf::from(SOCKETS)] }
    }

    fn name(&self) -> String {
        self.program.file_name().unwrap_or(self.program.as_os_str()).to_string_lossy().into_owned()
    }

    fn command(&self, input: &Path) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(["--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nofirststartwizard"])
            .arg("--nolockcheck")
            .arg(format!("-env:UserInstallation={}", file_url(&self.work.join("profile"))))
            .args(["--convert-to", "pdf", "--outdir"])
            .arg(self.work)
            .arg(input)
            .current_dir(self.work)
            // Only the environment that programs need to start.
            .env_clear()
            .env("HOME", self.work)
            .env("TMPDIR", self.work)
            .env("LC_ALL", "C.UTF-8")
            .env("SAL_USE_VCLPLUGIN", "svp")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        configure(&mut command, self.work);
        command
    }
}

/// The URL of an absolute path. On Windows, `C:\a` becomes `file:///C:/a`.
fn file_url(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte) || (cfg!(windows) && byte == b':');
    let bytes = path.as_os_str().as_encoded_bytes();
    let encoded = bytes.iter().map(|byte| match *byte {
        b'\\' if cfg!(windows) => "/".to_owned(),
        byte if plain(byte) => char::from(byte).to_string(),
        byte => format!("%{byte:02X}"),
    });
    format!("file://{}{}", if cfg!(windows) { "/" } else { "" }, encoded.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_urls() {
        let root = if cfg!(windows) { ("C:\\", "/C:/") } else { ("/", "/") };
        let path = format!("{}a b/ü.d-e", root.0);
        assert_eq!(file_url(Path::new(&path)), format!("file://{}a%20b/%C3%BC.d-e", root.1));
    }
}
