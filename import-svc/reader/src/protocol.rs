//! Protocol between import-svc and its reader process: protobuf records on standard output, each preceded by its length in 4 bytes.
use bytes::Bytes;
use patio_proto::imports::Rejection;
use prost::{Message, Oneof};
use std::io::{self, Write};

/// Maximum record length in bytes; a longer record means that the output is corrupt.
pub const MAX_RECORD_BYTES: usize = 4 << 20;

/// One record of the reader process: the progress, and the rows read since the previous record.
#[derive(Clone, PartialEq, Message)]
pub struct ReaderRecord {
    /// Number of rows of the worksheet that have been read so far.
    #[prost(int64, tag = "1")]
    pub read: i64,
    /// Encoded `ImportVehiclesRequest` with the vehicles read since the previous record; may be empty.
    #[prost(bytes = "bytes", tag = "2")]
    pub vehicles: Bytes,
    /// Result of reading; `None` in every record except the last record.
    #[prost(oneof = "SheetReadResult", tags = "3, 4")]
    pub end: Option<SheetReadResult>,
    /// Encoded [`CorrectionRowBatch`] with the rows read since the previous record; the first record begins with the header. Empty
    /// when the workbook is read for an import.
    #[prost(bytes = "bytes", tag = "5")]
    pub lines: Bytes,
}

/// Rows of a worksheet with their errors. import-svc writes these rows to a copy of the workbook that the user corrects.
#[derive(Clone, PartialEq, Message)]
pub struct CorrectionRowBatch {
    /// Rows in the order of the worksheet, without blank rows.
    #[prost(message, repeated, tag = "1")]
    pub all: Vec<CorrectionRow>,
}

/// One row of a worksheet with its errors.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct CorrectionRow {
    /// Row index counted from 0; the header is row 0.
    #[prost(uint32, tag = "1")]
    pub row: u32,
    /// Displayed cell values in the order of the worksheet; in the header, the column names.
    #[prost(string, repeated, tag = "2")]
    pub cells: Vec<String>,
    /// Indexes of the invalid cells of the row, counted from 0.
    #[prost(uint32, repeated, tag = "3")]
    pub wrong: Vec<u32>,
    /// Error messages of the row; empty for a valid row.
    #[prost(string, tag = "4")]
    pub errors: String,
}

/// Result of reading a worksheet: the campaign data of a valid worksheet, or a rejection.
#[derive(Clone, PartialEq, Oneof)]
pub enum SheetReadResult {
    /// The whole worksheet is valid; contains its campaign data.
    #[prost(message, tag = "3")]
    Valid(SheetSummary),
    /// The file was rejected; contains the errors for the uploader.
    #[prost(message, tag = "4")]
    Rejected(Rejection),
}

/// Campaign data of a worksheet and its number of vehicles.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct SheetSummary {
    /// Name of the campaign, normalized from the cells of the worksheet.
    #[prost(string, tag = "1")]
    pub campaign: String,
    /// Vehicle part that the campaign is about.
    #[prost(string, tag = "2")]
    pub part: String,
    /// Description of the vehicle defect that the campaign is about, and of its repair.
    #[prost(string, tag = "3")]
    pub description: String,
    /// Model of the vehicles, as free text.
    #[prost(string, tag = "4")]
    pub model_type: String,
    /// Number of vehicles in the worksheet.
    #[prost(int64, tag = "5")]
    pub vehicles: i64,
    /// Notes for the user about the worksheet, one sentence each: values that were changed while reading, or a hidden worksheet.
    #[prost(string, repeated, tag = "6")]
    pub notes: Vec<String>,
}

/// Writes a record to `out`, preceded by the length of the record. `out` is the standard output of the reader process, a pipe to
/// import-svc.
///
/// # Errors
/// Returns an error when the pipe is closed.
pub fn write_record(out: &mut impl Write, record: &ReaderRecord) -> io::Result<()> {
    let bytes = record.encode_to_vec();
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&bytes)
}
