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

/// A file as far as it came in.
#[derive(Debug)]
pub(super) struct Gathered {
    /// As the client chose it.
    id: String,
    /// As the client named it, without what does not print.
    pub(super) name: String,
    /// Whether the name ends as it should.
    pub(super) is_named_rightly: bool,
    /// How many bytes came in.
    pub(super) size: usize,
    /// All of them, unless the file is too large or named wrongly.
    pub(super) data: Bytes,
    /// What was said in place of the sheet's campaign.
    pub(super) campaign_name: String,
}

/// Takes a file in. One that is too large is listened to for a while, so that the client hears the refusal.
pub(super) async fn gather<S>(mut pieces: S, ending: &str) -> Result<Gathered>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    let first = next(&mut pieces).await?.ok_or_else(|| Error::Bad("the upload holds no file".to_owned()))?;
    let name: String = first.file_name.chars().filter(|c| !is_unprintable(*c)).take(LONGEST_NAME).collect();
    let is_named_rightly = first.file_name.to_lowercase().ends_with(ending);
    let (id, mut campaign_name) = (first.upload_id.clone(), String::new());
    let (mut data, mut size) = (BytesMut::new(), 0);
    let mut piece = Some(first);
    while let Some(chunk) = piece {
        size += chunk.data.len();
        if is_named_rightly && size <= LARGEST_FILE {
            if data.capacity() < size {
                // Room as for the largest, which takes memory as far as it is filled: to double it would take thrice as much.
                data.reserve(if data.is_empty() { chunk.data.len() } else { LARGEST_FILE - data.len() });
            }
            data.extend_from_slice(&chunk.data);
        } else if size > DRAINED {
            break;
        }
        if !chunk.campaign_name.trim().is_empty() {
            chunk.campaign_name.trim().clone_into(&mut campaign_name);
        }
        piece = next(&mut pieces).await?;
    }
    Ok(Gathered { id, name, is_named_rightly, size, data: data.freeze(), campaign_name })
}

/// Takes in a file to be imported.
pub(super) async fn collect<S>(pieces: S) -> Result<Collected>
where
    S: Stream<Item = std::result::Result<UploadChunk, Status>> + Unpin,
{
    let gathered = gather(pieces, ".xlsx").await?;
    let id = upload_id(&gathered.id)?;
    if gathered.size > LARGEST_FILE {
        return Ok(Collected::Refused(id, too_large()));
    }
    if !gathered.is_named_rightly {
        return Ok(Collected::Refused(id, not_xlsx("")));
    }
    Ok(Collected::Whole(Upload { id, file_name: gathered.name, data: gathered.data }))
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
