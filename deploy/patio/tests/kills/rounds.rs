//! Test rounds: start a long operation, kill a service during it, then check the resulting state.
use super::{import, ledger::Ledger, outcome, supervisor};
use crate::{
    dice::{Dice, seed},
    workbooks,
};
use patio_harness::{Client, PROGRAM_NAMES, Patio};
use patio_testing::print_to_stderr;
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

/// Number of vehicles per campaign: enough for a kill to fall between two steps.
const VEHICLES: u32 = 6_000;
const LONGEST: Duration = Duration::from_secs(60);

/// Runs all rounds on one Patio.
pub fn all(patio: Patio, ledger: Ledger, (rounds, waits): (u32, bool)) {
    let seed = seed();
    let admin = supervisor(&patio);
    let mut play = Play { patio, admin, ledger, dice: Dice(seed), slowest: Duration::ZERO, spared: 0, waits, took: Duration::from_secs(2) };
    print_to_stderr(&format!("seed {seed}"));
    play.warm_up();
    for (what, round) in [("imports", Play::import as fn(&mut Play, u32)), ("deletions", Play::delete), ("bulk jobs", Play::bulk)] {
        (play.slowest, play.spared) = (Duration::ZERO, 0);
        (0..rounds).for_each(|number| round(&mut play, number));
        print_to_stderr(&format!(
            "{rounds} {what}: {} came through, {} did not; settled within {:?}",
            play.spared,
            rounds - play.spared,
            play.slowest
        ));
    }
}

struct Play {
    patio: Patio,
    admin: Client,
    ledger: Ledger,
    dice: Dice,
    /// Longest time until a round reached a consistent state.
    slowest: Duration,
    /// Number of operations that completed despite the kill.
    spared: u32,
    /// Whether to wait for the real heartbeat timeout of orphaned imports, instead of backdating heartbeats.
    waits: bool,
    /// Duration of the operation without a kill.
    took: Duration,
}

/// Polls the list of campaigns during an import, to detect a partly imported campaign.
struct Watching {
    stop: Arc<AtomicBool>,
    looking: thread::JoinHandle<Vec<String>>,
}

impl Watching {
    fn of(admin: Client, name: &str) -> Self {
        let (stop, path) = (Arc::new(AtomicBool::new(false)), format!("/api/campaigns?search={}", name.replace(' ', "%20")));
        let stopped = Arc::clone(&stop);
        let looking = thread::spawn(move || {
            let mut odd = Vec::new();
            while !stopped.load(Relaxed) {
                let page = outcome(admin.try_call_route("GET", &path, &Value::Null)).1;
                let shown = page["campaigns"].as_array().cloned().unwrap_or_default();
                odd.extend(shown.iter().filter(|campaign| campaign["total_vehicles"] != VEHICLES).map(ToString::to_string));
                thread::sleep(Duration::from_millis(50));
            }
            odd
        });
        Self { stop, looking }
    }

    /// Stops polling and asserts that no partly imported campaign was visible.
    fn ends(self) {
        self.stop.store(true, Relaxed);
        let odd = self.looking.join().unwrap();
        assert!(odd.is_empty(), "a partly imported campaign was visible: {odd:?}");
    }
}

/// Builds a campaign workbook with a unique model code, so that its vehicles are in no other campaign.
fn workbook(name: &str, model: &str) -> Vec<u8> {
    let space = |row| format!("{}-{row}", ["A", "B", "- "][(row % 3) as usize]);
    workbooks::described(name, model, VEHICLES, |row| [String::new(), format!("{row:06}"), space(row)])
}

impl Play {
    fn warm_up(&mut self) {
        let begun = Instant::now();
        let id = self.imported("Warm up", "WARM");
        self.took = begun.elapsed();
        print_to_stderr(&format!("an import of {VEHICLES} vehicles takes {:?}", self.took));
        self.admin.delete(&format!("/api/campaigns/{id}"));
    }

    fn imported(&self, name: &str, model: &str) -> i64 {
        import(&self.patio, &self.admin, &workbook(name, model))
    }

    /// Kills a service while `act` runs in another thread, restarts it, and waits until no operation is unfinished.
    fn interrupted<T: Send + 'static>(&mut self, within: Duration, act: impl FnOnce() -> T + Send + 'static) -> T {
        let victim = PROGRAM_NAMES[usize::try_from(self.dice.below(5)).unwrap()];
        let delay = Duration::from_millis(self.dice.below(1 + u64::try_from(within.as_millis()).unwrap()));
        let acting = thread::spawn(act);
        thread::sleep(delay);
        self.patio.replica_mut(victim, 0).kill();
        thread::sleep(Duration::from_millis(self.dice.below(1_000)));
        self.patio.replica_mut(victim, 0).start().unwrap();
        let begun = Instant::now();
        let done = acting.join().unwrap();
        self.patio.wait_until_ready();
        if !self.waits {
            self.ledger.age_imports();
        }
        loop {
            let unsettled = self.ledger.unsettled();
            if unsettled.is_empty() {
                break;
            }
            assert!(
                begun.elapsed() < LONGEST,
                "{victim} killed after {delay:?}: not settled: {unsettled:?}\n{}",
                self.patio.last_output_lines()
            );
            thread::sleep(Duration::from_millis(50));
        }
        self.slowest = self.slowest.max(begun.elapsed());
        self.ledger.counters_equal_the_rows();
        done
    }

    /// Returns the id and the JSON of the campaign with this name, if it is listed.
    fn shown(&self, name: &str) -> Option<(i64, Value)> {
        let page = self.admin.get(&format!("/api/campaigns?search={}", name.replace(' ', "%20")));
        let found = page["campaigns"].as_array().unwrap().first()?.clone();
        let id = found["id"].as_i64().unwrap();
        assert_eq!(found["total_vehicles"], self.admin.list_vehicles(id).len(), "the list length must equal the counter");
        Some((id, found))
    }

    fn import(&mut self, number: u32) {
        let name = format!("Import {number}.");
        let (admin, file) = (self.admin.clone(), workbook(&name, &format!("I{number}")));
        let watching = Watching::of(self.admin.clone(), &name);
        let (status, body) =
            self.interrupted(self.took, move || outcome(admin.try_upload_workbook(&uuid::Uuid::now_v7().to_string(), &file)));
        watching.ends();
        let found = self.shown(&name);
        assert!(found.is_some() || status != 201, "acknowledged but missing: {body}");
        if let Some((_, campaign)) = found {
            assert_eq!(campaign["total_vehicles"], VEHICLES, "a partly imported campaign is visible");
            self.spared += 1;
        }
        assert!((0..500).contains(&status) || status == 503 || status == 504, "{status} {body}");
    }

    fn delete(&mut self, number: u32) {
        let name = format!("Deletion {number}.");
        let id = self.imported(&name, &format!("D{number}"));
        let (admin, path) = (self.admin.clone(), format!("/api/campaigns/{id}"));
        let delete = move || outcome(admin.try_call_route("DELETE", &path, &Value::Null));
        let (status, _) = self.interrupted(Duration::from_millis(900), delete);
        match self.shown(&name) {
            Some((_, campaign)) => assert!(status != 200 && campaign["total_vehicles"] == VEHICLES, "{status} {campaign}"),
            None => {
                assert_eq!(self.ledger.number("select count(*) from vehicle.vehicles where campaign_id = $id", id), 0);
                self.spared += 1;
            }
        }
    }

    /// Sets a status for all vehicles; every second round undoes the previous one.
    fn bulk(&mut self, number: u32) {
        let name = format!("Bulk {}.", number / 2);
        let model = format!("B{}", number / 2);
        let (id, is_undo) = match self.shown(&name) {
            Some((id, _)) => (id, true),
            None => (self.imported(&name, &model), false),
        };
        let jobs = self.admin.get("/api/jobs");
        let last = jobs["jobs"].as_array().unwrap().iter().find(|job| job["kind"] == "status" && job["campaigns"][0]["id"] == id).cloned();
        let (admin, before) = (self.admin.clone(), self.with_status(id));
        let (status, body) = self.interrupted(Duration::from_millis(1_500), move || match last.filter(|_| is_undo) {
            Some(job) => outcome(admin.try_call_route("POST", &format!("/api/jobs/{}/undo", job["id"]), &Value::Null)),
            None => {
                let vins: Vec<String> = (1..=VEHICLES).map(|row| format!("{model} {row:06}")).collect();
                let insert = json!({ "vins": vins, "action": "insert", "status": "ok" });
                outcome(admin.try_call_route("POST", "/api/vehicles/bulk/status", &insert))
            }
        });
        let after = self.with_status(id);
        assert!(after == 0 || after == i64::from(VEHICLES), "{after} of {VEHICLES} were changed");
        assert!(status != 200 || after != before, "acknowledged but not done: {body}");
        let kept = "select count(*) from vehicle.jobs j join vehicle.job_campaigns k on k.job_id = j.id
                     where k.campaign_id = $id and j.kind = 'status' and j.undone_at is null";
        assert_eq!(self.ledger.number(kept, id) > 0, after > 0, "the job is recorded exactly when it was done");
        self.spared += u32::from(after != before);
    }

    fn with_status(&self, id: i64) -> i64 {
        self.ledger.number("select count(*) from vehicle.vehicles where campaign_id = $id and status = 'ok' and inspected", id)
    }
}
