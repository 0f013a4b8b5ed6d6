//! Fills Patio with data through its HTTP API: uploads workbooks and creates users.
use crate::{
    load::{self, Answer, Shot},
    stack::{PASSWORD, Served},
};
use anyhow::{Context, ensure};
use bytes::Bytes;
use http::{
    HeaderMap, HeaderName, HeaderValue, Method,
    header::{AUTHORIZATION, CONTENT_TYPE},
};
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};

/// Maximum size of a file that Patio accepts, in bytes.
const LARGEST: usize = 5_242_880;
/// Boundary between the parts of a multipart form.
const BOUNDARY: &str = "a-boundary-that-no-workbook-holds";
/// Columns of a workbook, in order.
const COLUMNS: [&str; 7] = ["Campaign", "Part", "Description", "Model Type", "Model Code", "Serial Number", "Parking Space"];
/// Model codes of the vehicles in a campaign.
const MODELS: [&str; 6] = ["HB20S-EV1", "HB20S-CF2", "HB20S-PL1", "HB20X-CF1", "HB20X-DM4", "HB20-SN3"];

/// Returns a pseudo-random number that is the same in every run.
#[must_use]
pub fn scatter(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// Returns model code, serial number and parking space of a vehicle in a workbook.
///
/// Serial numbers ascend with gaps, like those of a plant. Parking spaces are independent of them.
#[must_use]
pub fn vehicle(campaign: u32, row: u32, rows: u32) -> [String; 3] {
    let chance = scatter(u64::from(campaign) << 32 | u64::from(row));
    let model = MODELS[usize::try_from(chance % 6).unwrap_or_default()];
    let serial = format!("{campaign:02}{:07}", u64::from(row) * 9 + chance % 9);
    // A step coprime to the count visits every place once.
    let place = u64::from(row) * 7_919 % u64::from(rows.max(1));
    let letter = patio_proto::yard::YARDS[usize::try_from(place % 28).unwrap_or_default()].1;
    [model.to_owned(), serial, format!("{letter}-{}", place / 28 + 1)]
}

/// Returns the name of a benchmark campaign.
#[must_use]
pub fn campaign_name(campaign: u32) -> String {
    format!("Bench {campaign:02} Airbag connector")
}

/// Builds a workbook of `rows` vehicles with all seven columns filled in every row.
///
/// # Errors
/// Returns an error when the workbook is larger than Patio accepts.
pub fn workbook(name: &str, campaign: u32, rows: u32) -> anyhow::Result<Vec<u8>> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1")?;
    for (column, title) in (0..).zip(COLUMNS) {
        sheet.write_string(0, column, title)?;
    }
    for row in 0..rows {
        let [model, serial, space] = vehicle(campaign, row, rows);
        let cells = [name, "Airbag connector", "Connector may come loose; check the yellow clip", "HB20", &model, &serial, &space];
        for (column, text) in (0..).zip(cells) {
            sheet.write_string(row + 1, column, text)?;
        }
    }
    let file = book.save_to_buffer()?;
    ensure!(file.len() <= LARGEST, "a workbook of {rows} vehicles has {} bytes", file.len());
    Ok(file)
}

/// A signed-in user.
#[derive(Debug, Clone)]
pub struct Person {
    /// Headers for every call of the user.
    pub headers: HeaderMap,
}

impl Served {
    /// Signs a user in.
    ///
    /// # Errors
    /// Returns an error when Patio rejects the call.
    pub async fn sign_in(&self, hmc: &str) -> anyhow::Result<Person> {
        let answer = self.post("/api/sessions", &HeaderMap::new(), &json!({ "hmc": hmc, "password": PASSWORD })).await?;
        let token = body(&answer)?["token"].as_str().context("the sign-in response has no token")?.to_owned();
        Ok(Person { headers: HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::try_from(format!("Bearer {token}"))?)]) })
    }

    /// Creates a user and signs in as that user.
    ///
    /// # Errors
    /// Returns an error when Patio rejects the call.
    pub async fn new_person(&self, by: &Person, hmc: &str, user_type: &str) -> anyhow::Result<Person> {
        self.post("/api/sign-up", &by.headers, &json!({ "hmc": hmc, "password": PASSWORD, "user_type": user_type })).await?;
        self.sign_in(hmc).await
    }

    /// Posts JSON.
    ///
    /// # Errors
    /// Returns an error when the call is rejected.
    pub async fn post(&self, path: &str, headers: &HeaderMap, json: &Value) -> anyhow::Result<Answer> {
        let mut headers = headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        self.done(Shot { method: Method::POST, path: path.to_owned(), headers, body: json.to_string().into(), expected: None }).await
    }

    /// Requests JSON with `GET`.
    ///
    /// # Errors
    /// Returns an error when the call is rejected.
    pub async fn json(&self, person: &Person, path: &str) -> anyhow::Result<Value> {
        body(&self.done(Shot::get(path.to_owned(), &person.headers)).await?)
    }

    /// Uploads a file as a multipart form.
    ///
    /// # Errors
    /// Returns an error when the call is rejected.
    pub async fn upload(&self, person: &Person, path: &str, field: &str, (name, file): (&str, &[u8])) -> anyhow::Result<Answer> {
        let head = format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{field}\"; filename=\"{name}\"\r\nContent-Type: application/octet-stream\r\n\r\n"
        );
        let body = [head.as_bytes(), file, format!("\r\n--{BOUNDARY}--\r\n").as_bytes()].concat();
        let mut headers = person.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::try_from(format!("multipart/form-data; boundary={BOUNDARY}"))?);
        headers.insert(HeaderName::from_static("accept"), HeaderValue::from_static("application/json"));
        self.done(Shot { method: Method::POST, path: path.to_owned(), headers, body: Bytes::from(body), expected: None }).await
    }

    /// Imports a campaign workbook and returns the campaign id.
    ///
    /// # Errors
    /// Returns an error when the call is rejected.
    pub async fn import(&self, person: &Person, file: &[u8]) -> anyhow::Result<i64> {
        let answer = self.upload(person, "/api/documents/upload", "documents", ("bench.xlsx", file)).await?;
        body(&answer)?["campaign"]["id"].as_i64().context("the import response has no campaign id")
    }

    /// Sends one request and returns the response.
    ///
    /// # Errors
    /// Returns an error when the call is rejected.
    pub async fn done(&self, shot: Shot) -> anyhow::Result<Answer> {
        let what = format!("{} {}", shot.method, shot.path);
        let answer = load::once(self.at, shot).await?;
        ensure!(answer.status.is_success(), "{what} failed with {}: {}", answer.status, String::from_utf8_lossy(&answer.body));
        Ok(answer)
    }
}

fn body(answer: &Answer) -> anyhow::Result<Value> {
    Ok(serde_json::from_slice(&answer.body)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_vehicle_of_a_workbook_is_another_one_in_another_place() {
        let all: Vec<_> = (0..3_000).map(|row| vehicle(7, row, 3_000)).collect();
        assert_eq!(all.iter().map(|[_, serial, _]| serial).collect::<HashSet<_>>().len(), 3_000);
        assert_eq!(all.iter().map(|[_, _, space]| space).collect::<HashSet<_>>().len(), 3_000);
    }
}
