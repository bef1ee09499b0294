//! File permissions, on systems whose metadata has them.

use std::fs::Metadata;

/// The mode of a file that users other than its owner can access.
#[cfg(unix)]
pub(super) fn shared_mode(meta: &Metadata) -> Option<u32> {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = meta.permissions().mode() & 0o777;
    (mode & 0o077 != 0).then_some(mode)
}

/// Unknown: the standard library cannot read access control lists, so a keys file is accepted whoever else can read it.
/// In a user's profile folder, Windows gives other users no access.
#[cfg(not(unix))]
pub(super) fn shared_mode(_: &Metadata) -> Option<u32> {
    None
}
