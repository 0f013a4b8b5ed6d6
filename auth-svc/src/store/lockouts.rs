//! The lockout's cells, so that they outlive a restart and hold when Redis is away.
//! Their moments are those of [`dialect::moment`]; callers only say what time it is here.
use super::dialect;
use crate::{
    error::Error,
    lockout::rules::{self, Act, Buckets, Cell, Cells, Verdict},
};
use patio_kit::{
    db::{Db, Tx},
    on,
};
use sqlx::{query, query_as, query_scalar};

/// Whether a try would be refused, without booking it.
pub async fn look(db: &Db, buckets: &Buckets, here: i64) -> Result<Verdict, Error> {
    let mut cells = Cells::new();
    for bucket in &buckets.all() {
        let cell: Option<Cell> = on!(db.read(), c => query_as(
            "select failures, until_ms, last_ms, blocked_ms from lockouts where bucket = $1")
            .bind(bucket).fetch_optional(c).await)?;
        cells.insert(bucket.clone(), cell.unwrap_or_default());
    }
    let now = dialect::moment(db, here).await?;
    Ok(rules::apply(&mut cells, buckets, Act::Look, now))
}

/// Does one act on the cells of its buckets, which stay locked until the commit.
pub async fn apply(tx: &mut Tx<'_>, buckets: &Buckets, act: Act, here: i64) -> Result<Verdict, Error> {
    let mut cells = Cells::new();
    // The upsert changes nothing but takes the lock; always in one order, so that nobody waits in a circle.
    for bucket in buckets.all() {
        let cell: Cell = on!(tx.on(), c => query_as(
            "insert into lockouts (bucket, failures, until_ms, last_ms, blocked_ms) values ($1, 0, 0, 0, 0)
             on conflict (bucket) do update set bucket = excluded.bucket
             returning failures, until_ms, last_ms, blocked_ms")
            .bind(&bucket).fetch_one(c).await)?;
        cells.insert(bucket, cell);
    }
    let now = dialect::moment_in(tx, here).await?;
    let verdict = rules::apply(&mut cells, buckets, act, now);
    if matches!(verdict, Verdict::Go(_)) {
        for (bucket, cell) in &cells {
            save(tx, bucket, cell).await?;
        }
    }
    Ok(verdict)
}

async fn save(tx: &mut Tx<'_>, bucket: &str, cell: &Cell) -> Result<(), Error> {
    on!(tx.on(), c => query(
        "update lockouts set failures = $2, until_ms = $3, last_ms = $4, blocked_ms = $5 where bucket = $1")
        .bind(bucket).bind(cell.failures).bind(cell.until_ms).bind(cell.last_ms).bind(cell.blocked_ms)
        .execute(c).await.map(drop))?;
    Ok(())
}

/// Removes the cells of an account that have an effect, wherever the failures came from; their buckets.
pub async fn lift(tx: &mut Tx<'_>, account: &str, here: i64) -> Result<Vec<String>, Error> {
    let now = dialect::moment_in(tx, here).await?;
    let buckets = on!(tx.on(), c => query_scalar(
        "delete from lockouts
          where (bucket in ($1, $2) or substr(bucket, 1, $3) in ($4, $5))
            and (blocked_ms > $6 or (failures > 0 and until_ms > $6)) returning bucket")
        .bind(format!("a:{account}")).bind(format!("o:{account}")).bind(i32::try_from(account.len() + 3).unwrap_or(i32::MAX))
        .bind(format!("p:{account}:")).bind(format!("d:{account}:")).bind(now).fetch_all(c).await)?;
    Ok(buckets)
}

/// Forgets the cells that have no effect any more.
pub async fn forget(tx: &mut Tx<'_>, here: i64) -> Result<(), Error> {
    let now = dialect::moment_in(tx, here).await?;
    on!(tx.on(), c => query("delete from lockouts where until_ms <= $1 and blocked_ms <= $1").bind(now).execute(c).await.map(drop))?;
    Ok(())
}
