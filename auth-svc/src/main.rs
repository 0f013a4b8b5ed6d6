//! auth-svc as a program of its own.

fn main() -> std::process::ExitCode {
    patio_kit::command::main::<auth_svc::Auth>()
}
