//! Validates the rows of the campaign worksheet and converts each row to a vehicle.
use crate::{
    cell::Cell,
    columns::{self, Column, ColumnKind, Columns},
    normalization_counts::NormalizationCounts,
    protocol::{CorrectionRow, CorrectionRowBatch, ReaderRecord, SheetSummary},
    rejection::{ErrorCode, RowErrorCollector, build_rejection, unreadable_workbook_rejection},
};
use bytes::Bytes;
use patio_proto::{
    imports::Rejection,
    normalization, parking_space,
    vehicle::{ImportVehiclesRequest, NewVehicle},
    vin::Vin,
};
use prost::Message;
use std::{collections::HashMap, io, mem};

/// Maximum number of vehicles in one workbook.
pub const MAX_ROWS: u32 = 200_000;
/// Maximum number of worksheet columns; a file with a value in a later column is rejected.
const MAX_COLUMNS: u32 = 64;
/// Maximum number of rows in one record that the reader process sends.
const VEHICLES_PER_RECORD: usize = 500;

/// Purpose of reading a worksheet: to import its vehicles, or to return all rows with their errors for the user to correct.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadPurpose {
    /// The worksheet is read to import its vehicles: the reader process returns the vehicles.
    Import,
    /// The worksheet is read for the user to correct it: the reader process returns all rows with their errors, and no vehicles.
    Correct,
}

/// Reason that reading stopped before the end of the worksheet.
#[derive(Debug)]
pub enum SheetReadError {
    /// The file was rejected; contains the errors for the uploader.
    Rejected(Rejection),
    /// Writing the records failed, because the parent process closed the pipe.
    OutputClosed(io::Error),
}

impl From<Rejection> for SheetReadError {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// Returns the maximum length in characters of a text in a campaign column (campaign, part, description or model).
fn longest(column: Column) -> usize {
    match column {
        Column::Description => 2_000,
        _ => 120,
    }
}

/// Columns that describe the campaign instead of a vehicle. Every vehicle row must have the same value as the first vehicle row, or no
/// value.
const CAMPAIGN_COLUMNS: [Column; 4] = [Column::Campaign, Column::Part, Column::Description, Column::ModelType];

/// Columns that must not contain converted values, such as dates. A spreadsheet program converts a text that looks like a date, and
/// the typed text is lost. These columns need the typed text, because they identify the vehicle and its parking space.
const EXACT_COLUMNS: [Column; 3] = [Column::ModelCode, Column::SerialNumber, Column::ParkingSpace];

/// Cells of one row, indexed by recognized column.
type Cells = [Cell; Column::ALL.len()];

/// Collects cells in the order of the worksheet, validates each row and outputs vehicles.
pub(crate) struct RowCollector<'s> {
    send: &'s mut dyn FnMut(ReaderRecord) -> io::Result<()>,
    columns: Option<Columns>,
    row: u32,
    header: Vec<(u32, String)>,
    cells: Cells,
    filled: bool,
    campaign: Option<Campaign>,
    notes: NormalizationCounts,
    known: HashMap<String, u32>,
    errors: RowErrorCollector,
    read: u32,
    vehicles: Vec<NewVehicle>,
    correcting: Option<Correcting>,
}

/// Campaign values of the first vehicle row, in the order of [`CAMPAIGN_COLUMNS`].
struct Campaign {
    /// Cells of the first vehicle row in the four campaign columns, before normalization. If a later row has an equal cell, that
    /// cell is valid and need not be normalized.
    cells: [Cell; 4],
    /// Normalized texts of the first vehicle row in the four campaign columns: campaign name, part, description and model.
    texts: [String; 4],
}

/// Collector of all rows with their errors, used only when the worksheet is read for the user to correct it.
#[derive(Default)]
struct Correcting {
    order: Vec<Column>,
    lines: Vec<CorrectionRow>,
    /// Errors of the current row, each with its column and message.
    wrong: Vec<(Column, String)>,
}

impl Correcting {
    fn begin(&mut self, order: Vec<Column>) {
        let names = order.iter().map(|column| column.name().to_owned());
        self.lines.push(CorrectionRow { cells: names.collect(), ..CorrectionRow::default() });
        self.order = order;
    }

    fn end_row(&mut self, row: u32, cells: &Cells) {
        let place = |column: Column| self.order.iter().position(|known| *known == column).and_then(|at| u32::try_from(at).ok());
        let wrong = self.wrong.iter().filter_map(|(column, _)| place(*column)).collect();
        let errors = self.wrong.drain(..).map(|(_, message)| message).collect::<Vec<_>>().join(" ");
        let cells = self.order.iter().map(|column| cells[*column as usize].display_text().to_owned()).collect();
        self.lines.push(CorrectionRow { row, cells, wrong, errors });
    }
}

impl<'s> RowCollector<'s> {
    pub(crate) fn new(purpose: ReadPurpose, send: &'s mut dyn FnMut(ReaderRecord) -> io::Result<()>) -> Self {
        Self {
            send,
            columns: None,
            row: 0,
            header: Vec::new(),
            cells: Cells::default(),
            filled: false,
            campaign: None,
            notes: NormalizationCounts::default(),
            known: HashMap::new(),
            errors: RowErrorCollector::default(),
            read: 0,
            vehicles: Vec::with_capacity(VEHICLES_PER_RECORD),
            correcting: (purpose == ReadPurpose::Correct).then(Correcting::default),
        }
    }

    /// Adds one cell of the worksheet at a row index and a column index, both counted from 0. Returns an error, so that reading
    /// stops, if the file is rejected or if the parent process closed the pipe.
    pub(crate) fn add_cell(&mut self, (row, place): (u32, u32), cell: Cell) -> Result<(), SheetReadError> {
        if cell == Cell::Blank {
            return Ok(());
        }
        if row < self.row {
            return Err(unreadable_workbook_rejection("its rows are out of order").into());
        }
        if row > self.row {
            self.end_row()?;
            self.row = row;
        }
        if place >= MAX_COLUMNS {
            return Err(match row {
                0 => columns::unexpected_column_rejection(cell.display_text()),
                _ => columns::unnamed_column_rejection(place, row + 1),
            }
            .into());
        }
        if row > MAX_ROWS {
            return Err(too_many(row).into());
        }
        if row == 0 {
            self.header.push((place, cell.display_text().to_owned()));
            return Ok(());
        }
        match self.columns()?.column_kind(place) {
            Some(ColumnKind::Value(column)) => self.cells[column as usize] = cell,
            Some(ColumnKind::Errors) => return Ok(()),
            None => return Err(columns::unnamed_column_rejection(place, row + 1).into()),
        }
        self.filled = true;
        Ok(())
    }

    /// Validates the last row and returns the campaign data of the worksheet. Returns the rejection if any row has an error.
    pub(crate) fn into_sheet_summary(mut self) -> Result<SheetSummary, SheetReadError> {
        self.columns()?;
        self.end_row()?;
        if !self.errors.is_empty() {
            self.send_rows()?;
            return Err(self.errors.into_rejection().into());
        }
        let Some(Campaign { texts: [campaign, part, description, model_type], .. }) = self.campaign.take() else {
            return Err(build_rejection(ErrorCode::NoVehicles, "The sheet 'Sheet1' has no vehicles below its header.").into());
        };
        self.send_rows()?;
        let notes = self.notes.to_notes();
        Ok(SheetSummary { campaign, part, description, model_type, vehicles: self.read.into(), notes })
    }

    fn columns(&mut self) -> Result<&Columns, Rejection> {
        match &mut self.columns {
            Some(columns) => Ok(columns),
            none => {
                let read = none.insert(Columns::from_header_row(&self.header)?);
                if let Some(correcting) = &mut self.correcting {
                    correcting.begin(read.list_columns_left_to_right());
                }
                Ok(read)
            }
        }
    }

    fn end_row(&mut self) -> Result<(), SheetReadError> {
        if !mem::take(&mut self.filled) {
            return Ok(());
        }
        let cells = mem::take(&mut self.cells);
        self.read += 1;
        self.report_bad(&cells);
        self.compare_campaign(&cells);
        if let Some(vehicle) = self.vehicle(&cells) {
            self.vehicles.push(vehicle);
        }
        if let Some(correcting) = &mut self.correcting {
            correcting.end_row(self.row, &cells);
        }
        if self.read.is_multiple_of(u32::try_from(VEHICLES_PER_RECORD).unwrap_or(u32::MAX)) { self.send_rows() } else { Ok(()) }
    }

    fn send_rows(&mut self) -> Result<(), SheetReadError> {
        let vehicles = mem::replace(&mut self.vehicles, Vec::with_capacity(VEHICLES_PER_RECORD));
        let lines = self.correcting.as_mut().map(|correcting| CorrectionRowBatch { all: mem::take(&mut correcting.lines) });
        let vehicles = if self.errors.is_empty() && !vehicles.is_empty() && lines.is_none() {
            Bytes::from(ImportVehiclesRequest { campaign_id: 0, vehicles, source: String::new() }.encode_to_vec())
        } else {
            Bytes::new()
        };
        let lines = lines.map(|lines| Bytes::from(lines.encode_to_vec())).unwrap_or_default();
        (self.send)(ReaderRecord { read: self.read.into(), vehicles, end: None, lines }).map_err(SheetReadError::OutputClosed)
    }

    fn error(&mut self, column: Column, value: &str, message: &str) {
        self.errors.add_cell_error(self.row + 1, column.name(), value, message);
        if let Some(correcting) = &mut self.correcting {
            correcting.wrong.push((column, message.to_owned()));
        }
    }

    /// Records an error for each invalid cell, and for each cell in [`EXACT_COLUMNS`] that a spreadsheet program converted.
    fn report_bad(&mut self, cells: &Cells) {
        for column in Column::ALL {
            match &cells[column as usize] {
                Cell::Invalid(value, why) => self.error(column, value, &format!("{} {why}", column.name())),
                Cell::Unsupported(value, why) if EXACT_COLUMNS.contains(&column) => {
                    self.error(column, value, &format!("{}: {why}", column.name()))
                }
                Cell::Text(_) | Cell::Unsupported(..) | Cell::Blank => {}
            }
        }
    }

    /// Reads the campaign data from the first vehicle row. In later rows, records an error for each value that differs from that row.
    fn compare_campaign(&mut self, cells: &Cells) {
        let Some(campaign) = self.campaign.take() else {
            self.campaign = Some(self.first_campaign(cells));
            return;
        };
        for (at, column) in CAMPAIGN_COLUMNS.into_iter().enumerate() {
            let cell = &cells[column as usize];
            let written = cell.as_free_text();
            if *cell == campaign.cells[at] || written.is_empty() {
                continue;
            }
            // A far too long text counts as different without the cost of normalizing it in every row.
            let is_same = written.len() <= 8 * longest(column) && {
                let value = normal_text(column, written);
                value.is_empty() || value == campaign.texts[at]
            };
            if !is_same {
                let message = format!("{} differs from the first row. One file holds one campaign.", column.name());
                self.error(column, written, &message);
            }
        }
        self.campaign = Some(campaign);
    }

    fn first_campaign(&mut self, cells: &Cells) -> Campaign {
        let texts = CAMPAIGN_COLUMNS.map(|column| normal_text(column, text(cells, column)));
        // A name of invisible characters alone counts as missing. An invalid cell has its own error.
        if texts[0].is_empty() && !matches!(cells[Column::Campaign as usize], Cell::Invalid(..)) {
            self.error(Column::Campaign, text(cells, Column::Campaign), "Campaign is missing in the first row.");
        }
        for (column, value) in CAMPAIGN_COLUMNS.into_iter().zip(&texts) {
            let most = longest(column);
            if value.chars().count() > most {
                self.error(column, value, &format!("{} has more than {most} characters.", column.name()));
            } else {
                self.notes.count_if_changed(column, text(cells, column), value);
            }
        }
        Campaign { cells: CAMPAIGN_COLUMNS.map(|column| cells[column as usize].clone()), texts }
    }

    /// Converts the VIN and the parking space of one row to a vehicle. Returns `None` if the VIN or the parking space is invalid, or
    /// if an earlier row has the same VIN; the reason is recorded as an error.
    fn vehicle(&mut self, cells: &Cells) -> Option<NewVehicle> {
        let space = self.space(cells);
        let identifier = self.identifier(cells)?;
        let row = self.row + 1;
        let first = *self.known.entry(identifier.comparison_key()).or_insert(row);
        if first != row {
            self.error(Column::SerialNumber, &identifier.to_text(), &format!("Same vehicle as in row {first}."));
            return None;
        }
        space.map(|parking_space| NewVehicle { model_code: identifier.model_code, serial_number: identifier.serial_number, parking_space })
    }

    fn space(&mut self, cells: &Cells) -> Option<String> {
        let column = Column::ParkingSpace;
        let written = match &cells[column as usize] {
            Cell::Text(written) => written,
            Cell::Unsupported(..) | Cell::Invalid(..) => return None,
            Cell::Blank => {
                self.error(column, "", "Parking Space is missing.");
                return None;
            }
        };
        match parking_space::parse(written) {
            Ok(space) if space.is_empty() => self.error(column, written, "Parking Space is missing."),
            Ok(space) => {
                self.notes.count_if_changed(column, written, &space);
                return Some(space);
            }
            Err(why) => self.error(column, written, &format!("Parking Space {why}")),
        }
        None
    }

    fn identifier(&mut self, cells: &Cells) -> Option<Vin> {
        let (model, serial) = (text(cells, Column::ModelCode), text(cells, Column::SerialNumber));
        let is_exact =
            [Column::ModelCode, Column::SerialNumber].iter().all(|column| !matches!(cells[*column as usize], Cell::Unsupported(..)));
        if let Some(identifier) = Vin::new(model, serial).ok().filter(|_| is_exact) {
            self.notes.count_if_changed(Column::ModelCode, model, &identifier.model_code);
            self.notes.count_if_changed(Column::SerialNumber, serial, &identifier.serial_number);
            return Some(identifier);
        }
        // Each half is checked together with a valid other half, so that errors in both are reported.
        self.half(cells, Column::ModelCode, Vin::new(model, "0").err());
        self.half(cells, Column::SerialNumber, Vin::new("A", serial).err());
        None
    }

    /// Records an error for an invalid model code or serial number (the halves of a VIN), unless the cell already has an error.
    fn half(&mut self, cells: &Cells, column: Column, wrong: Option<String>) {
        let reported = matches!(cells[column as usize], Cell::Invalid(..) | Cell::Unsupported(..));
        if let Some(message) = wrong.filter(|_| !reported) {
            self.error(column, text(cells, column), &message);
        }
    }
}

/// Normalizes a text about the campaign. Only the description may have several lines.
fn normal_text(column: Column, written: &str) -> String {
    if column == Column::Description {
        normalization::normalize_multiline_text(written)
    } else {
        normalization::normalize_name(written).into_owned()
    }
}

fn text(cells: &Cells, column: Column) -> &str {
    cells[column as usize].as_free_text()
}

fn too_many(row: u32) -> Rejection {
    let found = u64::from(row) + 1;
    build_rejection(
        ErrorCode::InvalidRows,
        format!("The sheet has data in row {found}. One file can have at most {MAX_ROWS} vehicles. Split it into several campaigns."),
    )
}
