//! Tests of listing and undoing jobs.
use crate::stack::Stack;
use patio_kit::{
    clock,
    errors::{ErrorReason, status},
};
use patio_proto::{
    access::Role,
    common::PageMeta,
    vehicle::{self as pb, job_service_server::JobService},
};
use serde_json::json;
use tonic::{Code, Request, Response, Status, async_trait};

/// Test double with one job of each kind; undoing job 9 fails, because its campaign is closed.
pub struct Jobs;

fn job(id: i64, kind: pb::JobKind) -> pb::Job {
    let at = chrono::DateTime::from_timestamp(1_700_000_000, 0).map(clock::to_timestamp);
    let campaigns = vec![pb::JobCampaign { id: 5, name: "Brakes".into(), deleted: false }];
    pb::Job {
        id,
        kind: kind.into(),
        detail: "ok".into(),
        campaigns,
        total_campaigns: 1,
        user_id: Some(3),
        at,
        vehicles: 12,
        ..Default::default()
    }
}

#[async_trait]
impl JobService for Jobs {
    async fn list_jobs(&self, request: Request<pb::ListJobsRequest>) -> Result<Response<pb::ListJobsResponse>, Status> {
        let page = request.into_inner().page.unwrap_or_default();
        let undone = pb::Job {
            undone_at: chrono::DateTime::from_timestamp(1_700_000_060, 0).map(clock::to_timestamp),
            undone_by: Some(3),
            restored: 11,
            hindrance: pb::UndoBlocker::Undone.into(),
            ..job(1, pb::JobKind::Status)
        };
        let kinds = [pb::JobKind::Import, pb::JobKind::Space, pb::JobKind::File];
        let jobs = kinds.into_iter().zip(2..).map(|(kind, id)| job(id, kind)).chain([undone]).collect();
        let meta = PageMeta { index: page.index, size: page.size, total_count: 4 };
        Ok(Response::new(pb::ListJobsResponse { jobs, meta: Some(meta) }))
    }

    async fn undo_job(&self, request: Request<pb::UndoJobRequest>) -> Result<Response<pb::UndoJobResponse>, Status> {
        if request.get_ref().id == 9 {
            return Err(status(Code::FailedPrecondition, ErrorReason::CampaignClosed, &"campaign `Brakes` is closed"));
        }
        let left = vec![pb::SkippedVehicle { id: 7, vin_number: "HB20 000123".into(), campaign_name: "Brakes".into() }];
        Ok(Response::new(pb::UndoJobResponse { undone: true, restored: 11, left, total_left: 1, deleted: 0 }))
    }
}

#[tokio::test]
async fn jobs_are_listed_with_names_and_undo_hindrances() {
    let stack = Stack::new().await;
    let answer = stack.ask_as((7, Role::Manager), "GET", "/api/jobs?page=2&per_page=5", None).await.json();
    let kinds: Vec<_> = answer["jobs"].as_array().unwrap().iter().map(|job| (job["kind"].clone(), job["hindrance"].clone())).collect();
    let expected = [("import", json!(null)), ("parking-space", json!(null)), ("csv", json!(null)), ("status", json!("undone"))];
    assert_eq!(kinds, expected.map(|(kind, why)| (json!(kind), why)));
    let undone = json!({ "id": 1, "kind": "status", "detail": "ok", "campaigns": [{ "id": 5, "name": "Brakes", "deleted": false }],
        "total_campaigns": 1, "created_by_name": "ana", "created_at": "2023-11-14T22:13:20Z", "vehicles": 12, "undone_by_name": "ana",
        "undone_at": "2023-11-14T22:14:20Z", "restored": 11, "hindrance": "undone" });
    assert_eq!((&answer["jobs"][3], &answer["meta"]), (&undone, &json!({ "page_index": 2, "per_page": 5, "total_count": 4 })));
}

#[tokio::test]
async fn an_undo_lists_unrestored_vehicles_and_a_closed_campaign_gets_409() {
    let stack = Stack::new().await;
    let done = stack.ask_as((7, Role::Manager), "POST", "/api/jobs/3/undo", None).await;
    let left = json!([{ "id": 7, "vin_number": "HB20 000123", "campaign_name": "Brakes" }]);
    assert_eq!(done.json(), json!({ "undone": true, "restored": 11, "left": left, "total_left": 1, "deleted": 0 }));
    let refused = stack.ask_as((7, Role::Manager), "POST", "/api/jobs/9/undo", None).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "CAMPAIGN_CLOSED"));
    assert_eq!(stack.ask_as((7, Role::Manager), "POST", "/api/jobs/me/undo", None).await.status, 400);
}
