//! The npm package: the executables of one platform and a launcher, so that `npx jig-workbench` runs them.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::archive::{Effort, Tree, gzip};
use super::release::{Release, System};
use super::{Artifact, Scratch, fill, smoke};
use crate::{paths, shell};

const NAME: &str = "jig-workbench";
const MANIFEST: &str = include_str!("../../../packaging/npm/package.json");
const LAUNCHER: &str = include_str!("../../../packaging/npm/jig.js");
const README: &str = include_str!("../../../packaging/npm/README.md");

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let target = &release.target;
    let mut tree = Tree::default();
    release.add_programs(&mut tree, &format!("native/{}-{}", target.node_platform(), target.node_arch()));
    tree.program("bin/jig.js", LAUNCHER.as_bytes());
    tree.file("package.json", manifest(release)?.into_bytes());
    tree.file("README.md", README.as_bytes());
    tree.file("LICENSE", release.documents.license.as_bytes());
    tree.file("THIRD-PARTY-LICENSES", release.notices.as_bytes());
    let tar = tree.tar("package/", release.time)?;
    Ok(Artifact { name: format!("{NAME}-{}.tgz", release.version), bytes: gzip(&tar, Effort::Best)? })
}

fn manifest(release: &Release) -> Result<String, String> {
    let target = &release.target;
    let values = [
        ("VERSION", release.version.as_str()),
        ("OS", target.node_platform()),
        ("CPU", target.node_arch()),
        ("LIBC", "glibc"),
    ];
    let text = fill(MANIFEST, &values)?;
    Ok(match target.system {
        System::Linux => text,
        // Only Linux has a choice of C libraries.
        System::MacOs => text.replace("  \"libc\": [\"glibc\"],\n", ""),
    })
}

/// Installs into an empty folder without running scripts, and runs through `npx`.
pub(super) fn test(release: &Release, file: &Path) -> Result<String, String> {
    let (Some(npm), Some(node)) = (paths::on_path("npm"), paths::on_path("node")) else {
        return Err("npm is not installed; Debian: `apt-get install npm` as root".to_owned());
    };
    let scratch = Scratch::new("npm")?;
    let project = scratch.path().join("home");
    fs::create_dir_all(&project).map_err(|error| format!("could not create {}: {error}", project.display()))?;
    let mut install = shell::command(&npm);
    install.args(["install", "--ignore-scripts", "--no-audit", "--no-fund", "--offline", "--prefix"]);
    install.arg(&project).arg(file).current_dir(&project);
    shell::output(install)?;
    let mut folders: Vec<&Path> = [&npm, &node].iter().filter_map(|program| program.parent()).collect();
    folders.extend([Path::new("/usr/bin"), Path::new("/bin")]);
    let path = std::env::join_paths(folders).map_err(|error| error.to_string())?;
    let npx = smoke::Installed::new(["npx", "--no-install", "jig"], scratch.path())?.variable("PATH", &path);
    smoke::check(&npx, &release.version)?;
    check_launcher(&project, &path)?;
    Ok("npm install into an empty folder, run by npx".to_owned())
}

/// The launcher must be invisible: exit codes and signals pass through it.
fn check_launcher(project: &Path, path: &std::ffi::OsStr) -> Result<(), String> {
    let launcher = |argument: &str| {
        let mut command = shell::command(project.join("node_modules/.bin/jig"));
        command.arg(argument).env_clear().env("PATH", path).env("HOME", project).current_dir(project);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    };
    let cannot = |error: std::io::Error| format!("could not run the launcher: {error}");
    let code = launcher("--no-such-option").status().map_err(cannot)?.code();
    if code != Some(2) {
        return Err(format!("the launcher ended with {code:?} after a usage error, expected 2"));
    }
    let mut server = launcher("mcp").stdin(Stdio::piped()).spawn().map_err(cannot)?;
    // Time for both processes to start; a signal before that ends only the launcher.
    std::thread::sleep(Duration::from_secs(1));
    let mut kill = shell::command("kill");
    kill.args(["-TERM", &server.id().to_string()]);
    shell::output(kill)?;
    // The launcher handles the signal and ends with its child, so it only ends if the child got the signal.
    match smoke::wait(&mut server, Duration::from_secs(10)).map_err(cannot)? {
        Some(_) => Ok(()),
        None => Err("the launcher did not forward SIGTERM".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample_release;
    use serde_json::{Value, json};

    #[test]
    fn the_manifest_names_the_platform() {
        let mut release = sample_release();
        let manifest: Value = serde_json::from_str(&manifest(&release).unwrap()).unwrap();
        assert_eq!((&manifest["name"], &manifest["version"]), (&json!("jig-workbench"), &json!("1.2.3")));
        assert_eq!((&manifest["os"], &manifest["cpu"]), (&json!(["linux"]), &json!(["x64"])));
        assert_eq!((&manifest["libc"], &manifest["bin"]), (&json!(["glibc"]), &json!({ "jig": "bin/jig.js" })));
        release.target.system = System::MacOs;
        let manifest: Value = serde_json::from_str(&super::manifest(&release).unwrap()).unwrap();
        assert_eq!((&manifest["os"], &manifest["libc"]), (&json!(["darwin"]), &Value::Null));
    }
}
