//! What stands in for auth-svc: it mints service tokens for whoever knows the secret.
use patio_kit::{clock, host::Host};
use patio_proto::{
    access::Role,
    auth::{
        GetKeysReply, GetKeysRequest, ListRevocationsReply, ListRevocationsRequest, MintServiceTokenReply, MintServiceTokenRequest,
        NoteSessionsReply, NoteSessionsRequest,
        token_service_server::{TokenService, TokenServiceServer},
    },
};
use tonic::{Request, Response, Status, service::Routes};

struct Tokens(Host);

/// The calls of the double.
pub fn routes(host: &Host) -> Routes {
    Routes::new(TokenServiceServer::new(Tokens(host.clone())))
}

#[tonic::async_trait]
impl TokenService for Tokens {
    /// The host knows the key of the tests already; an answer would replace it.
    async fn get_keys(&self, _: Request<GetKeysRequest>) -> Result<Response<GetKeysReply>, Status> {
        Err(Status::unavailable("the tests bring their own key"))
    }

    async fn list_revocations(&self, _: Request<ListRevocationsRequest>) -> Result<Response<ListRevocationsReply>, Status> {
        Ok(Response::new(ListRevocationsReply::default()))
    }

    async fn note_sessions(&self, _: Request<NoteSessionsRequest>) -> Result<Response<NoteSessionsReply>, Status> {
        Ok(Response::new(NoteSessionsReply {}))
    }

    async fn mint_service_token(&self, request: Request<MintServiceTokenRequest>) -> Result<Response<MintServiceTokenReply>, Status> {
        let ask = request.into_inner();
        if ask.secret != "the secret of tests" || ask.service != "campaign-svc" {
            return Err(Status::unauthenticated("not a service of ours"));
        }
        let expires_at = clock::timestamp(self.0.clock.now() + chrono::TimeDelta::minutes(10));
        Ok(Response::new(MintServiceTokenReply { token: patio_testing::token(&self.0, 0, Role::Service), expires_at: Some(expires_at) }))
    }
}
