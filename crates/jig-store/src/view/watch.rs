//! File notifications for long-lived processes, to know what changed without checking every file.
//!
//! Every folder below the roots is watched. The system queues an event before the call that caused it returns, so
//! draining the queue at the start of an operation finds every edit that was completed by then, like a full scan would.
//! Jig announces its own actions first, which distinguishes them from manual edits.
//!
//! In any doubt (queue overflow, folders created, removed or moved, a file system with incomplete notifications) the
//! watch is dropped and the next scan is a full one. That also happens after [`FULL_LOOK`] in any case, because writes
//! through an outside hard link, or through memory that was mapped before the watch started, are not reported.

#[cfg(all(target_os = "linux", not(jig_portable)))]
mod inotify;
#[cfg(any(not(target_os = "linux"), jig_portable))]
mod nothing;
mod places;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

#[cfg(all(target_os = "linux", not(jig_portable)))]
use inotify::Source;
#[cfg(any(not(target_os = "linux"), jig_portable))]
use nothing::Source;
pub(super) use places::{Dirt, Place};
use places::{PRIVATE, Places};

use super::folder::Folder;

/// How long a watch is trusted.
const FULL_LOOK: Duration = Duration::from_secs(60);
/// The maximum number of announced actions without their event, so that they do not overflow the system's queue.
const ACTS: usize = 1_024;

/// A watch over the folders of a workbench.
#[derive(Debug)]
pub(super) struct Watch {
    source: Source,
    state: Mutex<State>,
    since: Instant,
}

/// The type of an event.
#[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "no events are delivered there"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// The queue overflowed, or anything may have happened.
    Doubt,
    /// The folder itself was moved.
    Moved,
    /// The folder is no longer watched.
    Over,
    /// A name was added: created, or moved here.
    Made,
    Came,
    /// A name was removed, or moved elsewhere.
    Removed,
    Left,
    /// Content or permissions changed.
    Changed,
}

/// An event.
#[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "no events are delivered there"))]
#[derive(Debug, Clone, Copy)]
struct Event<'a> {
    place: Place,
    what: What,
    /// Whether it concerns a folder.
    folder: bool,
    /// The name in the watched folder; `None` for the folder itself, or for a name that is not Unicode.
    name: Option<&'a str>,
}

/// An action that Jig is about to take itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Act {
    place: Place,
    what: &'static str,
    name: String,
}

#[derive(Debug)]
struct State {
    places: Places,
    /// Actions whose event is still to come.
    acts: HashSet<Act>,
    /// Roots that Jig is moving.
    moving: HashSet<Place>,
    /// Folders that Jig removed.
    removed: HashSet<Place>,
    sure: bool,
}

impl Watch {
    /// Starts watching a workbench's folder; `None` if that is not possible. Subfolders are [entered](Self::enter) one
    /// by one.
    pub(super) fn begin(workbench: &Folder) -> Option<Self> {
        let source = Source::new(workbench)?;
        let top = source.add(workbench).ok()?;
        let places = Places::new(top);
        let state = State { places, acts: HashSet::new(), moving: HashSet::new(), removed: HashSet::new(), sure: true };
        let watch = Self { source, state: Mutex::new(state), since: Instant::now() };
        if let Ok(meta) = workbench.child("meta".as_ref()) {
            watch.enter(Path::new("meta"), &meta);
        }
        Some(watch)
    }

    /// Watches a folder. Must be called before its names are read.
    pub(super) fn enter(&self, disk: &Path, folder: &Folder) {
        let mut state = self.state();
        let added = self.source.add(folder).ok();
        state.sure &= added.is_some_and(|place| state.places.add(disk, place));
    }

    /// Processes the events since the last call. False if they leave a doubt.
    pub(super) fn drain(&self) -> bool {
        let mut state = self.state();
        self.drain_into(&mut state);
        state.sure
    }

    fn drain_into(&self, state: &mut State) {
        if !self.source.read(&mut |event| state.happened(event)) {
            state.sure = false;
        }
    }

    /// Whether this watch is still reliable.
    pub(super) fn holds(&self) -> bool {
        self.drain() && self.since.elapsed() < FULL_LOOK
    }

    /// Marks the watch as unreliable.
    pub(super) fn doubt(&self) {
        self.state().sure = false;
    }

    /// The paths to scan, which count as scanned from then on.
    pub(super) fn dirt(&self) -> Dirt {
        self.state().places.take_dirt()
    }

    /// Requests that the folder of a path is scanned again next time.
    pub(super) fn look_again(&self, path: &str) {
        let mut state = self.state();
        state.sure &= state.places.look_again(path);
    }

    /// The watch of a folder.
    pub(super) fn place(&self, disk: &Path) -> Option<Place> {
        self.state().places.find(disk)
    }

    /// Whether only Jig has used a root since it was created, or since it was [found](Self::found_calm) unchanged.
    pub(super) fn is_calm(&self, root: &str) -> bool {
        let mut state = self.state();
        self.drain_into(&mut state);
        state.sure && state.places.is_calm(root)
    }

    /// Records that a root was just checked and is exactly as Jig left it.
    pub(super) fn found_calm(&self, root: &str) {
        self.state().places.calm(root);
    }

    /// Announces that a file is moved to this name, replacing an existing one.
    pub(super) fn will_put(&self, folder: Option<Place>, name: &str) {
        self.announce(folder, "file came", name);
    }

    /// Announces that a file is removed.
    pub(super) fn will_remove(&self, folder: Option<Place>, name: &str) {
        self.announce(folder, "file removed", name);
    }

    /// Announces that a folder is created, and will be [entered](Self::made).
    pub(super) fn will_make(&self, folder: Option<Place>, name: &str) {
        self.announce(folder, "folder made", name);
    }

    /// Watches a folder that was just created, before anything is put there. If a person was faster, that leaves a
    /// doubt.
    pub(super) fn made(&self, disk: &Path, folder: &Folder) {
        self.enter(disk, folder);
        if folder.names().map_or(true, |names| !names.is_empty()) {
            self.doubt();
        }
        if let Some(root) = disk.to_str() {
            // Only a new root is known to contain nothing else.
            self.state().places.calm(root);
        }
    }

    /// Announces that an empty folder is removed. If it was not empty, that leaves a [doubt](Self::doubt).
    pub(super) fn will_remove_folder(&self, disk: &Path) {
        let mut state = self.state();
        // Events up to now are processed while the folder is still known.
        self.drain_into(&mut state);
        let Some((parent, place, name)) = state.places.remove(disk) else {
            state.sure = false;
            return;
        };
        state.removed.insert(place);
        drop(state);
        self.announce(Some(parent), "folder removed", &name);
    }

    /// Announces that an entire root is renamed.
    pub(super) fn will_move(&self, from: &str, to: &str) {
        let mut state = self.state();
        let Some(place) = state.places.rename(Path::new(from), Path::new(to)) else {
            state.sure = false;
            return;
        };
        state.moving.insert(place);
        let top = state.places.top();
        drop(state);
        for (root, what) in [(from, "folder left"), (to, "folder came")] {
            // `.jig` itself is not watched.
            if !root.contains('/') {
                self.announce(Some(top), what, root);
            }
        }
    }

    /// Called when Jig's own work is done: all of its events must have arrived by now.
    pub(super) fn settle(&self) -> bool {
        let mut state = self.state();
        self.drain_into(&mut state);
        state.sure &= state.acts.is_empty();
        state.acts.clear();
        state.moving.clear();
        state.sure
    }

    fn announce(&self, place: Option<Place>, what: &'static str, name: &str) {
        let mut state = self.state();
        let Some(place) = place else {
            state.sure = false;
            return;
        };
        if place == PRIVATE {
            return;
        }
        if state.acts.len() >= ACTS {
            self.drain_into(&mut state);
        }
        state.acts.insert(Act { place, what, name: name.to_owned() });
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn happened(&mut self, event: Event<'_>) {
        if self.removed.contains(&event.place) {
            if event.what == What::Over {
                self.removed.remove(&event.place);
            }
            return;
        }
        match (event.what, event.name) {
            (What::Doubt | What::Over, _) => self.sure = false,
            (What::Moved, _) => self.sure &= self.moving.contains(&event.place),
            // The folder itself changed, or the name is not Unicode.
            (_, None) => self.sure = false,
            (what, Some(name)) => {
                if !self.is_own(event.place, what, event.folder, name) {
                    self.sure &= self.places.touch(event.place, name, event.folder);
                }
            }
        }
    }

    fn is_own(&mut self, place: Place, what: What, folder: bool, name: &str) -> bool {
        let what = match (what, folder) {
            (What::Came, false) => "file came",
            (What::Removed, false) => "file removed",
            (What::Made, true) => "folder made",
            (What::Removed, true) => "folder removed",
            (What::Left, true) => "folder left",
            (What::Came, true) => "folder came",
            _ => return false,
        };
        !self.acts.is_empty() && self.acts.remove(&Act { place, what, name: name.to_owned() })
    }
}
