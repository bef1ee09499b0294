//! Linux: Landlock for files, a seccomp filter for the network and other programs.

use std::collections::BTreeMap;
use std::path::Path;

use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus,
    path_beneath_rules,
};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

use super::Held;

/// Landlock: read below one folder, write below another, and nothing else.
pub(super) fn restrict_files(folder: &Path, writable: Option<&Path>) -> Held {
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

/// Lets the kernel back memory of this process and its later children by pages of 2 MiB, or not.
pub(super) fn set_huge_pages(allowed: bool) {
    let _ = rustix::thread::disable_transparent_huge_pages(!allowed);
}

/// The address space that this process holds now.
pub(super) fn held_memory() -> Option<u64> {
    let told = std::fs::read_to_string("/proc/self/status").ok()?;
    let held = told.lines().find_map(|line| line.strip_prefix("VmSize:")?.trim().strip_suffix(" kB"))?;
    Some(held.parse::<u64>().ok()? * 1_024)
}

/// A filter of system calls: no sockets, no other programs.
pub(super) fn restrict_network() -> Held {
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
