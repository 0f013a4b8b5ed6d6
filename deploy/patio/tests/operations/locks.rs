//! Migrations on PostgreSQL under load: no save waits longer than a second. (A SQLite file belongs to a single process.)
use patio_kit::{
    db::{Db, Schema},
    service_host::ServiceHost,
};
use patio_testing::{each_database, patience, print_to_stderr};
use sqlx::{
    AssertSqlSafe, ConnectOptions, Executor, PgConnection, SqlSafeStr,
    migrate::{Migration, MigrationType, Migrator},
    postgres::PgConnectOptions,
};
use std::{
    str::FromStr,
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};
use tokio::sync::oneshot;

const VEHICLES: Schema = vehicle_svc::SCHEMA;
/// Number of the last migration before columns were added to vehicles and campaigns.
const BEFORE: i64 = 3;
/// Duration of a reading transaction that a migration waits for.
const REPORT: Duration = Duration::from_secs(2);
/// Maximum time that a migration may block a save.
const HELD_UP: Duration = Duration::from_secs(1);

/// Builds the schema of a version with these migrations.
fn known(steps: impl Iterator<Item = Migration>) -> Schema {
    Schema { postgres: Box::leak(Box::new(Migrator::with_migrations(steps.collect()))), ..VEHICLES }
}

fn step(number: i64, text: &'static str, no_tx: bool) -> Migration {
    Migration::new(number, "of a later version".into(), MigrationType::Simple, text.into_sql_str(), no_tx)
}

async fn connect(host: &ServiceHost) -> PgConnection {
    let url = host.settings.database_url.as_ref().unwrap();
    PgConnectOptions::from_str(url.expose()).unwrap().options([("search_path", VEHICLES.name)]).connect().await.unwrap()
}

async fn applied(connection: &mut PgConnection) -> i64 {
    sqlx::query_scalar("select max(version) from _sqlx_migrations").fetch_one(connection).await.unwrap()
}

/// Inserts a campaign with a thousand vehicles in the form of the previous version.
async fn fill(connection: &mut PgConnection) {
    connection.execute("insert into campaigns (id, name, gate) values (1, 'first', 'open')").await.unwrap();
    let vehicles = "insert into vehicles (campaign_id, model_code, serial_number, vin_key, parking_space, yard_group, walk_key, haystack,
                                          modified_at)
                    select 1, 'M', n, 'M' || n, 'A-' || n, 'A', n, n, now() from generate_series(1, 1000) n";
    connection.execute(vehicles).await.unwrap();
}

/// Saves vehicles until `over` is set. Returns the number of saves and the duration of the slowest.
async fn save(mut connection: PgConnection, over: &AtomicBool) -> (usize, Duration) {
    let (mut count, mut slowest) = (0, Duration::ZERO);
    while !over.load(Ordering::Relaxed) {
        for save in ["update vehicles set version = version + 1 where id = $1", "update campaigns set revision = $1 where id = 1"] {
            let began = Instant::now();
            let number = i64::try_from(count % 1000).unwrap() + 1;
            sqlx::query(AssertSqlSafe(save)).bind(number).execute(&mut connection).await.unwrap();
            slowest = slowest.max(began.elapsed());
        }
        count += 1;
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    (count, slowest)
}

/// Runs a long reading transaction and `meanwhile` during it. Sends when the transaction has begun. Returns the end time of the
/// transaction and the result of `meanwhile`.
async fn report<T>(mut connection: PgConnection, begun: oneshot::Sender<()>, meanwhile: impl Future<Output = T>) -> (Instant, T) {
    connection.execute("begin; select count(*) from vehicles, campaigns").await.unwrap();
    begun.send(()).unwrap();
    let (seen, ()) = tokio::join!(meanwhile, tokio::time::sleep(REPORT));
    connection.execute("commit").await.unwrap();
    (Instant::now(), seen)
}

#[tokio::test]
async fn migrations_that_wait_for_a_long_read_block_no_save_longer_than_a_second() {
    let _turn = patio_harness::acquire_heavy_test_slot();
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return;
        }
        let before = known(VEHICLES.postgres.iter().filter(|step| step.version <= BEFORE).cloned());
        let db = host.open_database(before).await.unwrap();
        let mut look = connect(&host).await;
        fill(&mut look).await;
        let (over, reading) = (&AtomicBool::new(false), connect(&host).await);
        let (begun, has_begun) = oneshot::channel();
        let saving = save(connect(&host).await, over);
        let migrating = async {
            has_begun.await.unwrap();
            let began = Instant::now();
            db.migrate(VEHICLES).await.unwrap();
            (began, Instant::now())
        };
        let watching = async {
            tokio::time::sleep(REPORT / 2).await;
            let columns = "select count(*) from information_schema.columns where table_schema = $1 and column_name = 'content'";
            let added: i64 = sqlx::query_scalar(columns).bind(VEHICLES.name).fetch_one(&mut look).await.unwrap();
            (applied(&mut look).await, added)
        };
        let all = async {
            let done = tokio::join!(report(reading, begun, watching), migrating);
            over.store(true, Ordering::Relaxed);
            done
        };
        let (((read, (step, added)), (began, done)), (saves, slowest)) = tokio::join!(all, saving);
        print_to_stderr(&format!(
            "tables brought up to date {:?} after a report of {REPORT:?} ended; {saves} saves meanwhile, the slowest {slowest:?}",
            done - read
        ));
        assert_eq!((step, added), (BEFORE, 0), "a migration without its lock must leave no changes");
        assert!(read > began && done > read, "the migration waited for the long read");
        assert!(slowest < patience(HELD_UP), "{slowest:?} of {saves}");
        assert_eq!(applied(&mut look).await, VEHICLES.postgres.iter().last().unwrap().version);
        db.close().await;
    })
    .await;
}

/// Builds the schema of a later version, with three more migrations: one that locks, a slow one without locks, one that locks.
fn later() -> Schema {
    let later = [
        step(9001, "alter table vehicles add column colour text", false),
        step(9002, "create index concurrently vehicles_colour on vehicles (colour)", true),
        step(9003, "alter table campaigns add column colour text", false),
    ];
    known(VEHICLES.postgres.iter().cloned().chain(later))
}

#[tokio::test]
async fn an_index_is_created_during_a_long_read_and_by_concurrent_processes() {
    let _turn = patio_harness::acquire_heavy_test_slot();
    each_database(async |host| {
        if host.settings.database_url.is_none() {
            return;
        }
        let db = host.open_database(VEHICLES).await.unwrap();
        let mut look = connect(&host).await;
        fill(&mut look).await;
        let mut reading = connect(&host).await;
        // The read uses another table, but a concurrent index waits for every older snapshot.
        reading.execute("begin isolation level repeatable read; select count(*) from jobs").await.unwrap();
        let reading = async {
            tokio::time::sleep(REPORT / 2).await;
            reading.execute("commit").await.unwrap();
        };
        let others = futures::future::join_all((0..3).map(|_| Db::open(VEHICLES, &host.settings))).await;
        let many = others.iter().map(|other| other.as_ref().unwrap().migrate(later()));
        let (_, done) = tokio::join!(reading, futures::future::join_all(many));
        assert!(done.iter().all(Result::is_ok), "{done:?}");
        let whole: bool = sqlx::query_scalar("select indisvalid from pg_index where indexrelid = cast('vehicles_colour' as regclass)")
            .fetch_one(&mut look)
            .await
            .unwrap();
        assert!(whole && applied(&mut look).await == 9003);
        for each in others {
            each.unwrap().close().await;
        }
        db.close().await;
    })
    .await;
}
