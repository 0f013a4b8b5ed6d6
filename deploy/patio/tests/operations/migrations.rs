//! Migrations: old and new versions can use the same tables at the same time.
use patio_kit::{db::Schema, on, service_host::ServiceHost};
use patio_testing::each_database;

pub const SCHEMAS: [Schema; 4] = [auth_svc::SCHEMA, vehicle_svc::SCHEMA, campaign_svc::SCHEMA, import_svc::SCHEMA];

async fn applied(host: &ServiceHost, schema: Schema) -> Vec<(i64, Vec<u8>)> {
    let db = host.open_database(schema).await.unwrap();
    let rows =
        on!(db.read_pool(), c => sqlx::query_as("select version, checksum from _sqlx_migrations order by version").fetch_all(c).await);
    db.close().await;
    rows.unwrap()
}

#[tokio::test]
async fn migrations_can_run_repeatedly_and_concurrently() {
    let _turn = patio_harness::acquire_light_test_slot();
    each_database(async |host| {
        for schema in SCHEMAS {
            let many =
                futures::future::join_all((0..if host.settings.database_url.is_some() { 4 } else { 1 }).map(|_| applied(&host, schema)))
                    .await;
            let again = applied(&host, schema).await;
            assert!(!again.is_empty() && many.iter().all(|each| *each == again), "{}", schema.name);
        }
    })
    .await;
}

#[tokio::test]
async fn an_older_version_starts_on_the_tables_of_a_newer_one() {
    let _turn = patio_harness::acquire_light_test_slot();
    each_database(async |host| {
        for schema in SCHEMAS {
            let db = host.open_database(schema).await.unwrap();
            let newer = "insert into _sqlx_migrations (version, description, installed_on, success, checksum, execution_time)
                         select 9999, 'of a newer version', installed_on, true, checksum, 1 from _sqlx_migrations where version = 1";
            let done =
                db.write(move |tx| Box::pin(async move { on!(tx.connection(), c => sqlx::query(newer).execute(c).await.map(drop)) }));
            done.await.map_err(|cause: sqlx::Error| cause).unwrap();
            db.close().await;
            assert!(applied(&host, schema).await.iter().any(|(version, _)| *version == 9999), "{}", schema.name);
        }
    })
    .await;
}
