//! What changed since a whole list was fetched.
use super::whole_list::ListedVehicle;
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, Reply},
    input::{Asked, Id},
};
use axum::{Json, extract::State};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(list_changes))
}

/// Since when.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SinceQuery {
    /// The `x-revision` of the list that is held, or the `revision` of the last changes.
    #[param(minimum = 0)]
    since: i64,
}

/// What changed of a campaign's vehicles.
#[derive(Serialize, ToSchema)]
struct Changes {
    /// The revision that the list has with these changes; what comes later has a greater one.
    revision: i64,
    /// The changed vehicles as they are now, in walking order.
    vehicles: Vec<ListedVehicle>,
    /// Vehicles that are no more.
    removed: Vec<i64>,
    /// Too much changed, or too long ago: the whole list has to be fetched again.
    whole: bool,
}

/// Returns the vehicles of a campaign that changed after a revision. No change is ever missed; one may come twice.
#[utoipa::path(get, path = "/vehicles/campaign/{id}/changes", tag = "vehicles", params(("id" = i64, Path, minimum = 1), SinceQuery),
    responses((status = 200, description = "What changed.", body = Changes)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListChanges"))))]
async fn list_changes(State(api): State<Api>, signed: Signed, Id(id): Id, Asked(query): Asked<SinceQuery>) -> Reply<Json<Changes>> {
    if query.since < 0 {
        return Err(Problem::field("since", "it is a revision, at least 0"));
    }
    let ask = pb::ListChangesRequest { campaign_id: id, since: query.since };
    let pb::ListChangesReply { revision, vehicles, removed, whole } = api.vehicles().list_changes(signed.sign(ask)).await?.into_inner();
    Ok(Json(Changes { revision, vehicles: vehicles.into_iter().map(Into::into).collect(), removed, whole }))
}
