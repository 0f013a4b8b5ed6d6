//! Keeping keys and revocations current, and tokens for services that act on their own.
use crate::{
    clock,
    host::Host,
    link::{Bearer, Link},
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_proto::auth::{GetKeysRequest, ListRevocationsRequest, MintServiceTokenRequest, token_service_client::TokenServiceClient};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use tokio::sync::Mutex;
use tonic::Status;

/// How often revocations are asked for: well within the second that is promised.
const EVERY: Duration = Duration::from_millis(300);
/// How many rounds pass between two looks at the keys.
const KEYS_EVERY: u32 = 20;
/// The metadata in which a process that asks for revocations tells which sessions were used in it.
pub const USED: &str = "x-patio-used";
/// Most sessions told at once, as metadata must stay small.
pub const MOST_USED: usize = 100;

/// Tokens a service calls others with when no user made it.
#[derive(Clone)]
pub struct ServiceTokens {
    auth: TokenServiceClient<Link>,
    service: &'static str,
    secret: String,
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
    pub fn new(auth: Link, service: &'static str, secret: &str, clock: clock::Clock) -> Self {
        Self { auth: TokenServiceClient::new(auth), service, secret: secret.to_owned(), held: Arc::default(), clock }
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
        let ask = MintServiceTokenRequest { service: self.service.to_owned(), secret: self.secret.clone() };
        let minted = self.auth.clone().mint_service_token(ask).await?.into_inner();
        let until = minted.expires_at.as_ref().and_then(clock::moment).unwrap_or_default();
        let bearer = Bearer::new(Some(&minted.token), "-", "");
        *held = Some(Held { token: minted.token, until });
        Ok(bearer)
    }
}

/// Asks auth-svc for keys and revocations from now on; true in the flag once both are known.
pub fn keep_current(host: &Host) -> Arc<AtomicBool> {
    let known = Arc::new(AtomicBool::new(false));
    let (flag, identity, tasks) = (known.clone(), host.identity.clone(), host.tasks.clone());
    let mut auth = TokenServiceClient::new(host.links.auth.clone());
    host.tasks.spawn(async move {
        let mut round = 0_u32;
        while !tasks.is_stopping() {
            let wants_keys = !flag.load(Ordering::Relaxed) || round.is_multiple_of(KEYS_EVERY);
            match refresh(&mut auth, &identity, wants_keys).await {
                Ok(()) => flag.store(true, Ordering::Relaxed),
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

async fn refresh(auth: &mut TokenServiceClient<Link>, identity: &crate::identity::Identity, wants_keys: bool) -> Result<(), Status> {
    if wants_keys {
        let keys = auth.get_keys(GetKeysRequest {}).await?.into_inner().keys;
        identity.set_keys(keys.into_iter().map(|key| (key.id, key.public_key)));
    }
    let mut ask = tonic::Request::new(ListRevocationsRequest { after: identity.sequence() });
    let used = identity.take_uses(MOST_USED);
    if !used.is_empty()
        && let Ok(told) = used.join(",").parse()
    {
        ask.metadata_mut().insert(USED, told);
    }
    let answer = auth.list_revocations(ask).await.inspect_err(|_| identity.give_back_uses(used));
    let news = answer?.into_inner();
    if !news.revocations.is_empty() {
        identity.revoke(&news.revocations);
    }
    Ok(())
}
