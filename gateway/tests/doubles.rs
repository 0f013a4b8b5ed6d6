//! Doubles of the services: small, honest, and counting what they are asked.
use futures::{Stream, stream};
use patio_kit::{
    clock,
    errors::{Reason, status, status_with},
    identity,
};
use patio_proto::{access::Role, audit, auth as a, campaign as c, imports as i, vehicle as v};
use std::{
    pin::Pin,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tonic::{Code, Request, Response, Status, Streaming, async_trait};

/// A user whose sessions nobody began, and the vehicle that takes a tenth of a second to be read.
pub const STRANGER: i64 = 77;
pub const SLOW: i64 = 999;

type Reply<T> = Result<Response<T>, Status>;
type Flow<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

fn moment(seconds: i64) -> Option<prost_types::Timestamp> {
    Some(prost_types::Timestamp { seconds: 1_790_000_000 + seconds, nanos: 0 })
}

/// Knows `ana` (3) with the password `right`; `locked` is locked out.
#[derive(Clone, Default)]
pub struct Auth {
    pub asked: Arc<Mutex<Vec<a::SignInRequest>>>,
    pub confirmed: Arc<AtomicUsize>,
    pub names_asked: Arc<AtomicUsize>,
    pub names_away: Arc<AtomicBool>,
}

fn ana() -> a::User {
    a::User { id: 3, hmc: "ana".into(), role: Role::Manager.into(), created_at: moment(0), last_login_at: None, developer: false }
}

#[async_trait]
impl a::session_service_server::SessionService for Auth {
    async fn sign_in(&self, request: Request<a::SignInRequest>) -> Reply<a::Session> {
        let asked = request.into_inner();
        self.asked.lock().unwrap().push(asked.clone());
        if asked.is_limited && asked.device_marks != ["known"] {
            return Err(status_with(Code::ResourceExhausted, Reason::RateLimited, &"too many", &[("retry_after", "1".into())]));
        }
        match (asked.hmc.as_str(), asked.password.as_str()) {
            ("locked", _) => {
                let words = "Exceeded login attempts. Please try again in 171 seconds.";
                Err(status_with(Code::ResourceExhausted, Reason::LockedOut, &words, &[("retry_after", "171".into())]))
            }
            ("ana", "right") => {
                let session = a::Session { token: "t".into(), user: Some(ana()), expires_at: moment(9), device_mark: "mark-1".into() };
                Ok(Response::new(session))
            }
            _ => {
                let words = "Invalid credentials. You have more 4 attempt(s).";
                Err(status_with(Code::Unauthenticated, Reason::InvalidCredentials, &words, &[("attempts_left", "4".into())]))
            }
        }
    }

    async fn sign_out(&self, _: Request<a::SignOutRequest>) -> Reply<a::SignOutReply> {
        Ok(Response::new(a::SignOutReply {}))
    }

    async fn confirm_session(&self, request: Request<a::ConfirmSessionRequest>) -> Reply<a::ConfirmSessionReply> {
        let caller = identity::caller(&request)?;
        self.confirmed.fetch_add(1, Ordering::Relaxed);
        let is_known = caller.user_id != STRANGER;
        is_known.then(|| Response::new(a::ConfirmSessionReply {})).ok_or_else(|| identity::not_signed_in("unknown"))
    }

    async fn get_me(&self, request: Request<a::GetMeRequest>) -> Reply<a::User> {
        let caller = identity::caller(&request)?;
        Ok(Response::new(a::User {
            id: caller.user_id,
            role: caller.role.into(),
            developer: caller.is_developer(),
            hmc: "dev".into(),
            ..ana()
        }))
    }

    async fn change_own_password(&self, _: Request<a::ChangeOwnPasswordRequest>) -> Reply<a::User> {
        Err(status(Code::FailedPrecondition, Reason::BadPassword, &"the password is too short"))
    }

    async fn log_visit(&self, _: Request<a::LogVisitRequest>) -> Reply<a::LogVisitReply> {
        Ok(Response::new(a::LogVisitReply {}))
    }
}

#[async_trait]
impl a::user_service_server::UserService for Auth {
    async fn list_users(&self, _: Request<a::ListUsersRequest>) -> Reply<a::ListUsersReply> {
        Ok(Response::new(a::ListUsersReply { users: vec![ana()] }))
    }

    async fn create_user(&self, request: Request<a::CreateUserRequest>) -> Reply<a::User> {
        let asked = request.into_inner();
        if asked.hmc == "ana" {
            return Err(status(Code::AlreadyExists, Reason::HmcTaken, &"another user has this hmc"));
        }
        Ok(Response::new(a::User { id: 4, hmc: asked.hmc, role: asked.role, ..ana() }))
    }

    async fn update_user(&self, _: Request<a::UpdateUserRequest>) -> Reply<a::User> {
        Err(status(Code::FailedPrecondition, Reason::LastAdmin, &"the last supervisor must stay one"))
    }

    async fn delete_user(&self, _: Request<a::DeleteUserRequest>) -> Reply<a::DeleteUserReply> {
        Err(status(Code::FailedPrecondition, Reason::OwnAccount, &"this is your own account"))
    }

    async fn lift_lockout(&self, _: Request<a::LiftLockoutRequest>) -> Reply<a::LiftLockoutReply> {
        Ok(Response::new(a::LiftLockoutReply { lifted: true }))
    }

    async fn get_names(&self, request: Request<a::GetNamesRequest>) -> Reply<a::GetNamesReply> {
        self.names_asked.fetch_add(1, Ordering::Relaxed);
        if self.names_away.load(Ordering::Relaxed) {
            return Err(status(Code::Unavailable, Reason::Unavailable, &"away"));
        }
        let known = request.into_inner().ids.into_iter().filter(|id| *id == 3).map(|id| (id, "ana".to_owned()));
        Ok(Response::new(a::GetNamesReply { names: known.collect() }))
    }

    async fn export_user(&self, request: Request<a::ExportUserRequest>) -> Reply<a::ExportUserReply> {
        Ok(Response::new(a::ExportUserReply { json: format!(r#"{{"id":{}}}"#, request.into_inner().id) }))
    }
}

/// Answers as a service that is broken in many ways, by the campaign's id.
pub struct Campaigns;

#[async_trait]
impl c::campaign_service_server::CampaignService for Campaigns {
    async fn list_campaigns(&self, request: Request<c::ListCampaignsRequest>) -> Reply<c::ListCampaignsReply> {
        let page = request.into_inner().page.unwrap_or_default();
        let campaign =
            |id| c::Campaign { id, created_by: 3, modified_by: Some(99), status: 3, created_at: moment(0), ..Default::default() };
        let meta = patio_proto::common::PageMeta { index: page.index, size: page.size, total_count: 2 };
        Ok(Response::new(c::ListCampaignsReply { campaigns: vec![campaign(1), campaign(2)], meta: Some(meta) }))
    }

    async fn get_campaign(&self, request: Request<c::GetCampaignRequest>) -> Reply<c::Campaign> {
        Err(match request.into_inner().id {
            404 => status(Code::NotFound, Reason::NoCampaign, &"there is no campaign 404"),
            500 => Status::internal("select * from secrets"),
            503 => status(Code::Unavailable, Reason::Unavailable, &"the database cannot be reached; try again in a moment"),
            504 => Status::cancelled("Timeout expired"),
            505 => panic!("a fault"),
            _ => Status::unknown("tcp connect error 10.0.0.1"),
        })
    }

    async fn update_campaign(&self, _: Request<c::UpdateCampaignRequest>) -> Reply<c::Campaign> {
        Err(status(Code::FailedPrecondition, Reason::BadTransition, &"a Ready campaign cannot be closed"))
    }

    async fn delete_campaign(&self, _: Request<c::DeleteCampaignRequest>) -> Reply<c::DeleteCampaignReply> {
        Ok(Response::new(c::DeleteCampaignReply {}))
    }
}

/// One vehicle at version 7, last saved by user 3.
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

    async fn list_vehicles(&self, request: Request<v::ListVehiclesRequest>) -> Reply<v::ListVehiclesReply> {
        let page = request.into_inner().page.unwrap_or_default();
        let meta = patio_proto::common::PageMeta { index: page.index, size: page.size, total_count: 1 };
        Ok(Response::new(v::ListVehiclesReply { vehicles: vec![car(7)], meta: Some(meta), campaign_name: "Brakes".into() }))
    }

    async fn list_all_vehicles(&self, request: Request<v::ListAllVehiclesRequest>) -> Reply<Flow<v::VehicleChunk>> {
        let head = v::VehicleChunk { revision: 12, unchanged: request.into_inner().known == Some(12), ..Default::default() };
        let chunk = |n: i64| v::VehicleChunk {
            vehicles: (0..1000).map(|i| v::VehicleRow { id: n * 1000 + i, status: 7, ..Default::default() }).collect(),
            ..Default::default()
        };
        let chunks = (0..if head.unchanged { 0 } else { 20 }).map(move |n| Ok(chunk(n)));
        Ok(Response::new(Box::pin(stream::iter(std::iter::once(Ok(head)).chain(chunks)))))
    }

    type ExportVehiclesStream = Flow<v::ExportChunk>;

    async fn export_vehicles(&self, _: Request<v::ExportVehiclesRequest>) -> Reply<Flow<v::ExportChunk>> {
        Err(Status::unimplemented("the gateway does not ask for it"))
    }

    async fn list_changes(&self, request: Request<v::ListChangesRequest>) -> Reply<v::ListChangesReply> {
        let since = request.into_inner().since;
        let vehicles = vec![v::VehicleRow { id: 5, status: 2, ..Default::default() }];
        Ok(Response::new(v::ListChangesReply { revision: since + 1, vehicles, removed: vec![6], whole: false }))
    }

    async fn save_vehicle(&self, request: Request<v::SaveVehicleRequest>) -> Reply<v::Vehicle> {
        let save = request.into_inner();
        self.saves.lock().unwrap().push(save.clone());
        match save.if_version {
            Some(version) if version != 7 => Err(status(Code::Aborted, Reason::StaleVersion, &"vehicle 5 is at version 7 by now")),
            _ => Ok(Response::new(car(8))),
        }
    }
}

/// Takes any file; one named `54.xlsx` is refused with code 54 after it was read, one named `early.xlsx` at once.
#[derive(Clone, Default)]
pub struct Imports {
    /// Bytes of each file that came in whole.
    pub whole: Arc<Mutex<Vec<usize>>>,
}

#[async_trait]
impl i::import_service_server::ImportService for Imports {
    type WatchImportStream = Flow<i::ImportProgress>;

    async fn import_campaign(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<i::ImportCampaignReply> {
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
        Ok(Response::new(i::ImportCampaignReply { outcome: Some(i::import_campaign_reply::Outcome::Imported(imported)) }))
    }

    async fn watch_import(&self, _: Request<i::WatchImportRequest>) -> Reply<Flow<i::ImportProgress>> {
        let step = |phase, rows, total| Ok(i::ImportProgress { phase, rows, total });
        Ok(Response::new(Box::pin(stream::iter([step(1, 10, None), step(2, 20, Some(40)), step(3, 40, Some(40))]))))
    }

    async fn cancel_import(&self, _: Request<i::CancelImportRequest>) -> Reply<i::CancelImportReply> {
        Err(status(Code::Aborted, Reason::TooLate, &"the import is a campaign already"))
    }

    async fn get_template(&self, _: Request<i::GetTemplateRequest>) -> Reply<i::File> {
        Ok(Response::new(i::File { name: "Modelo é.xlsx".into(), content_type: "application/x-test".into(), data: b"PK".to_vec() }))
    }
}

fn part(part: i::file_piece::Part) -> Result<i::FilePiece, Status> {
    Ok(i::FilePiece { part: Some(part) })
}

#[async_trait]
impl i::file_service_server::FileService for Imports {
    type ExportCampaignStream = Flow<i::FilePiece>;
    type ConvertToSqlStream = Flow<i::FilePiece>;
    type GetRejectedSheetStream = Flow<i::FilePiece>;

    async fn get_rejected_sheet(&self, request: Request<i::GetRejectedSheetRequest>) -> Reply<Flow<i::FilePiece>> {
        use i::file_piece::Part;
        let name = format!("{}-errors.xlsx", request.into_inner().upload_id);
        let head = part(Part::Head(i::FileHead { name, content_type: "application/x-test".into() }));
        Ok(Response::new(Box::pin(stream::iter([head, part(Part::Data(b"PK".to_vec()))]))))
    }

    async fn export_campaign(&self, request: Request<i::ExportCampaignRequest>) -> Reply<Flow<i::FilePiece>> {
        use i::file_piece::Part;
        let ask = request.into_inner();
        let name = format!("report_{}\r\nX: {}-1.xlsx", ask.report, ask.campaign_id);
        let head = part(Part::Head(i::FileHead { name, content_type: "application/x-test".into() }));
        let last = if ask.campaign_id == 666 { Err(Status::unavailable("gone")) } else { part(Part::Data(b"K".to_vec())) };
        Ok(Response::new(Box::pin(stream::iter([head, part(Part::Data(b"P".to_vec())), last]))))
    }

    async fn convert_to_sql(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<Flow<i::FilePiece>> {
        use i::file_piece::Part;
        let mut chunks = request.into_inner();
        let (mut name, mut file) = (String::new(), String::new());
        while let Some(chunk) = chunks.message().await? {
            name.push_str(&chunk.campaign_name);
            file.push_str(&chunk.file_name);
        }
        if file == "56.xlsx" {
            let Some(i::import_campaign_reply::Outcome::Rejected(rejection)) = rejected(56).outcome else { panic!("a rejection") };
            return Ok(Response::new(Box::pin(stream::iter([part(Part::Rejected(rejection))]))));
        }
        let head = i::FileHead { name: format!("{name} SQL Data.sql"), content_type: "application/sql".into() };
        Ok(Response::new(Box::pin(stream::iter([part(Part::Head(head)), part(Part::Data(b"begin;".to_vec()))]))))
    }

    async fn check_csv(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<i::CsvReply> {
        let mut chunks = request.into_inner();
        let (mut file, mut bytes) = (String::new(), 0);
        while let Some(chunk) = chunks.message().await? {
            file.push_str(&chunk.file_name);
            bytes += chunk.data.len();
        }
        self.whole.lock().unwrap().push(bytes);
        if file.ends_with(".txt") {
            let rejection = i::Rejection { code: 53, message: "Apenas arquivos CSV (.csv) são suportados.".into(), ..Default::default() };
            return Ok(Response::new(i::CsvReply { outcome: Some(i::csv_reply::Outcome::Rejected(rejection)) }));
        }
        let errors = if file == "bad.csv" { vec![v::LineError { line: 3, message: "is odd".into() }] } else { Vec::new() };
        let changes = vec![v::Change { field: "status".into(), old: String::new(), new: "ok".into() }];
        let preview = vec![v::Preview { line: 2, vin_number: "A 1".into(), campaign_name: "Brakes".into(), changes }];
        let edit = v::BulkEditReply { matched: 1, updated: 1, total_errors: errors.len() as i64, errors, preview, warnings: Vec::new() };
        Ok(Response::new(i::CsvReply { outcome: Some(i::csv_reply::Outcome::Edit(edit)) }))
    }

    async fn apply_csv(&self, request: Request<Streaming<i::UploadChunk>>) -> Reply<i::CsvReply> {
        self.check_csv(request).await
    }
}

fn rejected(code: i32) -> i::ImportCampaignReply {
    let row = i::RowError { row: 12, column: "Serial Number".into(), value: "?".into(), message: "is odd".into() };
    let message = "Uma campanha com o mesmo nome já existe para o {product}.".to_owned();
    let kept_as = if code == 57 { "0197f0c4-0000-7000-8000-000000000000".into() } else { String::new() };
    let rejection = i::Rejection { code, message, rows: vec![row], total_errors: 1, kept_as };
    i::ImportCampaignReply { outcome: Some(i::import_campaign_reply::Outcome::Rejected(rejection)) }
}

/// A log of 250 entries, one a minute, each service some seconds after the other.
pub struct Log(pub &'static str);

#[async_trait]
impl audit::audit_service_server::AuditService for Log {
    async fn list_events(&self, request: Request<audit::ListEventsRequest>) -> Reply<audit::ListEventsReply> {
        let asked = request.into_inner();
        let shift = i64::try_from(self.0.len()).unwrap();
        let all = (1..=250_i64).rev().map(|id| audit::Event {
            id,
            at: moment(id * 60 + shift),
            user_id: Some(3),
            role: Role::Manager.into(),
            kind: "login".into(),
            subject: format!("{} {id}", self.0),
            ..Default::default()
        });
        let before = asked.before.as_ref().and_then(clock::moment).map(|at| (at, asked.before_id));
        let left = all.filter(|event| before.is_none_or(|before| (clock::moment(event.at.as_ref().unwrap()).unwrap(), event.id) < before));
        let mine = left.filter(|event| asked.user_id.is_none_or(|id| event.user_id == Some(id)));
        Ok(Response::new(audit::ListEventsReply { events: mine.take(usize::try_from(asked.limit.clamp(1, 200)).unwrap()).collect() }))
    }
}

/// Has one key and nothing else.
pub struct Keys;

#[async_trait]
impl a::token_service_server::TokenService for Keys {
    async fn get_keys(&self, _: Request<a::GetKeysRequest>) -> Reply<a::GetKeysReply> {
        Ok(Response::new(a::GetKeysReply { keys: vec![a::Key { id: "k1".into(), public_key: vec![1, 2, 3, 4] }] }))
    }

    async fn list_revocations(&self, _: Request<a::ListRevocationsRequest>) -> Reply<a::ListRevocationsReply> {
        Ok(Response::new(a::ListRevocationsReply::default()))
    }

    async fn note_sessions(&self, _: Request<a::NoteSessionsRequest>) -> Reply<a::NoteSessionsReply> {
        Ok(Response::new(a::NoteSessionsReply {}))
    }

    async fn mint_service_token(&self, _: Request<a::MintServiceTokenRequest>) -> Reply<a::MintServiceTokenReply> {
        Err(status(Code::Unauthenticated, Reason::NotSignedIn, &"nobody here"))
    }
}
