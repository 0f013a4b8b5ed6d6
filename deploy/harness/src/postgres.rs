//! A PostgreSQL of the test's own, which requires a password over the network.
use crate::{
    environment::free_port,
    folder::Folder,
    process::{Launch, Process, Signal, Spawner},
    programs::tool,
    wait::until,
};
use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::LazyLock,
    time::Duration,
};

/// The role that Patio signs in as.
pub const DATABASE_ROLE: &str = "yard";
/// The password of [`DATABASE_ROLE`].
pub const DATABASE_PASSWORD: &str = "databasepw-4Kq7Wz2m";
/// The administrator, who comes without a password through the socket in the server's folder.
const ADMINISTRATOR: &str = "patio";

/// A server in a folder.
#[derive(Debug)]
pub struct Postgres {
    programs: PathBuf,
    data: PathBuf,
    port: u16,
    process: Process,
}

/// A data folder as `initdb` makes it, which takes a second. `None` when PostgreSQL is not installed.
static TEMPLATE: LazyLock<Option<Folder>> = LazyLock::new(|| {
    let (folder, programs) = (Folder::temporary(), installed()?);
    let data = folder.path().join("pg");
    own(&data);
    let mut init = as_server(&programs.join("initdb"));
    init.arg("-D").arg(&data).args(["-N", "-A", "trust", "-U", ADMINISTRATOR, "-E", "UTF8", "--locale=C.UTF-8"]);
    tool(init);
    // With a password over the network, in clear: SCRAM takes a program that is not optimised a tenth of a second.
    // Through its own folder the test is the administrator.
    fs::write(data.join("pg_hba.conf"), "local all all trust\nhost all all 127.0.0.1/32 password\n").unwrap();
    Some(folder)
});

fn installed() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").ok()?.flatten().map(|entry| entry.path().join("bin"));
    versions.filter(|programs| programs.join("initdb").exists()).max()
}

fn is_root() -> bool {
    fs::read_to_string("/proc/self/status").is_ok_and(|status| status.lines().any(|line| line.starts_with("Uid:\t0\t")))
}

/// A command of the server's own user, as PostgreSQL refuses to run as root.
fn as_server(program: &Path) -> Command {
    let mut words = server_words(program).into_iter();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).current_dir("/");
    command
}

fn server_words(program: &Path) -> Vec<String> {
    let user = ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups"].map(str::to_owned);
    let user = if is_root() { user.into() } else { Vec::new() };
    user.into_iter().chain([program.display().to_string()]).collect()
}

/// Creates a folder that belongs to the server's user.
fn own(folder: &Path) {
    fs::create_dir(folder).unwrap();
    if is_root() {
        let mut chown = Command::new("chown");
        chown.arg("postgres:").arg(folder);
        tool(chown);
    }
}

impl Postgres {
    /// Starts a fresh server below a folder, with an empty database for Patio; `None` when PostgreSQL is not installed.
    #[must_use]
    pub fn start(below: &Path) -> Option<Self> {
        let mut server = Self::prepare(below, &["max_connections=200", "fsync=off"], None)?;
        server.up();
        server.create_database();
        Some(server)
    }

    /// The same before it is started and knows any role; `spawner` starts its command when given.
    #[must_use]
    pub fn prepare(below: &Path, options: &[&str], spawner: Option<Spawner>) -> Option<Self> {
        let (template, programs) = (TEMPLATE.as_ref()?.path().join("pg"), installed()?);
        let (data, port) = (below.join("pg"), free_port());
        let mut copy = Command::new("cp");
        copy.arg("-a").arg(template).arg(&data);
        tool(copy);
        let mut words = server_words(&programs.join("postgres"));
        let (port_text, data_text) = (port.to_string(), data.display().to_string());
        words.extend(["-D", &data_text, "-p", &port_text, "-h", "127.0.0.1", "-k", &data_text].map(str::to_owned));
        words.extend(options.iter().flat_map(|option| ["-c".to_owned(), (*option).to_owned()]));
        let mut launch = Launch::new("postgres", words.remove(0).into(), below.to_owned());
        (launch.arguments, launch.spawner) = (words, spawner);
        Some(Self { programs, data, port, process: Process::new(launch) })
    }

    /// Creates the role that Patio signs in as.
    pub fn create_role(&self) {
        self.sql(&format!("create role {DATABASE_ROLE} login password '{DATABASE_PASSWORD}'"));
    }

    /// Creates the role and an empty database that belongs to it.
    pub fn create_database(&self) {
        self.create_role();
        self.sql(&format!("create database patio owner {DATABASE_ROLE}"));
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.process.id()
    }

    /// The URL of Patio's database.
    #[must_use]
    pub fn url(&self) -> String {
        self.url_for(DATABASE_ROLE, DATABASE_PASSWORD)
    }

    /// The URL of Patio's database for another role.
    #[must_use]
    pub fn url_for(&self, role: &str, password: &str) -> String {
        format!("postgres://{role}:{password}@127.0.0.1:{}/patio", self.port)
    }

    /// Runs an administrator's statement; rows as lines.
    #[track_caller]
    pub fn sql(&self, statement: &str) -> String {
        self.sql_on("postgres", statement)
    }

    /// The same in another database.
    #[track_caller]
    pub fn sql_on(&self, database: &str, statement: &str) -> String {
        self.sql_each(database, &[statement.to_owned()])
    }

    /// Runs statements one after another, each in a transaction of its own.
    #[track_caller]
    pub fn sql_each(&self, database: &str, statements: &[String]) -> String {
        let mut command = Command::new(self.programs.join("psql"));
        command.args(["-v", "ON_ERROR_STOP=1", "-qAt", "-h"]).arg(&self.data).args(["-p", &self.port.to_string()]);
        command.args(["-U", ADMINISTRATOR, "-d", database]).args(statements.iter().flat_map(|statement| ["-c", statement]));
        tool(command)
    }

    /// Starts it and waits until it accepts connections.
    pub fn up(&mut self) {
        let ready = |data: &Path, id: u32| {
            let status = fs::read_to_string(data.join("postmaster.pid")).unwrap_or_default();
            let lines: Vec<_> = status.lines().map(str::trim).collect();
            lines.first() == Some(&id.to_string().as_str()) && lines.get(7) == Some(&"ready")
        };
        self.process.start().unwrap();
        let process = &mut self.process;
        until("PostgreSQL accepts connections", Duration::from_secs(60), || {
            assert!(process.is_running(), "PostgreSQL ended: {}", process.log());
            ready(&self.data, process.id())
        });
    }

    /// Stops it: [`Signal::Interrupt`] as an administrator does, [`Signal::Quit`] as in a crash.
    pub fn down(&mut self, signal: Signal) {
        self.process.signal(signal);
        self.process.wait();
    }

    /// Sends a signal to it and to all of its processes.
    pub fn signal(&self, signal: Signal) {
        signal.send(&[self.process.children(), vec![self.process.id()]].concat());
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        if self.process.is_running() {
            self.signal(Signal::Continue);
            self.down(Signal::Quit);
        }
    }
}
