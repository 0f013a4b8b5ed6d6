//! Route with which the web app updates a stored copy of a campaign's vehicle list. The route returns the changes since the
//! revision of the copy.
use crate::routes::vehicle_list::ListedVehicle;
use crate::{
    extract::{
        auth::AuthenticatedCaller,
        request_parts::{IdFromPath, QueryParams},
    },
    http::problem::{ApiResult, Problem},
    state::AppState,
};
use axum::{Json, extract::State};
use patio_proto::vehicle as pb;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that lists the changes of a campaign's vehicle list.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(list_changes))
}

/// Query parameter with the revision of the client's copy of the vehicle list.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct SinceQuery {
    /// Revision of the client's copy of the vehicle list: `x-revision` of the full list, or `revision` of the changes last
    /// received.
    #[param(minimum = 0)]
    since: i64,
}

/// Changes of a campaign's vehicle list since a revision.
#[derive(Serialize, ToSchema)]
struct Changes {
    /// Revision of the client's copy after the client applies these changes, to send as `since` in the next request.
    revision: i64,
    /// Current state of the changed vehicles, in walking order (by yard, then parking space).
    vehicles: Vec<ListedVehicle>,
    /// Ids of vehicles to delete from the client's copy, because they left the campaign or are no longer visible to the caller.
    removed: Vec<i64>,
    /// Whether the client must fetch the full list again. True when too many vehicles changed, or the client's revision is too old
    /// for a list of changes.
    whole: bool,
}

/// Returns the vehicles of a campaign that changed after a revision. A change may be returned twice, but is never left out.
#[utoipa::path(get, path = "/vehicles/campaign/{id}/changes", tag = "vehicles", params(("id" = i64, Path, minimum = 1), SinceQuery),
    responses((status = 200, description = "The changes since the revision.", body = Changes)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.VehicleService/ListChanges"))))]
async fn list_changes(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    IdFromPath(id): IdFromPath,
    QueryParams(query): QueryParams<SinceQuery>,
) -> ApiResult<Json<Changes>> {
    if query.since < 0 {
        return Err(Problem::invalid_field("since", "must be a revision, at least 0"));
    }
    let request = pb::ListChangesRequest { campaign_id: id, since: query.since };
    let pb::ListChangesResponse { revision, vehicles, removed, whole } =
        api.vehicles().list_changes(signed.grpc_request(request)).await?.into_inner();
    Ok(Json(Changes { revision, vehicles: vehicles.into_iter().map(Into::into).collect(), removed, whole }))
}
