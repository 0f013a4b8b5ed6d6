//! Rejections of uploaded files: the error codes, messages and row errors that the uploader sees.
use patio_proto::imports::{Rejection, RowError};

/// Maximum size of an uploaded file, in bytes.
pub const MAX_FILE_BYTES: usize = 5_242_880;
/// Maximum number of row errors that a rejection lists; further errors are only counted.
pub const MAX_LISTED_ERRORS: usize = 100;

/// Reason for the rejection of an uploaded file. The field `ErrorCode` in the response of `POST /documents/upload` contains the
/// number of the reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// The workbook has no worksheet named `Sheet1`.
    NoSheet = 50,
    /// The file is damaged or malicious.
    Unreadable = 51,
    /// The file has more than [`MAX_FILE_BYTES`] bytes.
    TooLarge = 52,
    /// The file is not an `.xlsx` workbook.
    NotXlsx = 53,
    /// Another campaign already has this name.
    NameTaken = 54,
    /// The worksheet contains no vehicles.
    NoVehicles = 55,
    /// Required columns are missing, or unknown columns are present.
    WrongColumns = 56,
    /// Some rows contain invalid values.
    InvalidRows = 57,
}

/// Builds a rejection with a code and a message, without row errors.
#[must_use]
pub fn build_rejection(code: ErrorCode, message: impl Into<String>) -> Rejection {
    Rejection { code: code as i32, message: message.into(), ..Rejection::default() }
}

/// Builds the rejection of an unreadable workbook. `why` completes the sentence "The workbook cannot be read: …".
#[must_use]
pub fn unreadable_workbook_rejection(why: &str) -> Rejection {
    build_rejection(ErrorCode::Unreadable, format!("The workbook cannot be read: {why}."))
}

/// Builds the rejection of a file that is too large.
#[must_use]
pub fn file_too_large_rejection() -> Rejection {
    build_rejection(ErrorCode::TooLarge, "Failed to select document. File size should not exceed 5MB.")
}

/// Builds the rejection of a file that is not an `.xlsx` workbook. `why` is a further sentence for the user, or empty.
#[must_use]
pub fn not_xlsx_rejection(why: &str) -> Rejection {
    build_rejection(ErrorCode::NotXlsx, format!("Failed to select document. Only .xlsx documents are allowed. {why}").trim_end())
}

/// Builds the rejection of a campaign name that is already in use. The gateway replaces `{product}` in the message with the product name.
#[must_use]
pub fn campaign_name_taken_rejection() -> Rejection {
    build_rejection(ErrorCode::NameTaken, "Uma campanha com o mesmo nome já existe para o {product}.")
}

/// Collects the cell errors of one file: lists the first errors and counts all errors.
#[derive(Debug, Default)]
pub struct RowErrorCollector {
    listed: Vec<RowError>,
    total: i64,
}

impl RowErrorCollector {
    /// Adds the error of one cell. `row` is the row number as a spreadsheet program shows it, counted from 1.
    pub fn add_cell_error(&mut self, row: u32, column: &str, value: &str, message: impl Into<String>) {
        self.total += 1;
        if self.listed.len() < MAX_LISTED_ERRORS {
            self.listed.push(RowError {
                row: row.into(),
                column: column.to_owned(),
                value: shorten_for_message(value),
                message: message.into(),
            });
        }
    }

    /// Returns `true` if no cell error was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// Builds the rejection of the file, with the total number of cell errors and a list of the first errors.
    #[must_use]
    pub fn into_rejection(self) -> Rejection {
        let message = match self.total {
            1 => "One cell has an error. Nothing was imported.".to_owned(),
            total => format!("{total} cells have errors. Nothing was imported."),
        };
        Rejection { rows: self.listed, total_errors: self.total, ..build_rejection(ErrorCode::InvalidRows, message) }
    }
}

/// Maximum number of characters of a cell value that a message quotes.
const MAX_QUOTED_LEN: usize = 60;

/// Shortens a cell value for a message and replaces unprintable characters with `�`.
#[must_use]
pub fn shorten_for_message(text: &str) -> String {
    let printable = |c: char| if is_unprintable(c) { char::REPLACEMENT_CHARACTER } else { c };
    let mut cut: String = text.chars().take(MAX_QUOTED_LEN).map(printable).collect();
    if text.chars().nth(MAX_QUOTED_LEN).is_some() {
        cut.push('…');
    }
    cut
}

/// Returns `true` for characters that no value may contain: control characters and characters that change the text direction.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}
