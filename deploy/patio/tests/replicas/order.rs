//! Start order does not matter: each process waits for its dependencies, logs that, and is ready soon after they are available.
use super::{MISSING, configure, print_to_stderr};
use patio_harness::{
    ADMIN_HMC, ADMIN_PASSWORD, DATABASE_ROLE, PROGRAM_NAMES, Patio, Postgres, Redis, Replica, TestFolder, acquire_exclusive_slot,
    find_free_port, wait_until,
};
use patio_testing::{LONG, from_environment};
use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

/// Maximum time until all processes are ready after the last dependency became available.
const READY: Duration = Duration::from_secs(2);
/// Pause between two dependencies becoming available.
const PAUSE: Duration = Duration::from_millis(1200);

/// Dependency that becomes available after the processes started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    Redis,
    Server,
    Role,
    Database,
    Rights,
}

/// Orders in which dependencies become available. Of those in PostgreSQL, the grants come last, because they need the others.
const ORDERS: [[Coming; 5]; 6] = {
    use Coming::{Database, Redis, Rights, Role, Server};
    [
        [Redis, Server, Role, Database, Rights],
        [Server, Database, Role, Rights, Redis],
        [Server, Redis, Role, Database, Rights],
        [Server, Role, Database, Redis, Rights],
        [Server, Database, Redis, Role, Rights],
        [Redis, Server, Database, Role, Rights],
    ]
};

#[test]
fn processes_start_in_any_order_and_are_ready_soon_after_the_last_dependency() {
    let _turn = acquire_exclusive_slot();
    let long = from_environment(LONG).is_some();
    for (turn, order) in ORDERS.iter().enumerate().take(if long { ORDERS.len() } else { 2 }) {
        let folder = TestFolder::create_temporary();
        let postgres = Postgres::new_stopped(folder.path(), &["max_connections=200", "fsync=off"], None);
        let (Some(mut postgres), Some(mut redis)) = (postgres, Redis::new_stopped(folder.path(), None)) else {
            return print_to_stderr(MISSING);
        };
        let collector = find_free_port(); // an unreachable collector, which no process needs
        let mut patio = configure(folder.path(), (&postgres, &redis), collector, "warn,patio_kit::client::balancer=info").build();
        let shuffled = shuffled(turn);
        for (service, n) in &shuffled {
            patio.replica_mut(service, *n).start().unwrap();
            std::thread::sleep(Duration::from_millis(50));
        }
        wait_until("all readiness probes respond", Duration::from_secs(20), || {
            patio.replicas().all(|replica| replica.readiness_status() == Some(503))
        });
        let ids: Vec<_> = patio.replicas().map(|replica| replica.id()).collect();
        let mut took = None;
        for coming in order {
            std::thread::sleep(if long { PAUSE } else { PAUSE / 3 });
            none_ended(&mut patio, &ids, coming);
            if took.is_none() {
                assert!(!patio.replicas().any(Replica::is_ready), "before {coming:?}");
            }
            come(*coming, &mut postgres, &mut redis);
            if *coming == Coming::Rights {
                let came = Instant::now();
                wait_until("all are ready", Duration::from_secs(20), || patio.replicas().all(Replica::is_ready));
                took = Some(came.elapsed());
            }
        }
        none_ended(&mut patio, &ids, order);
        let took = took.unwrap();
        print_to_stderr(&format!("started as {shuffled:?}, dependencies {order:?}: all ten ready {took:?} after the last one"));
        // Ten processes that begin work at the same time compete for the cores.
        let most = if long { READY + Duration::from_millis(100) } else { READY * 3 };
        assert!(took < most, "{took:?}");
        let at_the_second = patio.client().with_url(&patio.replica("gateway", 1).url());
        assert_eq!(at_the_second.try_sign_in(ADMIN_HMC, ADMIN_PASSWORD).status, 200);
    }
}

/// Returns the ten processes in a different order in each turn.
fn shuffled(turn: usize) -> Vec<(&'static str, usize)> {
    let all: Vec<_> = PROGRAM_NAMES.into_iter().flat_map(|service| [(service, 0), (service, 1)]).collect();
    // These steps are coprime to ten, so each visits all ten places once.
    let step = [3, 7, 1, 9][turn % 4];
    (0..all.len()).map(|place| all[(place * step + turn) % all.len()]).collect()
}

fn come(what: Coming, postgres: &mut Postgres, redis: &mut Redis) {
    match what {
        Coming::Redis => redis.start_server(),
        Coming::Server => postgres.start_server(),
        Coming::Role => postgres.create_role(),
        Coming::Database => _ = postgres.run_sql("create database patio"),
        Coming::Rights => _ = postgres.run_sql(&format!("grant create on database patio to {DATABASE_ROLE}")),
    }
}

#[track_caller]
fn none_ended(patio: &mut Patio, ids: &[u32], when: impl Debug) {
    patio.replicas_mut().for_each(|replica| assert!(replica.is_running(), "{} ended before {when:?}", replica.name()));
    assert_eq!(patio.replicas().map(|replica| replica.id()).collect::<Vec<_>>(), ids);
}
