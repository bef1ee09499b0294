//! Knowing what changed in the folder without looking at every file, for a process that stays.
//!
//! Every folder below the roots is watched. The system queues what happens there before the call that did it
//! returns, so taking the queue at the start of an operation finds every edit that was finished by then, as a
//! look at each file would. What Jig does itself is announced first and so told from what a person does.
//!
//! In any doubt (the queue ran over, a folder came, went or moved, a file system that may not tell) the watch
//! is given up, and the next look is a full one. So it is after [`FULL_LOOK`] in any case: a write through a
//! second name of a file outside, or through memory that was mapped before the watch began, is not told.

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

/// How long a watch is believed.
const FULL_LOOK: Duration = Duration::from_secs(60);
/// So many announced acts at most wait for their echo: the system's queue must not run over for them.
const ACTS: usize = 1_024;

/// A watch over the folders of a workbench.
#[derive(Debug)]
pub(super) struct Watch {
    source: Source,
    state: Mutex<State>,
    since: Instant,
}

/// What happened in a watched folder.
#[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "no events are delivered there"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// More happened than the queue holds, or something that leaves everything open.
    Doubt,
    /// The folder itself was moved.
    Moved,
    /// The folder is watched no more.
    Over,
    /// Something has a new name here: made, or moved from elsewhere.
    Made,
    Came,
    /// A name is gone from here: removed, or moved elsewhere.
    Removed,
    Left,
    /// Content or rights changed.
    Changed,
}

/// One thing that happened.
#[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "no events are delivered there"))]
#[derive(Debug, Clone, Copy)]
struct Event<'a> {
    place: Place,
    what: What,
    /// Whether it is about a folder.
    folder: bool,
    /// The name in the watched folder; none for the folder itself, or for a name that is no text.
    name: Option<&'a str>,
}

/// Something that Jig is about to do itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Act {
    place: Place,
    what: &'static str,
    name: String,
}

#[derive(Debug)]
struct State {
    places: Places,
    /// Acts whose echo is still to come.
    acts: HashSet<Act>,
    /// Folders that Jig moves as a whole.
    moving: HashSet<Place>,
    /// Folders that Jig removed.
    removed: HashSet<Place>,
    sure: bool,
}

impl Watch {
    /// Begins to watch a workbench's folder; none where that is not possible. The folders below are
    /// [entered](Self::enter) one by one.
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

    /// Watches a folder at this place below the workbench's. To be called before its names are read.
    pub(super) fn enter(&self, disk: &Path, folder: &Folder) {
        let mut state = self.state();
        let added = self.source.add(folder).ok();
        state.sure &= added.is_some_and(|place| state.places.add(disk, place));
    }

    /// Takes what happened since the last time. False when that leaves a doubt.
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

    /// Whether this watch can still be believed.
    pub(super) fn holds(&self) -> bool {
        self.drain() && self.since.elapsed() < FULL_LOOK
    }

    /// Gives the watch up.
    pub(super) fn doubt(&self) {
        self.state().sure = false;
    }

    /// What is to be looked at. It counts as looked at from then on.
    pub(super) fn dirt(&self) -> Dirt {
        self.state().places.take_dirt()
    }

    /// Has the folder around a path looked at again next time.
    pub(super) fn look_again(&self, path: &str) {
        let mut state = self.state();
        state.sure &= state.places.look_again(path);
    }

    /// Where a folder is watched.
    pub(super) fn place(&self, disk: &Path) -> Option<Place> {
        self.state().places.find(disk)
    }

    /// Whether nobody but Jig was in a root since the watch saw it made, or since it was [found](Self::found_calm) alike.
    pub(super) fn is_calm(&self, root: &str) -> bool {
        let mut state = self.state();
        self.drain_into(&mut state);
        state.sure && state.places.is_calm(root)
    }

    /// A root was just looked at and is exactly as Jig left it.
    pub(super) fn found_calm(&self, root: &str) {
        self.state().places.calm(root);
    }

    /// Announces that a file is moved to this name, over one that has it.
    pub(super) fn will_put(&self, folder: Option<Place>, name: &str) {
        self.announce(folder, "file came", name);
    }

    /// Announces that a file is removed.
    pub(super) fn will_remove(&self, folder: Option<Place>, name: &str) {
        self.announce(folder, "file removed", name);
    }

    /// Announces that a folder is made, and will be [entered](Self::made).
    pub(super) fn will_make(&self, folder: Option<Place>, name: &str) {
        self.announce(folder, "folder made", name);
    }

    /// A folder was made: it is watched before anything is put there. What a person was faster with leaves a doubt.
    pub(super) fn made(&self, disk: &Path, folder: &Folder) {
        self.enter(disk, folder);
        if folder.names().map_or(true, |names| !names.is_empty()) {
            self.doubt();
        }
        if let Some(root) = disk.to_str() {
            // Only a root that is made as a whole is known to hold nothing else.
            self.state().places.calm(root);
        }
    }

    /// Announces that an empty folder is removed. When it was not empty, that leaves a [doubt](Self::doubt).
    pub(super) fn will_remove_folder(&self, disk: &Path) {
        let mut state = self.state();
        // What happened in it until now is told while it is still known.
        self.drain_into(&mut state);
        let Some((parent, place, name)) = state.places.remove(disk) else {
            state.sure = false;
            return;
        };
        state.removed.insert(place);
        drop(state);
        self.announce(Some(parent), "folder removed", &name);
    }

    /// Announces that a root is moved as a whole, from one place to another.
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
            // Nothing is told of `.jig` itself.
            if !root.contains('/') {
                self.announce(Some(top), what, root);
            }
        }
    }

    /// Jig's own work is done: all of it must have been told by now.
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
            // The folder itself changed, or a name that is no text.
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
