//! Program that runs vehicle-svc in a separate process.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    patio_kit::cli::main::<vehicle_svc::VehicleBinary>()
}
