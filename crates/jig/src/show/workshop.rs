//! The events of a session as text, one line each.

use anstyle::Style;
use jig_contract::SessionEvent;
use jig_contract::ops::{PermitAnswer, RunMode};

use super::units;
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG};

/// An event on one line. The caller must neutralise control characters from models and files.
pub(crate) fn line(event: &SessionEvent) -> String {
    match event {
        SessionEvent::SessionCreated => "created".to_owned(),
        SessionEvent::SessionConfigured => "configured".to_owned(),
        SessionEvent::Workspace { what } => what.replace('_', " "),
        SessionEvent::MessageAdded => "a message".to_owned(),
        SessionEvent::NoticeAdded => "a notice".to_owned(),
        SessionEvent::PromptNoticed { message, code: Some(code) } => format!("note: {message} [{code}]"),
        SessionEvent::PromptNoticed { message, code: None } => format!("note: {message}"),
        SessionEvent::RunStarted { mode, model } => format!("run started: {} with {model}", mode_word(*mode)),
        SessionEvent::RunSuspended { code, message } => format!("paused: {message} [{code}]"),
        SessionEvent::RunResumed => "resumed".to_owned(),
        SessionEvent::RunCancelRequested => "cancel requested".to_owned(),
        SessionEvent::RunEnded { outcome, code: Some(code), message } => format!("run {outcome}: {message} [{code}]"),
        SessionEvent::RunEnded { outcome, .. } => format!("run {outcome}"),
        SessionEvent::PhaseStarted { phase } => format!("{phase} started"),
        SessionEvent::PhaseCompleted { phase } => format!("{phase} completed"),
        SessionEvent::PlanMade { items } => format!("plan with {}", units::count(items.len() as u64, "item")),
        SessionEvent::ItemStarted { item, of, label, attempt } => {
            let again = if *attempt > 1 { format!(" (attempt {attempt})") } else { String::new() };
            format!("item {item} of {of}{again}: {label}")
        }
        SessionEvent::ItemCompleted { item, of, label } => format!("item {item} of {of} done: {label}"),
        SessionEvent::ItemFailed { item, of, label, reason, last, .. } => {
            let next = if *last { "" } else { ", retrying" };
            format!("item {item} of {of} failed{next}: {label}: {reason}")
        }
        SessionEvent::StepStarted { step } => format!("step {step}"),
        SessionEvent::ModelRequested { tokens } => format!("model request, {} counted", tokens_word(*tokens)),
        SessionEvent::ModelAnswered { input_tokens, output_tokens, cost_micros } => {
            let cost = cost(*cost_micros).map(|cost| format!(", {cost}")).unwrap_or_default();
            format!("{} so far{cost}", tokens_word(input_tokens.saturating_add(*output_tokens)))
        }
        SessionEvent::ModelFailed { code, message } => format!("the model did not answer: {message} [{code}]"),
        SessionEvent::ToolStarted { tool, path, .. } => {
            let path = path.as_ref().map(|path| format!(" {path}")).unwrap_or_default();
            format!("{tool}{path} …")
        }
        SessionEvent::ToolFinished { tool, summary, .. } => about(tool, summary),
        SessionEvent::ToolRefused { tool, message, code, .. } => format!("{tool} refused: {message} [{code}]"),
        SessionEvent::PermissionAsked { tool, capability } => format!("allow {tool}? It needs {capability}"),
        SessionEvent::PermissionAnswered { question, answer } => {
            let word = if *answer == PermitAnswer::Allow { "allowed" } else { "denied" };
            format!("question {question}: {word}")
        }
        SessionEvent::PermissionRevoked { capability, .. } => format!("permission for {capability} revoked"),
        SessionEvent::EffectInterrupted => "interrupted".to_owned(),
        SessionEvent::RewindRequested { message } => format!("going back to message {message} …"),
        SessionEvent::Rewound { message } => format!("restored to message {message}"),
        SessionEvent::RewindFailed { code, message } => format!("could not be restored: {message} [{code}]"),
        SessionEvent::AnswerPiece { text } => text.clone(),
        SessionEvent::Waiting { millis, code, attempts } => {
            let sent = units::count(u64::from(*attempts), "request");
            format!("retrying in {}, after {sent} [{code}]", seconds(*millis))
        }
    }
}

/// A row of the tree of a run.
pub(crate) struct Row {
    /// Its indentation level.
    pub(crate) depth: usize,
    pub(crate) style: Style,
    /// The symbol before the text.
    pub(crate) mark: &'static str,
    pub(crate) text: String,
}

/// The row of an event, if it has one. Inside an item, tools are indented by one more level.
pub(crate) fn row(what: &SessionEvent, in_item: bool) -> Option<Row> {
    let row = |depth, style, mark, text| Some(Row { depth, style, mark, text });
    let tool = if in_item { 2 } else { 1 };
    match what {
        SessionEvent::RunStarted { mode, model } => row(0, FAINT, "", format!("{} with {model}", mode_word(*mode))),
        SessionEvent::RunResumed => row(0, FAINT, "", "resumed".to_owned()),
        SessionEvent::PromptNoticed { .. } => row(0, MARK, "", line(what)),
        SessionEvent::PhaseStarted { phase } => row(0, STRONG, "", phase.clone()),
        SessionEvent::ItemStarted { item, of, label, attempt } => {
            let again = if *attempt > 1 { format!(", attempt {attempt}") } else { String::new() };
            row(1, MARK, "", format!("{item}/{of}{again} {label}"))
        }
        SessionEvent::ItemCompleted { label, .. } => row(1, GOOD, "[x] ", label.clone()),
        SessionEvent::ItemFailed { label, reason, last, .. } => {
            let mark = if *last { "[!] " } else { "retrying: " };
            row(1, BAD, mark, format!("{label}: {reason}"))
        }
        SessionEvent::ToolFinished { tool: name, summary, failed, .. } => {
            let (style, mark) = if failed.is_some() { (BAD, "✗ ") } else { (GOOD, "✓ ") };
            row(tool, style, mark, about(name, summary))
        }
        SessionEvent::Waiting { millis, code, .. } => {
            row(tool, FAINT, "", format!("retrying in {} [{code}]", seconds(*millis)))
        }
        SessionEvent::ToolRefused { .. } | SessionEvent::ModelFailed { .. } => row(tool, BAD, "✗ ", line(what)),
        SessionEvent::EffectInterrupted => row(tool, FAINT, "", line(what)),
        _ => None,
    }
}

/// Whether the next event belongs to an item.
pub(crate) fn in_item(what: &SessionEvent, before: bool) -> bool {
    match what {
        SessionEvent::ItemStarted { .. } => true,
        SessionEvent::PhaseStarted { .. }
        | SessionEvent::PhaseCompleted { .. }
        | SessionEvent::ItemCompleted { .. }
        | SessionEvent::ItemFailed { last: true, .. } => false,
        _ => before,
    }
}

/// A tool and its result. If the summary starts with the tool's name, the name is not repeated.
pub(crate) fn about(tool: &str, summary: &str) -> String {
    if summary.starts_with(tool) { summary.to_owned() } else { format!("{tool}: {summary}") }
}

pub(crate) fn mode_word(mode: RunMode) -> &'static str {
    match mode {
        RunMode::Ask => "ask",
        RunMode::Auto => "auto",
        RunMode::Direct => "direct",
    }
}

pub(crate) fn tokens_word(tokens: u64) -> String {
    units::count(tokens, "token")
}

/// A cost in dollars; `None` if no price is known.
pub(crate) fn cost(micros: u64) -> Option<String> {
    (micros > 0).then(|| format!("${}.{:04}", micros / 1_000_000, micros % 1_000_000 / 100))
}

pub(crate) fn seconds(millis: u64) -> String {
    format!("{}.{} s", millis / 1_000, millis % 1_000 / 100)
}
