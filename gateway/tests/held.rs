//! Tests of the routes for pending saves.
use crate::stack::Stack;
use patio_proto::vehicle as v;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tonic::{Request, Response, Status, async_trait};

/// Test double that returns the last report, as a report of user 3.
#[derive(Clone, Default)]
pub struct Held(Arc<Mutex<v::ReportPendingSavesRequest>>);

#[async_trait]
impl v::pending_save_service_server::PendingSaveService for Held {
    async fn report_pending_saves(
        &self,
        request: Request<v::ReportPendingSavesRequest>,
    ) -> Result<Response<v::ReportPendingSavesResponse>, Status> {
        *self.0.lock().unwrap() = request.into_inner();
        Ok(Response::new(v::ReportPendingSavesResponse {}))
    }

    async fn list_pending_saves(&self, _: Request<v::ListPendingSavesRequest>) -> Result<Response<v::ListPendingSavesResponse>, Status> {
        let report = self.0.lock().unwrap().clone();
        let each = report.held.iter().map(|work| v::DevicePendingSaves {
            user_id: 3,
            device: report.device.clone(),
            saves: work.saves,
            oldest_at: work.oldest_at,
            told_at: work.oldest_at,
        });
        Ok(Response::new(v::ListPendingSavesResponse { devices: 1, saves: 9, held: each.collect() }))
    }
}

#[tokio::test]
async fn a_device_reports_pending_saves_and_team_leaders_see_them() {
    let stack = Stack::new().await;
    let work = json!({ "campaign_id": 7, "saves": 9, "oldest_at": "2026-11-21T20:00:00-03:00" });
    let response = stack.ask("PUT", "/api/devices/Ana%27s%20phone/held", Some(json!({ "held": [work] }))).await;
    assert_eq!((response.status.as_u16(), response.body.is_empty()), (204, true), "{}", response.text());
    let held = stack.ask("GET", "/api/campaigns/7/held", None).await.json();
    let pending = &held["held"][0];
    assert_eq!((&pending["hmc"], &pending["device"], &pending["saves"]), (&json!("ana"), &json!("Ana's phone"), &json!(9)));
    assert_eq!((&pending["oldest_at"], &held["devices"]), (&json!("2026-11-21T23:00:00Z"), &json!(1)));
    for (device, body) in [
        ("%0A", json!({ "held": [] })),
        (&*"d".repeat(65), json!({ "held": [] })),
        ("d", json!({})),
        ("d", json!({ "held": [{ "saves": 1 }] })),
    ] {
        assert_eq!(stack.ask("PUT", &format!("/api/devices/{device}/held"), Some(body.clone())).await.status, 400, "{device} {body}");
    }
}
