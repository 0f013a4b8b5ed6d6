//! A running Patio and its processes.
use crate::{
    ADMIN_HMC, ADMIN_PASSWORD, SERVICES,
    builder::Builder,
    client::Client,
    folder::Folder,
    process::{Process, Signal},
};
use anyhow::bail;
use std::{
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// How long processes may take to be ready.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// The pause between two readiness probes of one process: each costs it a connection, and log lines at the lowest level.
const PROBE_EVERY: Duration = Duration::from_millis(20);
/// How long a readiness probe waits for its answer.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// One process of a [`Patio`], which is a [`Process`] with ports.
#[derive(Debug)]
pub struct Replica {
    /// Its program: one of [`SERVICES`], or `patio` for all of them in one process.
    pub program: &'static str,
    /// Its number among the replicas of the program.
    pub number: usize,
    /// The port of its own protocol; 0 where the system chooses one.
    pub port: u16,
    /// The port of `/readyz` and `/metrics`.
    pub admin_port: u16,
    process: Process,
}

impl Deref for Replica {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

impl DerefMut for Replica {
    fn deref_mut(&mut self) -> &mut Process {
        &mut self.process
    }
}

impl Replica {
    pub(crate) fn new(process: Process, program: &'static str, number: usize, (port, admin_port): (u16, u16)) -> Self {
        Self { program, number, port, admin_port, process }
    }

    /// Its name among all processes.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.launch.name
    }

    /// Where it listens.
    #[must_use]
    pub fn url(&self) -> String {
        match self.port {
            0 => self.output().split("ready on ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default().to_owned(),
            port => format!("http://127.0.0.1:{port}"),
        }
    }

    /// Where it shows its readiness and its metrics.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.admin_port)
    }

    /// The status of its readiness probe; `None` when there is no answer within a second.
    #[must_use]
    pub fn readiness(&self) -> Option<u16> {
        probe(&self.admin_url())
    }

    /// Whether it is ready.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        // One process tells its address when all of its services are ready.
        if self.port == 0 { !self.url().is_empty() } else { self.readiness() == Some(200) }
    }

    /// Waits until it is ready.
    #[track_caller]
    pub fn wait_until_ready(&mut self) {
        self.try_wait_until_ready().unwrap();
    }

    fn try_wait_until_ready(&mut self) -> anyhow::Result<()> {
        let started = Instant::now();
        while !self.is_ready() {
            if !self.is_running() || started.elapsed() > READY_TIMEOUT {
                bail!("not ready: {}", self.last_lines());
            }
            thread::sleep(PROBE_EVERY);
        }
        Ok(())
    }

    /// Stops it as Kubernetes does, starts it again, and waits until it is ready.
    #[track_caller]
    pub fn restart(&mut self) {
        self.stop(Signal::Terminate);
        self.start().unwrap();
        self.wait_until_ready();
    }

    /// Changes an environment variable for the next start.
    pub fn set(&mut self, name: &str, value: &str) {
        self.launch.environment.insert(name.to_owned(), value.to_owned());
    }
}

/// The status of `/readyz` of a server; `None` when there is no answer within a second.
#[must_use]
pub(crate) fn probe(url: &str) -> Option<u16> {
    let answer = Client::new(url).with_timeout(PROBE_TIMEOUT).try_call("GET", "/readyz", &serde_json::Value::Null);
    answer.ok().map(|answer| answer.status)
}

/// Patio in one of its forms; `Drop` kills its processes.
#[derive(Debug)]
pub struct Patio {
    replicas: Vec<Replica>,
    folder: Folder,
}

impl Patio {
    /// Begins with one process on SQLite.
    pub fn builder() -> Builder {
        Builder::new()
    }

    pub(crate) fn new(replicas: Vec<Replica>, folder: Folder) -> Self {
        Self { replicas, folder }
    }

    pub(crate) fn try_start_all(&mut self) -> anyhow::Result<()> {
        self.replicas.iter_mut().try_for_each(|replica| replica.start())?;
        self.replicas.iter_mut().try_for_each(Replica::try_wait_until_ready)
    }

    /// Starts all processes at once and waits until they are ready.
    #[track_caller]
    pub fn start_all(&mut self) {
        self.try_start_all().unwrap();
    }

    /// All processes, in the order of [`SERVICES`].
    pub fn replicas(&self) -> impl Iterator<Item = &Replica> {
        self.replicas.iter()
    }

    /// The same, to change them.
    pub fn replicas_mut(&mut self) -> impl Iterator<Item = &mut Replica> {
        self.replicas.iter_mut()
    }

    /// The processes of one program.
    pub fn replicas_of(&self, program: &str) -> impl Iterator<Item = &Replica> {
        self.replicas.iter().filter(move |replica| replica.program == program)
    }

    /// One process.
    #[must_use]
    #[track_caller]
    pub fn replica(&self, program: &str, number: usize) -> &Replica {
        self.replicas_of(program).nth(number).unwrap()
    }

    /// The same, to change it.
    #[must_use]
    #[track_caller]
    pub fn replica_mut(&mut self, program: &str, number: usize) -> &mut Replica {
        self.replicas.iter_mut().filter(|replica| replica.program == program).nth(number).unwrap()
    }

    /// The processes that serve HTTP.
    fn entries(&self) -> impl Iterator<Item = &Replica> {
        self.replicas.iter().filter(|replica| [SERVICES[4], "patio"].contains(&replica.program))
    }

    /// The URLs of all gateways.
    #[must_use]
    pub fn gateways(&self) -> Vec<String> {
        self.entries().map(Replica::url).collect()
    }

    /// The URL of the first gateway.
    #[must_use]
    #[track_caller]
    pub fn url(&self) -> String {
        self.entries().next().unwrap().url()
    }

    /// Waits until every process is ready, and the first gateway reaches all services.
    #[track_caller]
    pub fn wait_until_ready(&mut self) {
        self.replicas.iter_mut().for_each(Replica::wait_until_ready);
        let url = self.url();
        crate::until("the gateway reaches all services", READY_TIMEOUT, || probe(&url) == Some(200));
    }

    /// The first process, which is the only one where all services are in one.
    #[must_use]
    pub fn process(&self) -> &Process {
        &self.replicas[0]
    }

    /// The same, to change it.
    #[must_use]
    pub fn process_mut(&mut self) -> &mut Process {
        &mut self.replicas[0]
    }

    /// A client without a session.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(&self.url())
    }

    /// A client of the first supervisor, signed in.
    #[must_use]
    #[track_caller]
    pub fn sign_in(&self) -> Client {
        self.client().sign_in(ADMIN_HMC, ADMIN_PASSWORD)
    }

    /// The folder of its data, pages and logs.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The data folder of the first process.
    #[must_use]
    pub fn data(&self) -> PathBuf {
        self.replicas[0].launch.environment["PATIO_DATA_DIR"].clone().into()
    }

    /// Stops all processes as Ctrl-C does, those first that call others; each must end with exit code 0.
    #[track_caller]
    pub fn stop(mut self) {
        self.replicas.iter_mut().rev().for_each(|replica| replica.stop(Signal::Interrupt));
    }

    /// The last log lines of every process.
    #[must_use]
    pub fn last_lines(&self) -> String {
        self.replicas.iter().map(|replica| replica.last_lines()).collect()
    }

    /// The open files and connections of all processes.
    #[must_use]
    pub fn descriptors(&self) -> usize {
        self.replicas.iter().map(|replica| replica.descriptors()).sum()
    }

    /// The memory of all processes that no file backs, in KiB.
    #[must_use]
    pub fn memory(&self) -> i64 {
        self.replicas.iter().map(|replica| replica.memory()).sum()
    }
}
