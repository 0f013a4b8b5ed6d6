//! The reading process: it limits itself, reads one workbook from its standard input, and ends.
use super::{
    sheet::{self, Purpose, Stop},
    wire::{self, End, Record},
};
use crate::refusal::{self, LARGEST_FILE};
use rlimit::Resource;
use std::{
    io::{self, BufWriter, Read, Write},
    process::ExitCode,
};

/// Address space it may take beyond what the program itself takes.
const ROOM: u64 = 64 << 20;
/// Address space it may take in all where the program's own cannot be found out.
const ALL_ROOM: u64 = 512 << 20;
/// Most that the program may have taken by itself: what it reserved ahead it could fill whatever the limit is.
const MOST_OWN: u64 = ALL_ROOM;
/// Seconds of processor time, so that it ends even when nobody is left to end it.
const LONGEST_WORK: u64 = 20;

/// Reads the workbook and writes records; the exit code says whether the last one was written.
pub(super) fn run(purpose: Purpose) -> ExitCode {
    // The parent hears of a panic by the missing last record, and nobody else reads the words.
    std::panic::set_hook(Box::new(|_| {}));
    match confine().and_then(|()| answer(purpose)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

/// A damaged workbook can make the reader ask for any amount of memory, which ends the process
/// that asks. This one has no other work, no open files and no secrets.
fn confine() -> io::Result<()> {
    let own = own_space().unwrap_or(ALL_ROOM - ROOM);
    if own > MOST_OWN {
        return Err(io::Error::other("so much address space was reserved ahead that a limit would not hold"));
    }
    let space = own + ROOM;
    Resource::AS.set(space, space)?;
    Resource::CPU.set(LONGEST_WORK, LONGEST_WORK)?;
    Resource::CORE.set(0, 0)
}

/// The address space the program takes by itself, in bytes.
fn own_space() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib << 10)
}

fn answer(purpose: Purpose) -> io::Result<()> {
    let mut file = Vec::new();
    let most = u64::try_from(LARGEST_FILE).unwrap_or(u64::MAX) + 1;
    io::stdin().lock().take(most).read_to_end(&mut file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let read = if file.len() > LARGEST_FILE {
        Err(refusal::too_large().into())
    } else {
        sheet::read(&file, purpose, &mut |record| wire::write(&mut out, &record))
    };
    let end = match read {
        Ok(sheet) => End::Whole(sheet),
        Err(Stop::Refused(rejection)) => End::Refused(rejection),
        Err(Stop::Unheard(cause)) => return Err(cause),
    };
    let read = if let End::Whole(sheet) = &end { sheet.vehicles } else { 0 };
    wire::write(&mut out, &Record { read, end: Some(end), ..Record::default() })?;
    out.flush()
}
