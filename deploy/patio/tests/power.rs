//! A power cut loses nothing that was acknowledged: the kernel is asked to write it down before the answer leaves.
//!
//! Killing processes cannot show that, as the kernel keeps what they wrote. So the system calls are watched.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
use patio_kit::testing;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

const PASSWORD: &str = "a-first-password";

/// Patio under the eyes of strace, which writes what it sees to a file.
struct Watched {
    child: Child,
    url: String,
}

impl Watched {
    fn start(folder: &Path) -> Self {
        let pages = folder.join("pages");
        std::fs::create_dir_all(&pages).unwrap();
        std::fs::write(pages.join("index.html"), "<!doctype html><title>Patio</title>").unwrap();
        // The watcher is a process of its own (-D), so that the child is Patio itself; files are named (-y).
        let mut child = Command::new("strace")
            .args(["-D", "-f", "-y", "-s", "16", "-e", "trace=fsync,fdatasync,write,writev,sendto,sendmsg", "-o"])
            .arg(folder.join("calls"))
            .arg(env!("CARGO_BIN_EXE_patio"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("PATIO_LISTEN", "127.0.0.1:0")
            .env("PATIO_DATA_DIR", folder.join("data"))
            .env("PATIO_WEB_DIR", &pages)
            .env("PATIO_ADMIN_LISTEN", "off")
            .env("PATIO_ADMIN_PASSWORD", PASSWORD)
            .env("PATIO_LOG", "warn")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
        let url = said.find_map(|line| Some(line.unwrap().split_once("ready on ")?.1.trim().to_owned())).unwrap();
        std::thread::spawn(move || said.for_each(drop));
        Self { child, url }
    }

    fn call(&self, request: ureq::http::request::Builder, token: &str, body: impl AsRef<[u8]>) -> Value {
        let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(60))).build().into();
        let request = request.header("authorization", format!("Bearer {token}"));
        agent.run(request.body(body.as_ref()).unwrap()).unwrap().body_mut().read_json().unwrap()
    }

    fn at(&self, method: &str, path: &str) -> ureq::http::request::Builder {
        ureq::http::Request::builder().method(method).uri(format!("{}{path}", self.url)).header("content-type", "application/json")
    }

    /// Signs in and imports the template; the token and a vehicle's id.
    fn prepared(&self) -> (String, i64) {
        let session = self.call(self.at("POST", "/api/sessions"), "", json!({ "hmc": "1000", "password": PASSWORD }).to_string());
        let token = session["token"].as_str().unwrap().to_owned();
        let agent: ureq::Agent = ureq::Agent::new_with_defaults();
        let sheet = agent.get(format!("{}/api/documents/template", self.url)).header("authorization", format!("Bearer {token}")).call();
        let mut body = b"--cut\r\ncontent-disposition: form-data; name=\"documents\"; filename=\"a.xlsx\"\r\n\r\n".to_vec();
        body.extend(sheet.unwrap().body_mut().read_to_vec().unwrap());
        body.extend(b"\r\n--cut--\r\n");
        let upload = ureq::http::Request::post(format!("{}/api/documents/upload", self.url));
        let made = self.call(upload.header("content-type", "multipart/form-data; boundary=cut"), &token, body);
        let list = self.call(self.at("GET", &format!("/api/vehicles/campaign/{}/all", made["campaign"]["id"])), &token, "");
        (token, list[0]["id"].as_i64().unwrap())
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What matters of a trace, in its order: the vehicles were written down, or an answer left.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Synced,
    Answered,
}

fn seen(calls: &str) -> Vec<Seen> {
    let (mut all, mut syncing) = (Vec::new(), std::collections::HashSet::new());
    for line in calls.lines() {
        let (thread, call) = line.trim().split_once(' ').unwrap();
        let call = call.trim();
        if call.contains("HTTP/1.1 200") {
            all.push(Seen::Answered);
        } else if call.starts_with("fdatasync(") || call.starts_with("fsync(") {
            let of_vehicles = call.contains("/vehicle.db-wal");
            match call.ends_with("<unfinished ...>") {
                true if of_vehicles => drop(syncing.insert(thread.to_owned())),
                false if of_vehicles && call.ends_with("= 0") => all.push(Seen::Synced),
                _ => {}
            }
        } else if call.contains("sync resumed>") && syncing.remove(thread) && call.ends_with("= 0") {
            all.push(Seen::Synced);
        }
    }
    all
}

#[test]
fn every_acknowledged_save_was_written_down_before_its_answer_left() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        testing::tell("strace is not installed: that saves are written down before their answers is not shown");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let patio = Watched::start(folder.path());
    let (token, id) = patio.prepared();
    let saves = testing::rounds(50);
    let path = format!("/api/vehicles/{id}");
    patio.call(patio.at("PUT", &path), &token, json!({ "operator_notes": "the first" }).to_string());
    let before = std::fs::read_to_string(folder.path().join("calls")).unwrap().len();
    for n in 0..saves {
        patio.call(patio.at("PUT", &path), &token, json!({ "operator_notes": format!("note {n}") }).to_string());
    }
    let calls = std::fs::read_to_string(folder.path().join("calls")).unwrap();
    let seen = seen(&calls[before..]);
    let answers: Vec<_> = seen.iter().enumerate().filter(|(_, one)| **one == Seen::Answered).map(|(at, _)| at).collect();
    let unsynced = answers.iter().filter(|at| **at == 0 || seen[**at - 1] != Seen::Synced).count();
    testing::tell(&format!("{} saves answered, {} of them after a sync", answers.len(), answers.len() - unsynced));
    assert_eq!((answers.len(), unsynced), (saves, 0));
}
