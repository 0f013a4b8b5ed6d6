//! Tests of the tokens with which a service calls other services on its own.
use chrono::TimeDelta;
use patio_kit::{client::service_channel::ServiceChannel, clock, service_host::ServiceHost};
use patio_proto::{
    access::Role,
    auth::{
        GetSigningKeysRequest, GetSigningKeysResponse, ListRevocationsRequest, ListRevocationsResponse, MintServiceTokenRequest,
        MintServiceTokenResponse, RecordSessionActivityRequest, RecordSessionActivityResponse,
        token_service_server::{TokenService, TokenServiceServer},
    },
};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};
use tonic::{Request, Response, Status, service::RoutesBuilder};

/// Test double of auth-svc that issues service tokens for ten minutes and counts them.
struct Issuer {
    host: ServiceHost,
    issued: Arc<AtomicUsize>,
}

#[tonic::async_trait]
impl TokenService for Issuer {
    async fn get_signing_keys(&self, _: Request<GetSigningKeysRequest>) -> Result<Response<GetSigningKeysResponse>, Status> {
        Err(Status::unimplemented("not called by a token source"))
    }

    async fn list_revocations(&self, _: Request<ListRevocationsRequest>) -> Result<Response<ListRevocationsResponse>, Status> {
        Err(Status::unimplemented("not called by a token source"))
    }

    async fn record_session_activity(
        &self,
        _: Request<RecordSessionActivityRequest>,
    ) -> Result<Response<RecordSessionActivityResponse>, Status> {
        Err(Status::unimplemented("not called by a token source"))
    }

    async fn mint_service_token(&self, _: Request<MintServiceTokenRequest>) -> Result<Response<MintServiceTokenResponse>, Status> {
        self.issued.fetch_add(1, Ordering::Relaxed);
        let expires_at = Some(clock::to_timestamp(self.host.clock.now() + TimeDelta::minutes(10)));
        Ok(Response::new(MintServiceTokenResponse { token: patio_testing::token(&self.host, 0, Role::Service), expires_at }))
    }
}

#[tokio::test]
async fn a_service_token_is_reused_until_its_last_minute_or_until_its_key_is_withdrawn() {
    let folder = tempfile::tempdir().unwrap();
    let host = patio_testing::host(folder.path(), None).await;
    let issued = Arc::new(AtomicUsize::new(0));
    let mut routes = RoutesBuilder::default();
    routes.add_service(TokenServiceServer::new(Issuer { host: host.clone(), issued: issued.clone() }));
    let ServiceChannel::Local(slot) = &host.channels.auth else { unreachable!("the host runs all services") };
    slot.set(routes.routes().prepare().into_axum_router()).unwrap();

    let source = host.service_token_source("vehicle-svc");
    let issued_after = async |time: TimeDelta| {
        host.clock.advance(time);
        source.call_context_as_service().await.unwrap();
        issued.load(Ordering::Relaxed)
    };
    assert_eq!(issued_after(TimeDelta::zero()).await, 1);
    assert_eq!(issued_after(TimeDelta::seconds(8 * 60 + 30)).await, 1);
    assert_eq!(issued_after(TimeDelta::seconds(45)).await, 2, "the first token expires within a minute");
    assert_eq!(issued_after(TimeDelta::zero()).await, 2);
    host.identity.replace_signing_keys([]);
    assert_eq!(issued_after(TimeDelta::zero()).await, 3, "no service accepts the token any more");
}
