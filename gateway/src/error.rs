//! One table from what services answer to what HTTP says, and the one form of every error.
use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode, header::RETRY_AFTER};
use patio_kit::errors::{self, Reason};
use serde::Serialize;
use serde_json::{Value, json};
use std::{borrow::Cow, collections::BTreeMap};
use tonic::{Code, Status};
use tonic_types::StatusExt;
use utoipa::ToSchema;

/// What a handler answers.
pub type Reply<T> = Result<T, Problem>;

/// Why a request was refused.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Problem)]
pub struct ProblemBody {
    /// For programs, such as `STALE_VERSION`.
    pub code: Cow<'static, str>,
    /// One sentence for people.
    pub message: String,
    /// The fields at fault, or the current state of what somebody else saved first.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub details: Option<Vec<Value>>,
    /// How many sign-in attempts are left.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub attempts_left: Option<i64>,
    /// Seconds after which it may work.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub retry_after: Option<i64>,
    /// The request's id, in answers of 500 and above.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub request_id: Option<String>,
}

/// A refusal with its HTTP status.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The HTTP status.
    pub status: StatusCode,
    /// What is told.
    pub body: Box<ProblemBody>,
}

impl Problem {
    /// A refusal of the gateway's own.
    #[must_use]
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        let (code, message) = (code.into(), message.into());
        let body = ProblemBody { code, message, details: None, attempts_left: None, retry_after: None, request_id: None };
        Self { status, body: Box::new(body) }
    }

    /// What was sent cannot be understood.
    #[must_use]
    pub fn malformed(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "BAD_REQUEST", message)
    }

    /// One field cannot be understood.
    #[must_use]
    pub fn field(field: &str, message: &str) -> Self {
        Self::malformed(format!("{field}: {message}")).with(json!({ "field": field, "message": message }))
    }

    /// The body is larger than is taken.
    #[must_use]
    pub fn too_large(limit: usize) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, "TOO_LARGE", format!("the body is larger than {limit} bytes"))
    }

    /// A fault of ours that says nothing of itself.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "INTERNAL", "something went wrong on our side")
    }

    /// Adds a detail.
    #[must_use]
    pub fn with(mut self, detail: Value) -> Self {
        self.body.details.get_or_insert_default().push(detail);
        self
    }

    /// Says when it may work.
    #[must_use]
    pub fn after(mut self, seconds: i64) -> Self {
        self.body.retry_after = Some(seconds);
        self
    }
}

/// The HTTP status of a refused call.
#[must_use]
pub fn http_status(code: Code, reason: Option<Reason>) -> StatusCode {
    match code {
        Code::Ok => StatusCode::OK,
        Code::InvalidArgument if reason == Some(Reason::BadPassword) => StatusCode::UNPROCESSABLE_ENTITY,
        Code::InvalidArgument | Code::OutOfRange => StatusCode::BAD_REQUEST,
        Code::Unauthenticated => StatusCode::UNAUTHORIZED,
        Code::PermissionDenied => StatusCode::FORBIDDEN,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists | Code::Aborted => StatusCode::CONFLICT,
        Code::FailedPrecondition => match reason {
            Some(Reason::CampaignClosed | Reason::TooManyConflicts | Reason::LastAdmin | Reason::OwnAccount | Reason::Reserved) => {
                StatusCode::CONFLICT
            }
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        },
        Code::ResourceExhausted => match reason {
            Some(Reason::LockedOut | Reason::RateLimited) => StatusCode::TOO_MANY_REQUESTS,
            Some(Reason::TooLarge) => StatusCode::PAYLOAD_TOO_LARGE,
            _ => StatusCode::SERVICE_UNAVAILABLE,
        },
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        Code::Cancelled if reason == Some(Reason::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
        Code::DeadlineExceeded | Code::Cancelled => StatusCode::GATEWAY_TIMEOUT,
        Code::Internal | Code::Unknown | Code::DataLoss | Code::Unimplemented => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

/// The words for a refusal that carries no reason of ours, whose own text may say too much.
fn canned(status: StatusCode) -> (&'static str, &'static str) {
    match status {
        StatusCode::BAD_REQUEST => ("BAD_REQUEST", "the request cannot be understood"),
        StatusCode::UNAUTHORIZED => ("NOT_SIGNED_IN", "sign in to do this"),
        StatusCode::FORBIDDEN => ("NOT_ALLOWED", "your role does not allow this"),
        StatusCode::NOT_FOUND => ("NOT_FOUND", "there is no such thing"),
        StatusCode::CONFLICT => ("CONFLICT", "this contradicts what is there"),
        StatusCode::SERVICE_UNAVAILABLE => ("UNAVAILABLE", "a part of the product cannot be reached; try again in a moment"),
        StatusCode::GATEWAY_TIMEOUT => ("TIMEOUT", "the call took too long"),
        StatusCode::UNPROCESSABLE_ENTITY => ("REFUSED", "a rule forbids this"),
        _ => ("INTERNAL", "something went wrong on our side"),
    }
}

/// The fields at fault and what is wrong with each, by name.
fn at_fault(refusal: &Status, reason: Option<Reason>) -> BTreeMap<String, String> {
    let violations = refusal.get_details_bad_request().map(|told| told.field_violations).unwrap_or_default();
    let mut fields: BTreeMap<String, String> = violations.into_iter().map(|violation| (violation.field, violation.description)).collect();
    if let (Some(Reason::BadRequest), Some(info)) = (reason, refusal.get_details_error_info()) {
        fields.extend(info.metadata);
    }
    if let (Some(Reason::FieldNotAllowed), Some(field)) = (reason, errors::value(refusal, "field")) {
        fields.insert(field, "your role does not allow to change it".to_owned());
    }
    fields
}

impl From<Status> for Problem {
    fn from(refusal: Status) -> Self {
        let reason = errors::reason(&refusal);
        let status = http_status(refusal.code(), reason);
        let number = |name| errors::value(&refusal, name).and_then(|value| value.parse().ok());
        let mut problem = match reason {
            Some(reason) if status != StatusCode::INTERNAL_SERVER_ERROR => Self::new(status, reason.text(), refusal.message()),
            _ => {
                let (code, message) = canned(status);
                Self::new(status, code, message)
            }
        };
        if status == StatusCode::INTERNAL_SERVER_ERROR {
            tracing::error!(code = ?refusal.code(), message = refusal.message(), "a service failed");
        }
        problem.body.attempts_left = number("attempts_left");
        problem.body.retry_after = number("retry_after").or_else(|| (status == StatusCode::SERVICE_UNAVAILABLE).then_some(1));
        at_fault(&refusal, reason)
            .into_iter()
            .fold(problem, |problem, (field, message)| problem.with(json!({ "field": field, "message": message })))
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

#[cfg(test)]
mod tests {
    use super::*;
    use patio_kit::errors::{status, status_with};

    #[test]
    fn codes_and_reasons_lead_to_the_statuses_of_the_contract() {
        let table = [
            (Code::InvalidArgument, Reason::BadRequest, 400),
            (Code::InvalidArgument, Reason::BadPassword, 422),
            (Code::Unauthenticated, Reason::InvalidCredentials, 401),
            (Code::PermissionDenied, Reason::WrongPassword, 403),
            (Code::NotFound, Reason::NoVehicle, 404),
            (Code::AlreadyExists, Reason::HmcTaken, 409),
            (Code::Aborted, Reason::StaleVersion, 409),
            (Code::FailedPrecondition, Reason::BadTransition, 422),
            (Code::FailedPrecondition, Reason::StatusNotAllowed, 422),
            (Code::FailedPrecondition, Reason::BadPassword, 422),
            (Code::FailedPrecondition, Reason::CampaignClosed, 409),
            (Code::FailedPrecondition, Reason::TooManyConflicts, 409),
            (Code::FailedPrecondition, Reason::LastAdmin, 409),
            (Code::FailedPrecondition, Reason::OwnAccount, 409),
            (Code::ResourceExhausted, Reason::LockedOut, 429),
            (Code::ResourceExhausted, Reason::RateLimited, 429),
            (Code::ResourceExhausted, Reason::Busy, 503),
            (Code::ResourceExhausted, Reason::TooLarge, 413),
            (Code::Unavailable, Reason::Unavailable, 503),
            (Code::DeadlineExceeded, Reason::Timeout, 504),
            (Code::Cancelled, Reason::Unavailable, 503),
            (Code::Internal, Reason::Internal, 500),
        ];
        for (code, reason, http) in table {
            let problem = Problem::from(status(code, reason, &"words"));
            assert_eq!((problem.status.as_u16(), problem.body.code.as_ref()), (http, reason.text()));
            assert_eq!(problem.body.message == "words", http != 500, "{reason:?}");
        }
        assert_eq!(Problem::from(Status::cancelled("Timeout expired")).status, 504);
    }

    #[test]
    fn what_carries_no_reason_of_ours_is_told_in_our_own_words() {
        for status in [Status::unknown("10.0.0.1"), Status::unavailable("10.0.0.1"), Status::invalid_argument("10.0.0.1")] {
            assert!(!Problem::from(status).body.message.contains("10.0.0.1"));
        }
    }

    #[test]
    fn fields_at_fault_are_named() {
        let bad = status_with(Code::InvalidArgument, Reason::BadRequest, &"no", &[("name", "is too long".into())]);
        assert_eq!(Problem::from(bad).body.details.unwrap(), [json!({ "field": "name", "message": "is too long" })]);
        let denied = status_with(Code::PermissionDenied, Reason::FieldNotAllowed, &"no", &[("field", "part".into())]);
        assert_eq!(Problem::from(denied).body.details.unwrap()[0]["field"], "part");
    }
}
