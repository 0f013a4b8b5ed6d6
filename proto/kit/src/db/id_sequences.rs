//! Last step of a restore from a backup: advances the id sequences, so that ids assigned after the backup are never assigned again.
use crate::db::{Db, Schema};
use sqlx::{AssertSqlSafe, query};

/// Number of ids by which a restore advances each id sequence. Fewer ids than this are assigned between two backups.
pub const IDS_SKIPPED_AFTER_RESTORE: i64 = 1_000_000;

impl Db {
    /// Advances the id sequences by [`IDS_SKIPPED_AFTER_RESTORE`], so that no id that was assigned after the backup is assigned again.
    ///
    /// The sequences of the audit log stay unchanged, because the audit seals depend on the order of ids.
    ///
    /// # Errors
    /// Returns the error of a failed statement.
    pub async fn advance_id_sequences(&self, schema: Schema) -> Result<(), sqlx::Error> {
        let in_postgres = format!(
            "select setval(format('%I.%I', schemaname, sequencename)::regclass, coalesce(last_value, 0) + {IDS_SKIPPED_AFTER_RESTORE})
             from pg_sequences where schemaname = '{}' and sequencename not like 'audit%'",
            schema.name
        );
        let unused = "insert into sqlite_sequence (name, seq) select name, 0 from sqlite_master
             where type = 'table' and lower(sql) like '%autoincrement%' and name not in (select name from sqlite_sequence)";
        let used = format!("update sqlite_sequence set seq = seq + {IDS_SKIPPED_AFTER_RESTORE} where name not like 'audit%'");
        self.write(move |tx| {
            Box::pin(async move {
                if tx.is_postgres() {
                    query(AssertSqlSafe(in_postgres)).execute(tx.postgres_connection()?).await?;
                    return Ok(());
                }
                for statement in [unused.to_owned(), used] {
                    crate::on!(tx.connection(), c => query(AssertSqlSafe(statement)).execute(c).await.map(drop))?;
                }
                Ok(())
            })
        })
        .await
    }
}
