//! Failover of PostgreSQL to a synchronous standby: acknowledged saves are kept, and saves succeed again without a restart of Patio.
use super::restores::workbook;
use patio_harness::{
    Client, DATABASE_PASSWORD, DATABASE_ROLE, POSTGRES_URL_VARIABLE, Patio, Patroni, Postgres, Signal, TestFolder, acquire_exclusive_slot,
    acquire_light_test_slot, run_program, wait_until,
};
use patio_testing::{long, patience, print_to_stderr};
use serde_json::json;
use std::{
    collections::BTreeSet,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Maximum time from the promotion of the standby to the next successful save.
const RECOVERED: Duration = Duration::from_secs(5);
/// Maximum time from a failure until Patroni has promoted a standby.
const PROMOTED: Duration = Duration::from_secs(60);

/// Users who inspect the vehicles of a campaign one after another.
struct Inspectors {
    admin: Client,
    first: i64,
    left: Mutex<Vec<i64>>,
    acknowledged: Mutex<BTreeSet<i64>>,
}

impl Inspectors {
    fn new(patio: &Patio, vehicles: usize) -> Self {
        let admin = patio.sign_in();
        let campaign = admin.import_workbook(&workbook(1, vehicles));
        let mut left: Vec<i64> = admin.list_vehicles(campaign.id).iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect();
        let first = left.remove(0);
        Self { admin: admin.with_timeout(Duration::from_secs(10)), first, left: Mutex::new(left), acknowledged: Mutex::default() }
    }

    /// Saves one vehicle after another during `work`, and for one second afterwards. Returns the number of rejected saves.
    fn save_during(&self, work: impl FnOnce()) -> usize {
        let (is_over, rejected) = (AtomicBool::new(false), AtomicUsize::new(0));
        thread::scope(|scope| {
            for _ in 0..3 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        let Some(id) = self.left.lock().unwrap().pop() else { return };
                        let answer = self.admin.call_route("PUT", &format!("/api/vehicles/{id}"), &json!({ "status": "ok" }));
                        if answer.is_success() {
                            self.acknowledged.lock().unwrap().insert(id);
                        } else {
                            assert!([503, 504].contains(&answer.status), "a save that may be repeated: {}", answer.text());
                            rejected.fetch_add(1, Ordering::Relaxed);
                        }
                        thread::sleep(Duration::from_millis(10));
                    }
                });
            }
            work();
            thread::sleep(Duration::from_secs(1));
            is_over.store(true, Ordering::Relaxed);
        });
        rejected.into_inner()
    }

    /// Waits until a save succeeds, at most [`RECOVERED`]. Returns the time that this took.
    #[track_caller]
    fn wait_until_saved(&self) -> Duration {
        let began = Instant::now();
        wait_until("a save succeeds on the new primary", patience(RECOVERED), || {
            let note = json!({ "operator_notes": "after the failover" });
            self.admin.try_call_route("PUT", &format!("/api/vehicles/{}", self.first), &note).is_ok_and(|answer| answer.is_success())
        });
        began.elapsed()
    }

    /// Asserts that the rows of the new primary contain every acknowledged save. Returns the number of acknowledged saves.
    #[track_caller]
    fn assert_stored(&self, rows: &str) -> usize {
        let stored: BTreeSet<i64> = rows.lines().map(|id| id.parse().unwrap()).collect();
        let acknowledged = self.acknowledged.lock().unwrap();
        let lost: Vec<_> = acknowledged.difference(&stored).collect();
        assert!(lost.is_empty(), "acknowledged and not on the new primary: {lost:?}");
        assert!(acknowledged.len() > 20, "{} saves", acknowledged.len());
        acknowledged.len()
    }
}

/// Statement that returns the ids of the saved vehicles.
const SAVED: &str = "select id from vehicle.vehicles where status = 'ok'";

/// Primary and synchronous standby, and a Patio of five processes that knows both.
struct Yard {
    primary: Postgres,
    standby: Postgres,
    patio: Patio,
    inspectors: Inspectors,
    _folders: [TestFolder; 2],
}

fn yard() -> Option<Yard> {
    let folders = [TestFolder::create_temporary(), TestFolder::create_temporary()];
    let Some(primary) = Postgres::start(folders[0].path()) else {
        print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped"));
        return None;
    };
    let standby = primary.start_standby(folders[1].path());
    let hosts = [&standby, &primary].map(Postgres::address).join(",");
    let url = format!("postgres://{DATABASE_ROLE}:{DATABASE_PASSWORD}@{hosts}/patio?target_session_attrs=read-write");
    let patio = Patio::builder().with_separate_processes().with_postgres(&url).start();
    let inspectors = Inspectors::new(&patio, 3_000);
    Some(Yard { primary, standby, patio, inspectors, _folders: folders })
}

#[test]
fn after_a_crash_of_the_primary_saves_continue_on_the_promoted_standby() {
    let (_turn, Some(mut yard)) = (acquire_light_test_slot(), yard()) else { return };
    yard.inspectors.save_during(|| thread::sleep(Duration::from_secs(1)));
    let (primary, standby, inspectors) = (&mut yard.primary, &yard.standby, &yard.inspectors);
    let rejected = inspectors.save_during(|| {
        primary.stop_server(Signal::Quit);
        standby.promote();
        print_to_stderr(&format!("a save succeeded {:?} after the promotion", inspectors.wait_until_saved()));
    });
    let saved = inspectors.assert_stored(&standby.run_sql_in_database("patio", SAVED));
    print_to_stderr(&format!("{saved} saves acknowledged, {rejected} rejected"));
    for replica in yard.patio.replicas() {
        wait_until("every process is ready", Duration::from_secs(10), || replica.is_ready());
    }
    yard.patio.stop();
}

#[test]
fn a_frozen_primary_that_wakes_up_after_the_failover_gets_no_saves() {
    let (_turn, Some(yard)) = (acquire_light_test_slot(), yard()) else { return };
    let inspectors = &yard.inspectors;
    inspectors.save_during(|| thread::sleep(Duration::from_secs(1)));
    let rejected = inspectors.save_during(|| {
        yard.primary.send_signal(Signal::Suspend);
        yard.standby.promote();
        inspectors.wait_until_saved();
    });
    // The old primary still accepts writes, as after a network failure between the two servers.
    yard.primary.send_signal(Signal::Continue);
    let late = inspectors.save_during(|| thread::sleep(Duration::from_secs(1)));
    let saved = inspectors.assert_stored(&yard.standby.run_sql_in_database("patio", SAVED));
    print_to_stderr(&format!("{saved} saves acknowledged, {rejected} rejected during the failover"));
    assert_eq!(late, 0, "rejected after the failover");
    yard.patio.stop();
}

#[test]
fn doctor_finds_the_primary_among_several_hosts_and_names_all_when_none_responds() {
    let (_turn, Some(yard)) = (acquire_light_test_slot(), yard()) else { return };
    let doctor = |hosts: &str| {
        let url = format!("postgres://{DATABASE_ROLE}:{DATABASE_PASSWORD}@{hosts}/patio");
        let allow = ("PATIO_ALLOW_DATA_LOSS", "true");
        run_program("vehicle-svc", &["doctor"], &[("PATIO_DATABASE_URL", &url), allow, ("PATIO_SERVICE_SECRET", "the secret of tests")])
    };
    let found = doctor(&[&yard.standby, &yard.primary].map(Postgres::address).join(","));
    assert!(found.combined_output().contains("ok   database: PostgreSQL"), "{found:?}");
    let none = doctor("127.0.0.1:1,127.0.0.1:2");
    assert!(none.code == Some(1) && none.combined_output().contains("127.0.0.1:1, 127.0.0.1:2"), "{none:?}");
    yard.patio.stop();
}

/// Ways in which a Patroni cluster loses its primary.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Loss {
    Switchover,
    Crash,
    Freeze,
    CutOff,
}

#[test]
fn a_patroni_cluster_that_loses_its_primary_loses_no_acknowledged_save() {
    let _turn = acquire_exclusive_slot();
    if !long("failover of a Patroni cluster") {
        return;
    }
    let mut cluster = Patroni::start().expect("the packages patroni, etcd-server and python3-etcd are installed");
    let patio = Patio::builder().with_replicas(2).with_postgres(&cluster.url()).start();
    let inspectors = Inspectors::new(&patio, 10_000);
    inspectors.save_during(|| thread::sleep(Duration::from_secs(2)));
    for loss in [Loss::Switchover, Loss::Crash, Loss::Freeze, Loss::CutOff] {
        let old = cluster.primary_node().unwrap();
        let (mut down, mut again) = (Duration::ZERO, Duration::ZERO);
        let rejected = inspectors.save_during(|| {
            let began = Instant::now();
            match loss {
                Loss::Switchover => cluster.switch_over(),
                Loss::Crash => cluster.kill_node(old),
                Loss::Freeze => cluster.suspend_node(old),
                Loss::CutOff => cluster.set_etcd_disconnected(old, true),
            }
            wait_until("a standby is the primary", PROMOTED, || cluster.primary_node().is_some_and(|new| new != old));
            down = began.elapsed();
            again = inspectors.wait_until_saved();
        });
        match loss {
            Loss::Switchover => {}
            Loss::Crash => cluster.restart_node(old),
            Loss::Freeze => cluster.resume_node(old),
            Loss::CutOff => cluster.set_etcd_disconnected(old, false),
        }
        cluster.wait_until_healthy();
        let late = inspectors.save_during(|| thread::sleep(Duration::from_secs(2)));
        let saved = inspectors.assert_stored(&cluster.run_sql("patio", SAVED));
        print_to_stderr(&format!(
            "{loss:?}: primary after {down:?}, a save {again:?} later, {rejected} rejected, {saved} saves acknowledged"
        ));
        assert_eq!(late, 0, "rejected after the old primary came back");
    }
    patio.stop();
}
