//! Remote end of a client connection (IP address and TLS), attached to each request of the connection.
use std::net::IpAddr;

/// Remote end of a client connection: the client itself, or a proxy that forwards the client's requests.
#[derive(Debug, Clone, Copy)]
pub struct Peer {
    /// IP address of the client, or of the proxy that forwards the client's requests.
    pub address: IpAddr,
    /// Whether the connection is encrypted with TLS.
    pub tls: bool,
}
