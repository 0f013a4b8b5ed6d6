//! campaign-svc as a program of its own.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    patio_kit::command::main::<campaign_svc::Campaigns>()
}
