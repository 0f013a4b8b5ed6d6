//! Route with which the developer account reads the audit log. The gateway merges the audit entries of all services by time.
use crate::{
    extract::{auth::AuthenticatedCaller, query, request_parts::QueryParams},
    http::problem::{ApiResult, Problem},
    state::AppState,
    views::json_values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use patio_kit::{client::service_channel::ServiceChannel, clock};
use patio_proto::{
    audit::{self as pb, audit_service_client::AuditServiceClient},
    auth,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that lists audit entries.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_audit))
}

/// Maximum number of audit entries that a client can reach by paging. For older entries, the client sets the parameter `to`.
const MAX_ENTRIES: usize = 2000;
/// Maximum number of audit entries requested from a service per call.
const ENTRIES_PER_CALL: i32 = 200;

/// Query parameters that filter the audit log.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// Text that the subject or the summary of an entry must contain, ignoring case; all entries when absent.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// Kind of the returned entries, such as `vehicle-changed`; all kinds when absent.
    #[param(max_length = 40, nullable = false)]
    kind: Option<String>,
    /// Whether the list contains page views (entries of the kind `page-view`); true when absent.
    #[param(nullable = false)]
    page_views: Option<bool>,
    /// Login name (HMC) of the user whose actions are returned; actions of all users when absent.
    #[param(max_length = 200, nullable = false)]
    hmc: Option<String>,
    /// Earliest time of the returned entries, inclusive; no limit when absent.
    #[param(nullable = false)]
    from: Option<DateTime<Utc>>,
    /// Latest time of the returned entries, inclusive; no limit when absent.
    #[param(nullable = false)]
    to: Option<DateTime<Utc>>,
}

/// Entry of the audit log: which user did what and when.
#[derive(Serialize, ToSchema)]
struct AuditEvent {
    /// Id of the audit entry: the name of the service that stores the entry, and the entry's number in that service.
    id: String,
    at: DateTime<Utc>,
    /// Login name (HMC) of the user who acted; null when no signed-in user acted.
    hmc: Option<String>,
    /// Role that the user had when acting, or `service` when a service acted; null when the caller was not signed in.
    user_type: Option<String>,
    kind: String,
    subject: String,
    summary: String,
    /// Client address of the call; null when unknown.
    ip: Option<String>,
    /// Values of the changed fields before the change; null when the entry contains no old values.
    #[schema(value_type = Option<Object>)]
    old: Option<Value>,
    /// Values of the changed fields after the change; null when the entry contains no new values.
    #[schema(value_type = Option<Object>)]
    new: Option<Value>,
}

/// Parses a JSON object stored in an audit entry; `None` when the text is empty or not an object.
fn object(kept: &str) -> Option<Value> {
    serde_json::from_str(kept).ok().filter(Value::is_object)
}

/// Paging metadata of the audit log.
#[derive(Serialize, ToSchema)]
struct AuditMeta {
    /// Number of the returned page, counted from 0.
    page_index: i32,
    per_page: i32,
    /// Total number of matching audit entries if this page is the last. Otherwise only a lower bound: the number of entries up to
    /// the end of this page, plus 1.
    total_count: i64,
    has_more: bool,
}

/// One page of the audit log.
#[derive(Serialize, ToSchema)]
struct AuditPage {
    events: Vec<AuditEvent>,
    meta: AuditMeta,
}

/// Lists audit entries, newest first. Only the latest 2,000 matching entries can be paged; for older entries, set the parameter `to`
/// to an earlier time.
#[utoipa::path(get, path = "/logs/audit", tag = "logs", params(query::PageQuery, AuditQuery),
    responses((status = 200, description = "One page.", body = AuditPage)),
    extensions(("x-rpc" = json!("/patio.audit.v1.AuditService/ListEvents"))))]
async fn list_audit(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(page): QueryParams<query::PageQuery>,
    QueryParams(query): QueryParams<AuditQuery>,
) -> ApiResult<Json<AuditPage>> {
    let page = page.to_page()?;
    let size = usize::try_from(page.size).unwrap_or_default();
    let skipped = usize::try_from(page.index).unwrap_or_default() * size;
    if skipped + size > MAX_ENTRIES {
        return Err(Problem::invalid_field("page", "Only the latest 2,000 events are listed. Narrow the filters."));
    }
    let wanted = skipped + size + 1;
    let merged = match filter(&api, &signed, query).await? {
        Some(filter) => merged(&api, &signed, &filter, wanted).await?,
        None => Vec::new(),
    };
    let (has_more, total_count) = (merged.len() == wanted, i64::try_from(merged.len()).unwrap_or(i64::MAX));
    let meta = AuditMeta { page_index: page.index, per_page: page.size, has_more, total_count };
    let events = shown(&api, &signed, merged.into_iter().skip(skipped).take(size).collect()).await;
    Ok(Json(AuditPage { events, meta }))
}

/// Returns the latest audit entries of all services together: at most `wanted` entries, newest first.
async fn merged(api: &AppState, signed: &AuthenticatedCaller, filter: &pb::ListEventsRequest, wanted: usize) -> ApiResult<Vec<Kept>> {
    let asked = api.audit_service_clients().map(|(name, service)| newest((name, service), signed, filter.clone(), wanted));
    let mut merged: Vec<Kept> = try_join_all(asked).await?.into_iter().flatten().collect();
    merged.sort_by_key(|kept| std::cmp::Reverse(kept.order()));
    merged.truncate(wanted);
    Ok(merged)
}

/// Builds the audit query sent to every service; `None` when no user has the requested login name (HMC).
async fn filter(api: &AppState, signed: &AuthenticatedCaller, query: AuditQuery) -> ApiResult<Option<pb::ListEventsRequest>> {
    let search = query::validate_search_text(query.search)?;
    let user_id = match query.hmc.as_deref().map(str::trim).filter(|hmc| !hmc.is_empty()) {
        None => None,
        Some(hmc) => match user(api, signed, hmc).await? {
            Some(id) => Some(id),
            None => return Ok(None),
        },
    };
    Ok(Some(pb::ListEventsRequest {
        kind: query.kind.unwrap_or_default(),
        exclude_page_views: query.page_views == Some(false),
        user_id,
        search,
        from: query.from.map(clock::to_timestamp),
        to: query.to.map(clock::to_timestamp),
        ..Default::default()
    }))
}

/// Looks up the id of a user by login name (HMC); `None` when no user has the name. The caller's own name is compared
/// first, since the user list does not contain the reserved developer account.
async fn user(api: &AppState, signed: &AuthenticatedCaller, hmc: &str) -> ApiResult<Option<i64>> {
    let own = api.sessions().get_me(signed.grpc_request(auth::GetMeRequest {})).await?.into_inner();
    if own.hmc.eq_ignore_ascii_case(hmc) {
        return Ok(Some(own.id));
    }
    let users = api.users().list_users(signed.grpc_request(auth::ListUsersRequest {})).await?.into_inner().users;
    Ok(users.into_iter().find(|user| user.hmc.to_lowercase() == hmc.to_lowercase()).map(|user| user.id))
}

struct Kept {
    service: &'static str,
    event: pb::Event,
}

impl Kept {
    fn order(&self) -> (DateTime<Utc>, &'static str, i64) {
        (json_values::to_datetime_or_epoch(self.event.at.as_ref()), self.service, self.event.id)
    }
}

/// Returns the latest audit entries of one service: at most `wanted` entries, newest first. Calls the service several times if
/// `wanted` exceeds [`ENTRIES_PER_CALL`].
async fn newest(
    (service, mut log): (&'static str, AuditServiceClient<ServiceChannel>),
    signed: &AuthenticatedCaller,
    mut request: pb::ListEventsRequest,
    wanted: usize,
) -> ApiResult<Vec<Kept>> {
    let mut kept: Vec<Kept> = Vec::new();
    while kept.len() < wanted {
        let limit = i32::try_from(wanted - kept.len()).unwrap_or(ENTRIES_PER_CALL).min(ENTRIES_PER_CALL);
        request.limit = limit;
        let events = log.list_events(signed.grpc_request(request.clone())).await?.into_inner().events;
        let was_all = events.len() < usize::try_from(limit).unwrap_or_default();
        if let Some(last) = events.last() {
            (request.before, request.before_id) = (last.at, last.id);
        }
        kept.extend(events.into_iter().map(|event| Kept { service, event }));
        if was_all {
            break;
        }
    }
    Ok(kept)
}

async fn shown(api: &AppState, signed: &AuthenticatedCaller, kept: Vec<Kept>) -> Vec<AuditEvent> {
    let people = api.names.resolve_names(signed.call_context(), kept.iter().filter_map(|kept| kept.event.user_id)).await;
    let show = |Kept { service, event }: Kept| AuditEvent {
        id: format!("{service}-{}", event.id),
        at: json_values::to_datetime_or_epoch(event.at.as_ref()),
        hmc: event.user_id.map(|id| people.name(id)),
        user_type: json_values::role_text(event.role()),
        kind: event.kind,
        subject: event.subject,
        summary: event.summary,
        ip: Some(event.address).filter(|address| !address.is_empty()),
        old: object(&event.old_values),
        new: object(&event.new_values),
    };
    kept.into_iter().map(show).collect()
}
