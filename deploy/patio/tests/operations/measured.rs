//! Metrics in the Prometheus format.
use patio_harness::{Patio, shared, until};
use serde_json::Value;
use std::time::Duration;

/// Returns the value of the only series whose line contains all `parts`.
pub fn value(text: &str, parts: &[&str]) -> Option<f64> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && parts.iter().all(|part| line.contains(part)));
    let value = lines.next()?.rsplit_once(' ')?.1.parse().unwrap();
    assert!(lines.next().is_none(), "{parts:?} are several");
    Some(value)
}

#[test]
fn requests_calls_streams_and_waiters_are_counted() {
    let (_turn, patio) = (shared(), Patio::builder().start());
    let admin = patio.sign_in();
    let campaign = admin.import_template().id;
    let report = admin.call("GET", &format!("/api/campaigns/{campaign}/export_all_yards"), &Value::Null);
    assert!(report.body.starts_with(b"PK"));
    let metrics = || admin.for_url(&patio.replica("patio", 0).admin_url()).call("GET", "/metrics", &Value::Null).text();
    let waiting = [
        "patio_db_waiters{service=\"vehicle-svc\"}",
        "patio_password_hash_waiters",
        "patio_admission_requests{rank=\"save\",state=\"waiting\"}",
    ];
    // The number of waiters is updated every second.
    until("nothing waits", Duration::from_secs(10), || {
        let text = metrics();
        waiting.iter().all(|series| value(&text, &[&format!("{series} ")]) == Some(0.0))
    });
    let text = metrics();
    let counted = |parts: &[&str]| value(&text, parts).unwrap_or_else(|| unreachable!("{parts:?} in {text}"));
    for (rpc, times) in
        [("VehicleService/ListAllVehicles", 1.0), ("FileService/ExportCampaign", 1.0), ("ImportService/ImportCampaign", 1.0)]
    {
        assert_eq!(counted(&["patio_rpc_requests_total{", rpc, "code=\"Ok\""]), times, "{rpc}");
        assert_eq!(counted(&["patio_rpc_duration_seconds_count{", rpc]), times, "{rpc}");
    }
    assert!(counted(&["patio_sql_statements_total{", "VehicleService/ListAllVehicles"]) >= 1.0);
    assert_eq!(counted(&["patio_http_requests_total{", "route=\"/api/campaigns/{id}/export_all_yards\"", "status=\"200\""]), 1.0);
    for waiting in waiting {
        assert_eq!(counted(&[&format!("{waiting} ")]), 0.0, "{waiting}");
    }
}
