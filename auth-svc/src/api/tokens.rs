//! gRPC `TokenService`: issues service tokens, and publishes the public keys and the revocation list. Other services need both to
//! verify access tokens.
use crate::{
    api::Reply,
    auth_keys::{self, AuthKeys, TokenSubject},
    error::Error,
    sessions,
    store::revocations::{self, Revocation},
};
use chrono::TimeDelta;
use patio_kit::{
    auth::{identity::TokenVerifier, key_sync::MAX_SESSIONS_PER_ACTIVITY_REPORT},
    clock::{self, Clock},
    config::secret::Secret,
    db::Db,
};
use patio_proto::{
    access::Role,
    auth::{self as pb, token_service_server::TokenService},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;
use tonic::{Request, Response};

/// Lifetime of a service token, with which one service calls another service.
const SERVICE_TOKEN_LIFETIME: TimeDelta = TimeDelta::minutes(10);
/// Delay before the response to a request with a wrong service secret, to slow down guessing. Requests with a wrong secret are delayed
/// one after another, so the delays of concurrent requests add up.
const WRONG_SECRET_DELAY: Duration = Duration::from_secs(1);
/// Maximum length of a session id in a request, in bytes.
const MAX_SESSION_ID_LEN: usize = 40;
/// Maximum length of a service name in bytes.
const MAX_SERVICE_NAME_LEN: usize = 40;

/// Handlers of the gRPC `TokenService`: service tokens, public keys, revocations and reports of session activity.
pub struct TokenApi {
    /// Database with the revocations and sessions.
    pub db: Db,
    /// Source of the current time.
    pub clock: Clock,
    /// Keys with which access tokens and service tokens are signed.
    pub keys: Arc<AuthKeys>,
    /// Verifier of access tokens. Contains this process's copy of the public keys and the revocation list.
    pub identity: TokenVerifier,
    /// Shared secret with which other services request a service token.
    pub secret: Secret,
    /// Throttle for requests with a wrong service secret.
    pub wrong_service_secret_throttle: WrongServiceSecretThrottle,
}

/// Throttle for requests with a wrong service secret: counts and logs each request, and answers one request per second.
#[derive(Default)]
pub struct WrongServiceSecretThrottle(Mutex<()>);

impl WrongServiceSecretThrottle {
    async fn refuse(&self, service: &str) {
        metrics::counter!("patio_wrong_service_secrets_total").increment(1);
        tracing::warn!(service, "service token request rejected: wrong service secret");
        let _turn = self.0.lock().await;
        tokio::time::sleep(WRONG_SECRET_DELAY).await;
    }
}

#[tonic::async_trait]
impl TokenService for TokenApi {
    async fn get_signing_keys(&self, _: Request<pb::GetSigningKeysRequest>) -> Reply<pb::GetSigningKeysResponse> {
        // Every process polls the keys every few seconds, this one included, so each replica picks up new keys here.
        self.keys.signing.reload_or_keep(&self.db).await;
        self.keys.signing.install_public_keys(&self.identity);
        Ok(Response::new(pb::GetSigningKeysResponse { keys: self.keys.signing.public_keys_to_proto() }))
    }

    async fn list_revocations(&self, request: Request<pb::ListRevocationsRequest>) -> Reply<pb::ListRevocationsResponse> {
        let found = revocations::list_revocations_after(&self.db, request.get_ref().after, self.clock.now()).await?;
        Ok(Response::new(pb::ListRevocationsResponse { revocations: found.into_iter().map(Revocation::to_proto).collect() }))
    }

    async fn record_session_activity(
        &self,
        request: Request<pb::RecordSessionActivityRequest>,
    ) -> Reply<pb::RecordSessionActivityResponse> {
        sessions::record_session_activity(&self.db, &self.clock, session_ids_of(request.into_inner())?).await?;
        Ok(Response::new(pb::RecordSessionActivityResponse {}))
    }

    async fn mint_service_token(&self, request: Request<pb::MintServiceTokenRequest>) -> Reply<pb::MintServiceTokenResponse> {
        let asked = request.into_inner();
        let name = service_name(&asked.service)?;
        if !self.secret.split_values().any(|ours| auth_keys::constant_time_eq(ours, &asked.secret)) {
            self.wrong_service_secret_throttle.refuse(name).await;
            return Err(Error::WrongSecret.into());
        }
        let now = self.clock.now().timestamp_millis();
        let holder = TokenSubject {
            subject: format!("service:{name}"),
            role: Role::Service,
            session: auth_keys::generate_session_id(),
            must_change_password: false,
        };
        let minted = self.keys.issue_access_token(&self.db, holder, now, SERVICE_TOKEN_LIFETIME).await?;
        Ok(Response::new(pb::MintServiceTokenResponse { token: minted.token, expires_at: Some(clock::to_timestamp(minted.expires_at)) }))
    }
}

/// Validates and returns the session ids in a report of recently used sessions.
fn session_ids_of(asked: pb::RecordSessionActivityRequest) -> Result<Vec<String>, Error> {
    let ids = asked.session_ids;
    if ids.len() > MAX_SESSIONS_PER_ACTIVITY_REPORT || ids.iter().any(|id| !(1..=MAX_SESSION_ID_LEN).contains(&id.len())) {
        return Err(Error::InvalidField { field: "session_ids", why: "must contain at most 1,000 ids" });
    }
    Ok(ids)
}

fn service_name(name: &str) -> Result<&str, Error> {
    let fits = (1..=MAX_SERVICE_NAME_LEN).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if fits { Ok(name) } else { Err(Error::InvalidField { field: "service", why: "must be the name of a service" }) }
}
