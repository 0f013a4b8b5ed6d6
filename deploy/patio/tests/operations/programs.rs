//! Programs as an operator starts them.
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    ops::Deref,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

pub const PASSWORD: &str = "a-first-password";

/// One of the programs, which all lie in one folder.
pub fn program(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_BIN_EXE_patio")).with_file_name(name);
    assert!(path.exists(), "{} is missing: cargo build --workspace", path.display());
    path
}

/// Runs a program to its end: its exit code and what it said.
pub fn run(name: &str, arguments: &[&str], settings: &[(&str, &str)]) -> (Option<i32>, String, String) {
    let done = Command::new(program(name)).args(arguments).current_dir("/").env_clear().envs(settings.iter().copied()).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (done.status.code(), text(&done.stdout), text(&done.stderr))
}

/// A supervisor who is signed in to a Patio that runs.
pub struct Client {
    pub url: String,
    pub token: String,
}

impl Client {
    pub fn sign_in(url: String) -> Self {
        let mut client = Self { url, token: String::new() };
        let session = client.call("POST", "/api/sessions", &json!({ "hmc": "1000", "password": PASSWORD }));
        session["token"].as_str().unwrap().clone_into(&mut client.token);
        client
    }

    #[track_caller]
    pub fn call(&self, method: &str, path: &str, body: &Value) -> Value {
        let request = ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url));
        let request = request.header("content-type", "application/json").header("authorization", format!("Bearer {}", self.token));
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut answer = agent(30).run(request.body(body).unwrap()).unwrap();
        answer.body_mut().with_config().limit(1 << 30).read_json().unwrap()
    }

    /// What a path answers.
    pub fn bytes(&self, path: &str) -> Vec<u8> {
        let asked = agent(30).get(format!("{}{path}", self.url)).header("authorization", format!("Bearer {}", self.token));
        asked.call().unwrap().body_mut().read_to_vec().unwrap()
    }

    /// Imports the template's campaign; its vehicles by id.
    pub fn import(&self) -> Vec<i64> {
        let bearer = format!("Bearer {}", self.token);
        let mut template = agent(30).get(format!("{}/api/documents/template", self.url)).header("authorization", &bearer).call().unwrap();
        self.upload(&template.body_mut().read_to_vec().unwrap());
        self.everything()["vehicles"].as_array().unwrap().iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect()
    }

    /// Imports a workbook; what is said of its campaign.
    pub fn upload(&self, workbook: &[u8]) -> Value {
        let mut body = b"--cut\r\ncontent-disposition: form-data; name=\"documents\"; filename=\"t.xlsx\"\r\ncontent-type: application/octet-stream\r\n\r\n".to_vec();
        body.extend(workbook);
        body.extend(b"\r\n--cut--\r\n");
        let upload =
            agent(300).post(format!("{}/api/documents/upload", self.url)).header("authorization", format!("Bearer {}", self.token));
        let upload = upload.header("accept", "application/json").header("content-type", "multipart/form-data; boundary=cut");
        upload.send(&body).unwrap().body_mut().read_json::<Value>().unwrap()["campaign"].take()
    }

    /// All campaigns, all vehicles of the first one, and all people but for when they signed in last.
    pub fn everything(&self) -> Value {
        let mut people = self.call("GET", "/api/users", &Value::Null);
        let all = people.as_array_mut().unwrap();
        all.iter_mut().for_each(|person| _ = person.as_object_mut().unwrap().remove("last_login_at"));
        let campaigns = self.call("GET", "/api/campaigns", &Value::Null);
        let list = format!("/api/vehicles/campaign/{}/all", campaigns["campaigns"][0]["id"]);
        json!({
            "campaigns": campaigns,
            "vehicles": self.call("GET", &list, &Value::Null),
            "people": people,
        })
    }
}

fn agent(seconds: u64) -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(seconds))).build().into()
}

/// Everything in one process.
pub struct Patio {
    child: Child,
    client: Client,
}

impl Deref for Patio {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

/// Pages, so that there is something to serve.
pub fn pages(folder: &Path) -> PathBuf {
    let pages = folder.join("pages");
    std::fs::create_dir_all(&pages).unwrap();
    std::fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>").unwrap();
    pages
}

impl Patio {
    /// Starts on `data` below a folder, waits until it is ready and signs in.
    pub fn start(folder: &Path, settings: &[(&str, &str)]) -> Self {
        let mut child = Command::new(program("patio"))
            .env_clear()
            .env("PATIO_LISTEN", "127.0.0.1:0")
            .env("PATIO_DATA_DIR", folder.join("data"))
            .env("PATIO_WEB_DIR", pages(folder))
            .env("PATIO_ADMIN_LISTEN", "off")
            .env("PATIO_ADMIN_PASSWORD", PASSWORD)
            .env("PATIO_LOG", "warn")
            .env("PATIO_UNSAFE", "true") // the tests' server may not wait for its disk
            .envs(settings.iter().copied())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = told.find_map(|line| Some(line.unwrap().split_once("ready on ")?.1.to_owned())).unwrap();
        std::thread::spawn(move || told.for_each(drop)); // so that it can go on talking
        Self { child, client: Client::sign_in(url) }
    }

    pub fn stop(mut self) {
        interrupt(&mut self.child);
    }
}

/// Ends a program as Ctrl-C does; it must end well.
pub fn interrupt(child: &mut Child) {
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert!(child.wait().unwrap().success());
}

impl Drop for Patio {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
