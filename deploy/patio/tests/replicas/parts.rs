//! Replicas that are restarted, killed and frozen under load.
use super::{
    Yard,
    cluster::{Replica, SERVICES},
    doors, sheets, tell, told,
};
use patio_kit::testing;
use std::time::{Duration, Instant};

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

impl Yard {
    /// Each process listens at the two ports that it was told of, and nowhere else.
    pub fn only_the_listed_doors_are_open(&self) {
        for replica in self.cluster.replicas.values().flatten() {
            assert_eq!(doors::ports(replica.id()), [replica.port, replica.admin].into(), "{}", replica.name);
        }
    }

    /// (a) Every replica in turn ends on SIGTERM and comes back: no request fails.
    pub fn restarts_are_not_noticed(&mut self) {
        let Self { cluster, load, long, .. } = self;
        let (most, began) = (if *long { testing::rounds(REQUESTS) } else { 0 }, load.asked());
        let mut rounds = 0;
        load.during(|| {
            load.settle();
            while rounds == 0 || load.asked() - began < most {
                cluster.each(Replica::restart);
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
        let Self { cluster, load, long, .. } = self;
        let clients = load.clients();
        load.during(|| {
            for _ in 0..if *long { testing::rounds(REQUESTS).div_ceil(A_ROUND) } else { 1 } {
                for (service, n) in SERVICES.into_iter().flat_map(|service| [(service, 0), (service, 1)]) {
                    load.settle();
                    let replica = &mut cluster.replicas.get_mut(service).unwrap()[n];
                    replica.kill();
                    std::thread::sleep(Duration::from_millis(700));
                    replica.up();
                    replica.wait_until_ready();
                    std::thread::sleep(Duration::from_millis(500));
                    let counts = load.taken();
                    told(&format!("{} killed", replica.name), &counts);
                    assert!(counts.given_up.is_empty(), "{:#?}", counts.given_up);
                    // A gateway that dies takes with it what is under way and what comes before the balancer knows.
                    let most = if service == "gateway" { 3 * clients } else { clients };
                    assert!(counts.failed.len() <= most, "{:#?}", counts.failed);
                    let reads = counts.failed.iter().filter(|what| !what.contains("/api/vehicles/") || what.contains("/campaign/"));
                    assert!(service == "gateway" || reads.count() == 0, "reads are repeated behind the gateway: {:#?}", counts.failed);
                }
            }
        });
        load.again();
    }

    /// (c) A replica of each service that answers nothing, and keeps its connections, is left alone within a second: no
    /// request fails. Whoever had asked a frozen gateway gives up in the end and asks the other one, once.
    pub fn a_frozen_replica_is_left_alone(&mut self) {
        let Self { cluster, load, long, token, .. } = &*self;
        let at_once = self.bound(AT_ONCE, Duration::from_secs(3));
        load.during(|| {
            for service in SERVICES {
                load.settle();
                let replica = &cluster.replicas[service][0];
                let (left, short) = if service == "gateway" { (LEFT_BY_BALANCER, 9) } else { (LEFT, 4) };
                let frozen = Duration::from_secs(if *long { 20 } else { short });
                replica.signal("-STOP");
                std::thread::sleep(left);
                let first = load.taken();
                let began = Instant::now();
                if service == "import-svc" {
                    let imported = sheets::upload(&cluster.gateways()[0], token, &sheets::workbook("while one is frozen", 20));
                    assert_eq!(imported.map(|(status, _)| status), Some(201), "an import finds the other one");
                    tell(&format!("an import takes {:?} meanwhile", began.elapsed()));
                }
                std::thread::sleep((frozen - left).saturating_sub(began.elapsed()));
                let later = load.taken();
                replica.signal("-CONT");
                std::thread::sleep(Duration::from_secs(1));
                let after = load.taken();
                told(&format!("{} frozen, within {left:?}", replica.name), &first);
                told(&format!("{} frozen, after {left:?}: slowest asked {} ms", replica.name, later.slowest_asked.as_millis()), &later);
                told(&format!("{} goes on", replica.name), &after);
                let failed: Vec<_> = [&first, &later, &after].into_iter().flat_map(|counts| &counts.failed).collect();
                let most = if service == "gateway" { load.clients() } else { 0 };
                assert!(failed.len() <= most, "{failed:#?}");
                assert!(later.slowest_asked < at_once, "{service} is left alone within {left:?}: {later:?}");
                assert!(later.reads > 20 && later.saves > 20, "{later:?}");
            }
        });
        load.again();
    }
}
