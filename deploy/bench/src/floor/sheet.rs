//! Baselines of file operations: import of a workbook into the database, and export to a workbook.
use super::rows::{Base, New};
use anyhow::Context;
use calamine::{DataRef, Reader, Xlsx};
use futures::StreamExt;
use patio_kit::clock::Clock;
use patio_proto::{vin, walking_order, yard};
use rust_xlsxwriter::Workbook;
use std::{fs::File, io::BufReader, path::Path};

/// Imports a workbook: reads it cell by cell and stores its vehicles.
pub async fn import(file: &Path, base: &Base) -> anyhow::Result<()> {
    let mut book: Xlsx<_> = Xlsx::new(BufReader::new(File::open(file)?))?;
    let mut cells = book.worksheet_cells_reader("Sheet1")?;
    let (mut all, mut row): (Vec<New>, [String; 3]) = (Vec::new(), Default::default());
    while let Some(cell) = cells.next_cell()? {
        let (line, column) = cell.get_position();
        let text = match cell.get_value() {
            DataRef::SharedString(text) => (*text).to_owned(),
            DataRef::String(text) => text.clone(),
            _ => continue,
        };
        if let (1.., Some(place)) = (line, column.checked_sub(4)) {
            row[usize::try_from(place)?] = text;
            if place == 2 {
                all.push(derived(std::mem::take(&mut row)));
            }
        }
    }
    base.store(&all, Clock::default().now()).await
}

/// Computes the same derived columns as Patio, so that the stored rows are equal.
fn derived([model_code, serial_number, parking_space]: [String; 3]) -> New {
    let vin = format!("{model_code} {serial_number}");
    New {
        vin_key: vin::comparison_key(&vin),
        yard_id: yard::parking_space_yard_id(&parking_space).map(i64::from),
        yard_group: yard::parking_space_yard_group(&parking_space).to_owned(),
        walk_key: walking_order::sort_key(&parking_space),
        haystack: format!("{vin}\n{parking_space}").to_lowercase(),
        model_code,
        serial_number,
        parking_space,
    }
}

/// Writes the vehicles of a campaign with the columns of Patio's export, with only one row in memory.
pub async fn report(file: &Path, base: &Base, campaign: i64) -> anyhow::Result<()> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet_with_constant_memory()?;
    let mut rows = base.clone().whole_vehicles(campaign);
    let mut line = 0;
    while let Some(vehicle) = rows.next().await {
        let vehicle = vehicle.context("a vehicle cannot be read")?;
        line += 1;
        let vin = format!("{} {}", vehicle.model_code, vehicle.serial_number);
        let yard = vehicle.id_yard.and_then(|id| yard::yard_name(i32::try_from(id).ok()?)).unwrap_or_default();
        let texts = [&vin, &vehicle.model_code, &vehicle.serial_number, &vehicle.parking_space, yard, &vehicle.status];
        let rest = [if vehicle.inspected { "Yes" } else { "No" }, &vehicle.operator_notes, &vehicle.admin_notes];
        for (column, text) in (0u16..).zip(texts.into_iter().chain(rest)).filter(|(_, text)| !text.is_empty()) {
            sheet.write_string(line, column, text)?;
        }
        if vehicle.modified_by.is_some() {
            sheet.write_datetime(line, 10, vehicle.modified_at.naive_utc())?;
        }
    }
    Ok(book.save(file)?)
}
