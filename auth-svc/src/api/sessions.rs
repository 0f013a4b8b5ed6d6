//! gRPC `SessionService`: signing in and out, sessions, the caller's own account and page views.
use crate::{
    access_events::{AccessEvent, AccessEventLog},
    admin_action::AdminActionContext,
    api::Reply,
    error::Error,
    hmc::Hmc,
    password,
    sessions::{self, SessionsToEnd},
    sign_in::{PasswordChangeInput, SignInAttempt, SignInService},
    store::{sessions::StoredSession, user_audit_entries::audit_subject, users},
};
use chrono::DateTime;
use patio_kit::{
    audit::{self, AuditEvent},
    auth::identity::{self, Caller},
    clock,
    lifecycle::BackgroundTasks,
};
use patio_proto::auth::{self as pb, session_service_server::SessionService};
use serde_json::json;
use std::sync::Arc;
use tonic::{Request, Response};

/// Kind of an audit entry that records a call rejected because of the caller's role.
const REJECTED_CALL_KIND: &str = "refused";
/// Maximum length in characters of the page name in a report of a page view.
const MAX_PAGE_NAME_LEN: usize = 200;
/// Maximum length in characters of a timestamp that a browser sends, for example the time of a page view.
const MAX_TIMESTAMP_LEN: usize = 64;
/// Maximum length of a client IP address in bytes, enough for an IPv6 address with a zone id.
const MAX_ADDRESS_LEN: usize = 64;

/// Maximum length of the description of browser and operating system, in characters.
const MAX_DEVICE_LEN: usize = 60;
/// Maximum number of session ids in one request that ends sessions. A phone sends this request after users signed out on the phone
/// while the phone was offline.
const MAX_ENDED_SESSIONS: usize = 20;
/// Maximum length of a session id in a request, in bytes.
const MAX_SESSION_ID_LEN: usize = 40;

/// Handlers of the gRPC `SessionService`: sign-in, sign-out, sessions, the caller's own account and page views.
pub struct SessionApi {
    /// Sign-in service, which also gives access to the database and the clock.
    pub sign_in_service: Arc<SignInService>,
    /// Background tasks in which sign-ins run to completion even when the client disconnects.
    pub tasks: BackgroundTasks,
    /// Writer of audit entries for page views, sign-ins and rejected calls. Repetitions within a minute are only counted.
    pub access_events: Arc<AccessEventLog>,
}

#[tonic::async_trait]
impl SessionService for SessionApi {
    async fn sign_in(&self, request: Request<pb::SignInRequest>) -> Reply<pb::Session> {
        // The task continues after the client disconnects. Otherwise, the reserved attempt would count as a failed attempt.
        let (attempt, sign_in_service) = (parse_attempt(request)?, self.sign_in_service.clone());
        let admitted = self.tasks.run_to_completion(async move { sign_in_service.sign_in(attempt).await }).await;
        let admitted = admitted.ok_or_else(|| Error::Internal("the sign-in task ended without a result".to_owned()))??;
        Ok(Response::new(pb::Session {
            token: admitted.issued_token.token,
            user: Some(admitted.user.to_proto()),
            expires_at: Some(clock::to_timestamp(admitted.issued_token.expires_at)),
            device_mark: admitted.device_token,
            session_id: admitted.session_id,
            seal_key: admitted.phone_key,
        }))
    }

    async fn end_left_sessions(&self, request: Request<pb::EndLeftSessionsRequest>) -> Reply<pb::EndLeftSessionsResponse> {
        let (address, asked) = (audit::client_address(&request), request.into_inner());
        let ids = asked.session_ids;
        if !(1..=MAX_ENDED_SESSIONS).contains(&ids.len()) || ids.iter().any(|id| id.len() > MAX_SESSION_ID_LEN) {
            return Err(Error::InvalidField { field: "session_ids", why: "must contain 1 to 20 ids" }.into());
        }
        sessions::end_sessions_after_offline_sign_out(
            &self.sign_in_service.db,
            &self.sign_in_service.clock,
            &self.sign_in_service.identity,
            ids,
            address,
        )
        .await?;
        Ok(Response::new(pb::EndLeftSessionsResponse {}))
    }

    async fn list_sessions(&self, request: Request<pb::ListSessionsRequest>) -> Reply<pb::ListSessionsResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let found = sessions::list(&self.sign_in_service.db, &caller, user_id_or_own(&caller, request.get_ref().user_id)).await?;
        let sessions = found.into_iter().map(|open| to_proto(open, &caller)).collect();
        Ok(Response::new(pb::ListSessionsResponse { sessions }))
    }

    async fn end_sessions(&self, request: Request<pb::EndSessionsRequest>) -> Reply<pb::EndSessionsResponse> {
        let act = AdminActionContext {
            caller: identity::authenticated_caller(&request)?,
            now: self.sign_in_service.clock.now(),
            address: audit::client_address(&request),
        };
        let asked = request.into_inner();
        let user_id = user_id_or_own(&act.caller, asked.user_id);
        let which = if asked.session_id.is_empty() { SessionsToEnd::Others } else { SessionsToEnd::One(asked.session_id) };
        let ended = sessions::end_sessions(&self.sign_in_service.db, &self.sign_in_service.identity, act, user_id, which).await?;
        Ok(Response::new(pb::EndSessionsResponse { ended: i32::try_from(ended).unwrap_or(i32::MAX) }))
    }

    async fn confirm_password(&self, request: Request<pb::ConfirmPasswordRequest>) -> Reply<pb::ConfirmPasswordResponse> {
        let (caller, address) = (identity::authenticated_caller(&request)?, audit::client_address(&request));
        let password = request.into_inner().password;
        check_password_len(&password, "password")?;
        self.sign_in_service.confirm_password(&caller, password, &address).await?;
        Ok(Response::new(pb::ConfirmPasswordResponse {}))
    }

    async fn sign_out(&self, request: Request<pb::SignOutRequest>) -> Reply<pb::SignOutResponse> {
        let (caller, address) = (identity::authenticated_caller(&request)?, audit::client_address(&request));
        sessions::sign_out(&self.sign_in_service.db, &self.sign_in_service.clock, &self.sign_in_service.identity, caller, address).await?;
        Ok(Response::new(pb::SignOutResponse {}))
    }

    async fn confirm_session(&self, request: Request<pb::ConfirmSessionRequest>) -> Reply<pb::ConfirmSessionResponse> {
        let (caller, address) = (identity::authenticated_caller(&request)?, audit::client_address(&request));
        sessions::confirm_session(&self.sign_in_service.db, &self.sign_in_service.clock, &self.sign_in_service.identity, caller, address)
            .await?;
        Ok(Response::new(pb::ConfirmSessionResponse {}))
    }

    async fn get_me(&self, request: Request<pb::GetMeRequest>) -> Reply<pb::User> {
        let id = identity::authenticated_caller(&request)?.signed_in_user_id().ok_or(Error::NotAllowed)?;
        let user = users::find_by_id(&self.sign_in_service.db, id).await?.ok_or(Error::NotSignedIn)?;
        Ok(Response::new(user.to_proto()))
    }

    async fn change_own_password(&self, request: Request<pb::ChangeOwnPasswordRequest>) -> Reply<pb::User> {
        let (caller, address) = (identity::authenticated_caller(&request)?, audit::client_address(&request));
        let asked = request.into_inner();
        check_password_len(&asked.old_password, "old_password")?;
        let change = PasswordChangeInput { old: asked.old_password, new: asked.new_password, address };
        let user = self.sign_in_service.change_own_password(&caller, change).await?;
        Ok(Response::new(user.to_proto()))
    }

    async fn record_page_view(&self, request: Request<pb::RecordPageViewRequest>) -> Reply<pb::RecordPageViewResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let id = caller.signed_in_user_id().ok_or(Error::NotAllowed)?;
        self.access_events.record_event(AccessEvent { event: page_view_event(id, &request)?, caller }).await?;
        Ok(Response::new(pb::RecordPageViewResponse {}))
    }
}

/// Checks the fields of a sign-in request and returns the sign-in attempt. A malformed request is not counted as a sign-in
/// attempt.
fn parse_attempt(request: Request<pb::SignInRequest>) -> Result<SignInAttempt, Error> {
    let fallback = audit::client_address(&request);
    let asked = request.into_inner();
    let hmc = Hmc::parse(&asked.hmc)?;
    check_password_len(&asked.password, "password")?;
    Ok(SignInAttempt {
        hmc,
        password: asked.password,
        address: address_or_fallback(asked.address, fallback),
        device_tokens: asked.device_marks,
        is_limited: asked.is_limited,
        device: asked.device.chars().filter(|c| !c.is_control()).take(MAX_DEVICE_LEN).collect(),
    })
}

/// Returns the user id from the request, or the caller's own user id when the request contains 0.
fn user_id_or_own(caller: &Caller, user_id: i64) -> i64 {
    if user_id == 0 { caller.user_id } else { user_id }
}

fn to_proto(open: StoredSession, caller: &Caller) -> pb::OpenSession {
    let moment = |ms| DateTime::from_timestamp_millis(ms).map(clock::to_timestamp);
    pb::OpenSession {
        current: open.id == caller.session_id,
        begun_at: moment(open.begun_ms),
        used_at: moment(open.used_ms),
        ends_at: moment(open.ends_ms),
        id: open.id,
        device: open.device,
        address: open.address,
    }
}

/// Checks that a password to be verified is not blank and not too long. The rules for new passwords do not apply.
fn check_password_len(password: &str, field: &'static str) -> Result<(), Error> {
    if password.trim().is_empty() {
        return Err(Error::InvalidField { field, why: "must not be blank" });
    }
    if password.chars().count() > password::MAX_PASSWORD_LEN {
        return Err(Error::InvalidField { field, why: "must have at most 128 characters" });
    }
    Ok(())
}

/// Returns `forwarded`, the client IP address from the request message. Returns `fallback` when `forwarded` is empty or too long.
fn address_or_fallback(forwarded: String, fallback: String) -> String {
    if forwarded.is_empty() || forwarded.len() > MAX_ADDRESS_LEN { fallback } else { forwarded }
}

fn page_view_event(user_id: i64, request: &Request<pb::RecordPageViewRequest>) -> Result<AuditEvent, Error> {
    let asked = request.get_ref();
    let (came_in, refused) = (asked.kind == "login", asked.kind == REJECTED_CALL_KIND);
    let page = if asked.page.is_empty() && !came_in { &asked.kind } else { &asked.page };
    check_text(page, "page", MAX_PAGE_NAME_LEN)?;
    check_text(&asked.told_at, "told_at", MAX_TIMESTAMP_LEN)?;
    let (kind, summary) = match (came_in, refused) {
        (true, _) => ("login", "the browser finished signing in".to_owned()),
        (_, true) => (REJECTED_CALL_KIND, format!("was denied access to {page}")),
        _ => ("page-view", format!("opened {page}")),
    };
    Ok(AuditEvent {
        kind,
        subject: audit_subject(user_id),
        summary,
        new: (!asked.told_at.is_empty()).then(|| json!({ "told_at": asked.told_at })),
        address: address_or_fallback(asked.address.clone(), audit::client_address(request)),
        ..AuditEvent::default()
    })
}

fn check_text(text: &str, field: &'static str, longest: usize) -> Result<(), Error> {
    if text.chars().count() > longest || text.chars().any(char::is_control) {
        return Err(Error::InvalidField { field, why: "is too long or has control characters" });
    }
    Ok(())
}
