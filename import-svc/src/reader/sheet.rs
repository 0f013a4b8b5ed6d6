//! From a file to records.
use super::{
    book::{self, Part, Workbook},
    cell::Cell,
    format::{Formats, REMEDY},
    package,
    rows::Rows,
    wire::{Record, Sheet},
};
use crate::refusal::shown;
use patio_proto::imports::Rejection;
use quick_xml::events::{BytesStart, Event};
use std::{io, rc::Rc};

/// What a sheet is read for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Its vehicles.
    Import,
    /// Its rows as they are, each with what is wrong with it.
    Correct,
}

/// Why reading ended before the end of the sheet.
#[derive(Debug)]
pub enum Stop {
    /// The file is refused.
    Refused(Rejection),
    /// Nobody takes the records any more.
    Unheard(io::Error),
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Self {
        Self::Refused(rejection)
    }
}

/// Reads a workbook and hands its vehicles on, or its rows, some hundred at a time.
///
/// A file can make this end the process; [`super::Reader`] calls it in one that is made for that.
///
/// # Errors
/// Why the file is refused; what was handed on until then does not count.
pub fn read(file: &[u8], purpose: Purpose, send: &mut dyn FnMut(Record) -> io::Result<()>) -> Result<Sheet, Stop> {
    package::check(file)?;
    let mut workbook = Workbook::open(file)?;
    let (is_hidden, from_1904) = (workbook.is_hidden, workbook.from_1904);
    let (xml, texts, formats) = workbook.sheet()?;
    let mut rows = Rows::new(purpose, send);
    let mut cells = Cells { xml, texts, formats, from_1904, row: 0, column: 0 };
    if cells.find_data()? {
        cells.each(|at, cell| rows.take(at, cell))?;
    }
    let mut sheet = rows.finish()?;
    if is_hidden {
        sheet.notes.insert(0, "The sheet 'Sheet1' is hidden in the workbook; its vehicles were read all the same.".to_owned());
    }
    Ok(sheet)
}

/// The cells of a sheet in the order of the file.
struct Cells<'p, 'f> {
    xml: Part<'p, 'f>,
    texts: &'p [Rc<str>],
    formats: &'p Formats,
    from_1904: bool,
    /// Counted from 0, for rows and cells that do not say where they are.
    row: u32,
    column: u32,
}

impl Cells<'_, '_> {
    /// Reads up to the first row; `false` when there are no rows.
    fn find_data(&mut self) -> Result<bool, Rejection> {
        let (mut buffer, mut is_worksheet) = (Vec::new(), false);
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(|_| book::damaged())? {
                Event::Empty(start) if start.local_name().as_ref() == "sheetData" => return Ok(false),
                Event::Start(start) => match start.local_name().as_ref() {
                    "sheetData" => return Ok(true),
                    "worksheet" => is_worksheet = true,
                    _ if !is_worksheet => return Err(book::no_worksheet()),
                    _ => {}
                },
                Event::Eof => return Err(book::damaged()),
                _ => {}
            }
        }
    }

    /// Calls `take` with the place of each cell, row and column counted from 0, and what it holds.
    fn each(&mut self, mut take: impl FnMut((u32, u32), Cell) -> Result<(), Stop>) -> Result<(), Stop> {
        let mut buffer = Vec::new();
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(|_| book::damaged())? {
                Event::Start(start) if start.local_name().as_ref() == "c" => {
                    let (at, cell) = self.cell(&start)?;
                    take(at, cell)?;
                }
                // Cells with nothing but a style, of which some programs write a million.
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
                Event::Eof => return Err(book::damaged().into()),
                _ => {}
            }
        }
    }

    fn begin_row(&mut self, start: &BytesStart<'_>) -> Result<(), Rejection> {
        let number = Attributes::of(start)?.place;
        if !number.is_empty() {
            self.row = number.parse::<u32>().ok().and_then(|number| number.checked_sub(1)).ok_or_else(book::damaged)?;
        }
        Ok(())
    }

    /// Row and column of a cell, counted from 0; the next place when it does not say.
    fn place(&self, attributes: &Attributes<'_>) -> Result<(u32, u32), Rejection> {
        if attributes.place.is_empty() { Ok((self.row, self.column)) } else { position(attributes.place).ok_or_else(book::damaged) }
    }

    fn cell(&mut self, start: &BytesStart<'_>) -> Result<((u32, u32), Cell), Rejection> {
        let attributes = Attributes::of(start)?;
        let at = self.place(&attributes)?;
        let (style, kind) = (attributes.style.parse().unwrap_or_default(), attributes.kind);
        let (mut value, mut buffer) = (None, Vec::new());
        loop {
            buffer.clear();
            match self.xml.read_event_into(&mut buffer).map_err(|_| book::damaged())? {
                Event::Empty(inner) if matches!(inner.local_name().as_ref(), "v" | "is") => value = Some(String::new()),
                Event::Start(inner) => match inner.local_name().as_ref() {
                    "v" => value = Some(book::content(&mut self.xml, "v")?),
                    "is" => value = Some(book::item(&mut self.xml, "is")?),
                    _ => {}
                },
                Event::End(end) if end.local_name().as_ref() == "c" => break,
                Event::Eof => return Err(book::damaged()),
                _ => {}
            }
        }
        self.column = at.1.saturating_add(1);
        Ok((at, value.map_or(Cell::Blank, |value| self.read(&value, kind, style))))
    }

    /// Reads a value by the kind that its cell says it is.
    fn read(&self, value: &str, kind: &str, style: usize) -> Cell {
        match kind {
            "s" => match value.trim().parse::<usize>().ok().and_then(|index| self.texts.get(index)) {
                Some(text) => Cell::shared(text),
                None => bad(value, "refers to a text that the workbook does not hold"),
            },
            "str" => Cell::text(&super::text::unescaped(value)),
            "inlineStr" => Cell::text(value),
            "b" => {
                let text = if value.trim() == "1" || value.trim().eq_ignore_ascii_case("true") { "TRUE" } else { "FALSE" };
                Cell::Unfit(text.to_owned(), format!("Excel turned this into a truth value. {REMEDY}"))
            }
            "e" => bad(value, &format!("holds the error {}", shown(value))),
            "d" => Cell::Unfit(value.to_owned(), format!("Excel turned this into a date. {REMEDY}")),
            "" | "n" if value.trim().is_empty() => Cell::Blank,
            "" | "n" => match value.trim().parse() {
                Ok(number) => self.formats.cell(number, style, self.from_1904),
                Err(_) => bad(value, "holds a number that cannot be read"),
            },
            _ => bad(value, "holds a value of an unknown kind"),
        }
    }
}

/// What the element of a row or cell says: where it is, in which style, of which kind; empty when it does not say.
#[derive(Default)]
struct Attributes<'x> {
    place: &'x str,
    style: &'x str,
    kind: &'x str,
}

impl<'x> Attributes<'x> {
    /// Reads them in one pass, as there are millions of cells; none of the values needs an escape.
    fn of(start: &'x BytesStart<'_>) -> Result<Self, Rejection> {
        let (mut attributes, mut rest) = (Self::default(), start.attributes_raw());
        while let Some((name, behind)) = rest.split_once('=') {
            let behind = behind.trim_start();
            let quote = behind.chars().next().filter(|quote| matches!(quote, '"' | '\'')).ok_or_else(book::damaged)?;
            let (value, after) = behind[1..].split_once(quote).ok_or_else(book::damaged)?;
            match name.trim() {
                "r" => attributes.place = value,
                "s" => attributes.style = value,
                "t" => attributes.kind = value,
                _ => {}
            }
            rest = after;
        }
        if rest.trim().is_empty() { Ok(attributes) } else { Err(book::damaged()) }
    }
}

fn bad(value: &str, why: &str) -> Cell {
    Cell::Bad(value.to_owned(), why.to_owned())
}

/// Reads a place such as `AB12`: row and column, counted from 0.
fn position(place: &str) -> Option<(u32, u32)> {
    let letters = place.find(|c: char| !c.is_ascii_alphabetic())?;
    if letters == 0 || letters > 3 {
        return None;
    }
    let column = place[..letters].bytes().fold(0, |column, letter| column * 26 + u32::from(letter.to_ascii_uppercase() - b'A') + 1);
    Some((place[letters..].parse::<u32>().ok()?.checked_sub(1)?, column - 1))
}
