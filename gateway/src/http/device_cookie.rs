//! Device cookie: stores one device token for each user who has signed in on the browser. At the user's next sign-in, the token proves that
//! the user has signed in on this browser before.
use http::{HeaderMap, HeaderValue, header::COOKIE};

/// Name of the device cookie over HTTPS; browsers accept the prefix `__Host-` only from a secure origin.
const HTTPS_COOKIE: &str = "__Host-patio_dev";
/// Name of the device cookie over plain HTTP.
const HTTP_COOKIE: &str = "patio_dev";
/// Lifetime of the device cookie, in seconds.
const MAX_AGE_SECONDS: u32 = 90 * 24 * 3600;

/// Maximum number of device tokens in the cookie, one per user of the browser.
const MAX_TOKENS: usize = 10;
/// Separator of the device tokens in the cookie; no token contains this character.
const SEPARATOR: char = '.';
/// Maximum length of the device cookie in bytes; a longer cookie is ignored.
const MAX_COOKIE_LEN: usize = 2_048;

/// Returns the device tokens in the request's device cookie, most recent first.
#[must_use]
pub fn read_device_tokens(headers: &HeaderMap) -> Vec<String> {
    let all = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    let pairs: Vec<_> = all.filter_map(|pair| pair.trim().split_once('=')).collect();
    let named = |name| pairs.iter().find(|(found, _)| *found == name).map(|(_, tokens)| (*tokens).to_owned());
    let tokens = named(HTTPS_COOKIE).or_else(|| named(HTTP_COOKIE)).filter(|tokens| tokens.len() <= MAX_COOKIE_LEN).unwrap_or_default();
    tokens.split(SEPARATOR).filter(|token| !token.is_empty()).take(MAX_TOKENS).map(str::to_owned).collect()
}

/// Returns the `Set-Cookie` value with the new device token first, followed by the browser's earlier tokens. Returns `None` when
/// the token is empty or contains characters that are not allowed in the cookie.
#[must_use]
pub fn build_device_cookie(token: &str, before: &[String], secure: bool) -> Option<HeaderValue> {
    let fit = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let (name, end) = if secure { (HTTPS_COOKIE, "; Secure") } else { (HTTP_COOKIE, "") };
    let others = before.iter().map(String::as_str).filter(|other| *other != token);
    let tokens = std::iter::once(token).chain(others).take(MAX_TOKENS).collect::<Vec<_>>().join(".");
    let cookie = fit.then(|| format!("{name}={tokens}; Path=/; Max-Age={MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict{end}"))?;
    HeaderValue::try_from(cookie).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_token_round_trips_through_the_cookie() {
        let cookie = build_device_cookie("a_b-c", &[], true).unwrap();
        assert_eq!(cookie, "__Host-patio_dev=a_b-c; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict; Secure");
        assert!(!build_device_cookie("a", &[], false).unwrap().to_str().unwrap().contains("Secure"));
        assert_eq!((build_device_cookie("a;b", &[], true), build_device_cookie("a.b", &[], true)), (None, None));
    }

    #[test]
    fn the_cookie_keeps_ten_device_tokens_most_recent_first() {
        let tokens_in = |cookie: &str| read_device_tokens(&HeaderMap::from_iter([(COOKIE, HeaderValue::try_from(cookie).unwrap())]));
        let mut tokens = Vec::new();
        for person in 1..=12 {
            let cookie = build_device_cookie(&format!("mark{person}"), &tokens, false).unwrap();
            tokens = tokens_in(cookie.to_str().unwrap());
        }
        let latest: Vec<_> = (3..=12).rev().map(|person| format!("mark{person}")).collect();
        assert_eq!(tokens, latest);
        let again = build_device_cookie("mark5", &tokens, false).unwrap();
        let again = tokens_in(again.to_str().unwrap());
        assert_eq!((again.len(), again[0].as_str(), again.iter().filter(|token| *token == "mark5").count()), (10, "mark5", 1));
        assert_eq!(tokens_in(&format!("patio_dev={}", "x".repeat(MAX_COOKIE_LEN + 1))), Vec::<String>::new());
        assert_eq!(tokens_in("x=1; __Host-patio_dev=a..b"), ["a", "b"]);
    }
}
