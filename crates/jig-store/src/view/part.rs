//! A partial scan of what a watch reported, instead of a full scan.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::files::SPARE_ROOT;
use super::folder::Folder;
use super::names::composed;
use super::open_view::OpenView;
use super::stat::Thing;
use super::walk::{self, Next, Walk};
use super::watch::{Dirt, Watch};

/// Scans what the watch reported, or everything, watching it from then on.
pub(super) fn look(open_view: &mut OpenView) -> io::Result<Walk> {
    if let Some(watch) = &open_view.watch
        && let Some(walk) = part(open_view, watch, watch.dirt())?
    {
        return Ok(walk);
    }
    open_view.begin_watch();
    let walk = walk::walk(open_view)?;
    if let Some(watch) = &open_view.watch {
        let spare = PathBuf::from(SPARE_ROOT);
        if open_view.index.spare.is_some() && enter_all(open_view, watch, spare).is_err() {
            watch.doubt();
        }
    }
    open_view.watch = open_view.watch.take().filter(Watch::drain);
    Ok(walk)
}

/// Scans the folders with activity that is not Jig's own. `None` if a full scan is required.
fn part(open_view: &OpenView, watch: &Watch, dirt: Dirt) -> io::Result<Option<Walk>> {
    let mut folders = dirt.folders;
    for (disk, names) in dirt.names {
        if !folders.contains(&disk) && !is_clean(open_view, &disk, &names)? {
            folders.insert(disk);
        }
    }
    let (mut walk, mut scope) = (Walk::default(), Vec::new());
    for disk in folders {
        let Some(path) = disk.to_str().map(composed) else { return Ok(None) };
        let Ok(folder) = open_view.workbench.below(&disk) else { return Ok(None) };
        let (next, mut inner) = (Next { path, disk }, Vec::new());
        let Ok(names) = folder.names() else { return Ok(None) };
        walk.folder(&folder, &next, names, &open_view.index, &mut inner)?;
        if inner.iter().any(|inner| watch.place(&inner.disk).is_none()) {
            return Ok(None);
        }
        scope.push(next.path);
    }
    walk.scope = Some(scope);
    Ok(Some(walk.sorted()))
}

/// Whether all these names certainly match the index.
fn is_clean(open_view: &OpenView, disk: &Path, names: &BTreeSet<String>) -> io::Result<bool> {
    let Ok(folder) = open_view.workbench.below(disk) else { return Ok(false) };
    for name in names {
        if !is_as_known(open_view, &folder, disk, name)? {
            return Ok(false);
        }
    }
    Ok(true)
}

fn is_as_known(open_view: &OpenView, folder: &Folder, disk: &Path, name: &str) -> io::Result<bool> {
    let place = disk.join(name);
    let Some(path) = place.to_str().filter(|path| composed(path) == *path) else { return Ok(false) };
    let entry = open_view.index.files.get(path);
    Ok(match (folder.thing(OsStr::new(name))?, entry) {
        (None, None) => true,
        (Some(Thing::File(mark)), Some(entry)) => entry.mark == mark && !entry.young,
        _ => false,
    })
}

/// Watches a folder and all folders below it.
fn enter_all(open_view: &OpenView, watch: &Watch, top: PathBuf) -> io::Result<()> {
    let mut folders = vec![top];
    while let Some(disk) = folders.pop() {
        let folder = open_view.workbench.below(&disk)?;
        watch.enter(&disk, &folder);
        folders.extend(folder.folders()?.into_iter().map(|name| disk.join(name)));
    }
    Ok(())
}
