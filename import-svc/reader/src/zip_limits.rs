//! Checks the zip package of a workbook before it is parsed: signature, number of parts, unpacked sizes.
//!
//! Protects against zip bombs and against a forged number of shared strings. Without these checks, a file of two kilobytes can exhaust
//! memory.
use crate::rejection::{not_xlsx_rejection, unreadable_workbook_rejection};
use patio_proto::imports::Rejection;
use std::io::{Cursor, Read};
use zip::ZipArchive;

/// Maximum number of parts (files) in the `.xlsx` package of a workbook.
pub const MAX_ZIP_ENTRIES: usize = 2_000;
/// Maximum unpacked size of all parts of a workbook together, in bytes.
pub const MAX_UNPACKED_BYTES: u64 = 256 << 20;
/// Maximum unpacked size in bytes of an XML part that is parsed into memory: all parts except worksheets, which are read as a
/// stream.
pub const MAX_IN_MEMORY_PART_BYTES: u64 = 32 << 20;
/// Maximum number of bytes between two XML tags in a workbook. Valid files stay far below, because a cell has at most 32,767
/// characters.
pub const MAX_BYTES_BETWEEN_TAGS: u64 = 1 << 20;

const ZIP_SIGNATURE: &[u8] = b"PK\x03\x04";
const OLE_SIGNATURE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// Checks that a file is an `.xlsx` package whose parts stay within the limits when unpacked.
///
/// # Errors
/// Returns the rejection of any other file.
pub fn validate_xlsx_package(file: &[u8]) -> Result<(), Rejection> {
    check_signature(file)?;
    let mut parts = ZipArchive::new(Cursor::new(file)).map_err(|_| unreadable_workbook_rejection("the file is damaged or not complete"))?;
    if parts.len() > MAX_ZIP_ENTRIES {
        return Err(unreadable_workbook_rejection("it has more parts than any workbook"));
    }
    // The declared size is missing if the writer put sizes after the parts; then only unpacking shows it.
    if parts.decompressed_size().is_some_and(|size| size > u128::from(MAX_UNPACKED_BYTES)) {
        return Err(bomb());
    }
    if !parts.file_names_raw().any(is_main_workbook_path) {
        return Err(not_xlsx_rejection("This file is not a spreadsheet."));
    }
    let mut left = MAX_UNPACKED_BYTES;
    for index in 0..parts.len() {
        // A part that cannot be unpacked is skipped here; if it is needed, reading it fails later.
        if let Ok(part) = parts.by_index(index) {
            left = unpack(part, left)?;
        }
    }
    Ok(())
}

fn check_signature(file: &[u8]) -> Result<(), Rejection> {
    if file.is_empty() {
        return Err(unreadable_workbook_rejection("the file is empty"));
    }
    if file.starts_with(OLE_SIGNATURE) {
        return Err(not_xlsx_rejection("This is an .xls file or it has a password. Save it as .xlsx without a password."));
    }
    if file.starts_with(ZIP_SIGNATURE) { Ok(()) } else { Err(not_xlsx_rejection("")) }
}

/// Returns `true` for the path of the main workbook part, such as `xl/workbook.xml`. Ignores case and the kind of slashes.
pub(crate) fn is_main_workbook_path(name: &[u8]) -> bool {
    let name = String::from_utf8_lossy(name).replace('\\', "/").to_ascii_lowercase();
    name.rsplit('/').next().is_some_and(|last| last.starts_with("workbook") && last.ends_with(".xml"))
}

fn bomb() -> Rejection {
    unreadable_workbook_rejection("it unpacks to more than 256 MiB")
}

/// Unpacks one part to determine its real size, since declared sizes can be forged. `left` is the number of bytes that may still be
/// unpacked. Returns `left` minus the size of the part.
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

/// Number of bytes at the start of a part that are searched for the root element and for forbidden XML declarations.
const SEARCHED_BYTES: usize = 4 << 10;

/// Data collected about one part (file) of the package while the part is unpacked, to check the part against the limits.
#[derive(Default)]
struct Part {
    head: Vec<u8>,
    size: u64,
    run: u64,
}

impl Part {
    fn take(&mut self, bytes: &[u8]) -> Result<(), Rejection> {
        let missing = SEARCHED_BYTES.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..missing]);
        self.size += bytes.len() as u64;
        if !self.is_xml() {
            return Ok(());
        }
        self.measure_run(bytes);
        if self.run > MAX_BYTES_BETWEEN_TAGS {
            return Err(unreadable_workbook_rejection("a cell of it is longer than any spreadsheet program writes"));
        }
        if self.size > MAX_IN_MEMORY_PART_BYTES && self.root() != b"worksheet" {
            return Err(unreadable_workbook_rejection("its texts or styles unpack to more than 32 MiB"));
        }
        Ok(())
    }

    /// Returns whether the part begins with `<`, after a byte order mark and blanks. While only blanks have been read, the part counts as
    /// XML.
    fn is_xml(&self) -> bool {
        let is_skipped = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, 0 | 0xef | 0xbb | 0xbf | 0xfe | 0xff);
        self.head.iter().find(|byte| !is_skipped(**byte)).is_none_or(|byte| *byte == b'<')
    }

    fn measure_run(&mut self, bytes: &[u8]) {
        let length = bytes.len() as u64;
        match bytes.iter().rposition(|byte| *byte == b'<') {
            Some(last) => {
                let first = bytes.iter().position(|byte| *byte == b'<').unwrap_or(last);
                let before = self.run + first as u64;
                self.run = if before > MAX_BYTES_BETWEEN_TAGS { before } else { length - last as u64 };
            }
            None => self.run += length,
        }
    }

    fn whole(&self) -> Result<(), Rejection> {
        if !self.is_xml() {
            return Ok(());
        }
        if find(&self.head, b"<!DOCTYPE").is_some() || find(&self.head, b"<!ENTITY").is_some() {
            return Err(unreadable_workbook_rejection("it declares a document type, which no workbook needs"));
        }
        // Each string takes at least the 5 bytes of `<si/>`, so a higher count is forged.
        match self.declared_string_count() {
            Some(claimed) if claimed > self.size / 5 => Err(unreadable_workbook_rejection("its list of texts is damaged")),
            _ => Ok(()),
        }
    }

    /// Returns the root element's name without prefix; empty if the root element has not been read yet.
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

    fn declared_string_count(&self) -> Option<u64> {
        if self.root() != b"sst" {
            return None;
        }
        let attribute = b"uniqueCount=";
        let value = self.head.get(find(&self.head, attribute)? + attribute.len() + 1..).unwrap_or_default();
        let digits = value.iter().take_while(|byte| byte.is_ascii_digit()).count();
        // A count that overflows `u64` is treated as the maximum.
        Some(String::from_utf8_lossy(&value[..digits]).parse().unwrap_or(if digits == 0 { 0 } else { u64::MAX }))
    }
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}
