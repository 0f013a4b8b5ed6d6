//! Pages of lists, and what narrows them.
use crate::error::{Problem, Reply};
use patio_kit::page::{DEFAULT_SIZE, LARGEST_SIZE};
use patio_proto::{common, yard};
use serde::Serialize;
use utoipa::ToSchema;

/// The last page that may be asked for.
const LAST_PAGE: i32 = 1_000_000;
/// The longest text to search for, in characters.
const LONGEST_SEARCH: usize = 200;

/// Where in a list one is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct Meta {
    /// Counted from 0.
    pub page_index: i32,
    /// Rows a page.
    pub per_page: i32,
    /// Rows of all pages.
    pub total_count: i64,
}

impl From<Option<common::PageMeta>> for Meta {
    fn from(told: Option<common::PageMeta>) -> Self {
        let told = told.unwrap_or_default();
        Self { page_index: told.index, per_page: told.size, total_count: told.total_count }
    }
}

/// The page a query asks for.
///
/// # Errors
/// Names the number that is out of range.
pub fn of(page: Option<i32>, per_page: Option<i32>) -> Reply<common::Page> {
    let (index, size) = (page.unwrap_or(0), per_page.unwrap_or(DEFAULT_SIZE));
    if !(0..=LAST_PAGE).contains(&index) {
        return Err(Problem::field("page", "it is counted from 0 and at most 1000000"));
    }
    if !(1..=LARGEST_SIZE).contains(&size) {
        return Err(Problem::field("per_page", "it is between 1 and 200"));
    }
    Ok(common::Page { index, size })
}

/// The yard a query asks for.
///
/// # Errors
/// Refuses a number no yard has.
pub fn yard(asked: Option<i32>) -> Reply<Option<i32>> {
    match asked {
        Some(id) if yard::name_of(id).is_none() => Err(Problem::field("yard", "there is no such yard; they are 1 to 28")),
        asked => Ok(asked),
    }
}

/// The campaign a query asks for.
///
/// # Errors
/// Refuses a number no campaign has.
pub fn campaign(asked: Option<i64>) -> Reply<Option<i64>> {
    match asked {
        Some(id) if id < 1 => Err(Problem::field("campaign_id", "it is a whole number above 0")),
        asked => Ok(asked),
    }
}

/// The name of the yard a query asks for.
#[must_use]
pub fn yard_name(asked: Option<i32>) -> Option<String> {
    asked.and_then(yard::name_of).map(str::to_owned)
}

/// The text a query searches for; empty for none.
///
/// # Errors
/// Refuses a text that is too long.
pub fn search(asked: Option<String>) -> Reply<String> {
    let text = asked.unwrap_or_default();
    if text.chars().count() > LONGEST_SEARCH { Err(Problem::field("search", "it is longer than 200 characters")) } else { Ok(text) }
}

/// The name of a campaign that a query asks for.
///
/// # Errors
/// Refuses an empty or overlong one.
pub fn campaign_name(asked: String) -> Reply<String> {
    let fine = !asked.trim().is_empty() && asked.chars().count() <= LONGEST_SEARCH;
    if fine { Ok(asked) } else { Err(Problem::field("campaign_name", "it is 1 to 200 characters")) }
}
