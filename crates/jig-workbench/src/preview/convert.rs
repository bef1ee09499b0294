//! One conversion: the office program, started, watched and ended with all it has started itself.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use jig_contract::{Code, OpError};
use tokio::process::Command;
use tokio_util::sync::CancellationToken;

use super::cache::unwritable;
use super::process_group::{ProcessGroup, configure};
use super::profile;

/// How many bytes of its complaints are passed on.
const COMPLAINT: usize = 300;

/// How much a conversion may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) seconds: u64,
    #[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "limits time only there"))]
    pub(super) memory_bytes: u64,
}

/// A conversion in a folder of its own.
pub(super) struct Conversion<'a> {
    pub(super) program: &'a Path,
    pub(super) bounds: Bounds,
    pub(super) work: &'a Path,
}

impl Conversion<'_> {
    /// Where the file to convert is to be put.
    pub(super) fn input(&self, ending: &str) -> Result<PathBuf, OpError> {
        // Endings come from names of files: only what an ending can be is taken over.
        let ending: String = ending.chars().filter(char::is_ascii_alphanumeric).take(8).collect();
        Ok(self.work.join(format!("file.{ending}")))
    }

    /// Gives the PDF file, or why there is none.
    pub(super) async fn run(
        &self,
        input: &Path,
        cancel: &CancellationToken,
    ) -> Result<Result<PathBuf, String>, OpError> {
        profile::write(&self.work.join("profile")).map_err(|error| unwritable(&error))?;
        let child = match self.command(input).spawn() {
            Ok(child) => child,
            Err(error) => return Ok(Err(format!("{} cannot be started: {error}", self.name()))),
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
                let words = format!("{} took longer than {} seconds", self.name(), self.bounds.seconds);
                return Ok(Err(words));
            }
            Ok(Err(error)) => return Ok(Err(format!("{} was lost: {error}", self.name()))),
            Ok(Ok(output)) => output,
        };
        let pdf = self.work.join("file.pdf");
        // It ends with 0 also when it could not read the file, so only the result counts.
        if pdf.is_file() {
            return Ok(Ok(pdf));
        }
        let complaint = String::from_utf8_lossy(&output.stderr);
        let complaint: String = complaint.lines().last().unwrap_or_default().chars().take(COMPLAINT).collect();
        let complaint = complaint.replace(&*self.work.to_string_lossy(), "…");
        let how = if output.status.success() { String::new() } else { format!(" ({})", output.status) };
        let why = if complaint.is_empty() { String::new() } else { format!(": {complaint}") };
        Ok(Err(format!("{} could not convert the file{how}{why}", self.name())))
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
            // Nothing of this process's surroundings but what programs need to start.
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

/// The URL of an absolute path. On Windows, `C:\a` is `file:///C:/a`.
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
