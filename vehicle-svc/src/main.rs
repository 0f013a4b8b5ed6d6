//! vehicle-svc alone.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    patio_kit::command::main::<vehicle_svc::Vehicles>()
}
