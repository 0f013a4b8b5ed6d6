//! gRPC service for bulk changes: one call changes the status, parking spaces or other fields of many vehicles.
use super::{ApiContext, Reply, reply};
use crate::{
    bulk_changes::{
        self, StatusChange,
        context::{BulkCallContext, BulkChangeResult},
        edit_rows::{self, EditRowsResult},
        preview::{MAX_PREVIEW_VEHICLES, PREVIEW_VEHICLES},
    },
    error::Error,
    parking_space::ParkingSpace,
    store::counters::CampaignCounts,
};
use futures::future::BoxFuture;
use patio_kit::{audit, auth::identity, db::Tx};
use patio_proto::vehicle::{self as pb, StatusAction, VehicleStatus, bulk_service_server::BulkService};
use tonic::{Request, Status};

/// gRPC service that changes the status, parking space or other fields of many vehicles in one call.
pub struct BulkChangeApi(pub ApiContext);

impl BulkChangeApi {
    /// Runs the bulk change `change` in a transaction, then publishes the new counters and the changed vehicles. `by` is the id
    /// of the calling user; `None` for a service. The change completes even when the caller disconnects.
    async fn run_change<T, F>(&self, by: Option<i64>, change: F) -> Result<T, Status>
    where
        T: AsRef<[CampaignCounts]> + Send + Sync + 'static,
        F: for<'c> FnOnce(&'c mut Tx<'_>) -> BoxFuture<'c, Result<T, Error>> + Send + 'static,
    {
        let (db, live, progress) = (self.0.db.clone(), self.0.live.clone(), self.0.progress.clone());
        let changing = async move {
            let done = db.write(change).await?;
            live.publish_vehicles_changed(done.as_ref(), by);
            progress.publish_progress(done.as_ref()).await;
            Ok::<_, Error>(done)
        };
        self.0.live.run_to_completion(changing).await
    }

    /// Builds the context of a bulk call from the request: caller, time and client address. [`limit_to_scope`] adds the campaign
    /// and the yard.
    fn run<T>(&self, request: &Request<T>) -> Result<BulkCallContext, Status> {
        let (caller, address) = (identity::authenticated_caller(request)?, audit::client_address(request));
        Ok(BulkCallContext {
            caller,
            now: self.0.clock.now(),
            campaign: None,
            yard: None,
            dry_run: false,
            preview_limit: PREVIEW_VEHICLES,
            address,
        })
    }
}

#[tonic::async_trait]
impl BulkService for BulkChangeApi {
    async fn bulk_status(&self, request: Request<pb::BulkStatusRequest>) -> Reply<pb::BulkResponse> {
        let run = self.run(&request)?;
        let by = run.caller.signed_in_user_id();
        let request = request.into_inner();
        let change = parse_status_change(&request)?;
        let run = limit_to_scope(run, request.scope.as_ref(), request.dry_run).with_preview_limit(request.preview_limit)?;
        let outcome = self
            .run_change(by, move |tx| Box::pin(async move { bulk_changes::change_status(tx, &request.vins, change, &run).await }))
            .await?;
        reply(outcome.into())
    }

    async fn bulk_parking_space(&self, request: Request<pb::BulkParkingSpaceRequest>) -> Reply<pb::BulkResponse> {
        let run = self.run(&request)?;
        let by = run.caller.signed_in_user_id();
        let request = request.into_inner();
        let moves = parse_moves(&request.rows)?;
        let run = limit_to_scope(run, request.scope.as_ref(), request.dry_run).with_preview_limit(request.preview_limit)?;
        let outcome = self.run_change(by, move |tx| Box::pin(async move { bulk_changes::move_vehicles(tx, &moves, &run).await })).await?;
        reply(outcome.into())
    }

    async fn bulk_edit(&self, request: Request<pb::BulkEditRequest>) -> Reply<pb::BulkEditResponse> {
        let run = self.run(&request)?;
        let by = run.caller.signed_in_user_id();
        let request = request.into_inner();
        let (rows, errors) = edit_rows::validate_edit_rows(request.rows, run.caller.role)?;
        let (run, source) = (BulkCallContext { dry_run: request.dry_run, ..run }, request.source);
        let edited = self
            .run_change(by, move |tx| Box::pin(async move { edit_rows::apply_edit_rows(tx, &rows, errors, &run, &source).await }))
            .await?;
        reply(edited.into())
    }
}

fn parse_status_change(request: &pb::BulkStatusRequest) -> Result<StatusChange, Error> {
    let status = VehicleStatus::try_from(request.status).map_err(|_| Error::InvalidField("status: there is no such status".to_owned()))?;
    match request.action() {
        StatusAction::Unspecified => Err(Error::InvalidField("action: must be `insert` or `remove`".to_owned())),
        StatusAction::Insert if status == VehicleStatus::Unspecified => {
            Err(Error::InvalidField("status: is required for `insert`".to_owned()))
        }
        action => Ok(StatusChange { action, status }),
    }
}

fn parse_moves(rows: &[pb::ParkingSpaceChange]) -> Result<Vec<(String, ParkingSpace)>, Error> {
    rows.iter()
        .enumerate()
        .map(|(row, new)| {
            let place = ParkingSpace::new(&new.parking_space).map_err(|why| Error::InvalidField(format!("Row {}: {why}", row + 1)))?;
            if place.space.is_empty() || new.vin.trim().is_empty() {
                return Err(Error::InvalidField(format!("Row {}: a VIN and a parking space are needed.", row + 1)));
            }
            Ok((new.vin.clone(), place))
        })
        .collect()
}

/// Returns the context of a bulk call, limited to the campaign and the yard in `scope`. If `dry_run` is true, the call only returns
/// a preview.
fn limit_to_scope(run: BulkCallContext, scope: Option<&pb::Scope>, dry_run: bool) -> BulkCallContext {
    let scope = scope.copied().unwrap_or_default();
    BulkCallContext { campaign: scope.campaign_id, yard: scope.yard.map(i64::from), dry_run, ..run }
}

impl BulkCallContext {
    /// Returns the context with the number of vehicles that the preview lists at most; 0 keeps the default.
    fn with_preview_limit(self, requested: i32) -> Result<Self, Error> {
        match usize::try_from(requested) {
            Ok(0) => Ok(self),
            Ok(limit) if limit <= MAX_PREVIEW_VEHICLES => Ok(Self { preview_limit: limit, ..self }),
            _ => Err(Error::InvalidField(format!("preview_limit: must be from 1 to {MAX_PREVIEW_VEHICLES}"))),
        }
    }
}

impl AsRef<[CampaignCounts]> for BulkChangeResult {
    fn as_ref(&self) -> &[CampaignCounts] {
        &self.campaign_counts
    }
}

impl AsRef<[CampaignCounts]> for EditRowsResult {
    fn as_ref(&self) -> &[CampaignCounts] {
        &self.campaign_counts
    }
}

impl From<BulkChangeResult> for pb::BulkResponse {
    fn from(outcome: BulkChangeResult) -> Self {
        Self {
            matched: i64::try_from(outcome.matched).unwrap_or(i64::MAX),
            updated: i64::try_from(outcome.updated).unwrap_or(i64::MAX),
            skipped: outcome
                .skipped
                .into_iter()
                .map(|(vin, why)| pb::Skipped { vin, reason: why.text().to_owned(), code: why.code().to_owned() })
                .collect(),
            not_found: outcome.not_found,
            preview: outcome.preview,
            warnings: outcome.warnings,
            replaced_statuses: outcome.replaced_statuses,
            open_conflicts: i64::try_from(outcome.open_conflicts).unwrap_or(i64::MAX),
        }
    }
}
