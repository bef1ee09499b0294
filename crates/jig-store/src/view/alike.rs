//! Whether a folder holds exactly the files that were recorded, and nothing else.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::desk::Desk;
use super::folder::Folder;
use super::index::{Entry, Index};
use super::names::composed;
use super::read::read_in;
use super::stat::{Mark, Thing};

/// Compares the folder at a place below the workbench's with the record of a root.
///
/// Marks are compared; only files whose mark is too young to be believed are read. Gives the record as it
/// is to be kept from now on; none when anything is not as recorded or could not be looked at.
pub(super) fn alike(desk: &Desk, place: &Path, root: &str, record: &Index) -> Option<Index> {
    compare(desk, place, root, record).ok().flatten()
}

fn compare(desk: &Desk, place: &Path, root: &str, record: &Index) -> io::Result<Option<Index>> {
    let mut seen = Index { state: record.state, ..Index::default() };
    let mut entered = HashSet::new();
    let mut folders: Vec<(String, PathBuf)> = vec![(root.to_owned(), place.to_owned())];
    while let Some((at, disk)) = folders.pop() {
        let folder = desk.workbench.below(&disk)?;
        for name in folder.names()? {
            let Some(text) = name.to_str() else { return Ok(None) };
            let path = format!("{at}/{}", composed(text));
            match folder.plain(&name)? {
                Some(Thing::File(mark)) => {
                    let Some(entry) = same(desk, &folder, &name, mark, record.files.get(&path))? else {
                        return Ok(None);
                    };
                    // A second form of the same name.
                    if seen.files.insert(path, entry).is_some() {
                        return Ok(None);
                    }
                }
                Some(Thing::Folder) if record.knows(&path) && entered.insert(path.clone()) => {
                    folders.push((path, disk.join(&name)));
                }
                _ => return Ok(None),
            }
        }
    }
    Ok((seen.files.len() == record.files.len()).then_some(seen))
}

/// The entry of a file that is as recorded.
fn same(desk: &Desk, folder: &Folder, name: &OsStr, mark: Mark, entry: Option<&Entry>) -> io::Result<Option<Entry>> {
    let Some(entry) = entry.filter(|entry| entry.mark == mark) else { return Ok(None) };
    if !entry.young {
        return Ok(Some(*entry));
    }
    let seen = read_in(folder, name)?;
    Ok(seen.filter(|seen| seen.mark == mark && seen.hash == entry.hash).map(|seen| desk.entry(mark, seen.hash)))
}
