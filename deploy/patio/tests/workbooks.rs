//! Builders of workbooks for imports.
use rust_xlsxwriter::Workbook;

const COLUMNS: [&str; 6] = ["Campaign", "Part", "Description", "Model Code", "Serial Number", "Parking Space"];

/// Builds a campaign workbook of one model. For each vehicle, counted from 1, `describe` returns the description, serial
/// number and parking space.
pub fn described(name: &str, model: &str, vehicles: u32, describe: impl Fn(u32) -> [String; 3]) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1").unwrap();
    sheet.write_row(0, 0, COLUMNS).unwrap();
    for row in 1..=vehicles {
        let [description, serial, space] = describe(row);
        sheet.write_row(row, 2, [&*description, model, &*serial, &*space]).unwrap();
    }
    sheet.write_string(1, 0, name).unwrap();
    book.save_to_buffer().unwrap()
}

/// Builds a campaign workbook of one model with all vehicles in yard A.
pub fn campaign(name: &str, model: &str, vehicles: u32) -> Vec<u8> {
    described(name, model, vehicles, |row| [String::new(), format!("{row:07}"), format!("A-{row}")])
}
