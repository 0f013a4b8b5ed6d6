//! Cleanup commands that run when this process ends, even after an abort or `SIGKILL`.
//!
//! A child shell reads a pipe from this process. When the process ends, the pipe closes, and the shell runs the commands that
//! are still registered, starting with the command registered last.
use std::{
    io::Write,
    os::unix::process::CommandExt,
    process::{ChildStdin, Command, Stdio},
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
};

const SHELL: &str = r#"
last=0
while read -r number command; do
  eval "command_$number=\$command"
  [ "$number" -le "$last" ] || last=$number
done
while [ "$last" -gt 0 ]; do
  eval "eval \"\$command_$last\""
  last=$((last - 1))
done
"#;

struct Lifeline {
    pipe: ChildStdin,
    registered: u64,
}

static LIFELINE: LazyLock<Mutex<Lifeline>> = LazyLock::new(|| {
    let mut shell = Command::new("sh");
    // A separate process group: Ctrl-C ends the tests, but not the cleanup shell.
    shell.args(["-c", SHELL]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
    let pipe = shell.spawn().unwrap().stdin.take().unwrap();
    Mutex::new(Lifeline { pipe, registered: 0 })
});

fn lifeline() -> MutexGuard<'static, Lifeline> {
    LIFELINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Guard of a registered cleanup command. Dropping the guard cancels the command.
#[derive(Debug)]
#[must_use = "the command is cancelled when this is dropped"]
pub struct CleanupGuard(u64);

/// Registers a line of shell commands to run when this process ends.
pub fn run_command_at_exit(command: &str) -> CleanupGuard {
    let mut lifeline = lifeline();
    lifeline.registered += 1;
    let number = lifeline.registered;
    let _ = writeln!(lifeline.pipe, "{number} {command}");
    CleanupGuard(number)
}

/// Registers a command that kills another process and its children when the test process ends. `process` is the id of the process
/// to kill.
pub fn kill_process_at_exit(process: u32) -> CleanupGuard {
    run_command_at_exit(&format!("kill -9 $(cat /proc/{process}/task/*/children) {process}"))
}

impl Drop for CleanupGuard {
    fn drop(&mut self) {
        let _ = writeln!(lifeline().pipe, "{} :", self.0);
    }
}
