//! Traces in the form of OpenTelemetry's semantic conventions, sent to a collector with and without TLS.
use super::{contains, doctors};
use crate::collector::{Collector, Kind, Span, TOKEN};
use patio_harness::{
    CertificateAuthority, Client, Database, HttpResponse, POSTGRES_URL_VARIABLE, Patio, Signal, TestFolder, acquire_light_test_slot,
    find_free_port, wait_until,
};
use patio_testing::print_to_stderr;
use serde_json::{Value, json};
use std::{path::Path, thread, time::Duration};

/// Time in which spans arrive, since each process sends them every five seconds.
const ARRIVAL: Duration = Duration::from_secs(20);

/// Sends a request with a request id.
fn send(client: &Client, id: &str, method: &str, path: &str, body: &Value) -> HttpResponse {
    let request = client.build_request(method, path).header("x-request-id", id).header("content-type", "application/json");
    client.send(request, if body.is_null() { String::new() } else { body.to_string() })
}

/// Waits for the spans of a request from `services`.
fn arrived(collector: &Collector, id: &str, services: &[&str]) -> Vec<Span> {
    wait_until("the spans arrive", ARRIVAL, || {
        let spans = collector.of(id);
        services.iter().all(|service| spans.iter().any(|span| span.service == *service && span.kind == Kind::Server))
    });
    collector.of(id)
}

#[track_caller]
fn find<'s>(spans: &'s [Span], service: &str, kind: Kind) -> &'s Span {
    spans.iter().find(|span| span.service == service && span.kind == kind).unwrap_or_else(|| panic_with(spans))
}

#[track_caller]
fn panic_with(spans: &[Span]) -> ! {
    unreachable!("not among the spans {spans:#?}")
}

#[test]
fn a_save_is_one_trace_of_server_and_client_spans_and_polling_is_none() {
    let (_turn, port) = (acquire_light_test_slot(), find_free_port());
    let collector = Collector::start(port);
    let endpoint = format!("http://127.0.0.1:{port}");
    let mut patio = Patio::builder().with_separate_processes().with_setting("PATIO_OTLP_ENDPOINT", &endpoint).start();
    let admin = patio.sign_in();
    let vehicle = admin.import_template_workbook().vehicle_ids()[0];
    let path = format!("/api/vehicles/{vehicle}");
    assert!(send(&admin, "a-save", "PUT", &path, &json!({ "status": "ok" })).is_success());
    assert_eq!(send(&admin, "a-miss", "GET", "/api/vehicles/999999", &Value::Null).status, 404);

    let spans = arrived(&collector, "a-save", &["gateway", "vehicle-svc"]);
    let (request, call, save) =
        (find(&spans, "gateway", Kind::Server), find(&spans, "gateway", Kind::Client), find(&spans, "vehicle-svc", Kind::Server));
    assert!(request.is_root() && call.parent == request.id && save.parent == call.id, "{spans:#?}");
    assert!(!spans.iter().any(|span| span.is_error), "{spans:#?}");
    assert_eq!(request.name, "PUT /api/vehicles/{id}");
    let named = |span: &Span, expected: &[(&str, &str)]| {
        for (name, value) in expected {
            assert_eq!(span.text(name), *value, "{name} of {span:#?}");
        }
    };
    named(request, &[("http.request.method", "PUT"), ("http.route", "/api/vehicles/{id}"), ("http.response.status_code", "200")]);
    let rpc = [
        ("rpc.system", "grpc"),
        ("rpc.service", "patio.vehicle.v1.VehicleService"),
        ("rpc.method", "SaveVehicle"),
        ("rpc.grpc.status_code", "0"),
    ];
    named(call, &rpc);
    named(call, &[("server.address", "127.0.0.1")]);
    named(save, &rpc);
    assert!(save.number("statements") > 0, "{save:#?}");
    let version = env!("CARGO_PKG_VERSION");
    assert!(spans.iter().all(|span| span.resource["service.version"] == version && !span.resource["service.instance.id"].is_empty()));

    let missed = arrived(&collector, "a-miss", &["gateway", "vehicle-svc"]);
    assert!(!missed.iter().any(|span| span.is_error), "a rejected request is no fault of the server: {missed:#?}");
    named(find(&missed, "vehicle-svc", Kind::Server), &[("rpc.grpc.status_code", "5")]);

    patio.replica_mut("vehicle-svc", 0).stop(Signal::Terminate);
    assert_eq!(send(&admin, "a-failure", "GET", &path, &Value::Null).status, 503);
    let failed = arrived(&collector, "a-failure", &["gateway"]);
    assert!(find(&failed, "gateway", Kind::Server).is_error, "{failed:#?}");
    let tries: Vec<_> = failed.iter().filter(|span| span.kind == Kind::Client).collect();
    assert!(tries.len() > 1 && tries.iter().all(|span| span.is_error && span.text("server.address") == "127.0.0.1"), "{failed:#?}");
    for polled in ["ListRevocations", "GetSigningKeys", "RecordSessionActivity", "Health", "Watch"] {
        assert!(!collector.spans().iter().any(|span| span.name.contains(polled)), "{polled} is traced");
    }
    patio.stop();
}

#[test]
fn saves_that_are_written_together_on_postgresql_count_their_statements() {
    let _turn = acquire_light_test_slot();
    let Some(database) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    let port = find_free_port();
    let collector = Collector::start(port);
    let patio =
        Patio::builder().with_postgres(&database.url()).with_setting("PATIO_OTLP_ENDPOINT", &format!("http://127.0.0.1:{port}")).start();
    let admin = patio.sign_in();
    let vehicles = admin.import_template_workbook().vehicle_ids();
    thread::scope(|scope| {
        for (number, vehicle) in vehicles.iter().take(3).enumerate() {
            let admin = &admin;
            scope.spawn(move || {
                let saved = send(admin, &format!("save-{number}"), "PUT", &format!("/api/vehicles/{vehicle}"), &json!({ "status": "ok" }));
                assert!(saved.is_success(), "{saved:?}");
            });
        }
    });
    let metrics = admin.with_url(&patio.replica("patio", 0).admin_url()).call_route("GET", "/metrics", &Value::Null).text();
    let counted = metrics.lines().find(|line| line.starts_with("patio_sql_statements_total") && line.contains("\"SaveVehicle\"")).unwrap();
    let counted: u64 = counted.rsplit_once(' ').unwrap().1.parse().unwrap();
    let mut shown = 0;
    for number in 0..vehicles.len().min(3) {
        let spans = arrived(&collector, &format!("save-{number}"), &["patio"]);
        let save = spans.iter().find(|span| span.kind == Kind::Server && span.text("rpc.method") == "SaveVehicle").unwrap();
        assert!(save.number("statements") >= 2 && save.number("statement_micros") > 0, "a save reads and writes: {save:#?}");
        shown += u64::try_from(save.number("statements")).unwrap();
    }
    assert!((2..=shown).contains(&counted), "{counted} statements in the metrics, {shown} in the spans");
    patio.stop();
}

#[test]
fn traces_go_over_tls_with_headers_and_the_doctor_tries_both() {
    let (_turn, folder, port) = (acquire_light_test_slot(), TestFolder::create_temporary(), find_free_port());
    let certificate = folder.path().join("collector");
    CertificateAuthority::try_new().unwrap().issue_certificate(&certificate, "localhost").unwrap();
    let collector = Collector::start_tls(port, &certificate);
    let (url, ca) = (format!("https://localhost:{port}"), certificate.join("ca.crt"));
    let header = format!("authorization={TOKEN}");
    let data = TestFolder::create_temporary();
    let all = [("PATIO_OTLP_ENDPOINT", &*url), ("PATIO_OTLP_CA_FILE", ca.to_str().unwrap()), ("PATIO_OTLP_HEADERS", &header)];
    let plain = format!("http://localhost:{port}");
    let run_doctor_checks =
        |settings: &[(&str, &str)]| doctors([(data.path() as &Path, settings)]).map(|done| done.combined_output()).concat();
    contains(&run_doctor_checks(&all), &[&format!("ok   traces: {url} accepts traces")]);
    contains(&run_doctor_checks(&[all[0], all[2]]), &[&format!("FAIL traces: {url}: "), "certificate"]);
    contains(&run_doctor_checks(&all[..2]), &[&format!("FAIL traces: {url}: "), "Unauthenticated"]);
    contains(&run_doctor_checks(&[("PATIO_OTLP_ENDPOINT", &plain), all[2]]), &[&format!("FAIL traces: {plain}: ")]);
    let shown = patio_harness::run_program("patio", &["config"], &all).combined_output();
    assert!(shown.contains("PATIO_OTLP_HEADERS=********") && !shown.contains(TOKEN), "{shown}");

    let start = all.iter().fold(Patio::builder(), |builder, (name, value)| builder.with_setting(name, value));
    let patio = start.start();
    assert!(send(&patio.sign_in(), "over-tls", "GET", "/api/campaigns", &Value::Null).is_success());
    arrived(&collector, "over-tls", &["patio"]);
    patio.stop();
}
