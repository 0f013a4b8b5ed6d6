//! Hash chain of the audit log: random tampering is detected, and a million entries are verified in seconds.
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{audit::hash_chain, db::Db, on, service_host::ServiceHost};
use patio_testing::each_database;
use sqlx::{AssertSqlSafe, query};
use std::time::Instant;

/// Columns of an audit entry that the chain protects.
const COLUMNS: &str = "at, user_id, role, kind, subject, summary, address, old_values, new_values";

/// Pseudo-random number generator with a fixed seed, so that every run draws the same numbers.
struct Draw(u64);

impl Draw {
    fn below(&mut self, limit: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap() % limit
    }
}

/// Runs a statement with `at` bound to `$1`.
async fn run(db: &Db, text: String, at: DateTime<Utc>) {
    let dated = text.contains("$1");
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.connection(), c => {
                let asked = query(AssertSqlSafe(text));
                let asked = if dated { asked.bind(at) } else { asked };
                asked.execute(c).await.map(drop)
            })
        })
    })
    .await
    .unwrap();
}

/// Creates a log of `entries` sealed entries, with copies of its tables to restore from.
async fn log_of(host: &ServiceHost, entries: i64) -> Db {
    let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
    let now = host.clock.now();
    let made = format!(
        "with recursive n(i) as (select 1 union all select i + 1 from n where i < {entries})
         insert into audit_events ({COLUMNS})
         select $1, i % 50, 'op', 'vehicle-changed', 'vehicle ' || (i % 1000), 'saved as ok, ' || i, '192.0.2.1', '{{\"status\":\"\"}}', '{{\"status\":\"ok\"}}' from n"
    );
    run(&db, made, now).await;
    while hash_chain::seal_batch(&db, now).await.unwrap() > 0 {}
    db
}

/// Returns a random statement by which a user with write access could tamper with the log.
fn tamper(draw: &mut Draw, entries: i64) -> String {
    let (one, other) = (1 + draw.below(entries), 1 + draw.below(entries - 1));
    let other = if other == one { entries } else { other };
    let column = COLUMNS.split(", ").nth(usize::try_from(draw.below(9)).unwrap()).unwrap();
    match (draw.below(5), column) {
        (0, "at") => format!("update audit_events set at = $1 where id = {one}"),
        (0, "user_id") => format!("update audit_events set user_id = user_id + 1 where id = {one}"),
        (0, text) => format!("update audit_events set {text} = {text} || ' ' where id = {one}"),
        (1, _) => format!("delete from audit_events where id = {one}"),
        (2, _) => format!("update audit_events set ({COLUMNS}) = (select {COLUMNS} from kept where id = {other}) where id = {one}"),
        (3, _) => format!(
            "insert into audit_digests (event_id, seal, kind, at, digest)
             select {} + event_id, seal, kind, at, digest from audit_digests where event_id = {one}",
            2 * entries
        ),
        _ => {
            format!("update audit_digests set digest = (select digest from audit_digests where event_id = {other}) where event_id = {one}")
        }
    }
}

#[tokio::test]
async fn every_random_tampering_with_sealed_entries_is_detected() {
    let (entries, tampers) = (200, patio_testing::rounds(60));
    each_database(async |host| {
        let db = log_of(&host, entries).await;
        let (now, mut draw) = (host.clock.now(), Draw(7));
        if db.is_postgres() {
            for table in ["audit_events", "audit_digests"] {
                run(&db, format!("alter table {table} disable trigger user"), now).await; // as the table's owner can
            }
        }
        for copy in ["create table kept as select * from audit_events", "create table kept_digests as select * from audit_digests"] {
            run(&db, copy.to_owned(), now).await;
        }
        assert_eq!(hash_chain::verify_chain(&db, now).await.unwrap().problems, Vec::<String>::new());
        for n in 0..tampers {
            let done = tamper(&mut draw, entries);
            run(&db, done.clone(), now - TimeDelta::days(1)).await;
            assert!(!hash_chain::verify_chain(&db, now).await.unwrap().problems.is_empty(), "tampering {n} was not detected: {done}");
            for table in ["audit_events", "audit_digests"] {
                let kept = if table == "audit_events" { "kept" } else { "kept_digests" };
                run(&db, format!("delete from {table}"), now).await;
                // PostgreSQL assigns ids itself unless `overriding system value` is given.
                let own = if db.is_postgres() && table == "audit_events" { "overriding system value" } else { "" };
                run(&db, format!("insert into {table} {own} select * from {kept}"), now).await;
            }
        }
        assert_eq!(hash_chain::verify_chain(&db, now).await.unwrap().problems, Vec::<String>::new(), "the restored log is valid");
        patio_testing::print_to_stderr(&format!("{tampers} of {tampers} tamperings with {entries} entries were detected"));
        db.close().await;
    })
    .await;
}

#[tokio::test]
async fn a_million_entries_are_verified_in_seconds() {
    let entries = if patio_testing::long("a_million_entries_are_verified_in_seconds") { 1_000_000 } else { 10_000 };
    each_database(async |host| {
        let db = log_of(&host, entries).await;
        let started = Instant::now();
        let report = hash_chain::verify_chain(&db, host.clock.now()).await.unwrap();
        patio_testing::print_to_stderr(&format!("{entries} entries verified in {:?}", started.elapsed()));
        assert_eq!((report.entries, report.problems), (u64::try_from(entries).unwrap(), Vec::new()));
        db.close().await;
    })
    .await;
}
