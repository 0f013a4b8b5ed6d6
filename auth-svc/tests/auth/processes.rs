//! Two auth-svc processes that share PostgreSQL and Redis, as in a cluster.
use crate::{
    lockout::{check_storm, somewhere},
    office::{FIRST, PASSWORD, long_request, number, why},
};
use futures::future::join_all;
use patio_harness::find_free_port;
use patio_kit::{errors::ErrorReason, service_host::ServiceHost};
use patio_proto::auth::{
    GetSigningKeysRequest, SignInRequest, session_service_client::SessionServiceClient, token_service_client::TokenServiceClient,
};
use patio_testing::{
    each_database,
    flood::{FLOODS, Flood},
};
use std::{
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Status};

/// One auth-svc replica as a child process.
struct Replica {
    child: Child,
    host: ServiceHost,
    port: u16,
    admin: u16,
}

impl Replica {
    async fn start(host: &ServiceHost, redis: &str) -> Self {
        let (port, admin) = (find_free_port(), find_free_port());
        let child = Command::new(env!("CARGO_BIN_EXE_auth-svc"))
            .arg("serve")
            .env_clear()
            .env("PATIO_LISTEN", format!("127.0.0.1:{port}"))
            .env("PATIO_METRICS_LISTEN", format!("127.0.0.1:{admin}"))
            .env("PATIO_DATABASE_URL", host.settings.database_url.as_ref().unwrap().expose())
            .env("PATIO_REDIS_URL", redis)
            .env("PATIO_SERVICE_SECRET", "the secret of tests")
            .env("PATIO_SEPARATE_SQLITE", "true")
            .env("PATIO_ADMIN_PASSWORD", PASSWORD)
            .env("PATIO_KEY_FILE", host.settings.data_dir.join("auth.key"))
            .env("PATIO_ALLOW_DATA_LOSS", "true")
            .env("PATIO_LOG", "warn")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut settings = (*host.settings).clone();
        settings.auth_url = format!("http://127.0.0.1:{port}");
        let replica = Self { child, host: ServiceHost::with_remote_services(settings).await.unwrap(), port, admin };
        let (started, mut tokens) = (Instant::now(), TokenServiceClient::new(replica.host.channels.auth.clone()));
        while tokens.get_signing_keys(GetSigningKeysRequest {}).await.is_err() {
            assert!(started.elapsed() < Duration::from_secs(30), "auth-svc did not start");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        replica
    }

    async fn try_sign_in(&self, hmc: &str, password: &str, address: &str) -> Result<(), Status> {
        let ask =
            SignInRequest { hmc: hmc.to_owned(), password: password.to_owned(), address: address.to_owned(), ..SignInRequest::default() };
        SessionServiceClient::new(self.host.channels.auth.clone()).sign_in(long_request(ask)).await.map(drop)
    }

    /// Returns a memory value of the process in KiB, such as `VmRSS` or the peak `VmHWM`.
    fn memory(&self, line: &str) -> i64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let found = status.lines().find_map(|text| text.strip_prefix(line)?.strip_prefix(':'));
        found.unwrap().trim().trim_end_matches(" kB").parse().unwrap()
    }

    /// Returns the number of verified passwords from the replica's metrics.
    async fn checks(&self) -> u64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.admin)).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
        let mut response = String::new();
        stream.read_to_string(&mut response).await.unwrap();
        response.lines().find_map(|line| line.strip_prefix("patio_password_checks_total ")?.parse().ok()).unwrap_or_default()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.host.tasks.stop();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a hundred wrong passwords at once, half to each replica, and asserts that exactly five are verified.
async fn storm(replicas: &[Replica; 2]) -> usize {
    let here = somewhere();
    let name = format!("nobody at {here}");
    let before = replicas[0].checks().await + replicas[1].checks().await;
    let tries = (0..100).map(|i| replicas[i % 2].try_sign_in(&name, "a wrong one", &here));
    let refusals: Vec<Status> = join_all(tries).await.into_iter().map(Result::unwrap_err).collect();
    check_storm(&refusals);
    assert_eq!(replicas[0].checks().await + replicas[1].checks().await - before, 5, "passwords verified");
    refusals
        .iter()
        .filter(|status| status.code() == Code::ResourceExhausted && patio_kit::errors::reason(status) == Some(ErrorReason::LockedOut))
        .count()
}

#[tokio::test]
async fn two_processes_verify_exactly_five_of_a_hundred_wrong_passwords_and_accept_four_right_ones() {
    let Some(redis) = patio_testing::from_environment(patio_testing::REDIS) else {
        patio_testing::print_to_stderr(&format!("{} is not set: two processes skipped", patio_testing::REDIS));
        return;
    };
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let first = Replica::start(&host, &redis).await;
        let replicas = [first, Replica::start(&host, &redis).await];
        let (rounds, mut blocked) = (patio_testing::rounds(3), 0);
        for _ in 0..rounds {
            blocked += storm(&replicas).await;
            let here = somewhere();
            for outcome in join_all((0..4).map(|i| replicas[i % 2].try_sign_in(FIRST, PASSWORD, &here))).await {
                outcome.unwrap();
            }
        }
        patio_testing::print_to_stderr(&format!("{rounds} of {rounds} rounds: 5 of 100 verified, {blocked} of {} locked out", rounds * 96));
    })
    .await;
}

/// Measures the latency of sequential calls that need no password, until `over` is set. Returns sorted latencies, and the number of
/// failed calls.
async fn calls_beside(replica: &Replica, over: &AtomicBool) -> (Vec<Duration>, usize) {
    let (mut took, mut failed, mut tokens) = (Vec::new(), 0, TokenServiceClient::new(replica.host.channels.auth.clone()));
    while !over.load(Ordering::Relaxed) {
        let started = Instant::now();
        // A busy machine delays health checks of the replica, and calls fail meanwhile.
        match tokens.get_signing_keys(GetSigningKeysRequest {}).await {
            Ok(_) => took.push(started.elapsed()),
            Err(failure) => {
                assert!([Code::Unavailable, Code::DeadlineExceeded].contains(&failure.code()), "{failure}");
                failed += 1;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    took.sort_unstable();
    (took, failed)
}

fn assert_few_failed(took: &[Duration], failed: usize) {
    assert!(failed <= took.len() / 10, "{failed} calls failed, {} succeeded", took.len());
}

#[tokio::test]
async fn a_burst_of_sign_ins_uses_little_memory_and_busy_responses_count_as_no_failure() {
    let Some(redis) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // one run with PostgreSQL is enough
        }
        let replica = Replica::start(&host, &redis).await;
        let base = replica.memory("VmRSS");
        let mut burst = burst_of_sign_ins(&replica).await;
        // On a busy machine the client may consider the replica unhealthy and send nothing, so that no call is answered as busy.
        for _ in 0..2 {
            if burst.busy.is_empty() {
                wait_for_response(&replica).await;
                burst = burst_of_sign_ins(&replica).await;
            }
        }
        let Burst { people, refusals, busy, beside: (beside, failed) } = burst;
        assert_few_failed(&beside, failed);
        let others = refusals.iter().filter(|(why, _)| *why == (Code::Unauthenticated, Some(ErrorReason::InvalidCredentials))).count();
        // On a machine busy with other tests the last requests may exceed their deadline.
        let late = refusals.iter().filter(|((code, _), _)| *code == Code::DeadlineExceeded).count();
        let odd: Vec<_> =
            refusals.iter().map(|(why, _)| why).filter(|(code, _)| ![Code::Unavailable, Code::Unauthenticated].contains(code)).collect();
        assert!(odd.len() == late && late <= refusals.len() / 2, "{} others, such as {:?}", odd.len(), odd.first());
        let slowest = busy.iter().map(|n| refusals[*n].1).max().unwrap_or_default();
        let grown = replica.memory("VmHWM") - base;
        patio_testing::print_to_stderr(&format!(
            "300 sign-ins at once: {others} verified, {} busy within {slowest:?}, {grown} KiB more at peak, p99 of {} calls beside {:?}",
            busy.len(),
            beside.len(),
            beside[beside.len() * 99 / 100]
        ));
        assert!(!busy.is_empty() && slowest < Duration::from_secs(4), "{slowest:?}");
        // One hash of 19 MiB per core, plus the memory of 300 requests.
        let cores = i64::try_from(std::thread::available_parallelism().map_or(2, usize::from)).unwrap();
        assert!(grown <= (cores * 19 + 24) * 1024, "{grown} KiB");
        let (name, here) = &people[busy[0]];
        assert_eq!(number(&replica.try_sign_in(name, "a wrong one", here).await.unwrap_err()), 4, "busy counts as no failure");
    })
    .await;
}

/// Result of 300 sign-ins with wrong passwords at once.
struct Burst {
    /// Login name and client address of each sign-in.
    people: Vec<(String, String)>,
    /// Error and response time of each sign-in.
    refusals: Vec<((Code, Option<ErrorReason>), Duration)>,
    /// Indexes of the sign-ins that were answered as busy.
    busy: Vec<usize>,
    /// Response times of other calls during the burst in ascending order, and the number of failed ones.
    beside: (Vec<Duration>, usize),
}

async fn burst_of_sign_ins(replica: &Replica) -> Burst {
    let over = AtomicBool::new(false);
    let people: Vec<_> = (0..300).map(|n| (format!("storm {n} {}", somewhere()), somewhere())).collect();
    let tries = async {
        let time_one_try = async |(name, here): &(String, String)| {
            let started = Instant::now();
            let refused = replica.try_sign_in(name, "a wrong one", here).await.unwrap_err();
            (why(&refused), started.elapsed())
        };
        let refusals = join_all(people.iter().map(time_one_try)).await;
        over.store(true, Ordering::Relaxed);
        refusals
    };
    let (refusals, beside) = tokio::join!(tries, calls_beside(replica, &over));
    let busy = (0..refusals.len()).filter(|n| refusals[*n].0 == (Code::Unavailable, Some(ErrorReason::Busy))).collect();
    Burst { people, refusals, busy, beside }
}

/// Waits until the service responds. Calls fail while a busy machine delays the health checks of the replica.
async fn wait_for_response(replica: &Replica) {
    let give_up = Instant::now() + Duration::from_secs(10);
    let mut client = TokenServiceClient::new(replica.host.channels.auth.clone());
    while let Err(failure) = client.get_signing_keys(GetSigningKeysRequest {}).await {
        assert!(failure.code() == Code::Unavailable && Instant::now() < give_up, "the service does not respond: {failure}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test]
async fn http2_frame_floods_at_a_service_port_use_no_memory_and_do_not_stop_the_service() {
    let Some(redis) = patio_testing::from_environment(patio_testing::REDIS) else { return };
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // the flooded port does not depend on the database, one run is enough
        }
        let replica = Replica::start(&host, &redis).await;
        let server = std::net::SocketAddr::from(([127, 0, 0, 1], replica.port));
        let times = u32::try_from(patio_testing::rounds(20_000)).unwrap();
        for flood in FLOODS {
            let before = replica.memory("VmRSS");
            let sent = (0..2).map(|_| tokio::task::spawn_blocking(move || flood.send(server, times, Duration::from_secs(2)).unwrap()));
            let closed: Vec<_> = join_all(sent).await.into_iter().map(Result::unwrap).collect();
            let grown = replica.memory("VmRSS") - before;
            patio_testing::print_to_stderr(&format!("2 x {times} of {flood:?} at a service: {grown} KiB more, closed after {closed:?}"));
            assert!(grown <= 16 << 10, "{flood:?} took {grown} KiB");
            if [Flood::RapidReset, Flood::Continuation].contains(&flood) {
                assert!(closed.iter().all(Option::is_some), "{flood:?} is cut off");
            }
            wait_for_response(&replica).await;
        }
    })
    .await;
}
