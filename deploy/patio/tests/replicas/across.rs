//! What was begun at one gateway goes on at the other: no request needs the replica that served the one before.
use super::{
    Yard, alone, call,
    sheets::{self, send, upload, workbook},
    tell,
};
use patio_kit::command::print;
use serde_json::{Value, json};
use std::{
    io::{BufRead, BufReader},
    sync::mpsc::{Receiver, channel},
    time::{Duration, Instant},
};
use ureq::http::Request;

/// How long what happens at one gateway may take to be told at the other.
const TOLD: Duration = Duration::from_secs(5);
/// So many vehicles that somebody has the time to give their import up.
const MANY: u32 = 60_000;

#[test]
fn what_is_begun_at_one_gateway_goes_on_at_the_other() {
    let _alone = alone();
    let Some(yard) = Yard::start() else {
        let _ = print("PostgreSQL or Redis is not installed: skipped\n");
        return;
    };
    let gateways = yard.cluster.gateways();
    for (here, there) in [(&gateways[0], &gateways[1]), (&gateways[1], &gateways[0])] {
        let two = Two { here, there, token: &yard.token };
        two.an_import_is_watched_and_given_up_elsewhere();
        let campaign = two.a_file_is_looked_at_here_and_applied_there();
        two.a_change_of_many_is_taken_back_elsewhere(campaign);
        two.a_save_is_told_elsewhere(campaign);
    }
}

/// Two gateways, and whoever works at both.
struct Two<'y> {
    here: &'y str,
    there: &'y str,
    token: &'y str,
}

impl Two<'_> {
    fn an_import_is_watched_and_given_up_elsewhere(&self) {
        let (id, file) = (uuid::Uuid::now_v7().to_string(), workbook("given up", MANY));
        std::thread::scope(|scope| {
            let sent = scope.spawn(|| sheets::upload_as(self.here, self.token, &file, &id));
            let watch = format!("/api/documents/uploads/{id}/events");
            let events = self.listen(&watch);
            let event = next(&events, |event| event["phase"].is_string());
            tell(&format!("an import at one gateway is seen at the other: {event}"));
            let given_up = call("DELETE", self.there, &format!("/api/documents/uploads/{id}"), self.token, &Value::Null);
            assert_eq!(given_up.0, 204, "{given_up:?}");
            let (status, told) = sent.join().unwrap().unwrap();
            assert_ne!(status, 201, "{told}");
        });
        for gateway in [self.here, self.there] {
            let campaigns = call("GET", gateway, "/api/campaigns", self.token, &Value::Null).1;
            let names = campaigns["campaigns"].as_array().unwrap().iter().map(|campaign| &campaign["name"]).collect::<Vec<_>>();
            assert!(!names.contains(&&json!("given up")), "nothing of it is left: {names:?}");
        }
    }

    /// A campaign of ten of which a file changed one.
    fn a_file_is_looked_at_here_and_applied_there(&self) -> i64 {
        let name = format!("across {}", uuid::Uuid::now_v7().simple());
        let (status, told) = upload(self.here, self.token, &workbook(&name, 10)).unwrap();
        assert_eq!(status, 201, "{told}");
        let campaign = told["campaign"]["id"].as_i64().unwrap();
        let changes = "Model Code,Serial Number,Parking Space,Status,Team Leader Notes,Supervisor Notes\nHB20,0000003,B-7,ok,seen,\n";
        let looked = send(self.here, "/api/vehicles/csv/validate", self.token, ("file", "a.csv", changes.as_bytes())).unwrap();
        assert!(looked.0 == 200 && looked.1["total_errors"] == 0, "{looked:?}");
        let applied = send(self.there, "/api/vehicles/csv", self.token, ("file", "a.csv", changes.as_bytes())).unwrap();
        assert!(applied.0 == 200 && applied.1["updated"].as_i64() >= Some(1), "{applied:?}");
        let vehicles = sheets::vehicles(self.here, self.token, campaign).unwrap();
        assert!(vehicles.iter().any(|vehicle| vehicle["parking_space"] == "B-7" && vehicle["status"] == "ok"), "{vehicles:?}");
        campaign
    }

    fn a_change_of_many_is_taken_back_elsewhere(&self, campaign: i64) {
        let before = sheets::vehicles(self.here, self.token, campaign).unwrap();
        let vins: Vec<_> = before[..5].iter().map(|vehicle| &vehicle["vin_number"]).collect();
        let many = json!({ "vins": vins, "action": "insert", "status": "ng", "campaign_id": campaign });
        let done = call("POST", self.here, "/api/vehicles/bulk/status", self.token, &many);
        assert!(done.0 == 200 && done.1["updated"] == 5, "{done:?}");
        let jobs = call("GET", self.there, "/api/jobs", self.token, &Value::Null).1;
        let job = &jobs["jobs"][0];
        let undone = call("POST", self.there, &format!("/api/jobs/{}/undo", job["id"]), self.token, &json!({}));
        assert_eq!(undone.0, 200, "{undone:?} of {job}");
        let status = |vehicles: &[Value]| vehicles.iter().map(|vehicle| vehicle["status"].clone()).collect::<Vec<_>>();
        let after = sheets::vehicles(self.here, self.token, campaign).unwrap();
        assert_eq!(status(&after), status(&before), "{undone:?}");
    }

    fn a_save_is_told_elsewhere(&self, campaign: i64) {
        let events = self.listen(&format!("/api/events?campaign={campaign}"));
        std::thread::sleep(Duration::from_millis(500)); // it is heard from now on
        let vehicle = sheets::vehicles(self.here, self.token, campaign).unwrap()[7]["id"].as_i64().unwrap();
        let began = Instant::now();
        let saved = call("PUT", self.here, &format!("/api/vehicles/{vehicle}"), self.token, &json!({ "status": "ok" }));
        assert_eq!(saved.0, 200, "{saved:?}");
        let event = next(&events, |event| event.to_string().contains(&vehicle.to_string()));
        tell(&format!("a save at one gateway is told at the other after {:?}: {event}", began.elapsed()));
    }

    /// The events of a stream at the other gateway, which is tried until it is there.
    fn listen(&self, path: &str) -> Receiver<Value> {
        let (url, bearer) = (format!("{}{path}", self.there), format!("Bearer {}", self.token));
        let (events, heard) = channel();
        std::thread::spawn(move || {
            let agent: ureq::Agent = ureq::Agent::config_builder().timeout_global(Some(Duration::from_secs(30))).build().into();
            let began = Instant::now();
            let answer = loop {
                let request = Request::get(&url).header("authorization", &bearer).body(()).unwrap();
                match agent.run(request) {
                    Ok(answer) => break answer,
                    Err(_) if began.elapsed() < TOLD => std::thread::sleep(Duration::from_millis(20)),
                    Err(_) => return,
                }
            };
            for line in BufReader::new(answer.into_body().into_reader()).lines().map_while(Result::ok) {
                let data = line.strip_prefix("data:").map(|data| serde_json::from_str(data.trim()).unwrap_or_default());
                if data.is_some_and(|data| events.send(data).is_err()) {
                    return;
                }
            }
        });
        heard
    }
}

/// The next event of which something is so.
#[track_caller]
fn next(events: &Receiver<Value>, is_so: impl Fn(&Value) -> bool) -> Value {
    let began = Instant::now();
    loop {
        let event = events.recv_timeout(TOLD.saturating_sub(began.elapsed())).unwrap();
        if is_so(&event) {
            return event;
        }
    }
}
