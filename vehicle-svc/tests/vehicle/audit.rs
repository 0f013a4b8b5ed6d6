//! Hash chain over the audit log: seals, verification and retention.
use crate::yard::{Yard, status};
use chrono::TimeDelta;
use patio_kit::{
    audit::{self, AuditEvent, hash_chain, retention},
    db::Db,
    on,
    service_host::ServiceHost,
};
use patio_proto::{access::Role, vehicle::VehicleStatus};
use patio_testing::each_database;

pub async fn run(db: &Db, text: &'static str) {
    db.write(move |tx| Box::pin(async move { on!(tx.connection(), c => sqlx::query(text).execute(c).await.map(drop)) })).await.unwrap();
}

/// Creates a database with 40 audit entries of inspections in four seals.
async fn sealed(host: &ServiceHost) -> Db {
    let yard = Yard::with(host.clone(), &["A-1"]).await;
    let id = yard.walk().await[0].id;
    let db = host.open_database(vehicle_svc::SCHEMA).await.unwrap();
    for _ in 0..4 {
        for _ in 0..10 {
            yard.save(Role::Admin, status(id, VehicleStatus::Ok)).await.unwrap();
        }
        seal_all(host, &db).await;
    }
    db
}

/// Seals all entries. The service's background task may seal some of them at the same time.
pub async fn seal_all(host: &ServiceHost, db: &Db) {
    loop {
        match hash_chain::seal_batch(db, host.clock.now()).await {
            Ok(0) => return,
            Ok(_) => {}
            Err(cause) => assert!(patio_kit::errors::is_unique_violation(&cause), "{cause}"),
        }
    }
}

/// Disables the triggers that protect the log, as the owner of a PostgreSQL table can.
pub async fn disable_audit_triggers(db: &Db) {
    if db.is_postgres() {
        run(db, "alter table audit_events disable trigger user").await;
        run(db, "alter table audit_digests disable trigger user").await;
        run(db, "alter table audit_seals disable trigger user").await;
    }
}

#[tokio::test]
async fn on_postgresql_the_audit_log_is_append_only() {
    each_database(async |host| {
        let db = sealed(&host).await;
        if !db.is_postgres() {
            return;
        }
        for change in [
            "update audit_events set summary = '' where id = 7",
            "delete from audit_events where id = 7",
            "delete from audit_digests where event_id = 7",
            "update audit_seals set digest = '' where id = 1",
            "delete from audit_seals where id = 1",
            "truncate audit_seals",
        ] {
            let refused = db
                .write(move |tx| Box::pin(async move { on!(tx.connection(), c => sqlx::query(change).execute(c).await.map(drop)) }))
                .await;
            assert!(refused.unwrap_err().to_string().contains("only added to"), "{change}");
        }
        assert_eq!(problems(&host, &db).await, Vec::<String>::new());
    })
    .await;
}

pub async fn problems(host: &ServiceHost, db: &Db) -> Vec<String> {
    hash_chain::verify_chain(db, host.clock.now()).await.unwrap().problems
}

#[tokio::test]
async fn verification_accepts_an_intact_chain_and_reports_changed_or_missing_entries() {
    each_database(async |host| {
        let db = sealed(&host).await;
        let report = hash_chain::verify_chain(&db, host.clock.now()).await.unwrap();
        assert_eq!((report.entries, report.problems.len()), (42, 0), "{report:?}"); // 40 saves and two entries of the import
        disable_audit_triggers(&db).await;
        run(&db, "update audit_events set summary = summary || '.' where id = 7").await;
        assert_eq!(problems(&host, &db).await, ["entry 7 was changed after it was sealed"]);
        run(&db, "delete from audit_events where id = 8").await;
        assert_eq!(problems(&host, &db).await.len(), 2);
        run(&db, "update audit_digests set digest = 'forged' where event_id = 7").await;
        assert!(problems(&host, &db).await.iter().any(|found| found.contains("does not match its entries")));
    })
    .await;
}

#[tokio::test]
async fn verification_reports_a_truncated_chain() {
    each_database(async |host| {
        let db = sealed(&host).await;
        disable_audit_triggers(&db).await;
        run(&db, "delete from audit_digests where seal = 1").await;
        run(&db, "delete from audit_events where id not in (select event_id from audit_digests)").await;
        assert!(problems(&host, &db).await.iter().any(|found| found.contains("lost their entries")));
        run(&db, "delete from audit_seals where id = 2").await;
        assert!(problems(&host, &db).await.iter().any(|found| found == "seal 2 is missing"));
    })
    .await;
}

#[tokio::test]
async fn expired_access_entries_are_deleted_and_the_chain_stays_valid() {
    each_database(async |host| {
        let db = sealed(&host).await;
        let old = host.clock.now() - retention::ACCESS_ENTRY_RETENTION - TimeDelta::days(1);
        for (kind, at) in [("page-view", old), ("vehicle-changed", old), ("page-view", host.clock.now())] {
            let event = AuditEvent { kind, subject: "page home".into(), summary: "opened".into(), ..AuditEvent::default() };
            db.write(move |tx| Box::pin(async move { audit::append(tx, at, None, event).await })).await.unwrap();
        }
        seal_all(&host, &db).await;
        assert_eq!(retention::maintain_audit_log(&db, &host.clock).await.unwrap(), 1, "only the expired entry is deleted");
        assert_eq!(retention::maintain_audit_log(&db, &host.clock).await.unwrap(), 0, "a second run deletes nothing");
        let report = hash_chain::verify_chain(&db, host.clock.now()).await.unwrap();
        assert_eq!((report.removed, report.problems), (1, Vec::new()));
    })
    .await;
}
