//! JSON confirmation of calls that return no data.
use serde::Serialize;
use utoipa::ToSchema;

/// Confirmation that the call succeeded.
#[derive(Serialize, ToSchema)]
pub struct Success {
    /// Whether the call succeeded; always true.
    pub success: bool,
}
