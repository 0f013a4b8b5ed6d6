//! Commands `auth-svc keys …` and `auth-svc user …` for server administrators. The commands work directly on the database and exit
//! instead of starting the server.
use crate::{config::Config, keys_command::KeysCommand, user_command::UserCommand};
use clap::{Parser, Subcommand};
use patio_kit::{cli, config::Settings};
use std::process::ExitCode;

#[derive(Parser)]
#[command(name = "auth-svc")]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    config: Config,
}

#[derive(Subcommand)]
enum Command {
    /// Manages the secret keys of auth-svc.
    #[command(subcommand)]
    Keys(KeysCommand),
    /// Manages users when no supervisor can sign in.
    #[command(subcommand)]
    User(UserCommand),
}

/// Runs the command `keys …` or `user …` and returns its exit code. Returns `None` when the process was started without such a
/// command.
#[must_use]
pub fn run_cli_command() -> Option<ExitCode> {
    let first = std::env::args_os().nth(1)?;
    if first != "keys" && first != "user" {
        return None;
    }
    let Cli { command, settings, config } = Cli::parse();
    let done = cli::block_on(async move {
        match command {
            Command::Keys(keys) => keys.run(&config, &settings).await,
            Command::User(user) => user.run(&settings).await,
        }
    });
    Some(cli::report_result(&done))
}
