//! What a worker gives up before it reads the first byte of a file: memory and processor time beyond a
//! bound, every file but those it is there for, the network, and starting other programs.

use std::path::{Path, PathBuf};

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

/// A variable for the program's allocator, and its value. The allocator takes address space from the system in steps,
/// the first when the program starts. Left alone they are of 1 GiB, which would count against a bound of memory as if
/// it was used.
pub const SMALL_STEPS: (&str, &str) = ("MIMALLOC_ARENA_RESERVE", "64MiB");

/// What a worker needs beyond what it holds when it starts, to answer anything at all.
const ROOM: u64 = 64 << 20;

/// The least bound of memory under which this process could be a worker, with the address space that it holds now. None
/// where the system does not tell.
pub fn least_memory() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/status").ok()?;
    let held = told.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"))?;
    Some(held.parse::<u64>().ok()? * 1_024 + ROOM)
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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    Full,
    Partly,
    No,
}

impl Held {
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
        let bound = |resource, most: u64| {
            setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) }).is_ok().then_some(most)
        };
        // A dump of memory would hold what is in the files.
        let _ = bound(Resource::Core, 0);
        let memory_bytes = limits.memory_bytes.and_then(|most| bound(Resource::As, most));
        let files = system::files(folder, limits.writable.as_deref());
        let network = system::network();
        Self { memory_bytes, cpu_seconds: limits.cpu_seconds, files, network }
    }

    /// Sets the bound of processor time anew: it counts from the start of the process.
    pub(crate) fn begin_call(&self) {
        let Some(most) = self.cpu_seconds else { return };
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
        let until = u64::try_from(used).unwrap_or(0) + most + 1;
        let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(until), maximum: None });
    }

    /// What is in force, for whoever asks.
    pub(crate) fn to_json(&self) -> Value {
        json!({
            "memory_bytes": self.memory_bytes, "cpu_seconds": self.cpu_seconds,
            "files": self.files.word(), "network": self.network.word(),
        })
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::collections::BTreeMap;
    use std::path::Path;

    use landlock::{
        ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
        path_beneath_rules,
    };
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

    use super::Held;

    /// Landlock: read below one folder, write below another, and nothing else.
    pub(super) fn files(folder: &Path, writable: Option<&Path>) -> Held {
        match restrict(folder, writable.unwrap_or(folder)) {
            Ok(RulesetStatus::FullyEnforced) => Held::Full,
            Ok(RulesetStatus::PartiallyEnforced) => Held::Partly,
            Ok(RulesetStatus::NotEnforced) | Err(_) => Held::No,
        }
    }

    /// What the table engine asks about its share of the machine. It takes a refusal for a fault of its own and ends.
    const SHARE: [&str; 2] = ["/proc/self/cgroup", "/sys/fs/cgroup"];

    fn restrict(folder: &Path, writable: &Path) -> Result<RulesetStatus, RulesetError> {
        let abi = ABI::V5;
        let rules = Ruleset::default()
            .handle_access(AccessFs::from_all(abi))?
            .handle_access(AccessNet::from_all(abi))?
            .create()?
            .add_rules(path_beneath_rules([folder], AccessFs::from_read(abi)))?
            .add_rules(path_beneath_rules(SHARE, AccessFs::ReadFile))?
            .add_rules(path_beneath_rules([writable], AccessFs::from_all(abi)))?;
        Ok(rules.restrict_self()?.ruleset)
    }

    /// Calls that a worker has no use for, and an intruder would.
    const FORBIDDEN: &[i64] = &[
        libc::SYS_socket,
        libc::SYS_connect,
        libc::SYS_bind,
        libc::SYS_execve,
        libc::SYS_execveat,
        libc::SYS_ptrace,
        libc::SYS_process_vm_readv,
        libc::SYS_process_vm_writev,
        libc::SYS_io_uring_setup,
    ];

    /// A filter of system calls: no sockets, no other programs.
    pub(super) fn network() -> Held {
        let rules: BTreeMap<i64, Vec<seccompiler::SeccompRule>> =
            FORBIDDEN.iter().map(|call| (*call, Vec::new())).collect();
        let denied = SeccompAction::Errno(libc::EACCES as u32);
        let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Held::No };
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, denied, arch);
        let program = filter.and_then(BpfProgram::try_from);
        match program.map(|program| seccompiler::apply_filter(&program)) {
            Ok(Ok(())) => Held::Full,
            _ => Held::No,
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::Path;

    use super::Held;

    pub(super) fn files(_: &Path, _: Option<&Path>) -> Held {
        Held::No
    }

    pub(super) fn network() -> Held {
        Held::No
    }
}
