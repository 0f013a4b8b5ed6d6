//! What is looked at before the spreadsheet library sees a file: whether it is a package of sane size.
//!
//! The library believes counts that stand in a file and keeps whole parts in memory, so a file of
//! two kilobytes can make it ask for more memory than there is.
use crate::refusal::{not_xlsx, unreadable};
use patio_proto::imports::Rejection;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Most parts a package may have.
pub const MOST_PARTS: usize = 2_000;
/// Most bytes all parts together may unpack to.
pub const MOST_UNPACKED: u64 = 256 << 20;
/// Most bytes a part may unpack to that is kept in memory: all XML but worksheets.
pub const MOST_KEPT: u64 = 32 << 20;
/// The longest stretch without a tag; a cell holds 32,767 characters at most.
pub const LONGEST_RUN: u64 = 1 << 20;

const ZIP: &[u8] = b"PK\x03\x04";
const OLE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Refuses what is no xlsx package, or one that unpacks to more than it should.
///
/// # Errors
/// The refusal.
pub fn check(file: &[u8]) -> Result<(), Rejection> {
    check_signature(file)?;
    let mut parts = ZipArchive::new(Cursor::new(file)).map_err(|_| unreadable("the file is damaged or not complete"))?;
    if parts.len() > MOST_PARTS {
        return Err(unreadable("it has more parts than any workbook"));
    }
    // Not known when a writer puts sizes behind the parts; then only unpacking tells.
    if parts.decompressed_size().is_some_and(|size| size > u128::from(MOST_UNPACKED)) {
        return Err(bomb());
    }
    if !parts.file_names_raw().any(is_workbook) {
        return Err(not_xlsx("The file is a package of another kind."));
    }
    let mut left = MOST_UNPACKED;
    for index in 0..parts.len() {
        // What cannot be unpacked counts for nothing here: the parts that are needed are refused when they are read.
        if let Ok(part) = parts.by_index(index) {
            left = unpack(part, left)?;
        }
    }
    Ok(())
}

fn check_signature(file: &[u8]) -> Result<(), Rejection> {
    if file.is_empty() {
        return Err(unreadable("the file is empty"));
    }
    if file.starts_with(OLE) {
        return Err(not_xlsx("The file is an older .xls workbook, or one locked with a password; save it as .xlsx without a password."));
    }
    if file.starts_with(ZIP) { Ok(()) } else { Err(not_xlsx("")) }
}

/// Whether a part is the workbook of an xlsx package, whatever case and slashes its writer used.
pub(super) fn is_workbook(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).replace('\\', "/").to_ascii_lowercase();
    name.rsplit('/').next().is_some_and(|last| last.starts_with("workbook") && last.ends_with(".xml"))
}

fn bomb() -> Rejection {
    unreadable("it unpacks to more than 256 MiB")
}

/// Unpacks one part and throws it away; what a file says of its sizes proves nothing. Answers how much is left.
fn unpack(mut part: impl Read, mut left: u64) -> Result<u64, Rejection> {
    let mut buffer = vec![0; 64 << 10];
    let mut seen = Part::default();
    loop {
        let count = part.read(&mut buffer).unwrap_or_default();
        if count == 0 {
            return seen.whole().map(|()| left);
        }
        left = left.checked_sub(count as u64).ok_or_else(bomb)?;
        seen.take(&buffer[..count])?;
    }
}

/// How much of a part's beginning is looked at closely.
const HEAD: usize = 4 << 10;

/// What is known of a part while it is unpacked.
#[derive(Default)]
struct Part {
    head: Vec<u8>,
    size: u64,
    run: u64,
}

impl Part {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Rejection> {
        let missing = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        self.size += bytes.len() as u64;
        if !self.is_xml() {
            return Ok(());
        }
        self.measure_run(bytes);
        if self.run > LONGEST_RUN {
            return Err(unreadable("a cell of it is longer than any spreadsheet program writes"));
        }
        if self.size > MOST_KEPT && self.root() != b"worksheet" {
            return Err(unreadable("its texts or styles unpack to more than 32 MiB"));
        }
        Ok(())
    }

    fn is_xml(&self) -> bool {
        self.head.iter().take(4).any(|byte| *byte == b'<')
    }

    fn measure_run(&mut self, bytes: &[u8]) {
        let length = bytes.len() as u64;
        match bytes.iter().rposition(|byte| *byte == b'<') {
            Some(last) => {
                let first = bytes.iter().position(|byte| *byte == b'<').unwrap_or(last);
                let before = self.run + first as u64;
                self.run = if before > LONGEST_RUN { before } else { length - last as u64 };
            }
            None => self.run += length,
        }
    }

    fn whole(&self) -> Result<(), Rejection> {
        if !self.is_xml() {
            return Ok(());
        }
        if find(&self.head, b"<!DOCTYPE").is_some() || find(&self.head, b"<!ENTITY").is_some() {
            return Err(unreadable("it declares a document type, which no workbook needs"));
        }
        // Each string takes at least `<si/>`, so a count beyond that is a lie.
        match self.claimed_strings() {
            Some(claimed) if claimed > self.size / 5 => Err(unreadable("it claims more texts than it holds")),
            _ => Ok(()),
        }
    }

    /// The name of the first element, without its prefix; empty when it has not come yet.
    fn root(&self) -> &[u8] {
        let mut rest = self.head.as_slice();
        while let Some(at) = find(rest, b"<") {
            rest = &rest[at + 1..];
            if rest.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_') {
                let end = rest.iter().position(|byte| !(byte.is_ascii_alphanumeric() || b":_-.".contains(byte))).unwrap_or(rest.len());
                return rest[..end].rsplit(|byte| *byte == b':').next().unwrap_or_default();
            }
        }
        &[]
    }

    fn claimed_strings(&self) -> Option<u64> {
        if self.root() != b"sst" {
            return None;
        }
        let attribute = b"uniqueCount=";
        let value = self.head.get(find(&self.head, attribute)? + attribute.len() + 1..).unwrap_or_default();
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // More digits than a number holds claim more than anything.
        Some(String::from_utf8_lossy(&value[..digits]).parse().unwrap_or(if digits == 0 { 0 } else { u64::MAX }))
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
