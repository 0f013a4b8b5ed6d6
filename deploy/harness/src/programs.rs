//! Programs that run to their end.
use crate::environment;
use std::{
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// The path of one of Patio's programs.
///
/// # Panics
/// When it is not built.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    in_folder(&environment::programs(), name).unwrap()
}

/// The same in another folder.
pub fn in_folder(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    anyhow::ensure!(path.exists(), "{} is missing; build all programs first: cargo build --workspace", path.display());
    Ok(path)
}

/// How a program ended, and what it printed.
#[derive(Debug, Clone)]
pub struct Output {
    /// The exit code; `None` after a signal.
    pub code: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// Standard output, then standard error.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// Runs one of Patio's programs to its end, with nothing but these settings in its environment.
#[must_use]
pub fn run(name: &str, arguments: &[&str], settings: &[(&str, &str)]) -> Output {
    let mut command = Command::new(program(name));
    command.args(arguments).current_dir("/").env_clear().envs(settings.iter().copied()).stdin(Stdio::null());
    let done = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Output { code: done.status.code(), stdout: text(&done.stdout), stderr: text(&done.stderr) }
}

/// Runs a tool of the system to its end; its standard output.
///
/// # Panics
/// When it fails.
#[track_caller]
pub fn tool(mut command: Command) -> String {
    let done = command.stdin(Stdio::null()).output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}
