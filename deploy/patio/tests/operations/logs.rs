//! Log lines of outages: each has its cause and the failed dependency, and an outage is a line and not one for each request.
use patio_harness::{Client, Patio, Redis, Signal, TestFolder, acquire_light_test_slot, wait_until};
use patio_testing::print_to_stderr;
use serde_json::{Value, json};
use std::time::Duration;

/// Returns the lines of a JSON log.
fn lines(log: &str) -> Vec<Value> {
    log.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Returns the warnings whose message contains `words`.
fn warnings(log: &str, words: &str) -> Vec<Value> {
    let is_match = |line: &Value| line["level"] == "WARN" && line["message"].as_str().is_some_and(|message| message.contains(words));
    lines(log).into_iter().filter(is_match).collect()
}

fn statuses(client: &Client, path: &str, number: usize) -> Vec<u16> {
    (0..number).map(|_| client.call_route("GET", path, &Value::Null).status).collect()
}

#[test]
fn requests_that_fail_name_the_cause_and_the_service_and_warn_once() {
    let _turn = acquire_light_test_slot();
    // The shutdown delay lets the health check notice the end before a request does.
    let mut patio = Patio::builder()
        .with_separate_processes()
        .with_setting_for_program("vehicle-svc", "PATIO_SHUTDOWN_DELAY_SECONDS", "5")
        .with_setting("PATIO_LOG", "info")
        .with_setting("PATIO_LOG_JSON", "true")
        .start();
    let admin = patio.sign_in();
    let path = format!("/api/vehicles/{}", admin.import_template_workbook().vehicle_ids()[0]);
    let whole = |patio: &Patio| patio.replica("gateway", 0).read_log();
    // A slow health check on a busy machine is logged as an outage too. That outage must be over.
    wait_until("all services are healthy", Duration::from_secs(20), || {
        let log = whole(&patio);
        ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc"].iter().all(|service| {
            let mut changes = lines(&log).into_iter().filter(|line| line["service"] == *service);
            changes
                .rfind(|line| line["message"].as_str().is_some_and(|text| text.starts_with("service replica ")))
                .is_some_and(|last| last["message"] == "service replica healthy")
        })
    });
    let before = whole(&patio).len();
    patio.replica_mut("vehicle-svc", 0).stop(Signal::Terminate);
    assert_eq!(statuses(&admin, &path, 12), [503; 12]);
    let log = whole(&patio)[before..].to_owned();
    let failed: Vec<_> = lines(&log).into_iter().filter(|line| line["message"] == "request failed").collect();
    assert_eq!(failed.len(), 12, "{log}");
    for line in &failed {
        assert_eq!((&line["dependency"], &line["status"]), (&json!("vehicle-svc"), &json!(503)), "{line}");
        assert!(line["cause"].as_str().is_some_and(|cause| cause.contains("127.0.0.1:")), "{line}");
        assert!(line["micros"].is_u64(), "a number: {line}");
    }
    assert_eq!(warnings(&log, "request failed").len(), 1, "{log}");
    let unhealthy = warnings(&log, "replica unhealthy");
    assert_eq!(unhealthy.iter().filter(|line| line["service"] == "vehicle-svc").count(), 1, "{log}");
    for replica in patio.replicas() {
        for line in lines(&replica.read_log()) {
            assert!(line.get("span").is_none(), "the span is already among the spans: {line}");
        }
        assert!(!replica.read_log().contains("already exists"), "{}", replica.read_log());
    }
    patio.stop();
}

#[test]
fn an_outage_of_redis_is_one_warning_and_not_one_for_each_save() {
    let (_turn, folder) = (acquire_light_test_slot(), TestFolder::create_temporary());
    let Some(mut redis) = Redis::start(folder.path()) else { return print_to_stderr("Redis is not installed: skipped") };
    let patio = Patio::builder().with_redis(&redis.url()).with_setting("PATIO_LOG", "info").with_setting("PATIO_LOG_JSON", "true").start();
    let admin = patio.sign_in();
    let vehicles = admin.import_template_workbook().vehicle_ids();
    let whole = || patio.first_process().read_log();
    let count = |words: &str| whole().matches(words).count();
    // A slow response of Redis on a busy machine is logged as an outage too. That outage must be over.
    wait_until("no outage is open", Duration::from_secs(20), || count("redis unavailable") == count("redis available again"));
    let before = whole().len();
    redis.kill();
    for vehicle in vehicles.iter().cycle().take(20) {
        admin.save_vehicle(*vehicle, &json!({ "status": "ok" }));
    }
    let log = || whole()[before..].to_owned();
    let away = warnings(&log(), "redis unavailable");
    assert_eq!(away.len(), 1, "{}", log());
    assert!(away[0]["cause"].is_string() && away[0]["purpose"].is_string(), "{}", away[0]);
    redis.start_server();
    wait_until("the end of the outage is logged", Duration::from_secs(20), || log().contains("redis available again"));
    let ended: Vec<_> = lines(&log()).into_iter().filter(|line| line["message"] == "redis available again").collect();
    assert!(ended.len() == 1 && ended[0]["failed_requests"].as_u64() > Some(0), "{ended:?}");
    patio.stop();
}
