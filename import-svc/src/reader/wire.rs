//! What the reading process writes to its standard output: records, each behind its length.
use bytes::Bytes;
use patio_proto::imports::Rejection;
use prost::{Message, Oneof};
use std::io::{self, Write};

/// The longest record that is believed.
pub const LONGEST_RECORD: usize = 4 << 20;

/// One step of reading.
#[derive(Clone, PartialEq, Message)]
pub struct Record {
    /// Rows read so far.
    #[prost(int64, tag = "1")]
    pub read: i64,
    /// An encoded `ImportVehiclesRequest` with the vehicles of this step; empty when there are none.
    #[prost(bytes = "bytes", tag = "2")]
    pub vehicles: Bytes,
    /// Present in the last record and in no other.
    #[prost(oneof = "End", tags = "3, 4")]
    pub end: Option<End>,
    /// Encoded [`Lines`] of this step, when the sheet is read to be corrected; the first one is the header.
    #[prost(bytes = "bytes", tag = "5")]
    pub lines: Bytes,
}

/// Rows as they are.
#[derive(Clone, PartialEq, Message)]
pub struct Lines {
    /// In the order of the sheet, without the blank ones.
    #[prost(message, repeated, tag = "1")]
    pub all: Vec<Line>,
}

/// One row as it is, with what is wrong with it.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Line {
    /// Counted from 0; the header is 0.
    #[prost(uint32, tag = "1")]
    pub row: u32,
    /// As shown, in the order of the sheet; the names of the columns in the header.
    #[prost(string, repeated, tag = "2")]
    pub cells: Vec<String>,
    /// Which of the cells are wrong, counted from 0.
    #[prost(uint32, repeated, tag = "3")]
    pub wrong: Vec<u32>,
    /// What is wrong, in words; empty when nothing is.
    #[prost(string, tag = "4")]
    pub errors: String,
}

/// How reading ended.
#[derive(Clone, PartialEq, Oneof)]
pub enum End {
    /// The whole sheet is good.
    #[prost(message, tag = "3")]
    Whole(Sheet),
    /// The file is refused.
    #[prost(message, tag = "4")]
    Refused(Rejection),
}

/// What a sheet says beside its vehicles.
#[derive(Clone, PartialEq, Eq, Message)]
pub struct Sheet {
    /// The campaign's name.
    #[prost(string, tag = "1")]
    pub campaign: String,
    /// What is wrong.
    #[prost(string, tag = "2")]
    pub part: String,
    /// What is wrong with it.
    #[prost(string, tag = "3")]
    pub description: String,
    /// The model, as people call it.
    #[prost(string, tag = "4")]
    pub model_type: String,
    /// How many vehicles there are.
    #[prost(int64, tag = "5")]
    pub vehicles: i64,
    /// What was read otherwise than the sheet shows it, one sentence each.
    #[prost(string, repeated, tag = "6")]
    pub notes: Vec<String>,
}

/// Writes a record behind its length.
///
/// # Errors
/// When nobody reads any more.
pub fn write(out: &mut impl Write, record: &Record) -> io::Result<()> {
    let bytes = record.encode_to_vec();
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&bytes)
}
