//! `research.md` and `plan.md` of the current run, as files next to the user's own.
//!
//! The log is authoritative: the files are generated from it, and editing or deleting them has no effect.

use std::path::{Path, PathBuf};

use jig_contract::WorkbenchId;
use jig_contract::ops::RunNotes;
use jig_session::{Event, Notes, Phase, Record};

use super::live::Live;
use crate::Workbench;

const FOLDER: &str = "meta/workshop";
const RESEARCH: &str = "research.md";
const PLAN: &str = "plan.md";

impl Live {
    /// The notes of the active or last run.
    pub(crate) fn notes(&self) -> Option<RunNotes> {
        let notes = self.state.core.run.as_ref().map(Notes::of).or_else(|| self.state.history.last.clone())?;
        let plan = notes.plan.map(|plan| plan.render());
        Some(RunNotes { run: notes.run, research: notes.research.map(|text| text.to_string()), plan })
    }
}

impl Workbench {
    /// Updates the files after these records. A full disk must not stop the agent.
    pub(crate) async fn keep_notes(&self, live: &Live, records: &[Record]) {
        // A fixed task has no notes, so those of the user's last run stay.
        let task = live.state.core.run.as_ref().is_some_and(|run| run.config.task.is_some());
        if task || !records.iter().any(|record| changes_notes(&record.event)) {
            return;
        }
        let Some(folder) = self.notes_folder(&live.row.workbench_id) else { return };
        let notes = live.notes().unwrap_or_default();
        let texts = [(RESEARCH, notes.research), (PLAN, notes.plan)];
        let kept = tokio::task::spawn_blocking(move || keep(&folder, &texts)).await;
        if let Ok(Err(error)) = kept {
            tracing::warn!(workbench = %live.row.workbench_id, "the notes of a run could not be written: {error}");
        }
    }

    /// Removes the files together with their workbench.
    pub(crate) async fn forget_notes(&self, id: &WorkbenchId) {
        let Some(folder) = self.notes_folder(id) else { return };
        let _ = tokio::task::spawn_blocking(move || keep(&folder, &[(RESEARCH, None), (PLAN, None)])).await;
    }

    /// The folder of the files; `None` if views are disabled.
    fn notes_folder(&self, id: &WorkbenchId) -> Option<PathBuf> {
        self.folder(id).map(|_| self.folder_path(id).join(FOLDER))
    }
}

const fn changes_notes(event: &Event) -> bool {
    matches!(
        event,
        Event::RunStarted { .. }
            | Event::PhaseCompleted { phase: Phase::Research, .. }
            | Event::PlanMade { .. }
            | Event::ItemCompleted { .. }
            | Event::ItemFailed { .. }
            | Event::Rewound { .. }
    )
}

/// Writes existing notes atomically, and removes files of missing ones.
fn keep(folder: &Path, texts: &[(&str, Option<String>); 2]) -> std::io::Result<()> {
    for (name, text) in texts {
        let path = folder.join(name);
        match text {
            Some(text) => {
                std::fs::create_dir_all(folder)?;
                let fresh = folder.join(format!(".{name}.new"));
                std::fs::write(&fresh, text)?;
                std::fs::rename(&fresh, &path)?;
            }
            None => match std::fs::remove_file(&path) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
                _ => {}
            },
        }
    }
    if texts.iter().all(|(_, text)| text.is_none()) {
        // Fails if the folder contains other files, which stay.
        let _ = std::fs::remove_dir(folder);
    }
    Ok(())
}
