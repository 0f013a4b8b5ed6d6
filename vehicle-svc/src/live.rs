//! Telling whoever watches what happens, over all replicas.
//!
//! What is told comes after the commit it tells of, never holds it up, and may be lost with a process: whoever watches
//! asks for what changed since when the stream was cut. What only others could not be told is told again.
use crate::{
    inspect::Moved,
    pace,
    store::{campaigns, conflicts::Conflict, counters::Counted, vehicles},
};
use patio_kit::{
    clock::Clock,
    db::Db,
    feed::{self, Feed},
    host::Host,
    lifecycle::Tasks,
};
use patio_proto::vehicle::{self as pb, WatchEvent, watch_event::Event};
use prost::Message;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::sync::broadcast::{self, error::RecvError};

/// Most vehicles that are told with their contents.
pub const MOST_ROWS: usize = 50;
/// How far a stream may be behind before it is cut off.
const BEHIND: usize = 1_024;
/// How often paces are told, and others asked for when they are not heard.
const EVERY: Duration = Duration::from_secs(2);
/// How many of these rounds a pace is believed when nobody saves: people leave, too.
const ROUNDS: u32 = 30;

/// What a stream hears.
#[derive(Debug, Clone)]
pub enum Heard {
    /// Something happened.
    Told(Arc<WatchEvent>),
    /// Something may have been missed.
    Missed,
}

/// What happens; clones share it.
#[derive(Clone)]
pub struct Live {
    tasks: Tasks,
    clock: Clock,
    db: Db,
    feed: Feed,
    out: broadcast::Sender<Heard>,
    noted: Arc<Mutex<Noted>>,
}

/// What is to be told yet, and what is known.
#[derive(Default)]
struct Noted {
    /// Campaigns whose change other replicas could not be told, with the last revision.
    untold: BTreeMap<i64, i64>,
    /// The last revision that was heard of each campaign.
    heard: BTreeMap<i64, i64>,
    /// Campaigns in which somebody saved since their pace was told.
    moved: BTreeSet<i64>,
    /// The paces that were told last.
    paces: BTreeMap<i64, pb::Pace>,
}

impl Live {
    /// Hears and tells from now on.
    ///
    /// # Errors
    /// When the address of the Redis server cannot be read.
    pub fn start(host: &Host, db: Db) -> anyhow::Result<Self> {
        let (out, _) = broadcast::channel(BEHIND);
        let feed = Feed::open(host, "vehicle-events")?;
        let live = Self { tasks: host.tasks.clone(), clock: host.clock.clone(), db, feed, out, noted: Arc::default() };
        live.keep_hearing();
        let (again, mut round) = (live.clone(), 0);
        host.tasks.repeat(EVERY, move || {
            let live = again.clone();
            round += 1;
            async move { live.round(round).await }
        });
        Ok(live)
    }

    fn noted(&self) -> MutexGuard<'_, Noted> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears what happens from now on.
    #[must_use]
    pub fn listen(&self) -> broadcast::Receiver<Heard> {
        self.out.subscribe()
    }

    fn keep_hearing(&self) {
        let (live, mut feed) = (self.clone(), self.feed.listen());
        self.tasks.spawn(async move {
            loop {
                let heard = tokio::select! {
                    heard = feed.recv() => heard,
                    () = live.tasks.stopped() => return,
                };
                match heard {
                    Ok(feed::Heard::Told(bytes)) => match WatchEvent::decode(bytes) {
                        Ok(event) => live.hear(event),
                        Err(cause) => tracing::warn!(%cause, "another replica told something that cannot be read"),
                    },
                    Ok(feed::Heard::Missed) | Err(RecvError::Lagged(_)) => drop(live.out.send(Heard::Missed)),
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    fn hear(&self, event: WatchEvent) {
        if let Some(Event::Vehicles(changed)) = &event.event {
            let mut noted = self.noted();
            noted.moved.insert(changed.campaign_id);
            let last = noted.heard.entry(changed.campaign_id).or_default();
            *last = changed.revision.max(*last);
        }
        let _ = self.out.send(Heard::Told(Arc::new(event)));
    }

    /// Tells in the background, so that nobody waits for it.
    fn tell(&self, event: Event) {
        let live = self.clone();
        self.tasks.spawn(async move { live.tell_now(event).await });
    }

    async fn tell_now(&self, event: Event) {
        let changed = if let Event::Vehicles(changed) = &event { Some((changed.campaign_id, changed.revision)) } else { None };
        let message = WatchEvent { event: Some(event) }.encode_to_vec();
        if !self.feed.tell(message.into()).await
            && let Some((campaign, revision)) = changed
        {
            let mut noted = self.noted();
            let last = noted.untold.entry(campaign).or_default();
            *last = revision.max(*last);
        }
    }

    /// A vehicle was written.
    pub fn wrote(&self, moved: &Moved, by: Option<i64>) {
        let Some(revision) = moved.revision else { return };
        let vehicles = vec![(&moved.vehicle).into()];
        self.tell(Event::Vehicles(pb::VehiclesChanged { campaign_id: moved.vehicle.campaign_id, revision, vehicles, by }));
    }

    /// Many vehicles were written.
    pub fn changed(&self, all: &[Counted], by: Option<i64>) {
        for counted in all.iter().cloned() {
            let live = self.clone();
            self.tasks.spawn(async move {
                let rows = vehicles::rows_by_ids(&live.db, &counted.vehicles).await.unwrap_or_default();
                let vehicles = rows.into_iter().map(Into::into).collect();
                let (campaign_id, revision) = (counted.campaign_id, counted.revision);
                live.tell_now(Event::Vehicles(pb::VehiclesChanged { campaign_id, revision, vehicles, by })).await;
            });
        }
    }

    /// A campaign changed, came or went.
    pub fn campaign(&self, id: i64) {
        self.tell(Event::CampaignId(id));
    }

    /// A conflict was made or settled.
    pub fn conflict(&self, conflict: Conflict) {
        self.tell(Event::Conflict(Box::new(conflict.into())));
    }

    /// What is done every two seconds: telling again, asking when others are not heard, telling paces.
    async fn round(&self, number: u32) {
        self.tell_again().await;
        if !self.feed.hears_all() {
            self.ask().await;
        }
        let moved = std::mem::take(&mut self.noted().moved);
        if self.out.receiver_count() > 0 {
            self.tell_paces(moved, number.is_multiple_of(ROUNDS)).await;
        }
    }

    async fn tell_again(&self) {
        let untold = std::mem::take(&mut self.noted().untold);
        for (campaign_id, revision) in untold {
            self.tell_now(Event::Vehicles(pb::VehiclesChanged { campaign_id, revision, ..Default::default() })).await;
        }
    }

    /// Finds out from the database what other replicas wrote.
    async fn ask(&self) {
        match campaigns::revisions(&self.db).await {
            Ok(all) => {
                for (campaign_id, revision) in all {
                    let known = self.noted().heard.get(&campaign_id).copied();
                    if known < Some(revision) {
                        let changed = pb::VehiclesChanged { campaign_id, revision, ..Default::default() };
                        self.hear(WatchEvent { event: Some(Event::Vehicles(changed)) });
                    }
                }
            }
            Err(cause) => tracing::warn!(%cause, "the database does not say what changed"),
        }
    }

    /// Tells the paces that changed to those who watch here; each replica does so by itself.
    async fn tell_paces(&self, mut campaigns: BTreeSet<i64>, all: bool) {
        if all {
            campaigns.extend(self.noted().paces.keys());
        }
        let ids: Vec<i64> = campaigns.into_iter().collect();
        let paces = match pace::of(&self.db, &ids, self.clock.now()).await {
            Ok(paces) => paces,
            Err(cause) => return tracing::warn!(%cause, "paces are not known"),
        };
        for pace in paces {
            let mut noted = self.noted();
            let is_new = noted.paces.get(&pace.campaign_id).is_none_or(|last| !same(last, &pace));
            if pace.people.is_empty() {
                noted.paces.remove(&pace.campaign_id);
            } else {
                noted.paces.insert(pace.campaign_id, pace.clone());
            }
            drop(noted);
            if is_new {
                let _ = self.out.send(Heard::Told(Arc::new(WatchEvent { event: Some(Event::Pace(pace)) })));
            }
        }
    }
}

/// Whether nothing but time has passed between two paces.
fn same(one: &pb::Pace, other: &pb::Pace) -> bool {
    let what = |pace: &pb::Pace| pace.people.iter().map(|person| (person.user_id, person.yard, person.last_at)).collect::<Vec<_>>();
    one.remaining == other.remaining && what(one) == what(other)
}
