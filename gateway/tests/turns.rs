//! Tests of admission control: while overloaded, reads are rejected at once, but saves, sign-ins and probes are not.
use crate::{
    doubles::SLOW,
    stack::{Answer, Stack, config, raw},
};
use futures::future::join_all;
use patio_proto::access::Role;
use std::{net::SocketAddr, num::NonZeroUsize, time::Duration};
use tokio::{
    task::JoinSet,
    time::{Instant, sleep},
};

async fn ask(at: SocketAddr, line: &str, token: &str, body: &str) -> (Answer, Duration) {
    let begun = Instant::now();
    let head =
        format!("{line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nAuthorization: Bearer {token}");
    let answer = raw(at, format!("{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len()).as_bytes()).await;
    (answer, begun.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_overload_rejects_reads_at_once_but_not_saves_sign_ins_and_probes() {
    let stack = Stack::new().await;
    let mut config = config();
    config.max_at_once = NonZeroUsize::new(4);
    let (at, token) = (stack.listen(config).await, stack.token(2, Role::Operator));
    let read = format!("GET /api/vehicles/{SLOW}");
    let storm = async {
        let mut all = JoinSet::new();
        for _ in 0..240 {
            let (read, token) = (read.clone(), token.clone());
            all.spawn(async move { ask(at, &read, &token, "").await });
            sleep(Duration::from_millis(5)).await;
        }
        all.join_all().await
    };
    let others = async {
        let mut all = Vec::new();
        for _ in 0..10 {
            all.push(ask(at, "PUT /api/vehicles/5", &token, r#"{"status":"OK"}"#).await.0.status.as_u16());
            all.push(ask(at, "POST /api/sessions", "", r#"{"hmc":"ana","password":"right"}"#).await.0.status.as_u16());
            all.push(ask(at, "GET /healthz", "", "").await.0.status.as_u16());
            all.push(ask(at, "GET /api/health", "", "").await.0.status.as_u16());
            sleep(Duration::from_millis(60)).await;
        }
        all
    };
    let (reads, others) = tokio::join!(storm, others);
    assert!(others.iter().all(|status| *status < 300), "{others:?}");
    let (good, refused): (Vec<_>, Vec<_>) = reads.into_iter().partition(|(answer, _)| answer.status == 200);
    assert!(good.len() >= 10 && refused.len() >= 60, "{} were answered, {} refused", good.len(), refused.len());
    for (answer, _) in &refused {
        assert_eq!((answer.status.as_u16(), answer.code().as_str(), answer.header("retry-after")), (503, "BUSY", "1"));
        assert!(!answer.header("x-request-id").is_empty() && answer.header("cache-control") == "no-store");
        assert!(answer.header("content-security-policy").starts_with("default-src 'self'"));
    }
    let mut waits: Vec<_> = refused.iter().map(|(_, took)| *took).collect();
    waits.sort();
    // A request that waits for a permit is rejected after 500 ms.
    assert!(waits[waits.len() / 2] < Duration::from_millis(250), "median time to reject a read: {:?}", waits[waits.len() / 2]);
    sleep(Duration::from_millis(200)).await;
    assert_eq!(ask(at, &read, &token, "").await.0.status, 200, "the overload is over");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_senders_hold_no_permit() {
    let stack = Stack::new().await;
    let mut config = config();
    config.max_at_once = NonZeroUsize::new(2);
    let (at, token) = (stack.listen(config).await, stack.token(2, Role::Operator));
    let held: Vec<_> = join_all((0..20).map(|n| async move {
        use tokio::io::AsyncWriteExt;
        let mut stream = tokio::net::TcpStream::connect(at).await.unwrap();
        let length = if n % 2 == 0 { "Content-Length: 900" } else { "Transfer-Encoding: chunked" };
        let head = format!("PUT /api/vehicles/5 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n{length}\r\n\r\n");
        stream.write_all(head.as_bytes()).await.unwrap();
        stream
    }))
    .await;
    let mut waits = Vec::new();
    for _ in 0..10 {
        let (answer, took) = ask(at, "PUT /api/vehicles/5", &token, r#"{"status":"OK"}"#).await;
        assert_eq!(answer.status, 200);
        waits.push(took);
    }
    waits.sort();
    assert!(waits[waits.len() / 2] < Duration::from_secs(1), "{waits:?}");
    drop(held);
}
