//! Routes of the REST API, one module per kind of resource.
use crate::{routes::openapi_base::base_openapi_document, state::AppState};
use axum::Router;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

pub mod audit;
pub mod bulk_changes;
pub mod campaign_history;
pub mod campaigns;
pub mod conflicts;
pub mod files;
pub mod health;
pub mod imports;
pub mod inspection_activity;
pub mod inspection_pace;
pub mod jobs;
pub mod live_events;
mod merged_history;
mod openapi_base;
pub mod page_view_events;
pub mod pending_saves;
pub mod sessions;
pub mod site_security;
pub mod user_history;
pub mod users;
pub mod vehicle_changes;
pub mod vehicle_history;
pub mod vehicle_list;
pub mod vehicles;
pub mod yards;

fn all() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(base_openapi_document())
        .merge(sessions::routes())
        .merge(users::routes())
        .merge(campaigns::routes())
        .merge(yards::routes())
        .merge(vehicles::routes())
        .merge(vehicle_list::routes())
        .merge(vehicle_changes::routes())
        .merge(conflicts::routes())
        .merge(vehicle_history::routes())
        .merge(campaign_history::routes())
        .merge(user_history::routes())
        .merge(live_events::routes())
        .merge(inspection_pace::routes())
        .merge(inspection_activity::routes())
        .merge(pending_saves::routes())
        .merge(bulk_changes::routes())
        .merge(jobs::routes())
        .merge(imports::routes())
        .merge(files::routes())
        .merge(page_view_events::routes())
        .merge(audit::routes())
        .merge(health::routes())
}

/// Returns the router of all routes under `/api`.
pub fn router() -> Router<AppState> {
    all().split_for_parts().0
}

/// Returns the OpenAPI document generated from all routes, before required roles and common errors are added.
#[must_use]
pub fn build_openapi_document_from_routes() -> OpenApi {
    all().into_openapi()
}
