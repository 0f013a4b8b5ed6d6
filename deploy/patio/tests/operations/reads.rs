//! Lists on a read replica: they always contain the caller's own saves, regardless of the replica's state.
use super::measured::value;
use patio_harness::{
    Client, DATABASE_PASSWORD, DATABASE_ROLE, POSTGRES_URL_VARIABLE, Patio, Postgres, Signal, TestFolder, acquire_light_test_slot,
    wait_until,
};
use patio_testing::print_to_stderr;
use serde_json::{Value, json};
use std::time::Duration;

/// Maximum time until a replica that works again is used again.
const RETURNED: Duration = Duration::from_secs(20);

/// Patio with a primary and a read replica, and a campaign.
struct Yard {
    primary: Postgres,
    replica: Postgres,
    patio: Patio,
    admin: Client,
    campaign: i64,
    vehicles: Vec<i64>,
}

impl Yard {
    fn start(primary: Postgres, replica: Postgres, url: &str) -> Self {
        commit_alone(&primary);
        let patio = Patio::builder().with_postgres(url).with_setting("PATIO_DATABASE_READ_URL", &replica.url()).start();
        let admin = patio.sign_in();
        let campaign = admin.import_template_workbook();
        let vehicles = campaign.vehicle_ids();
        Self { primary, replica, patio, admin, campaign: campaign.id, vehicles }
    }

    /// Saves the vehicles in turn, and asserts that each list shows the save before it.
    #[track_caller]
    fn assert_lists_show_own_saves(&self, what: &str) {
        for round in 0..10 {
            let (id, note) = (self.vehicles[round % self.vehicles.len()], format!("{what} {round}"));
            let status = if round % 2 == 0 { "ng" } else { "ok" };
            self.admin.save_vehicle(id, &json!({ "status": status, "operator_notes": note }));
            let listed = self.admin.list_vehicles(self.campaign);
            let row = listed.iter().find(|vehicle| vehicle["id"] == id).unwrap();
            assert_eq!(row["status"], status, "{note}: {row}");
            let history = self.admin.get(&format!("/api/vehicles/{id}/history"));
            assert!(history.to_string().contains(&note), "{note}: {history}");
        }
    }

    fn metric(&self, parts: &[&str]) -> f64 {
        let text = self.admin.with_url(&self.patio.replica("patio", 0).admin_url()).call_route("GET", "/metrics", &Value::Null).text();
        value(&text, &[parts, &["service=\"vehicle-svc\""]].concat()).unwrap_or_default()
    }

    fn queries_on(&self, server: &str) -> f64 {
        self.metric(&["patio_db_replica_queries_total{", &format!("server=\"{server}\"")])
    }

    /// Waits until lists are read from the replica.
    #[track_caller]
    fn wait_until_replica_is_read(&self) {
        let before = self.queries_on("replica");
        wait_until("lists are read from the replica", RETURNED, || {
            let _ = self.admin.list_vehicles(self.campaign);
            self.queries_on("replica") > before
        });
    }
}

/// Makes a server commit without waiting for a standby.
fn commit_alone(server: &Postgres) {
    server.run_sql("alter system reset synchronous_standby_names");
    server.run_sql("select pg_reload_conf()");
}

fn servers() -> Option<(Postgres, Postgres, [TestFolder; 2])> {
    let folders = [TestFolder::create_temporary(), TestFolder::create_temporary()];
    let Some(primary) = Postgres::start(folders[0].path()) else {
        print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped"));
        return None;
    };
    let replica = primary.start_standby(folders[1].path());
    Some((primary, replica, folders))
}

#[test]
fn a_list_shows_the_own_save_while_the_replica_replays_pauses_or_is_down() {
    let (_turn, Some((primary, replica, _folders))) = (acquire_light_test_slot(), servers()) else { return };
    let url = primary.url();
    let mut yard = Yard::start(primary, replica, &url);
    yard.wait_until_replica_is_read();
    yard.assert_lists_show_own_saves("replaying");

    yard.replica.run_sql("select pg_wal_replay_pause()");
    yard.assert_lists_show_own_saves("paused");
    wait_until("the lag is measured", RETURNED, || yard.metric(&["patio_db_replica_lag_seconds{"]) > 1.0);
    let (on_replica, on_primary) = (yard.queries_on("replica"), yard.queries_on("primary"));
    yard.assert_lists_show_own_saves("behind");
    wait_until("lists are read from the primary", RETURNED, || yard.queries_on("primary") > on_primary);
    assert_eq!(yard.queries_on("replica").total_cmp(&on_replica), std::cmp::Ordering::Equal);
    yard.replica.run_sql("select pg_wal_replay_resume()");
    yard.wait_until_replica_is_read();

    yard.replica.send_signal(Signal::Suspend);
    yard.assert_lists_show_own_saves("frozen");
    yard.replica.send_signal(Signal::Continue);
    yard.replica.stop_server(Signal::Quit);
    yard.assert_lists_show_own_saves("down");
    yard.replica.start_server();
    yard.wait_until_replica_is_read();
    yard.patio.stop();
}

#[test]
fn a_replica_that_a_failover_left_behind_is_not_read() {
    let (_turn, Some((primary, replica, _folders))) = (acquire_light_test_slot(), servers()) else { return };
    let folder = TestFolder::create_temporary();
    let next = primary.start_standby(folder.path());
    let hosts = [&primary, &next].map(Postgres::address).join(",");
    let mut yard = Yard::start(primary, replica, &format!("postgres://{DATABASE_ROLE}:{DATABASE_PASSWORD}@{hosts}/patio"));
    yard.wait_until_replica_is_read();
    // The replica gets more of the old timeline than the server that is promoted: its position alone looks newer.
    next.send_signal(Signal::Suspend);
    yard.primary.run_sql("create table ballast as select generate_series(1, 1000000)");
    let end = yard.primary.run_sql("select pg_current_wal_insert_lsn()");
    let replayed = format!("select pg_last_wal_replay_lsn() >= '{}'", end.trim());
    wait_until("the replica has replayed the old timeline", RETURNED, || yard.replica.run_sql(&replayed).trim() == "t");
    yard.primary.stop_server(Signal::Quit);
    next.send_signal(Signal::Continue);
    next.promote();
    commit_alone(&next); // its settings are a copy of the primary's
    wait_until("a save succeeds on the new primary", Duration::from_secs(20), || {
        let saved = yard.admin.try_call_route("PUT", &format!("/api/vehicles/{}", yard.vehicles[0]), &json!({ "status": "Repair" }));
        saved.is_ok_and(|answer| answer.is_success())
    });
    let on_replica = yard.queries_on("replica");
    yard.assert_lists_show_own_saves("failed over");
    assert_eq!(yard.queries_on("replica").total_cmp(&on_replica), std::cmp::Ordering::Equal);
    yard.patio.stop();
}
