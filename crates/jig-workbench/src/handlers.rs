//! One handler per operation, grouped like the contract.

mod agent;
mod agent_commit;
mod agent_context;
mod artifact;
mod artifact_exchange;
mod artifact_history;
mod artifact_ops;
mod asset;
mod asset_class;
mod checkpoint;
mod consent;
mod context;
mod context_input;
mod context_process;
mod context_skill;
mod conversation;
mod draft;
mod edit_help;
mod entry;
mod entry_extract;
mod entry_write;
mod file;
mod file_add;
mod file_extract;
mod file_find;
mod file_read;
mod file_secrets;
mod file_table;
mod host_files;
mod job;
mod journal;
mod kind;
mod model;
mod office;
mod output;
mod preview;
mod prompt;
mod proposal;
mod publish;
mod recipe;
mod review;
mod review_compare;
mod review_marks;
mod review_reject;
mod session;
mod stage;
mod store;
mod suggestion;
mod tables;
mod target;
mod token;
mod workbench;
mod workshop;

pub use file_find::paths_in_folder;

use jig_contract::ops::Root;
use jig_contract::{OpError, WorkbenchPath};
use jig_store::{FileNode, Head, TreeChange};

use crate::Workbench;

pub(crate) use proposal::Chosen;
pub(crate) use review_marks::ReviewRecord;
pub(crate) use target::TEXT_BYTES_MAX as TARGET_TEXT_BYTES_MAX;

impl Workbench {
    /// All files of a root, by path. A stored name that violates the current rules is an error, never dropped.
    async fn files_of(&self, head: &Head, root: Root) -> Result<Vec<(WorkbenchPath, FileNode)>, OpError> {
        let files = self.store().files(head.state, root.folder()).await?;
        files.into_iter().map(|(path, file)| Ok((stored_path(&path)?, file))).collect()
    }
}

/// Parses a path from the store.
fn stored_path(path: &str) -> Result<WorkbenchPath, OpError> {
    WorkbenchPath::new(path)
        .map_err(|e| OpError::new(jig_contract::Code::BlobCorrupt, format!("a stored name breaks the rules: {e}")))
}

fn changed_paths(changes: &[TreeChange]) -> Result<Vec<WorkbenchPath>, OpError> {
    changes.iter().map(|change| stored_path(&change.path)).collect()
}

/// `1 file`, `3 files`.
fn count(number: u64, one: &str) -> String {
    format!("{number} {one}{}", if number == 1 { "" } else { "s" })
}

/// The first names of a list, with the number of the rest.
fn names(paths: &[WorkbenchPath]) -> String {
    let shown: Vec<&str> = paths.iter().take(3).map(WorkbenchPath::as_str).collect();
    match paths.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A text for use in messages: truncated and without control characters.
pub(crate) fn shown(text: &str) -> String {
    const SHOWN: usize = 60;
    let mut out: String = text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if text.chars().nth(SHOWN).is_some() {
        out.push('…');
    }
    out
}
