//! What an operator does: asks how things are, calls what changes nothing, takes backups and puts them back.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
mod backups;
mod contents;
mod five;
mod locks;
mod measured;
mod migrations;
mod probing;
mod programs;
mod restores;
mod steps;

use programs::{Patio, run};
use std::path::Path;

fn doctor(data: &Path, settings: &[(&str, &str)]) -> (Option<i32>, String) {
    let mut told = vec![("PATIO_DATA_DIR", data.to_str().unwrap()), ("PATIO_WEB_DIR", "/nowhere"), ("PATIO_LISTEN", "127.0.0.1:0")];
    told.extend(settings);
    let (code, out, err) = run("patio", &["doctor"], &told);
    (code, out + &err)
}

#[test]
fn the_doctor_tries_everything_and_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let patio = Patio::start(folder.path(), &[]);
    let pages = folder.path().join("pages");
    let (code, told) = doctor(&folder.path().join("data"), &[("PATIO_WEB_DIR", pages.to_str().unwrap())]);
    assert_eq!(code, Some(0), "{told}");
    assert!(told.contains("ok   database of vehicle: SQLite 3.") && told.contains("tables up to date"), "{told}");
    drop(patio);

    let away = [("PATIO_DATABASE_URL", "postgres://nobody@127.0.0.1:1/none"), ("PATIO_REDIS_URL", "redis://127.0.0.1:1")];
    let (code, told) = doctor(&folder.path().join("data"), &away);
    assert_eq!(code, Some(1), "{told}");
    for line in ["FAIL database of auth:", "check PATIO_DATABASE_URL", "FAIL cache: Redis does not answer", "FAIL pages: no index.html"] {
        assert!(told.contains(line), "{line} in {told}");
    }
    let (code, told) = doctor(Path::new("/proc/nowhere"), &[]);
    assert!(code == Some(1) && told.contains("FAIL data folder: /proc/nowhere"), "{told}");
    let (_, told) = doctor(&folder.path().join("data"), &[("PATIO_TLS", "/nowhere/a,/nowhere/b")]);
    assert!(told.contains("FAIL https: cannot read /nowhere/a"), "{told}");
}

#[test]
fn the_doctor_asks_the_collector_the_reader_of_workbooks_and_all_services_and_shows_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    let work = folder.path().to_str().unwrap();
    let listening = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let collector = format!("http://{}", listening.local_addr().unwrap());
    let (_, told) = doctor(folder.path(), &[("PATIO_OTLP_URL", &collector), ("PATIO_WORK_DIR", work)]);
    for line in [&format!("ok   traces: {collector} takes connections"), "ok   work folder: ", "ok   workbooks: the example is read"] {
        assert!(told.contains(line), "{line} in {told}");
    }
    let (_, told) = doctor(folder.path(), &[("PATIO_OTLP_URL", "http://127.0.0.1:1"), ("PATIO_WORK_DIR", "/proc/nowhere")]);
    let (_, more) = doctor(folder.path(), &[("PATIO_WORKBOOK_READER", "/bin/false")]);
    for line in ["FAIL traces: 127.0.0.1:1", "FAIL work folder: /proc/nowhere", "FAIL workbooks: the example cannot be read"] {
        assert!(told.contains(line) || more.contains(line), "{line} in {told}{more}");
    }
}

#[test]
fn each_program_has_a_doctor_who_asks_the_others_and_shows_them_its_secret() {
    let folder = tempfile::tempdir().unwrap();
    let auth = probing::Auth::start(folder.path(), "true");
    let url = format!("http://{}", auth.address);
    let ask = |program: &str, secret: &str| {
        let told =
            [("PATIO_AUTH_URL", url.as_str()), ("PATIO_SERVICE_SECRET", secret), ("PATIO_DATA_DIR", folder.path().to_str().unwrap())];
        let (code, out, err) = run(program, &["doctor"], &told);
        (code, out + &err)
    };
    for program in ["vehicle-svc", "gateway"] {
        let (code, told) = ask(program, "x");
        assert_eq!(code, Some(1), "{told}");
        for line in [&format!("ok   auth-svc: {} serves", auth.address), "FAIL campaign-svc: 127.0.0.1:50052", "note service secret: taken"]
        {
            assert!(told.contains(line), "{line} in {told}");
        }
        let (_, told) = ask(program, "another");
        assert!(told.contains("FAIL service secret: auth-svc does not take it"), "{told}");
    }
}

#[test]
fn the_doctor_finds_a_broken_database() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    Patio::start(folder.path(), &[]).stop(); // what was written is in the file itself then
    let file = data.join("vehicle.db");
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[4096..].fill(0xAA); // all but the first page, which tells what the file is
    std::fs::write(&file, bytes).unwrap();
    let (code, told) = doctor(&data, &[]);
    assert!(code == Some(1) && told.contains("FAIL database of vehicle"), "{told}");
}
