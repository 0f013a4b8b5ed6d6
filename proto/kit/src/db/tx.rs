//! Open database transaction on `SQLite` or `PostgreSQL`. Functions that run statements in the transaction take a [`Tx`] as an argument.
use crate::db::Engine;
use sqlx::{PgConnection, SqliteConnection};

/// Open database transaction that may write.
pub struct Tx<'c>(pub(crate) Engine<&'c mut SqliteConnection, &'c mut PgConnection>);

impl Tx<'_> {
    /// Returns the transaction's connection for one statement.
    pub fn connection(&mut self) -> Engine<&mut SqliteConnection, &mut PgConnection> {
        match &mut self.0 {
            Engine::Sqlite(c) => Engine::Sqlite(c),
            Engine::Postgres(c) => Engine::Postgres(c),
        }
    }

    /// Returns `true` on `PostgreSQL` and `false` on `SQLite`. Callers use this for the few statements that differ.
    #[must_use]
    pub fn is_postgres(&self) -> bool {
        matches!(self.0, Engine::Postgres(_))
    }

    /// Returns the transaction's `PostgreSQL` connection, for a statement that `SQLite` does not support.
    ///
    /// # Errors
    /// Returns a configuration error when the transaction runs on `SQLite`.
    pub fn postgres_connection(&mut self) -> Result<&mut PgConnection, sqlx::Error> {
        match &mut self.0 {
            Engine::Postgres(c) => Ok(c),
            Engine::Sqlite(_) => Err(sqlx::Error::Configuration("this statement runs on PostgreSQL only".into())),
        }
    }
}
