//! A full disk and descriptors that run out: Patio says so, goes on reading, and is well again without a restart.
use crate::{disk::Disk, patio::Patio};
use patio_kit::testing;
use serde_json::{Value, json};
use std::{
    net::TcpStream,
    process::Command,
    time::{Duration, Instant},
};

#[test]
fn a_full_disk_refuses_saves_in_words_loses_nothing_and_needs_no_restart() {
    let Some(disk) = Disk::mount(24) else {
        testing::tell("no disk may be mounted here: that a full one harms nothing is not shown");
        return;
    };
    let patio = Patio::start(&[("PATIO_DATA_DIR", disk.path().to_str().unwrap())]);
    let token = patio.sign_in();
    let (_, vehicles) = patio.import(&token);
    let path = format!("/api/vehicles/{}", vehicles[0]["id"]);
    let save = |number: i64| {
        let request = patio.at("PUT", &path).header("content-type", "application/json");
        let notes = format!("{number} {}", "a long note ".repeat(300));
        patio.answer(request, &token, json!({ "operator_notes": notes }).to_string())
    };
    let version = |vehicle: &Value| vehicle["version"].as_i64().unwrap();
    let mut acknowledged = version(&patio.call(("GET", &path), &token, None));
    let filler = disk.fill();
    let mut refused = loop {
        let mut answer = save(acknowledged);
        if answer.status() != 200 {
            break answer;
        }
        acknowledged = version(&answer.body_mut().read_json().unwrap());
        assert!(acknowledged < 10_000, "the disk is full");
    };
    let told: Value = refused.body_mut().read_json().unwrap();
    assert_eq!(refused.status(), 503, "{told}");
    assert!(refused.headers().contains_key("retry-after") && told["message"].as_str().unwrap().contains("room"), "{told}");
    assert_eq!(version(&patio.call(("GET", &path), &token, None)), acknowledged, "reads go on, and nothing was lost");
    patio.call(("GET", "/api/campaigns"), &token, None);

    std::fs::remove_file(filler).unwrap();
    let (freed, mut answer) = (Instant::now(), save(acknowledged));
    while answer.status() != 200 {
        assert!(freed.elapsed() < testing::patience(Duration::from_secs(3)), "{answer:?}");
        answer = save(acknowledged);
    }
    assert_eq!(version(&answer.body_mut().read_json().unwrap()), acknowledged + 1);
    testing::tell(&format!(
        "a full disk: {acknowledged} saves there, refused after that, saving again {:?} after there was room",
        freed.elapsed()
    ));
    let (copies, program) = (tempfile::tempdir().unwrap(), env!("CARGO_BIN_EXE_patio"));
    let copied = Command::new(program).arg("backup").arg(copies.path().join("copy")).env("PATIO_DATA_DIR", disk.path()).status();
    assert!(copied.unwrap().success(), "the databases are whole");
}

#[test]
fn descriptors_that_run_out_are_waited_for() {
    let patio = Patio::with_descriptors(160);
    let token = patio.sign_in();
    let (_, vehicles) = patio.import(&token);
    let held: Vec<_> = (0..300).filter_map(|_| TcpStream::connect(patio.address()).ok()).collect();
    std::thread::sleep(Duration::from_secs(1));
    assert!(patio.descriptors() >= 155, "they ran out: {} are open", patio.descriptors());
    let count = held.len();
    drop(held);
    let freed = Instant::now();
    let path = format!("/api/vehicles/{}", vehicles[0]["id"]);
    patio.call(("PUT", &path), &token, Some(json!({ "operator_notes": "after the rush" })));
    testing::tell(&format!("{count} connections on 160 descriptors: a save {:?} after they were gone", freed.elapsed()));
    assert!(freed.elapsed() < testing::patience(Duration::from_secs(1)), "{:?}", freed.elapsed());
}
