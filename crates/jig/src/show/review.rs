//! The Draft and what it changes.

use anstyle::Style;
use jig_contract::Timestamp;
use jig_contract::WorkbenchPath;
use jig_contract::ops::{
    ChangeType, DiffView, DraftDiscardOutput, DraftGetStateOutput, DraftPublishOutput, DraftSummary, DraftWriteOutput,
    FileChange, ReviewGetChangeSetOutput, ReviewGetDiffOutput,
};
use jig_surfaces::unified;

use super::table::{cell, table};
use super::units::count;
use super::{Shown, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

const fn word(change: ChangeType) -> (&'static str, Style) {
    match change {
        ChangeType::Added => ("added", GOOD),
        ChangeType::Modified => ("modified", MARK),
        ChangeType::Deleted => ("deleted", BAD),
    }
}

/// What the Draft changes, file by file.
pub(crate) fn change_set(output: &ReviewGetChangeSetOutput) -> String {
    let mut text = format!("{STRONG}{} → Draft{STRONG:#}\n", output.reference_label);
    if let Some(warning) = &output.reference_warning {
        text.push_str(&format!("{BAD}{}{BAD:#}\n", plain(warning)));
    }
    if output.changes.is_empty() {
        text.push_str("The Draft changes nothing.\n");
    }
    let row = |change: &FileChange| {
        let (word, style) = word(change.change);
        vec![cell(word).styled(style), cell(change.path.as_str()), cell(&change.summary).styled(FAINT)]
    };
    text.push_str(&table(&["", "", ""], output.changes.iter().map(row).collect()));
    text.push_str(&outside(&output.published_changed));
    text
}

fn outside(paths: &[WorkbenchPath]) -> String {
    let one = |path: &WorkbenchPath| format!("{BAD}published file changed outside{BAD:#}  {}\n", plain(path.as_str()));
    paths.iter().map(one).collect()
}

/// One page of a file's difference, coloured.
pub(crate) fn diff(output: &ReviewGetDiffOutput) -> String {
    let text = plain(&unified(output));
    text.lines().map(|line| format!("{style}{line}{style:#}\n", style = line_style(line))).collect()
}

fn line_style(line: &str) -> Style {
    match line.as_bytes().first() {
        _ if line.starts_with("--- ") || line.starts_with("+++ ") => STRONG,
        Some(b'@') => MARK,
        Some(b'+') => GOOD,
        Some(b'-') => BAD,
        Some(b'#' | b'\\') => FAINT,
        _ => Style::new(),
    }
}

pub(super) fn diff_page(output: &ReviewGetDiffOutput) -> Shown {
    let (page, pages) = (output.page, output.pages);
    let more = (page < pages).then(|| format!("page {page} of {pages}; `--page {}` goes on", page + 1));
    let mut text = format!("{STRONG}{} → Draft{STRONG:#}\n{}", output.reference_label, diff(output));
    if let DiffView::Text { added, removed, .. } = output.diff {
        text.push_str(&format!("{FAINT}{added} added, {removed} removed{FAINT:#}\n"));
    }
    Shown { text, notes: Vec::from_iter(more) }
}

pub(super) fn draft_started(draft: &DraftSummary, now: Timestamp) -> String {
    format!("{MARK}Draft{MARK:#} started {}\n", ago(draft.created_at, now))
}

pub(super) fn draft_state(output: &DraftGetStateOutput, now: Timestamp) -> String {
    let Some(draft) = &output.draft else {
        return "There is no Draft; the first write starts one.\n".to_owned();
    };
    let (added, modified, deleted) = (output.added, output.modified, output.deleted);
    let mut text = format!("{MARK}Draft{MARK:#} since {}: ", ago(draft.created_at, now));
    text.push_str(&format!("{added} added, {modified} modified, {deleted} deleted\n"));
    if let Some(reminder) = &output.reminder {
        text.push_str(&format!("{}\n", plain(reminder)));
    }
    text.push_str(&outside(&output.published_changed));
    text
}

pub(super) fn written(output: &DraftWriteOutput) -> String {
    let dry = if output.dry_run { " (dry run: nothing was written)" } else { "" };
    let started = if output.draft_created && !output.dry_run { "\nThis started a Draft" } else { "" };
    format!("{}{dry}{started}\n", plain(&output.summary))
}

pub(super) fn published(output: &DraftPublishOutput) -> String {
    let groups = [
        (ChangeType::Added, &output.added),
        (ChangeType::Modified, &output.modified),
        (ChangeType::Deleted, &output.deleted),
    ];
    let files = groups.iter().map(|(_, paths)| paths.len()).sum::<usize>();
    let mut text =
        format!("{GOOD}Published{GOOD:#} {}\n", count(u64::try_from(files).unwrap_or_default(), "changed file"));
    for (change, paths) in groups {
        let (word, style) = word(change);
        for path in paths {
            text.push_str(&format!("{style}{word:<8}{style:#}  {}\n", plain(path.as_str())));
        }
    }
    for path in &output.taken_from_outside {
        text.push_str(&format!("outside version taken: {}\n", plain(path.as_str())));
    }
    text
}

pub(super) fn discarded(output: &DraftDiscardOutput) -> String {
    format!("Discarded the Draft with {}\n", count(output.files, "changed file"))
}
