//! Reads the cells of `Sheet1` from a workbook file and passes them to the validation of rows.
use crate::{
    cell::Cell,
    number_formats::{FORMAT_AS_TEXT_HINT, NumberFormats},
    protocol::{ReaderRecord, SheetSummary},
    rejection::shorten_for_message,
    rows::{ReadPurpose, RowCollector, SheetReadError},
    workbook::{self, Workbook, WorkbookPartReader},
    zip_limits,
};
use patio_proto::imports::Rejection;
use quick_xml::events::{BytesStart, Event};
use std::{io, rc::Rc};

/// Reads a workbook and passes its rows to `send`, in records of up to 500 rows. Depending on `purpose`, a record contains vehicles to
/// import, or all rows with their errors for the user to correct.
///
/// A malicious file can abort the process, so [`crate::WorkbookReader`] calls this function in a separate reader process.
///
/// # Errors
/// Returns the rejection of the file. Records sent before the rejection must be discarded.
pub fn read_sheet(
    file: &[u8],
    purpose: ReadPurpose,
    send: &mut dyn FnMut(ReaderRecord) -> io::Result<()>,
) -> Result<SheetSummary, SheetReadError> {
    zip_limits::validate_xlsx_package(file)?;
    let mut workbook = Workbook::open(file)?;
    let (is_hidden, from_1904) = (workbook.is_hidden, workbook.from_1904);
    let (xml, texts, formats) = workbook.open_sheet()?;
    let mut rows = RowCollector::new(purpose, send);
    let mut cells = Cells { xml, texts, formats, from_1904, row: 0, column: 0 };
    if cells.find_data()? {
        cells.each(|at, cell| rows.add_cell(at, cell))?;
    }
    let mut sheet = rows.into_sheet_summary()?;
    if is_hidden {
        sheet.notes.insert(0, "The sheet 'Sheet1' is hidden. Its vehicles were read anyway.".to_owned());
    }
    Ok(sheet)
}

/// Iterates over the cells of a worksheet in the order of the file.
struct Cells<'p, 'f> {
    xml: WorkbookPartReader<'p, 'f>,
    texts: &'p [Rc<str>],
    formats: &'p NumberFormats,
    from_1904: bool,
    /// Index of the current row, counted from 0. A row or cell whose XML element contains no position gets this row index.
    row: u32,
    column: u32,
}

impl Cells<'_, '_> {
    /// Reads the XML of the worksheet up to the first row. Returns `false` if the worksheet has no rows.
    fn find_data(&mut self) -> Result<bool, Rejection> {
        let (mut buffer, mut is_worksheet) = (Vec::new(), false);
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(|_| workbook::corrupt_workbook_part_rejection())? {
                Event::Empty(start) if start.local_name().as_ref() == "sheetData" => return Ok(false),
                Event::Start(start) => match start.local_name().as_ref() {
                    "sheetData" => return Ok(true),
                    "worksheet" => is_worksheet = true,
                    _ if !is_worksheet => return Err(workbook::chart_sheet_rejection()),
                    _ => {}
                },
                Event::Eof => return Err(workbook::corrupt_workbook_part_rejection()),
                _ => {}
            }
        }
    }

    /// Calls `take` with the position of each cell (row and column, counted from 0) and with its value.
    fn each(&mut self, mut take: impl FnMut((u32, u32), Cell) -> Result<(), SheetReadError>) -> Result<(), SheetReadError> {
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(|_| workbook::corrupt_workbook_part_rejection())? {
                Event::Start(start) if start.local_name().as_ref() == "c" => {
                    let (at, cell) = self.cell(&start)?;
                    take(at, cell)?;
                }
                // Empty cells that only have a style; some programs write a million of them.
                Event::Empty(start) if start.local_name().as_ref() == "c" => {
                    self.column = self.place(&Attributes::of(&start)?)?.1.saturating_add(1);
                }
                Event::Start(start) if start.local_name().as_ref() == "row" => self.begin_row(&start)?,
                Event::Empty(start) if start.local_name().as_ref() == "row" => {
                    self.begin_row(&start)?;
                    self.row = self.row.saturating_add(1);
                }
                Event::End(end) if end.local_name().as_ref() == "row" => (self.row, self.column) = (self.row.saturating_add(1), 0),
                Event::End(end) if end.local_name().as_ref() == "sheetData" => return Ok(()),
                Event::Eof => return Err(workbook::corrupt_workbook_part_rejection().into()),
                _ => {}
            }
        }
    }

    fn begin_row(&mut self, start: &BytesStart<'_>) -> Result<(), Rejection> {
        let number = Attributes::of(start)?.place;
        if !number.is_empty() {
            self.row = number
                .parse::<u32>()
                .ok()
                .and_then(|number| number.checked_sub(1))
                .ok_or_else(workbook::corrupt_workbook_part_rejection)?;
        }
        Ok(())
    }

    /// Returns row and column of a cell, counted from 0. A cell without an explicit position follows the previous cell.
    fn place(&self, attributes: &Attributes<'_>) -> Result<(u32, u32), Rejection> {
        if attributes.place.is_empty() {
            Ok((self.row, self.column))
        } else {
            position(attributes.place).ok_or_else(workbook::corrupt_workbook_part_rejection)
        }
    }

    fn cell(&mut self, start: &BytesStart<'_>) -> Result<((u32, u32), Cell), Rejection> {
        let attributes = Attributes::of(start)?;
        let at = self.place(&attributes)?;
        let (style, kind) = (attributes.style.parse().unwrap_or_default(), attributes.kind);
        let (mut value, mut buffer) = (None, Vec::new());
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(|_| workbook::corrupt_workbook_part_rejection())? {
                Event::Empty(inner) if matches!(inner.local_name().as_ref(), "v" | "is") => value = Some(String::new()),
                Event::Start(inner) => match inner.local_name().as_ref() {
                    "v" => value = Some(workbook::read_element_text(&mut self.xml, "v")?),
                    "is" => value = Some(workbook::read_cell_text(&mut self.xml, "is")?),
                    _ => {}
                },
                Event::End(end) if end.local_name().as_ref() == "c" => break,
                Event::Eof => return Err(workbook::corrupt_workbook_part_rejection()),
                _ => {}
            }
        }
        self.column = at.1.saturating_add(1);
        Ok((at, value.map_or(Cell::Blank, |value| self.read(&value, kind, style))))
    }

    /// Converts the raw value of a cell to a [`Cell`]. `kind` is the type attribute of the cell's XML element.
    fn read(&self, value: &str, kind: &str, style: usize) -> Cell {
        match kind {
            "s" => match value.trim().parse::<usize>().ok().and_then(|index| self.texts.get(index)) {
                Some(text) => Cell::from_shared_string(text),
                None => bad(value, "refers to a text that is missing in the workbook."),
            },
            "str" => Cell::from_text(&crate::text::decode_xlsx_escapes(value)),
            "inlineStr" => Cell::from_text(value),
            "b" => {
                let text = if value.trim() == "1" || value.trim().eq_ignore_ascii_case("true") { "TRUE" } else { "FALSE" };
                Cell::Unsupported(text.to_owned(), format!("Excel turned this into TRUE or FALSE. {FORMAT_AS_TEXT_HINT}"))
            }
            "e" => bad(value, &format!("contains the formula error {}.", shorten_for_message(value))),
            "d" => Cell::Unsupported(value.to_owned(), format!("Excel turned this into a date. {FORMAT_AS_TEXT_HINT}")),
            "" | "n" if value.trim().is_empty() => Cell::Blank,
            "" | "n" => match value.trim().parse() {
                Ok(number) => self.formats.format_number(number, style, self.from_1904),
                Err(_) => bad(value, "contains a number that cannot be read."),
            },
            _ => bad(value, "contains a value of an unknown type."),
        }
    }
}

/// Attributes of the XML element of a row or cell: position, style and type; empty if missing.
#[derive(Default)]
struct Attributes<'x> {
    place: &'x str,
    style: &'x str,
    kind: &'x str,
}

impl<'x> Attributes<'x> {
    /// Parses the attributes in one pass, because a worksheet may have millions of cells. XML escapes are not decoded, because the
    /// values of these attributes contain none.
    fn of(start: &'x BytesStart<'_>) -> Result<Self, Rejection> {
        let (mut attributes, mut rest) = (Self::default(), start.attributes_raw());
        while let Some((name, behind)) = rest.split_once('=') {
            let behind = behind.trim_start();
            let quote =
                behind.chars().next().filter(|quote| matches!(quote, '"' | '\'')).ok_or_else(workbook::corrupt_workbook_part_rejection)?;
            let (value, after) = behind[1..].split_once(quote).ok_or_else(workbook::corrupt_workbook_part_rejection)?;
            match name.trim() {
                "r" => attributes.place = value,
                "s" => attributes.style = value,
                "t" => attributes.kind = value,
                _ => {}
            }
            rest = after;
        }
        if rest.trim().is_empty() { Ok(attributes) } else { Err(workbook::corrupt_workbook_part_rejection()) }
    }
}

fn bad(value: &str, why: &str) -> Cell {
    Cell::Invalid(value.to_owned(), why.to_owned())
}

/// Parses a cell position such as `AB12` to row and column, counted from 0; `None` if the position is invalid.
fn position(place: &str) -> Option<(u32, u32)> {
    let letters = place.find(|c: char| !c.is_ascii_alphabetic())?;
    if letters == 0 || letters > 3 {
        return None;
    }
    let column = place[..letters].bytes().fold(0, |column, letter| column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    Some((place[letters..].parse::<u32>().ok()?.checked_sub(1)?, column - 1))
}
