//! Why a file is refused, as the person who sent it is told.
use patio_proto::imports::{Rejection, RowError};

/// The largest file that is taken.
pub const LARGEST_FILE: usize = 5_242_880;
/// How many row errors are listed; the rest is only counted.
pub const MOST_LISTED: usize = 100;

/// The numbers that `POST /documents/upload` answers as `ErrorCode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorCode {
    /// There is no sheet `Sheet1`.
    NoSheet = 50,
    /// The file is damaged, or hostile.
    Unreadable = 51,
    /// It has more than [`LARGEST_FILE`] bytes.
    TooLarge = 52,
    /// It is no xlsx workbook.
    NotXlsx = 53,
    /// Another campaign has the name.
    NameTaken = 54,
    /// The sheet holds no vehicles.
    NoVehicles = 55,
    /// Columns are missing, or there are some that do not belong.
    Columns = 56,
    /// Some rows cannot be taken.
    Rows = 57,
}

/// A refusal in one sentence.
#[must_use]
pub fn refuse(code: ErrorCode, message: impl Into<String>) -> Rejection {
    Rejection { code: code as i32, message: message.into(), ..Rejection::default() }
}

/// The refusal of what cannot be read; `why` completes the sentence.
#[must_use]
pub fn unreadable(why: &str) -> Rejection {
    refuse(ErrorCode::Unreadable, format!("The workbook cannot be read: {why}."))
}

/// The refusal of a file that is too large.
#[must_use]
pub fn too_large() -> Rejection {
    refuse(ErrorCode::TooLarge, "Failed to select document. File size should not exceed 5MB.")
}

/// The refusal of what is no xlsx workbook; `why` is a sentence of its own, or empty.
#[must_use]
pub fn not_xlsx(why: &str) -> Rejection {
    refuse(ErrorCode::NotXlsx, format!("Failed to select document. Only .xlsx documents are allowed. {why}").trim_end())
}

/// The refusal of a name that another campaign has; the gateway puts the product's name in.
#[must_use]
pub fn name_taken() -> Rejection {
    refuse(ErrorCode::NameTaken, "Uma campanha com o mesmo nome já existe para o {product}.")
}

/// The errors of one file: the first ones in full, all of them counted.
#[derive(Debug, Default)]
pub struct RowErrors {
    listed: Vec<RowError>,
    total: i64,
}

impl RowErrors {
    /// Takes note of a bad cell; `row` as the spreadsheet program numbers it.
    pub fn add(&mut self, row: u32, column: &str, value: &str, message: impl Into<String>) {
        self.total += 1;
        if self.listed.len() < MOST_LISTED {
            self.listed.push(RowError { row: row.into(), column: column.to_owned(), value: shown(value), message: message.into() });
        }
    }

    /// Whether there was none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.total == 0
    }

    /// The refusal that lists them.
    #[must_use]
    pub fn refusal(self) -> Rejection {
        let message = match self.total {
            1 => "One cell has to be corrected; nothing was imported.".to_owned(),
            total => format!("{total} cells have to be corrected; nothing was imported."),
        };
        Rejection { rows: self.listed, total_errors: self.total, ..refuse(ErrorCode::Rows, message) }
    }
}

/// The longest piece of a cell that a message repeats.
const LONGEST_SHOWN: usize = 60;

/// A cell's text fit for a message: cut, and with `�` for what does not print.
#[must_use]
pub fn shown(text: &str) -> String {
    let printable = |c: char| if is_unprintable(c) { char::REPLACEMENT_CHARACTER } else { c };
    let mut cut: String = text.chars().take(LONGEST_SHOWN).map(printable).collect();
    if text.chars().nth(LONGEST_SHOWN).is_some() {
        cut.push('…');
    }
    cut
}

/// Whether a character must stand in no value: control characters and those that turn the writing direction.
#[must_use]
pub fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}
