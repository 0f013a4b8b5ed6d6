//! The program `patio`: the gateway and all four services in one process, plus operator commands.
mod audit;
mod backup;
mod backup_age;
mod demo;
mod doctor;
mod login;
mod pages;
mod process;
#[cfg(test)]
mod readme;
mod restore;

use chrono::{DateTime, Utc};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use patio_kit::{
    cli::{self, doctor::DoctorOptions, probe},
    config,
};
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
    options: process::AllServicesOptions,
}

#[derive(Subcommand)]
enum Command {
    /// Prints the effective settings, with secrets masked.
    Config,
    /// Runs the pending database migrations of all services and exits.
    Migrate,
    /// Checks everything Patio depends on and says how to fix each failure; the exit code is 1 if a check fails.
    Doctor {
        #[command(flatten)]
        doctor: DoctorOptions,
        /// Also checks the services that run as separate processes.
        #[arg(long)]
        services: bool,
    },
    /// Backs up the SQLite databases to a new folder while they are in use. For PostgreSQL, use pg_dump.
    Backup {
        /// Folder to create for the backup; must not exist yet.
        folder: PathBuf,
        /// Encrypts the copies with `age` for this public key from `age-keygen`.
        #[arg(long, env = "PATIO_BACKUP_RECIPIENT")]
        recipient: Option<String>,
    },
    /// Restores a backup into the data folder, which must not contain databases.
    Restore {
        /// Folder that `backup` created.
        folder: PathBuf,
        /// Key file from `age-keygen` to decrypt an encrypted backup.
        #[arg(long)]
        identity: Option<PathBuf>,
    },
    /// Completes a restore of PostgreSQL: advances ids and versions beyond all values assigned after the backup. No value is
    /// reused, and devices reload their lists. `restore` does this for SQLite automatically.
    Restored,
    /// Manages the secret keys of auth-svc.
    #[command(subcommand)]
    Keys(auth_svc::KeysCommand),
    /// Manages users when no supervisor can sign in.
    #[command(subcommand)]
    User(auth_svc::UserCommand),
    /// Checks or archives the audit log.
    #[command(subcommand)]
    Audit(Audit),
    /// Signs in at a running Patio and stores the session for `probe call`. Asks for the password, or reads it from standard input.
    Login(login::LoginOptions),
    /// Ends the stored session and deletes its file.
    Logout(login::SessionOptions),
    /// Queries the health of a service that runs as a separate process, or calls one of its read-only rpcs. Without an address, the
    /// service's URL in the settings is used.
    Probe(probe::ProbeOptions),
}

#[derive(Subcommand)]
enum Audit {
    /// Verifies every audit entry against the hash chain; the exit code is 1 if an entry was changed or is missing.
    Verify {
        /// Audit seal (hash-chain link) that the audit log must contain, as printed by an earlier run or logged by a service:
        /// SERVICE:NUMBER:DIGEST.
        #[arg(long = "seal")]
        seals: Vec<audit::ExpectedSeal>,
        /// Archive file to verify as well, with each of its entries; may be given several times.
        #[arg(long = "archive")]
        archives: Vec<PathBuf>,
    },
    /// Moves the entries of months that ended more than 183 days ago from PostgreSQL to files, one for each month and service.
    Archive {
        /// First month that stays in the database, as YYYY-MM.
        #[arg(long, value_parser = audit::parse_month)]
        before: DateTime<Utc>,
        /// Existing folder for the files.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    if let Some(code) = workbook_reader::run_reader_if_requested() {
        return code;
    }
    let command = Cli::command();
    let matches = cli::parse_arguments(command.clone());
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(cause) => cause.exit(),
    };
    let done = match cli.command {
        None => cli::block_on(process::run_all_services(cli.options)),
        Some(Command::Config) => cli::print_to_stdout(&config::format_effective_settings(&command, &matches)),
        Some(Command::Doctor { doctor, services }) => {
            cli::block_on(async move { doctor::run_doctor_checks(&cli.options, &doctor, services).await })
        }
        Some(Command::Backup { folder, recipient }) => {
            cli::block_on(async move { backup::create_backup(&cli.options, &folder, recipient.as_deref()).await })
        }
        Some(Command::Restore { folder, identity }) => {
            cli::block_on(async move { backup::restore_backup(&cli.options, &folder, identity.as_deref()).await })
        }
        Some(Command::Restored) => cli::block_on(async move { restore::advance_ids_after_restore(cli.options.settings()).await }),
        Some(Command::Keys(keys)) => cli::block_on(async move { keys.run(cli.options.auth_svc_config(), cli.options.settings()).await }),
        Some(Command::User(user)) => cli::block_on(async move { user.run(cli.options.settings()).await }),
        Some(Command::Migrate) => cli::block_on(process::migrate_all_databases(cli.options)),
        Some(Command::Audit(Audit::Verify { seals, archives })) => cli::block_on(audit::verify_audit_logs(cli.options, seals, archives)),
        Some(Command::Audit(Audit::Archive { before, folder })) => cli::block_on(audit::archive_audit_entries(cli.options, before, folder)),
        Some(Command::Login(options)) => login::login(&options),
        Some(Command::Logout(options)) => login::logout(&options),
        Some(Command::Probe(options)) => {
            let address = |program: Option<&str>| cli.options.service_address(program);
            return probe::run_probe(&options, &probe::ProbeTarget { program: None, address: &address });
        }
    };
    cli::report_result(&done)
}
