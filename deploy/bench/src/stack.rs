//! Starts the measured programs and databases in a temporary folder.
use crate::{
    cores::Cores,
    load::{self, Shot},
    proc::Group,
};
use anyhow::{Context, bail};
use http::HeaderMap;
use patio_harness::{LaunchConfig, Patio, PatioBuilder, Postgres, Process, Redis, Spawner, TestFolder, find_free_port};
use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub use patio_harness::ADMIN_PASSWORD as PASSWORD;

/// A running HTTP server with all processes that take part in its responses.
pub struct Served {
    /// Address of the HTTP server.
    pub at: SocketAddr,
    /// Processes of the server itself.
    pub own: Vec<Group>,
    /// Processes of its database servers.
    pub stores: Vec<Group>,
    _patio: Option<Patio>,
    _floors: Vec<Process>,
}

impl Served {
    /// Returns all processes of the server and its databases.
    #[must_use]
    pub fn groups(&self) -> Vec<Group> {
        self.own.iter().chain(&self.stores).cloned().collect()
    }
}

/// Database servers and the folder of the run. Fields are dropped in this order.
pub struct Ground {
    postgres: Option<Postgres>,
    redis: Option<Redis>,
    programs: PathBuf,
    cores: Cores,
    folder: TestFolder,
}

fn group(name: &str, root: u32) -> Group {
    Group { name: name.to_owned(), root }
}

impl Ground {
    /// Creates an empty folder. `programs` is the folder of Patio's executables; started programs run on `cores`.
    pub fn new(programs: &Path, cores: Cores) -> anyhow::Result<Self> {
        Ok(Self { postgres: None, redis: None, programs: programs.to_owned(), cores, folder: TestFolder::try_create_temporary()? })
    }

    fn spawner(&self) -> Spawner {
        let cores = self.cores;
        Arc::new(move |command| cores.start(command))
    }

    /// Starts the database servers with durable commits (`fsync` on).
    pub fn start_databases(&mut self) -> anyhow::Result<()> {
        let options = ["max_connections=300", "shared_buffers=512MB", "max_wal_size=4GB", "fsync=on", "synchronous_commit=on"];
        let folder = self.folder.path();
        let postgres = Postgres::new_stopped(folder, &options, Some(self.spawner()))
            .context("PostgreSQL is not installed; deploy/test installs it")?;
        let redis = Redis::new_stopped(folder, Some(self.spawner())).context("Redis is not installed; deploy/test installs it")?;
        let (postgres, redis) = (self.postgres.insert(postgres), self.redis.insert(redis));
        postgres.start_server();
        postgres.create_database();
        redis.start_server();
        Ok(())
    }

    /// Returns the URL of Patio's database.
    pub fn database(&self) -> anyhow::Result<String> {
        Ok(self.postgres.as_ref().context("PostgreSQL is not started")?.url())
    }

    /// Returns the path of a file or folder of the run.
    #[must_use]
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn stores(&self) -> Vec<Group> {
        let postgres = self.postgres.iter().map(|server| group("postgres", server.id()));
        postgres.chain(self.redis.iter().map(|server| group("redis", server.process_id()))).collect()
    }

    fn builder(&self) -> PatioBuilder {
        let cores = self.cores;
        // Uses the default log level, as in production.
        let builder =
            Patio::builder().with_installation_folder(self.folder.path()).with_program_folder(&self.programs).without_setting("PATIO_LOG");
        builder.with_process_spawner(move |command| cores.start(command))
    }

    /// Starts Patio as one process on SQLite.
    pub fn one_process(&self) -> anyhow::Result<Served> {
        served(self.builder().try_start()?, Vec::new())
    }

    /// Starts Patio as five processes on PostgreSQL and Redis.
    pub fn separate_processes(&self) -> anyhow::Result<Served> {
        let redis = self.redis.as_ref().context("Redis is not started")?.url();
        served(self.builder().with_separate_processes().with_postgres(&self.database()?).with_redis(&redis).try_start()?, self.stores())
    }

    /// Starts a baseline: an HTTP handler directly on the database, or behind one gRPC call if `hop`.
    pub async fn floor(&self, database: &str, hop: bool) -> anyhow::Result<Served> {
        let stores = if database.starts_with("postgres") { self.stores() } else { Vec::new() };
        let start = |name: &str, kind: &str, port: u16, source: &str| {
            let mut launch = LaunchConfig::new(name, std::env::current_exe()?, self.folder.path().to_owned());
            launch.arguments = ["floor", kind, &format!("127.0.0.1:{port}"), source].map(str::to_owned).into();
            launch.spawner = Some(self.spawner());
            let mut process = Process::new(launch);
            process.start()?;
            anyhow::Ok((group(name, process.id()), process))
        };
        let (port, back) = (find_free_port(), find_free_port());
        let floors = if hop {
            vec![start("service", "grpc", back, database)?, start("door", "http", port, &format!("http://127.0.0.1:{back}"))?]
        } else {
            vec![start("door", "http", port, database)?]
        };
        let at = SocketAddr::from(([127, 0, 0, 1], port));
        let (own, floors): (_, Vec<_>) = floors.into_iter().unzip();
        wait_until_ready(at, &floors).await?;
        Ok(Served { at, own, stores, _patio: None, _floors: floors })
    }
}

fn served(patio: Patio, stores: Vec<Group>) -> anyhow::Result<Served> {
    let at = patio.url().trim_start_matches("http://").parse()?;
    let own = patio.replicas().map(|replica| group(replica.program.trim_end_matches("-svc"), replica.id())).collect();
    Ok(Served { at, own, stores, _patio: Some(patio), _floors: Vec::new() })
}

async fn wait_until_ready(at: SocketAddr, floors: &[Process]) -> anyhow::Result<()> {
    for _ in 0..6_000 {
        let asked = load::once(at, Shot::get("/healthz".to_owned(), &HeaderMap::new())).await;
        if asked.is_ok_and(|answer| answer.status.is_success()) {
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    bail!("not ready within a minute:\n{}", floors.iter().map(Process::last_output_lines).collect::<String>())
}
