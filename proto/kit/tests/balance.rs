//! Tests of load balancing and retries, with replicas that start, stop, freeze and fail.
mod replica;

use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt;
use patio_kit::{
    client::{balancer::LoadBalancer, call_context::IdempotentCall, deadline::with_inherited_deadline, service_channel::ServiceChannel},
    lifecycle::BackgroundTasks,
};
use replica::{Behaviour, Double};
use std::{
    collections::BTreeMap,
    sync::{Arc, OnceLock},
    time::{Duration, Instant},
};
use tonic::body::Body;
use tower::ServiceExt;

/// Path of an idempotent rpc.
const READ: &str = "/patio.vehicle.v1.VehicleService/GetVehicle";
/// Path of an rpc that is not idempotent.
const SAVE: &str = "/patio.vehicle.v1.VehicleService/SaveVehicle";
/// Path of a client-streaming rpc, which cannot be repeated.
const STREAM: &str = "/patio.vehicle.v1.CampaignVehicleService/ImportVehicles";
/// Path of a server-streaming rpc.
const STREAMED: &str = "/patio.vehicle.v1.VehicleService/ListAllVehicles";

struct Caller {
    link: ServiceChannel,
    _tasks: BackgroundTasks,
}

impl Caller {
    async fn of(replicas: &[&Double]) -> Self {
        let tasks = BackgroundTasks::default();
        let urls: Vec<String> = replicas.iter().map(|replica| format!("http://{}", replica.address)).collect();
        let link = ServiceChannel::Remote(LoadBalancer::new("test", &urls.join(","), None, &tasks).unwrap());
        let caller = Self { link, _tasks: tasks };
        caller.call(READ).await;
        tokio::time::sleep(Duration::from_millis(300)).await; // until it knows how they are
        replicas.iter().for_each(|replica| replica.forget_calls());
        caller
    }

    async fn call(&self, path: &str) -> Response<Body> {
        self.link.clone().oneshot(Request::post(path).body(Body::empty()).unwrap()).await.unwrap()
    }

    /// Makes `times` calls. Returns the number of successful calls by replica, and the number of failed calls.
    async fn calls(&self, path: &str, times: usize) -> (BTreeMap<String, usize>, usize) {
        let (mut answered, mut failed) = (BTreeMap::new(), 0);
        for _ in 0..times {
            let response = self.call(path).await;
            match header(&response, "grpc-status") {
                "0" => *answered.entry(header(&response, "x-replica").to_owned()).or_insert(0) += 1,
                _ => failed += 1,
            }
        }
        (answered, failed)
    }
}

fn header<'r>(response: &'r Response<Body>, name: &str) -> &'r str {
    response.headers().get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn calls_are_spread_over_the_replicas() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let (answered, failed) = Caller::of(&[&a, &b]).await.calls(READ, 200).await;
    assert_eq!(failed, 0);
    assert!(answered.values().all(|count| (80..=120).contains(count)), "{answered:?}");
}

#[tokio::test]
async fn a_killed_replica_costs_no_call_not_even_one_that_must_not_be_repeated() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let caller = Caller::of(&[&a, &b]).await;
    caller.calls(SAVE, 20).await;
    a.kill().await;
    let (answered, failed) = caller.calls(SAVE, 200).await;
    assert_eq!((failed, answered), (0, BTreeMap::from([("b".to_owned(), 200)])));
}

#[tokio::test]
async fn a_replica_that_says_it_leaves_gets_nothing_more() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let caller = Caller::of(&[&a, &b]).await;
    let until_served_by = async |replicas: usize| {
        let begun = Instant::now();
        while caller.calls(SAVE, 10).await.0.len() != replicas {
            assert!(begun.elapsed() < Duration::from_secs(10), "calls are not served by {replicas} replicas");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    a.behave(Behaviour::Leaving);
    until_served_by(1).await;
    assert_eq!(caller.calls(SAVE, 50).await.0, BTreeMap::from([("b".to_owned(), 50)]));
    a.behave(Behaviour::Well);
    until_served_by(2).await;
}

#[tokio::test]
async fn a_frozen_replica_is_left_within_a_second_and_reads_that_hung_there_are_answered_elsewhere() {
    let mut took = Vec::new();
    for _ in 0..3 {
        let (a, b) = (Double::start("a"), Double::start("b"));
        let caller = Caller::of(&[&a, &b]).await;
        a.behave(Behaviour::Frozen);
        let started = Instant::now();
        let (answered, failed) = caller.calls(READ, 10).await;
        took.push(started.elapsed());
        assert_eq!((failed, answered.len()), (0, 1));
    }
    // The replica is left after 960 ms at the latest: two health checks of 280 ms, and pauses of 300 ms and 100 ms. The rest is for the other
    // nine calls. The fastest of three rounds counts, because a busy machine delays some.
    assert!(took.iter().min() < Some(&Duration::from_millis(1200)), "{took:?}");
}

#[tokio::test]
async fn a_call_that_may_take_long_ends_soon_when_nothing_is_heard_of_its_replica_and_goes_on_when_that_is_only_slow() {
    let a = Double::start("a");
    let caller = Caller::of(&[&a]).await;
    let long = async |path: &str| {
        let request = Request::post(path).header("grpc-timeout", "60S").body(Body::empty()).unwrap();
        let response = caller.link.clone().oneshot(request).await.unwrap();
        let begun = header(&response, "grpc-status").to_owned();
        let rest = response.into_body().collect().await;
        (begun, rest.is_err())
    };
    a.behave(Behaviour::Slow);
    assert_eq!(long(SAVE).await, ("0".to_owned(), false), "it said all the time how it is");
    let (mut saves, mut streams) = (Vec::new(), Vec::new());
    for _ in 0..3 {
        let asked = Instant::now();
        a.behave(Behaviour::Frozen);
        assert_eq!(long(SAVE).await.0, "14");
        saves.push(asked.elapsed());
        a.behave(Behaviour::Well);
        tokio::time::sleep(Duration::from_secs(2)).await;
        assert_eq!(long(SAVE).await, ("0".to_owned(), false), "the replica responds again");
        a.behave(Behaviour::Halting);
        let (asked, before) = (Instant::now(), a.seen());
        let (streaming, ()) = tokio::join!(long(STREAMED), async {
            a.wait_for_call(before).await;
            tokio::time::sleep(Duration::from_millis(50)).await; // until the beginning of the response has arrived
            a.behave(Behaviour::Frozen); // the response goes no further, and health checks get no reply
        });
        streams.push(asked.elapsed());
        assert_eq!(streaming, (String::new(), true), "the response had begun, and ends with an error");
        a.behave(Behaviour::Well);
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    // The fastest of three rounds counts, because a busy machine delays some.
    assert!(saves.iter().min() < Some(&Duration::from_millis(2800)), "{saves:?}");
    assert!(streams.iter().min() < Some(&Duration::from_millis(2900)), "{streams:?}");
}

#[tokio::test]
async fn a_read_in_flight_stays_with_the_only_replica_when_that_recovers_from_a_failed_call() {
    let a = Double::start("a");
    let caller = Caller::of(&[&a]).await;
    a.behave(Behaviour::Slow);
    let read = Request::post(READ).header("grpc-timeout", "60S").body(Body::empty()).unwrap();
    let failing = async {
        a.wait_for_call(0).await;
        a.behave(Behaviour::Breaking);
        let failed = caller.call(SAVE).await; // the replica is unhealthy until the health check that follows at once
        a.behave(Behaviour::Well);
        header(&failed, "grpc-status").to_owned()
    };
    let started = Instant::now();
    let (answer, failed) = tokio::join!(caller.link.clone().oneshot(read), failing);
    let answer = answer.unwrap();
    assert_eq!((header(&answer, "grpc-status"), failed.as_str()), ("0", "14"));
    assert_eq!(a.seen(), 2, "the read in one attempt, and the failed save");
    assert!(started.elapsed() >= Duration::from_secs(5), "the slow first attempt was answered");
}

#[tokio::test]
async fn a_call_that_was_lost_is_repeated_only_when_it_may_be() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let caller = Caller::of(&[&a, &b]).await;
    a.behave(Behaviour::Breaking);
    b.behave(Behaviour::Breaking);
    let answer = caller.call(SAVE).await;
    assert_eq!((header(&answer, "grpc-status"), a.seen() + b.seen()), ("14", 1));
    let keyed = Request::post(SAVE).extension(IdempotentCall).body(Body::empty()).unwrap();
    caller.link.clone().oneshot(keyed).await.unwrap();
    assert!(a.seen() + b.seen() > 2, "a save with an idempotency key is tried again");
}

#[tokio::test]
async fn an_answer_that_broke_off_is_as_good_as_none() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let caller = Caller::of(&[&a, &b]).await;
    for how in [Behaviour::Torn, Behaviour::Unended] {
        a.behave(how);
        assert_eq!(caller.calls(READ, 10).await, (BTreeMap::from([("b".to_owned(), 10)]), 0), "{how:?}: read elsewhere");
        b.behave(how);
        for path in [SAVE, STREAM] {
            assert_eq!(header(&caller.call(path).await, "grpc-status"), "14", "{how:?}: whether it was done is unknown");
        }
        b.behave(Behaviour::Well);
    }
    a.behave(Behaviour::Torn);
    b.behave(Behaviour::Torn);
    let broken = caller.call(STREAMED).await.into_body().collect().await.unwrap_err();
    assert_eq!(broken.code(), tonic::Code::Unavailable, "{broken:?}: what was read of a stream cannot be taken back");
}

#[tokio::test]
async fn repetitions_add_a_tenth_to_the_load_and_no_more() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let caller = Caller::of(&[&a, &b]).await;
    a.behave(Behaviour::Busy);
    b.behave(Behaviour::Busy);
    // Twenty may be repeated at the start, when nothing has been saved up.
    let (_, failed) = caller.calls(READ, 100).await;
    let first = a.seen() + b.seen();
    assert!(failed == 100 && (120..=130).contains(&first), "{first} calls reached them");
    let (_, failed) = caller.calls(READ, 500).await;
    let more = a.seen() + b.seen() - first;
    assert!(failed == 500 && (540..=550).contains(&more), "{more} calls reached them");
}

#[tokio::test]
async fn however_long_all_went_well_a_hundred_repetitions_are_saved_up_and_no_more() {
    let (a, b) = (Double::start("a"), Double::start("b"));
    let caller = Caller::of(&[&a, &b]).await;
    caller.calls(READ, 1100).await;
    a.behave(Behaviour::Busy);
    b.behave(Behaviour::Busy);
    let before = a.seen() + b.seen();
    let (_, failed) = caller.calls(READ, 100).await;
    let more = a.seen() + b.seen() - before;
    assert!(failed == 100 && (200..=210).contains(&more), "{more} calls reached them");
}

#[tokio::test]
async fn with_nobody_there_a_call_fails_within_its_deadline_and_says_that_it_may_be_tried_again() {
    let a = Double::start("a");
    let caller = Caller::of(&[&a]).await;
    a.kill().await;
    let started = Instant::now();
    let answer = caller.call(READ).await;
    assert_eq!(header(&answer, "grpc-status"), "14");
    assert!(started.elapsed() < Duration::from_secs(3), "{:?}", started.elapsed());
}

#[tokio::test]
async fn a_stream_waits_a_moment_for_a_replica_that_starts() {
    let address = ([127, 0, 0, 1], patio_harness::find_free_port()).into(); // no other program is assigned this port meanwhile
    let a = Double::start_at("a", address);
    let caller = Caller::of(&[&a]).await;
    a.kill().await;
    tokio::time::sleep(Duration::from_secs(1)).await; // until a health check has failed
    let starting = async {
        tokio::time::sleep(Duration::from_millis(500)).await;
        Double::start_at("b", a.address)
    };
    let (answer, b) = tokio::join!(caller.call(STREAM), starting);
    assert_eq!((header(&answer, "grpc-status"), header(&answer, "x-replica")), ("0", "b"));
    b.kill().await;
    let started = Instant::now();
    let stream = Request::post(STREAM).header("grpc-timeout", "15S").body(Body::empty()).unwrap();
    assert_eq!(header(&caller.link.clone().oneshot(stream).await.unwrap(), "grpc-status"), "14", "no replica is left");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}, and not until the deadline", started.elapsed());
}

#[tokio::test]
async fn a_server_that_times_out_and_one_that_does_not_answer_have_the_same_status() {
    let a = Double::start("a");
    let caller = Caller::of(&[&a]).await;
    a.behave(Behaviour::Expiring);
    assert_eq!(header(&caller.call(SAVE).await, "grpc-status"), "4");
    a.behave(Behaviour::Slow);
    let hurried = Request::post(SAVE).header("grpc-timeout", "300m").body(Body::empty()).unwrap();
    let started = Instant::now();
    assert_eq!(header(&caller.link.clone().oneshot(hurried).await.unwrap(), "grpc-status"), "4");
    assert!(started.elapsed() < Duration::from_secs(4), "a slow response takes five seconds");
}

#[tokio::test]
async fn a_deadline_shrinks_from_hop_to_hop_in_one_process_too() {
    let slot = Arc::new(OnceLock::new());
    let echo = |headers: HeaderMap| async move { [("x-timeout", headers["grpc-timeout"].clone())] };
    slot.set(axum::Router::new().fallback(echo)).unwrap();
    let link = ServiceChannel::Local(slot);
    let inherited = HeaderMap::from_iter([(http::HeaderName::from_static("grpc-timeout"), http::HeaderValue::from_static("20S"))]);
    let answer = with_inherited_deadline(&inherited, async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        link.clone().oneshot(Request::post(READ).header("grpc-timeout", "60S").body(Body::empty()).unwrap()).await.unwrap()
    })
    .await;
    let left: u64 = header(&answer, "x-timeout").trim_end_matches('m').parse().unwrap();
    assert!((10_000..=19_900).contains(&left), "{left} ms are left");
    let slow = Arc::new(OnceLock::new());
    slow.set(axum::Router::new().fallback(|| async { tokio::time::sleep(Duration::from_secs(9)).await })).unwrap();
    let hurried = Request::post(READ).header("grpc-timeout", "100m").body(Body::empty()).unwrap();
    assert_eq!(header(&ServiceChannel::Local(slow).oneshot(hurried).await.unwrap(), "grpc-status"), "4");
}
