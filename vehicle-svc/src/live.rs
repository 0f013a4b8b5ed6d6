//! Telling whoever watches what happens, over all replicas.
//!
//! What is told comes after the commit it tells of, never holds it up, and may be lost with a process: whoever watches
//! asks for what changed since when the stream was cut. What only others could not be told is told again.
use crate::{
    inspect::Moved,
    pace,
    store::{campaigns, conflicts::Conflict, counters::Counted, vehicles},
};
use futures::{FutureExt, TryFutureExt};
use patio_kit::{
    clock::Clock,
    db::Db,
    errors,
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
use tonic::Status;

/// Most vehicles that are told with their contents.
pub const MOST_ROWS: usize = 50;
/// How far a stream may be behind before it is cut off.
const BEHIND: usize = 1_024;
/// How often paces are told, and others asked for when they are not heard.
const EVERY: Duration = Duration::from_secs(2);
/// After how many of these rounds the database is asked even when all others are heard.
const ASKS: u32 = 5;
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
    /// What was heard of each campaign.
    followed: BTreeMap<i64, Followed>,
    /// Campaigns in which somebody saved since their pace was told.
    moved: BTreeSet<i64>,
    /// The paces that were told last.
    paces: BTreeMap<i64, pb::Pace>,
}

impl Noted {
    /// Forgets the campaigns of some known ones that are not there any more.
    fn forget_gone(&mut self, known: &[i64], there: &[(i64, i64)]) {
        let there: BTreeSet<i64> = there.iter().map(|(campaign, _)| *campaign).collect();
        for gone in known.iter().filter(|campaign| !there.contains(campaign)) {
            self.followed.remove(gone);
            self.paces.remove(gone);
        }
    }
}

impl Live {
    /// Hears and tells from now on.
    ///
    /// # Errors
    /// When the address of the Redis server cannot be read, or the database not be asked.
    pub async fn start(host: &Host, db: Db) -> anyhow::Result<Self> {
        let (out, _) = broadcast::channel(BEHIND);
        let feed = Feed::open(host, "vehicle-events")?;
        let live = Self { tasks: host.tasks.clone(), clock: host.clock.clone(), db, feed, out, noted: Arc::default() };
        live.keep_hearing();
        for (campaign, revision) in host.once_there(|| campaigns::revisions(&live.db).map_err(anyhow::Error::from).boxed()).await? {
            live.noted().followed.entry(campaign).or_default().skip_to(revision);
        }
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

    /// Does work to its end, with what has to be told of it, even when whoever asked for it has gone.
    ///
    /// # Errors
    /// What the work comes to.
    pub async fn whole<T, E>(&self, work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, Status>
    where
        T: Send + 'static,
        E: Into<Status> + Send + 'static,
    {
        match self.tasks.whole(work).await {
            Some(done) => done.map_err(Into::into),
            None => Err(errors::internal(&"the work ended without an answer")),
        }
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
            self.db.note_asked(); // it may have been another replica that saved
            let mut noted = self.noted();
            noted.moved.insert(changed.campaign_id);
            noted.followed.entry(changed.campaign_id).or_default().hear(changed.revision);
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
            self.note_untold(campaign, revision);
        }
    }

    fn note_untold(&self, campaign: i64, revision: i64) {
        let mut noted = self.noted();
        let last = noted.untold.entry(campaign).or_default();
        *last = revision.max(*last);
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
        self.tell_gaps();
        if !self.feed.hears_all() || number.is_multiple_of(ASKS) {
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
            let changed = pb::VehiclesChanged { campaign_id, revision, ..Default::default() };
            let message = WatchEvent { event: Some(Event::Vehicles(changed)) }.encode_to_vec();
            if !self.feed.tell_elsewhere(&message).await {
                self.note_untold(campaign_id, revision);
            }
        }
    }

    /// Finds out from the database what nobody told: of a replica that is not heard, or died before it could.
    async fn ask(&self) {
        let known: Vec<i64> = self.noted().followed.keys().copied().collect(); // whoever comes while it is asked stays
        match campaigns::revisions(&self.db).await {
            Ok(all) => {
                self.noted().forget_gone(&known, &all);
                for (campaign, revision) in all {
                    let is_new = self.noted().followed.entry(campaign).or_default().skip_to(revision);
                    if is_new {
                        self.tell_changed_here(campaign, revision);
                    }
                }
            }
            Err(cause) => tracing::warn!(%cause, "the database does not say what changed"),
        }
    }

    /// Has those who watch here ask for changes between which one was not told for a whole round.
    fn tell_gaps(&self) {
        let gaps: Vec<(i64, i64)> = {
            let mut noted = self.noted();
            noted.followed.iter_mut().filter_map(|(campaign, followed)| Some((*campaign, followed.gap()?))).collect()
        };
        gaps.into_iter().for_each(|(campaign, revision)| self.tell_changed_here(campaign, revision));
    }

    fn tell_changed_here(&self, campaign_id: i64, revision: i64) {
        self.noted().moved.insert(campaign_id);
        let changed = pb::VehiclesChanged { campaign_id, revision, ..Default::default() };
        let _ = self.out.send(Heard::Told(Arc::new(WatchEvent { event: Some(Event::Vehicles(changed)) })));
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

/// Which revisions of a campaign were heard.
#[derive(Debug, Default)]
struct Followed {
    /// All up to this one; 0 when none was.
    upto: i64,
    /// Later ones, between which some are missing.
    beyond: BTreeSet<i64>,
    /// The last of them when it was looked for gaps before.
    looked: i64,
}

impl Followed {
    fn hear(&mut self, revision: i64) {
        if self.upto == 0 {
            self.upto = revision;
        }
        if revision > self.upto {
            self.beyond.insert(revision);
        }
        while self.beyond.remove(&(self.upto + 1)) {
            self.upto += 1;
        }
    }

    fn last(&self) -> i64 {
        self.beyond.last().copied().unwrap_or(self.upto)
    }

    /// Takes all up to a revision as heard; whether that is news.
    fn skip_to(&mut self, revision: i64) -> bool {
        let is_new = revision > self.last();
        if is_new {
            self.upto = revision;
            self.beyond.clear();
        }
        is_new
    }

    /// The last revision, when one before it was missing already when it was looked before.
    fn gap(&mut self) -> Option<i64> {
        let waited = self.beyond.first().is_some_and(|first| *first <= self.looked);
        let last = self.last();
        self.looked = last;
        if waited {
            self.upto = last;
            self.beyond.clear();
        }
        waited.then_some(last)
    }
}

/// Whether nothing but time has passed between two paces.
fn same(one: &pb::Pace, other: &pb::Pace) -> bool {
    let what = |pace: &pb::Pace| pace.people.iter().map(|person| (person.user_id, person.yard, person.last_at)).collect::<Vec<_>>();
    one.remaining == other.remaining && what(one) == what(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_out_of_order_is_no_gap_and_what_does_not_come_is_one() {
        let mut followed = Followed::default();
        [7, 9, 8, 10].into_iter().for_each(|revision| followed.hear(revision));
        assert_eq!((followed.upto, followed.gap(), followed.gap()), (10, None, None));
        followed.hear(12);
        assert_eq!(followed.gap(), None, "it may be on its way");
        followed.hear(14);
        assert_eq!(followed.gap(), Some(14), "it was not");
        assert_eq!((followed.gap(), followed.upto), (None, 14), "told once");
        followed.hear(11);
        assert_eq!(followed.gap(), None, "late is as good as told");
    }

    #[test]
    fn a_campaign_that_is_gone_is_not_followed_for_ever() {
        let mut noted = Noted::default();
        [3, 4, 5].into_iter().for_each(|campaign| noted.followed.entry(campaign).or_default().hear(1));
        noted.paces.extend([3, 4].map(|campaign| (campaign, pb::Pace::default())));
        noted.forget_gone(&[3, 4], &[(4, 1), (9, 2)]);
        assert_eq!((noted.followed.into_keys().collect(), noted.paces.into_keys().collect()), (vec![4, 5], vec![4]));
    }

    #[tokio::test]
    async fn whoever_hears_of_a_save_elsewhere_knows_that_others_wait_for_the_disk() {
        let folder = tempfile::tempdir().unwrap();
        let host = patio_testing::host(folder.path(), None).await;
        let db = host.database(crate::SCHEMA).await.unwrap();
        let live = Live::start(&host, db.clone()).await.unwrap();
        assert!(!db.is_busy());
        let save = pb::VehiclesChanged { campaign_id: 1, revision: 1, ..Default::default() };
        live.hear(WatchEvent { event: Some(Event::Vehicles(save)) });
        assert!(db.is_busy());
    }

    #[test]
    fn what_the_database_says_is_news_only_when_nobody_told_it() {
        let mut followed = Followed { upto: 5, ..Followed::default() };
        followed.hear(6);
        assert!(!followed.skip_to(6) && followed.skip_to(8) && !followed.skip_to(8));
        followed.hear(9);
        assert_eq!((followed.upto, followed.gap()), (9, None));
    }
}
