//! Cluster of three PostgreSQL servers that Patroni manages through etcd, as in a production installation.
use crate::{
    client::Client,
    environment::find_free_port,
    folder::TestFolder,
    postgres::{
        DATABASE_ADMIN_ROLE, DATABASE_PASSWORD, DATABASE_ROLE, command_as_postgres, create_folder_for_postgres, find_postgres_bin_folder,
        run_sql_as_admin, wrap_command_for_postgres_user,
    },
    process::{LaunchConfig, Process, Signal},
    proxy::PausableProxy,
    wait::wait_until,
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

/// Number of PostgreSQL servers in the cluster.
const NODES: usize = 3;
/// Maximum time until the cluster has one primary and two standbys, one of which is synchronous.
const HEALTHY_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout of a request to Patroni's REST API.
const REST_TIMEOUT: Duration = Duration::from_secs(1);

/// Node of the cluster: a PostgreSQL server and the Patroni process that manages it. A test can cut the connection from Patroni to
/// etcd.
struct Node {
    patroni: Process,
    folder: PathBuf,
    port: u16,
    rest: String,
    etcd: PausableProxy,
}

/// PostgreSQL cluster of one primary and two standbys with synchronous replication.
pub struct Patroni {
    nodes: Vec<Node>,
    _etcd: Process,
    _folder: TestFolder,
}

impl Patroni {
    /// Starts etcd and three nodes, and creates the database of Patio. Returns `None` if PostgreSQL, Patroni or etcd is not installed.
    #[must_use]
    pub fn start() -> Option<Self> {
        let (patroni, etcd) = (Path::new("/usr/bin/patroni"), Path::new("/usr/bin/etcd"));
        let programs = find_postgres_bin_folder().filter(|_| patroni.exists() && etcd.exists())?;
        let folder = TestFolder::create_temporary();
        let (client, peer) = (find_free_port(), format!("http://127.0.0.1:{}", find_free_port()));
        let url = format!("http://127.0.0.1:{client}");
        let mut launch = LaunchConfig::new("etcd", etcd.to_owned(), folder.path().to_owned());
        let data = folder.path().join("etcd").display().to_string();
        let arguments = [
            ["--data-dir", &data],
            ["--listen-client-urls", &url],
            ["--advertise-client-urls", &url],
            ["--listen-peer-urls", &peer],
            ["--initial-advertise-peer-urls", &peer],
            ["--initial-cluster", &format!("default={peer}")],
        ];
        launch.arguments = arguments.concat().into_iter().map(str::to_owned).collect();
        let mut store = Process::new(launch);
        store.start().unwrap();
        let mut nodes: Vec<_> = (0..NODES).map(|number| Node::new(number, folder.path(), &programs, client)).collect();
        for node in &mut nodes {
            node.patroni.start().unwrap();
        }
        let cluster = Self { nodes, _etcd: store, _folder: folder };
        cluster.wait_until_healthy();
        cluster.run_sql("postgres", &format!("create role {DATABASE_ROLE} login password '{DATABASE_PASSWORD}'"));
        cluster.run_sql("postgres", &format!("create database patio owner {DATABASE_ROLE}"));
        Some(cluster)
    }

    /// Returns the URL with which Patio connects to its database. The URL names all nodes.
    #[must_use]
    pub fn url(&self) -> String {
        let hosts: Vec<_> = self.nodes.iter().map(|node| format!("127.0.0.1:{}", node.port)).collect();
        format!("postgres://{DATABASE_ROLE}:{DATABASE_PASSWORD}@{}/patio", hosts.join(","))
    }

    /// Returns the number of the node that is the primary, or `None` while there is no primary.
    #[must_use]
    pub fn primary_node(&self) -> Option<usize> {
        self.nodes.iter().position(|node| node.answers("/primary"))
    }

    /// Runs an SQL statement on the primary as administrator, and returns the rows as lines of text.
    #[track_caller]
    pub fn run_sql(&self, database: &str, statement: &str) -> String {
        let node = &self.nodes[self.primary_node().unwrap()];
        run_sql_as_admin((&node.folder, node.port), database, &[statement.to_owned()])
    }

    /// Waits until the cluster has one primary and two standbys, one of which is synchronous.
    #[track_caller]
    pub fn wait_until_healthy(&self) {
        wait_until("the cluster is healthy", HEALTHY_TIMEOUT, || {
            let count = |path: &str| self.nodes.iter().filter(|node| node.answers(path)).count();
            count("/primary") == 1 && count("/replica") == NODES - 1 && count("/synchronous") == 1
        });
    }

    /// Requests a switchover from Patroni: the synchronous standby becomes the primary. Operators request a switchover before
    /// maintenance of the primary.
    pub fn switch_over(&self) {
        let leader = self.primary_node().unwrap();
        let answer = Client::new(&self.nodes[leader].rest).with_timeout(Duration::from_secs(30));
        let candidate = self.nodes.iter().position(|node| node.answers("/synchronous")).unwrap();
        let body = json!({ "leader": format!("node{leader}"), "candidate": format!("node{candidate}") });
        assert!(answer.call_route("POST", "/switchover", &body).is_success());
    }

    /// Kills PostgreSQL and Patroni on a node with `SIGKILL`.
    pub fn kill_node(&mut self, node: usize) {
        Signal::Kill.send_signal_to(&self.nodes[node].processes());
        self.nodes[node].patroni.wait_for_exit();
    }

    /// Starts a killed node.
    pub fn restart_node(&mut self, node: usize) {
        self.nodes[node].patroni.start().unwrap();
    }

    /// Suspends PostgreSQL and Patroni on a node. Their connections stay open.
    pub fn suspend_node(&self, node: usize) {
        Signal::Suspend.send_signal_to(&self.nodes[node].processes());
    }

    /// Resumes PostgreSQL and Patroni on a suspended node.
    pub fn resume_node(&self, node: usize) {
        Signal::Continue.send_signal_to(&self.nodes[node].processes());
    }

    /// Cuts the connection between a node's Patroni process and etcd if `is_disconnected` is `true`; otherwise restores the connection.
    pub fn set_etcd_disconnected(&self, node: usize, is_disconnected: bool) {
        self.nodes[node].etcd.set_forwarding_paused(is_disconnected);
    }
}

impl Node {
    fn new(number: usize, below: &Path, programs: &Path, etcd: u16) -> Self {
        let folder = below.join(format!("node{number}"));
        create_folder_for_postgres(&folder);
        let (port, rest, etcd) = (find_free_port(), format!("127.0.0.1:{}", find_free_port()), PausableProxy::start(etcd));
        let config = below.join(format!("node{number}.json")); // YAML is a superset of JSON
        let person = |name: &str| json!({ "username": name, "password": "clusterpw-7Hq2" });
        let text = json!({
            "scope": "patio",
            "name": format!("node{number}"),
            "restapi": { "listen": rest, "connect_address": rest },
            "etcd3": { "host": format!("127.0.0.1:{}", etcd.port()), "use_proxies": true },
            "bootstrap": {
                "dcs": {
                    "ttl": 20, "loop_wait": 2, "retry_timeout": 5, "synchronous_mode": true,
                    "postgresql": {
                        "use_pg_rewind": true,
                        "parameters": { "max_connections": 200, "fsync": "off", "wal_log_hints": "on" },
                    },
                },
                "initdb": [{ "encoding": "UTF8" }, { "locale": "C.UTF-8" }, "no-sync"],
            },
            "postgresql": {
                "listen": format!("127.0.0.1:{port}"), "connect_address": format!("127.0.0.1:{port}"),
                "data_dir": folder.join("pg"), "bin_dir": programs, "pgpass": folder.join("pgpass"),
                "authentication": { "superuser": person(DATABASE_ADMIN_ROLE), "replication": person("replicator"), "rewind": person(DATABASE_ADMIN_ROLE) },
                "parameters": { "unix_socket_directories": folder },
                "pg_hba": ["local all all trust", "host all all 127.0.0.1/32 password", "host replication all 127.0.0.1/32 password"],
            },
        });
        fs::write(&config, text.to_string()).unwrap();
        let mut words = wrap_command_for_postgres_user(Path::new("/usr/bin/patroni"));
        words.push(config.display().to_string());
        let mut launch = LaunchConfig::new(&format!("node{number}"), words.remove(0).into(), below.to_owned());
        launch.arguments = words;
        Self { patroni: Process::new(launch), folder, port, rest: format!("http://{rest}"), etcd }
    }

    /// Returns `true` if the REST API of the node's Patroni process responds with status 200 within [`REST_TIMEOUT`].
    fn answers(&self, path: &str) -> bool {
        let answer = Client::new(&self.rest).without_connection_reuse(REST_TIMEOUT).try_call_route("GET", path, &Value::Null);
        answer.is_ok_and(|answer| answer.status == 200)
    }

    /// Returns the process ids of Patroni, of the main PostgreSQL process and of the child processes of PostgreSQL.
    fn processes(&self) -> Vec<u32> {
        let postmaster = fs::read_to_string(self.folder.join("pg/postmaster.pid")).unwrap_or_default();
        let postmaster: Option<u32> = postmaster.lines().next().and_then(|id| id.trim().parse().ok());
        let children = postmaster.map(|id| {
            let mut list = Command::new("pgrep");
            list.args(["-P", &id.to_string()]);
            String::from_utf8(list.output().unwrap().stdout).unwrap().lines().filter_map(|id| id.parse().ok()).collect::<Vec<_>>()
        });
        [vec![self.patroni.id()], postmaster.into_iter().collect(), children.unwrap_or_default()].concat()
    }
}

impl Drop for Node {
    fn drop(&mut self) {
        let processes = if self.patroni.is_running() { self.processes() } else { Vec::new() };
        Signal::Kill.send_signal_to(&processes);
        let mut stop = command_as_postgres(Path::new("pkill"));
        stop.args(["-KILL", "-f", &self.folder.display().to_string()]);
        let _ = stop.status();
    }
}
