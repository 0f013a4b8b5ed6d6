//! Work that devices hold and have not sent.
use crate::stack::Stack;
use patio_proto::vehicle as v;
use serde_json::json;
use std::sync::{Arc, Mutex};
use tonic::{Request, Response, Status, async_trait};

/// Answers what was told last, in the name of user 3.
#[derive(Clone, Default)]
pub struct Held(Arc<Mutex<v::SetHeldRequest>>);

#[async_trait]
impl v::held_service_server::HeldService for Held {
    async fn set_held(&self, request: Request<v::SetHeldRequest>) -> Result<Response<v::SetHeldReply>, Status> {
        *self.0.lock().unwrap() = request.into_inner();
        Ok(Response::new(v::SetHeldReply {}))
    }

    async fn get_held(&self, _: Request<v::GetHeldRequest>) -> Result<Response<v::GetHeldReply>, Status> {
        let told = self.0.lock().unwrap().clone();
        let each = told.held.iter().map(|work| v::DeviceWork {
            user_id: 3,
            device: told.device.clone(),
            saves: work.saves,
            oldest_at: work.oldest_at,
            told_at: work.oldest_at,
        });
        Ok(Response::new(v::GetHeldReply { devices: 1, saves: 9, held: each.collect() }))
    }
}

#[tokio::test]
async fn a_device_tells_what_it_holds_and_leaders_see_it() {
    let stack = Stack::new().await;
    let work = json!({ "campaign_id": 7, "saves": 9, "oldest_at": "2026-11-21T20:00:00-03:00" });
    let told = stack.ask("PUT", "/api/devices/Ana%27s%20phone/held", Some(json!({ "held": [work] }))).await;
    assert_eq!((told.status.as_u16(), told.body.is_empty()), (204, true), "{}", told.text());
    let held = stack.ask("GET", "/api/campaigns/7/held", None).await.json();
    let one = &held["held"][0];
    assert_eq!((&one["hmc"], &one["device"], &one["saves"]), (&json!("ana"), &json!("Ana's phone"), &json!(9)));
    assert_eq!((&one["oldest_at"], &held["devices"]), (&json!("2026-11-21T23:00:00Z"), &json!(1)));
    for (device, body) in [
        ("%0A", json!({ "held": [] })),
        (&*"d".repeat(65), json!({ "held": [] })),
        ("d", json!({})),
        ("d", json!({ "held": [{ "saves": 1 }] })),
    ] {
        assert_eq!(stack.ask("PUT", &format!("/api/devices/{device}/held"), Some(body.clone())).await.status, 400, "{device} {body}");
    }
}
