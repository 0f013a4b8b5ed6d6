//! Restarting, killing and freezing replicas under load.
use super::{Yard, print_counts, print_to_stderr, sockets, workbook};
use patio_harness::{PROGRAM_NAMES, Patio, Replica, Signal};
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

/// Number of requests during the restarts in the long form.
const REQUESTS: usize = 150_000;
/// Number of requests per round, in which each replica is killed once.
const A_ROUND: usize = 30_000;
/// Maximum time until a frozen replica gets no more requests.
const LEFT: Duration = Duration::from_secs(1);
/// Maximum time until the test's load balancer stops using a frozen gateway: it probes every 0.1 s with a timeout of 1 s.
const LEFT_BY_BALANCER: Duration = Duration::from_millis(1500);
/// Maximum latency while no request goes to the frozen replica; a request sent to it would take longer.
const AT_ONCE: Duration = Duration::from_millis(400);
/// Time that a replica is frozen in the long form.
const FROZEN: Duration = Duration::from_secs(20);
/// Changes and restarts every replica, the gateways last, or first if `backwards`. The long form restarts one replica at a
/// time, the short form one of each service, like Kubernetes.
///
/// Gateways and services do not restart together, because a gateway is briefly not ready when a replica that it calls stops.
pub fn restart_all(patio: &mut Patio, long: bool, backwards: bool, change: impl Fn(&mut Replica) + Sync) {
    let mut phases = [BTreeMap::new(), BTreeMap::new()];
    for replica in patio.replicas_mut() {
        let phase = usize::from((replica.program == "gateway") != backwards);
        let lane = if long { "" } else { replica.program };
        phases[phase].entry(lane).or_insert_with(Vec::new).push(replica);
    }
    for lanes in phases {
        thread::scope(|scope| {
            for lane in lanes.into_values() {
                scope.spawn(|| {
                    for replica in lane {
                        change(replica);
                        replica.restart();
                    }
                });
            }
        });
    }
}

impl Yard {
    /// Asserts that each process listens only on its two configured ports.
    pub fn only_the_listed_doors_are_open(&self) {
        for replica in self.patio.replicas() {
            assert_eq!(sockets::ports(replica.id()), [replica.port, replica.admin_port].into(), "{}", replica.name());
        }
    }

    /// (a) Restarts every replica with SIGTERM: no request fails.
    pub fn restarts_are_not_noticed(&mut self) {
        let Self { patio, load, long, .. } = self;
        let (most, began) = (if *long { patio_testing::rounds(REQUESTS) } else { 0 }, load.asked());
        let mut rounds = 0;
        load.during(|| {
            load.settle();
            while rounds == 0 || load.asked() - began < most {
                restart_all(patio, *long, false, |_| {});
                rounds += 1;
            }
        });
        let counts = load.taken();
        print_counts(&format!("every replica restarted in turn, {rounds} times, {} requests", load.asked() - began), &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (b) Kills every replica once: open saves may fail, but retries with the same key succeed and store them once.
    pub fn kills_lose_nothing(&mut self) {
        let Self { patio, load, long, .. } = self;
        let clients = load.clients();
        load.during(|| {
            for _ in 0..if *long { patio_testing::rounds(REQUESTS).div_ceil(A_ROUND) } else { 1 } {
                for replica in patio.replicas_mut() {
                    load.settle();
                    replica.kill();
                    load.pass(*long, Duration::from_millis(700));
                    replica.start().unwrap();
                    replica.wait_until_ready();
                    load.pass(*long, Duration::from_millis(500));
                    let counts = load.taken();
                    print_counts(&format!("{} killed", replica.name()), &counts);
                    assert!(counts.given_up.is_empty(), "{:#?}", counts.given_up);
                    // A killed gateway loses its open requests and those that arrive before the balancer notices.
                    let is_gateway = replica.program == "gateway";
                    let most = if is_gateway { 3 * clients } else { clients };
                    assert!(counts.failed.len() <= most, "{:#?}", counts.failed);
                    let reads = counts.failed.iter().filter(|what| !what.contains("/api/vehicles/") || what.contains("/campaign/"));
                    assert!(is_gateway || reads.count() == 0, "failed reads are retried by the gateway: {:#?}", counts.failed);
                }
            }
        });
        load.again();
    }

    /// (c) Freezes a replica of each service: within a second it gets no more calls, and no request fails. Requests to a frozen
    /// gateway time out and succeed at the other one.
    pub fn a_frozen_replica_is_left_alone(&mut self) {
        let Self { patio, load, long, .. } = &*self;
        let (at_once, entry) = (self.bound(AT_ONCE, Duration::from_secs(3)), &self.gateways()[0]);
        load.during(|| {
            for replica in PROGRAM_NAMES.map(|service| patio.replica(service, 0)) {
                load.settle();
                let is_gateway = replica.program == "gateway";
                let left = if is_gateway { LEFT_BY_BALANCER } else { LEFT };
                replica.send_signal(Signal::Suspend);
                thread::sleep(left);
                let (first, began) = (load.taken(), Instant::now());
                if replica.program == "import-svc" {
                    let id = uuid::Uuid::now_v7().to_string();
                    let imported = entry.try_upload_workbook(&id, &workbook("while one is frozen", 20)).map(|answer| answer.status);
                    assert_eq!(imported.ok(), Some(201), "the import uses the other replica");
                    print_to_stderr(&format!("an import during the freeze takes {:?}", began.elapsed()));
                }
                if *long {
                    thread::sleep((FROZEN - left).saturating_sub(began.elapsed()));
                }
                load.until_over(began);
                load.until("reads and saves are answered", |counts| counts.reads > 20 && counts.saves > 20);
                let later = load.taken();
                replica.send_signal(Signal::Continue);
                load.pass(*long, Duration::from_secs(1));
                let after = load.taken();
                print_counts(&format!("{} frozen, within {left:?}", replica.name()), &first);
                print_counts(
                    &format!("{} frozen, after {left:?}: slowest asked {} ms", replica.name(), later.slowest_asked.as_millis()),
                    &later,
                );
                print_counts(&format!("{} goes on", replica.name()), &after);
                let failed: Vec<_> = [&first, &later, &after].into_iter().flat_map(|counts| &counts.failed).collect();
                let most = if is_gateway { load.clients() } else { 0 };
                assert!(failed.len() <= most, "{failed:#?}");
                assert!(later.slowest_asked < at_once, "{} gets no requests after {left:?}: {later:?}", replica.name());
                assert!(later.reads > 20 && later.saves > 20, "{later:?}");
            }
        });
        load.again();
    }
}
