//! References generated from the code: commands, settings, completions.

use std::fmt::Write;

use clap::{Arg, ArgMatches, Command};
use jig_surfaces::reference;

use crate::app::App;
use crate::cli;
use crate::settings::{KEYS, Key};
use crate::stop::Stop;

const GENERATED: &str = "<!-- Generated from the code by `cargo xtask docs`; a test compares them. -->";

/// `jig docs WHICH`.
pub(crate) fn print(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let text = match matches.get_one::<String>("which").map(String::as_str) {
        Some("operations") => reference::operations_markdown(),
        Some("error-codes") => reference::error_codes_markdown(),
        Some("settings") => settings_markdown(),
        Some("openapi") => format!("{:#}\n", jig_surfaces::http::openapi_document()),
        _ => commands_markdown(),
    };
    Ok(app.terminal.print(&text)?)
}

/// `jig completions SHELL`.
pub(crate) fn completions(app: &App, matches: &ArgMatches) -> Result<(), Stop> {
    let Some(shell) = matches.get_one::<clap_complete::Shell>("shell") else { return Ok(()) };
    let mut script = Vec::new();
    clap_complete::generate(*shell, &mut cli::command(None), "jig", &mut script);
    Ok(app.terminal.print(&String::from_utf8_lossy(&script))?)
}

fn commands_markdown() -> String {
    let mut root = cli::command(None).term_width(100);
    root.build();
    let mut text = format!("{GENERATED}\n# Commands\n");
    section(&mut text, &root, "jig");
    add(&mut text, format_args!("\n## Exit codes\n\n```text\n{}```\n", cli::exit_codes()));
    text
}

fn section(text: &mut String, command: &Command, name: &str) {
    add(text, format_args!("\n## {name}\n\n"));
    if let Some(about) = command.get_long_about().or_else(|| command.get_about()) {
        add(text, format_args!("{}\n\n", about.to_string().trim_end_matches('.').to_owned() + "."));
    }
    let usage = command.clone().render_usage().to_string();
    add(text, format_args!("```text\n{}\n```\n", usage.trim_start_matches("Usage: ")));
    // Global options are documented once, at the top.
    let own: Vec<&Arg> =
        command.get_arguments().filter(|arg| (name == "jig" || !arg.is_global_set()) && !arg.is_hide_set()).collect();
    if own.iter().any(|arg| arg.get_id() != "help") {
        text.push_str("\n| argument | |\n| --- | --- |\n");
        own.iter().filter(|arg| arg.get_id() != "help").for_each(|arg| argument(text, arg));
    }
    for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help" && !inner.is_hide_set()) {
        section(text, inner, &format!("{name} {}", inner.get_name()));
    }
}

fn argument(text: &mut String, arg: &Arg) {
    let value = arg.get_value_names().map(|names| names.iter().map(|n| n.as_str()).collect::<Vec<_>>().join(" "));
    let takes = arg.get_action().takes_values();
    let mut name = match (arg.get_short(), arg.get_long()) {
        (Some(short), Some(long)) => format!("-{short}, --{long}"),
        (None, Some(long)) => format!("--{long}"),
        (Some(short), None) => format!("-{short}"),
        (None, None) => String::new(),
    };
    if let Some(value) = value.filter(|_| takes) {
        name = if name.is_empty() { value } else { format!("{name} {value}") };
    }
    let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
    let choices: Vec<String> = if takes {
        arg.get_possible_values().iter().map(|choice| format!("`{}`", choice.get_name())).collect()
    } else {
        Vec::new()
    };
    let choices = if choices.is_empty() { String::new() } else { format!(": {}", choices.join(", ")) };
    add(text, format_args!("| `{name}` | {help}{choices} |\n"));
}

fn settings_markdown() -> String {
    let mut text = format!(
        "{GENERATED}\n# Settings\n\nA setting is taken from the first of these that has it: the flag, the environment \
         variable, `jig.toml` in the current folder, `jig.toml` in the home folder, the default. `jig settings` shows each \
         value and its source.\n\n| setting | variable | flag | value | default | |\n| --- | --- | --- | --- | --- | --- |\n"
    );
    KEYS.iter().for_each(|key| setting(&mut text, key));
    text.push_str(
        "\nPut the options of the bucket (`endpoint`, `region`, `access_key_id`, …) in the table `blobs_options`, or as \
         `name=value,name=value` in the variable `JIG_BLOBS_OPTIONS`.\n\n```toml\n[limits]\nfile_bytes = \"50MiB\"\n\n\
         [blobs_options]\nendpoint = \"http://127.0.0.1:9000\"\n```\n\nThe base URL of a model provider is \
         `providers.<id>.base_url`, or `id=address,id=address` in the variable `JIG_PROVIDERS`. An unknown id is an \
         OpenAI-compatible server. Keys come from the variables `OPENAI_API_KEY`, \
         `ANTHROPIC_API_KEY`, `GEMINI_API_KEY` and `MISTRAL_API_KEY`, or from `secrets_file`. The \
         `jig.toml` of the current folder may come from someone else, so it sets only `workbench`, `color` and \
         `limits.*`.\n\n```toml\n\
         [providers.office]\nbase_url = \"https://models.example.com/v1\"\n```\n",
    );
    text
}

fn setting(text: &mut String, key: &Key) {
    let flag = key.flag.map(|flag| format!("`{flag}`")).unwrap_or_default();
    let default = key.default.map_or_else(|| key.otherwise.to_owned(), |default| format!("`{default}`"));
    let (name, variable, form) = (key.name, key.variable, key.form.description());
    add(text, format_args!("| `{name}` | `{variable}` | {flag} | {form} | {default} | {} |\n", key.doc));
}

fn add(text: &mut String, piece: std::fmt::Arguments<'_>) {
    // Writing to a `String` cannot fail.
    let _ = text.write_fmt(piece);
}
