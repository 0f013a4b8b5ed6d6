//! Listening sockets of a process, read from `/proc`.
use std::{collections::BTreeSet, fs};

/// State code of a listening socket in `/proc/net/tcp`.
const LISTENING: &str = "0A";

/// Returns the listening addresses and ports of a process, in the hexadecimal form of `/proc`.
fn sockets(process: u32) -> BTreeSet<String> {
    let held = fs::read_dir(format!("/proc/{process}/fd")).unwrap().flatten();
    let held: BTreeSet<String> = held.filter_map(|file| fs::read_link(file.path()).ok()?.to_str().map(str::to_owned)).collect();
    let tables = ["tcp", "tcp6"].map(|kind| fs::read_to_string(format!("/proc/{process}/net/{kind}")).unwrap_or_default());
    let rows = tables.iter().flat_map(|table| table.lines().skip(1)).map(|row| row.split_whitespace().collect::<Vec<_>>());
    rows.filter(|row| row[3] == LISTENING && held.contains(&format!("socket:[{}]", row[9]))).map(|row| row[1].to_owned()).collect()
}

/// Returns the ports on which a process listens.
pub fn ports(process: u32) -> BTreeSet<u16> {
    sockets(process).iter().map(|at| u16::from_str_radix(at.rsplit_once(':').unwrap().1, 16).unwrap()).collect()
}

#[test]
fn open_ports_are_listed_and_closed_ones_are_not() {
    let door = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = door.local_addr().unwrap().port();
    assert!(ports(std::process::id()).contains(&port));
    drop(door);
    assert!(!ports(std::process::id()).contains(&port));
}
