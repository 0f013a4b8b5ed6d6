//! Tests of the error format for invalid requests, and of the headers that every response carries.
use crate::stack::{Answer, Stack, config, raw};
use axum::body::Body;
use gateway::{http::peer::Peer, server::static_files::StaticFiles};
use http::Request;
use patio_proto::access::Role;
use serde_json::json;

#[track_caller]
fn in_form(answer: &Answer, status: u16, what: &str) {
    assert_eq!(answer.status.as_u16(), status, "{what}: {}", answer.text());
    assert_eq!(answer.header("content-type"), "application/json", "{what}");
    let body = answer.json();
    assert!(body["code"].is_string() && !body["message"].as_str().unwrap().is_empty(), "{what}: {body}");
}

#[tokio::test]
async fn invalid_paths_queries_and_methods_get_the_common_error_body() {
    let stack = Stack::new().await;
    let cases = [
        ("GET", "/api", 404),
        ("GET", "/api/nothing", 404),
        ("GET", "/api/vehicles/5/x", 404),
        ("POST", "/api/me", 405),
        ("TRACE", "/api/me", 405),
        ("GET", "/api/vehicles/x", 400),
        ("GET", "/api/vehicles/0", 400),
        ("GET", "/api/vehicles/-1", 400),
        ("GET", "/api/vehicles/99999999999999999999", 400),
        ("GET", "/api/vehicles/%FF", 400),
        ("GET", "/api/vehicles/5?yard=29", 400),
        ("GET", "/api/vehicles/5?yard=x", 400),
        ("GET", "/api/campaigns?page=-1", 400),
        ("GET", "/api/campaigns?page=1.5", 400),
        ("GET", "/api/campaigns?per_page=0", 400),
        ("GET", "/api/campaigns?per_page=201", 400),
        ("GET", "/api/campaigns?status=open", 400),
        ("GET", "/api/campaigns?order=name", 400),
        ("GET", "/api/campaigns?search=%00", 400),
        ("GET", "/api/campaigns/progress", 400),
        ("GET", "/api/campaigns/progress?campaign_name=", 400),
        ("GET", "/api/vehicles/campaign/1?status=fine", 400),
        ("GET", "/api/documents/uploads/x/events", 400),
    ];
    for (method, path, status) in cases {
        in_form(&stack.ask(method, path, None).await, status, &format!("{method} {path}"));
    }
    let long = format!("/api/campaigns?search={}", "a".repeat(201));
    in_form(&stack.ask("GET", &long, None).await, 400, "a long search");
    assert!(stack.ask("POST", "/api/me", None).await.header("allow").contains("GET"));
}

#[tokio::test]
async fn invalid_bodies_are_rejected_with_the_field_name() {
    let stack = Stack::new().await;
    let put = async |kind: &str, body: &str| {
        let request = stack.request((2, Role::Admin), "PUT", "/api/vehicles/5").header("content-type", kind);
        stack.send(request.body(Body::from(body.to_owned())).unwrap()).await
    };
    for body in [
        "",
        "{",
        "[]x",
        "null",
        "[1]",
        r#"{"status":7}"#,
        r#"{"status":"fine"}"#,
        r#"{"id":"5"}"#,
        r#"{"id":1e99}"#,
        "{\"operator_notes\":\"a\\u0000\"}",
    ] {
        in_form(&put("application/json", body).await, 400, body);
    }
    in_form(&put("text/plain", "{}").await, 415, "text");
    in_form(&put("application/json", &format!("{{\"x\":\"{}\"}}", "a".repeat(1 << 20))).await, 413, "a large body");
    let named = put("application/json", r#"{"status":"fine"}"#).await.json();
    assert_eq!(named["details"][0]["field"], "status");
    let none = stack.send(stack.request((2, Role::Admin), "PUT", "/api/vehicles/5").body(Body::from("{}")).unwrap()).await;
    in_form(&none, 415, "no content type");
}

#[tokio::test]
async fn clients_see_the_error_for_a_large_body_they_are_still_sending() {
    let stack = Stack::new().await;
    let address = stack.listen(config()).await;
    let send = async |token: &str, size: usize| {
        let head = format!(
            "PUT /api/vehicles/5 HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {size}\r\n\r\n"
        );
        raw(address, &[head.as_bytes(), &vec![b' '; size]].concat()).await
    };
    in_form(&send(&stack.token(2, Role::Admin), 10 << 20).await, 413, "ten times too large");
    in_form(&send("nobody", 10 << 20).await, 401, "nobody's");
}

#[tokio::test]
async fn bulk_changes_have_a_larger_body_limit() {
    let stack = Stack::new().await;
    let vins = |count: usize| json!({ "vins": vec!["HB20 000123 with a long tail"; count], "action": "insert", "status": "ok" });
    assert_eq!(stack.ask("POST", "/api/vehicles/bulk/status", Some(vins(50_001))).await.status, 400);
    let passed = stack.ask("POST", "/api/vehicles/bulk/status", Some(vins(50_000))).await;
    assert_eq!(passed.code(), "INTERNAL", "the request reached the test double, which does not implement this call");
}

#[tokio::test]
async fn every_response_has_security_headers_errors_too() {
    let mut config = config();
    config.hsts = Some(true);
    config.api_docs = true;
    let stack = Stack::with(config, StaticFiles::default()).await;
    for path in [
        "/api/me",
        "/api/nothing",
        "/api/health",
        "/api/campaigns/505",
        "/api/campaigns/500",
        "/healthz",
        "/",
        "/x.js",
        "/api/docs/",
        "/api/openapi.json",
    ] {
        let over_https = Peer { address: "192.0.2.9".parse().unwrap(), tls: true };
        let request = stack.request((2, Role::Admin), "GET", path).extension(over_https).body(Body::empty()).unwrap();
        let answer = stack.send(request).await;
        for (name, value) in [
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("x-frame-options", "DENY"),
            ("cross-origin-opener-policy", "same-origin"),
            ("permissions-policy", "camera=(self), microphone=(), geolocation=()"),
            ("strict-transport-security", "max-age=31536000; includeSubDomains"),
        ] {
            assert_eq!(answer.header(name), value, "{path}");
        }
        let policy = answer.header("content-security-policy");
        assert!(
            policy.starts_with("default-src 'self'; script-src 'self'") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert_eq!(policy.contains("'unsafe-inline'"), path == "/api/docs/", "{path}");
        assert_eq!(answer.header("cache-control"), "no-store", "{path}");
        assert_eq!(answer.header("x-request-id").len(), 36, "{path}");
    }
}

#[tokio::test]
async fn a_handler_panic_gives_500_with_the_request_id() {
    let stack = Stack::new().await;
    let request = stack.request((2, Role::Admin), "GET", "/api/campaigns/505").header("x-request-id", "trace-1");
    let answer = stack.send(request.body(Body::empty()).unwrap()).await;
    in_form(&answer, 500, "a panic");
    assert_eq!((answer.header("x-request-id"), answer.json()["request_id"].as_str()), ("trace-1", Some("trace-1")));
    assert!(!answer.text().contains("a fault"));
}

#[tokio::test]
async fn the_document_and_swagger_ui_load_nothing_from_other_hosts() {
    let mut config = config();
    config.api_docs = true;
    let stack = Stack::with(config, StaticFiles::default()).await;
    let document = stack.send(Request::get("/api/openapi.json").body(Body::empty()).unwrap()).await;
    assert_eq!(document.json(), gateway::openapi::build_document().unwrap());
    let page = stack.send(Request::get("/api/docs/").body(Body::empty()).unwrap()).await;
    assert!(page.status.is_success() && !page.text().contains("http://") && !page.text().contains("https://"), "{}", page.text());
    let script = stack.send(Request::get("/api/docs/swagger-initializer.js").body(Body::empty()).unwrap()).await;
    assert!(script.text().contains("/api/openapi.json"));
}
