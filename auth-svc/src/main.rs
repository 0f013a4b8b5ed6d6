//! Entry point of the auth-svc binary; `auth-svc keys …` and `auth-svc user …` run a command instead of the server.
use auth_svc::cli_commands;
use patio_kit::cli;
use std::process::ExitCode;

fn main() -> ExitCode {
    cli_commands::run_cli_command()
        .unwrap_or_else(|| cli::run_service_binary(auth_svc::SERVICE_BINARY, auth_svc::start, auth_svc::run_doctor_checks))
}
