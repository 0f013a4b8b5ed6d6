//! The import of one file: read, draft, store, publish; wholly or not at all.
use crate::{
    error::{Error, Result},
    progress::Progress,
    reader::{Book, Failure, Reader, wire::Sheet},
    refusal::{ErrorCode, name_taken, refuse},
    running::Running,
    steps::Steps,
    store::{
        self, Attempt, Begun, Outcome, cancelling,
        rejected::{self, Rejected},
    },
};
use bytes::Bytes;
use patio_kit::{
    db::Db,
    errors::{self, Reason},
    host::Host,
    identity::Caller,
    link::Bearer,
    tokens::ServiceTokens,
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

/// How often a running import gives a sign of life.
const BEAT: Duration = Duration::from_secs(2);
/// How often it is looked whether a running import is to be given up.
const LOOK: Duration = Duration::from_millis(250);

/// A file that came in whole.
#[derive(Debug)]
pub struct Upload {
    /// Chosen by the client.
    pub id: Uuid,
    /// Ends with `.xlsx`.
    pub file_name: String,
    /// At most [`crate::refusal::LARGEST_FILE`] bytes.
    pub data: Bytes,
}

/// Who imports.
#[derive(Debug, Clone)]
pub struct Person {
    /// As the access layer found out.
    pub caller: Caller,
    /// To call other services in that name.
    pub bearer: Bearer,
    /// From where.
    pub address: String,
}

/// A campaign that was made of a sheet.
#[derive(Debug)]
pub struct Imported {
    /// As campaign-svc shows it.
    pub campaign: Campaign,
    /// How many vehicles it has.
    pub vehicles: i64,
    /// What was read otherwise than the sheet shows it, one sentence each; empty when an earlier upload is answered again.
    pub notes: Vec<String>,
}

impl Ending {
    fn imported(campaign: Campaign, vehicles: i64, notes: Vec<String>) -> Self {
        Self::Imported(Box::new(Imported { campaign, vehicles, notes }))
    }
}

/// How an import ended for the person.
#[derive(Debug)]
pub enum Ending {
    /// It is a campaign.
    Imported(Box<Imported>),
    /// The file was refused, and nothing of it was kept.
    Rejected(Rejection),
}

/// Imports files; clones share the reader's turns.
#[derive(Clone)]
pub struct Importer {
    /// The process.
    pub host: Host,
    /// The history.
    pub db: Db,
    /// Reads workbooks.
    pub reader: Reader,
    /// What this service calls others with.
    pub tokens: ServiceTokens,
    /// What runs here.
    pub running: Running,
}

impl Importer {
    /// Imports a file. When the answer is not awaited any more, the import is given up and undone.
    pub async fn import(&self, person: Person, upload: Upload) -> Result<Ending> {
        let attempt = Attempt {
            upload_id: upload.id.to_string(),
            file_name: upload.file_name.clone(),
            digest: digest(&upload.data),
            caller: person.caller.clone(),
            address: person.address.clone(),
            at: self.host.clock.now(),
        };
        let steps = Steps::new(&self.host.links, self.tokens.bearer_for(&person.bearer).await?);
        match store::begin(&self.db, attempt, self.running.clone()).await? {
            Begun::Fresh { id, leftover } => self.start(id, leftover, Run::new(self, id, person.caller, steps, upload)).await,
            Begun::Done { campaign_id, vehicles } => match steps.published(campaign_id).await? {
                Some(campaign) => Ok(Ending::imported(campaign, vehicles, Vec::new())),
                None => Err(errors::status(Code::NotFound, Reason::NoCampaign, &"the campaign of this upload was deleted").into()),
            },
            Begun::Running => Err(Error::Running),
            Begun::Foreign => Err(Error::IdReused),
        }
    }

    /// Runs an import to its end in the background, so that nothing interrupts it between two steps.
    async fn start(&self, id: i64, leftover: Option<i64>, run: Run) -> Result<Ending> {
        let entered = self.running.enter(id);
        if let Some(draft) = leftover {
            if let Some(campaign) = run.steps.published(draft).await? {
                let vehicles = campaign.total_vehicles;
                store::drafted(&self.db, id, (draft, campaign.name.clone()), vehicles).await?;
                store::imported(&self.db, id, run.caller.clone(), self.host.clock.now()).await?;
                return Ok(Ending::imported(campaign, vehicles, Vec::new()));
            }
            run.steps.discard(draft).await;
        }
        let given_up = CancellationToken::new();
        let guard = given_up.clone().drop_guard();
        let (answer, heard) = oneshot::channel();
        self.host.tasks.spawn(async move {
            let ending = run.complete(given_up).await;
            drop(entered);
            drop(answer.send(ending));
        });
        let ending = heard.await.unwrap_or(Err(Error::GivenUp));
        drop(guard);
        ending
    }
}

fn digest(data: &[u8]) -> String {
    ring::digest::digest(&ring::digest::SHA256, data).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Why an import does not go on.
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

/// One import under way.
struct Run {
    id: i64,
    host: Host,
    db: Db,
    reader: Reader,
    caller: Caller,
    steps: Steps,
    upload_id: Uuid,
    file_name: String,
    data: Bytes,
    progress: Arc<Progress>,
    draft: OnceLock<i64>,
    cancelled: AtomicBool,
}

impl Run {
    fn new(importer: &Importer, id: i64, caller: Caller, steps: Steps, upload: Upload) -> Self {
        let Importer { host, db, reader, .. } = importer.clone();
        let progress = Arc::new(Progress::new(host.cache.clone(), host.clock.clone(), upload.id, caller.user_id));
        let Upload { id: upload_id, file_name, data } = upload;
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

    async fn complete(mut self, given_up: CancellationToken) -> Result<Ending> {
        let data = std::mem::take(&mut self.data);
        let work = async {
            let book = until(&given_up, self.read(data)).await?;
            let (vehicles, notes) = (book.sheet.vehicles, book.sheet.notes.clone());
            // Never interrupted: a draft that nobody knows of cannot be discarded.
            let draft = self.make_draft(&book.sheet).await?;
            until(&given_up, self.store(draft, book)).await?;
            Ok(Imported { campaign: self.publish(draft).await?, vehicles, notes })
        };
        let done = self.alive(&given_up, self.progress.during(work)).await;
        self.close(done).await
    }

    async fn read(&self, data: Bytes) -> Result<Book, Stop> {
        let progress = self.progress.clone();
        match self.reader.read(self.caller.user_id, data.clone(), &mut |rows| progress.reach(rows)).await {
            Ok(book) => Ok(book),
            Err(Failure::Refused(rejection)) => Err(Stop::Rejected(self.keep(rejection, data).await)),
            Err(Failure::NotStarted(cause)) => Err(Error::NoReader(cause).into()),
        }
    }

    /// Keeps a sheet that has bad rows, to be handed back with them; without it the list of errors has to do.
    async fn keep(&self, mut rejection: Rejection, data: Bytes) -> Rejection {
        if rejection.code != ErrorCode::Rows as i32 || rejection.rows.is_empty() {
            return rejection;
        }
        let upload_id = self.upload_id.to_string();
        let (user_id, file_name, at) = (self.caller.user_id, self.file_name.clone(), self.host.clock.now());
        let sheet = Rejected { upload_id: upload_id.clone(), user_id, file_name, data: data.to_vec(), at };
        match rejected::keep(&self.db, sheet).await {
            Ok(()) => rejection.kept_as = upload_id,
            Err(cause) => tracing::warn!(%cause, import = self.id, "the refused sheet of import {} could not be kept", self.id),
        }
        rejection
    }

    async fn make_draft(&self, sheet: &Sheet) -> Result<i64, Stop> {
        self.progress.save(sheet.vehicles);
        let draft = self.steps.draft(self.upload_id.to_string(), sheet).await.map_err(refusal_of)?;
        self.draft.get_or_init(|| draft.id);
        store::drafted(&self.db, self.id, (draft.id, sheet.campaign.clone()), sheet.vehicles).await?;
        Ok(draft.id)
    }

    async fn store(&self, draft: i64, book: Book) -> Result<(), Stop> {
        let all = book.sheet.vehicles;
        let stored = self.steps.store(draft, book.vehicles, self.file_name.clone(), self.progress.clone()).await.map_err(refusal_of)?;
        if stored != all {
            return Err(Error::Partly { stored, all }.into());
        }
        self.progress.reach(all);
        Ok(())
    }

    /// Publishes; when the answer is lost, looks whether it was done.
    async fn publish(&self, draft: i64) -> Result<Campaign, Stop> {
        match self.steps.publish(draft).await {
            Ok(campaign) => Ok(campaign),
            Err(told) => match self.steps.published(draft).await {
                Ok(Some(campaign)) => Ok(campaign),
                Ok(None) | Err(_) => Err(refusal_of(told)),
            },
        }
    }

    /// Gives signs of life while `work` goes on, and gives it up when somebody asks for that.
    async fn alive<T>(&self, given_up: &CancellationToken, work: impl Future<Output = T>) -> T {
        tokio::select! {
            done = work => done,
            never = self.keep_beating() => match never {},
            never = self.keep_touching() => match never {},
            never = self.keep_looking(given_up) => match never {},
        }
    }

    async fn keep_looking(&self, given_up: &CancellationToken) -> Infallible {
        loop {
            tokio::time::sleep(LOOK).await;
            match cancelling::is_asked(&self.db, self.id).await {
                Ok(true) => {
                    self.cancelled.store(true, Relaxed);
                    given_up.cancel();
                }
                Ok(false) => {}
                Err(cause) => tracing::warn!(%cause, import = self.id, "import {} could not look whether it is cancelled", self.id),
            }
        }
    }

    async fn keep_beating(&self) -> Infallible {
        loop {
            tokio::time::sleep(BEAT).await;
            if let Err(cause) = store::seen(&self.db, self.id, self.host.clock.now()).await {
                tracing::warn!(%cause, import = self.id, "import {} could not give a sign of life", self.id);
            }
        }
    }

    /// Beside the signs of life, so that they do not wait for campaign-svc.
    async fn keep_touching(&self) -> Infallible {
        loop {
            tokio::time::sleep(BEAT).await;
            if let Some(draft) = self.draft.get()
                && let Err(cause) = self.steps.touch(*draft).await
            {
                tracing::warn!(%cause, draft, "draft {draft} could not be touched");
            }
        }
    }

    /// Ends the import: keeps what was published, removes what was not, and says so everywhere.
    async fn close(&self, done: Result<Imported, Stop>) -> Result<Ending> {
        let now = self.host.clock.now();
        let (outcome, errors) = match &done {
            Ok(_) => {
                // The campaign is there already; what cannot be written now is settled later.
                self.written(store::imported(&self.db, self.id, self.caller.clone(), now).await);
                self.progress.end(ImportPhase::Done).await;
                return self.ending(done);
            }
            Err(Stop::Rejected(rejection)) => (Outcome::Rejected, rejection.total_errors),
            Err(Stop::Failed(Error::GivenUp)) => (Outcome::Cancelled, 0),
            Err(Stop::Failed(_)) => (Outcome::Failed, 0),
        };
        if let Some(draft) = self.draft.get() {
            self.steps.discard(*draft).await;
        }
        self.written(store::ended(&self.db, self.id, outcome, errors, now).await);
        self.progress.end(ImportPhase::Failed).await;
        self.ending(done)
    }

    fn written(&self, written: Result<(), sqlx::Error>) {
        if let Err(cause) = written {
            tracing::warn!(%cause, import = self.id, "the end of import {} could not be written", self.id);
        }
    }

    fn ending(&self, done: Result<Imported, Stop>) -> Result<Ending> {
        match done {
            Ok(imported) => Ok(Ending::Imported(Box::new(imported))),
            Err(Stop::Rejected(rejection)) => Ok(Ending::Rejected(rejection)),
            Err(Stop::Failed(Error::GivenUp)) if self.cancelled.load(Relaxed) => Err(Error::Cancelled),
            Err(Stop::Failed(error)) => {
                tracing::info!(%error, import = self.id, "import {} did not come to its end", self.id);
                Err(error)
            }
        }
    }
}

/// Does `work` unless it is given up first.
async fn until<T>(given_up: &CancellationToken, work: impl Future<Output = Result<T, Stop>>) -> Result<T, Stop> {
    given_up.run_until_cancelled(work).await.unwrap_or(Err(Stop::Failed(Error::GivenUp)))
}

/// A refusal by another service that is the file's fault, as the person hears it; all else is a failure.
fn refusal_of(told: Status) -> Stop {
    match (errors::reason(&told), told.code()) {
        (Some(Reason::NameTaken), _) => name_taken().into(),
        (Some(Reason::NoCampaign), _) => Error::TakenForLost.into(),
        (Some(Reason::VinTaken), _) | (_, Code::InvalidArgument) => refuse(ErrorCode::Rows, told.message()).into(),
        _ => Error::from(told).into(),
    }
}
