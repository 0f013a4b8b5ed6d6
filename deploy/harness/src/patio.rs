//! A running Patio installation and its processes.
use crate::{
    ADMIN_HMC, ADMIN_PASSWORD, PROGRAM_NAMES,
    client::Client,
    folder::TestFolder,
    process::{Process, Signal},
};
use anyhow::bail;
use std::{
    ops::{Deref, DerefMut},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// Maximum time for a process to become ready.
const READY_TIMEOUT: Duration = Duration::from_secs(60);
/// Pause between two readiness probes of one process. The pause limits the number of connections and debug log lines that probes cause.
const PROBE_INTERVAL: Duration = Duration::from_millis(20);
/// Timeout of a readiness probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// One process of a [`Patio`] installation, with the ports on which it listens.
#[derive(Debug)]
pub struct Replica {
    /// Name of the program: one of [`PROGRAM_NAMES`], or `patio` for all services in one process.
    pub program: &'static str,
    /// Number of this replica among all replicas of the program, counted from 0.
    pub number: usize,
    /// Port on which the process serves gRPC or HTTP; 0 if the system chooses the port.
    pub port: u16,
    /// Port on which the process serves `/readyz` and `/metrics`.
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

    /// Returns the unique name of the process, such as `gateway-1`.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.launch.name
    }

    /// Returns the URL on which the process listens.
    #[must_use]
    pub fn url(&self) -> String {
        match self.port {
            0 => {
                self.read_output().split("ready on ").nth(1).and_then(|rest| rest.split_whitespace().next()).unwrap_or_default().to_owned()
            }
            port => format!("http://127.0.0.1:{port}"),
        }
    }

    /// Returns the base URL of the process's readiness probe and metrics.
    #[must_use]
    pub fn admin_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.admin_port)
    }

    /// Returns the HTTP status of the readiness probe, or `None` when no response arrives within a second.
    #[must_use]
    pub fn readiness_status(&self) -> Option<u16> {
        probe(&self.admin_url(), "/readyz")
    }

    /// Returns `true` if the process is ready. A separate service is ready if its readiness probe returns status 200. The process that
    /// runs all services is ready once it has printed its URL.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        // The combined program prints its address when all of its services are ready.
        if self.port == 0 { !self.url().is_empty() } else { self.readiness_status() == Some(200) }
    }

    /// Waits until the process is ready. Panics when the process exits or the timeout is reached.
    #[track_caller]
    pub fn wait_until_ready(&mut self) {
        self.try_wait_until_ready().unwrap();
    }

    fn try_wait_until_ready(&mut self) -> anyhow::Result<()> {
        let started = Instant::now();
        while !self.is_ready() {
            if !self.is_running() || started.elapsed() > READY_TIMEOUT {
                bail!("not ready: {}", self.last_output_lines());
            }
            thread::sleep(PROBE_INTERVAL);
        }
        Ok(())
    }

    /// Stops the process with `SIGTERM`, starts the process again, and waits until the process is ready.
    #[track_caller]
    pub fn restart(&mut self) {
        self.stop(Signal::Terminate);
        self.start().unwrap();
        self.wait_until_ready();
    }

    /// Sets an environment variable for the next start of the process.
    pub fn set_environment_variable(&mut self, name: &str, value: &str) {
        self.launch.environment.insert(name.to_owned(), value.to_owned());
    }
}

/// Sends a `GET` request for a path to the server at `url`. Returns the HTTP status, or `None` when no response arrives within
/// [`PROBE_TIMEOUT`].
fn probe(url: &str, path: &str) -> Option<u16> {
    let answer = Client::new(url).with_timeout(PROBE_TIMEOUT).try_call_route("GET", path, &serde_json::Value::Null);
    answer.ok().map(|answer| answer.status)
}

/// A Patio installation of one or more processes, which are killed on drop.
#[derive(Debug)]
pub struct Patio {
    replicas: Vec<Replica>,
    folder: TestFolder,
}

impl Patio {
    pub(crate) fn new(replicas: Vec<Replica>, folder: TestFolder) -> Self {
        Self { replicas, folder }
    }

    pub(crate) fn try_start_all_processes(&mut self) -> anyhow::Result<()> {
        self.replicas.iter_mut().try_for_each(|replica| replica.start())?;
        self.replicas.iter_mut().try_for_each(Replica::try_wait_until_ready)
    }

    /// Starts all processes at the same time and waits until every process is ready.
    #[track_caller]
    pub fn start_all_processes(&mut self) {
        self.try_start_all_processes().unwrap();
    }

    /// Returns all processes, in the order of [`PROGRAM_NAMES`].
    pub fn replicas(&self) -> impl Iterator<Item = &Replica> {
        self.replicas.iter()
    }

    /// Returns mutable references to all processes, in the order of [`PROGRAM_NAMES`].
    pub fn replicas_mut(&mut self) -> impl Iterator<Item = &mut Replica> {
        self.replicas.iter_mut()
    }

    /// Returns all replicas of one program.
    pub fn replicas_of_program(&self, program: &str) -> impl Iterator<Item = &Replica> {
        self.replicas.iter().filter(move |replica| replica.program == program)
    }

    /// Returns the replica of a program with the given number, counted from 0.
    #[must_use]
    #[track_caller]
    pub fn replica(&self, program: &str, number: usize) -> &Replica {
        self.replicas_of_program(program).nth(number).unwrap()
    }

    /// Returns a mutable reference to the replica of a program with the given number, counted from 0.
    #[must_use]
    #[track_caller]
    pub fn replica_mut(&mut self, program: &str, number: usize) -> &mut Replica {
        self.replicas.iter_mut().filter(|replica| replica.program == program).nth(number).unwrap()
    }

    /// Returns the processes that serve the REST API: the gateways, or the one process that runs all services.
    fn entries(&self) -> impl Iterator<Item = &Replica> {
        self.replicas.iter().filter(|replica| [PROGRAM_NAMES[4], "patio"].contains(&replica.program))
    }

    /// Returns the URLs of all gateways, or of the one process that runs all services.
    #[must_use]
    pub fn gateway_urls(&self) -> Vec<String> {
        self.entries().map(Replica::url).collect()
    }

    /// Returns the URL of the first gateway, or of the process that runs all services.
    #[must_use]
    #[track_caller]
    pub fn url(&self) -> String {
        self.entries().next().unwrap().url()
    }

    /// Waits until every process is ready and the first gateway reaches all services.
    #[track_caller]
    pub fn wait_until_ready(&mut self) {
        self.replicas.iter_mut().for_each(Replica::wait_until_ready);
        let Some(entry) = self.entries().find(|entry| entry.port != 0) else { return };
        let admin = entry.admin_url();
        crate::wait_until("the gateway reaches all services", READY_TIMEOUT, || probe(&admin, "/readyz/services") == Some(200));
    }

    /// Returns the first process, which is the only process if all services run in one process.
    #[must_use]
    pub fn first_process(&self) -> &Process {
        &self.replicas[0]
    }

    /// Returns a mutable reference to the first process.
    #[must_use]
    pub fn first_process_mut(&mut self) -> &mut Process {
        &mut self.replicas[0]
    }

    /// Returns a client of the first gateway. The client has no session yet.
    #[must_use]
    pub fn client(&self) -> Client {
        Client::new(&self.url())
    }

    /// Signs in as the first supervisor and returns a client with the session.
    #[must_use]
    #[track_caller]
    pub fn sign_in(&self) -> Client {
        self.client().sign_in(ADMIN_HMC, ADMIN_PASSWORD)
    }

    /// Returns the folder with the data, web pages and logs of the installation.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the data folder of the first process.
    #[must_use]
    pub fn data_folder(&self) -> PathBuf {
        self.replicas[0].launch.environment["PATIO_DATA_DIR"].clone().into()
    }

    /// Stops all processes with `SIGINT` in reverse start order. Asserts that each process exits with code 0.
    #[track_caller]
    pub fn stop(mut self) {
        self.replicas.iter_mut().rev().filter(|replica| replica.is_started()).for_each(|replica| replica.stop(Signal::Interrupt));
    }

    /// Returns the last log lines of every process.
    #[must_use]
    pub fn last_output_lines(&self) -> String {
        self.replicas.iter().map(|replica| replica.last_output_lines()).collect()
    }

    /// Returns the total number of open file descriptors (files and connections) of all processes.
    #[must_use]
    pub fn open_descriptor_count(&self) -> usize {
        self.replicas.iter().map(|replica| replica.open_descriptor_count()).sum()
    }

    /// Returns the total resident anonymous and shared memory of all processes, in KiB.
    #[must_use]
    pub fn resident_memory_kib(&self) -> i64 {
        self.replicas.iter().map(|replica| replica.resident_memory_kib()).sum()
    }
}
