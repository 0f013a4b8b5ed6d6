//! Database table of imports. The upload id is unique, so that a repeated upload does not import the file twice.
pub mod cancellation;
pub mod rejected_workbooks;

use crate::active_imports::ActiveImports;
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    audit,
    auth::identity::Caller,
    db::{Db, Tx},
    on,
};
use patio_proto::role;
use serde_json::json;
use sqlx::{Error, FromRow, query, query_as, query_scalar};

/// Heartbeat timeout: a running import without a heartbeat for this long counts as orphaned, unless the import runs in this process.
///
/// The timeout is ten heartbeat intervals long. With a shorter timeout, the draft of a running import could be discarded on an overloaded
/// machine, where heartbeats are late.
pub const HEARTBEAT_TIMEOUT: TimeDelta = TimeDelta::seconds(20);

/// One attempt to import a file.
#[derive(Debug, Clone)]
pub struct ImportAttempt {
    /// Upload id that the client chose; a repeated upload of the file has the same id.
    pub upload_id: String,
    /// Name of the uploaded file from the client.
    pub file_name: String,
    /// SHA-256 of the file content, in hexadecimal.
    pub digest: String,
    /// The user who imports the file.
    pub caller: Caller,
    /// IP address of the user's client, for the audit log.
    pub address: String,
    /// Start time of the import attempt.
    pub at: DateTime<Utc>,
}

/// Outcome of the request to begin an import attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BeginAttemptResult {
    /// The attempt has started and may import the file.
    Started {
        /// Id of the import in the database.
        id: i64,
        /// Id of the campaign that an earlier attempt created; `None` if no earlier attempt created a campaign. If the campaign is
        /// still a draft, the draft must be discarded before the file is imported again.
        leftover: Option<i64>,
    },
    /// The same file was already imported under this upload id.
    AlreadyImported {
        /// Id of the imported campaign.
        campaign_id: i64,
        /// Number of imported vehicles.
        vehicles: i64,
    },
    /// Another attempt with this upload id is running.
    Running,
    /// The upload id belongs to another user, or a different file was already imported under this upload id.
    UploadIdReused,
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

/// Outcome of an import that ended without a published campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFailureKind {
    /// The file was rejected, for example because of invalid rows.
    Rejected,
    /// The import failed although the file was not rejected, for example because another service failed.
    Failed,
    /// The uploader cancelled the import or disconnected, or the service was shutting down.
    Cancelled,
}

impl ImportFailureKind {
    /// Returns the outcome as the text that is stored in the database and used in the metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rejected => "rejected",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Begins an attempt to import a file. Starts no attempt if the upload id already belongs to another user, to a running attempt, or to an
/// imported file.
pub async fn begin_import_attempt(db: &Db, attempt: ImportAttempt, running: ActiveImports) -> Result<BeginAttemptResult, Error> {
    let begun = db.write(move |tx| Box::pin(async move { begin_in(tx, &attempt, &running).await })).await;
    match begun {
        // Two attempts with one upload id began at the same time, and the other one was first.
        Err(cause) if patio_kit::errors::is_unique_violation(&cause) => Ok(BeginAttemptResult::Running),
        begun => begun,
    }
}

async fn begin_in(tx: &mut Tx<'_>, attempt: &ImportAttempt, running: &ActiveImports) -> Result<BeginAttemptResult, Error> {
    let earlier: Option<Earlier> = on!(tx.connection(), c => query_as(
        "select id, digest, user_id, outcome, seen_at, campaign_id, vehicles from imports where upload_id = $1")
        .bind(&attempt.upload_id).fetch_optional(c).await)?;
    let Some(earlier) = earlier else {
        return Ok(BeginAttemptResult::Started { id: insert(tx, attempt).await?, leftover: None });
    };
    match earlier.outcome.as_str() {
        _ if earlier.user_id != attempt.caller.user_id => Ok(BeginAttemptResult::UploadIdReused),
        "imported" if earlier.digest != attempt.digest => Ok(BeginAttemptResult::UploadIdReused),
        "imported" => {
            Ok(BeginAttemptResult::AlreadyImported { campaign_id: earlier.campaign_id.unwrap_or_default(), vehicles: earlier.vehicles })
        }
        "running" if running.is_running(earlier.id) || earlier.seen_at > attempt.at - HEARTBEAT_TIMEOUT => Ok(BeginAttemptResult::Running),
        _ if again(tx, attempt, &earlier).await? => Ok(BeginAttemptResult::Started { id: earlier.id, leftover: earlier.campaign_id }),
        _ => Ok(BeginAttemptResult::Running),
    }
}

async fn insert(tx: &mut Tx<'_>, attempt: &ImportAttempt) -> Result<i64, Error> {
    on!(tx.connection(), c => query_scalar(
        "insert into imports (upload_id, file_name, digest, user_id, role, address, started_at, seen_at, outcome)
         values ($1, $2, $3, $4, $5, $6, $7, $7, 'running') returning id")
        .bind(&attempt.upload_id).bind(&attempt.file_name).bind(&attempt.digest).bind(attempt.caller.user_id)
        .bind(role::role_text(attempt.caller.role)).bind(&attempt.address).bind(attempt.at)
        .fetch_one(c).await)
}

/// Restarts an import whose earlier attempt ended without success, or whose process died. Returns `false` if another attempt has already
/// restarted the import.
///
/// The database row keeps the campaign id of the earlier attempt, because this campaign may have been published before the process died.
async fn again(tx: &mut Tx<'_>, attempt: &ImportAttempt, earlier: &Earlier) -> Result<bool, Error> {
    let changed = on!(tx.connection(), c => query(
        "update imports set file_name = $2, digest = $3, role = $4, address = $5, started_at = $6, seen_at = $6,
                ended_at = null, outcome = 'running', campaign_name = '', vehicles = 0, errors = 0, cancel = false
          where id = $1 and outcome = $7 and seen_at = $8")
        .bind(earlier.id).bind(&attempt.file_name).bind(&attempt.digest).bind(role::role_text(attempt.caller.role))
        .bind(&attempt.address).bind(attempt.at).bind(&earlier.outcome).bind(earlier.seen_at)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(changed == 1)
}

/// Records a heartbeat, which shows that an import is still running.
pub async fn record_heartbeat(db: &Db, id: i64, at: DateTime<Utc>) -> Result<(), Error> {
    db.write(move |tx| Box::pin(async move {
        on!(tx.connection(), c => query("update imports set seen_at = $2 where id = $1 and outcome = 'running'").bind(id).bind(at).execute(c).await.map(drop))
    })).await
}

/// Records the draft campaign that an import created: its id, its name and its number of vehicles.
pub async fn record_draft_campaign(db: &Db, id: i64, campaign: (i64, String), vehicles: i64) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            on!(tx.connection(), c => query("update imports set campaign_id = $2, campaign_name = $3, vehicles = $4 where id = $1")
            .bind(id).bind(campaign.0).bind(campaign.1).bind(vehicles).execute(c).await.map(drop))
        })
    })
    .await
}

/// Records the outcome of an import that ended without a published campaign.
pub async fn record_failure(db: &Db, id: i64, outcome: ImportFailureKind, errors: i64, at: DateTime<Utc>) -> Result<(), Error> {
    db.write(move |tx| Box::pin(async move {
        on!(tx.connection(), c => query("update imports set outcome = $2, errors = $3, ended_at = $4, seen_at = $4 where id = $1 and outcome = 'running'")
            .bind(id).bind(outcome.as_str()).bind(errors).bind(at).execute(c).await.map(drop))
    })).await
}

/// Values from the database row of an import that the audit event of a successful import needs.
#[derive(Debug, Clone, FromRow)]
struct SuccessfulImport {
    campaign_id: Option<i64>,
    campaign_name: String,
    file_name: String,
    vehicles: i64,
    address: String,
}

/// Marks an import as imported and appends the audit event. A repeated call has no effect.
pub async fn record_success(db: &Db, id: i64, caller: Caller, at: DateTime<Utc>) -> Result<(), Error> {
    db.write(move |tx| {
        Box::pin(async move {
            let import: Option<SuccessfulImport> = on!(tx.connection(), c => query_as(
            "update imports set outcome = 'imported', errors = 0, ended_at = $2, seen_at = $2
              where id = $1 and outcome = 'running'
              returning campaign_id, campaign_name, file_name, vehicles, address")
            .bind(id).bind(at).fetch_optional(c).await)?;
            match import {
                Some(import) => audit::append(tx, at, Some(&caller), import.into_event()).await,
                None => Ok(()),
            }
        })
    })
    .await
}

impl SuccessfulImport {
    fn into_event(self) -> audit::AuditEvent {
        let campaign = self.campaign_id.unwrap_or_default();
        audit::AuditEvent {
            kind: "campaign-imported",
            subject: format!("campaign {campaign}"),
            summary: format!("imported {} with {} vehicles from {}", self.campaign_name, self.vehicles, self.file_name),
            old: None,
            new: Some(json!({ "name": self.campaign_name, "vehicles": self.vehicles, "file_name": self.file_name })),
            address: self.address,
        }
    }
}

/// Import that the database lists as running. An old `seen_at` means that the process of the import died.
#[derive(Debug, Clone, PartialEq, Eq, FromRow)]
pub struct RunningImport {
    /// Id of the import in the database.
    pub id: i64,
    /// Id of the user who started the import.
    pub user_id: i64,
    /// Role of the user at the time of the import, as text.
    pub role: String,
    /// Id of the draft campaign that the import created; `None` if the import has not created a draft campaign yet.
    pub campaign_id: Option<i64>,
    /// Time of the last heartbeat of the import's process.
    pub seen_at: DateTime<Utc>,
}

/// Returns up to 100 imports that the database lists as running. Imports with the oldest heartbeat come first.
pub async fn list_running_imports(db: &Db) -> Result<Vec<RunningImport>, Error> {
    on!(db.read_pool(), c => query_as(
        "select id, user_id, role, campaign_id, seen_at from imports where outcome = 'running' order by seen_at limit 100")
        .fetch_all(c).await)
}
