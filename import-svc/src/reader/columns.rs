//! The columns of a campaign sheet, found by their names in row 1.
use crate::refusal::{ErrorCode, refuse, shown};
use patio_proto::imports::{Rejection, RowError};
use std::collections::HashMap;

/// A column with a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// The campaign's name.
    Campaign,
    /// What is wrong.
    Part,
    /// What is wrong with it.
    Description,
    /// The model, as people call it; may be absent.
    ModelType,
    /// The first half of an identifier.
    ModelCode,
    /// The second half of an identifier.
    SerialNumber,
    /// Where the vehicle stands.
    ParkingSpace,
}

impl Column {
    /// All of them, as the template has them.
    pub const ALL: [Self; 7] =
        [Self::Campaign, Self::Part, Self::Description, Self::ModelType, Self::ModelCode, Self::SerialNumber, Self::ParkingSpace];

    /// As written in row 1.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Campaign => "Campaign",
            Self::Part => "Part",
            Self::Description => "Description",
            Self::ModelType => "Model Type",
            Self::ModelCode => "Model Code",
            Self::SerialNumber => "Serial Number",
            Self::ParkingSpace => "Parking Space",
        }
    }

    /// Finds a column by its name, whatever the case and however wide the blanks.
    fn named(written: &str) -> Option<Self> {
        let name = written.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::ALL.into_iter().find(|column| column.name().eq_ignore_ascii_case(&name))
    }
}

impl Place {
    fn named(written: &str) -> Option<Self> {
        let is_errors = written.trim().eq_ignore_ascii_case(ERRORS);
        if is_errors { Some(Self::Errors) } else { Column::named(written).map(Self::Value) }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Value(column) => column.name(),
            Self::Errors => ERRORS,
        }
    }
}

/// The column that a refused sheet comes back with; it is not read when the corrected sheet is sent again.
pub const ERRORS: &str = "Errors";

/// What a place of a row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// A value of this column.
    Value(Column),
    /// What was wrong when the sheet was sent before.
    Errors,
}

/// Where each column is, counted from 0.
#[derive(Debug)]
pub(super) struct Columns(HashMap<u32, Place>);

impl Columns {
    /// Reads row 1: the filled cells with their places.
    ///
    /// # Errors
    /// The refusal that names every column that is missing or does not belong.
    pub(super) fn read(cells: &[(u32, String)]) -> Result<Self, Rejection> {
        let mut places = HashMap::new();
        let mut excess = Vec::new();
        for (place, written) in cells {
            match Place::named(written) {
                Some(known) if places.values().any(|taken| *taken == known) => excess.push(format!("{} (again)", known.name())),
                Some(known) => drop(places.insert(*place, known)),
                None => excess.push(shown(written)),
            }
        }
        let is_missing = |column: &Column| *column != Column::ModelType && !places.values().any(|known| *known == Place::Value(*column));
        let missing: Vec<String> = Column::ALL.iter().filter(|column| is_missing(column)).map(|column| column.name().to_owned()).collect();
        if missing.is_empty() && excess.is_empty() { Ok(Self(places)) } else { Err(wrong_columns(&missing, &excess)) }
    }

    /// What stands in a place, counted from 0.
    pub(super) fn at(&self, place: u32) -> Option<Place> {
        self.0.get(&place).copied()
    }

    /// The columns with values, in the order of the sheet.
    pub(super) fn in_order(&self) -> Vec<Column> {
        let mut all: Vec<(u32, Column)> = self
            .0
            .iter()
            .filter_map(|(at, place)| match place {
                Place::Value(column) => Some((*at, *column)),
                Place::Errors => None,
            })
            .collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, column)| column).collect()
    }
}

/// The refusal of columns: the names of those that are missing and of those that do not belong.
fn wrong_columns(missing: &[String], excess: &[String]) -> Rejection {
    let part = |words: &str, names: &[String]| if names.is_empty() { String::new() } else { format!(" {words}: {}.", names.join(", ")) };
    let message = format!("The columns in row 1 are not right.{}{}", part("Missing", missing), part("Not expected", excess));
    let row = |name: &String, message: &str| RowError { row: 1, column: name.clone(), value: String::new(), message: message.to_owned() };
    let rows: Vec<RowError> =
        missing.iter().map(|name| row(name, "is missing")).chain(excess.iter().map(|name| row(name, "is not expected"))).collect();
    let total_errors = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    Rejection { rows: rows.into_iter().take(crate::refusal::MOST_LISTED).collect(), total_errors, ..refuse(ErrorCode::Columns, message) }
}

/// The refusal of a value below no name.
pub(super) fn nameless(place: u32, row: u32) -> Rejection {
    let mut refusal = wrong_columns(&[], &[format!("{} (it has no name)", letters(place))]);
    for error in &mut refusal.rows {
        error.row = row.into();
        error.column = letters(place);
        "holds a value, but row 1 gives the column no name".clone_into(&mut error.message);
    }
    refusal
}

/// A place as the spreadsheet program letters it: 0 is A, 26 is AA.
fn letters(place: u32) -> String {
    let mut left = u64::from(place) + 1;
    let mut reversed = Vec::new();
    while left > 0 {
        reversed.push(char::from(b'A' + u8::try_from((left - 1) % 26).unwrap_or_default()));
        left = (left - 1) / 26;
    }
    reversed.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_lettered_as_spreadsheet_programs_do() {
        for (place, text) in [(0, "A"), (25, "Z"), (26, "AA"), (16_383, "XFD")] {
            assert_eq!(letters(place), text);
        }
    }

    #[test]
    fn names_are_found_whatever_their_case_and_blanks() {
        assert_eq!(Column::named("  model   CODE "), Some(Column::ModelCode));
        assert_eq!(Column::named("Model_Code"), None);
    }
}
