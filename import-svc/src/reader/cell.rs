//! A cell as text.
use super::format::Formats;
use calamine::{DataRef, ExcelDateTime};
use chrono::{TimeDelta, Timelike};

/// What a cell holds.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) enum Cell {
    /// Nothing, or nothing but blanks.
    #[default]
    Blank,
    /// Text, without blanks around it.
    Text(String),
    /// Something that is no value: as shown, and what is wrong, to follow a column's name.
    Bad(String, String),
}

impl Cell {
    /// Reads what the library found, with the number formats of the workbook.
    pub(super) fn of(found: &DataRef<'_>, style: usize, formats: &Formats) -> Self {
        match found {
            DataRef::Empty => Self::Blank,
            DataRef::String(text) => Self::text(text),
            DataRef::SharedString(text) => Self::text(text),
            DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Self::text(text),
            DataRef::Int(number) => Self::Text(number.to_string()),
            DataRef::Float(number) => match formats.shown(*number, style) {
                Ok(text) => Self::Text(text),
                Err(why) => Self::Bad(number.to_string(), why.to_owned()),
            },
            DataRef::Bool(truth) => Self::Text(if *truth { "TRUE" } else { "FALSE" }.to_owned()),
            DataRef::DateTime(moment) => shown_moment(moment),
            DataRef::Error(error) => Self::Bad(error.to_string(), format!("holds the error {error}")),
        }
    }

    /// Takes the blanks off both ends; those inside, as in the space `- 3`, mean something.
    fn text(written: &str) -> Self {
        let text = written.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'));
        if text.is_empty() { Self::Blank } else { Self::Text(text.to_owned()) }
    }

    /// What people see in it, good or not.
    pub(super) fn shown(&self) -> &str {
        match self {
            Self::Text(text) | Self::Bad(text, _) => text,
            Self::Blank => "",
        }
    }

    /// The text; empty unless there is a good one.
    pub(super) fn as_text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Blank | Self::Bad(..) => "",
        }
    }
}

/// Dates in the one spelling that does not depend on the reader's country.
fn shown_moment(moment: &ExcelDateTime) -> Cell {
    if moment.is_duration() {
        let Some(length) = moment.as_duration() else { return no_date(moment) };
        let seconds = length.num_seconds();
        return Cell::Text(format!("{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60));
    }
    // Fractions of a day are seldom exact, so the half second above counts for the next one.
    let Some(at) = moment.as_datetime().and_then(|at| at.checked_add_signed(TimeDelta::milliseconds(500))) else { return no_date(moment) };
    let pattern = match (moment.as_f64() < 1.0, at.num_seconds_from_midnight()) {
        (true, _) => "%H:%M:%S",
        (false, 0) => "%Y-%m-%d",
        (false, _) => "%Y-%m-%d %H:%M:%S",
    };
    Cell::Text(at.format(pattern).to_string())
}

fn no_date(moment: &ExcelDateTime) -> Cell {
    Cell::Bad(moment.as_f64().to_string(), "holds a date that does not exist".to_owned())
}
