//! Lockout during a crash of Redis: no false lockout, no additional attempts, and blocks stay.
use crate::{
    lockout::{assert_locked, assert_wrong, somewhere},
    office::{FIRST, Office, PASSWORD, another, number, why},
};
use futures::future::join_all;
use patio_harness::find_free_port;
use patio_kit::errors::ErrorReason;
use patio_testing::each_database;
use std::{
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio::net::TcpStream;

/// Maximum added latency of a sign-in at the 99th percentile while Redis is unavailable.
const ADDED: Duration = Duration::from_millis(60);

/// Minimum number of samples for the 99th percentile. With fewer samples, this percentile would be a single outlier of a busy machine.
const MANY: usize = 300;

/// A private Redis server without persistence, which loses all data when killed.
struct Redis {
    port: u16,
    child: Option<Child>,
}

impl Redis {
    /// Starts the server; returns `None` when `redis-server` is not installed.
    async fn start() -> Option<Self> {
        let port = find_free_port();
        let mut redis = Self { port, child: None };
        if Command::new("redis-server").arg("--version").stdout(Stdio::null()).status().is_err() {
            patio_testing::print_to_stderr("redis-server is not installed: skipped the crash test");
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

/// Latencies of failed sign-ins. Each sign-in must return the expected error: attempts left, or locked out.
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

    /// Returns the 99th percentile, or the 90th of fewer than [`MANY`] samples; a third of the samples run without Redis.
    fn slowest(&mut self) -> Duration {
        self.took.sort_unstable();
        let percentile = if self.took.len() < MANY { 90 } else { 99 };
        self.took[(self.took.len() * percentile).div_ceil(100) - 1]
    }
}

#[tokio::test]
async fn five_attempts_and_blocks_survive_redis_crashes() {
    let rounds = patio_testing::rounds(6);
    each_database(async |host| {
        let Some(mut redis) = Redis::start().await else { return };
        let office = Office::open(another(&host, Some(&redis.url())).await).await;
        let (mut well, mut torn) = (Tries { office: &office, took: Vec::new() }, Tries { office: &office, took: Vec::new() });
        for round in 0..rounds {
            let (here, checked) = (somewhere(), office.passwords.verification_count());
            let name = |what: &str| format!("{what} {here}");
            for left in [4, 3, 2, 1, 0] {
                well.wrong(&name("before"), &here, left).await;
            }
            // Redis crashes before one of the five attempts, or after the last, and restarts empty, at once or later.
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
                // The blocks begun before and during the crash hold, without Redis and with an empty one.
                let names = [name("before"), name("during")];
                let refusals = join_all((0..20).map(|n| office.refused(&names[n % 2], PASSWORD, &here))).await;
                assert!(
                    refusals.iter().all(|status| why(status).1 == Some(ErrorReason::LockedOut) && (150..=180).contains(&number(status)))
                );
                if redis.child.is_none() {
                    redis.run().await;
                }
            }
            assert_eq!(
                office.passwords.verification_count() - checked,
                10,
                "round {round}: exactly five passwords of each hmc were verified"
            );
            office.try_sign_in(FIRST, PASSWORD, &here, "").await.unwrap();
        }
        let (usual, added) = (well.slowest(), torn.slowest().saturating_sub(well.slowest()));
        patio_testing::print_to_stderr(&format!(
            "{rounds} of {rounds} crashes of Redis: five tries each, every block stays; the slowest but few took {usual:?}, {added:?} more"
        ));
        assert!(added <= patio_testing::patience(ADDED), "{added:?} more");
        office.close().await;
    })
    .await;
}
