//! Walks the folder: every regular file with its mark, and everything that is excluded.

use std::collections::HashSet;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

use jig_contract::ops::LeftAlone;

use super::folder::{Folder, is_no_folder};
use super::index::Index;
use super::names::{self, Candidate, Claim};
use super::open_view::OpenView;
use super::stat::{Mark, Thing};
use super::{ROOTS, why};

/// A regular file.
#[derive(Debug, Clone)]
pub(super) struct WalkedFile {
    /// Its path in the form of a state.
    pub path: String,
    /// Its path below the workbench's folder, where names may be in another Unicode form.
    pub disk: PathBuf,
    /// Its mark.
    pub mark: Mark,
}

/// The result of a walk.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// The files, by path.
    pub files: Vec<WalkedFile>,
    /// The excluded paths.
    pub left: Left,
    /// The roots that are not folders.
    pub missing: Vec<&'static str>,
    /// The scanned folders, without subfolders; `None` if all were scanned.
    pub scope: Option<Vec<String>>,
}

/// Excluded paths. What they hide counts neither as present nor as removed.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The paths, with reasons.
    pub things: Vec<LeftAlone>,
    hidden: HashSet<String>,
}

impl Left {
    /// Excludes a path.
    pub(super) fn add(&mut self, path: impl Into<String>, reason: impl Into<String>) {
        let path = path.into();
        self.hidden.insert(path.clone());
        self.things.push(LeftAlone { path, reason: reason.into() });
    }

    /// Whether a path is hidden because it, or a parent folder, is excluded.
    pub(super) fn hides(&self, path: &str) -> bool {
        let above = path.match_indices('/').map(|(at, _)| &path[..at]);
        !self.hidden.is_empty() && above.chain([path]).any(|path| self.hidden.contains(path))
    }
}

/// Walks the three roots without reading any file.
pub(super) fn walk(open_view: &OpenView) -> io::Result<Walk> {
    let mut walk = Walk::default();
    for root in ROOTS {
        match open_view.workbench.below(Path::new(root)) {
            Ok(_) => walk.tree(open_view, root)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => walk.missing.push(root),
            Err(error) if is_no_folder(&error) => walk.no_folder(&open_view.workbench, root)?,
            Err(error) => walk.left.add(root, why::unreadable(&error)),
        }
    }
    Ok(walk.sorted())
}

/// A folder to scan.
#[derive(Debug)]
pub(super) struct Next {
    pub path: String,
    pub disk: PathBuf,
}

impl Walk {
    fn no_folder(&mut self, workbench: &Folder, root: &'static str) -> io::Result<()> {
        self.missing.push(root);
        let (at, thing) = obstacle(workbench, Path::new(root))?;
        self.left.add(at.to_string_lossy(), why::in_place_of_folder(thing));
        Ok(())
    }

    fn tree(&mut self, open_view: &OpenView, root: &str) -> io::Result<()> {
        let mut folders = vec![Next { path: root.to_owned(), disk: PathBuf::from(root) }];
        while let Some(next) = folders.pop() {
            // Each folder is opened from the top, so that deep nesting does not need many open files.
            match open_view
                .workbench
                .below(&next.disk)
                .and_then(|folder| Ok((names(open_view, &next.disk, &folder)?, folder)))
            {
                Ok((names, folder)) => self.folder(&folder, &next, names, &open_view.index, &mut folders)?,
                Err(error) => self.left.add(next.path, why::unreadable(&error)),
            }
        }
        Ok(())
    }

    /// Sorts the result by path.
    pub(super) fn sorted(mut self) -> Self {
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        self.left.things.sort_by(|a, b| a.path.cmp(&b.path));
        self
    }

    /// Scans one folder. Subfolders to scan are added to `folders`.
    pub(super) fn folder(
        &mut self,
        folder: &Folder,
        at: &Next,
        names: Vec<OsString>,
        index: &Index,
        folders: &mut Vec<Next>,
    ) -> io::Result<()> {
        let mut seen = Vec::with_capacity(names.len());
        for name in names {
            let lossy = || format!("{}/{}", at.path, name.to_string_lossy());
            match (folder.thing(&name), name.to_str()) {
                // Removed since the folder was listed: treated as removed before.
                (Ok(None), _) => {}
                (Ok(Some(_)), None) => self.left.add(lossy(), why::NOT_UNICODE),
                (Ok(Some(Thing::Other(what))), _) => self.left.add(lossy(), why::other(what)),
                (Ok(Some(thing)), Some(text)) => {
                    let path = format!("{}/{}", at.path, names::composed(text));
                    let known = match thing {
                        Thing::File(_) => index.files.contains(&path),
                        _ => index.files.knows(&path),
                    };
                    seen.push((name, path, thing, known));
                }
                (Err(error), _) => self.left.add(lossy(), why::unreadable(&error)),
            }
        }
        let start = at.path.len() + 1;
        let candidates: Vec<_> = seen
            .iter()
            .map(|(name, path, _, known)| Candidate {
                disk: name.to_str().unwrap_or_default(),
                name: &path[start..],
                known: *known,
            })
            .collect();
        let claims = names::claims(&candidates);
        for ((name, path, thing, known), claim) in seen.into_iter().zip(claims) {
            let disk = at.disk.join(&name);
            match refusal(&path[start..], &path, thing, known, claim) {
                // A twin in another Unicode form hides nothing, because the NFC name is scanned.
                Some(reason) if claim == Claim::Form => {
                    let path = disk.to_string_lossy().into_owned();
                    self.left.things.push(LeftAlone { path, reason });
                }
                Some(reason) => self.left.add(path, reason),
                None => match thing {
                    Thing::File(mark) => self.files.push(WalkedFile { path, disk, mark }),
                    Thing::Folder => folders.push(Next { path, disk }),
                    Thing::Other(_) => {}
                },
            }
        }
        Ok(())
    }
}

/// The names in a folder. It is watched before they are read, so that no change is missed.
fn names(open_view: &OpenView, disk: &Path, folder: &Folder) -> io::Result<Vec<OsString>> {
    if let Some(watch) = &open_view.watch {
        watch.enter(disk, folder);
    }
    folder.names()
}

/// Why a file or folder is not scanned, if so.
fn refusal(name: &str, path: &str, thing: Thing, known: bool, claim: Claim) -> Option<String> {
    match claim {
        Claim::Case => Some(why::CASE.to_owned()),
        Claim::Form => Some(why::FORM.to_owned()),
        Claim::Free if known => None,
        Claim::Free if matches!(thing, Thing::File(_)) && names::is_program_file(name) => {
            Some(why::PROGRAM_FILE.to_owned())
        }
        Claim::Free => names::refused(path),
    }
}

/// The first path component that is not a folder.
pub(super) fn obstacle(workbench: &Folder, path: &Path) -> io::Result<(PathBuf, Thing)> {
    let mut folder = workbench.below(Path::new(""))?;
    let mut at = PathBuf::new();
    for name in path {
        at.push(name);
        match folder.thing(name)? {
            Some(Thing::Folder) => folder = folder.child(name)?,
            Some(thing) => return Ok((at, thing)),
            None => break,
        }
    }
    Err(io::ErrorKind::NotFound.into())
}
