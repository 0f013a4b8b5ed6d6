//! Routes that return the inspection work in campaigns: the numbers of inspected vehicles and saves, by hour, yard and user.
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        query,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::{ApiResult, Problem},
    state::AppState,
    views::json_values::{self, VehicleStatus},
};
use axum::{Json, extract::State};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{client::user_names::UserNameMap, clock};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Default length of the requested time range, used when the request has no `from`.
const DEFAULT_RANGE: TimeDelta = TimeDelta::days(7);
/// Maximum length of the requested time range.
const MAX_RANGE: TimeDelta = TimeDelta::days(92);

/// Returns the routes that report the inspection work by hour.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(campaign_activity)).routes(routes!(total_activity))
}

/// Query parameters that select the time range of the inspection work.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ActivityQuery {
    /// Start of the range, at most 92 days before `to`. Default: 7 days before `to`. The range begins with the hour that contains
    /// this time.
    #[param(nullable = false)]
    from: Option<DateTime<Utc>>,
    /// End of the range. Default: the current time. The range ends with the hour that contains this time.
    #[param(nullable = false)]
    to: Option<DateTime<Utc>>,
}

/// Inspection work in a time range, by hour, yard and user.
#[derive(Serialize, ToSchema)]
struct Activity {
    /// Hours with at least one save or changed vehicle, oldest first.
    hours: Vec<HourActivity>,
    /// Yards that have vehicles now, or in which vehicles were saved or changed in the range.
    yards: Vec<YardActivity>,
    /// Users who saved vehicles in the range. An operator receives only their own entry. Bulk changes are not attributed to users.
    people: Vec<UserActivity>,
    /// Number of vehicles that the caller may see in the requested campaign, or in all campaigns.
    total: i64,
    /// Number of vehicles in `total` that are inspected now.
    inspected: i64,
    /// Number of vehicles in `total` that were inspected before the first hour of the range.
    inspected_before: i64,
}

/// Inspection work in one hour.
#[derive(Serialize, ToSchema)]
struct HourActivity {
    /// Start time of the hour that the counts cover.
    at: DateTime<Utc>,
    /// Change in the number of inspected vehicles in this hour, including bulk changes and undone bulk changes; may be negative.
    inspected: i64,
    /// Number of saves that users made on the vehicle screen.
    saves: i64,
    /// Change in the number of vehicles with a defect (status ng, Repair or Repair OK) in this hour; may be negative.
    found_wrong: i64,
}

/// Inspection work in one yard, and the current vehicle counts of the yard.
#[derive(Serialize, ToSchema)]
struct YardActivity {
    /// Id of the yard; null for vehicles without a yard.
    yard_id: Option<i32>,
    yard_name: Option<String>,
    /// Change in the number of inspected vehicles in the range; may be negative.
    inspected: i64,
    /// Number of saves that users made on the vehicle screen in the range.
    saves: i64,
    /// Change in the number of vehicles with a defect (status ng, Repair or Repair OK) in the range; may be negative.
    found_wrong: i64,
    /// Current number of vehicles in the yard.
    total_vehicles: i64,
    /// Current number of inspected vehicles in the yard.
    total_inspected: i64,
    /// Current number of vehicles in the yard for each status; vehicles without a status are not counted. The list is empty when
    /// the request covers all campaigns.
    statuses: Vec<StatusCount>,
}

/// Number of vehicles in a yard that have the same status.
#[derive(Serialize, ToSchema)]
struct StatusCount {
    status: VehicleStatus,
    vehicles: i64,
}

/// Inspection work of one user.
#[derive(Serialize, ToSchema)]
struct UserActivity {
    hmc: String,
    /// Net change in the number of inspected vehicles caused by this user's saves; may be negative.
    inspected: i64,
    saves: i64,
    found_wrong: i64,
}

impl Activity {
    fn new(response: pb::GetActivityResponse, people: &UserNameMap) -> Self {
        let hour = |hour: pb::HourActivity| {
            let pb::ActivityCounts { inspected, saves, found_wrong } = hour.counts.unwrap_or_default();
            HourActivity { at: json_values::to_datetime_or_epoch(hour.at.as_ref()), inspected, saves, found_wrong }
        };
        let yard = |yard: pb::YardActivity| {
            let pb::ActivityCounts { inspected, saves, found_wrong } = yard.counts.unwrap_or_default();
            let statuses =
                yard.statuses.iter().map(|count| StatusCount { status: count.status().into(), vehicles: count.vehicles }).collect();
            let (yard_id, yard_name) = (yard.yard, query::find_yard_name(yard.yard));
            let (total_vehicles, total_inspected) = (yard.total, yard.inspected);
            YardActivity { yard_id, yard_name, inspected, saves, found_wrong, total_vehicles, total_inspected, statuses }
        };
        let person = |user: pb::UserActivity| {
            let pb::ActivityCounts { inspected, saves, found_wrong } = user.counts.unwrap_or_default();
            UserActivity { hmc: people.name(user.user_id), inspected, saves, found_wrong }
        };
        Self {
            hours: response.hours.into_iter().map(hour).collect(),
            yards: response.yards.into_iter().map(yard).collect(),
            people: response.people.into_iter().map(person).collect(),
            total: response.total,
            inspected: response.inspected,
            inspected_before: response.inspected_before,
        }
    }
}

async fn activity(
    api: &AppState,
    signed: &AuthenticatedCaller,
    campaign_id: Option<i64>,
    query: &ActivityQuery,
) -> ApiResult<Json<Activity>> {
    let to = json_values::validate_timestamp_range("to", query.to.unwrap_or_else(|| api.host.clock.now()))?;
    let from = json_values::validate_timestamp_range("from", query.from.unwrap_or(to - DEFAULT_RANGE))?;
    if !(TimeDelta::zero()..=MAX_RANGE).contains(&(to - from)) {
        return Err(Problem::invalid_field("from", "must be at most 92 days before to"));
    }
    let request = pb::GetActivityRequest { campaign_id, from: Some(clock::to_timestamp(from)), to: Some(clock::to_timestamp(to)) };
    let response = api.events().get_activity(signed.grpc_request(request)).await?.into_inner();
    let people = api.names.resolve_names(signed.call_context(), response.people.iter().map(|user| user.user_id)).await;
    Ok(Json(Activity::new(response, &people)))
}

/// Returns the inspection work in a campaign by hour, yard and user.
#[utoipa::path(get, path = "/campaigns/{id}/activity", tag = "live", params(("id" = i64, Path, minimum = 1), ActivityQuery),
    responses((status = 200, description = "The work.", body = Activity)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.EventService/GetActivity"))))]
async fn campaign_activity(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<ActivityQuery>,
) -> ApiResult<Json<Activity>> {
    activity(&api, &signed, Some(id), &query).await
}

/// Returns the inspection work in all campaigns by hour, yard and user.
#[utoipa::path(get, path = "/activity", tag = "live", params(ActivityQuery),
    responses((status = 200, description = "The work.", body = Activity)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.EventService/GetActivity"))))]
async fn total_activity(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(query): QueryParams<ActivityQuery>,
) -> ApiResult<Json<Activity>> {
    activity(&api, &signed, None, &query).await
}
