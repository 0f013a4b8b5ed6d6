//! Walks openapi.json: every route with every kind of token, as the permission matrix says.
//!
//! A route without a row here fails the test. Order of checks on the server: token, role, body,
//! whether the thing exists; so a role that is let in gets its 2xx, or what the row names (mostly
//! 404 for an id that nobody has), and never 401 or 403.
mod audit;
mod saves;
mod stack;

use patio_harness::shared;
use patio_proto::access::Role;
use serde_json::{Value, json};
use stack::{Stack, forged};
use std::collections::BTreeSet;
use tonic::Code;

/// Who is let in.
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
    /// What a caller who is let in gets beside 2xx.
    or: &'static [u16],
    body: Option<Value>,
}

fn row(method: &'static str, path: &'static str, who: Let, or: &'static [u16], body: Option<Value>) -> Row {
    Row { method, path, who, or, body }
}

/// The matrix. Ids in paths are ones that nobody has.
fn rows() -> Vec<Row> {
    let nobody: &[u16] = &[404];
    let visit = json!({ "page": "home", "timestamp": "21/11/2026 ás 10:00:00" });
    vec![
        row("post", "/sessions", Let::Anyone, &[400], Some(json!({}))),
        row("get", "/me", Let::Op, &[], None),
        row("put", "/me/password", Let::Op, &[403, 429], Some(json!({ "old": "not the password", "new": "another-password" }))),
        row("get", "/me/data", Let::Op, &[], None),
        row("get", "/users", Let::Admin, &[], None),
        row("post", "/sign-up", Let::Admin, &[400, 422], Some(json!({ "hmc": "x", "password": "short", "user_type": "op" }))),
        row("put", "/users/{id}", Let::Admin, nobody, Some(json!({ "hmc": "77777", "user_type": "op" }))),
        row("delete", "/users/{id}", Let::Admin, nobody, None),
        row("delete", "/users/{id}/lockout", Let::Admin, nobody, None),
        row("get", "/users/{id}/data", Let::Admin, nobody, None),
        row("post", "/logs/page-view", Let::Op, &[], Some(visit)),
        row("post", "/logs/login", Let::Op, &[], Some(json!({ "timestamp": "21/11/2026 ás 10:00:00" }))),
        row("get", "/logs/audit", Let::Developer, &[], None),
        row("get", "/campaigns", Let::Op, &[], None),
        row("get", "/campaigns/progress", Let::Op, &[400, 404], None),
        row("get", "/campaigns/{id}", Let::Op, nobody, None),
        row("put", "/campaigns/{id}", Let::Op, nobody, Some(json!({ "status": "Ongoing" }))),
        row("delete", "/campaigns/{id}", Let::Tm, nobody, None),
        row("get", "/yards", Let::Op, &[], None),
        row("get", "/yards/vehicle-counts", Let::Op, &[400], None),
        row("get", "/vehicles/{id}", Let::Op, nobody, None),
        row("put", "/vehicles/{id}", Let::Op, nobody, Some(json!({ "status": "ok" }))),
        row("get", "/vehicles/campaign/{id}", Let::Op, nobody, None),
        row("get", "/vehicles/campaign/{id}/all", Let::Op, nobody, None),
        row("get", "/vehicles/campaign/{id}/changes", Let::Op, &[400, 404], None),
        row("get", "/events", Let::Op, &[], None),
        row("get", "/pace", Let::Op, &[400], None),
        row("get", "/campaigns/{id}/pace", Let::Op, nobody, None),
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
        row("get", "/health", Let::Anyone, &[], None),
        row("delete", "/sessions", Let::Op, &[], None),
    ]
}

/// Every route of the document, as method and path.
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
    let path =
        row.path.replace("{id}", if row.path.starts_with("/documents") { "00000000-0000-4000-8000-000000000000" } else { "987654321" });
    stack.call(row.method, &format!("/api{path}"), token, row.body.as_ref())
}

#[test]
fn every_route_refuses_every_role_it_should() {
    let (_turn, stack) = (shared(), Stack::start());
    let people = [("op", Let::Op), ("tm", Let::Tm), ("admin", Let::Admin), ("developer", Let::Developer)];
    // The last row ends sessions.
    let people = people.map(|(name, rank)| (name, rank, stack.sign_in(name)));
    for row in rows() {
        for (name, rank, token) in &people {
            let (status, body) = call(&stack, &row, Some(token));
            let let_in = match row.who {
                Let::Anyone | Let::Op => true,
                Let::Tm => *rank != Let::Op,
                // The developer account is a supervisor too.
                Let::Admin => [Let::Admin, Let::Developer].contains(rank),
                Let::Developer => *rank == Let::Developer,
            };
            let what = format!("{} {} as {name}: {status} {body}", row.method, row.path);
            if let_in {
                assert!((200..300).contains(&status) || row.or.contains(&status), "{what}");
            } else {
                // Two calls answer errors in forms of their own.
                let told = body["code"] == "NOT_ALLOWED" || body.is_string() || body["Message"].is_string();
                assert!(status == 403 && told, "{what}");
            }
        }
    }
}

/// Every token that nobody may come in with while `good` is good: none, rubbish, forged ones, one that was signed out.
fn bad_tokens(stack: &Stack, good: &str) -> Vec<(&'static str, Option<String>)> {
    let ended = stack.sign_in("admin");
    assert_eq!(stack.call("delete", "/api/sessions", Some(&ended), None).0, 204);
    let mut bad = vec![("missing", None), ("senseless", Some("abc".to_owned())), ("signed out", Some(ended))];
    bad.extend(forged(stack, good).into_iter().map(|(name, token)| (name, Some(token))));
    bad
}

#[test]
fn no_bad_token_opens_any_route() {
    let (_turn, stack) = (shared(), Stack::start());
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
    assert_eq!(stack.call("get", "/api/me", Some(&good), None).0, 200, "the one they are made from is good all the while");
    stack.a_shift_later();
    for row in &guarded {
        refused(&stack, row, "expired", Some(&good));
        pairs += 1;
    }
    assert!(pairs >= 400, "{pairs}");
    assert_eq!(stack.called_back(), 0, "nobody is asked for a key that a token names");
}

#[test]
fn every_service_judges_every_call_by_itself() {
    let (_turn, stack) = (shared(), Stack::start());
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
        let told = stack.rpc(method.path, Some(&token));
        assert_eq!(told == Code::PermissionDenied, method.role > Role::Operator as i32, "{} as an operator: {told:?}", method.path);
        // Some of them end sessions.
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
    assert_eq!(stack.called_back(), 0, "nobody is asked for a key that a token names");
}

fn refused(stack: &Stack, row: &Row, name: &str, token: Option<&str>) {
    let (status, body) = call(stack, row, token);
    let code = body["code"].as_str().or(body["ErrorCode"].as_i64().map(|_| "NOT_SIGNED_IN"));
    assert!(status == 401, "{} {} with a {name} token: {status} {body}", row.method, row.path);
    assert!(code == Some("NOT_SIGNED_IN") || body.is_string(), "{} {} with a {name} token: {body}", row.method, row.path);
}
