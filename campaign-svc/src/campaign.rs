//! One campaign as this service knows it.
use chrono::{DateTime, Utc};
use patio_kit::{clock, progress::Progress};
use patio_proto::{campaign as pb, campaign::CampaignStatus, status, vehicle::Gate};
use sqlx::FromRow;

/// A campaign's row.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Campaign {
    pub id: i64,
    pub name: String,
    pub description: String,
    pub part: String,
    pub model_type: String,
    pub image: String,
    #[sqlx(try_from = "String")]
    pub status: Standing,
    #[sqlx(try_from = "String")]
    pub state: State,
    pub created_by: i64,
    pub modified_by: Option<i64>,
    pub created_at: DateTime<Utc>,
    pub modified_at: DateTime<Utc>,
    /// The last sign of life of whoever imports, tells vehicle-svc or deletes.
    pub touched_at: DateTime<Utc>,
    /// Grows whenever vehicle-svc has to be told something.
    pub revision: i64,
    /// The last revision that vehicle-svc acknowledged.
    pub synced_revision: i64,
    /// The last report of vehicle-svc that was taken note of.
    pub turn_revision: i64,
}

/// A status as the database spells it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing(pub CampaignStatus);

/// Where a row is in its life; only a live one is seen by people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// Being imported.
    Draft,
    /// A campaign.
    Live,
    /// A tombstone: its vehicles are being removed.
    Deleting,
}

/// A text of the database that stands for nothing.
#[derive(Debug, thiserror::Error)]
#[error("`{0}` is neither a status nor a state of a campaign")]
pub struct Unknown(String);

impl TryFrom<String> for Standing {
    type Error = Unknown;

    fn try_from(text: String) -> Result<Self, Unknown> {
        status::parse_campaign(&text).map(Self).ok_or(Unknown(text))
    }
}

impl TryFrom<String> for State {
    type Error = Unknown;

    fn try_from(text: String) -> Result<Self, Unknown> {
        match text.as_str() {
            "draft" => Ok(Self::Draft),
            "live" => Ok(Self::Live),
            "deleting" => Ok(Self::Deleting),
            _ => Err(Unknown(text)),
        }
    }
}

impl Campaign {
    pub fn is_closed(&self) -> bool {
        self.status.0 == CampaignStatus::Closed
    }

    /// Whether vehicle-svc knows less than is stored here.
    pub fn is_untold(&self) -> bool {
        self.synced_revision < self.revision
    }

    /// Whether its vehicles take saves.
    pub fn gate(&self) -> Gate {
        if self.is_closed() { Gate::Closed } else { Gate::Open }
    }

    /// How the audit log names it.
    pub fn subject(&self) -> String {
        format!("campaign {}", self.id)
    }

    /// The texts that people edit, by the names the contract gives them.
    pub fn texts(&self) -> [(&'static str, &str); 5] {
        [
            ("name", &self.name),
            ("description", &self.description),
            ("image", &self.image),
            ("model_type", &self.model_type),
            ("part", &self.part),
        ]
    }
}

/// A campaign with its counters, as a caller sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    pub campaign: Campaign,
    pub progress: Progress,
    pub yard: Option<i32>,
}

impl From<Seen> for pb::Campaign {
    fn from(Seen { campaign, progress, yard }: Seen) -> Self {
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
            created_at: Some(clock::timestamp(campaign.created_at)),
            modified_at: Some(clock::timestamp(campaign.modified_at)),
            next: progress.next,
            total_vehicles: progress.total,
            total_inspected: progress.inspected,
        }
    }
}
