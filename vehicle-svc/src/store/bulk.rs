//! One status for many vehicles.
use crate::store::{dialect, edit::New, named::Named};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use sqlx::{AssertSqlSafe, query};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// What a bulk status call writes.
#[derive(Debug, Clone, Copy)]
pub struct NewStatus {
    /// As stored; empty to clear.
    pub status: &'static str,
    /// Whether the vehicles then count as inspected.
    pub inspected: bool,
    /// Clears the team leader notes.
    pub clear_operator_notes: bool,
    /// Clears the supervisor notes.
    pub clear_admin_notes: bool,
}

impl NewStatus {
    /// What it makes of one vehicle.
    #[must_use]
    pub fn of(&self, vehicle: &Named) -> New {
        let mut new = New::at(vehicle, vehicle.place());
        self.status.clone_into(&mut new.status);
        new.inspected = self.inspected;
        if self.clear_operator_notes {
            new.operator_notes.clear();
        }
        if self.clear_admin_notes {
            new.admin_notes.clear();
        }
        new
    }
}

/// Writes a status to vehicles.
pub async fn set_status(tx: &mut Tx<'_>, ids: &[i64], new: NewStatus, by: Option<i64>, at: DateTime<Utc>) -> Result<u64> {
    let text = format!(
        "update vehicles set status = $2, inspected = $3, modified_by = $4, modified_at = $5, version = version + 1,
                operator_notes = case when $6 then '' else operator_notes end, admin_notes = case when $7 then '' else admin_notes end,
                status_by = $4, status_at = $5,
                operator_notes_by = case when $6 then $4 else operator_notes_by end,
                operator_notes_at = case when $6 then $5 else operator_notes_at end,
                admin_notes_by = case when $7 then $4 else admin_notes_by end,
                admin_notes_at = case when $7 then $5 else admin_notes_at end
          where id in ({})",
        dialect::ids(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&ids).bind(new.status).bind(new.inspected).bind(by).bind(at)
        .bind(new.clear_operator_notes).bind(new.clear_admin_notes).execute(c).await.map(|done| done.rows_affected()))
}
