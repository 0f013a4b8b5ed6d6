//! The same after an hour as after a minute: memory, descriptors, waits.
use crate::patio::{PASSWORD, Patio};
use patio_kit::testing;
use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

/// A round is a second; so many when nothing is told.
const SHORT: usize = 24;
/// From so many on the waits of the last turns are held to those of the first.
const DRIFTS: usize = 600;
/// Into how many turns the time is divided.
const TURNS: u32 = 6;
/// Into how many slices a turn is divided, of each of which the slowest wait of a hundred is taken. A moment in which the
/// machine stands still spoils one of them; half of them are below what counts, so that ten of a hundred can be told from none.
const SLICES: usize = 10;
/// People at once.
const PEOPLE: u64 = 4;

/// How often its memory is looked at.
const OFTEN: Duration = Duration::from_millis(250);

/// How Patio was in a turn, and after it.
#[derive(Debug)]
struct Look {
    /// Half of the time it was more, half of the time less; in KiB.
    memory: i64,
    descriptors: usize,
    /// Of each slice.
    p99: Vec<Duration>,
    requests: usize,
    /// How often somebody was told to try again.
    again: usize,
}

/// A campaign of fifty vehicles.
fn workbook(name: &str) -> Vec<u8> {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet().set_name("Sheet1").unwrap();
    for (place, column) in (0u16..).zip(["Campaign", "Part", "Description", "Model Code", "Serial Number", "Parking Space"]) {
        sheet.write_string(0, place, column).unwrap();
    }
    for row in 1..=50 {
        for (place, text) in [(3, "SOAK"), (4, &*format!("{row:06}")), (5, &*format!("A-{row}"))] {
            sheet.write_string(row, place, text).unwrap();
        }
    }
    sheet.write_string(1, 0, name).unwrap();
    book.save_to_buffer().unwrap()
}

/// The JSON that a call answers; whoever is told that there is too much to do at this moment tries again a second later,
/// when what was to go may have gone.
fn call(patio: &Patio, (method, path): (&str, &str), (token, body): (&str, Option<&Value>), again: &AtomicUsize) -> Value {
    let mut is_repeated = false;
    loop {
        let (status, told) = patio.told((method, path), token, body);
        if ![503, 504].contains(&status.as_u16()) {
            let is_gone = is_repeated && method == "DELETE" && [401, 404].contains(&status.as_u16());
            assert!(is_gone || status.is_success(), "{method} {path}: {status} {told}");
            return serde_json::from_str(&told).unwrap_or(Value::Null);
        }
        is_repeated = true;
        again.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_secs(1));
    }
}

/// What somebody signs in with; the passwords of different people are checked at the same time, and the memory which
/// that takes is there from the first turn on.
fn credentials(number: u64) -> Value {
    json!({ "hmc": (2000 + number % PEOPLE).to_string(), "password": PASSWORD })
}

/// What one person does in a round; how long each read of a vehicle took.
fn round(patio: &Patio, campaign: &Value, vehicles: &[Value], (number, again): (u64, &AtomicUsize)) -> Duration {
    let session = call(patio, ("POST", "/api/sessions"), ("", Some(&credentials(number))), again);
    let token = session["token"].as_str().unwrap();
    let vehicle = &vehicles[usize::try_from(number).unwrap() % vehicles.len()];
    let path = format!("/api/vehicles/{}", vehicle["id"]);
    let asked = Instant::now();
    call(patio, ("GET", &path), (token, None), again);
    let took = asked.elapsed();
    let save = json!({ "operator_notes": format!("round {number}"), "status": "OK" });
    call(patio, ("PUT", &path), (token, Some(&save)), again);
    for list in ["?index=0&size=50", "/all", "?search=a"] {
        call(patio, ("GET", &format!("/api/vehicles/campaign/{}{list}", campaign["id"])), (token, None), again);
    }
    call(patio, ("GET", "/api/campaigns"), (token, None), again);
    assert_eq!(patio.answer(patio.at("GET", &path), "no token", "").status(), 401);
    assert_eq!(patio.answer(patio.at("PUT", &path), token, "{").status(), 415);
    if number.is_multiple_of(20) {
        let (made, _) = patio.import_sheet(token, workbook(&format!("Soak {number}")));
        call(patio, ("DELETE", &format!("/api/campaigns/{}", made["id"])), (token, None), again);
    }
    call(patio, ("DELETE", "/api/sessions"), (token, None), again);
    took
}

fn turn(patio: &Patio, campaign: &Value, vehicles: &[Value], (first, time): (u64, Duration)) -> Look {
    let (began, again) = (Instant::now(), &AtomicUsize::new(0));
    let until = began + time;
    let (waits, mut memory): (Vec<(Instant, Duration)>, Vec<i64>) = std::thread::scope(|scope| {
        let looks = std::iter::repeat_with(|| std::thread::sleep(OFTEN)).take_while(|()| Instant::now() < until);
        let looking = scope.spawn(move || looks.map(|()| patio.memory()).collect());
        let people: Vec<_> = (0..PEOPLE)
            .map(|person| {
                scope.spawn(move || {
                    let rounds = (0..).map(|round| first + round * PEOPLE + person).take_while(|_| Instant::now() < until);
                    rounds.map(|number| (Instant::now(), round(patio, campaign, vehicles, (number, again)))).collect::<Vec<_>>()
                })
            })
            .collect();
        (people.into_iter().flat_map(|person| person.join().unwrap()).collect(), looking.join().unwrap())
    });
    memory.sort_unstable();
    std::thread::sleep(Duration::from_secs(1)); // connections of the last round end
    let (descriptors, requests) = (patio.descriptors(), waits.len() * 10);
    Look { memory: memory[memory.len() / 2], descriptors, p99: slices(&waits, began, time), requests, again: again.load(Ordering::Relaxed) }
}

/// The slowest wait of a hundred in each slice of a turn; a slice in which nothing was asked is left out.
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

/// Half of the slices of some turns are above it, half below.
fn usual(looks: &[Look]) -> Duration {
    let mut all: Vec<_> = looks.iter().flat_map(|look| look.p99.iter().copied()).collect();
    all.sort();
    all[all.len() / 2]
}

#[test]
fn it_stays_the_same_for_as_long_as_it_runs() {
    let seconds = testing::rounds(SHORT);
    let time = Duration::from_secs(u64::try_from(seconds).unwrap()) / TURNS;
    let patio = Patio::start(&[("PATIO_SIGN_IN_BURST", "1000000")]);
    let token = patio.sign_in();
    let (campaign, vehicles) = patio.import(&token);
    for number in 0..PEOPLE {
        let mut person = credentials(number);
        person["user_type"] = json!("admin");
        patio.call(("POST", "/api/sign-up"), &token, Some(person));
    }
    let looks: Vec<Look> = (0..TURNS).map(|number| turn(&patio, &campaign, &vehicles, (u64::from(number) << 32, time))).collect();
    let (before, after) = (&looks[2], &looks[5]);
    let requests: usize = looks.iter().map(|look| look.requests).sum();
    testing::tell(&format!("{requests} requests in {:?}: {looks:?}", time * TURNS));
    let again: usize = looks.iter().map(|look| look.again).sum();
    let patience = usize::try_from(PEOPLE).unwrap(); // one moment in which the machine stands still meets everybody
    assert!(again <= patience + requests / 10_000, "told to try again: {looks:?}");
    assert!(after.descriptors <= before.descriptors + 4, "descriptors: {looks:?}");
    let is_long = seconds > SHORT;
    let (more, most) = (after.memory - before.memory, before.memory / if is_long { 20 } else { 5 });
    assert!(more <= most, "memory, in KiB: {looks:?}");
    let (first, last) = (usual(&looks[1..3]), usual(&looks[4..6]));
    testing::tell(&format!("the slowest wait of a hundred: {first:?} in the second and third turn, {last:?} in the last two"));
    // In fewer seconds the slowest of a hundred is a moment in which the machine stood still.
    assert!(seconds < DRIFTS || last <= first + first / 10, "waits: {first:?}, then {last:?}: {looks:?}");
}
