//! gRPC service of the baseline behind one call. It only runs the SQL statements.
use super::rows::{Base, Finding, Position, Vehicle};
use futures::stream::BoxStream;
use patio_kit::clock::{Clock, to_timestamp};
use patio_proto::{
    status,
    vehicle::{self as pb, vehicle_service_server::VehicleService, vehicle_service_server::VehicleServiceServer},
};
use std::net::SocketAddr;
use tonic::{Request, Response, Status, transport::Server};

struct Api {
    base: Base,
    clock: Clock,
}

/// Serves until the process is stopped.
pub async fn serve(listen: SocketAddr, base: Base) -> anyhow::Result<()> {
    let api = VehicleServiceServer::new(Api { base, clock: Clock::default() });
    Ok(Server::builder().tcp_nodelay(true).add_service(api).serve(listen).await?)
}

fn failed(cause: sqlx::Error) -> Status {
    Status::internal(cause.to_string())
}

impl From<Vehicle> for pb::Vehicle {
    fn from(row: Vehicle) -> Self {
        Self {
            id: row.id,
            model_code: row.model_code,
            serial_number: row.serial_number,
            campaign_id: row.campaign_id,
            campaign_name: row.campaign_name,
            status: status::parse_vehicle_status(&row.status).unwrap_or_default().into(),
            inspected: row.inspected,
            admin_notes: row.admin_notes,
            operator_notes: row.operator_notes,
            parking_space: row.parking_space,
            id_yard: row.id_yard.and_then(|id| i32::try_from(id).ok()),
            yard_group: row.yard_group,
            next: row.next,
            modified_by: row.modified_by,
            modified_at: Some(to_timestamp(row.modified_at)),
            version: row.version,
            ..Self::default()
        }
    }
}

type Reply<T> = Result<Response<T>, Status>;

#[tonic::async_trait]
impl VehicleService for Api {
    async fn get_vehicle(&self, request: Request<pb::GetVehicleRequest>) -> Reply<pb::Vehicle> {
        let found = self.base.vehicle(request.get_ref().id).await.map_err(failed)?;
        Ok(Response::new(found.ok_or_else(|| Status::not_found("no vehicle"))?.into()))
    }

    async fn list_vehicles(&self, request: Request<pb::ListVehiclesRequest>) -> Reply<pb::ListVehiclesResponse> {
        let ask = request.into_inner();
        let after: Position = serde_json::from_str(&ask.search).map_err(|cause| Status::invalid_argument(cause.to_string()))?;
        let vehicles = self.base.page(ask.campaign_id, &after).await.map_err(failed)?.into_iter().map(Into::into).collect();
        Ok(Response::new(pb::ListVehiclesResponse { vehicles, ..Default::default() }))
    }

    async fn save_vehicle(&self, request: Request<pb::SaveVehicleRequest>) -> Reply<pb::Vehicle> {
        let ask = request.into_inner();
        let finding = Finding { status: status::vehicle_status_text(ask.status()).to_owned(), operator_notes: ask.operator_notes };
        let saved = self.base.save(ask.id, &finding, self.clock.now()).await.map_err(failed)?;
        Ok(Response::new(saved.ok_or_else(|| Status::not_found("no vehicle"))?.into()))
    }

    type ListAllVehiclesStream = BoxStream<'static, Result<pb::VehicleChunk, Status>>;

    async fn list_all_vehicles(&self, _: Request<pb::ListAllVehiclesRequest>) -> Reply<Self::ListAllVehiclesStream> {
        Err(Status::unimplemented("the baseline of the full list reads the database directly"))
    }

    type ExportVehiclesStream = BoxStream<'static, Result<pb::ExportChunk, Status>>;

    async fn export_vehicles(&self, _: Request<pb::ExportVehiclesRequest>) -> Reply<Self::ExportVehiclesStream> {
        Err(Status::unimplemented("the baseline of an export reads the database directly"))
    }

    async fn list_changes(&self, _: Request<pb::ListChangesRequest>) -> Reply<pb::ListChangesResponse> {
        Err(Status::unimplemented("the baseline does not support this call"))
    }
}
