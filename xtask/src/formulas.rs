//! `cargo xtask formulas`: compares the functions that Jig computes with recorded results, or records them again.

use crate::args::{self, Failure};
use crate::needs::{self, Consent};
use crate::{paths, shell, tools};

pub(crate) const HELP: &str = "\
Usage: cargo xtask formulas [--record [NAME...]] [--yes]

Computes every recorded case of every spreadsheet function and prints how many are computed.
A value that differs from the recorded one is a failure.

Options:
      --record [NAME...]  First record the cases of these functions, or of all, with LibreOffice
      --yes               Install missing system packages with apt without asking

Examples:
  cargo xtask formulas
  cargo xtask formulas --record SUMIFS XLOOKUP
";

/// What the arguments ask for.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    /// The functions to record; all if the list is empty.
    record: Option<Vec<&'a str>>,
    yes: bool,
}

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    let Request { record, yes } = request(args)?;
    if let Some(names) = record {
        let needs = [&tools::PYTHON, &tools::PYTHON_PACKAGES, &tools::LIBREOFFICE];
        let found = needs::require(&needs, Consent::current(yes))?;
        let mut command = shell::command(found.path(&tools::PYTHON_PACKAGES)?);
        command.arg(paths::root().join("crates/jig-formula/tests/functions/record.py")).args(names);
        found.set_variables(&mut command);
        shell::run(command)?;
    }
    let test = ["test", "--package", "jig-formula", "--test", "functions", "--", "--quiet"];
    Ok(shell::run(shell::cargo(test))?)
}

fn request<'a>(args: &[&'a str]) -> Result<Request<'a>, Failure> {
    let mut request = Request { record: None, yes: false };
    for argument in args {
        match (*argument, &mut request.record) {
            ("--record", record @ None) => *record = Some(Vec::new()),
            ("--yes", _) => request.yes = true,
            (name, Some(names)) if !name.starts_with('-') => names.push(name),
            (other, _) => return Err(args::unexpected(other)),
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_functions_come_after_the_option() {
        let names = |args: &[&'static str]| request(args).map(|request| request.record);
        assert_eq!(names(&[]), Ok(None));
        assert_eq!(names(&["--record"]), Ok(Some(Vec::new())));
        assert_eq!(names(&["--record", "SUM", "IF", "--yes"]), Ok(Some(vec!["SUM", "IF"])));
        assert_eq!(names(&["SUM"]), Err(args::unexpected("SUM")));
        assert_eq!(names(&["--record", "--all"]), Err(args::unexpected("--all")));
    }
}
