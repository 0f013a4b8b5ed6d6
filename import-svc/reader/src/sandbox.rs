//! System call filter (seccomp) that prevents the workbook reader process from opening files or sockets and from starting programs.
//!
//! Even a workbook that exploits the parser can only produce wrong output. The module `worker` limits memory and CPU time.
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};
use std::{collections::BTreeMap, env::consts::ARCH};

/// Allowed system calls: those that read standard input, manage memory, write standard output and end the process.
const ALLOWED_SYSTEM_CALLS: [i64; 30] = [
    libc::SYS_read,
    libc::SYS_readv,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    libc::SYS_fstat,
    libc::SYS_lseek,
    libc::SYS_ppoll,
    libc::SYS_mmap,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_mprotect,
    libc::SYS_madvise,
    libc::SYS_brk,
    libc::SYS_futex,
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep,
    libc::SYS_sched_yield,
    libc::SYS_getpid,
    libc::SYS_gettid,
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    libc::SYS_restart_syscall,
    libc::SYS_tgkill,
    libc::SYS_exit,
    libc::SYS_exit_group,
];

/// Installs a permanent filter that allows this process only the system calls in `ALLOWED_SYSTEM_CALLS`. Every other system call then
/// fails with `EPERM`.
///
/// # Errors
/// Returns an error when the system does not support seccomp filters.
pub fn install_seccomp_filter() -> anyhow::Result<()> {
    let rules: BTreeMap<i64, Vec<_>> = ALLOWED_SYSTEM_CALLS.into_iter().map(|call| (call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let filter = SeccompFilter::new(rules, refuse, SeccompAction::Allow, TargetArch::try_from(ARCH)?)?;
    let program: BpfProgram = filter.try_into()?;
    Ok(seccompiler::apply_filter(&program)?)
}
