//! The history of imports, which is also what makes a repeated upload one import.
pub mod cancelling;
pub mod rejected;

use crate::running::Running;
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit,
    db::{Db, Tx},
    identity::Caller,
    on,
};
use patio_proto::role;
use serde_json::json;
use sqlx::{Error, FromRow, query, query_as, query_scalar};

/// A running import that is silent for so long has died, unless it runs in this process.
///
/// Ten signs of life: on a machine that has too much to do some come late, and who is taken for dead loses all that was done.
pub const QUIET: TimeDelta = TimeDelta::seconds(20);

/// One try to import a file.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// Chosen by the client, the same on every try.
    pub upload_id: String,
    /// As the client named it.
    pub file_name: String,
    /// Of the file's bytes.
    pub digest: String,
    /// Who imports.
    pub caller: Caller,
    /// From where.
    pub address: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// What a try finds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Begun {
    /// It may go on.
    Fresh {
        /// The import's own id.
        id: i64,
        /// The draft of an earlier try that did not end well.
        leftover: Option<i64>,
    },
    /// The same file has been imported under this id.
    Done {
        /// What became of it.
        campaign_id: i64,
        /// How many there were.
        vehicles: i64,
    },
    /// Another try is under way.
    Running,
    /// The id is somebody else's, or another file's.
    Foreign,
}

#[derive(FromRow)]
struct Earlier {
    id: i64,
    digest: String,
    user_id: i64,
    outcome: String,
    seen_at: DateTime<Utc>,
    campaign_id: Option<i64>,
    vehicles: i64,
}

/// How an import ended that brought nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The file was refused.
    Rejected,
    /// Something of ours did not work.
    Failed,
    /// The person gave it up.
    Cancelled,
}

impl Outcome {
    fn text(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Begins a try, unless the upload is done or under way.
pub async fn begin(db: &Db, attempt: Attempt, running: Running) -> Result<Begun, Error> {
    let begun = db.write(move |tx| Box::pin(async move { begin_in(tx, &attempt, &running).await })).await;
    match begun {
        // Two tries came at once; the other one was first.
        Err(cause) if patio_kit::errors::is_duplicate(&cause) => Ok(Begun::Running),
        begun => begun,
    }
}

async fn begin_in(tx: &mut Tx<'_>, attempt: &Attempt, running: &Running) -> Result<Begun, Error> {
    let earlier: Option<Earlier> = on!(tx.on(), c => query_as(
        "select id, digest, user_id, outcome, seen_at, campaign_id, vehicles from imports where upload_id = $1")
        .bind(&attempt.upload_id).fetch_optional(c).await)?;
    let Some(earlier) = earlier else {
        return Ok(Begun::Fresh { id: insert(tx, attempt).await?, leftover: None });
    };
    match earlier.outcome.as_str() {
        _ if earlier.user_id != attempt.caller.user_id => Ok(Begun::Foreign),
        "imported" if earlier.digest != attempt.digest => Ok(Begun::Foreign),
        "imported" => Ok(Begun::Done { campaign_id: earlier.campaign_id.unwrap_or_default(), vehicles: earlier.vehicles }),
        "running" if running.has(earlier.id) || earlier.seen_at > attempt.at - QUIET => Ok(Begun::Running),
        _ if again(tx, attempt, &earlier).await? => Ok(Begun::Fresh { id: earlier.id, leftover: earlier.campaign_id }),
        _ => Ok(Begun::Running),
    }
}

async fn insert(tx: &mut Tx<'_>, attempt: &Attempt) -> Result<i64, Error> {
    on!(tx.on(), c => query_scalar(
        "insert into imports (upload_id, file_name, digest, user_id, role, address, started_at, seen_at, outcome)
         values ($1, $2, $3, $4, $5, $6, $7, $7, 'running') returning id")
        .bind(&attempt.upload_id).bind(&attempt.file_name).bind(&attempt.digest).bind(attempt.caller.user_id)
        .bind(role::text(attempt.caller.role)).bind(&attempt.address).bind(attempt.at)
        .fetch_one(c).await)
}

/// Begins anew what ended without a campaign; false when another try was faster.
async fn again(tx: &mut Tx<'_>, attempt: &Attempt, earlier: &Earlier) -> Result<bool, Error> {
    let changed = on!(tx.on(), c => query(
        "update imports set file_name = $2, digest = $3, role = $4, address = $5, started_at = $6, seen_at = $6,
                ended_at = null, outcome = 'running', campaign_id = null, campaign_name = '', vehicles = 0, errors = 0, cancel = false
          where id = $1 and outcome = $7 and seen_at = $8")
        .bind(earlier.id).bind(&attempt.file_name).bind(&attempt.digest).bind(role::text(attempt.caller.role))
        .bind(&attempt.address).bind(attempt.at).bind(&earlier.outcome).bind(earlier.seen_at)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Takes a sign of life.
pub async fn seen(db: &Db, id: i64, at: DateTime<Utc>) -> Result<(), Error> {
    db.write(move |tx| Box::pin(async move {
        on!(tx.on(), c => query("update imports set seen_at = $2 where id = $1 and outcome = 'running'").bind(id).bind(at).execute(c).await.map(drop))
    })).await
}

/// Takes note of the draft an import has made.
pub async fn drafted(db: &Db, id: i64, campaign: (i64, String), vehicles: i64) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.on(), c => query("update imports set campaign_id = $2, campaign_name = $3, vehicles = $4 where id = $1")
            .bind(id).bind(campaign.0).bind(campaign.1).bind(vehicles).execute(c).await.map(drop))
        })
    })
    .await
}

/// Ends an import that brought nothing.
pub async fn ended(db: &Db, id: i64, outcome: Outcome, errors: i64, at: DateTime<Utc>) -> Result<(), Error> {
    db.write(move |tx| Box::pin(async move {
        on!(tx.on(), c => query("update imports set outcome = $2, errors = $3, ended_at = $4, seen_at = $4 where id = $1 and outcome = 'running'")
            .bind(id).bind(outcome.text()).bind(errors).bind(at).execute(c).await.map(drop))
    })).await
}

/// What is told of an import when it has become a campaign.
#[derive(Debug, Clone, FromRow)]
struct Told {
    campaign_id: Option<i64>,
    campaign_name: String,
    file_name: String,
    vehicles: i64,
    address: String,
}

/// Ends an import that became a campaign, with the entry in the audit log; again does nothing.
pub async fn imported(db: &Db, id: i64, caller: Caller, at: DateTime<Utc>) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            let told: Option<Told> = on!(tx.on(), c => query_as(
            "update imports set outcome = 'imported', errors = 0, ended_at = $2, seen_at = $2
              where id = $1 and outcome = 'running'
              returning campaign_id, campaign_name, file_name, vehicles, address")
            .bind(id).bind(at).fetch_optional(c).await)?;
            match told {
                Some(told) => audit::append(tx, at, Some(&caller), told.into_event()).await,
                None => Ok(()),
            }
        })
    })
    .await
}

impl Told {
    fn into_event(self) -> audit::Event {
        let campaign = self.campaign_id.unwrap_or_default();
        audit::Event {
            kind: "campaign-imported",
            subject: format!("campaign {campaign}"),
            summary: format!("imported {} with {} vehicles from {}", self.campaign_name, self.vehicles, self.file_name),
            old: None,
            new: Some(json!({ "name": self.campaign_name, "vehicles": self.vehicles, "file_name": self.file_name })),
            address: self.address,
        }
    }
}

/// An import whose process died.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct Lost {
    /// The import's own id.
    pub id: i64,
    /// Who imported.
    pub user_id: i64,
    /// As what.
    pub role: String,
    /// The draft it had made, if it came so far.
    pub campaign_id: Option<i64>,
}

/// Lists imports that have been silent since before a moment.
pub async fn lost(db: &Db, since: DateTime<Utc>) -> Result<Vec<Lost>, Error> {
    on!(db.read(), c => query_as("select id, user_id, role, campaign_id from imports where outcome = 'running' and seen_at < $1 order by id limit 100")
        .bind(since).fetch_all(c).await)
}
