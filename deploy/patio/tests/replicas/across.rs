//! Work begun at one gateway continues at another: no request depends on the replica that served the previous one.
use super::{MISSING, Yard, print_to_stderr, workbook};
use patio_harness::{ADMIN_PASSWORD, Client, EventStream, acquire_heavy_test_slot, wait_until};
use serde_json::{Value, json};
use std::{
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};

/// Maximum time until an event at one gateway is delivered at the other.
const EVENT_TIMEOUT: Duration = Duration::from_secs(20);
/// Maximum time of any call.
const ANSWERED: Duration = Duration::from_secs(60);
/// Time without requests after which a process polls revocations rarely.
const IDLE_TIME: Duration = Duration::from_secs(7);
/// Number of vehicles in an import: enough time to cancel it.
const MANY: u32 = 20_000;

#[test]
fn work_begun_at_one_gateway_continues_at_the_other() {
    let _turn = acquire_heavy_test_slot();
    let Some(yard) = Yard::start() else { return print_to_stderr(MISSING) };
    let gateways: Vec<_> = yard.gateways().iter().map(|client| client.with_timeout(ANSWERED)).collect();
    let many = workbook("given up", MANY);
    for (here, there) in [(&gateways[0], &gateways[1]), (&gateways[1], &gateways[0])] {
        let two = Two { here, there };
        two.an_import_is_watched_and_given_up_elsewhere(&many);
        let campaign = two.a_file_is_looked_at_here_and_applied_there();
        two.a_change_of_many_is_taken_back_elsewhere(campaign);
        two.a_save_is_published_elsewhere(campaign);
    }
    let two = Two { here: &gateways[0], there: &gateways[1] };
    two.an_ended_session_is_rejected_by_a_gateway_that_was_idle();
    yard.leave();
}

/// Clients of two gateways.
struct Two<'y> {
    here: &'y Client,
    there: &'y Client,
}

impl Two<'_> {
    fn an_import_is_watched_and_given_up_elsewhere(&self, file: &[u8]) {
        let id = uuid::Uuid::now_v7().to_string();
        std::thread::scope(|scope| {
            let sent = scope.spawn(|| self.here.try_upload_workbook(&id, file));
            let watch = format!("/api/documents/uploads/{id}/events");
            let events = self.listen(&watch);
            let event = next(&events, |event| event["phase"].is_string());
            print_to_stderr(&format!("an import at one gateway is visible at the other: {event}"));
            let given_up = self.there.call_route("DELETE", &format!("/api/documents/uploads/{id}"), &Value::Null);
            assert_eq!(given_up.status, 204, "{given_up:?}");
            let sent = sent.join().unwrap().unwrap();
            assert_ne!(sent.status, 201, "{sent:?}");
        });
        for gateway in [self.here, self.there] {
            let campaigns = gateway.get("/api/campaigns");
            let names = campaigns["campaigns"].as_array().unwrap().iter().map(|campaign| &campaign["name"]).collect::<Vec<_>>();
            assert!(!names.contains(&&json!("given up")), "nothing of the cancelled import is left: {names:?}");
        }
    }

    /// Previews a CSV file at one gateway and applies it at the other. Returns the campaign id.
    fn a_file_is_looked_at_here_and_applied_there(&self) -> i64 {
        let name = format!("across {}", uuid::Uuid::now_v7().simple());
        let campaign = self.here.import_workbook(&workbook(&name, 10)).id;
        let changes = "Model Code,Serial Number,Parking Space,Status,Team Leader Notes,Supervisor Notes\nHB20,0000003,B-7,ok,seen,\n";
        let looked = self.here.upload_file("/api/vehicles/csv/validate", ("file", "a.csv"), changes.as_bytes());
        assert!(looked.status == 200 && looked.json()["total_errors"] == 0, "{looked:?}");
        let applied = self.there.upload_file("/api/vehicles/csv", ("file", "a.csv"), changes.as_bytes());
        assert!(applied.status == 200 && applied.json()["updated"].as_i64() >= Some(1), "{applied:?}");
        let vehicles = self.here.list_vehicles(campaign);
        assert!(vehicles.iter().any(|vehicle| vehicle["parking_space"] == "B-7" && vehicle["status"] == "ok"), "{vehicles:?}");
        campaign
    }

    fn a_change_of_many_is_taken_back_elsewhere(&self, campaign: i64) {
        let before = self.here.list_vehicles(campaign);
        let vins: Vec<_> = before[..5].iter().map(|vehicle| &vehicle["vin_number"]).collect();
        let many = json!({ "vins": vins, "action": "insert", "status": "ng", "campaign_id": campaign });
        let done = self.here.post("/api/vehicles/bulk/status", &many);
        assert_eq!(done["updated"], 5, "{done}");
        let job = self.there.get("/api/jobs")["jobs"][0].take();
        let undone = self.there.call_route("POST", &format!("/api/jobs/{}/undo", job["id"]), &json!({}));
        assert_eq!(undone.status, 200, "{undone:?} of {job}");
        let status = |vehicles: &[Value]| vehicles.iter().map(|vehicle| vehicle["status"].clone()).collect::<Vec<_>>();
        assert_eq!(status(&self.here.list_vehicles(campaign)), status(&before), "{undone:?}");
    }

    fn a_save_is_published_elsewhere(&self, campaign: i64) {
        let events = self.listen(&format!("/api/events?campaign={campaign}"));
        let vehicle = self.here.list_vehicles(campaign)[7]["id"].as_i64().unwrap();
        let began = Instant::now();
        self.here.save_vehicle(vehicle, &json!({ "status": "ok" }));
        let event = next(&events, |event| event.to_string().contains(&vehicle.to_string()));
        print_to_stderr(&format!("a save at one gateway is delivered at the other after {:?}: {event}", began.elapsed()));
    }

    fn an_ended_session_is_rejected_by_a_gateway_that_was_idle(&self) {
        let session = self.here.sign_in("1000", ADMIN_PASSWORD);
        let elsewhere = session.with_url(self.there.url());
        assert!(elsewhere.call_route("GET", "/api/me", &Value::Null).is_success());
        std::thread::sleep(IDLE_TIME);
        session.delete("/api/sessions");
        let (asked, mut refused) = (Instant::now(), elsewhere.call_route("GET", "/api/me", &Value::Null));
        // After one second without a poll the request continues with the loaded revocations.
        if asked.elapsed() >= Duration::from_secs(1) {
            wait_until("the ended session is rejected", EVENT_TIMEOUT, || {
                refused = elsewhere.call_route("GET", "/api/me", &Value::Null);
                refused.status == 401
            });
        }
        assert_eq!(refused.status, 401, "the revocation is loaded before the first request after an idle period: {refused:?}");
    }

    /// Opens an event stream at the other gateway, with retries, and returns its events.
    fn listen(&self, path: &str) -> Receiver<Value> {
        let (events, heard) = channel();
        let mut opened: Option<EventStream> = None;
        wait_until("the stream is open", EVENT_TIMEOUT, || {
            opened = self.there.open_event_stream(path, EVENT_TIMEOUT).ok();
            opened.is_some()
        });
        std::thread::spawn(move || opened.into_iter().flatten().all(|event| events.send(event.data).is_ok()));
        heard
    }
}

/// Waits for the next event that fulfils a condition.
#[track_caller]
fn next(events: &Receiver<Value>, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let event = events.recv_timeout(EVENT_TIMEOUT.saturating_sub(began.elapsed())).unwrap();
        if is_so(&event) {
            return event;
        }
    }
}
