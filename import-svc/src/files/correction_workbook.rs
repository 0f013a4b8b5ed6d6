//! Writes a copy of a rejected workbook for the user to correct: every row keeps its position and gets its errors in an extra column.
use crate::files::export_writer::looks_like_formula;
use rust_xlsxwriter::{Color, Format, FormatAlign, Workbook, Worksheet, XlsxError};
use std::{fs::File, io::Seek, path::Path};
use workbook_reader::{Column, CorrectionRows, ERRORS_COLUMN_NAME, protocol::CorrectionRow};

/// Maximum number of characters in an Excel cell.
const MAX_CELL_LEN: usize = 32_767;
/// Width of the error column, in characters.
const ERRORS_WIDTH: f64 = 64.0;

/// Cell formats of a correction workbook: header, valid cells, invalid cells and errors.
struct Styles {
    head: Format,
    text: Format,
    wrong: Format,
    errors: Format,
}

impl Styles {
    /// Creates the cell formats. All are text formats, so that leading zeros are kept and no value becomes a number or a formula.
    fn new() -> Self {
        let text = || Format::new().set_num_format("@").set_align(FormatAlign::Top);
        Self {
            head: text().set_bold().set_font_color(Color::White).set_background_color(Color::RGB(0x000F_766E)),
            text: text(),
            wrong: text().set_background_color(Color::RGB(0x00FD_D8D8)),
            errors: text().set_bold().set_font_color(Color::RGB(0x00B9_1C1C)),
        }
    }
}

/// Returns the width in characters of the column with this name in row 1.
fn width(name: &str) -> f64 {
    match Column::ALL.into_iter().find(|column| column.name() == name) {
        Some(Column::Campaign | Column::Description) => 30.0,
        Some(Column::Part | Column::SerialNumber) => 20.0,
        _ => 16.0,
    }
}

/// Writes the rows and their errors as a workbook to an unnamed temporary file, which the system deletes when the file is closed.
///
/// # Errors
/// Returns an error when the file cannot be written, for example because the disk is full.
pub fn write_correction_workbook(checked: CorrectionRows, folder: &Path) -> Result<File, XlsxError> {
    let styles = Styles::new();
    let mut book = Workbook::new();
    book.set_tempdir(folder)?;
    let sheet = book.add_worksheet_with_constant_memory()?.set_name("Sheet1")?;
    sheet.set_freeze_panes(1, 0)?;
    let mut last = (0, 0);
    for (index, line) in checked.into_rows().enumerate() {
        if index == 0 {
            widen(sheet, &line.cells)?;
        }
        last = (line.row, write_line(sheet, &line, &styles)?);
    }
    sheet.autofilter(0, 0, last.0, last.1)?;
    let mut file = tempfile::tempfile_in(folder)?;
    book.save_to_writer(&mut file)?;
    file.rewind()?;
    Ok(file)
}

fn widen(sheet: &mut Worksheet, names: &[String]) -> Result<(), XlsxError> {
    let widths = names.iter().map(|name| width(name)).chain([ERRORS_WIDTH]);
    for (place, width) in (0u16..).zip(widths) {
        sheet.set_column_width(place, width)?;
    }
    Ok(())
}

/// Writes one row and its errors. Returns the index of the error column.
fn write_line(sheet: &mut Worksheet, line: &CorrectionRow, styles: &Styles) -> Result<u16, XlsxError> {
    let end = u16::try_from(line.cells.len()).unwrap_or_default();
    for (place, text) in (0u16..).zip(&line.cells) {
        let style = match line.row {
            0 => styles.head.clone(),
            _ if line.wrong.contains(&place.into()) => styles.wrong.clone(),
            _ => styles.text.clone(),
        };
        write_text(sheet, (line.row, place), text, style)?;
    }
    let (errors, style) = if line.row == 0 { (ERRORS_COLUMN_NAME, &styles.head) } else { (line.errors.as_str(), &styles.errors) };
    write_text(sheet, (line.row, end), errors, style.clone())?;
    Ok(end)
}

/// Writes a text as a text cell. A text that begins like a formula gets Excel's quote prefix, so that it never becomes a formula.
fn write_text(sheet: &mut Worksheet, (row, column): (u32, u16), text: &str, style: Format) -> Result<(), XlsxError> {
    let cut: String = text.chars().take(MAX_CELL_LEN).collect();
    if cut.is_empty() {
        return sheet.write_blank(row, column, &style).map(drop);
    }
    let style = if looks_like_formula(&cut) { style.set_quote_prefix() } else { style };
    sheet.write_string_with_format(row, column, cut, &style).map(drop)
}
