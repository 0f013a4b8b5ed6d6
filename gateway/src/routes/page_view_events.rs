//! Routes with which the web app logs page views and completed sign-ins.
use crate::{
    extract::{auth::AuthenticatedCaller, request_parts::JsonBody},
    http::problem::ApiResult,
    state::AppState,
};
use axum::extract::State;
use http::StatusCode;
use patio_proto::auth as pb;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that log page views and completed sign-ins.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(log_page_view)).routes(routes!(log_login))
}

/// Request to log a page view.
#[derive(Deserialize, ToSchema)]
struct PageView {
    /// Path of the opened page without leading slashes. The web app sends `home` for the start page.
    page: String,
    /// Time at which the page was opened, according to the browser's clock.
    timestamp: String,
}

/// Request to log a completed sign-in.
#[derive(Deserialize, ToSchema)]
struct LoginLog {
    /// Time of the sign-in, according to the browser's clock.
    timestamp: String,
}

/// Logs that the caller opened a page. The event is recorded in the audit log.
#[utoipa::path(post, path = "/logs/page-view", tag = "logs", request_body = PageView, responses((status = 204, description = "Logged.")),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/RecordPageView"))))]
async fn log_page_view(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    JsonBody(body): JsonBody<PageView>,
) -> ApiResult<StatusCode> {
    record_page_view(
        &api,
        &signed,
        pb::RecordPageViewRequest {
            kind: "page-view".to_owned(),
            page: body.page,
            told_at: body.timestamp,
            address: signed.address.clone(),
        },
    )
    .await
}

/// Logs that the caller completed a sign-in. The event is recorded in the audit log, through the same rpc as page views.
#[utoipa::path(post, path = "/logs/login", tag = "logs", request_body = LoginLog, responses((status = 204, description = "Logged.")),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/RecordPageView"))))]
async fn log_login(State(api): State<AppState>, signed: AuthenticatedCaller, JsonBody(body): JsonBody<LoginLog>) -> ApiResult<StatusCode> {
    record_page_view(
        &api,
        &signed,
        pb::RecordPageViewRequest {
            kind: "login".to_owned(),
            page: String::new(),
            told_at: body.timestamp,
            address: signed.address.clone(),
        },
    )
    .await
}

async fn record_page_view(api: &AppState, signed: &AuthenticatedCaller, visit: pb::RecordPageViewRequest) -> ApiResult<StatusCode> {
    let bearer = api.service_tokens.call_context_on_behalf_of(signed.call_context()).await?;
    api.sessions().record_page_view(bearer.grpc_request(visit)).await?;
    Ok(StatusCode::NO_CONTENT)
}
