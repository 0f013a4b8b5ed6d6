//! Paging of lists and histories, and the SQL `like` pattern for text search.
use crate::clock;
use chrono::{DateTime, Utc};
use patio_proto::common::{self, Page, PageMeta};

/// Number of rows per page when the request does not specify a page size.
pub const DEFAULT_PAGE_SIZE: i32 = 10;
/// Maximum number of rows per page.
pub const MAX_PAGE_SIZE: i32 = 200;

/// Requested page of a list: page number and number of rows per page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageWindow {
    /// Page number, counted from 0.
    pub index: i32,
    /// Rows per page, 1 to 200.
    pub size: i32,
}

impl PageWindow {
    /// Creates the page window that a request asks for. Page size 0 becomes the default size; other invalid values become the
    /// nearest valid value.
    #[must_use]
    pub fn from_request(page: Option<&Page>) -> Self {
        let page = page.copied().unwrap_or_default();
        let size = if page.size == 0 { DEFAULT_PAGE_SIZE } else { page.size.clamp(1, MAX_PAGE_SIZE) };
        Self { index: page.index.max(0), size }
    }

    /// Returns the number of rows of the page, for SQL `limit`.
    #[must_use]
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }

    /// Returns the number of rows before the page, for SQL `offset`.
    #[must_use]
    pub fn offset(self) -> i64 {
        i64::from(self.index) * i64::from(self.size)
    }

    /// Returns the page metadata of a response: page number, page size and total number of rows.
    #[must_use]
    pub fn to_page_meta(self, total_count: i64) -> PageMeta {
        PageMeta { index: self.index, size: self.size, total_count }
    }
}

/// Maximum number of history entries that one call returns: a page of 100 entries, plus one entry that shows that a next page exists.
pub const MAX_HISTORY_ENTRIES: i32 = 101;

/// Requested part of a history (a list of past changes, newest first): the newest entries before a given time and entry id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryWindow {
    /// Time before which the entries of the window were written. For entries written exactly at this time, see `before_id`.
    pub before: DateTime<Utc>,
    /// Tie-breaker for entries written exactly at `before`: the window contains only those whose id is lower than this id.
    pub before_id: i64,
    /// Maximum number of entries, 1 to 101.
    pub limit: i64,
}

impl HistoryWindow {
    /// Creates the history window that a request asks for. If the request contains no time, the window begins with the newest
    /// entry. An invalid limit becomes the nearest valid limit.
    #[must_use]
    pub fn from_request(window: Option<&common::HistoryWindow>) -> Self {
        let asked = window.copied().unwrap_or_default();
        let before = asked.before.as_ref().and_then(clock::from_timestamp).unwrap_or_else(clock::max_storable_time);
        Self { before, before_id: asked.before_id, limit: i64::from(asked.limit.clamp(1, MAX_HISTORY_ENTRIES)) }
    }
}

/// Returns a pattern for SQL `like … escape '\'` that matches values containing `text` literally.
///
/// The pattern is in lower case, so the query must compare lower-case values. A NUL character, which `PostgreSQL` rejects, becomes U+0001,
/// so that the search finds nothing.
#[must_use]
pub fn to_like_pattern(text: &str) -> String {
    let escaped = text.to_lowercase().replace('\0', "\u{1}").replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}
