//! The chain over the audit entries.
use crate::yard::{Yard, status};
use chrono::TimeDelta;
use patio_kit::{
    audit::{self, Event, seal},
    db::Db,
    host::Host,
    on,
};
use patio_proto::{access::Role, vehicle::VehicleStatus};
use patio_testing::each_database;

async fn run(db: &Db, text: &'static str) {
    db.write(move |tx| Box::pin(async move { on!(tx.on(), c => sqlx::query(text).execute(c).await.map(drop)) })).await.unwrap();
}

/// A database with 40 sealed entries of inspections in four seals.
async fn sealed(host: &Host) -> Db {
    let yard = Yard::with(host.clone(), &["A-1"]).await;
    let id = yard.walk().await[0].id;
    let db = host.database(vehicle_svc::SCHEMA).await.unwrap();
    for _ in 0..4 {
        for _ in 0..10 {
            yard.save(Role::Admin, status(id, VehicleStatus::Ok)).await.unwrap();
        }
        seal_all(host, &db).await;
    }
    db
}

/// Seals what there is; the service's own task may be doing the same.
async fn seal_all(host: &Host, db: &Db) {
    loop {
        match seal::once(db, host.clock.now()).await {
            Ok(0) => return,
            Ok(_) => {}
            Err(cause) => assert!(patio_kit::errors::is_duplicate(&cause), "{cause}"),
        }
    }
}

async fn problems(host: &Host, db: &Db) -> Vec<String> {
    seal::verify(db, host.clock.now()).await.unwrap().problems
}

#[tokio::test]
async fn an_untouched_chain_holds_and_a_changed_or_missing_entry_shows() {
    each_database(async |host| {
        let db = sealed(&host).await;
        let report = seal::verify(&db, host.clock.now()).await.unwrap();
        assert_eq!((report.entries, report.problems.len()), (42, 0), "{report:?}"); // 40 saves, and two steps of the import
        run(&db, "update audit_events set summary = summary || '.' where id = 7").await;
        assert_eq!(problems(&host, &db).await, ["entry 7 was changed after it was sealed"]);
        run(&db, "delete from audit_events where id = 8").await;
        assert_eq!(problems(&host, &db).await.len(), 2);
        run(&db, "update audit_digests set digest = 'forged' where event_id = 7").await;
        assert!(problems(&host, &db).await.iter().any(|found| found.contains("does not fit")));
    })
    .await;
}

#[tokio::test]
async fn a_cut_chain_shows() {
    each_database(async |host| {
        let db = sealed(&host).await;
        run(&db, "delete from audit_digests where seal = 1").await;
        run(&db, "delete from audit_events where id not in (select event_id from audit_digests)").await;
        assert!(problems(&host, &db).await.iter().any(|found| found.contains("lost their entries")));
        run(&db, "delete from audit_seals where id = 2").await;
        assert!(problems(&host, &db).await.iter().any(|found| found == "seal 2 is missing"));
    })
    .await;
}

#[tokio::test]
async fn access_entries_go_when_they_are_due_and_the_chain_still_holds() {
    each_database(async |host| {
        let db = sealed(&host).await;
        let old = host.clock.now() - seal::ACCESS_KEPT - TimeDelta::days(1);
        for (kind, at) in [("page-view", old), ("vehicle-changed", old), ("page-view", host.clock.now())] {
            let event = Event { kind, subject: "page home".into(), summary: "opened".into(), ..Event::default() };
            db.write(move |tx| Box::pin(async move { audit::append(tx, at, None, event).await })).await.unwrap();
        }
        seal_all(&host, &db).await;
        assert_eq!(seal::retain(&db, &host.clock).await.unwrap(), 1, "exactly the due one goes");
        assert_eq!(seal::retain(&db, &host.clock).await.unwrap(), 0, "twice is harmless");
        let report = seal::verify(&db, host.clock.now()).await.unwrap();
        assert_eq!((report.removed, report.problems), (1, Vec::new()));
    })
    .await;
}
