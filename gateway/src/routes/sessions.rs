//! Routes with which users sign in and out, and manage their own account: sessions, password and personal data.
use crate::{
    extract::{
        auth::{AnonymousClient, AuthenticatedCaller},
        request_parts::{JsonBody, SessionIdFromPath},
    },
    http::{
        device_cookie::build_device_cookie,
        problem::{ApiResult, Problem},
    },
    state::AppState,
    views::{
        json_values::{self, UserType},
        session::{EndedSessions, OpenSessions, PersonalData},
        success_response::Success,
    },
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use http::{
    HeaderMap, StatusCode,
    header::{CONTENT_TYPE, SET_COOKIE},
};
use patio_kit::clock;
use patio_proto::auth as pb;
use serde::{Deserialize, Serialize};
use std::time::Instant;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that sign users in and out, and manage the caller's own sessions, password and personal data.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(sign_in, sign_out))
        .routes(routes!(end_left))
        .routes(routes!(get_me))
        .routes(routes!(change_password))
        .routes(routes!(confirm_password))
        .routes(routes!(own_sessions, end_own_sessions))
        .routes(routes!(end_own_session))
        .routes(routes!(own_data))
}

/// Credentials for signing in.
#[derive(Deserialize, ToSchema)]
struct Credentials {
    /// Login name (HMC) of the user.
    hmc: String,
    password: String,
}

/// Session created by signing in.
#[derive(Serialize, ToSchema)]
struct Session {
    /// Session token, to send in the header `Authorization: Bearer …`.
    token: String,
    id: i64,
    hmc: String,
    user_type: UserType,
    expires_at: DateTime<Utc>,
    /// Id of the session. After an offline sign-out, the device later sends this id to `POST /sessions/ended` to end the session.
    session_id: String,
    /// Key with which the device encrypts saves that are not sent yet: 32 bytes in base64url without padding. Every sign-in of
    /// the user returns the same key.
    seal_key: String,
    /// Whether the user must change the password before making any other call. Can be true only after another user set the
    /// password.
    must_change_password: bool,
}

/// Account of the signed-in user.
#[derive(Serialize, ToSchema)]
struct Me {
    id: i64,
    hmc: String,
    user_type: UserType,
    /// Whether the signed-in user is the reserved developer account.
    developer: bool,
    /// Whether the user must change the password before making any other call. Can be true only after another user set the
    /// password.
    must_change_password: bool,
    /// Product name shown to users.
    product_name: String,
}

/// Request to change the caller's own password.
#[derive(Deserialize, ToSchema)]
struct ChangePassword {
    old: String,
    /// New password, 8 to 128 characters.
    new: String,
}

/// Request to confirm the caller's identity with the password.
#[derive(Deserialize, ToSchema)]
struct Confirm {
    password: String,
}

/// Request to end sessions whose users signed out while the device was offline.
#[derive(Deserialize, ToSchema)]
struct LeftSessions {
    /// Ids of the sessions to end, 1 to 20.
    #[schema(min_items = 1, max_items = 20)]
    session_ids: Vec<String>,
}

/// Signs a user in.
#[utoipa::path(post, path = "/sessions", tag = "sessions", request_body = Credentials,
    responses((status = 200, description = "Signed in.", body = Session),
        (status = 429, description = "Too many attempts.", body = crate::http::problem::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/SignIn"))))]
async fn sign_in(
    State(api): State<AppState>,
    visitor: AnonymousClient,
    JsonBody(body): JsonBody<Credentials>,
) -> ApiResult<(HeaderMap, Json<Session>)> {
    // An attempt without hmc or password does not count towards the rate limit; auth-svc rejects it before checking anything.
    let counts = !body.hmc.trim().is_empty() && !body.password.trim().is_empty();
    let is_limited = counts && api.sign_ins.try_take_token(&visitor.address, Instant::now()).is_err();
    let request = pb::SignInRequest {
        hmc: body.hmc,
        password: body.password,
        address: visitor.address.clone(),
        device_marks: visitor.device_tokens.clone(),
        is_limited,
        device: visitor.device.clone(),
    };
    let session = api.sessions().sign_in(visitor.grpc_request(request)).await?.into_inner();
    let cookie = build_device_cookie(&session.device_mark, &visitor.device_tokens, visitor.secure).map(|cookie| (SET_COOKIE, cookie));
    let user = session.user.unwrap_or_default();
    let session = Session {
        token: session.token,
        id: user.id,
        user_type: user.role().into(),
        hmc: user.hmc,
        expires_at: json_values::to_datetime_or_epoch(session.expires_at.as_ref()),
        session_id: session.session_id,
        seal_key: URL_SAFE_NO_PAD.encode(session.seal_key),
        must_change_password: user.must_change_password,
    };
    Ok((HeaderMap::from_iter(cookie), Json(session)))
}

/// Signs out: ends the caller's session and revokes the session's token immediately.
#[utoipa::path(delete, path = "/sessions", tag = "sessions", responses((status = 204, description = "Signed out.")),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/SignOut"))))]
async fn sign_out(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<StatusCode> {
    api.sessions().sign_out(signed.grpc_request(pb::SignOutRequest {})).await?;
    let ended = pb::Revocation {
        session_id: signed.caller.session_id.clone(),
        user_id: signed.caller.user_id,
        expires_at: Some(clock::to_timestamp(signed.caller.expires_at)),
        ..Default::default()
    };
    api.host.identity.add_revocations(&[ended]); // immediately in this process; other processes receive it within a second
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the account of the signed-in user.
#[utoipa::path(get, path = "/me", tag = "sessions", responses((status = 200, description = "The signed-in user.", body = Me)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/GetMe"))))]
async fn get_me(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<Json<Me>> {
    let user = api.sessions().get_me(signed.grpc_request(pb::GetMeRequest {})).await?.into_inner();
    let product_name = api.config.product_name.clone();
    let (user_type, must_change_password) = (user.role().into(), user.must_change_password);
    Ok(Json(Me { id: user.id, user_type, hmc: user.hmc, developer: user.developer, must_change_password, product_name }))
}

/// Ends sessions whose users signed out while the device was offline. Unknown and already ended sessions are ignored.
#[utoipa::path(post, path = "/sessions/ended", tag = "sessions", request_body = LeftSessions,
    responses((status = 204, description = "All given sessions are ended."),
        (status = 429, description = "Too many calls.", body = crate::http::problem::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/EndLeftSessions"))))]
async fn end_left(State(api): State<AppState>, visitor: AnonymousClient, JsonBody(body): JsonBody<LeftSessions>) -> ApiResult<StatusCode> {
    api.offline_sign_outs.try_take_token(&visitor.address, Instant::now()).map_err(|wait| {
        let text = "Too many requests from this network. Try again in a moment.";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "RATE_LIMITED", text).with_retry_after(wait)
    })?;
    api.sessions().end_left_sessions(visitor.grpc_request(pb::EndLeftSessionsRequest { session_ids: body.session_ids })).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Checks the caller's own password. For five minutes afterwards, the session may create supervisors and set passwords.
#[utoipa::path(post, path = "/me/confirm", tag = "sessions", request_body = Confirm,
    responses((status = 204, description = "The password is correct."),
        (status = 403, description = "The password is wrong.", body = crate::http::problem::ProblemBody),
        (status = 429, description = "Too many failed attempts.", body = crate::http::problem::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/ConfirmPassword"))))]
async fn confirm_password(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    JsonBody(body): JsonBody<Confirm>,
) -> ApiResult<StatusCode> {
    api.sessions().confirm_password(signed.grpc_request(pb::ConfirmPasswordRequest { password: body.password })).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the caller's own open sessions.
#[utoipa::path(get, path = "/me/sessions", tag = "sessions",
    responses((status = 200, description = "The open sessions, most recently used first.", body = OpenSessions)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/ListSessions"))))]
async fn own_sessions(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<Json<OpenSessions>> {
    list_sessions_by_user_id(&api, &signed, 0).await
}

/// Ends all of the caller's own sessions except the current session.
#[utoipa::path(delete, path = "/me/sessions", tag = "sessions",
    responses((status = 200, description = "Number of ended sessions.", body = EndedSessions)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/EndSessions"))))]
async fn end_own_sessions(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<Json<EndedSessions>> {
    end_other_sessions_of_user(&api, &signed, 0).await
}

/// Ends one of the caller's own sessions.
#[utoipa::path(delete, path = "/me/sessions/{session}", tag = "sessions", params(("session" = String, Path, format = Uuid)),
    responses((status = 200, description = "Ended.", body = Success)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/EndSessions"))))]
async fn end_own_session(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    SessionIdFromPath(id): SessionIdFromPath,
) -> ApiResult<Json<Success>> {
    end_session_of_user(&api, &signed, 0, id).await
}

/// Returns the open sessions of a user; user id 0 means the caller.
pub async fn list_sessions_by_user_id(api: &AppState, signed: &AuthenticatedCaller, user_id: i64) -> ApiResult<Json<OpenSessions>> {
    let found = api.sessions().list_sessions(signed.grpc_request(pb::ListSessionsRequest { user_id })).await?.into_inner().sessions;
    Ok(Json(found.into()))
}

/// Ends all sessions of a user except the caller's current session; user id 0 means the caller.
pub async fn end_other_sessions_of_user(api: &AppState, signed: &AuthenticatedCaller, user_id: i64) -> ApiResult<Json<EndedSessions>> {
    let request = pb::EndSessionsRequest { user_id, session_id: String::new() };
    Ok(Json(api.sessions().end_sessions(signed.grpc_request(request)).await?.into_inner().into()))
}

/// Ends one session of a user; user id 0 means the caller.
pub async fn end_session_of_user(
    api: &AppState,
    signed: &AuthenticatedCaller,
    user_id: i64,
    session_id: String,
) -> ApiResult<Json<Success>> {
    api.sessions().end_sessions(signed.grpc_request(pb::EndSessionsRequest { user_id, session_id })).await?;
    Ok(Json(Success { success: true }))
}

/// Changes the caller's own password and ends all sessions of the caller.
#[utoipa::path(put, path = "/me/password", tag = "sessions", request_body = ChangePassword,
    responses((status = 204, description = "Changed."),
        (status = 422, description = "The new password breaks a rule.", body = crate::http::problem::ProblemBody),
        (status = 429, description = "Too many failed attempts.", body = crate::http::problem::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/ChangeOwnPassword"))))]
async fn change_password(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    JsonBody(body): JsonBody<ChangePassword>,
) -> ApiResult<StatusCode> {
    let request = pb::ChangeOwnPasswordRequest { old_password: body.old, new_password: body.new };
    api.sessions().change_own_password(signed.grpc_request(request)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns all personal data stored about the caller.
#[utoipa::path(get, path = "/me/data", tag = "sessions", responses((status = 200, description = "The personal data.", body = PersonalData)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ExportUser"))))]
async fn own_data(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<Response> {
    let id = signed.caller.user_id;
    export_user_data(&api, &signed, id).await
}

/// Returns the response with all personal data of a user, as JSON text from auth-svc.
pub async fn export_user_data(api: &AppState, signed: &AuthenticatedCaller, id: i64) -> ApiResult<Response> {
    let export = api.users().export_user(signed.grpc_request(pb::ExportUserRequest { id })).await?.into_inner();
    Ok(([(CONTENT_TYPE, "application/json")], export.json).into_response())
}
