//! Paging of lists, and the SQL pattern for text search.
use patio_proto::common::{Page, PageMeta};

/// Number of rows per page when the request does not specify a page size.
pub const DEFAULT_SIZE: i32 = 10;
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
    /// Creates the page window from the page that a request asks for. A page size of 0 becomes the default size; other invalid
    /// values become the nearest valid value.
    #[must_use]
    pub fn from_request(page: Option<&Page>) -> Self {
        let page = page.copied().unwrap_or_default();
        let size = if page.size == 0 { DEFAULT_SIZE } else { page.size.clamp(1, MAX_PAGE_SIZE) };
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

    /// Returns the page number, page size and total number of rows, which a response contains in addition to the rows.
    #[must_use]
    pub fn meta(self, total_count: i64) -> PageMeta {
        PageMeta { index: self.index, size: self.size, total_count }
    }
}

/// Returns a pattern for SQL `like … escape '\'` that matches the literal text anywhere, ignoring case.
///
/// NUL, which `PostgreSQL` rejects, is replaced by U+0001, which no stored text contains.
#[must_use]
pub fn contains_pattern(text: &str) -> String {
    let escaped = text.to_lowercase().replace('\0', "\u{1}").replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}
