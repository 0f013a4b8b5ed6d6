//! PostgreSQL server started for one test. Network connections require a password.
use crate::{
    environment::find_free_port,
    folder::TestFolder,
    process::{LaunchConfig, Process, Signal, Spawner},
    programs::run_system_command,
    wait::wait_until,
};
use std::{
    fs,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::Duration,
};

/// Name of the database role with which Patio connects.
pub const DATABASE_ROLE: &str = "yard";
/// Password of [`DATABASE_ROLE`].
pub const DATABASE_PASSWORD: &str = "databasepw-4Kq7Wz2m";
/// Name of the administrator role, which connects without a password through the Unix socket in the server's folder.
pub(crate) const DATABASE_ADMIN_ROLE: &str = "patio";

/// PostgreSQL server of one test, with its data in a folder given by the test.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    data: PathBuf,
    port: u16,
    process: Process,
}

/// Data folder that is created once and copied for each server, because `initdb` takes a second. `None` if PostgreSQL is not
/// installed.
static TEMPLATE: LazyLock<Option<TestFolder>> = LazyLock::new(|| {
    let (folder, programs) = (TestFolder::create_temporary(), find_postgres_bin_folder()?);
    let data = folder.path().join("pg");
    create_folder_for_postgres(&data);
    let mut init = command_as_postgres(&programs.join("initdb"));
    init.arg("-D").arg(&data).args(["-N", "-A", "trust", "-U", DATABASE_ADMIN_ROLE, "-E", "UTF8", "--locale=C.UTF-8"]);
    run_system_command(init);
    // Network connections use a clear-text password, because SCRAM takes a debug build a tenth of a second.
    // Connections through the socket in the folder need no password.
    fs::write(data.join("pg_hba.conf"), "local all,replication all trust\nhost all all 127.0.0.1/32 password\n").unwrap();
    Some(folder)
});

pub(crate) fn find_postgres_bin_folder() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|entry| entry.path().join("bin"));
    versions.filter(|programs| programs.join("initdb").exists()).max()
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")))
}

/// Builds a command that runs as the user `postgres` if this process runs as root, because PostgreSQL refuses to run as root.
pub(crate) fn command_as_postgres(program: &Path) -> Command {
    let mut words = wrap_command_for_postgres_user(program).into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir("/");
    command
}

pub(crate) fn wrap_command_for_postgres_user(program: &Path) -> Vec<String> {
    let user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"].map(str::to_owned);
    let user = if is_root() { user.into() } else { Vec::new() };
    user.into_iter().chain([program.display().to_string()]).collect()
}

/// Creates a folder owned by the system user that runs the PostgreSQL server.
pub(crate) fn create_folder_for_postgres(folder: &Path) {
    fs::DirBuilder::new().mode(0o700).create(folder).unwrap();
    if is_root() {
        let mut chown = Command::new("chown");
        chown.arg("postgres:").arg(folder);
        run_system_command(chown);
    }
}

/// Runs SQL statements as administrator through the Unix socket in a folder, and returns the rows as lines of text.
#[track_caller]
pub(crate) fn run_sql_as_admin((socket, port): (&Path, u16), database: &str, statements: &[String]) -> String {
    let mut command = Command::new("psql");
    command.args(["-v", "ON_ERROR_STOP=1", "-qAt", "-h"]).arg(socket).args(["-p", &port.to_string()]);
    command.args(["-U", DATABASE_ADMIN_ROLE, "-d", database]).args(statements.iter().flat_map(|statement| ["-c", statement]));
    run_system_command(command)
}

impl Postgres {
    /// Starts a new server in a subfolder of `below`, with an empty database for Patio. Returns `None` if PostgreSQL is not installed.
    #[must_use]
    pub fn start(below: &Path) -> Option<Self> {
        let mut server = Self::new_stopped(below, &["max_connections=200", "fsync=off"], None)?;
        server.start_server();
        server.create_database();
        Some(server)
    }

    /// Creates the data folder of a server, but neither starts the server nor creates roles. `options` are server settings, such as
    /// `fsync=off`. A later start of the server uses `spawner`, or [`Command::spawn`] if `spawner` is `None`. Returns `None` if PostgreSQL
    /// is not installed.
    #[must_use]
    pub fn new_stopped(below: &Path, options: &[&str], spawner: Option<Spawner>) -> Option<Self> {
        let (template, programs) = (TEMPLATE.as_ref()?.path().join("pg"), find_postgres_bin_folder()?);
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(template).arg(below.join("pg"));
        run_system_command(copy);
        Some(Self::on_data(programs, below, options, spawner))
    }

    /// Starts a standby of this server, with its data in a subfolder of `below`. From then on, each commit on this server also waits
    /// for the standby, so that a promotion loses no acknowledged commit.
    #[must_use]
    pub fn start_standby(&self, below: &Path) -> Self {
        let data = below.join("pg");
        create_folder_for_postgres(&data);
        let mut copy = command_as_postgres(&self.programs.join("pg_basebackup"));
        copy.arg("-D").arg(&data).args(["-R", "-X", "stream", "-c", "fast", "-U", DATABASE_ADMIN_ROLE, "-p", &self.port.to_string(), "-h"]);
        copy.arg(&self.data);
        run_system_command(copy);
        let mut standby = Self::on_data(self.programs.clone(), below, &["max_connections=200", "fsync=off"], None);
        standby.start_server();
        self.run_sql("alter system set synchronous_standby_names = '*'");
        self.run_sql("select pg_reload_conf()");
        wait_until("the standby is synchronous", Duration::from_secs(20), || {
            self.run_sql("select count(*) from pg_stat_replication where sync_state = 'sync'").trim() == "1"
        });
        standby
    }

    /// Promotes this standby to the primary and waits until the server accepts writes.
    pub fn promote(&self) {
        self.run_sql("select pg_promote()");
    }

    /// Returns the network address of the server as `host:port`.
    #[must_use]
    pub fn address(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    fn on_data(programs: PathBuf, below: &Path, options: &[&str], spawner: Option<Spawner>) -> Self {
        let (data, port) = (below.join("pg"), find_free_port());
        let mut words = wrap_command_for_postgres_user(&programs.join("postgres"));
        let (port_text, data_text) = (port.to_string(), data.display().to_string());
        words.extend(["-D", &data_text, "-p", &port_text, "-h", "127.0.0.1", "-k", &data_text].map(str::to_owned));
        words.extend(options.iter().flat_map(|option| ["-c".to_owned(), (*option).to_owned()]));
        let mut launch = LaunchConfig::new("postgres", words.remove(0).into(), below.to_owned());
        (launch.arguments, launch.spawner) = (words, spawner);
        Self { programs, data, port, process: Process::new(launch) }
    }

    /// Creates the database role of Patio.
    pub fn create_role(&self) {
        self.run_sql(&format!("create role {DATABASE_ROLE} login password '{DATABASE_PASSWORD}'"));
    }

    /// Creates the database role of Patio and an empty database owned by the role.
    pub fn create_database(&self) {
        self.create_role();
        self.run_sql(&format!("create database patio owner {DATABASE_ROLE}"));
    }

    /// Returns the process id of the PostgreSQL server.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// Returns the URL with which Patio connects to its database.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_for_role(DATABASE_ROLE, DATABASE_PASSWORD)
    }

    /// Returns the URL with which the given role connects to Patio's database.
    #[must_use]
    pub fn url_for_role(&self, role: &str, password: &str) -> String {
        format!("postgres://{role}:{password}@127.0.0.1:{}/patio", self.port)
    }

    /// Runs an SQL statement in the database `postgres` as administrator, and returns the rows as lines of text.
    #[track_caller]
    pub fn run_sql(&self, statement: &str) -> String {
        self.run_sql_in_database("postgres", statement)
    }

    /// Runs an SQL statement in the given database as administrator, and returns the rows as lines of text.
    #[track_caller]
    pub fn run_sql_in_database(&self, database: &str, statement: &str) -> String {
        self.run_sql_statements(database, &[statement.to_owned()])
    }

    /// Runs SQL statements one after another, each in its own transaction, and returns the rows as lines of text.
    #[track_caller]
    pub fn run_sql_statements(&self, database: &str, statements: &[String]) -> String {
        run_sql_as_admin((&self.data, self.port), database, statements)
    }

    /// Starts the server and waits until it accepts connections.
    pub fn start_server(&mut self) {
        let ready = |data: &Path, id: u32| {
            let status = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
            let lines: Vec<_> = status.lines().map(str::trim).collect();
            lines.first() == Some(&id.to_string().as_str()) && lines.get(7) == Some(&"ready")
        };
        self.process.start().unwrap();
        let process = &mut self.process;
        wait_until("PostgreSQL accepts connections", Duration::from_secs(60), || {
            assert!(process.is_running(), "PostgreSQL ended: {}", process.read_log());
            ready(&self.data, process.id())
        });
    }

    /// Stops the server with [`Signal::Interrupt`], or simulates a crash with [`Signal::Quit`].
    pub fn stop_server(&mut self, signal: Signal) {
        self.process.send_signal(signal);
        self.process.wait_for_exit();
    }

    /// Sends a signal to the server and all of its child processes.
    pub fn send_signal(&self, signal: Signal) {
        signal.send_signal_to(&[self.process.child_process_ids(), vec![self.process.id()]].concat());
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.process.is_running() {
            self.send_signal(Signal::Continue);
            self.stop_server(Signal::Quit);
        }
    }
}
