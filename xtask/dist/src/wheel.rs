//! The Python wheel: the executables as scripts, so that `pip` and `uv` put them side by side into the environment's
//! `bin`, and a small package for `python -m jig_workbench`.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use super::archive::Tree;
use super::release::{Release, System};
use super::{Artifact, Scratch, fill, smoke};
use crate::{paths, shell};

/// The distribution's name as it is spelled in file names.
const NAME: &str = "jig_workbench";

const METADATA: &str = include_str!("../../../packaging/python/METADATA");
const README: &str = include_str!("../../../packaging/python/README.md");
const PACKAGE: [(&str, &str); 2] = [
    ("__init__.py", include_str!("../../../packaging/python/jig_workbench/__init__.py")),
    ("__main__.py", include_str!("../../../packaging/python/jig_workbench/__main__.py")),
];

/// `uvx jig-workbench` looks for a command of the distribution's name.
const ENTRY_POINTS: &str = "[console_scripts]\njig-workbench = jig_workbench:main\n";

pub(super) fn make(release: &Release) -> Result<Artifact, String> {
    let version = python_version(&release.version)?;
    let platform = match release.target.system {
        System::Linux => release.needs.manylinux(release.target.python_arch())?,
        System::MacOs => return Err("wheels are only made on Linux".to_owned()),
    };
    let tag = format!("py3-none-{platform}");
    let mut tree = Tree::default();
    release.add_programs(&mut tree, &format!("{NAME}-{version}.data/scripts"));
    for (name, source) in PACKAGE {
        tree.file(format!("{NAME}/{name}"), source.as_bytes());
    }
    let info = format!("{NAME}-{version}.dist-info");
    let metadata = fill(METADATA, &[("VERSION", &version)])? + README;
    let wheel = format!("Wheel-Version: 1.0\nGenerator: cargo xtask dist\nRoot-Is-Purelib: false\nTag: {tag}\n");
    tree.file(format!("{info}/METADATA"), metadata.into_bytes());
    tree.file(format!("{info}/WHEEL"), wheel.into_bytes());
    tree.file(format!("{info}/entry_points.txt"), ENTRY_POINTS.as_bytes());
    tree.file(format!("{info}/licenses/LICENSE"), release.documents.license.as_bytes());
    tree.file(format!("{info}/licenses/THIRD-PARTY-LICENSES"), release.notices.as_bytes());
    tree.file(format!("{info}/sboms/jig.cdx.json"), release.sbom.as_bytes());
    let record = record(&tree, &info);
    tree.file(format!("{info}/RECORD"), record.into_bytes());
    Ok(Artifact { name: format!("{NAME}-{version}-{tag}.whl"), bytes: tree.zip(release.time)? })
}

/// Each file with its hash and size; the record cannot contain its own.
fn record(tree: &Tree<'_>, info: &str) -> String {
    let row = |(path, data): (&str, &[u8])| {
        format!("{path},sha256={},{}\n", URL_SAFE_NO_PAD.encode(Sha256::digest(data)), data.len())
    };
    tree.files().map(row).collect::<String>() + &format!("{info}/RECORD,,\n")
}

/// Semantic versions as PEP 440 spells them: `1.0.0-rc.1` becomes `1.0.0rc1`.
fn python_version(version: &str) -> Result<String, String> {
    let Some((number, stage)) = version.split_once('-') else { return Ok(version.to_owned()) };
    let (stage, count) = stage.split_once('.').unwrap_or((stage, "0"));
    let stage = match stage {
        "alpha" => "a",
        "beta" => "b",
        "rc" => "rc",
        _ => return Err(format!("version `{version}` has no form for Python: use alpha, beta or rc")),
    };
    Ok(format!("{number}{stage}{count}"))
}

/// Installs into a new virtual environment without an index.
pub(super) fn test(release: &Release, file: &Path) -> Result<String, String> {
    if paths::on_path("python3").is_none() {
        return Err("python3 is not installed; Debian: `apt-get install python3-venv` as root".to_owned());
    }
    let scratch = Scratch::new("wheel")?;
    let venv = scratch.path().join("venv");
    let mut create = shell::command("python3");
    create.args(["-m", "venv"]).arg(&venv);
    shell::output(create)?;
    let mut pip = shell::command(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index", "--no-deps"]).arg(file);
    shell::output(pip)?;
    let python = venv.join("bin/python");
    let module = smoke::Installed::new([python.as_os_str(), "-m".as_ref(), "jig_workbench".as_ref()], scratch.path())?;
    let command = smoke::Installed::new([venv.join("bin/jig-workbench")], scratch.path())?;
    for (name, jig) in [("python -m jig_workbench", module), ("jig-workbench", command)] {
        let printed = jig.run(&["--version"])?;
        if printed.trim() != format!("jig {}", release.version) {
            return Err(format!("`{name} --version` printed `{}`", printed.trim()));
        }
    }
    smoke::check(&smoke::Installed::new([venv.join("bin/jig")], scratch.path())?, &release.version)?;
    Ok("pip install into a new venv".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_follow_pep_440() {
        for (cargo, python) in
            [("0.1.0", "0.1.0"), ("1.0.0-alpha.2", "1.0.0a2"), ("1.0.0-beta", "1.0.0b0"), ("2.0.0-rc.1", "2.0.0rc1")]
        {
            assert_eq!(python_version(cargo).unwrap(), python);
        }
        assert!(python_version("1.0.0-nightly.3").is_err());
    }

    #[test]
    fn the_record_lists_hashes_and_itself() {
        let mut tree = Tree::default();
        tree.file("a.py", b"".as_slice());
        let expected = "a.py,sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU,0\nx.dist-info/RECORD,,\n";
        assert_eq!(record(&tree, "x.dist-info"), expected);
    }
}
