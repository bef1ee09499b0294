//! The command line: a command for each operation, as `jig NOUN VERB`, and short verbs for everyday use.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command, ValueHint};
use jig_contract::{Kind, OPERATIONS, OpSpec, find};

/// A short verb that is an alias of an operation.
pub(crate) struct Verb {
    pub(crate) name: &'static str,
    pub(crate) operation: &'static str,
}

/// The short verbs, in the order of the help.
pub(crate) static VERBS: &[Verb] = &[
    Verb { name: "new", operation: "WorkbenchCreate" },
    Verb { name: "add", operation: "FileAdd" },
    Verb { name: "files", operation: "FileList" },
    Verb { name: "map", operation: "FileGetMap" },
    Verb { name: "read", operation: "FileRead" },
    Verb { name: "search", operation: "FileSearch" },
    Verb { name: "query", operation: "TabularQuery" },
    Verb { name: "write", operation: "DraftWriteText" },
    Verb { name: "rm", operation: "FileRemove" },
    Verb { name: "extract", operation: "FileExtract" },
    Verb { name: "reject", operation: "ReviewReject" },
    Verb { name: "accept", operation: "ReviewAccept" },
    Verb { name: "publish", operation: "DraftPublish" },
    Verb { name: "discard", operation: "DraftDiscard" },
    Verb { name: "log", operation: "JournalList" },
    Verb { name: "undo", operation: "JournalUndo" },
    Verb { name: "redo", operation: "JournalRedo" },
    Verb { name: "restore", operation: "CheckpointRestore" },
    Verb { name: "clone", operation: "WorkbenchClone" },
    Verb { name: "export", operation: "WorkbenchExport" },
    Verb { name: "import", operation: "WorkbenchImport" },
    Verb { name: "events", operation: "EventList" },
    Verb { name: "jobs", operation: "JobList" },
    Verb { name: "doctor", operation: "StoreDoctor" },
    Verb { name: "gc", operation: "StoreCollect" },
];

const LONG_ABOUT: &str = "Jig manages files that AI agents work on. An agent writes to a Draft; you review and \
publish it. Every change is recorded and can be undone.\n\nStart with `jig demo`, or `jig new NAME` and `jig add FILE`.";

/// Builds only the part of the command line that these arguments need. Building all of it takes longer than most
/// commands.
pub(crate) fn command_for(arguments: &[OsString], workbench: Option<&str>) -> Command {
    let Some(name) = first_name(arguments) else { return command(workbench) };
    let verb = VERBS.iter().find(|verb| verb.name == name).and_then(|verb| find(verb.operation));
    let own = || own_commands().into_iter().find(|command| command.get_name() == name);
    match verb.map(|op| short_verb(name, op, workbench)).or_else(own) {
        Some(only) => root().subcommand(only),
        None => command(workbench),
    }
}

/// The first argument that is neither an option nor an option's value.
fn first_name(arguments: &[OsString]) -> Option<&str> {
    const WITH_VALUE: [&str; 3] = ["--home", "--config", "--color"];
    let mut rest = arguments.iter().skip(1).map(|argument| argument.to_str());
    loop {
        match rest.next()?? {
            option if WITH_VALUE.contains(&option) => drop(rest.next()),
            option if option.starts_with('-') => {}
            name => return Some(name),
        }
    }
}

/// The complete command line. `workbench` becomes the default of every workbench argument.
pub(crate) fn command(workbench: Option<&str>) -> Command {
    let mut root = root();
    for verb in VERBS {
        if let Some(op) = find(verb.operation) {
            root = root.subcommand(in_order(short_verb(verb.name, op, workbench)));
        }
    }
    root = root.subcommands(own_commands().into_iter().map(in_order));
    for op in OPERATIONS.iter().filter(|op| op.surfaces.cli) {
        let (noun, verb) = op.noun_and_verb();
        if root.find_subcommand(&noun).is_none() {
            root = root.subcommand(in_order(noun_command(&noun, workbench)));
        }
        let leaf = leaf(op, operation_command(op, &verb, &format!("{noun} {verb}"), workbench));
        root = root.mut_subcommand(&noun, |command| command.subcommand(leaf));
    }
    root
}

fn root() -> Command {
    Command::new("jig")
        .version(env!("CARGO_PKG_VERSION"))
        .about("The context workbench for AI agents")
        .long_about(LONG_ABOUT)
        .after_help("`jig COMMAND --help` explains a command; `jig help exit-codes` lists the exit codes.")
        .args(global_args())
        .infer_long_args(false)
        .max_term_width(100)
}

/// Orders a command for the help: everyday verbs first, nouns with all their operations last.
fn in_order(command: Command) -> Command {
    const ORDER: &[&str] = &[
        "new",
        "use",
        "add",
        "files",
        "map",
        "read",
        "search",
        "query",
        "preview",
        "apply",
        "write",
        "rm",
        "extract",
        "ask",
        "review",
        "reject",
        "accept",
        "publish",
        "discard",
        "context",
        "kind",
        "entry",
        "asset",
        "project",
        "stage",
        "artifact",
        "suggestion",
        "conversation",
        "target",
        "agent",
        "recipe",
        "output",
        "agent",
        "session",
        "workshop",
        "jobs",
        "prompt",
        "clutter",
        "model",
        "consent",
        "egress",
        "stats",
        "log",
        "undo",
        "redo",
        "checkpoint",
        "restore",
        "clone",
        "export",
        "import",
        "events",
        "doctor",
        "gc",
        "demo",
        "serve",
        "token",
        "mcp",
        "rpc",
        "worker",
        "settings",
        "completions",
    ];
    let place = ORDER.iter().position(|name| *name == command.get_name()).unwrap_or(ORDER.len());
    command.display_order(place)
}

fn global_args() -> [Arg; 5] {
    let global =
        |name: &'static str| Arg::new(name).long(name).global(true).help_heading("Global options").display_order(900);
    [
        global("home").value_name("FOLDER").value_hint(ValueHint::DirPath).help("The folder for all data"),
        global("config").value_name("FILE").value_hint(ValueHint::FilePath).help("Read settings from this file only"),
        global("color").value_name("WHEN").value_parser(["auto", "always", "never"]).help("When to use colours"),
        global("json").action(ArgAction::SetTrue).help("Print the result, or the error, as JSON"),
        global("quiet").short('q').action(ArgAction::SetTrue).help("Print only the result"),
    ]
}

/// The command of an operation. It accepts the operation's own arguments, or all of them as JSON.
fn operation_command(op: &OpSpec, name: &str, path: &str, workbench: Option<&str>) -> Command {
    // The derived arguments would otherwise set their own doc comment as the help of the command.
    let command = (op.cli_args)(Command::new(name.to_owned()));
    let usage = usage(&command, path);
    let command = command.mut_args(|arg| {
        if arg.get_id() == "workbench_id" && arg.is_required_set() {
            let arg = arg.required(false).help("The workbench [default: the current one]");
            return match workbench {
                Some(id) => arg.default_value(id.to_owned()).hide_default_value(true),
                None => arg,
            };
        }
        let arg = arg.conflicts_with("params");
        if arg.is_required_set() { arg.required(false).required_unless_present("params") } else { arg }
    });
    let command = if op.name == "DraftPublish" { command.arg(yes_to_publish()) } else { command };
    command.override_usage(usage).arg(
        Arg::new("params")
            .long("params")
            .value_name("JSON")
            .help("All parameters as JSON: the text itself, @FILE, or - for standard input")
            .display_order(800),
    )
}

fn yes_to_publish() -> Arg {
    Arg::new("yes")
        .long("yes")
        .short('y')
        .action(ArgAction::SetTrue)
        .help("Confirm without a prompt; required without a terminal. Confirm deletions by name")
}

/// The usage line with the operation's own arguments, which `--params` would otherwise make look optional.
fn usage(command: &Command, path: &str) -> String {
    let mut usage = format!("jig {path} [OPTIONS]");
    let needed = |arg: &&Arg| arg.is_positional() || (arg.is_required_set() && arg.get_id() != "workbench_id");
    for arg in command.get_arguments().filter(needed) {
        let name = arg
            .get_value_names()
            .and_then(|names| names.first())
            .map_or_else(|| arg.get_id().to_string().to_uppercase(), ToString::to_string);
        let more = if matches!(arg.get_action(), ArgAction::Append) { "..." } else { "" };
        let shown = match (arg.get_long(), arg.is_required_set()) {
            // `jig write` may also read the text from standard input.
            (Some("text"), _) if path == "write" => continue,
            (Some(long), _) => format!("--{long} <{name}>"),
            (None, true) => format!("<{name}>{more}"),
            (None, false) => format!("[{name}]{more}"),
        };
        usage.push_str(&format!(" {shown}"));
    }
    usage
}

/// Adds the arguments that a command has beyond those of its operation.
fn leaf(op: &OpSpec, command: Command) -> Command {
    match op.name {
        "RecipeAssemble" => command
            .arg(Arg::new("text").long("text").action(ArgAction::SetTrue).help("Print only the prompt for the model")),
        "KindPut" | "RecipePut" | "StagePut" => command.mut_arg("definition", |arg| {
            arg.value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("A file with the definition, or the YAML or JSON text")
        }),
        "ArtifactExport" => command.arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Write it to this file"),
        ),
        "ArtifactCreate" => command.arg(
            Arg::new("from")
                .long("from")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .conflicts_with_all(["content", "params"])
                .help("Read the Markdown from this file; - for standard input"),
        ),
        "AssetGet" => command.arg(
            Arg::new("out")
                .long("out")
                .value_name("FILE")
                .value_hint(ValueHint::FilePath)
                .help("Write its bytes to this file"),
        ),
        _ => command,
    }
}

fn short_verb(name: &str, op: &OpSpec, workbench: Option<&str>) -> Command {
    let command = operation_command(op, name, name, workbench);
    match name {
        "query" => crate::query::arguments(command),
        "events" => command.arg(
            Arg::new("follow")
                .long("follow")
                .short('f')
                .action(ArgAction::SetTrue)
                .help("Keep running and print new events"),
        ),
        "write" => command
            .mut_arg("text", |_| {
                // Replaced, because this argument is required by the operation and optional here.
                Arg::new("text")
                    .long("text")
                    .value_name("TEXT")
                    .display_order(0)
                    .conflicts_with("params")
                    .help("The complete text [default: standard input]")
            })
            .arg(
                Arg::new("from")
                    .long("from")
                    .value_name("FILE")
                    .value_hint(ValueHint::FilePath)
                    .conflicts_with_all(["text", "params"])
                    .help("Read the text from this file"),
            ),
        _ => command,
    }
}

fn noun_command(noun: &str, workbench: Option<&str>) -> Command {
    let command = Command::new(noun.to_owned());
    let workbench_arg = || {
        let arg = Arg::new("workbench_id").short('w').long("workbench").value_name("ID");
        let arg = arg.help("The workbench [default: the current one]");
        match workbench {
            Some(id) => arg.default_value(id.to_owned()).hide_default_value(true),
            None => arg,
        }
    };
    let model_arg = || {
        let arg = Arg::new("model").long("model").value_name("PROVIDER:MODEL");
        arg.help("The model [default: the workbench's]")
    };
    match noun {
        "review" => command
            .about("Show what the Draft changes, as a coloured diff")
            .args_conflicts_with_subcommands(true)
            .arg(Arg::new("path").value_name("PATH").help("Only this file"))
            .arg(
                Arg::new("page")
                    .long("page")
                    .value_name("NUMBER")
                    .value_parser(clap::value_parser!(u32))
                    .requires("path")
                    .help("The page of a long diff, from 1 [default: the first pages]"),
            )
            .arg(workbench_arg()),
        "checkpoint" => command
            .about("Create a named checkpoint of the current state")
            .args_conflicts_with_subcommands(true)
            .arg(Arg::new("name").value_name("NAME").help("The name [default: the current time]"))
            .arg(workbench_arg()),
        "prompt" => command
            .about("Show what a model would be sent, with its token breakdown")
            .args_conflicts_with_subcommands(true)
            .arg(Arg::new("message").value_name("MESSAGE").help("The user's message"))
            .arg(model_arg())
            .arg(Arg::new("text").long("text").action(ArgAction::SetTrue).help("Print the prompt itself"))
            .arg(workbench_arg()),
        "entry" => command
            .about(things(noun))
            .args_conflicts_with_subcommands(true)
            .arg(Arg::new("role").value_name("KIND").help("Only entries of this kind"))
            .arg(workbench_arg())
            .subcommand(crate::entries::command(workbench)),
        "artifact" => command
            .about(things(noun))
            .args_conflicts_with_subcommands(true)
            .arg(Arg::new("stage").value_name("STAGE").help("Only artifacts of this stage"))
            .arg(workbench_arg())
            .subcommands(crate::artifacts::commands(workbench)),
        "target" => command
            .about(things(noun))
            .args_conflicts_with_subcommands(true)
            .subcommand_negates_reqs(true)
            .arg(
                Arg::new("text")
                    .value_name("MESSAGE")
                    .required(true)
                    .help("The message: `@concept#what-is-it …`, `/research section …`, or plain language"),
            )
            .arg(
                Arg::new("current_artifact")
                    .long("artifact")
                    .value_name("ARTIFACT")
                    .help("The artifact that the person is viewing"),
            )
            .arg(workbench_arg()),
        "suggestion" => command
            .about(things(noun))
            .args_conflicts_with_subcommands(true)
            .arg(Arg::new("artifact_slug").value_name("ARTIFACT").help("Only those for this artifact"))
            .arg(workbench_arg()),
        "agent" => command
            .about(things(noun))
            .subcommand_required(true)
            .arg_required_else_help(true)
            .subcommands(crate::agents::commands()),
        "job" => command
            .about(things(noun))
            .args_conflicts_with_subcommands(true)
            .arg(workbench_arg())
            .subcommand(Command::new("run").about("Run the due jobs of all workbenches, then exit")),
        "token" => command.about(things(noun)).args_conflicts_with_subcommands(true),
        noun if default_operation(noun).is_some() => {
            let command = command.about(things(noun)).args_conflicts_with_subcommands(true).arg(workbench_arg());
            if noun == "clutter" { command.arg(model_arg()) } else { command }
        }
        _ => command
            .about(format!("All operations on {}", things(noun)))
            .subcommand_required(true)
            .arg_required_else_help(true),
    }
}

/// The operation that a noun runs without a verb, if there is one that needs no more than a workbench.
pub(crate) fn default_operation(noun: &str) -> Option<&'static OpSpec> {
    match noun {
        "context" => find("ContextList"),
        "consent" => find("ConsentList"),
        "egress" => find("EgressList"),
        "clutter" => find("ClutterGet"),
        "model" => find("ModelList"),
        "stats" => find("StatsGet"),
        "kind" => find("KindList"),
        "entry" => find("EntryList"),
        "asset" => find("AssetList"),
        "recipe" => find("RecipeList"),
        "output" => find("OutputList"),
        "job" => find("JobList"),
        "session" => find("SessionList"),
        "token" => find("TokenList"),
        "artifact" => find("ArtifactList"),
        "target" => find("TargetResolve"),
        "suggestion" => find("SuggestionList"),
        "stage" => find("StageList"),
        "project" => find("ProjectGet"),
        "conversation" => find("ConversationList"),
        _ => None,
    }
}

/// The help of a noun, including what it does without a verb.
fn things(noun: &str) -> &'static str {
    match noun {
        "workbench" => "workbenches",
        "agent" => "Manage agent workspaces: prompts, tools and context as versioned folders",
        "session" => "Inspect, configure and replay agent sessions",
        "workshop" => "agent runs in a session",
        "file" => "files",
        "draft" => "the Draft",
        "journal" => "the journal",
        "event" => "events",
        "store" => "the store",
        "xlsx" => "Excel workbooks",
        "docx" => "Word documents",
        "pptx" => "PowerPoint presentations",
        "odt" => "OpenDocument texts",
        "image" => "images",
        "text" => "text files",
        "pdf" => "PDF files",
        "context" => "Manage background for every prompt: company, department, situation, document style",
        "consent" => "Manage consents: what may be sent to which model",
        "egress" => "List what was sent to models",
        "clutter" => "Show how full the prompt is, and what fills it",
        "model" => "List the models, or choose one",
        "stats" => "Show local usage counts",
        "kind" => "Manage kinds of entries: the definitions of their fields",
        "entry" => "Manage entries: structured facts such as brand, customer and competitors",
        "asset" => "Manage assets: files that entries refer to",
        "recipe" => "Manage recipes: the context, prompt and output of repeated tasks",
        "output" => "Review the outputs of recipe runs",
        "job" => "Manage background jobs",
        "token" => "Manage access tokens for the HTTP server",
        "target" => "Find which artifact, section, entry or item a message refers to",
        "artifact" => "Manage artifacts: planning documents in Markdown, by stage and section",
        "suggestion" => "Review agents' suggestions for sections",
        "stage" => "Manage the stages of the work and their templates",
        "project" => "Show the current stage and the progress",
        "conversation" => "Show the conversation, or add a message",
        "tabular" => "tables: csv and tsv files, and sheets of workbooks",
        _ => "this",
    }
}

fn demo_command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("demo")
        .about("Create a demo workbench, show it, and serve the web app")
        .arg(flag("serve", "Serve the web app even if the output is not a terminal"))
        .arg(flag("no-serve", "Exit after showing the demo").conflicts_with("serve"))
}

fn own_commands() -> Vec<Command> {
    let shells = clap::value_parser!(clap_complete::Shell);
    vec![
        Command::new("use")
            .about("Switch to a workbench")
            .arg(Arg::new("id").value_name("ID").required(true).help("The workbench's id")),
        demo_command(),
        Command::new("rpc").about("Serve JSON-RPC on standard input and output"),
        serve_command(),
        mcp_command(),
        worker_command(),
        apply_command(),
        crate::preview::command(),
        crate::ask::command(),
        Command::new("settings").about("Show each setting and its source"),
        Command::new("completions")
            .about("Print shell completions")
            .arg(Arg::new("shell").value_name("SHELL").required(true).value_parser(shells)),
        Command::new("docs").about("Print a generated reference").hide(true).arg(
            Arg::new("which").required(true).value_parser(["cli", "operations", "error-codes", "settings", "openapi"]),
        ),
        Command::new("man-pages").about("Write the manual pages into a folder").hide(true).arg(
            Arg::new("folder").value_name("FOLDER").required(true).value_hint(ValueHint::DirPath).help("The folder"),
        ),
        Command::new("exit-codes").about("The exit codes").long_about(exit_codes()).hide(true),
    ]
}

fn serve_command() -> Command {
    let address = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("serve")
        .about("Serve every operation over HTTP")
        .after_help(
            "Open the printed address to sign in on this machine. To allow other machines, create a token first:\n  \
             jig token create Ada --role owner\n  \
             jig serve --bind 0.0.0.0:7357\n\
             See docs/guide/http.md for the routes and docs/guide/team.md for a team server.",
        )
        .arg(address("bind", "ADDRESS", "Where to listen; port 0 picks a free port [default: 127.0.0.1:7357]"))
        .arg(address("database", "URL", "A PostgreSQL database, such as postgres://user:password@host/name"))
        .arg(address("blobs", "URL", "A bucket for the blobs, such as s3://bucket/prefix"))
        .arg(conformance_fixtures())
}

fn mcp_command() -> Command {
    Command::new("mcp")
        .about("Serve an agent over MCP, on standard input and output")
        .arg(
            Arg::new("workbench_id")
                .short('w')
                .long("workbench")
                .value_name("ID")
                .help("Serve only this workbench [default: all; calls that name none use the current one]"),
        )
        .arg(
            Arg::new("allow-publish")
                .long("allow-publish")
                .action(ArgAction::SetTrue)
                .help("Let the agent ask you to publish, through its client (`mcp.publish = \"ask\"`)"),
        )
        .arg(
            Arg::new("tools")
                .long("tools")
                .value_name("SETS")
                .value_delimiter(',')
                .value_parser(|name: &str| name.parse::<jig_surfaces::mcp::ToolSet>())
                .help("Offer these sets of tools: files, review, tables, plans, targeting, office-full [default: the first four]"),
        )
        .arg(
            Arg::new("install")
                .long("install")
                .value_name("CLIENT")
                .value_parser(crate::install::CLIENTS)
                .help("Show the change to a client's configuration; --yes writes it"),
        )
        .arg(Arg::new("yes").long("yes").short('y').action(ArgAction::SetTrue).requires("install").help("Write it"))
        .arg(
            Arg::new("print")
                .long("print")
                .action(ArgAction::SetTrue)
                .requires("install")
                .conflicts_with("yes")
                .help("Only show it, as without --yes"),
        )
        .arg(conformance_fixtures())
}

/// Adds the names that the MCP conformance tests call. Hidden; only for those tests.
fn conformance_fixtures() -> Arg {
    Arg::new("conformance-fixtures").long("conformance-fixtures").action(ArgAction::SetTrue).hide(true)
}

fn apply_command() -> Command {
    let flag = |name: &'static str, help: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).help(help);
    Command::new("apply")
        .about("Apply a list of ops to a Word, Excel, PowerPoint or text file in the Draft")
        .after_help(
            "The ops are a JSON list, for example:\n  \
             [{\"op\": \"set_cells\", \"sheet\": \"Budget\", \"cells\": [{\"cell\": \"B2\", \"value\": 1200}]}]\n\
             docs/guide/files.md lists all ops.",
        )
        .arg(Arg::new("path").value_name("PATH").required(true).help("The file"))
        .arg(
            Arg::new("ops")
                .value_name("OPS")
                .required(true)
                .value_hint(ValueHint::FilePath)
                .help("A file with the ops, or - for standard input"),
        )
        .arg(flag("create-new", "Start with a new, empty file"))
        .arg(flag("must-exist", "Fail if the file or a sheet does not exist, instead of creating it"))
        .arg(Arg::new("copy-from").long("copy-from").value_name("PATH").help("Start with a copy of this file"))
        .arg(
            Arg::new("base-hash")
                .long("base-hash")
                .value_name("HASH")
                .help("Edit only if the file still has this hash"),
        )
        .arg(flag("dry-run", "Show what would change without writing"))
        .arg(
            Arg::new("workbench_id")
                .short('w')
                .long("workbench")
                .value_name("ID")
                .help("The workbench [default: the current one]"),
        )
}

fn worker_command() -> Command {
    let number = || clap::value_parser!(u64);
    Command::new("worker")
        .about("Serve the tool worker's protocol on standard input and output, to edit files for another program")
        .after_help(
            "Files are below the folder in JIG_WORKBENCHES_DIR (or KEENBENCH_WORKBENCHES_DIR), as\n\
             <workbench_id>/<root>/<path>. Edits are written only to the root `draft`.",
        )
        .arg(
            Arg::new("scratch")
                .long("scratch")
                .value_name("FOLDER")
                .hide(true)
                .help("The folder of a worker started by Jig itself"),
        )
        .arg(
            Arg::new("sql-relay")
                .long("sql-relay")
                .hide(true)
                .action(ArgAction::SetTrue)
                .help("Pass calls on tables to the SQL engine, for a worker that has confined itself"),
        )
        .arg(Arg::new("memory").long("memory").value_name("BYTES").value_parser(number()).help("The memory limit"))
        .arg(
            Arg::new("cpu-seconds")
                .long("cpu-seconds")
                .value_name("SECONDS")
                .value_parser(number())
                .help("The processor time limit of one call"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("SECONDS")
                .value_parser(number())
                .help("The time limit of one call; after it the call fails and the worker exits [default: 300]"),
        )
        .arg(table_number("table-timeout-ms", "The time limit of a query on tables [default: 5000]"))
        .arg(table_number("table-memory-mb", "The memory limit of a query on tables [default: 512]"))
        .arg(table_number("table-threads", "The threads of a query on tables [default: 2]"))
        .arg(
            Arg::new("compat")
                .long("compat")
                .action(ArgAction::SetTrue)
                .help("Accept every call that the original client's worker accepts: unknown fields become warnings"),
        )
        .arg(
            Arg::new("allow-outside-formulas")
                .long("allow-outside-formulas")
                .action(ArgAction::SetTrue)
                .help("Allow new formulas to access data outside their workbook"),
        )
}

fn table_number(name: &'static str, help: &'static str) -> Arg {
    Arg::new(name).long(name).value_name("NUMBER").value_parser(clap::value_parser!(u64)).help(help)
}

/// The exit codes as text.
pub(crate) fn exit_codes() -> String {
    let row = |kind: Kind, words: &str| format!("{:>3}  {words}\n", kind.exit());
    [
        "  0  success\n".to_owned(),
        row(Kind::Invalid, "invalid arguments, values or settings"),
        row(Kind::NotFound, "something that the command names does not exist"),
        row(Kind::Conflict, "the command conflicts with the current state"),
        row(Kind::Denied, "permission denied"),
        row(Kind::Upstream, "a dependency failed: a disk, the database, the network, a model"),
        row(Kind::Internal, "an internal error or damaged data, including damage found by `jig doctor`"),
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(line: &str) -> Vec<OsString> {
        line.split(' ').map(OsString::from).collect()
    }

    #[test]
    fn the_first_name_is_found_behind_options() {
        let name = |line: &str| first_name(&arguments(line)).map(str::to_owned);
        assert_eq!(name("jig files --limit 3").as_deref(), Some("files"));
        assert_eq!(name("jig --home add -q --color=never files").as_deref(), Some("files"));
        assert_eq!((name("jig"), name("jig --json"), name("jig --home x")), (None, None, None));
    }

    #[test]
    fn a_part_of_the_command_line_reads_like_the_whole() {
        let help = |mut root: Command, name: &str| {
            root.build();
            root.find_subcommand_mut(name).map(|command| command.render_long_help().to_string())
        };
        for name in VERBS.iter().map(|verb| verb.name).chain(["worker", "apply", "use", "mcp", "serve", "settings"]) {
            let part = command_for(&arguments(&format!("jig {name}")), Some("deck"));
            assert_eq!(part.get_subcommands().count(), 1, "{name}");
            assert_eq!(help(part, name), help(command(Some("deck")), name));
        }
        for whole in ["jig help files", "jig --help", "jig nonsense", "jig review x.txt"] {
            let count = command(None).get_subcommands().count();
            assert_eq!(command_for(&arguments(whole), None).get_subcommands().count(), count, "{whole}");
        }
    }
}
