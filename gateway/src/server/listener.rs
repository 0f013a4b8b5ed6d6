//! Listening TCP socket of the HTTP server.
use std::{io, net::SocketAddr};
use tokio::net::{TcpListener, TcpSocket};

/// Listen backlog: maximum number of connections that wait to be accepted; the system may set a lower limit. When the backlog
/// is full, the system drops a connection attempt, and the client retries after a second.
const LISTEN_BACKLOG: u32 = 4096;

/// Opens the listening port, with a backlog large enough for all phones of a yard to reconnect at once.
pub(super) fn bind_listener(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(LISTEN_BACKLOG)
}
