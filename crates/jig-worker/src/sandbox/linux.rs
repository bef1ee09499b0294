//! Linux: Landlock for files, signals and TCP; seccomp for everything else that a worker has no use for.
//!
//! Two layers. The *outer* layer is put on a child before it runs its first instruction ([`restrict_launch`]): it still
//! has to load its libraries, and LibreOffice has to start programs of its own. The *inner* layer is what a worker puts
//! on itself once it has all that it needs ([`restrict_files`], [`restrict_calls`]). Layers only ever take away.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::OnceLock;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, Ruleset, RulesetAttr, RulesetCreatedAttr,
    RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::launch::ProgramAccess;
use super::{Held, unless_switched_off};

/// The newest version of Landlock whose rules are used. An older kernel enforces those that it has; seccomp forbids the
/// rest.
const NEWEST: ABI = ABI::V6;

/// The version in use: the newest, unless a test limits it.
fn abi() -> ABI {
    static ABI_IN_USE: OnceLock<ABI> = OnceLock::new();
    *ABI_IN_USE.get_or_init(|| {
        let named = std::env::var_os(super::LANDLOCK_ABI).and_then(|number| number.to_str()?.parse::<i32>().ok());
        named.map_or(NEWEST, |number| ABI::from(number.clamp(0, NEWEST as i32)))
    })
}

/// What the table engine looks up about its share of the machine each time it starts. It takes a refusal for a fault of
/// its own and ends.
const SHARE: [&str; 2] = ["/proc/self/cgroup", "/sys/fs/cgroup"];

/// A rule belongs to an inode. The kernel drops inodes of `/proc` that no one uses when memory is short, and the next
/// lookup makes another one that no rule allows. A file that is open is not dropped.
static HELD_OPEN: OnceLock<Vec<File>> = OnceLock::new();

/// Landlock: read below one folder, write below another, and nothing else.
pub(super) fn restrict_files(folder: &Path, writable: Option<&Path>) -> Held {
    HELD_OPEN.get_or_init(|| SHARE.iter().filter_map(|path| File::open(path).ok()).collect());
    let writable = writable.unwrap_or(folder);
    let handled = AccessFs::from_all(abi());
    let restricted = ruleset(handled).and_then(|rules| {
        let rules = rules
            .add_rules(path_beneath_rules([folder], AccessFs::from_read(abi())))?
            .add_rules(path_beneath_rules(SHARE, AccessFs::ReadFile))?
            .add_rules(path_beneath_rules([writable], files_and_folders() & handled))?;
        Ok(rules.restrict_self()?.ruleset)
    });
    held(&restricted)
}

/// Landlock for a program that this thread is about to start.
fn restrict_launch_files(access: &ProgramAccess) -> Held {
    let handled = match access.read {
        Some(_) => AccessFs::from_all(abi()),
        None => AccessFs::from_write(abi()),
    };
    let restricted = ruleset(handled).and_then(|mut rules| {
        // A rule must grant something that is handled at all.
        if let Some(read) = &access.read {
            rules = rules
                .add_rules(path_beneath_rules(read, AccessFs::from_read(abi())))?
                .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile))?;
        }
        let rules = rules
            .add_rules(path_beneath_rules(["/dev/null"], (AccessFs::ReadFile | AccessFs::WriteFile) & handled))?
            .add_rules(path_beneath_rules(&access.sockets, AccessFs::MakeSock))?
            .add_rules(path_beneath_rules(&access.write, (files_and_folders() | AccessFs::MakeSock) & handled))?;
        Ok(rules.restrict_self()?.ruleset)
    });
    held(&restricted)
}

/// What programs read to start, beside their libraries.
const DEVICES: [&str; 3] = ["/dev/zero", "/dev/random", "/dev/urandom"];

/// Read and write, make and remove files and folders: no devices, no pipes, no sockets, no links, no programs.
fn files_and_folders() -> BitFlags<AccessFs> {
    AccessFs::ReadFile
        | AccessFs::ReadDir
        | AccessFs::WriteFile
        | AccessFs::Truncate
        | AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
}

fn ruleset(handled: BitFlags<AccessFs>) -> Result<landlock::RulesetCreated, RulesetError> {
    let mut rules = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(handled)?;
    // An empty set is an error, and older versions have none of these rights.
    if !AccessNet::from_all(abi()).is_empty() {
        rules = rules.handle_access(AccessNet::from_all(abi()))?;
    }
    if !Scope::from_all(abi()).is_empty() {
        rules = rules.scope(Scope::from_all(abi()))?;
    }
    rules.create()
}

/// Files are held as soon as Landlock is: later versions add to it what seccomp forbids as well.
fn held(restricted: &Result<RulesetStatus, RulesetError>) -> Held {
    match restricted {
        Ok(RulesetStatus::FullyEnforced) if abi() == NEWEST => Held::Full,
        Ok(RulesetStatus::FullyEnforced) => Held::Partly,
        Ok(RulesetStatus::PartiallyEnforced) => Held::Partly,
        Ok(RulesetStatus::NotEnforced) | Err(_) => Held::No,
    }
}

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

/// Whether this kernel has Landlock and seccomp, found out on a thread that ends right after.
pub(super) fn probe() -> (Held, Held) {
    let tried = std::thread::spawn(|| {
        let nothing = ProgramAccess { read: Some(Vec::new()), write: Vec::new(), sockets: Vec::new() };
        restrict_launch(&nothing)
    });
    tried.join().unwrap_or((Held::No, Held::No))
}

/// The outer layer: on this thread, and so on each program that it starts.
pub(super) fn restrict_launch(access: &ProgramAccess) -> (Held, Held) {
    let files = unless_switched_off(super::LANDLOCK, || restrict_launch_files(access));
    let calls = unless_switched_off(super::SECCOMP, || {
        let all = forbid(OUTER_CALLS).and(forbid_truncating_reads(Threads::This));
        if access.sockets.is_empty() {
            all.and(forbid(&[libc::SYS_socket, libc::SYS_bind]))
        } else {
            all.and(forbid_other_groups()).and(forbid_sockets_of_the_network())
        }
    });
    (files, calls)
}

/// Forbids `O_TRUNC` with `O_RDONLY`, which empties a file without the right to write it; Landlock covers that only from
/// version 3 on. A filter cannot inspect the arguments of `openat2`, so it returns ENOSYS and programs use `openat`.
fn forbid_truncating_reads(threads: Threads) -> Held {
    let mask = (libc::O_ACCMODE | libc::O_TRUNC) as u64;
    let truncates = |argument: u8| vec![(argument, Len::Dword, Op::MaskedEq(mask), libc::O_TRUNC as u64)];
    let Ok(at) = conditions(vec![truncates(2)]) else { return Held::No };
    let mut rules = Rules::from([(libc::SYS_openat, at.clone()), (libc::SYS_openat | X32.0, at)]);
    #[cfg(target_arch = "x86_64")]
    {
        let Ok(plain) = conditions(vec![truncates(1)]) else { return Held::No };
        rules.extend([(libc::SYS_open, plain.clone()), (libc::SYS_open | X32.0, plain)]);
    }
    let newer = Rules::from([(libc::SYS_openat2, Vec::new()), (libc::SYS_openat2 | X32.0, Vec::new())]);
    install(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EACCES as u32), threads).and(install(
        newer,
        SeccompAction::Allow,
        SeccompAction::Errno(libc::ENOSYS as u32),
        threads,
    ))
}

/// The inner layer: nothing but the calls that reading and writing files, memory and threads need. All threads get it.
pub(super) fn restrict_calls() -> Held {
    let Ok(own) = u64::try_from(rustix::process::getpid().as_raw_nonzero().get()) else { return Held::No };
    let Ok(allowed) = allowed_calls(own) else { return Held::No };
    // The C library takes this for an old kernel and starts its threads by `clone`, whose flags can be checked. It comes
    // first because the list allows no further filter.
    let no_clone3 = Rules::from([(libc::SYS_clone3, Vec::new())]);
    forbid_truncating_reads(Threads::All)
        .and(install(no_clone3, SeccompAction::Allow, SeccompAction::Errno(libc::ENOSYS as u32), Threads::All))
        .and(install(allowed, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow, Threads::All))
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Condition = (u8, Len, Op, u64);

/// Calls by which a program could leave its folder, take over another process or change the machine: sockets that reach
/// another process, signals, permissions and times of files that it cannot even read, namespaces, the kernel.
const OUTER_CALLS: &[i64] = &[
    libc::SYS_connect,
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_getfd,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_kcmp,
    libc::SYS_setsid,
    libc::SYS_truncate,
    libc::SYS_fchmodat,
    // `fchmodat2`, which the C library has no name for yet.
    452,
    libc::SYS_fchownat,
    libc::SYS_utimensat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_mknodat,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_sethostname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_syslog,
];

/// The same by the names that only older machines have.
#[cfg(target_arch = "x86_64")]
const OLD_CALLS: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_mknod,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_CALLS: &[i64] = &[];

/// The same calls again, as a kernel with the x32 interface takes them, and those that have numbers of their own there:
/// `rt_sigqueueinfo`, `rt_tgsigqueueinfo`, `ptrace`, `process_vm_readv`, `process_vm_writev`.
#[cfg(target_arch = "x86_64")]
const X32: (i64, &[i64]) = (0x4000_0000, &[524, 536, 521, 539, 540]);
#[cfg(not(target_arch = "x86_64"))]
const X32: (i64, &[i64]) = (0, &[]);

fn forbid(calls: &[i64]) -> Held {
    let calls = calls.iter().chain(OLD_CALLS);
    let again = calls.clone().chain(X32.1).map(|call| call | X32.0);
    let rules: Rules = calls.copied().chain(again).map(|call| (call, Vec::new())).collect();
    install(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32), Threads::This)
}

/// A program may become the first of its own process group, as the one that starts it wants, and join no other.
fn forbid_other_groups() -> Held {
    let not_own = |argument: u8| vec![(argument, Len::Dword, Op::Ne, 0)];
    let Ok(rules) = conditions(vec![not_own(0), not_own(1)]) else { return Held::No };
    let rules = Rules::from([(libc::SYS_setpgid, rules.clone()), (libc::SYS_setpgid | X32.0, rules)]);
    install(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32), Threads::This)
}

/// LibreOffice talks to itself by a stream socket of the machine, and needs no other.
fn forbid_sockets_of_the_network() -> Held {
    let other_family = vec![(0, Len::Dword, Op::Ne, libc::AF_UNIX as u64)];
    let kind = |kind: i32| vec![(1, Len::Dword, Op::MaskedEq(0xf), kind as u64)];
    let other_kinds = [libc::SOCK_DGRAM, libc::SOCK_RAW, libc::SOCK_RDM, libc::SOCK_SEQPACKET, libc::SOCK_DCCP];
    let rules = std::iter::once(other_family).chain(other_kinds.map(kind)).collect();
    let Ok(rules) = conditions(rules) else { return Held::No };
    let rules = Rules::from([(libc::SYS_socket, rules.clone()), (libc::SYS_socket | X32.0, rules)]);
    install(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EACCES as u32), Threads::This)
}

/// Calls that need no look at their arguments.
const PLAIN_CALLS: &[i64] = &[
    // Files and folders, as far as Landlock lets them.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_readv,
    libc::SYS_writev,
    libc::SYS_pread64,
    libc::SYS_pwrite64,
    libc::SYS_preadv,
    libc::SYS_pwritev,
    libc::SYS_preadv2,
    libc::SYS_pwritev2,
    libc::SYS_openat,
    libc::SYS_openat2,
    libc::SYS_close,
    libc::SYS_close_range,
    libc::SYS_lseek,
    libc::SYS_fstat,
    libc::SYS_newfstatat,
    libc::SYS_statx,
    libc::SYS_statfs,
    libc::SYS_fstatfs,
    libc::SYS_faccessat,
    libc::SYS_faccessat2,
    libc::SYS_readlinkat,
    libc::SYS_getdents64,
    libc::SYS_getcwd,
    libc::SYS_mkdirat,
    libc::SYS_unlinkat,
    libc::SYS_renameat,
    libc::SYS_renameat2,
    libc::SYS_ftruncate,
    libc::SYS_fallocate,
    libc::SYS_fadvise64,
    libc::SYS_readahead,
    libc::SYS_fsync,
    libc::SYS_fdatasync,
    libc::SYS_sync_file_range,
    libc::SYS_flock,
    libc::SYS_copy_file_range,
    libc::SYS_sendfile,
    libc::SYS_dup,
    libc::SYS_dup3,
    libc::SYS_pipe2,
    libc::SYS_eventfd2,
    libc::SYS_ppoll,
    libc::SYS_umask,
    // Memory.
    libc::SYS_brk,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_mincore,
    libc::SYS_msync,
    libc::SYS_membarrier,
    libc::SYS_get_mempolicy,
    libc::SYS_mbind,
    // Threads of this process.
    libc::SYS_clone3,
    libc::SYS_futex,
    libc::SYS_set_robust_list,
    libc::SYS_get_robust_list,
    libc::SYS_set_tid_address,
    libc::SYS_rseq,
    libc::SYS_exit,
    libc::SYS_exit_group,
    libc::SYS_sched_yield,
    libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler,
    libc::SYS_getcpu,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_getppid,
    libc::SYS_getuid,
    libc::SYS_geteuid,
    libc::SYS_getgid,
    libc::SYS_getegid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    // Time and chance.
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_clock_gettime,
    libc::SYS_clock_getres,
    libc::SYS_gettimeofday,
    libc::SYS_getrandom,
    libc::SYS_getrusage,
    libc::SYS_times,
    libc::SYS_sysinfo,
    libc::SYS_uname,
];

/// The same by the names that only older machines have.
#[cfg(target_arch = "x86_64")]
const OLD_PLAIN_CALLS: &[i64] = &[
    libc::SYS_open,
    libc::SYS_stat,
    libc::SYS_lstat,
    libc::SYS_access,
    libc::SYS_readlink,
    libc::SYS_mkdir,
    libc::SYS_rmdir,
    libc::SYS_unlink,
    libc::SYS_rename,
    libc::SYS_poll,
    libc::SYS_pipe,
    libc::SYS_dup2,
    libc::SYS_time,
    libc::SYS_arch_prctl,
];
#[cfg(not(target_arch = "x86_64"))]
const OLD_PLAIN_CALLS: &[i64] = &[];

/// `fcntl` without those commands by which a process has signals sent to another.
const FCNTL_COMMANDS: [i32; 12] = [
    libc::F_DUPFD,
    libc::F_DUPFD_CLOEXEC,
    libc::F_GETFD,
    libc::F_SETFD,
    libc::F_GETFL,
    libc::F_SETFL,
    libc::F_GETLK,
    libc::F_SETLK,
    libc::F_SETLKW,
    libc::F_OFD_GETLK,
    libc::F_OFD_SETLK,
    libc::F_OFD_SETLKW,
];

fn allowed_calls(own: u64) -> Result<Rules, seccompiler::BackendError> {
    let mut rules: Rules = PLAIN_CALLS.iter().chain(OLD_PLAIN_CALLS).map(|call| (*call, Vec::new())).collect();
    let equals = |argument: u8, value: u64| vec![(argument, Len::Dword, Op::Eq, value)];
    let thread = libc::CLONE_THREAD as u64;
    // Threads and no processes.
    rules.insert(libc::SYS_clone, conditions(vec![vec![(0, Len::Dword, Op::MaskedEq(thread), thread)]])?);
    // Signals to itself: a process ends so when it aborts, or when its time is over.
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        rules.insert(call, conditions(vec![equals(0, own)])?);
    }
    rules.insert(libc::SYS_fcntl, conditions(FCNTL_COMMANDS.map(|command| equals(1, command as u64)).to_vec())?);
    let names = [libc::PR_SET_NAME, libc::PR_GET_NAME, libc::PR_SET_VMA].map(|option| equals(0, option as u64));
    rules.insert(libc::SYS_prctl, conditions(names.to_vec())?);
    // Its own limits may be read, and that of processor time set: the system counts it from the start of the process,
    // so it is set again for each call.
    let own_limit = |who: u64| {
        let read = vec![(0, Len::Dword, Op::Eq, who), (2, Len::Qword, Op::Eq, 0)];
        let time = vec![(0, Len::Dword, Op::Eq, who), (1, Len::Dword, Op::Eq, u64::from(libc::RLIMIT_CPU))];
        [read, time]
    };
    rules.insert(libc::SYS_prlimit64, conditions([own_limit(0), own_limit(own)].concat())?);
    rules.insert(libc::SYS_getrlimit, Vec::new());
    Ok(rules)
}

fn conditions(rules: Vec<Vec<Condition>>) -> Result<Vec<SeccompRule>, seccompiler::BackendError> {
    let one = |(argument, length, operator, value)| SeccompCondition::new(argument, length, operator, value);
    rules.into_iter().map(|rule| SeccompRule::new(rule.into_iter().map(one).collect::<Result<_, _>>()?)).collect()
}

/// Which threads of this process get a filter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Threads {
    This,
    All,
}

fn install(rules: Rules, otherwise: SeccompAction, matched: SeccompAction, threads: Threads) -> Held {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Held::No };
    let filter = SeccompFilter::new(rules, otherwise, matched, arch).and_then(BpfProgram::try_from);
    let installed = filter.map(|program| match threads {
        Threads::This => seccompiler::apply_filter(&program),
        Threads::All => seccompiler::apply_filter_all_threads(&program),
    });
    if let Ok(Ok(())) = installed { Held::Full } else { Held::No }
}
