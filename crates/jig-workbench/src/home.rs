//! The home folder, which only its owner may access.

use std::io::ErrorKind;
use std::path::Path;

use jig_contract::{Code, OpError};
use jig_store::platform;

/// Creates the home folder, or removes other users' access to it. Returns warnings for people.
pub(crate) fn prepare(home: &Path) -> Result<Vec<String>, OpError> {
    let failed = |e: std::io::Error| {
        let message = format!("cannot create the home folder: {}", e.kind());
        OpError::new(Code::FileWriteFailed, message).hint("`jig settings` shows where it is").because(e)
    };
    std::fs::create_dir_all(home).map_err(failed)?;
    // The permissions of a folder shared by all users, such as `/tmp`, must not be changed.
    if platform::is_shared_folder(home).unwrap_or(false) {
        return Ok(vec!["the home folder is shared with other users of this machine; choose another one".to_owned()]);
    }
    let was_empty = std::fs::read_dir(home).is_ok_and(|mut entries| entries.next().is_none());
    match platform::make_private(home) {
        Ok(true) if !was_empty => {
            Ok(vec!["other users had access to the home folder; it is now limited to its owner (mode 0700)".to_owned()])
        }
        Ok(_) => Ok(Vec::new()),
        // A read-only file system is reported separately.
        Err(e) if e.kind() == ErrorKind::ReadOnlyFilesystem => Ok(Vec::new()),
        Err(e) => {
            Ok(vec![format!("other users have access to the home folder, and that cannot be changed: {}", e.kind())])
        }
    }
}
