//! Content of the audit log: one event for every change and every denied call, and nothing else.
use super::stack::Stack;
use patio_harness::acquire_light_test_slot;
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

/// One call with the kinds of the audit events that it must create.
struct Step {
    who: &'static str,
    method: &'static str,
    path: String,
    body: Option<Value>,
    kinds: &'static [&'static str],
}

fn step(who: &'static str, call: (&'static str, &str), body: Option<Value>, kinds: &'static [&'static str]) -> Step {
    Step { who, method: call.0, path: format!("/api{}", call.1), body, kinds }
}

/// Returns the ids and kinds of all audit events.
fn entries(stack: &Stack, developer: &str) -> BTreeSet<(String, String)> {
    let (status, page) = stack.call("get", "/api/logs/audit?per_page=200", Some(developer), None);
    assert_eq!((status, &page["meta"]["has_more"]), (200, &json!(false)), "{page}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = page["events"].as_array().unwrap().iter().map(|event| (text(&event["id"]), text(&event["kind"])));
    // Calls between services create events of their own, in addition to that of the user's call.
    all.filter(|(_, kind)| kind != "service-step").collect()
}

fn people() -> Vec<Step> {
    let password = json!({ "hmc": "4000", "password": "another-password", "user_type": "op" });
    vec![
        step("nobody", ("post", "/sessions"), Some(json!({ "hmc": "3000", "password": "a wrong one" })), &["login-failed"]),
        step("nobody", ("post", "/sessions"), Some(json!({ "hmc": "nobody", "password": "a wrong one" })), &["login-failed"]),
        step("op", ("post", "/logs/page-view"), Some(json!({ "page": "home", "timestamp": "now" })), &["page-view"]),
        step("op", ("post", "/logs/login"), Some(json!({ "timestamp": "now" })), &["login"]),
        step("admin", ("post", "/sign-up"), Some(password.clone()), &["user-changed"]),
        step("admin", ("post", "/sign-up"), Some(password), &[]),
        step("admin", ("put", "/users/5"), Some(json!({ "user_type": "tm" })), &["user-changed"]),
        step("admin", ("put", "/users/5"), Some(json!({ "user_type": "tm" })), &[]),
        step("admin", ("put", "/users/5"), Some(json!({ "password": "one-more-password" })), &["user-changed"]),
        step("admin", ("put", "/users/5"), Some(json!({ "hmc": "4001" })), &["user-changed"]),
        step("admin", ("delete", "/users/5/lockout"), None, &[]),
        step("admin", ("put", "/users/1"), Some(json!({ "user_type": "op" })), &["refused"]),
        step("tm", ("get", "/users"), None, &["refused"]),
        step("op", ("put", "/me/password"), Some(json!({ "old": "a wrong one", "new": "one-more-password" })), &["login-failed"]),
        step("admin", ("delete", "/users/5"), None, &["user-changed"]),
        step("admin", ("delete", "/users/5"), None, &[]),
    ]
}

fn work(campaign: i64, vehicles: &[Value]) -> Vec<Step> {
    let (own, one) = (format!("/campaigns/{campaign}"), format!("/vehicles/{}", vehicles[0]["id"]));
    let vins = |action: &str| json!({ "vins": [vehicles[1]["vin_number"], vehicles[2]["vin_number"]], "action": action, "status": "ok" });
    let dry = json!({ "vins": [vehicles[1]["vin_number"]], "action": "remove", "dry_run": true });
    let spaces = json!({ "rows": [{ "vin": vehicles[3]["vin_number"], "parking_space": "C-9" }] });
    vec![
        step("op", ("delete", &own), None, &["refused"]),
        step("op", ("put", &own), Some(json!({ "name": "Another" })), &["refused"]),
        step("op", ("put", &own), Some(json!({ "status": "Ongoing" })), &["campaign-changed"]),
        step("op", ("put", &own), Some(json!({ "status": "Ongoing" })), &[]),
        step("tm", ("put", &own), Some(json!({ "description": "It leaks much" })), &["campaign-changed"]),
        step("op", ("put", &one), Some(json!({ "status": "ng" })), &["vehicle-changed"]),
        step("op", ("put", &one), Some(json!({ "admin_notes": "mine" })), &["refused"]),
        step("op", ("put", &one), Some(json!({ "status": "ok" })), &[]),
        step("tm", ("post", "/vehicles/bulk/status"), Some(vins("insert")), &["bulk-changed"]),
        step("tm", ("post", "/vehicles/bulk/status"), Some(dry), &[]),
        step("op", ("post", "/vehicles/bulk/status"), Some(vins("insert")), &["refused"]),
        step("tm", ("post", "/vehicles/bulk/parking-space"), Some(spaces), &["bulk-changed"]),
        step("tm", ("get", &format!("{own}/generate_campaign_vehicle_report")), None, &["exported"]),
        step("tm", ("get", &format!("{own}/export_all_yards")), None, &["exported"]),
        step("op", ("get", "/logs/audit"), None, &["refused"]),
        step("tm", ("put", &own), Some(json!({ "status": "Closed" })), &["campaign-changed"]),
        step("tm", ("put", &own), Some(json!({ "status": "Ongoing" })), &["refused"]),
        step("admin", ("put", &own), Some(json!({ "status": "Ongoing" })), &["campaign-changed"]),
        step("admin", ("delete", &own), None, &["campaign-deleted"]),
        step("op", ("delete", "/sessions"), None, &["logout"]),
    ]
}

#[test]
fn every_change_and_denied_call_is_one_event_and_other_calls_are_none() {
    let _turn = acquire_light_test_slot();
    Stack::on_each_database(|stack| {
        let tokens = ["op", "tm", "admin", "developer"].map(|name| (name, stack.sign_in(name)));
        let token = |who| tokens.iter().find(|(name, _)| *name == who).map(|(_, token)| token.as_str());
        let (campaign, vehicles) = stack.import(token("admin").unwrap());
        let developer = token("developer").unwrap();
        let mut before = entries(stack, developer);
        for step in people().into_iter().chain(work(campaign, &vehicles)) {
            let (status, body) = stack.call(step.method, &step.path, token(step.who), step.body.as_ref());
            let what = format!("{} {} as {}: {status} {body:.300}", step.method, step.path, step.who);
            let (asked, mut new) = (Instant::now(), BTreeSet::new());
            // A denied call is recorded after its response. Where no event is expected, none may arrive late either.
            while new.len() < step.kinds.len().max(1)
                && asked.elapsed() < Duration::from_millis(if step.kinds.is_empty() { 100 } else { 20_000 })
            {
                new = entries(stack, developer).difference(&before).cloned().collect();
                std::thread::sleep(Duration::from_millis(10));
            }
            assert_eq!(new.iter().map(|(_, kind)| kind.as_str()).collect::<Vec<_>>(), step.kinds, "{what}");
            before.extend(new);
        }
    });
}

/// Search texts with special characters of SQL, logs or headers.
const ODD: [&str; 9] =
    ["%25", "_", "%5C", "%27%20or%201%3D1%20--", "%00", "a%00b", "%E2%80%AEabc", "%F0%9F%9A%97", "%0D%0ASet-Cookie%3A%20a"];

#[test]
fn special_characters_in_searches_are_plain_text() {
    let _turn = acquire_light_test_slot();
    Stack::on_each_database(|stack| {
        let developer = stack.sign_in("developer");
        let (campaign, _) = stack.import(&developer);
        let long = "x".repeat(100_000);
        for odd in ODD.iter().copied().chain([&long[..200], &long[..7_000]]) {
            for (path, empty) in [
                (format!("/campaigns?status=all&search={odd}"), "campaigns"),
                (format!("/vehicles/campaign/{campaign}?search={odd}"), "vehicles"),
                (format!("/yards?search={odd}"), "yards"),
                (format!("/logs/audit?search={odd}"), "events"),
                (format!("/logs/audit?kind={odd}"), "events"),
                (format!("/logs/audit?hmc={odd}"), "events"),
                (format!("/campaigns/progress?campaign_name={odd}"), ""),
                (format!("/yards/vehicle-counts?campaign_name={odd}"), ""),
            ] {
                let ask = || {
                    let started = Instant::now();
                    (stack.call("get", &format!("/api{path}"), Some(&developer), None), started.elapsed())
                };
                let mut answer = ask();
                // A busy machine may pause. A search that is slow itself is slow each time.
                for _ in 0..2 {
                    if answer.1 >= Duration::from_secs(2) {
                        answer = ask();
                    }
                }
                let ((status, body), took) = answer;
                let shown = format!("{path:.120}: {status} {body:.200}");
                assert!([200, 400, 404].contains(&status), "{shown}");
                assert!(status != 200 || empty.is_empty() || body[empty].as_array().is_some_and(Vec::is_empty), "{shown}");
                assert!(took < Duration::from_secs(2), "{took:?} {shown}");
            }
        }
    });
}
