//! `cargo xtask docs`: writes the generated references anew, through the test that compares them.

use crate::shell;

pub(crate) fn run() -> Result<(), String> {
    let mut command = shell::cargo(["test", "--package", "jig", "--test", "it", "generated"]);
    command.env("UPDATE", "1");
    shell::run(command)
}
