//! Columns of a campaign worksheet, identified by their names in row 1.
use crate::rejection::{ErrorCode, build_rejection, shorten_for_message};
use patio_proto::imports::{Rejection, RowError};
use std::collections::HashMap;

/// A recognized column of the campaign worksheet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Column {
    /// Column with the name of the campaign.
    Campaign,
    /// Column with the vehicle part that the campaign is about.
    Part,
    /// Column with the description of the campaign: the defect of the vehicles and its repair.
    Description,
    /// Optional column with the model of the vehicles as free text.
    ModelType,
    /// Column with the model code, the first half of the VIN.
    ModelCode,
    /// Column with the serial number, the second half of the VIN.
    SerialNumber,
    /// Column with the parking space of the vehicle.
    ParkingSpace,
}

impl Column {
    /// All recognized columns of a campaign worksheet, in the order of the template workbook.
    pub const ALL: [Self; 7] =
        [Self::Campaign, Self::Part, Self::Description, Self::ModelType, Self::ModelCode, Self::SerialNumber, Self::ParkingSpace];

    /// Returns the name of the column as written in row 1.
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

    /// Finds a column by its name, ignoring letter case and repeated blanks; `None` if the name is unknown.
    fn named(written: &str) -> Option<Self> {
        let name = written.split_whitespace().collect::<Vec<_>>().join(" ");
        Self::ALL.into_iter().find(|column| column.name().eq_ignore_ascii_case(&name))
    }
}

impl ColumnKind {
    fn named(written: &str) -> Option<Self> {
        let is_errors = written.trim().eq_ignore_ascii_case(ERRORS_COLUMN_NAME);
        if is_errors { Some(Self::Errors) } else { Column::named(written).map(Self::Value) }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Value(column) => column.name(),
            Self::Errors => ERRORS_COLUMN_NAME,
        }
    }
}

/// Name of the column that import-svc adds to a rejected workbook to show the errors of each row. An import ignores the column.
pub const ERRORS_COLUMN_NAME: &str = "Errors";

/// Kind of a worksheet column: a recognized column of the campaign, or the column with error messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    /// Recognized column, such as `Serial Number`; an import reads its values.
    Value(Column),
    /// Column of error messages in a downloaded copy of a rejected workbook; an import ignores its values.
    Errors,
}

/// Meaning of each named column of the worksheet, by column index counted from 0.
#[derive(Debug)]
pub(crate) struct Columns(HashMap<u32, ColumnKind>);

impl Columns {
    /// Reads the header of the worksheet. `cells` contains the column index and the name of each cell in row 1.
    ///
    /// # Errors
    /// Returns the rejection that names every missing and every unknown column.
    pub(crate) fn from_header_row(cells: &[(u32, String)]) -> Result<Self, Rejection> {
        let mut places = HashMap::new();
        let mut excess = Vec::new();
        for (place, written) in cells {
            match ColumnKind::named(written) {
                Some(known) if places.values().any(|taken| *taken == known) => excess.push(format!("{} (twice)", known.name())),
                Some(known) => drop(places.insert(*place, known)),
                None => excess.push(shorten_for_message(written)),
            }
        }
        let is_missing =
            |column: &Column| *column != Column::ModelType && !places.values().any(|known| *known == ColumnKind::Value(*column));
        let missing: Vec<String> = Column::ALL.iter().filter(|column| is_missing(column)).map(|column| column.name().to_owned()).collect();
        if missing.is_empty() && excess.is_empty() { Ok(Self(places)) } else { Err(wrong_columns(&missing, &excess)) }
    }

    /// Returns the meaning of the column with this index, counted from 0; `None` if the column has no name in row 1.
    pub(crate) fn column_kind(&self, column_index: u32) -> Option<ColumnKind> {
        self.0.get(&column_index).copied()
    }

    /// Returns the recognized columns from left to right, without the error column.
    pub(crate) fn list_columns_left_to_right(&self) -> Vec<Column> {
        let mut all: Vec<(u32, Column)> = self
            .0
            .iter()
            .filter_map(|(at, place)| match place {
                ColumnKind::Value(column) => Some((*at, *column)),
                ColumnKind::Errors => None,
            })
            .collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|(_, column)| column).collect()
    }
}

/// Builds the rejection that names the missing and the unknown columns of the worksheet.
fn wrong_columns(missing: &[String], excess: &[String]) -> Rejection {
    let part = |words: &str, names: &[String]| if names.is_empty() { String::new() } else { format!(" {words}: {}.", names.join(", ")) };
    let message = format!("Wrong columns in row 1.{}{}", part("Missing", missing), part("Not expected", excess));
    let row = |name: &String, message: &str| RowError { row: 1, column: name.clone(), value: String::new(), message: message.to_owned() };
    let rows: Vec<RowError> = missing
        .iter()
        .map(|name| row(name, "This column is missing."))
        .chain(excess.iter().map(|name| row(name, "This column is not expected.")))
        .collect();
    let total_errors = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    Rejection {
        rows: rows.into_iter().take(crate::rejection::MAX_LISTED_ERRORS).collect(),
        total_errors,
        ..build_rejection(ErrorCode::WrongColumns, message)
    }
}

/// Builds the rejection of a name in row 1 that belongs to no expected column.
pub(crate) fn unexpected_column_rejection(name: &str) -> Rejection {
    wrong_columns(&[], &[shorten_for_message(name)])
}

/// Builds the rejection of a value in a column that has no name in row 1.
pub(crate) fn unnamed_column_rejection(column_index: u32, row: u32) -> Rejection {
    let mut refusal = wrong_columns(&[], &[format!("{} (no name)", letters(column_index))]);
    for error in &mut refusal.rows {
        error.row = row.into();
        error.column = letters(column_index);
        "This column has values but no name in row 1.".clone_into(&mut error.message);
    }
    refusal
}

/// Converts a column index to spreadsheet letters: 0 is `A`, 26 is `AA`.
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
    fn column_indexes_become_spreadsheet_letters() {
        for (place, text) in [(0, "A"), (25, "Z"), (26, "AA"), (16_383, "XFD")] {
            assert_eq!(letters(place), text);
        }
    }

    #[test]
    fn column_names_ignore_case_and_repeated_blanks() {
        assert_eq!(Column::named("  model   CODE "), Some(Column::ModelCode));
        assert_eq!(Column::named("Model_Code"), None);
    }
}
