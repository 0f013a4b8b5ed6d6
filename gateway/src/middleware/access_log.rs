//! Access log and metrics of HTTP requests, except requests that are rejected because of an overload.
use crate::http::{problem::Problem, request_id::RequestId};
use axum::{body::Body, http::Response};
use http::{Method, StatusCode};
use std::{
    collections::HashMap,
    sync::{LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Period in which repeated failures of a dependency, such as a service, are not logged as warnings. Each failure of the dependency
/// restarts the period. Internal errors (status 500) are always logged as warnings.
const QUIET_PERIOD: Duration = Duration::from_secs(10);

/// Time of the last failed request for each dependency, by the name of the dependency.
static FAILURES: LazyLock<Mutex<HashMap<String, Instant>>> = LazyLock::new(Mutex::default);

/// Request as it appears in the access log and in the metrics.
pub(super) struct AccessLogEntry<'r> {
    pub(super) method: &'static str,
    pub(super) route: &'r str,
    pub(super) took: Duration,
    pub(super) id: &'r RequestId,
    pub(super) trace_id: Option<String>,
}

impl AccessLogEntry<'_> {
    /// Writes the access-log entry of a request and counts the request in the metrics.
    ///
    /// The entry of a failed request (status 500 or above) contains the cause and the failed dependency. Internal errors (status
    /// 500) are always logged as warnings. Any other failure is logged as a warning if the dependency has not failed within
    /// [`QUIET_PERIOD`], otherwise at level `info`.
    pub(super) fn log_and_record_metrics(self, response: &Response<Body>) {
        let (Self { method, route, took, id, trace_id }, status) = (self, response.status());
        metrics::histogram!(
            "http_server_request_duration_seconds", "http_request_method" => method, "http_route" => route.to_owned(),
            "http_response_status_code" => status.as_str().to_owned()
        )
        .record(took.as_secs_f64());
        let (status, micros, request_id) = (status.as_u16(), u64::try_from(took.as_micros()).unwrap_or(u64::MAX), &*id.0);
        if status < 500 {
            return tracing::info!(method, route, status, micros, request_id, trace_id, "request completed");
        }
        let failure = response.extensions().get::<Problem>().and_then(|problem| problem.failure.as_deref());
        let (dependency, cause) = failure.map_or(("gateway", ""), |failure| (&*failure.dependency, &*failure.cause));
        if is_logged_as_warning(dependency, response.status()) {
            tracing::warn!(method, route, status, micros, request_id, trace_id, dependency, cause, "request failed");
        } else {
            tracing::info!(method, route, status, micros, request_id, trace_id, dependency, cause, "request failed");
        }
    }
}

/// Records the time of a failed request, and returns `true` if the request is logged as a warning. Every internal error (status
/// 500) is a warning. Any other failure is a warning only if the dependency has not failed within [`QUIET_PERIOD`].
fn is_logged_as_warning(dependency: &str, status: StatusCode) -> bool {
    let mut failures = FAILURES.lock().unwrap_or_else(PoisonError::into_inner);
    let last = failures.insert(dependency.to_owned(), Instant::now());
    status == StatusCode::INTERNAL_SERVER_ERROR || last.is_none_or(|last| last.elapsed() > QUIET_PERIOD)
}

/// HTTP method labels in logs and metrics. Any other method gets the label `_OTHER`, so that clients cannot create new labels.
pub(super) const HTTP_METHOD_LABELS: [&str; 8] = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "_OTHER"];

/// Returns the label of an HTTP method for logs and metrics; `_OTHER` for an unknown method.
pub(super) fn http_method_label(method: &Method) -> &'static str {
    HTTP_METHOD_LABELS.into_iter().find(|name| *name == method.as_str()).unwrap_or("_OTHER")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_failed_request_of_an_outage_is_a_warning() {
        let warns = |dependency| is_logged_as_warning(dependency, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!([warns("test-svc"), warns("test-svc"), warns("other-svc"), warns("test-svc")], [true, false, true, false]);
        assert!(is_logged_as_warning("test-svc", StatusCode::INTERNAL_SERVER_ERROR), "each internal error is a warning");
    }
}
