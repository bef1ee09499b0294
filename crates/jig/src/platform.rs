//! Signals, private files and re-executing the program, which differ between operating systems: `unix` and, elsewhere,
//! `fallback`.

#[cfg(any(not(unix), jig_portable))]
mod fallback;
#[cfg(all(unix, not(jig_portable)))]
mod unix;

#[cfg(any(not(unix), jig_portable))]
pub(crate) use fallback::{exec, stop_requests, write_private};
#[cfg(all(unix, not(jig_portable)))]
pub(crate) use unix::{exec, stop_requests, write_private};
