//! A simulated phone: an inspector saves into an outbox, which is sent over an unreliable network.
use super::{
    person::{PATIENCE, Person},
    screen::{self, Screen},
};
use crate::dice::Dice;
use patio_harness::Client;
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    fmt,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
    },
    thread,
    time::{Duration, Instant},
};

/// Number of vehicles that all phones change most often, to cause conflicts.
const CROWDED: usize = 40;

/// State that all phones share.
pub struct World {
    /// Client of the supervisor.
    pub chief: Client,
    pub campaign: i64,
    calm: AtomicBool,
    over: AtomicBool,
    /// Acknowledgement time per vehicle id and version, to measure the delay of live events.
    acknowledged: Mutex<HashMap<(i64, i64), Instant>>,
    delays: Mutex<Vec<Duration>>,
    waited: AtomicUsize,
}

impl World {
    pub fn new(chief: Client, campaign: i64) -> Self {
        Self {
            chief,
            campaign,
            calm: AtomicBool::new(false),
            over: AtomicBool::new(false),
            acknowledged: Mutex::default(),
            delays: Mutex::default(),
            waited: AtomicUsize::new(0),
        }
    }

    /// Ends new saves and network faults, so that only the outboxes are sent.
    pub fn calm(&self) {
        self.calm.store(true, Relaxed);
    }

    pub fn is_calm(&self) -> bool {
        self.calm.load(Relaxed)
    }

    /// Returns `true` if the test has ended, passed or failed.
    pub fn is_over(&self) -> bool {
        self.over.load(Relaxed)
    }

    /// Returns the number of saves in the outboxes when new saves ended.
    pub fn waited(&self) -> usize {
        self.waited.load(Relaxed)
    }

    fn acknowledge(&self, id: i64, version: i64) {
        self.acknowledged.lock().unwrap().entry((id, version)).or_insert_with(Instant::now);
    }

    /// Records that a stream delivered a version. A delivery before the acknowledgement counts as no delay.
    pub fn heard(&self, id: i64, version: i64) {
        let delay = self.acknowledged.lock().unwrap().get(&(id, version)).map(Instant::elapsed).unwrap_or_default();
        self.delays.lock().unwrap().push(delay);
    }

    /// Returns the delays of live events as text.
    pub fn delays_as_text(&self) -> String {
        let mut delays = self.delays.lock().unwrap().clone();
        delays.sort();
        let part = |of: usize| delays.get(delays.len().saturating_sub(1) * of / 1000).copied().unwrap_or_default();
        format!(
            "{} changes told over streams: p50 {:?}, p99 {:?}, p99.9 {:?} after the answer",
            delays.len(),
            part(500),
            part(990),
            part(999)
        )
    }
}

/// Guard that stops all threads when the test ends, passed or failed.
pub struct End(pub Arc<World>);

impl Drop for End {
    fn drop(&mut self) {
        self.0.calm();
        self.0.over.store(true, Relaxed);
    }
}

/// One save in a phone's outbox.
#[derive(Debug, Clone)]
pub struct Save {
    pub key: String,
    pub vehicle: i64,
    pub body: Value,
}

/// Statistics of one phone.
#[derive(Default)]
pub struct Counts {
    pub saves: usize,
    sent: usize,
    lost: usize,
    twice: usize,
    reordered: usize,
    signed_out: usize,
    away: usize,
}

impl Counts {
    pub fn add(&mut self, other: &Self) {
        self.saves += other.saves;
        self.sent += other.sent;
        self.lost += other.lost;
        self.twice += other.twice;
        self.reordered += other.reordered;
        self.signed_out += other.signed_out;
        self.away += other.away;
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { saves, sent, lost, twice, reordered, signed_out, away } = self;
        write!(f, "{saves} saves in {sent} sends: {lost} answers lost, {twice} sent twice at once, {reordered} out of order, ")?;
        write!(f, "{signed_out} refused for an ended session, {away} found nobody")
    }
}

/// Result of a phone: all of its saves, each acknowledged.
pub struct Done {
    pub saves: Vec<Save>,
    pub counts: Counts,
}

/// Status and notes of a vehicle as the inspector sees them.
type Seen = (String, String);

pub struct Phone {
    world: Arc<World>,
    number: usize,
    person: Person,
    pub screen: Screen,
    seen: BTreeMap<i64, Seen>,
    outbox: VecDeque<Save>,
    saves: Vec<Save>,
    counts: Counts,
    dice: Dice,
}

impl Phone {
    pub fn new(world: &Arc<World>, number: usize, seed: u64) -> Self {
        let hmc = format!("op{number}");
        let person = Person::signed_in(&world.chief, &hmc);
        let (_, rows) = screen::whole(&person, world.campaign);
        let seen = rows.keys().map(|id| (*id, (String::new(), String::new()))).collect();
        let dice = Dice(seed.wrapping_mul(2 * u64::try_from(number).unwrap() + 3) | 1);
        let (screen, mut other) = (Screen::default(), Dice(dice.0.rotate_left(17) | 1));
        screen.clone().follow(Arc::clone(world), hmc, move || other.below(1 << 32));
        let (world, counts) = (Arc::clone(world), Counts::default());
        Self { world, number, person, screen, seen, outbox: VecDeque::new(), saves: Vec::new(), counts, dice }
    }

    /// Inspects until new saves end, then sends the rest of the outbox.
    pub fn work(mut self) -> Done {
        while !self.world.is_calm() {
            self.inspect();
            // The phone is offline from time to time.
            if self.dice.below(100) < 75 {
                self.send(true);
            }
            thread::sleep(Duration::from_millis(100 + self.dice.below(250)));
        }
        self.world.waited.fetch_add(self.outbox.len(), Relaxed);
        while !self.outbox.is_empty() && !self.world.is_over() {
            self.send(false);
        }
        self.counts.saves = self.saves.len();
        Done { saves: self.saves, counts: self.counts }
    }

    /// Adds a save to the outbox, based on the values that this phone knows.
    fn inspect(&mut self) {
        let among = if self.dice.below(2) == 0 { CROWDED } else { self.seen.len() };
        let place = usize::try_from(self.dice.below(u64::try_from(among).unwrap())).unwrap();
        let (vehicle, (status, notes)) = self.seen.iter().nth(place).map(|(id, seen)| (*id, seen.clone())).unwrap();
        let key = format!("phone-{}-save-{}", self.number, self.saves.len());
        let at = chrono::DateTime::from_timestamp(1_700_000_000 + i64::try_from(self.dice.below(1 << 20)).unwrap(), 0);
        let mut body = json!({ "operator_notes": key, "base": { "operator_notes": notes }, "on_conflict": "keep", "device": key,
                               "device_time": at.map(|at| at.to_rfc3339()), "origin": "scanned" });
        let mut found = status.clone();
        if self.dice.below(10) < 7 {
            let steps: &[&str] = match status.as_str() {
                "" => &["ok", "ng", "Not Found"],
                "Repair" => &["Repair OK"],
                _ => &["Repair"],
            };
            steps[usize::try_from(self.dice.below(steps.len() as u64)).unwrap()].clone_into(&mut found);
            (body["status"], body["base"]["status"]) = (json!(found), json!(status));
        }
        self.seen.insert(vehicle, (found, key.clone()));
        let save = Save { key, vehicle, body };
        self.outbox.push_back(save.clone());
        self.saves.push(save);
    }

    /// Sends saves from the outbox until one fails.
    fn send(&mut self, disturbed: bool) {
        for _ in 0..4 {
            if disturbed && self.outbox.len() > 1 && self.dice.below(10) == 0 {
                self.counts.reordered += 1;
                self.outbox.rotate_left(1);
            }
            let Some(save) = self.outbox.front().cloned() else { return };
            if disturbed && self.dice.below(40) == 0 {
                // Ends the session without the phone noticing.
                self.person.call("DELETE", "/api/sessions", &Value::Null);
            }
            let patience = match self.dice.below(100) {
                0..15 if disturbed => Duration::from_millis(1 + self.dice.below(60)),
                _ => PATIENCE,
            };
            if !self.sent(&save, patience, disturbed) {
                thread::sleep(Duration::from_millis(20 + self.dice.below(100)));
                return;
            }
        }
    }

    /// Sends one save. Returns `true` if it was acknowledged.
    fn sent(&mut self, save: &Save, patience: Duration, disturbed: bool) -> bool {
        let path = format!("/api/vehicles/{}", save.vehicle);
        self.counts.sent += 1;
        let twin = (disturbed && self.dice.below(10) == 0).then(|| {
            self.counts.twice += 1;
            let (person, path, save) = (self.person.clone(), path.clone(), save.clone());
            thread::spawn(move || person.save(&path, &save.key, &save.body, PATIENCE))
        });
        let answer = self.person.save(&path, &save.key, &save.body, patience);
        if let Some(twin) = twin {
            let _ = twin.join();
        }
        let Some(answer) = answer else {
            self.counts.lost += usize::from(patience < PATIENCE);
            self.counts.away += usize::from(patience == PATIENCE);
            return false;
        };
        match answer.status {
            200 => self.acknowledged(save, &answer.json()),
            401 => {
                self.counts.signed_out += 1;
                self.person.sign_in();
                return false;
            }
            500.. => {
                self.counts.away += 1;
                return false;
            }
            _ => panic!("{}: {answer:?}", save.body),
        }
        true
    }

    fn acknowledged(&mut self, save: &Save, vehicle: &Value) {
        self.outbox.retain(|waiting| waiting.key != save.key);
        self.world.acknowledge(save.vehicle, vehicle["version"].as_i64().unwrap());
        // A pending save is newer than the server's state.
        if self.outbox.iter().all(|waiting| waiting.vehicle != save.vehicle) {
            let text = |field: &str| vehicle[field].as_str().unwrap().to_owned();
            self.seen.insert(save.vehicle, (text("status"), text("operator_notes")));
        }
    }
}
