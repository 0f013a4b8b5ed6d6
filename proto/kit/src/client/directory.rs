//! Addresses of a service's replicas, as DNS lookups returned them.
use crate::{client::subset::ReplicaSubset, telemetry::outage_tracker::OutageTracker};
use anyhow::{Context, bail, ensure};
use http::Uri;
use std::{collections::HashMap, net::SocketAddr, sync::Arc};
use tokio::time::Instant;

/// All known addresses of a service's replicas, and the subset of replicas that this process checks and calls.
#[derive(Default)]
pub(super) struct KnownReplicas {
    pub(super) hosts: HashMap<SocketAddr, ResolvedHost>,
    pub(super) subset: ReplicaSubset,
}

/// Host name that resolved to a replica's address, and the time of the last DNS lookup that returned the address.
pub(super) struct ResolvedHost {
    pub(super) host: Arc<str>,
    pub(super) at: Instant,
}

/// Host name and port of a service's URL.
pub(super) struct ServiceAddress {
    pub(super) host: Arc<str>,
    pub(super) port: u16,
    /// Tracker of DNS outages: counts the failed lookups of the host name since the last successful lookup.
    pub(super) outage: OutageTracker,
}

impl ServiceAddress {
    /// Parses the URL of a service. The scheme must be `https` if `requires_tls` is true, otherwise `http`.
    ///
    /// # Errors
    /// Returns an error when the URL is invalid, lacks a host or a port, or has the wrong scheme.
    pub(super) fn parse(url: &str, requires_tls: bool) -> anyhow::Result<Self> {
        let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
        match uri.scheme_str() {
            Some("https") => ensure!(requires_tls, "`{url}` needs PATIO_SERVICE_TLS, a folder with tls.crt, tls.key and ca.crt"),
            Some("http") => ensure!(!requires_tls, "`{url}` must begin with https://, as PATIO_SERVICE_TLS is set"),
            _ => bail!("`{url}` must begin with http:// or https://"),
        }
        let host = uri.host().with_context(|| format!("`{url}` names no host"))?;
        let host = host.trim_matches(['[', ']']).into(); // the brackets of an IPv6 address
        let port = uri.port_u16().with_context(|| format!("`{url}` names no port"))?;
        Ok(Self { host, port, outage: OutageTracker::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_of(url: &str, by_tls: bool) -> Option<String> {
        ServiceAddress::parse(url, by_tls).err().map(|cause| cause.to_string())
    }

    #[test]
    fn a_service_url_needs_the_scheme_that_fits_tls_a_host_and_a_port() {
        assert_eq!(error_of("http://auth:9001", false), None);
        assert_eq!(error_of("https://auth:9001", true), None);
        assert_eq!(&*ServiceAddress::parse("http://[::1]:9001", false).unwrap().host, "::1", "an address is looked up without brackets");
        for (url, by_tls, reason) in [
            ("ftp://auth:9001", false, "must begin with http:// or https://"),
            ("auth:9001", false, "must begin with http:// or https://"),
            ("ftp://auth:9001", true, "must begin with http:// or https://"),
            ("https://auth:9001", false, "PATIO_SERVICE_TLS, a folder"),
            ("http://auth:9001", true, "PATIO_SERVICE_TLS is set"),
            ("http://auth", false, "names no port"),
        ] {
            let error = error_of(url, by_tls);
            assert!(error.as_ref().is_some_and(|error| error.contains(reason)), "{url}: {error:?}");
        }
    }
}
