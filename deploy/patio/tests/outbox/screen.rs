//! What one phone shows of the campaign: the list it fetched, and since then only what was told and asked for.
use crate::{client::Client, phone::World};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader},
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

/// Rows of the list by vehicle.
pub type Rows = BTreeMap<i64, Value>;

/// The list as one phone holds it; clones share it.
#[derive(Clone, Default)]
pub struct Screen(Arc<Mutex<Held>>);

#[derive(Default)]
struct Held {
    revision: i64,
    rows: Rows,
}

/// The whole list with its revision, as soon as it comes.
pub fn whole(client: &Client, campaign: i64) -> (i64, Rows) {
    loop {
        let answer = client.call("GET", &format!("/api/vehicles/campaign/{campaign}/all"), None);
        if let Some((revision, rows)) =
            answer.filter(|answer| answer.status == 200).and_then(|answer| Some((answer.revision?, answer.body)))
        {
            return (revision, by_id(&rows));
        }
        thread::sleep(Duration::from_millis(100));
    }
}

fn by_id(rows: &Value) -> Rows {
    rows.as_array().unwrap().iter().map(|row| (row["id"].as_i64().unwrap(), row.clone())).collect()
}

impl Screen {
    /// Follows the campaign for ever, with a stream that is cut now and then until all is calm.
    pub fn follow(self, world: Arc<World>, hmc: String, mut chance: impl FnMut() -> u64 + Send + 'static) {
        thread::spawn(move || {
            let mut client = Client::signed_in(&world.url, &hmc);
            let (revision, rows) = whole(&client, world.campaign);
            *self.0.lock().unwrap() = Held { revision, rows };
            loop {
                if self.listen(&world, &client, 20 + chance() % 200).is_none() {
                    client.sign_in();
                }
                thread::sleep(Duration::from_millis(50 + chance() % 300));
            }
        });
    }

    /// Listens to one stream until it is cut; nothing when it could not be opened.
    fn listen(&self, world: &World, client: &Client, cut_after: u64) -> Option<()> {
        let stream = client.events(world.campaign)?;
        self.catch_up(client, world.campaign)?;
        let (mut name, mut seen) = (String::new(), 0);
        for line in BufReader::new(stream).lines() {
            let Ok(line) = line else { break };
            if let Some(told) = line.strip_prefix("event: ") {
                told.clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data: ") {
                self.hear(world, client, &name, &serde_json::from_str(data).unwrap())?;
                seen += 1;
                if seen > cut_after && !world.is_calm() {
                    break;
                }
            }
        }
        Some(())
    }

    /// Asks for what changed since; nothing when no answer came.
    fn catch_up(&self, client: &Client, campaign: i64) -> Option<()> {
        let since = self.0.lock().unwrap().revision;
        let answer = client.call("GET", &format!("/api/vehicles/campaign/{campaign}/changes?since={since}"), None)?;
        if answer.status != 200 {
            return None;
        }
        if answer.body["whole"] == true {
            let (revision, rows) = whole(client, campaign);
            *self.0.lock().unwrap() = Held { revision, rows };
            return Some(());
        }
        let mut held = self.0.lock().unwrap();
        held.take(by_id(&answer.body["vehicles"]));
        held.revision = answer.body["revision"].as_i64().unwrap().max(held.revision);
        Some(())
    }

    fn hear(&self, world: &World, client: &Client, name: &str, data: &Value) -> Option<()> {
        match name {
            "vehicles" => {
                let rows = by_id(&data["vehicles"]);
                rows.iter().for_each(|(id, row)| world.heard(*id, row["version"].as_i64().unwrap()));
                let (mut held, revision) = (self.0.lock().unwrap(), data["revision"].as_i64().unwrap());
                held.take(rows);
                held.revision += i64::from(revision == held.revision + 1);
                Some(())
            }
            "changed" => self.catch_up(client, world.campaign),
            _ => Some(()),
        }
    }

    /// What it shows.
    pub fn rows(&self) -> Rows {
        self.0.lock().unwrap().rows.clone()
    }

    /// The first vehicles that it shows otherwise.
    pub fn differs(&self, truth: &Rows) -> String {
        let held = self.rows();
        let odd = truth.iter().filter(|(id, row)| held.get(id) != Some(row)).take(3);
        odd.map(|(id, row)| format!("{row} is shown as {:?}\n", held.get(id))).collect()
    }
}

impl Held {
    /// Takes over what is newer than what is held.
    fn take(&mut self, rows: Rows) {
        for (id, row) in rows {
            let newer = self.rows.get(&id).is_none_or(|held| held["version"].as_i64() < row["version"].as_i64());
            if newer {
                self.rows.insert(id, row);
            }
        }
    }
}
