//! Parses a CSV file of vehicle changes: detects encoding and delimiter, finds the header, reads the rows.
use crate::files::export_writer::NO_STATUS_TEXT;
use csv::{ReaderBuilder, StringRecord};
use patio_proto::vehicle::{EditRow, LineError};
use std::borrow::Cow;
use workbook_reader::rejection::shorten_for_message;

/// Maximum number of line errors that are listed per CSV file; further errors are only counted.
pub const MAX_LISTED_ERRORS: usize = 500;
/// Maximum number of vehicles in one CSV file.
pub const MAX_ROWS: usize = 50_000;
/// Number of lines at the start of the CSV file that are searched for the header.
const MAX_LINES_BEFORE_HEADER: i64 = 10;
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];
/// Recognized columns of the CSV file; the first two columns are required.
const COLUMNS: [&str; 6] = ["Model Code", "Serial Number", "Parking Space", "Status", "Team Leader Notes", "Supervisor Notes"];

/// Vehicle changes, errors and warnings from parsing a CSV file.
#[derive(Debug, Default)]
pub struct ParsedCsv {
    /// Rows that change at least one value, in the order of the file.
    pub rows: Vec<EditRow>,
    /// Errors of the first invalid lines of the file.
    pub errors: Vec<LineError>,
    /// Number of all line errors, including those that are not in `errors`.
    pub total_errors: i64,
    /// Warnings about how the file was read, one sentence each.
    pub warnings: Vec<String>,
}

impl ParsedCsv {
    fn wrong(&mut self, line: i64, message: impl Into<String>) {
        self.total_errors += 1;
        if self.errors.len() < MAX_LISTED_ERRORS {
            self.errors.push(LineError { line, message: message.into() });
        }
    }

    fn refused(line: i64, message: impl Into<String>) -> Self {
        let mut parsed = Self::default();
        parsed.wrong(line, message);
        parsed
    }
}

/// Parses a CSV file of vehicle changes. The returned [`ParsedCsv`] also contains the problems of the file: errors with line
/// numbers, and warnings.
#[must_use]
pub fn parse_csv(data: &[u8]) -> ParsedCsv {
    // Some terminals and legacy port systems append Ctrl-Z (0x1A) to a file.
    let data = data.strip_suffix(&[0x1a]).unwrap_or(data);
    let text = match decode(data) {
        Ok(text) => text,
        Err((line, message)) => return ParsedCsv::refused(line, message),
    };
    let is_windows = matches!(text, Cow::Owned(_));
    let mut parsed = read_text(&text);
    if is_windows {
        parsed.warnings.push("The file is not in UTF-8. It was read as Windows-1252, the encoding of Excel.".to_owned());
    }
    parsed
}

fn read_text(text: &str) -> ParsedCsv {
    if text.trim().is_empty() {
        return ParsedCsv::refused(1, "The file is empty.");
    }
    let header = match Header::find(text) {
        Ok(header) => header,
        Err(message) => return ParsedCsv::refused(1, message),
    };
    if let Some(column) = header.repeated {
        return ParsedCsv::refused(header.line, format!("Line {}: the column {column} appears twice.", header.line));
    }
    if let Some(line) = unclosed(text, header.delimiter) {
        return ParsedCsv::refused(line, format!("Line {line}: a closing quotation mark is missing."));
    }
    rows(text, &header)
}

/// Decodes a CSV file and removes the byte-order mark. Returns borrowed text for UTF-8 and owned text for Windows-1252. Returns a line
/// number and an error message for any other encoding.
fn decode(data: &[u8]) -> Result<Cow<'_, str>, (i64, String)> {
    let utf16 = data.starts_with(&[0xff, 0xfe]) || data.starts_with(&[0xfe, 0xff]);
    if utf16 || data.iter().take(200).filter(|byte| **byte == 0).count() > 10 {
        return Err((1, "The file is in UTF-16. Save it as CSV UTF-8.".to_owned()));
    }
    let data = data.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(data);
    let cause = match std::str::from_utf8(data) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(cause) => cause,
    };
    // Multi-byte UTF-8 next to invalid bytes means a damaged file, not Windows-1252. Five bytes are undefined in Windows-1252.
    let has_utf8 = data.utf8_chunks().any(|chunk| !chunk.valid().is_ascii());
    let is_windows = !has_utf8 && !data.iter().any(|byte| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d));
    if is_windows {
        return Ok(Cow::Owned(encoding_rs::WINDOWS_1252.decode_without_bom_handling(data).0.into_owned()));
    }
    let line = 1 + line_ends(&data[..cause.valid_up_to()]);
    Err((line, format!("Line {line} has unreadable characters. Save the file as CSV UTF-8.")))
}

/// Counts the line ends in a part of a file: `\n`, `\r\n` or `\r`.
fn line_ends(piece: &[u8]) -> i64 {
    let ends = piece.iter().enumerate().filter(|(at, byte)| **byte == b'\n' || (**byte == b'\r' && piece.get(at + 1) != Some(&b'\n')));
    i64::try_from(ends.count()).unwrap_or(i64::MAX)
}

/// Iterates over the records of a CSV text, each with the number of its first line.
struct Records<'t> {
    text: &'t [u8],
    reader: csv::Reader<&'t [u8]>,
    record: StringRecord,
    counted: usize,
    line: i64,
}

impl<'t> Records<'t> {
    fn new(text: &'t str, delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).has_headers(false).flexible(true).from_reader(text.as_bytes());
        Self { text: text.as_bytes(), reader, record: StringRecord::new(), counted: 0, line: 1 }
    }

    /// Returns the next CSV record, with untrimmed values, and its line number; `None` at the end of the file.
    fn next(&mut self) -> Option<(i64, &StringRecord)> {
        let start = usize::try_from(self.reader.position().byte()).unwrap_or_default();
        if !self.reader.read_record(&mut self.record).unwrap_or(false) {
            return None;
        }
        // The CSV reader silently skips blank lines, so they are counted here.
        let blank = self.text[start..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        self.line += line_ends(&self.text[self.counted..start + blank]);
        self.counted = start + blank;
        Some((self.line, &self.record))
    }
}

/// Trims Unicode whitespace around a cell value, and removes the apostrophe before a value that begins like a formula.
fn clean(written: &str) -> &str {
    let text = written.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'));
    match text.strip_prefix('\'') {
        Some(kept) if kept.starts_with(['=', '+', '-', '@']) => kept,
        _ => text,
    }
}

/// Header line of a CSV file: delimiter, line number and column positions.
#[derive(Debug)]
struct Header {
    delimiter: u8,
    line: i64,
    width: usize,
    /// Position in a record of each column in [`COLUMNS`]; `None` if the header does not contain the column.
    places: [Option<usize>; COLUMNS.len()],
    /// Name of a column in [`COLUMNS`] that occurs more than once in the header; `None` if no such column is repeated.
    repeated: Option<&'static str>,
}

impl Header {
    /// Finds the header line of a CSV file, with the delimiter that yields the most recognized columns. Returns a message if a
    /// required column is missing.
    fn find(text: &str) -> Result<Self, String> {
        let found: Vec<Self> = DELIMITERS.into_iter().filter_map(|delimiter| Self::with(text, delimiter)).collect();
        let known = |header: &Self| header.places.iter().flatten().count();
        let best = found.into_iter().rev().max_by_key(|header| (header.is_whole(), known(header)));
        match best {
            None => Err(format!("No header with Model Code and Serial Number in the first {MAX_LINES_BEFORE_HEADER} lines.")),
            Some(header) if !header.is_whole() => {
                let missing: Vec<&str> = (0..2).filter(|column| header.places[*column].is_none()).map(|column| COLUMNS[column]).collect();
                Err(format!("Line {}: the column {} is missing.", header.line, missing.join(" and ")))
            }
            Some(header) => Ok(header),
        }
    }

    fn is_whole(&self) -> bool {
        self.places[0].is_some() && self.places[1].is_some()
    }

    /// Returns the header from the first line that contains both required columns, or else from the first line that contains one of them.
    /// Returns `None` if no line at the start of the file contains a required column.
    fn with(text: &str, delimiter: u8) -> Option<Self> {
        let mut records = Records::new(text, delimiter);
        let mut half = None;
        while let Some((line, record)) = records.next() {
            if line > MAX_LINES_BEFORE_HEADER {
                break;
            }
            let names: Vec<String> = record.iter().map(|name| clean(name).split_whitespace().collect::<Vec<_>>().join(" ")).collect();
            let places = COLUMNS.map(|column| names.iter().position(|name| name.eq_ignore_ascii_case(column)));
            let times = |column: &str| names.iter().filter(|name| name.eq_ignore_ascii_case(column)).count();
            let repeated = COLUMNS.into_iter().find(|column| times(column) > 1);
            let header = Self { delimiter, line, width: names.len(), places, repeated };
            if header.is_whole() {
                return Some(header);
            }
            if half.is_none() && (places[0].is_some() || places[1].is_some()) {
                half = Some(header);
            }
        }
        half
    }
}

/// Returns the line number of an opening quote without a closing quote; `None` if every quote is closed. Without this check, a value
/// with an unclosed quote would include all following lines of the file.
fn unclosed(text: &str, delimiter: u8) -> Option<i64> {
    if !text.contains('"') {
        return None;
    }
    let (mut line, mut opened, mut begins) = (1, None, true);
    let mut bytes = text.bytes().peekable();
    while let Some(byte) = bytes.next() {
        if byte == b'\n' || (byte == b'\r' && bytes.peek() != Some(&b'\n')) {
            line += 1;
        }
        match (byte, opened) {
            (b'"', Some(_)) if bytes.peek() == Some(&b'"') => drop(bytes.next()),
            (b'"', Some(_)) => opened = None,
            (b'"', None) if begins => opened = Some(line),
            _ => {}
        }
        begins = opened.is_none() && (byte == delimiter || byte == b'\n' || byte == b'\r');
    }
    opened
}

fn rows(text: &str, header: &Header) -> ParsedCsv {
    let mut parsed = ParsedCsv { rows: Vec::with_capacity(text.lines().count().min(MAX_ROWS)), ..ParsedCsv::default() };
    let mut records = Records::new(text, header.delimiter);
    while let Some((line, record)) = records.next() {
        let values = record.iter().map(clean);
        if line <= header.line || values.clone().all(str::is_empty) {
            continue;
        }
        if parsed.rows.len() == MAX_ROWS {
            parsed.wrong(line, format!("A file can change at most {MAX_ROWS} vehicles. Split it into several files."));
            break;
        }
        if let Some(excess) = values.skip(header.width).find(|field| !field.is_empty()) {
            parsed.wrong(line, format!("Line {line} has too many values: {}.", shorten_for_message(excess)));
            continue;
        }
        take(&mut parsed, line, header, record);
    }
    parsed
}

/// Adds one row of the CSV file to the result, as a change or an error. A row without a value in the optional columns (parking space,
/// status, notes) changes nothing and is ignored.
fn take(parsed: &mut ParsedCsv, line: i64, header: &Header, record: &StringRecord) {
    let written = |column: usize| record.get(header.places[column]?).map(clean);
    let value = |column| written(column).filter(|text| !text.is_empty()).map(str::to_owned);
    let (Some(model_code), Some(serial_number)) = (value(0), value(1)) else {
        parsed.wrong(line, format!("line {line} requires both Model Code and Serial Number"));
        return;
    };
    let row = EditRow {
        line,
        model_code,
        serial_number,
        parking_space: value(2),
        // Exports write this text for a missing status, so it means no change.
        status: value(3).filter(|status| !status.eq_ignore_ascii_case(NO_STATUS_TEXT)),
        operator_notes: value(4),
        admin_notes: value(5),
    };
    if row.parking_space.is_some() || row.status.is_some() || row.operator_notes.is_some() || row.admin_notes.is_some() {
        parsed.rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "Model Code,Serial Number,Parking Space,Status,Team Leader Notes,Supervisor Notes";

    fn rows(text: &str) -> Vec<EditRow> {
        let parsed = parse_csv(text.as_bytes());
        assert!(parsed.errors.is_empty(), "{text:?}: {:?}", parsed.errors);
        parsed.rows
    }

    fn errors(data: &[u8]) -> Vec<(i64, String)> {
        parse_csv(data).errors.into_iter().map(|error| (error.line, error.message)).collect()
    }

    #[test]
    fn each_delimiter_is_found_with_and_without_a_byte_order_mark() {
        for delimiter in [",", ";", "\t", "|"] {
            for mark in ["", "\u{feff}"] {
                let text = format!("{mark}{HEADER}\r\nHB20,000123,,ok,,\r\n").replace(',', delimiter);
                let found = rows(&text);
                assert_eq!((found.len(), found[0].line, found[0].serial_number.as_str()), (1, 2, "000123"), "{delimiter:?}");
                assert_eq!((found[0].status.as_deref(), &found[0].parking_space), (Some("ok"), &None));
            }
        }
    }

    #[test]
    fn the_no_status_text_of_exports_changes_no_status() {
        assert_eq!(rows(&format!("{HEADER}\nA,1,A-1,No status,,"))[0].status, None);
        assert!(rows(&format!("{HEADER}\nA,1,,no STATUS,,")).is_empty());
    }

    #[test]
    fn the_header_is_found_within_ten_lines_below_any_other_lines() {
        let header = HEADER.to_lowercase();
        assert_eq!(rows(&format!("{}{header}\nA,1,,ok", "title; of, it\n".repeat(9)))[0].line, 11);
        assert_eq!(rows(&format!("{}{header}\nA,1,,ok", "\n".repeat(9)))[0].line, 11);
        for above in ["\n", "title\n"] {
            let found = errors(format!("{}{header}\nA,1,,ok", above.repeat(10)).as_bytes());
            assert!(
                found.len() == 1 && found[0].1.starts_with("No header with Model Code and Serial Number in the first 10 lines"),
                "{found:?}"
            );
        }
        let found = errors(b"Model Code;Status\nA;ok\n");
        assert_eq!(found, [(1, "Line 1: the column Serial Number is missing.".to_owned())]);
    }

    #[test]
    fn only_filled_values_are_taken_and_rows_without_any_do_not_count() {
        let found = rows(&format!(
            "{HEADER}\n\nA,1,,,,\nA,2, - 12 ,,\"one\n\"\"two\"\"; three\",\n,,,,,\nA,3,'- 12,,'=1+1,\n\u{a0}A\u{a0},4,,ng\n"
        ));
        let values: Vec<_> = found.iter().map(|row| (row.line, row.parking_space.as_deref(), row.operator_notes.as_deref())).collect();
        assert_eq!(values, [(4, Some("- 12"), Some("one\n\"two\"; three")), (7, Some("- 12"), Some("=1+1")), (8, None, None)]);
        assert_eq!(found[2].model_code, "A");
    }

    #[test]
    fn invalid_rows_are_reported_by_line() {
        let found = errors(format!("{HEADER}\nA,,,ok\n,1,,ok\nA,1,,ok,,,more\nA,2,,ok\n").as_bytes());
        let words: Vec<_> = found.iter().map(|(line, message)| (*line, message.as_str())).collect();
        assert_eq!(
            words,
            [
                (2, "line 2 requires both Model Code and Serial Number"),
                (3, "line 3 requires both Model Code and Serial Number"),
                (4, "Line 4 has too many values: more."),
            ]
        );
    }

    #[test]
    fn files_that_cannot_be_read_say_why() {
        let utf16: Vec<u8> = [0xff, 0xfe].into_iter().chain(HEADER.encode_utf16().flat_map(u16::to_le_bytes)).collect();
        let marked = errors(&utf16);
        assert_eq!(marked, [(1, "The file is in UTF-16. Save it as CSV UTF-8.".to_owned())]);
        assert_eq!(errors(&utf16[2..]), marked);
        for bytes in [&b"a\xc3\xa7\xe3o"[..], b"a\xe7\x81o"] {
            let damaged = [HEADER.as_bytes(), b"\nA,1,,ok\nA,2,,,", bytes, b"\n"].concat();
            assert_eq!(errors(&damaged), [(3, "Line 3 has unreadable characters. Save the file as CSV UTF-8.".to_owned())]);
        }
        let twice = errors(b"Model Code,Serial Number,Status,status\nA,1,ok,ng\n");
        assert_eq!(twice, [(1, "Line 1: the column Status appears twice.".to_owned())]);
        for empty in [&b""[..], b" \r\n ", b"\xef\xbb\xbf"] {
            assert_eq!(errors(empty), [(1, "The file is empty.".to_owned())]);
        }
        let open = format!("{HEADER}\nA,1,,ok\nA,2,,,\"open,\nA,3,,ok\n");
        assert_eq!(errors(open.as_bytes()), [(3, "Line 3: a closing quotation mark is missing.".to_owned())]);
    }

    #[test]
    fn a_file_of_excel_in_brazil_is_read_and_the_answer_says_how() {
        let windows = [HEADER.as_bytes(), b"\nA,1,,ok,inspe\xe7\xe3o \x96 feita\n"].concat();
        let parsed = parse_csv(&windows);
        assert_eq!(parsed.rows[0].operator_notes.as_deref(), Some("inspeção \u{2013} feita"));
        assert!(parsed.errors.is_empty() && parsed.warnings[0].contains("Windows-1252"), "{parsed:?}");
        assert!(parse_csv(format!("{HEADER}\nA,1,,ok,inspeção").as_bytes()).warnings.is_empty());
    }

    #[test]
    fn a_last_end_of_file_mark_is_the_end() {
        assert_eq!(rows(&format!("{HEADER}\nA,1,,ok,,\n\u{1a}")).len(), 1);
        assert_eq!(rows(&format!("{HEADER}\nA,1,,ok,,\u{1a}")).len(), 1);
    }

    #[test]
    fn the_reader_never_panics_on_any_bytes() {
        let mut seed = 7_u64;
        let alphabet = b"\",;|\t\r\n\0A1\xff\xc3\xa9'=-";
        for round in 0..3_000 {
            let mut data = if round % 2 == 0 { HEADER.as_bytes().to_vec() } else { Vec::new() };
            for _ in 0..40 {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                data.push(alphabet[usize::try_from(seed >> 33).unwrap() % alphabet.len()]);
            }
            let parsed = parse_csv(&data);
            assert!(parsed.errors.iter().all(|error| error.line >= 1) && parsed.rows.iter().all(|row| row.line >= 2));
        }
    }
}
