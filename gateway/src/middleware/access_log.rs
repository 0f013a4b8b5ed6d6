//! Access log and metrics of all HTTP requests.
use crate::http::request_id::RequestId;
use http::{Method, StatusCode};
use std::time::Duration;

/// Writes the access-log entry of a request and counts the request in the metrics.
pub(super) fn record_request((method, route): (&Method, &str), status: StatusCode, took: Duration, id: &RequestId, trace: Option<String>) {
    let method = method_label(method);
    metrics::counter!("patio_http_requests_total", "method" => method, "route" => route.to_owned(), "status" => status.as_str().to_owned())
        .increment(1);
    metrics::histogram!("patio_http_request_duration_seconds", "method" => method, "route" => route.to_owned()).record(took.as_secs_f64());
    tracing::info!(method, route, status = status.as_u16(), micros = took.as_micros(), request_id = %id.0, trace, "request completed");
}

/// HTTP method labels in logs and metrics. Any other method gets the label `other`, so that clients cannot create new labels.
pub(super) const METHODS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "other"];

/// Returns the label of an HTTP method for logs and metrics; `other` for an unknown method.
pub(super) fn method_label(method: &Method) -> &'static str {
    METHODS.into_iter().find(|name| *name == method.as_str()).unwrap_or("other")
}
