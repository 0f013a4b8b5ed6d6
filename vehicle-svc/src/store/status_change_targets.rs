//! Lookup of vehicles for a bulk status change, limited to the columns that the change needs.
use crate::store::{
    bulk_update_vehicles::VehiclePatch,
    dialect,
    job_snapshots::VehicleSnapshot,
    json_rows::{deserialize_sqlite_bool, rows, struct_field_names},
    vehicle_lookup::{VehicleLookupScope, asked, content, lock_clause},
};
use patio_kit::db::Tx;
use serde::Deserialize;
use sqlx::FromRow;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle that matches a VIN of a bulk status change, with the columns that the change needs.
#[derive(Debug, Clone, FromRow, Deserialize)]
pub struct StatusChangeTarget {
    /// Position of the matching VIN in the request, counted from 1.
    pub asked: i64,
    /// Id of the matching vehicle.
    pub id: i64,
    /// Id of the vehicle's campaign.
    pub campaign_id: i64,
    /// Id of the yard; `None` when the parking space belongs to no yard.
    pub yard_id: Option<i64>,
    /// Whether the campaign accepts changes of its vehicles.
    #[serde(deserialize_with = "deserialize_sqlite_bool")]
    pub is_open: bool,
    /// Current status text, such as `ok` or `Repair`; empty when the vehicle has no status.
    pub status: String,
    /// Whether the vehicle counts as inspected.
    #[serde(deserialize_with = "deserialize_sqlite_bool")]
    pub inspected: bool,
    /// Version of the vehicle; increases with every change of the vehicle.
    pub version: i64,
    /// Version of the vehicle at which the current content was first stored (content id). An undo restores old content together
    /// with the old content id.
    pub content: i64,
    /// Notes of operators and team leaders on the vehicle; fetched only if the call clears these notes, otherwise empty.
    pub operator_notes: String,
    /// Notes of supervisors on the vehicle; fetched only if the call clears these notes, otherwise empty.
    pub admin_notes: String,
    /// Whether supervisor notes remain on the vehicle, because the call clears only the notes of operators and team leaders.
    #[serde(deserialize_with = "deserialize_sqlite_bool")]
    pub keeps_notes: bool,
    /// Model code, the first part of the VIN.
    pub model_code: String,
    /// Serial number, the second part of the VIN.
    pub serial_number: String,
}

impl StatusChangeTarget {
    /// Returns the vehicle's VIN as shown to users: model code and serial number, separated by a space.
    #[must_use]
    pub fn vin(&self) -> String {
        format!("{} {}", self.model_code, self.serial_number)
    }

    /// Returns the vehicle's values before the status change, as a snapshot for a later undo.
    #[must_use]
    pub fn snapshot_before_change(&self) -> VehicleSnapshot {
        let non_empty = |notes: &String| Some(notes.clone()).filter(|notes| !notes.is_empty());
        VehicleSnapshot {
            id: self.id,
            version: self.version,
            content: self.content,
            status: Some(self.status.clone()),
            inspected: Some(self.inspected),
            operator_notes: non_empty(&self.operator_notes),
            admin_notes: non_empty(&self.admin_notes),
            parking_space: None,
            after: None, // the job names the new status, and cleared notes are empty
        }
    }
}

/// Returns the vehicles whose VINs match the given comparison keys (upper case, without blanks, hyphens and asterisks). Selects only
/// the columns that a status change needs; [`super::vehicle_lookup::find_by_vin_keys`] selects other columns of the same vehicles.
pub async fn find_status_change_targets(
    tx: &mut Tx<'_>,
    keys: &[&str],
    new: VehiclePatch<'_>,
    scope: VehicleLookupScope,
) -> Result<Vec<StatusChangeTarget>> {
    let held = scope.load_campaigns(tx).await?;
    let text = format!(
        concat!(
            "with asked as ({}) select a.place as asked, v.id, v.campaign_id, v.yard_id, c.gate = 'open' as is_open, v.status, v.inspected,
                v.version, ",
            content!(),
            " as content, case when $4 then v.operator_notes else '' end as operator_notes,
                case when $5 then v.admin_notes else '' end as admin_notes,
                $4 and not $5 and v.admin_notes <> '' as keeps_notes, v.model_code, v.serial_number",
            asked!(),
            " {}"
        ),
        dialect::unnest_texts_sql(tx.is_postgres()),
        lock_clause(tx, scope.locks_rows)
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    let (team, supervisor) = (new.operator_notes.is_some(), new.admin_notes.is_some());
    let mut found = rows!(
        tx,
        StatusChangeTarget,
        struct_field_names::<StatusChangeTarget>(),
        text,
        &keys,
        scope.campaign,
        scope.yard,
        team,
        supervisor
    )?;
    found.sort_unstable_by_key(|vehicle| vehicle.id);
    found.retain(|vehicle| held.has_campaign(vehicle.campaign_id));
    Ok(found)
}
