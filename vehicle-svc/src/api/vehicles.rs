//! Vehicles as people see them.
use super::{Reply, reply};
use crate::{
    changes,
    error::Error,
    inspect::{self, Save, Saved},
    live::Live,
    merge::Base,
    note,
    place::Place,
    progress::Progress,
    roster::Rosters,
    store::{
        campaigns::{self, Campaign},
        vehicles,
    },
    together::Together,
    view::View,
};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use patio_kit::{
    audit,
    clock::Clock,
    db::Db,
    host::Host,
    identity,
    page::{self, Window},
};
use patio_proto::{
    access::Role,
    identifier::{self, Identifier},
    normal, status,
    vehicle::{self as pb, OnConflict, VehicleStatus, vehicle_service_server::VehicleService},
};
use tonic::{Request, Status};

/// How many rows of the whole list go in one message.
const CHUNK: i64 = 1_000;
/// How many whole vehicles are read at once.
const EXPORTED: i64 = 1_000;
/// How many of them go in one message: with the longest notes they still fit.
const WHOLE: usize = 250;
/// The longest idempotency key.
const LONGEST_KEY: usize = 128;

/// Answers the calls.
pub struct Api {
    db: Db,
    clock: Clock,
    progress: Progress,
    rosters: Rosters,
    live: Live,
    together: Together,
}

impl Api {
    /// Answers from a database.
    pub fn new(host: &Host, db: Db, progress: Progress, live: Live) -> Self {
        let rosters = Rosters::new(host.tasks.clone(), db.clone());
        let together = Together::new(db.clone(), host.tasks.clone());
        Self { db, clock: host.clock.clone(), progress, rosters, live, together }
    }

    /// Searches for the text as written; when no vehicle holds it, as identifiers are compared, and then without the `I`
    /// that labels of imported cars begin with.
    async fn search(
        &self,
        campaign: &Campaign,
        filter: vehicles::Filter,
        window: Window,
    ) -> Result<(Vec<vehicles::Vehicle>, i64), sqlx::Error> {
        let (page, total) = self.page(campaign, &filter, window).await?;
        let key = identifier::key(&filter.needle).to_lowercase();
        // A leading hyphen is the yard of that name: without it the search would mean something else.
        if total > 0 || key.is_empty() || filter.needle.starts_with('-') {
            return Ok((page, total));
        }
        let bare = key.strip_prefix('i').filter(|bare| !bare.is_empty()).map(str::to_owned);
        for key in [Some(key), bare].into_iter().flatten() {
            let filter = vehicles::Filter { pattern: page::contains(&key), needle: key, by_key: true, ..filter.clone() };
            let (page, total) = self.page(campaign, &filter, window).await?;
            if total > 0 {
                return Ok((page, total));
            }
        }
        Ok((page, total))
    }

    /// A page and how many vehicles there are: by the roster where that spares the database a search.
    async fn page(
        &self,
        campaign: &Campaign,
        filter: &vehicles::Filter,
        window: Window,
    ) -> Result<(Vec<vehicles::Vehicle>, i64), sqlx::Error> {
        let by_roster = !filter.by_key && filter.status.is_none() && (!filter.is_open() || window.index > 0);
        if let Some(roster) = self.rosters.of(campaign).filter(|_| by_roster) {
            let (ids, total) = roster.page(filter, window);
            let page = match ids.first() {
                // They stand in a row, which costs half of looking each of them up.
                Some(first) if filter.is_open() => vehicles::page_from(&self.db, campaign.id, *first, window.limit()).await?,
                _ => vehicles::by_ids(&self.db, &ids).await?,
            };
            return Ok((page, total));
        }
        let page = vehicles::page(&self.db, campaign.id, filter, window).await?;
        // A page that is not full is the last: what came before it and its rows are all there is.
        let (rows, before) = (i64::try_from(page.len()).unwrap_or(i64::MAX), window.offset());
        let is_last = rows < window.limit() && (rows > 0 || before == 0);
        let total = match (filter.is_open(), is_last) {
            (true, _) => campaign.total,
            (false, true) => before + rows,
            (false, false) => vehicles::count(&self.db, campaign.id, filter).await?,
        };
        Ok((page, total))
    }
}

#[tonic::async_trait]
impl VehicleService for Api {
    async fn get_vehicle(&self, request: Request<pb::GetVehicleRequest>) -> Reply<pb::Vehicle> {
        let role = identity::caller(&request)?.role;
        let ask = request.into_inner();
        let found = vehicles::find(&self.db, ask.id, View::of(role, ask.yard)).await.map_err(Error::from)?;
        reply(found.ok_or(Error::NoVehicle(ask.id))?.into())
    }

    async fn list_vehicles(&self, request: Request<pb::ListVehiclesRequest>) -> Reply<pb::ListVehiclesReply> {
        let role = identity::caller(&request)?.role;
        let ask = request.into_inner();
        let window = Window::of(ask.page.as_ref());
        let campaign = campaigns::find(&self.db, ask.campaign_id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(ask.campaign_id))?;
        let view = campaign.narrowed(View::of(role, ask.yard));
        let (page, total) = self.search(&campaign, filter(&ask, view)?, window).await.map_err(Error::from)?;
        reply(pb::ListVehiclesReply {
            vehicles: page.into_iter().map(Into::into).collect(),
            meta: Some(window.meta(total)),
            campaign_name: campaign.name,
        })
    }

    type ListAllVehiclesStream = BoxStream<'static, Result<pb::VehicleChunk, Status>>;

    async fn list_all_vehicles(&self, request: Request<pb::ListAllVehiclesRequest>) -> Reply<Self::ListAllVehiclesStream> {
        let role = identity::caller(&request)?.role;
        let ask = request.into_inner();
        let id = ask.campaign_id;
        let campaign = campaigns::find(&self.db, id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(id))?;
        let view = View::of(role, None);
        // What is read after its revision may be newer than that; then the next caller fetches it once more.
        let head = pb::VehicleChunk { revision: campaign.revision, unchanged: ask.known == Some(campaign.revision), ..Default::default() };
        let start = (self.db.clone(), (!head.unchanged).then(|| (String::new(), 0)));
        let chunks = futures::stream::try_unfold(start, move |(db, position)| async move {
            let Some(position) = position else { return Ok(None) };
            let mut rows = vehicles::rows_after(&db, id, &position, CHUNK).await.map_err(Error::from)?;
            if rows.is_empty() {
                return Ok(None);
            }
            let full = i64::try_from(rows.len()).is_ok_and(|count| count == CHUNK);
            let position = rows.last().filter(|_| full).map(|last| (last.walk_key.clone(), last.id));
            rows.retain(|row| view.holds(row.yard_id));
            let chunk = pb::VehicleChunk { vehicles: rows.into_iter().map(Into::into).collect(), ..Default::default() };
            Ok::<_, Status>(Some((chunk, (db, position))))
        });
        reply(Box::pin(futures::stream::once(async { Ok(head) }).chain(chunks)))
    }

    type ExportVehiclesStream = BoxStream<'static, Result<pb::ExportChunk, Status>>;

    async fn export_vehicles(&self, request: Request<pb::ExportVehiclesRequest>) -> Reply<Self::ExportVehiclesStream> {
        let id = request.into_inner().campaign_id;
        campaigns::find(&self.db, id).await.map_err(Error::from)?.ok_or(Error::NoCampaign(id))?;
        let start = (self.db.clone(), Some((String::new(), 0)));
        let chunks = futures::stream::try_unfold(start, move |(db, position)| async move {
            let Some(position) = position else { return Ok(None) };
            let rows = vehicles::exported_after(&db, id, &position, EXPORTED).await.map_err(Error::from)?;
            let full = i64::try_from(rows.len()).is_ok_and(|count| count == EXPORTED);
            let position = rows.last().filter(|_| full).map(|last| (last.walk_key.clone(), last.id));
            let mut rows = rows.into_iter().map(pb::ExportedVehicle::from).peekable();
            let mut chunks = Vec::new();
            while rows.peek().is_some() {
                chunks.push(Ok(pb::ExportChunk { vehicles: rows.by_ref().take(WHOLE).collect() }));
            }
            Ok::<_, Status>((!chunks.is_empty()).then_some((futures::stream::iter(chunks), (db, position))))
        });
        reply(Box::pin(chunks.try_flatten()))
    }

    async fn list_changes(&self, request: Request<pb::ListChangesRequest>) -> Reply<pb::ListChangesReply> {
        let view = View::of(identity::caller(&request)?.role, None);
        let ask = request.into_inner();
        reply(changes::since(&self.db, ask.campaign_id, ask.since, view).await?)
    }

    async fn save_vehicle(&self, request: Request<pb::SaveVehicleRequest>) -> Reply<pb::Vehicle> {
        let caller = identity::caller(&request)?;
        let save = accept(&request, caller.role)?;
        let (now, by) = (self.clock.now(), caller.person());
        let (together, live, progress) = (self.together.clone(), self.live.clone(), self.progress.clone());
        let saving = async move {
            let saved = inspect::save(&together, caller, save, now).await?;
            live.wrote(&saved.moved, by);
            if saved.moved.revision.is_some() {
                saved.conflicts.iter().cloned().for_each(|conflict| live.conflict(conflict));
            }
            progress.changed(saved.moved.counted.as_slice()).await;
            Ok::<_, Error>(saved)
        };
        let Saved { moved, conflicts } = self.live.whole(saving).await?;
        reply(pb::Vehicle { conflicts: conflicts.into_iter().map(Into::into).collect(), ..moved.vehicle.into() })
    }
}

fn filter(ask: &pb::ListVehiclesRequest, view: View) -> Result<vehicles::Filter, Error> {
    let status = match ask.status {
        Some(number) => Some(status::text(VehicleStatus::try_from(number).map_err(|_| Error::Bad("there is no such status".to_owned()))?)),
        None => None,
    };
    let search = normal::code(&ask.search).to_lowercase();
    Ok(vehicles::Filter { pattern: page::contains(&search), needle: search, by_key: false, view, status })
}

/// A checked value, every bad field named.
fn accept(request: &Request<pb::SaveVehicleRequest>, role: Role) -> Result<Save, Error> {
    let address = audit::address(request);
    let ask = request.get_ref();
    if ask.idempotency_key.len() > LONGEST_KEY {
        return Err(Error::Bad(format!("an idempotency key has at most {LONGEST_KEY} characters")));
    }
    super::device(&ask.device)?;
    Ok(Save {
        id: ask.id,
        vin: ask.vin_number.as_deref().map(Identifier::parse).transpose().map_err(|why| Error::Bad(format!("vin_number: {why}")))?,
        status: told_status("status", ask.status)?,
        place: ask.parking_space.as_deref().map(Place::new).transpose().map_err(|why| Error::Bad(format!("parking_space: {why}")))?,
        operator_notes: notes("operator_notes", ask.operator_notes.as_deref())?,
        admin_notes: notes("admin_notes", ask.admin_notes.as_deref())?,
        campaign_id: ask.campaign_id,
        if_version: ask.if_version,
        key: ask.idempotency_key.clone(),
        origin: ask.origin(),
        view: View::of(role, ask.yard),
        base: ask.base.as_ref().map(base).transpose()?,
        keep: ask.on_conflict() == OnConflict::Keep,
        device_time: ask.device_time.as_ref().map(|at| super::told_time("device_time", at)).transpose()?,
        device: ask.device.clone(),
        address,
    })
}

fn told_status(field: &str, number: Option<i32>) -> Result<Option<VehicleStatus>, Error> {
    let known = |number| VehicleStatus::try_from(number).map_err(|_| Error::Bad(format!("{field}: there is no such status")));
    number.map(known).transpose()
}

/// What a client says that it saw; what could never have been there was not seen either.
fn base(told: &pb::Base) -> Result<Base, Error> {
    let vin = told.vin_number.as_deref().map(Identifier::parse).transpose();
    let space = told.parking_space.as_deref().map(Place::new).transpose();
    Ok(Base {
        vin: vin.map_err(|why| Error::Bad(format!("base.vin_number: {why}")))?,
        status: told_status("base.status", told.status)?,
        space: space.map_err(|why| Error::Bad(format!("base.parking_space: {why}")))?.map(|place| place.space),
        operator_notes: notes("base.operator_notes", told.operator_notes.as_deref())?,
        admin_notes: notes("base.admin_notes", told.admin_notes.as_deref())?,
    })
}

fn notes(field: &str, written: Option<&str>) -> Result<Option<String>, Error> {
    written.map(|text| note::check(field, text).map(|()| text.to_owned())).transpose().map_err(Error::Bad)
}
