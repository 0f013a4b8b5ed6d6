//! Parsing of the command line and the environment, with different exit codes for invalid arguments and for an invalid environment
//! variable.
use crate::{
    cli::probe,
    config::{EXIT_INVALID_SETTING, environment},
};
use clap::{
    Arg, ArgMatches, Command,
    error::{ContextKind, ContextValue},
};
use std::io::Write;

/// Parses the command line and the environment. Ends the process with an error message if either is invalid.
///
/// The exit code is [`EXIT_INVALID_SETTING`] for an invalid environment variable, [`probe::EXIT_INVALID_CALL`] for invalid
/// arguments of the `probe` command, and 2 for other invalid arguments.
#[must_use]
pub fn parse_arguments(command: Command) -> ArgMatches {
    if let Err(cause) = environment::reject_unknown_variables(std::env::vars_os().filter_map(|(name, _)| name.into_string().ok())) {
        reject(&cause.to_string());
    }
    let described = command.clone();
    command.try_get_matches().unwrap_or_else(|cause| {
        if let Some(setting) = setting_of(&described, &cause) {
            reject(&format!("{setting} is invalid: {}", reason(&cause)));
        }
        if cause.use_stderr() && std::env::args_os().nth(1).is_some_and(|first| first == "probe") {
            let _ = cause.print();
            std::process::exit(probe::EXIT_INVALID_CALL.into());
        }
        cause.exit()
    })
}

fn reject(message: &str) -> ! {
    let _ = writeln!(std::io::stderr(), "error: {message}");
    std::process::exit(EXIT_INVALID_SETTING.into())
}

/// Returns the name of the environment variable with the rejected value; `None` when the value was given on the command line.
fn setting_of(command: &Command, cause: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(named)) = cause.get(ContextKind::InvalidArg) else { return None };
    let long = named.strip_prefix("--")?.split([' ', '=']).next()?;
    if std::env::args().any(|given| given.trim_start_matches("--").split('=').next() == Some(long) && given.starts_with("--")) {
        return None;
    }
    let subcommands = command.get_subcommands().flat_map(Command::get_arguments);
    let arg: &Arg = command.get_arguments().chain(subcommands).find(|arg| arg.get_long() == Some(long))?;
    arg.get_env().map(|name| name.to_string_lossy().into_owned())
}

/// Returns the reason why a value was rejected, without the value itself, which may be a secret.
fn reason(cause: &clap::Error) -> String {
    std::error::Error::source(cause).map_or_else(|| "see --help for its values".to_owned(), ToString::to_string)
}
