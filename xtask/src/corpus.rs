//! `cargo xtask corpus FOLDER`: edits copies of real workbooks and compares their values with LibreOffice's.

use std::path::Path;

use crate::args::Failure;
use crate::needs::{self, Consent};
use crate::{paths, shell, tools};

pub(crate) const HELP: &str = "\
Usage: cargo xtask corpus FOLDER [OPTIONS]

Arguments:
  FOLDER         A folder with workbooks; only copies are edited

Options:
  --step N       Check only every N-th workbook
  --seed N       Choose other edits; the same number gives the same edits [default: 1]
  --report FILE  Write the result of each workbook to FILE
  --yes          Install missing system packages with apt without asking

Computes every workbook without its stored values, then changes a number, inserts a row and
changes another number with the optimized `jig worker`. Compares each value with what
LibreOffice computes, and checks that no value is removed without need or without a word.
Prints the share of formulas that is computed, in a row for each subfolder, and the functions
that are not computed by how often they are used.
Ends with exit code 1 if a value is wrong.
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
    let needs = [&tools::PYTHON, &tools::PYTHON_PACKAGES, &tools::LIBREOFFICE];
    let found = needs::require(&needs, Consent::current(options.contains(&"--yes")))?;
    shell::run(shell::cargo(["build", "--release", "--package", "jig"]))?;
    let mut command = shell::command(found.path(&tools::PYTHON_PACKAGES)?);
    command.arg(paths::root().join("xtask/corpus.py"));
    command.args(options.iter().filter(|option| **option != "--yes")).arg(folder);
    command.arg(paths::built("release", "jig")).arg("worker");
    command.env("SOFFICE", found.path(&tools::LIBREOFFICE)?);
    Ok(shell::run(command)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_folder_is_refused_before_anything_is_built() {
        let message = "folder `no/such/folder` does not exist".to_owned();
        assert_eq!(run(&["no/such/folder"]), Err(Failure::Failed(message)));
        assert_eq!(run(&["--seed", "2"]), Err(Failure::Usage("FOLDER is missing".to_owned())));
    }
}
