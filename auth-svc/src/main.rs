//! auth-svc as a program of its own.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    patio_kit::command::main::<auth_svc::Auth>()
}
