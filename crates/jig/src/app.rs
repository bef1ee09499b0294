//! The program's entry point: from arguments to an exit code.

use std::ffi::OsString;
use std::process::ExitCode;

use clap::ArgMatches;
use jig_contract::{Actor, Code, Env, Kind, OpError, OpSpec, find};
use jig_surfaces::LazyWorkbench;
use jig_workbench::{CallContext, Workbench};
use jig_worker::allow_huge_pages;

use crate::cli::{self, VERBS};
use crate::environment::Environment;
use crate::settings::{self, Flags, Settings, Stay};
use crate::stop::Stop;
use crate::terminal::Terminal;
use crate::{agents, artifacts, ask, demo, docs, entries, man, operation, preview, serve, verbs};

/// What every command needs.
pub(crate) struct App {
    pub(crate) settings: Settings,
    pub(crate) terminal: Terminal,
    pub(crate) environment: Environment,
    pub(crate) env: Env,
}

impl App {
    /// Opens the workbench that the settings name, for a single command.
    pub(crate) async fn open(&self) -> Result<Workbench, OpError> {
        self.open_for(Stay::Short).await
    }

    /// Opens it for a process that lives as long as `stay` says.
    pub(crate) async fn open_for(&self, stay: Stay) -> Result<Workbench, OpError> {
        let workbench = Workbench::open(self.settings.config(stay), self.env.clone()).await?;
        print_notices(self.terminal, &workbench);
        Ok(workbench)
    }

    /// Opens it when it is first used.
    pub(crate) fn lazy(&self) -> LazyWorkbench {
        let (config, env, terminal) = (self.settings.config(Stay::Long), self.env.clone(), self.terminal);
        LazyWorkbench::new(move || {
            let opening = Workbench::open(config.clone(), env.clone());
            async move {
                let workbench = opening.await?;
                print_notices(terminal, &workbench);
                Ok(workbench)
            }
        })
    }

    /// The current workbench, or an error that explains how to choose one.
    pub(crate) fn workbench(&self) -> Result<&str, OpError> {
        self.settings.workbench.as_deref().ok_or_else(no_workbench)
    }
}

/// Prints what opening the workbench reported, on standard error: a read-only home, or corrected permissions.
fn print_notices(terminal: Terminal, workbench: &Workbench) {
    for notice in workbench.notices().iter().filter(|_| !terminal.quiet) {
        terminal.say(&format!("notice: {notice}"));
    }
}

/// The context of a call made by the person at the command line.
pub(crate) fn person() -> CallContext {
    CallContext::new(Actor::person())
}

fn no_workbench() -> OpError {
    OpError::new(Code::InvalidParams, "no workbench specified, and none is current")
        .hint("specify one with `-w ID`, switch to one with `jig use ID`, or create one with `jig new NAME`")
        .hint("`jig workbench list` shows them")
}

/// Runs a command line.
pub(crate) fn run(arguments: &[OsString]) -> ExitCode {
    let environment = Environment::read();
    let is_worker = arguments.get(1).is_some_and(|first| first == "worker");
    // Pages of 2 MiB make fresh memory faster to obtain. That pays off in a worker, where each call allocates a lot. In
    // a process with many threads, each thread would hold large pages for little data. Child processes inherit the
    // setting until they change it.
    allow_huge_pages(is_worker);
    if is_worker {
        return worker(arguments, &environment);
    }
    let (terminal, done) = match start(arguments, environment) {
        Ok((app, matches)) => (app.terminal, carry_out(&app, &matches, arguments)),
        Err((terminal, stop)) => (terminal, Err(stop)),
    };
    finish(terminal, done)
}

/// Runs before the settings are read, because a worker has no home.
fn worker(arguments: &[OsString], environment: &Environment) -> ExitCode {
    let terminal = Terminal { color: anstream::ColorChoice::Auto, json: false, quiet: false };
    let parsed = cli::command_for(arguments, None).try_get_matches_from(arguments).map_err(Stop::from);
    let done = parsed.and_then(|matches| match matches.subcommand() {
        Some((_, matches)) => serve::worker(environment, matches),
        None => Ok(()),
    });
    finish(terminal, done)
}

fn finish(terminal: Terminal, done: Result<(), Stop>) -> ExitCode {
    match done {
        Ok(()) | Err(Stop::NobodyReads) => ExitCode::SUCCESS,
        Err(Stop::Damage) => ExitCode::from(Kind::Internal.exit()),
        Err(Stop::Usage(error)) => usage(terminal, &error),
        Err(Stop::Failed(error)) => {
            terminal.fail(&error);
            ExitCode::from(error.code().kind().exit())
        }
    }
}

fn start(arguments: &[OsString], environment: Environment) -> Result<(App, ArgMatches), (Terminal, Stop)> {
    // Searched by hand, so that even a command line that clap rejects gets a JSON error.
    let json = arguments.iter().take_while(|argument| *argument != "--").any(|argument| argument == "--json");
    let mut terminal = Terminal { color: anstream::ColorChoice::Auto, json, quiet: false };
    if environment.get("NO_COLOR").is_some() {
        terminal.color = anstream::ColorChoice::Never;
    }
    let parsed = cli::command_for(arguments, None).try_get_matches_from(arguments);
    let matches = parsed.map_err(|error| (terminal, error.into()))?;
    terminal.quiet = matches.get_flag("quiet");
    let text = |name: &str| matches.get_one::<String>(name).cloned();
    let of_serve = |name: &str| {
        let (_, inner) = matches.subcommand().filter(|(name, _)| *name == "serve")?;
        inner.get_one::<String>(name).cloned()
    };
    let flags = Flags {
        home: text("home"),
        workbench: named_workbench(&matches),
        color: text("color"),
        bind: of_serve("bind"),
        database: of_serve("database"),
        blobs: of_serve("blobs"),
        config: text("config").map(Into::into),
    };
    let settings = settings::resolve(&flags, &environment).map_err(|error| (terminal, error.into()))?;
    terminal.color = settings.color;
    Ok((App { settings, terminal, environment, env: Env::system() }, matches))
}

/// The workbench argument of the command, at any level of subcommands.
fn named_workbench(matches: &ArgMatches) -> Option<String> {
    let here = matches.try_get_one::<String>("workbench_id").ok().flatten().cloned();
    here.or_else(|| matches.subcommand().and_then(|(_, inner)| named_workbench(inner)))
}

fn carry_out(app: &App, matches: &ArgMatches, arguments: &[OsString]) -> Result<(), Stop> {
    match matches.subcommand() {
        Some(("settings", _)) => verbs::settings(app),
        Some(("completions", matches)) => docs::completions(app, matches),
        Some(("docs", matches)) => docs::print(app, matches),
        Some(("man-pages", matches)) => man::write(app, matches),
        Some(("exit-codes", _)) => Ok(app.terminal.print(&cli::exit_codes())?),
        Some(("rpc", _)) => serve::rpc(app),
        Some(("mcp", matches)) => serve::mcp(app, matches),
        Some(("serve", matches)) => serve::http(app, matches),
        _ => runtime(app, matches, arguments),
    }
}

/// The maximum number of threads that block on the disk. More threads take longer to start than they save.
const WAITING_THREADS: usize = 8;

/// Runs one command on a single-threaded runtime, which starts fastest.
fn runtime(app: &App, matches: &ArgMatches, arguments: &[OsString]) -> Result<(), Stop> {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.max_blocking_threads(WAITING_THREADS).enable_all().build()?;
    let done = runtime.block_on(one_command(app, matches, arguments));
    // A task that still waits for a lock or a person must not keep the program from exiting.
    runtime.shutdown_background();
    done
}

async fn one_command(app: &App, matches: &ArgMatches, arguments: &[OsString]) -> Result<(), Stop> {
    match matches.subcommand() {
        None => verbs::overview(app).await,
        Some(("use", matches)) => verbs::choose(app, matches).await,
        Some(("apply", matches)) => verbs::apply(app, matches).await,
        Some(("preview", matches)) => preview::run(app, matches).await,
        Some(("demo", matches)) => demo::run(app, matches).await,
        Some(("ask", matches)) => ask::run(app, matches).await,
        Some(("entry", matches)) if matches.subcommand_name() == Some("set") => {
            entries::set(app, matches.subcommand_matches("set").unwrap_or(matches)).await
        }
        Some(("artifact", matches)) if artifacts::is_own(matches.subcommand_name()) => {
            artifacts::run(app, matches).await
        }
        Some(("agent", matches)) if matches.subcommand_name().is_some_and(agents::is_own) => {
            let (verb, matches) = matches.subcommand().unwrap_or(("list", matches));
            agents::run(app, verb, matches).await
        }
        Some(("job", matches)) if matches.subcommand_name() == Some("run") => verbs::run_jobs(app).await,
        Some(("review", matches)) if matches.subcommand().is_none() => verbs::review(app, matches).await,
        Some(("checkpoint", matches)) if matches.subcommand().is_none() => verbs::checkpoint(app, matches).await,
        Some(("prompt", matches)) if matches.subcommand().is_none() => verbs::prompt(app, matches).await,
        Some((name, matches)) if matches.subcommand().is_none() && cli::default_operation(name).is_some() => {
            verbs::noun(app, name, matches).await
        }
        Some((name, matches)) => {
            let (op, verb, depth) = target(name, matches)?;
            let matches = with_workbench(app, op, matches, arguments, depth)?;
            operation::run(app, op, verb, &matches).await
        }
    }
}

/// The operation that a command runs, with the number of subcommand levels that lead to it.
fn target<'a>(name: &'a str, matches: &ArgMatches) -> Result<(&'static OpSpec, &'a str, usize), Stop> {
    if let Some(verb) = VERBS.iter().find(|verb| verb.name == name)
        && let Some(op) = find(verb.operation)
    {
        return Ok((op, verb.name, 1));
    }
    let inner = matches.subcommand_name().unwrap_or_default();
    let found = jig_contract::OPERATIONS.iter().find(|op| op.noun_and_verb() == (name.to_owned(), inner.to_owned()));
    let missing = || OpError::new(Code::Internal, format!("the command {name} {inner} has no operation"));
    Ok((found.ok_or_else(missing)?, "", 2))
}

/// Parses the operation's arguments again, with the current workbench as default if none was given.
fn with_workbench(
    app: &App,
    op: &OpSpec,
    matches: &ArgMatches,
    arguments: &[OsString],
    depth: usize,
) -> Result<ArgMatches, Stop> {
    let own = |matches: &ArgMatches| {
        let inner = matches.subcommand().map(|(_, inner)| inner.clone());
        if depth == 2 { inner } else { Some(matches.clone()) }
    };
    let broken = || OpError::new(Code::Internal, "the command line could not be parsed again");
    let first = own(matches).ok_or_else(broken)?;
    if !operation::takes_workbench(op) || first.contains_id("workbench_id") || first.contains_id("params") {
        return Ok(first);
    }
    let again = cli::command_for(arguments, Some(app.workbench()?)).try_get_matches_from(arguments)?;
    let (_, again) = again.subcommand().ok_or_else(broken)?;
    Ok(own(again).ok_or_else(broken)?)
}

fn usage(terminal: Terminal, error: &clap::Error) -> ExitCode {
    let text = error.render().ansi().to_string();
    if error.use_stderr() && terminal.json {
        let words = error.render().to_string();
        let words = words.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ").to_owned();
        terminal.fail(&OpError::new(Code::InvalidParams, words).hint("run the command with `--help`"));
    } else if error.use_stderr() {
        terminal.say(text.trim_end());
    } else if terminal.print(&text).is_err() {
        return ExitCode::SUCCESS;
    }
    ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
}
