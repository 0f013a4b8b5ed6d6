//! Routes for load balancers and other programs: health checks, and the public keys with which a program verifies
//! tokens.
use crate::{
    http::problem::{ApiResult, Problem},
    state::AppState,
};
use axum::{Json, Router, extract::State, http::StatusCode, routing::get};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use futures::future::join_all;
use patio_kit::client::service_channel::ServiceChannel;
use patio_proto::auth::GetSigningKeysRequest;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Timeout of the health check of one service.
const HEALTH_CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the health route under `/api`.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(health))
}

/// Returns the routes outside `/api`: liveness, readiness and the public keys.
pub fn probe_routes() -> Router<AppState> {
    Router::new().route("/healthz", get(alive)).route("/readyz", get(ready)).route("/.well-known/jwks.json", get(keys))
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

/// Readiness probe: succeeds when all services are healthy and the token keys are loaded.
async fn ready(State(api): State<AppState>) -> ApiResult<Json<Health>> {
    if api.host.tasks.is_draining() {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "This replica is shutting down.").retry_after(1));
    }
    let links = &api.host.links;
    let asked = [("auth", &links.auth), ("campaign", &links.campaign), ("vehicle", &links.vehicle), ("import", &links.import)];
    let answers = join_all(asked.map(|(name, link)| async move { (name, serves(link.clone()).await) })).await;
    let unavailable: Vec<&str> = answers.into_iter().filter(|(_, serves)| !serves).map(|(name, _)| name).collect();
    if unavailable.is_empty() && api.host.identity.has_keys() {
        return Ok(HEALTHY);
    }
    tracing::debug!(?unavailable, has_signing_keys = api.host.identity.has_keys(), "readiness check failed");
    Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "A service is unavailable.").retry_after(1))
}

async fn serves(link: ServiceChannel) -> bool {
    let ask = HealthCheckRequest { service: String::new() };
    let mut health = HealthClient::new(link);
    let answer = tokio::time::timeout(HEALTH_CHECK_TIMEOUT, health.check(ask)).await;
    matches!(answer, Ok(Ok(reply)) if reply.get_ref().status() == ServingStatus::Serving)
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
