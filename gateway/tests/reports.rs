//! Tests of routes without sign-in (OpenAPI document, security reports) and of session management.
use crate::{
    doubles::STRANGER,
    stack::{Answer, Stack, config},
};
use axum::body::Body;
use gateway::server::static_files::StaticFiles;
use http::Request;
use patio_proto::access::Role;
use serde_json::json;

async fn get(stack: &Stack, path: &str) -> Answer {
    stack.send(Request::get(path).header("host", "yard.example").body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn the_document_requires_a_sign_in_and_swagger_ui_a_setting() {
    let stack = Stack::new().await;
    assert_eq!(get(&stack, "/api/openapi.json").await.status, 401);
    assert_eq!(stack.ask("GET", "/api/openapi.json", None).await.json(), gateway::openapi::build_document().unwrap());
    assert_eq!(get(&stack, "/api/docs/").await.status, 404);
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join(".vite")).unwrap();
    std::fs::write(folder.path().join(".vite/manifest.json"), "{}").unwrap();
    std::fs::write(folder.path().join("index.html"), "<!doctype html>").unwrap();
    let stack = Stack::with(config(), StaticFiles::load(folder.path(), "Patio").unwrap()).await;
    assert_eq!(get(&stack, "/.vite/manifest.json").await.status, 404);
}

#[tokio::test]
async fn content_security_policy_reports_are_size_limited() {
    let stack = Stack::new().await;
    let policy = get(&stack, "/").await;
    assert!(policy.header("content-security-policy").contains("report-uri /api/csp-report"));
    assert_eq!(policy.header("reporting-endpoints"), "csp=\"/api/csp-report\"");
    let report = async |body: String| {
        let request = Request::post("/api/csp-report").header("content-type", "application/csp-report").body(Body::from(body)).unwrap();
        stack.send(request).await.status.as_u16()
    };
    assert_eq!(report(json!({ "csp-report": { "violated-directive": "img-src" } }).to_string()).await, 204);
    assert_eq!(report("x".to_owned()).await, 400);
    assert_eq!(report("x".repeat(17 << 10)).await, 413);
    let mut refused = 0;
    for _ in 0..60 {
        refused += u32::from(report("[]".to_owned()).await == 429);
    }
    assert!(refused >= 20, "{refused} of 60 refused");
}

#[tokio::test]
async fn security_txt_names_the_contact() {
    let answer = get(&Stack::new().await, "/.well-known/security.txt").await;
    let text = answer.text();
    assert!(
        text.starts_with("Contact: mailto:security@yard.example\nExpires: ") && text.contains("Canonical: http://yard.example/"),
        "{text}"
    );
    assert_eq!(answer.header("content-type"), "text/plain; charset=utf-8");
    let mut config = config();
    config.security_contact = Some("https://yard.example/report".to_owned());
    let text = get(&Stack::with(config, StaticFiles::default()).await, "/.well-known/security.txt").await.text();
    assert!(text.starts_with("Contact: https://yard.example/report\n"), "{text}");
}

#[tokio::test]
async fn only_supervisors_list_and_end_sessions_of_others() {
    let stack = Stack::new().await;
    let ask =
        async |who: (i64, Role), method: &str, path: &str| stack.send(stack.request(who, method, path).body(Body::empty()).unwrap()).await;
    let (op, admin) = ((3, Role::Operator), (2, Role::Admin));
    let own = ask(op, "GET", "/api/me/sessions").await.json();
    assert_eq!((&own["sessions"][0]["id"], &own["sessions"][0]["device"]), (&json!("s"), &json!("of 0")));
    assert_eq!(ask(admin, "GET", "/api/users/9/sessions").await.json()["sessions"][0]["device"], "of 9");
    assert_eq!(ask(op, "DELETE", "/api/me/sessions").await.json(), json!({ "ended": 3 }));
    let id = "019a0000-0000-7000-8000-000000000001";
    assert_eq!(ask(op, "DELETE", &format!("/api/me/sessions/{id}")).await.json(), json!({ "success": true }));
    assert_eq!(ask(admin, "DELETE", &format!("/api/users/9/sessions/{id}")).await.json(), json!({ "success": true }));
    assert_eq!(ask(op, "DELETE", "/api/me/sessions/x").await.status, 400);
    for (method, path) in [("GET", "/api/users/9/sessions".to_owned()), ("DELETE", format!("/api/users/9/sessions/{id}"))] {
        assert_eq!(ask((3, Role::Manager), method, &path).await.status, 403);
    }
    assert_eq!(ask((STRANGER, Role::Operator), "GET", "/api/me/sessions").await.status, 401);
}

#[tokio::test]
async fn sessions_signed_out_offline_are_ended_by_id_with_a_rate_limit() {
    let stack = Stack::new().await;
    let end_sessions = async |body: serde_json::Value| {
        let request = Request::post("/api/sessions/ended").header("content-type", "application/json").body(Body::from(body.to_string()));
        stack.send(request.unwrap()).await.status.as_u16()
    };
    assert_eq!(end_sessions(json!({ "session_ids": ["one", "two"] })).await, 204);
    assert_eq!(*stack.auth.left.lock().unwrap(), ["one", "two"]);
    let mut refused = 0;
    for _ in 0..100 {
        refused += u32::from(end_sessions(json!({ "session_ids": ["x"] })).await == 429);
    }
    assert!(refused >= 30, "{refused} of 100 refused");
}

#[tokio::test]
async fn a_plain_text_error_has_its_code_in_a_header() {
    let stack = Stack::new().await;
    let request = stack.request((2, Role::Admin), "PUT", "/api/users/3").header("content-type", "application/json");
    let answer = stack.send(request.body(Body::from(r#"{"user_type":"op"}"#)).unwrap()).await;
    assert_eq!((answer.status.as_u16(), answer.header("x-code")), (409, "LAST_ADMIN"));
    assert_eq!(answer.text(), "There must be at least one supervisor.");
}
