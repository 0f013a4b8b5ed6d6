//! The people who use Patio.
use super::{Reply, role};
use crate::{
    door::Door,
    error::Error,
    hmc::Hmc,
    people::{Act, Change, People},
    store::users::Stored,
};
use patio_kit::{
    audit,
    identity::{self, Caller},
};
use patio_proto::auth::{self as pb, user_service_server::UserService};
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// Most names of one question.
const MOST_NAMES: usize = 10_000;

/// Serves the people.
pub struct Users {
    /// Their rules.
    pub people: People,
    /// Where they come in.
    pub door: Arc<Door>,
}

impl Users {
    fn accept<T>(&self, request: Request<T>) -> Result<(Act, T), Status> {
        let (caller, address) = (identity::caller(&request)?, audit::address(&request));
        Ok((Act { caller, now: self.people.clock.now(), address }, request.into_inner()))
    }
}

#[tonic::async_trait]
impl UserService for Users {
    async fn list_users(&self, _: Request<pb::ListUsersRequest>) -> Reply<pb::ListUsersReply> {
        let users = self.people.list().await?;
        Ok(Response::new(pb::ListUsersReply { users: users.into_iter().map(Stored::wire).collect() }))
    }

    async fn create_user(&self, request: Request<pb::CreateUserRequest>) -> Reply<pb::User> {
        let (act, asked) = self.accept(request)?;
        let made = self.people.create(act, Hmc::parse(&asked.hmc)?, asked.password, role(asked.role)?).await?;
        Ok(Response::new(made.wire()))
    }

    async fn update_user(&self, request: Request<pb::UpdateUserRequest>) -> Reply<pb::User> {
        let (act, asked) = self.accept(request)?;
        let changed = self.people.update(act, change(asked)?).await?;
        Ok(Response::new(changed.wire()))
    }

    async fn delete_user(&self, request: Request<pb::DeleteUserRequest>) -> Reply<pb::DeleteUserReply> {
        let (act, asked) = self.accept(request)?;
        self.people.delete(act, asked.id).await?;
        Ok(Response::new(pb::DeleteUserReply {}))
    }

    async fn lift_lockout(&self, request: Request<pb::LiftLockoutRequest>) -> Reply<pb::LiftLockoutReply> {
        let (act, asked) = self.accept(request)?;
        Ok(Response::new(pb::LiftLockoutReply { lifted: self.door.lift_lockout(act, asked.id).await? }))
    }

    async fn get_names(&self, request: Request<pb::GetNamesRequest>) -> Reply<pb::GetNamesReply> {
        let ids = request.into_inner().ids;
        if ids.len() > MOST_NAMES {
            return Err(Error::BadField { field: "ids", why: "must be at most 10,000" }.into());
        }
        Ok(Response::new(pb::GetNamesReply { names: self.people.names(&ids).await? }))
    }

    async fn export_user(&self, request: Request<pb::ExportUserRequest>) -> Reply<pb::ExportUserReply> {
        let caller = identity::caller(&request)?;
        let id = whose(&caller, request.get_ref().id);
        Ok(Response::new(pb::ExportUserReply { json: self.people.export(&caller, id).await? }))
    }
}

/// Without an id one asks for one's own.
fn whose(caller: &Caller, id: i64) -> i64 {
    if id == 0 { caller.user_id } else { id }
}

fn change(asked: pb::UpdateUserRequest) -> Result<Change, Error> {
    Ok(Change {
        id: asked.id,
        hmc: asked.hmc.as_deref().map(Hmc::parse).transpose()?,
        role: asked.role.map(role).transpose()?,
        password: asked.password,
    })
}
