//! Hourly maintenance of the database: deletion of expired revocations and lockout counters, and rotation of the signing key.
use crate::{error::Error, sign_in::SignInService, store::revocations, token_signing};

/// Deletes expired revocations, rotates the signing key when due, and deletes expired lockout counters.
///
/// The steps are independent: a failed step is logged and runs again an hour later, and the other steps still run.
pub async fn run_maintenance(service: &SignInService) {
    let (db, now) = (&service.db, service.clock.now());
    let purged = db.write(move |tx| Box::pin(async move { revocations::purge_expired_revocations(tx, now).await })).await;
    log_failure("delete expired revocations", purged);
    let rotated = token_signing::rotate_signing_key(db, &service.keys.sealing, now, service.signing_key_lifetime).await;
    log_failure("rotate the signing key", rotated);
    log_failure("delete expired lockout counters", service.lockout.purge_expired_counters().await);
}

fn log_failure(step: &'static str, outcome: Result<(), Error>) {
    if let Err(cause) = outcome {
        tracing::warn!(%cause, step, "hourly maintenance step failed, retrying in an hour");
    }
}
