//! Bulk operations while PostgreSQL or a service is frozen: they fail quickly and leave nothing partly done.
use super::{Yard, print_to_stderr, workbook};
use patio_harness::{Client, Signal, wait_until};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Number of vehicles per campaign.
const VEHICLES: u32 = 40;

/// A campaign for the bulk operations, with a job that can be undone.
pub struct Large {
    /// One supervisor client per gateway.
    clients: Vec<Client>,
    campaign: i64,
    vins: Vec<Value>,
    job: i64,
    /// Name of the campaign that is imported during the freeze.
    meanwhile: String,
}

/// Name of the operation, HTTP status, and duration.
pub type Answer = (&'static str, u16, Duration);

impl Large {
    pub fn prepared(yard: &Yard, name: &str) -> Self {
        let clients = yard.gateways();
        let campaign = clients[0].import_workbook(&workbook(name, VEHICLES));
        let vins: Vec<_> = campaign.vehicles.iter().map(|vehicle| vehicle["vin_number"].clone()).collect();
        let many = json!({ "vins": vins, "action": "insert", "status": "ng", "campaign_id": campaign.id });
        clients[0].post("/api/vehicles/bulk/status", &many);
        let job = clients[0].get("/api/jobs")["jobs"][0]["id"].as_i64().unwrap();
        Self { clients, campaign: campaign.id, vins, job, meanwhile: format!("{name}, meanwhile") }
    }

    /// Asserts that every operation was rejected quickly.
    #[track_caller]
    pub fn assert_rejected_within(answers: &[Answer], within: Duration) {
        let slowest = answers.iter().map(|(_, _, took)| *took).max().unwrap();
        print_to_stderr(&format!("{} bulk operations rejected, the slowest after {slowest:?}", answers.len()));
        // Both gateways import the same campaign, so one may get the error that the name is taken.
        let is_rejected = |(name, status, _): &Answer| [503, 504].contains(status) || (*name, *status) == ("import", 409);
        assert!(answers.iter().all(is_rejected) && slowest < within, "{answers:#?}");
    }

    /// Starts all operations concurrently through both gateways and returns the responses.
    pub fn asked_for(&self) -> Vec<Answer> {
        let (campaign, vins) = (self.campaign, &self.vins);
        let insert = json!({ "vins": vins, "action": "insert", "status": "repair", "campaign_id": campaign });
        let dry = json!({ "vins": vins, "action": "remove", "campaign_id": campaign, "dry_run": true });
        let rows: Vec<_> = vins.iter().map(|vin| json!({ "vin": vin, "parking_space": "C-1" })).collect();
        let spaces = json!({ "rows": rows, "campaign_id": campaign });
        let csv = "Model Code,Serial Number,Parking Space,Status,Team Leader Notes,Supervisor Notes\nHB20,0000003,B-7,ok,seen,\n";
        let json = |method, path: String, body: Value| move |client: &Client| client.call_route(method, &path, &body).status;
        let file = |path: &'static str, field, name, file: Vec<u8>| {
            move |client: &Client| {
                let answer = client.try_upload_file(client.build_request("POST", path), (field, name), &file);
                answer.map_or(0, |answer| answer.status)
            }
        };
        type Work<'w> = Box<dyn Fn(&Client) -> u16 + Sync + 'w>;
        let work: [(&'static str, Work); 9] = [
            ("status", Box::new(json("POST", "/api/vehicles/bulk/status".to_owned(), insert))),
            ("what would be", Box::new(json("POST", "/api/vehicles/bulk/status".to_owned(), dry))),
            ("spaces", Box::new(json("POST", "/api/vehicles/bulk/parking-space".to_owned(), spaces))),
            ("report", Box::new(json("GET", format!("/api/campaigns/{campaign}/generate_campaign_vehicle_report"), Value::Null))),
            ("yards", Box::new(json("GET", format!("/api/campaigns/{campaign}/export_all_yards"), Value::Null))),
            ("undo", Box::new(json("POST", format!("/api/jobs/{}/undo", self.job), json!({})))),
            ("look at a CSV", Box::new(file("/api/vehicles/csv/validate", "file", "a.csv", csv.into()))),
            ("CSV", Box::new(file("/api/vehicles/csv", "file", "a.csv", csv.into()))),
            ("import", Box::new(file("/api/documents/upload", "documents", "t.xlsx", workbook(&self.meanwhile, VEHICLES)))),
        ];
        let timed = |(name, work): &(&'static str, Work), client: &Client| {
            let began = Instant::now();
            (*name, work(client), began.elapsed())
        };
        std::thread::scope(|scope| {
            let asking: Vec<_> =
                work.iter().flat_map(|work| self.clients.iter().map(move |client| scope.spawn(move || timed(work, client)))).collect();
            asking.into_iter().map(|call| call.join().unwrap()).collect()
        })
    }

    /// Asserts that each operation was applied completely or not at all, and that rejected ones now succeed.
    pub fn is_whole(&self) {
        let client = &self.clients[0];
        let vehicles = client.list_vehicles(self.campaign);
        let with = |field: &str, value: &str| vehicles.iter().filter(|vehicle| vehicle[field] == value).count();
        let all = self.vins.len();
        for (field, value) in [("status", "repair"), ("parking_space", "C-1")] {
            // The CSV change and the undo touch some of the same vehicles and may have been applied later.
            assert!(with(field, value) == 0 || with(field, value) >= all - 1, "{field}: {} of {all}", with(field, value));
        }
        wait_until("the campaign can be imported or exists", Duration::from_secs(60), || {
            let listed = client.get("/api/campaigns");
            let found = listed["campaigns"].as_array().unwrap().iter().find(|campaign| campaign["name"] == self.meanwhile).cloned();
            match found {
                Some(campaign) => {
                    assert_eq!(client.list_vehicles(campaign["id"].as_i64().unwrap()).len(), all);
                    true
                }
                None => {
                    let uploaded = client.try_upload_workbook(&uuid::Uuid::now_v7().to_string(), &workbook(&self.meanwhile, VEHICLES));
                    uploaded.is_ok_and(|answer| answer.status == 201)
                }
            }
        });
        let answers = self.asked_for();
        assert!(
            answers.iter().all(|(name, status, _)| [200, 409, 422].contains(status) && *name != "report" || *status == 200),
            "{answers:?}"
        );
    }
}

impl Yard {
    /// Freezes all replicas of vehicle-svc, which keep their connections open.
    pub fn a_whole_service_may_freeze(&self) {
        let within = self.longest();
        let large = Large::prepared(self, "before a service is frozen");
        self.patio.replicas_of_program("vehicle-svc").for_each(|replica| replica.send_signal(Signal::Suspend));
        let answers = large.asked_for();
        self.patio.replicas_of_program("vehicle-svc").for_each(|replica| replica.send_signal(Signal::Continue));
        Large::assert_rejected_within(&answers, within);
        let list = format!("/api/vehicles/campaign/{}", large.campaign);
        let is_back = |client: &Client| client.call_route("GET", &list, &Value::Null).status == 200;
        wait_until("both gateways reach the service", Duration::from_secs(5), || large.clients.iter().all(is_back));
        large.is_whole();
    }
}
