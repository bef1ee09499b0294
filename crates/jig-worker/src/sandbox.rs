//! What a worker gives up before it reads the first byte of a file: memory and processor time beyond a
//! bound, every file but those it is there for, the network, and starting other programs.
//!
//! Memory and processor time are bounded by the limits of Unix (`rlimit`; `no_rlimit` elsewhere). Files, network and
//! other programs are closed off on Linux only (`linux`; `no_sandbox` elsewhere). What is not in force is reported as
//! such, and the pool then gives a worker copies of files, never links. Its limit of time by the clock always holds.
//! [`launch`] starts other programs under the same rules.

mod launch;
#[cfg(all(target_os = "linux", not(jig_portable)))]
mod linux;
#[cfg(any(not(unix), jig_portable))]
mod no_rlimit;
#[cfg(any(not(target_os = "linux"), jig_portable))]
mod no_sandbox;
#[cfg(all(unix, not(jig_portable)))]
mod rlimit;

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

#[cfg(all(target_os = "linux", not(jig_portable)))]
use linux::{held_memory, probe, restrict_calls, restrict_files, restrict_launch, set_huge_pages};
#[cfg(any(not(unix), jig_portable))]
use no_rlimit::{HAS_CPU_LIMIT, forbid_core_dumps, limit_cpu, limit_memory};
#[cfg(any(not(unix), jig_portable))]
pub(crate) use no_rlimit::{copy_of_output, end_process};
#[cfg(any(not(target_os = "linux"), jig_portable))]
use no_sandbox::{held_memory, probe, restrict_calls, restrict_files, restrict_launch, set_huge_pages};
#[cfg(all(unix, not(jig_portable)))]
use rlimit::{HAS_CPU_LIMIT, forbid_core_dumps, limit_cpu, limit_memory};
#[cfg(all(unix, not(jig_portable)))]
pub(crate) use rlimit::{copy_of_output, end_process};

pub use launch::{ProgramAccess, spawn_confined};

/// A variable for the program's allocator, and its value. The allocator takes address space from the system in steps,
/// the first when the program starts. Left alone they are of 1 GiB, which would count against a bound of memory as if
/// it was used.
pub const SMALL_STEPS: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "64MiB");

/// What a worker needs beyond what it holds when it starts, to answer anything at all.
const ROOM: u64 = 64 << 20;

/// The least bound of memory under which this process could be a worker, with the address space that it holds now. None
/// where the system does not tell.
pub fn least_memory() -> Option<u64> {
    Some(held_memory()? + ROOM)
}

/// Whether this process and its later children get memory in large pages where that is possible. The system decides
/// where it has no such setting.
pub fn allow_huge_pages(allowed: bool) {
    set_huge_pages(allowed);
}

/// Bounds of a worker's process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerLimits {
    /// Address space; none for no bound. Needs [`SMALL_STEPS`].
    pub memory_bytes: Option<u64>,
    /// Processor time of one call; none for no bound.
    pub cpu_seconds: Option<u64>,
    /// The folder below the workbenches that may be written; none for all of them.
    pub writable: Option<PathBuf>,
}

/// What is in force.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Confinement {
    memory_bytes: Option<u64>,
    cpu_seconds: Option<u64>,
    files: Held,
    network: Held,
}

/// How far a bound could be put in force on this system.
#[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "nothing is enforced there"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Full,
    Partly,
    No,
}

impl Held {
    /// What holds when both are needed.
    #[cfg_attr(any(not(target_os = "linux"), jig_portable), allow(dead_code, reason = "nothing is enforced there"))]
    const fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Full, other) => other,
            (one, Self::Full) => one,
            (Self::Partly, Self::Partly) => Self::Partly,
            _ => Self::No,
        }
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Partly => "partly",
            Self::No => "no",
        }
    }
}

impl Confinement {
    /// Nothing is given up.
    pub(crate) fn none() -> Self {
        Self { memory_bytes: None, cpu_seconds: None, files: Held::No, network: Held::No }
    }

    /// Gives up what it can, for good. What the system does not support is left, and told by [`to_json`](Self::to_json).
    pub(crate) fn enter(limits: &WorkerLimits, folder: &Path) -> Self {
        // A dump of memory would hold what is in the files.
        forbid_core_dumps();
        let memory_bytes = limits.memory_bytes.filter(|most| limit_memory(*most));
        let files = unless_switched_off(LANDLOCK, || restrict_files(folder, limits.writable.as_deref()));
        let network = unless_switched_off(SECCOMP, restrict_calls);
        Self { memory_bytes, cpu_seconds: limits.cpu_seconds.filter(|_| HAS_CPU_LIMIT), files, network }
    }

    /// Whether the process can neither change files that it is only given to read nor reach another process. An older
    /// version of Landlock is enough for that: what it lacks, the filter of system calls forbids.
    pub fn is_contained(&self) -> bool {
        self.files != Held::No && self.network == Held::Full
    }

    /// Resets the limit of processor time: the system counts it from the start of the process.
    pub(crate) fn begin_call(&self) {
        if let Some(most) = self.cpu_seconds {
            limit_cpu(most);
        }
    }

    /// What is in force, for whoever asks.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "memory_bytes": self.memory_bytes, "cpu_seconds": self.cpu_seconds,
            "files": self.files.word(), "network": self.network.word(),
        })
    }
}

/// What this system can enforce on workers and on LibreOffice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SandboxSupport {
    files: Held,
    calls: Held,
}

impl SandboxSupport {
    /// Tries it out, once per process.
    pub fn of_this_system() -> Self {
        static FOUND: std::sync::OnceLock<SandboxSupport> = std::sync::OnceLock::new();
        *FOUND.get_or_init(|| {
            let (files, calls) = probe();
            Self { files, calls }
        })
    }

    /// What is missing, in words for a person; none when workers are confined.
    pub fn missing(self) -> Option<&'static str> {
        match (self.files == Held::No, self.calls == Held::No) {
            (false, false) => None,
            (true, false) => {
                Some("this system has no Landlock, so workers and previews can read and write all files of this user")
            }
            (false, true) => Some("this system has no seccomp, so workers and previews can use the network"),
            (true, true) => Some(
                "this system has neither Landlock nor seccomp, so workers and previews can do whatever this user may",
            ),
        }
    }
}

/// A variable that turns the sandbox off, to test what happens on a system without it: `landlock`, `seccomp`, or `1` for
/// both. Workers inherit it.
pub const NO_SANDBOX: &str = "JIG_TEST_NO_SANDBOX";

/// A variable that limits Landlock to an older ABI version, to test what is enforced there. Workers inherit it.
pub const LANDLOCK_ABI: &str = "JIG_TEST_LANDLOCK_ABI";

const LANDLOCK: &str = "LANDLOCK";
const SECCOMP: &str = "SECCOMP";

/// Enforces a part of the sandbox, unless a test has turned it off.
fn unless_switched_off(part: &str, enforce: impl FnOnce() -> Held) -> Held {
    let off = std::env::var_os(NO_SANDBOX).is_some_and(|value| value == "1" || value.eq_ignore_ascii_case(part));
    if off { Held::No } else { enforce() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_limits_nothing_is_reported_as_enforced() {
        let nothing = json!({ "memory_bytes": null, "cpu_seconds": null, "files": "no", "network": "no" });
        assert_eq!(Confinement::none().to_json(), nothing);
        // Elsewhere this would confine the process that runs the tests.
        #[cfg(any(not(unix), jig_portable))]
        {
            let limits = WorkerLimits { memory_bytes: Some(1 << 30), cpu_seconds: Some(1), writable: None };
            let entered = Confinement::enter(&limits, Path::new("."));
            entered.begin_call();
            assert_eq!((entered.to_json(), least_memory()), (nothing, None));
        }
    }
}
