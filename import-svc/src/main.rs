//! Entry point of the import-svc binary. With the argument `read-workbook`, the binary runs as the sandboxed workbook
//! reader instead.
use import_svc::{SERVICE_BINARY, run_doctor_checks, start};
use patio_kit::cli;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    workbook_reader::run_reader_if_requested().unwrap_or_else(|| cli::run_service_binary(SERVICE_BINARY, start, run_doctor_checks))
}
