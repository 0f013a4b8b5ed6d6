//! A power cut loses nothing that was acknowledged: the kernel is asked to write it down before the answer leaves.
//!
//! Killing processes cannot show that, as the kernel keeps what they wrote. So the system calls are watched.
use crate::patio::Patio;
use patio_kit::testing;
use serde_json::json;
use std::{
    collections::HashSet,
    process::{Command, Stdio},
};

/// What matters of a trace, in its order: the vehicles were written down, or an answer left.
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
fn every_acknowledged_save_was_written_down_before_its_answer_left() {
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        testing::tell("strace is not installed: that saves are written down before their answers is not shown");
        return;
    }
    let patio = Patio::watched("trace=fsync,fdatasync,write,writev,sendto,sendmsg");
    let token = patio.sign_in();
    let path = format!("/api/vehicles/{}", patio.import(&token).1[0]["id"]);
    let (saves, trace) = (testing::rounds(50), patio.file("calls"));
    let save = |notes: String| patio.call(("PUT", &path), &token, Some(json!({ "operator_notes": notes })));
    save("the first".to_owned());
    let before = std::fs::read_to_string(&trace).unwrap().len();
    for n in 0..saves {
        save(format!("note {n}"));
    }
    let calls = std::fs::read_to_string(&trace).unwrap();
    let seen = seen(&calls[before..]);
    let answers: Vec<_> = seen.iter().enumerate().filter(|(_, one)| **one == Seen::Answered).map(|(at, _)| at).collect();
    let unsynced = answers.iter().filter(|at| **at == 0 || seen[**at - 1] != Seen::Synced).count();
    testing::tell(&format!("{} saves answered, {} of them after a sync", answers.len(), answers.len() - unsynced));
    assert_eq!((answers.len(), unsynced), (saves, 0));
}
