//! Vehicles as people see them.
use super::{Reply, reply};
use crate::{
    error::Error,
    inspect::{self, Save},
    note,
    place::Place,
    progress::Progress,
    store::{campaigns, vehicles},
};
use futures::stream::BoxStream;
use patio_kit::{
    audit,
    clock::Clock,
    db::Db,
    host::Host,
    identity,
    page::{self, Window},
};
use patio_proto::{
    identifier::Identifier,
    status,
    vehicle::{self as pb, VehicleStatus, vehicle_service_server::VehicleService},
};
use tonic::{Request, Status};

/// How many rows of the whole list go in one message.
const CHUNK: i64 = 1_000;
/// How many whole vehicles go in one message: with the longest notes they still fit.
const EXPORTED: i64 = 250;
/// The longest idempotency key.
const LONGEST_KEY: usize = 100;

/// Answers the calls.
pub struct Api {
    db: Db,
    clock: Clock,
    progress: Progress,
}

impl Api {
    /// Answers from a database.
    pub fn new(host: &Host, db: Db, progress: Progress) -> Self {
        Self { db, clock: host.clock.clone(), progress }
    }
}

#[tonic::async_trait]
impl VehicleService for Api {
    async fn get_vehicle(&self, request: Request<pb::GetVehicleRequest>) -> Reply<pb::Vehicle> {
        let ask = request.into_inner();
        let found = vehicles::find(&self.db, ask.id, ask.yard.map(i64::from)).await.map_err(Error::from)?;
        reply(found.ok_or(Error::NoVehicle(ask.id))?.into())
    }

    async fn list_vehicles(&self, request: Request<pb::ListVehiclesRequest>) -> Reply<pb::ListVehiclesReply> {
        let ask = request.into_inner();
        let window = Window::of(ask.page.as_ref());
        let campaign = campaigns::find(&self.db, ask.campaign_id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(ask.campaign_id))?;
        let filter = filter(&ask)?;
        let total =
            if filter.is_open() { campaign.total } else { vehicles::count(&self.db, campaign.id, &filter).await.map_err(Error::from)? };
        let page = vehicles::page(&self.db, campaign.id, &filter, window).await.map_err(Error::from)?;
        reply(pb::ListVehiclesReply {
            vehicles: page.into_iter().map(Into::into).collect(),
            meta: Some(window.meta(total)),
            campaign_name: campaign.name,
        })
    }

    type ListAllVehiclesStream = BoxStream<'static, Result<pb::VehicleChunk, Status>>;

    async fn list_all_vehicles(&self, request: Request<pb::ListAllVehiclesRequest>) -> Reply<Self::ListAllVehiclesStream> {
        let id = request.into_inner().campaign_id;
        campaigns::find(&self.db, id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(id))?;
        let start = (self.db.clone(), Some((String::new(), 0)));
        let chunks = futures::stream::try_unfold(start, move |(db, position)| async move {
            let Some(position) = position else { return Ok(None) };
            let rows = vehicles::rows_after(&db, id, &position, CHUNK).await.map_err(Error::from)?;
            let full = i64::try_from(rows.len()).is_ok_and(|count| count == CHUNK);
            let position = rows.last().filter(|_| full).map(|last| (last.walk_key.clone(), last.id));
            let chunk = pb::VehicleChunk { vehicles: rows.into_iter().map(Into::into).collect() };
            Ok::<_, Status>((!chunk.vehicles.is_empty()).then_some((chunk, (db, position))))
        });
        reply(Box::pin(chunks))
    }

    type ExportVehiclesStream = BoxStream<'static, Result<pb::ExportChunk, Status>>;

    async fn export_vehicles(&self, request: Request<pb::ExportVehiclesRequest>) -> Reply<Self::ExportVehiclesStream> {
        let id = request.into_inner().campaign_id;
        campaigns::find(&self.db, id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(id))?;
        let start = (self.db.clone(), Some((String::new(), 0)));
        let chunks = futures::stream::try_unfold(start, move |(db, position)| async move {
            let Some(position) = position else { return Ok(None) };
            let rows = vehicles::whole_after(&db, id, &position, EXPORTED).await.map_err(Error::from)?;
            let full = i64::try_from(rows.len()).is_ok_and(|count| count == EXPORTED);
            let position = rows.last().filter(|_| full).map(|last| (last.walk_key.clone(), last.id));
            let chunk = pb::ExportChunk { vehicles: rows.into_iter().map(Into::into).collect() };
            Ok::<_, Status>((!chunk.vehicles.is_empty()).then_some((chunk, (db, position))))
        });
        reply(Box::pin(chunks))
    }

    async fn save_vehicle(&self, request: Request<pb::SaveVehicleRequest>) -> Reply<pb::Vehicle> {
        let caller = identity::caller(&request)?;
        let save = accept(&request)?;
        let now = self.clock.now();
        let saved = inspect::save(&self.db, caller, save, now).await?;
        self.progress.changed(saved.counted.as_slice()).await;
        reply(saved.vehicle.into())
    }
}

fn filter(ask: &pb::ListVehiclesRequest) -> Result<vehicles::Filter, Error> {
    let status = match ask.status {
        Some(number) => Some(status::text(VehicleStatus::try_from(number).map_err(|_| Error::Bad("there is no such status".to_owned()))?)),
        None => None,
    };
    Ok(vehicles::Filter { pattern: page::contains(&ask.search), yard: ask.yard.map(i64::from), status })
}

/// A checked value, every bad field named.
fn accept(request: &Request<pb::SaveVehicleRequest>) -> Result<Save, Error> {
    let address = audit::address(request);
    let ask = request.get_ref();
    if ask.idempotency_key.len() > LONGEST_KEY {
        return Err(Error::Bad(format!("an idempotency key has at most {LONGEST_KEY} characters")));
    }
    let status = match ask.status {
        Some(number) => Some(VehicleStatus::try_from(number).map_err(|_| Error::Bad("there is no such status".to_owned()))?),
        None => None,
    };
    Ok(Save {
        id: ask.id,
        vin: ask.vin_number.as_deref().map(Identifier::parse).transpose().map_err(|why| Error::Bad(format!("vin_number: {why}")))?,
        status,
        place: ask.parking_space.as_deref().map(Place::new).transpose().map_err(|why| Error::Bad(format!("parking_space: {why}")))?,
        operator_notes: notes("operator_notes", ask.operator_notes.as_deref())?,
        admin_notes: notes("admin_notes", ask.admin_notes.as_deref())?,
        campaign_id: ask.campaign_id,
        if_version: ask.if_version,
        key: ask.idempotency_key.clone(),
        origin: ask.origin(),
        yard: ask.yard.map(i64::from),
        address,
    })
}

fn notes(field: &str, written: Option<&str>) -> Result<Option<String>, Error> {
    written.map(|text| note::check(field, text).map(|()| text.to_owned())).transpose().map_err(Error::Bad)
}
