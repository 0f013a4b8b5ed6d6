//! Replicas that are restarted, killed and frozen under load.
use super::{Yard, sockets, tell, told, workbook};
use patio_harness::{Patio, Replica, SERVICES, Signal};
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

/// How many requests are made while replicas are restarted in turn, in the long form.
const REQUESTS: usize = 150_000;
/// In which everything is killed once.
const A_ROUND: usize = 30_000;
/// After so long nothing is sent to a frozen replica any more.
const LEFT: Duration = Duration::from_secs(1);
/// The same for a frozen gateway, as the balancer of this test knows: it asks every tenth of a second and waits for one.
const LEFT_BY_BALANCER: Duration = Duration::from_millis(1500);
/// What the slowest answer may take when nothing is asked of a frozen replica; one that was would take longer.
const AT_ONCE: Duration = Duration::from_millis(400);
/// For how long a replica is frozen in the long form.
const FROZEN: Duration = Duration::from_secs(20);
/// Changes and restarts every replica, the gateways last, or first when `backwards` is true: in the long form one at a time,
/// in the short one one of each service at a time, as Kubernetes does it.
///
/// Gateways are restarted apart from services, as a gateway is not ready for a moment when a replica that it asks leaves.
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
    /// Each process listens at the two ports that it was told of, and nowhere else.
    pub fn only_the_listed_doors_are_open(&self) {
        for replica in self.patio.replicas() {
            assert_eq!(sockets::ports(replica.id()), [replica.port, replica.admin_port].into(), "{}", replica.name());
        }
    }

    /// (a) Every replica in turn ends on SIGTERM and comes back: no request fails.
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
        told(&format!("every replica restarted in turn, {rounds} times, {} requests", load.asked() - began), &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (b) Every replica is killed once: saves under way may fail and succeed when tried again with their key, once.
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
                    told(&format!("{} killed", replica.name()), &counts);
                    assert!(counts.given_up.is_empty(), "{:#?}", counts.given_up);
                    // A gateway that dies takes with it what is under way and what comes before the balancer knows.
                    let is_gateway = replica.program == "gateway";
                    let most = if is_gateway { 3 * clients } else { clients };
                    assert!(counts.failed.len() <= most, "{:#?}", counts.failed);
                    let reads = counts.failed.iter().filter(|what| !what.contains("/api/vehicles/") || what.contains("/campaign/"));
                    assert!(is_gateway || reads.count() == 0, "reads are repeated behind the gateway: {:#?}", counts.failed);
                }
            }
        });
        load.again();
    }

    /// (c) A replica of each service that answers nothing, and keeps its connections, is left alone within a second: no
    /// request fails. Whoever had asked a frozen gateway gives up in the end and asks the other one, once.
    pub fn a_frozen_replica_is_left_alone(&mut self) {
        let Self { patio, load, long, .. } = &*self;
        let (at_once, entry) = (self.bound(AT_ONCE, Duration::from_secs(3)), &self.gateways()[0]);
        load.during(|| {
            for replica in SERVICES.map(|service| patio.replica(service, 0)) {
                load.settle();
                let is_gateway = replica.program == "gateway";
                let left = if is_gateway { LEFT_BY_BALANCER } else { LEFT };
                replica.signal(Signal::Suspend);
                thread::sleep(left);
                let (first, began) = (load.taken(), Instant::now());
                if replica.program == "import-svc" {
                    let id = uuid::Uuid::now_v7().to_string();
                    let imported = entry.try_upload(&id, &workbook("while one is frozen", 20)).map(|answer| answer.status);
                    assert_eq!(imported.ok(), Some(201), "an import finds the other one");
                    tell(&format!("an import takes {:?} meanwhile", began.elapsed()));
                }
                if *long {
                    thread::sleep((FROZEN - left).saturating_sub(began.elapsed()));
                }
                load.until_over(began);
                load.until("reads and saves are answered", |counts| counts.reads > 20 && counts.saves > 20);
                let later = load.taken();
                replica.signal(Signal::Continue);
                load.pass(*long, Duration::from_secs(1));
                let after = load.taken();
                told(&format!("{} frozen, within {left:?}", replica.name()), &first);
                told(&format!("{} frozen, after {left:?}: slowest asked {} ms", replica.name(), later.slowest_asked.as_millis()), &later);
                told(&format!("{} goes on", replica.name()), &after);
                let failed: Vec<_> = [&first, &later, &after].into_iter().flat_map(|counts| &counts.failed).collect();
                let most = if is_gateway { load.clients() } else { 0 };
                assert!(failed.len() <= most, "{failed:#?}");
                assert!(later.slowest_asked < at_once, "{} is left alone within {left:?}: {later:?}", replica.name());
                assert!(later.reads > 20 && later.saves > 20, "{later:?}");
            }
        });
        load.again();
    }
}
