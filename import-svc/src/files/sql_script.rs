//! Converts a campaign workbook to an SQL script.
use crate::files::download_stream;
use bytes::Bytes;
use patio_proto::{
    vehicle::{ImportVehiclesRequest, NewVehicle},
    yard,
};
use prost::Message;
use std::fmt::Write;
use workbook_reader::{ParsedWorkbook, protocol::SheetSummary};

const SCRIPT_HEAD: &str = "\
-- Standard SQL for PostgreSQL and SQLite; strings as with standard_conforming_strings = on, which is the default.
-- One transaction of inserts into tables of this form:
--   create table campaigns (name text primary key, part text not null, description text not null, model_type text not null,
--     status text not null);
--   create table vehicles (campaign_name text not null, vin_number text not null, model_code text not null,
--     serial_number text not null, parking_space text not null, id_yard integer, yard_group text not null,
--     primary key (campaign_name, vin_number));
begin;
";
const INSERT_VEHICLES: &str =
    "insert into vehicles (campaign_name, vin_number, model_code, serial_number, parking_space, id_yard, yard_group) values\n";
const SCRIPT_END: &str = "commit;\n";

/// Returns the download file name for the SQL script of the campaign with this name.
#[must_use]
pub fn script_file_name(campaign: &str) -> String {
    format!("{} SQL Data.sql", download_stream::sanitize_file_name(campaign))
}

/// Quotes a text as a standard SQL string. NUL characters are removed because databases reject them.
#[must_use]
pub fn quote_sql_string(text: &str) -> String {
    format!("'{}'", text.replace('\0', "").replace('\'', "''"))
}

/// Returns the SQL script of a campaign in parts, each of which is produced on demand.
pub fn generate_sql_script(book: ParsedWorkbook) -> impl Iterator<Item = Bytes> + Send {
    let ParsedWorkbook { sheet, vehicles } = book;
    let first = Bytes::from(format!("{SCRIPT_HEAD}{}", campaign(&sheet)));
    let inserts = vehicles.into_iter().filter_map(move |bytes| {
        let chunk = ImportVehiclesRequest::decode(bytes).ok()?;
        (!chunk.vehicles.is_empty()).then(|| Bytes::from(insert(&sheet.campaign, &chunk.vehicles)))
    });
    std::iter::once(first).chain(inserts).chain(std::iter::once(Bytes::from_static(SCRIPT_END.as_bytes())))
}

fn campaign(sheet: &SheetSummary) -> String {
    let values = [&sheet.campaign, &sheet.part, &sheet.description, &sheet.model_type].map(|text| quote_sql_string(text)).join(", ");
    format!("insert into campaigns (name, part, description, model_type, status) values ({values}, 'Ready');\n")
}

fn insert(campaign: &str, vehicles: &[NewVehicle]) -> String {
    let campaign = quote_sql_string(campaign);
    let mut text = String::from(INSERT_VEHICLES);
    for (place, vehicle) in vehicles.iter().enumerate() {
        let space = vehicle.parking_space.trim();
        let yard_id = yard::parking_space_yard_id(space).map_or_else(|| "null".to_owned(), |id| id.to_string());
        let _ = write!(
            text,
            "{}({campaign}, {}, {}, {}, {}, {yard_id}, {})",
            if place == 0 { "" } else { ",\n" },
            quote_sql_string(&format!("{} {}", vehicle.model_code, vehicle.serial_number)),
            quote_sql_string(&vehicle.model_code),
            quote_sql_string(&vehicle.serial_number),
            quote_sql_string(space),
            quote_sql_string(yard::parking_space_yard_group(space)),
        );
    }
    text.push_str(";\n");
    text
}
