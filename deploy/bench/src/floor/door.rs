//! HTTP handlers of the baseline, directly on the database or behind one gRPC call.
use super::rows::{Base, Finding, Position, Row, Vehicle};
use axum::{
    Json, Router,
    body::Body,
    extract::{Path, Query, State},
    response::{IntoResponse, Response},
    routing::get,
};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http::StatusCode;
use patio_kit::clock::{Clock, from_timestamp};
use patio_proto::{
    status,
    vehicle::{self as pb, vehicle_service_client::VehicleServiceClient},
};
use serde::Serialize;
use std::net::SocketAddr;
use tokio::net::{TcpListener, TcpStream};
use tonic::transport::{Channel, Endpoint};
use tower_http::compression::CompressionLayer;

/// Source of the rows.
#[derive(Debug, Clone)]
pub enum Way {
    /// Directly from the database.
    Straight(Base),
    /// From a gRPC service.
    Hop(VehicleServiceClient<Channel>),
}

impl Way {
    /// Creates a source behind one gRPC call.
    pub fn hop(url: &str) -> anyhow::Result<Self> {
        Ok(Self::Hop(VehicleServiceClient::new(Endpoint::from_shared(url.to_owned())?.tcp_nodelay(true).connect_lazy())))
    }
}

/// Listener whose connections have `TCP_NODELAY` set.
pub struct NoDelay(pub TcpListener);

impl axum::serve::Listener for NoDelay {
    type Io = TcpStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (TcpStream, SocketAddr) {
        let (stream, peer) = axum::serve::Listener::accept(&mut self.0).await;
        let _ = stream.set_nodelay(true);
        (stream, peer)
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.0.local_addr()
    }
}

/// Returns the routes of the baseline.
pub fn router(way: Way) -> Router {
    let whole = Router::new().route("/whole/{id}", get(whole)).layer(CompressionLayer::new());
    Router::new()
        .route("/healthz", get(|| async { "ok" }))
        .route("/vehicle/{id}", get(vehicle).put(save))
        .route("/page/{id}", get(page))
        .merge(whole)
        .with_state(way)
}

/// JSON form of a vehicle.
#[derive(Serialize)]
struct Shown {
    vin_number: String,
    #[serde(flatten)]
    vehicle: Vehicle,
}

impl From<pb::Vehicle> for Vehicle {
    fn from(vehicle: pb::Vehicle) -> Self {
        Self {
            id: vehicle.id,
            status: status::vehicle_status_text(vehicle.status()).to_owned(),
            modified_at: vehicle.modified_at.as_ref().and_then(from_timestamp).unwrap_or_default(),
            model_code: vehicle.model_code,
            serial_number: vehicle.serial_number,
            campaign_id: vehicle.campaign_id,
            campaign_name: vehicle.campaign_name,
            inspected: vehicle.inspected,
            admin_notes: vehicle.admin_notes,
            operator_notes: vehicle.operator_notes,
            parking_space: vehicle.parking_space,
            id_yard: vehicle.id_yard.map(i64::from),
            yard_group: vehicle.yard_group,
            next: vehicle.next,
            modified_by: vehicle.modified_by,
            version: vehicle.version,
        }
    }
}

fn shown(vehicle: impl Into<Vehicle>) -> Shown {
    let vehicle = vehicle.into();
    Shown { vin_number: format!("{} {}", vehicle.model_code, vehicle.serial_number), vehicle }
}

/// Error response with a message.
struct Failed(String);

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        (StatusCode::INTERNAL_SERVER_ERROR, self.0).into_response()
    }
}

impl<E: std::error::Error> From<E> for Failed {
    fn from(cause: E) -> Self {
        Self(cause.to_string())
    }
}

async fn vehicle(State(way): State<Way>, Path(id): Path<i64>) -> Result<Json<Option<Shown>>, Failed> {
    Ok(Json(match way {
        Way::Straight(base) => base.vehicle(id).await?.map(shown),
        Way::Hop(mut service) => Some(shown(service.get_vehicle(pb::GetVehicleRequest { id, yard: None }).await?.into_inner())),
    }))
}

async fn save(State(way): State<Way>, Path(id): Path<i64>, Json(finding): Json<Finding>) -> Result<Json<Option<Shown>>, Failed> {
    Ok(Json(match way {
        Way::Straight(base) => base.save(id, &finding, Clock::default().now()).await?.map(shown),
        Way::Hop(mut service) => {
            let status = status::parse_vehicle_status(&finding.status).map(Into::into);
            let ask = pb::SaveVehicleRequest { id, status, operator_notes: finding.operator_notes, ..Default::default() };
            Some(shown(service.save_vehicle(ask).await?.into_inner()))
        }
    }))
}

async fn page(State(way): State<Way>, Path(id): Path<i64>, Query(after): Query<Position>) -> Result<Json<Vec<Shown>>, Failed> {
    Ok(Json(match way {
        Way::Straight(base) => base.page(id, &after).await?.into_iter().map(shown).collect(),
        Way::Hop(mut service) => {
            let search = serde_json::json!({ "walk_key": after.walk_key, "id": after.id }).to_string();
            let ask = pb::ListVehiclesRequest { campaign_id: id, search, ..Default::default() };
            service.list_vehicles(ask).await?.into_inner().vehicles.into_iter().map(shown).collect()
        }
    }))
}

async fn whole(State(way): State<Way>, Path(id): Path<i64>) -> Result<Response, Failed> {
    let Way::Straight(base) = way else {
        return Err(Failed("the baseline of the full list reads the database directly, not through gRPC".to_owned()));
    };
    Ok(([("content-type", "application/json")], Body::from_stream(array(base.whole(id)))).into_response())
}

/// Streams rows as one JSON array, in chunks of some thousand rows.
fn array(rows: impl Stream<Item = Result<Row, sqlx::Error>> + Send + 'static) -> impl Stream<Item = Result<Bytes, sqlx::Error>> {
    let mut before = b'[';
    let pieces = rows.ready_chunks(256).map(move |some| {
        let mut piece = Vec::with_capacity(some.len() * 160);
        for row in some {
            piece.push(std::mem::replace(&mut before, b','));
            serde_json::to_writer(&mut piece, &row?).map_err(|cause| sqlx::Error::Encode(cause.into()))?;
        }
        Ok(Bytes::from(piece))
    });
    pieces.chain(futures::stream::once(async { Ok(Bytes::from_static(b"]")) }))
}
