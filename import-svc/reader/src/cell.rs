//! Values of worksheet cells, with the text that a spreadsheet program would display.
use std::rc::Rc;

/// Value of one cell of the campaign worksheet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Cell {
    /// Cell that is empty or contains only whitespace.
    #[default]
    Blank,
    /// Text of the cell without surrounding whitespace.
    Text(Rc<str>),
    /// Value that the spreadsheet program converted from the typed text, such as a date. The cell is invalid as a VIN or parking
    /// space. Fields: displayed text, and a sentence that says how to correct the cell.
    Unsupported(String, String),
    /// Value that is invalid in any column, such as `#N/A`. Fields: displayed text, and an error message that is shown after the
    /// column name.
    Invalid(String, String),
}

impl Cell {
    /// Creates a text cell with the trimmed text; a blank cell if nothing remains. Inner spaces are kept, because parking spaces
    /// such as `- 3` contain spaces.
    pub(crate) fn from_text(written: &str) -> Self {
        let text = trimmed(written);
        if text.is_empty() { Self::Blank } else { Self::Text(text.into()) }
    }

    /// Creates a text cell from a shared string of the workbook. The string is copied only if its ends must be trimmed.
    pub(crate) fn from_shared_string(written: &Rc<str>) -> Self {
        if trimmed(written).len() == written.len() && !written.is_empty() { Self::Text(written.clone()) } else { Self::from_text(written) }
    }

    /// Returns the text that the cell displays, even if its value is invalid; empty if the cell is blank.
    pub(crate) fn display_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unsupported(text, _) | Self::Invalid(text, _) => text,
            Self::Blank => "",
        }
    }

    /// Returns the text of a cell in a free-text column; empty if the cell is blank or invalid. A value that the spreadsheet program
    /// converted from the typed text, such as a date, is accepted as text.
    pub(crate) fn as_free_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Unsupported(text, _) => text,
            Self::Blank | Self::Invalid(..) => "",
        }
    }
}

fn trimmed(written: &str) -> &str {
    written.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}
