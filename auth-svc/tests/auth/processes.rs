//! Two auth-svc processes that share a PostgreSQL and a Redis, as in a cluster.
use crate::{
    lockout::{check_storm, somewhere},
    office::{FIRST, PASSWORD},
};
use futures::future::join_all;
use patio_kit::{
    errors::Reason,
    host::Host,
    testing::{self, each_database},
};
use patio_proto::auth::{
    GetKeysRequest, SignInRequest, session_service_client::SessionServiceClient, token_service_client::TokenServiceClient,
};
use std::{
    net::TcpListener as StdListener,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Code, Status};

/// One auth-svc as a process of its own.
struct Replica {
    child: Child,
    host: Host,
    admin: u16,
}

fn free_port() -> u16 {
    StdListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Replica {
    async fn start(host: &Host, redis: &str) -> Self {
        let (port, admin) = (free_port(), free_port());
        let child = Command::new(env!("CARGO_BIN_EXE_auth-svc"))
            .arg("serve")
            .env_clear()
            .env("PATIO_LISTEN", format!("127.0.0.1:{port}"))
            .env("PATIO_ADMIN_LISTEN", format!("127.0.0.1:{admin}"))
            .env("PATIO_DATABASE_URL", host.settings.database_url.as_ref().unwrap().expose())
            .env("PATIO_REDIS_URL", redis)
            .env("PATIO_SERVICE_SECRET", "test secret")
            .env("PATIO_ADMIN_PASSWORD", PASSWORD)
            .env("PATIO_UNSAFE", "true")
            .env("PATIO_LOG", "warn")
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut settings = (*host.settings).clone();
        settings.auth_url = format!("http://127.0.0.1:{port}");
        let replica = Self { child, host: Host::remote(settings).await.unwrap(), admin };
        let (started, mut tokens) = (Instant::now(), TokenServiceClient::new(replica.host.links.auth.clone()));
        while tokens.get_keys(GetKeysRequest {}).await.is_err() {
            assert!(started.elapsed() < Duration::from_secs(30), "auth-svc did not start");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        replica
    }

    async fn try_sign_in(&self, hmc: &str, password: &str, address: &str) -> Result<(), Status> {
        let ask =
            SignInRequest { hmc: hmc.to_owned(), password: password.to_owned(), address: address.to_owned(), ..SignInRequest::default() };
        SessionServiceClient::new(self.host.links.auth.clone()).sign_in(ask).await.map(drop)
    }

    /// How many passwords it has compared, as its metrics tell.
    async fn checks(&self) -> u64 {
        let mut stream = TcpStream::connect(("127.0.0.1", self.admin)).await.unwrap();
        stream.write_all(b"GET /metrics HTTP/1.0\r\n\r\n").await.unwrap();
        let mut told = String::new();
        stream.read_to_string(&mut told).await.unwrap();
        told.lines().find_map(|line| line.strip_prefix("patio_password_checks_total ")?.parse().ok()).unwrap_or_default()
    }
}

impl Drop for Replica {
    fn drop(&mut self) {
        self.host.tasks.stop();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A hundred wrong tries at once, half of them at each process: five are compared.
async fn storm(replicas: &[Replica; 2]) -> usize {
    let here = somewhere();
    let name = format!("nobody at {here}");
    let before = replicas[0].checks().await + replicas[1].checks().await;
    let tries = (0..100).map(|i| replicas[i % 2].try_sign_in(&name, "a wrong one", &here));
    let told: Vec<Status> = join_all(tries).await.into_iter().map(Result::unwrap_err).collect();
    check_storm(&told);
    assert_eq!(replicas[0].checks().await + replicas[1].checks().await - before, 5, "passwords compared");
    told.iter()
        .filter(|status| status.code() == Code::ResourceExhausted && patio_kit::errors::reason(status) == Some(Reason::LockedOut))
        .count()
}

#[tokio::test]
async fn two_processes_compare_exactly_five_of_a_hundred_wrong_passwords_and_let_four_right_ones_in() {
    let Some(redis) = testing::from_environment(testing::REDIS) else {
        testing::tell(&format!("{} is not set: two processes skipped", testing::REDIS));
        return;
    };
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return; // files have one process
        }
        let first = Replica::start(&host, &redis).await;
        let replicas = [first, Replica::start(&host, &redis).await];
        let (rounds, mut blocked) = (testing::rounds(3), 0);
        for _ in 0..rounds {
            blocked += storm(&replicas).await;
            let here = somewhere();
            for outcome in join_all((0..4).map(|i| replicas[i % 2].try_sign_in(FIRST, PASSWORD, &here))).await {
                outcome.unwrap();
            }
        }
        testing::tell(&format!("{rounds} of {rounds} rounds: 5 of 100 compared, {blocked} of {} told of the block", rounds * 96));
    })
    .await;
}
