//! Writes the workbook of a campaign export row by row, with only one row in memory.
use chrono::{DateTime, FixedOffset, NaiveDateTime, Utc};
use patio_kit::clock;
use patio_proto::{
    campaign::Campaign,
    imports::Report,
    status,
    vehicle::{ExportedVehicle, VehicleStatus},
    yard,
};
use rust_xlsxwriter::{Color, Format, FormatAlign, Workbook, Worksheet, XlsxError};
use std::{collections::HashMap, fs::File, io::Seek, path::Path};

/// A row of the export: a vehicle with the name of the user who changed it last.
pub struct ExportRow {
    /// Vehicle data as vehicle-svc exported it.
    pub vehicle: ExportedVehicle,
    /// Name of the user who changed the vehicle last; empty if no user has changed the vehicle.
    pub modified_by: String,
}

/// Columns of a vehicle worksheet: title, and width in characters.
const COLUMNS: [(&str, f64); 11] = [
    ("VIN Number", 26.0),
    ("Model Code", 14.0),
    ("Serial Number", 18.0),
    ("Parking Space", 16.0),
    ("Yard", 8.0),
    ("Status", 12.0),
    ("Inspected", 10.0),
    ("Team Leader Notes", 40.0),
    ("Supervisor Notes", 40.0),
    ("Modified By", 16.0),
    ("Modified At (UTC-3)", 20.0),
];
/// First columns of the summary worksheet: title, and width in characters. One column per vehicle status follows.
const SUMMARY_COLUMNS: [(&str, f64); 5] =
    [("Yard", 22.0), ("Vehicles", 24.0), ("Inspected", 11.0), ("Remaining", 11.0), ("Complete", 10.0)];

/// Text in the status column for an inspected vehicle that has no status.
pub(super) const NO_STATUS_TEXT: &str = "No status";

/// Converts a time to the yards' local time, UTC-3.
#[must_use]
pub fn to_yard_local_time(at: DateTime<Utc>) -> NaiveDateTime {
    FixedOffset::west_opt(3 * 3600).map_or_else(|| at.naive_utc(), |zone| at.with_timezone(&zone).naive_local())
}

/// Cell formats of the export workbook.
struct Styles {
    head: Format,
    text: Format,
    /// Text format with Excel's quote prefix, for texts that begin like a formula.
    quoted: Format,
    moment: Format,
    share: Format,
    statuses: HashMap<VehicleStatus, Format>,
}

impl Styles {
    fn new() -> Self {
        let text = || Format::new().set_num_format("@").set_align(FormatAlign::Top);
        let colours = [
            (VehicleStatus::Ok, 0x0015_803D),
            (VehicleStatus::Ng, 0x00B9_1C1C),
            (VehicleStatus::NotFound, 0x006B_7280),
            (VehicleStatus::Repair, 0x00C2_410C),
            (VehicleStatus::RepairOk, 0x001D_4ED8),
            (VehicleStatus::GateOut, 0x006B_7280),
            (VehicleStatus::SOffBl, 0x007E_22CE),
        ];
        Self {
            head: text().set_bold().set_font_color(Color::White).set_background_color(Color::RGB(0x000F_766E)),
            text: text(),
            quoted: text().set_quote_prefix(),
            moment: Format::new().set_num_format("dd/mm/yyyy hh:mm:ss").set_align(FormatAlign::Top),
            share: Format::new().set_num_format("0.0%"),
            statuses: colours.map(|(status, colour)| (status, text().set_bold().set_font_color(Color::RGB(colour)))).into(),
        }
    }

    /// Writes a text without a cell format, because the column has the text format. Formatting each cell would make writing 25 %
    /// slower.
    fn write_plain(&self, sheet: &mut Worksheet, (row, column): (u32, u16), text: &str) -> Result<(), XlsxError> {
        if text.is_empty() || looks_like_formula(text) {
            return self.write(sheet, (row, column), text);
        }
        sheet.write_string(row, column, text).map(drop)
    }

    /// Writes a text as a text cell. A text that begins like a formula gets Excel's quote prefix, so that it never becomes a formula.
    fn write(&self, sheet: &mut Worksheet, (row, column): (u32, u16), text: &str) -> Result<(), XlsxError> {
        if text.is_empty() {
            return Ok(());
        }
        let style = if looks_like_formula(text) { &self.quoted } else { &self.text };
        sheet.write_string_with_format(row, column, text, style).map(drop)
    }
}

/// Returns `true` if a spreadsheet program would interpret the text as a formula when a user types the text into a cell.
pub(super) fn looks_like_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r'])
}

/// Numbers of vehicles in a worksheet: all, inspected, and per status.
#[derive(Clone, Copy, Default)]
struct Counts {
    vehicles: u32,
    inspected: u32,
    statuses: [u32; status::ALL_VEHICLE_STATUSES.len()],
}

impl Counts {
    fn add(&mut self, vehicle: &ExportedVehicle) {
        self.vehicles += 1;
        self.inspected += u32::from(vehicle.inspected);
        let is_counted = vehicle.status() != VehicleStatus::Unspecified || vehicle.inspected;
        if let Some(place) = status::ALL_VEHICLE_STATUSES.iter().position(|known| is_counted && *known == vehicle.status()) {
            self.statuses[place] += 1;
        }
    }

    fn plus(mut self, other: &Self) -> Self {
        self.vehicles += other.vehicles;
        self.inspected += other.inspected;
        self.statuses.iter_mut().zip(other.statuses).for_each(|(sum, more)| *sum += more);
        self
    }
}

/// One vehicle worksheet of the export workbook: its name, its index in the workbook, and the counts of its vehicles.
struct Page {
    name: String,
    index: usize,
    counts: Counts,
}

/// Writes the workbook of a campaign export, one vehicle at a time.
pub struct ExportWriter {
    book: Workbook,
    styles: Styles,
    report: Report,
    /// Position of each worksheet in the list `all`, by the id of its yard. Key 0 stands for vehicles without a yard, or for all
    /// vehicles when the report is not split by yard.
    pages: HashMap<i32, usize>,
    all: Vec<Page>,
}

impl ExportWriter {
    /// Creates the writer of an export workbook. The writer creates its temporary files in `folder`.
    pub fn new(report: Report, folder: &Path) -> Result<Self, XlsxError> {
        let mut book = Workbook::new();
        book.set_tempdir(folder)?;
        let mut writer = Self { book, styles: Styles::new(), report, pages: HashMap::new(), all: Vec::new() };
        if report == Report::AllYards {
            writer.book.add_worksheet().set_name("Summary")?;
        } else {
            writer.page(0, "Vehicles".to_owned())?;
        }
        Ok(writer)
    }

    /// Writes the next vehicle to the worksheet of its yard, or to the only worksheet if the report is not split by yard.
    pub fn write_vehicle(&mut self, line: &ExportRow) -> Result<(), XlsxError> {
        let page = match (self.report, line.vehicle.id_yard) {
            (Report::AllYards, Some(id)) => self.page(id, format!("Yard {}", yard::yard_name(id).unwrap_or("?")))?,
            (Report::AllYards, None) => self.page(0, "No yard".to_owned())?,
            _ => 0,
        };
        let page = &mut self.all[page];
        page.counts.add(&line.vehicle);
        let sheet = self.book.worksheet_from_index(page.index)?;
        write_row(sheet, page.counts.vehicles, line, &self.styles)
    }

    /// Returns the position in the list `all` of the worksheet for `key`. Creates the worksheet if it does not exist. `key` is a
    /// yard id, or 0 as in `pages`.
    fn page(&mut self, key: i32, name: String) -> Result<usize, XlsxError> {
        if let Some(known) = self.pages.get(&key) {
            return Ok(*known);
        }
        let sheet = self.book.add_worksheet_with_constant_memory()?;
        sheet.set_name(&name)?.set_freeze_panes(1, 0)?;
        for (place, (title, width)) in (0u16..).zip(COLUMNS) {
            sheet.set_column_width(place, width)?.set_column_format(place, &self.styles.text)?;
            sheet.write_string_with_format(0, place, title, &self.styles.head)?;
        }
        let index = self.all.len() + usize::from(self.report == Report::AllYards);
        self.all.push(Page { name, index, counts: Counts::default() });
        self.pages.insert(key, self.all.len() - 1);
        Ok(self.all.len() - 1)
    }

    /// Finishes the workbook. Returns the workbook as an unnamed temporary file, and the number of vehicles in the workbook.
    pub fn into_file(mut self, campaign: &Campaign, at: DateTime<Utc>, folder: &Path) -> Result<(File, u32), XlsxError> {
        for page in &self.all {
            let last = u16::try_from(COLUMNS.len() - 1).unwrap_or_default();
            self.book.worksheet_from_index(page.index)?.autofilter(0, 0, page.counts.vehicles.max(1), last)?;
        }
        if self.report == Report::AllYards {
            let sheet = self.book.worksheet_from_index(0)?;
            summarise(sheet, &self.styles, (campaign, at), &self.all)?;
        }
        let vehicles = self.all.iter().map(|page| page.counts.vehicles).sum();
        let mut file = tempfile::tempfile_in(folder)?;
        self.book.save_to_writer(&mut file)?;
        file.rewind()?;
        Ok((file, vehicles))
    }
}

fn write_row(sheet: &mut Worksheet, row: u32, line: &ExportRow, styles: &Styles) -> Result<(), XlsxError> {
    let vehicle = &line.vehicle;
    let vin = format!("{} {}", vehicle.model_code, vehicle.serial_number);
    let yard = vehicle.id_yard.and_then(yard::yard_name).unwrap_or_default();
    let place = [&vin, &vehicle.model_code, &vehicle.serial_number, &vehicle.parking_space, yard];
    for (column, text) in (0u16..).zip(place) {
        styles.write_plain(sheet, (row, column), text)?;
    }
    if let Some(style) = styles.statuses.get(&vehicle.status()) {
        sheet.write_string_with_format(row, 5, status::vehicle_status_text(vehicle.status()), style)?;
    } else if vehicle.inspected {
        styles.write_plain(sheet, (row, 5), NO_STATUS_TEXT)?;
    }
    styles.write_plain(sheet, (row, 6), if vehicle.inspected { "Yes" } else { "No" })?;
    let notes = [&vehicle.operator_notes, &vehicle.admin_notes].map(|note| note.replace("\r\n", "\n"));
    for (column, text) in (7u16..).zip([notes[0].as_str(), &notes[1], &line.modified_by]) {
        styles.write_plain(sheet, (row, column), text)?;
    }
    // Without an editor, `modified_at` is the time of the import and is not shown.
    if let Some(at) = vehicle.modified_at.as_ref().filter(|_| vehicle.modified_by.is_some()).and_then(clock::from_timestamp) {
        sheet.write_datetime_with_format(row, 10, to_yard_local_time(at), &styles.moment)?;
    }
    Ok(())
}

fn summarise(sheet: &mut Worksheet, styles: &Styles, about: (&Campaign, DateTime<Utc>), pages: &[Page]) -> Result<(), XlsxError> {
    let (campaign, at) = about;
    let properties = [
        ("Campaign", campaign.name.as_str()),
        ("Part", &campaign.part),
        ("Description", &campaign.description),
        ("Model Type", &campaign.model_type),
        ("Status", status::campaign_status_text(campaign.status())),
    ];
    for (row, (name, value)) in (0u32..).zip(properties) {
        sheet.write_string_with_format(row, 0, name, &styles.head)?;
        styles.write(sheet, (row, 1), value)?;
    }
    sheet.write_string_with_format(5, 0, "Created At (UTC-3)", &styles.head)?;
    sheet.write_datetime_with_format(5, 1, to_yard_local_time(at), &styles.moment)?;
    let statuses = status::ALL_VEHICLE_STATUSES
        .map(|known| if known == VehicleStatus::Unspecified { NO_STATUS_TEXT } else { status::vehicle_status_text(known) });
    for (place, (title, width)) in (0u16..).zip(SUMMARY_COLUMNS.into_iter().chain(statuses.map(|name| (name, 11.0)))) {
        sheet.set_column_width(place, width)?;
        sheet.write_string_with_format(7, place, title, &styles.head)?;
    }
    let whole = pages.iter().fold(Counts::default(), |sum, page| sum.plus(&page.counts));
    let rows = pages.iter().map(|page| (page.name.as_str(), &page.counts)).chain([("All yards", &whole)]);
    for (row, (name, counts)) in (8u32..).zip(rows) {
        count(sheet, (row, name), counts, styles)?;
    }
    Ok(())
}

fn count(sheet: &mut Worksheet, (row, name): (u32, &str), counts: &Counts, styles: &Styles) -> Result<(), XlsxError> {
    styles.write(sheet, (row, 0), name)?;
    for (column, number) in (1u16..).zip([counts.vehicles, counts.inspected, counts.vehicles - counts.inspected]) {
        sheet.write_number(row, column, number)?;
    }
    if counts.vehicles > 0 {
        sheet.write_number_with_format(row, 4, f64::from(counts.inspected) / f64::from(counts.vehicles), &styles.share)?;
    }
    for (column, number) in (5u16..).zip(counts.statuses) {
        sheet.write_number(row, column, number)?;
    }
    Ok(())
}
