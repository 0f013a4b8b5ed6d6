//! Admission control: limits how many API requests are processed at once. Further requests wait in a queue. During an overload,
//! requests are rejected, and reads are rejected before saves.
use axum::{body::Body, extract::Request, response::Response};
use bytes::Bytes;
use futures::{future, stream};
use http::{Method, header::EXPECT, request::Parts};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt;
use patio_kit::{client::service_channel::ServiceChannel, lifecycle::BackgroundTasks, telemetry::to_gauge_value};
use std::{
    collections::VecDeque,
    future::ready,
    num::NonZeroUsize,
    pin::{Pin, pin},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    sync::{Notify, oneshot},
    time::{Instant, sleep, timeout},
};

/// Default number of requests processed at once (permits) per core when the services run in the gateway's process.
const PERMITS_PER_CORE_LOCAL: usize = 5;
/// Default number of requests processed at once (permits) per core when the services are remote. Requests then mostly wait for the
/// network.
const PERMITS_PER_CORE_REMOTE: usize = 8;
/// Time after which a running request gives up its permit. A request that runs longer mostly waits for a service and uses little
/// CPU time.
const PERMIT_TIMEOUT: Duration = Duration::from_millis(250);
/// Maximum number of requests that wait in the queue, per permit.
const QUEUE_PER_PERMIT: usize = 20;
/// Maximum time that a request waits in the queue for a permit.
const MAX_QUEUE_WAIT: Duration = Duration::from_millis(500);
/// Minimum interval between two log messages about rejected requests; also the interval at which the queue metrics are published.
const LOG_INTERVAL: Duration = Duration::from_secs(1);
/// Number of requests that must be admitted without waiting to make up for one rejected request. A rejection adds this number to the
/// recovery debt, an admission without waiting subtracts 1, and an overload ends when the debt is 0.
const DEBT_PER_REJECTION: usize = 16;
/// Maximum of the recovery debt (number of requests still to be admitted without waiting before an overload ends), in rejected
/// requests per permit. At the maximum, further rejections do not prolong the overload. With a lower maximum, a few admitted reads
/// would pay off the debt and end the overload too early.
const DEBT_CAP_PER_PERMIT: usize = 4;
/// Number of consecutive idle ticks that end an overload. Ticks are counted instead of elapsed time, so that a paused process
/// is not mistaken for an idle process.
const IDLE_TICKS_TO_RECOVER: u32 = 5;
/// Interval of the ticks (periodic checks) that detect whether the gateway is idle.
const TICK: Duration = Duration::from_millis(100);

/// Priority of a request; reads are rejected before saves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// A request that changes nothing; reads use at most three quarters of the permits.
    Read,
    /// A request that changes data.
    Save,
}

/// Admission controller: the permits in use and the queue of waiting requests. Clones share the same permits and queue.
#[derive(Debug, Clone)]
pub struct AdmissionController(Arc<Mutex<State>>);

#[derive(Debug)]
struct State {
    max_concurrent: usize,
    /// Number of permits held by saves.
    saving: usize,
    /// Number of permits held by reads.
    reading: usize,
    saves: VecDeque<oneshot::Sender<Permit>>,
    reads: VecDeque<oneshot::Sender<Permit>>,
    /// Number of requests rejected since the last log message about rejections.
    rejected: u64,
    /// Time of the last log message about rejections.
    logged_at: Instant,
    /// Number of requests that must still be admitted without waiting in the queue before the overload ends; 0 when there is no
    /// overload. Each rejected request adds [`DEBT_PER_REJECTION`].
    recovery_debt: usize,
    /// Number of consecutive ticks without any permit in use.
    idle_ticks: u32,
    /// Notification that each rejected request sends. The first notification of an overload wakes the task that checks, once per
    /// tick, whether the overload has ended.
    overload_began: Arc<Notify>,
}

impl State {
    fn has_free_permit(&self, rank: Priority) -> bool {
        let taken = self.saving + self.reading;
        match rank {
            Priority::Save => taken < self.max_concurrent,
            Priority::Read => taken < (self.max_concurrent * 3 / 4).max(1),
        }
    }

    fn under_way(&mut self, rank: Priority) -> &mut usize {
        match rank {
            Priority::Save => &mut self.saving,
            Priority::Read => &mut self.reading,
        }
    }

    /// Returns `true` if a request that finds no free permit must be rejected instead of queued. Requests are rejected during an
    /// overload (`recovery_debt` is above 0), and when the queue is full.
    fn is_overloaded(&self) -> bool {
        let waiting = self.saves.len() + self.reads.len();
        self.recovery_debt > 0 || waiting >= self.max_concurrent * QUEUE_PER_PERMIT
    }

    /// Removes abandoned requests from the front of both queues: requests that timed out, or whose client disconnected. All requests have
    /// the same maximum wait, so the request at the front of a queue times out first.
    fn drop_abandoned(&mut self) {
        for queue in [&mut self.saves, &mut self.reads] {
            while queue.front().is_some_and(oneshot::Sender::is_closed) {
                queue.pop_front();
            }
        }
    }

    /// Takes a permit if a permit for this priority is free. Returns `true` if a permit was taken.
    ///
    /// Each permit taken here reduces `recovery_debt` by 1: an overload ends after enough requests were admitted without waiting.
    fn try_admit_immediately(&mut self, rank: Priority) -> bool {
        if !self.has_free_permit(rank) {
            return false;
        }
        self.recovery_debt = self.recovery_debt.saturating_sub(1);
        *self.under_way(rank) += 1;
        true
    }

    /// Counts consecutive ticks (periodic checks) at which no permit is in use. Ends the overload after [`IDLE_TICKS_TO_RECOVER`]
    /// such ticks. Returns `true` while the overload lasts.
    fn tick(&mut self) -> bool {
        self.idle_ticks = if self.saving + self.reading == 0 { self.idle_ticks + 1 } else { 0 };
        if self.idle_ticks >= IDLE_TICKS_TO_RECOVER {
            (self.recovery_debt, self.idle_ticks) = (0, 0);
        }
        self.recovery_debt > 0
    }

    /// Records a rejected request, and logs rejections at most once per second.
    fn reject(&mut self) {
        self.rejected += 1;
        self.overload_began.notify_one();
        self.recovery_debt = (self.recovery_debt + DEBT_PER_REJECTION).min(self.max_concurrent * DEBT_CAP_PER_PERMIT * DEBT_PER_REJECTION);
        if self.logged_at.elapsed() >= LOG_INTERVAL {
            tracing::warn!(rejected = self.rejected, max_concurrent = self.max_concurrent, "overloaded, requests rejected");
            (self.rejected, self.logged_at) = (0, Instant::now());
        }
    }

    /// Takes the next request that can be admitted out of its queue; saves come before reads. Returns `None` when no waiting
    /// request can be admitted.
    fn next(&mut self) -> Option<(oneshot::Sender<Permit>, Priority)> {
        if self.has_free_permit(Priority::Save)
            && let Some(save) = self.saves.pop_front()
        {
            return Some((save, Priority::Save));
        }
        if self.has_free_permit(Priority::Read) { self.reads.pop_front().map(|read| (read, Priority::Read)) } else { None }
    }
}

impl AdmissionController {
    /// Creates an admission controller with `max_concurrent` permits. With `None`, the number of permits depends on the number of
    /// cores and on whether the services run in this process.
    #[must_use]
    pub fn new(max_concurrent: Option<NonZeroUsize>, services: &ServiceChannel) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let each = if matches!(services, ServiceChannel::Local(_)) { PERMITS_PER_CORE_LOCAL } else { PERMITS_PER_CORE_REMOTE };
        let max_concurrent = max_concurrent.map_or(each * cores, NonZeroUsize::get);
        let now = Instant::now();
        let before = now.checked_sub(LOG_INTERVAL).unwrap_or(now);
        let state = State {
            max_concurrent,
            saving: 0,
            reading: 0,
            saves: VecDeque::new(),
            reads: VecDeque::new(),
            rejected: 0,
            logged_at: before,
            recovery_debt: 0,
            idle_ticks: 0,
            overload_began: Arc::default(),
        };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Starts the background tasks that detect the end of an overload and publish the queue metrics.
    pub fn spawn_background_tasks(&self, tasks: &BackgroundTasks) {
        let (admission, stopping) = (self.clone(), tasks.clone());
        tasks.spawn(async move {
            tokio::select! {
                () = admission.tick_during_overloads() => {}
                () = stopping.wait_until_stopping() => {}
            }
        });
        let admission = self.clone();
        tasks.spawn_repeating(LOG_INTERVAL, move || {
            let now = {
                let mut state = admission.state();
                state.drop_abandoned();
                [("save", state.saving, state.saves.len()), ("read", state.reading, state.reads.len())]
            };
            for (rank, working, waiting) in now {
                for (state, number) in [("working", working), ("waiting", waiting)] {
                    metrics::gauge!("patio_admission_requests", "rank" => rank, "state" => state).set(to_gauge_value(number));
                }
            }
            ready(())
        });
    }

    /// Waits for an overload, checks at the interval [`TICK`] whether the overload has ended, and then waits for the next overload.
    async fn tick_during_overloads(&self) {
        let overload_began = self.state().overload_began.clone();
        loop {
            overload_began.notified().await;
            while self.state().tick() {
                sleep(TICK).await;
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a permit to process a request. Dropping the permit releases it. Returns `None` when the request must be rejected.
    pub async fn acquire_permit(&self, priority: Priority) -> Option<Permit> {
        let waiting = {
            let mut state = self.state();
            if state.try_admit_immediately(priority) {
                return Some(Permit(self.clone(), priority));
            }
            state.drop_abandoned();
            if state.is_overloaded() {
                state.reject();
                return None;
            }
            let (here, waiting) = oneshot::channel();
            let queue = if priority == Priority::Save { &mut state.saves } else { &mut state.reads };
            queue.push_back(here);
            waiting
        };
        let permit = timeout(MAX_QUEUE_WAIT, waiting).await.ok().and_then(Result::ok);
        if permit.is_none() {
            self.state().reject();
        }
        permit
    }

    fn end(&self, rank: Priority) {
        let mut state = self.state();
        *state.under_way(rank) -= 1;
        state.idle_ticks = 0;
        while let Some((waiting, rank)) = state.next() {
            *state.under_way(rank) += 1;
            if let Err(unwanted) = waiting.send(Permit(self.clone(), rank)) {
                std::mem::forget(unwanted); // dropping it would call this function again while the lock is held
                *state.under_way(rank) -= 1;
            }
        }
    }
}

/// Permit to process one API request, released when dropped.
#[derive(Debug)]
pub struct Permit(AdmissionController, Priority);

impl Drop for Permit {
    fn drop(&mut self) {
        self.0.end(self.1);
    }
}

/// Returns the priority of a request. Returns `None` for requests that need no permit: static files, health checks, and
/// sign-ins, which auth-svc limits.
fn rank(request: &Request) -> Option<Priority> {
    let call = request.uri().path().strip_prefix("/api/")?;
    match (request.method(), call) {
        (_, "health") | (&Method::POST, "sessions") => None,
        (&Method::GET | &Method::HEAD, _) => Some(Priority::Read),
        _ => Some(Priority::Save),
    }
}

/// Maximum size in bytes of a request body that is read before the request waits for a permit.
const BUFFERED_BODY_MAX: u64 = 16 << 10;

/// Reads a request body to its end and returns a new body with the data in memory. If reading fails, the new body yields the read
/// error.
async fn whole(body: Body) -> Body {
    match body.collect().await {
        Ok(all) => Body::from(all.to_bytes()),
        Err(cause) => Body::from_stream(stream::once(future::ready(Err::<Bytes, _>(cause)))),
    }
}

/// Permit of a request, shared by the middleware and the request body. Either of them can release the permit before the request ends.
type SharedPermit = Arc<Mutex<Option<Permit>>>;

fn release(held: &SharedPermit) {
    drop(held.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// Request body that releases the request's permit as soon as a reader must wait for data from the client.
struct PermitReleasingBody {
    body: Body,
    permit: SharedPermit,
}

impl http_body::Body for PermitReleasingBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if polled.is_pending() {
            release(&self.permit);
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Runs the handler of a request once a permit is free.
///
/// A permit is never held while waiting for a client: small request bodies are read first, and larger bodies release the permit
/// when the client stalls.
///
/// # Errors
/// Returns the head and body of the request when the request is rejected because of an overload.
pub async fn run_with_permit<F>(
    admission: &AdmissionController,
    request: Request,
    answer: impl FnOnce(Request) -> F,
) -> Result<Response, Box<(Parts, Body)>>
where
    F: Future<Output = Response>,
{
    let Some(rank) = rank(&request) else { return Ok(answer(request).await) };
    let (head, body) = request.into_parts();
    let is_small = body.size_hint().exact().is_some_and(|size| size <= BUFFERED_BODY_MAX) && !head.headers.contains_key(EXPECT);
    let body = if is_small && !body.is_end_stream() { whole(body).await } else { body };
    let Some(permit) = admission.acquire_permit(rank).await else { return Err(Box::new((head, body))) };
    let permit = Arc::new(Mutex::new(Some(permit)));
    let body = if is_small { body } else { Body::new(PermitReleasingBody { body, permit: permit.clone() }) };
    let mut answering = pin!(answer(Request::from_parts(head, body)));
    let answered = timeout(PERMIT_TIMEOUT, answering.as_mut()).await;
    release(&permit);
    match answered {
        Ok(response) => Ok(response),
        Err(_) => Ok(answering.await),
    }
}

#[cfg(test)]
mod tests;
