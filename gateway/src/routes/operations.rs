//! How the product is, and its public keys.
use crate::{
    api::Api,
    error::{Problem, Reply},
};
use axum::{Json, Router, extract::State, http::StatusCode, routing::get};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use futures::future::join_all;
use patio_kit::link::Link;
use patio_proto::auth::GetKeysRequest;
use serde::Serialize;
use serde_json::{Value, json};
use std::time::Duration;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus, health_client::HealthClient};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// How long a service may take to say how it is.
const PATIENCE: Duration = Duration::from_secs(1);

/// The calls of this noun under `/api`.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(health))
}

/// The calls beside `/api`.
pub fn probes() -> Router<Api> {
    Router::new().route("/healthz", get(alive)).route("/readyz", get(ready)).route("/.well-known/jwks.json", get(keys))
}

/// How the product is.
#[derive(Serialize, ToSchema)]
struct Health {
    /// Always `ok`.
    status: &'static str,
}

const WELL: Json<Health> = Json(Health { status: "ok" });

/// Tells that the product answers, and nothing else.
#[utoipa::path(get, path = "/health", tag = "operations",
    responses((status = 200, description = "It answers.", body = Health)), extensions(("x-at-least" = json!("anyone"))))]
async fn health() -> Json<Health> {
    WELL
}

async fn alive() -> Json<Health> {
    WELL
}

/// Whether all services can be reached and tokens can be judged.
async fn ready(State(api): State<Api>) -> Reply<Json<Health>> {
    if api.host.tasks.is_leaving() {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "this replica is about to stop").after(1));
    }
    let links = &api.host.links;
    let asked = [("auth", &links.auth), ("campaign", &links.campaign), ("vehicle", &links.vehicle), ("import", &links.import)];
    let answers = join_all(asked.map(|(name, link)| async move { (name, serves(link.clone()).await) })).await;
    let away: Vec<&str> = answers.into_iter().filter(|(_, serves)| !serves).map(|(name, _)| name).collect();
    if away.is_empty() && api.host.identity.has_keys() {
        return Ok(WELL);
    }
    tracing::debug!(?away, "not ready");
    Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "a part of the product cannot be reached").after(1))
}

async fn serves(link: Link) -> bool {
    let ask = HealthCheckRequest { service: String::new() };
    let mut health = HealthClient::new(link);
    let answer = tokio::time::timeout(PATIENCE, health.check(ask)).await;
    matches!(answer, Ok(Ok(reply)) if reply.get_ref().status() == ServingStatus::Serving)
}

/// The public keys that tokens are signed with, as RFC 8037 writes them.
async fn keys(State(api): State<Api>) -> Reply<Json<Value>> {
    let keys = api.tokens().get_keys(GetKeysRequest {}).await?.into_inner().keys;
    let keys: Vec<Value> = keys
        .into_iter()
        .map(|key| json!({ "kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": "EdDSA", "kid": key.id, "x": BASE64_URL_SAFE_NO_PAD.encode(key.public_key) }))
        .collect();
    Ok(Json(json!({ "keys": keys })))
}
