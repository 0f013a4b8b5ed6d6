//! Trusted reverse proxies, whose forwarding headers determine the client's address.
use std::{
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

/// Address of a trusted proxy, or a network of trusted proxies in CIDR notation, such as `10.1.0.0/16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrustedProxy {
    network: Ipv6Addr,
    prefix: u32,
}

impl TrustedProxy {
    /// Returns whether an address belongs to the trusted proxy or network.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let bits = |address: Ipv6Addr| address.to_bits().checked_shr(128 - self.prefix).unwrap_or(0);
        bits(mapped(address)) == bits(self.network)
    }
}

/// Converts an IP address to IPv6; an IPv4 address becomes an IPv4-mapped IPv6 address.
fn mapped(address: IpAddr) -> Ipv6Addr {
    match address.to_canonical() {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    }
}

impl FromStr for TrustedProxy {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        let wrong = || format!("`{written}` is neither an address nor a network such as 10.1.0.0/16");
        let (address, prefix) = written.trim().split_once('/').map_or((written.trim(), None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| wrong())?;
        let own = if address.is_ipv4() { 32 } else { 128 };
        let prefix = prefix.map_or(Ok(own), str::parse::<u32>).ok().filter(|prefix| *prefix <= own).ok_or_else(wrong)?;
        Ok(Self { network: mapped(address), prefix: prefix + 128 - own })
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
