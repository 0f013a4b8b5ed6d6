//! Test doubles of auth-svc.
use super::{Reply, STRANGER, moment};
use patio_kit::{
    auth::identity,
    clock,
    errors::{ErrorReason, status, status_with_values},
};
use patio_proto::{access::Role, auth as a};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, AtomicUsize, Ordering},
};
use tonic::{Code, Request, Response, async_trait};

/// Test double with user `ana` (id 3, password `right`) and a locked-out user `locked`.
#[derive(Clone, Default)]
pub struct Auth {
    pub asked: Arc<Mutex<Vec<a::SignInRequest>>>,
    pub left: Arc<Mutex<Vec<String>>>,
    pub confirmed: Arc<AtomicUsize>,
    pub names_asked: Arc<AtomicUsize>,
    pub names_away: Arc<AtomicBool>,
}

fn ana() -> a::User {
    a::User {
        id: 3,
        hmc: "ana".into(),
        role: Role::Manager.into(),
        created_at: moment(0),
        last_login_at: None,
        developer: false,
        must_change_password: false,
    }
}

#[async_trait]
impl a::session_service_server::SessionService for Auth {
    async fn sign_in(&self, request: Request<a::SignInRequest>) -> Reply<a::Session> {
        let asked = request.into_inner();
        self.asked.lock().unwrap().push(asked.clone());
        if asked.is_limited && asked.device_marks != ["known"] {
            return Err(status_with_values(Code::ResourceExhausted, ErrorReason::RateLimited, &"too many", &[("retry_after", "1".into())]));
        }
        match (asked.hmc.as_str(), asked.password.as_str()) {
            ("locked", _) => {
                let words = "Exceeded login attempts. Please try again in 171 seconds.";
                Err(status_with_values(Code::ResourceExhausted, ErrorReason::LockedOut, &words, &[("retry_after", "171".into())]))
            }
            ("ana", "right") => {
                let session = a::Session {
                    token: "t".into(),
                    user: Some(ana()),
                    expires_at: moment(9),
                    device_mark: "mark-1".into(),
                    session_id: "s".into(),
                    seal_key: vec![7; 32],
                };
                Ok(Response::new(session))
            }
            _ => {
                let words = "Invalid credentials. You have more 4 attempt(s).";
                Err(status_with_values(Code::Unauthenticated, ErrorReason::InvalidCredentials, &words, &[("attempts_left", "4".into())]))
            }
        }
    }

    async fn sign_out(&self, _: Request<a::SignOutRequest>) -> Reply<a::SignOutResponse> {
        Ok(Response::new(a::SignOutResponse {}))
    }

    async fn end_left_sessions(&self, request: Request<a::EndLeftSessionsRequest>) -> Reply<a::EndLeftSessionsResponse> {
        self.left.lock().unwrap().extend(request.into_inner().session_ids);
        Ok(Response::new(a::EndLeftSessionsResponse {}))
    }

    async fn list_sessions(&self, request: Request<a::ListSessionsRequest>) -> Reply<a::ListSessionsResponse> {
        let device = format!("of {}", request.into_inner().user_id);
        Ok(Response::new(a::ListSessionsResponse {
            sessions: vec![a::OpenSession { id: "s".into(), current: true, device, ..Default::default() }],
        }))
    }

    async fn end_sessions(&self, request: Request<a::EndSessionsRequest>) -> Reply<a::EndSessionsResponse> {
        let asked = request.into_inner();
        Ok(Response::new(a::EndSessionsResponse { ended: if asked.session_id.is_empty() { 3 } else { 1 } }))
    }

    async fn confirm_password(&self, request: Request<a::ConfirmPasswordRequest>) -> Reply<a::ConfirmPasswordResponse> {
        if request.into_inner().password == "right" {
            return Ok(Response::new(a::ConfirmPasswordResponse {}));
        }
        Err(status(Code::PermissionDenied, ErrorReason::WrongPassword, &"The current password is incorrect."))
    }

    async fn confirm_session(&self, request: Request<a::ConfirmSessionRequest>) -> Reply<a::ConfirmSessionResponse> {
        let caller = identity::authenticated_caller(&request)?;
        self.confirmed.fetch_add(1, Ordering::Relaxed);
        let is_known = caller.user_id != STRANGER;
        is_known.then(|| Response::new(a::ConfirmSessionResponse {})).ok_or_else(|| identity::invalid_token_status("unknown"))
    }

    async fn get_me(&self, request: Request<a::GetMeRequest>) -> Reply<a::User> {
        let caller = identity::authenticated_caller(&request)?;
        Ok(Response::new(a::User {
            id: caller.user_id,
            role: caller.role.into(),
            developer: caller.is_developer(),
            hmc: "dev".into(),
            ..ana()
        }))
    }

    async fn change_own_password(&self, _: Request<a::ChangeOwnPasswordRequest>) -> Reply<a::User> {
        Err(status(Code::FailedPrecondition, ErrorReason::BadPassword, &"the password is too short"))
    }

    async fn record_page_view(&self, _: Request<a::RecordPageViewRequest>) -> Reply<a::RecordPageViewResponse> {
        Ok(Response::new(a::RecordPageViewResponse {}))
    }
}

#[async_trait]
impl a::user_service_server::UserService for Auth {
    async fn list_users(&self, _: Request<a::ListUsersRequest>) -> Reply<a::ListUsersResponse> {
        Ok(Response::new(a::ListUsersResponse { users: vec![ana()] }))
    }

    async fn create_user(&self, request: Request<a::CreateUserRequest>) -> Reply<a::User> {
        let asked = request.into_inner();
        if asked.hmc == "ana" {
            return Err(status(Code::AlreadyExists, ErrorReason::HmcTaken, &"another user has this hmc"));
        }
        Ok(Response::new(a::User { id: 4, hmc: asked.hmc, role: asked.role, ..ana() }))
    }

    async fn update_user(&self, _: Request<a::UpdateUserRequest>) -> Reply<a::User> {
        Err(status(Code::FailedPrecondition, ErrorReason::LastAdmin, &"There must be at least one supervisor."))
    }

    async fn delete_user(&self, _: Request<a::DeleteUserRequest>) -> Reply<a::DeleteUserResponse> {
        Err(status(Code::FailedPrecondition, ErrorReason::OwnAccount, &"this is your own account"))
    }

    async fn list_user_history(&self, _: Request<a::ListUserHistoryRequest>) -> Reply<a::ListUserHistoryResponse> {
        Ok(Response::new(a::ListUserHistoryResponse::default()))
    }

    async fn lift_lockout(&self, _: Request<a::LiftLockoutRequest>) -> Reply<a::LiftLockoutResponse> {
        Ok(Response::new(a::LiftLockoutResponse { lifted: true }))
    }

    async fn resolve_user_names(&self, request: Request<a::ResolveUserNamesRequest>) -> Reply<a::ResolveUserNamesResponse> {
        self.names_asked.fetch_add(1, Ordering::Relaxed);
        if self.names_away.load(Ordering::Relaxed) {
            return Err(status(Code::Unavailable, ErrorReason::Unavailable, &"away"));
        }
        let known = request.into_inner().ids.into_iter().filter(|id| *id == 3).map(|id| (id, "ana".to_owned()));
        Ok(Response::new(a::ResolveUserNamesResponse { names: known.collect() }))
    }

    async fn export_user(&self, request: Request<a::ExportUserRequest>) -> Reply<a::ExportUserResponse> {
        Ok(Response::new(a::ExportUserResponse { json: format!(r#"{{"id":{}}}"#, request.into_inner().id) }))
    }
}

/// Test double with at most one public key, which also issues service tokens.
pub struct Keys(pub String);

#[async_trait]
impl a::token_service_server::TokenService for Keys {
    async fn get_signing_keys(&self, _: Request<a::GetSigningKeysRequest>) -> Reply<a::GetSigningKeysResponse> {
        if !self.0.is_empty() {
            return Err(status(Code::Unavailable, ErrorReason::Unavailable, &"the test brings its own key"));
        }
        Ok(Response::new(a::GetSigningKeysResponse { keys: vec![a::Key { id: "k1".into(), public_key: vec![1, 2, 3, 4] }] }))
    }

    async fn list_revocations(&self, _: Request<a::ListRevocationsRequest>) -> Reply<a::ListRevocationsResponse> {
        Ok(Response::new(a::ListRevocationsResponse::default()))
    }

    async fn record_session_activity(&self, _: Request<a::RecordSessionActivityRequest>) -> Reply<a::RecordSessionActivityResponse> {
        Ok(Response::new(a::RecordSessionActivityResponse {}))
    }

    async fn mint_service_token(&self, _: Request<a::MintServiceTokenRequest>) -> Reply<a::MintServiceTokenResponse> {
        let expires_at = Some(clock::to_timestamp(clock::Clock::default().now() + chrono::TimeDelta::minutes(10)));
        Ok(Response::new(a::MintServiceTokenResponse { token: self.0.clone(), expires_at }))
    }
}
