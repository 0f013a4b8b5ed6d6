//! Test doubles of the gRPC services, which record the requests they receive.
mod auth;

pub use auth::{Auth, Keys};

use futures::{Stream, stream};
use patio_kit::{
    clock,
    errors::{ErrorReason, status},
};
use patio_proto::{access::Role, audit, campaign as c, imports as i, vehicle as v};
use std::{
    pin::Pin,
    sync::{Arc, Mutex},
    time::Duration,
};
use tonic::{Code, Request, Response, Status, Streaming, async_trait};

/// User id without any session in auth-svc.
pub const STRANGER: i64 = 77;
/// Id of a vehicle whose response takes a tenth of a second.
pub const SLOW: i64 = 999;

pub type Reply<T> = Result<Response<T>, Status>;
type Flow<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn moment(seconds: i64) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds: 1_790_000_000 + seconds, nanos: 0 })
}

/// Test double of campaign-svc, which fails in a way that depends on the campaign's id.
pub struct Campaigns;

#[async_trait]
impl c::campaign_service_server::CampaignService for Campaigns {
    async fn list_campaigns(&self, request: Request<c::ListCampaignsRequest>) -> Reply<c::ListCampaignsResponse> {
        let page = request.into_inner().page.unwrap_or_default();
        let campaign =
            |id| c::Campaign { id, created_by: 3, modified_by: Some(99), status: 3, created_at: moment(0), ..Default::default() };
        let meta = patio_proto::common::PageMeta { index: page.index, size: page.size, total_count: 2 };
        Ok(Response::new(c::ListCampaignsResponse { campaigns: vec![campaign(1), campaign(2)], meta: Some(meta) }))
    }

    async fn get_campaign(&self, request: Request<c::GetCampaignRequest>) -> Reply<c::Campaign> {
        Err(match request.into_inner().id {
            404 => status(Code::NotFound, ErrorReason::NoCampaign, &"there is no campaign 404"),
            500 => Status::internal("select * from secrets"),
            503 => status(Code::Unavailable, ErrorReason::Unavailable, &"The server cannot reach its database. Try again in a moment."),
            504 => Status::cancelled("Timeout expired"),
            505 => panic!("a fault"),
            _ => Status::unknown("tcp connect error 10.0.0.1"),
        })
    }

    async fn list_campaign_history(&self, _: Request<c::ListCampaignHistoryRequest>) -> Reply<c::ListCampaignHistoryResponse> {
        Ok(Response::new(c::ListCampaignHistoryResponse::default()))
    }

    async fn update_campaign(&self, _: Request<c::UpdateCampaignRequest>) -> Reply<c::Campaign> {
        Err(status(Code::FailedPrecondition, ErrorReason::BadTransition, &"a Ready campaign cannot be closed"))
    }

    async fn delete_campaign(&self, _: Request<c::DeleteCampaignRequest>) -> Reply<c::DeleteCampaignResponse> {
        Ok(Response::new(c::DeleteCampaignResponse {}))
    }
}

/// Test double of vehicle-svc with one vehicle at version 7, last saved by user 3.
#[derive(Clone, Default)]
pub struct Vehicles {
    pub saves: Arc<Mutex<Vec<v::SaveVehicleRequest>>>,
}

fn car(version: i64) -> v::Vehicle {
    v::Vehicle {
        id: 5,
        model_code: "HB20".into(),
        serial_number: "000123".into(),
        modified_by: Some(3),
        version,
        id_yard: Some(2),
        ..Default::default()
    }
}

#[async_trait]
impl v::vehicle_service_server::VehicleService for Vehicles {
    type ListAllVehiclesStream = Flow<v::VehicleChunk>;

    async fn get_vehicle(&self, request: Request<v::GetVehicleRequest>) -> Reply<v::Vehicle> {
        if request.get_ref().id == SLOW {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(Response::new(car(7)))
    }

    async fn list_vehicles(&self, request: Request<v::ListVehiclesRequest>) -> Reply<v::ListVehiclesResponse> {
        let page = request.into_inner().page.unwrap_or_default();
        let meta = patio_proto::common::PageMeta { index: page.index, size: page.size, total_count: 1 };
        Ok(Response::new(v::ListVehiclesResponse { vehicles: vec![car(7)], meta: Some(meta), campaign_name: "Brakes".into() }))
    }

    async fn list_all_vehicles(&self, request: Request<v::ListAllVehiclesRequest>) -> Reply<Flow<v::VehicleChunk>> {
        let head = v::VehicleChunk { revision: 12, unchanged: request.into_inner().known == Some(12), ..Default::default() };
        let chunk = |n: i64| v::VehicleChunk {
            vehicles: (0..1000).map(|i| v::VehicleSummary { id: n * 1000 + i, status: 7, ..Default::default() }).collect(),
            ..Default::default()
        };
        let chunks = (0..if head.unchanged { 0 } else { 20 }).map(move |n| Ok(chunk(n)));
        Ok(Response::new(Box::pin(stream::iter(std::iter::once(Ok(head)).chain(chunks)))))
    }

    type ExportVehiclesStream = Flow<v::ExportChunk>;

    async fn export_vehicles(&self, _: Request<v::ExportVehiclesRequest>) -> Reply<Flow<v::ExportChunk>> {
        Err(Status::unimplemented("the gateway does not call this rpc"))
    }

    async fn list_changes(&self, request: Request<v::ListChangesRequest>) -> Reply<v::ListChangesResponse> {
        let since = request.into_inner().since;
        let vehicles = vec![v::VehicleSummary { id: 5, status: 2, ..Default::default() }];
        Ok(Response::new(v::ListChangesResponse { revision: since + 1, vehicles, removed: vec![6], whole: false }))
    }

    async fn save_vehicle(&self, request: Request<v::SaveVehicleRequest>) -> Reply<v::Vehicle> {
        let save = request.into_inner();
        self.saves.lock().unwrap().push(save.clone());
        match save.if_version {
            Some(version) if version != 7 => Err(status(Code::Aborted, ErrorReason::StaleVersion, &"vehicle 5 is now at version 7")),
            _ => Ok(Response::new(car(8))),
        }
    }
}

/// Test double of import-svc. It accepts any file, but rejects `54.xlsx` with code 54 after reading it, and `early.xlsx` at once.
#[derive(Clone, Default)]
pub struct Imports {
    /// Size in bytes of each file that arrived completely.
    pub whole: Arc<Mutex<Vec<usize>>>,
}

#[async_trait]
impl i::import_service_server::ImportService for Imports {
    type WatchImportStream = Flow<i::ImportProgress>;

    async fn import_campaign(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<i::ImportCampaignResponse> {
        let mut chunks = request.into_inner();
        let (mut bytes, mut name) = (0, String::new());
        while let Some(chunk) = chunks.message().await? {
            bytes += chunk.data.len();
            name.push_str(&chunk.file_name);
            if name == "early.xlsx" {
                return Ok(Response::new(rejected(53)));
            }
        }
        self.whole.lock().unwrap().push(bytes);
        if let Some(code) = name.strip_suffix(".xlsx").and_then(|code| code.parse().ok()) {
            return Ok(Response::new(rejected(code)));
        }
        let campaign = c::Campaign { id: 9, name, created_by: 3, status: 1, ..Default::default() };
        let imported = i::Imported { campaign: Some(campaign), vehicles: 1, notes: Vec::new() };
        Ok(Response::new(i::ImportCampaignResponse { outcome: Some(i::import_campaign_response::Outcome::Imported(Box::new(imported))) }))
    }

    async fn watch_import(&self, _: Request<i::WatchImportRequest>) -> Reply<Flow<i::ImportProgress>> {
        let step = |phase, rows, total| Ok(i::ImportProgress { phase, rows, total });
        Ok(Response::new(Box::pin(stream::iter([step(1, 10, None), step(2, 20, Some(40)), step(3, 40, Some(40))]))))
    }

    async fn cancel_import(&self, _: Request<i::CancelImportRequest>) -> Reply<i::CancelImportResponse> {
        Err(status(
            Code::Aborted,
            ErrorReason::TooLate,
            &"The import has already finished. To remove its campaign, undo the import in History.",
        ))
    }

    async fn get_template(&self, _: Request<i::GetTemplateRequest>) -> Reply<i::File> {
        Ok(Response::new(i::File { name: "Modelo é.xlsx".into(), content_type: "application/x-test".into(), data: b"PK".to_vec() }))
    }
}

fn part(part: i::file_chunk::Part) -> Result<i::FileChunk, Status> {
    Ok(i::FileChunk { part: Some(part) })
}

#[async_trait]
impl i::file_service_server::FileService for Imports {
    type ExportCampaignStream = Flow<i::FileChunk>;
    type ConvertToSqlStream = Flow<i::FileChunk>;
    type GetRejectedSheetStream = Flow<i::FileChunk>;

    async fn get_rejected_sheet(&self, request: Request<i::GetRejectedSheetRequest>) -> Reply<Flow<i::FileChunk>> {
        use i::file_chunk::Part;
        let name = format!("{}-errors.xlsx", request.into_inner().upload_id);
        let head = part(Part::Head(i::FileHeader { name, content_type: "application/x-test".into() }));
        Ok(Response::new(Box::pin(stream::iter([head, part(Part::Data(b"PK".to_vec()))]))))
    }

    async fn export_campaign(&self, request: Request<i::ExportCampaignRequest>) -> Reply<Flow<i::FileChunk>> {
        use i::file_chunk::Part;
        let ask = request.into_inner();
        let name = format!("report_{}\r\nX: {}-1.xlsx", ask.report, ask.campaign_id);
        let head = part(Part::Head(i::FileHeader { name, content_type: "application/x-test".into() }));
        let last = if ask.campaign_id == 666 { Err(Status::unavailable("gone")) } else { part(Part::Data(b"K".to_vec())) };
        Ok(Response::new(Box::pin(stream::iter([head, part(Part::Data(b"P".to_vec())), last]))))
    }

    async fn convert_to_sql(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<Flow<i::FileChunk>> {
        use i::file_chunk::Part;
        let mut chunks = request.into_inner();
        let (mut name, mut file) = (String::new(), String::new());
        while let Some(chunk) = chunks.message().await? {
            name.push_str(&chunk.campaign_name);
            file.push_str(&chunk.file_name);
        }
        if file == "56.xlsx" {
            let Some(i::import_campaign_response::Outcome::Rejected(rejection)) = rejected(56).outcome else { panic!("a rejection") };
            return Ok(Response::new(Box::pin(stream::iter([part(Part::Rejected(rejection))]))));
        }
        let head = i::FileHeader { name: format!("{name} SQL Data.sql"), content_type: "application/sql".into() };
        Ok(Response::new(Box::pin(stream::iter([part(Part::Head(head)), part(Part::Data(b"begin;".to_vec()))]))))
    }

    async fn check_csv(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<i::CsvResponse> {
        let mut chunks = request.into_inner();
        let (mut file, mut bytes) = (String::new(), 0);
        while let Some(chunk) = chunks.message().await? {
            file.push_str(&chunk.file_name);
            bytes += chunk.data.len();
        }
        self.whole.lock().unwrap().push(bytes);
        if file.ends_with(".txt") {
            let rejection = i::Rejection { code: 53, message: "Apenas arquivos CSV (.csv) são suportados.".into(), ..Default::default() };
            return Ok(Response::new(i::CsvResponse { outcome: Some(i::csv_response::Outcome::Rejected(rejection)) }));
        }
        let errors = if file == "bad.csv" { vec![v::LineError { line: 3, message: "is odd".into() }] } else { Vec::new() };
        let changes = vec![v::Change { field: "status".into(), old: String::new(), new: "ok".into() }];
        let preview =
            vec![v::Preview { line: 2, vin_number: "A 1".into(), campaign_name: "Brakes".into(), changes, has_open_conflict: true }];
        let replaced_statuses = vec![v::StatusCount { status: v::VehicleStatus::Repair.into(), vehicles: 3 }];
        let edit = v::BulkEditResponse {
            matched: 1,
            updated: 1,
            total_errors: errors.len() as i64,
            errors,
            preview,
            replaced_statuses,
            open_conflicts: 1,
            warnings: Vec::new(),
        };
        Ok(Response::new(i::CsvResponse { outcome: Some(i::csv_response::Outcome::Edit(edit)) }))
    }

    async fn apply_csv(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<i::CsvResponse> {
        self.check_csv(request).await
    }
}

fn rejected(code: i32) -> i::ImportCampaignResponse {
    let row = i::RowError { row: 12, column: "Serial Number".into(), value: "?".into(), message: "is odd".into() };
    let message = "Uma campanha com o mesmo nome já existe para o {product}.".to_owned();
    let kept_as = if code == 57 { "0197f0c4-0000-7000-8000-000000000000".into() } else { String::new() };
    let rejection = i::Rejection { code, message, rows: vec![row], total_errors: 1, kept_as };
    i::ImportCampaignResponse { outcome: Some(i::import_campaign_response::Outcome::Rejected(rejection)) }
}

/// Test double of an audit log with 250 entries, one per minute; the services are offset by some seconds. Every fifth entry is a
/// page view.
pub struct Log(pub &'static str);

#[async_trait]
impl audit::audit_service_server::AuditService for Log {
    async fn list_events(&self, request: Request<audit::ListEventsRequest>) -> Reply<audit::ListEventsResponse> {
        let asked = request.into_inner();
        let shift = i64::try_from(self.0.len()).unwrap();
        let all = (1..=250_i64).rev().map(|id| audit::Event {
            id,
            at: moment(id * 60 + shift),
            user_id: Some(3),
            role: Role::Manager.into(),
            kind: if id % 5 == 0 { "page-view" } else { "login" }.into(),
            subject: format!("{} {id}", self.0),
            ..Default::default()
        });
        let before = asked.before.as_ref().and_then(clock::from_timestamp).map(|at| (at, asked.before_id));
        let left =
            all.filter(|event| before.is_none_or(|before| (clock::from_timestamp(event.at.as_ref().unwrap()).unwrap(), event.id) < before));
        let mine = left.filter(|event| asked.user_id.is_none_or(|id| event.user_id == Some(id)));
        let mine = mine.filter(|event| !asked.exclude_page_views || event.kind != "page-view");
        Ok(Response::new(audit::ListEventsResponse { events: mine.take(usize::try_from(asked.limit.clamp(1, 200)).unwrap()).collect() }))
    }
}
