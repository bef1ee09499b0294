//! The archive for every Linux: a folder laid out like an install prefix, and `install.sh`, which copies it there.

use std::path::Path;

use super::archive::{Effort, Tree, gzip, sha256};
use super::release::Release;
use super::{Artifact, Scratch, smoke};
use crate::shell;

const INSTALL: &str = include_str!("../../../packaging/install.sh");
pub(super) const UNIT: &str = include_str!("../../../packaging/systemd/jig.service");

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let mut tree = Tree::default();
    release.add_programs(&mut tree, "bin");
    for (name, page) in &release.manuals {
        tree.file(format!("share/man/man1/{name}"), page.as_slice());
    }
    let completions = &release.completions;
    tree.file("share/bash-completion/completions/jig", completions.bash.as_bytes());
    tree.file("share/zsh/site-functions/_jig", completions.zsh.as_bytes());
    tree.file("share/fish/vendor_completions.d/jig.fish", completions.fish.as_bytes());
    tree.file("lib/systemd/system/jig.service", UNIT.as_bytes());
    tree.file("share/doc/jig/jig.cdx.json", release.sbom.as_bytes());
    tree.file("share/doc/jig/THIRD-PARTY-LICENSES", release.notices.as_bytes());
    tree.file("LICENSE", release.documents.license.as_bytes());
    tree.file("README.md", release.documents.readme.as_bytes());
    tree.file("CHANGELOG.md", release.documents.changelog.as_bytes());
    tree.program("install.sh", INSTALL.as_bytes());
    let sums: String = tree.files().map(|(path, data)| format!("{}  {path}\n", sha256(data))).collect();
    tree.file("SHA256SUMS", sums.into_bytes());
    let folder = folder(release);
    let tar = tree.tar(&format!("{folder}/"), release.time)?;
    Ok(Artifact { name: format!("{folder}.tar.gz"), bytes: gzip(&tar, Effort::Best)? })
}

fn folder(release: &Release) -> String {
    format!("jig-{}-{}", release.version, release.target.triple)
}

/// Installs into an empty prefix, checks, and uninstalls, which must leave nothing.
pub(super) fn test(release: &Release, file: &Path) -> Result<String, String> {
    let scratch = Scratch::new("tarball")?;
    let mut tar = shell::command("tar");
    tar.arg("--extract").arg("--file").arg(file).arg("--directory").arg(scratch.path());
    shell::output(tar)?;
    let prefix = scratch.path().join("prefix");
    let installer = |args: &[&str]| {
        let mut sh = shell::command("sh");
        sh.arg(scratch.path().join(folder(release)).join("install.sh")).args(args);
        sh.env_clear().env("PATH", "/usr/bin:/bin").env("PREFIX", &prefix);
        shell::output(sh)
    };
    installer(&[])?;
    smoke::check(&smoke::Installed::new([prefix.join("bin/jig")], scratch.path())?, &release.version)?;
    installer(&["--uninstall"])?;
    let left = std::fs::read_dir(&prefix).map_err(|error| format!("could not read the prefix: {error}"))?.flatten();
    let left: Vec<_> = left.map(|entry| entry.file_name()).collect();
    if !left.is_empty() {
        return Err(format!("`install.sh --uninstall` left files behind: {left:?}"));
    }
    Ok("install.sh into an empty prefix".to_owned())
}
