//! What the environment tells tests, and the ports of this machine.
use std::{
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

/// Names a PostgreSQL server on which tests may create databases.
pub const POSTGRES: &str = "PATIO_TEST_POSTGRES";
/// Names a Redis server whose databases 4 to 15 tests may use.
pub const REDIS: &str = "PATIO_TEST_REDIS";
/// Names the folder of the programs to start.
pub const PROGRAMS: &str = "PATIO_TEST_PROGRAMS";

/// A variable of the environment; `None` when unset or empty.
#[expect(clippy::disallowed_methods, reason = "tests read where servers and programs are")]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The folder of the programs: the one that [`PROGRAMS`] names, else that of this program.
pub fn programs() -> PathBuf {
    if let Some(folder) = variable(PROGRAMS) {
        return PathBuf::from(folder).canonicalize().unwrap();
    }
    let own = std::env::current_exe().unwrap();
    let folder = own.parent().unwrap();
    // Cargo puts test programs one folder below the others.
    if folder.ends_with("deps") { folder.parent().unwrap() } else { folder }.to_owned()
}

/// A free port of the loopback, below those that the system assigns by itself, so that no other program takes it meanwhile.
#[must_use]
pub fn free_port() -> u16 {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    // Test programs that run at the same time begin far apart.
    let first = std::process::id().wrapping_mul(97);
    let next = || 10_000 + first.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000;
    let mut ports = std::iter::repeat_with(next).take(20_000).filter_map(|port| u16::try_from(port).ok());
    ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()).unwrap()
}
