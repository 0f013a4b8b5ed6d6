//! Metrics in the Prometheus format.
use patio_harness::{Patio, acquire_light_test_slot, wait_until};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};

/// Returns the value of the only series whose line contains all `parts`.
pub fn value(text: &str, parts: &[&str]) -> Option<f64> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && parts.iter().all(|part| line.contains(part)));
    let value = lines.next()?.rsplit_once(' ')?.1.parse().unwrap();
    assert!(lines.next().is_none(), "{parts:?} are several");
    Some(value)
}

/// Returns the labels of an rpc `Service/Method`.
fn method(rpc: &str) -> String {
    let (service, name) = rpc.split_once('/').unwrap();
    format!("{service}\",rpc_method=\"{name}\"")
}

#[test]
fn requests_calls_streams_and_waiters_are_counted() {
    let (_turn, patio) = (acquire_light_test_slot(), Patio::builder().start());
    let admin = patio.sign_in();
    let campaign = admin.import_template_workbook().id;
    let report = admin.call_route("GET", &format!("/api/campaigns/{campaign}/export_all_yards"), &Value::Null);
    assert!(report.body.starts_with(b"PK"));
    let metrics = || admin.with_url(&patio.replica("patio", 0).admin_url()).call_route("GET", "/metrics", &Value::Null).text();
    let waiting = [
        "patio_db_waiters{service=\"vehicle-svc\",pool=\"write\"}",
        "patio_password_hash_waiters",
        "patio_admission_requests{rank=\"save\",state=\"waiting\"}",
    ];
    // The number of waiters is updated every second.
    wait_until("nothing waits", Duration::from_secs(10), || {
        let text = metrics();
        waiting.iter().all(|series| value(&text, &[&format!("{series} ")]) == Some(0.0))
    });
    let text = metrics();
    let counted = |parts: &[&str]| value(&text, parts).unwrap_or_else(|| unreachable!("{parts:?} in {text}"));
    for (rpc, times) in
        [("VehicleService/ListAllVehicles", 1.0), ("FileService/ExportCampaign", 1.0), ("ImportService/ImportCampaign", 1.0)]
    {
        assert_eq!(counted(&["rpc_server_duration_seconds_count{", &method(rpc), "rpc_grpc_status_code=\"0\""]), times, "{rpc}");
    }
    assert!(counted(&["patio_sql_statements_total{", &method("VehicleService/ListAllVehicles")]) >= 1.0);
    let route = "http_request_method=\"GET\",http_route=\"/api/campaigns/{id}/export_all_yards\",http_response_status_code=\"200\"";
    assert_eq!(counted(&["http_server_request_duration_seconds_count{", route]), 1.0);
    for bound in ["0.005", "1", "120", "+Inf"] {
        let bucket = format!("le=\"{bound}\"");
        assert!(value(&text, &["http_server_request_duration_seconds_bucket{", route, &bucket]).is_some(), "{bound}");
    }
    for waiting in waiting {
        assert_eq!(counted(&[&format!("{waiting} ")]), 0.0, "{waiting}");
    }
}

#[test]
fn each_metric_has_a_help_text_and_people_and_the_process_are_measured() {
    let (_turn, patio) = (acquire_light_test_slot(), Patio::builder().start());
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    admin.save_vehicle(vehicle, &json!({ "status": "ok" }));
    let current =
        json!({ "status": "ng", "operator_notes": "scratched", "base": { "status": "", "operator_notes": "" }, "on_conflict": "keep" });
    assert!(admin.call_route("PUT", &format!("/api/vehicles/{vehicle}"), &current).is_success());
    assert_eq!(patio.client().try_sign_in("1000", "a wrong password").status, 401);
    let metrics = || admin.with_url(&patio.replica("patio", 0).admin_url()).call_route("GET", "/metrics", &Value::Null).text();
    // The sealer and the sweepers report every few seconds.
    wait_until("the background tasks have reported", Duration::from_secs(20), || {
        let text = metrics();
        ["patio_audit_seal_lag_seconds{", "patio_saga_backlog{saga=\"deletions\"}", "patio_users_online"]
            .iter()
            .all(|name| text.contains(name))
    });
    let text = metrics();
    let names = |kind: &str| -> BTreeSet<String> {
        let lines = text.lines().filter_map(|line| line.strip_prefix(kind));
        lines.map(|line| line.split(' ').next().unwrap().to_owned()).collect()
    };
    assert_eq!(names("# TYPE "), names("# HELP "));
    let counted = |parts: &[&str]| value(&text, parts).unwrap_or_else(|| unreachable!("{parts:?} in {text}"));
    assert_eq!(counted(&["patio_build_info{", &format!("version=\"{}\"", env!("CARGO_PKG_VERSION")), "commit=\""]), 1.0);
    for (series, number) in [
        ("patio_saves_total{outcome=\"saved\"}", 1.0),
        ("patio_saves_total{outcome=\"conflict\"}", 1.0),
        ("patio_conflicts_total{event=\"opened\"}", 1.0),
        ("patio_imports_total{outcome=\"imported\"}", 1.0),
        ("patio_sign_in_failures_total{kind=\"login-failed\"}", 1.0),
        ("patio_saga_backlog{saga=\"deletions\"}", 0.0),
    ] {
        assert_eq!(counted(&[series]), number, "{series}");
    }
    assert!(counted(&["patio_sql_statements_total{", &method("VehicleService/SaveVehicle")]) >= 2.0);
    for name in ["cpu_seconds_total", "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds", "start_time_seconds"] {
        assert!(counted(&[&format!("process_{name} ")]) > 0.0, "{name}");
    }
    patio.stop();
}
