//! Connections to the primary of a `PostgreSQL` cluster. After a failover, all connections are replaced.
use crate::db::{
    PostgresPool, Schema,
    connection_limit::read_pool_size,
    pg_group_flush::{GroupFlusher, MAX_IDLE_WITHOUT_PING},
    pg_hosts::{PgHosts, address},
    pg_session::{session_settings_sql, with_session_settings},
};
use arc_swap::ArcSwap;
use sqlx::{
    Connection,
    postgres::{PgConnectOptions, PgPoolOptions},
};
use std::{sync::Arc, time::Duration};

/// Maximum age of a `PostgreSQL` connection. Each new connection resolves the host name again, so that a changed address takes
/// effect.
const CONNECTION_LIFETIME: Duration = Duration::from_secs(600);

/// Connections of a service to one `PostgreSQL` server.
pub(super) struct PgServerConnections {
    /// Host, user and other connection options, without session settings such as the schema.
    pub(super) options: PgConnectOptions,
    /// Connection pool for statements that only read.
    pub(super) read: PostgresPool,
    /// Connection pool for transactions.
    pub(super) write: PostgresPool,
    /// Connection pool for write statements outside a transaction. Each of these statements commits automatically (autocommit).
    pub(super) once: PostgresPool,
    /// Group flusher: waits until the commits on this server are on disk, with one flush for concurrent commits.
    pub(super) flush: Arc<GroupFlusher>,
}

impl PgServerConnections {
    /// Creates the pools of a service for one server. The pools open their connections on demand.
    ///
    /// The pool for reads is smaller, because a read uses a connection only briefly. With the default of `connections` all four
    /// services together stay below the 100 connections that `PostgreSQL` allows by default.
    pub(super) fn new(schema: Schema, options: PgConnectOptions, connections: u32) -> Self {
        let usual = session_settings_sql(schema);
        // The response waits for a group flush instead, after its connection went back to the pool.
        let quick = format!("{usual}; set synchronous_commit = off");
        let planned = format!("{quick}; set plan_cache_mode = force_generic_plan");
        let few = (connections / 4).max(1);
        let pool = |most, settings: &str| {
            let pool = with_session_settings(PgPoolOptions::new(), settings.to_owned())
                .max_lifetime(CONNECTION_LIFETIME)
                .test_before_acquire(false);
            let pool = pool.before_acquire(|connection, seen| {
                Box::pin(async move {
                    if seen.idle_for > MAX_IDLE_WITHOUT_PING {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            });
            PostgresPool::new_lazy(most, pool, options.clone())
        };
        let (read, write, once) = (pool(read_pool_size(connections), &usual), pool(connections - few, &quick), pool(few, &planned));
        Self { flush: Arc::new(GroupFlusher::new(options.clone())), options, read, write, once }
    }

    /// Returns the pools for reads, for transactions, and for write statements outside a transaction.
    pub(super) fn pools(&self) -> [&PostgresPool; 3] {
        [&self.read, &self.write, &self.once]
    }
}

/// Hosts of a `PostgreSQL` cluster, and the connections to its current primary.
pub(super) struct PgCluster {
    schema: Schema,
    connections: u32,
    hosts: PgHosts,
    primary: ArcSwap<PgServerConnections>,
}

impl PgCluster {
    /// Creates the pools for the current primary, or for the first host while no host accepts writes.
    pub(super) async fn open(schema: Schema, hosts: PgHosts, connections: u32) -> Self {
        let found = if hosts.is_cluster() { hosts.find_primary().await } else { None };
        let primary = PgServerConnections::new(schema, found.unwrap_or_else(|| hosts.first_host().clone()), connections);
        Self { schema, connections, hosts, primary: ArcSwap::from_pointee(primary) }
    }

    /// Returns the connections to the current primary.
    ///
    /// A transaction and the flush of its commit must use the result of the same call. After a failover, a second call returns the new
    /// primary, and a flush there does not make the transaction durable.
    pub(super) fn primary(&self) -> Arc<PgServerConnections> {
        self.primary.load_full()
    }

    /// Returns the addresses of all hosts as `host:port`, separated by commas.
    pub(super) fn addresses(&self) -> String {
        self.hosts.addresses()
    }

    /// Searches the hosts for the primary. If another host has become the primary, replaces all connections.
    ///
    /// Statements that still run on the old server end with their own errors; their connections are not used again.
    pub(super) async fn switch_to_new_primary(&self) {
        if !self.hosts.is_cluster() {
            return;
        }
        let Some(found) = self.hosts.find_primary().await else { return };
        let (old, new) = (address(&self.primary().options), address(&found));
        if old != new {
            tracing::warn!(schema = self.schema.name, old, new, "database primary changed, connecting to the new one");
            self.primary.store(Arc::new(PgServerConnections::new(self.schema, found, self.connections)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::db::max_connections_per_service_replica;
    use sqlx::migrate::Migrator;

    #[tokio::test]
    async fn the_pools_with_the_flush_and_the_heartbeat_open_as_many_connections_as_the_doctor_counts() {
        let none: &'static Migrator = Box::leak(Box::new(Migrator::with_migrations(Vec::new())));
        let schema = Schema { name: "pools", sqlite: none, postgres: none };
        let host = PgHosts::parse("postgres://patio@127.0.0.1:1/patio").unwrap().first_host().clone();
        for connections in [2, 3, 5, 8, 16, 1000] {
            let server = PgServerConnections::new(schema, host.clone(), connections);
            let sizes = server.pools().map(|pool| pool.sqlx_pool().options().get_max_connections());
            assert!(sizes.iter().all(|size| *size > 0), "{connections}: {sizes:?}");
            assert_eq!(sizes.iter().sum::<u32>() + 2, max_connections_per_service_replica(connections), "{connections}: {sizes:?}");
        }
    }
}
