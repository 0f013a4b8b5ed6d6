//! A power cut loses no acknowledged save: data is flushed with `fsync` before the response is sent.
//!
//! Killing processes cannot test this, because the kernel keeps their writes. Therefore the test traces system calls.
use patio_harness::{Patio, TestFolder, acquire_light_test_slot};
use serde_json::json;
use std::{
    collections::HashSet,
    process::{Command, Stdio},
};

/// Relevant events of the trace in their order: a flush of the vehicle database, or a sent response.
#[derive(Debug, PartialEq, Eq)]
enum Seen {
    Synced,
    Answered,
}

fn seen(calls: &str) -> Vec<Seen> {
    let (mut all, mut syncing) = (Vec::new(), HashSet::new());
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
fn every_acknowledged_save_was_flushed_before_its_response() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        patio_testing::print_to_stderr("strace is not installed: test of fsync before responses skipped");
        return;
    }
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let trace = folder.path().join("calls").display().to_string();
    // strace detaches (-D), so that the child process is Patio itself, and prints file names (-y).
    let calls = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";
    let patio = Patio::builder().with_wrapper_command(["strace", "-D", "-f", "-y", "-s", "16", "-e", calls, "-o", &trace]).start();
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    let saves = patio_testing::rounds(50);
    let save = |notes: String| admin.save_vehicle(vehicle, &json!({ "operator_notes": notes }));
    save("the first".to_owned());
    let before = std::fs::read_to_string(&trace).unwrap().len();
    for n in 0..saves {
        save(format!("note {n}"));
    }
    let calls = std::fs::read_to_string(&trace).unwrap();
    let seen = seen(&calls[before..]);
    let answers: Vec<_> = seen.iter().enumerate().filter(|(_, one)| **one == Seen::Answered).map(|(at, _)| at).collect();
    let unsynced = answers.iter().filter(|at| **at == 0 || seen[**at - 1] != Seen::Synced).count();
    patio_testing::print_to_stderr(&format!("{} saves answered, {} of them after a sync", answers.len(), answers.len() - unsynced));
    assert_eq!((answers.len(), unsynced), (saves, 0));
}
