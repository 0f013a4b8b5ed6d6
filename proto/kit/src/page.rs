//! Pages of lists.
use patio_proto::common::{Page, PageMeta};

/// Rows a page when nothing is said.
pub const DEFAULT_SIZE: i32 = 10;
/// Most rows a page.
pub const LARGEST_SIZE: i32 = 200;

/// Which rows of a list are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Counted from 0.
    pub index: i32,
    /// Rows, 1 to 200.
    pub size: i32,
}

impl Window {
    /// Takes what a request says, kept within bounds.
    #[must_use]
    pub fn of(page: Option<&Page>) -> Self {
        let page = page.copied().unwrap_or_default();
        let size = if page.size == 0 { DEFAULT_SIZE } else { page.size.clamp(1, LARGEST_SIZE) };
        Self { index: page.index.max(0), size }
    }

    /// How many rows to return.
    #[must_use]
    pub fn limit(self) -> i64 {
        i64::from(self.size)
    }

    /// How many rows to skip.
    #[must_use]
    pub fn offset(self) -> i64 {
        i64::from(self.index) * i64::from(self.size)
    }

    /// What goes back beside the rows.
    #[must_use]
    pub fn meta(self, total_count: i64) -> PageMeta {
        PageMeta { index: self.index, size: self.size, total_count }
    }
}

/// A text as a pattern that `like … escape '\'` finds anywhere, whatever it contains.
///
/// NUL, which `PostgreSQL` does not take, becomes another character that no text here holds.
#[must_use]
pub fn contains(text: &str) -> String {
    let escaped = text.to_lowercase().replace('\0', "\u{1}").replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%")
}
