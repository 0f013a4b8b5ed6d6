//! Test doubles of the services that list and edit vehicles and resolve user names.
use super::services::World;
use futures::{StreamExt, stream};
use patio_proto::{
    auth::{
        self,
        user_service_server::{UserService, UserServiceServer},
    },
    vehicle::{
        self as pb,
        bulk_service_server::{BulkService, BulkServiceServer},
        vehicle_service_server::{VehicleService, VehicleServiceServer},
    },
};
use std::pin::Pin;
use tonic::{Request, Response, Status, service::Routes};

/// Test doubles with the state of the test world.
#[derive(Clone)]
pub struct Lists(pub World);

impl Lists {
    pub fn vehicles(&self, routes: Routes) -> Routes {
        let bulk = BulkServiceServer::new(self.clone()).max_decoding_message_size(16 << 20);
        routes.add_service(VehicleServiceServer::new(self.clone())).add_service(bulk)
    }

    pub fn names(&self, routes: Routes) -> Routes {
        routes.add_service(UserServiceServer::new(self.clone()))
    }
}

type Reply<T> = Result<Response<T>, Status>;
type Flow<T> = Pin<Box<dyn futures::Stream<Item = Result<T, Status>> + Send>>;

fn not_asked<T>() -> Reply<T> {
    Err(Status::unimplemented("not asked here"))
}

#[tonic::async_trait]
impl VehicleService for Lists {
    type ListAllVehiclesStream = Flow<pb::VehicleChunk>;
    type ExportVehiclesStream = Flow<pb::ExportChunk>;

    async fn export_vehicles(&self, _: Request<pb::ExportVehiclesRequest>) -> Reply<Flow<pb::ExportChunk>> {
        let listed = self.0.kingdom().listed.clone();
        let chunks: Vec<_> = listed.chunks(250).map(|chunk| Ok(pb::ExportChunk { vehicles: chunk.to_vec() })).collect();
        Ok(Response::new(stream::iter(chunks).boxed()))
    }

    async fn get_vehicle(&self, _: Request<pb::GetVehicleRequest>) -> Reply<pb::Vehicle> {
        not_asked()
    }

    async fn list_vehicles(&self, _: Request<pb::ListVehiclesRequest>) -> Reply<pb::ListVehiclesResponse> {
        not_asked()
    }

    async fn list_all_vehicles(&self, _: Request<pb::ListAllVehiclesRequest>) -> Reply<Flow<pb::VehicleChunk>> {
        not_asked()
    }

    async fn save_vehicle(&self, _: Request<pb::SaveVehicleRequest>) -> Reply<pb::Vehicle> {
        not_asked()
    }

    async fn list_changes(&self, _: Request<pb::ListChangesRequest>) -> Reply<pb::ListChangesResponse> {
        not_asked()
    }
}

#[tonic::async_trait]
impl BulkService for Lists {
    async fn bulk_edit(&self, request: Request<pb::BulkEditRequest>) -> Reply<pb::BulkEditResponse> {
        let mut kingdom = self.0.kingdom();
        kingdom.edits.push(request.into_inner());
        Ok(Response::new(kingdom.edited.clone()))
    }

    async fn bulk_status(&self, _: Request<pb::BulkStatusRequest>) -> Reply<pb::BulkResponse> {
        not_asked()
    }

    async fn bulk_parking_space(&self, _: Request<pb::BulkParkingSpaceRequest>) -> Reply<pb::BulkResponse> {
        not_asked()
    }
}

#[tonic::async_trait]
impl UserService for Lists {
    async fn resolve_user_names(&self, request: Request<auth::ResolveUserNamesRequest>) -> Reply<auth::ResolveUserNamesResponse> {
        let known = request.into_inner().ids.into_iter().filter(|id| *id == 7).map(|id| (id, "=ana".to_owned()));
        Ok(Response::new(auth::ResolveUserNamesResponse { names: known.collect() }))
    }

    async fn list_users(&self, _: Request<auth::ListUsersRequest>) -> Reply<auth::ListUsersResponse> {
        not_asked()
    }

    async fn create_user(&self, _: Request<auth::CreateUserRequest>) -> Reply<auth::User> {
        not_asked()
    }

    async fn update_user(&self, _: Request<auth::UpdateUserRequest>) -> Reply<auth::User> {
        not_asked()
    }

    async fn delete_user(&self, _: Request<auth::DeleteUserRequest>) -> Reply<auth::DeleteUserResponse> {
        not_asked()
    }

    async fn lift_lockout(&self, _: Request<auth::LiftLockoutRequest>) -> Reply<auth::LiftLockoutResponse> {
        not_asked()
    }

    async fn list_user_history(&self, _: Request<auth::ListUserHistoryRequest>) -> Reply<auth::ListUserHistoryResponse> {
        not_asked()
    }

    async fn export_user(&self, _: Request<auth::ExportUserRequest>) -> Reply<auth::ExportUserResponse> {
        not_asked()
    }
}
