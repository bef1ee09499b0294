//! Who may read a file, on systems whose file metadata has permissions.

use std::fs::Metadata;

/// The mode of a file that others than its owner may access.
#[cfg(unix)]
pub(super) fn shared_mode(meta: &Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = meta.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Not known: the standard library reads no access control lists, so a file of keys is used whoever else may read it.
/// In a user's profile, Windows gives other users no access.
#[cfg(not(unix))]
pub(super) fn shared_mode(_: &Metadata) -> Option<u32> {
    None
}
