//! Tests of connection timeouts, connection limits and graceful shutdown, over real sockets.
use crate::stack::{Stack, config, parsed, raw};
use gateway::Config;
use patio_proto::access::Role;
use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::{sleep, timeout},
};

fn impatient() -> Config {
    let mut config = config();
    (config.head_timeout, config.body_timeout) = (Duration::from_millis(600), Duration::from_millis(600));
    config
}

/// Sends pieces with pauses; returns what was received until the server closed the connection, and how long that took.
async fn dribble(address: SocketAddr, pieces: &[&[u8]], pause: Duration) -> (Vec<u8>, Duration) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let (started, mut got) = (Instant::now(), Vec::new());
    for piece in pieces {
        if stream.write_all(piece).await.is_err() {
            break;
        }
        sleep(pause).await;
    }
    let _ = timeout(Duration::from_secs(10), stream.read_to_end(&mut got)).await.expect("the connection is closed");
    (got, started.elapsed())
}

#[tokio::test]
async fn silent_and_slow_clients_time_out_without_blocking_others() {
    let stack = Stack::new().await;
    let mut config = impatient();
    config.head_timeout = Duration::from_secs(4);
    let address = stack.listen(config).await;
    let byte_by_byte: Vec<&[u8]> = b"GET /healthz HTTP/1.1\r\nHost: x\r\n".chunks(1).collect();
    let held = async {
        tokio::join!(
            dribble(address, &[], Duration::ZERO),
            dribble(address, &[b"P"], Duration::ZERO),
            dribble(address, &[b"GET /healthz HTTP/1.1\r\nHo"], Duration::ZERO),
            dribble(address, &byte_by_byte, Duration::from_millis(100)),
            dribble(address, &[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"], Duration::ZERO),
        )
    };
    let served = async {
        let mut took = Vec::new();
        for _ in 0..20 {
            let begun = Instant::now();
            assert_eq!(raw(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.status, 200);
            took.push(begun.elapsed());
            sleep(Duration::from_millis(50)).await;
        }
        took.sort();
        assert!(took[18] < Duration::from_secs(2), "{took:?}"); // one of twenty may meet a pause of a busy machine
    };
    let (held, ()) = tokio::join!(held, served);
    for (n, (_, took)) in [held.0, held.1, held.2, held.3, held.4].into_iter().enumerate() {
        assert!(took < Duration::from_secs(15), "client {n} stayed connected for {took:?}");
    }
}

#[tokio::test]
async fn many_simultaneous_connections_fit_into_the_backlog() {
    let stack = Stack::new().await;
    let address = stack.listen(impatient()).await;
    let mut held = Vec::new();
    for number in 0..300 {
        let came = std::net::TcpStream::connect_timeout(&address, Duration::from_millis(500)); // nothing is accepted meanwhile
        held.push(came.unwrap_or_else(|cause| panic!("number {number}: {cause}")));
    }
}

#[tokio::test]
async fn an_idle_keep_alive_connection_is_closed() {
    let stack = Stack::new().await;
    let address = stack.listen(impatient()).await;
    let (got, took) = dribble(address, &[b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"], Duration::ZERO).await;
    assert_eq!(parsed(&got).status, 200);
    assert!(took > Duration::from_millis(500) && took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn a_trusted_proxy_may_idle_longer_than_a_client() {
    let stack = Stack::new().await;
    let mut config = impatient();
    config.trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    let address = stack.listen(config).await;
    let ask: &[u8] = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut proxy = TcpStream::connect(address).await.unwrap();
    for _ in 0..2 {
        proxy.write_all(ask).await.unwrap();
        let mut got = [0; 16 << 10];
        let read = timeout(Duration::from_secs(5), proxy.read(&mut got)).await.unwrap().unwrap();
        assert_eq!(parsed(&got[..read]).status, 200, "the proxy is still served after three times the client's idle timeout");
        sleep(Duration::from_millis(1800)).await;
    }
    let (_, took) = dribble(address, &[b"GET /healthz HTTP/1.1\r\nHo"], Duration::ZERO).await;
    assert!(took < Duration::from_secs(5), "a proxy that sent half of its first request was kept for {took:?}");
}

#[tokio::test]
async fn responses_announce_the_keep_alive_timeout() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    let answer = raw(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert_eq!(answer.headers["keep-alive"], "timeout=9");
}

#[tokio::test]
async fn a_stalled_or_slow_body_gets_408() {
    let stack = Stack::new().await;
    let address = stack.listen(impatient()).await;
    let head = format!(
        "PUT /api/vehicles/5 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n",
        stack.token(2, Role::Admin)
    );
    let (got, took) = dribble(address, &[head.as_bytes(), b"{"], Duration::ZERO).await;
    assert_eq!(parsed(&got).status, 408);
    assert!(took < Duration::from_secs(5), "{took:?}");
    let dribbled: Vec<&[u8]> = std::iter::once(head.as_bytes()).chain(std::iter::repeat_n(&b" "[..], 20)).collect();
    let (got, took) = dribble(address, &dribbled, Duration::from_millis(100)).await;
    assert_eq!(parsed(&got).status, 408);
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn too_large_headers_are_rejected() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    let large = format!("GET /healthz HTTP/1.1\r\nHost: x\r\nX-Large: {}\r\n\r\n", "a".repeat(64 << 10));
    let (got, _) = dribble(address, &[large.as_bytes()], Duration::ZERO).await;
    assert!(got.is_empty() || parsed(&got).status == 431, "{}", String::from_utf8_lossy(&got));
}

#[tokio::test]
async fn connections_above_the_limit_wait_for_a_free_slot() {
    let stack = Stack::new().await;
    let mut config = impatient();
    config.max_connections = 2;
    let address = stack.listen(config).await;
    let started = Instant::now();
    let _held = [TcpStream::connect(address).await.unwrap(), TcpStream::connect(address).await.unwrap()];
    sleep(Duration::from_millis(100)).await;
    let answer = raw(address, b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert_eq!(answer.status, 200);
    assert!(started.elapsed() > Duration::from_millis(500), "it had to wait until a silent connection timed out");
}

#[tokio::test]
async fn shutdown_finishes_requests_in_flight_and_accepts_no_new_ones() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    let body = r#"{"status":"ok"}"#;
    let head = format!(
        "PUT /api/vehicles/5 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        stack.token(2, Role::Admin),
        body.len()
    );
    let mut under_way = TcpStream::connect(address).await.unwrap();
    under_way.write_all(head.as_bytes()).await.unwrap();
    // The server sends this line when the handler reads the body.
    let mut go_on = [0; b"HTTP/1.1 100 Continue\r\n\r\n".len()];
    timeout(Duration::from_secs(10), under_way.read_exact(&mut go_on)).await.unwrap().unwrap();
    stack.host.tasks.stop();
    let stopped = Instant::now();
    while TcpStream::connect(address).await.is_ok() {
        assert!(stopped.elapsed() < Duration::from_secs(10), "the port is closed");
        sleep(Duration::from_millis(20)).await;
    }
    under_way.write_all(body.as_bytes()).await.unwrap();
    let mut got = Vec::new();
    timeout(Duration::from_secs(5), under_way.read_to_end(&mut got)).await.unwrap().unwrap();
    assert_eq!(parsed(&got).status, 200);
    assert!(stack.host.tasks.wait_until_tasks_ended(Duration::from_secs(5)).await);
}

#[tokio::test]
async fn a_request_names_one_host() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    for (hosts, status) in [("", 400), ("Host: a\r\nHost: b\r\n", 400), ("Host: a\r\nhost: a\r\n", 400), ("Host: a\r\n", 200)] {
        let answer = raw(address, format!("GET /api/health HTTP/1.1\r\n{hosts}Connection: close\r\n\r\n").as_bytes()).await;
        assert_eq!(answer.status.as_u16(), status, "{hosts:?}");
    }
}
