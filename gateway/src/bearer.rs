//! Who asks: the token, judged before anything else happens, and the address.
use crate::{
    api::Api,
    config::Config,
    error::{Problem, Reply},
    headers::RequestId,
    proxy::Proxy,
    rules,
    serve::Peer,
};
use axum::extract::{FromRequestParts, MatchedPath};
use http::{
    Extensions, HeaderMap, HeaderName, HeaderValue, StatusCode,
    header::{AUTHORIZATION, COOKIE},
    request::Parts,
};
use patio_kit::{identity::Caller, link};
use std::{
    net::{IpAddr, Ipv6Addr},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Somebody who asks, signed in or not.
#[derive(Debug, Clone)]
pub struct Visitor {
    /// Where the call comes from: an IPv4 address, or an IPv6 network of 64 bits.
    pub address: String,
    /// Whether the browser came over https.
    pub secure: bool,
    /// The device marks of that browser, the latest first.
    pub device_marks: Vec<String>,
    bearer: link::Bearer,
}

/// Somebody signed in: a token that is ours, alive and not revoked.
#[derive(Debug, Clone)]
pub struct Signed {
    /// Who it is.
    pub caller: Caller,
    /// Where the call comes from.
    pub address: String,
    bearer: link::Bearer,
}

/// Whoever turns out to ask, for what goes around a request: a refusal is told in that name.
#[derive(Debug, Clone, Default)]
pub struct Asker(pub Arc<OnceLock<link::Bearer>>);

impl Visitor {
    /// A request in nobody's name.
    #[must_use]
    pub fn sign<T>(&self, message: T) -> tonic::Request<T> {
        self.bearer.sign(message)
    }
}

impl Signed {
    /// A request in that person's name.
    #[must_use]
    pub fn sign<T>(&self, message: T) -> tonic::Request<T> {
        self.bearer.sign(message)
    }

    /// A request in that person's name that its own contents make repeatable.
    #[must_use]
    pub fn sign_repeatable<T>(&self, message: T) -> tonic::Request<T> {
        self.bearer.sign_repeatable(message)
    }

    /// A request in that person's name that may take long.
    #[must_use]
    pub fn sign_within<T>(&self, patience: Duration, message: T) -> tonic::Request<T> {
        self.bearer.sign_within(patience, message)
    }
}

impl FromRequestParts<Api> for Visitor {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Reply<Self> {
        let (address, secure) = origin(parts, &api.config);
        let bearer = link::Bearer::new(None, request_id(parts), &address);
        Ok(Self { device_marks: device_marks(&parts.headers), address, secure, bearer })
    }
}

impl FromRequestParts<Api> for Signed {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, api: &Api) -> Reply<Self> {
        let token = token(&parts.headers).ok_or_else(not_signed_in)?;
        let identity = &api.host.identity;
        let caller = match identity.judge(token) {
            Ok(caller) => caller,
            Err(_) if !identity.has_keys() => return Err(cannot_judge()),
            Err(_) => return Err(not_signed_in()),
        };
        // The token of a service is good between services only.
        if caller.person().is_none() {
            return Err(not_signed_in());
        }
        let (address, _) = origin(parts, &api.config);
        let bearer = link::Bearer::new(Some(token), request_id(parts), &address);
        if !api.confirmed.is_open(&api.sessions(), &caller, &bearer).await {
            return Err(not_signed_in());
        }
        if let Some(asker) = parts.extensions.get::<Asker>() {
            let _ = asker.0.set(bearer.clone());
        }
        if !is_let_in(&caller, parts) {
            return Err(Problem::new(StatusCode::FORBIDDEN, "NOT_ALLOWED", "your role does not allow this"));
        }
        Ok(Self { caller, address, bearer })
    }
}

/// Whether the route's rule lets a caller in; the services judge it again.
fn is_let_in(caller: &Caller, parts: &Parts) -> bool {
    let Some(path) = parts.extensions.get::<MatchedPath>() else { return true };
    rules::least(parts.method.as_str(), path.as_str()).is_none_or(|least| caller.may(least))
}

fn not_signed_in() -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, "NOT_SIGNED_IN", "sign in to do this")
}

/// Before the keys are known nobody's session may be called dead.
fn cannot_judge() -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "UNAVAILABLE", "the product is still starting; try again in a moment").after(1)
}

fn token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim()).filter(|token| !token.is_empty())
}

fn request_id(parts: &Parts) -> &str {
    parts.extensions.get::<RequestId>().map_or("-", |id| id.0.as_str())
}

/// Where a request comes from, and whether over https, as far as it can be believed.
fn origin(parts: &Parts, config: &Config) -> (String, bool) {
    let secure = came_secure(&parts.extensions, &parts.headers, config);
    let Some(peer) = parts.extensions.get::<Peer>() else { return (String::new(), secure) };
    let nearest = peer.address.to_canonical();
    if !config.trusted_proxies.iter().any(|proxy| proxy.holds(nearest)) {
        return (network(nearest), secure);
    }
    (network(last_untrusted(&parts.headers, &config.trusted_proxies).unwrap_or(nearest)), secure)
}

/// Whether a request came over https, to us or to a proxy of ours.
#[must_use]
pub fn came_secure(extensions: &Extensions, headers: &HeaderMap, config: &Config) -> bool {
    let Some(peer) = extensions.get::<Peer>() else { return false };
    let by_proxy = config.trusted_proxies.iter().any(|proxy| proxy.holds(peer.address.to_canonical()));
    peer.tls || by_proxy && headers.get(HeaderName::from_static("x-forwarded-proto")).is_some_and(|value| value == "https")
}

/// The nearest address in X-Forwarded-For that is no proxy of ours; whatever stands before it, anybody may have written.
fn last_untrusted(headers: &HeaderMap, trusted: &[Proxy]) -> Option<IpAddr> {
    let lines: Vec<_> = headers.get_all(HeaderName::from_static("x-forwarded-for")).iter().filter_map(|line| line.to_str().ok()).collect();
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let address = hop.trim().parse::<IpAddr>().ok()?.to_canonical();
        if !trusted.iter().any(|proxy| proxy.holds(address)) {
            return Some(address);
        }
    }
    None
}

/// One household or phone has a whole IPv6 network of 64 bits.
fn network(address: IpAddr) -> String {
    match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("{}/64", Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

const OVER_HTTPS: &str = "__Host-patio_dev";
const OVER_HTTP: &str = "patio_dev";
/// How long a browser keeps its mark: 90 days.
const KEPT: u32 = 90 * 24 * 3600;

/// How many people's marks a browser keeps.
const MARKS: usize = 10;
/// What stands between two marks; none has it.
const BETWEEN: char = '.';
/// The longest cookie of marks that is read, in bytes.
const LONGEST_MARKS: usize = 2_048;

fn device_marks(headers: &HeaderMap) -> Vec<String> {
    let all = headers.get_all(COOKIE).iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
    let marks: Vec<_> = all.filter_map(|pair| pair.trim().split_once('=')).collect();
    let named = |name| marks.iter().find(|(told, _)| *told == name).map(|(_, mark)| (*mark).to_owned());
    let kept = named(OVER_HTTPS).or_else(|| named(OVER_HTTP)).filter(|marks| marks.len() <= LONGEST_MARKS).unwrap_or_default();
    kept.split(BETWEEN).filter(|mark| !mark.is_empty()).take(MARKS).map(str::to_owned).collect()
}

/// The cookie that hands a browser the mark of whoever signed in, before those that it had; none when the mark is not fit
/// for one.
#[must_use]
pub fn mark_cookie(mark: &str, before: &[String], secure: bool) -> Option<HeaderValue> {
    let fit = !mark.is_empty() && mark.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte));
    let (name, end) = if secure { (OVER_HTTPS, "; Secure") } else { (OVER_HTTP, "") };
    let others = before.iter().map(String::as_str).filter(|other| *other != mark);
    let marks = std::iter::once(mark).chain(others).take(MARKS).collect::<Vec<_>>().join(".");
    let cookie = fit.then(|| format!("{name}={marks}; Path=/; Max-Age={KEPT}; HttpOnly; SameSite=Strict{end}"))?;
    HeaderValue::try_from(cookie).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_hop_that_is_no_proxy_of_ours_counts() {
        let trusted = ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()];
        let told =
            |line: &'static str| HeaderMap::from_iter([(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(line))]);
        assert_eq!(last_untrusted(&told("1.1.1.1, 203.0.113.9, 10.0.0.2"), &trusted), Some("203.0.113.9".parse().unwrap()));
        assert_eq!(last_untrusted(&told("203.0.113.9, nonsense, 10.0.0.2"), &trusted), None);
        assert_eq!(last_untrusted(&told("10.0.0.1"), &trusted), None);
    }

    #[test]
    fn an_ipv6_address_counts_as_its_network() {
        assert_eq!(network("2001:db8:1:2:3:4:5:6".parse().unwrap()), "2001:db8:1:2::/64");
        assert_eq!(network("192.0.2.1".parse().unwrap()), "192.0.2.1");
    }

    #[test]
    fn the_device_mark_goes_out_and_comes_back() {
        let cookie = mark_cookie("a_b-c", &[], true).unwrap();
        assert_eq!(cookie, "__Host-patio_dev=a_b-c; Path=/; Max-Age=7776000; HttpOnly; SameSite=Strict; Secure");
        assert!(!mark_cookie("a", &[], false).unwrap().to_str().unwrap().contains("Secure"));
        assert_eq!((mark_cookie("a;b", &[], true), mark_cookie("a.b", &[], true)), (None, None));
    }

    #[test]
    fn a_browser_keeps_the_marks_of_ten_people_the_latest_first() {
        let told = |cookie: &str| device_marks(&HeaderMap::from_iter([(COOKIE, HeaderValue::try_from(cookie).unwrap())]));
        let mut marks = Vec::new();
        for person in 1..=12 {
            let cookie = mark_cookie(&format!("mark{person}"), &marks, false).unwrap();
            marks = told(cookie.to_str().unwrap());
        }
        let latest: Vec<_> = (3..=12).rev().map(|person| format!("mark{person}")).collect();
        assert_eq!(marks, latest);
        let again = mark_cookie("mark5", &marks, false).unwrap();
        let again = told(again.to_str().unwrap());
        assert_eq!((again.len(), again[0].as_str(), again.iter().filter(|mark| *mark == "mark5").count()), (10, "mark5", 1));
        assert_eq!(told(&format!("patio_dev={}", "x".repeat(LONGEST_MARKS + 1))), Vec::<String>::new());
        assert_eq!(told("x=1; __Host-patio_dev=a..b"), ["a", "b"]);
    }

    #[test]
    fn only_a_bearer_token_is_a_token() {
        let told = |value: &'static str| HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static(value))]);
        assert_eq!(token(&told("bearer abc")), Some("abc"));
        assert_eq!(token(&told("Basic abc")), None);
        assert_eq!(token(&told("Bearer ")), None);
    }
}
