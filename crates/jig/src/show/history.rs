//! Text output of the journal, events and checkpoints.

use jig_contract::ops::{
    Checkpoint, CheckpointListOutput, CheckpointReason, CheckpointRestoreOutput, EventListOutput, JournalEntry,
    JournalListOutput, JournalUndoOutput,
};
use jig_contract::{Actor, ArtifactAction, ContextAction, EntryAction, Event, EventRecord, Timestamp};

use super::table::{cell, number, table};
use super::units::count;
use super::{TextOutput, ago};
use crate::terminal::{FAINT, MARK, STRONG, plain};

pub(super) fn journal(output: &JournalListOutput, now: Timestamp) -> TextOutput {
    let rows = output.entries.iter().map(|entry| {
        vec![
            number(entry.seq.to_string()).styled(MARK),
            cell(ago(entry.at, now)).styled(FAINT),
            cell(who(&entry.actor)),
            cell(&entry.summary),
        ]
    });
    let text = table(&["", "", "", ""], rows.collect());
    let older = output.entries.last().filter(|_| output.has_more);
    let notes = older.map(|last| {
        format!(
            "{} of {} shown; `--before {}` shows more",
            output.entries.len(),
            count(output.total, "change"),
            last.seq
        )
    });
    TextOutput { text, notes: Vec::from_iter(notes) }
}

pub(super) fn who(actor: &Actor) -> String {
    match actor {
        Actor::Person { name: Some(name) } | Actor::Agent { name: Some(name), .. } => {
            format!("{} {name}", actor.word())
        }
        _ => actor.word().to_owned(),
    }
}

fn change(entry: &JournalEntry) -> String {
    format!("{MARK}{}{MARK:#} {}", entry.seq, plain(&entry.summary))
}

pub(super) fn taken_back(output: &JournalUndoOutput) -> String {
    format!("Undone: {}\n", change(&output.change))
}

pub(super) fn made_again(output: &JournalUndoOutput) -> String {
    format!("Redone: {}\n", change(&output.change))
}

pub(super) fn events(output: &EventListOutput, now: Timestamp) -> TextOutput {
    let text = output.events.iter().map(|record| event(record, now)).collect();
    let notes = output.has_more.then(|| format!("there are more; `--after {}` shows them", output.cursor));
    TextOutput { text, notes: Vec::from_iter(notes) }
}

/// An event on one line.
pub(crate) fn event(record: &EventRecord, now: Timestamp) -> String {
    let words = match &record.event {
        Event::Changed { entry } => format!("{}: {}", who(&entry.actor), entry.summary),
        Event::Progress { operation, phase, done, total } => {
            let part = done.zip(*total).map(|(done, total)| format!(" {done}/{total}")).unwrap_or_default();
            format!("{operation}: {}{part}", phase.replace('_', " "))
        }
        Event::Notice { message } => message.clone(),
        Event::ContextChanged { category, action } => {
            let action = match action {
                ContextAction::Added => "added",
                ContextAction::Updated => "updated",
                ContextAction::Deleted => "deleted",
            };
            format!("context item {category} {action}")
        }
        Event::EntryChanged { role, entry_key, action } => {
            let action = match action {
                EntryAction::Added => "added",
                EntryAction::Updated => "updated",
                EntryAction::Archived => "archived",
                EntryAction::Deleted => "deleted",
            };
            format!("entry {} {action}", super::entries::address(role, entry_key))
        }
        Event::ArtifactChanged { slug, action } => {
            let action = match action {
                ArtifactAction::Added => "added",
                ArtifactAction::Updated => "updated",
                ArtifactAction::Finalized => "finalized",
                ArtifactAction::Unfinalized => "no longer finalized",
                ArtifactAction::Deleted => "deleted",
            };
            format!("artifact @{slug} {action}")
        }
        Event::ConversationAdded { message_seq, artifact } => {
            let about = artifact.as_ref().map(|slug| format!(" about @{slug}")).unwrap_or_default();
            format!("message {message_seq}{about}")
        }
        Event::JobChanged { job_id, state } => format!("job {job_id} {}", super::recipes::state(*state)),
        Event::Session { session_id, record, what, .. } => {
            let name: String = session_id.as_str().chars().take(8).collect();
            let number = record.map(|record| format!(" {record}")).unwrap_or_default();
            format!("session {name}{number}: {}", super::workshop::line(what))
        }
    };
    format!("{MARK}{}{MARK:#}  {FAINT}{}{FAINT:#}  {}\n", record.seq, ago(record.at, now), plain(&words))
}

pub(super) fn checkpoint(checkpoint: &Checkpoint) -> String {
    let name = plain(&checkpoint.name);
    format!("Checkpoint {STRONG}{name}{STRONG:#}  {FAINT}{}{FAINT:#}\n", checkpoint.id)
}

pub(super) fn checkpoints(output: &CheckpointListOutput, now: Timestamp) -> String {
    if output.checkpoints.is_empty() {
        return "There are no checkpoints.\n".to_owned();
    }
    let rows = output.checkpoints.iter().map(|one| {
        let reason = match one.reason {
            CheckpointReason::Manual => "",
            CheckpointReason::Publish => "before publishing",
            CheckpointReason::Restore => "before a restore",
            CheckpointReason::Conflict => "before resolving a conflict",
        };
        vec![
            cell(&one.name).styled(STRONG),
            cell(ago(one.created_at, now)),
            number(one.seq.to_string()),
            cell(reason),
            cell(one.id.as_str()).styled(FAINT),
        ]
    });
    table(&["name", "made", "change", "", "id"], rows.collect())
}

pub(super) fn restored(output: &CheckpointRestoreOutput) -> String {
    let (name, before) = (plain(&output.restored.name), plain(&output.before.name));
    format!("Restored {STRONG}{name}{STRONG:#}; the previous state is saved as {before}\n")
}
