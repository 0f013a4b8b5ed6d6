//! Receives an uploaded file from its stream of chunks.
use crate::{
    error::{Error, Result},
    saga::UploadedWorkbook,
};
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use patio_proto::imports::{Rejection, UploadChunk};
use std::time::Duration;
use tonic::Status;
use uuid::Uuid;
use workbook_reader::rejection::{MAX_FILE_BYTES, file_too_large_rejection, is_unprintable, not_xlsx_rejection};

/// Idle timeout of an upload: maximum time between two chunks.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum number of bytes received for a file that is too large or has the wrong extension. The excess data is discarded, not
/// refused, because the client can receive the rejection only after sending the whole file.
const MAX_DISCARDED_BYTES: usize = 2 * MAX_FILE_BYTES;
/// Maximum length of a file name in characters; longer names are cut.
const MAX_NAME_LEN: usize = 200;

/// Outcome of receiving an uploaded workbook: a complete file, or the rejection of the file.
#[derive(Debug)]
pub(super) enum ReceiveWorkbookOutcome {
    /// A complete file that is ready for import.
    Complete(UploadedWorkbook),
    /// File that was rejected before parsing because of its size or name, with its upload id.
    Rejected(Uuid, Rejection),
}

/// An uploaded file as received. The caller must check its size and file extension.
#[derive(Debug)]
pub(super) struct ReceivedFile {
    /// Upload id from the client; empty if the client sent no upload id.
    id: String,
    /// File name from the client, without unprintable characters.
    pub(super) name: String,
    /// Whether the file name has the extension that the caller expects.
    pub(super) has_expected_extension: bool,
    /// Number of received bytes of the file.
    pub(super) size: usize,
    /// Content of the file; incomplete when the file is too large or has the wrong extension.
    pub(super) data: Bytes,
    /// Campaign name that replaces the name in the workbook; empty if not given. Only the conversion to an SQL script reads this field.
    pub(super) campaign_name: String,
}

/// Receives an uploaded file and checks whether the file name ends with `extension`. If the file is too large or its name has another
/// ending, the function continues to receive up to `MAX_DISCARDED_BYTES` bytes, so that the client can finish sending.
pub(super) async fn receive_file<S>(mut chunks: S, extension: &str) -> Result<ReceivedFile>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    let first = next(&mut chunks).await?.ok_or_else(|| Error::InvalidField("the upload contains no file".to_owned()))?;
    let name: String = first.file_name.chars().filter(|c| !is_unprintable(*c)).take(MAX_NAME_LEN).collect();
    let has_expected_extension = first.file_name.to_lowercase().ends_with(extension);
    let (id, mut campaign_name) = (first.upload_id.clone(), String::new());
    let (mut data, mut size) = (BytesMut::new(), 0);
    let mut piece = Some(first);
    while let Some(chunk) = piece {
        size += chunk.data.len();
        if has_expected_extension && size <= MAX_FILE_BYTES {
            if data.capacity() < size {
                // Reserves the maximum size at once: untouched pages cost nothing, and growing by doubling would copy the data.
                data.reserve(if data.is_empty() { chunk.data.len() } else { MAX_FILE_BYTES - data.len() });
            }
            data.extend_from_slice(&chunk.data);
        } else if size > MAX_DISCARDED_BYTES {
            break;
        }
        if !chunk.campaign_name.trim().is_empty() {
            chunk.campaign_name.trim().clone_into(&mut campaign_name);
        }
        piece = next(&mut chunks).await?;
    }
    Ok(ReceivedFile { id, name, has_expected_extension, size, data: data.freeze(), campaign_name })
}

/// Receives a workbook for import and checks its size and file extension.
pub(super) async fn receive_workbook<S>(chunks: S) -> Result<ReceiveWorkbookOutcome>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    let gathered = receive_file(chunks, ".xlsx").await?;
    let id = upload_id(&gathered.id)?;
    if gathered.size > MAX_FILE_BYTES {
        return Ok(ReceiveWorkbookOutcome::Rejected(id, file_too_large_rejection()));
    }
    if !gathered.has_expected_extension {
        return Ok(ReceiveWorkbookOutcome::Rejected(id, not_xlsx_rejection("")));
    }
    Ok(ReceiveWorkbookOutcome::Complete(UploadedWorkbook { id, file_name: gathered.name, data: gathered.data }))
}

fn upload_id(written: &str) -> Result<Uuid> {
    if written.is_empty() {
        return Ok(Uuid::now_v7());
    }
    Uuid::parse_str(written).map_err(|_| Error::InvalidField("the upload id is not a UUID".to_owned()))
}

async fn next<S>(pieces: &mut S) -> Result<Option<UploadChunk>>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    match tokio::time::timeout(IDLE_TIMEOUT, pieces.next()).await {
        Ok(piece) => Ok(piece.transpose()?),
        Err(_) => Err(Error::UploadStalled),
    }
}
