//! Rows of a file written to many vehicles at once.
use crate::{place::Place, store::dialect};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use serde::Serialize;
use sqlx::{AssertSqlSafe, FromRow, query, query_as};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle that a row names, with all that a row may change.
#[derive(Debug, Clone, FromRow)]
pub struct Named {
    /// Its number.
    pub id: i64,
    /// Its campaign.
    pub campaign_id: i64,
    /// The campaign's name.
    pub campaign_name: String,
    /// `open` or `closed`.
    pub gate: String,
    /// The comparison key of its identifier.
    pub vin_key: String,
    /// First part of the identifier.
    pub model_code: String,
    /// Second part of the identifier.
    pub serial_number: String,
    /// Where it stands.
    pub parking_space: String,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// The group the space is listed under.
    pub yard_group: String,
    /// Sorts as people walk.
    pub walk_key: String,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
    /// Supervisor notes.
    pub admin_notes: String,
    /// Team leader notes.
    pub operator_notes: String,
}

impl Named {
    /// The identifier as people see it.
    #[must_use]
    pub fn vin(&self) -> String {
        format!("{} {}", self.model_code, self.serial_number)
    }

    /// Where it stands, with all that was derived from it.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { space: self.parking_space.clone(), yard_id: self.yard_id, group: self.yard_group.clone(), walk_key: self.walk_key.clone() }
    }
}

/// Finds the vehicles with the given identifier keys in campaigns that people see, and locks them.
pub async fn named(tx: &mut Tx<'_>, keys: &[&str]) -> Result<Vec<Named>> {
    let text = format!(
        "with asked as ({}) select v.id, v.campaign_id, c.name as campaign_name, c.gate, v.vin_key, v.model_code, v.serial_number,
                v.parking_space, v.yard_id, v.yard_group, v.walk_key, v.status, v.inspected, v.admin_notes, v.operator_notes
           from vehicles v join asked a on a.word = v.vin_key join campaigns c on c.id = v.campaign_id
          where c.gate in ('open', 'closed') order by v.id {}",
        dialect::texts(tx.is_postgres()),
        dialect::for_update(tx.is_postgres(), "", "for update of v for key share of c")
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    on!(tx.on(), c => query_as(AssertSqlSafe(text)).bind(&keys).fetch_all(c).await)
}

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

/// Writes all of them in one statement; how many there were.
pub async fn write(tx: &mut Tx<'_>, all: &[New], by: Option<i64>, at: DateTime<Utc>) -> Result<u64> {
    let text = format!(
        "update vehicles
            set parking_space = e.space, yard_id = e.yard, yard_group = e.yard_group, walk_key = e.walk, haystack = e.haystack,
                status = e.status, inspected = e.inspected, admin_notes = e.admin_notes, operator_notes = e.operator_notes,
                modified_by = $2, modified_at = $3, version = version + 1
           from ({}) as e
          where vehicles.id = e.id",
        dialect::edits(tx.is_postgres())
    );
    let rows = serde_json::to_string(all).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&rows).bind(by).bind(at).execute(c).await.map(|done| done.rows_affected()))
}
