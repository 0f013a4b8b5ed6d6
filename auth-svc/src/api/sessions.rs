//! Signing in and out, and what a person does with the own account.
use super::Reply;
use crate::{
    door::{Attempt, Door, OwnPassword},
    error::Error,
    hmc::Hmc,
    password, sessions,
    store::{export::subject, users},
};
use patio_kit::{
    audit::{self, Event},
    clock, identity,
    lifecycle::Tasks,
};
use patio_proto::auth::{self as pb, session_service_server::SessionService};
use serde_json::json;
use std::sync::Arc;
use tonic::{Request, Response};

/// The kind of an entry about a call that a role does not allow.
const REFUSED: &str = "refused";
/// The longest name of a page, in characters.
const LONGEST_PAGE: usize = 200;
/// The longest moment as a browser tells it, in characters.
const LONGEST_MOMENT: usize = 64;
/// The longest address; none is longer than a scoped IPv6 one.
const LONGEST_ADDRESS: usize = 64;

/// Serves signing in and out.
pub struct Sessions {
    /// Where people come in.
    pub door: Arc<Door>,
    /// What goes on when its caller is gone.
    pub tasks: Tasks,
}

#[tonic::async_trait]
impl SessionService for Sessions {
    async fn sign_in(&self, request: Request<pb::SignInRequest>) -> Reply<pb::Session> {
        // Whoever loses the signal after asking is not counted as having failed: a try that was booked is settled.
        let (attempt, door) = (attempt(request)?, self.door.clone());
        let admitted = self.tasks.whole(async move { door.sign_in(attempt).await }).await;
        let admitted = admitted.ok_or_else(|| Error::Broken("signing in ended without an answer".to_owned()))??;
        Ok(Response::new(pb::Session {
            token: admitted.minted.token,
            user: Some(admitted.user.wire()),
            expires_at: Some(clock::timestamp(admitted.minted.expires_at)),
            device_mark: admitted.mark,
        }))
    }

    async fn sign_out(&self, request: Request<pb::SignOutRequest>) -> Reply<pb::SignOutReply> {
        let (caller, address) = (identity::caller(&request)?, audit::address(&request));
        sessions::sign_out(&self.door.db, &self.door.clock, &self.door.identity, caller, address).await?;
        Ok(Response::new(pb::SignOutReply {}))
    }

    async fn confirm_session(&self, request: Request<pb::ConfirmSessionRequest>) -> Reply<pb::ConfirmSessionReply> {
        let (caller, address) = (identity::caller(&request)?, audit::address(&request));
        sessions::confirm(&self.door.db, &self.door.clock, &self.door.identity, caller, address).await?;
        Ok(Response::new(pb::ConfirmSessionReply {}))
    }

    async fn get_me(&self, request: Request<pb::GetMeRequest>) -> Reply<pb::User> {
        let id = identity::caller(&request)?.person().ok_or(Error::NotAllowed)?;
        let user = users::by_id(&self.door.db, id).await?.ok_or(Error::NotSignedIn)?;
        Ok(Response::new(user.wire()))
    }

    async fn change_own_password(&self, request: Request<pb::ChangeOwnPasswordRequest>) -> Reply<pb::User> {
        let (caller, address) = (identity::caller(&request)?, audit::address(&request));
        let asked = request.into_inner();
        check_tried(&asked.old_password, "old_password")?;
        let change = OwnPassword { old: asked.old_password, new: asked.new_password, address };
        let user = self.door.change_own_password(&caller, change).await?;
        Ok(Response::new(user.wire()))
    }

    async fn log_visit(&self, request: Request<pb::LogVisitRequest>) -> Reply<pb::LogVisitReply> {
        let caller = identity::caller(&request)?;
        let id = caller.person().ok_or(Error::NotAllowed)?;
        let (now, event) = (self.door.clock.now(), visit(id, &request)?);
        self.door
            .db
            .write(move |tx| Box::pin(async move { audit::append(tx, now, Some(&caller), event).await }))
            .await
            .map_err(Error::from)?;
        Ok(Response::new(pb::LogVisitReply {}))
    }
}

/// What can be a sign-in; anything else is refused without counting.
fn attempt(request: Request<pb::SignInRequest>) -> Result<Attempt, Error> {
    let fallback = audit::address(&request);
    let asked = request.into_inner();
    let hmc = Hmc::parse(&asked.hmc)?;
    check_tried(&asked.password, "password")?;
    Ok(Attempt {
        hmc,
        password: asked.password,
        address: address(asked.address, fallback),
        marks: asked.device_marks,
        is_limited: asked.is_limited,
    })
}

/// A password somebody tries; it need not meet the rules for new ones.
fn check_tried(password: &str, field: &'static str) -> Result<(), Error> {
    if password.trim().is_empty() {
        return Err(Error::BadField { field, why: "must not be blank" });
    }
    if password.chars().count() > password::LONGEST {
        return Err(Error::BadField { field, why: "must have at most 128 characters" });
    }
    Ok(())
}

/// The address as the message tells it, else as the call does.
fn address(told: String, fallback: String) -> String {
    if told.is_empty() || told.len() > LONGEST_ADDRESS { fallback } else { told }
}

fn visit(user_id: i64, request: &Request<pb::LogVisitRequest>) -> Result<Event, Error> {
    let asked = request.get_ref();
    let (came_in, refused) = (asked.kind == "login", asked.kind == REFUSED);
    let page = if asked.page.is_empty() && !came_in { &asked.kind } else { &asked.page };
    check_text(page, "page", LONGEST_PAGE)?;
    check_text(&asked.told_at, "told_at", LONGEST_MOMENT)?;
    let (kind, summary) = match (came_in, refused) {
        (true, _) => ("login", "the browser finished signing in".to_owned()),
        (_, true) => (REFUSED, format!("was refused {page}")),
        _ => ("page-view", format!("opened {page}")),
    };
    Ok(Event {
        kind,
        subject: subject(user_id),
        summary,
        new: (!asked.told_at.is_empty()).then(|| json!({ "told_at": asked.told_at })),
        address: address(asked.address.clone(), audit::address(request)),
        ..Event::default()
    })
}

fn check_text(text: &str, field: &'static str, longest: usize) -> Result<(), Error> {
    if text.chars().count() > longest || text.chars().any(char::is_control) {
        return Err(Error::BadField { field, why: "is too long or has control characters" });
    }
    Ok(())
}
