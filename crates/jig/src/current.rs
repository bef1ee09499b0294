//! The current workbench, used when a command names none.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jig_contract::{Code, OpError};

fn file(home: &Path) -> PathBuf {
    home.join("current")
}

/// The current workbench, as chosen by `jig new` or `jig use`.
pub(crate) fn read(home: &Path) -> Option<String> {
    let text = fs::read_to_string(file(home)).ok()?;
    Some(text.trim().to_owned()).filter(|id| !id.is_empty())
}

pub(crate) fn write(home: &Path, id: &str) -> Result<(), OpError> {
    let temporary = home.join(".current.new");
    fs::create_dir_all(home)
        .and_then(|()| fs::write(&temporary, format!("{id}\n")))
        .and_then(|()| fs::rename(&temporary, file(home)))
        .map_err(|e| failed(&e))
}

/// Clears the current workbench if it is `id`.
pub(crate) fn forget(home: &Path, id: &str) -> Result<(), OpError> {
    if read(home).as_deref() != Some(id) {
        return Ok(());
    }
    match fs::remove_file(file(home)) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(&e)),
        _ => Ok(()),
    }
}

fn failed(error: &io::Error) -> OpError {
    OpError::new(Code::FileWriteFailed, format!("the current workbench could not be saved: {error}"))
        .hint("specify the workbench with `-w ID` or the variable JIG_WORKBENCH instead")
}
