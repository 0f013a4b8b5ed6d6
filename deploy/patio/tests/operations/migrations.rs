//! Old and new versions work side by side on the same tables.
use patio_kit::{command::Program, db::Schema, host::Host, on, testing::each_database};
use std::path::Path;

const SCHEMAS: [Schema; 4] =
    [auth_svc::Auth::SCHEMA, vehicle_svc::Vehicles::SCHEMA, campaign_svc::Campaigns::SCHEMA, import_svc::Imports::SCHEMA];

async fn applied(host: &Host, schema: Schema) -> Vec<(i64, Vec<u8>)> {
    let db = host.database(schema).await.unwrap();
    let rows = on!(db.read(), c => sqlx::query_as("select version, checksum from _sqlx_migrations order by version").fetch_all(c).await);
    db.close().await;
    rows.unwrap()
}

#[tokio::test]
async fn tables_are_brought_up_to_date_twice_and_by_many_at_once_without_harm() {
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
async fn a_version_that_knows_fewer_steps_starts_on_the_tables_of_a_newer_one() {
    each_database(async |host| {
        for schema in SCHEMAS {
            let db = host.database(schema).await.unwrap();
            let newer = "insert into _sqlx_migrations (version, description, installed_on, success, checksum, execution_time)
                         select 9999, 'of a newer version', installed_on, true, checksum, 1 from _sqlx_migrations where version = 1";
            let done = db.write(move |tx| Box::pin(async move { on!(tx.on(), c => sqlx::query(newer).execute(c).await.map(drop)) }));
            done.await.map_err(|cause: sqlx::Error| cause).unwrap();
            db.close().await;
            assert!(applied(&host, schema).await.iter().any(|(version, _)| *version == 9999), "{}", schema.name);
        }
    })
    .await;
}

/// Steps that were made before the first release ran anywhere.
const BEFORE_THE_FIRST: [&str; 1] = ["0003_signing_turns.sql"];

#[test]
fn steps_only_add() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for service in ["auth-svc", "campaign-svc", "vehicle-svc", "import-svc"] {
        for side in ["sqlite", "postgres"] {
            for entry in std::fs::read_dir(root.join(service).join("migrations").join(side)).unwrap().flatten() {
                let (name, text) = (entry.file_name(), std::fs::read_to_string(entry.path()).unwrap().to_lowercase());
                let name = name.to_string_lossy().into_owned();
                if name.starts_with("0001") || BEFORE_THE_FIRST.contains(&name.as_str()) {
                    continue;
                }
                seen += 1;
                for taking in ["drop table", "drop column", "rename ", "alter column"] {
                    assert!(!text.contains(taking), "{service} {side} {name}: `{taking}` takes from a version that still runs");
                }
                for dropped in text.split("drop constraint").skip(1).map(|rest| rest.split([',', ';']).next().unwrap_or_default()) {
                    // A reference that is no longer checked takes nothing from anybody.
                    assert!(
                        dropped.trim_end().ends_with("_fkey"),
                        "{service} {side} {name}:{dropped} is what a version that still runs relies on"
                    );
                }
                for added in text.split("add column").skip(1).map(|rest| rest.split([',', ';']).next().unwrap_or_default()) {
                    assert!(
                        !added.contains("not null") || added.contains("default"),
                        "{service} {side} {name}: a row of the old version has no value for{added}"
                    );
                }
            }
        }
    }
    assert!(seen >= 8, "{seen} steps were looked at");
}
