//! SQL statements of the baselines.
use chrono::{DateTime, Utc};
use futures::stream::BoxStream;
use patio_kit::{db::Engine, on};
use serde::Serialize;
use sqlx::{
    FromRow, PgPool, QueryBuilder, SqlitePool,
    postgres::{PgConnectOptions, PgPoolOptions},
    query, query_as,
    sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous},
};
use std::str::FromStr;
use vehicle_svc::store::vehicles::SELECT_VEHICLE_SQL;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A database of the baseline. Writes go to copies of Patio's tables.
#[derive(Debug, Clone)]
pub enum Base {
    /// SQLite: Patio's file for reading, and a copy for writing.
    Sqlite(SqlitePool, SqlitePool),
    /// PostgreSQL: Patio's schema for reading, and the schema `floor` for writing.
    Postgres(PgPool),
}

/// Vehicle with the fields of the JSON API.
#[derive(Debug, FromRow, Serialize)]
pub struct Vehicle {
    pub id: i64,
    pub campaign_id: i64,
    pub campaign_name: String,
    pub model_code: String,
    pub serial_number: String,
    pub parking_space: String,
    #[sqlx(rename = "yard_id")]
    pub id_yard: Option<i64>,
    pub yard_group: String,
    pub status: String,
    pub inspected: bool,
    pub admin_notes: String,
    pub operator_notes: String,
    pub modified_by: Option<i64>,
    pub modified_at: DateTime<Utc>,
    pub version: i64,
    pub next: Option<i64>,
}

/// Row of the full vehicle list.
#[derive(Debug, FromRow, Serialize)]
pub struct Row {
    pub id: i64,
    pub vin_number: String,
    pub parking_space: String,
    pub yard_group: String,
    #[sqlx(rename = "yard_id")]
    pub id_yard: Option<i64>,
    pub status: String,
    pub inspected: bool,
    pub version: i64,
}

/// Fields that a save writes.
#[derive(Debug, serde::Deserialize)]
pub struct Finding {
    /// New status of the vehicle.
    pub status: String,
    /// New notes of the team leader; `None` stores empty notes.
    pub operator_notes: Option<String>,
}

/// Position after which a page begins.
#[derive(Debug, serde::Deserialize)]
pub struct Position {
    /// Walking-order key of the vehicle before the page.
    pub walk_key: String,
    /// Id of the vehicle before the page.
    pub id: i64,
}

/// Vehicle to store: values from the workbook and the derived columns.
#[derive(Debug, Clone)]
pub struct New {
    pub model_code: String,
    pub serial_number: String,
    pub vin_key: String,
    pub parking_space: String,
    pub yard_id: Option<i64>,
    pub yard_group: String,
    pub walk_key: String,
    pub haystack: String,
}

/// Column list of an insert.
pub const NEW_COLUMNS: &str =
    "(campaign_id, model_code, serial_number, vin_key, parking_space, yard_id, yard_group, walk_key, haystack, modified_at) ";

const COLUMNS: &str =
    "v.id, v.campaign_id, c.name as campaign_name, v.model_code, v.serial_number, v.parking_space, v.yard_id, v.yard_group,
    v.status, v.inspected, v.admin_notes, v.operator_notes, v.modified_by, v.modified_at, v.version, cast(null as bigint) as next";

macro_rules! save_into {
    ($table:literal) => {
        concat!(
            "update ",
            $table,
            " set status = $2, operator_notes = $3, inspected = $4, modified_by = 2, modified_at = $5, version = version + 1 where id = $1
              returning id, campaign_id, '' as campaign_name, model_code, serial_number, parking_space, yard_id, yard_group,
                status, inspected, admin_notes, operator_notes, modified_by, modified_at, version, cast(null as bigint) as next"
        )
    };
}

impl Base {
    /// Opens `postgres://…`, or `sqlite:FILE,OTHER` with the first file for reading and the second for writing.
    pub async fn open(source: &str) -> anyhow::Result<Self> {
        let Some((read, write)) = source.strip_prefix("sqlite:").and_then(|files| files.split_once(',')) else {
            let options = PgConnectOptions::from_str(source)?.options([("search_path", "vehicle")]);
            return Ok(Self::Postgres(PgPoolOptions::new().max_connections(16).test_before_acquire(false).connect_with(options).await?));
        };
        let options = |file: &str| {
            let options = SqliteConnectOptions::new().filename(file).journal_mode(SqliteJournalMode::Wal);
            options.synchronous(SqliteSynchronous::Full).pragma("cache_size", "-16000")
        };
        let reading = SqlitePoolOptions::new().max_connections(4).test_before_acquire(false).connect_with(options(read).read_only(true));
        let writing = SqlitePoolOptions::new().max_connections(1).test_before_acquire(false).connect_with(options(write));
        Ok(Self::Sqlite(reading.await?, writing.await?))
    }

    fn read(&self) -> Engine<&SqlitePool, &PgPool> {
        match self {
            Self::Sqlite(read, _) => Engine::Sqlite(read),
            Self::Postgres(pool) => Engine::Postgres(pool),
        }
    }

    fn write(&self) -> Engine<&SqlitePool, &PgPool> {
        match self {
            Self::Sqlite(_, write) => Engine::Sqlite(write),
            Self::Postgres(pool) => Engine::Postgres(pool),
        }
    }

    /// Returns one vehicle, with the same statement as Patio.
    pub async fn vehicle(&self, id: i64) -> Result<Option<Vehicle>> {
        on!(self.read(), c => query_as(SELECT_VEHICLE_SQL).bind(id).fetch_optional(c).await)
    }

    /// Saves one vehicle and returns it.
    pub async fn save(&self, id: i64, finding: &Finding, at: DateTime<Utc>) -> Result<Option<Vehicle>> {
        let notes = finding.operator_notes.as_deref().unwrap_or_default();
        match self.write() {
            Engine::Sqlite(c) => {
                query_as(save_into!("vehicles")).bind(id).bind(&finding.status).bind(notes).bind(true).bind(at).fetch_optional(c).await
            }
            Engine::Postgres(c) => {
                query_as(save_into!("floor.vehicles"))
                    .bind(id)
                    .bind(&finding.status)
                    .bind(notes)
                    .bind(true)
                    .bind(at)
                    .fetch_optional(c)
                    .await
            }
        }
    }

    /// Returns the page of a campaign after a position.
    pub async fn page(&self, campaign: i64, after: &Position) -> Result<Vec<Vehicle>> {
        let text = sqlx::AssertSqlSafe(format!(
            "select {COLUMNS} from vehicles v join campaigns c on c.id = v.campaign_id
              where v.campaign_id = $1 and (v.walk_key, v.id) > ($2, $3) order by v.walk_key, v.id limit 50"
        ));
        on!(self.read(), c => query_as(text).bind(campaign).bind(&after.walk_key).bind(after.id).fetch_all(c).await)
    }

    /// Streams the full vehicle list of a campaign.
    pub fn whole(self, campaign: i64) -> BoxStream<'static, Result<Row>> {
        const ALL: &str =
            "select id, model_code || ' ' || serial_number as vin_number, parking_space, yard_group, yard_id, status, inspected,
            version from vehicles where campaign_id = $1 order by walk_key, id";
        match self {
            Self::Sqlite(read, _) => stream_of(read, move |pool| query_as(ALL).bind(campaign).fetch(pool)),
            Self::Postgres(pool) => stream_of(pool, move |pool| query_as(ALL).bind(campaign).fetch(pool)),
        }
    }

    /// Streams the vehicles of a campaign with all fields.
    pub fn whole_vehicles(self, campaign: i64) -> BoxStream<'static, Result<Vehicle>> {
        let text = format!(
            "select {COLUMNS} from vehicles v join campaigns c on c.id = v.campaign_id where v.campaign_id = $1 order by v.walk_key, v.id"
        );
        match self {
            Self::Sqlite(read, _) => stream_of(read, move |pool| query_as(sqlx::AssertSqlSafe(text)).bind(campaign).fetch(pool)),
            Self::Postgres(pool) => stream_of(pool, move |pool| query_as(sqlx::AssertSqlSafe(text)).bind(campaign).fetch(pool)),
        }
    }

    /// Sets the status, editor and time of vehicles. `keys` is a JSON array of vehicle keys.
    pub async fn set_status(&self, campaign: i64, keys: &str, at: DateTime<Utc>) -> anyhow::Result<()> {
        match self.write() {
            Engine::Sqlite(c) => {
                let text = "update vehicles set status = 'ok', inspected = 1, version = version + 1,
                        modified_by = 2, modified_at = $3, status_by = 2, status_at = $3
                    where campaign_id = $1 and vin_key in (select value from json_each($2))";
                query(text).bind(campaign).bind(keys).bind(at).execute(c).await?;
            }
            Engine::Postgres(c) => {
                let text = "update floor.vehicles set status = 'ok', inspected = true, version = version + 1,
                        modified_by = 2, modified_at = $3, status_by = 2, status_at = $3
                    from jsonb_array_elements_text(cast($2 as jsonb)) a where vin_key = a.value and campaign_id = $1";
                query(text).bind(campaign).bind(keys).bind(at).execute(c).await?;
            }
        }
        Ok(())
    }

    /// Stores the vehicles of a new campaign with `COPY` on PostgreSQL, or with batched inserts on SQLite.
    pub async fn store(&self, all: &[New], at: DateTime<Utc>) -> anyhow::Result<()> {
        match self.write() {
            Engine::Postgres(pool) => copy(pool, all, at).await,
            Engine::Sqlite(pool) => {
                let mut tx = pool.begin().await?;
                for chunk in all.chunks(500) {
                    let mut text = QueryBuilder::<sqlx::Sqlite>::new(format!("insert into vehicles {NEW_COLUMNS}"));
                    text.push_values(chunk, |mut row, new| {
                        row.push_bind(1_000_000i64).push_bind(&new.model_code).push_bind(&new.serial_number).push_bind(&new.vin_key);
                        row.push_bind(&new.parking_space).push_bind(new.yard_id).push_bind(&new.yard_group).push_bind(&new.walk_key);
                        row.push_bind(&new.haystack).push_bind(at);
                    });
                    text.build().execute(&mut *tx).await?;
                }
                Ok(tx.commit().await?)
            }
        }
    }
}

async fn copy(pool: &PgPool, all: &[New], at: DateTime<Utc>) -> anyhow::Result<()> {
    let mut held = pool.acquire().await?;
    let mut copy = held.copy_in_raw(&format!("copy floor.vehicles {NEW_COLUMNS} from stdin")).await?;
    let at = at.to_rfc3339();
    for chunk in all.chunks(1_000) {
        let mut text = String::with_capacity(150_000);
        for new in chunk {
            let yard = new.yard_id.map_or_else(|| "\\N".to_owned(), |id| id.to_string());
            // Benchmark values need no escaping, except for the line break in the search text.
            let fields = [&new.model_code, &new.serial_number, &new.vin_key, &new.parking_space, &yard, &new.yard_group, &new.walk_key];
            text.push_str("1000000");
            for field in fields {
                text.push('\t');
                text.push_str(field);
            }
            text.push('\t');
            text.push_str(&new.haystack.replace('\n', "\\n"));
            text.push('\t');
            text.push_str(&at);
            text.push('\n');
        }
        copy.send(text.into_bytes()).await?;
    }
    copy.finish().await?;
    Ok(())
}

/// Creates a stream of rows that owns its connection pool.
fn stream_of<P, T, F>(pool: P, rows: F) -> BoxStream<'static, Result<T>>
where
    P: Send + Sync + 'static,
    T: Send + 'static,
    F: for<'p> FnOnce(&'p P) -> BoxStream<'p, Result<T>> + Send + 'static,
{
    use futures::{SinkExt, StreamExt};
    let (mut to, from) = futures::channel::mpsc::channel(256);
    let mut feeding = tokio::task::JoinSet::new();
    feeding.spawn(async move {
        let mut rows = rows(&pool);
        while let Some(row) = rows.next().await {
            if to.send(row).await.is_err() {
                return;
            }
        }
    });
    from.inspect(move |_| {
        let _ = &feeding;
    })
    .boxed()
}
