//! All of Patio in one process: the four services linked inside it, the gateway before them.
mod audit;
mod backup;
mod demo;
mod doctor;
mod pages;
mod process;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use patio_kit::{command, config, probe};
use std::{path::PathBuf, process::ExitCode};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

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
    /// Tries everything Patio depends on and says what to do about what does not work; the exit code is 1 when something does not.
    Doctor {
        /// Also tries the services that run apart.
        #[arg(long)]
        services: bool,
    },
    /// Copies the SQLite databases into a new folder while they are in use; PostgreSQL is backed up with pg_dump.
    Backup {
        /// A folder that does not exist yet.
        folder: PathBuf,
    },
    /// Puts a backup into the data folder, which must hold no databases.
    Restore {
        /// What `backup` wrote.
        folder: PathBuf,
    },
    /// Looks after the audit log.
    #[command(subcommand)]
    Audit(Audit),
    /// Asks a service that runs on its own how it is.
    Probe(probe::Options),
}

#[derive(Subcommand)]
enum Audit {
    /// Compares every entry with the chain of digests; the exit code is 1 when something was changed or is missing.
    Verify {
        /// A seal that must still be there, as an earlier run printed it or a service logged it: SERVICE:NUMBER:DIGEST.
        #[arg(long = "seal")]
        seals: Vec<audit::Known>,
    },
}

fn main() -> ExitCode {
    if let Some(code) = import_svc::reader::main_if_asked() {
        return code;
    }
    let command = Cli::command();
    let matches = probe::arguments(command.clone());
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        None => command::run(process::serve(cli.options)),
        Some(Command::Config) => command::print(&config::effective(&command, &matches)),
        Some(Command::Doctor { services }) => command::run(async move { doctor::examine(&cli.options, services).await }),
        Some(Command::Backup { folder }) => command::run(async move { backup::make(&cli.options, &folder).await }),
        Some(Command::Restore { folder }) => command::run(async move { backup::restore(&cli.options, &folder).await }),
        Some(Command::Migrate) => command::run(process::migrate(cli.options)),
        Some(Command::Audit(Audit::Verify { seals })) => command::run(audit::verify(cli.options, seals)),
        Some(Command::Probe(options)) => return probe::main(&options, "127.0.0.1:50051"),
    };
    command::ended(&done)
}
