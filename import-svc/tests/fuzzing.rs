//! Fuzzing of the workbook reader, the CSV reader and the zip package check with damaged files.
//!
//! The short form runs some thousand fixed cases. `PATIO_TEST_LONG=1` runs fifty times as many, with new cases each time.
use crate::common::{
    FIRST, HEADER,
    book::{Book, SHEET, row, worksheet},
    good, with_rows,
};
use import_svc::files::csv_file;
use patio_proto::{vehicle::ImportVehiclesRequest, vin::Vin};
use patio_testing::from_environment;
use proptest::{
    collection::vec,
    prelude::*,
    sample::{Index, select},
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use prost::Message;
use std::time::{Duration, Instant};
use workbook_reader::{Column, ReadPurpose, SheetReadError, WorkbookReadError, protocol::CorrectionRowBatch, validate_xlsx_package};

/// Runs `test` on `cases` values, or on fifty times as many in the long form.
fn on_many<S: Strategy>(cases: u32, values: S, test: impl Fn(S::Value) -> Result<(), TestCaseError>) {
    let is_long = from_environment("PATIO_TEST_LONG").is_some();
    let config = Config { cases: if is_long { cases * 50 } else { cases }, failure_persistence: None, ..Config::default() };
    let mut runner =
        if is_long { TestRunner::new(config) } else { TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha)) };
    if let Err(found) = runner.run(&values, test) {
        panic!("{found}");
    }
}

/// Maximum time per file: a hundred times the usual, because the machine may be busy.
const PATIENCE: Duration = Duration::from_secs(20);

/// One kind of damage to a file.
#[derive(Debug, Clone)]
enum Damage {
    Flip(Index, u8),
    Cut(Index, usize),
    Repeat(Index, usize),
    Insert(Index, Vec<u8>),
    End(Index),
}

/// Byte sequences with a meaning for one of the parsers.
const PIECES: [&str; 22] = [
    "PK\x03\x04",
    "PK\x01\x02",
    "PK\x05\x06",
    "<",
    ">",
    "</row>",
    "<row r=\"2\">",
    "<c r=\"XFD1048576\"><v>1</v></c>",
    "t=\"s\"",
    "s=\"99\"",
    "uniqueCount=\"4294967295\"",
    "<!DOCTYPE a>",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "<![CDATA[",
    "<!--",
    "<f>1+1</f>",
    "\u{0}",
    "\u{feff}",
    "1e999",
    "xml:space=\"preserve\"",
];

fn damages(most: usize) -> impl Strategy<Value = Vec<Damage>> {
    let inserted = prop_oneof![vec(any::<u8>(), 1..40), select(&PIECES[..]).prop_map(|piece| piece.as_bytes().to_vec())];
    let one = prop_oneof![
        4 => (any::<Index>(), 1..=255_u8).prop_map(|(at, bits)| Damage::Flip(at, bits)),
        2 => (any::<Index>(), 1..400_usize).prop_map(|(at, length)| Damage::Cut(at, length)),
        2 => (any::<Index>(), 1..400_usize).prop_map(|(at, length)| Damage::Repeat(at, length)),
        3 => (any::<Index>(), inserted).prop_map(|(at, bytes)| Damage::Insert(at, bytes)),
        1 => any::<Index>().prop_map(Damage::End),
    ];
    vec(one, 1..=most)
}

fn damaged(mut file: Vec<u8>, damages: &[Damage]) -> Vec<u8> {
    for damage in damages {
        if file.is_empty() {
            break;
        }
        let place = |at: &Index, length: usize| {
            let at = at.index(file.len());
            at..(at + length).min(file.len())
        };
        match damage {
            Damage::Flip(at, bits) => {
                let at = at.index(file.len());
                file[at] ^= bits;
            }
            Damage::Cut(at, length) => drop(file.drain(place(at, *length))),
            Damage::Repeat(at, length) => {
                let piece = place(at, *length);
                let (end, bytes) = (piece.end, file[piece].to_vec());
                file.splice(end..end, bytes);
            }
            Damage::Insert(at, bytes) => {
                let at = at.index(file.len());
                file.splice(at..at, bytes.iter().copied());
            }
            Damage::End(at) => file.truncate(at.index(file.len())),
        }
    }
    file
}

fn books() -> Vec<Vec<u8>> {
    let template = import_svc::template_workbook::build_template_workbook().unwrap().data;
    vec![template, good("Damaged", 40), with_rows(&[&FIRST, &FIRST]), Book::new(&[&HEADER]).stored("xl/media/x", vec![b'<'; 3_000]).bytes()]
}

#[test]
fn the_package_scanner_takes_any_damaged_file_and_says_what_is_wrong() {
    let books = books();
    on_many(3_000, (0..books.len(), damages(12)), |(which, damages)| {
        let begun = Instant::now();
        if let Err(refusal) = validate_xlsx_package(&damaged(books[which].clone(), &damages)) {
            prop_assert!([51, 53].contains(&refusal.code) && refusal.message.ends_with('.'), "{refusal:?}");
        }
        prop_assert!(begun.elapsed() < PATIENCE, "it took {:?}", begun.elapsed());
        Ok(())
    });
}

/// Reads a file in a reader process. Returns the number of vehicles or the error code.
fn outcome(runtime: &tokio::runtime::Runtime, file: Vec<u8>) -> Result<i64, i32> {
    match runtime.block_on(crate::common::reader().read(7, file.into(), &mut |_| {})) {
        Ok(book) => Ok(book.sheet.vehicles),
        Err(WorkbookReadError::Rejected(refusal)) => Err(refusal.code),
        Err(WorkbookReadError::NotStarted(cause)) => panic!("{cause}"),
    }
}

#[test]
fn any_damaged_workbook_is_read_or_refused_in_time() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (books, sheet) = (books(), worksheet(&[row(1, &HEADER), row(2, &FIRST), row(3, &["", "", "", "", "HB20", "7", "A-9"])].concat()));
    on_many(240, (0..=books.len(), damages(6)), |(which, damages)| {
        // The last book is damaged before compression, so that its checksums are valid.
        let file = match books.get(which) {
            Some(book) => damaged(book.clone(), &damages),
            None => Book::new(&[]).part(SHEET, damaged(sheet.clone().into_bytes(), &damages)).bytes(),
        };
        let begun = Instant::now();
        let result = outcome(&runtime, file);
        prop_assert!(result.is_ok() || result.is_err_and(|code| (50..=57).contains(&code)), "{result:?}");
        prop_assert!(begun.elapsed() < PATIENCE, "it took {:?}", begun.elapsed());
        Ok(())
    });
}

/// Generates cell values as typed by users and by attackers.
fn cell() -> impl Strategy<Value = String> {
    const ODD: [&str; 16] =
        ["", " ", "\u{a0}", "=1+1", "-", "- 12", "0-7", "\u{202e}x", "a\nb", "000123", "\u{200b}", "A/B", "é", "1e5", "#N/A", "TRUE"];
    prop_oneof![3 => Just(String::new()), 3 => "[A-Z0-9]{1,6}", 2 => select(&ODD[..]).prop_map(str::to_owned), 1 => "[ -~]{0,50}", 1 => "\\PC{0,6}"]
}

fn sheet() -> impl Strategy<Value = (Vec<&'static str>, Vec<Vec<String>>)> {
    let order = Just(HEADER.to_vec()).prop_shuffle();
    (order, vec(vec(cell(), HEADER.len()), 0..12))
}

/// Reads a sheet for import and for correction, inside this process because the package is valid. Returns both results.
fn both(file: &[u8]) -> (Result<Vec<Vin>, i32>, Vec<workbook_reader::protocol::CorrectionRow>) {
    let (mut vehicles, mut lines) = (Vec::new(), Vec::new());
    let read = workbook_reader::read_sheet(file, ReadPurpose::Import, &mut |record| {
        vehicles.extend(ImportVehiclesRequest::decode(record.vehicles).unwrap().vehicles);
        Ok(())
    });
    let _ = workbook_reader::read_sheet(file, ReadPurpose::Correct, &mut |record| {
        lines.extend(CorrectionRowBatch::decode(record.lines).unwrap().all);
        Ok(())
    });
    let imported = match read {
        Ok(_) => Ok(vehicles.iter().map(|new| Vin::new(&new.model_code, &new.serial_number).unwrap()).collect()),
        Err(SheetReadError::Rejected(refusal)) => Err(refusal.code),
        Err(SheetReadError::OutputClosed(cause)) => panic!("{cause}"),
    };
    (imported, lines)
}

#[test]
fn any_sheet_is_imported_completely_or_returned_with_its_errors() {
    on_many(3_000, sheet(), |(header, rows)| {
        let cells: Vec<Vec<&str>> =
            std::iter::once(header).chain(rows.iter().map(|row| row.iter().map(String::as_str).collect())).collect();
        let file = Book::new(&cells.iter().map(Vec::as_slice).collect::<Vec<_>>()).bytes();
        let (imported, lines) = both(&file);
        let bad = lines.iter().skip(1).filter(|line| !line.errors.is_empty()).count();
        match imported {
            Ok(vehicles) => {
                let keys: std::collections::HashSet<String> = vehicles.iter().map(Vin::comparison_key).collect();
                prop_assert_eq!((bad, keys.len(), vehicles.len()), (0, vehicles.len(), lines.len() - 1));
            }
            Err(57) => prop_assert!(bad > 0, "rejected without an error in any row: {lines:?}"),
            Err(code) => prop_assert!(code == 55 || code == 51, "{code}"),
        }
        prop_assert!(lines.iter().all(|line| line.cells.len() == Column::ALL.len() && line.wrong.iter().all(|at| *at < 7)));
        Ok(())
    });
}

const CSV_HEADER: &str = "Model Code,Serial Number,Parking Space,Status,Team Leader Notes,Supervisor Notes";

#[test]
fn any_bytes_can_be_read_as_csv_with_correct_line_numbers() {
    let alphabet = select(&b"\",;|\t\r\n\0A1 '=-\xff\xc3\xa9"[..]);
    let tail = prop_oneof![vec(alphabet, 0..120), vec(any::<u8>(), 0..120)];
    on_many(5_000, (any::<bool>(), tail), |(with_header, tail)| {
        let mut data = if with_header { format!("{CSV_HEADER}\n").into_bytes() } else { Vec::new() };
        data.extend(tail);
        let lines = 1 + i64::try_from(data.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count()).unwrap();
        let parsed = csv_file::parse_csv(&data);
        prop_assert!(parsed.errors.iter().all(|error| (1..=lines).contains(&error.line)), "{:?}", parsed.errors);
        prop_assert!(parsed.total_errors >= i64::try_from(parsed.errors.len()).unwrap());
        prop_assert!(
            parsed.rows.iter().all(|row| (2..=lines).contains(&row.line) && !row.model_code.is_empty() && !row.serial_number.is_empty())
        );
        Ok(())
    });
}

#[test]
fn output_of_a_csv_writer_is_read_unchanged() {
    let text = || "[^\\s'\u{0}\u{200b}\u{feff}]([^\u{0}]{0,12}[^\\s\u{0}\u{200b}\u{feff}])?";
    let row = ("[A-Z0-9]{1,8}", "[0-9]{1,8}", text(), text());
    on_many(2_000, (select(&b",;\t|"[..]), vec(row, 1..6)), |(delimiter, rows)| {
        let mut writer = csv::WriterBuilder::new().delimiter(delimiter).from_writer(Vec::new());
        writer.write_record(["Serial Number", "Model Code", "Supervisor Notes", "Team Leader Notes"]).unwrap();
        for (model, serial, supervisor, leader) in &rows {
            writer.write_record([serial, model, supervisor, leader]).unwrap();
        }
        let parsed = csv_file::parse_csv(&writer.into_inner().unwrap());
        prop_assert_eq!(parsed.total_errors, 0, "{:?}", parsed.errors);
        let read: Vec<_> = parsed
            .rows
            .into_iter()
            .map(|row| (row.model_code, row.serial_number, row.admin_notes.unwrap(), row.operator_notes.unwrap()))
            .collect();
        prop_assert_eq!(read, rows);
        Ok(())
    });
}
