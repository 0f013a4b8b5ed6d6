//! Entry point of the vehicle-svc binary.
use patio_kit::cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    cli::run_service_binary(vehicle_svc::SERVICE_BINARY, vehicle_svc::start, cli::no_extra_doctor_checks)
}
