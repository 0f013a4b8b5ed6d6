//! gRPC service for vehicles: lists, searches and exports vehicles, lists the changes since a revision, and saves
//! inspections.
use super::{ApiContext, Reply, reply};
use crate::{
    campaign::{delta_sync, search_index::SearchIndexCache},
    device_time::parse_device_time,
    error::Error,
    inspection::{
        self,
        batcher::SaveBatcher,
        save_types::{MergeBase, SaveCommand, SaveResult},
    },
    notes,
    parking_space::ParkingSpace,
    store::{
        campaigns::{self, Campaign},
        vehicles,
    },
    yard_filter::YardFilter,
};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use patio_kit::{
    audit,
    auth::identity,
    db::Db,
    pagination::{self, PageWindow},
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    normalization, status,
    vehicle::{self as pb, OnConflict, VehicleStatus, vehicle_service_server::VehicleService},
    vin::{self, Vin},
};
use tonic::{Request, Status};

/// Number of vehicles per message when the full vehicle list of a campaign is streamed.
const LIST_CHUNK_LEN: i64 = 1_000;
/// Number of vehicles read per statement during an export.
const EXPORT_READ_LEN: i64 = 1_000;
/// Number of exported vehicles per message. A message then stays below the gRPC size limit even if all vehicles have notes of
/// maximum length.
const EXPORT_CHUNK_LEN: usize = 250;
/// Maximum length of an idempotency key in bytes.
const MAX_KEY_LEN: usize = 128;

/// gRPC service that lists, searches, exports and saves vehicles.
pub struct VehicleApi {
    context: ApiContext,
    rosters: SearchIndexCache,
    together: SaveBatcher,
}

impl VehicleApi {
    /// Creates the gRPC service, with new search indexes and a new batcher for saves.
    pub fn new(host: &ServiceHost, context: ApiContext) -> Self {
        let rosters = SearchIndexCache::new(host.tasks.clone(), context.db.clone());
        let together = SaveBatcher::new(context.db.clone(), host.tasks.clone());
        Self { context, rosters, together }
    }

    /// Returns one page of search results and the total number of matches. If the search text matches no vehicle, the search is repeated
    /// with the comparison key of the text (without blanks and hyphens). If the key also matches no vehicle, the search is repeated with
    /// the key without a leading `I`, which labels of imported cars add.
    async fn search(
        &self,
        db: &Db,
        campaign: &Campaign,
        filter: vehicles::VehicleFilter,
        window: PageWindow,
    ) -> Result<(Vec<vehicles::Vehicle>, i64), sqlx::Error> {
        let (page, total) = self.page(db, campaign, &filter, window).await?;
        let key = vin::comparison_key(&filter.needle).to_lowercase();
        // A leading hyphen names the yard `-`: its comparison key, which drops the hyphen, would match other yards.
        if total > 0 || key.is_empty() || filter.needle.starts_with('-') {
            return Ok((page, total));
        }
        let bare = key.strip_prefix('i').filter(|bare| !bare.is_empty()).map(str::to_owned);
        for key in [Some(key), bare].into_iter().flatten() {
            let filter = vehicles::VehicleFilter {
                pattern: pagination::to_like_pattern(&key),
                needle: key,
                matches_vin_keys: true,
                ..filter.clone()
            };
            let (page, total) = self.page(db, campaign, &filter, window).await?;
            if total > 0 {
                return Ok((page, total));
            }
        }
        Ok((page, total))
    }

    /// Returns one page of vehicles and the total number of matches. Uses the in-memory search index if the index supports the
    /// filter, otherwise the database.
    async fn page(
        &self,
        db: &Db,
        campaign: &Campaign,
        filter: &vehicles::VehicleFilter,
        window: PageWindow,
    ) -> Result<(Vec<vehicles::Vehicle>, i64), sqlx::Error> {
        let by_roster = !filter.matches_vin_keys && filter.status.is_none() && (!filter.matches_all_vehicles() || window.index > 0);
        if let Some(roster) = self.rosters.find_current_search_index(campaign).filter(|_| by_roster) {
            let (ids, total) = roster.search_page(filter, window);
            let page = match ids.first() {
                // Without a filter the page is contiguous in walking order: one range scan costs half of single lookups.
                Some(first) if filter.matches_all_vehicles() => {
                    vehicles::list_starting_at_vehicle(db, campaign.id, *first, window.limit()).await?
                }
                _ => vehicles::list_by_ids(db, &ids).await?,
            };
            return Ok((page, total));
        }
        let page = vehicles::list_page(db, campaign.id, filter, window).await?;
        // A page that is not full is the last one, so its offset plus its rows is the total.
        let (rows, before) = (i64::try_from(page.len()).unwrap_or(i64::MAX), window.offset());
        let is_last = rows < window.limit() && (rows > 0 || before == 0);
        let total = match (filter.matches_all_vehicles(), is_last) {
            (true, _) => campaign.total,
            (false, true) => before + rows,
            (false, false) => vehicles::count(db, campaign.id, filter).await?,
        };
        Ok((page, total))
    }
}

#[tonic::async_trait]
impl VehicleService for VehicleApi {
    async fn get_vehicle(&self, request: Request<pb::GetVehicleRequest>) -> Reply<pb::Vehicle> {
        let role = identity::authenticated_caller(&request)?.role;
        let request = request.into_inner();
        let found = vehicles::find(&self.context.db, request.id, YardFilter::for_role(role, request.yard)).await.map_err(Error::from)?;
        reply(found.ok_or(Error::VehicleNotFound(request.id))?.into())
    }

    async fn list_vehicles(&self, request: Request<pb::ListVehiclesRequest>) -> Reply<pb::ListVehiclesResponse> {
        let role = identity::authenticated_caller(&request)?.role;
        let request = request.into_inner();
        let (request, window) = (&request, PageWindow::from_request(request.page.as_ref()));
        let listed = |db: Db| async move {
            let campaign = campaigns::find(&db, request.campaign_id).await?.ok_or(Error::CampaignNotFound(request.campaign_id))?;
            let yard_filter = campaign.simplify_yard_filter(YardFilter::for_role(role, request.yard));
            let (page, total) = self.search(&db, &campaign, filter(request, yard_filter)?, window).await?;
            Ok::<_, Error>((campaign, page, total))
        };
        let (campaign, page, total) = self.context.db.read_from_replica(listed).await?;
        reply(pb::ListVehiclesResponse {
            vehicles: page.into_iter().map(Into::into).collect(),
            meta: Some(window.to_page_meta(total)),
            campaign_name: campaign.name,
        })
    }

    type ListAllVehiclesStream = BoxStream<'static, Result<pb::VehicleChunk, Status>>;

    async fn list_all_vehicles(&self, request: Request<pb::ListAllVehiclesRequest>) -> Reply<Self::ListAllVehiclesStream> {
        let role = identity::authenticated_caller(&request)?.role;
        let request = request.into_inner();
        let id = request.campaign_id;
        let found = self.context.db.read_from_replica(|db| async move { campaigns::find(&db, id).await }).await;
        let campaign = found.map_err(Error::from)?.ok_or(Error::CampaignNotFound(id))?;
        let yard_filter = YardFilter::for_role(role, None);
        // Rows that are read later may be newer than this revision; the client's next delta then repeats these rows.
        let head =
            pb::VehicleChunk { revision: campaign.revision, unchanged: request.known == Some(campaign.revision), ..Default::default() };
        let start = (self.context.db.clone(), (!head.unchanged).then(|| (String::new(), 0)));
        let chunks = futures::stream::try_unfold(start, move |(db, position)| async move {
            let Some(position) = position else { return Ok(None) };
            let from = &position;
            let read = db.read_from_replica(|db| async move { vehicles::list_for_sync_after(&db, id, from, LIST_CHUNK_LEN).await }).await;
            let mut rows = read.map_err(Error::from)?;
            if rows.is_empty() {
                return Ok(None);
            }
            let full = i64::try_from(rows.len()).is_ok_and(|count| count == LIST_CHUNK_LEN);
            let position = rows.last().filter(|_| full).map(|last| (last.walk_key.clone(), last.id));
            rows.retain(|row| yard_filter.includes(row.yard_id));
            let chunk = pb::VehicleChunk { vehicles: rows.into_iter().map(Into::into).collect(), ..Default::default() };
            Ok::<_, Status>(Some((chunk, (db, position))))
        });
        reply(Box::pin(futures::stream::once(async { Ok(head) }).chain(chunks)))
    }

    type ExportVehiclesStream = BoxStream<'static, Result<pb::ExportChunk, Status>>;

    async fn export_vehicles(&self, request: Request<pb::ExportVehiclesRequest>) -> Reply<Self::ExportVehiclesStream> {
        let id = request.into_inner().campaign_id;
        campaigns::find(&self.context.db, id).await.map_err(Error::from)?.ok_or(Error::CampaignNotFound(id))?;
        let start = (self.context.db.clone(), Some((String::new(), 0)));
        let chunks = futures::stream::try_unfold(start, move |(db, position)| async move {
            let Some(position) = position else { return Ok(None) };
            let from = &position;
            let read =
                db.read_from_replica(|db| async move { vehicles::list_for_export_after(&db, id, from, EXPORT_READ_LEN).await }).await;
            let rows = read.map_err(Error::from)?;
            let full = i64::try_from(rows.len()).is_ok_and(|count| count == EXPORT_READ_LEN);
            let position = rows.last().filter(|_| full).map(|last| (last.walk_key.clone(), last.id));
            let mut rows = rows.into_iter().map(pb::ExportedVehicle::from).peekable();
            let mut chunks = Vec::new();
            while rows.peek().is_some() {
                chunks.push(Ok(pb::ExportChunk { vehicles: rows.by_ref().take(EXPORT_CHUNK_LEN).collect() }));
            }
            Ok::<_, Status>((!chunks.is_empty()).then_some((futures::stream::iter(chunks), (db, position))))
        });
        reply(Box::pin(chunks.try_flatten()))
    }

    async fn list_changes(&self, request: Request<pb::ListChangesRequest>) -> Reply<pb::ListChangesResponse> {
        let yard_filter = YardFilter::for_role(identity::authenticated_caller(&request)?.role, None);
        let request = request.into_inner();
        let listed = |db: Db| async move { delta_sync::list_changes(&db, request.campaign_id, request.since, yard_filter).await };
        reply(self.context.db.read_from_replica(listed).await?)
    }

    async fn save_vehicle(&self, request: Request<pb::SaveVehicleRequest>) -> Reply<pb::Vehicle> {
        let caller = identity::authenticated_caller(&request)?;
        let save = accept(&request, caller.role)?;
        let (now, by) = (self.context.clock.now(), caller.signed_in_user_id());
        let (together, live, progress) = (self.together.clone(), self.context.live.clone(), self.context.progress.clone());
        let saving = async move {
            let saved = inspection::save_inspection(&together, caller, save, now).await?;
            live.publish_vehicle_changed(&saved.write_result, by);
            if saved.write_result.revision.is_some() {
                saved.conflicts.iter().cloned().for_each(|conflict| live.publish_conflict_changed(conflict));
            }
            progress.publish_progress(saved.write_result.campaign_counts.as_slice()).await;
            Ok::<_, Error>(saved)
        };
        let SaveResult { write_result, conflicts } = self.context.live.run_to_completion(saving).await?;
        reply(pb::Vehicle { conflicts: conflicts.into_iter().map(Into::into).collect(), ..write_result.vehicle.into() })
    }
}

fn filter(request: &pb::ListVehiclesRequest, yard_filter: YardFilter) -> Result<vehicles::VehicleFilter, Error> {
    let status = match request.status {
        Some(number) => Some(status::vehicle_status_text(
            VehicleStatus::try_from(number).map_err(|_| Error::InvalidField("status: there is no such status".to_owned()))?,
        )),
        None => None,
    };
    let search = normalization::normalize_identifier(&request.search).to_lowercase();
    Ok(vehicles::VehicleFilter {
        pattern: pagination::to_like_pattern(&search),
        needle: search,
        matches_vin_keys: false,
        yard_filter,
        status,
    })
}

/// Validates a request to save an inspection. The error names the first invalid field.
fn accept(request: &Request<pb::SaveVehicleRequest>, role: Role) -> Result<SaveCommand, Error> {
    let address = audit::client_address(request);
    let request = request.get_ref();
    if request.idempotency_key.len() > MAX_KEY_LEN {
        return Err(Error::InvalidField(format!("idempotency_key: must have at most {MAX_KEY_LEN} bytes")));
    }
    super::device(&request.device)?;
    Ok(SaveCommand {
        id: request.id,
        seen_vin: parse_vin("seen_vin_number", request.seen_vin_number.as_deref())?,
        vin: parse_vin("vin_number", request.vin_number.as_deref())?,
        status: parse_status("status", request.status)?,
        place: request
            .parking_space
            .as_deref()
            .map(ParkingSpace::new)
            .transpose()
            .map_err(|why| Error::InvalidField(format!("parking_space: {why}")))?,
        operator_notes: parse_notes("operator_notes", request.operator_notes.as_deref())?,
        admin_notes: parse_notes("admin_notes", request.admin_notes.as_deref())?,
        campaign_id: request.campaign_id,
        if_version: request.if_version,
        key: request.idempotency_key.clone(),
        origin: request.origin(),
        yard_filter: YardFilter::for_role(role, request.yard),
        base: request.base.as_ref().map(parse_base).transpose()?,
        stores_conflicts: request.on_conflict() == OnConflict::Keep,
        device_time: request.device_time.as_ref().map(|at| parse_device_time("device_time", at)).transpose()?,
        device: request.device.clone(),
        address,
    })
}

fn parse_vin(field: &str, written: Option<&str>) -> Result<Option<Vin>, Error> {
    written.map(Vin::parse).transpose().map_err(|why| Error::InvalidField(format!("{field}: {why}")))
}

fn parse_status(field: &str, number: Option<i32>) -> Result<Option<VehicleStatus>, Error> {
    let known = |number| VehicleStatus::try_from(number).map_err(|_| Error::InvalidField(format!("{field}: there is no such status")));
    number.map(known).transpose()
}

/// Validates the base values of a save: the values that the client saw before the user changed them. Returns `InvalidField` with the
/// name of the first invalid field.
fn parse_base(values: &pb::Base) -> Result<MergeBase, Error> {
    let vin = values.vin_number.as_deref().map(Vin::parse).transpose();
    let space = values.parking_space.as_deref().map(ParkingSpace::new).transpose();
    Ok(MergeBase {
        vin: vin.map_err(|why| Error::InvalidField(format!("base.vin_number: {why}")))?,
        status: parse_status("base.status", values.status)?,
        space: space.map_err(|why| Error::InvalidField(format!("base.parking_space: {why}")))?.map(|place| place.space),
        operator_notes: parse_notes("base.operator_notes", values.operator_notes.as_deref())?,
        admin_notes: parse_notes("base.admin_notes", values.admin_notes.as_deref())?,
    })
}

fn parse_notes(field: &str, written: Option<&str>) -> Result<Option<String>, Error> {
    let name = if field.ends_with("admin_notes") { "Supervisor Notes" } else { "Team Leader Notes" };
    let checked = |text: &str| notes::validate_notes(name, text).map(|()| text.to_owned());
    written.map(checked).transpose().map_err(|why| Error::InvalidField(format!("{field}: {why}")))
}
