//! Routes with which supervisors manage the accounts of other users.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{IdFromPath, JsonBody, SessionIdFromPath},
    },
    http::problem::{ApiResult, PlainTextErrorMarker, Problem, ProblemBody},
    routes::sessions,
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
    middleware::map_response,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use http::{HeaderName, HeaderValue, StatusCode, header::RETRY_AFTER};
use patio_proto::{access::Role, auth as pb};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes with which supervisors manage user accounts.
pub fn routes() -> OpenApiRouter<AppState> {
    let in_words = OpenApiRouter::new().routes(routes!(update_user)).layer(map_response(as_text));
    OpenApiRouter::new()
        .merge(in_words)
        .routes(routes!(list_users))
        .routes(routes!(sign_up))
        .routes(routes!(delete_user))
        .routes(routes!(lift_lockout))
        .routes(routes!(user_sessions, end_user_sessions))
        .routes(routes!(end_user_session))
        .routes(routes!(user_data))
}

/// User account in the responses of the user routes.
#[derive(Serialize, ToSchema)]
struct User {
    id: i64,
    hmc: String,
    user_type: UserType,
    created_at: DateTime<Utc>,
    last_login_at: Option<DateTime<Utc>>,
}

impl From<pb::User> for User {
    fn from(user: pb::User) -> Self {
        Self {
            id: user.id,
            user_type: user.role().into(),
            created_at: json_values::to_datetime_or_epoch(user.created_at.as_ref()),
            last_login_at: json_values::to_optional_datetime(user.last_login_at.as_ref()),
            hmc: user.hmc,
        }
    }
}

/// User account to create.
#[derive(Deserialize, ToSchema)]
struct NewUser {
    hmc: String,
    /// Password, 8 to 128 characters.
    password: String,
    user_type: UserType,
    /// Whether the user must change the password at the first sign-in.
    #[serde(default)]
    must_change_password: bool,
}

/// Changes to a user account. Absent fields keep their value.
#[derive(Deserialize, ToSchema)]
struct EditUser {
    hmc: Option<String>,
    user_type: Option<UserType>,
    /// New password, 8 to 128 characters; the password is unchanged when absent.
    password: Option<String>,
}

/// Lists all users except the reserved developer account.
#[utoipa::path(get, path = "/users", tag = "users", responses((status = 200, description = "The users.", body = Vec<User>)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ListUsers"))))]
async fn list_users(State(api): State<AppState>, signed: AuthenticatedCaller) -> ApiResult<Json<Vec<User>>> {
    let users = api.users().list_users(signed.grpc_request(pb::ListUsersRequest {})).await?.into_inner().users;
    Ok(Json(users.into_iter().map(User::from).collect()))
}

/// Creates a user. Creating a supervisor requires a sign-in or `POST /me/confirm` within the last five minutes.
#[utoipa::path(post, path = "/sign-up", tag = "users", request_body = NewUser,
    responses((status = 201, description = "The new user.", body = User),
        (status = 409, description = "The hmc is taken or reserved.", body = ProblemBody),
        (status = 422, description = "The password breaks a rule.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/CreateUser"))))]
async fn sign_up(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    JsonBody(body): JsonBody<NewUser>,
) -> ApiResult<(StatusCode, Json<User>)> {
    let role = Role::from(body.user_type).into();
    let request = pb::CreateUserRequest { hmc: body.hmc, password: body.password, role, must_change_password: body.must_change_password };
    let user = api.users().create_user(signed.grpc_request(request)).await?.into_inner();
    Ok((StatusCode::CREATED, Json(user.into())))
}

/// Changes a user, who then has to sign in again. Setting a password or promoting a user to supervisor requires a sign-in or
/// `POST /me/confirm` within the last five minutes. If the call sets a password, the user must change that password at the next
/// sign-in. Errors are plain text, with the error code in the header `x-code`.
#[utoipa::path(put, path = "/users/{id}", tag = "users", params(("id" = i64, Path, minimum = 1)), request_body = EditUser,
    responses((status = 200, description = "The changed user.", body = User),
        (status = 409, description = "The hmc is taken, or the change would leave no supervisor.", body = ProblemBody),
        (status = 422, description = "The password breaks a rule.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/UpdateUser")), ("x-refusals" = json!("text"))))]
async fn update_user(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    JsonBody(body): JsonBody<EditUser>,
) -> ApiResult<Json<User>> {
    let role = body.user_type.map(|user_type| Role::from(user_type).into());
    let request = pb::UpdateUserRequest { id, hmc: body.hmc, role, password: body.password };
    Ok(Json(api.users().update_user(signed.grpc_request(request)).await?.into_inner().into()))
}

/// Deletes a user account.
#[utoipa::path(delete, path = "/users/{id}", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Deleted.", body = Success),
        (status = 409, description = "The caller's own account and the last supervisor cannot be deleted.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/DeleteUser"))))]
async fn delete_user(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Json<Success>> {
    api.users().delete_user(signed.grpc_request(pb::DeleteUserRequest { id })).await?;
    Ok(Json(Success { success: true }))
}

/// Removes all lockouts and limits that failed sign-ins have caused for a user.
#[utoipa::path(delete, path = "/users/{id}/lockout", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The user can sign in again.", body = Success)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/LiftLockout"))))]
async fn lift_lockout(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Json<Success>> {
    api.users().lift_lockout(signed.grpc_request(pb::LiftLockoutRequest { id })).await?;
    Ok(Json(Success { success: true }))
}

/// Lists the open sessions of a user.
#[utoipa::path(get, path = "/users/{id}/sessions", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The open sessions, most recently used first.", body = OpenSessions)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/ListSessions")), ("x-at-least" = json!("admin"))))]
async fn user_sessions(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
) -> ApiResult<Json<OpenSessions>> {
    sessions::list_sessions_by_user_id(&api, &signed, id).await
}

/// Ends all sessions of a user, except the caller's current session.
#[utoipa::path(delete, path = "/users/{id}/sessions", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Number of ended sessions.", body = EndedSessions)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/EndSessions")), ("x-at-least" = json!("admin"))))]
async fn end_user_sessions(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
) -> ApiResult<Json<EndedSessions>> {
    sessions::end_other_sessions_of_user(&api, &signed, id).await
}

/// Ends one session of a user.
#[utoipa::path(delete, path = "/users/{id}/sessions/{session}", tag = "users",
    params(("id" = i64, Path, minimum = 1), ("session" = String, Path, format = Uuid)),
    responses((status = 200, description = "Ended.", body = Success)),
    extensions(("x-rpc" = json!("/patio.auth.v1.SessionService/EndSessions")), ("x-at-least" = json!("admin"))))]
async fn end_user_session(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    SessionIdFromPath(session): SessionIdFromPath,
) -> ApiResult<Json<Success>> {
    sessions::end_session_of_user(&api, &signed, id, session).await
}

/// Returns all personal data stored about a user.
#[utoipa::path(get, path = "/users/{id}/data", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The personal data.", body = PersonalData)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ExportUser")), ("x-at-least" = json!("admin"))))]
async fn user_data(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Response> {
    if signed.caller.role != Role::Admin {
        // Other callers read their own data from `/me/data`; this path is for supervisors only.
        return Err(Problem::new(StatusCode::FORBIDDEN, "NOT_ALLOWED", "Your access level does not allow this."));
    }
    sessions::export_user_data(&api, &signed, id).await
}

/// Converts a JSON error response to plain text, which existing clients of the route `PUT /users/{id}` expect.
async fn as_text(response: Response) -> Response {
    let Some(problem) = response.extensions().get::<Problem>().cloned() else { return response };
    let mut text = (problem.status, problem.body.message.clone()).into_response();
    if let Ok(code) = HeaderValue::from_str(&problem.body.code) {
        text.headers_mut().insert(HeaderName::from_static("x-code"), code);
    }
    if let Some(seconds) = response.headers().get(RETRY_AFTER) {
        text.headers_mut().insert(RETRY_AFTER, seconds.clone());
    }
    text.extensions_mut().insert(PlainTextErrorMarker);
    text
}
