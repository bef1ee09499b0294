//! Text output of context items.

use jig_contract::Timestamp;
use jig_contract::ops::{
    ContextDeleteOutput, ContextExportOutput, ContextFile, ContextItem, ContextListOutput, ContextMode, ContextStatus,
    ContextSummary,
};

use super::table::{cell, number, table};
use super::units::count;
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

/// The four context slots.
pub(super) fn items(output: &ContextListOutput, now: Timestamp) -> String {
    let rows = output.items.iter().map(|item| {
        let style = match item.status {
            ContextStatus::Active => GOOD,
            ContextStatus::Empty => FAINT,
            ContextStatus::Damaged => BAD,
        };
        let tokens = if item.status == ContextStatus::Active { item.tokens.to_string() } else { String::new() };
        vec![
            cell(item.category.as_str()).styled(STRONG),
            cell(status(item)).styled(style),
            number(tokens),
            cell(item.last_processed_at.map(|at| ago(at, now)).unwrap_or_default()).styled(FAINT),
            match item.status {
                ContextStatus::Empty => cell(short(item.category.purpose())).styled(FAINT),
                _ => cell(short(&item.summary)),
            },
        ]
    });
    let mut text = table(&["item", "state", "tokens", "made", "says"], rows.collect());
    for item in &output.items {
        text.push_str(&warnings(item));
    }
    text
}

fn status(item: &ContextSummary) -> &'static str {
    match item.status {
        ContextStatus::Active if item.has_direct_edits => "active, manually edited",
        ContextStatus::Active => "active",
        ContextStatus::Empty => "empty",
        ContextStatus::Damaged => "damaged",
    }
}

fn warnings(item: &ContextSummary) -> String {
    item.warnings.iter().map(|warning| format!("{BAD}!{BAD:#} {}: {}\n", item.category, plain(warning))).collect()
}

/// How many characters of a summary a list shows.
const SHORT: usize = 60;

fn short(summary: &str) -> String {
    match summary.char_indices().nth(SHORT) {
        None => summary.to_owned(),
        Some((end, _)) => format!("{}…", summary[..end].trim_end()),
    }
}

/// A context item and its files.
pub(super) fn item(item: &ContextItem, now: Timestamp) -> String {
    format!("{}{}", head(item, now), files(&item.files))
}

fn head(item: &ContextItem, now: Timestamp) -> String {
    let summary = &item.summary;
    let mut text = format!("{STRONG}{}{STRONG:#}  {}", summary.category, status(summary));
    if let Some(at) = summary.last_processed_at {
        let model = summary.model_id.as_deref().map(|model| format!(" by {}", plain(model))).unwrap_or_default();
        text.push_str(&format!(
            "  {FAINT}created {}{model}, {}{FAINT:#}",
            ago(at, now),
            count(summary.tokens, "token")
        ));
    }
    text.push('\n');
    if let Some(source) = &item.source {
        let from = match source.mode {
            ContextMode::Text => "from a text".to_owned(),
            ContextMode::File => {
                format!("from the file {}", plain(source.original_filename.as_deref().unwrap_or_default()))
            }
        };
        let note = source.note.as_deref().map(|note| format!(", with the note “{}”", plain(note))).unwrap_or_default();
        text.push_str(&format!("{FAINT}{from}{note}{FAINT:#}\n"));
    }
    text.push_str(&warnings(summary));
    text
}

/// The content of files, each below its path.
pub(super) fn files(files: &[ContextFile]) -> String {
    if files.is_empty() {
        return "This item does not exist yet.\n".to_owned();
    }
    let one =
        |file: &ContextFile| format!("\n{MARK}{}{MARK:#}\n\n{}\n", plain(&file.path), plain(file.content.trim_end()));
    files.iter().map(one).collect()
}

/// A context item that was just created or edited.
pub(super) fn made(item: &ContextItem, now: Timestamp) -> TextOutput {
    let mut text = head(item, now);
    if !item.summary.summary.is_empty() {
        text.push_str(&format!("{}\n", plain(&item.summary.summary)));
    }
    let category = item.summary.category;
    let notes = vec![format!("`jig context get {category}` shows its files, `jig prompt` its tokens")];
    TextOutput { text, notes }
}

pub(super) fn deleted(output: &ContextDeleteOutput) -> String {
    format!("Deleted {STRONG}{}{STRONG:#}\n", output.deleted)
}

pub(super) fn exported(output: &ContextExportOutput) -> String {
    let files: String = output.files.iter().map(|file| format!("  {}\n", plain(file))).collect();
    format!("Wrote {STRONG}{}{STRONG:#}\n{files}", plain(&output.folder))
}
