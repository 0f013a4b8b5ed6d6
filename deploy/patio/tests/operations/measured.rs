//! What is measured, as Prometheus reads it.
use super::programs::Patio;
use serde_json::Value;
use std::{net::TcpListener, thread::sleep, time::Duration};

fn metrics(admin: &str) -> String {
    let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(10))).build().into();
    agent.get(format!("http://{admin}/metrics")).call().unwrap().body_mut().read_to_string().unwrap()
}

/// The value of the one series that has all these in its line.
fn value(text: &str, parts: &[&str]) -> Option<f64> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && parts.iter().all(|part| line.contains(part)));
    let value = lines.next()?.rsplit_once(' ')?.1.parse().unwrap();
    assert!(lines.next().is_none(), "{parts:?} are several");
    Some(value)
}

#[test]
fn requests_calls_and_streams_are_counted_and_so_is_who_waits() {
    let folder = tempfile::tempdir().unwrap();
    let admin = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let patio = Patio::start(folder.path(), &[("PATIO_ADMIN_LISTEN", &admin)]);
    patio.import();
    let report = format!("/api/campaigns/{}/export_all_yards", patio.call("GET", "/api/campaigns", &Value::Null)["campaigns"][0]["id"]);
    assert!(patio.bytes(&report).starts_with(b"PK"));
    sleep(Duration::from_millis(1500)); // who waits is told every second
    let text = metrics(&admin);
    let counted = |parts: &[&str]| value(&text, parts).unwrap_or_else(|| unreachable!("{parts:?} in {text}"));
    for (rpc, times) in
        [("VehicleService/ListAllVehicles", 1.0), ("FileService/ExportCampaign", 1.0), ("ImportService/ImportCampaign", 1.0)]
    {
        assert_eq!(counted(&["patio_rpc_total{", rpc, "code=\"Ok\""]), times, "{rpc}");
        assert_eq!(counted(&["patio_rpc_seconds_count{", rpc]), times, "{rpc}");
    }
    assert!(counted(&["patio_sql_total{", "VehicleService/ListAllVehicles"]) >= 1.0);
    assert_eq!(counted(&["patio_http_total{", "route=\"/api/campaigns/{id}/export_all_yards\"", "status=\"200\""]), 1.0);
    for waiting in ["patio_db_queue{service=\"vehicle-svc\"}", "patio_sign_ins_waiting", "patio_turns{rank=\"save\",state=\"waiting\"}"] {
        assert_eq!(counted(&[&format!("{waiting} ")]), 0.0, "{waiting}");
    }
}
