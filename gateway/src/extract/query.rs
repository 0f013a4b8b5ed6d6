//! Validation of paging and filter parameters of list routes, and the paging metadata of their responses.
use crate::http::problem::{ApiResult, Problem};
use patio_kit::pagination::{DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE};
use patio_proto::{common, yard};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Highest page number that a request may ask for.
const MAX_PAGE_INDEX: i32 = 1_000_000;
/// Maximum length of a search text, in characters.
const MAX_SEARCH_LEN: usize = 200;

/// Paging metadata in the response of a list route.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub struct PageMeta {
    /// Page number, counted from 0.
    pub page_index: i32,
    /// Number of rows per page.
    pub per_page: i32,
    /// Total number of rows of the list, over all pages.
    pub total_count: i64,
}

impl From<Option<common::PageMeta>> for PageMeta {
    fn from(page: Option<common::PageMeta>) -> Self {
        let page = page.unwrap_or_default();
        Self { page_index: page.index, per_page: page.size, total_count: page.total_count }
    }
}

/// Paging parameters of a list route.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct PageQuery {
    /// Page number, counted from 0; the first page when absent.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// Number of rows per page, 1 to 200; 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
}

impl PageQuery {
    /// Converts the query parameters to the page of a gRPC request. Absent parameters select the first page and the default size.
    ///
    /// # Errors
    /// Returns a 400 that names the parameter when a number is out of range.
    pub fn to_page(&self) -> ApiResult<common::Page> {
        let (index, size) = (self.page.unwrap_or(0), self.per_page.unwrap_or(DEFAULT_PAGE_SIZE));
        if !(0..=MAX_PAGE_INDEX).contains(&index) {
            return Err(Problem::invalid_field("page", "must be between 0 and 1000000"));
        }
        if !(1..=MAX_PAGE_SIZE).contains(&size) {
            return Err(Problem::invalid_field("per_page", "must be between 1 and 200"));
        }
        Ok(common::Page { index, size })
    }
}

/// Validates the optional yard id in a request's query; `None` when the parameter is absent.
///
/// # Errors
/// Returns a 400 when no yard has this id.
pub fn validate_yard_id(yard_id: Option<i32>) -> ApiResult<Option<i32>> {
    match yard_id {
        Some(id) if yard::yard_name(id).is_none() => Err(Problem::invalid_field("yard", "must be a yard id from 1 to 28")),
        yard_id => Ok(yard_id),
    }
}

/// Validates the optional campaign id in a request's query; `None` when the parameter is absent.
///
/// # Errors
/// Returns a 400 when the id is not positive.
pub fn validate_campaign_id(campaign_id: Option<i64>) -> ApiResult<Option<i64>> {
    match campaign_id {
        Some(id) if id < 1 => Err(Problem::invalid_field("campaign_id", "must be a whole number greater than 0")),
        campaign_id => Ok(campaign_id),
    }
}

/// Returns the name of the yard with the given id; `None` when no id is given or no yard has the id.
#[must_use]
pub fn find_yard_name(yard_id: Option<i32>) -> Option<String> {
    yard_id.and_then(yard::yard_name).map(str::to_owned)
}

/// Validates the search text in a request's query; an absent text becomes the empty string.
///
/// # Errors
/// Returns a 400 when the text is too long.
pub fn validate_search_text(search_text: Option<String>) -> ApiResult<String> {
    let text = search_text.unwrap_or_default();
    if text.chars().count() > MAX_SEARCH_LEN { Err(Problem::invalid_field("search", "must have at most 200 characters")) } else { Ok(text) }
}

/// Validates the campaign name in a request's query.
///
/// # Errors
/// Returns a 400 when the name is empty or too long.
pub fn validate_campaign_name(campaign_name: String) -> ApiResult<String> {
    let is_valid = !campaign_name.trim().is_empty() && campaign_name.chars().count() <= MAX_SEARCH_LEN;
    if is_valid { Ok(campaign_name) } else { Err(Problem::invalid_field("campaign_name", "must have 1 to 200 characters")) }
}
