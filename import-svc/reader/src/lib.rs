//! Parses workbooks, each in a separate sandboxed process.
//!
//! Uploaded files are not trusted: a malicious file can exhaust memory, which aborts the process that reads the file. For each
//! workbook, import-svc therefore starts its own executable again as a reader process, with the argument `read-workbook`. The reader
//! process receives the file on standard input and writes the rows to standard output.
mod cell;
mod columns;
mod format_code;
mod normalization_counts;
mod number_formats;
pub mod protocol;
pub mod rejection;
mod rows;
pub mod sandbox;
mod sheet;
mod text;
mod workbook;
mod workbook_reader;
mod worker;
mod zip_limits;

pub use columns::{Column, ERRORS_COLUMN_NAME};
pub use rows::{MAX_ROWS, ReadPurpose, SheetReadError};
pub use sheet::read_sheet;
pub use workbook_reader::{CorrectionRows, MAX_READER_PROCESSES, ParsedWorkbook, WORKBOOK_READ_TIMEOUT, WorkbookReadError, WorkbookReader};
pub use zip_limits::{MAX_BYTES_BETWEEN_TAGS, MAX_IN_MEMORY_PART_BYTES, MAX_UNPACKED_BYTES, MAX_ZIP_ENTRIES, validate_xlsx_package};

use std::process::ExitCode;

/// First command-line argument of the workbook reader process, by which the executable recognizes its role.
pub const RUN_AS_READER_ARGUMENT: &str = "read-workbook";
/// Optional second command-line argument of the reader process. The process then outputs all rows with their errors, for the user
/// to correct.
const CORRECTION_ARGUMENT: &str = "to-correct";

/// Runs the workbook reader if the program was started with [`RUN_AS_READER_ARGUMENT`], and returns the exit code; otherwise returns
/// `None`. Every program that contains import-svc must call this function first in `main`.
#[must_use]
pub fn run_reader_if_requested() -> Option<ExitCode> {
    std::env::args_os().nth(1).is_some_and(|first| first == RUN_AS_READER_ARGUMENT).then(|| {
        let corrects = std::env::args_os().nth(2).is_some_and(|second| second == CORRECTION_ARGUMENT);
        worker::run_reader_process(if corrects { ReadPurpose::Correct } else { ReadPurpose::Import })
    })
}
