//! Pages of a merged history: the gateway merges the audit entries of one service and the bulk jobs of vehicle-svc by time.
use crate::{
    http::problem::{ApiResult, Problem},
    views::json_values,
};
use chrono::{DateTime, Utc};
use patio_kit::clock;
use patio_proto::{audit, common::HistoryWindow, vehicle as pb};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{
    cmp::{Ordering, Reverse},
    fmt,
    str::FromStr,
};
use utoipa::{IntoParams, ToSchema};

/// Default number of entries on a page.
const DEFAULT_PAGE_SIZE: i32 = 50;

/// Validates the requested page size of a history and returns the size; 50 when absent.
///
/// # Errors
/// Returns a 400 that names the field `limit` when the size is less than 1 or greater than 100.
pub(super) fn validate_page_size(limit: Option<i32>) -> ApiResult<i32> {
    let limit = limit.unwrap_or(DEFAULT_PAGE_SIZE);
    if !(1..=100).contains(&limit) {
        return Err(Problem::invalid_field("limit", "must be 1 to 100"));
    }
    Ok(limit)
}

/// Query parameters of a merged history: position and size of the page.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct MergedHistoryQuery {
    /// Position at which the page begins: the value `next` of the previous page. When absent, the page begins with the newest entry.
    #[param(max_length = 60, nullable = false)]
    before: Option<String>,
    /// Maximum number of entries, 1 to 100; 50 when absent.
    #[param(minimum = 1, maximum = 100, nullable = false)]
    limit: Option<i32>,
}

/// Old and new value of one field in a history entry.
#[derive(Serialize, ToSchema)]
pub(super) struct NamedFieldChange {
    /// Name of the changed field, as in the API request that changes the field.
    field: String,
    old: String,
    new: String,
}

/// Source of a history entry: the audit log, or the bulk jobs of vehicle-svc. Entries with the same time are sorted by source. The
/// history is sorted in descending order, so the last variant (bulk jobs) comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Source {
    Audit,
    Jobs,
}

/// Position of an entry in the merged history: its time, then its source and id to order entries with equal times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Position {
    at: DateTime<Utc>,
    source: Source,
    id: i64,
}

impl fmt::Display for Position {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}.{}.{}", self.at.timestamp_micros(), u8::from(self.source == Source::Jobs), self.id)
    }
}

impl FromStr for Position {
    type Err = Problem;

    fn from_str(text: &str) -> Result<Self, Problem> {
        let mut parts = text.split('.').map(|part| part.parse::<i64>().ok());
        let mut part = || parts.next().flatten();
        let read = (part(), part(), part());
        let source = match read.1 {
            Some(0) => Some(Source::Audit),
            Some(1) => Some(Source::Jobs),
            _ => None,
        };
        let at = read.0.and_then(DateTime::from_timestamp_micros);
        let position = at.zip(source).zip(read.2).map(|((at, source), id)| Self { at, source, id });
        let position = position.ok_or_else(|| Problem::invalid_field("before", "must be the `next` of a page"))?;
        json_values::validate_timestamp_range("before", position.at).map(|at| Self { at, ..position })
    }
}

/// Validated start position and size of a page of the merged history.
#[derive(Debug, Clone, Copy)]
pub(super) struct MergedHistoryWindow {
    after: Option<Position>,
    limit: i32,
}

impl MergedHistoryWindow {
    /// Parses the query parameters `before` (position at which the page begins) and `limit` (page size).
    ///
    /// # Errors
    /// Returns a 400 that names the invalid parameter.
    pub(super) fn from_query(query: &MergedHistoryQuery) -> ApiResult<Self> {
        let limit = validate_page_size(query.limit)?;
        Ok(Self { after: query.before.as_deref().map(str::parse).transpose()?, limit })
    }

    /// Returns the position and limit with which to request audit entries. The limit is the page size plus 1, to detect a further
    /// page. The result is always `Some`, because the field of the gRPC request is an `Option`.
    pub(super) fn audit_history_window(self) -> Option<HistoryWindow> {
        Some(self.window(Source::Audit))
    }

    /// Returns the position and limit with which to request bulk jobs. The limit is the page size plus 1, to detect a further page.
    /// The result is always `Some`, because the field of the gRPC request is an `Option`.
    pub(super) fn job_history_window(self) -> Option<HistoryWindow> {
        Some(self.window(Source::Jobs))
    }

    fn window(self, source: Source) -> HistoryWindow {
        let before_id = self.after.map_or(i64::MAX, |after| match source.cmp(&after.source) {
            Ordering::Less => i64::MAX,
            Ordering::Equal => after.id,
            Ordering::Greater => 0,
        });
        HistoryWindow { before: self.after.map(|after| clock::to_timestamp(after.at)), before_id, limit: self.limit + 1 }
    }

    /// Merges the entries of both services, newest first. Also returns the position at which the next page begins; `None` on the
    /// last page.
    pub(super) fn merge_entries(self, audit: Vec<audit::Event>, jobs: Vec<pb::JobEvent>) -> (Vec<MergedHistoryEntry>, Option<String>) {
        let mut merged: Vec<MergedHistoryEntry> =
            audit.into_iter().map(MergedHistoryEntry::Audit).chain(jobs.into_iter().map(MergedHistoryEntry::Job)).collect();
        merged.sort_by_key(|entry| Reverse(entry.position()));
        let size = usize::try_from(self.limit).unwrap_or_default();
        let has_more = merged.len() > size;
        merged.truncate(size);
        let next = merged.last().filter(|_| has_more).map(|last| last.position().to_string());
        (merged, next)
    }
}

/// Entry of the merged history: a gRPC message from the service that stores the entry.
pub(super) enum MergedHistoryEntry {
    /// Entry of the audit log, such as a sign-in or a change of a campaign.
    Audit(audit::Event),
    /// Bulk job, undo of a bulk job, or undo of an import.
    Job(pb::JobEvent),
}

impl MergedHistoryEntry {
    /// Returns the time of the entry.
    pub(super) fn timestamp(&self) -> DateTime<Utc> {
        self.position().at
    }

    fn position(&self) -> Position {
        match self {
            Self::Audit(event) => {
                Position { at: json_values::to_datetime_or_epoch(event.at.as_ref()), source: Source::Audit, id: event.id }
            }
            Self::Job(event) => Position { at: json_values::to_datetime_or_epoch(event.at.as_ref()), source: Source::Jobs, id: event.id },
        }
    }

    /// Returns the id of the user who caused the entry; `None` when no user caused the entry.
    pub(super) fn user_id(&self) -> Option<i64> {
        match self {
            Self::Audit(event) => event.user_id,
            Self::Job(event) => event.user_id,
        }
    }
}

/// Kind of a bulk change in a history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(super) enum BulkChangeKind {
    /// A bulk change set or removed the status of vehicles.
    Status,
    /// A bulk change moved vehicles to other parking spaces.
    Space,
    /// A CSV file changed fields of vehicles.
    File,
    /// A bulk change or an import was undone.
    Undo,
}

/// Bulk change of vehicles, or the undo of a bulk change or an import.
#[derive(Serialize, ToSchema)]
pub(super) struct BulkChangeEvent {
    /// Id of the bulk change or import.
    job_id: i64,
    kind: BulkChangeKind,
    /// For a status change, the new status, which is empty when the status was cleared. For a CSV file or an import, the file name.
    /// Otherwise empty. An undo has the detail of the undone change.
    detail: String,
    /// Number of vehicles that the bulk change changed. For an undo, the number of restored vehicles, or of vehicles deleted with an
    /// imported campaign.
    vehicles: i64,
}

impl From<pb::JobEvent> for BulkChangeEvent {
    fn from(event: pb::JobEvent) -> Self {
        let kind = match event.kind() {
            _ if event.undone => BulkChangeKind::Undo,
            pb::JobKind::Status => BulkChangeKind::Status,
            pb::JobKind::Space => BulkChangeKind::Space,
            pb::JobKind::File | pb::JobKind::Import | pb::JobKind::Unspecified => BulkChangeKind::File,
        };
        Self { job_id: event.job_id, kind, detail: event.detail, vehicles: event.vehicles }
    }
}

/// Parses the JSON object with the old or new values of an audit entry. An invalid or empty text yields an empty map.
pub(super) fn parse_field_values(text: &str) -> Map<String, Value> {
    serde_json::from_str(text).unwrap_or_default()
}

/// Returns the fields that an audit entry changed, with old and new values as texts.
pub(super) fn list_changed_fields(event: &audit::Event) -> Vec<NamedFieldChange> {
    let (old, new) = (parse_field_values(&event.old_values), parse_field_values(&event.new_values));
    let text = |value: Option<&Value>| match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let change = |field: &String| NamedFieldChange { field: field.clone(), old: text(old.get(field)), new: text(new.get(field)) };
    new.keys().map(change).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_is_read_as_it_was_written() {
        let at = DateTime::from_timestamp_micros(1_790_000_000_123_456).unwrap();
        for source in [Source::Audit, Source::Jobs] {
            let position = Position { at, source, id: 7 };
            assert_eq!(position.to_string().parse::<Position>().ok(), Some(position));
        }
        for wrong in ["", "1", "1.2.3", "1.0", "9223372036854775807.0.1", "2026-11-20T12:00:00Z"] {
            assert!(wrong.parse::<Position>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn entries_at_the_time_of_the_position_are_continued_in_the_order_of_the_merged_history() {
        let at = DateTime::from_timestamp_micros(1_790_000_000_000_000).unwrap();
        let ids = |source| {
            let page = MergedHistoryWindow { after: Some(Position { at, source, id: 7 }), limit: 1 };
            (page.window(Source::Audit).before_id, page.window(Source::Jobs).before_id)
        };
        assert_eq!(ids(Source::Jobs), (i64::MAX, 7));
        assert_eq!(ids(Source::Audit), (7, 0));
    }
}
