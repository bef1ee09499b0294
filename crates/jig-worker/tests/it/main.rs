//! The worker protocol as a client sees it, what plausible mistakes do to files, and what a worker that was taken over
//! can and cannot do.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a test stops at the first surprise"
)]

mod creation;
mod damaged;
#[cfg(target_os = "linux")]
mod hostile_worker;
#[cfg(target_os = "linux")]
mod launcher;
mod natural_slips;
mod original_client;
#[cfg(unix)]
mod pool;
mod reads;
mod receipts;
mod removals;
mod slips;
mod support;

/// Whether this system can confine a process; prints a line where a test is skipped.
#[cfg(target_os = "linux")]
fn can_confine() -> bool {
    let missing = jig_worker::SandboxSupport::of_this_system().missing();
    if let Some(missing) = missing {
        eprintln!("skipped: {missing}");
    }
    missing.is_none()
}
