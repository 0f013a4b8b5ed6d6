//! Environment variables that configure the tests, and a function that finds a free port.
use std::{
    net::{Ipv4Addr, TcpListener},
    path::PathBuf,
    sync::atomic::{AtomicU32, Ordering},
};

/// Environment variable with the URL of a PostgreSQL server on which tests may create databases.
pub const POSTGRES_URL_VARIABLE: &str = "PATIO_TEST_POSTGRES";
/// Environment variable with the URL of a Redis server. Tests may use the databases 4 to 15 of the server.
pub const REDIS_URL_VARIABLE: &str = "PATIO_TEST_REDIS";
/// Environment variable with the folder of the executables to start.
pub const PROGRAM_FOLDER_VARIABLE: &str = "PATIO_TEST_PROGRAMS";

/// Reads an environment variable. Returns `None` if the variable is unset or empty.
#[expect(clippy::disallowed_methods, reason = "tests read where servers and programs are")]
pub fn read_variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Returns the folder of the executables: the value of [`PROGRAM_FOLDER_VARIABLE`] if set, otherwise the folder into which Cargo built
/// the running test.
pub fn program_folder() -> PathBuf {
    if let Some(folder) = read_variable(PROGRAM_FOLDER_VARIABLE) {
        return PathBuf::from(folder).canonicalize().unwrap();
    }
    let own = std::env::current_exe().unwrap();
    let folder = own.parent().unwrap();
    // Cargo puts test executables in the subfolder `deps`.
    if folder.ends_with("deps") { folder.parent().unwrap() } else { folder }.to_owned()
}

/// Returns a free loopback port below the system's ephemeral range, so that the system does not assign the port to another program.
#[must_use]
pub fn find_free_port() -> u16 {
    static NEXT_PORT: AtomicU32 = AtomicU32::new(0);
    // Concurrent test processes start their search at different ports.
    let first = std::process::id().wrapping_mul(97);
    let next = || 10_000 + first.wrapping_add(NEXT_PORT.fetch_add(1, Ordering::Relaxed)) % 20_000;
    let mut ports = std::iter::repeat_with(next).take(20_000).filter_map(|port| u16::try_from(port).ok());
    ports.find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok()).unwrap()
}
