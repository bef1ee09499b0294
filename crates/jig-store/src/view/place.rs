//! Resolves paths on disk and decides whether what is there may be replaced.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::PathBuf;
use std::rc::Rc;

use super::folder::{Folder, is_no_folder};
use super::index::Entry;
use super::names::composed;
use super::open_view::OpenView;
use super::plan::Target;
use super::stat::{Mark, Thing};
use super::watch::Place;
use super::{read, why};
use crate::tree::FileNode;

/// A file to move into place.
#[derive(Debug)]
pub(super) struct Placing {
    pub path: String,
    pub want: FileNode,
    /// Its name in `tmp`.
    pub tmp: String,
    /// The file that may be replaced; `None` if nothing is there.
    pub over: Option<Mark>,
}

/// What is at a target.
#[derive(Debug)]
pub(super) enum Stand {
    /// Nothing.
    Nothing,
    /// Already the right content.
    Right(Entry),
    /// A file that Jig wrote or whose content is stored: it may be replaced.
    Ours(Mark),
    /// A manual edit that was not imported yet.
    Newer,
    /// Something else at this path, for this reason: Jig's file is no longer there.
    Blocked(String, String),
    /// Something unreadable at this path, for this reason: Jig's file may still be there.
    Closed(String, String),
}

/// A resolved path on disk.
pub(super) enum Reached {
    /// A name in an open folder.
    At(Rc<Open>, OsString),
    /// A parent folder does not exist.
    Nowhere,
    /// Something that is not a folder blocks the path, here and for this reason.
    Blocked(String, String),
    /// A parent folder is not accessible, here and for this reason.
    Closed(String, String),
}

/// An open folder, and the names in it that are not in NFC.
pub(super) struct Open {
    pub folder: Folder,
    /// Its path below the workbench's folder.
    pub disk: PathBuf,
    /// Its watch.
    pub place: Option<Place>,
    forms: std::cell::OnceCell<HashMap<String, OsString>>,
}

/// Resolves paths one after the other. Neighbours share the open folder.
#[derive(Default)]
pub(super) struct Reach {
    last: Option<(String, Rc<Open>)>,
}

/// Whether missing parent folders are created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Created.
    Make,
    /// Not created.
    Find,
}

impl Reach {
    /// Resolves a path folder by folder, without following links.
    pub(super) fn to(&mut self, open_view: &OpenView, path: &str, way: Way) -> io::Result<Reached> {
        let (parent, name) = path.rsplit_once('/').unwrap_or(("", path));
        let open = match &self.last {
            Some((at, open)) if at == parent => Rc::clone(open),
            _ => match open(open_view, parent, way)? {
                Ok(open) => open,
                Err(stopped) => return Ok(stopped),
            },
        };
        self.last = Some((parent.to_owned(), Rc::clone(&open)));
        let name = open.disk_name(name)?;
        Ok(Reached::At(open, name))
    }
}

fn open(open_view: &OpenView, path: &str, way: Way) -> io::Result<Result<Rc<Open>, Reached>> {
    let mut at = Open::new(open_view, open_view.workbench.child(OsStr::new("."))?, PathBuf::new());
    let mut end = 0;
    for name in path.split('/').filter(|name| !name.is_empty()) {
        end += name.len() + 1;
        let disk = at.disk_name(name)?;
        let next = if way == Way::Make { at.make(open_view, &disk) } else { at.folder.child(&disk) };
        let here = || path[..end - 1].to_owned();
        at = match next {
            Ok(folder) => Open::new(open_view, folder, at.disk.join(disk)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Err(Reached::Nowhere)),
            Err(error) if is_no_folder(&error) => {
                let thing = at.folder.thing(&disk)?.unwrap_or(Thing::Other("gone"));
                return Ok(Err(Reached::Blocked(here(), why::in_place_of_folder(thing))));
            }
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                return Ok(Err(Reached::Closed(here(), why::unreadable(&error))));
            }
            Err(error) => return Err(error),
        };
    }
    Ok(Ok(Rc::new(at)))
}

impl Open {
    fn new(open_view: &OpenView, folder: Folder, disk: PathBuf) -> Self {
        let place = open_view.watch.as_ref().and_then(|watch| watch.place(&disk));
        Self { folder, disk, place, forms: std::cell::OnceCell::new() }
    }

    /// Opens a subfolder; creates it if it is missing.
    fn make(&self, open_view: &OpenView, name: &OsStr) -> io::Result<Folder> {
        match self.folder.child(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened,
        }
        let Some(watch) = &open_view.watch else { return self.folder.make_child(name) };
        watch.will_make(self.place, &name.to_string_lossy());
        self.folder.make(name)?;
        let made = self.folder.child(name)?;
        watch.made(&self.disk.join(name), &made);
        Ok(made)
    }

    /// The name on disk: in NFC, unless only another form exists.
    fn disk_name(&self, name: &str) -> io::Result<OsString> {
        if name.is_ascii() || self.folder.thing(OsStr::new(name))?.is_some() {
            return Ok(OsString::from(name));
        }
        if self.forms.get().is_none() {
            let _ = self.forms.set(other_forms(&self.folder)?);
        }
        let other = self.forms.get().and_then(|forms| forms.get(name));
        Ok(other.cloned().unwrap_or_else(|| OsString::from(name)))
    }
}

fn other_forms(folder: &Folder) -> io::Result<HashMap<String, OsString>> {
    let pair = |name: OsString| {
        let text = name.to_str()?;
        let form = composed(text);
        (form != text).then_some((form, name))
    };
    Ok(folder.names()?.into_iter().filter_map(pair).collect())
}

/// Determines what is at a target, reading it if its mark is inconclusive.
pub(super) fn stand(open_view: &OpenView, folder: &Folder, name: &OsStr, target: &Target) -> io::Result<Stand> {
    let entry = open_view.index.files.get(&target.path);
    let closed = |error| Ok(Stand::Closed(target.path.clone(), why::unreadable(&error)));
    let mark = match folder.thing(name) {
        Ok(None) => return Ok(Stand::Nothing),
        Ok(Some(Thing::File(mark))) => mark,
        // An empty folder contains nothing that could be lost.
        Ok(Some(Thing::Folder)) if target.want.is_some() && folder.remove_empty(name)? => return Ok(Stand::Nothing),
        Ok(Some(thing)) => return Ok(Stand::Blocked(target.path.clone(), why::in_place_of_file(thing))),
        Err(error) => return closed(error),
    };
    let seen = match entry {
        Some(entry) if entry.mark == mark && !entry.young => *entry,
        _ => match read::read_in(folder, name) {
            Ok(Some(seen)) => open_view.entry(seen.mark, seen.hash),
            Ok(None) => return Ok(Stand::Newer),
            Err(error) => return closed(error),
        },
    };
    if target.want.is_some_and(|node| node.hash == seen.hash) {
        return Ok(Stand::Right(seen));
    }
    let ours = entry.is_some_and(|entry| entry.hash == seen.hash) || target.ours.contains(&seen.hash);
    Ok(if ours { Stand::Ours(seen.mark) } else { Stand::Newer })
}
