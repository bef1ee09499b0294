//! The short text beside a structured result, for clients that show a model only text.

use jig_contract::OpSpec;
use jig_contract::ops::{
    ChangeType, DraftGetStateOutput, DraftPublishOutput, DraftWriteOutput, FileListOutput, FileReadOutput,
    JournalListOutput, ReviewGetChangeSetOutput, ReviewGetDiffOutput, WorkbenchListOutput,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::unified;

/// The text for a result. Nothing is left out without saying so; what has no text of its own is shown as JSON.
pub(super) fn of(op: &OpSpec, value: &Value) -> String {
    let text = match op.name {
        "WorkbenchList" => with(value, workbenches),
        "FileList" => with(value, files),
        "FileRead" => with(value, read),
        "DraftGetState" => with(value, draft),
        "DraftWriteText" | "DraftRemoveFile" => with(value, written),
        "DraftPublish" => with(value, published),
        "ReviewGetChangeSet" => with(value, changes),
        "ReviewGetDiff" => with(value, |output| diff(&output)),
        "JournalList" => with(value, journal),
        _ => None,
    };
    text.unwrap_or_else(|| value.to_string())
}

fn with<T: DeserializeOwned>(value: &Value, show: fn(T) -> String) -> Option<String> {
    serde_json::from_value(value.clone()).ok().map(show)
}

fn lines(head: &str, lines: impl Iterator<Item = String>) -> String {
    std::iter::once(head.to_owned()).chain(lines).collect::<Vec<_>>().join("\n")
}

fn workbenches(output: WorkbenchListOutput) -> String {
    let head = format!("{} workbenches", output.workbenches.len());
    lines(
        &head,
        output.workbenches.into_iter().map(|w| {
            let draft = if w.draft.is_some() { ", with a Draft" } else { "" };
            format!("{}: {} ({} files{draft})", w.id, w.name, w.files)
        }),
    )
}

fn files(output: FileListOutput) -> String {
    let shown = output.files.len();
    let head = format!("{shown} of {} files ({})", output.total, output.root.folder());
    let rows = output.files.into_iter().map(|f| format!("{} ({}, {} bytes)", f.path, f.kind, f.bytes));
    let left = output.left_alone.into_iter().map(|l| format!("left alone: {} ({})", l.path, l.reason));
    let more = output.cursor.map(|cursor| format!("more: pass cursor {cursor:?}"));
    lines(&head, rows.chain(left).chain(more))
}

fn read(output: FileReadOutput) -> String {
    let mut text = output.text;
    for warning in output.warnings {
        text.push_str(&format!("\n[warning: {warning}]"));
    }
    if output.has_more || output.line_start > 1 {
        let last = output.line_start + output.line_count.saturating_sub(1);
        text.push_str(&format!("\n[lines {}–{last} of {}]", output.line_start, output.total_lines));
    }
    text
}

fn draft(output: DraftGetStateOutput) -> String {
    if !output.exists {
        return "There is no Draft. The first write starts one.".to_owned();
    }
    let mut text = format!("Draft: {} added, {} modified, {} deleted.", output.added, output.modified, output.deleted);
    if let Some(reminder) = output.reminder {
        text.push_str(&format!(" {reminder}"));
    }
    let conflicts = output.published_changed.into_iter().map(|path| format!("published file changed outside: {path}"));
    lines(&text, conflicts)
}

fn written(output: DraftWriteOutput) -> String {
    let hash = output.file.map(|file| format!(" (hash {})", file.hash)).unwrap_or_default();
    let dry = if output.dry_run { " Dry run: nothing was written." } else { "" };
    format!("{}{hash}{dry}", output.summary)
}

fn published(output: DraftPublishOutput) -> String {
    let head = format!(
        "Published: {} added, {} modified, {} deleted. Checkpoint {}.",
        output.added.len(),
        output.modified.len(),
        output.deleted.len(),
        output.checkpoint_id
    );
    lines(&head, output.taken_from_outside.into_iter().map(|path| format!("outside version taken: {path}")))
}

fn changes(output: ReviewGetChangeSetOutput) -> String {
    let head = format!("{} changed files against {}", output.changes.len(), output.reference_label);
    let warning = output.reference_warning.into_iter();
    let rows = output.changes.into_iter().map(|c| format!("{} {}: {}", change(c.change), c.path, c.summary));
    let outside = output.published_changed.into_iter().map(|path| format!("published file changed outside: {path}"));
    lines(&head, warning.chain(rows).chain(outside))
}

fn diff(output: &ReviewGetDiffOutput) -> String {
    let mut text = unified(output);
    if output.pages > 1 {
        text.push_str(&format!("[page {} of {}]", output.page, output.pages));
    }
    text
}

fn journal(output: JournalListOutput) -> String {
    let head = format!("{} of {} changes, newest first", output.entries.len(), output.total);
    let rows = output.entries.into_iter().map(|e| format!("{} {} {}: {}", e.seq, e.at, e.actor.word(), e.summary));
    let more = output.has_more.then(|| "older ones: pass `before`".to_owned());
    lines(&head, rows.chain(more))
}

const fn change(change: ChangeType) -> &'static str {
    match change {
        ChangeType::Added => "added",
        ChangeType::Modified => "modified",
        ChangeType::Deleted => "deleted",
    }
}
