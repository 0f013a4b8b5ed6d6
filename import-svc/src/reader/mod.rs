//! Reading workbooks, in a process of its own for each.
//!
//! No file can be trusted: some make the spreadsheet library ask for more memory than there is,
//! which ends the process at once, past everything that could be caught. So the process that ends
//! is a short-lived one that has nothing else to do. The program starts itself anew with a first
//! argument of its own, hands the file in, and takes the rows out, step by step.
mod book;
mod cell;
mod child;
mod columns;
mod format;
mod format_code;
mod notes;
mod package;
mod parent;
mod rows;
mod sheet;
mod text;
pub mod wire;

pub use columns::{Column, ERRORS};
pub use package::{LONGEST_RUN, MOST_KEPT, MOST_PARTS, MOST_UNPACKED, check as check_package};
pub use parent::{AT_ONCE, Book, Checked, Failure, PATIENCE, Reader};
pub use rows::MOST_ROWS;
pub use sheet::{Purpose, Stop, read};

use std::process::ExitCode;

/// The first argument of the reading process.
pub const ARGUMENT: &str = "read-workbook";
/// The second argument when the rows are to be handed back with their errors.
const CHECK: &str = "to-correct";

/// Reads one workbook and ends, if the program was started for that; every program that runs
/// import-svc asks first thing in its `main`.
#[must_use]
pub fn main_if_asked() -> Option<ExitCode> {
    std::env::args_os().nth(1).is_some_and(|first| first == ARGUMENT).then(|| {
        let corrects = std::env::args_os().nth(2).is_some_and(|second| second == CHECK);
        child::run(if corrects { Purpose::Correct } else { Purpose::Import })
    })
}
