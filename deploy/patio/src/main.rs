//! All of Patio in one process: the four services linked inside it, the gateway before them.
mod demo;
mod pages;
mod process;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use patio_kit::{command, config, probe};
use std::process::ExitCode;

/// Patio: vehicle inspection campaigns for field teams at vehicle yards.
#[derive(Parser)]
#[command(name = "patio", version)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    options: process::Options,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the effective values, secrets masked.
    Config,
    /// Brings the tables of all services up to date and ends.
    Migrate,
    /// Looks after the audit log.
    #[command(subcommand)]
    Audit(Audit),
    /// Asks a service that runs on its own how it is.
    Probe(probe::Options),
}

#[derive(Subcommand)]
enum Audit {
    /// Compares every entry with the chain of digests; the exit code is 1 when something was changed or is missing.
    Verify,
}

fn main() -> ExitCode {
    if let Some(code) = import_svc::reader::main_if_asked() {
        return code;
    }
    let command = Cli::command();
    let matches = command.clone().get_matches();
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        None => command::run(process::serve(cli.options)),
        Some(Command::Config) => command::print(&config::effective(&command, &matches)),
        Some(Command::Migrate) => command::run(process::migrate(cli.options)),
        Some(Command::Audit(Audit::Verify)) => command::run(process::verify_audit(cli.options)),
        Some(Command::Probe(options)) => return probe::main(&options, "127.0.0.1:50051"),
    };
    command::ended(&done)
}
