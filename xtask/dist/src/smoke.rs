//! The checks that every installed package must pass: version, demo, SQL query, MCP handshake.
//!
//! They run with an empty environment: what works here depends on nothing that a user may not have.

use std::ffi::{OsStr, OsString};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::shell;

/// Enough for the demo on a busy machine; a command that hangs must not hold up a release.
const LIMIT: Duration = Duration::from_secs(300);

/// An installed `jig` and how to start it.
pub(super) struct Installed {
    /// The program and the arguments before those of `jig`.
    launch: Vec<OsString>,
    variables: Vec<(String, OsString)>,
    /// An empty folder that is `jig`'s home, as this process sees it.
    folder: PathBuf,
    /// The same folder as `jig` sees it.
    home: String,
}

impl Installed {
    /// A `jig` on this machine whose home is `folder`.
    pub(super) fn new<A: AsRef<OsStr>>(launch: impl IntoIterator<Item = A>, folder: &Path) -> Result<Self, String> {
        let home = folder.join("home");
        std::fs::create_dir_all(&home).map_err(|error| format!("could not create {}: {error}", home.display()))?;
        let home_text = home.to_string_lossy().into_owned();
        Ok(Self::with_home(launch, home, home_text))
    }

    /// A `jig` that sees the folder `folder` as `home`, for example in a chroot.
    pub(super) fn with_home<A: AsRef<OsStr>>(
        launch: impl IntoIterator<Item = A>,
        folder: PathBuf,
        home: String,
    ) -> Self {
        let launch = launch.into_iter().map(|argument| argument.as_ref().to_owned()).collect();
        let installed = Self { launch, variables: Vec::new(), folder, home };
        let home = installed.home.clone();
        installed.variable("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").variable("HOME", home)
    }

    /// Sets a variable of the otherwise empty environment.
    pub(super) fn variable(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    fn command(&self, args: &[&str]) -> Command {
        let (program, first) = self.launch.split_first().map_or((OsStr::new("jig"), &[][..]), |(p, f)| (p, f));
        let mut command = shell::command(program);
        command.args(first).args(args).env_clear().envs(self.variables.iter().cloned());
        command.current_dir(&self.folder);
        command
    }

    /// Runs `jig` with these arguments and returns its standard output.
    pub(super) fn run(&self, args: &[&str]) -> Result<String, String> {
        output_within(self.command(args), LIMIT).map_err(|why| format!("`jig {}` {why}", args.join(" ")))
    }

    fn run_json(&self, args: &[&str]) -> Result<Value, String> {
        let text = self.run(args)?;
        serde_json::from_str(&text).map_err(|error| format!("`jig {}` printed invalid JSON: {error}", args.join(" ")))
    }

    /// The tools that `jig mcp` offers, each as `{name, description, …}`.
    pub(super) fn mcp_tools(&self, args: &[&str]) -> Result<Vec<Value>, String> {
        let mut session = McpSession::start(self.command(args))?;
        let result = session.tools();
        let errors = session.end();
        result.map_err(|why| format!("`jig {}`: {why}{errors}", args.join(" ")))
    }
}

/// Runs all four checks.
pub(super) fn check(jig: &Installed, version: &str) -> Result<(), String> {
    check_mcp_with(jig, version, &["mcp"])
}

/// The same, with the arguments by which a client starts the MCP server.
pub(super) fn check_mcp_with(jig: &Installed, version: &str, mcp: &[&str]) -> Result<(), String> {
    let printed = jig.run(&["--version"])?;
    if printed.trim() != format!("jig {version}") {
        return Err(format!("`jig --version` printed `{}`, expected `jig {version}`", printed.trim()));
    }
    let demo = format!("{}/demo", jig.home);
    let made = jig.run_json(&["demo", "--no-serve", "--json", "--home", &demo])?;
    if made["session_id"].as_str().is_none_or(str::is_empty) {
        return Err(format!("`jig demo` reported no session: {made}"));
    }
    check_query(jig)?;
    let tools = jig.mcp_tools(mcp)?;
    if tools.is_empty() {
        return Err("`jig mcp` lists no tools".to_owned());
    }
    Ok(())
}

fn check_query(jig: &Installed) -> Result<(), String> {
    let file = jig.folder.join("people.csv");
    std::fs::write(&file, "name,age\nAda,36\nGrace,45\nAlan,41\n")
        .map_err(|error| format!("could not write {}: {error}", file.display()))?;
    jig.run(&["new", "Smoke test"])?;
    jig.run(&["add", &format!("{}/people.csv", jig.home)])?;
    let answer = jig.run_json(&["query", "people.csv", "SELECT count(*) AS n FROM data", "--json"])?;
    if answer["rows"] != json!([[3]]) {
        return Err(format!("`jig query` counted {}, expected [[3]]", answer["rows"]));
    }
    Ok(())
}

/// Runs a command quietly and ends it when it takes too long.
pub(super) fn output_within(mut command: Command, limit: Duration) -> Result<String, String> {
    let cannot = |error: std::io::Error| format!("could not be run: {error}");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(cannot)?;
    let (output, errors) = (collect(child.stdout.take()), collect(child.stderr.take()));
    let Some(status) = wait(&mut child, limit).map_err(cannot)? else {
        return Err(format!("did not finish within {} seconds", limit.as_secs()));
    };
    // A grandchild may hold the pipes open; what has arrived by now is enough.
    let text = |pipe: Receiver<Vec<u8>>| pipe.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
    let (output, errors) = (text(output), text(errors));
    if status.success() {
        return Ok(String::from_utf8_lossy(&output).into_owned());
    }
    Err(format!("failed with {status}: {}", String::from_utf8_lossy(&errors).trim()))
}

/// The exit status, or `None` after the child was killed at the limit.
pub(super) fn wait(child: &mut Child, limit: Duration) -> std::io::Result<Option<std::process::ExitStatus>> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > limit {
            let _ = child.kill();
            let _ = child.wait();
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(10));
    }
}

fn collect(pipe: Option<impl Read + Send + 'static>) -> Receiver<Vec<u8>> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        let _ = sender.send(bytes);
    });
    receiver
}

/// A client of an MCP server on standard input and output, one JSON message per line.
struct McpSession {
    child: Child,
    lines: Receiver<String>,
    errors: Receiver<Vec<u8>>,
}

impl McpSession {
    fn start(mut command: Command) -> Result<Self, String> {
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().map_err(|error| format!("could not start the MCP server: {error}"))?;
        let (sender, lines) = mpsc::channel();
        let output = child.stdout.take();
        thread::spawn(move || {
            let Some(output) = output else { return };
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    return;
                }
            }
        });
        let errors = collect(child.stderr.take());
        Ok(Self { child, lines, errors })
    }

    fn tools(&mut self) -> Result<Vec<Value>, String> {
        let client = json!({ "name": "jig-dist", "version": "1" });
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client });
        let greeting = self.request(1, "initialize", &params)?;
        if greeting["serverInfo"]["name"].as_str().is_none() {
            return Err(format!("the answer to initialize names no server: {greeting}"));
        }
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        let (mut tools, mut params) = (Vec::new(), json!({}));
        for id in 2.. {
            let page = self.request(id, "tools/list", &params)?;
            tools.extend(page["tools"].as_array().ok_or("the answer to tools/list has no tools")?.iter().cloned());
            match page["nextCursor"].as_str() {
                Some(cursor) => params = json!({ "cursor": cursor }),
                None => break,
            }
        }
        Ok(tools)
    }

    fn request(&mut self, id: u64, method: &str, params: &Value) -> Result<Value, String> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(LIMIT).map_err(|_| format!("no answer to {method}"))?;
            let mut message: Value =
                serde_json::from_str(&line).map_err(|_| format!("invalid message on standard output: {line}"))?;
            // Notifications may come in between.
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(format!("{method} failed: {error}")),
                    None => Ok(message["result"].take()),
                };
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<(), String> {
        let input = self.child.stdin.as_mut().ok_or("the server's standard input is closed")?;
        let sent = writeln!(input, "{message}").and_then(|()| input.flush());
        sent.map_err(|error| format!("could not write to the server: {error}"))
    }

    /// Ends the server, as a client does by closing its input; returns what it wrote to standard error.
    fn end(mut self) -> String {
        drop(self.child.stdin.take());
        let _ = wait(&mut self.child, Duration::from_secs(10));
        let errors = self.errors.recv_timeout(Duration::from_secs(5)).unwrap_or_default();
        let errors = String::from_utf8_lossy(&errors);
        if errors.trim().is_empty() { String::new() } else { format!(" ({})", errors.trim()) }
    }
}
