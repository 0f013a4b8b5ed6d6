//! Fake auth-svc, which issues service tokens to callers with the right secret.
use patio_kit::{clock, service_host::ServiceHost};
use patio_proto::{
    access::Role,
    auth::{
        GetSigningKeysRequest, GetSigningKeysResponse, ListRevocationsRequest, ListRevocationsResponse, MintServiceTokenRequest,
        MintServiceTokenResponse, RecordSessionActivityRequest, RecordSessionActivityResponse,
        token_service_server::{TokenService, TokenServiceServer},
    },
};
use tonic::{Request, Response, Status, service::Routes};

struct Tokens(ServiceHost);

/// Returns the gRPC routes of the fake auth-svc.
pub fn routes(host: &ServiceHost) -> Routes {
    Routes::new(TokenServiceServer::new(Tokens(host.clone())))
}

#[tonic::async_trait]
impl TokenService for Tokens {
    /// Fails, since the host already has the tests' signing key, which a response would replace.
    async fn get_signing_keys(&self, _: Request<GetSigningKeysRequest>) -> Result<Response<GetSigningKeysResponse>, Status> {
        Err(Status::unavailable("the tests bring their own key"))
    }

    async fn list_revocations(&self, _: Request<ListRevocationsRequest>) -> Result<Response<ListRevocationsResponse>, Status> {
        Ok(Response::new(ListRevocationsResponse::default()))
    }

    async fn record_session_activity(
        &self,
        _: Request<RecordSessionActivityRequest>,
    ) -> Result<Response<RecordSessionActivityResponse>, Status> {
        Ok(Response::new(RecordSessionActivityResponse {}))
    }

    async fn mint_service_token(&self, request: Request<MintServiceTokenRequest>) -> Result<Response<MintServiceTokenResponse>, Status> {
        let ask = request.into_inner();
        if ask.secret != "the secret of tests" || ask.service != "campaign-svc" {
            return Err(Status::unauthenticated("not a service of ours"));
        }
        let expires_at = clock::to_timestamp(self.0.clock.now() + chrono::TimeDelta::minutes(10));
        Ok(Response::new(MintServiceTokenResponse { token: patio_testing::token(&self.0, 0, Role::Service), expires_at: Some(expires_at) }))
    }
}
