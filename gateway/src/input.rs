//! What comes in, taken with the one form of error for whatever is wrong with it.
use crate::{
    api::Api,
    error::{Problem, Reply},
    serve::TooSlow,
};
use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
};
use bytes::{Bytes, BytesMut};
use http::{HeaderMap, StatusCode, header::CONTENT_TYPE, request::Parts};
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use std::error::Error;
use uuid::Uuid;

/// How large a JSON body may be.
pub const USUAL: usize = 1 << 20;
/// How large the JSON body of a bulk call may be.
pub const LARGE: usize = 16 << 20;

/// A JSON body of at most `LIMIT` bytes.
#[derive(Debug, Clone)]
pub struct Sent<T, const LIMIT: usize = USUAL>(pub T);

impl<T: DeserializeOwned, const LIMIT: usize> FromRequest<Api> for Sent<T, LIMIT> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &Api) -> Reply<Self> {
        let is_json = is_json(request.headers());
        let bytes = read(request.into_body(), LIMIT).await?;
        if !is_json {
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "WRONG_TYPE", "the body must be application/json"));
        }
        parse(&bytes).map(Self)
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let told = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    told.split(';').next().is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Reply<T> {
    if bytes.is_empty() {
        return Err(Problem::malformed("the body is missing"));
    }
    if holds_nul(bytes) {
        return Err(Problem::malformed("the body holds the character NUL"));
    }
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|cause| at_fault(&cause))?;
    reader.end().map_err(|cause| Problem::malformed(format!("the body is not one JSON value: {cause}")))?;
    Ok(value)
}

fn at_fault(cause: &serde_path_to_error::Error<serde_json::Error>) -> Problem {
    let (path, told) = (cause.path().to_string(), cause.inner());
    if !told.is_data() {
        return Problem::malformed(format!("the body is not JSON: {told}"));
    }
    Problem::field(if path == "." { "body" } else { &path }, &told.to_string())
}

/// Whether a JSON text holds the escape of NUL, which no database takes.
fn holds_nul(json: &[u8]) -> bool {
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        if rest[at..].starts_with(b"\\u0000") {
            return true;
        }
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    false
}

/// Reads a whole body.
///
/// # Errors
/// When it is too large, too slow or breaks off.
pub async fn read(mut body: Body, limit: usize) -> Reply<Bytes> {
    let mut held = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|cause| broken(&cause))?.into_data() else { continue };
        if held.len() + data.len() > limit {
            return Err(Problem::too_large(limit));
        }
        held.extend_from_slice(&data);
    }
    Ok(held.freeze())
}

/// What to answer when a body cannot be read to its end.
#[must_use]
pub fn broken(cause: &(dyn Error + 'static)) -> Problem {
    let mut next = Some(cause);
    while let Some(cause) = next {
        if cause.is::<TooSlow>() {
            return Problem::new(StatusCode::REQUEST_TIMEOUT, "TOO_SLOW", "the body came too slowly");
        }
        next = cause.source();
    }
    Problem::malformed("the body broke off")
}

/// A query.
#[derive(Debug, Clone)]
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned> FromRequestParts<Api> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Api) -> Reply<Self> {
        if parts.uri.query().is_some_and(|query| query.contains("%00")) {
            return Err(Problem::malformed("the query holds the character NUL"));
        }
        let query = Query::try_from_uri(&parts.uri).map_err(|cause| Problem::malformed(cause.body_text()))?;
        Ok(Self(query.0))
    }
}

/// The number in a path that names one thing.
#[derive(Debug, Clone, Copy)]
pub struct Id(pub i64);

impl FromRequestParts<Api> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Reply<Self> {
        let written = in_path(parts, api).await?;
        let plain = !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit());
        let id = written.parse().ok().filter(|id| plain && *id > 0);
        id.map(Self).ok_or_else(|| Problem::field("id", "it is a whole number above 0"))
    }
}

/// The id in a path that a client chose for an upload.
#[derive(Debug, Clone, Copy)]
pub struct UploadId(pub Uuid);

impl FromRequestParts<Api> for UploadId {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Reply<Self> {
        let id = in_path(parts, api).await?.parse();
        id.map(Self).map_err(|_| Problem::field("id", "it is a UUID"))
    }
}

async fn in_path(parts: &mut Parts, api: &Api) -> Reply<String> {
    let path = Path::<String>::from_request_parts(parts, api).await;
    path.map(|path| path.0).map_err(|_| Problem::field("id", "it is not text"))
}

/// A file name as `Content-Disposition` carries it, whatever characters it holds.
///
/// Control characters and those that turn the writing direction do not come out even where they are escaped.
#[must_use]
pub fn attachment(name: &str) -> String {
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
    fn what_is_wrong_with_a_body_is_named() {
        assert_eq!(parse::<Value>(b"").unwrap_err().body.message, "the body is missing");
        assert!(parse::<Value>(b"{").unwrap_err().body.message.starts_with("the body is not JSON"));
        assert!(parse::<Value>(b"{} {}").unwrap_err().body.message.contains("not one JSON value"));
        assert!(parse::<Value>(br#"{"a":"\u0000"}"#).unwrap_err().body.message.contains("NUL"));
        assert!(parse::<Value>(br#"{"a":"\\u0000"}"#).is_ok());
        let wrong = parse::<Vec<i64>>(b"[1, true]").unwrap_err();
        assert_eq!(wrong.body.details.unwrap()[0]["field"], "[1]");
    }

    #[test]
    fn file_names_cannot_break_the_header() {
        assert_eq!(attachment("é\r\n\".xlsx"), "attachment; filename=\"____.xlsx\"; filename*=UTF-8''%C3%A9__%22.xlsx");
        assert_eq!(attachment("../a\u{202e}b"), "attachment; filename=\".._a_b\"; filename*=UTF-8''.._a_b");
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_passes_and_one_byte_more_does_not() {
        assert_eq!(read(Body::from(vec![1; 10]), 10).await.unwrap().len(), 10);
        assert_eq!(read(Body::from(vec![1; 11]), 10).await.unwrap_err().status, 413);
    }
}
