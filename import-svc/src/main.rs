//! import-svc alone, and the workbook reader it starts.

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    import_svc::reader::main_if_asked().unwrap_or_else(patio_kit::command::main::<import_svc::Imports>)
}
