//! What browsers tell of themselves.
use crate::{api::Api, bearer::Signed, error::Reply, input::Sent};
use axum::extract::State;
use http::StatusCode;
use patio_proto::auth as pb;
use serde::Deserialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(log_page_view)).routes(routes!(log_login))
}

/// A page that was opened.
#[derive(Deserialize, ToSchema)]
struct PageView {
    /// The route without leading slashes, `home` when empty.
    page: String,
    /// The moment as the browser tells it.
    timestamp: String,
}

/// A sign-in that was finished.
#[derive(Deserialize, ToSchema)]
struct LoginLog {
    /// The moment as the browser tells it.
    timestamp: String,
}

/// Notes that a person opened a page.
#[utoipa::path(post, path = "/logs/page-view", tag = "logs", request_body = PageView, responses((status = 204, description = "Noted.")),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/LogVisit"))))]
async fn log_page_view(State(api): State<Api>, signed: Signed, Sent(body): Sent<PageView>) -> Reply<StatusCode> {
    note(
        &api,
        &signed,
        pb::LogVisitRequest { kind: "page-view".to_owned(), page: body.page, told_at: body.timestamp, address: signed.address.clone() },
    )
    .await
}

/// Notes that a person finished signing in.
#[utoipa::path(post, path = "/logs/login", tag = "logs", request_body = LoginLog, responses((status = 204, description = "Noted.")),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/LogVisit"))))]
async fn log_login(State(api): State<Api>, signed: Signed, Sent(body): Sent<LoginLog>) -> Reply<StatusCode> {
    note(
        &api,
        &signed,
        pb::LogVisitRequest { kind: "login".to_owned(), page: String::new(), told_at: body.timestamp, address: signed.address.clone() },
    )
    .await
}

async fn note(api: &Api, signed: &Signed, visit: pb::LogVisitRequest) -> Reply<StatusCode> {
    api.sessions().log_visit(signed.sign(visit)).await?;
    Ok(StatusCode::NO_CONTENT)
}
