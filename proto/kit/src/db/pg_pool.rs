//! Connection pool for `PostgreSQL`. A caller waits for a connection for a limited time only. When a caller gives up, the attempt to
//! open the connection continues, and the next caller uses the connection.
use crate::{
    database_state::{is_failover_suspected, record_read_only_server},
    db::{pg_group_flush::run_to_completion, pg_wal_position::WalPosition},
};
use async_stream::try_stream;
use futures::{
    StreamExt,
    future::{BoxFuture, join_all},
    poll,
    stream::BoxStream,
};
use sqlx::{
    Describe, Either, Error, Execute, Executor, PgPool, Postgres, SqlStr,
    pool::PoolConnection,
    postgres::{PgConnectOptions, PgPoolOptions, PgQueryResult, PgRow, PgStatement, PgTypeInfo},
};
use std::{
    io,
    ops::{Deref, DerefMut},
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
    task::Poll,
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::timeout,
};

/// Maximum time that a caller waits for a connection. The time is short enough that a request can still report the timeout within the
/// request's limit of three seconds.
const ACQUIRE_TIMEOUT: Duration = Duration::from_millis(1500);
/// Maximum time to open a connection. A caller gives up earlier; the attempt continues, and a later caller uses the connection.
///
/// When all replicas connect to a server at once, opening each connection takes long. If attempts were dropped with their callers,
/// they would start over again and again, and no connection would ever be opened.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// Bounded pool of `PostgreSQL` connections. A statement run on the pool takes one connection until it has finished.
///
/// Clones share the connections.
#[derive(Debug, Clone)]
pub struct PostgresPool {
    pool: PgPool,
    /// Semaphore with one permit per connection. A cancelled wait for a permit has no side effects, unlike a cancelled connection
    /// attempt.
    permits: Arc<Semaphore>,
    waiting: Arc<AtomicU32>,
    /// WAL position that the standby must have replayed; `None` for the primary.
    required_position: Option<WalPosition>,
}

/// Guard that counts a caller as waiting for a connection until the guard is dropped.
struct Waiting<'w>(&'w AtomicU32);

impl<'w> Waiting<'w> {
    fn in_line(line: &'w AtomicU32) -> Self {
        line.fetch_add(1, Ordering::Relaxed);
        Self(line)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Connection taken from the pool. Dropping the guard returns the connection to the pool.
pub struct PooledConnection {
    connection: PoolConnection<Postgres>,
    _permit: OwnedSemaphorePermit,
}

impl PostgresPool {
    /// Creates a pool that opens its connections on demand.
    pub(super) fn new_lazy(max_connections: u32, pool: PgPoolOptions, to: PgConnectOptions) -> Self {
        let pool = pool.max_connections(max_connections).acquire_timeout(CONNECT_TIMEOUT).connect_lazy_with(to);
        Self { pool, permits: Arc::new(Semaphore::new(max_connections as usize)), waiting: Arc::default(), required_position: None }
    }

    /// Takes a connection from the pool for exclusive use.
    ///
    /// # Errors
    /// Returns `PoolTimedOut` when no connection becomes available in time, or the error of the connection attempt.
    pub async fn acquire(&self) -> Result<PooledConnection, Error> {
        let _waiting = Waiting::in_line(&self.waiting);
        let taken = async {
            let mut held = self.take().await?;
            match &self.required_position {
                Some(position) => position.wait_until_replayed(&mut held).await.map(|()| held),
                None if is_failover_suspected() => held.writable().await,
                None => Ok(held),
            }
        };
        timeout(ACQUIRE_TIMEOUT, taken).await.map_err(|_| Error::PoolTimedOut)?
    }

    /// Returns a clone of a standby's pool whose statements run only after the standby has replayed the write-ahead log up to
    /// `position`.
    pub(super) fn with_required_wal_position(&self, position: WalPosition) -> Self {
        Self { required_position: Some(position), ..self.clone() }
    }

    /// Takes a connection without checking the state of the server. The server may be read-only, or may not have replayed the required
    /// position of the write-ahead log.
    ///
    /// # Errors
    /// Returns the errors of [`Self::acquire`].
    pub(super) async fn acquire_unchecked(&self) -> Result<PooledConnection, Error> {
        timeout(ACQUIRE_TIMEOUT, self.take()).await.map_err(|_| Error::PoolTimedOut)?
    }

    /// Checks that the server accepts writes.
    ///
    /// # Errors
    /// Returns `ReadOnlyFilesystem` when the server is read-only, and the errors of [`Self::acquire`].
    pub(super) async fn check_writable(&self) -> Result<(), Error> {
        self.acquire().await?.writable().await.map(drop)
    }

    async fn take(&self) -> Result<PooledConnection, Error> {
        let turn = self.permits.clone().acquire_owned().await.map_err(|_| Error::PoolClosed)?;
        let mut asked = Box::pin(self.pool.acquire());
        if let Poll::Ready(given) = poll!(&mut asked) {
            return given.map(|connection| PooledConnection { connection, _permit: turn });
        }
        run_to_completion(async move { Ok(PooledConnection { connection: asked.await?, _permit: turn }) }).await
    }

    /// Opens half of the pool's connections in advance, so that a burst of calls need not wait for new connections.
    pub(super) async fn open_initial_connections(&self) {
        let half = self.pool.options().get_max_connections().div_ceil(2);
        drop(join_all((0..half).map(|_| self.acquire())).await);
    }

    /// Returns the number of callers that currently wait for a connection.
    pub(super) fn waiter_count(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Returns the underlying `sqlx` pool, for metrics and for closing the pool.
    pub(super) fn sqlx_pool(&self) -> &PgPool {
        &self.pool
    }
}

impl PooledConnection {
    /// Returns the connection when its server accepts writes; otherwise closes the connection and returns an error.
    ///
    /// A new connection resolves the host name again and may reach the new primary.
    async fn writable(mut self) -> Result<Self, Error> {
        let read_only: String =
            sqlx::query_scalar("select current_setting('transaction_read_only')").fetch_one(&mut *self.connection).await?;
        if read_only == "off" {
            return Ok(self);
        }
        record_read_only_server();
        self.connection.close_on_drop();
        Err(Error::Io(io::Error::new(io::ErrorKind::ReadOnlyFilesystem, "the database server is read-only")))
    }
}

impl Deref for PooledConnection {
    type Target = PoolConnection<Postgres>;

    fn deref(&self) -> &Self::Target {
        &self.connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.connection
    }
}

impl<'c> Executor<'c> for PostgresPool {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(try_stream! {
            let mut held = self.acquire().await?;
            let mut steps = held.fetch_many(query);
            while let Some(step) = steps.next().await {
                yield step?;
            }
        })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        Box::pin(async move { self.acquire().await?.fetch_optional(query).await })
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move { self.acquire().await?.prepare_with(sql, parameters).await })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move { self.acquire().await?.describe(sql).await })
    }
}
