//! A Redis that dies in the middle: nobody is locked out by it, nobody gets a free guess, a block stays.
use crate::{
    lockout::{assert_locked, assert_wrong, somewhere},
    office::{FIRST, Office, PASSWORD, another, number, why},
};
use futures::future::join_all;
use patio_harness::free_port;
use patio_kit::errors::Reason;
use patio_testing::each_database;
use std::{
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio::net::TcpStream;

/// How much longer an answer may take at the 99th percentile because Redis is away.
const ADDED: Duration = Duration::from_millis(60);

/// So many tries have a 99th percentile; of fewer it would be the one slowest, on a machine that runs other tests as well.
const MANY: usize = 300;

/// A Redis of this test's own, which keeps nothing on disk and forgets everything when it is killed.
struct Redis {
    port: u16,
    child: Option<Child>,
}

impl Redis {
    /// None where there is no Redis server to run.
    async fn start() -> Option<Self> {
        let port = free_port();
        let mut redis = Self { port, child: None };
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            patio_testing::tell("there is no redis-server: its crashes are not tried");
            return None;
        }
        redis.run().await;
        Some(redis)
    }

    fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    async fn run(&mut self) {
        let child = Command::new("redis-server")
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .spawn();
        self.child = Some(child.unwrap());
        let started = Instant::now();
        while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
            assert!(started.elapsed() < Duration::from_secs(30), "redis did not start");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    fn crash(&mut self) {
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.crash();
    }
}

/// How long the tries against one name took, and that they were answered as if nothing had happened.
struct Tries<'o> {
    office: &'o Office,
    took: Vec<Duration>,
}

impl Tries<'_> {
    async fn wrong(&mut self, hmc: &str, here: &str, left: i64) {
        let started = Instant::now();
        let refused = self.office.refused(hmc, "a wrong one", here).await;
        self.took.push(started.elapsed());
        if left > 0 { assert_wrong(&refused, left) } else { assert_locked(&refused, 180) }
    }

    /// The 99th percentile; of fewer than [MANY] the 90th, which has tries without Redis in it as well: it is away for a third.
    fn slowest(&mut self) -> Duration {
        self.took.sort_unstable();
        let percentile = if self.took.len() < MANY { 90 } else { 99 };
        self.took[(self.took.len() * percentile).div_ceil(100) - 1]
    }
}

#[tokio::test]
async fn five_tries_are_five_and_a_block_stays_whenever_redis_crashes() {
    let rounds = patio_testing::rounds(6);
    each_database(async |host| {
        let Some(mut redis) = Redis::start().await else { return };
        let office = Office::open(another(&host, Some(&redis.url())).await).await;
        let (mut well, mut torn) = (Tries { office: &office, took: Vec::new() }, Tries { office: &office, took: Vec::new() });
        for round in 0..rounds {
            let (here, checked) = (somewhere(), office.passwords.checks());
            let name = |what: &str| format!("{what} {here}");
            for left in [4, 3, 2, 1, 0] {
                well.wrong(&name("before"), &here, left).await;
            }
            // It dies before one of the five, or after the last; and comes back, empty, at once or later.
            let (dies, back) = (round % 6, round % 4);
            for (n, left) in [4, 3, 2, 1, 0].into_iter().enumerate() {
                if n == dies {
                    redis.crash();
                }
                torn.wrong(&name("during"), &here, left).await;
                if n == dies + back && redis.child.is_none() {
                    redis.run().await;
                }
            }
            redis.crash();
            for _ in 0..2 {
                // The block of before and that of during the crash hold, without Redis and with an empty one.
                let names = [name("before"), name("during")];
                let told = join_all((0..20).map(|n| office.refused(&names[n % 2], PASSWORD, &here))).await;
                assert!(told.iter().all(|told| why(told).1 == Some(Reason::LockedOut) && (150..=180).contains(&number(told))));
                if redis.child.is_none() {
                    redis.run().await;
                }
            }
            assert_eq!(office.passwords.checks() - checked, 10, "round {round}: exactly five of each were compared");
            office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap();
        }
        let (usual, added) = (well.slowest(), torn.slowest().saturating_sub(well.slowest()));
        patio_testing::tell(&format!(
            "{rounds} of {rounds} crashes of Redis: five tries each, every block stays; the slowest but few took {usual:?}, {added:?} more"
        ));
        assert!(added <= ADDED, "{added:?} more");
        office.close().await;
    })
    .await;
}
