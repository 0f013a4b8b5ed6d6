//! Lockout counters in the database, which survive restarts and Redis failures. With `PostgreSQL`, times come from the clock of the
//! database ([`dialect::database_time_ms_in_tx`]). SQLite has no server clock, so functions use the parameter `here`, the time of this
//! process.
use crate::{
    error::Error,
    lockout_rules::{self, CounterNames, FailureCounter, FailureCounters, LockoutDecision, LockoutOperation},
    store::dialect,
};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{query, query_as, query_scalar};

/// Checks whether a password attempt would be blocked, without counting the attempt.
pub async fn check_attempt(db: &Db, counter_names: &CounterNames, process_now_ms: i64) -> Result<LockoutDecision, Error> {
    let mut counters = FailureCounters::new();
    for bucket in &counter_names.sorted_counter_names() {
        let counter: Option<FailureCounter> = on!(db.read_pool(), c => query_as(
            "select failures, until_ms, last_ms, blocked_ms from lockouts where bucket = $1")
            .bind(bucket).fetch_optional(c).await)?;
        counters.insert(bucket.clone(), counter.unwrap_or_default());
    }
    let now = dialect::database_time_ms(db, process_now_ms).await?;
    Ok(lockout_rules::apply_lockout_operation(&mut counters, counter_names, LockoutOperation::Check, now))
}

/// Applies one lockout operation, such as reserving an attempt, to the counters of a password attempt. The rows of the counters stay
/// locked until the commit.
pub async fn apply_lockout_operation(
    tx: &mut Tx<'_>,
    counter_names: &CounterNames,
    operation: LockoutOperation,
    process_now_ms: i64,
) -> Result<LockoutDecision, Error> {
    let mut counters = FailureCounters::new();
    // The upsert only takes the row lock. The rows are always locked in one order, which avoids deadlocks.
    for bucket in counter_names.sorted_counter_names() {
        let counter: FailureCounter = on!(tx.connection(), c => query_as(
            "insert into lockouts (bucket, failures, until_ms, last_ms, blocked_ms) values ($1, 0, 0, 0, 0)
             on conflict (bucket) do update set bucket = excluded.bucket
             returning failures, until_ms, last_ms, blocked_ms")
            .bind(&bucket).fetch_one(c).await)?;
        counters.insert(bucket, counter);
    }
    let now = dialect::database_time_ms_in_tx(tx, process_now_ms).await?;
    let verdict = lockout_rules::apply_lockout_operation(&mut counters, counter_names, operation, now);
    if matches!(verdict, LockoutDecision::Allow(_)) {
        for (bucket, counter) in &counters {
            save(tx, bucket, counter).await?;
        }
    }
    Ok(verdict)
}

async fn save(tx: &mut Tx<'_>, bucket: &str, counter: &FailureCounter) -> Result<(), Error> {
    on!(tx.connection(), c => query(
        "update lockouts set failures = $2, until_ms = $3, last_ms = $4, blocked_ms = $5 where bucket = $1")
        .bind(bucket).bind(counter.failures).bind(counter.until_ms).bind(counter.last_ms).bind(counter.blocked_ms)
        .execute(c).await.map(drop))?;
    Ok(())
}

/// Deletes the unexpired lockout counters of an account, for all addresses and devices. Returns the names of the deleted counters.
pub async fn delete_unexpired_counters(tx: &mut Tx<'_>, account: &str, process_now_ms: i64) -> Result<Vec<String>, Error> {
    let now = dialect::database_time_ms_in_tx(tx, process_now_ms).await?;
    let counter_names = on!(tx.connection(), c => query_scalar(
        "delete from lockouts
          where (bucket in ($1, $2) or substr(bucket, 1, $3) in ($4, $5))
            and (blocked_ms > $6 or (failures > 0 and until_ms > $6)) returning bucket")
        .bind(format!("a:{account}")).bind(format!("o:{account}")).bind(i32::try_from(account.len() + 3).unwrap_or(i32::MAX))
        .bind(format!("p:{account}:")).bind(format!("d:{account}:")).bind(now).fetch_all(c).await)?;
    Ok(counter_names)
}

/// Deletes the lockout counters whose failures no longer count and whose block has ended.
pub async fn purge_expired_counters(tx: &mut Tx<'_>, process_now_ms: i64) -> Result<(), Error> {
    let now = dialect::database_time_ms_in_tx(tx, process_now_ms).await?;
    on!(tx.connection(), c => query("delete from lockouts where until_ms <= $1 and blocked_ms <= $1").bind(now).execute(c).await.map(drop))?;
    Ok(())
}
