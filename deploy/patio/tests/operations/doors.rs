//! Sockets of running processes, compared with the connections that the network policies allow.
use patio_harness::{Database, PROGRAM_NAMES, Patio, acquire_light_test_slot, claim_empty_redis_database};
use serde_json::json;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs, thread,
    time::{Duration, Instant},
};

/// State of a listening socket in `/proc/net/tcp`.
const LISTEN: &str = "0A";

/// Lowest port that the system assigns to the client end of a connection.
const FIRST_EPHEMERAL: u16 = 32_768;

/// TCP sockets of one process: ports on which it listens, and ports to which it is connected as a client.
#[derive(Debug, Default)]
struct Sockets {
    listening: BTreeSet<u16>,
    connected: BTreeSet<u16>,
}

/// Reads the sockets of a process from `/proc`.
fn sockets(pid: u32) -> Sockets {
    let own: HashSet<String> = fs::read_dir(format!("/proc/{pid}/fd"))
        .unwrap()
        .filter_map(|entry| fs::read_link(entry.ok()?.path()).ok())
        .filter_map(|target| Some(target.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_owned()))
        .collect();
    let mut found = Sockets::default();
    for table in ["tcp", "tcp6"] {
        let rows = fs::read_to_string(format!("/proc/{pid}/net/{table}")).unwrap_or_default();
        for row in rows.lines().skip(1) {
            let fields: Vec<&str> = row.split_whitespace().collect();
            if !own.contains(fields[9]) {
                continue;
            }
            let port = |address: &str| u16::from_str_radix(address.rsplit_once(':').unwrap().1, 16).unwrap();
            if fields[3] == LISTEN {
                found.listening.insert(port(fields[1]));
            } else {
                found.connected.insert(port(fields[2]));
            }
        }
    }
    found
}

/// Returns the needed connections between programs, as source and destination, from the table that the network policies are checked against.
fn needed() -> BTreeSet<(String, String)> {
    let table = include_str!("../../../k8s/shape.py");
    let rows = table.split("BASE = \"\"\"").nth(1).unwrap().split("\"\"\"").next().unwrap();
    rows.lines()
        .filter(|row| !row.is_empty())
        .map(|row| {
            let mut words = row.split_whitespace().map(str::to_owned);
            (words.next().unwrap(), words.next().unwrap())
        })
        .collect()
}

#[test]
fn processes_listen_on_their_two_ports_only_and_connect_as_the_network_policies_allow() {
    let _turn = acquire_light_test_slot();
    let (Some(database), Some(redis)) = (Database::create(), claim_empty_redis_database()) else {
        return patio_testing::print_to_stderr("PostgreSQL or Redis is missing: open sockets not compared");
    };
    let patio = Patio::builder().with_separate_processes().with_postgres(&database.url()).with_redis(&redis).start();
    let admin = patio.sign_in();
    let campaign = admin.import_template_workbook();
    admin.save_vehicle(campaign.vehicle_ids()[0], &json!({ "status": "ok" })); // the first save starts the campaign at campaign-svc
    let ports: HashMap<u16, &str> = patio.replicas().map(|replica| (replica.port, replica.program)).collect();
    let stores = [database.url(), redis].map(|url| url.rsplit_once(':').unwrap().1.split('/').next().unwrap().parse::<u16>().unwrap());
    let mut made = BTreeSet::new();
    let begun = Instant::now();
    while made != needed() && begun.elapsed() < Duration::from_secs(30) {
        for replica in patio.replicas() {
            let found = sockets(replica.id());
            assert_eq!(found.listening, BTreeSet::from([replica.port, replica.admin_port]), "{}", replica.name());
            for port in found.connected {
                match ports.get(&port) {
                    Some(program) if *program != replica.program => _ = made.insert((replica.program.to_owned(), (*program).to_owned())),
                    // The other end of a connection has a port of the system's range.
                    _ => assert!(
                        port >= FIRST_EPHEMERAL || (stores.contains(&port) && replica.program != PROGRAM_NAMES[4]),
                        "{} connects to {port}",
                        replica.name()
                    ),
                }
            }
        }
        thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(made, needed());
}
