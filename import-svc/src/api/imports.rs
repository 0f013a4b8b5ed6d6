//! gRPC `ImportService`: imports workbooks, streams the progress of an import, cancels imports, and returns the
//! template workbook.
use crate::{
    active_imports::ActiveImports,
    api::{
        upload::{self, ReceiveWorkbookOutcome},
        upload_limiter::UploadLimiter,
        watch,
    },
    error::Error,
    import_outcome::ImportOutcome,
    progress::ProgressTracker,
    saga::{Importer, RequestingUser},
    store::cancellation,
    template_workbook,
};
use futures::{Stream, StreamExt};
use patio_kit::{audit, auth::identity, client::call_context::CallContext, db::Db, service_host::ServiceHost};
use patio_proto::imports as pb;
use std::{
    pin::Pin,
    time::{Duration, Instant},
};
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;
use workbook_reader::WorkbookReader;

/// Maximum time that `CancelImport` waits for a cancelled import to stop.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval at which `CancelImport` checks in the database whether the import has stopped.
const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Implements the gRPC `ImportService`.
pub struct ImportApi {
    importer: Importer,
    upload_limiter: UploadLimiter,
}

impl ImportApi {
    /// Creates the gRPC service. `upload_limiter` limits how many uploaded files are in memory at the same time.
    #[must_use]
    pub fn new(host: &ServiceHost, db: Db, (reader, running): (WorkbookReader, ActiveImports), upload_limiter: UploadLimiter) -> Self {
        Self {
            importer: Importer { host: host.clone(), db, reader, tokens: host.service_token_source("import-svc"), running },
            upload_limiter,
        }
    }

    async fn act(&self, user: RequestingUser, pieces: Streaming<pb::UploadChunk>) -> Result<ImportOutcome, Error> {
        let _place = self.upload_limiter.try_acquire()?;
        match upload::receive_workbook(pieces).await? {
            ReceiveWorkbookOutcome::Complete(upload) => self.importer.import(user, upload).await,
            ReceiveWorkbookOutcome::Rejected(upload, rejection) => {
                let Importer { host, .. } = &self.importer;
                let progress = ProgressTracker::new(host.cache.clone(), host.clock.clone(), upload, user.caller.user_id);
                progress.publish_final_phase(pb::ImportPhase::Failed).await;
                Ok(ImportOutcome::Rejected(rejection))
            }
        }
    }
}

impl ImportApi {
    /// Requests cancellation of an import, which may run on another replica, and waits until the import has stopped. Returns an
    /// error if the import is unknown, already published, or still running after [`CANCEL_TIMEOUT`].
    async fn cancel(&self, upload_id: String, user_id: i64) -> Result<(), Error> {
        let db = &self.importer.db;
        let asked = Instant::now();
        let mut outcome = cancellation::request_cancellation(db, upload_id.clone(), user_id).await?.ok_or(Error::UploadNotFound)?;
        while outcome == "running" {
            if asked.elapsed() > CANCEL_TIMEOUT {
                return Err(Error::CancellationPending);
            }
            tokio::time::sleep(POLL_INTERVAL).await;
            outcome = cancellation::load_import_outcome(db, &upload_id).await?;
        }
        if outcome == "imported" { Err(Error::AlreadyPublished) } else { Ok(()) }
    }
}

#[tonic::async_trait]
impl pb::import_service_server::ImportService for ImportApi {
    type WatchImportStream = Pin<Box<dyn Stream<Item = Result<pb::ImportProgress, Status>> + Send>>;

    async fn import_campaign(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<pb::ImportCampaignResponse>, Status> {
        let person = RequestingUser {
            caller: identity::authenticated_caller(&request)?,
            bearer: CallContext::from_request(&request),
            address: audit::client_address(&request),
        };
        let ending = self.act(person, request.into_inner()).await?;
        Ok(Response::new(pb::ImportCampaignResponse { outcome: Some(outcome(ending)) }))
    }

    async fn watch_import(&self, request: Request<pb::WatchImportRequest>) -> Result<Response<Self::WatchImportStream>, Status> {
        let caller = identity::authenticated_caller(&request)?;
        let upload = Uuid::parse_str(&request.get_ref().upload_id).map_err(|_| Error::UploadNotFound)?;
        Ok(Response::new(watch::stream_progress(self.importer.host.clone(), upload, caller.user_id).boxed()))
    }

    async fn cancel_import(&self, request: Request<pb::CancelImportRequest>) -> Result<Response<pb::CancelImportResponse>, Status> {
        let caller = identity::authenticated_caller(&request)?;
        let upload = Uuid::parse_str(&request.get_ref().upload_id).map_err(|_| Error::UploadNotFound)?;
        self.cancel(upload.to_string(), caller.user_id).await?;
        Ok(Response::new(pb::CancelImportResponse {}))
    }

    async fn get_template(&self, _: Request<pb::GetTemplateRequest>) -> Result<Response<pb::File>, Status> {
        Ok(Response::new(template_workbook::build_template_workbook().map_err(Error::from)?))
    }
}

fn outcome(ending: ImportOutcome) -> pb::import_campaign_response::Outcome {
    match ending {
        ImportOutcome::Imported(imported) => pb::import_campaign_response::Outcome::Imported(Box::new(pb::Imported {
            campaign: Some(imported.campaign),
            vehicles: imported.vehicles,
            notes: imported.notes,
        })),
        ImportOutcome::Rejected(rejection) => pb::import_campaign_response::Outcome::Rejected(rejection),
    }
}
