//! Exports a campaign as a workbook. Writes each chunk of vehicles to the workbook while vehicle-svc sends the next chunk.
use crate::{
    error::{Error, Result},
    files::{
        BULK_CALL_TIMEOUT, download_stream,
        export_writer::{ExportRow, ExportWriter, to_yard_local_time},
    },
    saga::RequestingUser,
};
use patio_kit::{
    audit,
    client::{
        service_channel::ServiceChannel,
        user_names::{UserNameCache, UserNameMap},
    },
    db::Db,
    server::MAX_MESSAGE_BYTES,
    service_host::ServiceHost,
};
use patio_proto::{
    auth::user_service_client::UserServiceClient,
    campaign::{Campaign, GetCampaignRequest, campaign_service_client::CampaignServiceClient},
    imports::Report,
    vehicle::{ExportChunk, ExportVehiclesRequest, vehicle_service_client::VehicleServiceClient},
};
use rust_xlsxwriter::XlsxError;
use serde_json::json;
use std::{fs::File, path::PathBuf, sync::Arc};
use tokio::sync::{Semaphore, mpsc};
use tonic::Streaming;

/// Maximum number of concurrent exports.
const MAX_CONCURRENT: usize = 4;
/// Maximum number of vehicle chunks that wait in the queue of the workbook writer.
const MAX_QUEUED_CHUNKS: usize = 2;

/// Exports campaigns as workbooks. Clones share the concurrency limit.
#[derive(Clone)]
pub struct Exporter {
    host: ServiceHost,
    db: Db,
    folder: PathBuf,
    turns: Arc<Semaphore>,
}

/// A finished export workbook.
pub struct ExportedFile {
    /// File name that is safe in paths and HTTP headers.
    pub name: String,
    /// Workbook content in an unnamed temporary file, which the system deletes when the file is closed.
    pub file: File,
}

impl Exporter {
    /// Creates an exporter that writes its temporary files to `folder`.
    #[must_use]
    pub fn new(host: &ServiceHost, db: Db, folder: PathBuf) -> Self {
        Self { host: host.clone(), db, folder, turns: Arc::new(Semaphore::new(MAX_CONCURRENT)) }
    }

    /// Returns the folder in which workbooks are written as temporary files.
    #[must_use]
    pub fn temp_folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Writes the workbook of a campaign and appends an audit event.
    ///
    /// # Errors
    /// Returns `Busy` when too many exports run. Also returns an error when the campaign does not exist, when another service
    /// fails, or when the file cannot be written.
    pub async fn export(&self, user: &RequestingUser, campaign_id: i64, report: Report) -> Result<ExportedFile> {
        let _turn = self.turns.try_acquire().map_err(|_| Error::Busy)?;
        let campaign = self.campaign(user, campaign_id).await?;
        let mut vehicles = VehicleServiceClient::new(self.host.channels.vehicle.clone()).max_decoding_message_size(MAX_MESSAGE_BYTES);
        let chunks = vehicles
            .export_vehicles(user.bearer.grpc_request_with_timeout(BULK_CALL_TIMEOUT, ExportVehiclesRequest { campaign_id }))
            .await?
            .into_inner();
        let name = self.name(&campaign, report);
        let (lines, written) = mpsc::channel(MAX_QUEUED_CHUNKS);
        let (now, folder, about) = (self.host.clock.now(), self.folder.clone(), campaign.clone());
        let writing = tokio::task::spawn_blocking(move || write(report, written, &about, now, folder));
        let fed = self.feed(user, chunks, lines).await;
        let (file, vehicles) = writing.await.map_err(Error::TaskAborted)??;
        fed?;
        self.append_audit(user, &campaign, vehicles, &name).await?;
        Ok(ExportedFile { name, file })
    }

    async fn campaign(&self, user: &RequestingUser, id: i64) -> Result<Campaign> {
        let mut campaigns: CampaignServiceClient<ServiceChannel> = CampaignServiceClient::new(self.host.channels.campaign.clone());
        Ok(campaigns.get_campaign(user.bearer.grpc_request(GetCampaignRequest { id, yard: None })).await?.into_inner())
    }

    fn name(&self, campaign: &Campaign, report: Report) -> String {
        let (word, at) = (if report == Report::AllYards { "yards" } else { "report" }, to_yard_local_time(self.host.clock.now()));
        format!("{word}_{}-{}.xlsx", download_stream::sanitize_file_name(&campaign.name), at.format("%Y%m%d%H%M%S"))
    }

    /// Sends the exported vehicles, with the names of their last editors, to the workbook writer. Stops if the writer has failed.
    async fn feed(&self, user: &RequestingUser, mut chunks: Streaming<ExportChunk>, lines: mpsc::Sender<Vec<ExportRow>>) -> Result<()> {
        let (users, mut names) = (UserNameCache::new(UserServiceClient::new(self.host.channels.auth.clone())), UserNameMap::default());
        while let Some(chunk) = chunks.message().await? {
            // Names that could not be resolved are kept too, so that an export does not wait for auth-svc at every chunk.
            let missing = chunk.vehicles.iter().filter_map(|vehicle| vehicle.modified_by).filter(|id| !names.contains(*id));
            let missing = users.resolve_names(&user.bearer, missing).await;
            names.extend(missing);
            let name = |id: Option<i64>| id.map(|id| names.name(id)).unwrap_or_default();
            let named = chunk.vehicles.into_iter().map(|vehicle| ExportRow { modified_by: name(vehicle.modified_by), vehicle });
            if lines.send(named.collect()).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn append_audit(&self, user: &RequestingUser, campaign: &Campaign, vehicles: u32, file: &str) -> Result<()> {
        let (caller, now) = (user.caller.clone(), self.host.clock.now());
        let event = audit::AuditEvent {
            kind: "exported",
            subject: format!("campaign {}", campaign.id),
            summary: format!("exported {vehicles} vehicles of {} as {file}", campaign.name),
            new: Some(json!({ "vehicles": vehicles, "file_name": file })),
            address: user.address.clone(),
            ..audit::AuditEvent::default()
        };
        self.db.write(move |tx| Box::pin(async move { audit::append(tx, now, Some(&caller), event).await })).await.map_err(Error::Database)
    }
}

/// Writes the received vehicles to the workbook until the channel closes. Runs on a blocking thread, because file output blocks.
fn write(
    report: Report,
    mut lines: mpsc::Receiver<Vec<ExportRow>>,
    campaign: &Campaign,
    now: chrono::DateTime<chrono::Utc>,
    folder: PathBuf,
) -> Result<(File, u32), XlsxError> {
    let mut writer = ExportWriter::new(report, &folder)?;
    while let Some(some) = lines.blocking_recv() {
        for line in &some {
            writer.write_vehicle(line)?;
        }
    }
    writer.into_file(campaign, now, &folder)
}
