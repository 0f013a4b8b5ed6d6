//! The people who use the product.
use super::sessions::{self, PersonalData};
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{Id, Sent},
    values::{self, UserType},
};
use axum::{
    Json,
    extract::State,
    middleware::map_response,
    response::{IntoResponse, Response},
};
use chrono::{DateTime, Utc};
use http::{StatusCode, header::RETRY_AFTER};
use patio_proto::{access::Role, auth as pb};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    let in_words = OpenApiRouter::new().routes(routes!(update_user)).layer(map_response(as_text));
    OpenApiRouter::new()
        .merge(in_words)
        .routes(routes!(list_users))
        .routes(routes!(sign_up))
        .routes(routes!(delete_user))
        .routes(routes!(lift_lockout))
        .routes(routes!(user_data))
}

/// A user.
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
            created_at: values::moment(user.created_at.as_ref()),
            last_login_at: values::optional_moment(user.last_login_at.as_ref()),
            hmc: user.hmc,
        }
    }
}

/// A user to be created.
#[derive(Deserialize, ToSchema)]
struct NewUser {
    hmc: String,
    /// 8 to 128 characters.
    password: String,
    user_type: UserType,
}

/// What changes of a user; what is absent stays.
#[derive(Deserialize, ToSchema)]
struct EditUser {
    hmc: Option<String>,
    user_type: Option<UserType>,
    /// 8 to 128 characters.
    password: Option<String>,
}

/// It was done.
#[derive(Serialize, ToSchema)]
pub struct Success {
    /// Always true.
    pub success: bool,
}

/// Lists all users but the reserved one.
#[utoipa::path(get, path = "/users", tag = "users", responses((status = 200, description = "Everybody.", body = Vec<User>)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ListUsers"))))]
async fn list_users(State(api): State<Api>, signed: Signed) -> Reply<Json<Vec<User>>> {
    let users = api.users().list_users(signed.sign(pb::ListUsersRequest {})).await?.into_inner().users;
    Ok(Json(users.into_iter().map(User::from).collect()))
}

/// Creates a user.
#[utoipa::path(post, path = "/sign-up", tag = "users", request_body = NewUser,
    responses((status = 201, description = "The new user.", body = User),
        (status = 409, description = "The hmc is taken or reserved.", body = ProblemBody),
        (status = 422, description = "The password breaks a rule.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/CreateUser"))))]
async fn sign_up(State(api): State<Api>, signed: Signed, Sent(body): Sent<NewUser>) -> Reply<(StatusCode, Json<User>)> {
    let ask = pb::CreateUserRequest { hmc: body.hmc, password: body.password, role: Role::from(body.user_type).into() };
    let user = api.users().create_user(signed.sign(ask)).await?.into_inner();
    Ok((StatusCode::CREATED, Json(user.into())))
}

/// Changes a user; a changed one has to sign in again. Refusals are plain text.
#[utoipa::path(put, path = "/users/{id}", tag = "users", params(("id" = i64, Path, minimum = 1)), request_body = EditUser,
    responses((status = 200, description = "The changed user.", body = User),
        (status = 409, description = "The hmc is taken, or the last supervisor would be none.", body = ProblemBody),
        (status = 422, description = "The password breaks a rule.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/UpdateUser")), ("x-refusals" = json!("text"))))]
async fn update_user(State(api): State<Api>, signed: Signed, Id(id): Id, Sent(body): Sent<EditUser>) -> Reply<Json<User>> {
    let role = body.user_type.map(|told| Role::from(told).into());
    let ask = pb::UpdateUserRequest { id, hmc: body.hmc, role, password: body.password };
    Ok(Json(api.users().update_user(signed.sign(ask)).await?.into_inner().into()))
}

/// Deletes a user.
#[utoipa::path(delete, path = "/users/{id}", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Deleted.", body = Success),
        (status = 409, description = "One's own account, or the last supervisor.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/DeleteUser"))))]
async fn delete_user(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Json<Success>> {
    api.users().delete_user(signed.sign(pb::DeleteUserRequest { id })).await?;
    Ok(Json(Success { success: true }))
}

/// Lifts every block and limit that failed sign-ins have put on a user.
#[utoipa::path(delete, path = "/users/{id}/lockout", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Nothing keeps the user from signing in any more.", body = Success)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/LiftLockout"))))]
async fn lift_lockout(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Json<Success>> {
    api.users().lift_lockout(signed.sign(pb::LiftLockoutRequest { id })).await?;
    Ok(Json(Success { success: true }))
}

/// Returns all that the product holds about a person.
#[utoipa::path(get, path = "/users/{id}/data", tag = "users", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "All that is held.", body = PersonalData)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ExportUser")), ("x-at-least" = json!("admin"))))]
async fn user_data(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Response> {
    if signed.caller.role != Role::Admin {
        // One's own data has its own path; this one is for supervisors, whomever it names.
        return Err(Problem::new(StatusCode::FORBIDDEN, "NOT_ALLOWED", "your role does not allow this"));
    }
    sessions::export(&api, &signed, id).await
}

/// The same refusal in words only, as existing clients of this call read it.
async fn as_text(response: Response) -> Response {
    let Some(problem) = response.extensions().get::<Problem>().cloned() else { return response };
    let mut text = (problem.status, problem.body.message.clone()).into_response();
    if let Some(seconds) = response.headers().get(RETRY_AFTER) {
        text.headers_mut().insert(RETRY_AFTER, seconds.clone());
    }
    text.extensions_mut().insert(InWords);
    text
}

/// Marks a refusal that stays plain text.
#[derive(Debug, Clone, Copy)]
pub struct InWords;
