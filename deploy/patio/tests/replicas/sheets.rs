//! Workbooks and other files, and sending them.
use super::call;
use rust_xlsxwriter::Workbook;
use serde_json::Value;
use std::time::Duration;
use ureq::http::{Request, Response, request::Builder};

/// A workbook of a campaign with so many vehicles.
pub fn workbook(name: &str, vehicles: u32) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1").unwrap();
    for (column, title) in (0..).zip(["Campaign", "Part", "Description", "Model Code", "Serial Number", "Parking Space"]) {
        sheet.write_string(0, column, title).unwrap();
    }
    for row in 1..=vehicles {
        for (column, text) in [(3, "HB20"), (4, &*format!("{row:07}")), (5, &*format!("A-{row}"))] {
            sheet.write_string(row, column, text).unwrap();
        }
    }
    sheet.write_string(1, 0, name).unwrap();
    book.save_to_buffer().unwrap()
}

/// Sends a file as a form; the status and the JSON of the answer, nothing when there is none.
pub fn send(url: &str, path: &str, token: &str, file: (&str, &str, &[u8])) -> Option<(u16, Value)> {
    sent(Request::post(format!("{url}{path}")), token, file)
}

fn sent(request: Builder, token: &str, (field, name, file): (&str, &str, &[u8])) -> Option<(u16, Value)> {
    let form = format!(
        "--cut\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\ncontent-type: application/octet-stream\r\n\r\n"
    );
    let body = [form.as_bytes(), file, b"\r\n--cut--\r\n"].concat();
    let request = request.header("content-type", "multipart/form-data; boundary=cut");
    let request = request.header("authorization", format!("Bearer {token}")).header("accept", "application/json");
    let mut answer = agent().run(request.body(body).unwrap()).ok()?;
    Some((answer.status().as_u16(), answer.body_mut().read_json().unwrap_or_default()))
}

/// Imports a workbook; the answer, nothing when there is none.
pub fn upload(url: &str, token: &str, file: &[u8]) -> Option<(u16, Value)> {
    send(url, "/api/documents/upload", token, ("documents", "t.xlsx", file))
}

/// The same under an id by which it can be watched and given up.
pub fn upload_as(url: &str, token: &str, file: &[u8], id: &str) -> Option<(u16, Value)> {
    let request = Request::post(format!("{url}/api/documents/upload")).header("x-upload-id", id);
    sent(request, token, ("documents", "t.xlsx", file))
}

/// Imports the template's campaign: its id and its vehicles; nothing when Patio has no time for it.
pub fn import(url: &str, token: &str) -> Option<(i64, Vec<i64>)> {
    let template = Request::get(format!("{url}/api/documents/template")).header("authorization", format!("Bearer {token}"));
    let mut template: Response<ureq::Body> = agent().run(template.body(()).unwrap()).ok()?;
    let (_, told) = upload(url, token, &template.body_mut().read_to_vec().ok()?)?;
    let campaign = told["campaign"]["id"].as_i64()?;
    Some((campaign, vehicles(url, token, campaign)?.iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect()))
}

/// All vehicles of a campaign.
pub fn vehicles(url: &str, token: &str, campaign: i64) -> Option<Vec<Value>> {
    let (_, list) = call("GET", url, &format!("/api/vehicles/campaign/{campaign}/all"), token, &Value::Null);
    list.as_array().cloned()
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(60))).build().into()
}
