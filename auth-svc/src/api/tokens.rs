//! What every service needs to judge a token by itself.
use super::Reply;
use crate::{
    error::Error,
    keys::{self, Holder, Keys},
    sessions,
    store::revocations::{self, Revocation},
};
use chrono::TimeDelta;
use patio_kit::{
    clock::{self, Clock},
    db::Db,
    identity::Identity,
    secret::Secret,
    tokens::MOST_USED,
};
use patio_proto::{
    access::Role,
    auth::{self as pb, token_service_server::TokenService},
};
use std::{sync::Arc, time::Duration};
use tokio::sync::Mutex;
use tonic::{Request, Response};

/// How long a service's token lives.
const SERVICE_TOKEN: TimeDelta = TimeDelta::minutes(10);
/// How long a wrong service secret waits for its answer, behind those before it.
const GUESS: Duration = Duration::from_secs(1);
/// The longest id of a session.
const LONGEST_SESSION: usize = 40;
/// The longest name of a service.
const LONGEST_NAME: usize = 40;

/// Serves keys, revocations and tokens for services.
pub struct Tokens {
    /// Where revocations are kept.
    pub db: Db,
    /// The time.
    pub clock: Clock,
    /// What tokens are signed with.
    pub keys: Arc<Keys>,
    /// What this process believes of tokens.
    pub identity: Identity,
    /// What a service has to know.
    pub secret: Secret,
    /// What is done about those that do not know it.
    pub guesses: Guesses,
}

/// Wrong service secrets: each is counted and logged, and they are answered one a second.
#[derive(Default)]
pub struct Guesses(Mutex<()>);

impl Guesses {
    async fn refuse(&self, service: &str) {
        metrics::counter!("patio_wrong_service_secrets_total").increment(1);
        tracing::warn!(service, "refused a wrong secret of a service");
        let _turn = self.0.lock().await;
        tokio::time::sleep(GUESS).await;
    }
}

#[tonic::async_trait]
impl TokenService for Tokens {
    async fn get_keys(&self, _: Request<pb::GetKeysRequest>) -> Reply<pb::GetKeysReply> {
        // Every process asks every few seconds, this one included: so each replica learns of new keys.
        match self.keys.signing.reload(&self.db).await {
            Ok(()) => self.keys.signing.tell(&self.identity),
            Err(cause) => tracing::warn!(%cause, "the signing keys could not be read again"),
        }
        Ok(Response::new(pb::GetKeysReply { keys: self.keys.signing.wire() }))
    }

    async fn list_revocations(&self, request: Request<pb::ListRevocationsRequest>) -> Reply<pb::ListRevocationsReply> {
        let found = revocations::after(&self.db, request.get_ref().after, self.clock.now()).await?;
        Ok(Response::new(pb::ListRevocationsReply { revocations: found.into_iter().map(Revocation::wire).collect() }))
    }

    async fn note_sessions(&self, request: Request<pb::NoteSessionsRequest>) -> Reply<pb::NoteSessionsReply> {
        sessions::note_used(&self.db, &self.clock, used(request.into_inner())?).await?;
        Ok(Response::new(pb::NoteSessionsReply {}))
    }

    async fn mint_service_token(&self, request: Request<pb::MintServiceTokenRequest>) -> Reply<pb::MintServiceTokenReply> {
        let asked = request.into_inner();
        let name = service_name(&asked.service)?;
        if !self.secret.values().any(|ours| keys::same_secret(ours, &asked.secret)) {
            self.guesses.refuse(name).await;
            return Err(Error::WrongSecret.into());
        }
        let now = self.clock.now().timestamp_millis();
        let holder = Holder { subject: format!("service:{name}"), role: Role::Service, session: keys::session() };
        let minted = self.keys.mint(holder, now, SERVICE_TOKEN)?;
        Ok(Response::new(pb::MintServiceTokenReply { token: minted.token, expires_at: Some(clock::timestamp(minted.expires_at)) }))
    }
}

/// The sessions that were used where this request comes from.
fn used(asked: pb::NoteSessionsRequest) -> Result<Vec<String>, Error> {
    let ids = asked.session_ids;
    if ids.len() > MOST_USED || ids.iter().any(|id| !(1..=LONGEST_SESSION).contains(&id.len())) {
        return Err(Error::BadField { field: "session_ids", why: "must be at most 1,000 ids of sessions" });
    }
    Ok(ids)
}

fn service_name(name: &str) -> Result<&str, Error> {
    let fits = (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
    if fits { Ok(name) } else { Err(Error::BadField { field: "service", why: "must be the name of a service" }) }
}
