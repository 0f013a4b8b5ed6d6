//! `ImportService`.
use super::{
    places::Places,
    upload::{self, Collected},
    watch,
};
use crate::{
    error::Error,
    progress::Progress,
    reader::Reader,
    running::Running,
    saga::{Ending, Importer, Person},
    store::cancelling,
    template,
};
use futures::{Stream, StreamExt};
use patio_kit::{audit, db::Db, host::Host, identity, link::Bearer};
use patio_proto::imports as pb;
use std::{
    pin::Pin,
    time::{Duration, Instant},
};
use tonic::{Request, Response, Status, Streaming};
use uuid::Uuid;

/// How long a person waits for an import to be given up.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often it is looked whether it is.
const LOOK: Duration = Duration::from_millis(100);

/// Answers the calls of `ImportService`.
pub struct Api {
    importer: Importer,
    places: Places,
}

impl Api {
    /// On the given host.
    #[must_use]
    pub fn new(host: &Host, db: Db, (reader, running): (Reader, Running), places: Places) -> Self {
        Self { importer: Importer { host: host.clone(), db, reader, tokens: host.service_tokens("import-svc"), running }, places }
    }

    async fn act(&self, person: Person, pieces: Streaming<pb::UploadChunk>) -> Result<Ending, Error> {
        let _place = self.places.take()?;
        match upload::collect(pieces).await? {
            Collected::Whole(upload) => self.importer.import(person, upload).await,
            Collected::Refused(upload, rejection) => {
                let Importer { host, .. } = &self.importer;
                let progress = Progress::new(host.cache.clone(), host.clock.clone(), upload, person.caller.user_id);
                progress.end(pb::ImportPhase::Failed).await;
                Ok(Ending::Rejected(rejection))
            }
        }
    }
}

impl Api {
    /// Asks whichever replica imports to give it up, and waits until it has.
    async fn cancel(&self, upload_id: String, user_id: i64) -> Result<(), Error> {
        let db = &self.importer.db;
        let asked = Instant::now();
        let mut outcome = cancelling::ask(db, upload_id.clone(), user_id).await?.ok_or(Error::NoUpload)?;
        while outcome == "running" {
            if asked.elapsed() > PATIENCE {
                return Err(Error::Ending);
            }
            tokio::time::sleep(LOOK).await;
            outcome = cancelling::outcome(db, &upload_id).await?;
        }
        if outcome == "imported" { Err(Error::TooLate) } else { Ok(()) }
    }
}

#[tonic::async_trait]
impl pb::import_service_server::ImportService for Api {
    type WatchImportStream = Pin<Box<dyn Stream<Item = Result<pb::ImportProgress, Status>> + Send>>;

    async fn import_campaign(&self, request: Request<Streaming<pb::UploadChunk>>) -> Result<Response<pb::ImportCampaignReply>, Status> {
        let person = Person { caller: identity::caller(&request)?, bearer: Bearer::of(&request), address: audit::address(&request) };
        let ending = self.act(person, request.into_inner()).await?;
        Ok(Response::new(pb::ImportCampaignReply { outcome: Some(outcome(ending)) }))
    }

    async fn watch_import(&self, request: Request<pb::WatchImportRequest>) -> Result<Response<Self::WatchImportStream>, Status> {
        let caller = identity::caller(&request)?;
        let upload = Uuid::parse_str(&request.get_ref().upload_id).map_err(|_| Error::NoUpload)?;
        Ok(Response::new(watch::watch(self.importer.host.clone(), upload, caller.user_id).boxed()))
    }

    async fn cancel_import(&self, request: Request<pb::CancelImportRequest>) -> Result<Response<pb::CancelImportReply>, Status> {
        let caller = identity::caller(&request)?;
        let upload = Uuid::parse_str(&request.get_ref().upload_id).map_err(|_| Error::NoUpload)?;
        self.cancel(upload.to_string(), caller.user_id).await?;
        Ok(Response::new(pb::CancelImportReply {}))
    }

    async fn get_template(&self, _: Request<pb::GetTemplateRequest>) -> Result<Response<pb::File>, Status> {
        Ok(Response::new(template::file().map_err(Error::from)?))
    }
}

fn outcome(ending: Ending) -> pb::import_campaign_reply::Outcome {
    match ending {
        Ending::Imported(imported) => pb::import_campaign_reply::Outcome::Imported(pb::Imported {
            campaign: Some(imported.campaign),
            vehicles: imported.vehicles,
            notes: imported.notes,
        }),
        Ending::Rejected(rejection) => pb::import_campaign_reply::Outcome::Rejected(rejection),
    }
}
