//! Route with which supervisors read the history of a user. The gateway merges the audit entries of auth-svc and the bulk jobs of
//! vehicle-svc by time.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::{ApiResult, ProblemBody},
    routes::merged_history::{
        BulkChangeEvent, MergedHistoryEntry, MergedHistoryQuery, MergedHistoryWindow, NamedFieldChange, list_changed_fields,
    },
    state::AppState,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_kit::client::user_names::UserNameMap;
use patio_proto::{auth, vehicle as pb};
use serde::Serialize;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that lists the history of a user.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_user_history))
}

/// History of a user, newest first.
#[derive(Serialize, ToSchema)]
struct UserHistory {
    entries: Vec<UserEvent>,
    /// Value of the query parameter `before` that requests the next page; null on the last page.
    next: Option<String>,
}

/// Event in the history of a user: an event of the account, or a bulk change or undo that the user made.
#[derive(Serialize, ToSchema)]
struct UserEvent {
    at: DateTime<Utc>,
    /// Login name (HMC) of the user who caused the event; null when the caller was not signed in.
    by_hmc: Option<String>,
    /// Kind of the audit entry, such as `login`; empty for bulk changes.
    kind: String,
    /// Summary of the audit entry; empty for bulk changes.
    summary: String,
    /// Changed fields of the account; empty for other events.
    fields: Vec<NamedFieldChange>,
    /// Bulk change or undo that the user made; null for other events.
    bulk: Option<BulkChangeEvent>,
}

impl UserEvent {
    fn new(entry: MergedHistoryEntry, people: &UserNameMap) -> Self {
        let (at, by_hmc) = (entry.timestamp(), entry.user_id().map(|id| people.name(id)));
        match entry {
            MergedHistoryEntry::Audit(event) => {
                let fields = if event.kind == "user-changed" { list_changed_fields(&event) } else { Vec::new() };
                Self { at, by_hmc, kind: event.kind, summary: event.summary, fields, bulk: None }
            }
            MergedHistoryEntry::Job(event) => {
                Self { at, by_hmc, kind: String::new(), summary: String::new(), fields: Vec::new(), bulk: Some(event.into()) }
            }
        }
    }
}

/// Lists the history of a user, newest first: sign-ins, lockouts, ended sessions, account changes, and the bulk changes and undos of the
/// last 90 days.
#[utoipa::path(get, path = "/users/{id}/history", tag = "users", params(("id" = i64, Path, minimum = 1), MergedHistoryQuery),
    responses((status = 200, description = "One page.", body = UserHistory),
        (status = 404, description = "The user does not exist.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.auth.v1.UserService/ListUserHistory"))))]
async fn list_user_history(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<MergedHistoryQuery>,
) -> ApiResult<Json<UserHistory>> {
    let page = MergedHistoryWindow::from_query(&query)?;
    let request = auth::ListUserHistoryRequest { user_id: id, window: page.audit_history_window() };
    let jobs_request = pb::ListUserJobsRequest { user_id: id, window: page.job_history_window() };
    let (mut users, mut history) = (api.users(), api.history());
    let (audit, jobs) =
        tokio::try_join!(users.list_user_history(signed.grpc_request(request)), history.list_user_jobs(signed.grpc_request(jobs_request)))?;
    let (entries, next) = page.merge_entries(audit.into_inner().events, jobs.into_inner().events);
    let people = api.names.resolve_names(signed.call_context(), entries.iter().filter_map(MergedHistoryEntry::user_id)).await;
    Ok(Json(UserHistory { entries: entries.into_iter().map(|entry| UserEvent::new(entry, &people)).collect(), next }))
}
