//! Template workbook that users download and fill in. It contains example vehicles and can be imported unchanged.
use patio_proto::imports::File;
use rust_xlsxwriter::{Format, Workbook, XlsxError};
use workbook_reader::Column;

const NAME: &str = "patio-campaign-template.xlsx";
const CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Example vehicles: model code, serial number, parking space. The examples show leading zeros and unusual parking spaces.
const EXAMPLE_VEHICLES: [[&str; 3]; 4] =
    [["HB20", "000123", "A-2"], ["HB20", "000124", "A-10"], ["CRETA", "004071", "- 3"], ["CRETA", "0A4072", "0-7"]];
/// Values of the campaign columns in the first row of the template.
const EXAMPLE_CAMPAIGN: [&str; 4] = ["Example campaign", "Fuel pump", "Replace the fuel pump relay", "Hatch"];
/// Column widths of the template, in characters.
const COLUMN_WIDTHS: [f64; 7] = [28.0, 20.0, 36.0, 14.0, 14.0, 18.0, 16.0];

/// Builds the template workbook.
///
/// # Errors
/// Returns an error when the workbook cannot be built, which would be a bug.
pub fn build_template_workbook() -> Result<File, XlsxError> {
    let (text, head) = (Format::new().set_num_format("@"), Format::new().set_num_format("@").set_bold());
    let mut workbook = Workbook::new();
    let sheet = workbook.add_worksheet().set_name("Sheet1")?;
    sheet.set_freeze_panes(1, 0)?;
    for (place, (column, width)) in (0u16..).zip(Column::ALL.into_iter().zip(COLUMN_WIDTHS)) {
        // The text format applies to the whole column, so that leading zeros typed there are kept.
        sheet.set_column_format(place, &text)?.set_column_width(place, width)?;
        sheet.write_string_with_format(0, place, column.name(), &head)?;
    }
    for (row, vehicle) in (1u32..).zip(EXAMPLE_VEHICLES) {
        let campaign = if row == 1 { EXAMPLE_CAMPAIGN } else { [""; 4] };
        for (place, value) in (0u16..).zip(campaign.into_iter().chain(vehicle)).filter(|(_, value)| !value.is_empty()) {
            sheet.write_string_with_format(row, place, value, &text)?;
        }
    }
    Ok(File { name: NAME.to_owned(), content_type: CONTENT_TYPE.to_owned(), data: workbook.save_to_buffer()? })
}
