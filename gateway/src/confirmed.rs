//! Sessions that auth-svc knows: a signature alone does not prove that somebody signed in, as a key may be stolen.
use moka::sync::Cache;
use patio_kit::{
    identity::Caller,
    link::{Bearer, Link},
};
use patio_proto::auth::{ConfirmSessionRequest, session_service_client::SessionServiceClient};
use std::time::Duration;
use tonic::Code;

/// How long an answer holds; a session that ends sooner is heard of by its revocation.
const HOLDS: Duration = Duration::from_secs(300);
/// How long auth-svc may take; without an answer the signature counts.
const PATIENCE: Duration = Duration::from_millis(500);
/// How long it is not asked again after it gave none.
const RESTS: Duration = Duration::from_secs(5);
/// Most sessions that are remembered.
const MOST: u64 = 50_000;

/// What auth-svc said of sessions; by session, user and role.
pub struct Confirmed {
    open: Cache<(String, i64, i32), ()>,
    unanswered: Cache<(), ()>,
}

impl Default for Confirmed {
    fn default() -> Self {
        Self {
            open: Cache::builder().max_capacity(MOST).time_to_live(HOLDS).build(),
            unanswered: Cache::builder().max_capacity(1).time_to_live(RESTS).build(),
        }
    }
}

impl Confirmed {
    /// Whether a caller's session is open as far as auth-svc can be asked; one that it cannot be asked about counts as open.
    pub async fn is_open(&self, auth: &SessionServiceClient<Link>, caller: &Caller, bearer: &Bearer) -> bool {
        let key = (caller.session_id.clone(), caller.user_id, caller.role.into());
        if self.open.contains_key(&key) || self.unanswered.contains_key(&()) {
            return true;
        }
        match auth.clone().confirm_session(bearer.sign_within(PATIENCE, ConfirmSessionRequest {})).await {
            Ok(_) => {
                self.open.insert(key, ());
                true
            }
            Err(refused) if refused.code() == Code::Unauthenticated => false,
            Err(cause) => {
                tracing::debug!(%cause, "a session was not confirmed");
                self.unanswered.insert((), ());
                true
            }
        }
    }
}
