//! A campaign's vehicles as a workbook: read from vehicle-svc as they come, written at the same time.
use super::{
    LONG,
    names::Names,
    piece,
    workbook::{Line, Writer, local},
};
use crate::{
    error::{Error, Result},
    saga::Person,
};
use patio_kit::{audit, db::Db, host::Host, link::Link, server::LARGEST_MESSAGE};
use patio_proto::{
    campaign::{Campaign, GetCampaignRequest, campaign_service_client::CampaignServiceClient},
    imports::Report,
    vehicle::{ExportChunk, ExportVehiclesRequest, vehicle_service_client::VehicleServiceClient},
};
use rust_xlsxwriter::XlsxError;
use serde_json::json;
use std::{fs::File, path::PathBuf, sync::Arc};
use tokio::sync::{Semaphore, mpsc};
use tonic::Streaming;

/// How many workbooks are written at once.
const AT_ONCE: usize = 4;
/// How many chunks wait to be written.
const WAITING: usize = 2;

/// Writes workbooks; clones share the turns.
#[derive(Clone)]
pub struct Exporter {
    host: Host,
    db: Db,
    folder: PathBuf,
    turns: Arc<Semaphore>,
}

/// A workbook that is written.
pub struct Written {
    /// Safe in paths and headers.
    pub name: String,
    /// Without a name of its own; it goes when it is closed.
    pub file: File,
}

impl Exporter {
    /// Writes what does not stay in memory to `folder`.
    #[must_use]
    pub fn new(host: &Host, db: Db, folder: PathBuf) -> Self {
        Self { host: host.clone(), db, folder, turns: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Where files are written that do not stay in memory.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.folder.clone()
    }

    /// Writes a campaign's workbook, with the entry in the audit log.
    ///
    /// # Errors
    /// When there is no such campaign, too many are written already, or a part does not do its work.
    pub async fn export(&self, person: &Person, campaign_id: i64, report: Report) -> Result<Written> {
        let _turn = self.turns.try_acquire().map_err(|_| Error::Busy)?;
        let campaign = self.campaign(person, campaign_id).await?;
        let mut vehicles = VehicleServiceClient::new(self.host.links.vehicle.clone()).max_decoding_message_size(LARGEST_MESSAGE);
        let chunks = vehicles.export_vehicles(person.bearer.sign_within(LONG, ExportVehiclesRequest { campaign_id })).await?.into_inner();
        let name = self.name(&campaign, report);
        let (lines, written) = mpsc::channel(WAITING);
        let (now, folder, about) = (self.host.clock.now(), self.folder.clone(), campaign.clone());
        let writing = tokio::task::spawn_blocking(move || write(report, written, &about, now, folder));
        let fed = self.feed(person, chunks, lines).await;
        let (file, vehicles) = writing.await.map_err(Error::Stopped)??;
        fed?;
        self.tell(person, &campaign, vehicles, &name).await?;
        Ok(Written { name, file })
    }

    async fn campaign(&self, person: &Person, id: i64) -> Result<Campaign> {
        let mut campaigns: CampaignServiceClient<Link> = CampaignServiceClient::new(self.host.links.campaign.clone());
        Ok(campaigns.get_campaign(person.bearer.sign(GetCampaignRequest { id, yard: None })).await?.into_inner())
    }

    fn name(&self, campaign: &Campaign, report: Report) -> String {
        let (word, at) = (if report == Report::AllYards { "yards" } else { "report" }, local(self.host.clock.now()));
        format!("{word}_{}-{}.xlsx", piece::safe(&campaign.name), at.format("%Y%m%d%H%M%S"))
    }

    /// Hands the vehicles on with the names of those who changed them; a writer that failed ends it.
    async fn feed(&self, person: &Person, mut chunks: Streaming<ExportChunk>, lines: mpsc::Sender<Vec<Line>>) -> Result<()> {
        let mut names = Names::new(&self.host.links, person.bearer.clone());
        while let Some(chunk) = chunks.message().await? {
            names.learn(chunk.vehicles.iter().filter_map(|vehicle| vehicle.modified_by)).await;
            let named = chunk.vehicles.into_iter().map(|vehicle| Line { modified_by: names.name(vehicle.modified_by), vehicle });
            if lines.send(named.collect()).await.is_err() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn tell(&self, person: &Person, campaign: &Campaign, vehicles: u32, file: &str) -> Result<()> {
        let (caller, now) = (person.caller.clone(), self.host.clock.now());
        let event = audit::Event {
            kind: "exported",
            subject: format!("campaign {}", campaign.id),
            summary: format!("exported {vehicles} vehicles of {} as {file}", campaign.name),
            new: Some(json!({ "vehicles": vehicles, "file_name": file })),
            address: person.address.clone(),
            ..audit::Event::default()
        };
        self.db.write(move |tx| Box::pin(async move { audit::append(tx, now, Some(&caller), event).await })).await.map_err(Error::Database)
    }
}

/// Writes what comes until nothing more comes; it waits for files, so it has a thread of its own.
fn write(
    report: Report,
    mut lines: mpsc::Receiver<Vec<Line>>,
    campaign: &Campaign,
    now: chrono::DateTime<chrono::Utc>,
    folder: PathBuf,
) -> Result<(File, u32), XlsxError> {
    let mut writer = Writer::new(report, &folder)?;
    while let Some(some) = lines.blocking_recv() {
        for line in &some {
            writer.take(line)?;
        }
    }
    writer.finish(campaign, now, &folder)
}
