//! Fields that two people changed without knowing of each other.
use super::{Reply, reply};
use crate::{
    error::Error,
    live::Live,
    merge,
    progress::Progress,
    settle::{self, Choice, Settled},
    store::conflicts::{self, Conflict, Filter},
};
use patio_kit::{
    audit,
    clock::{self, Clock},
    db::Db,
    host::Host,
    identity::{self, Caller},
    page::Window,
};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, Side, conflict_service_server::ConflictService},
};
use tonic::Request;

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
}

#[tonic::async_trait]
impl ConflictService for Api {
    async fn list_conflicts(&self, request: Request<pb::ListConflictsRequest>) -> Reply<pb::ListConflictsReply> {
        let caller = identity::caller(&request)?;
        let ask = request.into_inner();
        let (window, filter) = (Window::of(ask.page.as_ref()), filter(&ask, &caller));
        let (page, total) =
            tokio::try_join!(conflicts::page(&self.db, &filter, window), conflicts::count(&self.db, &filter)).map_err(Error::from)?;
        reply(pb::ListConflictsReply { conflicts: page.into_iter().map(Into::into).collect(), meta: Some(window.meta(total)) })
    }

    async fn settle_conflict(&self, request: Request<pb::SettleConflictRequest>) -> Reply<pb::Vehicle> {
        let (caller, address) = (identity::caller(&request)?, audit::address(&request));
        let (ask, by) = (request.into_inner(), caller.person());
        if ask.choice() == Side::Unspecified {
            return Err(Error::Bad("choice: it is theirs or mine".to_owned()).into());
        }
        let choice = Choice { id: ask.id, side: ask.choice(), caller, now: self.clock.now(), address };
        let (db, live, progress) = (self.db.clone(), self.live.clone(), self.progress.clone());
        let settling = async move {
            match db.write(move |tx| Box::pin(async move { settle::settle(tx, &choice).await })).await? {
                Settled::Changed(id, now) => Err(Error::Stale { id, now }),
                Settled::Done(conflict, moved) => {
                    live.wrote(&moved, by);
                    live.conflict(*conflict);
                    progress.changed(moved.counted.as_slice()).await;
                    Ok(moved.vehicle)
                }
            }
        };
        reply(self.live.whole(settling).await?.into())
    }
}

/// Operators see those that one of their own values is in.
fn filter(ask: &pb::ListConflictsRequest, caller: &Caller) -> Filter {
    let own = ask.mine || caller.role == Role::Operator;
    Filter {
        id: ask.id,
        campaign: ask.campaign_id,
        state: match ask.settled {
            None => "",
            Some(false) => "open",
            Some(true) => "settled",
        },
        of: own.then_some(caller.user_id),
        since: ask.since.as_ref().and_then(clock::moment).unwrap_or_default(),
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
            field: merge::field(&conflict.field).into(),
            base: conflict.base,
            theirs: conflict.theirs,
            mine: conflict.mine,
            theirs_by: conflict.theirs_by,
            theirs_at: Some(clock::timestamp(conflict.theirs_at)),
            mine_by: conflict.mine_by,
            mine_at: Some(clock::timestamp(conflict.mine_at)),
            device_time: conflict.device_time.map(clock::timestamp),
            shown: side(Some(&conflict.shown)).into(),
            chosen: side(conflict.chosen.as_deref()).into(),
            settled_by: conflict.settled_by,
            settled_at: conflict.settled_at.map(clock::timestamp),
        }
    }
}
