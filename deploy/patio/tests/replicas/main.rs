//! Nothing that was saved is lost, and hardly anybody notices, when parts of Patio are restarted, die or are away.
//!
//! The short form takes a minute and a half; `PATIO_TEST_LONG=1` runs every part longer and more often, and holds the figures to
//! what is promised. `PATIO_TEST_ROUNDS` says how many requests the restarts then last for.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod across;
mod cluster;
mod collector;
#[path = "../outside/disk.rs"]
mod disk;
mod doors;
mod full;
mod large;
mod load;
mod order;
mod parts;
mod rotation;
mod secrets;
mod servers;
mod sheets;
mod shown;
mod stores;

use cluster::{Cluster, Outside, PASSWORD};
use collector::Collector;
use load::{Counts, Load, Pace};
use patio_kit::{
    command::print,
    testing::{LONG, free_port, from_environment},
};
use serde_json::{Value, json};
use servers::{Postgres, Redis, until};
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// What is asked in the short form, which runs beside other tests, and in the long one.
const EASY: Pace = Pace { readers: 4, pause: Duration::from_millis(25) };
const BUSY: Pace = Pace { readers: 6, pause: Duration::from_millis(5) };

/// Two replicas of everything with a campaign in it.
struct Yard {
    postgres: Postgres,
    redis: Redis,
    cluster: Cluster,
    load: Load,
    collector: Collector,
    token: String,
    long: bool,
    _folder: tempfile::TempDir,
}

/// One test at a time: each has ten processes of its own.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn parts_that_are_restarted_killed_or_away_cost_no_save_and_hardly_a_request() {
    let _alone = alone();
    let Some(mut yard) = Yard::start() else {
        let _ = print("PostgreSQL or Redis is not installed: skipped\n");
        return;
    };
    yard.wait_for_calm();
    yard.one_request_is_one_trace();
    yard.only_the_listed_doors_are_open();
    yard.restarts_are_not_noticed();
    yard.tables_may_grow();
    yard.kills_lose_nothing();
    yard.a_frozen_replica_is_left_alone();
    yard.a_whole_service_may_freeze();
    yard.redis_may_go();
    yard.redis_may_freeze();
    yard.postgres_may_be_restarted();
    yard.postgres_may_freeze();
}

impl Yard {
    fn start() -> Option<Self> {
        Self::start_with("warn,patio_kit::balance=info")
    }

    fn start_with(log: &'static str) -> Option<Self> {
        let folder = folder();
        let postgres = Postgres::start(folder.path())?;
        Self::start_on(postgres, folder, log)
    }

    fn start_on(postgres: Postgres, folder: tempfile::TempDir, log: &'static str) -> Option<Self> {
        let redis = Redis::start(folder.path())?;
        let started = Instant::now();
        let port = free_port();
        let collector = Collector::start(port);
        let outside = Outside { database: postgres.url(), redis: redis.url(), collector: format!("http://127.0.0.1:{port}"), log };
        let cluster = Cluster::start(folder.path(), &outside);
        tell(&format!("ten processes started in no order, ready after {:.1} s", started.elapsed().as_secs_f64()));
        let gateways = cluster.gateways();
        let mut token = None;
        until("the supervisor signs in", Duration::from_secs(30), || {
            token = sign_in(&gateways[0], "1000", PASSWORD).1["token"].as_str().map(str::to_owned);
            token.is_some()
        });
        let token = token.unwrap();
        let mut imported = None;
        until("a campaign is imported", Duration::from_secs(60), || {
            imported = sheets::import(&gateways[0], &token);
            imported.is_some()
        });
        let (campaign, vehicles) = imported.unwrap();
        let long = from_environment(LONG).is_some();
        let pace = if long { BUSY } else { EASY };
        let load = Load::new(gateways, token.clone(), campaign, vehicles, pace);
        Some(Self { postgres, redis, cluster, load, collector, token, long, _folder: folder })
    }

    /// A promised time: in the long form as it is promised, but for the tenth of a second that the test's own threads may
    /// wait for a core; in the short one, which runs beside other tests, what is told.
    fn bound(&self, promised: Duration, short: Duration) -> Duration {
        if self.long { promised + Duration::from_millis(100) } else { short }
    }

    /// Figures mean something only where undisturbed requests are answered quickly: a machine that is busy with other
    /// things is waited for, and named as the cause when it stays so.
    fn wait_for_calm(&self) {
        self.load.during(|| {
            until("this machine has time for the test: it answers undisturbed requests within a second", Duration::from_secs(180), || {
                self.load.settle();
                std::thread::sleep(Duration::from_secs(3));
                let counts = self.load.taken();
                let calm = counts.failed.is_empty() && counts.slowest < Duration::from_secs(1) && counts.reads > 30 && counts.saves > 30;
                if calm {
                    told("three seconds undisturbed", &counts);
                }
                calm
            });
        });
        self.load.again();
    }

    /// A request is found as one trace over all the services it passed, with the statements it needed.
    fn one_request_is_one_trace(&self) {
        let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(10))).build().into();
        let url = format!("{}/api/campaigns", self.cluster.gateways()[1]);
        let id = "one-request-one-trace";
        agent.get(url).header("authorization", format!("Bearer {}", self.token)).header("x-request-id", id).call().unwrap();
        let services = || self.collector.of(id).into_iter().map(|span| span.service).collect::<BTreeSet<_>>();
        until("the spans arrive", Duration::from_secs(20), || {
            services().is_superset(&["gateway".to_owned(), "campaign-svc".to_owned()].into())
        });
        let spans = self.collector.of(id);
        assert!(spans.iter().all(|span| span.trace == spans[0].trace), "{spans:?}");
        assert_eq!(spans.iter().filter(|span| span.root).map(|span| span.service.as_str()).collect::<Vec<_>>(), ["gateway"]);
        let campaigns = spans.iter().find(|span| span.service == "campaign-svc").unwrap();
        assert!(campaigns.statements > 0 && campaigns.statement_micros > 0, "{campaigns:?}");
        tell(&format!(
            "one request, one trace: {} spans, {} statements in {} µs",
            spans.len(),
            campaigns.statements,
            campaigns.statement_micros
        ));
    }
}

/// A folder that a server may look into which runs as somebody else.
fn folder() -> tempfile::TempDir {
    tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir().unwrap()
}

fn tell(what: &str) {
    let _ = print(&format!("{what}\n"));
}

fn told(what: &str, counts: &Counts) {
    tell(&format!(
        "{what}: {} reads, {} saves, {} first tries failed, {} given up, slowest {} ms",
        counts.reads,
        counts.saves,
        counts.failed.len(),
        counts.given_up.len(),
        counts.slowest.as_millis()
    ));
}

fn call(method: &str, url: &str, path: &str, token: &str, body: &Value) -> (u16, Value) {
    let agent: ureq::Agent =
        ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(20))).build().into();
    let request = ureq::http::Request::builder().method(method).uri(format!("{url}{path}")).header("content-type", "application/json");
    let request = request.header("authorization", format!("Bearer {token}")).body(body.to_string()).unwrap();
    let mut answer = agent.run(request).unwrap();
    (answer.status().as_u16(), answer.body_mut().read_json().unwrap_or_default())
}

fn sign_in(url: &str, hmc: &str, password: &str) -> (u16, Value) {
    call("POST", url, "/api/sessions", "", &json!({ "hmc": hmc, "password": password }))
}
