//! Output, exit code and async runtime of all command-line programs.
use crate::{
    config::{EXIT_INVALID_SETTING, InvalidSetting},
    errors,
};
use std::{future::Future, io::Write, process::ExitCode};

/// Returns the exit code of a program: 0 for success, [`EXIT_INVALID_SETTING`] for an invalid setting, 1 for any other error.
/// Prints an error with all its causes.
#[must_use]
pub fn report_result(done: &anyhow::Result<()>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(cause) => {
            let _ = writeln!(std::io::stderr(), "error: {}", errors::format_error_chain(cause));
            if cause.chain().any(|cause| cause.is::<InvalidSetting>()) { ExitCode::from(EXIT_INVALID_SETTING) } else { ExitCode::FAILURE }
        }
    }
}

/// Runs async work to completion on a new multi-threaded runtime.
pub fn block_on(work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build()?.block_on(work)
}

/// Writes text to standard output, without adding a line break.
pub fn print_to_stdout(text: &str) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
