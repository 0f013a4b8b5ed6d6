//! Redis for tests: a server started for one test, or a database on a running server whose URL is in an environment variable.
use crate::{
    environment::{REDIS_URL_VARIABLE, find_free_port, read_variable},
    process::{LaunchConfig, Process, Signal, Spawner},
    programs::run_system_command,
    wait::wait_until,
};
use std::{
    fs,
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// Password that clients of a [`Redis`] test server must send.
pub const REDIS_PASSWORD: &str = "redispw-9Xc3Vb6n";

/// Empties a database on the Redis server that [`REDIS_URL_VARIABLE`] names, and returns the URL of the database. Returns `None` when
/// [`REDIS_URL_VARIABLE`] is not set.
///
/// Successive calls use the databases 4 to 15 in rotation.
#[must_use]
pub fn claim_empty_redis_database() -> Option<String> {
    static NEXT_DATABASE: AtomicU32 = AtomicU32::new(0);
    let turn = std::process::id().wrapping_add(NEXT_DATABASE.fetch_add(1, Ordering::Relaxed));
    let url = format!("{}/{}", read_variable(REDIS_URL_VARIABLE)?, 4 + turn % 12);
    let mut flush = Command::new("redis-cli");
    flush.args(["-u", &url, "flushdb"]);
    run_system_command(flush);
    Some(url)
}

/// Redis server of one test, with an append-only file as in production.
#[derive(Debug)]
pub struct Redis {
    port: u16,
    process: Process,
}

impl Redis {
    /// Starts a new Redis server in a subfolder of `below`. Returns `None` if Redis is not installed.
    #[must_use]
    pub fn start(below: &Path) -> Option<Self> {
        let mut server = Self::new_stopped(below, None)?;
        server.start_server();
        Some(server)
    }

    /// Creates the folder and the configuration of a Redis server without starting the server. A later start of the server uses `spawner`,
    /// or [`Command::spawn`] if `spawner` is `None`. Returns `None` if Redis is not installed.
    #[must_use]
    pub fn new_stopped(below: &Path, spawner: Option<Spawner>) -> Option<Self> {
        Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().ok()?;
        let folder = below.join("redis");
        fs::create_dir(&folder).unwrap();
        let (configuration, port) = (folder.join("redis.conf"), find_free_port());
        fs::write(&configuration, format!("requirepass {REDIS_PASSWORD}\n")).unwrap();
        let mut launch = LaunchConfig::new("redis", "redis-server".into(), below.to_owned());
        let (file, data) = (configuration.display().to_string(), folder.display().to_string());
        let port_text = port.to_string();
        let options = [&*file, "--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--dir", &data];
        launch.arguments = options.map(str::to_owned).into();
        launch.spawner = spawner;
        Some(Self { port, process: Process::new(launch) })
    }

    /// Returns the process id of the Redis server.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the URL of the Redis server, with the server's password.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_with_password(REDIS_PASSWORD)
    }

    /// Returns the URL of the Redis server, with the given password.
    #[must_use]
    pub fn url_with_password(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}", self.port)
    }

    /// Runs a Redis command and returns the reply, which may be an error text.
    #[must_use = "an error is a reply, too"]
    pub fn send_command(&self, password: &str, words: &[&str]) -> String {
        let mut command = Command::new("redis-cli");
        command.env("REDISCLI_AUTH", password).args(["-p", &self.port.to_string()]).args(words);
        String::from_utf8_lossy(&command.output().unwrap().stdout).trim().to_owned()
    }

    /// Starts the Redis server and waits until the server accepts connections.
    pub fn start_server(&mut self) {
        self.process.start().unwrap();
        wait_until("Redis listens", Duration::from_secs(10), || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// Kills the Redis server with `SIGKILL`.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Sends a signal to the Redis server, such as [`Signal::Suspend`].
    pub fn send_signal(&self, signal: Signal) {
        self.process.send_signal(signal);
    }
}
