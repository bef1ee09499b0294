//! Text output of workbenches, files, the store and the settings.

use jig_contract::Timestamp;
use jig_contract::ops::{
    FileAddOutput, FileExtractOutput, FileInfo, FileListOutput, FileReadOutput, FileRemoveOutput, LeftAlone, Root,
    StoreCollectOutput, StoreDoctorOutput, WorkbenchDeleteOutput, WorkbenchExportOutput, WorkbenchInfo,
    WorkbenchListOutput,
};

use super::table::{cell, number, table};
use super::units::{bytes, count};
use super::{TextOutput, ago};
use crate::settings;
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, Terminal, plain};

pub(crate) fn workbenches(output: &WorkbenchListOutput, current: Option<&str>, now: Timestamp) -> String {
    if output.workbenches.is_empty() {
        return "There are no workbenches yet.\n".to_owned();
    }
    let rows = output.workbenches.iter().map(|info| {
        let chosen = current == Some(info.id.as_str());
        let mark = if chosen { "*" } else { "" };
        let draft = if info.draft.is_some() { "Draft pending" } else { "" };
        vec![
            cell(mark).styled(GOOD),
            cell(info.id.as_str()).styled(if chosen { STRONG } else { anstyle::Style::new() }),
            cell(&info.name),
            number(info.files.to_string()),
            number(bytes(info.bytes)),
            cell(ago(info.updated_at, now)),
            cell(draft).styled(MARK),
        ]
    });
    table(&["", "id", "name", "files", "size", "changed", ""], rows.collect())
}

pub(super) fn workbench(info: &WorkbenchInfo, now: Timestamp) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}  {}\n", info.id, plain(&info.name));
    text.push_str(&format!("{}, {}\n", count(info.files, "file"), bytes(info.bytes)));
    text.push_str(&format!("{}, changed {}\n", count(info.seq, "change"), ago(info.updated_at, now)));
    if let Some(draft) = &info.draft {
        text.push_str(&format!("{MARK}Draft{MARK:#} since {}\n", ago(draft.created_at, now)));
    }
    if let Some(folder) = &info.folder {
        text.push_str(&format!("{FAINT}{}{FAINT:#}\n", plain(folder)));
    }
    text
}

pub(super) fn exported(output: &WorkbenchExportOutput) -> String {
    let changes = count(output.changes, "change");
    format!("Exported {changes} to {} ({})\n", plain(&output.to), bytes(output.bytes))
}

pub(super) fn deleted(output: &WorkbenchDeleteOutput) -> String {
    format!("Deleted the workbench {} with {}\n", output.deleted, count(output.changes, "change"))
}

pub(super) fn added(output: &FileAddOutput) -> String {
    let groups =
        [("added", &output.added, GOOD), ("replaced", &output.replaced, MARK), ("same", &output.unchanged, FAINT)];
    let rows = groups.into_iter().flat_map(|(word, files, style)| {
        files.iter().map(move |file| {
            vec![cell(word).styled(style), cell(file.path.as_str()), cell(&file.kind), number(bytes(file.bytes))]
        })
    });
    let mut text = table(&["", "", "", ""], rows.collect());
    text.push_str(&skipped(output));
    for secret in &output.secrets {
        let place = match &secret.place {
            Some(place) => format!("{} ({})", plain(&secret.source), plain(place)),
            None => format!("{}:{}", plain(&secret.source), secret.line),
        };
        text.push_str(&format!("{MARK}likely key{MARK:#}: {} in {STRONG}{place}{STRONG:#}\n", plain(&secret.kind)));
    }
    if !output.secrets.is_empty() {
        text.push_str(&format!("{FAINT}Requests with a likely key are not sent unless you allow it.{FAINT:#}\n"));
    }
    if !output.unsearched.is_empty() {
        let reasons: Vec<String> =
            output.unsearched.iter().map(|one| format!("{} ({})", one.count, plain(&one.reason))).collect();
        text.push_str(&format!("{FAINT}Not searched for keys: {}{FAINT:#}\n", reasons.join(", ")));
    }
    text
}

/// Skipped files of a folder: each reason with the first few names.
fn skipped(output: &FileAddOutput) -> String {
    let mut text = String::new();
    for one in &output.skipped {
        let names = output.left_alone.iter().filter(|left| left.reason == one.reason).map(|left| plain(&left.path));
        let shown: Vec<String> = names.take(SKIPPED_NAMED).collect();
        let more = one.count.saturating_sub(shown.len() as u64);
        let more = if more == 0 { String::new() } else { format!(" and {more} more (`--json` lists them)") };
        let (count, reason) = (one.count, plain(&one.reason));
        text.push_str(&format!("{FAINT}skipped {count}, {reason}: {}{more}{FAINT:#}\n", shown.join(", ")));
    }
    text
}

/// How many names are shown per reason.
const SKIPPED_NAMED: usize = 5;

pub(super) fn files(output: &FileListOutput) -> TextOutput {
    let rows = output.files.iter().map(|file| {
        let remark = file.mismatch.as_deref().unwrap_or_default();
        vec![cell(file.path.as_str()), cell(&file.kind), number(bytes(file.bytes)), cell(remark).styled(BAD)]
    });
    let mut text = match output.root {
        Root::Draft => format!("{MARK}Draft{MARK:#}\n"),
        Root::Published => String::new(),
    };
    if output.files.is_empty() {
        text.push_str("There are no files here.\n");
    }
    text.push_str(&table(&["", "", "", ""], rows.collect()));
    text.push_str(&left_alone(&output.left_alone));
    let mut notes = Vec::new();
    if !output.files.is_empty() {
        notes.push(format!("{}, {}", count(output.total, "file"), bytes(output.total_bytes)));
    }
    if let Some(cursor) = &output.cursor {
        let (shown, total) = (output.files.len(), output.total);
        notes.push(format!(
            "{shown} of {total} shown; `--cursor {cursor}` shows the next page, `--limit` sets its size"
        ));
    }
    TextOutput { text, notes }
}

fn left_alone(all: &[LeftAlone]) -> String {
    let one = |left: &LeftAlone| format!("{FAINT}skipped: {} ({}){FAINT:#}\n", plain(&left.path), plain(&left.reason));
    all.iter().map(one).collect()
}

pub(super) fn file(info: &FileInfo) -> String {
    let mut text = format!("{STRONG}{}{STRONG:#}\n", plain(info.path.as_str()));
    text.push_str(&format!(
        "{} ({}), {}\n{FAINT}{}{FAINT:#}\n",
        info.kind,
        info.media_type,
        bytes(info.bytes),
        info.hash
    ));
    if let Some(mismatch) = &info.mismatch {
        text.push_str(&format!("{BAD}{}{BAD:#}\n", plain(mismatch)));
    }
    text
}

pub(super) fn read(output: FileReadOutput, terminal: Terminal) -> TextOutput {
    let mut notes = output.warnings;
    if let Some(cursor) = &output.cursor {
        let lines = output.lines.as_ref().map(|lines| {
            format!("lines {} to {} of {}; ", lines.first, lines.first + lines.count.saturating_sub(1), lines.total)
        });
        notes.push(format!("{}there is more: `--cursor {cursor}` continues", lines.unwrap_or_default()));
    }
    // A pipe gets the text unchanged; for a terminal, control characters are removed.
    let text = if terminal.shows_output() { plain(&output.text) } else { output.text };
    TextOutput { text, notes }
}

pub(super) fn removed(output: &FileRemoveOutput) -> String {
    output.removed.iter().map(|path| format!("{BAD}removed{BAD:#}  {}\n", plain(path.as_str()))).collect()
}

pub(super) fn extracted(output: &FileExtractOutput) -> String {
    let rows = output.written.iter().map(|file| vec![cell(&file.to), number(bytes(file.bytes))]);
    table(&["", ""], rows.collect())
}

pub(super) fn doctor(output: &StoreDoctorOutput) -> String {
    let workbenches =
        if output.workbenches == 1 { "1 workbench".to_owned() } else { format!("{} workbenches", output.workbenches) };
    let checked = format!("{workbenches}, {}, {}", count(output.states, "state"), count(output.blobs, "blob"));
    let mut text = if output.ok {
        format!("{GOOD}No problems found{GOOD:#}: {checked} checked\n")
    } else {
        format!("{BAD}Problems found{BAD:#}: {checked} checked\n")
    };
    for problem in &output.problems {
        let place = problem.workbench_id.as_ref().map(|id| format!("{id}: ")).unwrap_or_default();
        let (word, style) = if problem.repaired { ("repaired", GOOD) } else { ("problem", BAD) };
        text.push_str(&format!("{style}{word}{style:#}  {place}{}\n", plain(&problem.message)));
    }
    text
}

pub(super) fn collected(output: &StoreCollectOutput) -> String {
    let unneeded = format!("{} ({})", count(output.unneeded, "unused blob"), bytes(output.bytes));
    let mut text = match (output.removed, output.unneeded) {
        (true, _) => format!("Removed {unneeded}; {} in use\n", output.kept),
        (false, 0) => format!("No unused blobs; {} in use\n", count(output.kept, "blob")),
        (false, _) => format!("Would remove {unneeded}; {} in use. `jig gc --yes` removes them\n", output.kept),
    };
    if output.expired_assets > 0 {
        let assets = count(output.expired_assets, "asset");
        text.push_str(&match output.removed {
            true => format!("Removed {assets} that expired\n"),
            false => format!("Would remove {assets} that expired\n"),
        });
    }
    if output.recipe_sessions > 0 {
        let sessions = count(output.recipe_sessions, "session");
        text.push_str(&match output.removed {
            true => format!("Removed {sessions} of recipe runs that no output refers to\n"),
            false => format!("Would remove {sessions} of recipe runs that no output refers to\n"),
        });
    }
    if output.spare_folders > 0 {
        let folders = count(output.spare_folders, "spare Draft folder");
        text.push_str(&match output.removed {
            true => format!("Removed {folders}\n"),
            false => format!("Would remove {folders}, kept to start the next Draft quickly\n"),
        });
    }
    if output.too_new > 0 {
        text.push_str(&format!("{FAINT}{} too new to be removed safely{FAINT:#}\n", count(output.too_new, "blob")));
    }
    text
}

pub(crate) fn settings(shown: &[settings::SettingRow]) -> String {
    let rows = shown.iter().map(|one| {
        let value = one.value.as_deref();
        let value_cell = if value.is_some() { cell(value.unwrap_or_default()) } else { cell("not set").styled(FAINT) };
        vec![cell(&one.key).styled(STRONG), value_cell, cell(&one.source).styled(FAINT)]
    });
    table(&["setting", "value", "from"], rows.collect())
}
