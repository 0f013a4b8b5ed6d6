//! Load generator: constant reads and saves through any ready gateway, like behind a load balancer, with counts of all failures.
use patio_harness::{Client, HttpResponse, ImportedCampaign, Patio, Replica, wait_until};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

/// Maximum number of attempts per request.
const TRIES: usize = 12;
/// Maximum time until a save succeeds, including retries.
const ANSWERED: Duration = Duration::from_secs(120);
/// Timeout of one attempt, after which the client tries another gateway. Patio must respond within three seconds.
const GIVEN_UP: Duration = Duration::from_secs(5);
/// Time that all requests must succeed before Patio counts as recovered.
const CALM: Duration = Duration::from_secs(1);
/// Maximum wait for the number of requests or responses that a test needs.
const UNDER_WAY: Duration = Duration::from_secs(30);
/// Timeout of a readiness probe.
const PROBED: Duration = Duration::from_secs(1);

/// A gateway: its URL, readiness, and number of times it became ready.
struct Entry {
    client: Client,
    /// Client of the admin port, which serves the readiness probe.
    admin: Client,
    ready: AtomicBool,
    generation: AtomicUsize,
}

/// Amount of load.
#[derive(Clone, Copy)]
pub struct Pace {
    /// Number of reading clients; in addition, one client per vehicle saves.
    pub readers: usize,
    /// Pause between two requests of one client.
    pub pause: Duration,
}

/// State that all clients share.
pub struct Load {
    entries: Vec<Entry>,
    pace: Pace,
    asked: AtomicUsize,
    /// Number of clients that have started.
    begun: AtomicUsize,
    /// Start time of the open request, by client number.
    under_way: Mutex<BTreeMap<usize, Instant>>,
    campaign: i64,
    vehicles: Vec<i64>,
    stopping: AtomicBool,
    counts: Mutex<Counts>,
}

/// Results of the requests since the previous check.
#[derive(Debug, Clone)]
pub struct Counts {
    /// Time of the previous check.
    since: Instant,
    pub reads: usize,
    pub saves: usize,
    /// Failed first attempts: request and response.
    pub failed: Vec<String>,
    /// Requests that failed on every attempt.
    pub given_up: Vec<String>,
    /// Number of 503 responses with `Retry-After`.
    pub asked_to_wait: usize,
    pub slowest: Duration,
    /// Duration of the slowest request that started after the previous check.
    pub slowest_asked: Duration,
    /// Time of the latest failure of a request that started after the previous check.
    ill: Option<Instant>,
    /// Times of the first successful read and save after the latest failure.
    well: [Option<Instant>; 2],
}

/// Kind of a request.
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
    /// Records the result of a request that started at `began`.
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

    /// Returns the time of recovery: a read and a save succeeded and no request has failed since.
    fn recovered(&self) -> Option<Instant> {
        let quiet = self.ill.unwrap_or(self.since).elapsed() > CALM && self.reads > 10 && self.saves > 10;
        Some(self.well[0]?.max(self.well[1]?)).filter(|_| quiet)
    }
}

impl Load {
    pub fn new(patio: &Patio, admin: &Client, campaign: &ImportedCampaign, pace: Pace) -> Self {
        let entry = |gateway: &Replica| Entry {
            client: admin.with_url(&gateway.url()),
            admin: admin.with_url(&gateway.admin_url()),
            ready: AtomicBool::new(false),
            generation: AtomicUsize::new(0),
        };
        Self {
            entries: patio.replicas().filter(|replica| ["gateway", "patio"].contains(&replica.program)).map(entry).collect(),
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

    /// Generates load while `meanwhile` runs. Asserts at the end that every acknowledged save is stored exactly once.
    pub fn during<T>(&self, meanwhile: impl FnOnce() -> T) -> T {
        let (done, saved) = std::thread::scope(|scope| {
            let watch = scope.spawn(|| self.watch());
            let stop = Stop(self);
            wait_until("both gateways are ready", UNDER_WAY, || self.entries.iter().all(|entry| entry.ready.load(Ordering::Relaxed)));
            let readers: Vec<_> = (0..self.pace.readers).map(|n| scope.spawn(move || self.read(n))).collect();
            let savers = self.vehicles.iter().zip(self.pace.readers..);
            let savers: Vec<_> = savers.map(|(id, n)| scope.spawn(move || (*id, self.save(*id, n)))).collect();
            wait_until("all clients have started", UNDER_WAY, || self.begun.load(Ordering::Relaxed) == self.clients());
            let done = meanwhile();
            drop(stop);
            readers.into_iter().for_each(|reader| reader.join().unwrap());
            let saved: Vec<_> = savers.into_iter().map(|saver| saver.join().unwrap()).collect();
            watch.join().unwrap();
            (done, saved)
        });
        for (id, (version, notes)) in saved {
            for entry in &self.entries {
                let found = entry.client.get_vehicle(id);
                assert_eq!((&found["version"], &found["operator_notes"]), (&json!(version), &json!(notes)), "vehicle {id}");
            }
        }
        done
    }

    /// Returns the results since the previous check and resets them.
    pub fn taken(&self) -> Counts {
        std::mem::take(&mut *self.counts.lock().unwrap())
    }

    /// Waits until all requests succeed for a second. Returns the time when that began.
    #[track_caller]
    pub fn until_well(&self, patience: Duration) -> Instant {
        self.taken();
        let mut since = None;
        wait_until("all requests of a second succeed", patience, || {
            since = self.counts.lock().unwrap().recovered();
            since.is_some()
        });
        since.unwrap()
    }

    /// Returns the number of requests since the start, including failed attempts.
    pub fn asked(&self) -> usize {
        self.asked.load(Ordering::Relaxed)
    }

    /// Returns the number of clients; each has one open request.
    pub fn clients(&self) -> usize {
        self.pace.readers + self.vehicles.len()
    }

    /// Waits until the open requests complete, and resets the results.
    pub fn settle(&self) {
        self.until_over(Instant::now());
        self.taken();
    }

    /// Waits until all requests that started before `moment` are complete.
    pub fn until_over(&self, moment: Instant) {
        let is_over = || self.under_way.lock().unwrap().values().all(|began| *began > moment);
        wait_until("the open requests have completed", UNDER_WAY, is_over);
    }

    /// Waits for `time` in the long form; in the short form, for one request per client.
    pub fn pass(&self, long: bool, time: Duration) {
        if long { std::thread::sleep(time) } else { self.until_asked(self.clients()) }
    }

    /// Waits for a number of further requests.
    pub fn until_asked(&self, requests: usize) {
        let before = self.asked();
        wait_until("clients ask", UNDER_WAY, || self.asked() >= before + requests);
    }

    /// Waits until the results since the previous check fulfil a condition.
    pub fn until(&self, what: &str, is_so: impl Fn(&Counts) -> bool) {
        wait_until(what, UNDER_WAY, || is_so(&self.counts.lock().unwrap()));
    }

    /// Resets the state for another round.
    pub fn again(&self) {
        self.stopping.store(false, Ordering::Relaxed);
        self.begun.store(0, Ordering::Relaxed);
        self.taken();
    }

    fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }

    /// Polls the readiness of both gateways over separate connections.
    fn watch(&self) {
        let probes: Vec<_> = self.entries.iter().map(|entry| (entry, entry.admin.without_connection_reuse(PROBED))).collect();
        while !self.is_stopping() {
            for (entry, probe) in &probes {
                let ready = probe.try_call_route("GET", "/readyz", &Value::Null).is_ok_and(|answer| answer.status == 200);
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

    /// Saves one vehicle repeatedly. Returns the last acknowledged version and notes.
    fn save(&self, id: i64, n: usize) -> (i64, String) {
        let (path, mut client) = (format!("/api/vehicles/{id}"), Worker::new(self, n));
        let mut version = self.entries[0].client.get_vehicle(id)["version"].as_i64().unwrap();
        let mut notes = String::new();
        self.begun.fetch_add(1, Ordering::Relaxed);
        for turn in 0.. {
            if self.is_stopping() {
                break;
            }
            let (key, text) = (uuid::Uuid::now_v7().to_string(), format!("save {turn}"));
            // Like a phone, it retries a failed save with the same key, because only a response shows whether the save was stored.
            let (body, began) = (json!({ "operator_notes": text }), Instant::now());
            let saved = loop {
                if let Some(saved) = client.until_done(&path, Kind::Save, |client| client.put(&path, &key, &body)) {
                    break saved;
                }
                assert!(began.elapsed() < ANSWERED, "save {turn} of vehicle {id} got no response in time");
            };
            assert_eq!(saved["version"].as_i64().unwrap(), version + 1, "save {turn} of vehicle {id} must be stored once");
            (version, notes) = (version + 1, text);
        }
        (version, notes)
    }
}

/// Guard that stops the load, also on a panic, which would otherwise wait for the clients forever.
struct Stop<'l>(&'l Load);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.stopping.store(true, Ordering::Relaxed);
    }
}

/// One load client with its own connections.
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

    /// Returns a client for the next ready gateway. Connections to a gateway that was down are not reused.
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
        let answer = self.next().try_call_route("GET", path, &Value::Null);
        self.outcome(answer.map_err(|cause| cause.to_string())?)
    }

    fn put(&mut self, path: &str, key: &str, body: &Value) -> Result<Value, String> {
        let client = self.next();
        let request = client.build_request("PUT", path).header("idempotency-key", key).header("content-type", "application/json");
        self.outcome(client.try_send(request, body.to_string()).map_err(|cause| cause.to_string())?)
    }

    fn outcome(&self, answer: HttpResponse) -> Result<Value, String> {
        if answer.is_success() {
            return Ok(answer.json());
        }
        let waits = answer.status == 503 && answer.header("retry-after").is_some();
        self.load.counts.lock().unwrap().asked_to_wait += usize::from(waits);
        Err(format!("{}{}", answer.status, if waits { " wait" } else { "" }))
    }

    /// Repeats a request until it succeeds, and records each failed attempt with its duration.
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
