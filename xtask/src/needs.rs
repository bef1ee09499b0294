//! What a command needs besides Rust: listed, then installed or reported as missing.
//!
//! `tools` has the list for the tests. System packages are installed by apt, all in one call, after the user agreed.
//! Packages from npm and PyPI are stored in Jig's cache folder, which needs no question.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::{paths, shell};

/// Something that a command needs.
pub(crate) struct Need {
    pub(crate) name: &'static str,
    /// What it is needed for.
    pub(crate) purpose: &'static str,
    /// By this variable the tests find it. A user who sets it chooses the program.
    pub(crate) variable: Option<&'static str>,
    pub(crate) source: Source,
    /// Looks for it, without changing anything.
    pub(crate) find: fn() -> Option<PathBuf>,
}

/// Where a need comes from when it is missing.
pub(crate) enum Source {
    /// These Debian packages.
    Apt(&'static [&'static str]),
    /// Downloaded into Jig's cache folder by an installer that is part of another need.
    Cache { installer: &'static str, client: &'static Need, fetch: fn() -> Result<PathBuf, String> },
}

impl Need {
    /// What the user set, else what is found.
    pub(crate) fn locate(&self) -> Option<PathBuf> {
        self.variable.and_then(paths::variable).map(PathBuf::from).or_else(self.find)
    }

    /// How to install it by hand.
    fn advice(&self) -> String {
        let install = match self.source {
            Source::Apt(packages) => format!("Debian: `apt-get install {}` as root", packages.join(" ")),
            Source::Cache { client, .. } => format!("needs {} and a connection to its registry", client.name),
        };
        self.variable.map_or(install.clone(), |variable| format!("{install}; or set {variable}"))
    }
}

/// Whether system packages may be installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    Granted,
    Ask,
    Denied,
}

impl Consent {
    /// `yes`: the user passed `--yes`.
    pub(crate) fn current(yes: bool) -> Self {
        Self::decide(yes, is_ci(), io::stdin().is_terminal() && io::stderr().is_terminal())
    }

    fn decide(yes: bool, ci: bool, terminal: bool) -> Self {
        match (yes || ci, terminal) {
            (true, _) => Self::Granted,
            (false, true) => Self::Ask,
            (false, false) => Self::Denied,
        }
    }
}

pub(crate) fn is_ci() -> bool {
    paths::variable("CI").is_some_and(|value| value == "true" || value == "1")
}

/// The package manager of a Debian system.
pub(crate) struct Apt {
    program: Option<PathBuf>,
    is_debian: bool,
    is_root: bool,
}

impl Apt {
    pub(crate) fn current() -> Self {
        let mut id = shell::command("id");
        id.arg("-u");
        Self {
            program: paths::on_path("apt-get"),
            is_debian: Path::new("/etc/debian_version").exists(),
            is_root: shell::output(id).as_deref() == Ok("0"),
        }
    }

    /// The program, or why it cannot be used.
    fn usable(&self, consent: Consent) -> Result<&Path, &'static str> {
        match &self.program {
            Some(program) if self.is_debian => match (self.is_root, consent) {
                (false, _) => Err("only root can install it with apt"),
                (true, Consent::Denied) => Err("pass --yes to install it with apt"),
                (true, Consent::Granted | Consent::Ask) => Ok(program),
            },
            _ => Err("cannot be installed here: apt is not available"),
        }
    }
}

/// Installs all packages in one call. The package lists are fetched only if that fails: on a machine in use they exist,
/// on a fresh one they do not.
fn apt_install(apt_get: &Path, packages: &[&str]) -> Result<(), String> {
    let apt_get = |args: &[&str]| {
        let mut command = shell::command(apt_get);
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    let install = || {
        let mut command = apt_get(&["install", "--yes", "--no-install-recommends"]);
        command.args(packages);
        command
    };
    shell::run(install()).or_else(|_| {
        shell::run(apt_get(&["update"]))?;
        shell::run(install())
    })
}

/// Whether a need is met, and what will happen if not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum State {
    Found(PathBuf),
    /// Will be installed by apt.
    Apt,
    /// Will be downloaded by this installer.
    Download(&'static str),
    /// Will be compiled.
    Compile,
    Missing(String),
    /// Not installed, and success does not depend on it.
    Optional(String),
}

struct Row {
    name: String,
    purpose: &'static str,
    state: State,
    need: Option<&'static Need>,
}

/// The state of all needs, before anything is installed.
pub(crate) struct Plan {
    rows: Vec<Row>,
    apt: Apt,
    consent: Consent,
}

impl Plan {
    pub(crate) fn new(needs: &[&'static Need], consent: Consent) -> Self {
        Self::on(Apt::current(), needs, consent)
    }

    fn on(apt: Apt, needs: &[&'static Need], consent: Consent) -> Self {
        let mut plan = Self { rows: Vec::new(), apt, consent };
        for need in needs {
            let state = plan.state(need);
            plan.add(need.name, need.purpose, state, Some(need));
        }
        plan
    }

    /// Adds a row for something that the command makes available itself.
    pub(crate) fn add_row(&mut self, name: &str, purpose: &'static str, state: State) {
        self.add(name, purpose, state, None);
    }

    fn add(&mut self, name: &str, purpose: &'static str, state: State, need: Option<&'static Need>) {
        self.rows.push(Row { name: name.to_owned(), purpose, state, need });
    }

    fn state(&self, need: &'static Need) -> State {
        if let Some(path) = need.locate() {
            return State::Found(path);
        }
        match need.source {
            Source::Apt(_) => match self.apt.usable(self.consent) {
                Ok(_) => State::Apt,
                Err(why) => State::Missing(why.to_owned()),
            },
            Source::Cache { installer, client, .. } => match self.state(client) {
                State::Found(_) | State::Apt => State::Download(installer),
                _ => State::Missing(format!("needs {}", client.name)),
            },
        }
    }

    /// Whether a need is there or will be.
    pub(crate) fn provides(&self, need: &'static Need) -> bool {
        matches!(self.state(need), State::Found(_) | State::Apt)
    }

    pub(crate) fn is_complete(&self) -> bool {
        self.rows.iter().all(|row| matches!(row.state, State::Found(_) | State::Optional(_)))
    }

    /// The packages of all needs in a state, each once.
    fn packages(&self, wanted: impl Fn(&State) -> bool) -> Vec<&'static str> {
        let mut packages = Vec::new();
        for row in self.rows.iter().filter(|row| wanted(&row.state)) {
            if let Some(Need { source: Source::Apt(list), .. }) = row.need {
                packages
                    .extend(list.iter().filter(|package| !packages.contains(*package)).copied().collect::<Vec<_>>());
            }
        }
        packages
    }

    /// The table of all needs, and below it the command for system packages that will not be installed.
    pub(crate) fn table(&self) -> String {
        let width =
            |text: fn(&Row) -> usize, title: &str| self.rows.iter().map(text).max().unwrap_or(0).max(title.len());
        let name = width(|row| row.name.len(), "tool");
        let purpose = width(|row| row.purpose.len(), "needed for");
        let mut table = format!("{:<name$}  {:<purpose$}  state\n", "tool", "needed for");
        for row in &self.rows {
            table.push_str(&format!(
                "{:<name$}  {:<purpose$}  {}\n",
                row.name,
                row.purpose,
                state_text(row, self.consent)
            ));
        }
        let missing = self.packages(|state| matches!(state, State::Missing(_)));
        if !missing.is_empty() && self.apt.is_debian {
            let packages = missing.join(" ");
            table.push_str(&format!("\nInstall the missing system packages as root:\n  apt-get install {packages}\n"));
        }
        table
    }

    /// Installs what is missing. `ask` gets the question and answers whether apt may run.
    pub(crate) fn install(&self, ask: impl FnOnce(&str) -> bool) -> Tools {
        let packages = self.packages(|state| *state == State::Apt);
        let installed = match self.apt.usable(self.consent) {
            Err(why) => Err(why.to_owned()),
            Ok(_) if packages.is_empty() => Ok(()),
            Ok(program) => {
                let question = format!("Install these packages with apt? {} [y/N] ", packages.join(" "));
                match self.consent == Consent::Granted || ask(&question) {
                    true => apt_install(program, &packages),
                    false => Err("not installed".to_owned()),
                }
            }
        };
        let mut tools = Tools::default();
        for (row, need) in self.rows.iter().filter_map(|row| Some((row, row.need?))) {
            let result = match &row.state {
                State::Found(path) => Ok(path.clone()),
                State::Missing(why) => Err(why.clone()),
                _ => provide(need, &installed),
            };
            match result {
                Ok(path) => tools.found.push((need, path)),
                Err(why) => tools.add_missing(need.name, &format!("{why}\n  {}", need.advice())),
            }
        }
        tools
    }
}

/// Downloads a need, or finds it after apt has run.
fn provide(need: &'static Need, apt: &Result<(), String>) -> Result<PathBuf, String> {
    match need.source {
        Source::Apt(_) => {
            apt.clone()?;
            (need.find)().ok_or_else(|| "its packages are installed, but it was not found".to_owned())
        }
        Source::Cache { client, .. } if client.locate().is_none() => Err(format!("needs {}", client.name)),
        Source::Cache { fetch, .. } => {
            eprintln!("Installing {}", need.name);
            fetch()
        }
    }
}

fn state_text(row: &Row, consent: Consent) -> String {
    match &row.state {
        State::Found(path) => format!("found at {}", path.display()),
        State::Apt => {
            let packages = match row.need {
                Some(Need { source: Source::Apt(packages), .. }) => packages.join(" "),
                _ => String::new(),
            };
            let asking = if consent == Consent::Ask { ", after asking" } else { "" };
            format!("will be installed by apt ({packages}){asking}")
        }
        State::Download(installer) => format!("will be installed by {installer}, in Jig's cache folder"),
        State::Compile => "will be compiled from source (10 to 30 minutes on 2 cores)".to_owned(),
        State::Missing(why) => format!("missing: {why}"),
        State::Optional(why) => format!("optional: {why}"),
    }
}

/// Asks on the terminal; anything but yes is no.
pub(crate) fn ask(question: &str) -> bool {
    eprint!("{question}");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    let read = io::stdin().lock().read_line(&mut answer);
    read.is_ok() && is_yes(&answer)
}

fn is_yes(answer: &str) -> bool {
    ["y", "yes"].contains(&answer.trim().to_lowercase().as_str())
}

/// The tools of one run.
#[derive(Default)]
pub(crate) struct Tools {
    found: Vec<(&'static Need, PathBuf)>,
    /// What is missing: why, and how to install it.
    pub(crate) missing: Vec<String>,
}

impl Tools {
    /// Passes the locations on to the tests.
    pub(crate) fn set_variables(&self, command: &mut Command) {
        for (need, path) in &self.found {
            if let Some(variable) = need.variable {
                command.env(variable, path);
            }
        }
    }

    pub(crate) fn add_missing(&mut self, name: &str, why: &str) {
        self.missing.push(format!("{name}: {why}"));
    }

    /// The location of a tool.
    pub(crate) fn path(&self, need: &'static Need) -> Result<&Path, String> {
        let found = self.found.iter().find(|(found, _)| found.name == need.name);
        found.map(|(_, path)| path.as_path()).ok_or_else(|| format!("{} is missing: {}", need.name, need.advice()))
    }
}

/// The tools for a command that cannot run without all of them. The table is shown only if something is to be done.
pub(crate) fn require(needs: &[&'static Need], consent: Consent) -> Result<Tools, String> {
    let plan = Plan::new(needs, consent);
    if !plan.is_complete() {
        eprintln!("{}", plan.table());
    }
    let tools = plan.install(ask);
    if tools.missing.is_empty() { Ok(tools) } else { Err(format!("missing tools:\n- {}", tools.missing.join("\n- "))) }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    thread_local! {
        /// Where the fake apt-get of this test notes its calls. Each test runs on a thread of its own.
        static CALLS: RefCell<PathBuf> = RefCell::default();
    }

    fn calls() -> String {
        CALLS.with_borrow(|file| std::fs::read_to_string(file).unwrap_or_default())
    }

    /// There once apt-get was called with its package.
    fn lathe_if_installed() -> Option<PathBuf> {
        calls().contains(" lathe").then(|| PathBuf::from("/usr/bin/lathe"))
    }

    static LATHE: Need = Need {
        name: "Lathe",
        purpose: "turning",
        variable: Some("XTASK_TEST_LATHE"),
        source: Source::Apt(&["lathe", "lathe-tools"]),
        find: lathe_if_installed,
    };
    static DRILL: Need =
        Need { name: "Drill", purpose: "holes", variable: None, source: Source::Apt(&["drill"]), find: || None };
    static SHELL: Need = Need {
        name: "Shell",
        purpose: "scripts",
        variable: None,
        source: Source::Apt(&["dash"]),
        find: || Some(PathBuf::from("/bin/sh")),
    };
    static CHUCK: Need = Need {
        name: "Chuck",
        purpose: "holding",
        variable: None,
        source: Source::Cache { installer: "turner", client: &LATHE, fetch: || Ok(PathBuf::from("/cache/chuck")) },
        find: || None,
    };

    /// A Debian system with an apt-get that only notes its arguments.
    fn debian(folder: &Path) -> Apt {
        let program = folder.join("apt-get");
        CALLS.set(folder.join("apt-get.calls"));
        let mut write = Command::new("sh");
        let script = "printf '#!/bin/sh\\necho \"$@\" >>\"$0.calls\"\\n' >\"$0\" && chmod +x \"$0\"";
        assert!(write.args(["-c", script]).arg(&program).status().unwrap().success());
        Apt { program: Some(program), is_debian: true, is_root: true }
    }

    fn states(plan: &Plan) -> Vec<State> {
        plan.rows.iter().map(|row| row.state.clone()).collect()
    }

    #[test]
    fn the_table_is_printed_before_anything_is_installed() {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = Plan::on(debian(folder.path()), &[&SHELL, &LATHE, &CHUCK], Consent::Granted);
        plan.add_row("Oil", "lubrication", State::Optional("not installed".to_owned()));
        let expected = "\
tool   needed for   state
Shell  scripts      found at /bin/sh
Lathe  turning      will be installed by apt (lathe lathe-tools)
Chuck  holding      will be installed by turner, in Jig's cache folder
Oil    lubrication  optional: not installed
";
        assert_eq!(plan.table(), expected);
        assert_eq!(calls(), "");
        assert!(!plan.is_complete() && plan.provides(&LATHE));
    }

    #[test]
    fn all_packages_are_installed_in_one_call() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan::on(debian(folder.path()), &[&LATHE, &DRILL, &CHUCK, &SHELL], Consent::Granted);
        let tools = plan.install(|_| panic!("asked although consent was given"));
        assert_eq!(calls(), "install --yes --no-install-recommends lathe lathe-tools drill\n");
        assert_eq!(tools.path(&LATHE), Ok(Path::new("/usr/bin/lathe")));
        assert_eq!(tools.path(&CHUCK), Ok(Path::new("/cache/chuck")));
        assert_eq!(tools.path(&SHELL), Ok(Path::new("/bin/sh")));
        let missing = "Drill: its packages are installed, but it was not found\n  \
                       Debian: `apt-get install drill` as root";
        assert_eq!(tools.missing, [missing]);
        let mut command = Command::new("cargo");
        tools.set_variables(&mut command);
        let variables: Vec<_> = command.get_envs().collect();
        assert_eq!(variables, [("XTASK_TEST_LATHE".as_ref(), Some("/usr/bin/lathe".as_ref()))]);
    }

    #[test]
    fn the_user_is_asked_and_no_is_respected() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan::on(debian(folder.path()), &[&LATHE, &CHUCK], Consent::Ask);
        assert_eq!(states(&plan), [State::Apt, State::Download("turner")]);
        assert!(plan.table().contains("will be installed by apt (lathe lathe-tools), after asking\n"));
        let mut asked = String::new();
        let tools = plan.install(|question| {
            asked = question.to_owned();
            false
        });
        assert_eq!(asked, "Install these packages with apt? lathe lathe-tools [y/N] ");
        assert_eq!(calls(), "");
        let advice = "Debian: `apt-get install lathe lathe-tools` as root; or set XTASK_TEST_LATHE";
        assert_eq!(tools.missing[0], format!("Lathe: not installed\n  {advice}"));
        assert_eq!(tools.missing[1], "Chuck: needs Lathe\n  needs Lathe and a connection to its registry");
        assert_eq!(tools.path(&LATHE), Err(format!("Lathe is missing: {advice}")));
    }

    #[test]
    fn without_a_terminal_nothing_is_installed_and_the_command_is_shown() {
        let folder = tempfile::tempdir().unwrap();
        let plan = Plan::on(debian(folder.path()), &[&LATHE, &DRILL], Consent::Denied);
        let table = plan.table();
        assert!(table.contains("missing: pass --yes to install it with apt"), "{table}");
        assert!(table.ends_with("as root:\n  apt-get install lathe lathe-tools drill\n"), "{table}");
        let tools = plan.install(|_| panic!("asked without a terminal"));
        assert_eq!((calls().as_str(), tools.missing.len()), ("", 2));
        let elsewhere = Apt { is_debian: false, ..debian(folder.path()) };
        let table = Plan::on(elsewhere, &[&LATHE], Consent::Granted).table();
        assert!(table.ends_with("missing: cannot be installed here: apt is not available\n"), "{table}");
    }

    #[test]
    fn only_root_on_debian_installs() {
        let folder = tempfile::tempdir().unwrap();
        let reason = |apt: Apt| apt.usable(Consent::Granted).map(|_| ());
        assert_eq!(reason(debian(folder.path())), Ok(()));
        assert_eq!(reason(Apt { is_root: false, ..debian(folder.path()) }), Err("only root can install it with apt"));
        assert_eq!(
            reason(Apt { is_debian: false, ..debian(folder.path()) }),
            Err("cannot be installed here: apt is not available")
        );
        assert_eq!(
            reason(Apt { program: None, ..debian(folder.path()) }),
            Err("cannot be installed here: apt is not available")
        );
    }

    #[test]
    fn a_failing_apt_is_tried_again_after_an_update() {
        let folder = tempfile::tempdir().unwrap();
        let apt = debian(folder.path());
        let script = "printf '#!/bin/sh\\necho \"$@\" >>\"$0.calls\"\\n[ $1 = update ]\\n' >\"$0\"";
        assert!(Command::new("sh").args(["-c", script]).arg(folder.path().join("apt-get")).status().unwrap().success());
        let tools = Plan::on(apt, &[&DRILL], Consent::Granted).install(|_| false);
        let verbs: Vec<String> = calls().lines().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
        assert_eq!(verbs, ["install", "update", "install"]);
        assert!(tools.missing[0].starts_with("Drill: `apt-get install"), "{:?}", tools.missing);
    }

    #[test]
    fn consent_needs_yes_ci_or_a_terminal() {
        assert_eq!(Consent::decide(true, false, false), Consent::Granted);
        assert_eq!(Consent::decide(false, true, true), Consent::Granted);
        assert_eq!(Consent::decide(false, false, true), Consent::Ask);
        assert_eq!(Consent::decide(false, false, false), Consent::Denied);
        assert!(is_yes("Y\n") && is_yes("yes\n") && !is_yes("\n") && !is_yes("no\n"));
    }
}
