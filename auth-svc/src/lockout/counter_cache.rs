//! Cache of the lockout counters (failed sign-ins and blocks): the memory of this process, or a Redis shared by all replicas.
use crate::lockout_rules::{
    self, CounterNames, FAILURE_EXPIRY_MS, FailureCounters, LOCKOUT_DURATION_MS, LockoutDecision, LockoutOperation, MAX_FAILED_ATTEMPTS,
};
use patio_kit::cache::{Cache, RedisConnection};
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

/// Cache of the lockout counters (failed sign-ins and blocks). A sign-in checks this cache before the database.
pub enum CounterCache {
    /// Lockout counters in the memory of this process.
    Memory(Mutex<FailureCounters>),
    /// Lockout counters in a Redis shared by all replicas.
    Redis(RedisCounterCache),
}

/// Lockout counters in Redis: a Redis connection with a timeout and a circuit breaker.
pub struct RedisCounterCache {
    redis: RedisConnection,
    timeout: Duration,
    breaker: Mutex<CircuitBreaker>,
    /// Names of the lockout counters that were deleted from the database but not yet from Redis.
    to_delete: Mutex<BTreeSet<String>>,
}

#[derive(Default)]
struct CircuitBreaker {
    failures: u32,
    last_call: Option<Instant>,
}

impl CounterCache {
    /// Creates a counter cache. The counters are stored in Redis if `cache` uses Redis, otherwise in the memory of this process.
    /// `timeout` is the time limit of a Redis call.
    #[must_use]
    pub fn from_cache(cache: &Cache, timeout: Duration) -> Self {
        match cache {
            Cache::Memory(_) => Self::Memory(Mutex::default()),
            Cache::Redis(redis) => {
                Self::Redis(RedisCounterCache { redis: redis.clone(), timeout, breaker: Mutex::default(), to_delete: Mutex::default() })
            }
        }
    }

    /// Applies one operation, such as reserving a password attempt, to the lockout counters. Returns `None` when Redis is
    /// unavailable.
    pub async fn apply_lockout_operation(
        &self,
        operation: LockoutOperation,
        counter_names: &CounterNames,
        now: i64,
    ) -> Option<LockoutDecision> {
        match self {
            Self::Memory(counters) => Some(lockout_rules::apply_lockout_operation(&mut lock(counters), counter_names, operation, now)),
            Self::Redis(remote) => remote.run_operation(operation, counter_names).await,
        }
    }

    /// Deletes lockout counters, which resets the failure counts and ends the blocks. Returns `false` when Redis is unavailable.
    pub async fn delete_counters(&self, counter_names: &[String]) -> bool {
        match self {
            Self::Memory(counters) => {
                lock(counters).retain(|bucket, _| !counter_names.contains(bucket));
                true
            }
            Self::Redis(remote) => remote.lift(counter_names).await,
        }
    }

    /// Deletes expired lockout counters from memory. In Redis, expired counters are deleted automatically.
    pub fn purge_expired_counters(&self, now: i64) {
        if let Self::Memory(counters) = self {
            lock(counters).retain(|_, counter| counter.until_ms > now || counter.blocked_ms > now);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl RedisCounterCache {
    async fn run_operation(&self, operation: LockoutOperation, counter_names: &CounterNames) -> Option<LockoutDecision> {
        // A read-only Redis still responds, but its data may be stale: a block that it reports may already be lifted.
        if !self.redis.accepts_writes() || !self.allows_call() || !self.delete_pending().await {
            return None;
        }
        let mut redis = self.redis.clone();
        let call = call(operation, counter_names);
        let response = tokio::time::timeout(self.timeout, call.invoke_async::<(i64, i64)>(&mut redis)).await;
        let response = match response {
            Ok(Ok(response)) => Some(response),
            Ok(Err(cause)) => {
                self.redis.log_failure("sign-in lockout", &cause);
                None
            }
            Err(_) => {
                self.redis.log_failure("sign-in lockout", &"timeout");
                None
            }
        };
        let mut breaker = lock(&self.breaker);
        breaker.failures = if response.is_some() { 0 } else { breaker.failures.saturating_add(1) };
        response.map(|(allowed, value)| if allowed == 1 { LockoutDecision::Allow(value) } else { LockoutDecision::Deny(value) })
    }

    async fn lift(&self, counter_names: &[String]) -> bool {
        lock(&self.to_delete).extend(counter_names.iter().cloned());
        self.delete_pending().await
    }

    /// Deletes from Redis the lockout counters that were already deleted from the database. Returns `false` on failure; the
    /// lockout then uses only the database.
    async fn delete_pending(&self) -> bool {
        let to_delete = lock(&self.to_delete).clone();
        if to_delete.is_empty() {
            return true;
        }
        let (mut redis, keys) = (self.redis.clone(), to_delete.iter().map(|bucket| key(bucket)).collect::<Vec<_>>());
        let response = tokio::time::timeout(self.timeout, redis.del::<_, i64>(keys)).await;
        let deleted = matches!(response, Ok(Ok(_)));
        if deleted {
            lock(&self.to_delete).retain(|bucket| !to_delete.contains(bucket));
        }
        deleted
    }

    fn allows_call(&self) -> bool {
        let mut breaker = lock(&self.breaker);
        if breaker.failures >= FAILURES_TO_OPEN && breaker.last_call.is_some_and(|last_call| last_call.elapsed() < PROBE_INTERVAL) {
            return false;
        }
        breaker.last_call = Some(Instant::now());
        true
    }
}

/// Returns the Redis key of a lockout counter. All keys share one hash tag, so that a Redis cluster stores all lockout counters in
/// one slot.
fn key(bucket: &str) -> String {
    format!("patio:{{lockout}}:{bucket}")
}

fn call(operation: LockoutOperation, counter_names: &CounterNames) -> redis::ScriptInvocation<'static> {
    let (name, imported) = match operation {
        LockoutOperation::Check => ("check", 0),
        LockoutOperation::Reserve => ("reserve", 0),
        LockoutOperation::Release => ("release", 0),
        LockoutOperation::Import(wait) => ("import", wait),
    };
    let mut call = LOCKOUT_SCRIPT.prepare_invoke();
    call.key(key(&counter_names.primary)).key(key(counter_names.secondary.as_ref().unwrap_or(&counter_names.primary)));
    call.arg(name).arg(MAX_FAILED_ATTEMPTS).arg(LOCKOUT_DURATION_MS).arg(FAILURE_EXPIRY_MS).arg(imported);
    for (bucket, rule) in &counter_names.rate_limits {
        call.key(key(bucket)).arg(rule.limit).arg(rule.ms);
    }
    call
}
