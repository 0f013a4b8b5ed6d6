//! Maps gRPC errors of the services to HTTP statuses, and defines the JSON error body that all API routes use.
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use patio_kit::errors::{self, DependencyFailure, ErrorReason};
use serde::Serialize;
use serde_json::{Value, json};
use std::{borrow::Cow, collections::BTreeMap};
use tonic::{Code, Status};
use tonic_types::StatusExt;
use utoipa::ToSchema;

/// Result of a route handler, with an HTTP error response as the error.
pub type ApiResult<T> = Result<T, Problem>;

/// JSON body of an error response of the API.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// Machine-readable error code, such as `STALE_VERSION`.
    pub code: Cow<'static, str>,
    /// Error message for users, one sentence.
    pub message: String,
    /// Details of the error, such as the invalid fields with a message each, or the current vehicle for the error code `STALE_VERSION`.
    /// Absent when the error has no details.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<Vec<Value>>,
    /// Current VIN of the vehicle. Present only with the error code `OTHER_VEHICLE`: the vehicle no longer has the VIN that the user
    /// saw.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub vin_number: Option<String>,
    /// Number of sign-in attempts left before the lockout; present only after a failed sign-in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attempts_left: Option<i64>,
    /// Seconds to wait before trying again; absent when the client need not wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retry_after: Option<i64>,
    /// Id of the request, for finding the request in the logs. Present only in responses with status 500 and above.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub request_id: Option<String>,
}

/// Error response of the API: HTTP status and JSON body.
#[derive(Debug, Clone)]
pub struct Problem {
    /// HTTP status of the response.
    pub status: StatusCode,
    /// JSON body of the response.
    pub body: Box<ProblemBody>,
    /// Failed dependency and cause of the error, for the log only. Set when a failed gRPC call results in a status of 500 or above.
    pub failure: Option<Box<DependencyFailure>>,
}

impl Problem {
    /// Creates an error response with a status, an error code and a message.
    #[must_use]
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        let body = ProblemBody { code, message, details: None, vin_number: None, attempts_left: None, retry_after: None, request_id: None };
        Self { status, body: Box::new(body), failure: None }
    }

    /// Creates a 400 response for a malformed request.
    #[must_use]
    pub fn malformed_request(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message)
    }

    /// Creates a 400 response that names one invalid field.
    #[must_use]
    pub fn invalid_field(field: &str, message: &str) -> Self {
        Self::malformed_request(format!("{field}: {message}")).with_detail(json!({ "field": field, "message": message }))
    }

    /// Creates a 413 response for a request body above the size limit.
    #[must_use]
    pub fn body_too_large() -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE", "The data is too large to send.")
    }

    /// Creates a 500 response that reveals nothing about the internal error.
    #[must_use]
    pub fn internal_error() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", "Something went wrong. Try again.")
    }

    /// Appends an entry to the `details` of the error body.
    #[must_use]
    pub fn with_detail(mut self, detail: Value) -> Self {
        self.body.details.get_or_insert_default().push(detail);
        self
    }

    /// Sets the number of seconds after which the client may retry, in the error body and in the `Retry-After` header.
    #[must_use]
    pub fn with_retry_after(mut self, seconds: i64) -> Self {
        self.body.retry_after = Some(seconds);
        self
    }
}

/// Returns the HTTP status for a gRPC status code and an error reason.
#[must_use]
pub fn http_status_for_grpc_error(code: Code, reason: Option<ErrorReason>) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument if reason == Some(ErrorReason::BadPassword) => StatusCode::UNPROCESSABLE_ENTITY,
        Code::InvalidArgument | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::FailedPrecondition => match reason {
            Some(
                ErrorReason::CampaignClosed
                | ErrorReason::TooManyConflicts
                | ErrorReason::OtherVehicle
                | ErrorReason::LastAdmin
                | ErrorReason::OwnAccount
                | ErrorReason::Reserved,
            ) => StatusCode::CONFLICT,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        },
        Code::ResourceExhausted => match reason {
            Some(ErrorReason::LockedOut | ErrorReason::RateLimited) => StatusCode::TOO_MANY_REQUESTS,
            Some(ErrorReason::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        },
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Cancelled if reason == Some(ErrorReason::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded | Code::Cancelled => StatusCode::GATEWAY_TIMEOUT,
        Code::Internal | Code::Unknown | Code::DataLoss | Code::Unimplemented => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// Returns the default error code and message of an HTTP status. The default message replaces the text of a gRPC error
/// that has no error reason, since such a text may reveal internals.
fn default_message(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::BAD_REQUEST => ("BAD_REQUEST", "The request is not valid."),
        StatusCode::UNAUTHORIZED => ("NOT_SIGNED_IN", "Sign in to continue."),
        StatusCode::FORBIDDEN => ("NOT_ALLOWED", "Your access level does not allow this."),
        StatusCode::NOT_FOUND => ("NOT_FOUND", "Not found. It may have been deleted."),
        StatusCode::CONFLICT => ("CONFLICT", "This conflicts with newer data. Reload and try again."),
        StatusCode::SERVICE_UNAVAILABLE => ("UNAVAILABLE", "The server is temporarily unavailable. Try again in a moment."),
        StatusCode::GATEWAY_TIMEOUT => ("TIMEOUT", "The server took too long to respond. Try again."),
        StatusCode::UNPROCESSABLE_ENTITY => ("REFUSED", "This is not allowed here."),
        _ => ("INTERNAL", "Something went wrong. Try again."),
    }
}

/// Returns the invalid fields that a gRPC error names, each with its message.
fn invalid_fields(refusal: &Status, reason: Option<ErrorReason>) -> BTreeMap<String, String> {
    let violations = refusal.get_details_bad_request().map(|bad_request| bad_request.field_violations).unwrap_or_default();
    let mut fields: BTreeMap<String, String> = violations.into_iter().map(|violation| (violation.field, violation.description)).collect();
    if let (Some(ErrorReason::BadRequest), Some(info)) = (reason, refusal.get_details_error_info()) {
        fields.extend(info.metadata);
    }
    if let (Some(ErrorReason::FieldNotAllowed), Some(field)) = (reason, errors::status_value(refusal, "field")) {
        fields.insert(field, "Your access level does not allow changing this field.".to_owned());
    }
    fields
}

impl From<Status> for Problem {
    fn from(refusal: Status) -> Self {
        let reason = errors::reason(&refusal);
        let status = http_status_for_grpc_error(refusal.code(), reason);
        let number = |name| errors::status_value(&refusal, name).and_then(|value| value.parse().ok());
        let mut problem = match reason {
            Some(reason) if status != StatusCode::INTERNAL_SERVER_ERROR => Self::new(status, reason.text(), refusal.message()),
            _ => {
                let (code, message) = default_message(status);
                Self::new(status, code, message)
            }
        };
        if status.is_server_error() {
            let unnamed =
                || DependencyFailure { dependency: "service".to_owned(), cause: format!("{}: {}", refusal.code(), refusal.message()) };
            problem.failure = Some(Box::new(errors::dependency_failure(&refusal).unwrap_or_else(unnamed)));
        }
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(code = ?refusal.code(), cause = refusal.message(), "a service failed with an unexpected error, responding with HTTP 500; the service's own log line has the same request_id");
        }
        problem.body.vin_number =
            (reason == Some(ErrorReason::OtherVehicle)).then(|| errors::status_value(&refusal, "vin_number")).flatten();
        problem.body.attempts_left = number("attempts_left");
        problem.body.retry_after = number("retry_after").or_else(|| (status == StatusCode::SERVICE_UNAVAILABLE).then_some(1));
        invalid_fields(&refusal, reason)
            .into_iter()
            .fold(problem, |problem, (field, message)| problem.with_detail(json!({ "field": field, "message": message })))
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(&self.body)).into_response();
        if let Some(seconds) = self.body.retry_after {
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds.max(1)));
        }
        response.extensions_mut().insert(self);
        response
    }
}

/// Response extension that keeps an error body as plain text. Without this extension, the middleware converts plain-text errors to
/// JSON.
#[derive(Debug, Clone, Copy)]
pub struct PlainTextErrorMarker;

#[cfg(test)]
mod tests {
    use super::*;
    use patio_kit::errors::{status, status_with_values};

    #[test]
    fn codes_and_reasons_map_to_the_specified_statuses() {
        let table = [
            (Code::InvalidArgument, ErrorReason::BadRequest, 400),
            (Code::InvalidArgument, ErrorReason::BadPassword, 422),
            (Code::Unauthenticated, ErrorReason::InvalidCredentials, 401),
            (Code::PermissionDenied, ErrorReason::WrongPassword, 403),
            (Code::NotFound, ErrorReason::NoVehicle, 404),
            (Code::AlreadyExists, ErrorReason::HmcTaken, 409),
            (Code::Aborted, ErrorReason::StaleVersion, 409),
            (Code::FailedPrecondition, ErrorReason::BadTransition, 422),
            (Code::FailedPrecondition, ErrorReason::StatusNotAllowed, 422),
            (Code::FailedPrecondition, ErrorReason::BadPassword, 422),
            (Code::FailedPrecondition, ErrorReason::CampaignClosed, 409),
            (Code::FailedPrecondition, ErrorReason::TooManyConflicts, 409),
            (Code::FailedPrecondition, ErrorReason::OtherVehicle, 409),
            (Code::FailedPrecondition, ErrorReason::LastAdmin, 409),
            (Code::FailedPrecondition, ErrorReason::OwnAccount, 409),
            (Code::ResourceExhausted, ErrorReason::LockedOut, 429),
            (Code::ResourceExhausted, ErrorReason::RateLimited, 429),
            (Code::ResourceExhausted, ErrorReason::Busy, 503),
            (Code::ResourceExhausted, ErrorReason::TooLarge, 413),
            (Code::Unavailable, ErrorReason::Unavailable, 503),
            (Code::DeadlineExceeded, ErrorReason::Timeout, 504),
            (Code::Cancelled, ErrorReason::Unavailable, 503),
            (Code::Internal, ErrorReason::Internal, 500),
        ];
        for (code, reason, http) in table {
            let problem = Problem::from(status(code, reason, &"words"));
            assert_eq!((problem.status.as_u16(), problem.body.code.as_ref()), (http, reason.text()));
            assert_eq!(problem.body.message == "words", http != 500, "{reason:?}");
        }
        assert_eq!(Problem::from(Status::cancelled("Timeout expired")).status, 504);
    }

    #[test]
    fn errors_without_a_reason_get_the_default_message() {
        for status in [Status::unknown("10.0.0.1"), Status::unavailable("10.0.0.1"), Status::invalid_argument("10.0.0.1")] {
            assert!(!Problem::from(status).body.message.contains("10.0.0.1"));
        }
    }

    #[test]
    fn invalid_fields_are_named() {
        let bad = status_with_values(Code::InvalidArgument, ErrorReason::BadRequest, &"no", &[("name", "is too long".into())]);
        assert_eq!(Problem::from(bad).body.details.unwrap(), [json!({ "field": "name", "message": "is too long" })]);
        let denied = status_with_values(Code::PermissionDenied, ErrorReason::FieldNotAllowed, &"no", &[("field", "part".into())]);
        assert_eq!(Problem::from(denied).body.details.unwrap()[0]["field"], "part");
    }
}
