//! Fast store of the lockout counters: the memory of this process, or a Redis shared by all replicas.
use crate::lockout_rules::{self, BLOCK_MS, Buckets, Counters, Decision, FAILURE_EXPIRY_MS, MAX_TRIES, Op};
use patio_kit::cache::{Cache, Server};
use redis::{AsyncCommands, Script};
use std::{
    collections::BTreeSet,
    sync::{LazyLock, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Number of consecutive Redis failures that open the circuit breaker.
const FAILURES_TO_OPEN: u32 = 3;
/// Interval between probes of Redis while the circuit breaker is open.
const PROBE_INTERVAL: Duration = Duration::from_secs(1);

static LOCKOUT_SCRIPT: LazyLock<Script> = LazyLock::new(|| Script::new(include_str!("lockout.lua")));

/// Fast store of the lockout counters, consulted before the database.
pub enum FastStore {
    /// Lockout counters in the memory of this process.
    Memory(Mutex<Counters>),
    /// Lockout counters in a Redis shared by all replicas.
    Redis(RedisStore),
}

/// Redis connection with a timeout and a circuit breaker.
pub struct RedisStore {
    redis: Server,
    patience: Duration,
    lately: Mutex<CircuitBreaker>,
    /// Names of the lockout counters that were deleted from the database but not yet from Redis.
    lifted: Mutex<BTreeSet<String>>,
}

#[derive(Default)]
struct CircuitBreaker {
    failures: u32,
    asked: Option<Instant>,
}

impl FastStore {
    /// Creates a fast store of the same kind as the cache: memory or Redis. `patience` is the timeout of a Redis call.
    #[must_use]
    pub fn for_cache(cache: &Cache, patience: Duration) -> Self {
        match cache {
            Cache::Memory(_) => Self::Memory(Mutex::default()),
            Cache::Redis(redis) => {
                Self::Redis(RedisStore { redis: redis.clone(), patience, lately: Mutex::default(), lifted: Mutex::default() })
            }
        }
    }

    /// Performs one lockout operation; returns `None` when Redis is unavailable.
    pub async fn run_op(&self, act: Op, buckets: &Buckets, now: i64) -> Option<Decision> {
        match self {
            Self::Memory(cells) => Some(lockout_rules::apply(&mut held(cells), buckets, act, now)),
            Self::Redis(remote) => remote.act(act, buckets).await,
        }
    }

    /// Deletes lockout counters, including their failures and blocks; returns `false` when Redis is unavailable.
    pub async fn delete_counters(&self, buckets: &[String]) -> bool {
        match self {
            Self::Memory(cells) => {
                held(cells).retain(|bucket, _| !buckets.contains(bucket));
                true
            }
            Self::Redis(remote) => remote.lift(buckets).await,
        }
    }

    /// Deletes expired lockout counters from memory. In Redis, expired counters are deleted automatically.
    pub fn run_maintenance(&self, now: i64) {
        if let Self::Memory(cells) = self {
            held(cells).retain(|_, cell| cell.until_ms > now || cell.blocked_ms > now);
        }
    }
}

fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RedisStore {
    async fn act(&self, act: Op, buckets: &Buckets) -> Option<Decision> {
        // A read-only Redis still responds, but its data may be stale: a block there may have been lifted since.
        if !self.redis.takes_writes() || !self.is_worth_asking() || !self.tell_lifted().await {
            return None;
        }
        let mut redis = self.redis.clone();
        let call = call(act, buckets);
        let answer = tokio::time::timeout(self.patience, call.invoke_async::<(i64, i64)>(&mut redis)).await;
        let answer = match answer {
            Ok(Ok(answer)) => Some(answer),
            Ok(Err(cause)) => {
                self.redis.log_failure("sign-in lockout", &cause);
                None
            }
            Err(_) => {
                self.redis.log_failure("sign-in lockout", &"timeout");
                None
            }
        };
        let mut lately = held(&self.lately);
        lately.failures = if answer.is_some() { 0 } else { lately.failures.saturating_add(1) };
        answer.map(|(goes, value)| if goes == 1 { Decision::Allow(value) } else { Decision::Deny(value) })
    }

    async fn lift(&self, buckets: &[String]) -> bool {
        held(&self.lifted).extend(buckets.iter().cloned());
        self.tell_lifted().await
    }

    /// Deletes from Redis the lockout counters that were already deleted from the database. Returns `false` on failure; the
    /// lockout then uses only the database.
    async fn tell_lifted(&self) -> bool {
        let lifted = held(&self.lifted).clone();
        if lifted.is_empty() {
            return true;
        }
        let (mut redis, keys) = (self.redis.clone(), lifted.iter().map(|bucket| key(bucket)).collect::<Vec<_>>());
        let answer = tokio::time::timeout(self.patience, redis.del::<_, i64>(keys)).await;
        let told = matches!(answer, Ok(Ok(_)));
        if told {
            held(&self.lifted).retain(|bucket| !lifted.contains(bucket));
        }
        told
    }

    fn is_worth_asking(&self) -> bool {
        let mut lately = held(&self.lately);
        if lately.failures >= FAILURES_TO_OPEN && lately.asked.is_some_and(|asked| asked.elapsed() < PROBE_INTERVAL) {
            return false;
        }
        lately.asked = Some(Instant::now());
        true
    }
}

/// Returns the Redis key of a lockout counter. All keys share one hash tag, so that a Redis cluster stores all lockout counters in
/// one slot.
fn key(bucket: &str) -> String {
    format!("patio:{{lockout}}:{bucket}")
}

fn call(act: Op, buckets: &Buckets) -> redis::ScriptInvocation<'static> {
    let (name, adopted) = match act {
        Op::Check => ("look", 0),
        Op::Reserve => ("reserve", 0),
        Op::Release => ("settle", 0),
        Op::Import(wait) => ("adopt", wait),
    };
    let mut call = LOCKOUT_SCRIPT.prepare_invoke();
    call.key(key(&buckets.primary)).key(key(buckets.secondary.as_ref().unwrap_or(&buckets.primary)));
    call.arg(name).arg(MAX_TRIES).arg(BLOCK_MS).arg(FAILURE_EXPIRY_MS).arg(adopted);
    for (bucket, rule) in &buckets.wide {
        call.key(key(bucket)).arg(rule.limit).arg(rule.ms);
    }
    call
}
