//! Routes that support the security of the site and need no sign-in: reports of Content-Security-Policy violations, and
//! `security.txt`.
use crate::{
    extract::{auth::AnonymousClient, request_parts},
    state::AppState,
};
use axum::{
    Router,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::{get, post},
};
use chrono::{SecondsFormat, TimeDelta};
use serde_json::Value;
use std::time::Instant;

/// Maximum size of a browser's Content-Security-Policy report, in bytes.
const MAX_REPORT_BYTES: usize = 16 << 10;
/// Maximum number of Content-Security-Policy violations counted per browser report.
const MAX_VIOLATIONS: usize = 20;
/// Content-Security-Policy directives whose violations are counted under their own name in the metrics. Any other directive counts as
/// `other`, since a report can contain any text.
const DIRECTIVES: [&str; 12] = [
    "base-uri",
    "connect-src",
    "default-src",
    "form-action",
    "frame-ancestors",
    "img-src",
    "object-src",
    "script-src",
    "script-src-attr",
    "script-src-elem",
    "style-src",
    "worker-src",
];

/// Returns the routes of security reports and `security.txt`. These routes are not part of the OpenAPI document.
pub fn routes() -> Router<AppState> {
    Router::new().route("/api/csp-report", post(csp_report)).route("/.well-known/security.txt", get(security))
}

/// Counts the Content-Security-Policy violations in a browser report, in the `report-uri` or the `report-to` format.
async fn csp_report(State(api): State<AppState>, visitor: AnonymousClient, request: Request<Body>) -> Response {
    if api.reports.try_take_token(&visitor.address, Instant::now()).is_err() {
        return StatusCode::TOO_MANY_REQUESTS.into_response();
    }
    let body = match request_parts::read_body(request.into_body(), MAX_REPORT_BYTES).await {
        Ok(body) => body,
        Err(refused) => return refused.into_response(),
    };
    let Ok(report) = serde_json::from_slice::<Value>(&body) else { return StatusCode::BAD_REQUEST.into_response() };
    for directive in violated(&report) {
        metrics::counter!("patio_csp_violations_total", "directive" => directive).increment(1);
        tracing::warn!(directive, "content security policy violation reported by a browser, which blocked the content");
    }
    StatusCode::NO_CONTENT.into_response()
}

/// Returns the Content-Security-Policy directives that a browser report names as violated; `other` for an unknown directive.
fn violated(report: &Value) -> Vec<&'static str> {
    let old = report.get("csp-report").map(|report| &report["violated-directive"]);
    let new = report
        .as_array()
        .into_iter()
        .flatten()
        .filter(|entry| entry["type"] == "csp-violation")
        .map(|entry| &entry["body"]["effectiveDirective"]);
    let directives = old.into_iter().chain(new).filter_map(Value::as_str).take(MAX_VIOLATIONS);
    directives.map(|text| DIRECTIVES.into_iter().find(|known| text.split(' ').next() == Some(known)).unwrap_or("other")).collect()
}

/// Serves `security.txt` (RFC 9116), which names the contact for reporting security vulnerabilities.
///
/// Without a configured contact, the file names `security@` (RFC 2142) at the host of the request.
async fn security(State(api): State<AppState>, headers: HeaderMap) -> Response {
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let (scheme, name) = (if api.config.tls.is_some() { "https" } else { "http" }, host.split(':').next().unwrap_or(host));
    let contact = api.config.security_contact.clone().unwrap_or_else(|| format!("mailto:security@{name}"));
    let expires = (api.host.clock.now() + TimeDelta::days(180)).to_rfc3339_opts(SecondsFormat::Secs, true);
    let text = format!(
        "Contact: {contact}\nExpires: {expires}\nPreferred-Languages: en, pt\nCanonical: {scheme}://{host}/.well-known/security.txt\n"
    );
    ([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn both_report_formats_are_read_and_unknown_directives_count_as_other() {
        let old = json!({ "csp-report": { "violated-directive": "script-src 'self'", "blocked-uri": "https://evil.example" } });
        assert_eq!(violated(&old), ["script-src"]);
        let one = |directive: &str| json!({ "type": "csp-violation", "body": { "effectiveDirective": directive } });
        assert_eq!(violated(&json!([one("img-src"), one("x\"} 1"), { "type": "deprecation", "body": {} }])), ["img-src", "other"]);
        assert_eq!(violated(&Value::Array(vec![one("img-src"); 50])).len(), MAX_VIOLATIONS);
        assert!(violated(&json!("text")).is_empty());
    }
}
