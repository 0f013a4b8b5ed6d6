//! A Patio that runs as a process of its own, on SQLite, and the calls that tests make to it.
use serde_json::{Value, json};
use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::SocketAddr,
    path::PathBuf,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use ureq::http::{StatusCode, request::Builder};

/// The first supervisor's password.
pub const PASSWORD: &str = "a-first-password";

/// One Patio at a time: the tests measure waits and memory, which another that is flooded beside it would falsify.
static TURN: Mutex<()> = Mutex::new(());

/// A running Patio; it ends with the test.
pub struct Patio {
    child: Child,
    /// Where it is served.
    pub url: String,
    folder: tempfile::TempDir,
    _turn: MutexGuard<'static, ()>,
}

impl Patio {
    /// Starts it with some settings more than it needs.
    pub fn start(settings: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self::run(Command::new(env!("CARGO_BIN_EXE_patio")), folder, settings)
    }

    /// Starts it under the eyes of strace, which writes the calls it is told of to the file `calls`.
    pub fn watched(calls: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut strace = Command::new("strace");
        // The watcher is a process of its own (-D), so that the child is Patio itself; files are named (-y).
        strace.args(["-D", "-f", "-y", "-s", "16", "-e", calls, "-o"]).arg(folder.path().join("calls"));
        strace.arg(env!("CARGO_BIN_EXE_patio"));
        Self::run(strace, folder, &[])
    }

    /// Starts it with room for so many open files and connections.
    pub fn with_descriptors(most: u32) -> Self {
        Self::limited(&format!("--nofile={most}:{most}"), &[])
    }

    /// Starts it with room for so many MiB of memory that no file backs, in use or reserved; each process that it starts has
    /// as much for itself.
    pub fn with_memory(most: u64) -> Self {
        Self::limited(&format!("--data={0}:{0}", most << 20), &[("PATIO_SIGN_IN_BURST", "1000000")])
    }

    fn limited(limit: &str, settings: &[(&str, &str)]) -> Self {
        let mut limited = Command::new("prlimit");
        limited.arg(limit).arg(env!("CARGO_BIN_EXE_patio"));
        Self::run(limited, tempfile::tempdir().unwrap(), settings)
    }

    fn run(mut program: Command, folder: tempfile::TempDir, settings: &[(&str, &str)]) -> Self {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = folder.path().join("pages");
        std::fs::create_dir_all(&pages).unwrap();
        std::fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>").unwrap();
        let mut child = program
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("PATIO_LISTEN", "127.0.0.1:0")
            .env("PATIO_DATA_DIR", folder.path().join("data"))
            .env("PATIO_WEB_DIR", &pages)
            .env("PATIO_ADMIN_LISTEN", "off")
            .env("PATIO_ADMIN_PASSWORD", PASSWORD)
            .env("PATIO_LOG", "warn")
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .stderr(File::create(folder.path().join("log")).unwrap())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = said.find_map(|line| Some(line.unwrap().split_once("ready on ")?.1.trim().to_owned())).unwrap();
        std::thread::spawn(move || said.for_each(drop));
        Self { child, url, folder, _turn: turn }
    }

    /// A file it or its watcher writes: `log` or `calls`.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.url.trim_start_matches("http://").parse().unwrap()
    }

    /// The memory it holds now that no file backs, in KiB.
    pub fn memory(&self) -> i64 {
        let told = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let held = told.lines().filter_map(|line| line.strip_prefix("RssAnon:").or_else(|| line.strip_prefix("RssShmem:")));
        held.map(|held| held.trim().trim_end_matches(" kB").parse::<i64>().unwrap()).sum()
    }

    /// The memory it may not have more of, in MiB: what its limit counts.
    pub fn limited_memory(&self) -> u64 {
        let told = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let line = told.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
        line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() >> 10
    }

    /// How many files and connections it has open.
    pub fn descriptors(&self) -> usize {
        std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).unwrap().count()
    }

    /// A request that still lacks its body.
    pub fn at(&self, method: &str, path: &str) -> Builder {
        ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url))
    }

    /// The answer to a request, whatever it is.
    pub fn answer(&self, request: Builder, token: &str, body: impl AsRef<[u8]>) -> ureq::http::Response<ureq::Body> {
        let config = ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(60)));
        let agent: ureq::Agent = config.build().into();
        let answered = agent.run(request.header("authorization", format!("Bearer {token}")).body(body.as_ref()).unwrap());
        answered.unwrap_or_else(|cause| unreachable!("{cause}; its log: {}", std::fs::read_to_string(self.file("log")).unwrap()))
    }

    /// The status and the text that a call answers.
    pub fn told(&self, (method, path): (&str, &str), token: &str, body: Option<&Value>) -> (StatusCode, String) {
        let request = self.at(method, path).header("content-type", "application/json");
        let mut answer = self.answer(request, token, body.map(Value::to_string).unwrap_or_default());
        (answer.status(), answer.body_mut().read_to_string().unwrap())
    }

    /// The JSON that a call answers, which must succeed.
    pub fn call(&self, (method, path): (&str, &str), token: &str, body: Option<Value>) -> Value {
        let (status, told) = self.told((method, path), token, body.as_ref());
        assert!(status.is_success(), "{method} {path}: {status} {told}");
        serde_json::from_str(&told).unwrap_or(Value::Null)
    }

    /// What the first supervisor signs in with.
    pub fn credentials() -> Value {
        json!({ "hmc": "1000", "password": PASSWORD })
    }

    /// A token of the first supervisor.
    pub fn sign_in(&self) -> String {
        let session = self.call(("POST", "/api/sessions"), "", Some(Self::credentials()));
        session["token"].as_str().unwrap().to_owned()
    }

    /// Imports the template; the campaign and its vehicles.
    pub fn import(&self, token: &str) -> (Value, Vec<Value>) {
        let sheet = self.answer(self.at("GET", "/api/documents/template"), token, "").body_mut().read_to_vec().unwrap();
        self.import_sheet(token, sheet)
    }

    /// The answer to a sheet that is sent in a field of a form.
    pub fn send(&self, (path, field): (&str, &str), token: &str, sheet: &[u8]) -> ureq::http::Response<ureq::Body> {
        let head = format!("--cut\r\ncontent-disposition: form-data; name=\"{field}\"; filename=\"a.xlsx\"\r\n\r\n");
        let form = self.at("POST", path).header("content-type", "multipart/form-data; boundary=cut");
        self.answer(form, token, [head.as_bytes(), sheet, b"\r\n--cut--\r\n"].concat())
    }

    /// Imports a sheet; the campaign and its vehicles.
    pub fn import_sheet(&self, token: &str, sheet: Vec<u8>) -> (Value, Vec<Value>) {
        let made: Value = self.send(("/api/documents/upload", "documents"), token, &sheet).body_mut().read_json().unwrap();
        let list = self.call(("GET", &format!("/api/vehicles/campaign/{}/all", made["campaign"]["id"])), token, None);
        (made["campaign"].clone(), list.as_array().unwrap().clone())
    }
}

impl Drop for Patio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
