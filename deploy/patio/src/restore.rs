//! The command `patio restored`, which advances ids and versions after the PostgreSQL databases were restored. `patio restore` does the
//! same after it has restored the SQLite databases.
use crate::process::DATABASE_SCHEMAS;
use patio_kit::{cli::print_to_stdout, config::Settings, db::Db};

/// Advances the ids, vehicle versions and campaign revisions in every database beyond all values assigned before the restore.
/// Otherwise, the services would assign some values a second time. No service may use the databases while this function runs.
///
/// # Errors
/// Returns an error when tables are missing or older than this program expects, or when a statement fails.
pub async fn advance_ids_after_restore(settings: &Settings) -> anyhow::Result<()> {
    for schema in DATABASE_SCHEMAS {
        let db = Db::open_existing(schema, settings).await?;
        db.advance_id_sequences(schema).await?;
        if schema.name == vehicle_svc::SCHEMA.name {
            vehicle_svc::store::backup_restore::invalidate_client_caches(&db).await?;
        }
        db.close().await;
    }
    print_to_stdout("Ids, versions and revisions now start above all values assigned before the restore.\n")
}
