//! The watched folders, and the events in them that were not scanned yet.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Component, Path, PathBuf};

use super::super::files::SPARE_ROOT;

/// A watch descriptor.
pub(in super::super) type Place = i32;

/// Represents `.jig`, which is not watched itself; only the spare in it is.
pub(super) const PRIVATE: Place = -1;
/// The roots that can be renamed.
const MOVABLE: [&str; 2] = ["draft", SPARE_ROOT];

/// What needs to be scanned.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Dirt {
    /// Names with events, by folder.
    pub names: BTreeMap<PathBuf, BTreeSet<String>>,
    /// Folders to scan entirely.
    pub folders: BTreeSet<PathBuf>,
}

/// The watched folders. Each only knows its parent, so that renaming one moves everything below it.
#[derive(Debug)]
pub(super) struct Places {
    top: Place,
    above: HashMap<Place, (Place, String)>,
    below: HashMap<(Place, String), Place>,
    names: BTreeMap<Place, BTreeSet<String>>,
    again: BTreeSet<Place>,
    /// The renameable roots that only Jig has used.
    calm: BTreeSet<Place>,
}

impl Places {
    pub(super) fn new(top: Place) -> Self {
        let mut places = Self {
            top,
            above: HashMap::new(),
            below: HashMap::new(),
            names: BTreeMap::new(),
            again: BTreeSet::new(),
            calm: BTreeSet::new(),
        };
        places.insert(top, ".jig", PRIVATE);
        places
    }

    pub(super) fn top(&self) -> Place {
        self.top
    }

    /// Adds a folder; false if its parent is not watched, or it is watched under another name.
    pub(super) fn add(&mut self, disk: &Path, place: Place) -> bool {
        let known = self.above.contains_key(&place) || place == self.top;
        let Some((parent, name)) = self.around(disk).filter(|_| !known) else { return false };
        self.insert(parent, &name, place);
        true
    }

    pub(super) fn find(&self, disk: &Path) -> Option<Place> {
        let mut place = self.top;
        for part in disk.components() {
            let Component::Normal(name) = part else { return None };
            place = *self.below.get(&(place, name.to_str()?.to_owned()))?;
        }
        Some(place)
    }

    /// Removes a folder. Returns its parent, its own descriptor and its name.
    pub(super) fn remove(&mut self, disk: &Path) -> Option<(Place, Place, String)> {
        let place = self.find(disk)?;
        let (parent, name) = self.above.remove(&place)?;
        self.below.remove(&(parent, name.clone()));
        self.names.remove(&place);
        self.again.remove(&place);
        self.calm.remove(&place);
        Some((parent, place, name))
    }

    /// Moves a folder with everything below it.
    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> Option<Place> {
        let (parent, name) = self.around(to)?;
        let place = self.find(from)?;
        let before = self.above.remove(&place)?;
        self.below.remove(&before);
        self.insert(parent, &name, place);
        Some(place)
    }

    /// Records an event; false if that leaves a doubt.
    pub(super) fn touch(&mut self, place: Place, name: &str, folder: bool) -> bool {
        if place == self.top {
            return !["published", "draft", "meta", ".jig"].contains(&name);
        }
        let Some(path) = self.path(place) else { return false };
        if path == Path::new("meta") {
            return name != "context";
        }
        if let Some(root) = self.movable(&path) {
            self.calm.remove(&root);
        }
        if !path.starts_with(SPARE_ROOT) && !folder {
            self.names.entry(place).or_default().insert(name.to_owned());
        }
        !folder
    }

    pub(super) fn take_dirt(&mut self) -> Dirt {
        let (names, again) = (std::mem::take(&mut self.names), std::mem::take(&mut self.again));
        Dirt {
            names: names.into_iter().filter_map(|(place, names)| Some((self.path(place)?, names))).collect(),
            folders: again.into_iter().filter_map(|place| self.path(place)).collect(),
        }
    }

    /// Requests that the folder of a path is scanned again; false if it is not watched.
    pub(super) fn look_again(&mut self, path: &str) -> bool {
        let around = Path::new(path).parent().and_then(|folder| self.find(folder));
        // Folders above the roots are not scanned.
        let Some(place) = around.filter(|place| *place != self.top && self.path(*place) != Some("meta".into())) else {
            return false;
        };
        self.again.insert(place);
        true
    }

    pub(super) fn is_calm(&self, root: &str) -> bool {
        self.find(Path::new(root)).is_some_and(|place| self.calm.contains(&place))
    }

    pub(super) fn calm(&mut self, root: &str) {
        if let Some(place) = MOVABLE.contains(&root).then(|| self.find(Path::new(root))).flatten() {
            self.calm.insert(place);
        }
    }

    fn insert(&mut self, parent: Place, name: &str, place: Place) {
        self.above.insert(place, (parent, name.to_owned()));
        self.below.insert((parent, name.to_owned()), place);
    }

    fn around(&self, disk: &Path) -> Option<(Place, String)> {
        let name = disk.file_name()?.to_str()?.to_owned();
        Some((self.find(disk.parent()?)?, name))
    }

    fn movable(&self, path: &Path) -> Option<Place> {
        let root = MOVABLE.into_iter().find(|root| path.starts_with(root))?;
        self.find(Path::new(root))
    }

    fn path(&self, mut place: Place) -> Option<PathBuf> {
        let mut names = Vec::new();
        while place != self.top {
            let (parent, name) = self.above.get(&place)?;
            names.push(name);
            place = *parent;
        }
        Some(names.into_iter().rev().collect())
    }
}
