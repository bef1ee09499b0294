//! Text output of kinds, entries, proposals and assets.

use jig_contract::Timestamp;
use jig_contract::ops::{
    EntryDeleteOutput, EntryHistoryOutput, EntryInfo, EntryListOutput, EntryPutOutput, EntryState, FieldChangeKind,
    KindDeleteOutput, KindGetOutput, KindListOutput, KindPutOutput, PutOutcome,
};
use serde_json::Value;

use super::history::who;
use super::table::{cell, number, table};
use super::units::count;
use super::{TextOutput, ago};
use crate::terminal::{BAD, FAINT, GOOD, MARK, STRONG, plain};

/// The width of a bar, in characters.
const BAR: usize = 10;
/// How many characters of a value a list shows.
const SHORT: usize = 60;

/// A share between 0 and 1 as a bar.
pub(super) fn bar(share: f64, width: usize) -> String {
    let filled = (1..=width).filter(|place| share * width as f64 + 1e-9 >= *place as f64).count();
    format!("{}{}", "█".repeat(filled), "░".repeat(width - filled))
}

/// A share as a percentage. Rounded down, so that 100 % means all.
fn percent(share: f64) -> String {
    let whole = (0..=100_u32).rev().find(|part| share * 100.0 + 1e-9 >= f64::from(*part)).unwrap_or_default();
    format!("{whole} %")
}

pub(super) fn kinds(output: &KindListOutput) -> TextOutput {
    let rows = output.kinds.iter().map(|kind| {
        let definition = &kind.definition;
        let fields: Vec<String> = definition.field_schema.fields.iter().map(|field| field.key.clone()).collect();
        let entries = if kind.entries == 0 { String::new() } else { kind.entries.to_string() };
        vec![
            cell(&definition.anchor_role).styled(STRONG),
            cell(format!("{:?}", definition.category).to_lowercase()),
            cell(if definition.is_singleton { "one" } else { "many" }),
            number(entries),
            cell(if kind.shipped { "" } else { "own" }).styled(MARK),
            cell(short(&fields.join(", "))).styled(FAINT),
        ]
    });
    let text = table(&["kind", "about", "", "entries", "", "fields"], rows.collect());
    TextOutput {
        text,
        notes: vec!["`jig kind get KIND` shows one, `jig kind put FILE` adds or changes one".to_owned()],
    }
}

pub(super) fn kind(output: &KindGetOutput) -> TextOutput {
    let note = format!(
        "`jig kind put FILE` saves an edited definition; `jig entry set {} …` writes an entry",
        output.kind.definition.anchor_role
    );
    TextOutput { text: plain(&output.yaml), notes: vec![note] }
}

pub(super) fn kind_put(output: &KindPutOutput) -> TextOutput {
    let definition = &output.kind.definition;
    let name = plain(&definition.anchor_role);
    let mut text = match output.saved {
        true => format!("Saved {STRONG}{name}{STRONG:#}, version {}\n", definition.version),
        false => format!("{STRONG}{name}{STRONG:#}: nothing was saved\n"),
    };
    let report = &output.report;
    if report.checked > 0 {
        text.push_str(&format!("{} checked\n", count(report.checked, "entry").replace("entrys", "entries")));
    }
    for (mark, list) in
        [("invalid now", &report.misfits), ("set aside", &report.set_aside), ("restored", &report.brought_back)]
    {
        for misfit in list {
            let address = address(&misfit.role, &misfit.entry_key);
            text.push_str(&format!(
                "  {MARK}{mark}{MARK:#} {address}#{}: {}\n",
                plain(&misfit.field),
                plain(&misfit.message)
            ));
        }
    }
    text.into()
}

pub(super) fn kind_deleted(output: &KindDeleteOutput) -> String {
    let again = if output.shipped_again { "; the built-in definition is in use again" } else { "" };
    format!("Deleted the kind {STRONG}{}{STRONG:#}{again}\n", plain(&output.deleted))
}

/// `@competitor:acme`.
pub(super) fn address(role: &str, key: &str) -> String {
    let (role, key) = (plain(role), plain(key));
    if key.is_empty() { format!("@{role}") } else { format!("@{role}:{key}") }
}

pub(super) fn entries(output: &EntryListOutput, now: Timestamp) -> TextOutput {
    if output.entries.is_empty() {
        let notes = vec!["`jig kind list` shows the kinds; `jig entry set brand name=\"Acme\"` creates one".to_owned()];
        return TextOutput { text: "There are no entries.\n".to_owned(), notes };
    }
    let rows = output.entries.iter().map(|entry| {
        let share = if entry.no_requirements { String::new() } else { percent(entry.completeness) };
        let style = if entry.completeness >= 1.0 { GOOD } else { MARK };
        vec![
            cell(address(&entry.role, &entry.entry_key)).styled(STRONG),
            cell(bar(entry.completeness, BAR)).styled(style),
            number(share),
            number(format!("{}/{}", entry.filled, entry.parts)),
            cell(ago(entry.updated_at, now)).styled(FAINT),
            cell(marks(entry)).styled(BAD),
        ]
    });
    let mut text = table(&["entry", "complete", "", "filled", "written", ""], rows.collect());
    if output.has_more {
        text.push_str(&format!("{FAINT}{} in all{FAINT:#}\n", output.total));
    }
    let mut notes =
        vec!["`jig entry get KIND [KEY]` shows one, `jig entry set KIND [KEY] FIELD=VALUE` writes it".to_owned()];
    notes.extend(output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

/// Missing fields, outdated values and archiving, as remarks.
fn marks(entry: &EntryInfo) -> String {
    let mut marks = Vec::new();
    if !entry.missing.is_empty() {
        marks.push(format!("missing {}", entry.missing.join(", ")));
    }
    marks.extend(entry.staleness.expired.as_ref().map(|expired| format!("expired {} h ago", expired.hours_over)));
    if !entry.staleness.newer_sources.is_empty() {
        marks.push("sources are newer".to_owned());
    }
    if entry.changed_since_done > 0 {
        marks.push("changed since done".to_owned());
    }
    if entry.state == EntryState::Archived {
        marks.push("archived".to_owned());
    }
    marks.join("; ")
}

pub(super) fn entry(entry: &EntryInfo, now: Timestamp) -> String {
    let mut text = format!(
        "{STRONG}{}{STRONG:#}  {}  {} {}  {FAINT}revision {}, written {} by {}{FAINT:#}\n",
        address(&entry.role, &entry.entry_key),
        plain(&entry.display_name),
        bar(entry.completeness, BAR),
        if entry.no_requirements { "nothing required".to_owned() } else { percent(entry.completeness) },
        entry.revision,
        ago(entry.updated_at, now),
        who(&entry.updated_by),
    );
    let marks = marks(entry);
    if !marks.is_empty() {
        text.push_str(&format!("{BAD}!{BAD:#} {}\n", plain(&marks)));
    }
    for change in &entry.staleness.newer_sources {
        let now = change.changed_in.map_or_else(|| "deleted".to_owned(), |revision| format!("revision {revision}"));
        text.push_str(&format!(
            "  {FAINT}based on {} revision {}; now {now}{FAINT:#}\n",
            plain(&change.address),
            change.used
        ));
    }
    for (field, value) in &entry.data {
        let info = entry.fields.iter().find(|info| info.key == *field);
        let by = info.map(|info| who(&info.by)).unwrap_or_default();
        let model = info.and_then(|info| info.model_id.as_deref()).map(|model| format!(" with {}", plain(model)));
        let done = info.and_then(|info| info.done.as_ref()).map_or("", |done| match done.changed_since {
            true => ", changed since done",
            false => ", done",
        });
        let asset = entry.assets.iter().find(|asset| asset.field == *field);
        text.push_str(&format!(
            "\n{MARK}{}{MARK:#}  {FAINT}{by}{}{done}{FAINT:#}\n",
            plain(field),
            model.unwrap_or_default()
        ));
        text.push_str(&format!("{}\n", plain(&value_text(value))));
        if let Some(asset) = asset {
            let gone = if asset.expired { ", expired" } else { "" };
            text.push_str(&format!(
                "{FAINT}{} ({}, {} bytes{gone}){FAINT:#}\n",
                plain(&asset.name),
                asset.mime_type,
                asset.size
            ));
        }
    }
    for (field, value) in &entry.kept_aside {
        text.push_str(&format!(
            "\n{FAINT}{} (set aside: the kind has no such field){FAINT:#}\n{}\n",
            plain(field),
            plain(&value_text(value))
        ));
    }
    text
}

/// A value on several lines.
pub(super) fn value_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            values.iter().map(|value| format!("- {}", value_text(value))).collect::<Vec<_>>().join("\n")
        }
        Value::Null => "nothing".to_owned(),
        other => other.to_string(),
    }
}

/// A value on one line.
pub(super) fn short(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SHORT) {
        None => line,
        Some((end, _)) => format!("{}…", line[..end].trim_end()),
    }
}

pub(super) fn put(output: &EntryPutOutput, now: Timestamp) -> TextOutput {
    let shown = output.entry.as_ref().map(|one| entry(one, now)).unwrap_or_default();
    match (output.outcome, &output.proposal) {
        (PutOutcome::Proposed, Some(proposal)) => {
            let why = output.why.as_deref().unwrap_or_default();
            let notes = vec![format!("`jig entry accept-proposal {}` accepts it", proposal.id)];
            TextOutput {
                text: format!("{MARK}Proposed{MARK:#}: {}\n{}", plain(why), super::proposals::proposal(proposal, now)),
                notes,
            }
        }
        _ => shown.into(),
    }
}

pub(super) fn deleted(output: &EntryDeleteOutput) -> TextOutput {
    let text = format!("Deleted {STRONG}{}{STRONG:#}\n", address(&output.role, &output.entry_key));
    TextOutput { text, notes: vec!["`jig undo` restores it".to_owned()] }
}

pub(super) fn history(output: &EntryHistoryOutput, now: Timestamp) -> TextOutput {
    let rows = output.revisions.iter().map(|revision| {
        let changes: Vec<String> = revision
            .changes
            .iter()
            .map(|change| {
                let mark = match change.change {
                    FieldChangeKind::Added => "+",
                    FieldChangeKind::Changed => "~",
                    FieldChangeKind::Removed => "-",
                };
                format!("{mark}{}", change.field)
            })
            .collect();
        vec![
            number(revision.revision.to_string()).styled(STRONG),
            cell(ago(revision.at, now)).styled(FAINT),
            cell(who(&revision.author)),
            cell(changes.join(" ")),
            cell(short(&revision.reason)).styled(FAINT),
        ]
    });
    let text = table(&["revision", "when", "who", "fields", "why"], rows.collect());
    let mut notes = vec!["`jig entry restore KIND [KEY] --revision N` restores one".to_owned()];
    notes.extend(output.cursor.as_ref().map(|cursor| format!("`--cursor {cursor}` shows the next page")));
    TextOutput { text, notes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_and_percentages_never_say_more_than_there_is() {
        assert_eq!(bar(0.0, 4), "░░░░");
        assert_eq!(bar(0.5, 4), "██░░");
        assert_eq!(bar(0.99, 4), "███░");
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!((percent(2.0 / 3.0), percent(1.0), percent(0.999)), ("66 %".into(), "100 %".into(), "99 %".into()));
    }
}
