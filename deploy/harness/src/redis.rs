//! A Redis of the test's own, which requires a password, and databases of the one that the environment names.
use crate::{
    environment::{REDIS, free_port, variable},
    process::{Launch, Process, Signal, Spawner},
    programs::tool,
    wait::until,
};
use std::{
    fs,
    net::TcpStream,
    path::Path,
    process::{Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

/// The password of a [`Redis`].
pub const REDIS_PASSWORD: &str = "redispw-9Xc3Vb6n";

/// An empty database of the Redis server that the environment names, by its URL; `None` when [`REDIS`] is not set.
///
/// Twelve databases are used in turn.
#[must_use]
pub fn redis_database() -> Option<String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let turn = std::process::id().wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
    let url = format!("{}/{}", variable(REDIS)?, 4 + turn % 12);
    let mut flush = Command::new("redis-cli");
    flush.args(["-u", &url, "flushdb"]);
    tool(flush);
    Some(url)
}

/// A server with an append-only file, as in production.
#[derive(Debug)]
pub struct Redis {
    port: u16,
    process: Process,
}

impl Redis {
    /// Starts a fresh server below a folder; `None` when Redis is not installed.
    #[must_use]
    pub fn start(below: &Path) -> Option<Self> {
        let mut server = Self::prepare(below, None)?;
        server.up();
        Some(server)
    }

    /// The same before it is started; `spawner` starts its command when given.
    #[must_use]
    pub fn prepare(below: &Path, spawner: Option<Spawner>) -> Option<Self> {
        Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().ok()?;
        let folder = below.join("redis");
        fs::create_dir(&folder).unwrap();
        let (configuration, port) = (folder.join("redis.conf"), free_port());
        fs::write(&configuration, format!("requirepass {REDIS_PASSWORD}\n")).unwrap();
        let mut launch = Launch::new("redis", "redis-server".into(), below.to_owned());
        let (file, data) = (configuration.display().to_string(), folder.display().to_string());
        let port_text = port.to_string();
        let options = [&*file, "--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--dir", &data];
        launch.arguments = options.map(str::to_owned).into();
        launch.spawner = spawner;
        Some(Self { port, process: Process::new(launch) })
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Its URL with the password.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_with(REDIS_PASSWORD)
    }

    /// Its URL with another password.
    #[must_use]
    pub fn url_with(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}", self.port)
    }

    /// Runs an administrator's command; its reply, also when that is an error.
    #[must_use = "an error is a reply, too"]
    pub fn command(&self, password: &str, words: &[&str]) -> String {
        let mut command = Command::new("redis-cli");
        command.env("REDISCLI_AUTH", password).args(["-p", &self.port.to_string()]).args(words);
        String::from_utf8_lossy(&command.output().unwrap().stdout).trim().to_owned()
    }

    /// Starts it and waits until it listens.
    pub fn up(&mut self) {
        self.process.start().unwrap();
        until("Redis listens", Duration::from_secs(10), || TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    /// Kills it.
    pub fn kill(&mut self) {
        self.process.kill();
    }

    /// Sends a signal, such as [`Signal::Suspend`].
    pub fn signal(&self, signal: Signal) {
        self.process.signal(signal);
    }
}
