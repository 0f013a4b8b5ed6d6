//! Tests of conditional and repeated saves, and of the full vehicle list.
use crate::stack::Stack;
use axum::body::Body;
use flate2::read::GzDecoder;
use patio_proto::access::Role;
use serde_json::{Value, json};
use std::{io::Read, sync::atomic::Ordering};

const SUPERVISOR: (i64, Role) = (2, Role::Admin);

#[tokio::test]
async fn a_vehicle_has_its_version_as_etag_and_the_name_of_the_last_editor() {
    let stack = Stack::new().await;
    let answer = stack.ask("GET", "/api/vehicles/5?yard=2", None).await;
    assert_eq!((answer.status.as_u16(), answer.header("etag")), (200, "\"7\""));
    let vehicle = answer.json();
    assert_eq!(
        (&vehicle["vin_number"], &vehicle["modified_by_hmc"], &vehicle["status"]),
        (&json!("HB20 000123"), &json!("ana"), &json!(""))
    );
    stack.ask("GET", "/api/vehicles/5", None).await;
    assert_eq!(stack.auth.names_asked.load(Ordering::Relaxed), 1, "names are cached");
}

#[tokio::test]
async fn a_stale_save_is_rejected_with_the_current_vehicle() {
    let stack = Stack::new().await;
    let request =
        stack.request(SUPERVISOR, "PUT", "/api/vehicles/5").header("if-match", "\"6\"").header("content-type", "application/json");
    let refused = stack.send(request.body(Body::from(r#"{"status":"ok"}"#)).unwrap()).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "STALE_VERSION"));
    let current = &refused.json()["details"][0];
    assert_eq!(
        (&current["version"], &current["vin_number"], &current["modified_by_hmc"]),
        (&json!(7), &json!("HB20 000123"), &json!("ana"))
    );
}

#[tokio::test]
async fn a_save_passes_on_only_the_sent_fields() {
    let stack = Stack::new().await;
    let request = stack
        .request(SUPERVISOR, "PUT", "/api/vehicles/5?yard=2")
        .header("if-match", "\"7\"")
        .header("idempotency-key", "k-1")
        .header("content-type", "application/json; charset=utf-8");
    let body = json!({ "id": 5, "status": "Repair OK", "operator_notes": "ok\nok", "inspected": false, "id_yard": 3, "campaign_id": 1, "origin": "scanned", "unknown": [] });
    let saved = stack.send(request.body(Body::from(body.to_string())).unwrap()).await;
    assert_eq!((saved.status.as_u16(), saved.header("etag")), (200, "\"8\""), "{}", saved.text());
    let save = stack.vehicles.saves.lock().unwrap()[0].clone();
    assert_eq!((save.if_version, save.idempotency_key.as_str(), save.yard, save.campaign_id), (Some(7), "k-1", Some(2), Some(1)));
    assert_eq!((save.status, save.operator_notes.as_deref(), save.admin_notes, save.origin), (Some(4), Some("ok\nok"), None, 2));
}

#[tokio::test]
async fn a_body_with_another_vehicle_id_is_rejected() {
    let stack = Stack::new().await;
    assert_eq!(stack.ask("PUT", "/api/vehicles/5", Some(json!({ "id": 6 }))).await.status, 400);
    assert!(stack.vehicles.saves.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_full_list_is_one_compressed_array() {
    let stack = Stack::new().await;
    let request = stack.request(SUPERVISOR, "GET", "/api/vehicles/campaign/1/all").header("accept-encoding", "gzip");
    let answer = stack.send(request.body(Body::empty()).unwrap()).await;
    assert_eq!((answer.header("content-encoding"), answer.header("content-type")), ("gzip", "application/json"));
    let mut text = String::new();
    GzDecoder::new(answer.body.as_ref()).read_to_string(&mut text).unwrap();
    let list: Vec<Value> = serde_json::from_str(&text).unwrap();
    assert_eq!((list.len(), &list[19_999]["id"], &list[0]["status"]), (20_000, &json!(19_999), &json!("S/OFF BL")));
    assert!(answer.body.len() * 5 < text.len());
}

#[tokio::test]
async fn a_client_with_the_latest_list_gets_304() {
    let stack = Stack::new().await;
    let ask = async |held: &str| {
        let request = stack.request(SUPERVISOR, "GET", "/api/vehicles/campaign/1/all").header("if-none-match", held);
        stack.send(request.body(Body::empty()).unwrap()).await
    };
    let first = ask("W/\"1-11\"").await;
    assert_eq!((first.status.as_u16(), first.header("etag"), first.body.is_empty()), (200, "W/\"1-12\"", false));
    let again = ask(first.header("etag")).await;
    assert_eq!((again.status.as_u16(), again.header("etag"), again.body.is_empty()), (304, "W/\"1-12\"", true));
    assert_eq!((first.header("x-revision"), again.header("x-revision")), ("12", "12"));
    assert_eq!(again.header("cache-control"), "no-store", "the list is cached by the web app, not by the browser");
}

#[tokio::test]
async fn a_page_of_vehicles_has_its_campaigns_name() {
    let stack = Stack::new().await;
    let page = stack.ask("GET", "/api/vehicles/campaign/1?page=2&per_page=50&status=Not%20Found&search=a%20b", None).await.json();
    assert_eq!(page["meta"], json!({ "page_index": 2, "per_page": 50, "total_count": 1, "campaign_name": "Brakes" }));
}

#[tokio::test]
async fn changes_are_fetched_by_the_clients_revision() {
    let stack = Stack::new().await;
    let changes = stack.ask("GET", "/api/vehicles/campaign/1/changes?since=12", None).await.json();
    assert_eq!((&changes["revision"], &changes["removed"], &changes["whole"]), (&json!(13), &json!([6]), &json!(false)));
    assert_eq!((&changes["vehicles"][0]["id"], &changes["vehicles"][0]["status"]), (&json!(5), &json!("ng")));
    for bad in ["", "?since=", "?since=-1", "?since=x"] {
        let refused = stack.ask("GET", &format!("/api/vehicles/campaign/1/changes{bad}"), None).await;
        assert_eq!(refused.status, 400, "{bad}");
    }
}
