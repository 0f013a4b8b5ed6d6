//! Many vehicles written at once, each with values of its own.
use crate::{
    place::{self, Place},
    store::{dialect, named::Named},
};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use serde::Serialize;
use sqlx::{AssertSqlSafe, query};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// What a vehicle becomes.
#[derive(Debug, Clone, Serialize)]
pub struct New {
    /// Its number.
    pub id: i64,
    /// Where it stands.
    pub space: String,
    /// None when the space leads to no yard.
    pub yard: Option<i64>,
    /// The group the space is listed under.
    pub yard_group: String,
    /// Sorts as people walk.
    pub walk: String,
    /// What searching looks through.
    pub haystack: String,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
    /// Supervisor notes.
    pub admin_notes: String,
    /// Team leader notes.
    pub operator_notes: String,
}

impl New {
    /// A vehicle at a place, as it is in all else.
    #[must_use]
    pub fn at(vehicle: &Named, place: Place) -> Self {
        Self {
            id: vehicle.id,
            haystack: place::haystack(&vehicle.identifier(), &place.space),
            space: place.space,
            yard: place.yard_id,
            yard_group: place.group,
            walk: place.walk_key,
            status: vehicle.status.clone(),
            inspected: vehicle.inspected,
            admin_notes: vehicle.admin_notes.clone(),
            operator_notes: vehicle.operator_notes.clone(),
        }
    }
}

/// Writes all of them in one statement; how many there were.
pub async fn write(tx: &mut Tx<'_>, all: &[New], by: Option<i64>, at: DateTime<Utc>) -> Result<u64> {
    let text = format!(
        "update vehicles
            set parking_space = e.space, yard_id = e.yard, yard_group = e.yard_group, walk_key = e.walk, haystack = e.haystack,
                status = e.status, inspected = e.inspected, admin_notes = e.admin_notes, operator_notes = e.operator_notes,
                modified_by = $2, modified_at = $3, version = version + 1,
                space_by = case when parking_space = e.space then space_by else $2 end,
                space_at = case when parking_space = e.space then space_at else $3 end,
                status_by = case when vehicles.status = e.status then status_by else $2 end,
                status_at = case when vehicles.status = e.status then status_at else $3 end,
                operator_notes_by = case when vehicles.operator_notes = e.operator_notes then operator_notes_by else $2 end,
                operator_notes_at = case when vehicles.operator_notes = e.operator_notes then operator_notes_at else $3 end,
                admin_notes_by = case when vehicles.admin_notes = e.admin_notes then admin_notes_by else $2 end,
                admin_notes_at = case when vehicles.admin_notes = e.admin_notes then admin_notes_at else $3 end
           from ({}) as e
          where vehicles.id = e.id",
        dialect::edits(tx.is_postgres())
    );
    let rows = serde_json::to_string(all).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&rows).bind(by).bind(at).execute(c).await.map(|done| done.rows_affected()))
}
