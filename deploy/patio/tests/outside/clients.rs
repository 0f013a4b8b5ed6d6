//! Slow and flooding clients must not affect other clients.
use patio_harness::{Patio, acquire_exclusive_slot};
use patio_testing::{
    self,
    flood::{FLOODS, Flood},
};
use serde_json::Value;
use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Maximum time of any call.
const ANSWERED: Duration = Duration::from_secs(60);

fn address(patio: &Patio) -> SocketAddr {
    patio.url().trim_start_matches("http://").parse().unwrap()
}

/// Guard that signals the end of the work, also on a panic.
struct Ended<'a>(&'a AtomicBool);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs `work` and returns its result with the p99 latency of concurrent health checks.
fn beside<T>(patio: &Patio, work: impl FnOnce() -> T) -> (T, Duration) {
    let over = AtomicBool::new(false);
    let client = patio.client().without_connection_reuse(ANSWERED);
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| {
            let mut took = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let started = Instant::now();
                assert_eq!(client.call_route("GET", "/healthz", &Value::Null).status, 200);
                took.push(started.elapsed());
                std::thread::sleep(Duration::from_millis(5));
            }
            took.sort_unstable();
            took[took.len() * 99 / 100]
        });
        let ended = Ended(&over);
        let done = work();
        drop(ended);
        (done, asking.join().unwrap())
    })
}

/// Runs work that must not delay other clients, and asserts the latency of concurrent health checks. Repeats on failure,
/// because a paused machine also delays them.
fn undelayed<T>(patio: &Patio, work: impl Fn() -> T) -> (T, Duration) {
    let mut tries = (0..3).map(|_| beside(patio, &work));
    let undelayed = tries.find(|(_, p99)| *p99 < Duration::from_secs(1));
    undelayed.unwrap_or_else(|| unreachable!("others wait a second or more, each time of three"))
}

#[test]
fn five_hundred_slow_clients_take_little_memory_and_are_disconnected() {
    let (_turn, patio) = (acquire_exclusive_slot(), Patio::builder().with_setting("PATIO_HEADER_TIMEOUT_SECONDS", "1.5").start());
    let (before, address) = (patio.resident_memory_kib(), address(&patio));
    let (grown, p99) = undelayed(&patio, || {
        let mut held: Vec<_> = (0..500).map(|_| TcpStream::connect(address).unwrap()).collect();
        for half in held.iter_mut().step_by(2) {
            half.write_all(b"GET /api/me HTTP/1.1\r\nHost: x\r\nX-Half").unwrap();
        }
        let (started, grown) = (Instant::now(), patio.resident_memory_kib() - before);
        for mut client in held {
            client.set_read_timeout(Some(Duration::from_secs(15))).unwrap();
            let mut rest = Vec::new();
            let ended = client.read_to_end(&mut rest);
            assert!(ended.is_ok() || ended.is_err_and(|cause| cause.kind() == std::io::ErrorKind::ConnectionReset));
            assert!(started.elapsed() < Duration::from_secs(15), "still connected after {:?}", started.elapsed());
        }
        grown
    });
    patio_testing::print_to_stderr(&format!("500 idle sockets: {grown} KiB more, p99 of other calls {p99:?}"));
    assert!(grown <= 32 * 500, "{grown} KiB");
}

#[test]
fn http2_floods_take_no_memory_are_cut_off_and_delay_no_other_client() {
    let _turn = acquire_exclusive_slot();
    let patio = Patio::builder().with_setting("PATIO_HEADER_TIMEOUT_SECONDS", "1").with_setting("PATIO_BODY_TIMEOUT_SECONDS", "1").start();
    let address = address(&patio);
    let times = u32::try_from(patio_testing::rounds(20_000)).unwrap();
    // A warm-up: the first connections allocate threads, tables and buffers that stay.
    Flood::Ping.send(address, 100, Duration::ZERO).unwrap();
    for flood in FLOODS {
        let before = patio.resident_memory_kib();
        let (closed, p99) = undelayed(&patio, || {
            let send = || flood.send(address, times, Duration::from_secs(15)).unwrap();
            std::thread::scope(|scope| [scope.spawn(send), scope.spawn(send)].map(|one| one.join().unwrap()))
        });
        let grown = patio.resident_memory_kib() - before;
        patio_testing::print_to_stderr(&format!(
            "2 x {times} of {flood:?}: {grown} KiB more, closed after {closed:?}, p99 of other calls {p99:?}"
        ));
        assert!(grown <= 16 << 10, "{flood:?} took {grown} KiB");
        assert!(closed.iter().all(Option::is_some), "{flood:?} is not cut off: {closed:?}");
    }
}
