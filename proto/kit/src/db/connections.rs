//! Connections to `PostgreSQL`: waited for no longer than an answer may take, and made all the same.
use crate::flush::whole;
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

/// A connection is waited for no longer than leaves time to say so within the three seconds an answer may take.
const PATIENCE: Duration = Duration::from_millis(1500);
/// How long making one may take. Those who wait for it give up before; whoever asks next has it.
///
/// When a server has to let in all replicas at once, each connection takes long; were those under way thrown away with the
/// calls that wanted them, the next calls would begin anew, and it would never be over.
const MAKING: Duration = Duration::from_secs(4);

/// So many connections at most; clones share them. Statements that are run on it take one for their time.
#[derive(Debug, Clone)]
pub struct Connections {
    pool: PgPool,
    /// As many as there may be connections: who waits for one to be free leaves nothing behind, unlike who waits for one
    /// to be made.
    turns: Arc<Semaphore>,
    waiting: Arc<AtomicU32>,
}

/// Somebody who waits for a connection, for as long as this lives.
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

/// A connection for as long as it is held.
pub struct Held {
    connection: PoolConnection<Postgres>,
    _turn: OwnedSemaphorePermit,
}

impl Connections {
    /// Connects nowhere yet.
    pub(super) fn lazy(most: u32, pool: PgPoolOptions, to: PgConnectOptions) -> Self {
        let pool = pool.max_connections(most).acquire_timeout(MAKING).connect_lazy_with(to);
        Self { pool, turns: Arc::new(Semaphore::new(most as usize)), waiting: Arc::default() }
    }

    /// A connection that nobody else has.
    ///
    /// # Errors
    /// When there is none in time, or the server lets nobody in.
    pub async fn acquire(&self) -> Result<Held, Error> {
        let _waiting = Waiting::in_line(&self.waiting);
        timeout(PATIENCE, self.take()).await.map_err(|_| Error::PoolTimedOut)?
    }

    async fn take(&self) -> Result<Held, Error> {
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| Error::PoolClosed)?;
        let mut asked = Box::pin(self.pool.acquire());
        if let Poll::Ready(given) = poll!(&mut asked) {
            return given.map(|connection| Held { connection, _turn: turn });
        }
        whole(async move { Ok(Held { connection: asked.await?, _turn: turn }) }).await
    }

    /// Makes half of the connections there may be, as far as the server lets it: calls that come all at once find them made.
    pub(super) async fn warm(&self) {
        let half = self.pool.options().get_max_connections().div_ceil(2);
        drop(join_all((0..half).map(|_| self.acquire())).await);
    }

    /// How many wait for one.
    pub(super) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// The pool itself, for what only looks at it or takes its time.
    pub(super) fn pool(&self) -> &PgPool {
        &self.pool
    }
}

impl Deref for Held {
    type Target = PoolConnection<Postgres>;

    fn deref(&self) -> &Self::Target {
        &self.connection
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.connection
    }
}

impl<'c> Executor<'c> for &Connections {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let connections = self.clone();
        Box::pin(try_stream! {
            let mut held = connections.acquire().await?;
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
        let connections = self.clone();
        Box::pin(async move { connections.acquire().await?.fetch_optional(query).await })
    }

    fn prepare_with<'e>(self, sql: SqlStr, parameters: &'e [PgTypeInfo]) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        let connections = self.clone();
        Box::pin(async move { connections.acquire().await?.prepare_with(sql, parameters).await })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, Error>>
    where
        'c: 'e,
    {
        let connections = self.clone();
        Box::pin(async move { connections.acquire().await?.describe(sql).await })
    }
}
