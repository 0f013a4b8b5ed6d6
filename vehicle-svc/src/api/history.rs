//! gRPC service for the history of vehicles.
use super::{Context, Reply, reply};
use crate::{error::Error, inspection::history, store::vehicles, view::View};
use patio_kit::{auth::identity, clock, db::Db};
use patio_proto::vehicle::{self as pb, history_service_server::HistoryService};
use tonic::Request;

/// gRPC service that lists the changes of a vehicle.
pub struct HistoryApi(pub Context);

#[tonic::async_trait]
impl HistoryService for HistoryApi {
    async fn list_vehicle_history(&self, request: Request<pb::ListVehicleHistoryRequest>) -> Reply<pb::ListVehicleHistoryResponse> {
        let role = identity::caller(&request)?.role;
        let request = request.into_inner();
        let before = request.before.as_ref().and_then(clock::from_timestamp).unwrap_or_else(clock::max_time);
        let limit = usize::try_from(request.limit.clamp(1, 100)).unwrap_or(1);
        let listed = |db: Db| async move {
            let found = vehicles::find(&db, request.vehicle_id, View::for_role(role, None)).await?;
            let vehicle = found.ok_or(Error::NoVehicle(request.vehicle_id))?;
            history::list(&db, &vehicle, role, before, limit).await
        };
        reply(self.0.db.read_recent(listed).await?)
    }
}
