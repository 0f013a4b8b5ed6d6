//! Network of a client address. Rate limits count all addresses of a network as one client.
use std::net::{IpAddr, Ipv6Addr};

/// Returns the network of an address as text: an IPv4 address itself, or the /64 network of an IPv6 address. A /64 network
/// usually belongs to one client.
#[must_use]
pub fn client_network(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("{}/64", Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ipv6_address_counts_as_its_network() {
        let network = |address: &str| client_network(address.parse().unwrap());
        assert_eq!(network("2001:db8:1:2:3:4:5:6"), "2001:db8:1:2::/64");
        assert_eq!([network("192.0.2.1"), network("::ffff:192.0.2.1")], ["192.0.2.1", "192.0.2.1"]);
    }
}
