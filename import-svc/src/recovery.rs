//! Recovers orphaned imports, which are imports whose process died before the import ended. If the campaign of an orphaned import is
//! published, the import is marked as imported. Otherwise, the import is marked as failed and its draft campaign is discarded.
use crate::{
    active_imports::ActiveImports,
    error::Result,
    saga_clients::SagaClients,
    store::{self, HEARTBEAT_TIMEOUT, ImportFailureKind, RunningImport, rejected_workbooks},
};
use patio_kit::{
    auth::{identity::Caller, service_tokens::ServiceTokenSource},
    db::Db,
    service_host::ServiceHost,
    telemetry::{outage_tracker::OutageTracker, to_gauge_value},
};
use patio_proto::{access::Role, role};
use std::time::Duration;

/// Interval at which the recovery searches for orphaned imports, whose process died.
const RECOVERY_INTERVAL: Duration = Duration::from_secs(2);

/// Interval at which expired rejected workbooks are deleted.
const PURGE_INTERVAL: Duration = Duration::from_secs(3600);

/// Counts consecutive failures of the recovery, so that an outage is not logged at every attempt.
static OUTAGE: OutageTracker = OutageTracker::new();

/// Starts the background task that recovers orphaned imports, whose process died.
pub fn spawn_import_recovery(host: &ServiceHost, db: Db, running: ActiveImports) {
    let tokens = host.service_token_source("import-svc");
    let (tasks, host) = (host.tasks.clone(), host.clone());
    let searched = db.clone();
    searched.spawn_task_run_after_writes(&tasks, RECOVERY_INTERVAL, move || {
        let (host, db, running, tokens) = (host.clone(), db.clone(), running.clone(), tokens.clone());
        async move {
            let recovered = recover_all(&host, &db, &running, &tokens).await;
            let is_left = *recovered.as_ref().unwrap_or(&true);
            OUTAGE.log_result("recover orphaned imports", recovered.map(drop));
            is_left
        }
    });
}

/// Starts the background task that deletes expired rejected workbooks once an hour.
pub fn spawn_rejected_workbook_purge(host: &ServiceHost, db: Db) {
    let clock = host.clock.clone();
    host.tasks.spawn_repeating(PURGE_INTERVAL, move || {
        let (db, now) = (db.clone(), clock.now());
        async move {
            match rejected_workbooks::purge_expired(&db, now).await {
                Ok(count) => tracing::debug!(count, "deleted expired workbooks of rejected imports"),
                Err(cause) => tracing::warn!(%cause, "failed to delete expired workbooks of rejected imports, retrying in an hour"),
            }
        }
    });
}

/// Recovers orphaned imports, whose process died. A failure to recover one import does not stop the recovery of the others.
///
/// Returns `true` if at least one import was running on any replica when the recovery began, according to the database. The caller
/// then repeats the recovery after [`RECOVERY_INTERVAL`], because a running import may become orphaned. Otherwise, the caller waits
/// for the next write to the database or a longer timeout.
///
/// # Errors
/// Returns an error when the running imports cannot be listed, a service token cannot be obtained, or an import cannot be recovered. If
/// several imports cannot be recovered, returns the last error.
async fn recover_all(host: &ServiceHost, db: &Db, running: &ActiveImports, tokens: &ServiceTokenSource) -> Result<bool> {
    let all = store::list_running_imports(db).await?;
    let is_any_running = !all.is_empty();
    let silent_since = host.clock.now() - HEARTBEAT_TIMEOUT;
    let silent: Vec<_> = all.into_iter().filter(|import| import.seen_at < silent_since).collect();
    metrics::gauge!("patio_saga_backlog", "saga" => "orphaned-imports").set(to_gauge_value(silent.len()));
    let mut outcome = Ok(is_any_running);
    for lost in silent.into_iter().filter(|lost| !running.is_running(lost.id)) {
        let (import, steps) = (lost.id, SagaClients::new(&host.channels, tokens.call_context_as_service().await?));
        if let Err(cause) = recover_one(host, db, &steps, lost).await {
            tracing::debug!(import, %cause, "failed to recover an orphaned import, retrying");
            outcome = Err(cause);
        }
    }
    outcome
}

/// Ends one orphaned import: marks it as imported if its campaign was published, otherwise discards its draft campaign.
async fn recover_one(host: &ServiceHost, db: &Db, steps: &SagaClients, lost: RunningImport) -> Result<()> {
    let published = match lost.campaign_id {
        Some(campaign) => steps.find_published_campaign(campaign).await?,
        None => None,
    };
    let now = host.clock.now();
    if let Some(campaign) = published {
        // A retry that died has cleared the name and the number of vehicles of the row.
        store::record_draft_campaign(db, lost.id, (campaign.id, campaign.name), campaign.total_vehicles).await?;
        tracing::info!(import = lost.id, "orphaned import recorded as successful, its campaign was published before the process died");
        let caller = Caller {
            must_change_password: false,
            user_id: lost.user_id,
            role: role::parse(&lost.role).unwrap_or(Role::Manager),
            session_id: String::new(),
            issued_at: now,
            expires_at: now,
        };
        return Ok(store::record_success(db, lost.id, caller, now).await?);
    }
    tracing::info!(import = lost.id, "orphaned import recorded as failed, its process died during the import");
    if let Some(draft) = lost.campaign_id {
        steps.discard_draft(draft).await;
    }
    Ok(store::record_failure(db, lost.id, ImportFailureKind::Failed, 0, now).await?)
}
