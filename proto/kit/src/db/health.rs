//! Inspection of a database for the `doctor` command and offline commands: version, corruption, write access and applied
//! migrations.
use crate::db::{Db, Pools, Schema};
use crate::{config::Settings, on};
use sqlx::error::DatabaseError;

/// Result of inspecting a database: version, corruption, write access and number of applied migrations.
pub struct DatabaseHealth {
    /// Database engine and its version, such as `SQLite 3.50.4`.
    pub version: String,
    /// First corruption that `SQLite`'s integrity check found; `None` when the database is intact. Always `None` on `PostgreSQL`.
    pub damage: Option<String>,
    /// Whether the database accepts writes. Always `true` on `SQLite`, where write access is not checked.
    pub writable: bool,
    /// First table that the connected role does not own, as `TABLE belongs to ROLE`. `None` when the role owns all tables. A member
    /// of the role that owns a table counts as an owner.
    pub foreign: Option<String>,
    /// Reason why the connected role cannot run the pending migrations, such as a schema that belongs to another role. `None` when
    /// the role can run them, or when no migration is pending.
    pub setup: Option<String>,
    /// Number of migrations applied to the database.
    pub applied: usize,
    /// Number of migrations that this version of the program has.
    pub wanted: usize,
}

impl Db {
    /// Opens an existing database whose migrations are all applied. Runs no migration.
    ///
    /// # Errors
    /// Returns an error when the database does not exist, lacks migrations or cannot be opened.
    pub async fn open_existing(schema: Schema, settings: &Settings) -> anyhow::Result<Self> {
        settings.check_database_urls()?;
        let file = settings.data_dir.join(format!("{}.db", schema.name));
        anyhow::ensure!(settings.database_url.is_some() || file.exists(), "the database file {} does not exist", file.display());
        let db = Self::open(schema, settings).await?;
        db.reject_unsupported_pooler().await?;
        let DatabaseHealth { applied, wanted, .. } = db.check_health(schema).await?;
        anyhow::ensure!(
            applied >= wanted,
            "{}: {applied} of {wanted} migrations are applied; run `migrate` as the role that owns the tables, then try again",
            schema.name
        );
        Ok(db)
    }

    /// Inspects the database: version, corruption, write access and applied migrations.
    ///
    /// # Errors
    /// Returns an error when the database cannot be queried.
    pub async fn check_health(&self, schema: Schema) -> anyhow::Result<DatabaseHealth> {
        let (version, damage, wanted) = match &self.pools {
            Pools::Sqlite { read, .. } => {
                let version: String = sqlx::query_scalar("select 'SQLite ' || sqlite_version()").fetch_one(read).await?;
                let check_result: String = sqlx::query_scalar("pragma quick_check(1)").fetch_one(read).await?;
                (version, (check_result != "ok").then_some(check_result), schema.sqlite.iter().count())
            }
            Pools::Postgres { cluster, .. } => {
                let version = "select 'PostgreSQL ' || current_setting('server_version')";
                let version: String = sqlx::query_scalar(version).fetch_one(cluster.primary().read.clone()).await?;
                (version, None, schema.postgres.iter().count())
            }
        };
        let done = on!(self.read_pool(), c => sqlx::query_scalar::<_, i64>("select count(*) from _sqlx_migrations").fetch_one(c).await);
        let applied = match done {
            Ok(applied) => usize::try_from(applied)?,
            Err(sqlx::Error::Database(error)) if is_missing(&*error) => 0,
            Err(cause) => return Err(cause.into()),
        };
        let (writable, foreign, setup) = match &self.pools {
            Pools::Sqlite { .. } => (true, None, None),
            Pools::Postgres { cluster, .. } => {
                let pool = cluster.primary().read.clone();
                let read_only: String =
                    sqlx::query_scalar("select current_setting('transaction_read_only')").fetch_one(pool.clone()).await?;
                let foreign = "select format('%s belongs to %s', tablename, tableowner) from pg_tables
                     where schemaname = $1 and not pg_has_role(tableowner, 'usage') order by tablename limit 1";
                let foreign = sqlx::query_scalar(foreign).bind(schema.name).fetch_optional(pool.clone()).await?;
                let setup = "select case
                         when nspname is null and not has_database_privilege(current_database(), 'create')
                         then format('the schema %s does not exist, and the role %s may not create it', $1, current_user)
                         when not pg_has_role(nspowner, 'member')
                         then format('the schema %s belongs to %s, and the role %s is not a member of it', $1, pg_get_userbyid(nspowner),
                             current_user)
                     end from (select 1) one left join pg_namespace on nspname = $1";
                let setup: Option<String> = match applied < wanted {
                    true => sqlx::query_scalar(setup).bind(schema.name).fetch_one(pool).await?,
                    false => None,
                };
                (read_only == "off", foreign, setup)
            }
        };
        Ok(DatabaseHealth { version, damage, writable, foreign, setup, applied, wanted })
    }
}

/// Returns `true` when a statement failed because its table does not exist yet.
fn is_missing(database_error: &dyn DatabaseError) -> bool {
    database_error.code().is_some_and(|code| code == "42P01") || database_error.message().starts_with("no such table")
}
