//! One conversion: the office program, started, watched and ended with all it has started itself.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use jig_contract::{Code, OpError};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

use super::cache::unwritable;
use super::profile;

/// The largest file that the program may write.
const FILE_BYTES: u64 = 512 << 20;
/// How many bytes of its complaints are passed on.
const COMPLAINT: usize = 300;

/// How much a conversion may take.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) seconds: u64,
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
        let group = Group::of(&child);
        bound(group.0, self.bounds);
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
            .arg(format!("-env:UserInstallation=file://{}", url_path(&self.work.join("profile"))))
            .args(["--convert-to", "pdf", "--outdir"])
            .arg(self.work)
            .arg(input)
            .current_dir(self.work)
            // Nothing of this process's surroundings but where programs are.
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.work)
            .env("TMPDIR", self.work)
            .env("LC_ALL", "C.UTF-8")
            .env("SAL_USE_VCLPLUGIN", "svp")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        command
    }
}

/// A path inside of an address.
fn url_path(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/-_.~".contains(&byte);
    let bytes = path.as_os_str().as_encoded_bytes();
    bytes.iter().map(|byte| if plain(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

/// The program and what it has started, ended together when nobody waits for them any more.
struct Group(Option<Pid>);

impl Group {
    fn of(child: &Child) -> Self {
        Self(child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = self.0 {
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}

/// Bounds that the program's own children inherit.
#[cfg(target_os = "linux")]
fn bound(process: Option<Pid>, bounds: Bounds) {
    let limits = [
        (Resource::As, bounds.memory_bytes),
        (Resource::Cpu, bounds.seconds.saturating_mul(2)),
        (Resource::Fsize, FILE_BYTES),
        (Resource::Core, 0),
    ];
    for (resource, most) in limits {
        // Where a bound cannot be set the time-out still holds.
        let _ = rustix::process::prlimit(process, resource, Rlimit { current: Some(most), maximum: Some(most) });
    }
}

#[cfg(not(target_os = "linux"))]
fn bound(_: Option<Pid>, _: Bounds) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_become_addresses() {
        assert_eq!(url_path(Path::new("/a b/ü.d-e")), "/a%20b/%C3%BC.d-e");
    }
}
