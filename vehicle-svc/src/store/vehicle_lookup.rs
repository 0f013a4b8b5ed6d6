//! Lookup of the vehicles for a bulk call, by VIN or id, optionally with row locks until the commit.
use crate::{
    parking_space::ParkingSpace,
    store::{
        dialect,
        json_rows::{deserialize_sqlite_bool, rows, struct_field_names},
    },
};
use patio_kit::{db::Tx, on};
use patio_proto::vin::Vin;
use serde::Deserialize;
use sqlx::{AssertSqlSafe, FromRow, query_as};
use std::{collections::HashMap, sync::Arc};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle found by a bulk call, with the columns that were requested.
#[derive(Debug, Clone, FromRow, Deserialize)]
pub struct FoundVehicle {
    /// Position of the matching VIN in the request, counted from 1; 0 for a lookup by id.
    pub asked: i64,
    /// Id of the found vehicle.
    pub id: i64,
    /// Id of the vehicle's campaign.
    pub campaign_id: i64,
    /// Name of the vehicle's campaign, and whether the campaign is open. All vehicles of a campaign share one allocation.
    #[sqlx(skip)]
    #[serde(skip)]
    pub campaign: Arc<VisibleCampaign>,
    /// Id of the yard; `None` when the parking space belongs to no yard.
    pub yard_id: Option<i64>,
    /// Status text, such as `ok` or `Repair`; empty when the vehicle has no status.
    pub status: String,
    /// Whether the vehicle counts as inspected.
    #[serde(deserialize_with = "deserialize_sqlite_bool")]
    pub inspected: bool,
    /// Version of the vehicle; increases with every change of the vehicle.
    pub version: i64,
    /// Version of the vehicle at which the current content was first stored (content id). An undo restores old content together
    /// with the old content id.
    pub content: i64,
    /// Model code, the first part of the VIN; empty when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub model_code: String,
    /// Serial number, the second part of the VIN; empty when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub serial_number: String,
    /// Parking space of the vehicle in normalized spelling; `None` when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub parking_space: Option<String>,
    /// Name of the group under which lists show the parking space; `None` when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub yard_group: Option<String>,
    /// Sort key of the walking order (natural order of parking spaces); `None` when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub walk_key: Option<String>,
    /// Notes of operators and team leaders on the vehicle; `None` when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub operator_notes: Option<String>,
    /// Notes of supervisors on the vehicle; `None` when not requested.
    #[sqlx(default)]
    #[serde(default)]
    pub admin_notes: Option<String>,
}

/// Number of leading fields of [`FoundVehicle`] that every lookup fetches.
const ALWAYS_FETCHED: usize = 8;

impl FoundVehicle {
    /// Returns the vehicle's VIN as shown to users: model code and serial number, separated by a space.
    #[must_use]
    pub fn vin(&self) -> String {
        format!("{} {}", self.model_code, self.serial_number)
    }

    /// Returns the vehicle's VIN: model code and serial number.
    #[must_use]
    pub fn to_vin(&self) -> Vin {
        Vin { model_code: self.model_code.clone(), serial_number: self.serial_number.clone() }
    }

    /// Returns the parking space with its yard, its group (heading in lists) and its sort key in walking order; `None` when not
    /// requested.
    #[must_use]
    pub fn parking_space(&self) -> Option<ParkingSpace> {
        let (space, group, walk_key) = (self.parking_space.clone()?, self.yard_group.clone()?, self.walk_key.clone()?);
        Some(ParkingSpace { space, yard_id: self.yard_id, group, walk_key })
    }
}

/// Selection of the columns that a vehicle lookup fetches only on request. A lookup that fetches all long texts takes twice as long.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OptionalVehicleColumns {
    /// Whether to fetch model code and serial number; both are also fetched when any other column is selected.
    pub identifier: bool,
    /// Whether to fetch the parking space with its group (heading under which lists show it) and its sort key in walking order.
    pub place: bool,
    /// Whether to fetch the notes of operators and team leaders.
    pub operator_notes: bool,
    /// Whether to fetch the notes of supervisors.
    pub admin_notes: bool,
}

/// SQL for a vehicle's content id: the version in which the vehicle's current content was first stored.
macro_rules! content {
    () => {
        "case when v.restored_version = v.version then v.content else v.version end"
    };
}
pub(super) use content;

impl OptionalVehicleColumns {
    /// Selection of all optional columns.
    const ALL: Self = Self { identifier: true, place: true, operator_notes: true, admin_notes: true };

    /// Returns the names of the [`FoundVehicle`] fields that a lookup with this selection fetches.
    fn fields(self) -> &'static [&'static str] {
        let all = struct_field_names::<FoundVehicle>();
        if self == Self::default() { &all[..ALWAYS_FETCHED] } else { all }
    }

    /// Returns the SQL columns of a lookup in the order of the fields of [`FoundVehicle`], without the first column `asked`. A column
    /// that was not requested is null.
    fn columns(self) -> String {
        let mut columns =
            concat!("v.id, v.campaign_id, v.yard_id, v.status, v.inspected, v.version, ", content!(), " as content").to_owned();
        for name in self.fields().iter().skip(ALWAYS_FETCHED) {
            let wanted = match *name {
                "operator_notes" => self.operator_notes,
                "admin_notes" => self.admin_notes,
                "model_code" | "serial_number" => true,
                _ => self.place,
            };
            columns += &if wanted { format!(", v.{name}") } else { format!(", cast(null as text) as {name}") };
        }
        columns
    }
}

/// SQL joins and conditions that find vehicles of open and closed campaigns by VIN. The table `asked` contains the comparison keys of
/// the VINs. The search is limited to the campaign with the id `$2` and the yard with the id `$3`; null means no limit.
macro_rules! asked {
    () => {
        " from vehicles v join asked a on a.word = v.vin_key join campaigns c on c.id = v.campaign_id
          where c.gate in ('open', 'closed') and (cast($2 as bigint) is null or v.campaign_id = $2)
            and (cast($3 as bigint) is null or v.yard_id = $3)"
    };
}
pub(super) use asked;

/// Campaign and yard to which a vehicle lookup is limited, and whether the lookup locks the found rows.
#[derive(Debug, Clone, Copy)]
pub struct VehicleLookupScope {
    /// Id of the campaign to which the lookup is limited; `None` for all campaigns.
    pub campaign: Option<i64>,
    /// Id of the yard to which the lookup is limited; `None` for all yards.
    pub yard: Option<i64>,
    /// Whether the found vehicles stay locked until the commit.
    pub locks_rows: bool,
}

/// Name of an open or closed campaign, and whether the campaign is open.
#[derive(Debug, Default, FromRow)]
pub struct VisibleCampaign {
    id: i64,
    /// Name of the campaign, for previews and error messages.
    pub name: String,
    /// Whether the campaign accepts changes of its vehicles.
    pub is_open: bool,
}

/// Visible campaigns (open or closed, not drafts or removed), by id. A campaign that becomes visible after the vehicle lookup began
/// is not included.
#[derive(Debug)]
pub(super) struct VisibleCampaigns(HashMap<i64, Arc<VisibleCampaign>>);

impl VisibleCampaigns {
    /// Returns `true` when the campaign was already open or closed at the start of the lookup.
    pub(super) fn has_campaign(&self, campaign: i64) -> bool {
        self.0.contains_key(&campaign)
    }

    /// Returns the vehicles in `found` whose campaign is open or closed, sorted by id. Fills in the campaign of each returned
    /// vehicle.
    fn with_campaigns(&self, mut found: Vec<FoundVehicle>) -> Vec<FoundVehicle> {
        found.sort_unstable_by_key(|vehicle| vehicle.id);
        found.retain_mut(|vehicle| match self.0.get(&vehicle.campaign_id) {
            Some(campaign) => {
                vehicle.campaign = campaign.clone();
                true
            }
            None => false,
        });
        found
    }
}

impl VehicleLookupScope {
    /// Loads the open and closed campaigns in the scope of the lookup: one campaign or all. If the lookup locks vehicles, also locks
    /// these campaigns, so that no campaign is opened or closed before the commit.
    pub(super) async fn load_campaigns(self, tx: &mut Tx<'_>) -> Result<VisibleCampaigns> {
        let text = format!(
            "select id, name, gate = 'open' as is_open from campaigns
              where gate in ('open', 'closed') and (cast($1 as bigint) is null or id = $1) order by id {}",
            dialect::choose_dialect_sql(tx.is_postgres() && self.locks_rows, "", "for key share")
        );
        let seen: Vec<VisibleCampaign> = on!(tx.connection(), c => query_as(AssertSqlSafe(text)).bind(self.campaign).fetch_all(c).await)?;
        Ok(VisibleCampaigns(seen.into_iter().map(|campaign| (campaign.id, Arc::new(campaign))).collect()))
    }
}

/// Returns the SQL clause that locks vehicles until the commit, in the order of their ids to avoid deadlocks. On
/// `SQLite`, which has only one writer, the clause is empty.
pub(super) fn lock_clause(tx: &Tx<'_>, locks_rows: bool) -> &'static str {
    dialect::choose_dialect_sql(tx.is_postgres() && locks_rows, "", "order by v.id for no key update of v")
}

/// Returns the vehicles of open and closed campaigns whose VINs match the given comparison keys (upper case, without blanks, hyphens
/// and asterisks), sorted by id.
pub async fn find_by_vin_keys(
    tx: &mut Tx<'_>,
    keys: &[&str],
    wanted: OptionalVehicleColumns,
    scope: VehicleLookupScope,
) -> Result<Vec<FoundVehicle>> {
    let held = scope.load_campaigns(tx).await?;
    let text = format!(
        concat!("with asked as ({}) select a.place as asked, {}", asked!(), " {}"),
        dialect::unnest_texts_sql(tx.is_postgres()),
        wanted.columns(),
        lock_clause(tx, scope.locks_rows)
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    Ok(held.with_campaigns(rows!(tx, FoundVehicle, wanted.fields(), text, &keys, scope.campaign, scope.yard)?))
}

/// Returns the vehicles with the given ids in open and closed campaigns, sorted by id. If `locks_rows` is true, the
/// vehicles (but not their campaigns) stay locked until the commit.
pub async fn list_by_ids(tx: &mut Tx<'_>, ids: &[i64], locks_rows: bool) -> Result<Vec<FoundVehicle>> {
    let held = VehicleLookupScope { campaign: None, yard: None, locks_rows: false }.load_campaigns(tx).await?;
    let text = format!(
        "select cast(0 as bigint) as asked, {} from vehicles v join campaigns c on c.id = v.campaign_id
          where v.id {} and c.gate in ('open', 'closed') {}",
        OptionalVehicleColumns::ALL.columns(),
        dialect::json_array_contains_sql(tx.is_postgres()),
        lock_clause(tx, locks_rows)
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    Ok(held.with_campaigns(rows!(tx, FoundVehicle, OptionalVehicleColumns::ALL.fields(), text, &ids)?))
}
