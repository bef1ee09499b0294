//! `jig ask`: gives a task to an agent and shows its progress.

mod patience;
mod tree;

use std::pin::Pin;

use clap::{Arg, ArgAction, ArgMatches, Command};
use jig_contract::ops::{PermissionQuestion, ReviewGetChangeSetOutput, SessionInfo, SessionListOutput, SessionOutput};
use jig_contract::{Code, OpError};
use jig_workbench::Workbench;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::broadcast::error::RecvError;

use crate::app::{App, person};
use crate::stop::Stop;
use crate::terminal::{STRONG, plain};
use crate::{consent, operation, show};
use patience::Patience;
use tree::Tree;

/// The pending call that cancels the run.
type Stopping<'a> = Pin<Box<dyn Future<Output = Result<Value, OpError>> + 'a>>;

pub(crate) fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    let number = |name: &'static str, value: &'static str, help: &'static str| {
        text(name, value, help).value_parser(clap::value_parser!(u64))
    };
    let switch =
        |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("ask")
        .about("Give an agent a task, watch it work, and see what it changed")
        .after_help(
            "The agent explores the files, makes a plan and executes it. It writes to the Draft, never to your published \
             files. Ctrl-C cancels the run; the Draft keeps the completed changes. Later tasks of a session build on \
             earlier ones. See docs/guide/workshop.md.",
        )
        .arg(
            Arg::new("message")
                .value_name("TASK")
                .required_unless_present("resume")
                .conflicts_with("resume")
                .help("The task or question; - reads it from standard input"),
        )
        .arg(
            Arg::new("workbench_id")
                .short('w')
                .long("workbench")
                .value_name("ID")
                .help("The workbench [default: the current one]"),
        )
        .arg(
            text("mode", "MODE", "ask: answer only; auto: research, plan, implement, summarise; direct: one loop")
                .value_parser(["ask", "auto", "direct"]),
        )
        .arg(text("model", "PROVIDER:MODEL", "The model [default: the workbench's]"))
        .arg(text("pack", "PACK", "The prompt pack [default: the session's]"))
        .arg(text("catalog", "CATALOG", "The tool catalog [default: the session's]"))
        .arg(number("max-tokens", "NUMBER", "Pause after this many tokens"))
        .arg(text("max-cost", "DOLLARS", "Pause at this cost").value_parser(dollars))
        .arg(number("max-seconds", "NUMBER", "Pause after this many seconds of working time"))
        .arg(text("session", "ID", "The session [default: the newest of the workbench]"))
        .arg(switch("new", "Start a new session, without knowledge of earlier tasks").conflicts_with("session"))
        .arg(switch("resume", "Resume a paused or interrupted task").conflicts_with("new"))
}

/// Parses dollars into millionths of a dollar.
fn dollars(text: &str) -> Result<u64, String> {
    let amount: f64 = text.parse().map_err(|_| "expected an amount in dollars, such as 0.50".to_owned())?;
    if !amount.is_finite() || !(0.0..=1_000_000.0).contains(&amount) {
        return Err("the amount must be between 0 and 1000000 dollars".to_owned());
    }
    Ok((amount * 1_000_000.0).round() as u64)
}

pub(crate) async fn run(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let message = match matches.get_one::<String>("message").map(String::as_str) {
        Some("-") => operation::file_or_input(app, "-")?,
        message => message.unwrap_or_default().to_owned(),
    };
    if message.trim().is_empty() && !matches.get_flag("resume") {
        return Err(nothing_asked().into());
    }
    let id = match matches.get_one::<String>("workbench_id") {
        Some(id) => id.clone(),
        None => app.workbench()?.to_owned(),
    };
    let context = AskContext { app, workbench: app.open().await?, id };
    let given = matches.get_one::<String>("session").map(String::as_str);
    if matches.get_flag("resume") {
        let session = context.session(given).await?.ok_or_else(nothing_to_resume)?;
        return context.resume(session.id.as_str(), budget(matches)).await;
    }
    let found = if matches.get_flag("new") { None } else { context.session(given).await? };
    let mut options = budget(matches);
    for name in ["mode", "model", "pack", "catalog"] {
        if let Some(value) = matches.get_one::<String>(name) {
            options[name] = value.as_str().into();
        }
    }
    // A new session is created together with its first task, so a refused task leaves no empty session behind.
    let (session, operation) = match found {
        Some(session) => (session.id.to_string(), "WorkshopSend"),
        None => (app.env.fresh_id().to_string(), "WorkshopBegin"),
    };
    let params = context.of(&session, json!({ "message": message, "options": options }));
    context.work(&session, operation, params).await
}

fn nothing_asked() -> OpError {
    OpError::new(Code::ValidationFailed, "the task is empty")
        .hint("describe the task: `jig ask \"Add up bank.csv by category\"`")
        .hint("`jig ask --resume` resumes a paused task")
}

fn budget(matches: &ArgMatches) -> Value {
    let mut caps = json!({});
    for (flag, name) in [("max-tokens", "max_tokens"), ("max-cost", "max_cost_micros"), ("max-seconds", "max_seconds")]
    {
        if let Some(value) = matches.get_one::<u64>(flag) {
            caps[name] = (*value).into();
        }
    }
    caps
}

fn nothing_to_resume() -> OpError {
    OpError::new(Code::ValidationFailed, "no paused task to resume").hint("`jig ask \"…\"` starts one")
}

struct AskContext<'a> {
    app: &'a App,
    workbench: Workbench,
    id: String,
}

impl AskContext<'_> {
    fn of(&self, session: &str, mut params: Value) -> Value {
        params["workbench_id"] = self.id.as_str().into();
        params["session_id"] = session.into();
        params
    }

    async fn call<T: DeserializeOwned>(&self, operation: &str, params: Value) -> Result<T, OpError> {
        shaped(self.workbench.call(operation, person(), params).await?)
    }

    /// The named session, or the newest.
    async fn session(&self, named: Option<&str>) -> Result<Option<SessionInfo>, OpError> {
        if let Some(named) = named {
            let params = json!({ "workbench_id": self.id, "session_id": named });
            return Ok(Some(self.call::<SessionOutput>("SessionGet", params).await?.session));
        }
        let params = json!({ "workbench_id": self.id, "limit": 1 });
        Ok(self.call::<SessionListOutput>("SessionList", params).await?.sessions.into_iter().next())
    }

    async fn resume(&self, session: &str, caps: Value) -> Result<(), Stop> {
        let stands: SessionOutput = self.call("SessionGet", self.of(session, json!({}))).await?;
        let run = stands.run.as_ref().ok_or_else(nothing_to_resume)?;
        let mut place = run.phase.clone().unwrap_or_else(|| "the start".to_owned());
        if let Some((item, items)) = run.item.zip(run.items) {
            place.push_str(&format!(", item {item} of {items}"));
        }
        self.app.terminal.note(&format!("resuming run {} at {place}", run.run));
        if let Some(question) = stands.questions.first() {
            let params = self.answered(session, question).await?;
            return self.work(session, "SessionPermit", params).await;
        }
        self.work(session, "WorkshopResume", self.of(session, caps)).await
    }

    /// Lets the agent run until it is done or paused. Permission questions are asked along the way.
    async fn work(&self, session: &str, operation: &str, params: Value) -> Result<(), Stop> {
        let mut tree = Tree::new(self.app, session);
        let (mut operation, mut params) = (operation, params);
        let mut patience = Patience::default();
        let output = loop {
            match self.watched(&mut tree, session, operation, params.clone()).await {
                Ok(output) => {
                    if let Some(question) = output.questions.first() {
                        tree.rest();
                        (operation, params) = ("SessionPermit", self.answered(session, question).await?);
                    } else if tree.needs_consent() && self.app.terminal.can_ask() {
                        (operation, params) = ("WorkshopResume", self.of(session, json!({})));
                    } else {
                        break output;
                    }
                }
                Err(error) if error.code() == Code::EgressConsentRequired && self.app.terminal.can_ask() => {
                    tree.rest();
                    consent::ask_for_task(self.app, &self.workbench, &params, error).await?;
                }
                // After a crash, the lease of the dead process must expire first. The log has the task by then, so the
                // run is resumed instead of started again.
                Err(error) if patience.may_end(&error) => {
                    tree.rest();
                    patience.wait(self.app.terminal).await;
                    if operation != "WorkshopResume" {
                        (operation, params) = ("WorkshopResume", self.of(session, json!({})));
                    }
                }
                Err(error) => {
                    tree.rest();
                    return Err(self.explained(session, error).into());
                }
            }
        };
        tree.rest();
        self.finish(session, &tree, &output).await
    }

    fn explained(&self, session: &str, error: OpError) -> OpError {
        if error.code() != Code::RunActive {
            return error;
        }
        error
            .hint("`jig ask --resume` resumes the paused task")
            .hint(format!("`jig workshop cancel {session}` cancels it; the Draft keeps the completed changes"))
    }

    /// Runs an operation and shows its events. Ctrl-C cancels the run; a second Ctrl-C exits without waiting.
    async fn watched(
        &self,
        tree: &mut Tree,
        session: &str,
        operation: &str,
        params: Value,
    ) -> Result<SessionOutput, OpError> {
        let mut events = self.workbench.events();
        let mut work = std::pin::pin!(self.workbench.call(operation, person(), params));
        // Polled in the loop below instead of awaited: cancelling only completes while the run itself is polled.
        let mut stopping: Option<Stopping<'_>> = None;
        loop {
            let stopped = async {
                match &mut stopping {
                    Some(stopping) => drop(stopping.await),
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                biased;
                event = events.recv() => match event {
                    Ok(record) => tree.take(&record),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return shaped(work.await?),
                },
                done = &mut work => {
                    while let Ok(record) = events.try_recv() {
                        tree.take(&record);
                    }
                    return shaped(done?);
                }
                () = stopped => stopping = None,
                pressed = tokio::signal::ctrl_c() => {
                    pressed.map_err(|e| OpError::new(Code::Internal, "cannot listen for Ctrl-C").because(e))?;
                    if tree.is_stopping() {
                        return Err(OpError::new(Code::UserCanceled, "exited before the run was cancelled")
                            .hint("`jig ask --resume` resumes it"));
                    }
                    tree.stopping();
                    let cancel = self.of(session, json!({}));
                    stopping = Some(Box::pin(self.workbench.call("WorkshopCancel", person(), cancel)));
                }
            }
        }
    }
}

impl AskContext<'_> {
    /// Asks a person to permit a tool call. Returns the parameters of their answer.
    async fn answered(&self, session: &str, question: &PermissionQuestion) -> Result<Value, OpError> {
        let PermissionQuestion { question: number, tool, capability, input } = question;
        if !self.app.terminal.can_ask() {
            let words = format!("the agent asks for permission to call `{tool}`, which needs {capability}");
            return Err(OpError::new(Code::ToolNotPermitted, words)
                .hint(format!("`jig session permit {session} {number} allow` or `deny` answers"))
                .hint("`jig ask --resume` in a terminal asks you"));
        }
        let shown = plain(&format!("{input:#}"));
        self.app.terminal.say(&format!("{STRONG}{}{STRONG:#} needs {capability}\n{shown}", plain(tool)));
        let terminal = self.app.terminal;
        let asked = move || terminal.choose("Allow? [y]es, [a]lways in this task, [s]ession, [N]o ");
        let letter = consent::interruptible(asked).await.map_err(|e| {
            OpError::new(Code::UserCanceled, "the question is not answered")
                .hint("`jig ask --resume` asks again")
                .because(e)
        })?;
        let (answer, reach) = match letter {
            'y' => ("allow", "once"),
            'a' => ("allow", "run"),
            's' => ("allow", "session"),
            _ => ("deny", "once"),
        };
        Ok(self.of(session, json!({ "question": number, "answer": answer, "reach": reach })))
    }

    /// Prints the answer, the changes and the next steps.
    async fn finish(&self, session: &str, tree: &Tree, output: &SessionOutput) -> Result<(), Stop> {
        let terminal = self.app.terminal;
        let params = json!({ "workbench_id": self.id });
        let set = match self.call::<ReviewGetChangeSetOutput>("ReviewGetChangeSet", params).await {
            // The summary equals the answer, which is already printed.
            Ok(set) => Some(ReviewGetChangeSetOutput { summary: None, ..set }),
            Err(error) if error.code() == Code::DraftNotFound => None,
            Err(error) => return Err(error.into()),
        };
        let changed = set.as_ref().filter(|set| !set.changes.is_empty());
        if terminal.json {
            // Always on one line: it ends a stream of JSON lines.
            let result = json!({ "type": "result", "session": output, "changes": changed.map(|set| &set.changes) });
            terminal.print(&result.to_string())?;
        } else {
            let reply = output.messages.last().filter(|message| message.role == "agent" && tree.has_ended());
            if let Some(reply) = reply {
                terminal.print(&plain(&reply.text))?;
            }
            if let Some(set) = changed {
                terminal.print(&format!("\n{}", show::change_set(set)))?;
                terminal
                    .note("`jig review` shows the changes, `jig publish` publishes them, `jig discard` discards them");
            }
            terminal.note(&tree.total());
        }
        match tree.failure() {
            None => Ok(()),
            Some(error) if output.run.is_some() => {
                let resume = match error.code() {
                    Code::BudgetCapReached => "`jig ask --resume` resumes it with a higher limit",
                    Code::SecretDetected => "remove the key, or let `jig ask --resume` show how to allow it",
                    _ => "`jig ask --resume` resumes it",
                };
                Err(OpError::new(error.code(), format!("the task is paused: {error}"))
                    .hint(resume)
                    .hint(format!("`jig workshop cancel {session}` cancels it; the Draft keeps the completed changes"))
                    .into())
            }
            Some(error) => {
                let go_on = "`jig ask \"continue\"` continues it; the conversation is kept";
                Err(error.hint(go_on).into())
            }
        }
    }
}

fn shaped<T: DeserializeOwned>(value: Value) -> Result<T, OpError> {
    serde_json::from_value(value).map_err(|e| OpError::new(Code::Internal, "unexpected response format").because(e))
}
