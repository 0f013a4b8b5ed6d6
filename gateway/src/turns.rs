//! Turns: how many requests are worked on at once, and who is refused when more come.
use axum::{body::Body, extract::Request, response::Response};
use bytes::Bytes;
use futures::{future, stream};
use http::{Method, header::EXPECT, request::Parts};
use http_body::{Body as _, Frame, SizeHint};
use http_body_util::BodyExt;
use patio_kit::{lifecycle::Tasks, link::Link, telemetry::count};
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
    sync::oneshot,
    time::{Instant, timeout},
};

/// Requests at once for each core, when nothing else is told and the services are in this process,
const NEAR: usize = 5;
/// and when they are reached over the network, which is waited for.
const FAR: usize = 8;
/// A request under way for longer than this waits for something and is no work: it counts no more.
const WORKING: Duration = Duration::from_millis(250);
/// How many may wait for each that is worked on.
const QUEUE: usize = 20;
/// How long a request may wait for its turn in a rush.
const RUSH: Duration = Duration::from_millis(500);
/// How often it is told that requests are refused.
const SECOND: Duration = Duration::from_secs(1);
/// In an overload nobody waits who cannot be let in. It is over when so many found room for each that was refused lately,
const FOUND: usize = 16;
/// of whom so many for each turn are kept in mind: in the middle of it reads find room for a while, when no save is under way;
const REFUSED: usize = 4;
/// or when nobody came between so many looks, as between the rushes of a quiet day. Looks are counted and not the time, as a
/// machine that stands still for a moment is none.
const LULL: u32 = 5;
/// How often is looked.
const LOOK: Duration = Duration::from_millis(100);

/// What is refused first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rank {
    /// What only looks: three quarters of the turns at most.
    Read,
    /// What somebody wants kept.
    Save,
}

/// Who works, and who waits for a turn; clones share it.
#[derive(Debug, Clone)]
pub struct Turns(Arc<Mutex<Room>>);

#[derive(Debug)]
struct Room {
    most: usize,
    /// Under way.
    saving: usize,
    /// Under way.
    reading: usize,
    saves: VecDeque<oneshot::Sender<Turn>>,
    reads: VecDeque<oneshot::Sender<Turn>>,
    /// Those refused since that was told.
    refused: u64,
    /// When it was told.
    told: Instant,
    /// How many have to find room until the overload is over; none when there is none.
    wary: usize,
    /// How many looks in a row found no turn taken, and none that had been since the last look.
    lull: u32,
}

impl Room {
    fn has_room(&self, rank: Rank) -> bool {
        let taken = self.saving + self.reading;
        match rank {
            Rank::Save => taken < self.most,
            Rank::Read => taken < (self.most * 3 / 4).max(1),
        }
    }

    fn under_way(&mut self, rank: Rank) -> &mut usize {
        match rank {
            Rank::Save => &mut self.saving,
            Rank::Read => &mut self.reading,
        }
    }

    /// Whether more is asked than can be answered, and not only for a moment.
    fn is_overrun(&self) -> bool {
        let waiting = self.saves.len() + self.reads.len();
        self.wary > 0 || waiting >= self.most * QUEUE
    }

    /// Takes a turn if one is free.
    fn found(&mut self, rank: Rank) -> bool {
        if !self.has_room(rank) {
            return false;
        }
        self.wary = self.wary.saturating_sub(1);
        *self.under_way(rank) += 1;
        true
    }

    /// Looks whether nobody comes any more.
    fn look(&mut self) {
        self.lull = if self.saving + self.reading == 0 { self.lull + 1 } else { 0 };
        if self.lull >= LULL {
            (self.wary, self.lull) = (0, 0);
        }
    }

    /// Counts a refusal, and says at most once a second that there are some.
    fn refuse(&mut self) {
        self.refused += 1;
        self.wary = (self.wary + FOUND).min(self.most * REFUSED * FOUND);
        if self.told.elapsed() >= SECOND {
            tracing::warn!(refused = self.refused, at_once = self.most, "too much was asked at once");
            (self.refused, self.told) = (0, Instant::now());
        }
    }

    /// Whoever is to be let in next.
    fn next(&mut self) -> Option<(oneshot::Sender<Turn>, Rank)> {
        if self.has_room(Rank::Save)
            && let Some(save) = self.saves.pop_front()
        {
            return Some((save, Rank::Save));
        }
        if self.has_room(Rank::Read) { self.reads.pop_front().map(|read| (read, Rank::Read)) } else { None }
    }
}

impl Turns {
    /// So many at once; by the number of cores, and where the services are, when none is told.
    #[must_use]
    pub fn new(most: Option<NonZeroUsize>, services: &Link) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let each = if matches!(services, Link::Local(_)) { NEAR } else { FAR };
        let most = most.map_or(each * cores, NonZeroUsize::get);
        let now = Instant::now();
        let before = now.checked_sub(SECOND).unwrap_or(now);
        let room = Room {
            most,
            saving: 0,
            reading: 0,
            saves: VecDeque::new(),
            reads: VecDeque::new(),
            refused: 0,
            told: before,
            wary: 0,
            lull: 0,
        };
        Self(Arc::new(Mutex::new(room)))
    }

    /// Looks for the end of an overload, and tells the metrics every second how many are worked on and how many wait.
    pub fn keep(&self, tasks: &Tasks) {
        let turns = self.clone();
        tasks.repeat(LOOK, move || {
            turns.room().look();
            ready(())
        });
        let turns = self.clone();
        tasks.repeat(SECOND, move || {
            let now = {
                let room = turns.room();
                [("save", room.saving, room.saves.len()), ("read", room.reading, room.reads.len())]
            };
            for (rank, working, waiting) in now {
                for (state, number) in [("working", working), ("waiting", waiting)] {
                    metrics::gauge!("patio_turns", "rank" => rank, "state" => state).set(count(number));
                }
            }
            ready(())
        });
    }

    fn room(&self) -> MutexGuard<'_, Room> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a turn, which lasts until what this returns is dropped; none when there are too many.
    pub async fn take(&self, rank: Rank) -> Option<Turn> {
        let waiting = {
            let mut room = self.room();
            if room.found(rank) {
                return Some(Turn(self.clone(), rank));
            }
            if room.is_overrun() {
                room.refuse();
                return None;
            }
            let (here, waiting) = oneshot::channel();
            let queue = if rank == Rank::Save { &mut room.saves } else { &mut room.reads };
            queue.push_back(here);
            waiting
        };
        let turn = timeout(RUSH, waiting).await.ok().and_then(Result::ok);
        if turn.is_none() {
            self.room().refuse();
        }
        turn
    }

    fn end(&self, rank: Rank) {
        let mut room = self.room();
        *room.under_way(rank) -= 1;
        room.lull = 0;
        while let Some((waiting, rank)) = room.next() {
            *room.under_way(rank) += 1;
            if let Err(unwanted) = waiting.send(Turn(self.clone(), rank)) {
                std::mem::forget(unwanted); // its drop would come back here, where the lock is held
                *room.under_way(rank) -= 1;
            }
        }
    }
}

/// The right to be worked on.
#[derive(Debug)]
pub struct Turn(Turns, Rank);

impl Drop for Turn {
    fn drop(&mut self) {
        self.0.end(self.1);
    }
}

/// The rank of a request; none for what takes no turn: pages, health, and signing in, whose bound is where passwords are checked.
fn rank(request: &Request) -> Option<Rank> {
    let call = request.uri().path().strip_prefix("/api/")?;
    match (request.method(), call) {
        (_, "health") | (&Method::POST, "sessions") => None,
        (&Method::GET | &Method::HEAD, _) => Some(Rank::Read),
        _ => Some(Rank::Save),
    }
}

/// A body that is taken in before its request waits for a turn.
const SMALL: u64 = 16 << 10;

/// All of a body, or the cause why it never came.
async fn whole(body: Body) -> Body {
    match body.collect().await {
        Ok(all) => Body::from(all.to_bytes()),
        Err(cause) => Body::from_stream(stream::once(future::ready(Err::<Bytes, _>(cause)))),
    }
}

/// A turn that several may end.
type Held = Arc<Mutex<Option<Turn>>>;

fn give_up(held: &Held) {
    drop(held.lock().unwrap_or_else(PoisonError::into_inner).take());
}

/// A body that gives up its request's turn as soon as its client has to be waited for.
struct Unhurried {
    body: Body,
    turn: Held,
}

impl http_body::Body for Unhurried {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if polled.is_pending() {
            give_up(&self.turn);
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

/// Answers a request when it is its turn, and gives one back for which that would take too long.
///
/// No turn is spent on waiting for a client: a small body is taken in before, a larger one gives the turn up when it pauses.
///
/// # Errors
/// A request that has to be refused.
pub async fn in_turn<F>(turns: &Turns, request: Request, answer: impl FnOnce(Request) -> F) -> Result<Response, Box<(Parts, Body)>>
where
    F: Future<Output = Response>,
{
    let Some(rank) = rank(&request) else { return Ok(answer(request).await) };
    let (head, body) = request.into_parts();
    let is_small = body.size_hint().exact().is_some_and(|size| size <= SMALL) && !head.headers.contains_key(EXPECT);
    let body = if is_small && !body.is_end_stream() { whole(body).await } else { body };
    let Some(turn) = turns.take(rank).await else { return Err(Box::new((head, body))) };
    let turn = Arc::new(Mutex::new(Some(turn)));
    let body = if is_small { body } else { Body::new(Unhurried { body, turn: turn.clone() }) };
    let mut answering = pin!(answer(Request::from_parts(head, body)));
    let answered = timeout(WORKING, answering.as_mut()).await;
    give_up(&turn);
    match answered {
        Ok(response) => Ok(response),
        Err(_) => Ok(answering.await),
    }
}

#[cfg(test)]
mod tests;
