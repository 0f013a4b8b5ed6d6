//! Helpers for the tests of import-svc.
pub mod awkward;
pub mod book;
pub mod lists;
pub mod services;

use book::Book as File;
use patio_proto::{imports::Rejection, vehicle::ImportVehiclesRequest};
use prost::Message;
use std::time::Duration;
use workbook_reader::{ParsedWorkbook, WorkbookReadError, WorkbookReader};

/// Path of the import-svc executable, which is also the workbook reader.
pub const PROGRAM: &str = env!("CARGO_BIN_EXE_import-svc");

/// Column names of row 1.
pub const HEADER: [&str; 7] = ["Campaign", "Part", "Description", "Model Type", "Model Code", "Serial Number", "Parking Space"];

/// A valid first row.
pub const FIRST: [&str; 7] = ["Pumps", "Fuel pump", "Replace it", "Hatch", "HB20", "000123", "A-2"];

/// Creates a reader that starts the real executable.
pub fn reader() -> WorkbookReader {
    WorkbookReader::new(PROGRAM.into(), Duration::from_secs(60))
}

/// Reads a file in a reader process.
pub async fn read(file: Vec<u8>) -> Result<ParsedWorkbook, Rejection> {
    match reader().read(7, file.into(), &mut |_| {}).await {
        Ok(book) => Ok(book),
        Err(WorkbookReadError::Rejected(rejection)) => Err(rejection),
        Err(WorkbookReadError::NotStarted(cause)) => panic!("the reading process did not start: {cause}"),
    }
}

/// Returns model code, serial number and parking space of the vehicles in a book.
pub fn vehicles(book: &ParsedWorkbook) -> Vec<[String; 3]> {
    book.vehicles
        .iter()
        .flat_map(|chunk| ImportVehiclesRequest::decode(chunk.clone()).unwrap().vehicles)
        .map(|vehicle| [vehicle.model_code, vehicle.serial_number, vehicle.parking_space])
        .collect()
}

/// Builds a file with the default header and the given rows. A cell that begins with `<c ` is raw XML, where `{r}` stands for
/// the cell position.
pub fn with_rows(rows: &[&[&str]]) -> Vec<u8> {
    let all: Vec<&[&str]> = std::iter::once(&HEADER[..]).chain(rows.iter().copied()).collect();
    File::new(&all).bytes()
}

/// Builds a valid file with `count` vehicles.
pub fn good(campaign: &str, count: usize) -> Vec<u8> {
    let cells = |index: usize| (format!("{:06}", index + 1), format!("{}-{}", ["A", "B", "- "][index % 3], index % 900 + 1));
    let vehicles: Vec<(String, String)> = (0..count).map(cells).collect();
    let rows: Vec<Vec<&str>> = vehicles
        .iter()
        .enumerate()
        .map(|(index, (serial, space))| {
            let campaign = if index == 0 { campaign } else { "" };
            vec![campaign, "", "", "", "HB20", serial, space]
        })
        .collect();
    with_rows(&rows.iter().map(Vec::as_slice).collect::<Vec<_>>())
}
