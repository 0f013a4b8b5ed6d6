//! Taking a file in, piece by piece.
use crate::{
    error::{Error, Result},
    refusal::{LARGEST_FILE, is_unprintable, not_xlsx, too_large},
    saga::Upload,
};
use bytes::{Bytes, BytesMut};
use futures::{Stream, StreamExt};
use patio_proto::imports::{Rejection, UploadChunk};
use std::time::Duration;
use tonic::Status;
use uuid::Uuid;

/// How long an upload may stand still.
const STILL: Duration = Duration::from_secs(30);
/// How many bytes are listened to before an answer is given that the client does not wait for.
const DRAINED: usize = 2 * LARGEST_FILE;
/// The longest file name that is kept, in characters.
const LONGEST_NAME: usize = 200;

/// What came in.
#[derive(Debug)]
pub(super) enum Collected {
    /// A file to be imported.
    Whole(Upload),
    /// A file that is refused before it is read.
    Refused(Uuid, Rejection),
}

/// Takes a file in. One that is too large is listened to for a while, so that the client hears the refusal.
pub(super) async fn collect<S>(mut pieces: S) -> Result<Collected>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    let first = next(&mut pieces).await?.ok_or_else(|| Error::Bad("the upload holds no file".to_owned()))?;
    let id = upload_id(&first.upload_id)?;
    let name: String = first.file_name.chars().filter(|c| !is_unprintable(*c)).take(LONGEST_NAME).collect();
    let is_named_rightly = first.file_name.to_lowercase().ends_with(".xlsx");
    let mut data = BytesMut::new();
    let mut size = 0;
    let mut piece = Some(first);
    while let Some(chunk) = piece {
        size += chunk.data.len();
        if is_named_rightly && size <= LARGEST_FILE {
            data.extend_from_slice(&chunk.data);
        } else if size > DRAINED {
            break;
        }
        piece = next(&mut pieces).await?;
    }
    if size > LARGEST_FILE {
        return Ok(Collected::Refused(id, too_large()));
    }
    if !is_named_rightly {
        return Ok(Collected::Refused(id, not_xlsx("")));
    }
    Ok(Collected::Whole(Upload { id, file_name: name, data: Bytes::from(data) }))
}

fn upload_id(written: &str) -> Result<Uuid> {
    if written.is_empty() {
        return Ok(Uuid::now_v7());
    }
    Uuid::parse_str(written).map_err(|_| Error::Bad("the upload id is no UUID".to_owned()))
}

async fn next<S>(pieces: &mut S) -> Result<Option<UploadChunk>>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    match tokio::time::timeout(STILL, pieces.next()).await {
        Ok(piece) => Ok(piece.transpose()?),
        Err(_) => Err(Error::StoodStill),
    }
}
