//! Confirms with auth-svc that the session named in a token is open and belongs to the user and role in the token. A valid signature
//! is not enough: an attacker who stole the signing key could sign tokens for sessions that do not exist.
use moka::sync::Cache;
use patio_kit::{
    auth::identity::Caller,
    client::{call_context::CallContext, service_channel::ServiceChannel},
};
use patio_proto::auth::{ConfirmSessionRequest, session_service_client::SessionServiceClient};
use std::time::Duration;
use tonic::Code;

/// Time for which a confirmed session is cached. A session that ends during this time is rejected by the revocation list, which
/// is checked separately.
const CACHE_LIFETIME: Duration = Duration::from_secs(300);
/// Timeout of the confirmation call to auth-svc. After the timeout, a token with a valid signature is accepted, so that an outage
/// of auth-svc does not sign users out.
const CONFIRM_TIMEOUT: Duration = Duration::from_millis(500);
/// Pause after a failed confirmation call to auth-svc. During the pause, the gateway does not call auth-svc, and every session counts as
/// open.
const RETRY_PAUSE: Duration = Duration::from_secs(5);
/// Maximum number of confirmed sessions in the cache.
const MAX_CACHED_SESSIONS: u64 = 50_000;

/// Cache of the sessions that auth-svc has confirmed, by session id, user id and role.
pub struct ConfirmedSessionCache {
    open: Cache<(String, i64, i32), ()>,
    unanswered: Cache<(), ()>,
}

impl Default for ConfirmedSessionCache {
    fn default() -> Self {
        Self {
            open: Cache::builder().max_capacity(MAX_CACHED_SESSIONS).time_to_live(CACHE_LIFETIME).build(),
            unanswered: Cache::builder().max_capacity(1).time_to_live(RETRY_PAUSE).build(),
        }
    }
}

impl ConfirmedSessionCache {
    /// Returns `true` if the caller's session is open, according to the cache or auth-svc. When auth-svc is unreachable, the
    /// session counts as open.
    pub async fn is_session_open(&self, auth: &SessionServiceClient<ServiceChannel>, caller: &Caller, bearer: &CallContext) -> bool {
        let key = (caller.session_id.clone(), caller.user_id, caller.role.into());
        if self.open.contains_key(&key) || self.unanswered.contains_key(&()) {
            return true;
        }
        match auth.clone().confirm_session(bearer.grpc_request_with_timeout(CONFIRM_TIMEOUT, ConfirmSessionRequest {})).await {
            Ok(_) => {
                self.open.insert(key, ());
                true
            }
            Err(refused) if refused.code() == Code::Unauthenticated => false,
            Err(cause) => {
                tracing::debug!(%cause, "failed to check a session with auth-svc, the session is accepted unchecked");
                self.unanswered.insert((), ());
                true
            }
        }
    }
}
