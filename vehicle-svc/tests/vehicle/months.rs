//! Months of the audit log: conversion of an existing log, retention by dropping months, and archive files.
use crate::audit::{disable_audit_triggers, problems, run, seal_all};
use chrono::{DateTime, TimeDelta, Utc};
use flate2::{Compression, read::GzDecoder, write::GzEncoder};
use patio_kit::{
    audit::{self, AuditEvent, archive, hash_chain, retention},
    db::{Db, Engine, Schema},
    on,
    service_host::ServiceHost,
};
use patio_testing::each_database;
use sqlx::{migrate::Migrator, query_scalar};
use std::{
    fs::{self, File},
    io::{Read, Write},
    path::Path,
};

/// Version of the first migration that partitions the log.
const FIRST_OF_MONTHS: i64 = 20;

fn day(text: &str) -> DateTime<Utc> {
    format!("{text}T12:00:00Z").parse().unwrap()
}

async fn append(db: &Db, kind: &'static str, at: DateTime<Utc>) {
    let event = AuditEvent { kind, subject: "vehicle 7".into(), summary: format!("{kind} of {at}"), ..AuditEvent::default() };
    db.write(move |tx| Box::pin(async move { audit::append(tx, at, None, event).await })).await.unwrap();
}

async fn number(db: &Db, text: &'static str) -> i64 {
    on!(db.read_pool(), c => query_scalar(text).fetch_one(c).await).unwrap()
}

/// Appends an entry on access and another one on each of several days.
async fn append_on(db: &Db, days: &[&str]) {
    for day in days.iter().map(|text| self::day(text)) {
        append(db, "page-view", day).await;
        append(db, "vehicle-changed", day).await;
    }
}

/// Opens a log whose first partition ended long ago, with the months from January to April 2025.
async fn log_with_months(host: &ServiceHost) -> Db {
    let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
    if db.is_postgres() {
        for step in [
            "alter table audit_events detach partition audit_events_first",
            "alter table audit_events_first drop constraint audit_events_bound",
            "alter table audit_events attach partition audit_events_first for values from (minvalue) to ('2025-01-01 00:00:00+00')",
            "select create_audit_month(cast('2025-01-01' as date) + 31 * n) from generate_series(0, 3) n",
        ] {
            run(&db, step).await;
        }
    }
    append_on(&db, &["2024-06-30", "2025-01-15", "2025-02-15", "2025-03-15", "2025-04-15", "2025-07-15"]).await;
    append(&db, "page-view", host.clock.now()).await;
    append(&db, "vehicle-changed", host.clock.now()).await;
    seal_all(host, &db).await;
    db
}

#[tokio::test]
async fn expired_months_of_access_entries_are_dropped_and_all_other_entries_stay() {
    each_database(async |host| {
        let db = log_with_months(&host).await;
        if db.is_postgres() {
            assert_eq!(number(&db, "select count(*) from audit_events_rest").await, 4, "entries without a month, also those of today");
        }
        assert_eq!(retention::maintain_audit_log(&db, &host.clock).await.unwrap(), 6);
        assert_eq!(retention::maintain_audit_log(&db, &host.clock).await.unwrap(), 0, "a second run deletes nothing");
        assert_eq!(number(&db, "select count(*) from audit_events where kind = 'vehicle-changed'").await, 7);
        assert_eq!(number(&db, "select count(*) from audit_events where kind = 'page-view'").await, 1);
        if db.is_postgres() {
            let months = "select count(*) from pg_class where relname like 'audit_events_2025%' and relkind = 'r'";
            assert_eq!(number(&db, months).await, 4, "four months without their access entries");
        }
        let report = hash_chain::verify_chain(&db, host.clock.now()).await.unwrap();
        assert_eq!((report.entries, report.removed, report.problems), (8, 6, Vec::new()));
    })
    .await;
}

#[tokio::test]
async fn a_log_with_entries_becomes_partitioned_and_stays_valid() {
    each_database(async |host| {
        let Schema { sqlite, postgres, name } = vehicle_svc::SCHEMA;
        let before = |all: &Migrator| -> &'static Migrator {
            Box::leak(Box::new(Migrator::with_migrations(all.iter().filter(|step| step.version < FIRST_OF_MONTHS).cloned().collect())))
        };
        let old = host.open_database(Schema { name, sqlite: before(sqlite), postgres: before(postgres) }).await.unwrap();
        append_on(&old, &["2024-06-30", "2025-01-15"]).await;
        let (last, now) = (number(&old, "select max(id) from audit_events").await, host.clock.now());
        let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        append(&old, "vehicle-changed", now).await; // an older version that still runs
        append(&db, "vehicle-changed", now).await;
        append(&db, "vehicle-changed", now + TimeDelta::days(400)).await;
        assert_eq!(number(&db, "select max(id) from audit_events").await, last + 3, "ids continue");
        seal_all(&host, &db).await;
        assert_eq!(hash_chain::verify_chain(&db, now).await.unwrap().entries, 7);
        assert_eq!(problems(&host, &db).await, Vec::<String>::new());
        if db.is_postgres() {
            let months = "select count(*) from pg_inherits where inhparent = cast('audit_events' as regclass)";
            assert!(number(&db, months).await >= 5, "the first partition, the default one, and coming months");
            assert_eq!(number(&db, "select count(*) from audit_events_first").await, 6);
        }
    })
    .await;
}

#[tokio::test]
async fn no_access_entry_can_be_deleted_before_its_retention_ends() {
    each_database(async |host| {
        let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        append(&db, "page-view", host.clock.now()).await;
        let Engine::Postgres(pool) = db.read_pool() else { return };
        let refused = sqlx::query("delete from audit_events where kind = 'page-view'").execute(pool).await;
        assert!(refused.unwrap_err().to_string().contains("only added to"));
    })
    .await;
}

fn unpacked(file: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(File::open(file).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn pack(file: &Path, text: &str) {
    let mut out = GzEncoder::new(File::create(file).unwrap(), Compression::fast());
    out.write_all(text.as_bytes()).unwrap();
    out.finish().unwrap();
}

#[tokio::test]
async fn archived_months_leave_the_database_and_their_files_prove_the_chain() {
    each_database(async |host| {
        let (db, folder) = (log_with_months(&host).await, tempfile::tempdir().unwrap());
        let archived = archive::archive_partitions_before(&db, &host.clock, day("2025-03-01") - TimeDelta::hours(12), folder.path()).await;
        if !db.is_postgres() {
            assert!(archived.unwrap_err().to_string().contains("no monthly partitions"));
            return;
        }
        let archived = archived.unwrap();
        let numbers: Vec<i64> = archived.iter().map(|part| part.entries).collect();
        assert_eq!(numbers, [1, 1, 1], "the first partition, January and February, without access entries");
        assert_eq!(number(&db, "select count(*) from audit_events where kind = 'vehicle-changed'").await, 4);
        seal_all(&host, &db).await;
        let report = hash_chain::verify_chain(&db, host.clock.now()).await.unwrap();
        assert_eq!((report.archived, report.removed, report.problems), (3, 6, Vec::new()));
        for part in &archived {
            let verified = archive::verify_archive(&db, &part.file).await.unwrap();
            assert_eq!((verified.service.as_str(), verified.entries, verified.problems), ("vehicle", 1, Vec::new()));
        }
        let again = archive::archive_partitions_before(&db, &host.clock, host.clock.now(), folder.path()).await.unwrap();
        assert_eq!(again.len(), 2, "March and April, but no month within the retention of access entries");

        let file = &archived[1].file;
        let (packed, text) = (fs::read(file).unwrap(), unpacked(file));
        for (from, to) in [("vehicle-changed of", "vehicle-changed on"), ("\"event_id\":3", "\"event_id\":33")] {
            assert!(text.contains(from), "{text}");
            pack(file, &text.replace(from, to));
            assert!(archive::verify_archive(&db, file).await.unwrap().problems.len() > 1, "{from} was changed");
        }
        fs::write(file, packed).unwrap();
        assert_eq!(archive::verify_archive(&db, file).await.unwrap().problems, Vec::<String>::new());
        disable_audit_triggers(&db).await;
        run(&db, "delete from audit_events where at < '2026-01-01'").await;
        assert!(problems(&host, &db).await.iter().any(|found| found.contains("is missing")), "only archived months may be missing");
    })
    .await;
}
