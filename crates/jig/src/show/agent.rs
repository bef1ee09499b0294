//! Text output of targets and agent contexts.

use jig_contract::ops::{
    AgentContextBuildOutput, AgentContextChanges, AgentContextCheckOutput, AgentContextRefreshOutput, ArtifactContext,
    ContextLevel, SectionAction, TargetDocumentHow, TargetInfo, TargetOutcome, TargetResolveOutput,
};

use super::TextOutput;
use super::table::{cell, number, table};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

pub(super) fn target(output: &TargetResolveOutput) -> TextOutput {
    let mut text = match output.outcome {
        TargetOutcome::Found => found(output),
        TargetOutcome::Command => {
            format!("slash command {STRONG}/{}{STRONG:#}\n", plain(output.command.as_deref().unwrap_or_default()))
        }
        TargetOutcome::NotFound => format!("{BAD}{}{BAD:#}\n", plain(output.message.as_deref().unwrap_or_default())),
        TargetOutcome::Several | TargetOutcome::Ambiguous | TargetOutcome::DidYouMean => {
            format!("{}\n", plain(output.question.as_deref().unwrap_or_default()))
        }
    };
    for choice in &output.choices {
        text += &format!("  {}\n", named(choice));
    }
    let mut notes = Vec::new();
    if let Some(total) = output.total {
        notes.push(format!("{total} matches in total"));
    }
    if !output.alternatives.is_empty() {
        let others: Vec<String> = output.alternatives.iter().map(|other| plain(&other.address)).collect();
        notes.push(format!("could also refer to {}", others.join(", ")));
    }
    TextOutput { text, notes }
}

fn found(output: &TargetResolveOutput) -> String {
    let mut text = output.target.as_ref().map(|target| format!("{}\n", named(target))).unwrap_or_default();
    if let Some(how) = &output.how {
        let document = match how.artifact {
            TargetDocumentHow::Explicit => "named in the message",
            TargetDocumentHow::Current => "the current document",
            TargetDocumentHow::Inferred => "the only document with such a part",
        };
        let matched = serde_json::to_value(how.matched).ok();
        let matched = matched.as_ref().and_then(|word| word.as_str()).unwrap_or_default().replace('_', " ");
        text += &format!("  {FAINT}document: {document}; matched by: {matched}; score {:.2}{FAINT:#}\n", how.score);
    }
    if let Some(rest) = output.rest.as_deref().filter(|rest| !rest.is_empty()) {
        text += &format!("  {FAINT}to do:{FAINT:#} {}\n", plain(rest));
    }
    text
}

fn named(target: &TargetInfo) -> String {
    let title = target.title.as_ref().map(|title| format!("  {}", plain(title))).unwrap_or_default();
    format!("{STRONG}{}{STRONG:#}{title} {FAINT}in {}{FAINT:#}", plain(&target.address), plain(&target.name))
}

pub(super) fn built(output: &AgentContextBuildOutput) -> TextOutput {
    let context = &output.context;
    let state = &context.system_state;
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  stage {}  level {STRONG}{}{STRONG:#}  {} tokens as text\n\n",
        plain(&context.project.name),
        plain(&context.project.current_stage),
        level(state.level),
        output.tokens
    );
    text += &artifact(&context.current_artifact);
    for related in &context.related_artifacts {
        text += &format!("\n{FAINT}related{FAINT:#} ");
        text += &artifact(related);
    }
    if !context.chat_history.is_empty() {
        text += &format!("\n{} of the conversation\n", super::count(context.chat_history.len() as u64, "message"));
    }
    let rows = state.budgets.iter().filter(|budget| budget.used > 0).map(|budget| {
        vec![
            cell(budget.component.replace('_', " ")),
            number(budget.used.to_string()),
            number(budget.limit.to_string()),
        ]
    });
    text += &format!("\n{}", table(&["part", "tokens", "limit"], rows.collect()));
    let mut notes: Vec<String> = state.question.iter().map(|question| plain(question)).collect();
    notes.extend(
        state
            .left_out
            .iter()
            .map(|left| format!("omitted: {} ({}); {}", plain(&left.what), plain(&left.why), plain(&left.how))),
    );
    notes.push(format!("`jig agent context-refresh {}` shows what changed since", plain(&output.context_version)));
    TextOutput { text, notes }
}

const fn level(level: ContextLevel) -> &'static str {
    match level {
        ContextLevel::Minimal => "minimal",
        ContextLevel::Standard => "standard",
        ContextLevel::Full => "full",
    }
}

fn artifact(artifact: &ArtifactContext) -> String {
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {}/{} done{}\n",
        plain(&artifact.name),
        artifact.sections_complete,
        artifact.sections_total,
        artifact.content.as_ref().map(|_| "  with its complete text").unwrap_or_default()
    );
    for section in &artifact.sections {
        let mark = if section.is_done { format!("{GOOD}✓{GOOD:#}") } else { " ".to_owned() };
        let with = if section.content.is_some() { format!("  {MARK}with its text{MARK:#}") } else { String::new() };
        text += &format!("  [{mark}] {} {FAINT}({}){FAINT:#}{with}\n", plain(&section.title), plain(&section.slug));
    }
    text
}

pub(super) fn refreshed(output: &AgentContextRefreshOutput) -> TextOutput {
    let notes = vec![format!("the current version is {}", plain(&output.context_version))];
    if let Some(changes) = &output.changes {
        let text = if output.changed { changed(changes) } else { "Nothing has changed.\n".to_owned() };
        return TextOutput { text, notes };
    }
    let reason = output.reason.and_then(|reason| serde_json::to_value(reason).ok());
    let reason = reason.as_ref().and_then(|word| word.as_str()).unwrap_or_default().replace('_', " ");
    TextOutput { text: format!("The entire context is new: {reason}.\n\n{}", plain(&output.text)), notes }
}

fn changed(changes: &AgentContextChanges) -> String {
    let mut text = String::new();
    for delta in &changes.sections {
        let action = match delta.action {
            SectionAction::Added => "added",
            SectionAction::Changed => "changed",
            SectionAction::Removed => "removed",
        };
        text += &format!("{action:<8} {}\n", plain(&delta.slug));
    }
    for done in &changes.done {
        text += &format!("{:<8} {}\n", if done.is_done { "done" } else { "undone" }, plain(&done.slug));
    }
    for message in &changes.messages {
        text += &format!("{FAINT}{}:{FAINT:#} {}\n", plain(&message.role), plain(&message.content));
    }
    if let (Some(done), Some(total)) = (changes.sections_complete, changes.sections_total) {
        text += &format!("{done} of {total} sections are done\n");
    }
    text
}

pub(super) fn checked(output: &AgentContextCheckOutput) -> TextOutput {
    if !output.stale {
        return format!("The context is up to date; it is {} seconds old.\n", output.age_seconds).into();
    }
    let lines: String =
        output.warnings.iter().map(|warning| format!("{BAD}outdated{BAD:#}  {}\n", plain(&warning.message))).collect();
    TextOutput { text: lines, notes: vec!["`jig agent context-refresh VERSION` refreshes it".to_owned()] }
}
