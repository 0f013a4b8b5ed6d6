//! Tokens for calls that a service makes on its own, without a user.
use crate::{
    auth::identity::TokenVerifier,
    client::{call_context::CallContext, service_channel::ServiceChannel},
    clock,
    config::secret::Secret,
};
use chrono::{DateTime, TimeDelta, Utc};
use patio_proto::auth::{MintServiceTokenRequest, MintServiceTokenResponse, token_service_client::TokenServiceClient};
use std::sync::Arc;
use tokio::sync::Mutex;
use tonic::{Code, Response, Status};

/// Source of tokens for calls that a service makes without a user.
#[derive(Clone)]
pub struct ServiceTokenSource {
    auth: TokenServiceClient<ServiceChannel>,
    service: &'static str,
    secret: Secret,
    held: Arc<Mutex<Option<Held>>>,
    identity: TokenVerifier,
    clock: clock::Clock,
}

struct Held {
    token: String,
    until: DateTime<Utc>,
}

impl ServiceTokenSource {
    /// Creates the token source of a service. The source authenticates to auth-svc with the service's name and `secret`.
    #[must_use]
    pub fn new(auth: ServiceChannel, service: &'static str, secret: Secret, identity: TokenVerifier, clock: clock::Clock) -> Self {
        Self { auth: TokenServiceClient::new(auth), service, secret, held: Arc::default(), identity, clock }
    }

    /// Returns a call context with the service's own token.
    ///
    /// A token is reused until one minute before it expires, unless its signing key is withdrawn earlier.
    ///
    /// # Errors
    /// Returns the error status of auth-svc when auth-svc issues no token.
    pub async fn call_context_as_service(&self) -> Result<CallContext, Status> {
        let mut held = self.held.lock().await;
        if let Some(Held { token, until }) = held.as_ref()
            && *until > self.clock.now() + TimeDelta::minutes(1)
            && self.identity.authenticate(token).is_ok()
        {
            return Ok(CallContext::new(Some(token), "-", ""));
        }
        let minted = self.mint().await?;
        let until = minted.expires_at.as_ref().and_then(clock::from_timestamp).unwrap_or_default();
        let bearer = CallContext::new(Some(&minted.token), "-", "");
        *held = Some(Held { token: minted.token, until });
        Ok(bearer)
    }

    /// Returns a call context for calls that this service makes on behalf of a user. `caller` is the call context of the user.
    ///
    /// # Errors
    /// Returns the error status of auth-svc when auth-svc issues no token.
    pub async fn call_context_on_behalf_of(&self, caller: &CallContext) -> Result<CallContext, Status> {
        Ok(caller.to_delegated_context(&self.call_context_as_service().await?))
    }

    /// Requests a service token from auth-svc. Tries each value of the service secret until auth-svc accepts one. During a change of the
    /// secret, the secret has several values, and a replica of auth-svc may know only one of these values.
    async fn mint(&self) -> Result<MintServiceTokenResponse, Status> {
        let mut values = self.secret.split_values().peekable();
        loop {
            let secret = values.next().unwrap_or_default().to_owned();
            let request = MintServiceTokenRequest { service: self.service.to_owned(), secret };
            match self.auth.clone().mint_service_token(request).await {
                Err(refused) if refused.code() == Code::PermissionDenied && values.peek().is_some() => {}
                answer => return answer.map(Response::into_inner),
            }
        }
    }
}
