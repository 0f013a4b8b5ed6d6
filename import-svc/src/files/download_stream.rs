//! Streams files, texts and rejections as download chunks, and makes file names safe.
use crate::error::Error;
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use patio_proto::imports::{FileChunk, FileHeader, Rejection, file_chunk::Part};
use tokio_util::io::ReaderStream;
use tonic::Status;
use workbook_reader::rejection::is_unprintable;

/// Size in bytes of one chunk of a downloaded file.
const CHUNK_BYTES: usize = 64 << 10;
/// Maximum length in characters of a sanitized file name; longer names are cut.
const MAX_NAME_LEN: usize = 150;

/// Media type of an `.xlsx` workbook.
pub const XLSX_CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// Media type of an SQL script.
pub const SQL_CONTENT_TYPE: &str = "application/sql";

/// Makes a file name safe for paths and HTTP headers. Replaces unsafe characters, and characters that change the text direction,
/// with `_`. Shortens long names.
#[must_use]
pub fn sanitize_file_name(name: &str) -> String {
    let printable = |c: char| if is_unprintable(c) || r#"/\:*?"<>|"#.contains(c) { '_' } else { c };
    let name: String = name.trim().chars().map(printable).take(MAX_NAME_LEN).collect();
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "_".to_owned() } else { name.to_owned() }
}

fn piece(part: Part) -> FileChunk {
    FileChunk { part: Some(part) }
}

fn head(name: String, content_type: &str) -> FileChunk {
    piece(Part::Head(FileHeader { name, content_type: content_type.to_owned() }))
}

/// Streams the content of an open file as a download.
pub fn stream_file(name: String, content_type: &str, file: std::fs::File) -> impl Stream<Item = Result<FileChunk, Status>> + Send + use<> {
    let data = ReaderStream::with_capacity(tokio::fs::File::from_std(file), CHUNK_BYTES)
        .map(|read| read.map(|bytes| piece(Part::Data(bytes.to_vec()))).map_err(|cause| Error::FileReadFailed(cause).into()));
    stream::once(std::future::ready(Ok(head(name, content_type)))).chain(data)
}

/// Streams the texts of an iterator as a download. Each text is produced only when the client is ready to receive more.
pub fn stream_text_chunks<T>(name: String, content_type: &str, texts: T) -> impl Stream<Item = Result<FileChunk, Status>> + Send + use<T>
where
    T: Iterator<Item = Bytes> + Send,
{
    let pieces = texts.map(|text| Ok(piece(Part::Data(text.to_vec()))));
    stream::iter(std::iter::once(Ok(head(name, content_type))).chain(pieces))
}

/// Streams a rejection as the only chunk of a download, instead of a file.
pub fn stream_rejection(rejection: Rejection) -> impl Stream<Item = Result<FileChunk, Status>> + Send {
    stream::once(std::future::ready(Ok(piece(Part::Rejected(rejection)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_in_paths_and_headers_and_keep_the_text_direction() {
        assert_eq!(sanitize_file_name("../a\\b:c\r\nX: \"y\"\u{202e}gpj"), "_a_b_c__X_ _y__gpj");
        assert_eq!(sanitize_file_name(" . "), "_");
        assert_eq!(sanitize_file_name("Ação 7"), "Ação 7");
        assert_eq!(sanitize_file_name(&"x".repeat(500)).len(), MAX_NAME_LEN);
    }
}
