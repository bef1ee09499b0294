//! LibreOffice and its child processes, limited and terminated together: `unix` and, elsewhere, `fallback`.

#[cfg(any(not(unix), jig_portable))]
mod fallback;
#[cfg(all(unix, not(jig_portable)))]
mod unix;

#[cfg(any(not(unix), jig_portable))]
pub(super) use fallback::{ProcessGroup, configure, is_plain_file, remove_sockets};
#[cfg(all(unix, not(jig_portable)))]
pub(super) use unix::{ProcessGroup, configure, is_plain_file, remove_sockets};
