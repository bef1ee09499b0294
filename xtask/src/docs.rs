//! `cargo xtask docs`: rewrites the generated references, by the test that otherwise compares them.

use crate::args::{self, Failure};
use crate::shell;

pub(crate) const HELP: &str = "\
Usage: cargo xtask docs

Rewrites the references of commands, operations, error codes and settings in docs/reference/.
Run it after changing any of them: a test compares the files with the code.
";

pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    args::none(args)?;
    let mut command = shell::cargo(["test", "--package", "jig", "--test", "it", "generated"]);
    command.env("UPDATE", "1");
    Ok(shell::run(command)?)
}
