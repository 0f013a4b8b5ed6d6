//! Trusted reverse proxies, whose forwarding headers determine the client's address.
use ipnet::IpNet;
use std::{net::IpAddr, str::FromStr};

/// Address of a trusted proxy, or a network of trusted proxies in CIDR notation, such as `10.1.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

impl TrustedProxy {
    /// Returns `true` if an address belongs to the trusted proxy or network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        self.0.contains(&address.to_canonical())
    }
}

impl FromStr for TrustedProxy {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let written = written.trim();
        let network = written.parse().or_else(|_| written.parse::<IpAddr>().map(|address| address.to_canonical().into()));
        network.map(Self).map_err(|_| format!("`{written}` is neither an address nor a network such as 10.1.0.0/16"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_an_address_or_a_network() {
        let holds = |proxy: &str, address: &str| proxy.parse::<TrustedProxy>().unwrap().contains(address.parse().unwrap());
        assert!(holds("10.0.0.1", "10.0.0.1") && !holds("10.0.0.1", "10.0.0.2"));
        assert!(holds("10.1.0.0/16", "10.1.255.3") && !holds("10.1.0.0/16", "10.2.0.0"));
        assert!(holds("10.1.0.0/16", "::ffff:10.1.2.3"));
        assert!(holds("fd00::/8", "fd12::1") && !holds("fd00::/8", "10.0.0.1"));
        assert!(holds("0.0.0.0/0", "203.0.113.9") && !holds("0.0.0.0/0", "2001:db8::1"));
        assert!(holds("::/0", "2001:db8::1"));
        for odd in ["", "10.0.0", "10.0.0.0/33", "fd00::/129", "10.0.0.0/x", "example.org"] {
            assert!(odd.parse::<TrustedProxy>().is_err(), "{odd}");
        }
    }
}
