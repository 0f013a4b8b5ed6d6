//! TCP proxy between two programs of a test. The proxy can stop forwarding data, like a network that drops all packets.
use std::{
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

/// Interval at which a paused proxy checks whether it may forward data again.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// TCP proxy to a local port. The proxy runs until the test process ends.
pub struct PausableProxy {
    port: u16,
    is_paused: Arc<AtomicBool>,
}

impl PausableProxy {
    /// Starts a proxy to a local port.
    #[must_use]
    pub fn start(to: u16) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, is_paused) = (listener.local_addr().unwrap().port(), Arc::new(AtomicBool::new(false)));
        let cut = is_paused.clone();
        thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let Ok(far) = TcpStream::connect(("127.0.0.1", to)) else { continue };
                let (Ok(near_end), Ok(far_end)) = (near.try_clone(), far.try_clone()) else { continue };
                for (from, to) in [(near, far_end), (far, near_end)] {
                    let cut = cut.clone();
                    thread::spawn(move || pass_on(from, to, &cut));
                }
            }
        });
        Self { port, is_paused }
    }

    /// Returns the port on which the proxy listens.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Stops forwarding data if `is_paused` is `true`; otherwise forwards data again. Connections stay open in both cases.
    pub fn set_forwarding_paused(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::Relaxed);
    }
}

/// Forwards data in one direction until one side closes the connection.
fn pass_on(mut from: TcpStream, mut to: TcpStream, is_paused: &AtomicBool) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(size @ 1..) = from.read(&mut buffer) {
        while is_paused.load(Ordering::Relaxed) {
            thread::sleep(POLL_INTERVAL);
        }
        if to.write_all(&buffer[..size]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(std::net::Shutdown::Both);
}
