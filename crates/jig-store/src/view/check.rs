//! Checks whether the folder shows a state, by reading every file.

use std::collections::HashMap;
use std::fmt;

use jig_contract::BlobHash;
use jig_contract::ops::LeftAlone;

use super::open_view::OpenView;
use super::{View, blocking, nodes, read, walk};
use crate::error::StoreError;
use crate::store::Store;
use crate::tree::FileNode;

/// A difference between the folder and the state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewProblem {
    /// A file of the state is missing in the folder.
    Missing {
        /// Its path.
        path: String,
    },
    /// A file has other content than in the state.
    Differs {
        /// Its path.
        path: String,
    },
    /// A file in the folder is not part of the state.
    Extra {
        /// Its path.
        path: String,
    },
    /// Something in the folder is not imported.
    LeftAlone(LeftAlone),
}

impl fmt::Display for ViewProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path } => write!(f, "`{path}` is not in the folder"),
            Self::Differs { path } => write!(f, "`{path}` has other content in the folder"),
            Self::Extra { path } => write!(f, "`{path}` is only in the folder"),
            Self::LeftAlone(thing) => write!(f, "`{}` is skipped: {}", thing.path, thing.reason),
        }
    }
}

impl View {
    /// Reads every file of the folder and compares it with the state. Read-only.
    pub async fn check(&self, store: &Store, state: BlobHash) -> Result<Vec<ViewProblem>, StoreError> {
        let wanted = nodes::all(store, state).await?;
        let view = self.clone();
        blocking(move || compare(&view, wanted)).await
    }
}

fn compare(view: &View, mut wanted: HashMap<String, FileNode>) -> Result<Vec<ViewProblem>, StoreError> {
    let open_view = OpenView::open_apart(view)?;
    let walk = walk::walk(&open_view)?;
    let mut left = walk.left;
    let mut problems = Vec::new();
    for found in walk.files {
        let seen = match read::read(&open_view.workbench, &found.disk) {
            Ok(Some(seen)) => seen.hash,
            Ok(None) => {
                left.add(found.path, super::why::CHANGING);
                continue;
            }
            Err(error) => {
                left.add(found.path, super::why::unreadable(&error));
                continue;
            }
        };
        match wanted.remove(&found.path) {
            Some(node) if node.hash == seen => {}
            Some(_) => problems.push(ViewProblem::Differs { path: found.path }),
            None => problems.push(ViewProblem::Extra { path: found.path }),
        }
    }
    let missing = wanted.into_keys().filter(|path| !left.hides(path));
    problems.extend(missing.map(|path| ViewProblem::Missing { path }));
    problems.extend(left.things.into_iter().map(ViewProblem::LeftAlone));
    problems.sort_by(|a, b| a.path().cmp(b.path()));
    Ok(problems)
}

impl ViewProblem {
    /// The path of the difference.
    pub fn path(&self) -> &str {
        match self {
            Self::Missing { path } | Self::Differs { path } | Self::Extra { path } => path,
            Self::LeftAlone(thing) => &thing.path,
        }
    }
}
