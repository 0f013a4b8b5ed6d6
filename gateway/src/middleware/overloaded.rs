//! Builds the 503 response to requests that are rejected while the gateway is overloaded. To save CPU time, headers and
//! body are built once and copied into each response.
use crate::{
    http::{
        problem::Problem,
        request_id::{RequestId, set_request_id},
        security_headers::set_common_response_headers,
    },
    middleware::access_log::{HTTP_METHOD_LABELS, http_method_label},
};
use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, Method, StatusCode};
use metrics::Histogram;
use patio_kit::errors::ErrorReason;
use std::{collections::HashMap, sync::LazyLock, time::Duration};

/// Placeholder for the request id in the prebuilt response body.
const REQUEST_ID_PLACEHOLDER: &str = "<id>";
const MESSAGE: &str = "The server is overloaded. Try again in a moment.";

/// Prebuilt 503 response: headers, and the body in two parts, before and after the request id.
struct PrebuiltResponse {
    headers: HeaderMap,
    before_id: String,
    after_id: String,
}

static HTTP_RESPONSE: LazyLock<PrebuiltResponse> = LazyLock::new(|| PrebuiltResponse::new(false));
/// Prebuilt response for clients that are connected over HTTPS, with the `Strict-Transport-Security` header.
static HTTPS_RESPONSE: LazyLock<PrebuiltResponse> = LazyLock::new(|| PrebuiltResponse::new(true));

/// Histograms of the time spent on discarding the body of a rejected request, by HTTP method. The time that the request waited in the
/// queue before its rejection is not included.
static REJECTED: LazyLock<HashMap<&str, Histogram>> = LazyLock::new(|| {
    let durations = |method| {
        metrics::histogram!(
            "http_server_request_duration_seconds", "http_request_method" => method, "http_route" => "rejected",
            "http_response_status_code" => "503"
        )
    };
    HTTP_METHOD_LABELS.into_iter().map(|method| (method, durations(method))).collect()
});

impl PrebuiltResponse {
    fn new(hsts: bool) -> Self {
        let mut problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, ErrorReason::Busy.text(), MESSAGE).with_retry_after(1);
        problem.body.request_id = Some(REQUEST_ID_PLACEHOLDER.to_owned());
        let json = serde_json::to_string(&problem.body).unwrap_or_default();
        let (before_id, after_id) = json.split_once(REQUEST_ID_PLACEHOLDER).unwrap_or_default();
        let (before_id, after_id) = (before_id.to_owned(), after_id.to_owned());
        let mut headers = problem.into_response().headers().clone();
        set_common_response_headers(&mut headers, "/api", &RequestId("0".to_owned()), hsts);
        Self { headers, before_id, after_id }
    }
}

/// Builds the 503 response to an API request that is rejected because of an overload, and counts the request in the metrics.
#[must_use]
pub fn build_overloaded_response(method: &Method, id: &RequestId, hsts: bool, took: Duration) -> Response {
    let away = if hsts { &*HTTPS_RESPONSE } else { &*HTTP_RESPONSE };
    let mut response = Response::new(Body::from([&*away.before_id, &id.0, &away.after_id].concat()));
    *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    *response.headers_mut() = away.headers.clone();
    set_request_id(response.headers_mut(), id);
    if let Some(durations) = REJECTED.get(http_method_label(method)) {
        durations.record(took.as_secs_f64());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt;

    #[tokio::test]
    async fn the_prebuilt_response_equals_a_regular_error_response() {
        for hsts in [false, true] {
            let id = RequestId("seven".to_owned());
            let mut problem = Problem::new(StatusCode::SERVICE_UNAVAILABLE, "BUSY", MESSAGE).with_retry_after(1);
            problem.body.request_id = Some(id.0.clone());
            let mut usual = problem.into_response();
            set_common_response_headers(usual.headers_mut(), "/api/vehicles/1", &id, hsts);
            let made = build_overloaded_response(&Method::GET, &id, hsts, Duration::ZERO);
            assert_eq!((made.status(), made.headers()), (usual.status(), usual.headers()));
            let (made, usual) = (made.into_body().collect().await.unwrap(), usual.into_body().collect().await.unwrap());
            assert_eq!(made.to_bytes(), usual.to_bytes());
        }
    }
}
