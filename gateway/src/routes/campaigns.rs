//! Routes with which users list, read, change and delete campaigns, and read the progress of a campaign.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        query,
        request_parts::{IdFromPath, JsonBody, QueryParams},
    },
    http::problem::{ApiResult, Problem, ProblemBody},
    state::AppState,
    views::{
        json_values::{self, CampaignStatus},
        success_response::Success,
    },
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_kit::{client::user_names::UserNameMap, clock};
use patio_proto::{
    campaign::{self as pb, CampaignStatus as Wire},
    status, vehicle,
};
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that list, read, change and delete campaigns.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_campaigns)).routes(routes!(campaign_progress)).routes(routes!(
        get_campaign,
        update_campaign,
        delete_campaign
    ))
}

/// Inspection campaign with its progress.
#[derive(Serialize, ToSchema)]
pub struct Campaign {
    id: i64,
    name: String,
    description: String,
    part: String,
    status: CampaignStatus,
    /// Id of the yard to which the vehicle counts and `next` are limited; null when the request names no yard.
    id_yard: Option<i32>,
    yard_name: Option<String>,
    image: String,
    model_type: String,
    created_by_name: String,
    modified_by_name: Option<String>,
    created_at: DateTime<Utc>,
    modified_at: DateTime<Utc>,
    /// Time until which the inspection should be finished; null when no due date is set.
    due_at: Option<DateTime<Utc>>,
    /// Id of the first uninspected vehicle in walking order (by yard, then parking space); null when all vehicles are inspected.
    next: Option<i64>,
    total_vehicles: i64,
    total_inspected: i64,
    /// Whether the progress is temporarily unavailable. While it is, `next` is null, and `total_vehicles` and `total_inspected`
    /// are 0.
    progress_unknown: bool,
    /// Whether the campaign has vehicles and all its vehicles are inspected.
    #[serde(rename = "allClosed")]
    all_closed: bool,
}

impl Campaign {
    fn of(campaign: pb::Campaign, people: &UserNameMap) -> Self {
        Self {
            id: campaign.id,
            status: campaign.status().into(),
            name: campaign.name,
            description: campaign.description,
            part: campaign.part,
            id_yard: campaign.id_yard,
            yard_name: query::find_yard_name(campaign.id_yard),
            image: campaign.image,
            model_type: campaign.model_type,
            created_by_name: people.name(campaign.created_by),
            modified_by_name: campaign.modified_by.map(|id| people.name(id)),
            created_at: json_values::to_datetime_or_epoch(campaign.created_at.as_ref()),
            modified_at: json_values::to_datetime_or_epoch(campaign.modified_at.as_ref().or(campaign.created_at.as_ref())),
            due_at: json_values::to_optional_datetime(campaign.due_at.as_ref()),
            next: campaign.next,
            total_vehicles: campaign.total_vehicles,
            total_inspected: campaign.total_inspected,
            progress_unknown: campaign.progress_unknown,
            all_closed: campaign.total_vehicles > 0 && campaign.total_vehicles == campaign.total_inspected,
        }
    }
}

/// Converts campaigns from their proto form, resolving all user names in one call.
pub async fn to_campaign_views(api: &AppState, signed: &AuthenticatedCaller, campaigns: Vec<pb::Campaign>) -> Vec<Campaign> {
    let ids: Vec<i64> = campaigns.iter().flat_map(|campaign| [Some(campaign.created_by), campaign.modified_by]).flatten().collect();
    let people = api.names.resolve_names(signed.call_context(), ids).await;
    campaigns.into_iter().map(|campaign| Campaign::of(campaign, &people)).collect()
}

async fn shown_one(api: &AppState, signed: &AuthenticatedCaller, campaign: pb::Campaign) -> ApiResult<Json<Campaign>> {
    to_campaign_views(api, signed, vec![campaign]).await.pop().map(Json).ok_or_else(Problem::internal_error)
}

/// Query parameters that filter the campaign list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Text that the name of a campaign must contain, ignoring case; all campaigns when absent.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// Status filter: `all` (default), `ongoing` for all campaigns that are not closed, `closed`, or the name of one status.
    #[param(inline, value_type = StatusFilter, required = false)]
    status: Option<String>,
    /// Id of the yard to which the list is limited; all yards when absent. The list contains campaigns with vehicles in the
    /// yard; vehicle counts and `next` refer to the yard.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
    /// Order of the list; newest campaigns first when absent. With `work`, campaigns in which the caller saved vehicles in the last twelve
    /// hours come first, followed by campaigns in which only other users did so. Other Ongoing campaigns follow, then other Ready
    /// campaigns. Pending Review campaigns and then Closed campaigns always come last.
    #[param(inline, value_type = ListOrder, required = false)]
    order: Option<String>,
}

/// Values of the query parameter `order`, which selects the order of the campaign list.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only documents the query parameter, which is parsed as text")]
enum ListOrder {
    #[schema(rename = "work")]
    Work,
}

/// Parses the query parameter `order`. Returns a 400 for any value other than `work`.
fn parse_order(order: Option<&str>) -> ApiResult<pb::CampaignOrder> {
    match order {
        None => Ok(pb::CampaignOrder::Unspecified),
        Some("work") => Ok(pb::CampaignOrder::Work),
        Some(_) => Err(Problem::invalid_field("order", "must be work")),
    }
}

/// Values of the query parameter `status`, which filters the campaign list.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only documents the query parameter, which is parsed as text")]
enum StatusFilter {
    #[schema(rename = "all")]
    All,
    #[schema(rename = "ongoing")]
    NotClosed,
    #[schema(rename = "closed")]
    ClosedOnes,
    Ready,
    Ongoing,
    #[schema(rename = "Pending Review")]
    PendingReview,
    Closed,
}

/// Returns the campaign statuses that a status filter selects; an empty list selects all campaigns.
fn statuses(filter: Option<&str>) -> ApiResult<Vec<Wire>> {
    match filter {
        None | Some("all") => Ok(Vec::new()),
        Some("ongoing") => Ok(vec![Wire::Ready, Wire::Ongoing, Wire::PendingReview]),
        Some(written) => status::parse_campaign_status(written)
            .map(|exact| vec![exact])
            .ok_or_else(|| Problem::invalid_field("status", "must be all, ongoing, closed, Ready, Ongoing, Pending Review or Closed")),
    }
}

/// One page of campaigns.
#[derive(Serialize, ToSchema)]
struct Campaigns {
    campaigns: Vec<Campaign>,
    meta: CampaignsMeta,
}

/// Paging metadata of the campaign list.
#[derive(Serialize, ToSchema)]
struct CampaignsMeta {
    /// Number of the returned page, counted from 0.
    page_index: i32,
    total_count: i64,
    per_page: i32,
    /// Name of the yard to which the list is limited; null when the request names no yard.
    yard_name: Option<String>,
}

/// Lists campaigns, newest first unless `order` is set.
#[utoipa::path(get, path = "/campaigns", tag = "campaigns", params(query::PageQuery, ListQuery),
    responses((status = 200, description = "One page.", body = Campaigns)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/ListCampaigns"))))]
async fn list_campaigns(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(page): QueryParams<query::PageQuery>,
    QueryParams(query): QueryParams<ListQuery>,
) -> ApiResult<Json<Campaigns>> {
    let yard = query::validate_yard_id(query.yard)?;
    let request = pb::ListCampaignsRequest {
        page: Some(page.to_page()?),
        search: query::validate_search_text(query.search)?,
        statuses: statuses(query.status.as_deref())?.into_iter().map(i32::from).collect(),
        yard,
        order: parse_order(query.order.as_deref())?.into(),
    };
    let reply = api.campaigns().list_campaigns(signed.grpc_request(request)).await?.into_inner();
    let meta = query::PageMeta::from(reply.meta);
    let (page_index, total_count, per_page) = (meta.page_index, meta.total_count, meta.per_page);
    let meta = CampaignsMeta { page_index, total_count, per_page, yard_name: query::find_yard_name(yard) };
    Ok(Json(Campaigns { campaigns: to_campaign_views(&api, &signed, reply.campaigns).await, meta }))
}

/// Optional query parameter that limits the result to one yard.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct YardQuery {
    /// Id of the yard to which the vehicle counts and `next` are limited; all yards when absent.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
}

/// Returns one campaign with its progress.
#[utoipa::path(get, path = "/campaigns/{id}", tag = "campaigns", params(("id" = i64, Path, minimum = 1), YardQuery),
    responses((status = 200, description = "The campaign.", body = Campaign)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/GetCampaign"))))]
async fn get_campaign(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<YardQuery>,
) -> ApiResult<Json<Campaign>> {
    let request = pb::GetCampaignRequest { id, yard: query::validate_yard_id(query.yard)? };
    let campaign = api.campaigns().get_campaign(signed.grpc_request(request)).await?.into_inner();
    shown_one(&api, &signed, campaign).await
}

/// Changes to a campaign. Absent fields keep their value, and unknown fields are ignored.
#[derive(Deserialize, ToSchema)]
struct EditCampaign {
    /// Id of the campaign. When present, the id must equal the id in the path.
    id: Option<i64>,
    name: Option<String>,
    description: Option<String>,
    status: Option<CampaignStatus>,
    image: Option<String>,
    model_type: Option<String>,
    part: Option<String>,
    /// Time until which the inspection should be finished; an explicit null removes the due date.
    #[serde(default, deserialize_with = "present")]
    #[schema(value_type = Option<DateTime<Utc>>)]
    due_at: Option<Option<DateTime<Utc>>>,
}

/// Deserializes a field that is present in the JSON: a value becomes `Some(Some(value))`, and null becomes `Some(None)`. With
/// `serde(default)`, an absent field becomes `None`.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<DateTime<Utc>>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

/// Changes a campaign. Operators may only start a campaign, by changing the status from Ready to Ongoing.
#[utoipa::path(put, path = "/campaigns/{id}", tag = "campaigns", params(("id" = i64, Path, minimum = 1)), request_body = EditCampaign,
    responses((status = 200, description = "The changed campaign.", body = Campaign),
        (status = 409, description = "The name is taken.", body = ProblemBody),
        (status = 422, description = "The campaign cannot change to this status.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/UpdateCampaign"))))]
async fn update_campaign(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    JsonBody(body): JsonBody<EditCampaign>,
) -> ApiResult<Json<Campaign>> {
    if body.id.is_some_and(|body_id| body_id != id) {
        return Err(Problem::invalid_field("id", "must equal the id in the path"));
    }
    let request = pb::UpdateCampaignRequest {
        id,
        name: body.name,
        description: body.description,
        status: body.status.map(|status| status.to_proto().into()),
        image: body.image,
        model_type: body.model_type,
        part: body.part,
        clear_due_at: body.due_at == Some(None),
        due_at: body.due_at.flatten().map(|at| json_values::validate_timestamp_range("due_at", at).map(clock::to_timestamp)).transpose()?,
    };
    let campaign = api.campaigns().update_campaign(signed.grpc_request(request)).await?.into_inner();
    shown_one(&api, &signed, campaign).await
}

/// Deletes a campaign and its vehicles.
#[utoipa::path(delete, path = "/campaigns/{id}", tag = "campaigns", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Deleted.", body = Success)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/DeleteCampaign"))))]
async fn delete_campaign(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Json<Success>> {
    api.campaigns().delete_campaign(signed.grpc_request(pb::DeleteCampaignRequest { id })).await?;
    Ok(Json(Success { success: true }))
}

/// Query parameter with the name of a campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NameQuery {
    /// Exact name of the campaign.
    #[param(min_length = 1, max_length = 200)]
    campaign_name: String,
}

/// Progress of a campaign: how many of its vehicles are inspected.
#[derive(Serialize, ToSchema)]
struct Progress {
    total_vehicles: i64,
    total_inspected: i64,
}

/// Returns the progress of the campaign with the given name.
#[utoipa::path(get, path = "/campaigns/progress", tag = "campaigns", params(NameQuery),
    responses((status = 200, description = "The progress.", body = Progress),
        (status = 404, description = "The campaign does not exist.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.YardService/GetProgress"))))]
async fn campaign_progress(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(query): QueryParams<NameQuery>,
) -> ApiResult<Json<Progress>> {
    let request = vehicle::GetProgressRequest { campaign_name: query::validate_campaign_name(query.campaign_name)?, ..Default::default() };
    let found = api.yards().get_progress(signed.grpc_request(request)).await?.into_inner().progress.into_iter().next();
    let found =
        found.ok_or_else(|| Problem::new(http::StatusCode::NOT_FOUND, "NO_CAMPAIGN", "Campaign not found. It may have been deleted."))?;
    Ok(Json(Progress { total_vehicles: found.total_vehicles, total_inspected: found.total_inspected }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn status_filters_select_the_specified_statuses_and_unknown_ones_are_rejected() {
        assert_eq!(statuses(None).unwrap(), []);
        assert_eq!(statuses(Some("all")).unwrap(), []);
        assert_eq!(statuses(Some("ongoing")).unwrap(), [Wire::Ready, Wire::Ongoing, Wire::PendingReview]);
        assert_eq!(statuses(Some("Ongoing")).unwrap(), [Wire::Ongoing]);
        assert_eq!(statuses(Some("closed")).unwrap(), [Wire::Closed]);
        assert_eq!(statuses(Some("Pending Review")).unwrap(), [Wire::PendingReview]);
        for odd in ["nothing", ""] {
            assert_eq!(statuses(Some(odd)).unwrap_err().status, 400);
        }
    }

    #[test]
    fn an_empty_campaign_is_not_complete() {
        let people = UserNameMap::default();
        let campaign = |total, inspected| {
            Campaign::of(pb::Campaign { total_vehicles: total, total_inspected: inspected, ..Default::default() }, &people)
        };
        assert!(!campaign(0, 0).all_closed && !campaign(2, 1).all_closed && campaign(2, 2).all_closed);
        assert_eq!(campaign(0, 0).created_by_name, "removed");
    }
}
