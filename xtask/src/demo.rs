//! `cargo xtask demo` and `cargo xtask web`: build Jig and run its demo.

use std::process::Command;
use std::time::Instant;

use crate::args::{self, Failure};
use crate::duckdb_library::Host;
use crate::summary::duration;
use crate::{paths, shell};

pub(crate) const HELP: &str = "\
Usage: cargo xtask demo [ARGS]...

Arguments:
  [ARGS]...  Arguments for `jig demo`; after `--` also `--help`

Makes DuckDB's library available (see `cargo xtask duckdb --help`), builds `jig` and its
SQL engine `jig-sql`, and runs `jig demo`. It needs no key; the network is used only by
the build.
";

pub(crate) const WEB_HELP: &str = "\
Usage: cargo xtask web [--port N] [ARGS]...

Arguments:
  [ARGS]...   Arguments for `jig demo`

Options:
  --port N    Port on the loopback interface; 0 takes a free one [default: 7357]

Builds as `cargo xtask demo` does and serves the web app of the working tree, on a new
demo workbench in a temporary folder. Ctrl-C ends it.
";

/// `cargo xtask demo`
pub(crate) fn run(args: &[&str]) -> Result<(), Failure> {
    build()?;
    Err(Failure::Failed(shell::exec(demo(args))))
}

/// `cargo xtask web`
pub(crate) fn web(args: &[&str]) -> Result<(), Failure> {
    let web = web_command(args)?;
    build()?;
    Err(Failure::Failed(shell::exec(web)))
}

/// Both programs in one build, so that what they share is compiled once.
fn build() -> Result<(), String> {
    let start = Instant::now();
    let duckdb = Host::current().prepare()?;
    let mut cargo = shell::cargo(["build", "--package", "jig", "--package", "jig-tables", "--bins"]);
    duckdb.configure(&mut cargo);
    let build = Instant::now();
    shell::run(cargo)?;
    let (built, total) = (duration(build.elapsed()), duration(start.elapsed()));
    eprintln!("Built jig and jig-sql in {built} ({total} in total)");
    Ok(())
}

fn demo(args: &[&str]) -> Command {
    let mut jig = Command::new(paths::built("debug", "jig"));
    jig.arg("demo").args(args.strip_prefix(&["--"]).unwrap_or(args));
    jig
}

fn web_command(args: &[&str]) -> Result<Command, Failure> {
    let mut arguments = vec!["--serve"];
    let mut port = None;
    let mut rest = args.iter().copied();
    while let Some(argument) = rest.next() {
        match argument {
            "--port" => {
                let number = args::number("--port", 0, &mut rest)?;
                port = Some(u16::try_from(number).map_err(|_| {
                    Failure::Usage(format!("invalid value `{number}` for `--port`: ports end at {}", u16::MAX))
                })?);
            }
            other => arguments.push(other),
        }
    }
    let mut jig = demo(&arguments);
    if let Some(port) = port {
        jig.env("JIG_SERVE_BIND", format!("127.0.0.1:{port}"));
    }
    Ok(jig)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(command: &Command) -> Vec<&str> {
        command.get_args().map(|argument| argument.to_str().unwrap()).collect()
    }

    #[test]
    fn arguments_are_passed_on() {
        assert_eq!(arguments(&demo(&["--no-serve"])), ["demo", "--no-serve"]);
        assert_eq!(arguments(&demo(&["--", "--help"])), ["demo", "--help"]);
        assert_eq!(arguments(&demo(&[])), ["demo"]);
    }

    #[test]
    fn the_port_is_a_setting_and_the_rest_is_passed_on() {
        let web = web_command(&["--port", "8080", "--quiet"]).unwrap();
        assert_eq!(arguments(&web), ["demo", "--serve", "--quiet"]);
        let variables: Vec<_> = web.get_envs().collect();
        assert_eq!(variables, [("JIG_SERVE_BIND".as_ref(), Some("127.0.0.1:8080".as_ref()))]);
        assert_eq!(web_command(&[]).unwrap().get_envs().count(), 0);
    }

    #[test]
    fn a_wrong_port_is_refused_before_anything_is_built() {
        let usage = |message: &str| Err(Failure::Usage(message.to_owned()));
        assert_eq!(web(&["--port"]), usage("`--port` needs a value"));
        assert_eq!(web(&["--port", "x"]), usage("invalid value `x` for `--port`: not a number from 0 on"));
        assert_eq!(web(&["--port", "70000"]), usage("invalid value `70000` for `--port`: ports end at 65535"));
    }
}
