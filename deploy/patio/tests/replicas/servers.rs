//! A PostgreSQL and a Redis of the test's own, which ask for passwords, and which it may stop, kill and start again.
use patio_kit::testing::free_port;
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

/// What Patio is let in with, to PostgreSQL and to Redis.
pub const DATABASE_PASSWORD: &str = "databasepw-4Kq7Wz2m";
pub const REDIS_PASSWORD: &str = "redispw-9Xc3Vb6n";

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
        let server = Self::laid_out(below)?;
        server.up();
        server.make_role();
        server.sql("create database patio owner yard");
        Some(server)
    }

    /// The same before it is started and knows anybody.
    pub fn laid_out(below: &Path) -> Option<Self> {
        let tools = installed()?;
        let folder = below.join("pg");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
        let server = Self { tools, folder, port: free_port() };
        if is_root() {
            assert!(Command::new("chown").arg("postgres:").arg(&server.folder).status().unwrap().success());
        }
        server.run("initdb", &["-A", "trust", "-U", "patio", "-E", "UTF8", "--locale=C.UTF-8"]);
        // Over the network with a password, shown as it is: SCRAM costs a program that is not optimised a tenth of a second.
        // Through its own folder the test does what an administrator does.
        fs::write(server.folder.join("pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 password\n").unwrap();
        Some(server)
    }

    /// Makes the role that Patio is let in as.
    pub fn make_role(&self) {
        self.sql(&format!("create role yard login password '{DATABASE_PASSWORD}'"));
    }

    pub fn url(&self) -> String {
        self.url_for("yard", DATABASE_PASSWORD)
    }

    pub fn url_for(&self, role: &str, password: &str) -> String {
        format!("postgres://{role}:{password}@127.0.0.1:{}/patio", self.port)
    }

    /// What an administrator says to it; what it answers.
    #[track_caller]
    pub fn sql(&self, statement: &str) -> String {
        self.sql_on("postgres", statement)
    }

    #[track_caller]
    pub fn sql_on(&self, database: &str, statement: &str) -> String {
        let (folder, port) = (self.folder.to_str().unwrap(), self.port.to_string());
        let mut command = self.command("psql");
        let told = command.args(["-h", folder, "-p", &port, "-U", "patio", "-d", database, "-qAtc", statement]).output().unwrap();
        assert!(told.status.success(), "{statement}: {}", String::from_utf8_lossy(&told.stderr));
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
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
        let mut server = Self::laid_out(below)?;
        server.up();
        Some(server)
    }

    /// The same before it is started.
    pub fn laid_out(below: &Path) -> Option<Self> {
        Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().ok()?;
        let folder = below.join("redis");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("redis.conf"), format!("requirepass {REDIS_PASSWORD}\n")).unwrap();
        Some(Self { folder, port: free_port(), child: None })
    }

    pub fn url(&self) -> String {
        self.url_with(REDIS_PASSWORD)
    }

    pub fn url_with(&self, password: &str) -> String {
        format!("redis://:{password}@127.0.0.1:{}", self.port)
    }

    /// What an administrator says to it.
    #[track_caller]
    pub fn say(&self, password: &str, words: &[&str]) -> String {
        let port = self.port.to_string();
        let told = Command::new("redis-cli").env("REDISCLI_AUTH", password).args(["-p", &port]).args(words).output().unwrap();
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
    }

    pub fn up(&mut self) {
        let child = Command::new("redis-server")
            .arg(self.folder.join("redis.conf"))
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
