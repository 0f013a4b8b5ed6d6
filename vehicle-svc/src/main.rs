//! vehicle-svc alone.
fn main() -> std::process::ExitCode {
    patio_kit::command::main::<vehicle_svc::Vehicles>()
}
