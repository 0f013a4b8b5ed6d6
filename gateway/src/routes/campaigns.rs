//! Campaigns.
use super::users::Success;
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::{Asked, Id, Sent},
    names::People,
    page,
    values::{self, CampaignStatus},
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use patio_proto::{
    campaign::{self as pb, CampaignStatus as Wire},
    status, vehicle,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list_campaigns)).routes(routes!(campaign_progress)).routes(routes!(
        get_campaign,
        update_campaign,
        delete_campaign
    ))
}

/// A campaign.
#[derive(Serialize, ToSchema)]
pub struct Campaign {
    id: i64,
    name: String,
    description: String,
    part: String,
    status: CampaignStatus,
    /// The yard that was asked for.
    id_yard: Option<i32>,
    yard_name: Option<String>,
    image: String,
    model_type: String,
    created_by_name: String,
    modified_by_name: Option<String>,
    created_at: DateTime<Utc>,
    modified_at: DateTime<Utc>,
    /// The next vehicle to inspect.
    next: Option<i64>,
    total_vehicles: i64,
    total_inspected: i64,
    /// Whether it has vehicles and all are inspected.
    #[serde(rename = "allClosed")]
    all_closed: bool,
}

impl Campaign {
    fn of(campaign: pb::Campaign, people: &People) -> Self {
        Self {
            id: campaign.id,
            status: campaign.status().into(),
            name: campaign.name,
            description: campaign.description,
            part: campaign.part,
            id_yard: campaign.id_yard,
            yard_name: page::yard_name(campaign.id_yard),
            image: campaign.image,
            model_type: campaign.model_type,
            created_by_name: people.name(campaign.created_by),
            modified_by_name: campaign.modified_by.map(|id| people.name(id)),
            created_at: values::moment(campaign.created_at.as_ref()),
            modified_at: values::moment(campaign.modified_at.as_ref().or(campaign.created_at.as_ref())),
            next: campaign.next,
            total_vehicles: campaign.total_vehicles,
            total_inspected: campaign.total_inspected,
            all_closed: campaign.total_vehicles > 0 && campaign.total_vehicles == campaign.total_inspected,
        }
    }
}

/// Campaigns as the API shows them, everybody's name looked up in one call.
pub async fn shown(api: &Api, signed: &Signed, campaigns: Vec<pb::Campaign>) -> Vec<Campaign> {
    let ids: Vec<i64> = campaigns.iter().flat_map(|campaign| [Some(campaign.created_by), campaign.modified_by]).flatten().collect();
    let people = api.names.of(signed, ids).await;
    campaigns.into_iter().map(|campaign| Campaign::of(campaign, &people)).collect()
}

async fn shown_one(api: &Api, signed: &Signed, campaign: pb::Campaign) -> Reply<Json<Campaign>> {
    shown(api, signed, vec![campaign]).await.pop().map(Json).ok_or_else(Problem::internal)
}

/// Which campaigns.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Counted from 0.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// 1 to 200, 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
    /// Contained in the name, whatever the case.
    #[param(max_length = 200, nullable = false)]
    search: Option<String>,
    /// `all` or absent for every one, `ongoing` for what is not closed, `closed`, or one exact status.
    #[param(inline, value_type = StatusFilter, required = false)]
    status: Option<String>,
    /// Only campaigns with vehicles in this yard; counts and `next` are then that yard's.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
}

/// What `status` may be.
#[derive(ToSchema)]
#[expect(dead_code, reason = "only describes the parameter, which is read whatever its case")]
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

/// The statuses a filter lets through; all when none is named.
fn statuses(filter: Option<&str>) -> Reply<Vec<Wire>> {
    match filter {
        None | Some("all") => Ok(Vec::new()),
        Some("ongoing") => Ok(vec![Wire::Ready, Wire::Ongoing, Wire::PendingReview]),
        Some(written) => status::parse_campaign(written)
            .map(|exact| vec![exact])
            .ok_or_else(|| Problem::field("status", "it is all, ongoing, closed, Ready, Ongoing, Pending Review or Closed")),
    }
}

/// One page of campaigns.
#[derive(Serialize, ToSchema)]
struct Campaigns {
    campaigns: Vec<Campaign>,
    meta: CampaignsMeta,
}

/// Where in the list one is.
#[derive(Serialize, ToSchema)]
struct CampaignsMeta {
    /// Counted from 0.
    page_index: i32,
    total_count: i64,
    per_page: i32,
    /// The yard that was asked for.
    yard_name: Option<String>,
}

/// Lists campaigns, newest first.
#[utoipa::path(get, path = "/campaigns", tag = "campaigns", params(ListQuery),
    responses((status = 200, description = "One page.", body = Campaigns)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/ListCampaigns"))))]
async fn list_campaigns(State(api): State<Api>, signed: Signed, Asked(query): Asked<ListQuery>) -> Reply<Json<Campaigns>> {
    let yard = page::yard(query.yard)?;
    let ask = pb::ListCampaignsRequest {
        page: Some(page::of(query.page, query.per_page)?),
        search: page::search(query.search)?,
        statuses: statuses(query.status.as_deref())?.into_iter().map(i32::from).collect(),
        yard,
    };
    let reply = api.campaigns().list_campaigns(signed.sign(ask)).await?.into_inner();
    let meta = page::Meta::from(reply.meta);
    let (page_index, total_count, per_page) = (meta.page_index, meta.total_count, meta.per_page);
    let meta = CampaignsMeta { page_index, total_count, per_page, yard_name: page::yard_name(yard) };
    Ok(Json(Campaigns { campaigns: shown(&api, &signed, reply.campaigns).await, meta }))
}

/// Of which yard.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct YardQuery {
    /// Counts and `next` are then that yard's.
    #[param(minimum = 1, maximum = 28, nullable = false)]
    yard: Option<i32>,
}

/// Returns one campaign.
#[utoipa::path(get, path = "/campaigns/{id}", tag = "campaigns", params(("id" = i64, Path, minimum = 1), YardQuery),
    responses((status = 200, description = "The campaign.", body = Campaign)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/GetCampaign"))))]
async fn get_campaign(State(api): State<Api>, signed: Signed, Id(id): Id, Asked(query): Asked<YardQuery>) -> Reply<Json<Campaign>> {
    let ask = pb::GetCampaignRequest { id, yard: page::yard(query.yard)? };
    let campaign = api.campaigns().get_campaign(signed.sign(ask)).await?.into_inner();
    shown_one(&api, &signed, campaign).await
}

/// What changes of a campaign; what is absent stays, what is not named here is ignored.
#[derive(Deserialize, ToSchema)]
struct EditCampaign {
    /// When given, the same as in the path.
    id: Option<i64>,
    name: Option<String>,
    description: Option<String>,
    status: Option<CampaignStatus>,
    image: Option<String>,
    model_type: Option<String>,
    part: Option<String>,
}

/// Changes a campaign; operators may only start one.
#[utoipa::path(put, path = "/campaigns/{id}", tag = "campaigns", params(("id" = i64, Path, minimum = 1)), request_body = EditCampaign,
    responses((status = 200, description = "The changed campaign.", body = Campaign),
        (status = 409, description = "The name is taken.", body = ProblemBody),
        (status = 422, description = "The status cannot go there.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/UpdateCampaign"))))]
async fn update_campaign(State(api): State<Api>, signed: Signed, Id(id): Id, Sent(body): Sent<EditCampaign>) -> Reply<Json<Campaign>> {
    if body.id.is_some_and(|told| told != id) {
        return Err(Problem::field("id", "it differs from the path's"));
    }
    let ask = pb::UpdateCampaignRequest {
        id,
        name: body.name,
        description: body.description,
        status: body.status.map(|status| status.wire().into()),
        image: body.image,
        model_type: body.model_type,
        part: body.part,
    };
    let campaign = api.campaigns().update_campaign(signed.sign(ask)).await?.into_inner();
    shown_one(&api, &signed, campaign).await
}

/// Deletes a campaign and its vehicles.
#[utoipa::path(delete, path = "/campaigns/{id}", tag = "campaigns", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "Deleted.", body = Success)),
    extensions(("x-rpc" = json!("/patio.campaign.v1.CampaignService/DeleteCampaign"))))]
async fn delete_campaign(State(api): State<Api>, signed: Signed, Id(id): Id) -> Reply<Json<Success>> {
    api.campaigns().delete_campaign(signed.sign(pb::DeleteCampaignRequest { id })).await?;
    Ok(Json(Success { success: true }))
}

/// Of which campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct NameQuery {
    /// The campaign's whole name.
    #[param(min_length = 1, max_length = 200)]
    campaign_name: String,
}

/// How far a campaign is.
#[derive(Serialize, ToSchema)]
struct Progress {
    total_vehicles: i64,
    total_inspected: i64,
}

/// Returns how far a campaign is, by its name.
#[utoipa::path(get, path = "/campaigns/progress", tag = "campaigns", params(NameQuery),
    responses((status = 200, description = "Its counts.", body = Progress),
        (status = 404, description = "There is no such campaign.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.YardService/GetProgress"))))]
async fn campaign_progress(State(api): State<Api>, signed: Signed, Asked(query): Asked<NameQuery>) -> Reply<Json<Progress>> {
    let ask = vehicle::GetProgressRequest { campaign_name: page::campaign_name(query.campaign_name)?, ..Default::default() };
    let found = api.yards().get_progress(signed.sign(ask)).await?.into_inner().progress.into_iter().next();
    let found = found.ok_or_else(|| Problem::new(http::StatusCode::NOT_FOUND, "NO_CAMPAIGN", "there is no such campaign"))?;
    Ok(Json(Progress { total_vehicles: found.total_vehicles, total_inspected: found.total_inspected }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters_mean_what_the_contract_says_and_others_are_refused() {
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
        let people = People::default();
        let campaign = |total, inspected| {
            Campaign::of(pb::Campaign { total_vehicles: total, total_inspected: inspected, ..Default::default() }, &people)
        };
        assert!(!campaign(0, 0).all_closed && !campaign(2, 1).all_closed && campaign(2, 2).all_closed);
        assert_eq!(campaign(0, 0).created_by_name, "removed");
    }
}
