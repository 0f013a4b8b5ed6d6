//! Host names and IP addresses of this machine, for its certificate and for the URLs shown to users.
use std::{
    collections::HashSet,
    net::{IpAddr, Ipv6Addr},
};

/// Returns the host names and IP addresses of this machine that its TLS certificate must contain.
pub fn list_subject_alt_names(listen: IpAddr) -> Vec<String> {
    let mut names = vec!["localhost".to_owned(), "127.0.0.1".to_owned(), "::1".to_owned()];
    let host = host();
    if !host.is_empty() {
        names.extend([format!("{host}.local"), host]);
    }
    names.extend(addresses(listen).iter().map(ToString::to_string));
    let mut seen = HashSet::new();
    names.retain(|name| seen.insert(name.clone()));
    names
}

/// Returns the IP addresses at which a phone on the local network reaches this machine, formatted for a URL.
pub fn list_reachable_addresses(listen: IpAddr) -> Vec<String> {
    let in_url = |address: IpAddr| if address.is_ipv6() { format!("[{address}]") } else { address.to_string() };
    addresses(listen).into_iter().filter(|address| !address.is_loopback()).map(in_url).collect()
}

/// Returns the first label of this machine's host name in lower case; empty when the label is not valid in a certificate.
fn host() -> String {
    let name = gethostname::gethostname().to_string_lossy().to_lowercase();
    let first = name.split('.').next().unwrap_or_default();
    let fit = !first.is_empty() && first != "localhost" && first.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    if fit { first.to_owned() } else { String::new() }
}

/// Returns the addresses of this machine that its certificate and its URLs contain. If `listen` is a wildcard address such as
/// `0.0.0.0`, returns the private addresses of all network interfaces; otherwise, returns only `listen`. Public addresses of
/// interfaces are left out, since a public address may later be assigned to another machine.
fn addresses(listen: IpAddr) -> Vec<IpAddr> {
    if !listen.is_unspecified() {
        return vec![listen];
    }
    let found = if_addrs::get_if_addrs().inspect_err(
        |cause| tracing::warn!(%cause, "failed to list network interfaces, omitting this machine's addresses from the TLS certificate and the printed URLs"),
    );
    let mut all: Vec<IpAddr> = found.unwrap_or_default().into_iter().map(|interface| interface.ip()).filter(|ip| is_private(*ip)).collect();
    all.sort();
    all.dedup();
    all
}

/// Returns `true` for loopback addresses, IPv4 link-local addresses, and private addresses, including the carrier-grade NAT range
/// 100.64.0.0/10.
pub fn is_private(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            v4.is_private() || v4.is_loopback() || v4.is_link_local() || (v4.octets()[0] == 100 && v4.octets()[1] & 0xc0 == 64)
        }
        IpAddr::V6(v6) => v6 == Ipv6Addr::LOCALHOST || v6.segments()[0] & 0xfe00 == 0xfc00,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_a_private_network_are_named() {
        for private in ["10.1.2.3", "192.168.0.7", "172.16.0.1", "127.0.0.1", "100.64.0.1", "::1", "fd00::1"] {
            assert!(is_private(private.parse().unwrap()), "{private}");
        }
        for public in ["8.8.8.8", "100.128.0.1", "172.32.0.1", "2001:db8::1"] {
            assert!(!is_private(public.parse().unwrap()), "{public}");
        }
    }

    #[test]
    fn a_loopback_listener_is_not_reachable_from_phones() {
        assert!(list_reachable_addresses("127.0.0.1".parse().unwrap()).is_empty());
        assert_eq!(list_reachable_addresses("192.168.0.7".parse().unwrap()), ["192.168.0.7"]);
        let named = list_subject_alt_names("0.0.0.0".parse().unwrap());
        assert!(
            named.contains(&"localhost".to_owned()) && named.iter().all(|name| named.iter().filter(|other| *other == name).count() == 1)
        );
    }
}
