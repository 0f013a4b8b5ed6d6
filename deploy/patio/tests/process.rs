//! The one process as its operator meets it: started, stopped, killed, started again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

struct Patio {
    child: Child,
    url: String,
    told: Vec<String>,
    rest: BufReader<std::process::ChildStdout>,
}

impl Patio {
    /// Starts on a free port and waits until it says that it is ready.
    fn start(data: &Path) -> Self {
        let pages = data.join("pages");
        std::fs::create_dir_all(&pages).unwrap();
        std::fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>").unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_patio"))
            .env_clear()
            .env("PATIO_LISTEN", "127.0.0.1:0")
            .env("PATIO_DATA_DIR", data.join("data"))
            .env("PATIO_WEB_DIR", &pages)
            .env("PATIO_ADMIN_LISTEN", "off")
            .env("PATIO_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let rest = BufReader::new(child.stdout.take().unwrap());
        let mut patio = Self { child, url: String::new(), told: Vec::new(), rest };
        while patio.url.is_empty() {
            let mut line = String::new();
            assert!(patio.rest.read_line(&mut line).unwrap() > 0, "it ended before it was ready: {:?}", patio.told);
            match line.trim().split_once("ready on ") {
                Some((_, url)) => url.clone_into(&mut patio.url),
                None => patio.told.push(line.trim().to_owned()),
            }
        }
        patio
    }

    fn signal(&self, name: &str) {
        assert!(Command::new("kill").args([name, &self.child.id().to_string()]).status().unwrap().success());
    }

    fn ended(mut self) -> (ExitStatus, String) {
        let mut said = String::new();
        self.rest.read_to_string(&mut said).unwrap();
        (self.child.wait().unwrap(), said)
    }

    fn sign_in(&self, hmc: &str, password: &str) -> String {
        let answer = post(&self.url, "/api/sessions", "", &json!({ "hmc": hmc, "password": password })).unwrap();
        answer["token"].as_str().unwrap().to_owned()
    }

    /// The first supervisor's HMC and password, as told on standard output.
    fn credentials(&self) -> Option<(String, String)> {
        let after = |label: &str| self.told.iter().find_map(|line| Some(line.split_once(label)?.1.trim().to_owned()));
        Some((after("HMC:")?, after("Password:")?))
    }
}

impl Drop for Patio {
    /// Leaves no process behind, whatever a test comes to.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(20))).build().into()
}

fn post(url: &str, path: &str, token: &str, body: &Value) -> Result<Value, ureq::Error> {
    agent().post(format!("{url}{path}")).header("authorization", format!("Bearer {token}")).send_json(body)?.body_mut().read_json()
}

fn put(url: &str, path: &str, token: &str, body: &Value) -> Result<Value, ureq::Error> {
    agent().put(format!("{url}{path}")).header("authorization", format!("Bearer {token}")).send_json(body)?.body_mut().read_json()
}

fn get(url: &str, path: &str, token: &str) -> Result<Value, ureq::Error> {
    agent().get(format!("{url}{path}")).header("authorization", format!("Bearer {token}")).call()?.body_mut().read_json()
}

/// Imports the template's campaign; its vehicles by id.
fn import(patio: &Patio, token: &str) -> Vec<i64> {
    let bearer = format!("Bearer {token}");
    let template = agent()
        .get(format!("{}/api/documents/template", patio.url))
        .header("authorization", &bearer)
        .call()
        .unwrap()
        .body_mut()
        .read_to_vec()
        .unwrap();
    let mut body = b"--cut\r\ncontent-disposition: form-data; name=\"documents\"; filename=\"template.xlsx\"\r\ncontent-type: application/octet-stream\r\n\r\n".to_vec();
    body.extend(template);
    body.extend(b"\r\n--cut--\r\n");
    let made: Value = agent()
        .post(format!("{}/api/documents/upload", patio.url))
        .header("authorization", &bearer)
        .header("content-type", "multipart/form-data; boundary=cut")
        .send(&body)
        .unwrap()
        .body_mut()
        .read_json()
        .unwrap();
    let id = made["campaign"]["id"].as_i64().unwrap();
    let list = get(&patio.url, &format!("/api/vehicles/campaign/{id}/all"), token).unwrap();
    list.as_array().unwrap().iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect()
}

#[test]
fn the_first_supervisor_is_told_once_and_everything_saved_is_there_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let patio = Patio::start(folder.path());
    let (hmc, password) = patio.credentials().unwrap();
    let token = patio.sign_in(&hmc, &password);
    let vehicle = import(&patio, &token)[0];
    let path = format!("/api/vehicles/{vehicle}");
    let saved = put(&patio.url, &path, &token, &json!({ "status": "ng", "operator_notes": "before the restart" })).unwrap();
    patio.signal("-INT");
    let (status, said) = patio.ended();
    assert!(status.success() && said.contains("has ended"), "{status:?} {said}");

    let again = Patio::start(folder.path());
    assert_eq!(again.credentials(), None, "told again: {:?}", again.told);
    let found = get(&again.url, &path, &token).unwrap();
    assert_eq!((&found["operator_notes"], &found["version"]), (&saved["operator_notes"], &saved["version"]));
    again.signal("-TERM");
    assert!(again.ended().0.success());
}

#[test]
fn killed_in_the_middle_of_saves_it_loses_none_that_was_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let mut patio = Patio::start(folder.path());
    let (hmc, password) = patio.credentials().unwrap();
    let token = patio.sign_in(&hmc, &password);
    let vehicles = import(&patio, &token);
    for round in 0..5 {
        let acknowledged = save_until_killed(&patio, &token, &vehicles);
        assert_eq!(patio.ended().0.code(), None, "ended by the signal");
        patio = Patio::start(folder.path());
        for (id, version) in &acknowledged {
            let found = get(&patio.url, &format!("/api/vehicles/{id}"), &token).unwrap();
            assert!(found["version"].as_i64().unwrap() >= *version, "round {round}: vehicle {id} lost version {version}: {found}");
        }
        let counts = get(&patio.url, "/api/campaigns", &token).unwrap();
        let list = get(&patio.url, &format!("/api/vehicles/campaign/{}/all", counts["campaigns"][0]["id"]), &token).unwrap();
        let inspected = list.as_array().unwrap().iter().filter(|vehicle| vehicle["inspected"] == true).count();
        assert_eq!(counts["campaigns"][0]["total_inspected"], json!(inspected), "counters equal the rows");
    }
    patio.signal("-KILL");
    patio.ended();
}

/// Saves from several threads, kills the process while they do, and returns the highest version acknowledged of each vehicle.
fn save_until_killed(patio: &Patio, token: &str, vehicles: &[i64]) -> Vec<(i64, i64)> {
    let (killed, acknowledged) = (AtomicBool::new(false), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for id in vehicles {
            let (killed, acknowledged, url) = (&killed, &acknowledged, &patio.url);
            scope.spawn(move || {
                let mut last = None;
                while !killed.load(Ordering::Relaxed) {
                    let Ok(saved) =
                        put(url, &format!("/api/vehicles/{id}"), token, &json!({ "operator_notes": format!("after {last:?}") }))
                    else {
                        break;
                    };
                    last = saved["version"].as_i64();
                }
                acknowledged.lock().unwrap().extend(last.map(|version| (*id, version)));
            });
        }
        std::thread::sleep(Duration::from_millis(600));
        patio.signal("-KILL");
        killed.store(true, Ordering::Relaxed);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert!(!acknowledged.is_empty(), "something was saved");
    acknowledged
}
