//! Validation of times from a device's clock, which may be wrong.
use crate::error::{Error, Result};
use chrono::{DateTime, Datelike, Utc};
use patio_kit::clock;

/// Converts a time from a device's clock. Rejects years that `SQLite` or `PostgreSQL` cannot store, since the clock
/// may be wrong.
///
/// # Errors
/// Returns `InvalidField` with the name of the field when the year cannot be stored.
pub fn parse_device_time(field: &str, stamp: &prost_types::Timestamp) -> Result<DateTime<Utc>> {
    let moment = clock::from_timestamp(stamp).filter(|at| (1970..=9999).contains(&at.year()));
    moment.ok_or_else(|| Error::InvalidField(format!("{field}: must be between the years 1970 and 9999")))
}
