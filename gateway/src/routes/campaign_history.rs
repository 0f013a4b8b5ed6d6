//! Route with which team leaders and supervisors read the history of a campaign. The gateway merges the audit entries of
//! campaign-svc and the bulk jobs of vehicle-svc by time.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::{ApiResult, ProblemBody},
    routes::merged_history::{
        BulkChangeEvent, MergedHistoryEntry, MergedHistoryQuery, MergedHistoryWindow, NamedFieldChange, list_changed_fields,
        parse_field_values,
    },
    state::AppState,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_kit::client::user_names::UserNameMap;
use patio_proto::{campaign, vehicle as pb};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that lists the history of a campaign.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_campaign_history))
}

/// History of a campaign, newest first.
#[derive(Serialize, ToSchema)]
struct CampaignHistory {
    entries: Vec<CampaignEvent>,
    /// Value of the query parameter `before` that requests the next page; null on the last page.
    next: Option<String>,
}

/// Event in the history of a campaign: its import, a change, or a bulk change of its vehicles.
#[derive(Serialize, ToSchema)]
struct CampaignEvent {
    at: DateTime<Utc>,
    /// Login name (HMC) of the user who caused the event; null for an automatic status change after inspections.
    by_hmc: Option<String>,
    /// Number of imported vehicles when the event is the import; null for other events.
    imported: Option<i64>,
    /// Changed fields of the campaign; empty for an import and for bulk changes.
    fields: Vec<NamedFieldChange>,
    /// Bulk change of vehicles of the campaign; null for other events.
    bulk: Option<BulkChangeEvent>,
}

impl CampaignEvent {
    fn new(entry: MergedHistoryEntry, people: &UserNameMap) -> Self {
        let (at, by_hmc) = (entry.timestamp(), entry.user_id().map(|id| people.name(id)));
        match entry {
            MergedHistoryEntry::Audit(event) if event.kind == "campaign-imported" => {
                let imported = parse_field_values(&event.new_values).get("total_vehicles").and_then(Value::as_i64);
                Self { at, by_hmc, imported: Some(imported.unwrap_or_default()), fields: Vec::new(), bulk: None }
            }
            MergedHistoryEntry::Audit(event) => Self { at, by_hmc, imported: None, fields: list_changed_fields(&event), bulk: None },
            MergedHistoryEntry::Job(event) => Self { at, by_hmc, imported: None, fields: Vec::new(), bulk: Some(event.into()) },
        }
    }
}

/// Lists the history of a campaign, newest first. The history contains the import, changes of fields and status, and the bulk changes of
/// the last 90 days with their undos.
#[utoipa::path(get, path = "/campaigns/{id}/history", tag = "campaigns", params(("id" = i64, Path, minimum = 1), MergedHistoryQuery),
    responses((status = 200, description = "One page.", body = CampaignHistory),
        (status = 404, description = "The campaign does not exist.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/ListCampaignHistory"))))]
async fn list_campaign_history(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<MergedHistoryQuery>,
) -> ApiResult<Json<CampaignHistory>> {
    let page = MergedHistoryWindow::from_query(&query)?;
    let request = campaign::ListCampaignHistoryRequest { id, window: page.audit_history_window() };
    let jobs_request = pb::ListCampaignJobsRequest { campaign_id: id, window: page.job_history_window() };
    let (mut campaigns, mut history) = (api.campaigns(), api.history());
    let (audit, jobs) = tokio::try_join!(
        campaigns.list_campaign_history(signed.grpc_request(request)),
        history.list_campaign_jobs(signed.grpc_request(jobs_request))
    )?;
    let (entries, next) = page.merge_entries(audit.into_inner().events, jobs.into_inner().events);
    let people = api.names.resolve_names(signed.call_context(), entries.iter().filter_map(MergedHistoryEntry::user_id)).await;
    Ok(Json(CampaignHistory { entries: entries.into_iter().map(|entry| CampaignEvent::new(entry, &people)).collect(), next }))
}
