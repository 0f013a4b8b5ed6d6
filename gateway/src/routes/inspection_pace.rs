//! Routes that return the work pace of campaigns: active users, saved vehicles per hour and the expected finish time.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        query,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::{ApiResult, Problem, ProblemBody},
    state::AppState,
    views::json_values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use http::StatusCode;
use patio_kit::client::user_names::UserNameMap;
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the routes that report the work pace of campaigns.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(campaign_pace)).routes(routes!(list_paces))
}

/// Maximum number of campaigns whose pace one call may request.
const MAX_CAMPAIGNS: usize = 200;

/// Work pace of a campaign: active users, saved vehicles per hour and the expected finish time.
#[derive(Serialize, ToSchema)]
pub struct Pace {
    campaign_id: i64,
    /// Active users: users who saved a vehicle in the last 15 minutes. The user with the most recent save comes first.
    people: Vec<UserPace>,
    /// Number of vehicles saved per hour: the sum of `per_hour` of all active users. When no user is active, the number of saves in
    /// the last 30 minutes is divided by the time since the first of these saves, or by 10 minutes if that time is shorter.
    per_hour: f64,
    /// Number of vehicles of the campaign that are not inspected yet.
    remaining: i64,
    /// Expected time at which all vehicles of the campaign are inspected. Null when no vehicle was saved in the last 30 minutes, no
    /// vehicle remains, or the expected time is more than ten years ahead.
    finish_at: Option<DateTime<Utc>>,
}

/// Work pace of one user in a campaign, and the yard in which the user works.
#[derive(Serialize, ToSchema)]
struct UserPace {
    hmc: String,
    /// Id of the yard that contains the user's last saved vehicle; null when that vehicle has no yard, and for operators in yard `-`.
    yard_id: Option<i32>,
    yard_name: Option<String>,
    last_at: DateTime<Utc>,
    /// Number of vehicles that this user saved in the last 30 minutes. Operators receive null for all other users.
    saves: Option<i64>,
    /// Number of vehicles that this user saves per hour, computed from the saves of the last 30 minutes. Operators receive null for
    /// all other users.
    per_hour: Option<f64>,
}

/// Returns the ids of the active users in the work pace of a campaign.
pub fn user_ids(pace: &pb::Pace) -> impl Iterator<Item = i64> {
    pace.people.iter().map(|person| person.user_id)
}

impl Pace {
    /// Converts a work pace from its proto form, with login names (HMC) in place of user ids.
    #[must_use]
    pub fn new(pace: pb::Pace, user_names: &UserNameMap) -> Self {
        let person = |person: pb::UserPace| UserPace {
            hmc: user_names.name(person.user_id),
            yard_id: person.yard,
            yard_name: query::find_yard_name(person.yard),
            last_at: json_values::to_datetime_or_epoch(person.last_at.as_ref()),
            saves: person.saves,
            per_hour: person.per_hour,
        };
        Self {
            campaign_id: pace.campaign_id,
            people: pace.people.into_iter().map(person).collect(),
            per_hour: pace.per_hour,
            remaining: pace.remaining,
            finish_at: json_values::to_optional_datetime(pace.finish_at.as_ref()),
        }
    }
}

async fn paces(api: &AppState, signed: &AuthenticatedCaller, campaign_ids: Vec<i64>) -> ApiResult<Vec<Pace>> {
    let paces = api.events().get_pace(signed.grpc_request(pb::GetPaceRequest { campaign_ids })).await?.into_inner().paces;
    let names = api.names.resolve_names(signed.call_context(), paces.iter().flat_map(user_ids)).await;
    Ok(paces.into_iter().map(|pace| Pace::new(pace, &names)).collect())
}

/// Returns the work pace of a campaign: active users, saved vehicles per hour and the expected finish time.
#[utoipa::path(get, path = "/campaigns/{id}/pace", tag = "live", params(("id" = i64, Path, minimum = 1)),
    responses((status = 200, description = "The pace.", body = Pace),
        (status = 404, description = "The campaign does not exist.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.EventService/GetPace"))))]
async fn campaign_pace(State(api): State<AppState>, signed: AuthenticatedCaller, IdFromPath(id): IdFromPath) -> ApiResult<Json<Pace>> {
    let found = paces(&api, &signed, vec![id]).await?.pop();
    found.map(Json).ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, "NO_CAMPAIGN", "Campaign not found. It may have been deleted."))
}

/// Query parameter with the ids of the campaigns whose work pace is requested.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct PacesQuery {
    /// Campaign ids, at most 200, separated by commas.
    #[param(pattern = "^[1-9][0-9]{0,17}(,[1-9][0-9]{0,17}){0,199}$", example = "1,2")]
    campaigns: String,
}

/// Returns the work pace of several campaigns. Campaigns that do not exist are left out.
#[utoipa::path(get, path = "/pace", tag = "live", params(PacesQuery),
    responses((status = 200, description = "The work pace of each campaign.", body = Vec<Pace>)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.EventService/GetPace"))))]
async fn list_paces(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(query): QueryParams<PacesQuery>,
) -> ApiResult<Json<Vec<Pace>>> {
    let number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten().filter(|id| *id > 0);
    let ids: Option<Vec<i64>> = query.campaigns.split(',').map(number).collect();
    let ids = ids
        .filter(|ids| ids.len() <= MAX_CAMPAIGNS)
        .ok_or_else(|| Problem::invalid_field("campaigns", "must be 1 to 200 ids separated by commas"))?;
    paces(&api, &signed, ids).await.map(Json)
}
