//! What starts first does not matter: everything waits for what it needs, says so, and is ready soon after it came.
use super::{
    alone,
    cluster::{Cluster, Outside, Replica},
    servers::{Postgres, Redis, until},
    sign_in, tell,
};
use patio_kit::{
    command::print,
    testing::{LONG, free_port, from_environment},
};
use std::{
    fmt::Debug,
    time::{Duration, Instant},
};

/// How soon after the last of what they need came all are ready.
const READY: Duration = Duration::from_secs(2);
/// How long each thing that comes is away for longer than the one before.
const PAUSE: Duration = Duration::from_millis(1200);

/// What comes after the processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coming {
    Redis,
    Server,
    Role,
    Database,
    Rights,
}

/// In which order things come; rights are given last of what PostgreSQL has, as they need the others.
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
fn whatever_starts_first_nothing_ends_and_all_are_ready_soon_after_the_last_came() {
    let _alone = alone();
    let long = from_environment(LONG).is_some();
    for (turn, order) in ORDERS.iter().enumerate().take(if long { ORDERS.len() } else { 2 }) {
        let folder = tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir().unwrap();
        let (Some(postgres), Some(mut redis)) = (Postgres::laid_out(folder.path()), Redis::laid_out(folder.path())) else {
            let _ = print("PostgreSQL or Redis is not installed: skipped\n");
            return;
        };
        let collector = format!("http://127.0.0.1:{}", free_port()); // nobody is there, and nobody needs it
        let outside = Outside { database: postgres.url(), redis: redis.url(), collector, log: "warn,patio_kit::balance=info" };
        let mut cluster = Cluster::laid_out(folder.path(), &outside);
        let shuffled = Cluster::shuffled(turn);
        for (service, n) in &shuffled {
            cluster.replicas.get_mut(service).unwrap()[*n].up();
            std::thread::sleep(Duration::from_millis(50));
        }
        until("all say how they are", Duration::from_secs(20), || cluster.all().all(|replica| replica.readiness() == Some(503)));
        let ids: Vec<_> = cluster.all().map(Replica::id).collect();
        let mut took = None;
        for coming in order {
            std::thread::sleep(PAUSE);
            none_ended(&mut cluster, &ids, coming);
            if took.is_none() {
                assert!(cluster.all().all(|replica| replica.readiness() == Some(503)), "before {coming:?}");
            }
            come(*coming, &postgres, &mut redis);
            if *coming == Coming::Rights {
                let came = Instant::now();
                until("all are ready", Duration::from_secs(20), || cluster.all().all(Replica::is_ready));
                took = Some(came.elapsed());
            }
        }
        none_ended(&mut cluster, &ids, order);
        let took = took.unwrap();
        tell(&format!("started as {shuffled:?}, then came {order:?}: all ten ready {took:?} after the last they need"));
        // Ten processes that begin their work at the same moment share this machine's cores.
        let most = if long { READY + Duration::from_millis(100) } else { READY * 3 };
        assert!(took < most, "{took:?}");
        assert_eq!(sign_in(&cluster.gateways()[1], "1000", super::PASSWORD).0, 200);
    }
}

fn come(what: Coming, postgres: &Postgres, redis: &mut Redis) {
    match what {
        Coming::Redis => redis.up(),
        Coming::Server => postgres.up(),
        Coming::Role => postgres.make_role(),
        Coming::Database => _ = postgres.sql("create database patio"),
        Coming::Rights => _ = postgres.sql("grant create on database patio to yard"),
    }
}

#[track_caller]
fn none_ended(cluster: &mut Cluster, ids: &[u32], when: impl Debug) {
    cluster.each(|replica| assert!(!replica.has_ended(), "{} ended before {when:?}", replica.name));
    assert_eq!(cluster.all().map(Replica::id).collect::<Vec<_>>(), ids);
}
