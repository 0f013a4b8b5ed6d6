//! Entry point of the auth-svc binary; `auth-svc keys …` and `auth-svc user …` run a command instead of the server.
use std::process::ExitCode;

fn main() -> ExitCode {
    auth_svc::operator_commands::run_if_requested().unwrap_or_else(patio_kit::cli::main::<auth_svc::AuthBinary>)
}
