//! Fault tolerance with two replicas: no acknowledged save is lost and hardly a request fails when parts of Patio restart,
//! crash, freeze or are unavailable.
//!
//! `PATIO_TEST_LONG=1` runs every part longer and asserts the promised times. `PATIO_TEST_ROUNDS` then sets the number of
//! requests during the restarts.
mod across;
mod full;
mod large;
mod load;
mod order;
mod parts;
mod private;
mod rotation;
mod secrets;
mod shown;
mod sockets;
mod stores;

use crate::{
    collector::{Collector, Kind},
    workbooks,
};
use load::{Counts, Load, Pace};
use patio_harness::{Client, Patio, PatioBuilder, Postgres, Redis, TestFolder, acquire_exclusive_slot, find_free_port, wait_until};
use patio_testing::{LONG, from_environment, print_to_stderr};
use std::{
    collections::BTreeSet,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

/// Load in the short form of the tests, which leaves processor time for other programs.
const EASY: Pace = Pace { readers: 4, pause: Duration::from_millis(25) };
/// Load in the long form of the tests.
const BUSY: Pace = Pace { readers: 6, pause: Duration::from_millis(5) };
/// Message of a skipped test.
const MISSING: &str = "PostgreSQL or Redis is not installed: skipped";

/// Running installations for reuse by the next test. Only their campaigns and users differ from a new one.
static LEFT: Mutex<Vec<Yard>> = Mutex::new(Vec::new());

/// An installation with two replicas of each program, its own database servers and a campaign.
struct Yard {
    patio: Patio,
    postgres: Postgres,
    redis: Redis,
    load: Load,
    collector: Collector,
    admin: Client,
    long: bool,
    _folder: TestFolder,
}

#[test]
fn restarted_killed_or_unavailable_parts_lose_no_save_and_hardly_a_request() {
    let _turn = acquire_exclusive_slot();
    let Some(mut yard) = Yard::start() else { return print_to_stderr(MISSING) };
    let traced = yard.traced();
    yard.wait_for_calm();
    yard.only_the_listed_doors_are_open();
    yard.restarts_are_not_noticed();
    yard.one_request_is_one_trace(traced);
    yard.tables_may_grow();
    yard.kills_lose_nothing();
    yard.a_frozen_replica_is_left_alone();
    yard.a_whole_service_may_freeze();
    yard.redis_may_go();
    yard.redis_may_freeze();
    yard.postgres_may_be_restarted();
    yard.postgres_may_freeze();
    yard.leave();
}

/// Configures the processes and their database servers. The second replicas use the other log format.
fn configure(work: &Path, (postgres, redis): (&Postgres, &Redis), collector: u16, log: &str) -> PatioBuilder {
    let builder = Patio::builder().with_replicas(2).with_installation_folder(work).with_postgres(&postgres.url()).with_redis(&redis.url());
    let builder = builder.with_setting("PATIO_OTLP_ENDPOINT", &format!("http://127.0.0.1:{collector}")).with_setting("PATIO_LOG", log);
    builder.with_setting("PATIO_DATABASE_MAX_CONNECTIONS", "4").with_setting_on_replica(1, "PATIO_LOG_JSON", "true")
}

impl Yard {
    /// Returns an installation left by an earlier test, else starts a new one.
    fn start() -> Option<Self> {
        let left = LEFT.lock().unwrap_or_else(PoisonError::into_inner).pop();
        left.or_else(|| Self::start_with("info", 2))
    }

    /// Leaves the installation to the next test.
    fn leave(self) {
        LEFT.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    fn start_with(log: &str, replicas: usize) -> Option<Self> {
        let folder = TestFolder::create_temporary();
        let postgres = Postgres::start(folder.path())?;
        Self::start_on(postgres, folder, (log, replicas))
    }

    fn start_on(postgres: Postgres, folder: TestFolder, (log, replicas): (&str, usize)) -> Option<Self> {
        let redis = Redis::start(folder.path())?;
        let (started, port) = (Instant::now(), find_free_port());
        let collector = Collector::start(port);
        let mut patio = configure(folder.path(), (&postgres, &redis), port, log).with_replicas(replicas).start();
        print_to_stderr(&format!(
            "{} processes started randomly, ready after {:.1} s",
            patio.replicas().count(),
            started.elapsed().as_secs_f64()
        ));
        patio.wait_until_ready();
        let admin = patio.sign_in();
        let campaign = admin.with_timeout(Duration::from_secs(60)).import_template_workbook();
        let long = from_environment(LONG).is_some();
        let load = Load::new(&patio, &admin, &campaign, if long { BUSY } else { EASY });
        Some(Self { patio, postgres, redis, load, collector, admin, long, _folder: folder })
    }

    /// Signs in as supervisor and returns a client per gateway.
    fn gateways(&self) -> Vec<Client> {
        self.patio.gateway_urls().iter().map(|url| self.admin.with_url(url)).collect()
    }

    /// Returns the time limit to assert: in the long form the promised one plus a tenth of a second for thread scheduling, in the
    /// short form `short`.
    fn bound(&self, promised: Duration, short: Duration) -> Duration {
        if self.long { promised + Duration::from_millis(100) } else { short }
    }

    /// Waits until undisturbed requests are fast, because measurements on a busy machine mean nothing. Fails with that cause if
    /// the machine stays busy.
    fn wait_for_calm(&self) {
        self.load.during(|| {
            wait_until(
                "the machine is idle enough for the test: undisturbed requests take less than a second",
                Duration::from_secs(180),
                || {
                    self.load.settle();
                    self.load.until("reads and saves are answered", |counts| counts.reads > 30 && counts.saves > 30);
                    let counts = self.load.taken();
                    let calm = counts.failed.is_empty() && counts.slowest < Duration::from_secs(1);
                    if calm {
                        print_counts("undisturbed", &counts);
                    }
                    calm
                },
            );
        });
        self.load.again();
    }

    /// Sends a request and returns its request id. Its spans arrive at the collector some seconds later.
    fn traced(&self) -> &'static str {
        let (id, gateways) = ("one-request-one-trace", self.gateways());
        let answer = gateways[1].send(gateways[1].build_request("GET", "/api/campaigns").header("x-request-id", id), "");
        assert!(answer.is_success(), "{answer:?}");
        id
    }

    /// Asserts that a request is one trace across all services it passed, including its SQL statements.
    fn one_request_is_one_trace(&self, id: &str) {
        let services = || self.collector.of(id).into_iter().map(|span| span.service).collect::<BTreeSet<_>>();
        wait_until("the spans arrive", Duration::from_secs(20), || {
            services().is_superset(&["gateway".to_owned(), "campaign-svc".to_owned()].into())
        });
        let spans = self.collector.of(id);
        assert!(spans.iter().all(|span| span.trace == spans[0].trace), "{spans:?}");
        assert_eq!(spans.iter().filter(|span| span.is_root()).map(|span| span.service.as_str()).collect::<Vec<_>>(), ["gateway"]);
        let campaigns = spans.iter().find(|span| span.service == "campaign-svc" && span.kind == Kind::Server).unwrap();
        assert!(campaigns.number("statements") > 0 && campaigns.number("statement_micros") > 0, "{campaigns:?}");
        print_to_stderr(&format!(
            "one request, one trace: {} spans, {} statements in {} µs",
            spans.len(),
            campaigns.number("statements"),
            campaigns.number("statement_micros")
        ));
    }
}

fn print_counts(what: &str, counts: &Counts) {
    print_to_stderr(&format!(
        "{what}: {} reads, {} saves, {} first tries failed, {} given up, slowest {} ms",
        counts.reads,
        counts.saves,
        counts.failed.len(),
        counts.given_up.len(),
        counts.slowest.as_millis()
    ));
}

/// Builds a campaign workbook with a unique model code.
fn workbook(name: &str, vehicles: u32) -> Vec<u8> {
    workbooks::campaign(name, "HB20", vehicles)
}
