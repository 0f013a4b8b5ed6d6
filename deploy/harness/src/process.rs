//! Child process that a test can start, stop, kill and suspend. Its memory use and open files are read from `/proc`.
use crate::{
    exit_cleanup::{self, CleanupGuard},
    wait::POLL_INTERVAL,
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

/// Maximum time for a process to exit after a stop signal.
const STOP_TIMEOUT: Duration = Duration::from_secs(25);
/// Maximum number of lines printed from each output file of a process (standard output and log) when a test panics.
const SHOWN_LINES: usize = 15;

/// Function that starts a command, for example with a CPU affinity or resource limits.
pub type Spawner = Arc<dyn Fn(&mut Command) -> io::Result<Child> + Send + Sync>;

/// Signal that a test can send to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// `SIGINT`, the signal of Ctrl-C.
    Interrupt,
    /// `SIGTERM`, the stop signal of Kubernetes and systemd.
    Terminate,
    /// `SIGQUIT`: PostgreSQL stops immediately, as in a crash.
    Quit,
    /// `SIGKILL`: the system ends the process immediately.
    Kill,
    /// `SIGSTOP`: the process is suspended and keeps its connections.
    Suspend,
    /// `SIGCONT`: a suspended process continues.
    Continue,
}

impl Signal {
    /// Sends the signal to processes. Processes that have exited are ignored.
    pub fn send_signal_to(self, processes: &[u32]) {
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

/// Configuration of a process: program, arguments, environment, and folder of the log files.
#[derive(Clone)]
pub struct LaunchConfig {
    /// Name of the process in log file names and messages.
    pub name: String,
    /// Path of the executable.
    pub program: PathBuf,
    /// Command-line arguments.
    pub arguments: Vec<String>,
    /// Wrapper command with arguments, such as `prlimit`, that starts the program. The wrapper must replace itself with the
    /// program (`exec`), so that the process id stays the same.
    pub wrapper: Vec<String>,
    /// Environment variables of the process, in addition to `PATH`.
    pub environment: BTreeMap<String, String>,
    /// Folder in which the log files of the process are written.
    pub folder: PathBuf,
    /// Function that starts the command. When `None`, [`Command::spawn`] starts the command.
    pub spawner: Option<Spawner>,
}

impl fmt::Debug for LaunchConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch").field("name", &self.name).field("program", &self.program).finish_non_exhaustive()
    }
}

impl LaunchConfig {
    /// Creates a launch configuration without arguments or environment variables.
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

/// A process that can be started again after it was stopped. Dropping the value kills the process.
#[derive(Debug)]
pub struct Process {
    /// Configuration of the next start.
    pub launch: LaunchConfig,
    running: Option<(Child, CleanupGuard)>,
    /// Length of the standard output file at the last start, in bytes. Later output begins at this offset.
    output_start: usize,
}

impl Process {
    /// Creates a process without starting it.
    #[must_use]
    pub fn new(launch: LaunchConfig) -> Self {
        Self { launch, running: None, output_start: 0 }
    }

    /// Starts the process. Standard output and standard error are appended to files.
    pub fn start(&mut self) -> anyhow::Result<()> {
        ensure!(self.running.is_none(), "{} is already running", self.launch.name);
        self.output_start = fs::read(self.output_path()).map_or(0, |output| output.len());
        let append = |path: PathBuf| File::options().create(true).append(true).open(path);
        let mut command = self.launch.command();
        command.stdin(Stdio::null()).stdout(append(self.output_path())?).stderr(append(self.log_path())?);
        let child = match &self.launch.spawner {
            Some(spawner) => spawner(&mut command),
            None => command.spawn(),
        };
        let child = child.with_context(|| format!("cannot start {}", self.launch.program.display()))?;
        let end = exit_cleanup::kill_process_at_exit(child.id());
        self.running = Some((child, end));
        Ok(())
    }

    /// Returns the path of the file with the standard output of the process.
    #[must_use]
    pub fn output_path(&self) -> PathBuf {
        self.launch.folder.join(format!("{}.out", self.launch.name))
    }

    /// Returns the path of the log file, which contains the standard error of the process.
    #[must_use]
    pub fn log_path(&self) -> PathBuf {
        self.launch.folder.join(format!("{}.log", self.launch.name))
    }

    /// Returns the standard output of the process since the last start.
    #[must_use]
    pub fn read_output(&self) -> String {
        let output = fs::read(self.output_path()).unwrap_or_default();
        String::from_utf8_lossy(output.get(self.output_start..).unwrap_or_default()).into_owned()
    }

    /// Returns the standard error of the process since the first start.
    #[must_use]
    pub fn read_log(&self) -> String {
        String::from_utf8_lossy(&fs::read(self.log_path()).unwrap_or_default()).into_owned()
    }

    /// Returns the last lines of the process's standard output and log.
    #[must_use]
    pub fn last_output_lines(&self) -> String {
        let last = |text: String| text.lines().rev().take(SHOWN_LINES).map(str::to_owned).collect::<Vec<_>>();
        let lines: Vec<_> = [self.read_output(), self.read_log()].into_iter().flat_map(|text| last(text).into_iter().rev()).collect();
        format!("{}:\n{}\n", self.launch.name, lines.join("\n"))
    }

    fn child(&mut self) -> &mut Child {
        let name = &self.launch.name;
        &mut self.running.as_mut().unwrap_or_else(|| panic!("{name} is not started")).0
    }

    /// Returns the process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.running.as_ref().unwrap_or_else(|| panic!("{} is not started", self.launch.name)).0.id()
    }

    /// Returns `true` if the process was started and has not been stopped since then. A crash does not count as a stop.
    #[must_use]
    pub fn is_started(&self) -> bool {
        self.running.is_some()
    }

    /// Returns `true` if the process is running now. Unlike [`Process::is_started`], returns `false` after a crash.
    pub fn is_running(&mut self) -> bool {
        self.running.is_some() && self.child().try_wait().unwrap().is_none()
    }

    /// Sends a signal to the process without waiting for the process to react.
    pub fn send_signal(&self, signal: Signal) {
        signal.send_signal_to(&[self.id()]);
    }

    /// Kills the process with `SIGKILL` and waits until the process has exited.
    pub fn kill(&mut self) {
        let _ = self.child().kill();
        self.wait_for_exit();
    }

    /// Waits until the process exits and returns the exit status.
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        let status = self.child().wait().unwrap();
        self.running = None;
        status
    }

    /// Sends a stop signal and waits until the process exits.
    ///
    /// # Errors
    /// Returns an error when the process does not exit in time or exits with a code other than 0.
    pub fn try_stop(&mut self, signal: Signal) -> anyhow::Result<()> {
        let (started, name) = (Instant::now(), self.launch.name.clone());
        self.send_signal(signal);
        loop {
            if let Some(status) = self.child().try_wait()? {
                self.running = None;
                ensure!(status.success(), "{name} exited with {status}");
                return Ok(());
            }
            if started.elapsed() > STOP_TIMEOUT {
                bail!("{name} did not exit within {STOP_TIMEOUT:?}");
            }
            thread::sleep(POLL_INTERVAL);
        }
    }

    /// Sends a stop signal and waits until the process exits. Panics on a timeout or a failure exit code.
    #[track_caller]
    pub fn stop(&mut self, signal: Signal) {
        self.try_stop(signal).unwrap();
    }

    /// Returns the resident anonymous and shared memory of the process, in KiB.
    #[must_use]
    pub fn resident_memory_kib(&self) -> i64 {
        self.status(&["RssAnon:", "RssShmem:"])
    }

    /// Returns the size in KiB of the process's private writable memory (`VmData`), which `RLIMIT_DATA` limits.
    #[must_use]
    pub fn data_segment_kib(&self) -> i64 {
        self.status(&["VmData:"])
    }

    fn status(&self, fields: &[&str]) -> i64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap();
        let values = status.lines().filter_map(|line| fields.iter().find_map(|field| line.strip_prefix(field)));
        values.map(|value| value.trim().trim_end_matches(" kB").parse::<i64>().unwrap()).sum()
    }

    /// Returns the number of open file descriptors (files and connections) of the process.
    #[must_use]
    pub fn open_descriptor_count(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.id())).unwrap().count()
    }

    /// Returns the process ids of the direct children of the process.
    #[must_use]
    pub fn child_process_ids(&self) -> Vec<u32> {
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
            eprintln!("{}", self.last_output_lines());
        }
    }
}
