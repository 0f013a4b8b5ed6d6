//! Fields that two people changed without knowing of each other, and choosing between their values.
use super::vehicles::{self, Vehicle};
use crate::{
    api::Api,
    bearer::Signed,
    error::{ProblemBody, Reply},
    input::{Asked, Id, Sent},
    names::People,
    page, values,
};
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use http::HeaderMap;
use patio_kit::{clock, errors};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list_conflicts)).routes(routes!(settle_conflict))
}

/// A field that may be in conflict.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum ConflictField {
    Status,
    OperatorNotes,
    AdminNotes,
    VinNumber,
    ParkingSpace,
}

/// One of both values: what was stored when the later save came, or what that save wanted.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum Side {
    Theirs,
    Mine,
}

/// Whether somebody has chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum ConflictState {
    Open,
    Settled,
}

/// A field that two people changed without knowing of each other, with both values.
#[derive(Serialize, ToSchema)]
pub struct Conflict {
    id: i64,
    vehicle_id: i64,
    campaign_id: i64,
    campaign_name: String,
    vin_number: String,
    field: ConflictField,
    /// What the later of both saw.
    base: String,
    /// What was stored when the later save came.
    theirs: String,
    /// What the later save wanted.
    mine: String,
    theirs_by_hmc: Option<String>,
    theirs_at: DateTime<Utc>,
    mine_by_hmc: String,
    /// When the later save came, by the server's clock.
    mine_at: DateTime<Utc>,
    /// When it was done, as its device told.
    device_time: Option<DateTime<Utc>>,
    /// Which of both shows meanwhile.
    shown: Side,
    state: ConflictState,
    chosen: Option<Side>,
    settled_by_hmc: Option<String>,
    settled_at: Option<DateTime<Utc>>,
}

fn side(told: pb::Side) -> Option<Side> {
    match told {
        pb::Side::Unspecified => None,
        pb::Side::Theirs => Some(Side::Theirs),
        pb::Side::Mine => Some(Side::Mine),
    }
}

/// Everybody that a conflict names.
pub fn people(conflict: &pb::Conflict) -> impl Iterator<Item = i64> {
    [conflict.theirs_by, Some(conflict.mine_by), conflict.settled_by].into_iter().flatten()
}

impl Conflict {
    /// As the API shows it.
    #[must_use]
    pub fn of(conflict: pb::Conflict, people: &People) -> Self {
        let chosen = side(conflict.chosen());
        Self {
            id: conflict.id,
            vehicle_id: conflict.vehicle_id,
            campaign_id: conflict.campaign_id,
            field: match conflict.field() {
                pb::Field::Status | pb::Field::Unspecified => ConflictField::Status,
                pb::Field::OperatorNotes => ConflictField::OperatorNotes,
                pb::Field::AdminNotes => ConflictField::AdminNotes,
                pb::Field::VinNumber => ConflictField::VinNumber,
                pb::Field::ParkingSpace => ConflictField::ParkingSpace,
            },
            shown: side(conflict.shown()).unwrap_or(Side::Theirs),
            state: if chosen.is_some() { ConflictState::Settled } else { ConflictState::Open },
            chosen,
            campaign_name: conflict.campaign_name,
            vin_number: conflict.vin_number,
            base: conflict.base,
            theirs: conflict.theirs,
            mine: conflict.mine,
            theirs_by_hmc: conflict.theirs_by.map(|id| people.name(id)),
            theirs_at: values::moment(conflict.theirs_at.as_ref()),
            mine_by_hmc: people.name(conflict.mine_by),
            mine_at: values::moment(conflict.mine_at.as_ref()),
            device_time: values::optional_moment(conflict.device_time.as_ref()),
            settled_by_hmc: conflict.settled_by.map(|id| people.name(id)),
            settled_at: values::optional_moment(conflict.settled_at.as_ref()),
        }
    }
}

/// Which conflicts.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ListQuery {
    /// Only of this campaign.
    #[param(minimum = 1, nullable = false)]
    campaign_id: Option<i64>,
    /// Only open or only settled ones.
    #[param(inline, nullable = false)]
    state: Option<ConflictState>,
    /// Only those that one of the caller's own values is in; for operators always.
    #[param(nullable = false)]
    mine: Option<bool>,
    /// Only those that were made or settled from then on.
    #[param(nullable = false)]
    since: Option<DateTime<Utc>>,
    /// Counted from 0.
    #[param(minimum = 0, maximum = 1_000_000, nullable = false)]
    page: Option<i32>,
    /// 1 to 200, 10 when absent.
    #[param(minimum = 1, maximum = 200, nullable = false)]
    per_page: Option<i32>,
}

/// One page of conflicts.
#[derive(Serialize, ToSchema)]
struct Conflicts {
    conflicts: Vec<Conflict>,
    meta: page::Meta,
}

/// Lists the fields that two people changed without knowing of each other, newest first. Operators see those that one
/// of their own values is in.
#[utoipa::path(get, path = "/conflicts", tag = "conflicts", params(ListQuery),
    responses((status = 200, description = "One page.", body = Conflicts)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.ConflictService/ListConflicts"))))]
async fn list_conflicts(State(api): State<Api>, signed: Signed, Asked(query): Asked<ListQuery>) -> Reply<Json<Conflicts>> {
    let ask = pb::ListConflictsRequest {
        page: Some(page::of(query.page, query.per_page)?),
        campaign_id: page::campaign(query.campaign_id)?,
        settled: query.state.map(|state| state == ConflictState::Settled),
        mine: query.mine.unwrap_or_default(),
        since: query.since.map(|at| values::kept("since", at).map(clock::timestamp)).transpose()?,
        id: None,
    };
    let reply = api.conflicts().list_conflicts(signed.sign(ask)).await?.into_inner();
    let people = api.names.of(&signed, reply.conflicts.iter().flat_map(people)).await;
    Ok(Json(Conflicts {
        conflicts: reply.conflicts.into_iter().map(|found| Conflict::of(found, &people)).collect(),
        meta: reply.meta.into(),
    }))
}

/// Which of both values.
#[derive(Deserialize, ToSchema)]
struct Settling {
    choice: Side,
}

/// Settles a conflict with one of both values, and answers the vehicle. VIN, parking space and supervisor notes are for
/// supervisors. When the field holds neither of both by now, nothing is chosen: the conflict then is between the
/// current value, which `details` shows, and the later one.
#[utoipa::path(post, path = "/conflicts/{id}/settle", tag = "conflicts", params(("id" = i64, Path, minimum = 1)), request_body = Settling,
    responses((status = 200, description = "The vehicle.", body = Vehicle, headers(("ETag" = String, description = "The version in quotes."))),
        (status = 409, description = "Somebody has settled it or changed the field meanwhile, the campaign is closed, or the VIN is taken.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.ConflictService/SettleConflict"))))]
async fn settle_conflict(
    State(api): State<Api>,
    signed: Signed,
    Id(id): Id,
    Sent(body): Sent<Settling>,
) -> Reply<(HeaderMap, Json<Vehicle>)> {
    let choice = match body.choice {
        Side::Theirs => pb::Side::Theirs,
        Side::Mine => pb::Side::Mine,
    };
    match api.conflicts().settle_conflict(signed.sign(pb::SettleConflictRequest { id, choice: choice.into() })).await {
        Ok(vehicle) => vehicles::answered(&api, &signed, vehicle.into_inner()).await,
        Err(refusal) => {
            let vehicle = errors::value(&refusal, "vehicle").and_then(|id| id.parse().ok()).unwrap_or_default();
            Err(vehicles::with_current(&api, &signed, vehicle, refusal).await)
        }
    }
}
