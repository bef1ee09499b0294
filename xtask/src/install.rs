//! Installing Debian packages, where that is possible without asking anyone.

use std::path::Path;
use std::process::Command;

use crate::{paths, shell};

/// Installs the packages with apt. The error says what stands in the way.
///
/// The package lists are fetched only when installing without that fails: on a machine in use they
/// are there already, on a fresh one they are missing.
pub(crate) fn debian(packages: &[&str]) -> Result<(), String> {
    if !Path::new("/etc/debian_version").exists() || paths::on_path("apt-get").is_none() {
        return Err("this is not a Debian system, so nothing was installed".to_owned());
    }
    if shell::output(id()).as_deref() != Ok("0") {
        return Err("only root can install packages, so nothing was installed".to_owned());
    }
    shell::run(install(packages)).or_else(|_| {
        shell::run(apt_get(&["update"]))?;
        shell::run(install(packages))
    })
}

fn install(packages: &[&str]) -> Command {
    let mut command = apt_get(&["install", "--yes", "--no-install-recommends"]);
    command.args(packages);
    command
}

fn apt_get(args: &[&str]) -> Command {
    let mut command = shell::command("apt-get");
    command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

fn id() -> Command {
    let mut command = shell::command("id");
    command.arg("-u");
    command
}
