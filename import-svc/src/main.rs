//! Entry point of the import-svc binary. With the argument `read-workbook`, the binary runs as the sandboxed workbook
//! reader instead.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    import_svc::reader::run_if_requested().unwrap_or_else(patio_kit::cli::main::<import_svc::ImportBinary>)
}
