//! The folders of plain files that this process was at work in, so that it need not look at every file again.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use jig_contract::WorkbenchId;
use jig_store::View;

/// So many workbenches are watched at most: each takes room in memory and a queue of the system's.
const WATCHED: usize = 16;

/// The watched folders, the one used last in front.
#[derive(Default)]
pub(crate) struct Folders(Mutex<Vec<(WorkbenchId, View)>>);

impl Folders {
    /// The folder of a workbench, which is at this path.
    pub(crate) fn get(&self, id: &WorkbenchId, path: impl FnOnce() -> PathBuf) -> View {
        let mut folders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = folders.iter().position(|(known, _)| known == id).map(|at| folders.remove(at));
        let (id, view) = known.unwrap_or_else(|| (id.clone(), View::watched(path())));
        folders.insert(0, (id, view.clone()));
        folders.truncate(WATCHED);
        view
    }
}
