//! Zip bombs are rejected with little memory and time, and other calls stay responsive.
//!
//! The test runs in its own process, because it reads the memory of the process.
#![expect(clippy::disallowed_methods, reason = "a test spawns its own tasks")]
use crate::common::{awkward, services::World};
use patio_proto::imports::{GetTemplateRequest, import_campaign_response::Outcome};
use patio_testing::from_environment;
use std::time::{Duration, Instant};

/// Returns the current (`VmRSS:`) or peak (`VmHWM:`) memory of the process, in KiB.
fn memory(what: &str) -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(what)).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse().unwrap()
}

/// Returns the files designed to exhaust memory or time, all within the size limit.
fn bombs() -> Vec<awkward::Awkward> {
    let hostile = ["300 MiB", "MiB of texts", "100 MiB", "four billion", "farthest corner", "thousands of parts", "two million"];
    let all: Vec<_> = awkward::files().into_iter().filter(|file| hostile.iter().any(|word| file.name.contains(word))).collect();
    assert!(all.len() >= 7 && all.iter().all(|bomb| bomb.file.len() <= 5_242_880));
    all
}

/// Repeats a small call until stopped. Returns the latency of each call.
async fn others(world: World, mut stop: tokio::sync::oneshot::Receiver<()>) -> Vec<Duration> {
    let mut took = Vec::new();
    while stop.try_recv().is_err() {
        let begun = Instant::now();
        world.imports().get_template(world.leader().grpc_request(GetTemplateRequest {})).await.unwrap();
        took.push(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    took.sort();
    took
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bombs_take_little_memory_and_time_and_others_go_on_working() {
    if !patio_testing::runs_alone("bombs::bombs_take_little_memory_and_time_and_others_go_on_working") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let world = World::on(patio_testing::host(folder.path(), None).await).await;
    let bombs = bombs();
    world.imported("", &crate::common::good("Before", 2_000)).await;
    let (stop, stopped) = tokio::sync::oneshot::channel();
    let others = tokio::spawn(others(world.clone(), stopped));
    // Resets the peak memory, since building the bombs took more than rejecting them may.
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = memory("VmRSS:");
    let mut slowest = Duration::ZERO;
    for bomb in &bombs {
        let begun = Instant::now();
        let Outcome::Rejected(rejection) = world.upload("", &bomb.file).await.unwrap() else { panic!("{} was taken", bomb.name) };
        assert_eq!(rejection.code, bomb.code, "{}: {rejection:?}", bomb.name);
        slowest = slowest.max(begun.elapsed());
    }
    let grown = memory("VmHWM:") - before;
    stop.send(()).unwrap();
    let took = others.await.unwrap();
    let p99 = took[took.len() * 99 / 100];
    eprintln!("{} bombs: slowest {slowest:?}, {grown} KiB more; {} other calls, p99 {p99:?}", bombs.len(), took.len());
    assert!(grown <= 64 << 10, "{grown} KiB more");
    // The short form runs in parallel with other tests on machines of any speed.
    let (most, patience) = if from_environment("PATIO_TEST_LONG").is_some() { (1, 100) } else { (10, 1_000) };
    assert!(slowest <= Duration::from_secs(most), "{slowest:?}");
    assert!(took.len() > 20 && p99 <= Duration::from_millis(patience), "{} calls, p99 {p99:?}", took.len());
}
