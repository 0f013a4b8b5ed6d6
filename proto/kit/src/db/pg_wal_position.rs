//! Positions in the write-ahead log of a `PostgreSQL` cluster, and their comparison with the position that a standby has
//! replayed.
use sqlx::{Error, FromRow, PgConnection, query_as};
use std::time::Duration;
use tokio::time::sleep;

/// Pauses, in milliseconds, between the checks of whether a standby has replayed a position in the write-ahead log. The sum of the
/// pauses exceeds the usual time in which a write reaches the standby.
const REPLAY_PAUSES_MS: [u64; 5] = [1, 2, 4, 8, 16];

/// Position in the write-ahead log of a cluster: the end of the log on the primary, where the next record is inserted.
///
/// Only one server writes to a timeline, and a failover starts a new timeline. A standby of the same cluster (`system`) and timeline that
/// has replayed a position therefore contains everything that the primary had written up to that position. A standby that does not follow a
/// failover stays on the older timeline.
#[derive(Debug, Clone, FromRow)]
pub(super) struct WalPosition {
    system: i64,
    pub(super) timeline: i32,
    lsn: String,
}

impl WalPosition {
    /// Reads the current write-ahead log position of the primary.
    ///
    /// # Errors
    /// Returns the error of the statement, which fails on a standby.
    pub(super) async fn read_from_primary(primary: &mut PgConnection) -> Result<Self, Error> {
        let position = "select s.system_identifier as system, cast(w.lsn as text) as lsn,
                cast(cast('x' || substr(pg_walfile_name(w.lsn), 1, 8) as bit(32)) as integer) as timeline
           from pg_control_system() s cross join (select pg_current_wal_insert_lsn() as lsn) w";
        query_as(position).fetch_one(primary).await
    }

    /// Returns two values: whether the server is a standby on this timeline, and whether the server has replayed this position.
    ///
    /// For a short time after a failover, the first value stays `false`. The standby's control file names the new timeline only after the
    /// standby has replayed a part of the new timeline.
    async fn state_on(&self, standby: &mut PgConnection) -> Result<(bool, bool), Error> {
        let state = "select pg_is_in_recovery() and s.system_identifier = $1
                and greatest(c.timeline_id, r.min_recovery_end_timeline) = $2,
                coalesce(pg_last_wal_replay_lsn() >= cast($3 as pg_lsn), false)
           from pg_control_system() s cross join pg_control_checkpoint() c cross join pg_control_recovery() r";
        query_as(state).bind(self.system).bind(self.timeline).bind(&self.lsn).fetch_one(standby).await
    }

    /// Waits up to about 30 milliseconds until a standby has replayed the write-ahead log up to this position.
    ///
    /// # Errors
    /// Returns an error when the server is behind, is not a standby, or belongs to another timeline or system.
    pub(super) async fn wait_until_replayed(&self, standby: &mut PgConnection) -> Result<(), Error> {
        for pause in REPLAY_PAUSES_MS {
            match self.state_on(standby).await? {
                (true, true) => return Ok(()),
                (true, false) => sleep(Duration::from_millis(pause)).await,
                (false, _) => return Err(Error::Configuration("the server is not a standby of the primary's timeline".into())),
            }
        }
        Err(Error::Configuration("the replica is behind the primary".into()))
    }
}
