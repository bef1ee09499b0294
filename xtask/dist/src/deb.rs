//! The Debian package. It is written without dpkg: a `.deb` is an ar archive of two tar archives.

use std::fs;
use std::path::Path;

use md5::{Digest, Md5};

use super::archive::{Effort, Tree, ar, ar_member, gzip, hex};
use super::release::{MAINTAINER, Release};
use super::root::{self, Chroot};
use super::{Artifact, Scratch, fill, smoke, tarball};
use crate::shell;

const CONTROL: &str = include_str!("../../../packaging/deb/control");
const COPYRIGHT: &str = include_str!("../../../packaging/deb/copyright");
const CHANGELOG: &str = include_str!("../../../packaging/deb/changelog");
const OVERRIDES: &str = include_str!("../../../packaging/deb/lintian-overrides");
const SCRIPTS: [(&str, &str); 3] = [
    ("postinst", include_str!("../../../packaging/deb/postinst")),
    ("prerm", include_str!("../../../packaging/deb/prerm")),
    ("postrm", include_str!("../../../packaging/deb/postrm")),
];

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let version = debian_version(&release.version);
    let data = data(release, &version)?;
    let mut control = Tree::default();
    control.file("control", control_file(release, &version, &data)?.into_bytes());
    let sums: String = data.files().map(|(path, data)| format!("{}  {path}\n", hex(&Md5::digest(data)))).collect();
    control.file("md5sums", sums.into_bytes());
    for (name, script) in SCRIPTS {
        control.program(name, script.as_bytes());
    }
    let control = gzip(&control.tar("./", release.time)?, Effort::Best)?;
    let data = gzip(&data.tar("./", release.time)?, Effort::Best)?;
    // This order is fixed by the format.
    let members = [("debian-binary", b"2.0\n".as_slice()), ("control.tar.gz", &control), ("data.tar.gz", &data)];
    let name = format!("jig_{version}_{}.deb", release.target.debian_arch());
    Ok(Artifact { name, bytes: ar(&members, release.time)? })
}

/// What is installed, by path without the leading slash.
fn data<'a>(release: &'a Release, version: &str) -> Result<Tree<'a>, String> {
    let mut tree = Tree::default();
    release.add_programs(&mut tree, "usr/bin");
    for (name, page) in &release.manuals {
        tree.file(format!("usr/share/man/man1/{name}.gz"), gzip(page, Effort::Best)?);
    }
    let completions = &release.completions;
    tree.file("usr/share/bash-completion/completions/jig", completions.bash.as_bytes());
    tree.file("usr/share/zsh/vendor-completions/_jig", completions.zsh.as_bytes());
    tree.file("usr/share/fish/vendor_completions.d/jig.fish", completions.fish.as_bytes());
    tree.file("usr/lib/systemd/system/jig.service", tarball::UNIT.as_bytes());
    tree.file("usr/share/lintian/overrides/jig", OVERRIDES.as_bytes());
    let doc = |name: &str| format!("usr/share/doc/jig/{name}");
    let date = release.time.strftime("%a, %d %b %Y %H:%M:%S +0000").to_string();
    let changelog = fill(CHANGELOG, &[("VERSION", version), ("MAINTAINER", MAINTAINER), ("DATE", &date)])?;
    let year = release.time.strftime("%Y").to_string();
    tree.file(doc("copyright"), fill(COPYRIGHT, &[("YEAR", &year)])?.into_bytes());
    tree.file(doc("changelog.gz"), gzip(changelog.as_bytes(), Effort::Best)?);
    tree.file(doc("CHANGELOG.md.gz"), gzip(release.documents.changelog.as_bytes(), Effort::Best)?);
    tree.file(doc("README.md.gz"), gzip(release.documents.readme.as_bytes(), Effort::Best)?);
    tree.file(doc("THIRD-PARTY-LICENSES.gz"), gzip(release.notices.as_bytes(), Effort::Best)?);
    tree.file(doc("jig.cdx.json.gz"), gzip(release.sbom.as_bytes(), Effort::Best)?);
    Ok(tree)
}

fn control_file(release: &Release, version: &str, data: &Tree<'_>) -> Result<String, String> {
    // In KiB, every file rounded up, as dpkg counts it.
    let size: usize = data.files().map(|(_, data)| data.len().div_ceil(1024)).sum();
    let depends = release.needs.debian_depends()?;
    let control = fill(
        CONTROL,
        &[
            ("VERSION", version),
            ("ARCHITECTURE", release.target.debian_arch()),
            ("MAINTAINER", MAINTAINER),
            ("INSTALLED_SIZE", &size.to_string()),
            ("DEPENDS", &depends),
        ],
    )?;
    // A field without a value is an error.
    Ok(if depends.is_empty() { control.replace("Depends: \n", "") } else { control })
}

/// A pre-release sorts before its release: `1.0.0-rc.1` becomes `1.0.0~rc.1`.
fn debian_version(version: &str) -> String {
    version.replacen('-', "~", 1)
}

/// Installs with dpkg in an empty Debian system. Without one, unpacks and runs in place.
pub(super) fn test(release: &Release, file: &Path) -> Result<String, String> {
    let scratch = Scratch::new("deb")?;
    let obstacle = root::chroot_obstacle().map_or(Ok(()), |why| Err(why.to_owned()));
    let base = obstacle.and_then(|()| root::prepare(&release.target));
    match base.and_then(|base| Chroot::unpack(&base, scratch.path())) {
        Ok(chroot) => test_in_chroot(release, file, &chroot),
        Err(why) => {
            test_in_place(release, file, scratch.path())?;
            Ok(format!("unpacked and run in place, because {why}"))
        }
    }
}

fn test_in_chroot(release: &Release, file: &Path, chroot: &Chroot) -> Result<String, String> {
    let package = chroot.folder().join("tmp/jig.deb");
    fs::copy(file, &package).map_err(|error| format!("could not copy the package into the chroot: {error}"))?;
    chroot.run(&["dpkg", "--install", "/tmp/jig.deb"])?;
    smoke::check(&chroot.installed("/usr/bin/jig")?, &release.version)?;
    chroot.run(&["dpkg", "--purge", "jig"])?;
    if chroot.folder().join("usr/bin/jig").exists() {
        return Err("`dpkg --purge jig` left /usr/bin/jig behind".to_owned());
    }
    Ok(format!("dpkg --install in a Debian {} chroot", root::SUITE))
}

pub(super) fn test_in_place(release: &Release, file: &Path, folder: &Path) -> Result<(), String> {
    let package = fs::read(file).map_err(|error| format!("could not read {}: {error}", file.display()))?;
    let data = ar_member(&package, "data.tar.gz").ok_or("the package has no data.tar.gz")?;
    let (archive, unpacked) = (folder.join("data.tar.gz"), folder.join("unpacked"));
    fs::write(&archive, data).and_then(|()| fs::create_dir(&unpacked)).map_err(|error| error.to_string())?;
    let mut tar = shell::command("tar");
    tar.arg("--extract").arg("--file").arg(&archive).arg("--directory").arg(&unpacked);
    shell::output(tar)?;
    smoke::check(&smoke::Installed::new([unpacked.join("usr/bin/jig")], folder)?, &release.version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::sample_release;

    #[test]
    fn a_pre_release_sorts_before_the_release() {
        assert_eq!(debian_version("1.0.0-rc.1"), "1.0.0~rc.1");
        assert_eq!(debian_version("1.0.0"), "1.0.0");
    }

    #[test]
    fn the_control_file_has_every_field() {
        let mut release = sample_release();
        let data = Tree::default();
        let control = control_file(&release, "1.2.3", &data).unwrap();
        assert!(control.starts_with("Package: jig\nVersion: 1.2.3\nArchitecture: amd64\nMaintainer: "), "{control}");
        assert!(!control.contains("\nDepends:"), "scripts need nothing: {control}");
        assert!(control.ends_with("disabled by default.\n"), "{control}");
        release.needs.libraries.insert("libc.so.6".to_owned());
        release.needs.versions.insert("GLIBC".to_owned(), vec![2, 34]);
        let mut data = Tree::default();
        data.file("a", vec![0; 1025]);
        data.file("b", vec![0; 1]);
        let control = control_file(&release, "1.2.3", &data).unwrap();
        assert!(control.contains("\nInstalled-Size: 3\nDepends: libc6 (>= 2.34)\n"), "{control}");
    }
}
