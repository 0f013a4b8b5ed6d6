//! Keeping keys and revocations current, and tokens for services that act on their own.
use crate::{
    clock,
    host::Host,
    identity::Identity,
    link::{Bearer, Link},
    secret::Secret,
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_proto::auth::{
    GetKeysRequest, ListRevocationsRequest, MintServiceTokenReply, MintServiceTokenRequest, NoteSessionsRequest,
    token_service_client::TokenServiceClient,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::Mutex;
use tonic::{Code, Response, Status};

/// How often revocations are asked for: well within the second that is promised.
const EVERY: Duration = Duration::from_millis(300);
/// How many rounds pass between two looks at the keys.
const KEYS_EVERY: u32 = 20;
/// Most sessions whose use is told at once.
pub const MOST_USED: usize = 1_000;
/// What a process calls itself when it tells which sessions were used in it, whichever services run there.
const TELLER: &str = "process";

/// Tokens a service calls others with when no user made it.
#[derive(Clone)]
pub struct ServiceTokens {
    auth: TokenServiceClient<Link>,
    service: &'static str,
    secret: Secret,
    held: Arc<Mutex<Option<Held>>>,
    clock: clock::Clock,
}

struct Held {
    token: String,
    until: DateTime<Utc>,
}

impl ServiceTokens {
    /// Tokens for one service.
    #[must_use]
    pub fn new(auth: Link, service: &'static str, secret: Secret, clock: clock::Clock) -> Self {
        Self { auth: TokenServiceClient::new(auth), service, secret, held: Arc::default(), clock }
    }

    /// The bearer to call with, good for a minute at least.
    ///
    /// # Errors
    /// What auth-svc answered when it gave no token.
    pub async fn bearer(&self) -> Result<Bearer, Status> {
        let mut held = self.held.lock().await;
        if let Some(Held { token, until }) = held.as_ref()
            && *until > self.clock.now() + TimeDelta::minutes(1)
        {
            return Ok(Bearer::new(Some(token), "-", ""));
        }
        let minted = self.mint().await?;
        let until = minted.expires_at.as_ref().and_then(clock::moment).unwrap_or_default();
        let bearer = Bearer::new(Some(&minted.token), "-", "");
        *held = Some(Held { token: minted.token, until });
        Ok(bearer)
    }

    /// The bearer to call with for the person of another one.
    ///
    /// # Errors
    /// What auth-svc answered when it gave no token.
    pub async fn bearer_for(&self, person: &Bearer) -> Result<Bearer, Status> {
        Ok(person.by_service(&self.bearer().await?))
    }

    /// Shows one value of the secret after the other: while it is changed, a replica of auth-svc may know only one of them.
    async fn mint(&self) -> Result<MintServiceTokenReply, Status> {
        let mut values = self.secret.values().peekable();
        loop {
            let secret = values.next().unwrap_or_default().to_owned();
            let ask = MintServiceTokenRequest { service: self.service.to_owned(), secret };
            match self.auth.clone().mint_service_token(ask).await {
                Err(refused) if refused.code() == Code::PermissionDenied && values.peek().is_some() => {}
                answer => return answer.map(Response::into_inner),
            }
        }
    }
}

/// Asks auth-svc for keys and revocations from now on; true in the flag once both are known.
pub fn keep_current(host: &Host) -> Arc<AtomicBool> {
    let known = Arc::new(AtomicBool::new(false));
    let (flag, identity, tasks) = (known.clone(), host.identity.clone(), host.tasks.clone());
    let (mut auth, tokens) = (TokenServiceClient::new(host.links.auth.clone()), host.service_tokens(TELLER));
    host.tasks.spawn(async move {
        let (mut round, mut telling) = (0_u32, true);
        while !tasks.is_stopping() {
            let wants_keys = !flag.load(Ordering::Relaxed) || round.is_multiple_of(KEYS_EVERY);
            match refresh(&mut auth, &identity, wants_keys).await {
                Ok(()) => {
                    flag.store(true, Ordering::Relaxed);
                    let told = tell_uses(&mut auth, &tokens, &identity).await;
                    if let (Err(cause), true) = (&told, telling) {
                        tracing::warn!(%cause, "the use of sessions could not be told; it is told again until it can");
                    }
                    telling = told.is_ok();
                }
                Err(cause) => tracing::debug!(%cause, "auth-svc did not tell keys and revocations"),
            }
            round = round.wrapping_add(1);
            tokio::select! {
                () = tokio::time::sleep(EVERY) => {}
                () = tasks.stopped() => {}
            }
        }
    });
    known
}

async fn refresh(auth: &mut TokenServiceClient<Link>, identity: &Identity, wants_keys: bool) -> Result<(), Status> {
    if wants_keys {
        let keys = auth.get_keys(GetKeysRequest {}).await?.into_inner().keys;
        identity.set_keys(keys.into_iter().map(|key| (key.id, key.public_key)));
    }
    let news = auth.list_revocations(ListRevocationsRequest { after: identity.sequence() }).await?.into_inner();
    if !news.revocations.is_empty() {
        identity.revoke(&news.revocations);
    }
    Ok(())
}

/// Tells auth-svc which sessions were used here, so that it ends only those that nobody uses.
async fn tell_uses(auth: &mut TokenServiceClient<Link>, tokens: &ServiceTokens, identity: &Identity) -> Result<(), Status> {
    let used = identity.take_uses(MOST_USED);
    if used.is_empty() {
        return Ok(());
    }
    let told = async {
        let ask = NoteSessionsRequest { session_ids: used.clone() };
        auth.note_sessions(tokens.bearer().await?.sign(ask)).await
    };
    told.await.map(drop).inspect_err(|_| identity.give_back_uses(used))
}
