//! The example workbook, which imports as it is.
use crate::reader::Column;
use patio_proto::imports::File;
use rust_xlsxwriter::{Format, Workbook, XlsxError};

const NAME: &str = "patio-campaign-template.xlsx";
const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Model code, serial number and parking space: leading zeros, a space of each odd kind.
const VEHICLES: [[&str; 3]; 4] =
    [["HB20", "000123", "A-2"], ["HB20", "000124", "A-10"], ["CRETA", "004071", "- 3"], ["CRETA", "0A4072", "0-7"]];
/// What the campaign's columns say in the first row.
const CAMPAIGN: [&str; 4] = ["Example campaign", "Fuel pump", "Replace the fuel pump relay", "Hatch"];
/// Wide enough for what people put into the columns, in characters.
const WIDTHS: [f64; 7] = [28.0, 20.0, 36.0, 14.0, 14.0, 18.0, 16.0];

/// Makes the workbook.
///
/// # Errors
/// When it cannot be written, which would be a fault of ours.
pub fn file() -> Result<File, XlsxError> {
    let (text, head) = (Format::new().set_num_format("@"), Format::new().set_num_format("@").set_bold());
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Sheet1")?;
    sheet.set_freeze_panes(1, 0)?;
    for (place, (column, width)) in (0u16..).zip(Column::ALL.into_iter().zip(WIDTHS)) {
        // The whole column is text, so that zeros typed into it stay.
        sheet.set_column_format(place, &text)?.set_column_width(place, width)?;
        sheet.write_string_with_format(0, place, column.name(), &head)?;
    }
    for (row, vehicle) in (1u32..).zip(VEHICLES) {
        let campaign = if row == 1 { CAMPAIGN } else { [""; 4] };
        for (place, value) in (0u16..).zip(campaign.into_iter().chain(vehicle)).filter(|(_, value)| !value.is_empty()) {
            sheet.write_string_with_format(row, place, value, &text)?;
        }
    }
    Ok(File { name: NAME.to_owned(), content_type: CONTENT_TYPE.to_owned(), data: workbook.save_to_buffer()? })
}
