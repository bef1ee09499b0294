//! The worker protocol as a client sees it, what plausible mistakes do to files, and what a worker that was taken over
//! can and cannot do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test stops at the first surprise"
)]

mod creation;
#[cfg(target_os = "linux")]
mod hostile_worker;
#[cfg(target_os = "linux")]
mod launcher;
#[cfg(unix)]
mod pool;
mod slips;
mod support;

/// Whether this system can confine; says so where a test is skipped.
#[cfg(target_os = "linux")]
fn can_confine() -> bool {
    let missing = jig_worker::SandboxSupport::of_this_system().missing();
    if let Some(missing) = missing {
        eprintln!("skipped: {missing}");
    }
    missing.is_none()
}
