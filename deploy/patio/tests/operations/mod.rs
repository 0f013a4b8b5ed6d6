//! What an operator does: runs the doctor, probes services, takes backups and restores them.
mod backups;
mod contents;
mod locks;
mod measured;
mod migrations;
mod probing;
mod restores;
mod separate;
mod steps;

use patio_harness::{Client, Folder, Output, Patio, run, shared};
use serde_json::{Value, json};
use std::{path::Path, thread};

/// Runs the doctor of `patio` on data folders with settings, all at the same time.
fn doctors<const N: usize>(calls: [(&Path, &[(&str, &str)]); N]) -> [Output; N] {
    let examine = |(data, settings): (&Path, &[(&str, &str)])| {
        let own = [("PATIO_DATA_DIR", data.to_str().unwrap()), ("PATIO_WEB_DIR", "/nowhere"), ("PATIO_LISTEN", "127.0.0.1:0")];
        run("patio", &["doctor"], &[&own, settings].concat())
    };
    thread::scope(|scope| calls.map(|call| scope.spawn(move || examine(call))).map(|doctor| doctor.join().unwrap()))
}

/// All campaigns, all vehicles of the first one, and all people but for when they signed in last.
fn everything(admin: &Client) -> Value {
    let mut people = admin.get("/api/users");
    let all = people.as_array_mut().unwrap();
    all.iter_mut().for_each(|person| _ = person.as_object_mut().unwrap().remove("last_login_at"));
    let campaigns = admin.get("/api/campaigns");
    let vehicles = admin.vehicles(campaigns["campaigns"][0]["id"].as_i64().unwrap());
    json!({ "campaigns": campaigns, "vehicles": vehicles, "people": people })
}

#[track_caller]
fn contains(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn the_doctor_tries_everything_and_says_what_to_do() {
    let (_turn, patio) = (shared(), Patio::builder().start());
    let pages = patio.folder().join("pages");
    let [well] = doctors([(&patio.data(), &[("PATIO_WEB_DIR", pages.to_str().unwrap())])]);
    assert_eq!(well.code, Some(0), "{well:?}");
    contains(&well.text(), &["ok   database of vehicle: SQLite 3.", "tables up to date"]);

    let away = [("PATIO_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"), ("PATIO_REDIS_URL", "redis://127.0.0.1:1")];
    let tls = [("PATIO_TLS", "/nowhere/a,/nowhere/b")];
    let [away, nowhere, tls] = doctors([(&patio.data(), &away), (Path::new("/proc/nowhere"), &[]), (&patio.data(), &tls)]);
    assert_eq!(away.code, Some(1), "{away:?}");
    let lines = ["FAIL database of auth:", "check PATIO_DATABASE_URL", "FAIL cache: Redis does not answer", "FAIL pages: no index.html"];
    contains(&away.text(), &lines);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
    contains(&nowhere.text(), &["FAIL data folder: /proc/nowhere"]);
    contains(&tls.text(), &["FAIL https: cannot read /nowhere/a"]);
}

#[test]
fn the_doctor_asks_the_collector_the_reader_of_workbooks_and_all_services_and_shows_its_secret() {
    let (_turn, folder) = (shared(), Folder::temporary());
    let work = folder.path().to_str().unwrap();
    let listening = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let collector = format!("http://{}", listening.local_addr().unwrap());
    let [well, away, reader] = doctors([
        (folder.path(), &[("PATIO_OTLP_URL", &collector), ("PATIO_WORK_DIR", work)]),
        (folder.path(), &[("PATIO_OTLP_URL", "http://127.0.0.1:1"), ("PATIO_WORK_DIR", "/proc/nowhere")]),
        (folder.path(), &[("PATIO_WORKBOOK_READER", "/bin/false")]),
    ]);
    let traces = format!("ok   traces: {collector} takes connections");
    contains(&well.text(), &[&traces, "ok   work folder: ", "ok   workbooks: the example is read"]);
    contains(&away.text(), &["FAIL traces: 127.0.0.1:1", "FAIL work folder: /proc/nowhere"]);
    contains(&reader.text(), &["FAIL workbooks: the example cannot be read"]);
}

#[test]
fn each_program_has_a_doctor_who_asks_the_others_and_shows_them_its_secret() {
    let (_turn, folder) = (shared(), Folder::temporary());
    let address = probing::auth().address();
    let url = format!("http://{address}");
    let examine = |program: &str, secret: &str| {
        let data = folder.path().to_str().unwrap();
        run(program, &["doctor"], &[("PATIO_AUTH_URL", &*url), ("PATIO_SERVICE_SECRET", secret), ("PATIO_DATA_DIR", data)])
    };
    for program in ["vehicle-svc", "gateway"] {
        let known = examine(program, probing::SECRET);
        assert_eq!(known.code, Some(1), "{known:?}");
        let serves = format!("ok   auth-svc: {address} serves");
        contains(&known.text(), &[&serves, "FAIL campaign-svc: 127.0.0.1:50052", "ok   service secret: taken"]);
        contains(&examine(program, "another-secret-of-services").text(), &["FAIL service secret: auth-svc does not take it"]);
        contains(&examine(program, "short").text(), &["FAIL service secret: a value is shorter than 16 characters"]);
    }
}

#[test]
fn the_doctor_finds_a_broken_database() {
    let (_turn, folder) = (shared(), Folder::temporary());
    Patio::builder().folder(folder.path()).start().stop(); // what was written is in the file itself then
    let data = folder.path().join("data");
    let file = data.join("vehicle.db");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0xAA); // all but the first page, which tells what the file is
    std::fs::write(&file, bytes).unwrap();
    let [broken] = doctors([(&data, &[])]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    contains(&broken.text(), &["FAIL database of vehicle"]);
}
