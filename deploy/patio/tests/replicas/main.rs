//! Nothing that was saved is lost, and hardly anybody notices, when parts of Patio are restarted, die or are away.
//!
//! The short form takes about a minute; `PATIO_TEST_LONG=1` runs every part longer and more often.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
mod cluster;
mod collector;
mod load;
mod rotation;
mod secrets;
mod servers;
mod shown;

use cluster::{Cluster, Outside, PASSWORD, SERVICES};
use collector::Collector;
use load::{Counts, Load};
use patio_kit::{command::print, testing::from_environment};
use serde_json::{Value, json};
use servers::{Postgres, Redis, free_port, until};
use std::{
    collections::BTreeSet,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

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
    yard.restarts_are_not_noticed();
    yard.kills_lose_nothing();
    yard.a_frozen_replica_is_left_alone();
    yard.redis_may_go();
    yard.postgres_may_be_restarted();
    yard.postgres_may_freeze();
}

impl Yard {
    fn start() -> Option<Self> {
        Self::start_with("warn,patio_kit::balance=info")
    }

    fn start_with(log: &'static str) -> Option<Self> {
        let folder = tempfile::Builder::new().permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755)).tempdir().unwrap();
        let (postgres, redis) = (Postgres::start(folder.path())?, Redis::start(folder.path())?);
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
            imported = import(&gateways[0], &token);
            imported.is_some()
        });
        let (campaign, vehicles) = imported.unwrap();
        let load = Load::new(gateways, token.clone(), campaign, vehicles);
        Some(Self {
            postgres,
            redis,
            cluster,
            load,
            collector,
            token,
            long: from_environment("PATIO_TEST_LONG").is_some(),
            _folder: folder,
        })
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

    /// (a) Every replica in turn ends on SIGTERM and comes back: no request fails.
    fn restarts_are_not_noticed(&mut self) {
        let Self { cluster, load, long, .. } = self;
        load.during(|| {
            load.settle();
            for _ in 0..if *long { 5 } else { 1 } {
                cluster.each(cluster::Replica::restart);
            }
        });
        let counts = load.taken();
        told("every replica restarted in turn", &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (b) Every replica is killed once: saves under way may fail and succeed when tried again with their key, once.
    fn kills_lose_nothing(&mut self) {
        let Self { cluster, load, long, .. } = self;
        let clients = 3 + 4;
        load.during(|| {
            for _ in 0..if *long { 5 } else { 1 } {
                for service in SERVICES {
                    for n in 0..2 {
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
            }
        });
        load.again();
    }

    /// A replica that answers nothing, and keeps its connections, is left alone: no request fails.
    fn a_frozen_replica_is_left_alone(&mut self) {
        let Self { cluster, load, long, .. } = self;
        load.during(|| {
            for service in ["campaign-svc", "vehicle-svc"] {
                load.settle();
                let replica = &cluster.replicas[service][0];
                replica.signal("-STOP");
                std::thread::sleep(Duration::from_secs(if *long { 20 } else { 4 }));
                replica.signal("-CONT");
                std::thread::sleep(Duration::from_secs(1));
                let counts = load.taken();
                told(&format!("{} frozen", replica.name), &counts);
                assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
            }
        });
        load.again();
    }

    /// (c) Redis dies and stays away: no request fails, and five tries are five tries.
    fn redis_may_go(&mut self) {
        let Self { cluster, load, redis, long, token, .. } = self;
        let gateways = cluster.gateways();
        let made = call("POST", &gateways[0], "/api/sign-up", token, &json!({ "hmc": "4000", "password": PASSWORD, "user_type": "op" }));
        assert_eq!(made.0, 201, "{made:?}");
        load.during(|| {
            load.settle();
            let tried = |n: usize| sign_in(&gateways[n % 2], "4000", "not-the-password").0;
            assert_eq!([tried(0), tried(1)], [401, 401]);
            redis.kill();
            assert_eq!([tried(2), tried(3)], [401, 401]);
            assert_eq!([tried(4), tried(5)], [429, 429], "the lockout counts on without Redis");
            std::thread::sleep(Duration::from_secs(if *long { 20 } else { 5 }));
            redis.up();
            assert_eq!(tried(6), 429, "and when it is back");
            if *long {
                redis.signal("-STOP");
                std::thread::sleep(Duration::from_secs(20));
                redis.signal("-CONT");
            }
            std::thread::sleep(Duration::from_secs(1));
        });
        let counts = load.taken();
        told("Redis killed and away", &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (d) PostgreSQL is restarted: who asks meanwhile is told to wait, and all is well soon after.
    fn postgres_may_be_restarted(&mut self) {
        let Self { load, postgres, long, .. } = self;
        for mode in if *long { vec!["fast", "immediate"] } else { vec!["fast"] } {
            load.during(|| {
                load.settle();
                postgres.down(mode);
                std::thread::sleep(Duration::from_secs(if *long { 15 } else { 4 }));
                let away = load.taken();
                postgres.up();
                let back = Instant::now();
                load.until_well(Duration::from_secs(8));
                let well = back.elapsed();
                told(&format!("PostgreSQL away ({mode}), well again {:.1} s after it was back", well.as_secs_f64()), &away);
                assert!(away.asked_to_wait > 0, "somebody asked");
                assert!(away.failed.iter().all(|what| what.contains("503 Service Unavailable wait")), "{:#?}", away.failed);
                assert!(away.slowest < Duration::from_millis(3500), "{:?}", away.slowest);
                assert!(well < Duration::from_secs(5), "{well:?}");
            });
            load.again();
        }
    }

    /// (e) PostgreSQL answers nothing and keeps its connections: nobody waits longer than three seconds for an answer, nothing
    /// piles up meanwhile, and all is well soon after.
    fn postgres_may_freeze(&mut self) {
        let Self { cluster, load, postgres, long, .. } = self;
        load.during(|| {
            load.settle();
            let open = cluster.descriptors();
            postgres.signal("-STOP");
            std::thread::sleep(Duration::from_secs(if *long { 30 } else { 8 }));
            let (frozen, piled) = (load.taken(), cluster.descriptors());
            postgres.signal("-CONT");
            let back = Instant::now();
            load.until_well(Duration::from_secs(8));
            told(
                &format!(
                    "PostgreSQL frozen, descriptors {open} before and {piled} then, well again {:.1} s after",
                    back.elapsed().as_secs_f64()
                ),
                &frozen,
            );
            assert!(frozen.asked_to_wait > 0, "somebody asked");
            assert!(
                frozen.failed.iter().all(|what| what.contains("503 Service Unavailable wait") || what.contains("504")),
                "{:#?}",
                frozen.failed
            );
            assert!(frozen.slowest < Duration::from_millis(3500), "{:?}", frozen.slowest);
            assert!(piled <= open + 20, "{piled} descriptors are open, {open} were");
        });
        load.again();
    }
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

/// Imports the template's campaign: its id and its vehicles; nothing when Patio has no time for it.
fn import(url: &str, token: &str) -> Option<(i64, Vec<i64>)> {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(30))).build().into();
    let bearer = format!("Bearer {token}");
    let mut template = agent.get(format!("{url}/api/documents/template")).header("authorization", &bearer).call().ok()?;
    let mut body = b"--cut\r\ncontent-disposition: form-data; name=\"documents\"; filename=\"t.xlsx\"\r\ncontent-type: application/octet-stream\r\n\r\n".to_vec();
    body.extend(template.body_mut().read_to_vec().unwrap());
    body.extend(b"\r\n--cut--\r\n");
    let upload = agent.post(format!("{url}/api/documents/upload")).header("authorization", &bearer);
    let mut answer = upload.header("content-type", "multipart/form-data; boundary=cut").send(&body).ok()?;
    let campaign = answer.body_mut().read_json::<Value>().unwrap()["campaign"]["id"].as_i64().unwrap();
    let (_, list) = call("GET", url, &format!("/api/vehicles/campaign/{campaign}/all"), token, &Value::Null);
    Some((campaign, list.as_array()?.iter().map(|vehicle| vehicle["id"].as_i64().unwrap()).collect()))
}
