//! Permission matrix: calls every route of openapi.json with every kind of token.
//!
//! A route without a row here fails the test. The server checks in the order token, role, body, existence. So a permitted
//! role gets 2xx or the statuses in the row (mostly 404 for an unknown id), but never 401 or 403.
mod audit;
mod saves;
mod stack;

use patio_harness::acquire_light_test_slot;
use patio_proto::access::Role;
use serde_json::{Value, json};
use stack::{Stack, forged};
use std::collections::BTreeSet;
use tonic::Code;

/// Callers that a route permits.
#[derive(Clone, Copy, PartialEq)]
enum Let {
    Anyone,
    Op,
    Tm,
    Admin,
    Developer,
}

struct Row {
    method: &'static str,
    path: &'static str,
    who: Let,
    /// Statuses other than 2xx that a permitted caller may get.
    or: &'static [u16],
    body: Option<Value>,
}

fn row(method: &'static str, path: &'static str, who: Let, or: &'static [u16], body: Option<Value>) -> Row {
    Row { method, path, who, or, body }
}

/// Returns the permission matrix. The ids in its paths do not exist.
fn rows() -> Vec<Row> {
    let mut rows = account_rows();
    rows.extend(work_rows());
    rows.push(row("delete", "/sessions", Let::Op, &[], None)); // signs out
    rows
}

/// Rows of accounts, sessions and the audit log.
fn account_rows() -> Vec<Row> {
    let nobody: &[u16] = &[404];
    vec![
        row("post", "/sessions", Let::Anyone, &[400], Some(json!({}))),
        row("get", "/me", Let::Op, &[], None),
        row("put", "/me/password", Let::Op, &[403, 429], Some(json!({ "old": "not the password", "new": "another-password" }))),
        row("get", "/me/data", Let::Op, &[], None),
        row("post", "/me/confirm", Let::Op, &[403, 429], Some(json!({ "password": "not the password" }))),
        row("get", "/me/sessions", Let::Op, &[], None),
        row("delete", "/me/sessions", Let::Op, &[], None),
        row("delete", "/me/sessions/{session}", Let::Op, nobody, None),
        row("post", "/sessions/ended", Let::Anyone, &[], Some(json!({ "session_ids": ["nobodys"] }))),
        row("get", "/users", Let::Admin, &[], None),
        row("post", "/sign-up", Let::Admin, &[400, 422], Some(json!({ "hmc": "x", "password": "short", "user_type": "op" }))),
        row("put", "/users/{id}", Let::Admin, nobody, Some(json!({ "hmc": "77777", "user_type": "op" }))),
        row("delete", "/users/{id}", Let::Admin, nobody, None),
        row("delete", "/users/{id}/lockout", Let::Admin, nobody, None),
        row("get", "/users/{id}/data", Let::Admin, nobody, None),
        row("get", "/users/{id}/sessions", Let::Admin, nobody, None),
        row("delete", "/users/{id}/sessions", Let::Admin, nobody, None),
        row("get", "/users/{id}/history", Let::Admin, nobody, None),
        row("delete", "/users/{id}/sessions/{session}", Let::Admin, nobody, None),
        row("post", "/logs/page-view", Let::Op, &[], Some(json!({ "page": "home", "timestamp": "21/11/2026 ás 10:00:00" }))),
        row("post", "/logs/login", Let::Op, &[], Some(json!({ "timestamp": "21/11/2026 ás 10:00:00" }))),
        row("get", "/logs/audit", Let::Developer, &[], None),
        row("get", "/health", Let::Anyone, &[], None),
    ]
}

/// Rows of campaigns, vehicles and files.
fn work_rows() -> Vec<Row> {
    let nobody: &[u16] = &[404];
    vec![
        row("get", "/campaigns", Let::Op, &[], None),
        row("get", "/campaigns/progress", Let::Op, &[400, 404], None),
        row("get", "/campaigns/{id}", Let::Op, nobody, None),
        row("put", "/campaigns/{id}", Let::Op, nobody, Some(json!({ "status": "Ongoing" }))),
        row("delete", "/campaigns/{id}", Let::Tm, nobody, None),
        row("get", "/yards", Let::Op, &[], None),
        row("get", "/yards/vehicle-counts", Let::Op, &[400], None),
        row("get", "/vehicles/{id}", Let::Op, nobody, None),
        row("put", "/vehicles/{id}", Let::Op, nobody, Some(json!({ "status": "ok" }))),
        row("get", "/vehicles/{id}/history", Let::Op, nobody, None),
        row("get", "/vehicles/campaign/{id}", Let::Op, nobody, None),
        row("get", "/vehicles/campaign/{id}/all", Let::Op, nobody, None),
        row("get", "/vehicles/campaign/{id}/changes", Let::Op, &[400, 404], None),
        row("get", "/events", Let::Op, &[], None),
        row("get", "/pace", Let::Op, &[400], None),
        row("get", "/campaigns/{id}/pace", Let::Op, nobody, None),
        row("get", "/campaigns/{id}/activity", Let::Op, nobody, None),
        row("get", "/campaigns/{id}/history", Let::Tm, nobody, None),
        row("get", "/activity", Let::Op, &[], None),
        row("put", "/devices/{device}/held", Let::Op, &[], Some(json!({ "held": [] }))),
        row("get", "/campaigns/{id}/held", Let::Tm, nobody, None),
        row("get", "/conflicts", Let::Op, &[], None),
        row("post", "/conflicts/{id}/settle", Let::Tm, nobody, Some(json!({ "choice": "mine" }))),
        row("post", "/vehicles/bulk/status", Let::Tm, &[], Some(json!({ "vins": ["A 1"], "action": "insert", "status": "ok" }))),
        row("post", "/vehicles/bulk/parking-space", Let::Tm, &[], Some(json!({ "rows": [{ "vin": "A 1", "parking_space": "A-1" }] }))),
        row("get", "/jobs", Let::Tm, &[], None),
        row("post", "/jobs/{id}/undo", Let::Tm, nobody, None),
        row("post", "/documents/upload", Let::Tm, &[400, 415, 422], None),
        row("get", "/documents/uploads/{id}/events", Let::Tm, &[400, 404], None),
        row("delete", "/documents/uploads/{id}", Let::Tm, nobody, None),
        row("get", "/documents/rejected/{id}", Let::Tm, nobody, None),
        row("get", "/documents/template", Let::Tm, &[], None),
        row("get", "/campaigns/{id}/generate_campaign_vehicle_report", Let::Tm, nobody, None),
        row("get", "/campaigns/{id}/export_all_yards", Let::Tm, nobody, None),
        row("post", "/convert-to-sql", Let::Tm, &[415], None),
        row("post", "/vehicles/csv/validate", Let::Tm, &[415], None),
        row("post", "/vehicles/csv", Let::Tm, &[415], None),
    ]
}

/// Returns every route of openapi.json, as method and path.
fn documented() -> BTreeSet<(String, String)> {
    let document: Value = serde_json::from_str(include_str!("../../../../gateway/openapi.json")).unwrap();
    let paths = document["paths"].as_object().unwrap();
    paths.iter().flat_map(|(path, item)| item.as_object().unwrap().keys().map(|method| (method.clone(), path.clone()))).collect()
}

#[test]
fn every_documented_route_has_a_row_and_every_row_a_route() {
    let rows: BTreeSet<_> = rows().iter().map(|row| (row.method.to_owned(), row.path.to_owned())).collect();
    assert_eq!(rows, documented());
}

fn call(stack: &Stack, row: &Row, token: Option<&str>) -> (u16, Value) {
    const NO_UUID: &str = "00000000-0000-4000-8000-000000000000";
    let path = row.path.replace("{id}", if row.path.starts_with("/documents") { NO_UUID } else { "987654321" });
    let path = path.replace("{session}", NO_UUID);
    stack.call(row.method, &format!("/api{path}"), token, row.body.as_ref())
}

#[test]
fn every_route_rejects_roles_that_are_not_permitted() {
    let (_turn, stack) = (acquire_light_test_slot(), Stack::start());
    let people = [("op", Let::Op), ("tm", Let::Tm), ("admin", Let::Admin), ("developer", Let::Developer)];
    // The last row of the matrix ends sessions.
    let people = people.map(|(name, rank)| (name, rank, stack.sign_in(name)));
    for row in rows() {
        for (name, rank, token) in &people {
            let (status, body) = call(&stack, &row, Some(token));
            let let_in = match row.who {
                Let::Anyone | Let::Op => true,
                Let::Tm => *rank != Let::Op,
                // The developer account also has the supervisor role.
                Let::Admin => [Let::Admin, Let::Developer].contains(rank),
                Let::Developer => *rank == Let::Developer,
            };
            let what = format!("{} {} as {name}: {status} {body}", row.method, row.path);
            if let_in {
                assert!((200..300).contains(&status) || row.or.contains(&status), "{what}");
            } else {
                // Two routes return errors in a different format.
                let has_error_body = body["code"] == "NOT_ALLOWED" || body.is_string() || body["Message"].is_string();
                assert!(status == 403 && has_error_body, "{what}");
            }
        }
    }
}

/// Returns every kind of invalid token: missing, malformed, forged variants of `good`, and one of an ended session.
fn bad_tokens(stack: &Stack, good: &str) -> Vec<(&'static str, Option<String>)> {
    let ended = stack.sign_in("admin");
    assert_eq!(stack.call("delete", "/api/sessions", Some(&ended), None).0, 204);
    let mut bad = vec![("missing", None), ("senseless", Some("abc".to_owned())), ("signed out", Some(ended))];
    bad.extend(forged(stack, good).into_iter().map(|(name, token)| (name, Some(token))));
    bad
}

#[test]
fn no_bad_token_opens_any_route() {
    let (_turn, stack) = (acquire_light_test_slot(), Stack::start());
    let good = stack.sign_in("admin");
    let bad = bad_tokens(&stack, &good);
    let guarded: Vec<_> = rows().into_iter().filter(|row| row.who != Let::Anyone).collect();
    let mut pairs = 0;
    for row in &guarded {
        for (name, token) in &bad {
            refused(&stack, row, name, token.as_deref());
            pairs += 1;
        }
    }
    assert_eq!(stack.call("get", "/api/me", Some(&good), None).0, 200, "the original token stays valid");
    stack.a_shift_later();
    for row in &guarded {
        refused(&stack, row, "expired", Some(&good));
        pairs += 1;
    }
    assert!(pairs >= 400, "{pairs}");
    assert_eq!(stack.called_back(), 0, "a key URL inside a token is never requested");
}

#[test]
fn every_service_authorizes_every_call_by_itself() {
    let (_turn, stack) = (acquire_light_test_slot(), Stack::start());
    let guarded: Vec<_> = patio_proto::METHODS.iter().filter(|method| method.role > Role::Anyone as i32).collect();
    assert!(guarded.len() > 25);
    let good = stack.sign_in("op");
    let bad = bad_tokens(&stack, &good);
    let (mut pairs, mut token) = (0, stack.sign_in("op"));
    for method in &guarded {
        for (name, token) in &bad {
            assert_eq!(stack.rpc(method.path, token.as_deref()), Code::Unauthenticated, "{} with a {name} token", method.path);
            pairs += 1;
        }
        let code = stack.rpc(method.path, Some(&token));
        assert_eq!(code == Code::PermissionDenied, method.role > Role::Operator as i32, "{} as an operator: {code:?}", method.path);
        // Some of the calls end the session.
        if stack.call("get", "/api/me", Some(&token), None).0 == 401 {
            token = stack.sign_in("op");
        }
    }
    assert_eq!(stack.rpc("/patio.vehicle.v1.VehicleService/Nothing", Some(&good)), Code::Unimplemented);
    stack.a_shift_later();
    for method in &guarded {
        assert_eq!(stack.rpc(method.path, Some(&good)), Code::Unauthenticated, "{} with an expired token", method.path);
        pairs += 1;
    }
    assert!(pairs >= 500, "{pairs}");
    assert_eq!(stack.called_back(), 0, "a key URL inside a token is never requested");
}

fn refused(stack: &Stack, row: &Row, name: &str, token: Option<&str>) {
    let (status, body) = call(stack, row, token);
    let wanted = if name == "signed out" { "SESSION_ENDED" } else { "NOT_SIGNED_IN" };
    let code = body["code"].as_str().or(body["ErrorCode"].as_i64().map(|_| wanted));
    assert!(status == 401, "{} {} with a {name} token: {status} {body}", row.method, row.path);
    assert!(code == Some(wanted) || body.is_string(), "{} {} with a {name} token: {body}", row.method, row.path);
}
