//! Detects the address of the client and the use of HTTPS. The sources are the connection and the headers that trusted
//! proxies have set.
use crate::http::{peer::Peer, trusted_proxy::TrustedProxy};
use http::{Extensions, HeaderMap, HeaderName, request::Parts};
use patio_kit::client_network::client_network;
use std::net::IpAddr;

/// Returns the client's address and whether the client is connected over HTTPS. Forwarding headers such as `X-Forwarded-For`
/// are used only when a trusted proxy sent them.
#[must_use]
pub fn detect_client_address_and_https(parts: &Parts, trusted: &[TrustedProxy]) -> (String, bool) {
    let secure = is_https(&parts.extensions, &parts.headers, trusted);
    let Some(peer) = parts.extensions.get::<Peer>() else { return (String::new(), secure) };
    let nearest = peer.address.to_canonical();
    if !trusted.iter().any(|proxy| proxy.contains(nearest)) {
        return (client_network(nearest), secure);
    }
    (client_network(last_untrusted(&parts.headers, trusted).unwrap_or(nearest)), secure)
}

/// Returns `true` if a request arrived over HTTPS, at the gateway itself or at a trusted proxy.
#[must_use]
pub fn is_https(extensions: &Extensions, headers: &HeaderMap, trusted: &[TrustedProxy]) -> bool {
    let Some(peer) = extensions.get::<Peer>() else { return false };
    let by_proxy = trusted.iter().any(|proxy| proxy.contains(peer.address.to_canonical()));
    peer.tls || by_proxy && headers.get(HeaderName::from_static("x-forwarded-proto")).is_some_and(|value| value == "https")
}

/// Returns the last address in `X-Forwarded-For` that is not a trusted proxy. Earlier entries can be forged by the client.
fn last_untrusted(headers: &HeaderMap, trusted: &[TrustedProxy]) -> Option<IpAddr> {
    let lines: Vec<_> = headers.get_all(HeaderName::from_static("x-forwarded-for")).iter().filter_map(|line| line.to_str().ok()).collect();
    for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        let address = hop.trim().parse::<IpAddr>().ok()?.to_canonical();
        if !trusted.iter().any(|proxy| proxy.contains(address)) {
            return Some(address);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    #[test]
    fn the_last_untrusted_forwarded_address_counts() {
        let trusted = ["10.0.0.1".parse().unwrap(), "10.0.0.2".parse().unwrap()];
        let headers_with =
            |line: &'static str| HeaderMap::from_iter([(HeaderName::from_static("x-forwarded-for"), HeaderValue::from_static(line))]);
        assert_eq!(last_untrusted(&headers_with("1.1.1.1, 203.0.113.9, 10.0.0.2"), &trusted), Some("203.0.113.9".parse().unwrap()));
        assert_eq!(last_untrusted(&headers_with("203.0.113.9, nonsense, 10.0.0.2"), &trusted), None);
        assert_eq!(last_untrusted(&headers_with("10.0.0.1"), &trusted), None);
    }
}
