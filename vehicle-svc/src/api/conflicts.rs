//! gRPC service for conflicts: fields to which two users saved different values without seeing each other's value. A user resolves a
//! conflict by choosing one of the two values.
use super::{ApiContext, Reply, reply};
use crate::{
    error::Error,
    inspection::{
        conflict_resolution::{self, ConflictResolutionCommand, ConflictResolutionOutcome},
        merge,
    },
    store::conflicts::{self, Conflict, ConflictFilter},
};
use patio_kit::{
    audit,
    auth::identity::{self, Caller},
    clock,
    db::Db,
    pagination::PageWindow,
};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, Side, conflict_service_server::ConflictService},
};
use tonic::Request;

/// gRPC service that lists and resolves conflicts between saves.
pub struct ConflictApi(pub ApiContext);

#[tonic::async_trait]
impl ConflictService for ConflictApi {
    async fn list_conflicts(&self, request: Request<pb::ListConflictsRequest>) -> Reply<pb::ListConflictsResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let request = request.into_inner();
        let (window, filter) = (PageWindow::from_request(request.page.as_ref()), filter(&request, &caller));
        let filter = &filter;
        let listed = |db: Db| async move { tokio::try_join!(conflicts::list_page(&db, filter, window), conflicts::count(&db, filter)) };
        let (page, total) = self.0.db.read_from_replica(listed).await.map_err(Error::from)?;
        reply(pb::ListConflictsResponse { conflicts: page.into_iter().map(Into::into).collect(), meta: Some(window.to_page_meta(total)) })
    }

    async fn resolve_conflict(&self, request: Request<pb::ResolveConflictRequest>) -> Reply<pb::Vehicle> {
        let (caller, address) = (identity::authenticated_caller(&request)?, audit::client_address(&request));
        let (request, by) = (request.into_inner(), caller.signed_in_user_id());
        if request.choice() == Side::Unspecified {
            return Err(Error::InvalidField("choice: must be theirs or mine".to_owned()).into());
        }
        let choice = ConflictResolutionCommand { id: request.id, side: request.choice(), caller, now: self.0.clock.now(), address };
        let (db, live, progress) = (self.0.db.clone(), self.0.live.clone(), self.0.progress.clone());
        let settling = async move {
            match db.write(move |tx| Box::pin(async move { conflict_resolution::resolve(tx, &choice).await })).await? {
                ConflictResolutionOutcome::Changed(id, now) => Err(Error::OutdatedVersion { id, current_version: now }),
                ConflictResolutionOutcome::Done(conflict, moved) => {
                    metrics::counter!("patio_conflicts_total", "event" => "resolved").increment(1);
                    live.publish_vehicle_changed(&moved, by);
                    live.publish_conflict_changed(*conflict);
                    progress.publish_progress(moved.campaign_counts.as_slice()).await;
                    Ok(moved.vehicle)
                }
            }
        };
        reply(self.0.live.run_to_completion(settling).await?.into())
    }
}

/// Builds the filter of a list of conflicts. An operator gets only conflicts in which the operator saved one of the two
/// values.
fn filter(request: &pb::ListConflictsRequest, caller: &Caller) -> ConflictFilter {
    let own = request.mine || caller.role == Role::Operator;
    ConflictFilter {
        id: request.id,
        campaign: request.campaign_id,
        state: match request.settled {
            None => "",
            Some(false) => "open",
            Some(true) => "settled",
        },
        of: own.then_some(caller.user_id),
        since: request.since.as_ref().and_then(clock::from_timestamp).unwrap_or_default(),
    }
}

fn side(written: Option<&str>) -> Side {
    match written {
        Some("mine") => Side::Mine,
        Some("theirs") => Side::Theirs,
        _ => Side::Unspecified,
    }
}

impl From<Conflict> for pb::Conflict {
    fn from(conflict: Conflict) -> Self {
        Self {
            id: conflict.id,
            vehicle_id: conflict.vehicle_id,
            campaign_id: conflict.campaign_id,
            campaign_name: conflict.campaign_name,
            vin_number: format!("{} {}", conflict.model_code, conflict.serial_number),
            field: merge::parse_field(&conflict.field).into(),
            base: conflict.base,
            theirs: conflict.theirs,
            mine: conflict.mine,
            theirs_by: conflict.theirs_by,
            theirs_at: Some(clock::to_timestamp(conflict.theirs_at)),
            mine_by: conflict.mine_by,
            mine_at: Some(clock::to_timestamp(conflict.mine_at)),
            device_time: conflict.device_time.map(clock::to_timestamp),
            shown: side(Some(&conflict.shown)).into(),
            chosen: side(conflict.chosen.as_deref()).into(),
            settled_by: conflict.settled_by,
            settled_at: conflict.settled_at.map(clock::to_timestamp),
        }
    }
}
