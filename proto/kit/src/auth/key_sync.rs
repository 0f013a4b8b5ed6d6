//! Background task that loads signing keys and revocations from auth-svc, and reports the activity of sessions to auth-svc.
use crate::{
    auth::{identity::TokenVerifier, service_tokens::ServiceTokenSource},
    client::service_channel::ServiceChannel,
    lifecycle::BackgroundTasks,
};
use patio_proto::auth::{
    GetSigningKeysRequest, ListRevocationsRequest, RecordSessionActivityRequest, token_service_client::TokenServiceClient,
};
use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};
use tokio::time::Instant;
use tonic::Status;

/// Number of revocation polls per poll of the signing keys, which change rarely.
const POLLS_PER_KEY_POLL: u32 = 20;
/// Maximum number of sessions in one activity report.
pub const MAX_SESSIONS_PER_ACTIVITY_REPORT: usize = 1_000;

/// Starts the task that polls signing keys and revocations from auth-svc. The returned flag becomes `true` once both are loaded.
pub fn spawn_key_sync(
    tasks: &BackgroundTasks,
    identity: TokenVerifier,
    auth: ServiceChannel,
    tokens: ServiceTokenSource,
) -> Arc<AtomicBool> {
    let known = Arc::new(AtomicBool::new(false));
    let (flag, ended) = (known.clone(), tasks.clone());
    let mut auth = TokenServiceClient::new(auth);
    tasks.spawn(async move {
        let (mut round, mut log_failure, mut was_idle) = (0_u32, true, false);
        while !ended.is_stopping() {
            let is_requested = identity.key_poll_schedule().are_keys_requested();
            let wants_keys = is_requested || was_idle || !flag.load(Ordering::Relaxed) || round.is_multiple_of(POLLS_PER_KEY_POLL);
            match refresh(&mut auth, &tokens, &identity, wants_keys).await {
                Ok(()) => {
                    flag.store(true, Ordering::Relaxed);
                    let report = report_activity(&mut auth, &tokens, &identity).await;
                    if let (Err(cause), true) = (&report, log_failure) {
                        tracing::warn!(%cause, "failed to report active sessions to auth-svc, retrying; auth-svc may end these sessions as idle until a retry succeeds");
                    }
                    log_failure = report.is_ok();
                }
                Err(cause) => tracing::debug!(%cause, "failed to load signing keys and token revocations from auth-svc, retrying"),
            }
            identity.key_poll_schedule().record_poll_end();
            round = round.wrapping_add(1);
            let is_loaded = flag.load(Ordering::Relaxed);
            tokio::select! {
                idle = identity.key_poll_schedule().wait_until_poll_due(is_loaded) => was_idle = idle,
                () = ended.wait_until_stopping() => {}
            }
        }
    });
    known
}

async fn refresh(
    auth: &mut TokenServiceClient<ServiceChannel>,
    tokens: &ServiceTokenSource,
    identity: &TokenVerifier,
    wants_keys: bool,
) -> Result<(), Status> {
    if wants_keys {
        let started = Instant::now();
        let keys = auth.get_signing_keys(GetSigningKeysRequest {}).await?.into_inner().keys;
        identity.replace_signing_keys(keys.into_iter().map(|key| (key.id, key.public_key)));
        identity.key_poll_schedule().record_key_poll(started);
    }
    let request = ListRevocationsRequest { after: identity.last_revocation_sequence() };
    let news = auth.list_revocations(tokens.call_context_as_service().await?.grpc_request(request)).await?.into_inner();
    if !news.revocations.is_empty() {
        identity.add_revocations(&news.revocations);
    }
    Ok(())
}

/// Reports to auth-svc which sessions were active in this process, so that auth-svc does not expire these sessions as idle.
async fn report_activity(
    auth: &mut TokenServiceClient<ServiceChannel>,
    tokens: &ServiceTokenSource,
    identity: &TokenVerifier,
) -> Result<(), Status> {
    let used = identity.take_unreported_sessions(MAX_SESSIONS_PER_ACTIVITY_REPORT);
    if used.is_empty() {
        return Ok(());
    }
    let response = async {
        let request = RecordSessionActivityRequest { session_ids: used.clone() };
        auth.record_session_activity(tokens.call_context_as_service().await?.grpc_request(request)).await
    };
    response.await.map(drop).inspect_err(|_| identity.requeue_unreported_sessions(used))
}
