//! Campaign as stored in the database, with its status and lifecycle state, and its conversion to protobuf.
use chrono::{DateTime, Utc};
use patio_kit::{campaign_progress_cache::CachedCampaignProgress, clock};
use patio_proto::{campaign as pb, campaign::CampaignStatus, status, vehicle::Gate};
use sqlx::FromRow;

/// Campaign as stored in the table `campaigns`.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Campaign {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub part: String,
    pub model_type: String,
    pub image: String,
    #[sqlx(try_from = "String")]
    pub status: StoredStatus,
    #[sqlx(try_from = "String")]
    pub state: CampaignLifecycle,
    pub created_by: i64,
    pub modified_by: Option<i64>,
    pub created_at: DateTime<Utc>,
    pub modified_at: DateTime<Utc>,
    /// Time of the latest of these events: creation, heartbeat from the import, publication, start of a sync to vehicle-svc, deletion.
    /// The sweeper, a background task, finds unfinished work by this time.
    pub touched_at: DateTime<Utc>,
    /// Revision number under which the campaign's name and write lock (whether saves are rejected) are sent to vehicle-svc. Each new
    /// sync increments the number first.
    pub revision: i64,
    /// Highest revision number of the campaign that vehicle-svc has acknowledged.
    pub synced_revision: i64,
    /// Revision number of the last applied milestone report from vehicle-svc. A milestone report says that the work on the vehicles has
    /// begun, is complete, or is incomplete again.
    pub turn_revision: i64,
    /// Due date: time by which all vehicles should be inspected. `None` when no due date is set.
    pub due_at: Option<DateTime<Utc>>,
}

/// Campaign status (Ready, Ongoing, Pending Review or Closed), converted from the text column of the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredStatus(pub CampaignStatus);

/// Lifecycle state of a campaign row; users see only campaigns in the state `Live`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CampaignLifecycle {
    /// Draft campaign of an import that is not finished.
    Draft,
    /// Published campaign, visible to users.
    Live,
    /// Tombstone: row of a deleted campaign or draft, kept until the vehicles are deleted in vehicle-svc.
    Deleting,
}

/// Error for an unknown text in the status column or the state column of a campaign.
#[derive(Debug, thiserror::Error)]
#[error("unknown value `{0}` in the `status` or `state` column of the table `campaigns`")]
pub struct InvalidColumnValue(String);

impl TryFrom<String> for StoredStatus {
    type Error = InvalidColumnValue;

    fn try_from(text: String) -> Result<Self, InvalidColumnValue> {
        status::parse_campaign_status(&text).map(Self).ok_or(InvalidColumnValue(text))
    }
}

impl TryFrom<String> for CampaignLifecycle {
    type Error = InvalidColumnValue;

    fn try_from(text: String) -> Result<Self, InvalidColumnValue> {
        match text.as_str() {
            "draft" => Ok(Self::Draft),
            "live" => Ok(Self::Live),
            "deleting" => Ok(Self::Deleting),
            _ => Err(InvalidColumnValue(text)),
        }
    }
}

impl Campaign {
    pub fn is_closed(&self) -> bool {
        self.status.0 == CampaignStatus::Closed
    }

    /// Returns `true` if vehicle-svc has not acknowledged the newest revision of the campaign.
    pub fn needs_sync_to_vehicle_svc(&self) -> bool {
        self.synced_revision < self.revision
    }

    /// Returns the write lock that vehicle-svc must apply to the campaign's vehicles. A Closed campaign has `Gate::Closed`, which
    /// rejects saves; any other campaign has `Gate::Open`, which allows saves.
    pub fn vehicle_write_gate(&self) -> Gate {
        if self.is_closed() { Gate::Closed } else { Gate::Open }
    }

    /// Returns the subject under which audit entries refer to the campaign: `campaign ID`.
    pub fn audit_subject(&self) -> String {
        format!("campaign {}", self.id)
    }

    /// Returns the editable text fields of the campaign, each with its name in the protobuf message.
    pub fn text_fields(&self) -> [(&'static str, &str); 5] {
        [
            ("name", &self.name),
            ("description", &self.description),
            ("image", &self.image),
            ("model_type", &self.model_type),
            ("part", &self.part),
        ]
    }
}

/// A campaign with its progress, which counts all vehicles and the inspected vehicles. Only vehicles that the caller may see are
/// counted.
#[derive(Debug, Clone)]
pub struct CampaignView {
    pub campaign: Campaign,
    /// Progress counters; `None` if vehicle-svc is unavailable and the counters are not cached.
    pub progress: Option<CachedCampaignProgress>,
    pub yard: Option<i32>,
}

impl From<CampaignView> for pb::Campaign {
    fn from(CampaignView { campaign, progress, yard }: CampaignView) -> Self {
        let progress_unknown = progress.is_none();
        let progress = progress.unwrap_or_default();
        Self {
            id: campaign.id,
            name: campaign.name,
            description: campaign.description,
            part: campaign.part,
            status: campaign.status.0.into(),
            id_yard: yard,
            image: campaign.image,
            model_type: campaign.model_type,
            created_by: campaign.created_by,
            modified_by: campaign.modified_by,
            created_at: Some(clock::to_timestamp(campaign.created_at)),
            modified_at: Some(clock::to_timestamp(campaign.modified_at)),
            next: progress.next,
            total_vehicles: progress.total,
            total_inspected: progress.inspected,
            progress_unknown,
            due_at: campaign.due_at.map(clock::to_timestamp),
        }
    }
}
