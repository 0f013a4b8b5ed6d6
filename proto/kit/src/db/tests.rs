//! Tests of durable and deferred writes, and of waiting for a database connection.
use crate::db::{write_activity::RECENT_WRITE_PERIOD, *};
use crate::lifecycle::BackgroundTasks;
use patio_testing::{POSTGRES, from_environment, print_to_stderr};
use sqlx::{ConnectOptions, postgres::PgConnectOptions};
use std::{
    path::Path,
    str::FromStr,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering},
    time::{Duration, Instant},
};
use tokio::net::{TcpListener, TcpStream};

/// Reads the `synchronous` level of the current transaction: at level 1 the commit does not wait for the disk, at level 2 it does.
fn level<'c>(tx: &'c mut Tx<'_>) -> BoxFuture<'c, Result<i64, sqlx::Error>> {
    Box::pin(async move { on!(tx.connection(), c => sqlx::query_scalar("pragma synchronous").fetch_one(c).await) })
}

async fn file(folder: &Path) -> Db {
    let none: &'static Migrator = Box::leak(Box::new(Migrator::with_migrations(Vec::new())));
    let pools = open_sqlite(Schema { name: "steps", sqlite: none, postgres: none }, folder).await.unwrap();
    Db { name: "steps", pools, writes: Arc::default(), reading: None }
}

#[tokio::test]
async fn connections_to_a_file_share_no_cache() {
    let folder = tempfile::tempdir().unwrap();
    let db = file(folder.path()).await;
    let Pools::Sqlite { read, .. } = &db.pools else { panic!("it is a file") };
    let built: Vec<String> = sqlx::query_scalar("pragma compile_options").fetch_all(read).await.unwrap();
    assert!(built.contains(&"THREADSAFE=1".to_owned()));
    assert!(!built.contains(&"ENABLE_MEMORY_MANAGEMENT".to_owned()), "built without .cargo/config.toml");
    db.close().await;
}

#[tokio::test]
async fn a_deferred_write_waits_for_the_disk_while_the_database_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let db = file(folder.path()).await;
    for _ in 0..2 {
        assert_eq!(db.write_with_deferred_flush(|tx| level(tx)).await.unwrap(), 1, "deferred writes alone do not wait for the disk");
    }
    assert_eq!(db.write(|tx| level(tx)).await.unwrap(), 2);
    assert!(db.has_recent_writes());
    assert_eq!(db.write_with_deferred_flush(|tx| level(tx)).await.unwrap(), 2);
    tokio::time::sleep(RECENT_WRITE_PERIOD + Duration::from_millis(100)).await;
    assert!(!db.has_recent_writes(), "deferred writes do not make the database busy");
    assert_eq!(db.write_with_deferred_flush(|tx| level(tx)).await.unwrap(), 1);
    db.close().await;
}

#[tokio::test]
async fn a_task_that_follows_writes_runs_after_a_write_or_while_work_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let (db, tasks) = (file(folder.path()).await, BackgroundTasks::default());
    let (runs, is_left) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(true)));
    let (counted, left) = (runs.clone(), is_left.clone());
    db.spawn_task_run_after_writes(&tasks, Duration::from_millis(10), move || {
        counted.fetch_add(1, Ordering::Relaxed);
        std::future::ready(left.load(Ordering::Relaxed))
    });
    let runs_within = async |time| {
        let before = runs.load(Ordering::Relaxed);
        tokio::time::sleep(time).await;
        runs.load(Ordering::Relaxed) - before
    };
    let (short, long) = (Duration::from_millis(50), Duration::from_millis(500));
    assert!(runs_within(long).await >= 3, "it runs again while work is left");
    is_left.store(false, Ordering::Relaxed);
    runs_within(short).await;
    assert_eq!(runs_within(long).await, 0, "without writes it does not run");
    let before = runs.load(Ordering::Relaxed);
    db.write(|tx| select_one(tx)).await.unwrap();
    runs_within(long).await;
    assert_eq!(runs.load(Ordering::Relaxed) - before, 1, "it runs once after a write");
    tasks.stop();
    db.close().await;
}

fn select_one<'c>(tx: &'c mut Tx<'_>) -> BoxFuture<'c, Result<i32, sqlx::Error>> {
    Box::pin(async move { on!(tx.connection(), c => sqlx::query_scalar("select 1").fetch_one(c).await) })
}

/// Starts a TCP proxy to the server at `url` that delays each connection by `wait`, and returns the proxy's URL.
async fn slow_way(url: &str, wait: Duration) -> String {
    let options = PgConnectOptions::from_str(url).unwrap();
    let server = (options.get_host().to_owned(), options.get_port());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let here = listener.local_addr().unwrap().port();
    BackgroundTasks::default().spawn(async move {
        while let Ok((mut near, _)) = listener.accept().await {
            let server = server.clone();
            BackgroundTasks::default().spawn(async move {
                tokio::time::sleep(wait).await;
                let mut far = TcpStream::connect(server).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    options.host("127.0.0.1").port(here).to_url_lossy().to_string()
}

#[tokio::test]
async fn slow_connection_attempts_succeed_although_their_callers_give_up() {
    let Some(server) = from_environment(POSTGRES) else { return print_to_stderr(&format!("{POSTGRES} is not set: skipped")) };
    let none: &'static Migrator = Box::leak(Box::new(Migrator::with_migrations(Vec::new())));
    let url = slow_way(&server, Duration::from_secs(2)).await;
    let pools = open_postgres(Schema { name: "public", sqlite: none, postgres: none }, &url, 4, None).await.unwrap();
    let db = Db { name: "steps", pools, writes: Arc::default(), reading: None };
    let begun = Instant::now();
    let mut reached = [false; 3];
    while reached != [true; 3] {
        assert!(begun.elapsed() < Duration::from_secs(20), "reading, writing and writing once: {reached:?}");
        let turn = Instant::now();
        let saves = futures::future::join(db.write(|tx| select_one(tx)), db.write_single_statement(|tx| select_one(tx)));
        let (read, saved) = tokio::join!(db.ping(), tokio::time::timeout(Duration::from_millis(2800), saves));
        assert!(turn.elapsed() < Duration::from_secs(3), "calls fail before their deadline: {:?}", turn.elapsed());
        let (written, once) = saved.map_or((false, false), |(written, once)| (written.is_ok(), once.is_ok()));
        reached = [reached[0] | read.is_ok(), reached[1] | written, reached[2] | once];
    }
    db.close().await;
}
