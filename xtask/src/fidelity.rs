//! `cargo xtask fidelity FOLDER`: makes one small edit to every Office file in a folder and counts what else changed.

use std::path::Path;

use crate::args::Failure;
use crate::needs::{self, Consent};
use crate::{paths, shell, tools};

pub(crate) const HELP: &str = "\
Usage: cargo xtask fidelity FOLDER [OPTIONS]

Arguments:
  FOLDER         A folder with Office files; only copies are edited

Options:
  --step N       Edit only every N-th file
  --report FILE  Write the result of each file to FILE
  --yes          Install missing system packages with apt without asking

Edits every file with the optimized `jig worker`, and counts the parts that changed without
need, the new complaints of the Open XML validator and the failures.
";

/// Builds the program and lets a script drive its worker. The script reads all options but `--yes`.
pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let (folder, options) = match args {
        [folder, options @ ..] if !folder.starts_with('-') => (*folder, options),
        _ => return Err(Failure::Usage("FOLDER is missing".to_owned())),
    };
    if !Path::new(folder).is_dir() {
        return Err(Failure::Failed(format!("folder `{folder}` does not exist")));
    }
    let needs = [&tools::NPM, &tools::PYTHON, &tools::PYTHON_PACKAGES, &tools::OFFICE_VALIDATOR];
    let found = needs::require(&needs, Consent::current(options.contains(&"--yes")))?;
    shell::run(shell::cargo(["build", "--release", "--package", "jig"]))?;
    let mut command = shell::command(found.path(&tools::PYTHON_PACKAGES)?);
    command.arg(paths::root().join("xtask/fidelity.py"));
    command.args(options.iter().filter(|option| **option != "--yes")).arg(folder);
    command.arg(paths::built("release", "jig")).arg("worker");
    command.env("VALIDATOR", found.path(&tools::OFFICE_VALIDATOR)?);
    Ok(shell::run(command)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_refused_before_anything_is_built() {
        let message = "folder `no/such/folder` does not exist".to_owned();
        assert_eq!(run(&["no/such/folder"]), Err(Failure::Failed(message)));
        assert_eq!(run(&["--step", "2"]), Err(Failure::Usage("FOLDER is missing".to_owned())));
    }
}
