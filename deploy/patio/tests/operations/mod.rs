//! Operator tasks: doctor, probe, migrations, backup and restore.
mod backups;
mod contents;
mod doctor;
mod doors;
mod failover;
mod keys;
mod locks;
mod login;
mod logs;
mod measured;
mod migrations;
mod pools;
mod probing;
mod reads;
mod restores;
mod separate;
mod steps;
mod traces;
mod truth;
mod users;

use crate::collector::Collector;
use patio_harness::{Client, Patio, ProgramOutput, TestFolder, acquire_light_test_slot, find_free_port, run_program};
use serde_json::{Value, json};
use std::{path::Path, thread};

/// Runs `patio doctor` on several data folders with settings, concurrently.
fn doctors<const N: usize>(calls: [(&Path, &[(&str, &str)]); N]) -> [ProgramOutput; N] {
    let run_doctor_checks = |(data, settings): (&Path, &[(&str, &str)])| {
        let own = [("PATIO_DATA_DIR", data.to_str().unwrap()), ("PATIO_WEB_DIR", "/nowhere"), ("PATIO_LISTEN", "127.0.0.1:0")];
        run_program("patio", &["doctor"], &[&own, settings].concat())
    };
    thread::scope(|scope| calls.map(|call| scope.spawn(move || run_doctor_checks(call))).map(|doctor| doctor.join().unwrap()))
}

/// Returns all campaigns, the vehicles of the first one without versions (which a restore advances), and all users without
/// their last sign-in.
fn everything(admin: &Client) -> Value {
    let mut people = admin.get("/api/users");
    let all = people.as_array_mut().unwrap();
    all.iter_mut().for_each(|person| _ = person.as_object_mut().unwrap().remove("last_login_at"));
    let campaigns = admin.get("/api/campaigns");
    let mut vehicles = admin.list_vehicles(campaigns["campaigns"][0]["id"].as_i64().unwrap());
    vehicles.iter_mut().for_each(|vehicle| _ = vehicle.as_object_mut().unwrap().remove("version"));
    json!({ "campaigns": campaigns, "vehicles": vehicles, "people": people })
}

#[track_caller]
fn contains(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn the_doctor_checks_everything_and_says_how_to_fix_it() {
    let (_turn, patio) = (acquire_light_test_slot(), Patio::builder().start());
    let pages = patio.folder().join("pages");
    let [well] = doctors([(&patio.data_folder(), &[("PATIO_WEB_DIR", pages.to_str().unwrap())])]);
    assert_eq!(well.code, Some(0), "{well:?}");
    contains(&well.combined_output(), &["ok   database of vehicle: SQLite 3.", "tables up to date"]);

    let away = [("PATIO_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"), ("PATIO_REDIS_URL", "redis://127.0.0.1:1")];
    let tls = [("PATIO_TLS", "/nowhere/a,/nowhere/b")];
    let [away, nowhere, tls] = doctors([(&patio.data_folder(), &away), (Path::new("/proc/nowhere"), &[]), (&patio.data_folder(), &tls)]);
    assert_eq!(away.code, Some(1), "{away:?}");
    let lines = ["FAIL database of auth:", "check PATIO_DATABASE_URL", "FAIL cache: Redis does not answer", "FAIL pages: no index.html"];
    contains(&away.combined_output(), &lines);
    assert_eq!(nowhere.code, Some(1), "{nowhere:?}");
    contains(&nowhere.combined_output(), &["FAIL data folder: /proc/nowhere"]);
    contains(&tls.combined_output(), &["FAIL https: cannot read /nowhere/a"]);
}

#[test]
fn the_doctor_checks_collector_workbook_reader_services_and_secret() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let work = folder.path().to_str().unwrap();
    let port = find_free_port();
    let collector = format!("http://127.0.0.1:{port}");
    Collector::start(port);
    let [well, away] = doctors([
        (folder.path(), &[("PATIO_OTLP_ENDPOINT", &collector), ("PATIO_TEMP_DIR", work)]),
        (folder.path(), &[("PATIO_OTLP_ENDPOINT", "http://127.0.0.1:1"), ("PATIO_TEMP_DIR", "/proc/nowhere")]),
    ]);
    let traces = format!("ok   traces: {collector} accepts traces");
    contains(&well.combined_output(), &[&traces, "ok   work folder: ", "ok   workbooks: the template was read"]);
    contains(&away.combined_output(), &["FAIL traces: http://127.0.0.1:1", "FAIL work folder: /proc/nowhere"]);
}

#[test]
fn each_program_has_a_doctor_that_checks_the_other_services_and_the_secret() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let address = probing::auth().address();
    let url = format!("http://{address}");
    let run_doctor_checks = |program: &str, secret: &str| {
        let data = folder.path().to_str().unwrap();
        let own = [("PATIO_SEPARATE_SQLITE", "true"), ("PATIO_DATA_DIR", data), ("PATIO_LISTEN", "127.0.0.1:0")];
        run_program(program, &["doctor"], &[&own[..], &[("PATIO_AUTH_URL", &url), ("PATIO_SERVICE_SECRET", secret)]].concat())
    };
    for program in ["vehicle-svc", "gateway"] {
        let known = run_doctor_checks(program, probing::SECRET);
        assert_eq!(known.code, Some(1), "{known:?}");
        let serves = format!("ok   auth-svc: {address} serves");
        contains(&known.combined_output(), &[&serves, "FAIL campaign-svc: 127.0.0.1:50052", "ok   service secret: accepted"]);
        let wrong = run_program(
            program,
            &["doctor"],
            &[("PATIO_AUTH_URL", &*url), ("PATIO_IMPORT_URL", &*url), ("PATIO_SERVICE_SECRET", probing::SECRET)],
        );
        contains(
            &wrong.combined_output(),
            &[&format!("FAIL import-svc: {address}: another service responds there, not import-svc: correct PATIO_IMPORT_URL")],
        );
        contains(
            &run_doctor_checks(program, "another-secret-of-services").combined_output(),
            &["FAIL service secret: auth-svc rejects it"],
        );
        contains(&run_doctor_checks(program, "short").combined_output(), &["FAIL service secret: a value is shorter than 16 characters"]);
    }
}

#[test]
fn the_doctor_finds_a_broken_database() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    Patio::builder().with_installation_folder(folder.path()).start().stop(); // stopping moves all writes into the database file
    let data = folder.path().join("data");
    let file = data.join("vehicle.db");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0xAA); // all but the first page, which identifies the file type
    std::fs::write(&file, bytes).unwrap();
    let [broken] = doctors([(&data, &[])]);
    assert_eq!(broken.code, Some(1), "{broken:?}");
    contains(&broken.combined_output(), &["FAIL database of vehicle"]);
}
