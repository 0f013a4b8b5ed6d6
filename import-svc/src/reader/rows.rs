//! The rules of the sheet: what each row must hold, and what comes of it.
use super::{
    cell::Cell,
    columns::{self, Column, Columns, Place},
    notes::Notes,
    sheet::{Purpose, Stop},
    wire::{Line, Lines, Record, Sheet},
};
use crate::refusal::{ErrorCode, RowErrors, refuse, unreadable};
use bytes::Bytes;
use patio_proto::{
    identifier::Identifier,
    imports::Rejection,
    normal, space,
    vehicle::{ImportVehiclesRequest, NewVehicle},
};
use prost::Message;
use std::{collections::HashMap, io, mem};

/// Most vehicles of one file.
pub const MOST_ROWS: u32 = 200_000;
/// Columns behind this one hold nothing that belongs.
const MOST_COLUMNS: u32 = 64;
/// Vehicles of one record.
const STEP: usize = 500;

/// The longest text a column of the campaign takes, in characters.
fn longest(column: Column) -> usize {
    match column {
        Column::Description => 2_000,
        _ => 120,
    }
}

/// The columns that say the same in every row.
const CAMPAIGN: [Column; 4] = [Column::Campaign, Column::Part, Column::Description, Column::ModelType];

/// The columns whose cells must hold what was typed, letter by letter.
const EXACT: [Column; 3] = [Column::ModelCode, Column::SerialNumber, Column::ParkingSpace];

/// The cells of a row, by column.
type Cells = [Cell; Column::ALL.len()];

/// Takes cells in the order of the sheet and makes vehicles of them.
pub(super) struct Rows<'s> {
    send: &'s mut dyn FnMut(Record) -> io::Result<()>,
    columns: Option<Columns>,
    row: u32,
    header: Vec<(u32, String)>,
    cells: Cells,
    filled: bool,
    campaign: Option<Campaign>,
    notes: Notes,
    known: HashMap<String, u32>,
    errors: RowErrors,
    read: u32,
    vehicles: Vec<NewVehicle>,
    correcting: Option<Correcting>,
}

/// What the first row says of the campaign, by [`CAMPAIGN`].
struct Campaign {
    /// The cells, for the rows that repeat them as they are.
    cells: [Cell; 4],
    /// In their normal form.
    texts: [String; 4],
}

/// The rows that are to be handed back.
#[derive(Default)]
struct Correcting {
    order: Vec<Column>,
    lines: Vec<Line>,
    /// What is wrong with the row that is being judged.
    wrong: Vec<(Column, String)>,
}

impl Correcting {
    fn begin(&mut self, order: Vec<Column>) {
        let names = order.iter().map(|column| column.name().to_owned());
        self.lines.push(Line { cells: names.collect(), ..Line::default() });
        self.order = order;
    }

    fn end_row(&mut self, row: u32, cells: &Cells) {
        let place = |column: Column| self.order.iter().position(|known| *known == column).and_then(|at| u32::try_from(at).ok());
        let wrong = self.wrong.iter().filter_map(|(column, _)| place(*column)).collect();
        let errors = self.wrong.drain(..).map(|(_, message)| message).collect::<Vec<_>>().join("; ");
        let cells = self.order.iter().map(|column| cells[*column as usize].shown().to_owned()).collect();
        self.lines.push(Line { row, cells, wrong, errors });
    }
}

impl<'s> Rows<'s> {
    pub(super) fn new(purpose: Purpose, send: &'s mut dyn FnMut(Record) -> io::Result<()>) -> Self {
        Self {
            send,
            columns: None,
            row: 0,
            header: Vec::new(),
            cells: Cells::default(),
            filled: false,
            campaign: None,
            notes: Notes::default(),
            known: HashMap::new(),
            errors: RowErrors::default(),
            read: 0,
            vehicles: Vec::with_capacity(STEP),
            correcting: (purpose == Purpose::Correct).then(Correcting::default),
        }
    }

    /// Takes one cell; `at` is row and column, counted from 0.
    pub(super) fn take(&mut self, (row, place): (u32, u32), cell: Cell) -> Result<(), Stop> {
        if cell == Cell::Blank {
            return Ok(());
        }
        if row < self.row {
            return Err(unreadable("its rows are out of order").into());
        }
        if row > self.row {
            self.end_row()?;
            self.row = row;
        }
        if place >= MOST_COLUMNS {
            return Err(columns::nameless(place, row + 1).into());
        }
        if row > MOST_ROWS {
            return Err(too_many(row).into());
        }
        if row == 0 {
            self.header.push((place, cell.shown().to_owned()));
            return Ok(());
        }
        match self.columns()?.at(place) {
            Some(Place::Value(column)) => self.cells[column as usize] = cell,
            Some(Place::Errors) => return Ok(()),
            None => return Err(columns::nameless(place, row + 1).into()),
        }
        self.filled = true;
        Ok(())
    }

    /// Ends the sheet.
    pub(super) fn finish(mut self) -> Result<Sheet, Stop> {
        self.columns()?;
        self.end_row()?;
        if !self.errors.is_empty() {
            self.hand_on()?;
            return Err(self.errors.refusal().into());
        }
        let Some(Campaign { texts: [campaign, part, description, model_type], .. }) = self.campaign.take() else {
            return Err(refuse(ErrorCode::NoVehicles, "The sheet 'Sheet1' holds no vehicles below its header.").into());
        };
        self.hand_on()?;
        let notes = self.notes.sentences();
        Ok(Sheet { campaign, part, description, model_type, vehicles: self.read.into(), notes })
    }

    fn columns(&mut self) -> Result<&Columns, Rejection> {
        match &mut self.columns {
            Some(columns) => Ok(columns),
            none => {
                let read = none.insert(Columns::read(&self.header)?);
                if let Some(correcting) = &mut self.correcting {
                    correcting.begin(read.in_order());
                }
                Ok(read)
            }
        }
    }

    fn end_row(&mut self) -> Result<(), Stop> {
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
        if self.read.is_multiple_of(u32::try_from(STEP).unwrap_or(u32::MAX)) { self.hand_on() } else { Ok(()) }
    }

    fn hand_on(&mut self) -> Result<(), Stop> {
        let vehicles = mem::replace(&mut self.vehicles, Vec::with_capacity(STEP));
        let lines = self.correcting.as_mut().map(|correcting| Lines { all: mem::take(&mut correcting.lines) });
        let vehicles = if self.errors.is_empty() && !vehicles.is_empty() && lines.is_none() {
            Bytes::from(ImportVehiclesRequest { campaign_id: 0, vehicles, source: String::new() }.encode_to_vec())
        } else {
            Bytes::new()
        };
        let lines = lines.map(|lines| Bytes::from(lines.encode_to_vec())).unwrap_or_default();
        (self.send)(Record { read: self.read.into(), vehicles, end: None, lines }).map_err(Stop::Unheard)
    }

    fn error(&mut self, column: Column, value: &str, message: &str) {
        self.errors.add(self.row + 1, column.name(), value, message);
        if let Some(correcting) = &mut self.correcting {
            correcting.wrong.push((column, message.to_owned()));
        }
    }

    /// Reports what is no value in any column, and what is none in a column of [`EXACT`].
    fn report_bad(&mut self, cells: &Cells) {
        for column in Column::ALL {
            match &cells[column as usize] {
                Cell::Bad(value, why) => self.error(column, value, &format!("{} {why}", column.name())),
                Cell::Unfit(value, why) if EXACT.contains(&column) => self.error(column, value, &format!("{}: {why}", column.name())),
                Cell::Text(_) | Cell::Unfit(..) | Cell::Blank => {}
            }
        }
    }

    /// Takes the campaign from the first row, and makes sure that the others do not say otherwise.
    fn compare_campaign(&mut self, cells: &Cells) {
        let Some(campaign) = self.campaign.take() else {
            self.campaign = Some(self.first_campaign(cells));
            return;
        };
        for (at, column) in CAMPAIGN.into_iter().enumerate() {
            let cell = &cells[column as usize];
            if *cell == campaign.cells[at] || cell.as_text().is_empty() {
                continue;
            }
            // A text that is far too long is another one; its normal form is not worth making for each row.
            let is_same = cell.as_text().len() <= 8 * longest(column) && normal_text(column, cell.as_text()) == campaign.texts[at];
            if !is_same {
                let message = format!("{} differs from the first row; a file holds one campaign", column.name());
                self.error(column, cell.as_text(), &message);
            }
        }
        self.campaign = Some(campaign);
    }

    fn first_campaign(&mut self, cells: &Cells) -> Campaign {
        if cells[Column::Campaign as usize] == Cell::Blank {
            self.error(Column::Campaign, "", "Campaign is missing; the first row names the campaign");
        }
        let texts = CAMPAIGN.map(|column| normal_text(column, text(cells, column)));
        for (column, value) in CAMPAIGN.into_iter().zip(&texts) {
            let most = longest(column);
            if value.chars().count() > most {
                self.error(column, value, &format!("{} is longer than {most} characters", column.name()));
            } else {
                self.notes.compare(column, text(cells, column), value);
            }
        }
        Campaign { cells: CAMPAIGN.map(|column| cells[column as usize].clone()), texts }
    }

    /// Makes a vehicle of the row; none when something is wrong with it.
    fn vehicle(&mut self, cells: &Cells) -> Option<NewVehicle> {
        let space = self.space(cells);
        let identifier = self.identifier(cells)?;
        let row = self.row + 1;
        let first = *self.known.entry(identifier.key()).or_insert(row);
        if first != row {
            self.error(Column::SerialNumber, &identifier.vin(), &format!("the same vehicle stands in row {first}"));
            return None;
        }
        space.map(|parking_space| NewVehicle { model_code: identifier.model_code, serial_number: identifier.serial_number, parking_space })
    }

    fn space(&mut self, cells: &Cells) -> Option<String> {
        let column = Column::ParkingSpace;
        let written = match &cells[column as usize] {
            Cell::Text(written) => written,
            Cell::Unfit(..) | Cell::Bad(..) => return None,
            Cell::Blank => {
                self.error(column, "", "Parking Space is missing");
                return None;
            }
        };
        match space::parse(written) {
            Ok(space) if space.is_empty() => self.error(column, written, "Parking Space is missing"),
            Ok(space) => {
                self.notes.compare(column, written, &space);
                return Some(space);
            }
            Err(why) => self.error(column, written, &format!("Parking Space {why}")),
        }
        None
    }

    fn identifier(&mut self, cells: &Cells) -> Option<Identifier> {
        let (model, serial) = (text(cells, Column::ModelCode), text(cells, Column::SerialNumber));
        let is_exact = [Column::ModelCode, Column::SerialNumber].iter().all(|column| !matches!(cells[*column as usize], Cell::Unfit(..)));
        if let Some(identifier) = Identifier::new(model, serial).ok().filter(|_| is_exact) {
            self.notes.compare(Column::ModelCode, model, &identifier.model_code);
            self.notes.compare(Column::SerialNumber, serial, &identifier.serial_number);
            return Some(identifier);
        }
        // Each half beside a good one, so that both are named when both are wrong.
        self.half(cells, Column::ModelCode, Identifier::new(model, "0").err());
        self.half(cells, Column::SerialNumber, Identifier::new("A", serial).err());
        None
    }

    /// Reports half an identifier, unless the cell has been reported already.
    fn half(&mut self, cells: &Cells, column: Column, wrong: Option<String>) {
        let reported = matches!(cells[column as usize], Cell::Bad(..) | Cell::Unfit(..));
        if let Some(message) = wrong.filter(|_| !reported) {
            self.error(column, text(cells, column), &message);
        }
    }
}

/// The normal form of a campaign's text: lines for the description, one line for the others.
fn normal_text(column: Column, written: &str) -> String {
    if column == Column::Description { normal::lines(written) } else { normal::name(written).into_owned() }
}

fn text(cells: &Cells, column: Column) -> &str {
    cells[column as usize].as_text()
}

fn too_many(row: u32) -> Rejection {
    let found = u64::from(row) + 1;
    refuse(
        ErrorCode::Rows,
        format!("The sheet holds data in row {found}; a file takes {MOST_ROWS} vehicles at most. Split it into several campaigns."),
    )
}
