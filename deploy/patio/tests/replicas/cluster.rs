//! Two replicas of every service and of the gateway, each a process of its own.
use super::servers::until;
use patio_kit::{command::print, testing::free_port};
use std::{
    collections::BTreeMap,
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command},
    time::{Duration, Instant},
};

/// Who is restarted in which order: those that others call come first.
pub const SERVICES: [&str; 5] = ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc", "gateway"];
pub const PASSWORD: &str = "adminpw-5Tg8Yh1j";
pub const DEVELOPER_PASSWORD: &str = "developerpw-8Bn3Mv7c";
pub const SERVICE_SECRET: &str = "servicesecret-2Wd5Rf8k";

/// One process and how it is started.
pub struct Replica {
    pub name: String,
    pub port: u16,
    program: PathBuf,
    pub admin: u16,
    pub environment: BTreeMap<String, String>,
    pub log: PathBuf,
    child: Option<Child>,
}

impl Replica {
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub fn up(&mut self) {
        let log = File::options().create(true).append(true).open(&self.log).unwrap();
        let mut command = Command::new(&self.program);
        command.arg("serve").env_clear().envs(&self.environment).stdout(log.try_clone().unwrap()).stderr(log);
        self.child = Some(command.spawn().unwrap());
    }

    pub fn wait_until_ready(&self) {
        until(&format!("{} is ready", self.name), Duration::from_secs(30), || self.is_ready());
    }

    pub fn is_ready(&self) -> bool {
        answers(&format!("http://127.0.0.1:{}/readyz", self.admin))
    }

    /// How it answers whether it is ready; nothing when it does not within a second.
    pub fn readiness(&self) -> Option<u16> {
        let patience = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(1)));
        let agent: ureq::Agent = patience.http_status_as_error(false).build().into();
        Some(agent.get(format!("http://127.0.0.1:{}/readyz", self.admin)).call().ok()?.status().as_u16())
    }

    /// Whether its process is no more.
    pub fn has_ended(&mut self) -> bool {
        self.child.as_mut().unwrap().try_wait().unwrap().is_some()
    }

    /// Ends it as Kubernetes does, and starts it again.
    pub fn restart(&mut self) {
        let mut child = self.child.take().unwrap();
        signal(&child, "-TERM");
        let started = Instant::now();
        let status = child.wait().unwrap();
        assert!(status.success(), "{} ended with {status}", self.name);
        assert!(started.elapsed() < Duration::from_secs(25), "{} took {:?} to end", self.name, started.elapsed());
        self.up();
        self.wait_until_ready();
    }

    /// The number of its process.
    pub fn id(&self) -> u32 {
        self.child.as_ref().unwrap().id()
    }

    pub fn kill(&mut self) {
        let mut child = self.child.take().unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// `-STOP` or `-CONT`.
    pub fn signal(&self, name: &str) {
        signal(self.child.as_ref().unwrap(), name);
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if std::thread::panicking() {
            let told = std::fs::read_to_string(&self.log).unwrap_or_default();
            let last: Vec<_> = told.lines().rev().take(12).collect();
            let _ = print(&format!("{} said last:\n{}\n", self.name, last.into_iter().rev().collect::<Vec<_>>().join("\n")));
        }
    }
}

pub fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

/// Whether a URL answers 200 within a second.
pub fn answers(url: &str) -> bool {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(1))).build().into();
    agent.get(url).call().is_ok()
}

/// Where everything else is.
pub struct Outside {
    pub database: String,
    pub redis: String,
    pub collector: String,
    /// What is logged.
    pub log: &'static str,
}

/// All ten, by service.
pub struct Cluster {
    pub replicas: BTreeMap<&'static str, [Replica; 2]>,
}

impl Cluster {
    /// Starts all at once, in no order, and waits until they are ready.
    pub fn start(work: &Path, outside: &Outside) -> Self {
        let mut cluster = Self::laid_out(work, outside);
        cluster.each(Replica::up);
        cluster.each(|replica| replica.wait_until_ready());
        cluster
    }

    /// All ten before any is started.
    pub fn laid_out(work: &Path, outside: &Outside) -> Self {
        let ports: BTreeMap<&str, [u16; 2]> = SERVICES.map(|service| (service, [free_port(), free_port()])).into();
        let common = environment(work, outside, &ports);
        let replicas = SERVICES.map(|service| (service, [0, 1].map(|n| replica(work, service, n, ports[service][n], common.clone()))));
        Self { replicas: replicas.into() }
    }

    pub fn all(&self) -> impl Iterator<Item = &Replica> {
        self.replicas.values().flatten()
    }

    /// All ten in an order that is another one in each turn.
    pub fn shuffled(turn: usize) -> Vec<(&'static str, usize)> {
        let all: Vec<_> = SERVICES.into_iter().flat_map(|service| [(service, 0), (service, 1)]).collect();
        // Each step by such a number meets every place of ten once.
        let step = [3, 7, 1, 9][turn % 4];
        (0..all.len()).map(|place| all[(place * step + turn) % all.len()]).collect()
    }

    pub fn each(&mut self, mut act: impl FnMut(&mut Replica)) {
        for service in SERVICES {
            for replica in self.replicas.get_mut(service).unwrap() {
                act(replica);
            }
        }
    }

    /// How many files and connections all have open.
    pub fn descriptors(&self) -> usize {
        let open = |replica: &Replica| std::fs::read_dir(format!("/proc/{}/fd", replica.id())).unwrap().count();
        self.replicas.values().flatten().map(open).sum()
    }

    /// What all hold in memory, in KiB, without what lies in files anyway.
    pub fn memory(&self) -> u64 {
        let held = |replica: &Replica| {
            let told = std::fs::read_to_string(format!("/proc/{}/status", replica.id())).unwrap();
            let line = told.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
            line.trim().trim_end_matches(" kB").parse::<u64>().unwrap()
        };
        self.replicas.values().flatten().map(held).sum()
    }

    pub fn gateways(&self) -> Vec<String> {
        self.replicas["gateway"].iter().map(Replica::url).collect()
    }
}

fn environment(work: &Path, outside: &Outside, ports: &BTreeMap<&str, [u16; 2]>) -> BTreeMap<String, String> {
    let pages = work.join("pages");
    std::fs::create_dir_all(&pages).unwrap();
    std::fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>").unwrap();
    let mut all: BTreeMap<String, String> = [
        ("PATIO_DATABASE_URL", outside.database.as_str()),
        ("PATIO_OTLP_URL", &outside.collector),
        ("PATIO_DATABASE_CONNECTIONS", "4"),
        ("PATIO_UNSAFE", "true"), // the test's own server does not wait for its disk
        ("PATIO_REDIS_URL", &outside.redis),
        ("PATIO_SERVICE_SECRET", SERVICE_SECRET),
        ("PATIO_ADMIN_PASSWORD", PASSWORD),
        ("PATIO_DEVELOPER_PASSWORD", DEVELOPER_PASSWORD),
        ("PATIO_SIGN_IN_BURST", "100000"),
        ("PATIO_WEB_DIR", pages.to_str().unwrap()),
        ("PATIO_LOG", outside.log),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .into();
    for service in ["auth", "campaign", "vehicle", "import"] {
        let urls = ports[format!("{service}-svc").as_str()].map(|port| format!("http://127.0.0.1:{port}"));
        all.insert(format!("PATIO_{}_URL", service.to_uppercase()), urls.join(","));
    }
    all
}

fn replica(work: &Path, service: &'static str, n: usize, port: u16, mut environment: BTreeMap<String, String>) -> Replica {
    let program = Path::new(env!("CARGO_BIN_EXE_patio")).with_file_name(service);
    assert!(program.exists(), "{} is missing: cargo build --workspace", program.display());
    let (name, admin) = (format!("{service} {n}"), free_port());
    environment.insert("PATIO_LISTEN".to_owned(), format!("127.0.0.1:{port}"));
    environment.insert("PATIO_ADMIN_LISTEN".to_owned(), format!("127.0.0.1:{admin}"));
    environment.insert("PATIO_LOG_JSON".to_owned(), (n == 1).to_string()); // both forms are looked at
    environment.insert("PATIO_DATA_DIR".to_owned(), work.join(&name).to_string_lossy().into_owned());
    Replica { log: work.join(format!("{service}-{n}.log")), name, port, program, admin, environment, child: None }
}
