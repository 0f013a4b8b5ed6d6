//! Routes that need no sign-in: the liveness check for monitoring, and the public keys with which other programs verify tokens.
//!
//! Readiness and metrics are served on the admin port only, see `patio_kit::telemetry::admin_server`.
use crate::{http::problem::ApiResult, state::AppState};
use axum::{
    Json, Router,
    extract::State,
    http::StatusCode,
    routing::{any, get},
};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use futures::future::join_all;
use patio_kit::{client::service_channel::ServiceChannel, service_host::ServiceHost};
use patio_proto::auth::GetSigningKeysRequest;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Timeout of the health check of one service.
const HEALTH_CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the route of the liveness check under `/api`.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(health))
}

/// Returns the routes outside `/api`: liveness and the public keys. `/readyz` and `/metrics`, which exist only on the admin port,
/// return 404 instead of a page of the web app.
pub fn liveness_and_jwks_routes() -> Router<AppState> {
    let hidden = || any(async || StatusCode::NOT_FOUND);
    let admin = Router::new().route("/readyz", hidden()).route("/metrics", hidden());
    admin.route("/healthz", get(alive)).route("/.well-known/jwks.json", get(keys))
}

/// Health status of the gateway, as JSON.
#[derive(Serialize, ToSchema)]
struct Health {
    /// Health status, always `ok`.
    status: &'static str,
}

const HEALTHY: Json<Health> = Json(Health { status: "ok" });

/// Returns `ok` while the gateway responds. The state of other services is not checked.
#[utoipa::path(get, path = "/health", tag = "operations",
    responses((status = 200, description = "The gateway responds.", body = Health)), extensions(("x-at-least" = json!("anyone"))))]
async fn health() -> Json<Health> {
    HEALTHY
}

async fn alive() -> Json<Health> {
    HEALTHY
}

/// Returns the route `/readyz/services` of the admin port, which reports the unavailable services.
pub fn service_readiness_routes(host: ServiceHost) -> Router {
    Router::new().route("/readyz/services", get(services)).with_state(host)
}

/// Returns the names of the unavailable services as JSON. The status is 503 if at least one service is unavailable, otherwise 200.
///
/// The readiness probe does not include this check: one failed service would otherwise make every gateway unready.
async fn services(State(host): State<ServiceHost>) -> (StatusCode, Json<Value>) {
    let channels = &host.channels;
    let asked = [("auth", &channels.auth), ("campaign", &channels.campaign), ("vehicle", &channels.vehicle), ("import", &channels.import)];
    let answers = join_all(asked.map(|(name, link)| async move { (name, is_serving(link.clone()).await) })).await;
    let unavailable: Vec<&str> = answers.into_iter().filter(|(_, is_serving)| !is_serving).map(|(name, _)| name).collect();
    let status = if unavailable.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(json!({ "unavailable": unavailable })))
}

async fn is_serving(link: ServiceChannel) -> bool {
    let request = HealthCheckRequest { service: String::new() };
    let mut health = HealthClient::new(link);
    let response = tokio::time::timeout(HEALTH_CHECK_TIMEOUT, health.check(request)).await;
    matches!(response, Ok(Ok(response)) if response.get_ref().status() == ServingStatus::Serving)
}

/// Returns the public keys that verify tokens, as a JSON Web Key Set (RFC 7517, RFC 8037).
async fn keys(State(api): State<AppState>) -> ApiResult<Json<Value>> {
    let keys = api.tokens().get_signing_keys(GetSigningKeysRequest {}).await?.into_inner().keys;
    let keys: Vec<Value> = keys
        .into_iter()
        .map(|key| json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": key.id, "x": BASE64_URL_SAFE_NO_PAD.encode(key.public_key) }))
        .collect();
    Ok(Json(json!({ "keys": keys })))
}
