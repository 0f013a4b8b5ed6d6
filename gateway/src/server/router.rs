//! Routers of the HTTP server: one serves the API, the health checks and the web app, the other redirects plain HTTP to HTTPS.
use crate::{middleware, openapi, routes, server::static_files::StaticFiles, state::AppState, tls::CA_CERT_URL_PATH};
use axum::{
    Router,
    extract::Request,
    middleware::from_fn_with_state,
    response::{IntoResponse, Response},
    routing::get,
};
use http::{
    HeaderValue, StatusCode,
    header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE, HOST, LOCATION},
    uri::Authority,
};
use serde_json::Value;
use std::sync::Arc;
use tower_http::{
    catch_panic::CatchPanicLayer,
    compression::{
        CompressionLayer,
        predicate::{DefaultPredicate, NotForContentType, Predicate},
    },
};

/// Content type of .xlsx files, which are not compressed again because the format is already compressed.
const XLSX_CONTENT_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

/// Returns the router for plain HTTP requests to an HTTPS server. The router serves the health check and the public token keys
/// (JWKS), and redirects other requests to HTTPS.
pub(super) fn https_redirect_router(api: AppState) -> Router {
    routes::health::liveness_and_jwks_routes().with_state(api).fallback(|request: Request| async move { to_https(&request) })
}

fn to_https(request: &Request) -> Response {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok()).and_then(|host| host.parse::<Authority>().ok());
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
    let place = host.and_then(|host| HeaderValue::try_from(format!("https://{host}{path}")).ok());
    match place {
        Some(place) => (StatusCode::PERMANENT_REDIRECT, [(LOCATION, place)]).into_response(),
        None => StatusCode::BAD_REQUEST.into_response(),
    }
}

/// Returns the route with which phones download the certificate of the local certificate authority.
pub(super) fn ca_cert_route(certificate: String) -> Router {
    let kind = [
        (CONTENT_TYPE, "application/x-x509-ca-cert"),
        (CACHE_CONTROL, "no-store"),
        (CONTENT_DISPOSITION, "attachment; filename=patio-ca.crt"),
    ];
    Router::new().route(CA_CERT_URL_PATH, get(|| async move { (kind, certificate) }))
}

/// Builds the router of the API, its OpenAPI document, the probes and the web app, wrapped in the middleware that applies to
/// every request.
pub fn build_router(api: AppState, pages: StaticFiles, document: Value) -> Router {
    let pages = Arc::new(pages);
    let worth = DefaultPredicate::new().and(NotForContentType::const_new(XLSX_CONTENT_TYPE));
    let answer = move |request: Request| {
        let response = pages.serve(request.method(), request.uri().path(), request.headers());
        async move { response }
    };
    Router::new()
        .nest("/api", routes::router())
        .merge(routes::health::liveness_and_jwks_routes())
        .merge(routes::site_security::routes())
        .merge(openapi::build_document_router(api.config.api_docs, document))
        .fallback(answer)
        .layer(CatchPanicLayer::custom(middleware::build_panic_response))
        .layer(from_fn_with_state(api.clone(), middleware::outer_middleware))
        .layer(CompressionLayer::new().compress_when(worth))
        .with_state(api)
}
