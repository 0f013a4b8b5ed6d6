//! What every answer carries, and the one line that is logged of every request.
use crate::{
    api::Api,
    away,
    bearer::{Asker, came_secure},
    error::Problem,
    pace::Kept,
    routes::users::InWords,
};
use axum::{
    body::Body,
    extract::{MatchedPath, Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{
    HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version,
    header::{self, ALLOW, CACHE_CONTROL, CONTENT_TYPE},
    request::Parts,
};
use patio_kit::{access::REQUEST_ID, errors::Reason, telemetry::trace};
use patio_proto::auth::LogVisitRequest;
use std::time::{Duration, Instant};
use tracing::{Instrument, field::Empty};
use uuid::Uuid;

/// The id that follows one request through all services.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub String);

impl RequestId {
    /// The id the client chose, when it is fit for a log line, or a fresh one.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let told = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
        let fit = |id: &&str| (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        Self(told.filter(fit).map_or_else(|| Uuid::now_v7().to_string(), str::to_owned))
    }
}

/// Refuses what names no host or several, as RFC 9112 asks in section 3.2; HTTP/2 names it elsewhere.
pub async fn one_host(request: Request, next: Next) -> Response {
    let told = request.headers().get_all(header::HOST).iter().count();
    if request.version() == Version::HTTP_11 && told != 1 {
        return Problem::malformed("a request names one host").into_response();
    }
    next.run(request).await
}

const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
/// The page that shows the API writes styles into itself.
const POLICY_OF_DOCS: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const ALWAYS: [(HeaderName, &str); 6] = [
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(self), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// Goes around every request, whatever becomes of it.
pub async fn dress(State(api): State<Api>, mut request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = RequestId::of(request.headers());
    let (method, path) = (request.method().clone(), request.uri().path().to_owned());
    let route = request.extensions().get::<MatchedPath>().map_or_else(|| "other".to_owned(), |matched| matched.as_str().to_owned());
    let asker = Asker::default();
    request.extensions_mut().insert(id.clone());
    request.extensions_mut().insert(asker.clone());
    let span = tracing::info_span!("request", otel.name = Empty, otel.kind = Empty, route = Empty, request_id = %id.0, status = Empty);
    if trace::is_on() {
        let name = format!("{} {route}", known(&method));
        span.record("otel.name", name).record("otel.kind", "server").record("route", &route);
        trace::continue_from(&span, request.headers());
    }
    let secure = came_secure(request.extensions(), request.headers(), &api.config);
    let waits = request.headers().contains_key(header::EXPECT);
    let (head, body) = request.into_parts();
    let kept = Kept::new(body);
    let answered = next.run(Request::from_parts(head, Body::new(kept.clone()))).instrument(span.clone()).await;
    if answered.status().is_client_error() || answered.status().is_server_error() {
        kept.drain(waits).await;
    }
    if answered.status() == StatusCode::FORBIDDEN {
        note_refusal(&api, &asker, &answered, format!("{method} {route}"));
    }
    let mut response = in_form(answered, &path, &id);
    wear(response.headers_mut(), &path, &id, api.config.hsts && secure);
    if trace::is_on() {
        span.record("status", i64::from(response.status().as_u16()));
    }
    tell((&method, &route), response.status(), started.elapsed(), &id, trace::id(&span));
    response
}

/// The answer to a request that comes while too much is asked; it is made without going further.
#[must_use]
pub async fn turned_away(api: &Api, (head, body): (Parts, Body)) -> Response {
    Kept::new(body).drain(head.headers.contains_key(header::EXPECT)).await;
    let secure = came_secure(&head.extensions, &head.headers, &api.config);
    away::answer(&head.method, &RequestId::of(&head.headers), api.config.hsts && secure)
}

/// Has a call that a role does not allow written into the audit log; a wrong old password stands there already.
fn note_refusal(api: &Api, asker: &Asker, answered: &Response, call: String) {
    let told = answered.extensions().get::<Problem>().is_some_and(|problem| problem.body.code == Reason::WrongPassword.text());
    let Some(bearer) = asker.0.get().filter(|_| !told) else { return };
    let visit = LogVisitRequest { kind: "refused".to_owned(), page: call, ..LogVisitRequest::default() };
    let (mut sessions, ask) = (api.sessions(), bearer.sign(visit));
    api.host.tasks.spawn(async move {
        if let Err(cause) = sessions.log_visit(ask).await {
            tracing::warn!(%cause, "a refusal is not in the audit log");
        }
    });
}

/// Gives every refusal of the API its one form, and those that are our fault their id.
fn in_form(response: Response, path: &str, id: &RequestId) -> Response {
    let status = response.status();
    let (told, in_words) = (response.extensions().get::<Problem>().cloned(), response.extensions().get::<InWords>().is_some());
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(b"application/json"));
    let bare = is_api(path) && status.as_u16() >= 400 && !is_json && !in_words;
    let mut problem = match told {
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

/// The words for a refusal that came from the framework.
fn bare_problem(status: StatusCode) -> Problem {
    match status {
        StatusCode::NOT_FOUND => Problem::new(status, "NOT_FOUND", "there is no such path"),
        StatusCode::METHOD_NOT_ALLOWED => Problem::new(status, "METHOD_NOT_ALLOWED", "this path does not take that method"),
        StatusCode::PAYLOAD_TOO_LARGE => Problem::new(status, "TOO_LARGE", "the body is too large"),
        StatusCode::UNSUPPORTED_MEDIA_TYPE => Problem::new(status, "WRONG_TYPE", "the body is of the wrong type"),
        status if status.is_server_error() => Problem { status, ..Problem::internal() },
        status => Problem::new(status, "BAD_REQUEST", "the request cannot be understood"),
    }
}

fn is_api(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Puts on what every answer carries.
pub(crate) fn wear(headers: &mut HeaderMap, path: &str, id: &RequestId, hsts: bool) {
    for (name, value) in ALWAYS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let docs = path == "/api/docs" || path.starts_with("/api/docs/");
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(if docs { POLICY_OF_DOCS } else { POLICY }));
    if is_api(path) || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if hsts {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000; includeSubDomains"));
    }
    with_id(headers, id);
}

/// Tells the client under which id its request is found.
pub(crate) fn with_id(headers: &mut HeaderMap, id: &RequestId) {
    if let Ok(value) = HeaderValue::try_from(id.0.as_str()) {
        headers.insert(HeaderName::from_static(REQUEST_ID), value);
    }
}

fn tell((method, route): (&Method, &str), status: StatusCode, took: Duration, id: &RequestId, trace: Option<String>) {
    let method = known(method);
    metrics::counter!("patio_http_total", "method" => method, "route" => route.to_owned(), "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("patio_http_seconds", "method" => method, "route" => route.to_owned()).record(took.as_secs_f64());
    tracing::info!(method, route, status = status.as_u16(), micros = took.as_micros(), request_id = %id.0, trace, "answered a request");
}

/// What methods are called in logs and metrics; clients may make up others.
pub(crate) const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"];

/// A method by one of these names.
pub(crate) fn known(method: &Method) -> &'static str {
    METHODS.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}

/// What is answered when a handler panics.
#[must_use]
pub fn after_panic(cause: Box<dyn std::any::Any + Send + 'static>) -> Response<Body> {
    let told = cause.downcast_ref::<&str>().copied().or_else(|| cause.downcast_ref::<String>().map(String::as_str));
    tracing::error!(cause = told.unwrap_or("unknown"), "a handler panicked");
    Problem::internal().into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_could_forge_a_log_line_are_replaced() {
        let of = |id: &[u8]| {
            let value = HeaderValue::from_bytes(id).unwrap();
            RequestId::of(&HeaderMap::from_iter([(HeaderName::from_static(REQUEST_ID), value)])).0
        };
        assert_eq!(of(b"abc-1"), "abc-1");
        for odd in [&b"a b"[..], b"", b"\xff", b"a=b", &[b'a'; 65]] {
            let made = of(odd);
            assert!(Uuid::parse_str(&made).is_ok(), "{made}");
        }
    }
}
