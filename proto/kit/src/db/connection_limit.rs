//! Limits on `PostgreSQL` connections: how many a service may open, and how many the server admits.
use crate::db::{Db, Pools};

/// Number of connections that each service opens in addition to its pools: one that flushes commits to disk, and one for
/// heartbeats.
const SINGLE_CONNECTIONS: u32 = 2;

/// Returns the size of the connection pool for reads, derived from the maximum number of connections for writes.
pub(super) const fn read_pool_size(connections: u32) -> u32 {
    let reads = connections * 3 / 8;
    if reads < 2 { 2 } else { reads }
}

/// Returns the maximum number of `PostgreSQL` connections that one replica of a service opens. The result is `connections`, the
/// value of `PATIO_DATABASE_MAX_CONNECTIONS`, plus the connections for reads, flushes and heartbeats.
#[must_use]
pub const fn max_connections_per_service_replica(connections: u32) -> u32 {
    connections + read_pool_size(connections) + SINGLE_CONNECTIONS
}

/// Number of connections that a `PostgreSQL` server admits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectionLimit {
    /// Number of connections available to ordinary roles, which excludes connections reserved for superusers.
    pub available: u32,
    /// Whether `available` is a limit of the connected role alone (`rolconnlimit`). Connections of other roles do not use up that limit.
    pub is_of_role: bool,
}

impl Db {
    /// Reads how many connections the server, the database and the role admit. Returns `None` on `SQLite`.
    ///
    /// # Errors
    /// Returns an error when the database cannot be queried.
    pub async fn load_connection_limit(&self) -> Result<Option<ConnectionLimit>, sqlx::Error> {
        let Pools::Postgres { cluster, .. } = &self.pools else { return Ok(None) };
        let sql = "select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
                 - coalesce(current_setting('reserved_connections', true)::int, 0),
             (select datconnlimit from pg_database where datname = current_database()),
             (select rolconnlimit from pg_roles where rolname = current_user)";
        let (server, database, role): (i32, i32, i32) = sqlx::query_as(sql).fetch_one(cluster.primary().read.clone()).await?;
        let admitted = |limit: i32| u32::try_from(limit).unwrap_or(u32::MAX); // -1 stands for no limit
        let shared = admitted(server.max(0)).min(admitted(database));
        Ok(Some(ConnectionLimit { available: shared.min(admitted(role)), is_of_role: admitted(role) < shared }))
    }
}
