//! One process: started, stopped, killed, suspended, and read in `/proc`.
use crate::{
    lifeline::{self, AtExit},
    wait::POLL,
};
use anyhow::{Context, bail, ensure};
use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, File},
    io,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

/// How long a process may take to end after it was asked to.
const STOP_TIMEOUT: Duration = Duration::from_secs(25);
/// Log lines of each process that are printed when a test panics.
const SHOWN_LINES: usize = 15;

/// Starts a command, for callers that choose cores or limits.
pub type Spawner = Arc<dyn Fn(&mut Command) -> io::Result<Child> + Send + Sync>;

/// A signal to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `SIGINT`, as Ctrl-C sends it.
    Interrupt,
    /// `SIGTERM`, as Kubernetes and systemd send it.
    Terminate,
    /// `SIGQUIT`.
    Quit,
    /// `SIGKILL`.
    Kill,
    /// `SIGSTOP`: the process keeps its connections and does nothing.
    Suspend,
    /// `SIGCONT`.
    Continue,
}

impl Signal {
    /// Sends it to processes; those that have ended are ignored.
    pub fn send(self, processes: &[u32]) {
        let name = match self {
            Self::Interrupt => "-INT",
            Self::Terminate => "-TERM",
            Self::Quit => "-QUIT",
            Self::Kill => "-KILL",
            Self::Suspend => "-STOP",
            Self::Continue => "-CONT",
        };
        let _ = Command::new("kill").arg(name).args(processes.iter().map(u32::to_string)).stderr(Stdio::null()).status();
    }
}

/// A program with all that it is started with.
#[derive(Clone)]
pub struct Launch {
    /// Names its log files, and the process in messages.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// A program that starts this one, with its own arguments, such as `prlimit`; the process id must stay the same.
    pub wrapper: Vec<String>,
    /// All of its environment but `PATH`.
    pub environment: BTreeMap<String, String>,
    /// Where its log files are.
    pub folder: PathBuf,
    /// Starts the command in place of [`Command::spawn`].
    pub spawner: Option<Spawner>,
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").field("name", &self.name).field("program", &self.program).finish_non_exhaustive()
    }
}

impl Launch {
    /// A program without arguments and environment.
    #[must_use]
    pub fn new(name: &str, program: PathBuf, folder: PathBuf) -> Self {
        let name = name.to_owned();
        Self { name, program, folder, arguments: Vec::new(), wrapper: Vec::new(), environment: BTreeMap::new(), spawner: None }
    }

    fn command(&self) -> Command {
        let mut command = match self.wrapper.split_first() {
            Some((wrapper, arguments)) => {
                let mut command = Command::new(wrapper);
                command.args(arguments).arg(&self.program);
                command
            }
            None => Command::new(&self.program),
        };
        command.args(&self.arguments).current_dir("/").env_clear().env("PATH", "/usr/bin:/bin").envs(&self.environment);
        command
    }
}

/// A process, which may be started again after it ended; `Drop` kills it.
#[derive(Debug)]
pub struct Process {
    /// What it is started with the next time.
    pub launch: Launch,
    running: Option<(Child, AtExit)>,
    /// Where the output of the present start begins.
    output_start: usize,
}

impl Process {
    /// A process that is not started yet.
    #[must_use]
    pub fn new(launch: Launch) -> Self {
        Self { launch, running: None, output_start: 0 }
    }

    /// Starts it; standard output and standard error are appended to its files.
    pub fn start(&mut self) -> anyhow::Result<()> {
        ensure!(self.running.is_none(), "{} runs already", self.launch.name);
        self.output_start = fs::read(self.output_path()).map_or(0, |output| output.len());
        let append = |path: PathBuf| File::options().create(true).append(true).open(path);
        let mut command = self.launch.command();
        command.stdin(Stdio::null()).stdout(append(self.output_path())?).stderr(append(self.log_path())?);
        let child = match &self.launch.spawner {
            Some(spawner) => spawner(&mut command),
            None => command.spawn(),
        };
        let child = child.with_context(|| format!("cannot start {}", self.launch.program.display()))?;
        let end = lifeline::kill_at_exit(child.id());
        self.running = Some((child, end));
        Ok(())
    }

    /// The file of its standard output.
    #[must_use]
    pub fn output_path(&self) -> PathBuf {
        self.launch.folder.join(format!("{}.out", self.launch.name))
    }

    /// The file of its standard error, which programs of Patio log to.
    #[must_use]
    pub fn log_path(&self) -> PathBuf {
        self.launch.folder.join(format!("{}.log", self.launch.name))
    }

    /// Its standard output since it was started last.
    #[must_use]
    pub fn output(&self) -> String {
        let output = fs::read(self.output_path()).unwrap_or_default();
        String::from_utf8_lossy(output.get(self.output_start..).unwrap_or_default()).into_owned()
    }

    /// Its standard error since the first start.
    #[must_use]
    pub fn log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log_path()).unwrap_or_default()).into_owned()
    }

    /// The last lines of its output and of its log.
    #[must_use]
    pub fn last_lines(&self) -> String {
        let last = |text: String| text.lines().rev().take(SHOWN_LINES).map(str::to_owned).collect::<Vec<_>>();
        let lines: Vec<_> = [self.output(), self.log()].into_iter().flat_map(|text| last(text).into_iter().rev()).collect();
        format!("{}:\n{}\n", self.launch.name, lines.join("\n"))
    }

    fn child(&mut self) -> &mut Child {
        let name = &self.launch.name;
        &mut self.running.as_mut().unwrap_or_else(|| panic!("{name} is not started")).0
    }

    /// Its process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.running.as_ref().unwrap_or_else(|| panic!("{} is not started", self.launch.name)).0.id()
    }

    /// Whether it runs.
    pub fn is_running(&mut self) -> bool {
        self.running.is_some() && self.child().try_wait().unwrap().is_none()
    }

    /// Sends a signal and waits for nothing.
    pub fn signal(&self, signal: Signal) {
        signal.send(&[self.id()]);
    }

    /// Kills it and waits for its end.
    pub fn kill(&mut self) {
        let _ = self.child().kill();
        self.wait();
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> ExitStatus {
        let status = self.child().wait().unwrap();
        self.running = None;
        status
    }

    /// Sends a signal that asks it to end, and waits for the end.
    ///
    /// # Errors
    /// When it does not end in time, or with another exit code than 0.
    pub fn try_stop(&mut self, signal: Signal) -> anyhow::Result<()> {
        let (started, name) = (Instant::now(), self.launch.name.clone());
        self.signal(signal);
        loop {
            if let Some(status) = self.child().try_wait()? {
                self.running = None;
                ensure!(status.success(), "{name} ended with {status}");
                return Ok(());
            }
            if started.elapsed() > STOP_TIMEOUT {
                bail!("{name} took longer than {STOP_TIMEOUT:?} to end");
            }
            thread::sleep(POLL);
        }
    }

    /// The same; an error panics.
    #[track_caller]
    pub fn stop(&mut self, signal: Signal) {
        self.try_stop(signal).unwrap();
    }

    /// Memory that no file backs, in KiB.
    #[must_use]
    pub fn memory(&self) -> i64 {
        self.status(&["RssAnon:", "RssShmem:"])
    }

    /// Memory that `RLIMIT_DATA` counts, in KiB.
    #[must_use]
    pub fn limited_memory(&self) -> i64 {
        self.status(&["VmData:"])
    }

    fn status(&self, fields: &[&str]) -> i64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let values = status.lines().filter_map(|line| fields.iter().find_map(|field| line.strip_prefix(field)));
        values.map(|value| value.trim().trim_end_matches(" kB").parse::<i64>().unwrap()).sum()
    }

    /// The number of its open files and connections.
    #[must_use]
    pub fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    /// The ids of the processes that it started.
    #[must_use]
    pub fn children(&self) -> Vec<u32> {
        let id = self.id();
        let children = fs::read_to_string(format!("/proc/{id}/task/{id}/children")).unwrap_or_default();
        children.split_whitespace().map(|child| child.parse().unwrap()).collect()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some((mut child, _)) = self.running.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
        if thread::panicking() {
            eprintln!("{}", self.last_lines());
        }
    }
}
