//! Online backup of an `SQLite` database, and reading of ids from a backup file. `PostgreSQL` has its own backup tools.
use super::{Db, Pools};
use sqlx::{
    Connection, SqliteConnection,
    sqlite::{SqliteConnectOptions, SqlitePoolOptions},
};
use std::{collections::BTreeSet, path::Path};

impl Db {
    /// Copies an `SQLite` database into a new file while the database is in use, and checks the copy.
    ///
    /// # Errors
    /// Returns an error on `PostgreSQL`, and when the file cannot be written.
    pub async fn backup_to(&self, file: &Path) -> anyhow::Result<()> {
        let Pools::Sqlite { read, .. } = &self.pools else { anyhow::bail!("PostgreSQL is backed up with pg_dump") };
        let file_name = file.to_str().ok_or_else(|| anyhow::anyhow!("the file name {} is not valid UTF-8", file.display()))?;
        sqlx::query("vacuum into $1").bind(file_name).execute(read).await?;
        let copy = SqlitePoolOptions::new().connect_with(SqliteConnectOptions::new().filename(file)).await?;
        let found: String = sqlx::query_scalar("pragma integrity_check(1)").fetch_one(&copy).await?;
        copy.close().await;
        anyhow::ensure!(found == "ok", "{}: {found}", file.display());
        Ok(())
    }
}

/// Runs a query on a backup file of a database, and returns the ids that the query selects.
///
/// # Errors
/// Returns an error when the file is not an `SQLite` database, or when the query fails.
pub async fn query_ids_in_backup(copy: &Path, query: &'static str) -> Result<BTreeSet<i64>, sqlx::Error> {
    let mut connection = SqliteConnection::connect_with(&SqliteConnectOptions::new().filename(copy).read_only(true)).await?;
    let ids: Vec<i64> = sqlx::query_scalar(query).fetch_all(&mut connection).await?;
    connection.close().await?;
    Ok(ids.into_iter().collect())
}
