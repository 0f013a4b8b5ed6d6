//! Tests of saves with a base, and of listing and resolving conflicts.
use crate::stack::Stack;
use patio_kit::{
    auth::identity,
    errors::{ErrorReason, status, status_with_values},
};
use patio_proto::vehicle as v;
use serde_json::json;
use tonic::{Code, Request, Response, Status, async_trait};

fn conflict(id: i64) -> v::Conflict {
    v::Conflict {
        id,
        vehicle_id: 5,
        field: v::Field::ParkingSpace.into(),
        theirs: "A-1".into(),
        mine: "B-1".into(),
        theirs_by: Some(3),
        mine_by: 99,
        shown: v::Side::Theirs.into(),
        ..Default::default()
    }
}

/// Test double of the conflict service: resolves conflict 1, and reports a stale version for conflict 2.
#[derive(Clone)]
pub struct Conflicts;

#[async_trait]
impl v::conflict_service_server::ConflictService for Conflicts {
    async fn list_conflicts(&self, request: Request<v::ListConflictsRequest>) -> Result<Response<v::ListConflictsResponse>, Status> {
        let caller = identity::authenticated_caller(&request)?;
        let ask = request.into_inner();
        let has_all_filters =
            ask.campaign_id == Some(7) && ask.settled == Some(false) && ask.mine && ask.since.is_some() && caller.user_id == 2;
        let conflicts = if has_all_filters { vec![conflict(1)] } else { Vec::new() };
        Ok(Response::new(v::ListConflictsResponse { conflicts, meta: None }))
    }

    async fn resolve_conflict(&self, request: Request<v::ResolveConflictRequest>) -> Result<Response<v::Vehicle>, Status> {
        let ask = request.into_inner();
        match (ask.id, ask.choice()) {
            (1, v::Side::Mine) => Ok(Response::new(v::Vehicle { id: 5, version: 9, conflicts: vec![conflict(1)], ..Default::default() })),
            (2, _) => {
                let values = [("vehicle", "5".to_owned()), ("version", "7".to_owned())];
                Err(status_with_values(Code::Aborted, ErrorReason::StaleVersion, &"vehicle 5 is now at version 7", &values))
            }
            _ => Err(status(Code::AlreadyExists, ErrorReason::ConflictSettled, &"This conflict has already been resolved.")),
        }
    }
}

#[tokio::test]
async fn conflicts_are_listed_with_both_user_names() {
    let stack = Stack::new().await;
    let path = "/api/conflicts?campaign_id=7&state=open&mine=true&since=2026-11-21T20:00:00-03:00";
    let page = stack.ask("GET", path, None).await.json();
    let conflict = &page["conflicts"][0];
    assert_eq!(
        (&conflict["field"], &conflict["shown"], &conflict["state"], &conflict["chosen"]),
        (&json!("parking_space"), &json!("theirs"), &json!("open"), &json!(null))
    );
    assert_eq!((&conflict["theirs_by_hmc"], &conflict["mine_by_hmc"]), (&json!("ana"), &json!("removed")));
    for bad in ["state=closed", "campaign_id=0", "mine=perhaps", "since=yesterday", "since=%2B12345-01-01T00:00:00Z", "per_page=0"] {
        assert_eq!(stack.ask("GET", &format!("/api/conflicts?{bad}"), None).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn resolving_returns_the_vehicle_and_a_late_choice_gets_409_with_the_current_one() {
    let stack = Stack::new().await;
    let settle =
        async |id: i64, choice: &str| stack.ask("POST", &format!("/api/conflicts/{id}/settle"), Some(json!({ "choice": choice }))).await;
    let settled = settle(1, "mine").await;
    assert_eq!((settled.status.as_u16(), settled.header("etag"), &settled.json()["conflicts"][0]["id"]), (200, "\"9\"", &json!(1)));
    let late = settle(2, "mine").await;
    assert_eq!((late.status.as_u16(), late.code().as_str(), &late.json()["details"][0]["version"]), (409, "STALE_VERSION", &json!(7)));
    let again = settle(3, "theirs").await;
    assert_eq!((again.status.as_u16(), again.code().as_str()), (409, "CONFLICT_SETTLED"));
    assert_eq!(settle(1, "neither").await.status, 400);
}

#[tokio::test]
async fn a_save_with_a_base_passes_on_the_base_and_device_data() {
    let stack = Stack::new().await;
    let body = json!({ "status": "ng", "operator_notes": "a", "base": { "status": "", "operator_notes": null }, "on_conflict": "keep",
                       "device_time": "2026-11-20T10:00:00Z", "device": "phone 7" });
    let saved = stack.ask("PUT", "/api/vehicles/5", Some(body)).await;
    assert_eq!((saved.status.as_u16(), &saved.json()["open_conflicts"], saved.json().get("conflicts")), (200, &json!(0), None));
    let save = stack.vehicles.saves.lock().unwrap()[0].clone();
    assert_eq!(
        (save.on_conflict(), save.device.as_str(), save.device_time.unwrap().seconds),
        (v::OnConflict::Keep, "phone 7", 1_795_168_800)
    );
    let base = save.base.unwrap();
    assert_eq!((base.status, base.operator_notes), (Some(0), None));
    for bad in [
        json!({ "device": "d".repeat(65) }),
        json!({ "device_time": "now" }),
        json!({ "on_conflict": "merge" }),
        json!({ "base": { "status": "fine" } }),
    ] {
        assert_eq!(stack.ask("PUT", "/api/vehicles/5", Some(bad.clone())).await.status, 400, "{bad}");
    }
}
