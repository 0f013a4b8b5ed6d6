//! Who did what, when: the entries of all services, merged by time.
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, Reply},
    input::Asked,
    page, values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use futures::future::try_join_all;
use patio_kit::{clock, link::Link};
use patio_proto::{
    audit::{self as pb, audit_service_client::AuditServiceClient},
    auth,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list_audit))
}

/// How far back one may page; further back `to` leads.
const DEEPEST: usize = 2000;
/// Entries a service gives at once.
const AT_ONCE: i32 = 200;

/// Which entries.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct AuditQuery {
    /// Counted from 0.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// 1 to 200, 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
    /// Contained in subject or summary, whatever the case.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// One kind, such as `vehicle-changed`.
    #[param(max_length = 40, nullable = false)]
    kind: Option<String>,
    /// What one person did.
    #[param(max_length = 200, nullable = false)]
    hmc: Option<String>,
    /// From this moment on.
    #[param(nullable = false)]
    from: Option<DateTime<Utc>>,
    /// Up to this moment.
    #[param(nullable = false)]
    to: Option<DateTime<Utc>>,
}

/// One thing that happened.
#[derive(Serialize, ToSchema)]
struct AuditEvent {
    /// The service that keeps it and its number there.
    id: String,
    at: DateTime<Utc>,
    /// Who did it, unless nobody was signed in.
    hmc: Option<String>,
    /// The role it was done in.
    user_type: Option<String>,
    kind: String,
    subject: String,
    summary: String,
    /// Where the call came from.
    ip: Option<String>,
    /// The fields that changed, as they were.
    #[schema(value_type = Option<Object>)]
    old: Option<Value>,
    /// The fields that changed, as they are since.
    #[schema(value_type = Option<Object>)]
    new: Option<Value>,
}

/// A JSON object as a service keeps it; none for an empty text.
fn object(kept: &str) -> Option<Value> {
    serde_json::from_str(kept).ok().filter(Value::is_object)
}

/// Where in the list one is.
#[derive(Serialize, ToSchema)]
struct AuditMeta {
    /// Counted from 0.
    page_index: i32,
    per_page: i32,
    /// What is known without counting everything: exact on the last page, else one more than the pages so far hold.
    total_count: i64,
    has_more: bool,
}

/// One page of what happened.
#[derive(Serialize, ToSchema)]
struct AuditPage {
    events: Vec<AuditEvent>,
    meta: AuditMeta,
}

/// Lists what happened, newest first. Page deeper than 2,000 entries by setting `to`.
#[utoipa::path(get, path = "/logs/audit", tag = "logs", params(AuditQuery),
    responses((status = 200, description = "One page.", body = AuditPage)),
    extensions(("x-rpc" = json!("/patio.audit.v1.AuditService/ListEvents"))))]
async fn list_audit(State(api): State<Api>, signed: Signed, Asked(query): Asked<AuditQuery>) -> Reply<Json<AuditPage>> {
    let page = page::of(query.page, query.per_page)?;
    let size = usize::try_from(page.size).unwrap_or_default();
    let skipped = usize::try_from(page.index).unwrap_or_default() * size;
    if skipped + size > DEEPEST {
        return Err(Problem::field("page", "it lies deeper than 2000 entries; narrow the list with `to`"));
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

/// The newest entries of all services, at most `wanted`.
async fn merged(api: &Api, signed: &Signed, filter: &pb::ListEventsRequest, wanted: usize) -> Reply<Vec<Kept>> {
    let asked = api.audits().map(|(name, service)| newest((name, service), signed, filter.clone(), wanted));
    let mut merged: Vec<Kept> = try_join_all(asked).await?.into_iter().flatten().collect();
    merged.sort_by_key(|kept| std::cmp::Reverse(kept.order()));
    merged.truncate(wanted);
    Ok(merged)
}

/// What every service is asked for; none when nobody has that hmc.
async fn filter(api: &Api, signed: &Signed, query: AuditQuery) -> Reply<Option<pb::ListEventsRequest>> {
    let search = page::search(query.search)?;
    let user_id = match query.hmc.as_deref().map(str::trim).filter(|hmc| !hmc.is_empty()) {
        None => None,
        Some(hmc) => match user(api, signed, hmc).await? {
            Some(id) => Some(id),
            None => return Ok(None),
        },
    };
    Ok(Some(pb::ListEventsRequest {
        kind: query.kind.unwrap_or_default(),
        user_id,
        search,
        from: query.from.map(clock::timestamp),
        to: query.to.map(clock::timestamp),
        ..Default::default()
    }))
}

/// The id of a person by hmc: one's own, which no list shows, or another's.
async fn user(api: &Api, signed: &Signed, hmc: &str) -> Reply<Option<i64>> {
    let own = api.sessions().get_me(signed.sign(auth::GetMeRequest {})).await?.into_inner();
    if own.hmc.eq_ignore_ascii_case(hmc) {
        return Ok(Some(own.id));
    }
    let users = api.users().list_users(signed.sign(auth::ListUsersRequest {})).await?.into_inner().users;
    Ok(users.into_iter().find(|user| user.hmc.to_lowercase() == hmc.to_lowercase()).map(|user| user.id))
}

struct Kept {
    service: &'static str,
    event: pb::Event,
}

impl Kept {
    fn order(&self) -> (DateTime<Utc>, &'static str, i64) {
        (values::moment(self.event.at.as_ref()), self.service, self.event.id)
    }
}

/// The newest entries of one service, as many as asked for or as there are.
async fn newest(
    (service, mut log): (&'static str, AuditServiceClient<Link>),
    signed: &Signed,
    mut ask: pb::ListEventsRequest,
    wanted: usize,
) -> Reply<Vec<Kept>> {
    let mut kept: Vec<Kept> = Vec::new();
    while kept.len() < wanted {
        let limit = i32::try_from(wanted - kept.len()).unwrap_or(AT_ONCE).min(AT_ONCE);
        ask.limit = limit;
        let events = log.list_events(signed.sign(ask.clone())).await?.into_inner().events;
        let was_all = events.len() < usize::try_from(limit).unwrap_or_default();
        if let Some(last) = events.last() {
            (ask.before, ask.before_id) = (last.at, last.id);
        }
        kept.extend(events.into_iter().map(|event| Kept { service, event }));
        if was_all {
            break;
        }
    }
    Ok(kept)
}

async fn shown(api: &Api, signed: &Signed, kept: Vec<Kept>) -> Vec<AuditEvent> {
    let people = api.names.of(signed, kept.iter().filter_map(|kept| kept.event.user_id)).await;
    let show = |Kept { service, event }: Kept| AuditEvent {
        id: format!("{service}-{}", event.id),
        at: values::moment(event.at.as_ref()),
        hmc: event.user_id.map(|id| people.name(id)),
        user_type: values::role_text(event.role()),
        kind: event.kind,
        subject: event.subject,
        summary: event.summary,
        ip: Some(event.address).filter(|address| !address.is_empty()),
        old: object(&event.old_values),
        new: object(&event.new_values),
    };
    kept.into_iter().map(show).collect()
}
