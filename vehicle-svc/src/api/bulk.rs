//! Many vehicles at once.
use super::{Reply, reply};
use crate::{
    bulk::{self, Outcome, Run, StatusChange},
    edit::{self, Edited},
    error::Error,
    live::Live,
    place::Place,
    progress::Progress,
    store::counters::Counted,
};
use futures::future::BoxFuture;
use patio_kit::{
    audit,
    clock::Clock,
    db::{Db, Tx},
    host::Host,
    identity,
};
use patio_proto::vehicle::{self as pb, StatusAction, VehicleStatus, bulk_service_server::BulkService};
use tonic::{Request, Status};

/// Answers the calls.
pub struct Api {
    db: Db,
    clock: Clock,
    progress: Progress,
    live: Live,
}

impl Api {
    /// Answers from a database.
    pub fn new(host: &Host, db: Db, progress: Progress, live: Live) -> Self {
        Self { db, clock: host.clock.clone(), progress, live }
    }

    /// Changes vehicles and tells others, whether or not the caller waits for it.
    async fn change<T, F>(&self, by: Option<i64>, change: F) -> Result<T, Status>
    where
        T: AsRef<[Counted]> + Send + Sync + 'static,
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, Error>> + Send + 'static,
    {
        let (db, live, progress) = (self.db.clone(), self.live.clone(), self.progress.clone());
        let changing = async move {
            let done = db.write(change).await?;
            live.changed(done.as_ref(), by);
            progress.changed(done.as_ref()).await;
            Ok::<_, Error>(done)
        };
        self.live.whole(changing).await
    }

    /// Who calls, now, everywhere.
    fn run<T>(&self, request: &Request<T>) -> Result<Run, Status> {
        let (caller, address) = (identity::caller(request)?, audit::address(request));
        Ok(Run { caller, now: self.clock.now(), campaign: None, yard: None, dry_run: false, address })
    }
}

#[tonic::async_trait]
impl BulkService for Api {
    async fn bulk_status(&self, request: Request<pb::BulkStatusRequest>) -> Reply<pb::BulkReply> {
        let run = self.run(&request)?;
        let by = run.caller.person();
        let ask = request.into_inner();
        let change = change(&ask)?;
        let run = within(run, ask.scope.as_ref(), ask.dry_run);
        let outcome = self.change(by, move |tx| Box::pin(async move { bulk::change_status(tx, &ask.vins, change, &run).await })).await?;
        reply(outcome.into())
    }

    async fn bulk_parking_space(&self, request: Request<pb::BulkParkingSpaceRequest>) -> Reply<pb::BulkReply> {
        let run = self.run(&request)?;
        let by = run.caller.person();
        let ask = request.into_inner();
        let moves = moves(&ask.rows)?;
        let run = within(run, ask.scope.as_ref(), ask.dry_run);
        let outcome = self.change(by, move |tx| Box::pin(async move { bulk::move_vehicles(tx, &moves, &run).await })).await?;
        reply(outcome.into())
    }

    async fn bulk_edit(&self, request: Request<pb::BulkEditRequest>) -> Reply<pb::BulkEditReply> {
        let run = self.run(&request)?;
        let by = run.caller.person();
        let ask = request.into_inner();
        let (rows, errors) = edit::read(ask.rows, run.caller.role)?;
        let (run, source) = (Run { dry_run: ask.dry_run, ..run }, ask.source);
        let edited = self.change(by, move |tx| Box::pin(async move { edit::apply(tx, &rows, errors, &run, &source).await })).await?;
        reply(edited.into())
    }
}

fn change(ask: &pb::BulkStatusRequest) -> Result<StatusChange, Error> {
    let status = VehicleStatus::try_from(ask.status).map_err(|_| Error::Bad("status: there is no such status".to_owned()))?;
    match ask.action() {
        StatusAction::Unspecified => Err(Error::Bad("action: `insert` or `remove` is needed".to_owned())),
        StatusAction::Insert if status == VehicleStatus::Unspecified => Err(Error::Bad("status: `insert` needs one".to_owned())),
        action => Ok(StatusChange { action, status }),
    }
}

fn moves(rows: &[pb::NewSpace]) -> Result<Vec<(String, Place)>, Error> {
    rows.iter()
        .enumerate()
        .map(|(row, new)| {
            let place = Place::new(&new.parking_space).map_err(|why| Error::Bad(format!("row {}: {why}", row + 1)))?;
            if place.space.is_empty() || new.vin.trim().is_empty() {
                return Err(Error::Bad(format!("row {}: vin and parking_space are needed", row + 1)));
            }
            Ok((new.vin.clone(), place))
        })
        .collect()
}

/// The same run within the scope that was told.
fn within(run: Run, told: Option<&pb::Scope>, dry_run: bool) -> Run {
    let told = told.copied().unwrap_or_default();
    Run { campaign: told.campaign_id, yard: told.yard.map(i64::from), dry_run, ..run }
}

impl AsRef<[Counted]> for Outcome {
    fn as_ref(&self) -> &[Counted] {
        &self.counted
    }
}

impl AsRef<[Counted]> for Edited {
    fn as_ref(&self) -> &[Counted] {
        &self.counted
    }
}

impl From<Outcome> for pb::BulkReply {
    fn from(outcome: Outcome) -> Self {
        Self {
            matched: i64::try_from(outcome.matched).unwrap_or(i64::MAX),
            updated: i64::try_from(outcome.updated).unwrap_or(i64::MAX),
            skipped: outcome.skipped.into_iter().map(|(vin, reason)| pb::Skipped { vin, reason: reason.to_owned() }).collect(),
            not_found: outcome.not_found,
            preview: outcome.preview,
            warnings: outcome.warnings,
        }
    }
}
