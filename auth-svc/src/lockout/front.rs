//! The quick store of the lockout: this process, or a Redis that all replicas share.
use super::rules::{self, Act, BLOCK_MS, Buckets, Cells, MEMORY_MS, TRIES, Verdict};
use patio_kit::cache::Cache;
use redis::{AsyncCommands, Script, aio::ConnectionManager};
use std::{
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// After so many failures in a row it is asked only now and then.
const FAILURES: u32 = 3;
/// How often that is.
const PROBE_EVERY: Duration = Duration::from_secs(1);

static RULES: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lockout.lua")));

/// The quick store.
pub enum Front {
    /// Inside this process.
    Memory(Mutex<Cells>),
    /// Shared by all replicas.
    Redis(Remote),
}

/// A Redis and how it has been lately.
pub struct Remote {
    redis: ConnectionManager,
    patience: Duration,
    lately: Mutex<Lately>,
}

#[derive(Default)]
struct Lately {
    failures: u32,
    asked: Option<Instant>,
}

impl Front {
    /// The store that goes with the cache of a process; Redis may take so long for an answer.
    #[must_use]
    pub fn of(cache: &Cache, patience: Duration) -> Self {
        match cache {
            Cache::Memory(_) => Self::Memory(Mutex::default()),
            Cache::Redis(redis) => Self::Redis(Remote { redis: redis.clone(), patience, lately: Mutex::default() }),
        }
    }

    /// Does one act; none when the store is away.
    pub async fn act(&self, act: Act, buckets: &Buckets, now: i64) -> Option<Verdict> {
        match self {
            Self::Memory(cells) => Some(rules::apply(&mut held(cells), buckets, act, now)),
            Self::Redis(remote) => remote.act(act, buckets).await,
        }
    }

    /// Forgets some buckets with what was counted and blocked there; false when the store is away.
    pub async fn lift(&self, buckets: &[String]) -> bool {
        match self {
            Self::Memory(cells) => {
                held(cells).retain(|bucket, _| !buckets.contains(bucket));
                true
            }
            Self::Redis(remote) => remote.lift(buckets).await,
        }
    }

    /// Forgets what has no effect any more; Redis does so by itself.
    pub fn tidy(&self, now: i64) {
        if let Self::Memory(cells) = self {
            held(cells).retain(|_, cell| cell.until_ms > now || cell.blocked_ms > now);
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Remote {
    async fn act(&self, act: Act, buckets: &Buckets) -> Option<Verdict> {
        if !self.is_worth_asking() {
            return None;
        }
        let mut redis = self.redis.clone();
        let call = call(act, buckets);
        let answer = tokio::time::timeout(self.patience, call.invoke_async::<(i64, i64)>(&mut redis)).await;
        let answer = match answer {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(cause)) => {
                tracing::warn!(%cause, "redis did not answer for the lockout; the database decides");
                None
            }
            Err(_) => {
                tracing::warn!("redis was slow for the lockout; the database decides");
                None
            }
        };
        let mut lately = held(&self.lately);
        lately.failures = if answer.is_some() { 0 } else { lately.failures.saturating_add(1) };
        answer.map(|(goes, value)| if goes == 1 { Verdict::Go(value) } else { Verdict::Refused(value) })
    }

    async fn lift(&self, buckets: &[String]) -> bool {
        let (mut redis, keys) = (self.redis.clone(), buckets.iter().map(|bucket| key(bucket)).collect::<Vec<_>>());
        let answer = tokio::time::timeout(self.patience, redis.del::<_, i64>(keys)).await;
        matches!(answer, Ok(Ok(_)))
    }

    fn is_worth_asking(&self) -> bool {
        let mut lately = held(&self.lately);
        if lately.failures >= FAILURES && lately.asked.is_some_and(|asked| asked.elapsed() < PROBE_EVERY) {
            return false;
        }
        lately.asked = Some(Instant::now());
        true
    }
}

/// Where a bucket is kept: under one hash tag, so that a cluster keeps all keys of an attempt together.
fn key(bucket: &str) -> String {
    format!("patio:{{lockout}}:{bucket}")
}

fn call(act: Act, buckets: &Buckets) -> redis::ScriptInvocation<'static> {
    let (name, adopted) = match act {
        Act::Look => ("look", 0),
        Act::Reserve => ("reserve", 0),
        Act::Settle => ("settle", 0),
        Act::Adopt(wait) => ("adopt", wait),
    };
    let mut call = RULES.prepare_invoke();
    call.key(key(&buckets.decider)).key(key(buckets.shadow.as_ref().unwrap_or(&buckets.decider)));
    call.arg(name).arg(TRIES).arg(BLOCK_MS).arg(MEMORY_MS).arg(adopted);
    for (bucket, rule) in &buckets.wide {
        call.key(key(bucket)).arg(rule.limit).arg(rule.ms);
    }
    call
}
