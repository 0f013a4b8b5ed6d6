//! A PostgreSQL and a Redis of the test's own, which it may stop, kill and start again.
use std::{
    fs,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU16, Ordering},
    time::{Duration, Instant},
};

/// A port of the loopback that is free now, below those that outgoing connections take.
pub fn free_port() -> u16 {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    let start = 10_000 + u16::try_from(std::process::id() % 20_000).unwrap();
    loop {
        let port = 10_000 + (start - 10_000 + NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
}

/// Waits until something is so.
#[track_caller]
pub fn until(what: &str, patience: Duration, mut so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !so() {
        assert!(started.elapsed() < patience, "not within {patience:?}: {what}");
        std::thread::sleep(Duration::from_millis(30));
    }
}

pub struct Postgres {
    tools: PathBuf,
    folder: PathBuf,
    port: u16,
}

impl Postgres {
    /// A fresh server below a folder; nothing when PostgreSQL is not installed.
    pub fn start(below: &Path) -> Option<Self> {
        let tools = installed()?;
        let folder = below.join("pg");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        let server = Self { tools, folder, port: free_port() };
        if is_root() {
            assert!(Command::new("chown").arg("postgres:").arg(&server.folder).status().unwrap().success());
        }
        server.run("initdb", &["-A", "trust", "-U", "patio", "-E", "UTF8", "--locale=C.UTF-8"]);
        server.up();
        server.run_on("psql", &["-U", "patio", "-d", "postgres", "-qc", "create database patio"]);
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("postgres://patio@127.0.0.1:{}/patio", self.port)
    }

    pub fn up(&self) {
        let options = format!("-p {} -h 127.0.0.1 -k {} -c max_connections=200 -c fsync=off", self.port, self.folder.display());
        let log = self.folder.join("log");
        self.run("pg_ctl", &["-w", "-s", "-l", log.to_str().unwrap(), "-o", &options, "start"]);
    }

    /// Stops it: `fast` as an administrator does, `immediate` as a crash.
    pub fn down(&self, mode: &str) {
        self.run("pg_ctl", &["-w", "-s", "-m", mode, "stop"]);
    }

    /// `-STOP` or `-CONT`, to the server and all its processes.
    pub fn signal(&self, name: &str) {
        let told = fs::read_to_string(self.folder.join("postmaster.pid")).unwrap();
        let first = told.lines().next().unwrap().to_owned();
        let others = fs::read_to_string(format!("/proc/{first}/task/{first}/children")).unwrap();
        // One that ended meanwhile needs no signal.
        let _ = Command::new("kill").arg(name).args(others.split_whitespace()).arg(&first).stderr(Stdio::null()).status().unwrap();
    }

    #[track_caller]
    fn run(&self, tool: &str, arguments: &[&str]) {
        let done = self.command(tool).arg("-D").arg(&self.folder).args(arguments).stdout(Stdio::null()).status().unwrap();
        assert!(done.success(), "{tool} {arguments:?}");
    }

    #[track_caller]
    fn run_on(&self, tool: &str, arguments: &[&str]) {
        let port = self.port.to_string();
        let done = self.command(tool).args(["-h", "127.0.0.1", "-p", &port]).args(arguments).stdout(Stdio::null()).status().unwrap();
        assert!(done.success(), "{tool} {arguments:?}");
    }

    /// PostgreSQL refuses to be run by root.
    fn command(&self, tool: &str) -> Command {
        let tool = self.tools.join(tool);
        if !is_root() {
            return Command::new(tool);
        }
        let mut command = Command::new("setpriv");
        command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(tool);
        command
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        let _ = self.command("pg_ctl").arg("-D").arg(&self.folder).args(["-s", "-m", "immediate", "stop"]).stderr(Stdio::null()).status();
    }
}

fn installed() -> Option<PathBuf> {
    let mut versions: Vec<_> = fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|entry| entry.path().join("bin")).collect();
    versions.sort();
    versions.pop().filter(|tools| tools.join("initdb").exists())
}

fn is_root() -> bool {
    let told = Command::new("id").arg("-u").output().unwrap();
    told.stdout.trim_ascii() == b"0"
}

pub struct Redis {
    folder: PathBuf,
    port: u16,
    child: Option<Child>,
}

impl Redis {
    /// A fresh server below a folder, with an append-only file as in production; nothing when Redis is not installed.
    pub fn start(below: &Path) -> Option<Self> {
        Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().ok()?;
        let folder = below.join("redis");
        fs::create_dir(&folder).unwrap();
        let mut server = Self { folder, port: free_port(), child: None };
        server.up();
        Some(server)
    }

    pub fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn up(&mut self) {
        let child = Command::new("redis-server")
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--dir"])
            .arg(&self.folder)
            .stdout(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        until("redis listens", Duration::from_secs(10), || std::net::TcpStream::connect(("127.0.0.1", self.port)).is_ok());
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// `-STOP` or `-CONT`.
    pub fn signal(&self, signal: &str) {
        super::cluster::signal(self.child.as_ref().unwrap(), signal);
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.kill();
    }
}
