//! The routes, one file a noun.
use crate::{api::Api, openapi};
use axum::Router;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::OpenApiRouter;

pub mod audit;
pub mod bulk;
pub mod campaigns;
pub mod changes;
pub mod conflicts;
pub mod documents;
pub mod files;
pub mod held;
pub mod jobs;
pub mod live;
pub mod logs;
pub mod operations;
pub mod paces;
pub mod sessions;
pub mod users;
pub mod vehicles;
pub mod whole_list;
pub mod yards;

fn all() -> OpenApiRouter<Api> {
    OpenApiRouter::with_openapi(openapi::head())
        .merge(sessions::routes())
        .merge(users::routes())
        .merge(campaigns::routes())
        .merge(yards::routes())
        .merge(vehicles::routes())
        .merge(whole_list::routes())
        .merge(changes::routes())
        .merge(conflicts::routes())
        .merge(live::routes())
        .merge(paces::routes())
        .merge(held::routes())
        .merge(bulk::routes())
        .merge(jobs::routes())
        .merge(documents::routes())
        .merge(files::routes())
        .merge(logs::routes())
        .merge(audit::routes())
        .merge(operations::routes())
}

/// The routes under `/api`.
pub fn router() -> Router<Api> {
    all().split_for_parts().0
}

/// What the routes say of themselves.
#[must_use]
pub fn described() -> OpenApi {
    all().into_openapi()
}
