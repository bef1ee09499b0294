//! Text output of the Draft and its changes.

use anstyle::Style;
use jig_contract::Timestamp;
use jig_contract::WorkbenchPath;
use jig_contract::ops::{
    ChangeStep, ChangeType, DiffView, DraftDiscardOutput, DraftGetStateOutput, DraftPublishOutput, DraftSummary,
    DraftWriteOutput, FileChange, ReviewAcceptOutput, ReviewCommentOutput, ReviewGetChangeSetOutput,
    ReviewGetDiffOutput, ReviewNote, ReviewRejectOutput, ReviewState,
};
use jig_surfaces::{Tone, diff_lines, marked};

use super::units::count;
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

/// The indentation of lines that belong to the file above.
const INDENT: &str = "          ";

const fn change_label(change: ChangeType) -> (&'static str, Style) {
    match change {
        ChangeType::Added => ("added", GOOD),
        ChangeType::Modified => ("modified", MARK),
        ChangeType::Deleted => ("deleted", BAD),
    }
}

/// The changes of the Draft, file by file.
pub(crate) fn change_set(output: &ReviewGetChangeSetOutput) -> String {
    let mut text = format!("{STRONG}{} → Draft{STRONG:#}\n", output.reference_label);
    if let Some(warning) = &output.reference_warning {
        text.push_str(&format!("{BAD}{}{BAD:#}\n", plain(warning)));
    }
    if let Some(note) = &output.summary {
        text.push_str(&format!("{}\n\n", plain(note.text.trim())));
    }
    if output.changes.is_empty() {
        text.push_str("The Draft has no changes.\n");
    }
    output.changes.iter().for_each(|change| text.push_str(&changed_file(change)));
    text.push_str(&outside(&output.published_changed));
    text
}

/// A file, followed by what changed, where to look first, and comments, in lines that fit a narrow terminal.
fn changed_file(change: &FileChange) -> String {
    let (word, style) = change_label(change.change);
    let mut text = format!("{style}{word:<8}{style:#}  {}", plain(change.path.as_str()));
    let state = state(change);
    if !state.is_empty() {
        text.push_str(&format!("  {GOOD}{state}{GOOD:#}"));
    }
    text.push_str(&format!("\n{INDENT}{FAINT}{}{FAINT:#}", plain(&change.summary)));
    if let Some(focus) = &change.focus {
        text.push_str(&format!("{FAINT}; see {FAINT:#}{MARK}{}{MARK:#}", plain(focus)));
    }
    text.push('\n');
    text.push_str(&steps(&change.steps));
    text.extend(change.comments.iter().map(comment_line));
    text
}

/// The agent steps that changed the file, and how to inspect one.
fn steps(steps: &[ChangeStep]) -> String {
    let Some(last) = steps.last() else { return String::new() };
    let mut numbers: Vec<String> =
        steps.iter().filter(|step| step.session_id == last.session_id).map(|step| step.step.to_string()).collect();
    numbers.dedup();
    let words = if numbers.len() == 1 { "step" } else { "steps" };
    let (numbers, session, step) = (numbers.join(", "), &last.session_id, last.step);
    format!("{INDENT}{FAINT}{words} {numbers}; `jig session show {session} --step {step}`{FAINT:#}\n")
}

/// How much of a file is accepted.
fn state(change: &FileChange) -> String {
    match change.review {
        ReviewState::Open => String::new(),
        ReviewState::Partly => format!("{} of {} accepted", change.accepted, change.changes),
        ReviewState::Accepted => "accepted".to_owned(),
    }
}

fn comment_line(note: &ReviewNote) -> String {
    let place = note.change.as_ref().map(|change| format!("{MARK}{}{MARK:#} ", plain(change))).unwrap_or_default();
    let (author, text) = (plain(&note.author), plain(&note.text).replace('\n', &format!("\n{INDENT}  ")));
    format!("{INDENT}{place}{FAINT}{author}:{FAINT:#} {text}\n")
}

/// The changes that were rejected.
pub(super) fn rejected(output: &ReviewRejectOutput) -> TextOutput {
    let dry = if output.dry_run { " (dry run: nothing was changed)" } else { "" };
    TextOutput { text: format!("{}{dry}\n", plain(&output.summary)), notes: output.warnings.clone() }
}

/// The changes that are accepted now.
pub(super) fn accepted(output: &ReviewAcceptOutput) -> String {
    let (file, changes) = (&output.file, output.file.changes);
    let how = match file.review {
        ReviewState::Accepted => "accepted".to_owned(),
        _ => format!("{} of {} accepted", file.accepted, count(changes, "change")),
    };
    format!("{} is {GOOD}{how}{GOOD:#}\n", plain(file.path.as_str()))
}

/// The comment that was added.
pub(super) fn commented(output: &ReviewCommentOutput) -> String {
    format!("Comment added: {}\n", plain(&output.comment.text))
}

fn outside(paths: &[WorkbenchPath]) -> String {
    let one = |path: &WorkbenchPath| format!("{BAD}published file changed outside{BAD:#}  {}\n", plain(path.as_str()));
    paths.iter().map(one).collect()
}

/// A page of a file's diff. Changed words are marked with brackets if colours are off.
pub(crate) fn diff(output: &ReviewGetDiffOutput, painted: bool) -> String {
    let mut text = String::new();
    for line in diff_lines(output) {
        let line = if painted { line } else { marked(line) };
        for span in line {
            let style = style(span.tone);
            text.push_str(&format!("{style}{}{style:#}", plain(&span.text)));
        }
        text.push('\n');
    }
    text
}

const fn style(tone: Tone) -> Style {
    match tone {
        Tone::Plain => Style::new(),
        Tone::Strong => STRONG,
        Tone::Faint => FAINT,
        Tone::Mark => MARK,
        Tone::Good => GOOD,
        Tone::Bad => BAD,
        Tone::GoodWord => GOOD.underline().bold(),
        Tone::BadWord => BAD.strikethrough(),
    }
}

pub(super) fn diff_page(output: &ReviewGetDiffOutput, painted: bool) -> TextOutput {
    let (page, pages) = (output.page, output.pages);
    let more = (page < pages).then(|| format!("page {page} of {pages}; `--page {}` shows more", page + 1));
    let mut text = format!("{STRONG}{} → Draft{STRONG:#}\n{}", output.reference_label, diff(output, painted));
    if let DiffView::Text { added, removed, .. } = output.diff {
        text.push_str(&format!("{FAINT}{added} added, {removed} removed{FAINT:#}\n"));
    }
    TextOutput { text, notes: Vec::from_iter(more) }
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
        let (word, style) = change_label(change);
        for path in paths {
            text.push_str(&format!("{style}{word:<8}{style:#}  {}\n", plain(path.as_str())));
        }
    }
    for path in &output.taken_from_outside {
        text.push_str(&format!("outside version used: {}\n", plain(path.as_str())));
    }
    text
}

pub(super) fn discarded(output: &DraftDiscardOutput) -> String {
    format!("Discarded the Draft with {}\n", count(output.files, "changed file"))
}
