//! What is measured: Patio's own programs and the databases, started in a temporary folder.
use crate::{
    cores::Cores,
    load::{self, Shot},
    proc::Group,
};
use anyhow::{Context, ensure};
use http::HeaderMap;
use patio_kit::testing::free_port;
use std::{
    fs,
    net::SocketAddr,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};
use tempfile::TempDir;

/// The first supervisor's password.
pub const PASSWORD: &str = "a-first-password";

/// A program that ends with what holds it.
pub struct Running {
    child: Child,
    signal: &'static str,
}

impl Running {
    fn start(cores: Cores, command: &mut Command, log: &Path, signal: &'static str) -> anyhow::Result<Self> {
        let out = fs::File::create(log)?;
        let child = cores.start(command.stdin(Stdio::null()).stdout(out.try_clone()?).stderr(out));
        Ok(Self { child: child.with_context(|| format!("cannot start {}", command.get_program().display()))?, signal })
    }

    fn group(&self, name: &str) -> Group {
        Group { name: name.to_owned(), root: self.child.id() }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = Command::new("kill").args([self.signal, &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// Something that answers HTTP, with all the processes its answers cost.
pub struct Served {
    /// Where.
    pub at: SocketAddr,
    /// Its own processes.
    pub own: Vec<Group>,
    /// The databases it uses.
    pub stores: Vec<Group>,
    _running: Vec<Running>,
}

impl Served {
    /// Every process that works for it.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        self.own.iter().chain(&self.stores).cloned().collect()
    }
}

/// The databases and the folder they live in. Fields end in this order.
pub struct Ground {
    postgres: Option<(Running, u16)>,
    redis: Option<(Running, u16)>,
    programs: PathBuf,
    cores: Cores,
    folder: TempDir,
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")))
}

/// A command of the database's own user: its server refuses to run as root.
fn as_server(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid", "postgres", "--regid", "postgres", "--clear-groups"]).arg(program);
    command
}

fn postgres_programs() -> anyhow::Result<PathBuf> {
    let installed = fs::read_dir("/usr/lib/postgresql").context("PostgreSQL is not installed; deploy/test installs it")?;
    let newest = installed.flatten().map(|entry| entry.path().join("bin")).filter(|bin| bin.join("initdb").is_file()).max();
    newest.context("PostgreSQL is not installed; deploy/test installs it")
}

impl Ground {
    /// An empty folder; Patio's programs are in `programs`, and all that is started runs on `cores`.
    pub fn new(programs: &Path, cores: Cores) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("patio-bench.").tempdir()?;
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755))?;
        let pages = folder.path().join("pages");
        fs::create_dir(&pages)?;
        fs::write(pages.join("index.html"), "<!doctype html><title>bench</title>")?;
        Ok(Self { postgres: None, redis: None, programs: programs.to_owned(), cores, folder })
    }

    /// Starts the databases, with every commit on the disk before it is answered.
    pub async fn start_databases(&mut self) -> anyhow::Result<()> {
        let (bin, data, port) = (postgres_programs()?, self.folder.path().join("pg"), free_port());
        fs::create_dir(&data)?;
        if is_root() {
            ensure!(Command::new("chown").arg("postgres:").arg(&data).status()?.success(), "the folder cannot be given to postgres");
        }
        fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
        let mut init = as_server(&bin.join("initdb"));
        init.arg("-D").arg(&data).args(["-A", "trust", "-U", "patio", "-E", "UTF8", "--locale=C.UTF-8"]);
        ensure!(init.stdout(Stdio::null()).status()?.success(), "the database cannot be made");
        let mut server = as_server(&bin.join("postgres"));
        server.arg("-D").arg(&data).args(["-p", &port.to_string(), "-h", "127.0.0.1", "-k"]).arg(&data);
        for setting in ["max_connections=300", "shared_buffers=512MB", "max_wal_size=4GB", "fsync=on", "synchronous_commit=on"] {
            server.args(["-c", setting]);
        }
        self.postgres = Some((Running::start(self.cores, &mut server, &self.log("postgres"), "-INT")?, port));
        let port = free_port();
        let mut redis = Command::new("redis-server");
        redis
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--appendonly", "yes", "--save", "", "--dir"])
            .arg(self.folder.path());
        self.redis = Some((Running::start(self.cores, &mut redis, &self.log("redis"), "-TERM")?, port));
        self.wait_for_database().await
    }

    async fn wait_for_database(&self) -> anyhow::Result<()> {
        for _ in 0..150 {
            if let Ok(pool) = sqlx::PgPool::connect(&self.url("postgres")?).await {
                sqlx::raw_sql("create database patio").execute(&pool).await?;
                return Ok(());
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        anyhow::bail!("the database does not answer: {}", fs::read_to_string(self.log("postgres"))?)
    }

    fn log(&self, name: &str) -> PathBuf {
        self.folder.path().join(format!("{name}.log"))
    }

    fn url(&self, database: &str) -> anyhow::Result<String> {
        let (_, port) = self.postgres.as_ref().context("no database is started")?;
        Ok(format!("postgres://patio@127.0.0.1:{port}/{database}"))
    }

    /// The database that Patio keeps its rows in.
    pub fn database(&self) -> anyhow::Result<String> {
        self.url("patio")
    }

    /// A file or folder of the run.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn stores(&self) -> Vec<Group> {
        let of = |held: &Option<(Running, u16)>, name| held.as_ref().map(|(running, _)| running.group(name));
        of(&self.postgres, "postgres").into_iter().chain(of(&self.redis, "redis")).collect()
    }

    fn command(&self, program: &str, port: u16) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command
            .current_dir(self.folder.path())
            .env("PATIO_LISTEN", format!("127.0.0.1:{port}"))
            .env("PATIO_WEB_DIR", self.path("pages"))
            .env("PATIO_ADMIN_LISTEN", "off")
            .env("PATIO_ADMIN_PASSWORD", PASSWORD)
            .env("PATIO_SIGN_IN_BURST", "1000000");
        command
    }

    /// Patio in one process on SQLite.
    pub async fn one_process(&self) -> anyhow::Result<Served> {
        let port = free_port();
        let mut command = self.command("patio", port);
        command.env("PATIO_DATA_DIR", self.path("data"));
        let running = Running::start(self.cores, &mut command, &self.log("patio"), "-INT")?;
        self.served(port, vec![("patio", running)], Vec::new()).await
    }

    /// Patio in five processes on PostgreSQL and Redis.
    pub async fn five_processes(&self) -> anyhow::Result<Served> {
        let (_, redis) = self.redis.as_ref().context("no Redis is started")?;
        let services = ["auth", "campaign", "vehicle", "import"];
        let ports = services.map(|_| free_port());
        let database = self.database()?;
        let place = |command: &mut Command| {
            command.env("PATIO_DATABASE_URL", &database).env("PATIO_REDIS_URL", format!("redis://127.0.0.1:{redis}"));
            command.env("PATIO_SERVICE_SECRET", "shared-by-all-five").arg("serve");
            for (service, port) in services.iter().zip(&ports) {
                command.env(format!("PATIO_{}_URL", service.to_uppercase()), format!("http://127.0.0.1:{port}"));
            }
        };
        let mut running = Vec::new();
        for (service, port) in services.into_iter().zip(&ports) {
            let name = format!("{service}-svc");
            let mut command = self.command(&name, *port);
            place(&mut command);
            running.push((service, Running::start(self.cores, &mut command, &self.log(&name), "-TERM")?));
        }
        let port = free_port();
        let mut command = self.command("gateway", port);
        place(&mut command);
        running.push(("gateway", Running::start(self.cores, &mut command, &self.log("gateway"), "-TERM")?));
        self.served(port, running, self.stores()).await
    }

    /// A floor of ours: a handler on the database, or behind one hop of gRPC when `hop` is true.
    pub async fn floor(&self, database: &str, hop: bool) -> anyhow::Result<Served> {
        let stores = if database.starts_with("postgres") { self.stores() } else { Vec::new() };
        let start = |name: &str, kind: &str, port: u16, source: &str| {
            let mut command = Command::new(std::env::current_exe()?);
            command.args(["floor", kind, &format!("127.0.0.1:{port}"), source]);
            Running::start(self.cores, &mut command, &self.log(name), "-KILL")
        };
        let (port, back) = (free_port(), free_port());
        if hop {
            let service = start("floor-service", "grpc", back, database)?;
            let door = start("floor-door", "http", port, &format!("http://127.0.0.1:{back}"))?;
            return self.served(port, vec![("service", service), ("door", door)], stores).await;
        }
        let door = start("floor-bare", "http", port, database)?;
        self.served(port, vec![("door", door)], stores).await
    }

    async fn served(&self, port: u16, running: Vec<(&str, Running)>, stores: Vec<Group>) -> anyhow::Result<Served> {
        let at = SocketAddr::from(([127, 0, 0, 1], port));
        let own = running.iter().map(|(name, running)| running.group(name)).collect();
        let served = Served { at, own, stores, _running: running.into_iter().map(|(_, running)| running).collect() };
        for _ in 0..600 {
            let asked = load::once(at, Shot::get("/readyz".to_owned(), &HeaderMap::new())).await;
            if asked.is_ok_and(|answer| answer.status.is_success()) {
                return Ok(served);
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        let logs = fs::read_dir(self.folder.path())?.flatten().filter(|entry| entry.path().extension().is_some_and(|end| end == "log"));
        let told: String = logs.filter_map(|log| fs::read_to_string(log.path()).ok()).collect();
        anyhow::bail!("not ready within a minute:\n{told}")
    }
}
