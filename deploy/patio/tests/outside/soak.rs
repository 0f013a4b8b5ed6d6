//! Soak test: memory, descriptors and latency stay constant over time.
use crate::workbooks;
use patio_harness::{ADMIN_PASSWORD, Client, HttpResponse, ImportedCampaign, Patio, Process, acquire_exclusive_slot, wait_until};
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// Default number of rounds; one round takes a second.
const SHORT: usize = 9;
/// Minimum number of rounds from which the latency at the end is compared with that at the start.
const DRIFTS: usize = 600;
/// Number of measuring periods.
const TURNS: u32 = 6;
/// Number of slices per period. The p99 of each slice is measured and the median of the slices counts, so that one pause of
/// the machine does not change the result.
const SLICES: usize = 10;
/// Number of concurrent users.
const PEOPLE: u64 = 4;

/// Number of concurrent users in the warm-up before the first period.
const CROWD: u64 = 24;

/// Interval of sampling the memory.
const OFTEN: Duration = Duration::from_millis(250);

/// Measurements of one period.
#[derive(Debug)]
struct Look {
    /// Median memory of the process in the period, in KiB.
    memory: i64,
    descriptors: usize,
    /// p99 latency of each slice.
    p99: Vec<Duration>,
    requests: usize,
    /// Number of responses that asked the client to retry.
    again: usize,
}

/// Sends a call and returns its JSON. Retries a second later when the server is overloaded; a deleted item may then be gone.
fn call(client: &Client, (method, path): (&str, &str), body: &Value, again: &AtomicUsize) -> Value {
    let sent = AtomicUsize::new(0);
    let answer = while_busy(again, || {
        sent.fetch_add(1, Ordering::Relaxed);
        client.call_route(method, path, body)
    });
    let is_gone = sent.load(Ordering::Relaxed) > 1 && method == "DELETE" && [401, 404].contains(&answer.status);
    assert!(is_gone || answer.is_success(), "{method} {path}: {answer:?}");
    answer.json()
}

/// Sends a request until the server is not overloaded, and counts the repetitions.
fn while_busy(again: &AtomicUsize, send: impl Fn() -> HttpResponse) -> HttpResponse {
    let begun = Instant::now();
    loop {
        let answer = send();
        if ![503, 504].contains(&answer.status) {
            return answer;
        }
        assert!(begun.elapsed() < Duration::from_secs(120), "still overloaded: {answer:?}");
        again.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// Returns the HMC of a user. Several users are needed so that password hashing reaches its full memory use from the start.
fn hmc(number: u64) -> String {
    (2000 + number % PEOPLE).to_string()
}

/// Performs one round of a user. Returns the latency of reading a vehicle.
fn round(client: &Client, campaign: &ImportedCampaign, (number, again): (u64, &AtomicUsize)) -> Duration {
    let credentials = json!({ "hmc": hmc(number), "password": ADMIN_PASSWORD });
    let session = call(client, ("POST", "/api/sessions"), &credentials, again);
    let client = &client.with_token(session["token"].as_str().unwrap());
    let get = |path: &str| call(client, ("GET", path), &Value::Null, again);
    let vehicle = &campaign.vehicles[usize::try_from(number).unwrap() % campaign.vehicles.len()];
    let path = format!("/api/vehicles/{}", vehicle["id"]);
    let asked = Instant::now();
    get(&path);
    let took = asked.elapsed();
    let save = json!({ "operator_notes": format!("round {number}"), "status": "OK" });
    call(client, ("PUT", &path), &save, again);
    for list in ["?index=0&size=50", "/all", "?search=a"] {
        get(&format!("/api/vehicles/campaign/{}{list}", campaign.id));
    }
    get("/api/campaigns");
    assert_eq!(while_busy(again, || client.with_token("no token").call_route("GET", &path, &Value::Null)).status, 401);
    assert_eq!(while_busy(again, || client.send(client.build_request("PUT", &path), "{")).status, 415);
    if number.is_multiple_of(20) {
        let (id, file) = (uuid::Uuid::now_v7().to_string(), workbooks::campaign(&format!("Soak {number}"), "SOAK", 50));
        let made = while_busy(again, || client.try_upload_workbook(&id, &file).unwrap()).expect_success();
        call(client, ("DELETE", &format!("/api/campaigns/{}", made["campaign"]["id"])), &Value::Null, again);
    }
    call(client, ("DELETE", "/api/sessions"), &Value::Null, again);
    took
}

fn turn(patio: &Patio, (client, campaign): (&Client, &ImportedCampaign), (first, time): (u64, Duration)) -> Look {
    let (began, again, process) = (Instant::now(), &AtomicUsize::new(0), patio.first_process());
    let end = began + time;
    let (waits, mut memory): (Vec<(Instant, Duration)>, Vec<i64>) = std::thread::scope(|scope| {
        let looks = std::iter::repeat_with(|| std::thread::sleep(OFTEN)).take_while(|()| Instant::now() < end);
        let looking = scope.spawn(move || looks.map(|()| process.resident_memory_kib()).collect());
        let people: Vec<_> = (0..PEOPLE)
            .map(|person| {
                scope.spawn(move || {
                    let rounds = (0..).map(|round| first + round * PEOPLE + person).take_while(|_| Instant::now() < end);
                    rounds.map(|number| (Instant::now(), round(client, campaign, (number, again)))).collect::<Vec<_>>()
                })
            })
            .collect();
        (people.into_iter().flat_map(|person| person.join().unwrap()).collect(), looking.join().unwrap())
    });
    memory.sort_unstable();
    let (descriptors, requests) = (at_rest(process), waits.len() * 10);
    Look { memory: memory[memory.len() / 2], descriptors, p99: slices(&waits, began, time), requests, again: again.load(Ordering::Relaxed) }
}

/// Returns the number of open descriptors after the connections of the last round are closed.
fn at_rest(process: &Process) -> usize {
    let mut last = process.open_descriptor_count();
    wait_until("the number of open descriptors stays the same", Duration::from_secs(10), || {
        std::thread::sleep(Duration::from_millis(50));
        last == std::mem::replace(&mut last, process.open_descriptor_count())
    });
    last
}

/// Returns the p99 latency of each slice of a period, without empty slices.
fn slices(waits: &[(Instant, Duration)], began: Instant, time: Duration) -> Vec<Duration> {
    let mut slices = vec![Vec::new(); SLICES];
    for (at, took) in waits {
        let place = (*at - began).as_secs_f64() / time.as_secs_f64() * SLICES as f64;
        slices[(place as usize).min(SLICES - 1)].push(*took);
    }
    let p99 = |mut slice: Vec<Duration>| {
        slice.sort();
        slice.get(slice.len() * 99 / 100).copied()
    };
    slices.into_iter().filter_map(p99).collect()
}

/// Returns the median of the slices of several periods.
fn usual(looks: &[Look]) -> Duration {
    let mut all: Vec<_> = looks.iter().flat_map(|look| look.p99.iter().copied()).collect();
    all.sort();
    all[all.len() / 2]
}

#[test]
fn memory_descriptors_and_latency_stay_constant() {
    let seconds = patio_testing::rounds(SHORT);
    let time = Duration::from_secs(u64::try_from(seconds).unwrap()) / TURNS;
    let (_turn, patio) = (acquire_exclusive_slot(), Patio::builder().start());
    let admin = patio.sign_in().without_connection_reuse(Duration::from_secs(60));
    let campaign = admin.import_template_workbook();
    for number in 0..PEOPLE {
        admin.create_user(&hmc(number), ADMIN_PASSWORD, "admin");
    }
    // Database connections are opened when they are first needed concurrently.
    let warm_up = |number| _ = round(&admin, &campaign, (u64::MAX / 2 + number, &AtomicUsize::new(0)));
    std::thread::scope(|scope| (0..CROWD).for_each(|number| _ = scope.spawn(move || warm_up(number))));
    let look = |number| turn(&patio, (&admin, &campaign), (u64::from(number) << 32, time));
    let looks: Vec<Look> = (0..TURNS).map(look).collect();
    let (before, after) = (&looks[2], &looks[5]);
    let requests: usize = looks.iter().map(|look| look.requests).sum();
    patio_testing::print_to_stderr(&format!("{requests} requests in {:?}: {looks:?}", time * TURNS));
    let again: usize = looks.iter().map(|look| look.again).sum();
    let patience = usize::try_from(PEOPLE).unwrap(); // one pause of the machine delays every user
    assert!(again <= patience + requests / 10_000, "too many responses asked to retry: {looks:?}");
    assert!(after.descriptors <= before.descriptors + 4, "descriptors: {looks:?}");
    let is_long = seconds > SHORT;
    let (more, most) = (after.memory - before.memory, before.memory / if is_long { 20 } else { 5 });
    assert!(more <= most, "memory, in KiB: {looks:?}");
    let (first, last) = (usual(&looks[1..3]), usual(&looks[4..6]));
    patio_testing::print_to_stderr(&format!("p99 latency: {first:?} in the second and third period, {last:?} in the last two"));
    // In a short run, the p99 is dominated by pauses of the machine.
    assert!(seconds < DRIFTS || last <= first + first / 10, "waits: {first:?}, then {last:?}: {looks:?}");
}
