//! Saga of one import: reads the file, creates a draft campaign, stores the vehicles and publishes the campaign. If a step fails,
//! the saga undoes the earlier steps.
use crate::{
    active_imports::ActiveImports,
    error::{Error, Result},
    import_outcome::{ImportOutcome, ImportedCampaign},
    progress::ProgressTracker,
    saga_clients::SagaClients,
    store::{
        self, BeginAttemptResult, ImportAttempt, ImportFailureKind, cancellation,
        rejected_workbooks::{self, RejectedWorkbook},
    },
};
use bytes::Bytes;
use patio_kit::{
    auth::{identity::Caller, service_tokens::ServiceTokenSource},
    client::call_context::CallContext,
    db::Db,
    errors::{self, ErrorReason},
    hex,
    service_host::ServiceHost,
};
use patio_proto::{
    campaign::Campaign,
    imports::{ImportPhase, Rejection},
};
use std::{
    convert::Infallible,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use tonic::{Code, Status};
use uuid::Uuid;
use workbook_reader::{
    ParsedWorkbook, WorkbookReadError, WorkbookReader,
    protocol::SheetSummary,
    rejection::{ErrorCode, build_rejection, campaign_name_taken_rejection},
};

/// Interval at which a running import sends heartbeats for itself and for its draft campaign.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(2);
/// Interval at which a running import checks whether its cancellation was requested.
const CANCELLATION_POLL_INTERVAL: Duration = Duration::from_millis(250);

/// A completely received workbook, before the import reads it.
#[derive(Debug)]
pub struct UploadedWorkbook {
    /// Upload id that the client chose.
    pub id: Uuid,
    /// Name of the uploaded file, which ends with `.xlsx`.
    pub file_name: String,
    /// Content of the file, at most [`workbook_reader::rejection::MAX_FILE_BYTES`] bytes.
    pub data: Bytes,
}

/// The user who starts an import or export.
#[derive(Debug, Clone)]
pub struct RequestingUser {
    /// Caller as verified by the authorization layer.
    pub caller: Caller,
    /// Token for calls to other services on behalf of the user.
    pub bearer: CallContext,
    /// IP address of the user's client, for the audit log.
    pub address: String,
}

/// Runs imports of workbooks. Clones share the concurrency limit of the workbook reader.
#[derive(Clone)]
pub struct Importer {
    /// Shared resources of this process: channels to other services, cache, clock and background tasks.
    pub host: ServiceHost,
    /// Database with the history of imports.
    pub db: Db,
    /// Reader that parses workbooks in separate processes.
    pub reader: WorkbookReader,
    /// Source of the service tokens for calls to other services.
    pub tokens: ServiceTokenSource,
    /// Imports that run in this process.
    pub running: ActiveImports,
}

impl Importer {
    /// Imports a file. If the returned future is dropped before publishing begins, the import is cancelled and undone.
    pub async fn import(&self, user: RequestingUser, upload: UploadedWorkbook) -> Result<ImportOutcome> {
        let attempt = ImportAttempt {
            upload_id: upload.id.to_string(),
            file_name: upload.file_name.clone(),
            digest: hex::sha256_hex(&upload.data),
            caller: user.caller.clone(),
            address: user.address.clone(),
            at: self.host.clock.now(),
        };
        let steps = SagaClients::new(&self.host.channels, self.tokens.call_context_on_behalf_of(&user.bearer).await?);
        match store::begin_import_attempt(&self.db, attempt, self.running.clone()).await? {
            BeginAttemptResult::Started { id, leftover } => self.start(id, leftover, Run::new(self, id, user.caller, steps, upload)).await,
            BeginAttemptResult::AlreadyImported { campaign_id, vehicles } => match steps.find_published_campaign(campaign_id).await? {
                Some(campaign) => {
                    self.progress_of(upload.id, &user.caller).publish_final_phase(ImportPhase::Done).await;
                    Ok(ImportOutcome::from_campaign(campaign, vehicles, Vec::new()))
                }
                None => Err(errors::status(Code::NotFound, ErrorReason::NoCampaign, &"The campaign of this upload was deleted.").into()),
            },
            BeginAttemptResult::Running => Err(Error::AlreadyRunning),
            BeginAttemptResult::UploadIdReused => Err(Error::UploadIdReused),
        }
    }

    fn progress_of(&self, upload_id: Uuid, caller: &Caller) -> ProgressTracker {
        ProgressTracker::new(self.host.cache.clone(), self.host.clock.clone(), upload_id, caller.user_id)
    }

    /// Runs an import in a background task, so that a disconnected client cannot interrupt the import between two steps.
    /// `leftover` is the id of the campaign that an earlier attempt created. The campaign is a draft or already published.
    async fn start(&self, id: i64, leftover: Option<i64>, run: Run) -> Result<ImportOutcome> {
        let entered = self.running.mark_running(id);
        if let Some(draft) = leftover {
            if let Some(campaign) = run.steps.find_published_campaign(draft).await? {
                let vehicles = campaign.total_vehicles;
                store::record_draft_campaign(&self.db, id, (draft, campaign.name.clone()), vehicles).await?;
                store::record_success(&self.db, id, run.caller.clone(), self.host.clock.now()).await?;
                run.progress.publish_final_phase(ImportPhase::Done).await;
                return Ok(ImportOutcome::from_campaign(campaign, vehicles, Vec::new()));
            }
            run.steps.discard_draft(draft).await;
        }
        let given_up = CancellationToken::new();
        let guard = given_up.clone().drop_guard();
        let (sender, result) = oneshot::channel();
        self.host.tasks.spawn(async move {
            let ending = run.complete(given_up).await;
            drop(entered);
            drop(sender.send(ending));
        });
        let ending = result.await.unwrap_or(Err(Error::Interrupted));
        drop(guard);
        ending
    }
}

/// Reason that an import ends without a published campaign.
enum Stop {
    Rejected(Rejection),
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

impl From<sqlx::Error> for Stop {
    fn from(cause: sqlx::Error) -> Self {
        Self::Failed(cause.into())
    }
}

impl From<Rejection> for Stop {
    fn from(rejection: Rejection) -> Self {
        Self::Rejected(rejection)
    }
}

/// State of one running import: its file, its user and its gRPC clients.
struct Run {
    id: i64,
    host: ServiceHost,
    db: Db,
    reader: WorkbookReader,
    caller: Caller,
    steps: SagaClients,
    upload_id: Uuid,
    file_name: String,
    data: Bytes,
    progress: Arc<ProgressTracker>,
    draft: OnceLock<i64>,
    cancelled: AtomicBool,
}

impl Run {
    fn new(importer: &Importer, id: i64, caller: Caller, steps: SagaClients, upload: UploadedWorkbook) -> Self {
        let Importer { host, db, reader, .. } = importer.clone();
        let progress = Arc::new(importer.progress_of(upload.id, &caller));
        let UploadedWorkbook { id: upload_id, file_name, data } = upload;
        Self {
            id,
            host,
            db,
            reader,
            caller,
            steps,
            upload_id,
            file_name,
            data,
            progress,
            draft: OnceLock::new(),
            cancelled: AtomicBool::new(false),
        }
    }

    async fn complete(mut self, given_up: CancellationToken) -> Result<ImportOutcome> {
        let data = std::mem::take(&mut self.data);
        let work = async {
            let book = until(&given_up, self.read(data)).await?;
            let (vehicles, notes) = (book.sheet.vehicles, book.sheet.notes.clone());
            // Not cancellable: the id of a draft whose creation was interrupted is unknown, so the draft could not be discarded.
            let draft = self.create_draft_campaign(&book.sheet).await?;
            until(&given_up, self.store(draft, book)).await?;
            Ok(ImportedCampaign { campaign: self.publish(draft).await?, vehicles, notes })
        };
        let done = self.with_heartbeats(&given_up, self.progress.run_with_progress(work)).await;
        self.close(done).await
    }

    async fn read(&self, data: Bytes) -> Result<ParsedWorkbook, Stop> {
        let progress = self.progress.clone();
        match self.reader.read(self.caller.user_id, data.clone(), &mut |rows| progress.set_processed_row_count(rows)).await {
            Ok(book) => Ok(book),
            Err(WorkbookReadError::Rejected(rejection)) => Err(Stop::Rejected(self.keep(rejection, data).await)),
            Err(WorkbookReadError::NotStarted(cause)) => Err(Error::ReaderNotStarted(cause).into()),
        }
    }

    /// Stores a workbook with row errors for later download. If storing fails, the rejection still lists the errors but offers no
    /// download.
    async fn keep(&self, mut rejection: Rejection, data: Bytes) -> Rejection {
        if rejection.code != ErrorCode::InvalidRows as i32 || rejection.rows.is_empty() {
            return rejection;
        }
        let upload_id = self.upload_id.to_string();
        let (user_id, file_name, at) = (self.caller.user_id, self.file_name.clone(), self.host.clock.now());
        let sheet = RejectedWorkbook { upload_id: upload_id.clone(), user_id, file_name, data: data.to_vec(), at };
        match rejected_workbooks::insert(&self.db, sheet).await {
            Ok(()) => rejection.kept_as = upload_id,
            Err(cause) => {
                tracing::warn!(%cause, import = self.id, "failed to store a rejected workbook, the user cannot download the workbook with marked errors")
            }
        }
        rejection
    }

    async fn create_draft_campaign(&self, sheet: &SheetSummary) -> Result<i64, Stop> {
        self.progress.enter_saving_phase(sheet.vehicles);
        let draft = self.steps.create_draft(self.upload_id.to_string(), sheet).await.map_err(refusal_of)?;
        self.draft.get_or_init(|| draft.id);
        store::record_draft_campaign(&self.db, self.id, (draft.id, sheet.campaign.clone()), sheet.vehicles).await?;
        Ok(draft.id)
    }

    async fn store(&self, draft: i64, book: ParsedWorkbook) -> Result<(), Stop> {
        let all = book.sheet.vehicles;
        let stored =
            self.steps.store_vehicles(draft, book.vehicles, self.file_name.clone(), self.progress.clone()).await.map_err(refusal_of)?;
        if stored != all {
            return Err(Error::VehicleCountMismatch { stored, expected: all }.into());
        }
        self.progress.set_processed_row_count(all);
        Ok(())
    }

    /// Publishes the draft campaign of the import. If the call fails, checks whether the campaign was published after all.
    async fn publish(&self, draft: i64) -> Result<Campaign, Stop> {
        match self.steps.publish_draft(draft).await {
            Ok(campaign) => Ok(campaign),
            Err(status) => match self.steps.find_published_campaign(draft).await {
                Ok(Some(campaign)) => Ok(campaign),
                Ok(None) | Err(_) => Err(refusal_of(status)),
            },
        }
    }

    /// Runs `work` and sends heartbeats until `work` completes. Cancels the token `given_up` when the user requests cancellation of
    /// the import.
    async fn with_heartbeats<T>(&self, given_up: &CancellationToken, work: impl Future<Output = T>) -> T {
        tokio::select! {
            done = work => done,
            never = self.heartbeat_loop() => match never {},
            never = self.draft_heartbeat_loop() => match never {},
            never = self.cancellation_loop(given_up) => match never {},
        }
    }

    async fn cancellation_loop(&self, given_up: &CancellationToken) -> Infallible {
        loop {
            tokio::time::sleep(CANCELLATION_POLL_INTERVAL).await;
            match cancellation::is_cancellation_requested(&self.db, self.id).await {
                Ok(true) => {
                    self.cancelled.store(true, Relaxed);
                    given_up.cancel();
                }
                Ok(false) => {}
                Err(cause) => tracing::warn!(%cause, import = self.id, "failed to check whether the import was cancelled, retrying"),
            }
        }
    }

    async fn heartbeat_loop(&self) -> Infallible {
        loop {
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            if let Err(cause) = store::record_heartbeat(&self.db, self.id, self.host.clock.now()).await {
                tracing::warn!(%cause, import = self.id, "failed to store the heartbeat of a running import, retrying");
            }
        }
    }

    /// Sends heartbeats for the draft campaign in a separate loop, so that a slow campaign-svc does not delay the import's own
    /// heartbeats.
    async fn draft_heartbeat_loop(&self) -> Infallible {
        loop {
            tokio::time::sleep(HEARTBEAT_INTERVAL).await;
            if let Some(draft) = self.draft.get()
                && let Err(cause) = self.steps.send_draft_heartbeat(*draft).await
            {
                tracing::warn!(%cause, campaign = draft, "failed to notify campaign-svc that the import is still running, retrying");
            }
        }
    }

    /// Ends the import: discards an unpublished draft, records the outcome in the database, and publishes the final progress.
    async fn close(&self, done: Result<ImportedCampaign, Stop>) -> Result<ImportOutcome> {
        let now = self.host.clock.now();
        let ended = |outcome: &'static str| metrics::counter!("patio_imports_total", "outcome" => outcome).increment(1);
        let (outcome, errors) = match &done {
            Ok(_) => {
                ended("imported");
                // The campaign is already published. If recording that fails, the recovery task records it later.
                self.written(store::record_success(&self.db, self.id, self.caller.clone(), now).await);
                self.progress.publish_final_phase(ImportPhase::Done).await;
                return self.ending(done);
            }
            Err(Stop::Rejected(rejection)) => (ImportFailureKind::Rejected, rejection.total_errors),
            Err(Stop::Failed(Error::Interrupted)) => (ImportFailureKind::Cancelled, 0),
            Err(Stop::Failed(_)) => (ImportFailureKind::Failed, 0),
        };
        ended(outcome.as_str());
        if let Some(draft) = self.draft.get() {
            self.steps.discard_draft(*draft).await;
        }
        self.written(store::record_failure(&self.db, self.id, outcome, errors, now).await);
        self.progress.publish_final_phase(ImportPhase::Failed).await;
        self.ending(done)
    }

    fn written(&self, written: Result<(), sqlx::Error>) {
        if let Err(cause) = written {
            tracing::warn!(%cause, import = self.id, "failed to record the outcome of an import, import recovery records it later");
        }
    }

    fn ending(&self, done: Result<ImportedCampaign, Stop>) -> Result<ImportOutcome> {
        match done {
            Ok(imported) => Ok(ImportOutcome::Imported(Box::new(imported))),
            Err(Stop::Rejected(rejection)) => Ok(ImportOutcome::Rejected(rejection)),
            Err(Stop::Failed(Error::Interrupted)) if self.cancelled.load(Relaxed) => Err(Error::Cancelled),
            Err(Stop::Failed(error)) => {
                tracing::info!(cause = %error, import = self.id, "import failed");
                Err(error)
            }
        }
    }
}

/// Runs `work` to completion. Returns the error `Interrupted` if the token `given_up` is cancelled before `work` completes.
async fn until<T>(given_up: &CancellationToken, work: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
    given_up.run_until_cancelled(work).await.unwrap_or(Err(Stop::Failed(Error::Interrupted)))
}

/// Converts an error status of another service to the reason that the import ends. An error that the file caused, such as a VIN that
/// already exists, becomes a rejection.
fn refusal_of(status: Status) -> Stop {
    match (errors::reason(&status), status.code()) {
        (Some(ErrorReason::NameTaken), _) => campaign_name_taken_rejection().into(),
        (Some(ErrorReason::NoCampaign), _) => Error::HeartbeatTimedOut.into(),
        (Some(ErrorReason::VinTaken), _) | (_, Code::InvalidArgument) => build_rejection(ErrorCode::InvalidRows, status.message()).into(),
        _ => Error::from(status).into(),
    }
}
