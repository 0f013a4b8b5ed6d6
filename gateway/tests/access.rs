//! Tests that every route admits and rejects each role as the proto files specify.
use crate::{doubles::STRANGER, stack::Stack};
use axum::body::Body;
use chrono::TimeDelta;
use http::{Request, StatusCode};
use patio_proto::access::Role;
use serde_json::Value;
use std::sync::atomic::Ordering;

/// Returns every operation of the OpenAPI document: method, path and minimum role.
fn operations() -> Vec<(String, String, String)> {
    let document = gateway::openapi::build_document().unwrap();
    let paths = document["paths"].as_object().unwrap().clone();
    let each = |(path, item): (String, Value)| {
        let path = format!("/api{path}")
            .replace("/uploads/{id}", "/uploads/0197f0c4-0000-7000-8000-000000000000")
            .replace("/rejected/{id}", "/rejected/0197f0c4-0000-7000-8000-000000000000")
            .replace("{session}", "019a0000-0000-7000-8000-000000000001")
            .replace("{id}", "5");
        item.as_object()
            .unwrap()
            .iter()
            .map(|(method, operation)| (method.to_uppercase(), path.clone(), operation["x-at-least"].as_str().unwrap().to_owned()))
            .collect::<Vec<_>>()
    };
    paths.into_iter().flat_map(each).collect()
}

fn request(method: &str, path: &str, token: Option<&str>) -> Request<Body> {
    let request = Request::builder().method(method).uri(path).header("content-type", content_type(path));
    let request = match token {
        Some(token) => request.header("authorization", format!("Bearer {token}")),
        None => request,
    };
    request.body(Body::from(body(method, path))).unwrap()
}

fn content_type(path: &str) -> &'static str {
    if path.ends_with("/upload") || path.ends_with("/convert-to-sql") || path.contains("/vehicles/csv") {
        "multipart/form-data; boundary=x"
    } else {
        "application/json"
    }
}

/// Returns a valid request body for a route, so that only the caller can be the reason for an error.
fn body(method: &str, path: &str) -> &'static str {
    match path.trim_start_matches("/api") {
        "/sessions" if method == "POST" => r#"{"hmc":"ana","password":"right"}"#,
        "/me/confirm" => r#"{"password":"right"}"#,
        "/sessions/ended" => r#"{"session_ids":["one"]}"#,
        "/me/password" => r#"{"old":"a","new":"b"}"#,
        "/sign-up" => r#"{"hmc":"new","password":"12345678","user_type":"op"}"#,
        "/logs/page-view" => r#"{"page":"home","timestamp":"now"}"#,
        "/logs/login" => r#"{"timestamp":"now"}"#,
        "/vehicles/bulk/status" => r#"{"vins":[],"action":"remove"}"#,
        "/vehicles/bulk/parking-space" => r#"{"rows":[]}"#,
        "/documents/upload" => "--x\r\nContent-Disposition: form-data; name=\"documents\"; filename=\"a.xlsx\"\r\n\r\nPK\r\n--x--\r\n",
        "/convert-to-sql" | "/vehicles/csv" | "/vehicles/csv/validate" => {
            "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.csv\"\r\n\r\nPK\r\n--x--\r\n"
        }
        path if path.ends_with("/settle") => r#"{"choice":"mine"}"#,
        path if path.starts_with("/devices/") => r#"{"held":[]}"#,
        _ if method == "PUT" => "{}",
        _ => "",
    }
}

/// Adds the query parameters that a path requires.
fn whole(path: &str) -> String {
    let needs_name = path.ends_with("/progress") || path.ends_with("/vehicle-counts");
    let needs_revision = path.ends_with("/changes");
    match (needs_name, needs_revision) {
        _ if path.ends_with("/api/pace") => format!("{path}?campaigns=5"),
        (true, _) => format!("{path}?campaign_name=Brakes"),
        (_, true) => format!("{path}?since=1"),
        (false, false) => path.to_owned(),
    }
}

#[tokio::test]
async fn every_route_admits_and_rejects_the_specified_roles() {
    let stack = Stack::new().await;
    let people = [(1, Role::Operator, 2), (7, Role::Operator, 2), (7, Role::Manager, 3), (7, Role::Admin, 4)];
    let mut cells = 0;
    for (method, path, at_least) in operations() {
        let step = ["anyone", "-", "op", "tm", "admin"].iter().position(|name| *name == at_least);
        for (id, role, rank) in people {
            let allowed = step.map_or(id == 1, |step| rank >= step);
            let token = stack.token(id, role);
            let answer = stack.send(request(&method, &whole(&path), Some(&token))).await;
            assert_ne!(answer.status, 401, "{method} {path} as {role:?}");
            assert_eq!(answer.status == 403, !allowed, "{method} {path} as {role:?} of {at_least}: {} {}", answer.status, answer.text());
            assert_ne!(answer.status, 400, "{method} {path}: {}", answer.text());
            cells += 1;
        }
    }
    assert!(cells >= 100, "{cells}");
}

#[tokio::test]
async fn missing_and_forged_tokens_get_401_before_any_service_is_called() {
    let stack = Stack::new().await;
    let real = stack.token(2, Role::Admin);
    let (head, rest) = real.split_once('.').unwrap();
    let (claims, signature) = rest.split_once('.').unwrap();
    let other = |n: usize| {
        format!("{head}.{claims}.{}{}", &signature[..n], if signature.as_bytes()[n] == b'A' { "B" } else { "A" }) + &signature[n + 1..]
    };
    let alg_none = "eyJhbGciOiJub25lIiwia2lkIjoidGVzdCJ9";
    let hs256 = "eyJhbGciOiJIUzI1NiIsImtpZCI6InRlc3QifQ";
    let expired = {
        stack.host.clock.advance(TimeDelta::hours(-2));
        let token = stack.token(2, Role::Admin);
        stack.host.clock.advance(TimeDelta::hours(2));
        token
    };
    let forged = [
        other(0),
        other(20),
        format!("{alg_none}.{claims}."),
        format!("{hs256}.{claims}.{signature}"),
        format!("{head}.{claims}"),
        "x".to_owned(),
        expired,
    ];
    let mut pairs = 0;
    for (method, path, at_least) in operations() {
        if at_least == "anyone" {
            continue;
        }
        for token in std::iter::once(None).chain(forged.iter().map(|token| Some(token.as_str()))) {
            let answer = stack.send(request(&method, &whole(&path), token)).await;
            assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{method} {path} {token:?}");
            if (method.as_str(), path.as_str()) != ("PUT", "/api/users/5") {
                assert_eq!(answer.code(), "NOT_SIGNED_IN", "{method} {path}");
            }
            pairs += 1;
        }
    }
    assert!(pairs > 150, "{pairs}");
    assert!(stack.imports.whole.lock().unwrap().is_empty() && stack.vehicles.saves.lock().unwrap().is_empty());
}

#[tokio::test]
async fn a_signed_out_session_is_rejected_at_once() {
    let stack = Stack::new().await;
    let token = stack.token(7, Role::Operator);
    assert_eq!(stack.send(request("GET", "/api/me", Some(&token))).await.status, 200);
    assert_eq!(stack.send(request("DELETE", "/api/sessions", Some(&token))).await.status, 204);
    assert_eq!(stack.send(request("GET", "/api/me", Some(&token))).await.status, 401);
    assert_eq!(stack.send(request("DELETE", "/api/sessions", Some(&token))).await.status, 401);
    assert_eq!(stack.ask("GET", "/api/me", None).await.status, 200);
}

#[tokio::test]
async fn an_unknown_session_gets_401_and_a_known_one_is_confirmed_once() {
    let stack = Stack::new().await;
    let asked = || stack.auth.confirmed.load(Ordering::Relaxed);
    for (token, status) in [(stack.token(STRANGER, Role::Admin), 401), (stack.token(2, Role::Admin), 200)] {
        let before = asked();
        for _ in 0..3 {
            assert_eq!(stack.send(request("GET", "/api/me", Some(&token))).await.status.as_u16(), status);
        }
        assert_eq!(asked() - before, if status == 200 { 1 } else { 3 });
    }
}

#[tokio::test]
async fn a_service_token_gets_401_at_the_public_api() {
    let stack = Stack::new().await;
    let token = stack.token(0, Role::Service);
    for (method, path) in [("GET", "/api/me"), ("GET", "/api/campaigns"), ("DELETE", "/api/campaigns/1"), ("GET", "/api/events")] {
        assert_eq!(stack.send(request(method, path, Some(&token))).await.status, 401, "{method} {path}");
    }
}

/// RPCs that a service, or a route beside its own RPC, calls with the user's token.
const IN_A_PERSONS_NAME: [&str; 8] = [
    "/patio.auth.v1.SessionService/ConfirmSession",
    "/patio.auth.v1.UserService/ResolveUserNames",
    "/patio.vehicle.v1.VehicleService/ExportVehicles",
    "/patio.vehicle.v1.HistoryService/ListCampaignJobs",
    "/patio.vehicle.v1.HistoryService/ListUserJobs",
    "/patio.vehicle.v1.BulkService/BulkEdit",
    "/patio.vehicle.v1.YardService/ListCampaignsOfYard",
    "/patio.vehicle.v1.YardService/ListActiveCampaigns",
];

#[test]
fn rpcs_without_a_route_are_not_open_to_users() {
    let document = gateway::openapi::build_document().unwrap().to_string();
    let open = patio_proto::METHODS.iter().filter(|method| ![Role::Service as i32, Role::Anyone as i32].contains(&method.role));
    let unreached: Vec<_> = open.map(|method| method.path).filter(|path| !document.contains(path)).collect();
    assert_eq!(unreached, IN_A_PERSONS_NAME);
}
