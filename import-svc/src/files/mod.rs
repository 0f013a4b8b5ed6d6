//! File operations other than imports: campaign exports, SQL scripts, rejected workbooks, and CSV files that change vehicles.
pub mod correction_workbook;
pub mod csv_file;
pub mod download_stream;
pub mod export;
mod export_writer;
pub mod sql_script;

use crate::error::{Error, Result};
use patio_kit::{
    client::{call_context::CallContext, service_channel::ServiceChannel},
    server::MAX_MESSAGE_BYTES,
    service_host::ServiceChannels,
};
use patio_proto::vehicle::{BulkEditRequest, BulkEditResponse, EditRow, LineError, bulk_service_client::BulkServiceClient};
use std::time::Duration;

/// Timeout of a call to vehicle-svc that changes or lists many vehicles.
pub const BULK_CALL_TIMEOUT: Duration = Duration::from_secs(120);

/// A received CSV file with vehicle changes.
pub struct UploadedCsv {
    /// Name of the CSV file from the client.
    pub name: String,
    /// Content of the file, at most [`workbook_reader::rejection::MAX_FILE_BYTES`] bytes.
    pub data: bytes::Bytes,
}

/// Applies the vehicle changes of a CSV file, or only previews them if `dry_run` is `true`. If any line has an error, no vehicle
/// is changed.
///
/// # Errors
/// Returns an error when the parsing task panics or the call to vehicle-svc fails. Errors in the file are part of the response.
pub async fn apply_csv_changes(
    channels: &ServiceChannels,
    bearer: &CallContext,
    file: UploadedCsv,
    dry_run: bool,
) -> Result<BulkEditResponse> {
    let data = file.data;
    let parsed = tokio::task::spawn_blocking(move || csv_file::parse_csv(&data)).await.map_err(Error::TaskAborted)?;
    if parsed.rows.is_empty() {
        return Ok(with(BulkEditResponse { warnings: parsed.warnings, ..BulkEditResponse::default() }, parsed.errors, parsed.total_errors));
    }
    let dry_run = dry_run || parsed.total_errors > 0;
    let mut reply = apply_rows(channels, bearer, parsed.rows, file.name, dry_run).await?;
    reply.warnings.splice(0..0, parsed.warnings);
    Ok(with(reply, parsed.errors, parsed.total_errors))
}

async fn apply_rows(
    channels: &ServiceChannels,
    bearer: &CallContext,
    rows: Vec<EditRow>,
    source: String,
    dry_run: bool,
) -> Result<BulkEditResponse> {
    let client: BulkServiceClient<ServiceChannel> = BulkServiceClient::new(channels.vehicle.clone());
    let mut client = client.max_encoding_message_size(MAX_MESSAGE_BYTES).max_decoding_message_size(MAX_MESSAGE_BYTES);
    Ok(client.bulk_edit(bearer.grpc_request_with_timeout(BULK_CALL_TIMEOUT, BulkEditRequest { rows, dry_run, source })).await?.into_inner())
}

/// Adds the errors found while parsing the CSV file to the response of vehicle-svc.
fn with(mut reply: BulkEditResponse, errors: Vec<LineError>, total: i64) -> BulkEditResponse {
    reply.errors.extend(errors);
    reply.errors.sort_by_key(|error| error.line);
    reply.errors.truncate(csv_file::MAX_LISTED_ERRORS);
    reply.total_errors += total;
    reply
}
