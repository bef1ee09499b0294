//! Starts the interfaces for programs and agents. Standard output carries only their protocol.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::ArgMatches;
use jig_contract::{Code, Given, OpError, WorkbenchId};
use jig_surfaces::http::{Demo, HttpOptions, HttpServer, Log, McpDoor};
use jig_surfaces::mcp::{self, McpOptions, ToolSet};
use jig_surfaces::rpc::{self, RpcOptions};
use jig_workbench::{QueryLimits, Workbench};
use jig_worker::{
    FileMethods, Profile, SMALL_STEPS, SandboxSupport, SqlRelay, WorkerLimits, WorkerOptions, least_memory,
};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::demo;
use crate::environment::Environment;
use crate::install;
use crate::platform;
use crate::settings::{FileWorkPlace, Stay, sql_engine_beside};
use crate::stop::Stop;
use crate::warnings;

/// The stack size of a server's threads. Agent runs nest deeply, especially in unoptimised builds.
const STACK: usize = 8 << 20;

/// `jig rpc`.
pub(crate) fn rpc(app: &App) -> Result<(), Stop> {
    let max = usize::try_from(app.settings.rpc_max_message_bytes).unwrap_or(usize::MAX);
    let options = RpcOptions { max_message_bytes: max, ..RpcOptions::default() };
    warn_unconfined(app);
    warnings::print(&app.env);
    let lazy = app.lazy();
    many(async move { rpc::serve(lazy, tokio::io::stdin(), tokio::io::stdout(), options).await })
}

/// `jig mcp`, or `jig mcp --install`, which writes a client's configuration.
pub(crate) fn mcp(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    if let Some(client) = matches.get_one::<String>("install") {
        return install::run(app, client, matches.get_flag("yes"));
    }
    let chosen = matches.get_many::<ToolSet>("tools").map(|sets| sets.copied().collect());
    let options = McpOptions {
        tools: chosen.unwrap_or_else(|| ToolSet::USUAL.to_vec()),
        workbench: app.settings.workbench.clone(),
        confine: matches.contains_id("workbench_id"),
        ask_publish: app.settings.mcp_ask_publish || matches.get_flag("allow-publish"),
        max_resource_bytes: app.settings.rpc_max_message_bytes,
        conformance_fixtures: matches.get_flag("conformance-fixtures"),
        ..McpOptions::new(app.env.clone())
    };
    warn_unconfined(app);
    warnings::print(&app.env);
    let lazy = app.lazy();
    many(async move {
        let (input, output) = mcp::stdio();
        mcp::serve(lazy, input, output, options).await
    })
}

/// `jig serve`. Prints its address on standard output, and nothing else there.
pub(crate) fn http(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let door = McpDoor {
        ask_publish: app.settings.mcp_ask_publish,
        conformance_fixtures: matches.get_flag("conformance-fixtures"),
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_stack_size(STACK).enable_all().build()?;
    warnings::print(&app.env);
    let (log, written) =
        if app.settings.serve.logs { log_lines() } else { (Log::none(), std::sync::mpsc::channel().1) };
    let done = runtime.block_on(serve_http(app, log, door));
    runtime.shutdown_timeout(Duration::from_secs(1));
    let _ = written.recv_timeout(LAST_LINES);
    done
}

/// Warns once, on standard error, about what the operating system cannot confine.
pub(crate) fn warn_unconfined(app: &App) {
    if let Some(missing) = SandboxSupport::of_this_system().missing() {
        app.terminal.note(&format!("warning: {missing}; only open files that you trust"));
    }
}

/// A server processes files from other people. Without confinement these could act with all rights of the server's
/// user, so it does not start unless the owner has accepted that.
fn check_confinement(app: &App, bind: std::net::SocketAddr) -> Result<(), OpError> {
    match SandboxSupport::of_this_system().missing() {
        Some(missing) if !bind.ip().is_loopback() && app.settings.file_work != FileWorkPlace::Unconfined => {
            let words = format!("cannot listen on {bind}: {missing}");
            Err(OpError::new(Code::SettingsInvalid, words)
                .hint("run Jig on Linux 5.13 or later with Landlock and seccomp, or listen on 127.0.0.1")
                .hint("to accept the risk, set `isolation = \"unconfined\"` (JIG_ISOLATION=unconfined)"))
        }
        _ => {
            warn_unconfined(app);
            Ok(())
        }
    }
}

async fn serve_http(app: &App, log: Log, door: McpDoor) -> Result<(), Stop> {
    let workbench = app.open_for(Stay::Long).await?;
    let home = app.settings.home.clone();
    let options = HttpOptions { mcp: door, ..options(app, log, home) };
    check_confinement(app, options.bind)?;
    let server = HttpServer::bind(workbench.clone(), options).await?;
    let start = StartToken::write(&app.settings.home, &server)?;
    let url = format!("http://{}", server.address());
    if app.terminal.json {
        let file = start.as_ref().map(|start| start.path.display().to_string());
        app.terminal.print_json(&json!({
            "url": url, "address": server.address().to_string(), "start_url": start_url(&server, "/"),
            "start_token_file": file,
        }))?;
    } else {
        let open = start_url(&server, "/").map(|address| format!("\nOpen {address}")).unwrap_or_default();
        app.terminal.print(&format!("Jig listens on {url}{open}"))?;
    }
    until_asked(app, workbench, server).await
}

/// The URL that signs its visitor in as the person who started the server.
fn start_url(server: &HttpServer, next: &str) -> Option<String> {
    let secret = server.start_token()?;
    Some(format!("http://{}/sign-in?start={secret}&next={next}", server.address()))
}

/// The start token, in a file that only its owner can read, for programs on this machine. Removed when the server
/// stops.
struct StartToken {
    path: PathBuf,
}

impl StartToken {
    /// `<home>/serve/<port>.token`.
    fn write(home: &Path, server: &HttpServer) -> Result<Option<Self>, Stop> {
        let Some(secret) = server.start_token() else { return Ok(None) };
        let path = home.join("serve").join(format!("{}.token", server.address().port()));
        platform::write_private(&path, secret.as_bytes())?;
        Ok(Some(Self { path }))
    }
}

impl Drop for StartToken {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Serves the web app of a demo until interrupted. If the usual port is taken, uses another.
pub(crate) async fn demo(app: &App, workbench: Workbench, home: PathBuf, id: &str) -> Result<(), Stop> {
    let usual = HttpServer::bind(workbench.clone(), options(app, Log::none(), home.clone())).await;
    let server = match usual {
        Ok(server) => server,
        Err(_) => {
            let mut options = options(app, Log::none(), home.clone());
            options.bind.set_port(0);
            HttpServer::bind(workbench.clone(), options).await?
        }
    };
    let _start = StartToken::write(&home, &server)?;
    let words = format!("Web app: /w/{id} (press Ctrl-C to stop)");
    let open = start_url(&server, &format!("/w/{id}")).map(|address| format!("\nOpen {address}")).unwrap_or_default();
    app.terminal.print(&format!("{words}\nJig listens on http://{}{open}", server.address()))?;
    until_asked(app, workbench, server).await
}

fn options(app: &App, log: Log, home: PathBuf) -> HttpOptions {
    let mut options = app.settings.serve.options(app.env.clone(), log);
    options.demo = Some(Demo::new(move |workbench| {
        let home = home.clone();
        async move { Given::<WorkbenchId>::from(demo::make(&workbench, &home).await?.id.as_str()).check() }
    }));
    options
}

/// Serves until a signal asks the program to stop.
async fn until_asked(app: &App, workbench: Workbench, server: HttpServer) -> Result<(), Stop> {
    let stop = CancellationToken::new();
    let jobs = tokio::spawn({
        let stop = stop.clone();
        async move { workbench.run_jobs(stop).await }
    });
    let serving = server.serve(stop.clone());
    tokio::pin!(serving);
    let mut signals = platform::stop_requests()?;
    let served = tokio::select! {
        served = &mut serving => served,
        _ = signals.recv() => {
            stop.cancel();
            // With logging on, standard error has only log lines.
            if !app.settings.serve.logs {
                app.terminal.note("finishing running calls; press Ctrl-C again to exit now");
            }
            tokio::select! {
                served = &mut serving => served,
                _ = signals.recv() => return Ok(()),
            }
        }
    };
    stop.cancel();
    // A job that does not stop in time is resumed by the next server.
    let _ = tokio::time::timeout(JOBS_END, jobs).await;
    Ok(served?)
}

/// How long running jobs may take to stop.
const JOBS_END: Duration = Duration::from_secs(5);

/// The size of the log queue. If the reader is too slow, calls are still answered and log lines are dropped.
const WAITING_LINES: usize = 4_096;

/// How long writing the last lines may take.
const LAST_LINES: Duration = Duration::from_secs(1);

/// Starts a thread that writes log lines. The receiver is notified when all lines are written.
fn log_lines() -> (Log, std::sync::mpsc::Receiver<()>) {
    let (sender, receiver) = std::sync::mpsc::sync_channel::<String>(WAITING_LINES);
    let (done, all_written) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        for line in receiver {
            // Locked per line, because other threads also write to standard error.
            if writeln!(std::io::stderr(), "{line}").is_err() {
                break;
            }
        }
        let _ = done.send(());
    });
    (Log::new(move |line| drop(sender.try_send(line))), all_written)
}

/// The default time limit for a call of a standalone worker.
const CALL_SECONDS: u64 = 300;

/// `jig worker`. It needs no home and no settings: the arguments name the folders.
pub(crate) fn worker(environment: &Environment, matches: &ArgMatches) -> Result<(), Stop> {
    let is_relay = matches.get_flag("sql-relay");
    if !is_relay && matches.contains_id("memory") && environment.get(SMALL_STEPS.0).is_none() {
        return Err(start_anew().into());
    }
    let memory = matches.get_one::<u64>("memory").copied();
    if let (Some(most), Some(least)) = (memory, least_memory())
        && most < least
        && !is_relay
    {
        let words = format!("{most} bytes of memory are not enough for a worker");
        let hint = format!("the minimum is {least} bytes of address space; the default of `worker.memory` is 1GiB");
        return Err(OpError::new(Code::SettingsInvalid, words).hint(hint).into());
    }
    let scratch = matches.get_one::<String>("scratch").map(PathBuf::from);
    let named = ["JIG_WORKBENCHES_DIR", "KEENBENCH_WORKBENCHES_DIR"].iter().find_map(|name| environment.get(name));
    let none = || {
        OpError::new(Code::SettingsInvalid, "the folder of the workbenches is not configured")
            .hint("set the variable JIG_WORKBENCHES_DIR to that folder")
    };
    let workbenches = scratch.clone().or_else(|| named.map(PathBuf::from)).ok_or_else(none)?;
    let options = WorkerOptions {
        limits: Some(WorkerLimits {
            memory_bytes: memory,
            cpu_seconds: matches.get_one::<u64>("cpu-seconds").copied(),
            writable: scratch.as_ref().map(|scratch| scratch.join("w").join("draft")),
        }),
        // In a pool, `jig` itself ends a worker that takes too long.
        call_seconds: scratch.is_none().then(|| matches.get_one::<u64>("seconds").copied().unwrap_or(CALL_SECONDS)),
        table_limits: table_limits(environment, matches, is_relay),
        allow_outside_formulas: matches.get_flag("allow-outside-formulas"),
        profile: if matches.get_flag("compat") {
            Profile::Compat
        } else {
            Profile::detect(|name| environment.get(name).map(str::to_owned))
        },
        ..WorkerOptions::new(workbenches, || Some(jig_contract::Env::system().now().to_string()))
    };
    let (input, output) = (std::io::stdin().lock(), std::io::stdout().lock());
    let served = if is_relay {
        let named = environment.get("JIG_TABLES_ENGINE").map(PathBuf::from);
        jig_worker::relay(&named.unwrap_or_else(sql_engine_beside), &options, input, output)
    } else {
        // In a pool, separate `jig-sql` workers handle tables.
        let methods = if scratch.is_some() { FileMethods::new() } else { FileMethods::with_sql(sql_relay()?) };
        jig_worker::serve(&options, &methods, input, output)
    };
    match served {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Err(Stop::NobodyReads),
        done => Ok(done?),
    }
}

/// Starts this program again as the SQL relay of this worker, with the same arguments and environment.
fn sql_relay() -> std::io::Result<SqlRelay> {
    let mut command = std::process::Command::new(std::env::current_exe()?);
    command.args(std::env::args_os().skip(1)).arg("--sql-relay");
    SqlRelay::start(&mut command)
}

/// Re-executes this program with a variable that its allocator reads at startup. Returns only on failure.
fn start_anew() -> std::io::Error {
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => return error,
    };
    let arguments = std::env::args_os().skip(1);
    platform::exec(std::process::Command::new(program).args(arguments).env(SMALL_STEPS.0, SMALL_STEPS.1))
}

/// Limits of queries: from arguments, from Jig's variables or the compatible variables of another worker, or defaults.
/// An invalid value does not stop the worker; it is reported once on standard error.
fn table_limits(environment: &Environment, matches: &ArgMatches, is_relay: bool) -> QueryLimits {
    let default = QueryLimits::default();
    let number = |argument: &str, names: [&str; 3], default: u64, range: std::ops::RangeInclusive<u64>| {
        if let Some(number) = matches.get_one::<u64>(argument) {
            return (*number).clamp(*range.start(), *range.end());
        }
        let found = names.into_iter().find_map(|name| environment.get(name).map(|text| (name, text.trim())));
        let Some((name, text)) = found.filter(|(_, text)| !text.is_empty()) else { return default };
        let given = text.parse::<f64>().ok().filter(|number| number.is_finite());
        let used = given.map_or(default, |number| (number as u64).clamp(*range.start(), *range.end()));
        if given != Some(used as f64) && !is_relay {
            let expected = format!("expected a whole number from {} to {}", range.start(), range.end());
            let _ = writeln!(std::io::stderr(), "warning: invalid value `{text}` in {name}: {expected}; using {used}");
        }
        used
    };
    QueryLimits {
        timeout_ms: number(
            "table-timeout-ms",
            ["JIG_TABLES_TIMEOUT_MS", "KEENBENCH_TABULAR_QUERY_TIMEOUT_MS", "KEENBENCH_TABULAR_TIMEOUT_MS"],
            default.timeout_ms,
            QueryLimits::TIMEOUT_MS,
        ),
        memory_mb: number(
            "table-memory-mb",
            ["JIG_TABLES_MEMORY_MB", "KEENBENCH_TABULAR_MEMORY_LIMIT_MB", "KEENBENCH_TABULAR_MEMORY_MB"],
            default.memory_mb,
            QueryLimits::MEMORY_MB,
        ),
        threads: number(
            "table-threads",
            ["JIG_TABLES_THREADS", "KEENBENCH_TABULAR_THREADS", "KEENBENCH_TABULAR_MAX_THREADS"],
            default.threads,
            QueryLimits::THREADS,
        ),
    }
}

/// Serves on several threads. Returns as soon as the work ends, even if a read is still blocked.
fn many(work: impl Future<Output = std::io::Result<()>>) -> Result<(), Stop> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(4).thread_stack_size(STACK).enable_all().build()?;
    let done = runtime.block_on(work);
    runtime.shutdown_background();
    done.map_err(|error| match error.kind() {
        std::io::ErrorKind::BrokenPipe => Stop::NobodyReads,
        _ => OpError::new(Code::FileReadFailed, format!("the connection broke: {error}")).into(),
    })
}
