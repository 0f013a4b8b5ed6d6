//! Entry point of the import-svc binary. With the argument `read-workbook`, the binary runs as the sandboxed workbook
//! reader instead.
use import_svc::{BINARY, reader, run_doctor_checks, start};
use patio_kit::cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    reader::run_if_requested().unwrap_or_else(|| cli::run_service_binary(BINARY, start, run_doctor_checks))
}
