//! An empty Debian system: the base layer of the container image, and the place where packages are tested.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::archive::sha256;
use super::release::{System, Target};
use super::{need, smoke};
use crate::{paths, shell};

/// Debian 13. Its glibc runs executables built on any older release.
pub(super) const SUITE: &str = "trixie";

/// The time that files in the system get at most: the day of the Debian release, so that the layer depends on the
/// packages alone and is shared by all versions of Jig.
const SOURCE_DATE_EPOCH: &str = "1754697600";

/// The user that runs `jig` in the image.
pub(super) const USER: u32 = 10_001;

/// What `jig` needs beyond Debian's essential packages: certificates of model providers, and the C++ library.
const PACKAGES: &str = "ca-certificates,libstdc++6";

/// Documentation and translations are most of a small system.
const EXCLUDED: [&str; 5] = [
    "path-exclude=/usr/share/doc/*",
    "path-include=/usr/share/doc/*/copyright",
    "path-exclude=/usr/share/info/*",
    "path-exclude=/usr/share/locale/*",
    "path-exclude=/usr/share/man/*",
];

/// Adds the user by hand: `useradd` would write the current date. Logs and caches differ from run to run.
const CUSTOMIZE: &str = r#"echo 'jig:x:10001:10001::/data:/usr/sbin/nologin' >>"$1/etc/passwd"
echo 'jig:x:10001:' >>"$1/etc/group"
rm -f "$1/etc/passwd-" "$1/etc/group-" "$1/etc/shadow-" "$1/etc/gshadow-" "$1/etc/hostname" "$1/etc/resolv.conf"
rm -f "$1/var/cache/ldconfig/aux-cache" "$1/var/lib/dpkg/status-old" "$1/var/lib/dpkg/diversions-old"
find "$1/var/log" "$1/var/cache/debconf" -type f -delete"#;

/// Security updates reach a release at most this much later.
const MAX_AGE: Duration = Duration::from_secs(7 * 24 * 3600);

/// The system as a tar archive, from the cache or made by mmdebstrap.
pub(super) fn prepare(target: &Target) -> Result<PathBuf, String> {
    if target.system != System::Linux {
        return Err("a Debian system can only be made on Linux".to_owned());
    }
    let cache = paths::cache().ok_or("neither XDG_CACHE_HOME nor HOME is set")?.join("debian");
    // Another recipe makes another system.
    let recipe = sha256(format!("{SOURCE_DATE_EPOCH}{PACKAGES}{EXCLUDED:?}{CUSTOMIZE}").as_bytes());
    let archive = cache.join(format!("{SUITE}-{}-{}.tar", target.debian_arch(), &recipe[..12]));
    let age = fs::metadata(&archive).and_then(|file| file.modified()).ok().and_then(|time| time.elapsed().ok());
    if age.is_some_and(|age| age < MAX_AGE) {
        return Ok(archive);
    }
    need("mmdebstrap", "mmdebstrap")?;
    fs::create_dir_all(&cache).map_err(|error| format!("could not create {}: {error}", cache.display()))?;
    println!("making a Debian {SUITE} system with mmdebstrap (about a minute; kept for a week)");
    let partial = archive.with_extension("partial.tar");
    shell::output(mmdebstrap(target, &partial))?;
    fs::rename(&partial, &archive).map_err(|error| format!("could not write {}: {error}", archive.display()))?;
    Ok(archive)
}

/// Without a mirror in the arguments the system uses Debian's own, with security updates.
fn mmdebstrap(target: &Target, archive: &Path) -> Command {
    let mut command = shell::command("mmdebstrap");
    command.args(["--quiet", "--variant=apt", "--skip=output/dev"]);
    command.arg(format!("--architectures={}", target.debian_arch())).arg(format!("--include={PACKAGES}"));
    command.args(EXCLUDED.map(|option| format!("--dpkgopt={option}")));
    command.arg(format!("--customize-hook={CUSTOMIZE}")).arg(SUITE).arg(archive);
    command.env("SOURCE_DATE_EPOCH", SOURCE_DATE_EPOCH);
    command
}

/// Why commands cannot be run in a chroot here.
pub(super) fn chroot_obstacle() -> Option<&'static str> {
    let mut id = shell::command("id");
    id.arg("-u");
    if shell::output(id).as_deref() != Ok("0") {
        return Some("only root can use chroot");
    }
    let mut unshare = shell::command("unshare");
    unshare.args(["--mount", "true"]);
    shell::output(unshare).is_err().then_some("mount namespaces are not available")
}

/// A system in a folder.
pub(super) struct Chroot {
    folder: PathBuf,
}

/// Runs a command in the system as the given user. The mounts are private to the command and end with it.
const ENTER: &str = r#"set -e
root=$1 user=$2; shift 2
for folder in proc sys dev; do
    mkdir -p "$root/$folder"
    mount --rbind "/$folder" "$root/$folder"
done
exec chroot --userspec="$user" "$root" "$@""#;

impl Chroot {
    /// Unpacks the system into a new folder below `scratch`.
    pub(super) fn unpack(archive: &Path, scratch: &Path) -> Result<Self, String> {
        let chroot = Self::new(scratch.join("root"))?;
        unpack(archive, &chroot.folder, &[])?;
        Ok(chroot)
    }

    pub(super) fn new(folder: PathBuf) -> Result<Self, String> {
        fs::create_dir_all(&folder).map_err(|error| format!("could not create {}: {error}", folder.display()))?;
        Ok(Self { folder })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The command line that enters the system; the command itself follows.
    pub(super) fn enter(&self, user: &str) -> Vec<OsString> {
        let words = ["unshare", "--mount", "--propagation", "private", "sh", "-c", ENTER, "sh"].map(OsStr::new);
        let mut line: Vec<OsString> = words.iter().map(OsString::from).collect();
        line.extend([self.folder.clone().into_os_string(), user.into()]);
        line
    }

    /// Runs a command in the system as root.
    pub(super) fn run(&self, args: &[&str]) -> Result<String, String> {
        let line = self.enter("0:0");
        let mut command = shell::command(&line[0]);
        command.args(&line[1..]).args(args).env_clear();
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("DEBIAN_FRONTEND", "noninteractive");
        smoke::output_within(command, Duration::from_secs(300)).map_err(|why| format!("`{}` {why}", args.join(" ")))
    }

    /// A `jig` in the system, run by an ordinary user with a home of its own.
    pub(super) fn installed(&self, program: &str) -> Result<smoke::Installed, String> {
        let home = "/tmp/home";
        self.run(&["install", "-d", "-o", &USER.to_string(), "-g", &USER.to_string(), home])?;
        let mut launch = self.enter(&format!("{USER}:{USER}"));
        launch.push(program.into());
        Ok(smoke::Installed::with_home(launch, self.folder.join("tmp/home"), home.to_owned()))
    }
}

/// Unpacks an archive over what is in the folder already.
pub(super) fn unpack(archive: &Path, folder: &Path, options: &[&str]) -> Result<(), String> {
    let mut tar = shell::command("tar");
    tar.args(["--extract", "--numeric-owner", "--preserve-permissions"]).args(options);
    tar.arg("--file").arg(archive).arg("--directory").arg(folder);
    shell::output(tar).map(drop)
}
