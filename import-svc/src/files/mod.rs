//! Lists of vehicles as files, and files that change vehicles.
pub mod corrections;
pub mod csv_file;
pub mod export;
pub mod names;
pub mod piece;
pub mod sql;
mod workbook;

use crate::error::{Error, Result};
use patio_kit::{
    host::Links,
    link::{Bearer, Link},
    server::LARGEST_MESSAGE,
};
use patio_proto::vehicle::{BulkEditReply, BulkEditRequest, EditRow, LineError, bulk_service_client::BulkServiceClient};
use std::time::Duration;

/// How long a change of many vehicles, or a list of all, may take.
pub const LONG: Duration = Duration::from_secs(120);

/// A CSV file as it came in.
pub struct CsvFile {
    /// As the client named it.
    pub name: String,
    /// At most [`crate::refusal::LARGEST_FILE`] bytes.
    pub data: bytes::Bytes,
}

/// Changes vehicles as a CSV file says, or tells what it would change; with anything wrong nothing is changed.
///
/// # Errors
/// When vehicle-svc does not do its part.
pub async fn edit(links: &Links, bearer: &Bearer, file: CsvFile, dry_run: bool) -> Result<BulkEditReply> {
    let data = file.data;
    let parsed = tokio::task::spawn_blocking(move || csv_file::read(&data)).await.map_err(Error::Stopped)?;
    if parsed.rows.is_empty() {
        return Ok(with(BulkEditReply { warnings: parsed.warnings, ..BulkEditReply::default() }, parsed.errors, parsed.total_errors));
    }
    let dry_run = dry_run || parsed.total_errors > 0;
    let mut reply = ask(links, bearer, parsed.rows, file.name, dry_run).await?;
    reply.warnings.splice(0..0, parsed.warnings);
    Ok(with(reply, parsed.errors, parsed.total_errors))
}

async fn ask(links: &Links, bearer: &Bearer, rows: Vec<EditRow>, source: String, dry_run: bool) -> Result<BulkEditReply> {
    let client: BulkServiceClient<Link> = BulkServiceClient::new(links.vehicle.clone());
    let mut client = client.max_encoding_message_size(LARGEST_MESSAGE).max_decoding_message_size(LARGEST_MESSAGE);
    Ok(client.bulk_edit(bearer.sign_within(LONG, BulkEditRequest { rows, dry_run, source })).await?.into_inner())
}

/// The answer of vehicle-svc together with what is wrong with the file itself.
fn with(mut reply: BulkEditReply, errors: Vec<LineError>, total: i64) -> BulkEditReply {
    reply.errors.extend(errors);
    reply.errors.sort_by_key(|error| error.line);
    reply.errors.truncate(csv_file::MOST_LISTED);
    reply.total_errors += total;
    reply
}
