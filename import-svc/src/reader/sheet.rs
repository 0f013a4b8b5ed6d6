//! From a file to records.
use super::{
    cell::Cell,
    format::Formats,
    package,
    rows::Rows,
    wire::{Record, Sheet},
};
use crate::refusal::{ErrorCode, refuse, unreadable};
use calamine::{Reader, Xlsx, XlsxError};
use patio_proto::imports::Rejection;
use std::io::{self, Cursor};

/// The one sheet that is read.
const SHEET: &str = "Sheet1";

/// What a sheet is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Its vehicles.
    Import,
    /// Its rows as they are, each with what is wrong with it.
    Correct,
}

/// Why reading ended before the end of the sheet.
#[derive(Debug)]
pub enum Stop {
    /// The file is refused.
    Refused(Rejection),
    /// Nobody takes the records any more.
    Unheard(io::Error),
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}

/// Reads a workbook and hands its vehicles on, or its rows, some hundred at a time.
///
/// A file can make this end the process; [`super::Reader`] calls it in one that is made for that.
///
/// # Errors
/// Why the file is refused; what was handed on until then does not count.
pub fn read(file: &[u8], purpose: Purpose, send: &mut dyn FnMut(Record) -> io::Result<()>) -> Result<Sheet, Stop> {
    package::check(file)?;
    let mut workbook: Xlsx<_> = Xlsx::new(Cursor::new(file)).map_err(|cause| damaged(&cause))?;
    if !workbook.sheet_names().iter().any(|name| name == SHEET) {
        return Err(no_sheet(&workbook.sheet_names()).into());
    }
    let mut cells = workbook.worksheet_cells_reader(SHEET).map_err(|cause| damaged(&cause))?;
    let formats = Formats::of(cells.styles());
    let mut rows = Rows::new(purpose, send);
    while let Some((cell, style)) = cells.next_cell_with_style_id().map_err(|cause| damaged(&cause))? {
        rows.take(cell.get_position(), Cell::of(cell.get_value(), style, &formats))?;
    }
    rows.finish()
}

fn no_sheet(there: &[String]) -> Rejection {
    let names: Vec<String> = there.iter().take(5).map(|name| format!("'{}'", crate::refusal::shown(name))).collect();
    let found = if names.is_empty() { "it has none".to_owned() } else { format!("it has {}", names.join(", ")) };
    refuse(ErrorCode::NoSheet, format!("The workbook has no worksheet named 'Sheet1' ({found}); rename the sheet to 'Sheet1'."))
}

fn damaged(cause: &XlsxError) -> Rejection {
    match cause {
        XlsxError::Password => crate::refusal::not_xlsx("The workbook is locked with a password."),
        XlsxError::NotAWorksheet(_) => {
            refuse(ErrorCode::NoSheet, "'Sheet1' is a chart, not a worksheet; rename the sheet with the vehicles to 'Sheet1'.")
        }
        _ => unreadable("its contents are damaged"),
    }
}
