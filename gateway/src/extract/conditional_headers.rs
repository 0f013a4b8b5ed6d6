//! Headers of conditional and idempotent requests: `If-Match`, `If-None-Match`, `ETag` and `Idempotency-Key`.
use crate::http::problem::{ApiResult, Problem};
use http::{
    HeaderMap, HeaderName, HeaderValue,
    header::{IF_MATCH, IF_NONE_MATCH},
};
use patio_proto::access::Role;

/// Maximum length of an idempotency key, in bytes.
const MAX_KEY_LEN: usize = 128;

/// Returns the vehicle version in the `If-Match` header; `None` when the header is absent or `*`.
///
/// # Errors
/// Returns a 400 when the header contains anything but one version number.
pub fn parse_if_match_header(headers: &HeaderMap) -> ApiResult<Option<i64>> {
    let Some(value) = headers.get(IF_MATCH) else { return Ok(None) };
    let written = value.to_str().unwrap_or_default().trim();
    if written == "*" {
        return Ok(None);
    }
    let bare = written.strip_prefix("W/").unwrap_or(written);
    let number = bare.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(bare);
    let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    let version = number.parse().ok().filter(|_| digits);
    version.map(Some).ok_or_else(|| Problem::invalid_field("If-Match", "must be one version in double quotes"))
}

/// Returns the `Idempotency-Key` header of a save; empty when the header is absent.
///
/// # Errors
/// Returns a 400 when the key is empty, too long or contains anything but visible ASCII characters.
pub fn parse_idempotency_key(headers: &HeaderMap) -> ApiResult<String> {
    let Some(value) = headers.get(HeaderName::from_static("idempotency-key")) else { return Ok(String::new()) };
    let bytes = value.as_bytes();
    let is_valid = (1..=MAX_KEY_LEN).contains(&bytes.len()) && bytes.iter().all(u8::is_ascii_graphic);
    match value.to_str() {
        Ok(text) if is_valid => Ok(text.to_owned()),
        _ => Err(Problem::invalid_field("Idempotency-Key", "must have 1 to 128 visible ASCII characters")),
    }
}

/// Returns the `ETag` header value of a vehicle, which is the version of the vehicle in quotes.
#[must_use]
pub fn build_vehicle_etag(version: i64) -> HeaderValue {
    HeaderValue::try_from(format!("\"{version}\"")).unwrap_or(HeaderValue::from_static("\"0\""))
}

/// Returns the `ETag` of a campaign's full vehicle list. The `ETag` is weak, because the same list may be sent as different bytes,
/// depending on the compression.
#[must_use]
pub fn build_vehicle_list_etag(campaign: i64, revision: i64, role: Role) -> HeaderValue {
    HeaderValue::try_from(format!("W/\"{campaign}-{revision}{}\"", etag_suffix(role))).unwrap_or(HeaderValue::from_static("W/\"0\""))
}

/// Returns the suffix of a vehicle list's `ETag` for a role: `o` for operators, otherwise empty. Operators need a separate `ETag`,
/// because the list for operators omits the vehicles whose parking space begins with a dash.
fn etag_suffix(role: Role) -> &'static str {
    if role == Role::Operator { "o" } else { "" }
}

/// Returns the revision of the vehicle list that the client already has, read from the `If-None-Match` header. Returns `None`
/// when the header contains no `ETag` of this list.
#[must_use]
pub fn parse_if_none_match_header(headers: &HeaderMap, campaign: i64, role: Role) -> Option<i64> {
    let lines = headers.get_all(IF_NONE_MATCH).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).find_map(|tag| {
        let tag = tag.trim();
        let (of, revision) = tag.strip_prefix("W/").unwrap_or(tag).strip_prefix('"')?.strip_suffix('"')?.split_once('-')?;
        let revision = revision.strip_suffix(etag_suffix(role))?;
        (of.parse() == Ok(campaign)).then(|| revision.parse().ok()).flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers_with(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static(value))])
    }

    #[test]
    fn a_version_may_be_quoted_weak_or_bare() {
        for (written, version) in [("\"7\"", Some(7)), ("W/\"7\"", Some(7)), ("7", Some(7)), (" \"0\" ", Some(0)), ("*", None)] {
            assert_eq!(parse_if_match_header(&headers_with("if-match", written)).unwrap(), version, "{written}");
        }
        assert_eq!(parse_if_match_header(&HeaderMap::new()).unwrap(), None);
    }

    #[test]
    fn invalid_versions_are_rejected() {
        for written in ["", "\"\"", "\"x\"", "\"1\", \"2\"", "-1", "+1", "\"99999999999999999999\"", "\"1"] {
            assert_eq!(parse_if_match_header(&headers_with("if-match", written)).unwrap_err().status, 400, "{written}");
        }
    }

    #[test]
    fn keys_are_short_and_visible() {
        assert_eq!(parse_idempotency_key(&headers_with("idempotency-key", "a-1")).unwrap(), "a-1");
        assert_eq!(parse_idempotency_key(&HeaderMap::new()).unwrap(), "");
        for written in ["", "a b", "ü"] {
            let value = HeaderValue::from_bytes(written.as_bytes()).unwrap();
            let headers = HeaderMap::from_iter([(HeaderName::from_static("idempotency-key"), value)]);
            assert_eq!(parse_idempotency_key(&headers).unwrap_err().status, 400, "{written}");
        }
        let long = HeaderMap::from_iter([(HeaderName::from_static("idempotency-key"), HeaderValue::try_from("k".repeat(129)).unwrap())]);
        assert_eq!(parse_idempotency_key(&long).unwrap_err().status, 400);
    }

    #[test]
    fn a_list_revision_is_read_only_from_its_own_etag() {
        let headers = |value: &str| HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::try_from(value).unwrap())]);
        let held = |value: &str| parse_if_none_match_header(&headers(value), 7, Role::Manager);
        let of = |role| build_vehicle_list_etag(7, 42, role).to_str().unwrap().to_owned();
        assert_eq!(held(&of(Role::Manager)), Some(42));
        assert_eq!(held(&of(Role::Admin)), Some(42));
        assert_eq!(held("\"1-2\", \"7-3\""), Some(3));
        for other in ["*", "", "W/\"8-42\"", "\"7\"", "\"7-x\"", "7-42", &of(Role::Operator)] {
            assert_eq!(held(other), None, "{other}");
        }
        assert_eq!(parse_if_none_match_header(&headers(&of(Role::Operator)), 7, Role::Operator), Some(42));
        assert_eq!(parse_if_none_match_header(&headers(&of(Role::Manager)), 7, Role::Operator), None);
    }

    #[test]
    fn a_version_round_trips_through_the_etag() {
        assert_eq!(parse_if_match_header(&HeaderMap::from_iter([(IF_MATCH, build_vehicle_etag(42))])).unwrap(), Some(42));
    }
}
