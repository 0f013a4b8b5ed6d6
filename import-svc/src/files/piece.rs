//! Files that are handed out, piece by piece, under names that are safe everywhere.
use crate::{error::Error, refusal::is_unprintable};
use bytes::Bytes;
use futures::{Stream, StreamExt, stream};
use patio_proto::imports::{FileHead, FilePiece, Rejection, file_piece::Part};
use tokio_util::io::ReaderStream;
use tonic::Status;

/// How many bytes go in one piece.
const PIECE: usize = 64 << 10;
/// The longest name, in characters.
const LONGEST_NAME: usize = 150;

/// A workbook's media type.
pub const XLSX: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
/// An SQL script's media type.
pub const SQL: &str = "application/sql";

/// A part of a file name, without what breaks paths, headers or the writing direction.
#[must_use]
pub fn safe(name: &str) -> String {
    let printable = |c: char| if is_unprintable(c) || r#"/\:*?"<>|"#.contains(c) { '_' } else { c };
    let name: String = name.trim().chars().map(printable).take(LONGEST_NAME).collect();
    let name = name.trim_matches(['.', ' ']);
    if name.is_empty() { "_".to_owned() } else { name.to_owned() }
}

fn piece(part: Part) -> FilePiece {
    FilePiece { part: Some(part) }
}

fn head(name: String, content_type: &str) -> FilePiece {
    piece(Part::Head(FileHead { name, content_type: content_type.to_owned() }))
}

/// A file of the disk.
pub fn of_file(name: String, content_type: &str, file: std::fs::File) -> impl Stream<Item = Result<FilePiece, Status>> + Send + use<> {
    let data = ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE)
        .map(|read| read.map(|bytes| piece(Part::Data(bytes.to_vec()))).map_err(|cause| Error::Disk(cause).into()));
    stream::once(std::future::ready(Ok(head(name, content_type)))).chain(data)
}

/// A text that is made while it is handed out.
pub fn of_texts<T>(name: String, content_type: &str, texts: T) -> impl Stream<Item = Result<FilePiece, Status>> + Send + use<T>
where
    T: Iterator<Item = Bytes> + Send,
{
    let pieces = texts.map(|text| Ok(piece(Part::Data(text.to_vec()))));
    stream::iter(std::iter::once(Ok(head(name, content_type))).chain(pieces))
}

/// A refusal in place of a file.
pub fn of_refusal(rejection: Rejection) -> impl Stream<Item = Result<FilePiece, Status>> + Send {
    stream::once(std::future::ready(Ok(piece(Part::Rejected(rejection)))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_break_neither_paths_nor_headers_nor_the_writing_direction() {
        assert_eq!(safe("../a\\b:c\r\nX: \"y\"\u{202e}gpj"), "_a_b_c__X_ _y__gpj");
        assert_eq!(safe(" . "), "_");
        assert_eq!(safe("Ação 7"), "Ação 7");
        assert_eq!(safe(&"x".repeat(500)).len(), LONGEST_NAME);
    }
}
