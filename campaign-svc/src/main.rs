//! Entry point of the campaign-svc binary.
use patio_kit::cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run_service_binary(campaign_svc::SERVICE_BINARY, campaign_svc::start, cli::no_extra_doctor_checks)
}
