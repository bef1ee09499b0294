//! `cargo xtask fidelity FOLDER`: one small edit on every Office file of a folder, and what came of it.

use std::path::Path;

use crate::{office, paths, python, shell};

/// Builds the program, and lets the script drive its worker over the folder.
///
/// Everything after the folder goes to the script, such as `--step 10` or `--report FILE`.
pub(crate) fn run(folder: &str, options: &[&str]) -> Result<(), String> {
    if !Path::new(folder).is_dir() {
        return Err(format!("there is no folder {folder}"));
    }
    let (python, validator) = (python::prepare()?, office::validator()?);
    shell::run(shell::cargo(["build", "--release", "--package", "jig"]))?;
    let target = paths::target().unwrap_or_else(|| paths::root().join("target"));
    let mut command = shell::command(python);
    command.arg(paths::root().join("xtask/fidelity.py")).args(options).arg(folder);
    command.arg(target.join("release/jig")).arg("worker").env("VALIDATOR", validator);
    shell::run(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_refused_before_anything_is_built() {
        assert_eq!(run("no/such/folder", &[]), Err("there is no folder no/such/folder".to_owned()));
    }
}
