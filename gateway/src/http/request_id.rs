//! Request id: read from the client or generated, and returned in the `x-request-id` header.
use http::{HeaderMap, HeaderName, HeaderValue};
use patio_kit::client::call_context::REQUEST_ID_HEADER;
use uuid::Uuid;

/// Request id, propagated to all services that take part in a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestId(pub String);

impl RequestId {
    /// Returns the client's `x-request-id` if its characters are safe for a log line; otherwise generates a new id.
    #[must_use]
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let header = headers.get(REQUEST_ID_HEADER).and_then(|value| value.to_str().ok());
        let fit = |id: &&str| (1..=64).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
        Self(header.filter(fit).map_or_else(|| Uuid::now_v7().to_string(), str::to_owned))
    }
}

/// Sets the `x-request-id` response header.
pub fn set_request_id(headers: &mut HeaderMap, id: &RequestId) {
    if let Ok(value) = HeaderValue::try_from(id.0.as_str()) {
        headers.insert(HeaderName::from_static(REQUEST_ID_HEADER), value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_that_could_forge_a_log_line_are_replaced() {
        let of = |id: &[u8]| {
            let value = HeaderValue::from_bytes(id).unwrap();
            RequestId::from_headers(&HeaderMap::from_iter([(HeaderName::from_static(REQUEST_ID_HEADER), value)])).0
        };
        assert_eq!(of(b"abc-1"), "abc-1");
        for odd in [&b"a b"[..], b"", b"\xff", b"a=b", &[b'a'; 65]] {
            let made = of(odd);
            assert!(Uuid::parse_str(&made).is_ok(), "{made}");
        }
    }
}
