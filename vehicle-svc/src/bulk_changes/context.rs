//! Types shared by all bulk calls (calls that change many vehicles): the context, skip reasons, and the result of a status or
//! parking space change.
use crate::{
    bulk_changes::preview::AffectedValues,
    store::{counters::CampaignCounts, vehicle_lookup::VehicleLookupScope},
};
use chrono::{DateTime, Utc};
use patio_kit::auth::identity::Caller;
use patio_proto::vehicle::{Preview, StatusCount};

/// Maximum number of vehicles in one bulk call.
pub const MAX_VEHICLES_PER_CALL: usize = 50_000;

/// Context of a bulk call: caller, time, the campaign and yard to which the call is limited, and whether the call is a dry run.
#[derive(Debug, Clone)]
pub struct BulkCallContext {
    /// User or service that makes the bulk call.
    pub caller: Caller,
    /// Time at which the server received the bulk call; stored as the time of the change.
    pub now: DateTime<Utc>,
    /// Id of the campaign to which the bulk call is limited; `None` for all campaigns.
    pub campaign: Option<i64>,
    /// Id of the yard to which the bulk call is limited; `None` for all yards.
    pub yard: Option<i64>,
    /// Whether the bulk call only returns a preview and writes nothing (dry run).
    pub dry_run: bool,
    /// Maximum number of vehicles in the preview of a dry run.
    pub preview_limit: usize,
    /// IP address of the client, for the audit log.
    pub address: String,
}

impl BulkCallContext {
    /// Returns the scope in which the bulk call looks up vehicles: campaign, yard, and whether to lock the rows of the vehicles. A dry
    /// run locks no rows.
    #[must_use]
    pub fn vehicle_lookup_scope(&self) -> VehicleLookupScope {
        VehicleLookupScope { campaign: self.campaign, yard: self.yard, locks_rows: !self.dry_run }
    }
}

/// Reason why a bulk call leaves a vehicle unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SkipReason {
    /// The campaign of the vehicle is closed.
    CampaignClosed,
    /// The requested VIN fits vehicles with different model codes. For example, `BG30001` without a blank fits both `BG3 0001` and `BG30
    /// 001`. A VIN is also ambiguous if two request lines contain the VIN with different model codes.
    AmbiguousVin,
    /// The vehicle already has the requested status.
    SameStatus,
    /// The call clears the status, but the vehicle has no status.
    NoStatus,
    /// The vehicle is already in the requested parking space.
    SameSpace,
}

impl SkipReason {
    /// Returns the machine-readable code of the reason, such as `CAMPAIGN_CLOSED`.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::CampaignClosed => "CAMPAIGN_CLOSED",
            Self::AmbiguousVin => "AMBIGUOUS_VIN",
            Self::SameStatus => "SAME_STATUS",
            Self::NoStatus => "NO_STATUS",
            Self::SameSpace => "SAME_SPACE",
        }
    }

    /// Returns the reason as text for the user.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::CampaignClosed => "campaign closed",
            Self::AmbiguousVin => "two vehicles have this VIN: type a space between model code and serial number",
            Self::SameStatus => "already has this status",
            Self::NoStatus => "no status to remove",
            Self::SameSpace => "already in this space",
        }
    }
}

/// Result of a bulk change of status or parking space. For a dry run, the planned result.
#[derive(Debug, Clone, Default)]
pub struct BulkChangeResult {
    /// Number of vehicles that match the requested VINs.
    pub matched: usize,
    /// Number of changed vehicles. For a dry run: number of vehicles that the bulk call would otherwise change.
    pub updated: usize,
    /// VINs of the vehicles left unchanged, each with the reason.
    pub skipped: Vec<(String, SkipReason)>,
    /// Requested VINs without a matching vehicle. If the call is limited to a campaign or yard, only vehicles in this campaign or yard can
    /// match. If the request contains the model code, only vehicles with this model code can match.
    pub not_found: Vec<String>,
    /// Planned changes of up to `preview_limit` vehicles in a dry run; otherwise empty.
    pub preview: Vec<Preview>,
    /// Vehicles whose status the change replaces or removes, counted by their present status, in a dry run; otherwise empty.
    pub replaced_statuses: Vec<StatusCount>,
    /// Number of vehicles to change that have an open conflict, in a dry run; otherwise 0.
    pub open_conflicts: usize,
    /// Warnings for the user, one sentence each.
    pub warnings: Vec<String>,
    /// Vehicle counters of each changed campaign after the call.
    pub campaign_counts: Vec<CampaignCounts>,
}

impl BulkChangeResult {
    /// Adds the replaced statuses and the number of open conflicts of the vehicles that a dry run would change.
    #[must_use]
    pub fn with_affected_values(self, affected: AffectedValues) -> Self {
        Self { open_conflicts: affected.in_conflict.len(), replaced_statuses: affected.replaced_statuses, ..self }
    }
}
