//! Addresses of a service's replicas, as DNS lookups returned them.
use crate::{client::subset::ReplicaSubset, telemetry::outage_tracker::OutageTracker};
use anyhow::{Context, ensure};
use http::Uri;
use std::{collections::HashMap, net::SocketAddr, sync::Arc};
use tokio::time::Instant;

/// All known addresses of a service's replicas, and the subset of replicas that this process checks and calls.
#[derive(Default)]
pub(super) struct ReplicaDirectory {
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
    /// Parses the URL of a service. The scheme must be `https` if `by_tls` is true, otherwise `http`.
    ///
    /// # Errors
    /// Returns an error when the URL is invalid, lacks a host or a port, or has the wrong scheme.
    pub(super) fn parse(url: &str, by_tls: bool) -> anyhow::Result<Self> {
        let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
        match uri.scheme_str() {
            Some("https") => ensure!(by_tls, "`{url}` needs PATIO_SERVICE_TLS, a folder with tls.crt, tls.key and ca.crt"),
            _ => ensure!(!by_tls, "`{url}` must begin with https://, as PATIO_SERVICE_TLS is set"),
        }
        let host = uri.host().with_context(|| format!("`{url}` names no host"))?.into();
        let port = uri.port_u16().with_context(|| format!("`{url}` names no port"))?;
        Ok(Self { host, port, outage: OutageTracker::new() })
    }
}
