//! The five processes, each of which can be killed and started again.
use crate::program::say;
use clap::Parser;
use patio_kit::{command, config::Settings, host::Host, testing::free_port};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::PathBuf,
    process::{Child, Command, ExitCode, Stdio},
    time::{Duration, Instant},
};

/// Says which service this program is.
pub const SERVICE: &str = "PATIO_TEST_SERVICE";
/// Those that are killed.
pub const SERVICES: [&str; 5] = ["auth", "campaign", "vehicle", "import", "gateway"];
const PASSWORD: &str = "a-first-password";

#[derive(Parser)]
struct Gateway {
    #[command(flatten)]
    settings: Settings,
    #[command(flatten)]
    config: gateway::Config,
}

/// The gateway alone, as its own program serves it.
pub fn gateway() -> ExitCode {
    let told = Gateway::parse_from(["gateway"]);
    command::ended(&command::run(async {
        let host = Host::remote(told.settings).await?;
        let gateway = gateway::start(told.config, &host).await?;
        gateway.serve().await
    }))
}

/// Five processes on one database.
pub struct Cluster {
    environment: BTreeMap<String, String>,
    ports: BTreeMap<&'static str, u16>,
    running: BTreeMap<&'static str, Child>,
    folder: tempfile::TempDir,
    /// Where the gateway listens.
    pub url: String,
    token: String,
}

impl Cluster {
    /// Starts all of them and signs the first supervisor in.
    pub fn start(database: &str, redis: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let ports: BTreeMap<_, _> = SERVICES.map(|service| (service, free_port())).into();
        let mut environment: BTreeMap<String, String> = [
            ("PATIO_DATABASE_URL", database),
            ("PATIO_REDIS_URL", redis),
            ("PATIO_SERVICE_SECRET", "shared by all five"),
            ("PATIO_ADMIN_PASSWORD", PASSWORD),
            ("PATIO_ADMIN_LISTEN", "off"),
            ("PATIO_SIGN_IN_BURST", "100000"),
            ("PATIO_LOG", "warn"),
            ("PATIO_UNSAFE", "true"), // processes are killed here, not machines
            ("PATIO_WEB_DIR", folder.path().to_str().unwrap()),
            ("PATIO_WORK_DIR", folder.path().to_str().unwrap()),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        for (service, port) in &ports {
            environment.insert(format!("PATIO_{}_URL", service.to_uppercase()), format!("http://127.0.0.1:{port}"));
        }
        std::fs::write(folder.path().join("index.html"), "<!doctype html><title>Patio</title>").unwrap();
        let url = format!("http://127.0.0.1:{}", ports["gateway"]);
        let mut cluster = Self { environment, ports, running: BTreeMap::new(), folder, url, token: String::new() };
        SERVICES.iter().for_each(|service| cluster.begin(service));
        cluster.wait_until_ready();
        let signed = cluster.call("post", "/api/sessions", Some(&json!({ "hmc": "1000", "password": PASSWORD })));
        cluster.token = signed.1["token"].as_str().unwrap_or_else(|| panic!("{signed:?}")).to_owned();
        cluster
    }

    /// Starts one; what it says goes to a file.
    pub fn begin(&mut self, service: &'static str) {
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log(service)).unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env_clear().envs(&self.environment).env(SERVICE, service).env("PATIO_LISTEN", format!("127.0.0.1:{}", self.ports[service]));
        let command = if service == "gateway" { &mut command } else { command.arg("serve") };
        let child = command.stdin(Stdio::null()).stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
        self.running.insert(service, child);
    }

    fn log(&self, service: &str) -> PathBuf {
        self.folder.path().join(format!("{service}.log"))
    }

    /// What the services said last.
    pub fn said(&self) -> String {
        let last = |service: &&str| {
            let text = std::fs::read_to_string(self.log(service)).unwrap_or_default();
            let lines: Vec<&str> = text.lines().rev().take(15).collect();
            format!("{service}:\n{}\n", lines.into_iter().rev().collect::<Vec<_>>().join("\n"))
        };
        SERVICES.iter().map(last).collect()
    }

    /// Kills one without a word.
    pub fn kill(&mut self, service: &'static str) {
        let mut child = self.running.remove(service).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
    }

    /// Waits until the gateway reaches all others.
    pub fn wait_until_ready(&self) {
        let begun = Instant::now();
        while self.call("get", "/readyz", None).0 != 200 {
            assert!(begun.elapsed() < Duration::from_secs(60), "not ready:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Imports a good workbook; its campaign's id. Who hears that a part is away, or that
    /// the upload is under way already, sends the same upload again, as people do.
    pub fn import(&self, file: &[u8]) -> i64 {
        let (id, begun) = (uuid::Uuid::now_v7().to_string(), Instant::now());
        loop {
            let (status, body) = self.caller().upload(&id, file);
            if status == 201 {
                return body["campaign"]["id"].as_i64().unwrap();
            }
            let may_go_on = [429, 503, 504].contains(&status) && begun.elapsed() < Duration::from_secs(60);
            assert!(may_go_on, "an import: {status} {body}\n{}", self.said());
            say(&format!("an import was told {status} {body} after {:?}, and is sent again", begun.elapsed()));
            std::thread::sleep(Duration::from_secs(1));
        }
    }

    /// A way to call that another thread can take along.
    pub fn caller(&self) -> Caller {
        Caller { url: self.url.clone(), token: self.token.clone() }
    }

    /// Status and body of a call; 0 when it did not come to an answer.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        self.caller().call(method, path, body)
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for child in self.running.values_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Calls as the first supervisor.
#[derive(Clone)]
pub struct Caller {
    url: String,
    token: String,
}

impl Caller {
    /// Status and body of a call; 0 when it did not come to an answer.
    pub fn call(&self, method: &str, path: &str, body: Option<&Value>) -> (u16, Value) {
        let body = body.map(ToString::to_string).unwrap_or_default();
        Self::sent(self.request(method, path, "application/json"), body.as_bytes())
    }

    /// Uploads a workbook under an id of the caller's.
    pub fn upload(&self, id: &str, file: &[u8]) -> (u16, Value) {
        let head = b"--cut\r\ncontent-disposition: form-data; name=\"documents\"; filename=\"cars.xlsx\"\r\n\r\n";
        let request = self.request("post", "/api/documents/upload", "multipart/form-data; boundary=cut");
        Self::sent(request.header("x-upload-id", id), &[&head[..], file, b"\r\n--cut--\r\n"].concat())
    }

    fn request(&self, method: &str, path: &str, kind: &str) -> ureq::http::request::Builder {
        ureq::http::Request::builder()
            .method(method.to_uppercase().as_str())
            .uri(format!("{}{path}", self.url))
            .header("authorization", format!("Bearer {}", self.token))
            .header("content-type", kind)
    }

    fn sent(request: ureq::http::request::Builder, body: &[u8]) -> (u16, Value) {
        let agent: ureq::Agent =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(130))).build().into();
        let Ok(mut answer) = agent.run(request.body(body.to_vec()).unwrap()) else { return (0, Value::Null) };
        let Ok(text) = answer.body_mut().with_config().limit(64 << 20).read_to_string() else { return (0, Value::Null) };
        (answer.status().as_u16(), serde_json::from_str(&text).unwrap_or(Value::String(text)))
    }
}
