//! Calls spread over the replicas behind one DNS name, and kept away from those that are not well.
mod budget;
mod heard;
mod replica;

pub(crate) use replica::whole;
pub use replica::{Failure, Lease};

use crate::{lifecycle::Tasks, telemetry};
use anyhow::Context;
use budget::Budget;
use http::Uri;
use replica::Replica;
use std::{
    collections::HashSet,
    net::SocketAddr,
    sync::{
        Arc, Once, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};

/// How often the name is looked up again when nothing happens.
const LOOK_UP_EVERY: Duration = Duration::from_secs(2);
/// How long until it is looked up again when no replica is well.
const LOOK_UP_SOON: Duration = Duration::from_millis(200);
/// How long a call that can be made only once waits for a replica that is well.
const SETTLING: Duration = Duration::from_secs(2);
/// How often it looks meanwhile.
const LOOK: Duration = Duration::from_millis(20);
/// How long a replica that is well stays although the name does not lead to it any more.
///
/// Name servers keep their answers, often for thirty seconds, and where there are two of them an old answer follows a new one.
const OUTLIVES_ITS_NAME: Duration = Duration::from_secs(60);

/// The replicas of one service; clones share what is known of them.
#[derive(Clone)]
pub struct Replicas(Arc<Inner>);

struct Inner {
    name: &'static str,
    places: Vec<Place>,
    tasks: Tasks,
    followed: Once,
    known: RwLock<Vec<Arc<Replica>>>,
    turn: AtomicUsize,
    budget: Budget,
    changed: Notify,
}

/// A name to look up.
struct Place {
    host: String,
    port: u16,
}

/// Opens the way to `http://name:port`, or several such separated by commas.
///
/// Replicas that come and go are followed from the first call on.
///
/// # Errors
/// When a URL is none, or names no host or no port.
pub fn replicas(service: &'static str, urls: &str, tasks: &Tasks) -> anyhow::Result<Replicas> {
    let places = urls.split(',').map(|url| place(url.trim())).collect::<anyhow::Result<Vec<_>>>()?;
    let known = RwLock::default();
    let (turn, budget, changed, followed) = (AtomicUsize::new(0), Budget::default(), Notify::new(), Once::new());
    Ok(Replicas(Arc::new(Inner { name: service, places, tasks: tasks.clone(), known, turn, budget, changed, followed })))
}

fn place(url: &str) -> anyhow::Result<Place> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a URL"))?;
    let host = uri.host().with_context(|| format!("`{url}` names no host"))?.to_owned();
    let port = uri.port_u16().with_context(|| format!("`{url}` names no port"))?;
    Ok(Place { host, port })
}

impl Replicas {
    /// Begins to follow them, which the first call does otherwise; again does nothing.
    pub fn begin(&self) {
        self.0.followed.call_once(|| self.keep_following());
    }

    /// A replica for one try: a well one with little to do, and if there is another, none of those tried before.
    ///
    /// When none is well any is better than none: it may answer itself why it is not.
    /// Waits while no replica is known at all.
    pub async fn lease(&self, tried: &[SocketAddr]) -> Lease {
        self.begin();
        loop {
            let changed = self.0.changed.notified();
            if let Some(replica) = self.choose(tried) {
                return Lease::of(replica, self);
            }
            changed.await;
        }
    }

    /// A replica for a call that can be made only once: a well one as soon as there is one, and after two seconds any.
    pub async fn lease_once(&self) -> Lease {
        self.begin();
        let well = async {
            while self.well() == 0 {
                tokio::time::sleep(LOOK).await;
            }
        };
        let _ = tokio::time::timeout(SETTLING, well).await;
        self.lease(&[]).await
    }

    /// Whether a repetition is affordable: repeated calls may add a tenth to the load and no more.
    #[must_use]
    pub fn afford_repetition(&self) -> bool {
        let affordable = self.0.budget.withdraw();
        let told = if affordable { "repeated" } else { "refused" };
        metrics::counter!("patio_repetitions_total", "service" => self.0.name, "outcome" => told).increment(1);
        affordable
    }

    /// Notes that a call is made for the first time.
    pub fn note_call(&self) {
        self.0.budget.deposit();
    }

    fn choose(&self, tried: &[SocketAddr]) -> Option<Arc<Replica>> {
        let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
        let fresh = |replica: &&Arc<Replica>| !tried.contains(&replica.address);
        let well: Vec<_> = known.iter().filter(|replica| replica.is_well()).collect();
        let first = well.iter().copied().filter(fresh).collect::<Vec<_>>();
        [first, well, known.iter().filter(fresh).collect(), known.iter().collect()]
            .iter()
            .find(|group| !group.is_empty())
            .map(|group| self.least_busy(group))
    }

    /// The one with the least to do; among equals each in turn.
    fn least_busy(&self, group: &[&Arc<Replica>]) -> Arc<Replica> {
        let turn = self.0.turn.fetch_add(1, Ordering::Relaxed) % group.len();
        let (before, after) = group.split_at(turn);
        let mut best = group[turn];
        for replica in after.iter().chain(before) {
            if replica.busy() < best.busy() {
                best = replica;
            }
        }
        best.clone()
    }

    fn well(&self) -> usize {
        self.0.known.read().unwrap_or_else(PoisonError::into_inner).iter().filter(|replica| replica.is_well()).count()
    }

    fn keep_following(&self) {
        let following = self.clone();
        self.0.tasks.spawn(async move {
            let tasks = following.0.tasks.clone();
            while !tasks.is_stopping() {
                following.follow(&following.0.places, &tasks).await;
                let pause = if following.well() == 0 { LOOK_UP_SOON } else { LOOK_UP_EVERY };
                tokio::select! {
                    () = tokio::time::sleep(pause) => {}
                    () = tasks.stopped() => {}
                }
            }
        });
    }

    /// Looks the names up; what is known is kept when that fails or finds nobody.
    async fn follow(&self, places: &[Place], tasks: &Tasks) {
        let (mut found, mut all) = (HashSet::new(), true);
        for Place { host, port } in places {
            match tokio::net::lookup_host((host.as_str(), *port)).await {
                Ok(addresses) => found.extend(addresses),
                Err(cause) => {
                    tracing::warn!(%cause, host, "cannot look up a service");
                    all = false;
                }
            }
        }
        if !found.is_empty() {
            self.replace(found, all, Instant::now(), tasks);
        }
        let (known, well) = (self.0.known.read().unwrap_or_else(PoisonError::into_inner).len(), self.well());
        metrics::gauge!("patio_replicas", "service" => self.0.name, "state" => "known").set(telemetry::count(known));
        metrics::gauge!("patio_replicas", "service" => self.0.name, "state" => "well").set(telemetry::count(well));
    }

    /// Takes new addresses in, and when `all` were found, leaves out those that are gone.
    fn replace(&self, mut found: HashSet<SocketAddr>, all: bool, now: Instant, tasks: &Tasks) {
        let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
        known.retain(|replica| {
            let named = found.remove(&replica.address);
            if named {
                replica.note_name(now);
            }
            let stays = named || !all || replica.is_well() && now - replica.last_named() < OUTLIVES_ITS_NAME;
            if !stays {
                replica.forget();
            }
            stays
        });
        for address in found {
            match Replica::watched(address, tasks) {
                Ok(replica) => known.push(replica),
                Err(cause) => tracing::error!(%cause, %address, "a replica cannot be called"),
            }
        }
        drop(known);
        self.0.changed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tonic::service::RoutesBuilder;
    use tonic_health::{
        ServingStatus,
        server::{HealthReporter, health_reporter},
    };

    /// A process that says how it is, and nothing else.
    async fn process(tasks: &Tasks) -> (SocketAddr, HealthReporter) {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (reporter, health) = health_reporter();
        let mut routes = RoutesBuilder::default();
        routes.add_service(health);
        tasks.spawn(async move { axum::serve(listener, routes.routes().into_axum_router()).await.unwrap() });
        (address, reporter)
    }

    fn known(replicas: &Replicas) -> HashSet<SocketAddr> {
        replicas.0.known.read().unwrap().iter().map(|replica| replica.address).collect()
    }

    /// Waits until so many of the known ones are well.
    async fn until_well(replicas: &Replicas, count: usize) {
        let settled = async {
            while replicas.well() != count {
                tokio::time::sleep(LOOK).await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), settled).await.unwrap();
    }

    #[tokio::test]
    async fn an_old_answer_about_a_name_takes_no_replica_away_that_is_well() {
        let tasks = Tasks::default();
        let replicas = replicas("test", "http://localhost:1", &tasks).unwrap();
        let ((old, leaves), (new, _well)) = (process(&tasks).await, process(&tasks).await);
        let begun = Instant::now();
        replicas.replace(HashSet::from([old]), true, begun, &tasks);
        replicas.replace(HashSet::from([old, new]), true, begun, &tasks);
        until_well(&replicas, 2).await;
        replicas.replace(HashSet::from([old]), true, begun + Duration::from_secs(30), &tasks);
        leaves.set_service_status("", ServingStatus::NotServing).await;
        until_well(&replicas, 1).await;
        assert_eq!(known(&replicas), HashSet::from([old, new]), "another name server has not heard of the new one");
        replicas.replace(HashSet::from([new]), true, begun + Duration::from_secs(40), &tasks);
        assert_eq!(known(&replicas), HashSet::from([new]), "neither named nor well");
        replicas.replace(HashSet::from([old]), true, begun + Duration::from_secs(99), &tasks);
        assert_eq!(known(&replicas), HashSet::from([old, new]));
        replicas.replace(HashSet::from([old]), true, begun + Duration::from_secs(100), &tasks);
        assert_eq!(known(&replicas), HashSet::from([old]), "well, but nobody has named it for a minute");
        tasks.stop();
    }
}
