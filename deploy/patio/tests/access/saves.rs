//! Concurrent saves of several users, through all services, on SQLite and PostgreSQL.
use super::stack::Stack;
use patio_harness::acquire_heavy_test_slot;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Saves notes with an expected version and an idempotency key. Retries while the server is overloaded, as phones do.
fn save(stack: &Stack, token: &str, id: &Value, version: &Value, notes: &str) -> (u16, Value) {
    let client = stack.client(Some(token));
    let send = || {
        let request = client.build_request("PUT", &format!("/api/vehicles/{id}")).header("content-type", "application/json");
        let request = request.header("if-match", format!("\"{version}\"")).header("idempotency-key", notes.replace(' ', "-"));
        let answer = client.send(request, json!({ "operator_notes": notes }).to_string());
        (answer.status, answer.json())
    };
    let mut answer = send();
    for _ in 0..50 {
        if [503, 504].contains(&answer.0) {
            std::thread::sleep(Duration::from_millis(200));
            answer = send();
        }
    }
    answer
}

fn vehicle(stack: &Stack, token: &str, id: &Value) -> Value {
    stack.call("get", &format!("/api/vehicles/{id}"), Some(token), None).1
}

/// Lets all users save at the same time. Returns the index of the winner and the saved vehicle.
fn race(stack: &Stack, savers: &[(&str, String)], id: &Value) -> (usize, Value) {
    let before = vehicle(stack, savers[0].0, id);
    let outcomes: Vec<(u16, Value)> = std::thread::scope(|scope| {
        let each = savers.iter().map(|(token, notes)| scope.spawn(|| save(stack, token, id, &before["version"], notes)));
        each.collect::<Vec<_>>().into_iter().map(|saver| saver.join().unwrap()).collect()
    });
    let winners: Vec<_> = outcomes.iter().enumerate().filter(|(_, (status, _))| *status == 200).map(|(n, _)| n).collect();
    assert_eq!(winners.len(), 1, "exactly one wins: {outcomes:?}");
    let won = outcomes[winners[0]].1.clone();
    assert_eq!(won["operator_notes"], savers[winners[0]].1);
    for (n, (status, body)) in outcomes.iter().enumerate().filter(|(n, _)| *n != winners[0]) {
        assert_eq!((*status, &body["code"]), (409, &json!("STALE_VERSION")), "saver {n}: {body}");
        let current = &body["details"][0];
        assert_eq!((&current["version"], &current["operator_notes"]), (&won["version"], &won["operator_notes"]), "saver {n}");
    }
    (winners[0], won)
}

#[test]
fn of_fifty_saves_of_one_version_one_succeeds_and_the_others_get_the_current_vehicle() {
    let _turn = acquire_heavy_test_slot();
    Stack::on_each_database(|stack| {
        let people = ["op", "tm", "admin"].map(|name| stack.sign_in(name));
        let id = stack.import(&people[2]).1[0]["id"].clone();
        let fifty: Vec<_> = (0..50).map(|n| (people[n % 3].as_str(), format!("saver {n}"))).collect();
        let (_, won) = race(stack, &fifty, &id);
        assert_eq!(vehicle(stack, &people[0], &id)["operator_notes"], won["operator_notes"], "nothing was overwritten");
    });
}

#[test]
fn of_two_saves_of_one_version_one_succeeds_and_repeating_it_succeeds_too() {
    let rounds = patio_testing::rounds(10);
    let _turn = acquire_heavy_test_slot();
    Stack::on_each_database(|stack| {
        let people = ["op", "tm", "admin"].map(|name| stack.sign_in(name));
        let id = stack.import(&people[2]).1[0]["id"].clone();
        for round in 0..rounds {
            let before = vehicle(stack, &people[0], &id)["version"].clone();
            let two = [(people[0].as_str(), format!("round {round} op")), (people[1].as_str(), format!("round {round} tm"))];
            let (winner, won) = race(stack, &two, &id);
            let (status, again) = save(stack, two[winner].0, &id, &before, &two[winner].1);
            assert_eq!((status, &again["version"]), (200, &won["version"]), "stored once, and the repeat succeeds: {again}");
            assert_eq!(vehicle(stack, &people[0], &id)["operator_notes"], won["operator_notes"]);
        }
        patio_testing::print_to_stderr(&format!("{rounds} of {rounds} rounds: one save succeeded, the other got the conflict"));
    });
}

/// Saves vehicles as one of many writers. Returns the latency of each save.
fn write(stack: &Stack, n: usize, rounds: usize, vehicles: &[Value], admin: &str) -> Vec<Duration> {
    let id = &vehicles[n % vehicles.len()]["id"];
    let vin = vehicles[n % vehicles.len()]["vin_number"].clone();
    let call = |round: usize| match (n % 4, round % 2) {
        (0, 0) => ("post", "/api/vehicles/bulk/status".to_owned(), json!({ "vins": [vin], "action": "remove" })),
        (0, _) => ("post", "/api/vehicles/bulk/status".to_owned(), json!({ "vins": [vin], "action": "insert", "status": "ok" })),
        (1, _) => ("post", "/api/logs/page-view".to_owned(), json!({ "page": format!("page {round}"), "timestamp": "now" })),
        _ => ("put", format!("/api/vehicles/{id}"), json!({ "operator_notes": format!("{n} {round}") })),
    };
    let each = (0..rounds).map(|round| {
        let (method, path, body) = call(round);
        let started = Instant::now();
        let (status, response) = stack.call(method, &path, Some(admin), Some(&body));
        assert!((200..300).contains(&status), "{method} {path}: {status} {response}");
        started.elapsed()
    });
    each.collect()
}

#[test]
fn concurrent_writers_never_get_a_locked_database_and_progress_is_correct_a_second_later() {
    let rounds = patio_testing::rounds(20);
    let _turn = acquire_heavy_test_slot();
    Stack::on_each_database(|stack| {
        let admin = stack.sign_in("admin");
        let (id, vehicles) = stack.import(&admin);
        let mut took: Vec<Duration> = std::thread::scope(|scope| {
            let each = (0..24).map(|n| {
                scope.spawn({
                    let (vehicles, admin) = (&vehicles, &admin);
                    move || write(stack, n, rounds, vehicles, admin)
                })
            });
            each.collect::<Vec<_>>().into_iter().flat_map(|one| one.join().unwrap()).collect()
        });
        took.sort_unstable();
        patio_testing::print_to_stderr(&format!(
            "{} writes by 24 at once: p50 {:?}, p99 {:?}, none refused",
            took.len(),
            took[took.len() / 2],
            took[took.len() * 99 / 100]
        ));
        let client = stack.client(Some(&admin));
        let rows = client.list_vehicles(id);
        let inspected = rows.iter().filter(|one| one["inspected"] == true).count();
        let (written, right) = (Instant::now(), json!({ "total_vehicles": rows.len(), "total_inspected": inspected }));
        let progress = || client.get("/api/campaigns/progress?campaign_name=Brakes");
        while progress() != right && written.elapsed() < patio_testing::patience(Duration::from_secs(1)) {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(progress(), right);
    });
}
