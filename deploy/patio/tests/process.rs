//! The one process as its operator meets it: started, stopped, killed, started again.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
use patio_kit::testing::{self, each_database};
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

struct Patio {
    child: Child,
    url: String,
    told: Vec<String>,
    rest: BufReader<std::process::ChildStdout>,
}

impl Patio {
    /// Starts on SQLite, on a free port, and waits until it says that it is ready.
    fn start(data: &Path) -> Self {
        Self::start_on(data, None)
    }

    /// The same on PostgreSQL when a URL is given.
    fn start_on(data: &Path, database: Option<&str>) -> Self {
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
            .envs(database.map(|url| ("PATIO_DATABASE_URL", url)))
            .envs(database.map(|_| ("PATIO_UNSAFE", "true"))) // the tests' own server does not wait for its disk
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
    put_by(&agent(), url, path, token, body)
}

fn put_by(agent: &ureq::Agent, url: &str, path: &str, token: &str, body: &Value) -> Result<Value, ureq::Error> {
    agent.put(format!("{url}{path}")).header("authorization", format!("Bearer {token}")).send_json(body)?.body_mut().read_json()
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
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(each_database(async |host| match &host.settings.database_url {
        None => killed_again_and_again("SQLite", None, Duration::from_secs(1)),
        Some(url) => killed_again_and_again("PostgreSQL", Some(url.expose()), Duration::from_secs(3)),
    }));
}

/// Five kills, or as many as it takes for 100,000 acknowledged saves.
fn killed_again_and_again(on: &str, database: Option<&str>, patience: Duration) {
    let long = testing::long("killed_in_the_middle_of_saves_it_loses_none_that_was_acknowledged");
    let (wanted, shift) = if long { (100_000, Duration::from_secs(4)) } else { (1, Duration::from_millis(600)) };
    let folder = tempfile::tempdir().unwrap();
    let mut patio = Patio::start_on(folder.path(), database);
    let (hmc, password) = patio.credentials().unwrap();
    let token = patio.sign_in(&hmc, &password);
    let vehicles = import(&patio, &token);
    let (mut kills, mut acknowledged, mut slowest) = (0, 0, Duration::ZERO);
    while kills < 5 || acknowledged < wanted {
        let before = versions(&patio, &token, &vehicles);
        let after = save_until_killed(&patio, &token, &before, shift);
        assert_eq!(patio.ended().0.code(), None, "ended by the signal");
        kills += 1;
        acknowledged += after.iter().zip(&before).map(|((_, now), (_, was))| now - was).sum::<i64>();
        patio = Patio::start_on(folder.path(), database);
        let started = Instant::now();
        for ((id, version), (_, found)) in after.iter().zip(versions(&patio, &token, &vehicles)) {
            // The one save that was under way may have been written and not been answered.
            assert!((*version..=version + 1).contains(&found), "kill {kills}: vehicle {id} is at {found}, acknowledged was {version}");
        }
        put(&patio.url, &format!("/api/vehicles/{}", vehicles[0]), &token, &json!({ "operator_notes": "after the kill" })).unwrap();
        slowest = slowest.max(started.elapsed());
        let counts = get(&patio.url, "/api/campaigns", &token).unwrap();
        let list = get(&patio.url, &format!("/api/vehicles/campaign/{}/all", counts["campaigns"][0]["id"]), &token).unwrap();
        let inspected = list.as_array().unwrap().iter().filter(|vehicle| vehicle["inspected"] == true).count();
        assert_eq!(counts["campaigns"][0]["total_inspected"], json!(inspected), "counters equal the rows");
        if database.is_none() {
            assert_unharmed(folder.path(), kills);
        }
    }
    assert!(slowest < patience, "saving again took {slowest:?}");
    testing::tell(&format!(
        "{on}: {kills} kills, {acknowledged} acknowledged saves, none lost, none invented, saving again within {slowest:?}"
    ));
    patio.signal("-KILL");
    patio.ended();
}

/// Copies the databases while they are in use, which checks every page of the copies.
fn assert_unharmed(data: &Path, number: i32) {
    let copy = data.join(format!("copy {number}"));
    let done = Command::new(env!("CARGO_BIN_EXE_patio"))
        .env_clear()
        .env("PATIO_DATA_DIR", data.join("data"))
        .arg("backup")
        .arg(&copy)
        .stdout(Stdio::null())
        .status();
    assert!(done.unwrap().success(), "kill {number} harmed the database");
    std::fs::remove_dir_all(copy).unwrap();
}

fn versions(patio: &Patio, token: &str, vehicles: &[i64]) -> Vec<(i64, i64)> {
    let version = |id| get(&patio.url, &format!("/api/vehicles/{id}"), token).unwrap()["version"].as_i64().unwrap();
    vehicles.iter().map(|id| (*id, version(id))).collect()
}

/// Saves every vehicle from a thread of its own, kills the process while they do, and returns the versions acknowledged last.
fn save_until_killed(patio: &Patio, token: &str, before: &[(i64, i64)], shift: Duration) -> Vec<(i64, i64)> {
    let killed = AtomicBool::new(false);
    let after: Vec<_> = std::thread::scope(|scope| {
        let save = |(id, mut version): (i64, i64)| {
            let (killed, path) = (&killed, format!("/api/vehicles/{id}"));
            let agent = agent();
            scope.spawn(move || {
                while !killed.load(Ordering::Relaxed) {
                    let note = json!({ "operator_notes": format!("after {version}") });
                    let Ok(saved) = put_by(&agent, &patio.url, &path, token, &note) else { break };
                    assert_eq!(saved["version"], version + 1, "each save is done once");
                    version += 1;
                }
                (id, version)
            })
        };
        let savers: Vec<_> = before.iter().map(|vehicle| save(*vehicle)).collect();
        std::thread::sleep(shift);
        patio.signal("-KILL");
        killed.store(true, Ordering::Relaxed);
        savers.into_iter().map(|saver| saver.join().unwrap()).collect()
    });
    assert!(after != before, "something was saved");
    after
}
