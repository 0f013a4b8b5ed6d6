//! Extractors that parse request bodies, queries and path parameters, and reject invalid input with the API's JSON
//! error body.
use crate::{
    http::{
        problem::{ApiResult, Problem},
        request_body::BodyTimeoutError,
    },
    state::AppState,
};
use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts, Query, RawPathParams, Request},
};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE, request::Parts};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::error::Error;
use uuid::Uuid;

/// Default maximum size of a JSON request body, in bytes.
pub const DEFAULT_MAX_BODY_BYTES: usize = 1 << 20;
/// Maximum size of the JSON request body of a bulk change, in bytes.
pub const MAX_BULK_CHANGE_BODY_BYTES: usize = 16 << 20;

/// Extractor of a JSON request body of at most `LIMIT` bytes.
#[derive(Debug, Clone)]
pub struct JsonBody<T, const LIMIT: usize = DEFAULT_MAX_BODY_BYTES>(pub T);

impl<T: DeserializeOwned, const LIMIT: usize> FromRequest<AppState> for JsonBody<T, LIMIT> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &AppState) -> ApiResult<Self> {
        let is_json = is_json(request.headers());
        let bytes = read_body(request.into_body(), LIMIT).await?;
        if !is_json {
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "WRONG_TYPE", "The content type must be application/json."));
        }
        parse(&bytes).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> ApiResult<T> {
    if bytes.is_empty() {
        return Err(Problem::malformed_request("The request has no body."));
    }
    if contains_nul(bytes) {
        return Err(Problem::malformed_request("The request body contains the character NUL."));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|cause| invalid_json_problem(&cause))?;
    reader.end().map_err(|cause| Problem::malformed_request(format!("The request body is not one JSON value: {cause}")))?;
    Ok(value)
}

fn invalid_json_problem(cause: &serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let (path, error) = (cause.path().to_string(), cause.inner());
    if !error.is_data() {
        return Problem::malformed_request(format!("The request body is not valid JSON: {error}"));
    }
    Problem::invalid_field(if path == "." { "body" } else { &path }, &error.to_string())
}

/// Returns `true` if a JSON text contains the escape `\u0000`, which PostgreSQL cannot store.
fn contains_nul(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        if rest[at..].starts_with(b"\\u0000") {
            return true;
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    false
}

/// Reads a request body to its end.
///
/// # Errors
/// Returns an error when the body exceeds `limit` bytes, arrives too slowly or ends early.
pub async fn read_body(mut body: Body, limit: usize) -> ApiResult<Bytes> {
    let mut held = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|cause| unreadable_body_problem(&cause))?.into_data() else { continue };
        if held.len() + data.len() > limit {
            return Err(Problem::body_too_large());
        }
        held.extend_from_slice(&data);
    }
    Ok(held.freeze())
}

/// Returns the error response for a request body that could not be read to its end. The status is 408 when the body arrived too
/// slowly, and 400 otherwise.
#[must_use]
pub fn unreadable_body_problem(cause: &(dyn Error + 'static)) -> Problem {
    let mut next = Some(cause);
    while let Some(cause) = next {
        if cause.is::<BodyTimeoutError>() {
            return Problem::new(StatusCode::REQUEST_TIMEOUT, "TOO_SLOW", "The upload was too slow. Try again with a better connection.");
        }
        next = cause.source();
    }
    Problem::malformed_request("The upload was interrupted. Try again.")
}

/// Extractor of the query parameters of a request, parsed into `T`.
#[derive(Debug, Clone)]
pub struct QueryParams<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<AppState> for QueryParams<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &AppState) -> ApiResult<Self> {
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(Problem::malformed_request("The query contains the character NUL."));
        }
        let query = Query::try_from_uri(&parts.uri).map_err(|cause| Problem::malformed_request(cause.body_text()))?;
        Ok(Self(query.0))
    }
}

/// Extractor of the path parameter `id`, a positive whole number.
#[derive(Debug, Clone, Copy)]
pub struct IdFromPath(pub i64);

impl FromRequestParts<AppState> for IdFromPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &AppState) -> ApiResult<Self> {
        let written = path_parameter(parts, api, "id").await?;
        let plain = !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit());
        let id = written.parse().ok().filter(|id| plain && *id > 0);
        id.map(Self).ok_or_else(|| Problem::invalid_field("id", "must be a whole number greater than 0"))
    }
}

/// Extractor of the path parameter `id` in UUID format: the id that the client chose for a workbook upload.
#[derive(Debug, Clone, Copy)]
pub struct UploadIdFromPath(pub Uuid);

impl FromRequestParts<AppState> for UploadIdFromPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &AppState) -> ApiResult<Self> {
        let id = path_parameter(parts, api, "id").await?.parse();
        id.map(Self).map_err(|_| Problem::invalid_field("id", "must be a UUID"))
    }
}

/// Extractor of the path parameter `session`, a session id in UUID format.
#[derive(Debug, Clone)]
pub struct SessionIdFromPath(pub String);

impl FromRequestParts<AppState> for SessionIdFromPath {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &AppState) -> ApiResult<Self> {
        let id = path_parameter(parts, api, "session").await?.parse::<Uuid>();
        id.map(|id| Self(id.to_string())).map_err(|_| Problem::invalid_field("session", "must be a UUID"))
    }
}

/// Returns the percent-decoded value of the path parameter `name`.
async fn path_parameter(parts: &mut Parts, api: &AppState, name: &str) -> ApiResult<String> {
    let path = RawPathParams::from_request_parts(parts, api).await.ok();
    let found = path.and_then(|path| path.iter().find(|(known, _)| *known == name).map(|(_, written)| written.to_owned()));
    found.ok_or_else(|| Problem::invalid_field(name, "must be valid UTF-8 text"))
}

/// Returns the `Content-Disposition` header value that makes the browser save a response as a file called `name`.
///
/// `name` may contain any characters. Control characters, path separators and characters that change the writing direction are replaced
/// by underscores.
#[must_use]
pub fn build_content_disposition(name: &str) -> String {
    let turns = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let name: String = name.chars().map(|c| if c.is_control() || turns(c) || c == '/' || c == '\\' { '_' } else { c }).collect();
    let plain: String = name.chars().map(|c| if c.is_ascii_alphanumeric() || " ._-".contains(c) { c } else { '_' }).collect();
    let mut exact = String::new();
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"._-".contains(&byte) {
            exact.push(char::from(byte));
        } else {
            exact.push_str(&format!("%{byte:02X}"));
        }
    }
    format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{exact}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[test]
    fn body_errors_are_described() {
        assert_eq!(parse::<Value>(b"").unwrap_err().body.message, "The request has no body.");
        assert!(parse::<Value>(b"{").unwrap_err().body.message.starts_with("The request body is not valid JSON"));
        assert!(parse::<Value>(b"{} {}").unwrap_err().body.message.contains("not one JSON value"));
        assert!(parse::<Value>(br#"{"a":"\u0000"}"#).unwrap_err().body.message.contains("NUL"));
        assert!(parse::<Value>(br#"{"a":"\\u0000"}"#).is_ok());
        let wrong = parse::<Vec<i64>>(b"[1, true]").unwrap_err();
        assert_eq!(wrong.body.details.unwrap()[0]["field"], "[1]");
    }

    #[test]
    fn file_names_cannot_break_the_header() {
        assert_eq!(build_content_disposition("é\r\n\".xlsx"), "attachment; filename=\"____.xlsx\"; filename*=UTF-8''%C3%A9__%22.xlsx");
        assert_eq!(build_content_disposition("../a\u{202e}b"), "attachment; filename=\".._a_b\"; filename*=UTF-8''.._a_b");
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(read_body(Body::from(vec![1; 10]), 10).await.unwrap().len(), 10);
        assert_eq!(read_body(Body::from(vec![1; 11]), 10).await.unwrap_err().status, 413);
    }
}
