//! Steady reads and saves through whichever gateway is ready, as a load balancer sends them, and a count of all that went wrong.
use patio_harness::{Answer, Campaign, Client, Patio, until};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// How often a client tries again what failed.
const TRIES: usize = 12;
/// Within which time a save is answered at last, through whatever happens.
const ANSWERED: Duration = Duration::from_secs(120);
/// How long a client waits for an answer, which nobody has to do for longer than three seconds, before it asks another gateway.
const GIVEN_UP: Duration = Duration::from_secs(5);
/// For how long all that is asked has to be answered well until it counts.
const CALM: Duration = Duration::from_secs(1);
/// How long the clients may take to ask, or to be answered, as often as a test waits for.
const UNDER_WAY: Duration = Duration::from_secs(30);
/// How long a readiness probe waits for its answer.
const PROBED: Duration = Duration::from_secs(1);

/// A gateway: who asks it, whether it is ready, and how often it has become so.
struct Entry {
    client: Client,
    ready: AtomicBool,
    generation: AtomicUsize,
}

/// How much is asked.
#[derive(Clone, Copy)]
pub struct Pace {
    /// Clients that read; one more saves each vehicle.
    pub readers: usize,
    /// Between two requests of one client.
    pub pause: Duration,
}

/// What all clients share.
pub struct Load {
    entries: Vec<Entry>,
    pace: Pace,
    asked: AtomicUsize,
    /// How many clients have begun.
    begun: AtomicUsize,
    /// When the request began that is under way, by the number of its client.
    under_way: Mutex<BTreeMap<usize, Instant>>,
    campaign: i64,
    vehicles: Vec<i64>,
    stopping: AtomicBool,
    counts: Mutex<Counts>,
}

/// What came of the requests since the last look.
#[derive(Debug, Clone)]
pub struct Counts {
    /// When that look was.
    since: Instant,
    pub reads: usize,
    pub saves: usize,
    /// First tries that were not answered well: what was asked, and what came.
    pub failed: Vec<String>,
    /// Those that failed on every try.
    pub given_up: Vec<String>,
    /// Refusals with 503 that said when to try again.
    pub asked_to_wait: usize,
    pub slowest: Duration,
    /// The slowest of those that were asked since the last look; the others had begun before.
    pub slowest_asked: Duration,
    /// When something that was asked since then was last not answered well.
    ill: Option<Instant>,
    /// When a read and a save that were asked since then were first answered well after that.
    well: [Option<Instant>; 2],
}

/// What a request is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Read,
    Save,
}

impl Default for Counts {
    fn default() -> Self {
        let (none, now) = (Duration::ZERO, Instant::now());
        let (failed, given_up) = (Vec::new(), Vec::new());
        Self {
            since: now,
            reads: 0,
            saves: 0,
            failed,
            given_up,
            asked_to_wait: 0,
            slowest: none,
            slowest_asked: none,
            ill: None,
            well: [None; 2],
        }
    }
}

impl Counts {
    /// Notes an answer to what was asked at `began`.
    fn note(&mut self, kind: Kind, began: Instant, is_well: bool) {
        let (now, place) = (Instant::now(), usize::from(kind == Kind::Save));
        self.slowest = self.slowest.max(now - began);
        if is_well {
            *[&mut self.reads, &mut self.saves][place] += 1;
        }
        if began < self.since {
            return;
        }
        self.slowest_asked = self.slowest_asked.max(now - began);
        if is_well {
            self.well[place].get_or_insert(now);
        } else {
            (self.ill, self.well) = (Some(now), [None; 2]);
        }
    }

    /// When all was well again: both kinds were answered well, and nothing was answered badly since then.
    fn recovered(&self) -> Option<Instant> {
        let quiet = self.ill.unwrap_or(self.since).elapsed() > CALM && self.reads > 10 && self.saves > 10;
        Some(self.well[0]?.max(self.well[1]?)).filter(|_| quiet)
    }
}

impl Load {
    pub fn new(patio: &Patio, admin: &Client, campaign: &Campaign, pace: Pace) -> Self {
        let entry = |url: &String| Entry { client: admin.at(url), ready: AtomicBool::new(false), generation: AtomicUsize::new(0) };
        Self {
            entries: patio.gateways().iter().map(entry).collect(),
            pace,
            asked: AtomicUsize::new(0),
            begun: AtomicUsize::new(0),
            under_way: Mutex::default(),
            campaign: campaign.id,
            vehicles: campaign.vehicle_ids(),
            stopping: AtomicBool::new(false),
            counts: Mutex::default(),
        }
    }

    /// Puts load on while `meanwhile` runs, and checks in the end that every save that was acknowledged is there, once.
    pub fn during<T>(&self, meanwhile: impl FnOnce() -> T) -> T {
        let (done, saved) = std::thread::scope(|scope| {
            let watch = scope.spawn(|| self.watch());
            let stop = Stop(self);
            until("both gateways are ready", UNDER_WAY, || self.entries.iter().all(|entry| entry.ready.load(Ordering::Relaxed)));
            let readers: Vec<_> = (0..self.pace.readers).map(|n| scope.spawn(move || self.read(n))).collect();
            let savers = self.vehicles.iter().zip(self.pace.readers..);
            let savers: Vec<_> = savers.map(|(id, n)| scope.spawn(move || (*id, self.save(*id, n)))).collect();
            until("all clients have begun", UNDER_WAY, || self.begun.load(Ordering::Relaxed) == self.clients());
            let done = meanwhile();
            drop(stop);
            readers.into_iter().for_each(|reader| reader.join().unwrap());
            let saved: Vec<_> = savers.into_iter().map(|saver| saver.join().unwrap()).collect();
            watch.join().unwrap();
            (done, saved)
        });
        for (id, (version, notes)) in saved {
            for entry in &self.entries {
                let found = entry.client.vehicle(id);
                assert_eq!((&found["version"], &found["operator_notes"]), (&json!(version), &json!(notes)), "vehicle {id}");
            }
        }
        done
    }

    /// What came since the last look.
    pub fn taken(&self) -> Counts {
        std::mem::take(&mut *self.counts.lock().unwrap())
    }

    /// Waits until all that is asked is answered well, and stays so for a second; when it began to be so.
    #[track_caller]
    pub fn until_well(&self, patience: Duration) -> Instant {
        self.taken();
        let mut since = None;
        until("what is asked in a second is answered well", patience, || {
            since = self.counts.lock().unwrap().recovered();
            since.is_some()
        });
        since.unwrap()
    }

    /// How many requests were made since the beginning, tries that failed included.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// How many clients there are, each with one request under way.
    pub fn clients(&self) -> usize {
        self.pace.readers + self.vehicles.len()
    }

    /// Waits for the ends of the requests that are under way, and forgets what came so far.
    pub fn settle(&self) {
        self.until_over(Instant::now());
        self.taken();
    }

    /// Waits for the ends of the requests that began before a moment.
    pub fn until_over(&self, moment: Instant) {
        let is_over = || self.under_way.lock().unwrap().values().all(|began| *began > moment);
        until("the requests under way have ended", UNDER_WAY, is_over);
    }

    /// Lets a time pass in the long form; in the short one until as many requests were made as there are clients.
    pub fn pass(&self, long: bool, time: Duration) {
        if long { std::thread::sleep(time) } else { self.until_asked(self.clients()) }
    }

    /// Waits until so many requests more were made.
    pub fn until_asked(&self, requests: usize) {
        let before = self.asked();
        until("clients ask", UNDER_WAY, || self.asked() >= before + requests);
    }

    /// Waits until what came since the last look is so.
    pub fn until(&self, what: &str, is_so: impl Fn(&Counts) -> bool) {
        until(what, UNDER_WAY, || is_so(&self.counts.lock().unwrap()));
    }

    /// Makes ready for another round.
    pub fn again(&self) {
        self.stopping.store(false, Ordering::Relaxed);
        self.begun.store(0, Ordering::Relaxed);
        self.taken();
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Asks both gateways again and again whether they are ready, over connections of their own.
    fn watch(&self) {
        let probes: Vec<_> = self.entries.iter().map(|entry| (entry, entry.client.without_reuse(PROBED))).collect();
        while !self.is_stopping() {
            for (entry, probe) in &probes {
                let ready = probe.try_call("GET", "/readyz", &Value::Null).is_ok_and(|answer| answer.status == 200);
                if ready && !entry.ready.swap(ready, Ordering::Relaxed) {
                    entry.generation.fetch_add(1, Ordering::Relaxed);
                }
                entry.ready.store(ready, Ordering::Relaxed);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    fn read(&self, n: usize) {
        let paths = [
            format!("/api/vehicles/campaign/{}?page=0&size=20", self.campaign),
            "/api/campaigns".to_owned(),
            format!("/api/vehicles/{}", self.vehicles[0]),
            "/api/users".to_owned(),
        ];
        let mut client = Worker::new(self, n);
        self.begun.fetch_add(1, Ordering::Relaxed);
        for turn in n.. {
            if self.is_stopping() {
                return;
            }
            let path = &paths[turn % paths.len()];
            client.until_done(path, Kind::Read, |client| client.get(path));
        }
    }

    /// Saves one vehicle again and again; its version and notes as last acknowledged.
    fn save(&self, id: i64, n: usize) -> (i64, String) {
        let (path, mut client) = (format!("/api/vehicles/{id}"), Worker::new(self, n));
        let mut version = self.entries[0].client.vehicle(id)["version"].as_i64().unwrap();
        let mut notes = String::new();
        self.begun.fetch_add(1, Ordering::Relaxed);
        for turn in 0.. {
            if self.is_stopping() {
                break;
            }
            let (key, text) = (uuid::Uuid::now_v7().to_string(), format!("save {turn}"));
            // As a phone does, it keeps a save that it gave up for now: whether that was done is known only when it is answered.
            let (body, began) = (json!({ "operator_notes": text }), Instant::now());
            let saved = loop {
                if let Some(saved) = client.until_done(&path, Kind::Save, |client| client.put(&path, &key, &body)) {
                    break saved;
                }
                assert!(began.elapsed() < ANSWERED, "save {turn} of vehicle {id} is never answered");
            };
            assert_eq!(saved["version"].as_i64().unwrap(), version + 1, "save {turn} of vehicle {id} was done once");
            (version, notes) = (version + 1, text);
        }
        (version, notes)
    }
}

/// Ends the load, also when what was meanwhile fails: else the failure would wait for the load for ever.
struct Stop<'l>(&'l Load);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stopping.store(true, Ordering::Relaxed);
    }
}

/// One client with its own connections.
struct Worker<'l> {
    load: &'l Load,
    number: usize,
    clients: Vec<(usize, Client)>,
    turn: usize,
}

impl<'l> Worker<'l> {
    fn new(load: &'l Load, number: usize) -> Self {
        let clients = load.entries.iter().map(|entry| (entry.generation.load(Ordering::Relaxed), entry.client.with_timeout(GIVEN_UP)));
        Self { load, number, clients: clients.collect(), turn: number }
    }

    /// The next gateway that is ready; connections to one that was away are not used again.
    fn next(&mut self) -> Client {
        self.turn += 1;
        let count = self.load.entries.len();
        let ready = (0..count).map(|n| (self.turn + n) % count).find(|n| self.load.entries[*n].ready.load(Ordering::Relaxed));
        let n = ready.unwrap_or(self.turn % count);
        let entry = &self.load.entries[n];
        let generation = entry.generation.load(Ordering::Relaxed);
        if self.clients[n].0 != generation {
            self.clients[n] = (generation, entry.client.with_timeout(GIVEN_UP));
        }
        self.clients[n].1.clone()
    }

    fn get(&mut self, path: &str) -> Result<Value, String> {
        let answer = self.next().try_call("GET", path, &Value::Null);
        self.outcome(answer.map_err(|cause| cause.to_string())?)
    }

    fn put(&mut self, path: &str, key: &str, body: &Value) -> Result<Value, String> {
        let client = self.next();
        let request = client.request("PUT", path).header("idempotency-key", key).header("content-type", "application/json");
        self.outcome(client.try_send(request, body.to_string()).map_err(|cause| cause.to_string())?)
    }

    fn outcome(&self, answer: Answer) -> Result<Value, String> {
        if answer.is_success() {
            return Ok(answer.json());
        }
        let waits = answer.status == 503 && answer.header("retry-after").is_some();
        self.load.counts.lock().unwrap().asked_to_wait += usize::from(waits);
        Err(format!("{}{}", answer.status, if waits { " wait" } else { "" }))
    }

    /// Tries until it is done; what failed is noted with how long it took.
    fn until_done(&mut self, what: &str, kind: Kind, mut act: impl FnMut(&mut Self) -> Result<Value, String>) -> Option<Value> {
        for tried in 0..TRIES {
            let started = Instant::now();
            self.load.asked.fetch_add(1, Ordering::Relaxed);
            self.load.under_way.lock().unwrap().insert(self.number, started);
            let outcome = act(self);
            self.load.under_way.lock().unwrap().remove(&self.number);
            let mut counts = self.load.counts.lock().unwrap();
            counts.note(kind, started, outcome.is_ok());
            match outcome {
                Ok(answer) => {
                    drop(counts);
                    std::thread::sleep(self.load.pace.pause);
                    return Some(answer);
                }
                Err(cause) if tried == 0 => counts.failed.push(format!("{what}: {cause} after {:?}", started.elapsed())),
                Err(_) => {}
            }
            drop(counts);
            std::thread::sleep(Duration::from_millis(if tried < 2 { 100 } else { 500 }));
        }
        self.load.counts.lock().unwrap().given_up.push(what.to_owned());
        None
    }
}
