//! Security headers of every response, such as content security policy, HSTS and cache control.
use crate::http::request_id::{RequestId, set_request_id};
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{self, CACHE_CONTROL},
};

const CONTENT_POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; \
    connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
    report-uri /api/csp-report; report-to csp";
/// Content security policy of the Swagger UI pages. Unlike the policy of the web app, this policy allows inline styles, which Swagger
/// UI needs.
const SWAGGER_CONTENT_POLICY: &str = "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; \
    connect-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const COMMON_HEADERS: [(HeaderName, &str); 7] = [
    (HeaderName::from_static("reporting-endpoints"), "csp=\"/api/csp-report\""),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("permissions-policy"), "camera=(self), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

/// Returns `true` if a URL path belongs to the REST API.
#[must_use]
pub fn is_api_path(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Sets the headers of every response: security headers, cache control and the request id.
pub fn set_common_response_headers(headers: &mut HeaderMap, path: &str, id: &RequestId, hsts: bool) {
    for (name, value) in COMMON_HEADERS {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let docs = path == "/api/docs" || path.starts_with("/api/docs/");
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static(if docs { SWAGGER_CONTENT_POLICY } else { CONTENT_POLICY }));
    if is_api_path(path) || !headers.contains_key(CACHE_CONTROL) {
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    if hsts {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static("max-age=31536000; includeSubDomains"));
    }
    set_request_id(headers, id);
}
