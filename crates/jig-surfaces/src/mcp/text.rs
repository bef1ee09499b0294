//! Short text for structured results, for clients that only show text to a model.

use jig_contract::OpSpec;
use jig_contract::ops::{
    ApplyOpsOutput, ArtifactApplyOpsOutput, ArtifactOutput, ChangeType, DraftPublishOutput, DraftWriteOutput,
    FileListOutput, FileReadOutput, FileSearchOutput, ReviewGetChangeSetOutput, ReviewGetDiffOutput,
    WorkbenchListOutput,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::unified;

/// The text of a result. Omissions are always stated; a result without a text form of its own is shown as JSON.
pub(super) fn of(op: &OpSpec, value: &Value) -> String {
    let text = match op.name {
        "WorkbenchList" => with(value, workbenches),
        "FileList" => with(value, files),
        "FileRead" => with(value, read),
        "DraftWriteText" | "DraftRemoveFile" => with(value, written),
        "DraftPublish" => with(value, published),
        "XlsxApplyOps" | "DocxApplyOps" | "PptxApplyOps" => with(value, edited),
        "ArtifactApplyOps" => with(value, applied),
        "ArtifactGet" => with(value, artifact),
        "FileSearch" => with(value, hits),
        "ReviewGetChangeSet" => with(value, changes),
        "ReviewGetDiff" => with(value, |output| diff(&output)),
        _ => None,
    };
    let mut text = text.unwrap_or_else(|| value.to_string());
    // A truncated result states that in the text too, unless the text already does.
    if let Some(cursor) = value["cursor"].as_str().filter(|cursor| !text.contains(cursor)) {
        text.push_str(&format!("\n[more: pass cursor {cursor:?}]"));
    }
    if let Some(count) = value["left_out"].as_u64() {
        text.push_str(&format!("\n[{count} more are not shown; the tools review_changes and review_diff show them]"));
    }
    text
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
    if let Some(lines) = output.lines.filter(|lines| lines.first > 1 || lines.count < lines.total) {
        let last = lines.first + lines.count.saturating_sub(1);
        text.push_str(&format!("\n[lines {}–{last} of {}]", lines.first, lines.total));
    }
    if let Some(cursor) = output.cursor {
        text.push_str(&format!("\n[more: pass cursor {cursor:?}]"));
    }
    text
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

fn edited(output: ApplyOpsOutput) -> String {
    let dry = if output.dry_run { " Dry run: nothing was written." } else { "" };
    let hash = output.receipt.hash_after;
    let changes = output.changes.into_iter().filter_map(|change| change.get("summary")?.as_str().map(str::to_owned));
    let cells = output.receipt.cell_lines();
    let warnings = output.warnings.into_iter().map(|warning| format!("warning: {warning}"));
    lines(&format!("Done (hash {hash}).{dry}"), changes.chain(cells).chain(warnings))
}

fn applied(output: ArtifactApplyOpsOutput) -> String {
    let done = output.applied.into_iter().map(|one| format!("@{}: {}", one.artifact_slug, one.summary));
    let now = output.artifacts.into_iter().map(|one| {
        let (done, all) = (one.sections_complete, one.sections_total);
        format!("@{} is in revision {}; {done} of {all} sections done", one.slug, one.revision)
    });
    lines("Done.", done.chain(now))
}

fn artifact(output: ArtifactOutput) -> String {
    let artifact = output.artifact;
    let head = format!("@{} ({}), revision {}", artifact.slug, artifact.title, artifact.revision);
    match artifact.content {
        Some(content) => format!("{head}\n\n{content}"),
        None => lines(
            &head,
            artifact.sections.into_iter().map(|section| {
                let done = if section.is_done { "x" } else { " " };
                let text = section.content.or(section.preview).unwrap_or_default();
                format!("- [{done}] {} ({})\n{text}", section.title, section.slug)
            }),
        ),
    }
}

fn hits(output: FileSearchOutput) -> String {
    let more = if output.more { ", and there are more" } else { "" };
    let head = format!("{} hits{more}", output.hits.len());
    let rows = output.hits.into_iter().map(|hit| format!("{} {}: {}", hit.path, Value::Object(hit.at), hit.snippet));
    let skipped = output.skipped.into_iter().map(|file| format!("not searched: {} ({})", file.path, file.reason));
    lines(&head, rows.chain(skipped))
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

const fn change(change: ChangeType) -> &'static str {
    match change {
        ChangeType::Added => "added",
        ChangeType::Modified => "modified",
        ChangeType::Deleted => "deleted",
    }
}
