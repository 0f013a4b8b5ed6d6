//! Main function of the reader process: limits the resources of the process, reads one workbook from standard input, and writes
//! records to standard output.
use crate::{
    protocol::{self, ReaderRecord, SheetReadResult},
    rejection::{self, MAX_FILE_BYTES},
    rows::{ReadPurpose, SheetReadError},
    sandbox, sheet,
};
use rlimit::Resource;
use std::{
    io::{self, BufWriter, Read, Write},
    process::ExitCode,
};

/// Maximum address space in bytes for reading a workbook, on top of the address space that the process already uses.
const READING_ADDRESS_SPACE: u64 = 64 << 20;
/// Maximum total address space in bytes of the reader process. This limit applies when the current address space of the process is
/// unknown.
const MAX_ADDRESS_SPACE: u64 = 512 << 20;
/// Maximum address space in bytes that the reader process may use before reading the workbook; a larger process exits with an error.
/// The total limit during reading is the initial size plus [`READING_ADDRESS_SPACE`], so this maximum also bounds the total limit.
const MAX_INITIAL_ADDRESS_SPACE: u64 = MAX_ADDRESS_SPACE;
/// CPU time limit in seconds, so that the reader process ends even if its parent process has died.
const MAX_CPU_SECONDS: u64 = 20;

/// Reads the workbook from standard input and writes records to standard output. Returns success if the last record was written,
/// even for a rejected workbook.
pub(crate) fn run_reader_process(purpose: ReadPurpose) -> ExitCode {
    // The parent process detects a panic by the missing last record; the panic message is not needed.
    std::panic::set_hook(Box::new(|_| {}));
    match limit_resources().and_then(|()| read_workbook(purpose)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// Limits address space, CPU time and core dumps of this process, and restricts its system calls. A malicious workbook can
/// then only abort this process, which has no other work, no open files and no secrets.
fn limit_resources() -> io::Result<()> {
    let own = current_address_space().unwrap_or(MAX_ADDRESS_SPACE - READING_ADDRESS_SPACE);
    if own > MAX_INITIAL_ADDRESS_SPACE {
        return Err(io::Error::other("the program reserved too much address space before its limit could be set"));
    }
    let space = own + READING_ADDRESS_SPACE;
    Resource::AS.set(space, space)?;
    Resource::CPU.set(MAX_CPU_SECONDS, MAX_CPU_SECONDS)?;
    Resource::CORE.set(0, 0)?;
    // Systems without seccomp filters rely on the resource limits alone.
    let _ = sandbox::install_seccomp_filter();
    Ok(())
}

/// Returns the current address space of this process in bytes, or `None` if the size is unknown.
fn current_address_space() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn read_workbook(purpose: ReadPurpose) -> io::Result<()> {
    let mut file = Vec::new();
    let most = u64::try_from(MAX_FILE_BYTES).unwrap_or(u64::MAX) + 1;
    io::stdin().lock().take(most).read_to_end(&mut file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let read = if file.len() > MAX_FILE_BYTES {
        Err(rejection::file_too_large_rejection().into())
    } else {
        sheet::read_sheet(&file, purpose, &mut |record| protocol::write_record(&mut out, &record))
    };
    let end = match read {
        Ok(sheet) => SheetReadResult::Valid(sheet),
        Err(SheetReadError::Rejected(rejection)) => SheetReadResult::Rejected(rejection),
        Err(SheetReadError::OutputClosed(cause)) => return Err(cause),
    };
    let read = if let SheetReadResult::Valid(sheet) = &end { sheet.vehicles } else { 0 };
    protocol::write_record(&mut out, &ReaderRecord { read, end: Some(end), ..ReaderRecord::default() })?;
    out.flush()
}
