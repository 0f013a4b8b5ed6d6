//! gRPC `UserService`: user administration, user names and data export.
use crate::{
    admin_action::AdminActionContext,
    api::{Reply, role},
    error::Error,
    hmc::Hmc,
    sign_in::SignInService,
    store::users::StoredUser,
    users::{NewUserInput, UserAdminService, UserChangeInput},
};
use patio_kit::{
    audit,
    auth::identity::{self, Caller},
    pagination::HistoryWindow,
};
use patio_proto::auth::{self as pb, user_service_server::UserService};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Maximum number of user ids in one request that looks up the login names (HMCs) of users.
const MAX_USER_IDS: usize = 10_000;

/// Handlers of the gRPC `UserService`: user administration, login names and data export.
pub struct UserApi {
    /// User administration: creates, changes and deletes users.
    pub user_admin: UserAdminService,
    /// Sign-in service, which lifts the lockouts of users.
    pub sign_in_service: Arc<SignInService>,
}

impl UserApi {
    fn accept<T>(&self, request: Request<T>) -> Result<(AdminActionContext, T), Status> {
        let (caller, address) = (identity::authenticated_caller(&request)?, audit::client_address(&request));
        Ok((AdminActionContext { caller, now: self.user_admin.clock.now(), address }, request.into_inner()))
    }
}

#[tonic::async_trait]
impl UserService for UserApi {
    async fn list_users(&self, _: Request<pb::ListUsersRequest>) -> Reply<pb::ListUsersResponse> {
        let users = self.user_admin.list().await?;
        Ok(Response::new(pb::ListUsersResponse { users: users.into_iter().map(StoredUser::to_proto).collect() }))
    }

    async fn create_user(&self, request: Request<pb::CreateUserRequest>) -> Reply<pb::User> {
        let (act, asked) = self.accept(request)?;
        let made = self.user_admin.create(act, parse_new_user(asked)?).await?;
        Ok(Response::new(made.to_proto()))
    }

    async fn update_user(&self, request: Request<pb::UpdateUserRequest>) -> Reply<pb::User> {
        let (act, asked) = self.accept(request)?;
        let changed = self.user_admin.update(act, parse_user_change(asked)?).await?;
        Ok(Response::new(changed.to_proto()))
    }

    async fn delete_user(&self, request: Request<pb::DeleteUserRequest>) -> Reply<pb::DeleteUserResponse> {
        let (act, asked) = self.accept(request)?;
        self.user_admin.delete(act, asked.id).await?;
        Ok(Response::new(pb::DeleteUserResponse {}))
    }

    async fn lift_lockout(&self, request: Request<pb::LiftLockoutRequest>) -> Reply<pb::LiftLockoutResponse> {
        let (act, asked) = self.accept(request)?;
        Ok(Response::new(pb::LiftLockoutResponse { lifted: self.sign_in_service.lift_lockout(act, asked.id).await? }))
    }

    async fn resolve_user_names(&self, request: Request<pb::ResolveUserNamesRequest>) -> Reply<pb::ResolveUserNamesResponse> {
        let ids = request.into_inner().ids;
        if ids.len() > MAX_USER_IDS {
            return Err(Error::InvalidField { field: "ids", why: "must contain at most 10,000 ids" }.into());
        }
        Ok(Response::new(pb::ResolveUserNamesResponse { names: self.user_admin.find_login_names_by_ids(&ids).await? }))
    }

    async fn list_user_history(&self, request: Request<pb::ListUserHistoryRequest>) -> Reply<pb::ListUserHistoryResponse> {
        let asked = request.into_inner();
        let events = self.user_admin.list_user_history(asked.user_id, HistoryWindow::from_request(asked.window.as_ref())).await?;
        Ok(Response::new(pb::ListUserHistoryResponse { events }))
    }

    async fn export_user(&self, request: Request<pb::ExportUserRequest>) -> Reply<pb::ExportUserResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let id = user_id_or_own(&caller, request.get_ref().id);
        Ok(Response::new(pb::ExportUserResponse { json: self.user_admin.export_personal_data(&caller, id).await? }))
    }
}

/// Returns the user id from the request, or the caller's own user id when the request contains 0.
fn user_id_or_own(caller: &Caller, id: i64) -> i64 {
    if id == 0 { caller.user_id } else { id }
}

fn parse_new_user(asked: pb::CreateUserRequest) -> Result<NewUserInput, Error> {
    let (hmc, role) = (Hmc::parse(&asked.hmc)?, role(asked.role)?);
    Ok(NewUserInput { hmc, password: asked.password, role, must_change: asked.must_change_password })
}

fn parse_user_change(asked: pb::UpdateUserRequest) -> Result<UserChangeInput, Error> {
    Ok(UserChangeInput {
        id: asked.id,
        hmc: asked.hmc.as_deref().map(Hmc::parse).transpose()?,
        role: asked.role.map(role).transpose()?,
        password: asked.password,
    })
}
