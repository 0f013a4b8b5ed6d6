//! Signing in and out, and what a person sees and changes of oneself.
use crate::{
    api::Api,
    bearer::{Signed, Visitor, mark_cookie},
    error::Reply,
    input::Sent,
    values::{self, UserType},
};
use axum::{
    Json,
    extract::State,
    response::{IntoResponse, Response},
};
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

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new()
        .routes(routes!(sign_in, sign_out))
        .routes(routes!(get_me))
        .routes(routes!(change_password))
        .routes(routes!(own_data))
}

/// What a person signs in with.
#[derive(Deserialize, ToSchema)]
struct Credentials {
    /// The register number.
    hmc: String,
    password: String,
}

/// A session that has begun.
#[derive(Serialize, ToSchema)]
struct Session {
    /// To be sent as `Authorization: Bearer …`.
    token: String,
    id: i64,
    hmc: String,
    user_type: UserType,
    expires_at: DateTime<Utc>,
}

/// The signed-in person.
#[derive(Serialize, ToSchema)]
struct Me {
    id: i64,
    hmc: String,
    user_type: UserType,
    /// Whether this is the developer account.
    developer: bool,
    /// What the product calls itself.
    product_name: String,
}

/// A change of one's own password.
#[derive(Deserialize, ToSchema)]
struct ChangePassword {
    old: String,
    /// 8 to 128 characters.
    new: String,
}

/// Everything the product holds about a person; its fields may grow.
#[derive(Serialize, ToSchema)]
#[schema(value_type = Object)]
pub struct PersonalData(serde_json::Value);

/// Signs a person in.
#[utoipa::path(post, path = "/sessions", tag = "sessions", request_body = Credentials,
    responses((status = 200, description = "Signed in.", body = Session),
        (status = 429, description = "Too many tries.", body = crate::error::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/SignIn"))))]
async fn sign_in(State(api): State<Api>, visitor: Visitor, Sent(body): Sent<Credentials>) -> Reply<(HeaderMap, Json<Session>)> {
    // What can be no sign-in costs nobody a try; auth-svc refuses it before it looks at anything.
    let counts = !body.hmc.trim().is_empty() && !body.password.trim().is_empty();
    let is_limited = counts && api.sign_ins.take(&visitor.address, Instant::now()).is_err();
    let ask = pb::SignInRequest {
        hmc: body.hmc,
        password: body.password,
        address: visitor.address.clone(),
        device_marks: visitor.device_marks.clone(),
        is_limited,
    };
    let session = api.sessions().sign_in(visitor.sign(ask)).await?.into_inner();
    let cookie = mark_cookie(&session.device_mark, &visitor.device_marks, visitor.secure).map(|cookie| (SET_COOKIE, cookie));
    let user = session.user.unwrap_or_default();
    let session = Session {
        token: session.token,
        id: user.id,
        user_type: user.role().into(),
        hmc: user.hmc,
        expires_at: values::moment(session.expires_at.as_ref()),
    };
    Ok((HeaderMap::from_iter(cookie), Json(session)))
}

/// Ends the session; its token is dead at once.
#[utoipa::path(delete, path = "/sessions", tag = "sessions", responses((status = 204, description = "Signed out.")),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/SignOut"))))]
async fn sign_out(State(api): State<Api>, signed: Signed) -> Reply<StatusCode> {
    api.sessions().sign_out(signed.sign(pb::SignOutRequest {})).await?;
    let ended = pb::Revocation {
        session_id: signed.caller.session_id.clone(),
        user_id: signed.caller.user_id,
        forget_at: Some(clock::timestamp(signed.caller.expires_at)),
        ..Default::default()
    };
    api.host.identity.revoke(&[ended]); // here at once; elsewhere within the second the services take to hear of it
    Ok(StatusCode::NO_CONTENT)
}

/// Returns the signed-in person.
#[utoipa::path(get, path = "/me", tag = "sessions", responses((status = 200, description = "The signed-in person.", body = Me)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/GetMe"))))]
async fn get_me(State(api): State<Api>, signed: Signed) -> Reply<Json<Me>> {
    let user = api.sessions().get_me(signed.sign(pb::GetMeRequest {})).await?.into_inner();
    let product_name = api.config.product_name.clone();
    Ok(Json(Me { id: user.id, user_type: user.role().into(), hmc: user.hmc, developer: user.developer, product_name }))
}

/// Changes one's own password; every other session of that person ends.
#[utoipa::path(put, path = "/me/password", tag = "sessions", request_body = ChangePassword,
    responses((status = 204, description = "Changed."),
        (status = 422, description = "The new password breaks a rule.", body = crate::error::ProblemBody),
        (status = 429, description = "Too many wrong tries.", body = crate::error::ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/ChangeOwnPassword"))))]
async fn change_password(State(api): State<Api>, signed: Signed, Sent(body): Sent<ChangePassword>) -> Reply<StatusCode> {
    let ask = pb::ChangeOwnPasswordRequest { old_password: body.old, new_password: body.new };
    api.sessions().change_own_password(signed.sign(ask)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Returns all that the product holds about the signed-in person.
#[utoipa::path(get, path = "/me/data", tag = "sessions", responses((status = 200, description = "All that is held.", body = PersonalData)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ExportUser"))))]
async fn own_data(State(api): State<Api>, signed: Signed) -> Reply<Response> {
    let id = signed.caller.user_id;
    export(&api, &signed, id).await
}

/// The export of a person's data, passed on as auth-svc wrote it.
pub async fn export(api: &Api, signed: &Signed, id: i64) -> Reply<Response> {
    let export = api.users().export_user(signed.sign(pb::ExportUserRequest { id })).await?.into_inner();
    Ok(([(CONTENT_TYPE, "application/json")], export.json).into_response())
}
