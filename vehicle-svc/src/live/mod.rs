//! Change feed: publishes committed changes to the event streams of all replicas.
//!
//! Events are sent after the commit, so that the commit does not wait for the event. If a process dies after the commit but before the
//! event, the other replicas later find the change in the database and announce the change to their own streams. A client whose stream
//! ends fetches the changes since its last revision. Events that did not reach other replicas are sent again.
//!
//! The submodules contain the hourly work counts, the pace of work, the metrics, and the devices' reports of pending saves.

pub mod inspection_activity;
pub mod inspection_pace;
pub mod pending_saves;
mod revision_tracker;
pub mod usage_metrics;

use crate::{
    inspection::save_types::VehicleWriteResult,
    live::revision_tracker::RevisionTracker,
    store::{campaigns, conflicts::Conflict, counters::CampaignCounts, vehicles},
};
use futures::{FutureExt, TryFutureExt};
use patio_kit::{
    clock::Clock,
    db::Db,
    errors,
    lifecycle::BackgroundTasks,
    pubsub::{self, PubSub},
    service_host::ServiceHost,
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

/// Maximum number of vehicles in an event. An event about more vehicles contains no rows, and clients fetch the
/// changes.
pub const MAX_VEHICLES_PER_EVENT: usize = 50;
/// Maximum number of events that a stream may lag behind; a slower stream is closed.
const MAX_LAG: usize = 1_024;
/// Interval between two rounds (runs of the periodic task of the change feed). A round publishes the pace of work (vehicles per
/// hour, active users) and looks for missed changes.
const ROUND_INTERVAL: Duration = Duration::from_secs(2);
/// Number of rounds (runs of the periodic task) between two searches of the database for missed changes. While the connection to
/// the other replicas is down, every round searches.
const ROUNDS_PER_POLL: u32 = 5;
/// Number of rounds (runs of the periodic task) between two updates of the pace of work (vehicles per hour) in idle campaigns. The pace of
/// an idle campaign falls with time.
const ROUNDS_PER_PACE: u32 = 30;

/// Item that the change feed sends to the event streams of this process.
#[derive(Debug, Clone)]
pub enum ChangeFeedItem {
    /// A change event that is sent to the event streams.
    Event(Arc<WatchEvent>),
    /// Events may have been lost: the streams must end, so that clients fetch the changes.
    Lagged,
}

/// Change feed of this process, to which event streams subscribe. All clones share one feed.
#[derive(Clone)]
pub struct ChangeFeed {
    tasks: BackgroundTasks,
    clock: Clock,
    db: Db,
    feed: PubSub,
    out: broadcast::Sender<ChangeFeedItem>,
    noted: Arc<Mutex<FeedState>>,
}

/// State that the change feed keeps between two runs of its periodic task.
#[derive(Default)]
struct FeedState {
    /// Highest revision among the events that did not reach the other replicas, by campaign id.
    unpublished: BTreeMap<i64, i64>,
    /// Tracker of the revisions for which an event was received, by campaign id.
    followed: BTreeMap<i64, RevisionTracker>,
    /// Ids of campaigns with saves since the last computation of the campaign's pace of work (vehicles per hour, active users).
    moved: BTreeSet<i64>,
    /// Last published pace of work (vehicles per hour, active users), by campaign id.
    paces: BTreeMap<i64, pb::Pace>,
}

impl FeedState {
    /// Removes the state of deleted campaigns. A campaign in `known` counts as deleted when `there`, the list of the existing campaigns
    /// with their revisions, does not contain the campaign.
    fn remove_deleted(&mut self, known: &[i64], there: &[(i64, i64)]) {
        let there: BTreeSet<i64> = there.iter().map(|(campaign, _)| *campaign).collect();
        for deleted in known.iter().filter(|campaign| !there.contains(campaign)) {
            self.followed.remove(deleted);
            self.paces.remove(deleted);
        }
    }
}

impl ChangeFeed {
    /// Starts the feed: subscribes to the other replicas and starts the periodic task.
    ///
    /// # Errors
    /// Returns an error when the URL of the Redis server is invalid or the database cannot be queried.
    pub async fn start(host: &ServiceHost, db: Db) -> anyhow::Result<Self> {
        let (out, _) = broadcast::channel(MAX_LAG);
        let feed = PubSub::open(host, "vehicle-events")?;
        let live = Self { tasks: host.tasks.clone(), clock: host.clock.clone(), db, feed, out, noted: Arc::default() };
        live.spawn_receive_loop();
        for (campaign, revision) in
            host.retry_until_database_up(|| campaigns::list_campaign_revisions(&live.db).map_err(anyhow::Error::from).boxed()).await?
        {
            live.noted().followed.entry(campaign).or_default().mark_received_up_to(revision);
        }
        let (again, mut round) = (live.clone(), 0);
        host.tasks.spawn_repeating(ROUND_INTERVAL, move || {
            let live = again.clone();
            round += 1;
            async move { live.round(round).await }
        });
        Ok(live)
    }

    fn noted(&self) -> MutexGuard<'_, FeedState> {
        self.noted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to all events that are published after this call.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<ChangeFeedItem> {
        self.out.subscribe()
    }

    /// Runs the future `work` to completion even when the caller disconnects, so that its change is committed and its
    /// events are published.
    ///
    /// # Errors
    /// Returns the error of the future, or `Internal` when the future panicked.
    pub async fn run_to_completion<T, E>(&self, work: impl Future<Output = Result<T, E>> + Send + 'static) -> Result<T, Status>
    where
        T: Send + 'static,
        E: Into<Status> + Send + 'static,
    {
        match self.tasks.run_to_completion(work).await {
            Some(done) => done.map_err(Into::into),
            None => Err(errors::internal_status(&"the task of this call panicked")),
        }
    }

    fn spawn_receive_loop(&self) {
        let (live, mut feed) = (self.clone(), self.feed.subscribe());
        self.tasks.spawn(async move {
            loop {
                let received = tokio::select! {
                    received = feed.recv() => received,
                    () = live.tasks.wait_until_stopping() => return,
                };
                match received {
                    Ok(pubsub::PubSubMessage::Event(bytes)) => match WatchEvent::decode(bytes) {
                        Ok(event) => live.hear(event),
                        Err(cause) => {
                            let channel = live.feed.channel_name();
                            tracing::warn!(%cause, channel, "failed to decode an event from another vehicle-svc replica, event ignored");
                        }
                    },
                    Ok(pubsub::PubSubMessage::Lagged) | Err(RecvError::Lagged(_)) => drop(live.out.send(ChangeFeedItem::Lagged)),
                    Err(RecvError::Closed) => return,
                }
            }
        });
    }

    fn hear(&self, event: WatchEvent) {
        if let Some(Event::Vehicles(changed)) = &event.event {
            self.db.record_write_by_other_process(); // another replica may have written to the database
            let mut noted = self.noted();
            noted.moved.insert(changed.campaign_id);
            noted.followed.entry(changed.campaign_id).or_default().mark_received(changed.revision);
        }
        let _ = self.out.send(ChangeFeedItem::Event(Arc::new(event)));
    }

    /// Starts a task that publishes an event to the event streams of all replicas. The caller does not wait for the task.
    fn spawn_publish(&self, event: Event) {
        let live = self.clone();
        self.tasks.spawn(async move { live.publish_now(event).await });
    }

    async fn publish_now(&self, event: Event) {
        let changed = if let Event::Vehicles(changed) = &event { Some((changed.campaign_id, changed.revision)) } else { None };
        let message = WatchEvent { event: Some(event) }.encode_to_vec();
        if !self.feed.publish(message.into()).await
            && let Some((campaign, revision)) = changed
        {
            self.record_unpublished(campaign, revision);
        }
    }

    fn record_unpublished(&self, campaign: i64, revision: i64) {
        let mut noted = self.noted();
        let last = noted.unpublished.entry(campaign).or_default();
        *last = revision.max(*last);
    }

    /// Publishes that a vehicle was written. `by` is the id of the user who saved the vehicle; `None` for a service.
    pub fn publish_vehicle_changed(&self, moved: &VehicleWriteResult, by: Option<i64>) {
        let Some(revision) = moved.revision else { return };
        let vehicles = vec![(&moved.vehicle).into()];
        self.spawn_publish(Event::Vehicles(pb::VehiclesChanged { campaign_id: moved.vehicle.campaign_id, revision, vehicles, by }));
    }

    /// Publishes that many vehicles were written, with one event per campaign. `by` is the id of the user who made the change;
    /// `None` for a service.
    pub fn publish_vehicles_changed(&self, all: &[CampaignCounts], by: Option<i64>) {
        for campaign_counts in all.iter().cloned() {
            let live = self.clone();
            self.tasks.spawn(async move {
                let rows = vehicles::list_for_sync_by_ids(&live.db, &campaign_counts.vehicles).await.unwrap_or_default();
                let vehicles = rows.into_iter().map(Into::into).collect();
                let (campaign_id, revision) = (campaign_counts.campaign_id, campaign_counts.revision);
                live.publish_now(Event::Vehicles(pb::VehiclesChanged { campaign_id, revision, vehicles, by })).await;
            });
        }
    }

    /// Publishes that a campaign was created, changed or deleted.
    pub fn publish_campaign_changed(&self, id: i64) {
        self.spawn_publish(Event::CampaignId(id));
    }

    /// Publishes that a conflict was created or resolved.
    pub fn publish_conflict_changed(&self, conflict: Conflict) {
        self.spawn_publish(Event::Conflict(Box::new(conflict.into())));
    }

    /// Runs the periodic task of the change feed once. Resends undelivered events, sends events for changes that no event has
    /// announced, and publishes the pace of work (vehicles per hour, active users).
    async fn round(&self, number: u32) {
        self.republish().await;
        self.publish_gaps();
        if !self.feed.is_connected() || number.is_multiple_of(ROUNDS_PER_POLL) {
            self.publish_missed_changes().await;
        }
        let moved = std::mem::take(&mut self.noted().moved);
        if self.out.receiver_count() > 0 {
            self.publish_paces(moved, number.is_multiple_of(ROUNDS_PER_PACE)).await;
        }
    }

    async fn republish(&self) {
        let unpublished = std::mem::take(&mut self.noted().unpublished);
        for (campaign_id, revision) in unpublished {
            let changed = pb::VehiclesChanged { campaign_id, revision, ..Default::default() };
            let message = WatchEvent { event: Some(Event::Vehicles(changed)) }.encode_to_vec();
            if !self.feed.publish_to_other_replicas(&message).await {
                self.record_unpublished(campaign_id, revision);
            }
        }
    }

    /// Sends an event to this replica's streams for each campaign with a change that no event announced. An event is missing when a
    /// replica was disconnected, or died before publishing the event.
    async fn publish_missed_changes(&self) {
        let known: Vec<i64> = self.noted().followed.keys().copied().collect(); // a campaign added during the query stays
        match campaigns::list_campaign_revisions(&self.db).await {
            Ok(all) => {
                self.noted().remove_deleted(&known, &all);
                for (campaign, revision) in all {
                    let is_new = self.noted().followed.entry(campaign).or_default().mark_received_up_to(revision);
                    if is_new {
                        self.publish_changed_here(campaign, revision);
                    }
                }
            }
            Err(cause) => tracing::warn!(%cause, "failed to check for changes made through other vehicle-svc replicas, retrying"),
        }
    }

    /// Sends a change event to this replica's streams for every campaign with a gap, so that clients fetch the changes. A gap is a
    /// revision whose event was already missing in the previous run of the periodic task.
    fn publish_gaps(&self) {
        let gaps: Vec<(i64, i64)> = {
            let mut noted = self.noted();
            noted.followed.iter_mut().filter_map(|(campaign, followed)| Some((*campaign, followed.detect_gap()?))).collect()
        };
        gaps.into_iter().for_each(|(campaign, revision)| self.publish_changed_here(campaign, revision));
    }

    fn publish_changed_here(&self, campaign_id: i64, revision: i64) {
        self.noted().moved.insert(campaign_id);
        let changed = pb::VehiclesChanged { campaign_id, revision, ..Default::default() };
        let _ = self.out.send(ChangeFeedItem::Event(Arc::new(WatchEvent { event: Some(Event::Vehicles(changed)) })));
    }

    /// Computes the pace of work (vehicles per hour, active users) in the given campaigns, and sends each changed pace to this
    /// replica's streams. If `all` is true, includes every campaign with a published pace. Other replicas compute the pace
    /// themselves.
    async fn publish_paces(&self, mut campaigns: BTreeSet<i64>, all: bool) {
        if all {
            campaigns.extend(self.noted().paces.keys());
        }
        let ids: Vec<i64> = campaigns.into_iter().collect();
        let paces = match inspection_pace::compute_inspection_pace(&self.db, &ids, self.clock.now()).await {
            Ok(paces) => paces,
            Err(cause) => {
                return tracing::warn!(%cause, "failed to compute the inspection pace of campaigns, browsers keep showing the previous pace");
            }
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
                let _ = self.out.send(ChangeFeedItem::Event(Arc::new(WatchEvent { event: Some(Event::Pace(pace)) })));
            }
        }
    }
}

/// Returns `true` when two paces of work in a campaign have equal users, yards, save times and remaining vehicles. Rates are not
/// compared, since they change without any save.
fn same(one: &pb::Pace, other: &pb::Pace) -> bool {
    let what = |pace: &pb::Pace| pace.people.iter().map(|person| (person.user_id, person.yard, person.last_at)).collect::<Vec<_>>();
    one.remaining == other.remaining && what(one) == what(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_deleted_campaign_is_dropped() {
        let mut noted = FeedState::default();
        [3, 4, 5].into_iter().for_each(|campaign| noted.followed.entry(campaign).or_default().mark_received(1));
        noted.paces.extend([3, 4].map(|campaign| (campaign, pb::Pace::default())));
        noted.remove_deleted(&[3, 4], &[(4, 1), (9, 2)]);
        assert_eq!((noted.followed.into_keys().collect(), noted.paces.into_keys().collect()), (vec![4, 5], vec![4]));
    }

    #[tokio::test]
    async fn an_event_of_another_replica_marks_the_database_as_busy() {
        let folder = tempfile::tempdir().unwrap();
        let host = patio_testing::host(folder.path(), None).await;
        let db = host.open_database(crate::SCHEMA).await.unwrap();
        let live = ChangeFeed::start(&host, db.clone()).await.unwrap();
        assert!(!db.has_recent_writes());
        let save = pb::VehiclesChanged { campaign_id: 1, revision: 1, ..Default::default() };
        live.hear(WatchEvent { event: Some(Event::Vehicles(save)) });
        assert!(db.has_recent_writes());
    }
}
