//! Runs system commands and Patio's executables to completion, and returns their output.
use crate::environment;
use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Returns the path of one of Patio's executables.
///
/// # Panics
/// Panics when the executable is not built.
#[must_use]
pub fn program_path(name: &str) -> PathBuf {
    find_program_in_folder(&environment::program_folder(), name).unwrap()
}

/// Returns the path of an executable in `folder`, or an error when the executable is missing.
pub fn find_program_in_folder(folder: &Path, name: &str) -> anyhow::Result<PathBuf> {
    let path = folder.join(name);
    anyhow::ensure!(path.exists(), "{} is missing; build all programs first: cargo build --workspace", path.display());
    Ok(path)
}

/// Exit code and output of a completed program.
#[derive(Debug, Clone)]
pub struct ProgramOutput {
    /// Exit code of the program; `None` if a signal ended the program.
    pub code: Option<i32>,
    /// Standard output of the program.
    pub stdout: String,
    /// Standard error of the program.
    pub stderr: String,
}

impl ProgramOutput {
    /// Returns the standard output of the program followed by its standard error.
    #[must_use]
    pub fn combined_output(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }
}

/// Runs one of Patio's executables to completion. Its environment contains only the variables in `settings`.
#[must_use]
pub fn run_program(name: &str, arguments: &[&str], settings: &[(&str, &str)]) -> ProgramOutput {
    run_program_with_input(name, arguments, settings, "")
}

/// Runs one of Patio's executables to completion, with the text `input` as standard input. Its environment contains only the variables
/// in `settings`.
#[must_use]
pub fn run_program_with_input(name: &str, arguments: &[&str], settings: &[(&str, &str)], input: &str) -> ProgramOutput {
    let mut command = Command::new(program_path(name));
    command.args(arguments).current_dir("/").env_clear().envs(settings.iter().copied()).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().map(|mut stdin| stdin.write_all(input.as_bytes())); // a program that reads nothing may have ended
    let done = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ProgramOutput { code: done.status.code(), stdout: text(&done.stdout), stderr: text(&done.stderr) }
}

/// Runs a system command to completion and returns its standard output as text.
///
/// # Panics
/// Panics when the command fails.
#[track_caller]
pub fn run_system_command(mut command: Command) -> String {
    let done = command.stdin(Stdio::null()).output().unwrap_or_else(|cause| panic!("{command:?}: {cause}"));
    assert!(done.status.success(), "{command:?}: {}", String::from_utf8_lossy(&done.stderr));
    String::from_utf8_lossy(&done.stdout).trim().to_owned()
}
