//! Outer middleware of the router: request id, access log, metrics, security headers, JSON form of errors, and audit entries for
//! forbidden requests. Also builds the response to requests that are rejected because of an overload.
mod access_log;
mod overloaded;

use crate::{
    extract::auth::CallContextCell,
    http::{
        client_address::is_https,
        problem::{PlainTextErrorMarker, Problem},
        request_body::DrainableBody,
        request_id::RequestId,
        security_headers::{is_api_path, set_common_response_headers},
    },
    middleware::access_log::{AccessLogEntry, http_method_label},
    state::AppState,
};
use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{
    StatusCode, Version,
    header::{self, ALLOW, CONTENT_TYPE},
    request::Parts,
};
use patio_kit::{
    errors::ErrorReason,
    telemetry::trace::{self, UNTRACED_SPAN_TARGET},
};
use patio_proto::auth::RecordPageViewRequest;
use std::time::Instant;
use tracing::{Instrument, Span};

/// Rejects an HTTP/1.1 request that has no `Host` header or more than one, as RFC 9112 section 3.2 requires.
pub async fn require_single_host_header(request: Request, next: Next) -> Response {
    let host_count = request.headers().get_all(header::HOST).iter().count();
    if request.version() == Version::HTTP_11 && host_count != 1 {
        return Problem::malformed_request("The request must have exactly one Host header.").into_response();
    }
    next.run(request).await
}

/// Outer middleware of the router: assigns the request id, converts errors to JSON, and sets the security headers. Also records the
/// access log, the metrics and the audit entries for forbidden requests.
pub async fn outer_middleware(State(api): State<AppState>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = RequestId::from_headers(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().map_or_else(|| "other".to_owned(), |matched| matched.as_str().to_owned());
    let call_context_cell = CallContextCell::default();
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(call_context_cell.clone());
    let span = request_span(&request, &route, &id);
    let secure = is_https(request.extensions(), request.headers(), &api.config.trusted_proxies);
    let waits = request.headers().contains_key(header::EXPECT);
    let (head, body) = request.into_parts();
    let kept = DrainableBody::new(body);
    let answered = next.run(Request::from_parts(head, Body::new(kept.clone()))).instrument(span.clone()).await;
    if answered.status().is_client_error() || answered.status().is_server_error() {
        kept.drain(waits).await;
    }
    if answered.status() == StatusCode::FORBIDDEN {
        audit_forbidden(&api, &call_context_cell, &answered, format!("{method} {route}"));
    }
    let mut response = normalize_error(answered, &path, &id);
    set_common_response_headers(response.headers_mut(), &path, &id, api.config.sends_hsts() && secure);
    if trace::is_span_export_enabled() {
        trace::record_http_status(&span, response.status());
    }
    let (took, trace_id) = (started.elapsed(), trace::trace_id(&span));
    AccessLogEntry { method: http_method_label(&method), route: &route, took, id: &id, trace_id }.log_and_record_metrics(&response);
    response
}

/// Creates the tracing span of a request. If the request carries a trace context, the span continues the client's trace. Liveness
/// checks are not traced.
fn request_span(request: &Request, route: &str, id: &RequestId) -> Span {
    if !trace::is_span_export_enabled() || route == "/healthz" {
        return tracing::info_span!(target: UNTRACED_SPAN_TARGET, "request", request_id = %id.0);
    }
    let method = http_method_label(request.method());
    let name = format!("{method} {route}");
    let span = tracing::info_span!("request", otel.name = name, otel.kind = "server", request_id = %id.0);
    trace::set_http_attributes(&span, method, route, request.uri().path());
    trace::set_parent_from_headers(&span, request.headers());
    span
}

/// Returns the 503 response for a request that is rejected because of an overload, after reading the rest of the request body.
/// No route handler runs.
#[must_use]
pub async fn drain_and_respond_overloaded(api: &AppState, (head, body): (Parts, Body)) -> Response {
    let started = Instant::now();
    DrainableBody::new(body).drain(head.headers.contains_key(header::EXPECT)).await;
    let secure = is_https(&head.extensions, &head.headers, &api.config.trusted_proxies);
    let hsts = api.config.sends_hsts() && secure;
    overloaded::build_overloaded_response(&head.method, &RequestId::from_headers(&head.headers), hsts, started.elapsed())
}

/// Error reasons whose 403 responses are not recorded in the audit log. These reasons concern the caller's password, not the
/// caller's role.
const REASONS_NOT_AUDITED: [ErrorReason; 3] = [ErrorReason::WrongPassword, ErrorReason::ConfirmPassword, ErrorReason::PasswordMustChange];

/// Starts a background task that records in the audit log that a request was rejected because of the caller's role.
fn audit_forbidden(api: &AppState, call_context_cell: &CallContextCell, answered: &Response, call: String) {
    let code = answered.extensions().get::<Problem>().map(|problem| problem.body.code.clone()).unwrap_or_default();
    let Some(bearer) = call_context_cell.0.get().filter(|_| REASONS_NOT_AUDITED.iter().all(|reason| reason.text() != code)).cloned() else {
        return;
    };
    let visit = RecordPageViewRequest { kind: "refused".to_owned(), page: call, ..RecordPageViewRequest::default() };
    let (mut sessions, tokens) = (api.sessions(), api.service_tokens.clone());
    api.host.tasks.spawn(async move {
        let noted = async { sessions.record_page_view(tokens.call_context_on_behalf_of(&bearer).await?.grpc_request(visit)).await };
        if let Err(cause) = noted.await {
            tracing::warn!(%cause, "failed to write the audit entry of a forbidden request, entry lost");
        }
    });
}

/// Converts plain-text errors of the web framework to the API's JSON error body, and adds the request id to 5xx errors.
fn normalize_error(response: Response, path: &str, id: &RequestId) -> Response {
    let status = response.status();
    let (known_problem, in_words) =
        (response.extensions().get::<Problem>().cloned(), response.extensions().get::<PlainTextErrorMarker>().is_some());
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let bare = is_api_path(path) && status.as_u16() >= 400 && !is_json && !in_words;
    let mut problem = match known_problem {
        Some(problem) if status.is_server_error() => problem,
        None if bare => bare_problem(status),
        _ => return response,
    };
    if status.is_server_error() {
        problem.body.request_id = Some(id.0.clone());
    }
    let allowed = response.headers().get(ALLOW).cloned();
    let mut formed = problem.into_response();
    if let Some(allowed) = allowed {
        formed.headers_mut().insert(ALLOW, allowed);
    }
    formed
}

/// Returns the JSON error that replaces a plain-text error of the web framework with the given HTTP status.
fn bare_problem(status: StatusCode) -> Problem {
    match status {
        StatusCode::NOT_FOUND => Problem::new(status, "NOT_FOUND", "This path does not exist."),
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(status, "METHOD_NOT_ALLOWED", "This path does not support this method."),
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(status, "TOO_LARGE", "The data is too large to send."),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Problem::new(status, "WRONG_TYPE", "The content type of the request body is not supported."),
        status if status.is_server_error() => Problem { status, ..Problem::internal_error() },
        status => Problem::new(status, "BAD_REQUEST", "The request is not valid."),
    }
}

/// Returns the 500 response for a request whose handler panicked, and logs the panic message.
#[must_use]
pub fn build_panic_response(cause: Box<dyn std::any::Any + Send + 'static>) -> Response<Body> {
    let message = cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    tracing::error!(cause = message.unwrap_or("unknown"), "request handler panicked, responding with HTTP 500");
    Problem::internal_error().into_response()
}
