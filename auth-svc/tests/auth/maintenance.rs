//! Hourly maintenance: a failed step does not prevent the other steps.
use crate::office::{FIRST, HERE, Office, another, config, pass, quick};
use auth_svc::{SCHEMA, auth_keys::AuthKeys, lockout::Lockout, maintenance, sealing_keys::SealingKeys, sign_in::SignInService};
use chrono::TimeDelta;
use patio_kit::{db::Db, on, service_host::ServiceHost};
use patio_testing::each_database;
use std::sync::Arc;

const LIFE: TimeDelta = TimeDelta::days(30);

async fn sign_in_service(host: &ServiceHost, db: &Db) -> SignInService {
    let sealing = SealingKeys::read(&config().key_file_path(&host.settings.data_dir)).unwrap().unwrap();
    SignInService {
        lockout: Lockout::new(&host.cache, db.clone(), host.clock.clone()),
        keys: Arc::new(AuthKeys::read(db, Arc::new(sealing), &host.clock).await.unwrap()),
        db: db.clone(),
        clock: host.clock.clone(),
        identity: host.identity.clone(),
        passwords: quick(),
        token_lifetime: TimeDelta::hours(12),
        signing_key_lifetime: LIFE,
    }
}

/// Returns the number of signing keys and the number of lockout counters in the database.
async fn rows(db: &Db) -> (i64, i64) {
    let statement = "select (select count(*) from signing_keys), (select count(*) from lockouts)";
    on!(db.read_pool(), c => sqlx::query_as(statement).fetch_one(c).await).unwrap()
}

#[tokio::test]
async fn a_failed_purge_of_revocations_prevents_neither_the_key_rotation_nor_the_purge_of_counters() {
    each_database(async |host| {
        let office = Office::open(another(&host, None).await).await;
        office.refused(FIRST, "a wrong password", HERE).await;
        office.close().await;
        let db = host.open_database(SCHEMA).await.unwrap();
        let service = sign_in_service(&host, &db).await;
        let (keys, counters) = rows(&db).await;
        assert!(keys == 1 && counters > 0, "{keys} keys and {counters} counters");
        pass(&host, LIFE + TimeDelta::hours(1)).await;
        let hide = "alter table revocations rename to hidden_revocations";
        db.write(move |tx| Box::pin(async move { on!(tx.connection(), c => sqlx::query(hide).execute(c).await.map(drop)) })).await.unwrap();
        maintenance::run_maintenance(&service).await;
        assert_eq!(rows(&db).await, (2, 0), "a second key and no expired counter");
        db.close().await;
    })
    .await;
}
