//! Vehicle list of one phone: loaded once, then updated only by live events and delta requests.
use super::{
    person::{PATIENCE, Person},
    phone::World,
};
use patio_harness::ServerSentEvent;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// Rows of the list by vehicle id.
pub type Rows = BTreeMap<i64, Value>;

/// Vehicle list on one phone. Clones share the list.
#[derive(Clone, Default)]
pub struct Screen(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    revision: i64,
    rows: Rows,
}

/// Loads the full list and its revision, with retries.
pub fn whole(person: &Person, campaign: i64) -> (i64, Rows) {
    loop {
        let answer = person.call("GET", &format!("/api/vehicles/campaign/{campaign}/all"), &Value::Null);
        if let Some(answer) = answer.filter(|answer| answer.status == 200)
            && let Some(revision) = answer.header("x-revision").and_then(|revision| revision.parse().ok())
        {
            return (revision, by_id(&answer.json()));
        }
        thread::sleep(Duration::from_millis(20));
    }
}

fn by_id(rows: &Value) -> Rows {
    rows.as_array().unwrap().iter().map(|row| (row["id"].as_i64().unwrap(), row.clone())).collect()
}

impl Screen {
    /// Follows the campaign until the test ends. The stream is cut from time to time while network faults are enabled.
    pub fn follow(self, world: Arc<World>, hmc: String, mut chance: impl FnMut() -> u64 + Send + 'static) {
        thread::spawn(move || {
            let mut person = Person::signed_in(&world.chief, &hmc);
            let (revision, rows) = whole(&person, world.campaign);
            *self.0.lock().unwrap() = Held { revision, rows };
            while !world.is_over() {
                if self.listen(&world, &person, 20 + chance() % 200).is_none() && !world.is_over() {
                    person.sign_in();
                }
                thread::sleep(Duration::from_millis(50 + chance() % 300));
            }
        });
    }

    /// Receives one stream until it is cut. Returns `None` if it could not be opened.
    fn listen(&self, world: &World, person: &Person, cut_after: u64) -> Option<()> {
        let events = person.client.open_event_stream(&format!("/api/events?campaign={}", world.campaign), PATIENCE).ok()?;
        self.catch_up(person, world.campaign)?;
        for (seen, event) in (1..).zip(events) {
            self.hear(world, person, &event)?;
            if seen > cut_after && !world.is_calm() {
                break;
            }
        }
        Some(())
    }

    /// Requests the changes since the known revision. Returns `None` without a response.
    fn catch_up(&self, person: &Person, campaign: i64) -> Option<()> {
        let since = self.0.lock().unwrap().revision;
        let answer = person.call("GET", &format!("/api/vehicles/campaign/{campaign}/changes?since={since}"), &Value::Null)?;
        if answer.status != 200 {
            return None;
        }
        let changes = answer.json();
        if changes["whole"] == true {
            let (revision, rows) = whole(person, campaign);
            *self.0.lock().unwrap() = Held { revision, rows };
            return Some(());
        }
        let mut held = self.0.lock().unwrap();
        held.take(by_id(&changes["vehicles"]));
        held.revision = changes["revision"].as_i64().unwrap().max(held.revision);
        Some(())
    }

    fn hear(&self, world: &World, person: &Person, ServerSentEvent { name, data }: &ServerSentEvent) -> Option<()> {
        match name.as_str() {
            "vehicles" => {
                let rows = by_id(&data["vehicles"]);
                rows.iter().for_each(|(id, row)| world.heard(*id, row["version"].as_i64().unwrap()));
                let (mut held, revision) = (self.0.lock().unwrap(), data["revision"].as_i64().unwrap());
                held.take(rows);
                held.revision += i64::from(revision == held.revision + 1);
                Some(())
            }
            "changed" => self.catch_up(person, world.campaign),
            _ => Some(()),
        }
    }

    /// Returns the rows that the phone shows.
    pub fn rows(&self) -> Rows {
        self.0.lock().unwrap().rows.clone()
    }

    /// Returns the first vehicles whose rows differ from `truth`, as text.
    pub fn differs(&self, truth: &Rows) -> String {
        let held = self.rows();
        let odd = truth.iter().filter(|(id, row)| held.get(id) != Some(row)).take(3);
        odd.map(|(id, row)| format!("{row} is shown as {:?}\n", held.get(id))).collect()
    }
}

impl Held {
    /// Applies rows that are newer than the stored ones.
    fn take(&mut self, rows: Rows) {
        for (id, row) in rows {
            let newer = self.rows.get(&id).is_none_or(|held| held["version"].as_i64() < row["version"].as_i64());
            if newer {
                self.rows.insert(id, row);
            }
        }
    }
}
