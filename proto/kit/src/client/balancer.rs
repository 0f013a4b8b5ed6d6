//! Client-side load balancing over the replicas behind a DNS name, with health checks.
use crate::{
    client::{
        directory::{KnownReplicas, ResolvedHost, ServiceAddress},
        replica::{Replica, RpcAttemptFailure, UNHEALTHY_CHECK_INTERVAL},
        retry_budget::RetryBudget,
    },
    lifecycle::BackgroundTasks,
    telemetry,
    tls::ServiceTls,
};
use http::{Request, Response};
use std::{
    collections::{HashMap, HashSet},
    net::SocketAddr,
    sync::{
        Arc, Mutex, Once, PoisonError, RwLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{sync::Notify, time::Instant};
use tonic::body::Body;

/// Interval between two DNS lookups of a service.
const DNS_INTERVAL: Duration = Duration::from_secs(2);
/// Interval between two DNS lookups of a service while none of its replicas is healthy.
const UNHEALTHY_DNS_INTERVAL: Duration = Duration::from_millis(200);
/// Maximum time that a call without retries waits for a healthy replica.
const HEALTHY_REPLICA_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval at which a call that waits for a healthy replica checks whether one exists.
const WAIT_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// Time for which a healthy replica stays in use after DNS lookups stopped returning its address.
///
/// DNS servers cache their responses, often for thirty seconds. With two DNS servers, an old response may arrive after a new one.
const DNS_GRACE: Duration = Duration::from_secs(60);

/// Load balancer over the replicas of one service. Clones share the load balancer's state.
#[derive(Clone)]
pub struct LoadBalancer(Arc<Inner>);

struct Inner {
    name: &'static str,
    places: Vec<ServiceAddress>,
    tls: Option<ServiceTls>,
    tasks: BackgroundTasks,
    lookups_started: Once,
    directory: Mutex<KnownReplicas>,
    checked: RwLock<Vec<Arc<Replica>>>,
    turn: AtomicUsize,
    budget: RetryBudget,
    changed: Notify,
    health_lost: Arc<Notify>,
}

impl LoadBalancer {
    /// Creates the load balancer of a service from one or several URLs of the form `http://name:port`, separated by commas.
    ///
    /// The scheme is `https` when `tls` is given. DNS lookups and health checks start with the first call.
    ///
    /// # Errors
    /// Returns an error when a URL is invalid, lacks a host or a port, or has a scheme that does not match `tls`.
    pub fn new(name: &'static str, urls: &str, tls: Option<&ServiceTls>, tasks: &BackgroundTasks) -> anyhow::Result<Self> {
        let places = urls.split(',').map(|url| ServiceAddress::parse(url.trim(), tls.is_some())).collect::<anyhow::Result<Vec<_>>>()?;
        Ok(Self(Arc::new(Inner {
            name,
            places,
            tls: tls.cloned(),
            tasks: tasks.clone(),
            lookups_started: Once::new(),
            directory: Mutex::default(),
            checked: RwLock::default(),
            turn: AtomicUsize::new(0),
            budget: RetryBudget::default(),
            changed: Notify::new(),
            health_lost: Arc::default(),
        })))
    }

    /// Returns the name of the service that the replicas belong to, such as `vehicle-svc`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.0.name
    }

    /// Starts the DNS lookups and health checks before the first gRPC call. Further calls of this function have no effect.
    pub fn start_replica_checks(&self) {
        self.0.lookups_started.call_once(|| self.spawn_dns_lookups());
    }

    /// Picks a replica for one attempt of a call: the healthy replica with the fewest calls in flight, preferably a replica not in
    /// `tried`.
    ///
    /// When no replica is healthy, an unhealthy replica is picked, because its response may say what is wrong. Waits while DNS has
    /// not returned any replica yet.
    pub async fn pick_replica(&self, tried: &[SocketAddr]) -> InFlightCall {
        self.start_replica_checks();
        loop {
            let changed = self.0.changed.notified();
            if let Some(replica) = self.choose(tried) {
                return InFlightCall::of(replica, self);
            }
            changed.await;
        }
    }

    /// Picks a replica for a call that cannot be retried. First waits up to two seconds until a replica is healthy.
    pub async fn pick_replica_for_single_attempt(&self) -> InFlightCall {
        self.start_replica_checks();
        let well = async {
            while self.healthy_count() == 0 {
                tokio::time::sleep(WAIT_POLL_INTERVAL).await;
            }
        };
        let _ = tokio::time::timeout(HEALTHY_REPLICA_TIMEOUT, well).await;
        self.pick_replica(&[]).await
    }

    /// Withdraws one retry from the retry budget, which allows one retry per ten calls. Returns `false` when the budget is used
    /// up.
    #[must_use]
    pub fn try_withdraw_from_retry_budget(&self) -> bool {
        let affordable = self.0.budget.try_withdraw();
        let outcome = if affordable { "repeated" } else { "refused" };
        metrics::counter!("patio_rpc_retries_total", "service" => self.0.name, "outcome" => outcome).increment(1);
        affordable
    }

    /// Records a new call in the retry budget, which allows one retry per ten calls.
    pub fn deposit_into_retry_budget(&self) {
        self.0.budget.deposit();
    }

    fn choose(&self, tried: &[SocketAddr]) -> Option<Arc<Replica>> {
        let known = self.0.checked.read().unwrap_or_else(PoisonError::into_inner);
        let fresh = |replica: &&Arc<Replica>| !tried.contains(&replica.address);
        let well: Vec<_> = known.iter().filter(|replica| replica.is_healthy()).collect();
        let first = well.iter().copied().filter(fresh).collect::<Vec<_>>();
        [first, well, known.iter().filter(fresh).collect(), known.iter().collect()]
            .iter()
            .find(|group| !group.is_empty())
            .map(|group| self.least_busy(group))
    }

    /// Returns the replica with the fewest calls in flight, in round-robin order among equals.
    fn least_busy(&self, group: &[&Arc<Replica>]) -> Arc<Replica> {
        let turn = self.0.turn.fetch_add(1, Ordering::Relaxed) % group.len();
        let (before, after) = group.split_at(turn);
        let mut best = group[turn];
        for replica in after.iter().chain(before) {
            if replica.calls_in_flight() < best.calls_in_flight() {
                best = replica;
            }
        }
        best.clone()
    }

    fn healthy_count(&self) -> usize {
        self.0.checked.read().unwrap_or_else(PoisonError::into_inner).iter().filter(|replica| replica.is_healthy()).count()
    }

    /// Returns `true` if a replica at an address other than `address` is healthy.
    fn is_another_replica_healthy(&self, address: SocketAddr) -> bool {
        let checked = self.0.checked.read().unwrap_or_else(PoisonError::into_inner);
        checked.iter().any(|replica| replica.address != address && replica.is_healthy())
    }

    fn spawn_dns_lookups(&self) {
        let following = self.clone();
        self.0.tasks.spawn(async move {
            let tasks = following.0.tasks.clone();
            while !tasks.is_stopping() {
                following.resolve_addresses(&following.0.places, &tasks).await;
                let looked = Instant::now();
                let pause = || if following.healthy_count() == 0 { UNHEALTHY_DNS_INTERVAL } else { DNS_INTERVAL };
                while !tasks.is_stopping() && looked.elapsed() < pause() {
                    tokio::select! {
                        () = tokio::time::sleep_until(looked + pause()) => {}
                        () = following.0.health_lost.notified() => following.substitute(&tasks),
                        () = tasks.wait_until_stopping() => {}
                    }
                }
            }
        });
    }

    /// Adds a substitute (another known replica) for each unhealthy replica, without waiting for the next DNS lookup.
    fn substitute(&self, tasks: &BackgroundTasks) {
        self.choose_checked(&mut self.0.directory.lock().unwrap_or_else(PoisonError::into_inner), false, tasks);
    }

    /// Looks up the service's host names in DNS and updates the known replicas. If no lookup returns an address, nothing changes.
    async fn resolve_addresses(&self, places: &[ServiceAddress], tasks: &BackgroundTasks) {
        let (mut found, mut all) = (HashMap::new(), true);
        for ServiceAddress { host, port, outage } in places {
            match tokio::net::lookup_host((&**host, *port)).await {
                Ok(addresses) => {
                    if let Some(failures) = outage.record_success() {
                        tracing::info!(%host, service = self.0.name, failures, "DNS lookup succeeds again");
                    }
                    found.extend(addresses.map(|address| (address, host.clone())));
                }
                Err(cause) => {
                    if outage.record_failure() {
                        tracing::warn!(%cause, %host, service = self.0.name, "DNS lookup failed, retrying");
                    }
                    all = false;
                }
            }
        }
        if !found.is_empty() {
            self.replace(found, all, Instant::now(), tasks);
        }
        let known = self.0.directory.lock().unwrap_or_else(PoisonError::into_inner).hosts.len();
        let checked = self.0.checked.read().unwrap_or_else(PoisonError::into_inner).len();
        for (state, number) in [("known", known), ("checked", checked), ("healthy", self.healthy_count())] {
            metrics::gauge!("patio_replicas", "service" => self.0.name, "state" => state).set(telemetry::to_gauge_value(number));
        }
    }

    /// Stores the addresses that DNS lookups returned, each with its host name, and chooses the replicas whose health is checked.
    ///
    /// `all` means that every lookup succeeded. Only then are addresses missing from `found` removed: an unhealthy replica immediately, a
    /// healthy replica after [`DNS_GRACE`].
    fn replace(&self, found: HashMap<SocketAddr, Arc<str>>, all: bool, now: Instant, tasks: &BackgroundTasks) {
        let mut directory = self.0.directory.lock().unwrap_or_else(PoisonError::into_inner);
        let is_healthy = |address: &SocketAddr| {
            let checked = self.0.checked.read().unwrap_or_else(PoisonError::into_inner);
            checked.iter().any(|replica| replica.address == *address && replica.is_healthy())
        };
        directory
            .hosts
            .retain(|address, resolved| found.contains_key(address) || !all || is_healthy(address) && now - resolved.at < DNS_GRACE);
        directory.hosts.extend(found.into_iter().map(|(address, host)| (address, ResolvedHost { host, at: now })));
        self.choose_checked(&mut directory, true, tasks);
    }

    /// Chooses the replicas to check and call. Starts the health checks of the chosen replicas, and stops those of all other replicas. If
    /// `explore` is true, untried addresses may replace failing substitutes.
    fn choose_checked(&self, directory: &mut KnownReplicas, explore: bool, tasks: &BackgroundTasks) {
        let KnownReplicas { hosts, subset } = directory;
        let mut checked = self.0.checked.write().unwrap_or_else(PoisonError::into_inner);
        let failing: HashSet<_> = checked.iter().filter(|replica| replica.is_known_unhealthy()).map(|replica| replica.address).collect();
        let chosen = subset.choose_replicas(hosts.keys().copied(), |address| failing.contains(address), explore);
        checked.retain(|replica| {
            let stays = chosen.contains(&replica.address);
            if !stays {
                replica.stop_health_checks();
            }
            stays
        });
        for address in chosen {
            let Some(ResolvedHost { host, .. }) = hosts.get(&address) else { continue };
            if checked.iter().any(|replica| replica.address == address) {
                continue;
            }
            let connector = self.0.tls.as_ref().map(|tls| tls.create_connector(host));
            match Replica::new_with_health_checks(self.0.name, address, connector, self.0.health_lost.clone(), tasks) {
                Ok(replica) => checked.push(replica),
                Err(cause) => {
                    tracing::error!(%cause, service = self.0.name, %address, "failed to create a client for a replica, the replica gets no calls")
                }
            }
        }
        drop(checked);
        self.0.changed.notify_waiters();
    }
}

/// Guard of a call in flight on a replica. The call counts towards the replica's load until the guard is dropped.
pub struct InFlightCall(Arc<Replica>, LoadBalancer);

impl InFlightCall {
    fn of(replica: Arc<Replica>, among: &LoadBalancer) -> Self {
        replica.begin_call();
        Self(replica, among.clone())
    }

    /// Returns the address of the replica that the call is sent to.
    #[must_use]
    pub fn replica_address(&self) -> SocketAddr {
        self.0.address
    }

    /// Sends a call to the replica and returns its response.
    ///
    /// The call fails when the replica stops responding altogether. If `may_repeat` is true, the call also fails as soon as the replica is
    /// unhealthy while another replica is healthy, so that the caller can retry there. A unary response is read to its end. A stream that
    /// is cut off ends with [`tonic::Code::Unavailable`].
    ///
    /// # Errors
    /// Returns the reason why the replica sent no complete response.
    pub async fn send_request(&self, request: Request<Body>, may_repeat: bool) -> Result<Response<Body>, RpcAttemptFailure> {
        let answered = tokio::select! {
            answered = self.0.send(request) => answered,
            () = self.0.wait_until_unresponsive() => return Err(RpcAttemptFailure::ResponseLost("replica does not respond".to_owned())),
            () = self.wait_for_better_replica(), if may_repeat => {
                return Err(RpcAttemptFailure::ResponseLost("replica became unhealthy".to_owned()));
            }
        };
        answered.inspect_err(|failure| {
            if !matches!(failure, RpcAttemptFailure::DeadlineExceeded) {
                self.0.mark_unhealthy();
            }
        })
    }

    /// Waits until this call's replica is unhealthy and another replica is healthy.
    ///
    /// Never returns if the replica is already unhealthy when the wait begins. Such a replica was picked because no replica was healthy,
    /// and the call continues on that replica.
    async fn wait_for_better_replica(&self) {
        if !self.0.is_healthy() {
            std::future::pending::<()>().await;
        }
        loop {
            self.0.wait_until_unhealthy().await;
            if self.1.is_another_replica_healthy(self.0.address) {
                return;
            }
            // After one failed call, the next health check may find the replica healthy again.
            tokio::time::sleep(UNHEALTHY_CHECK_INTERVAL).await;
        }
    }
}

impl Drop for InFlightCall {
    fn drop(&mut self) {
        self.0.end_call();
    }
}

#[cfg(test)]
mod tests;
