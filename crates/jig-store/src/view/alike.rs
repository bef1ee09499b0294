//! Checks whether a folder contains exactly the files that the index has for a root.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::folder::Folder;
use super::index::Entry;
use super::names::composed;
use super::open_view::OpenView;
use super::read::read_in;
use super::stat::{Mark, Thing};

/// Compares a folder with the index of a root.
///
/// Compares file marks; only files whose mark is too young to be reliable are read. Returns the entries that are
/// reliable from now on; `None` if anything differs or cannot be read.
pub(super) fn alike(open_view: &OpenView, place: &Path, root: &str) -> Option<Vec<(String, Entry)>> {
    compare(open_view, place, root).ok().flatten()
}

fn compare(open_view: &OpenView, place: &Path, root: &str) -> io::Result<Option<Vec<(String, Entry)>>> {
    let (mut seen, mut entered, mut grown) = (HashSet::new(), HashSet::new(), Vec::new());
    let mut folders: Vec<(String, PathBuf)> = vec![(root.to_owned(), place.to_owned())];
    while let Some((at, disk)) = folders.pop() {
        let folder = open_view.workbench.below(&disk)?;
        for name in folder.names()? {
            let Some(text) = name.to_str() else { return Ok(None) };
            let path = format!("{at}/{}", composed(text));
            match folder.plain(&name)? {
                Some(Thing::File(mark)) => {
                    let known = open_view.index.files.get(&path);
                    let Some(entry) = same(open_view, &folder, &name, mark, known)? else { return Ok(None) };
                    if known != Some(&entry) {
                        grown.push((path.clone(), entry));
                    }
                    // A second Unicode form of the same name.
                    if !seen.insert(path) {
                        return Ok(None);
                    }
                }
                Some(Thing::Folder) if open_view.index.files.knows(&path) && entered.insert(path.clone()) => {
                    folders.push((path, disk.join(&name)));
                }
                _ => return Ok(None),
            }
        }
    }
    Ok((seen.len() as u64 == open_view.index.files.count(root)).then_some(grown))
}

/// The entry of a file if it is as recorded.
fn same(
    open_view: &OpenView,
    folder: &Folder,
    name: &OsStr,
    mark: Mark,
    entry: Option<&Entry>,
) -> io::Result<Option<Entry>> {
    let Some(entry) = entry.filter(|entry| entry.mark == mark) else { return Ok(None) };
    if !entry.young {
        return Ok(Some(*entry));
    }
    let seen = read_in(folder, name)?;
    Ok(seen.filter(|seen| seen.mark == mark && seen.hash == entry.hash).map(|seen| open_view.entry(mark, seen.hash)))
}
