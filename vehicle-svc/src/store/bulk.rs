//! Vehicles that are to get one status: only what that needs of each of thousands.
use crate::store::{
    dialect,
    edit::Patch,
    kept::Before,
    named::{Scope, asked, content, locked},
    rows::{fields, rows, truth},
};
use patio_kit::db::Tx;
use serde::Deserialize;
use sqlx::FromRow;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle that may get a status.
#[derive(Debug, Clone, FromRow, Deserialize)]
pub struct Standing {
    /// Which of the identifiers names it, from 1.
    pub asked: i64,
    /// Its number.
    pub id: i64,
    /// Its campaign.
    pub campaign_id: i64,
    /// None when its space leads to no yard.
    pub yard_id: Option<i64>,
    /// Whether its campaign is open.
    #[serde(deserialize_with = "truth")]
    pub is_open: bool,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    #[serde(deserialize_with = "truth")]
    pub inspected: bool,
    /// Its version.
    pub version: i64,
    /// The number of its content.
    pub content: i64,
    /// Team leader notes, when they are to be cleared.
    pub operator_notes: String,
    /// Supervisor notes, when they are to be cleared.
    pub admin_notes: String,
    /// Whether it has supervisor notes that stay while the team leader notes are cleared.
    #[serde(deserialize_with = "truth")]
    pub keeps_notes: bool,
    /// The identifier, of one that stays as it is.
    pub vin: Option<String>,
}

impl Standing {
    /// What an undoing needs, once the vehicle has its new status.
    #[must_use]
    pub fn before(&self) -> Before {
        let told = |notes: &String| Some(notes.clone()).filter(|notes| !notes.is_empty());
        Before {
            id: self.id,
            version: self.version,
            content: self.content,
            status: Some(self.status.clone()),
            inspected: Some(self.inspected),
            operator_notes: told(&self.operator_notes),
            admin_notes: told(&self.admin_notes),
            stood: None,
        }
    }
}

/// Finds vehicles as [`super::named::by_keys`] does.
pub async fn standing(tx: &mut Tx<'_>, keys: &[&str], new: Patch<'_>, scope: Scope) -> Result<Vec<Standing>> {
    let held = scope.hold(tx).await?;
    let text = format!(
        concat!(
            "with asked as ({}) select a.place as asked, v.id, v.campaign_id, v.yard_id, c.gate = 'open' as is_open, v.status, v.inspected,
                v.version, ",
            content!(),
            " as content, case when $5 then v.operator_notes else '' end as operator_notes,
                case when $6 then v.admin_notes else '' end as admin_notes,
                $5 and not $6 and v.admin_notes <> '' as keeps_notes,
                case when c.gate <> 'open' or v.status = $4 then v.model_code || ' ' || v.serial_number end as vin",
            asked!(),
            " {}"
        ),
        dialect::texts(tx.is_postgres()),
        locked(tx, scope.locks)
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    let (team, supervisor) = (new.operator_notes.is_some(), new.admin_notes.is_some());
    let mut found = rows!(tx, Standing, fields::<Standing>(), text, &keys, scope.campaign, scope.yard, new.status, team, supervisor)?;
    found.sort_unstable_by_key(|vehicle| vehicle.id);
    found.retain(|vehicle| held.has(vehicle.campaign_id));
    Ok(found)
}
