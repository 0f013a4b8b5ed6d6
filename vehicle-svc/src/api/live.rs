//! What happens as it happens, and how fast.
use super::{Reply, reply};
use crate::{
    error::Error,
    live::{Heard, Live},
    pace,
    view::View,
};
use futures::{
    StreamExt, TryStreamExt,
    future::{self, Either},
    stream::{self, BoxStream},
};
use patio_kit::{
    db::Db,
    errors::{self, Reason},
    host::Host,
    identity::{self, Caller},
};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, WatchEvent, live_service_server::LiveService, watch_event::Event},
};
use std::pin::pin;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tonic::{Code, Request, Status};

/// Most campaigns whose paces are told at once.
const MOST: usize = 1_000;

/// Answers the calls.
pub struct Api {
    host: Host,
    db: Db,
    live: Live,
}

impl Api {
    /// Answers from a database and what happens.
    pub fn new(host: &Host, db: Db, live: Live) -> Self {
        Self { host: host.clone(), db, live }
    }
}

#[tonic::async_trait]
impl LiveService for Api {
    type WatchStream = BoxStream<'static, Result<WatchEvent, Status>>;

    async fn watch(&self, request: Request<pb::WatchRequest>) -> Reply<Self::WatchStream> {
        let caller = identity::caller(&request)?;
        let (only, heard, host) = (request.get_ref().campaign_id, self.live.listen(), self.host.clone());
        let watching = caller.clone();
        let over = async move {
            let (ended, left) = (pin!(host.identity.ended(&watching)), pin!(host.tasks.left()));
            match future::select(ended, left).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        };
        let view = View::of(caller.role, None);
        let events =
            events(heard).try_filter(move |event| future::ready(concerns(event, only, &caller))).map_ok(move |event| seen(event, view));
        reply(events.take_until(over).boxed())
    }

    async fn announce_campaign(&self, request: Request<pb::AnnounceCampaignRequest>) -> Reply<pb::AnnounceCampaignReply> {
        self.live.campaign(request.get_ref().campaign_id);
        reply(pb::AnnounceCampaignReply {})
    }

    async fn get_paces(&self, request: Request<pb::GetPacesRequest>) -> Reply<pb::GetPacesReply> {
        let ids = request.into_inner().campaign_ids;
        if ids.len() > MOST {
            return Err(Error::Bad(format!("at most {MOST} campaigns at once")).into());
        }
        let paces = pace::of(&self.db, &ids, self.host.clock.now()).await.map_err(Error::from)?;
        reply(pb::GetPacesReply { paces })
    }
}

/// What happens until something may have been missed.
fn events(heard: Receiver<Heard>) -> impl futures::Stream<Item = Result<WatchEvent, Status>> {
    stream::try_unfold(heard, |mut heard| async {
        match heard.recv().await {
            Ok(Heard::Told(event)) => Ok(Some(((*event).clone(), heard))),
            Ok(Heard::Missed) | Err(RecvError::Lagged(_)) => {
                let words = "something may have been missed; ask for what changed since";
                Err(errors::status(Code::Unavailable, Reason::Unavailable, &words))
            }
            Err(RecvError::Closed) => Ok(None),
        }
    })
}

/// The event as somebody with this view may see it: of vehicles outside of it only that something changed.
fn seen(event: WatchEvent, view: View) -> WatchEvent {
    match event.event {
        Some(Event::Vehicles(changed)) if changed.vehicles.iter().any(|row| !view.holds(row.id_yard.map(i64::from))) => {
            WatchEvent { event: Some(Event::Vehicles(pb::VehiclesChanged { vehicles: Vec::new(), ..changed })) }
        }
        event => WatchEvent { event },
    }
}

/// Whether an event is of the campaign that is watched and for the eyes of who watches.
fn concerns(event: &WatchEvent, only: Option<i64>, caller: &Caller) -> bool {
    let (campaign, is_seen) = match &event.event {
        Some(Event::Vehicles(changed)) => (changed.campaign_id, true),
        Some(Event::CampaignId(id)) => (*id, true),
        Some(Event::Pace(pace)) => (pace.campaign_id, true),
        Some(Event::Conflict(conflict)) => {
            let own = conflict.mine_by == caller.user_id || conflict.theirs_by == Some(caller.user_id);
            (conflict.campaign_id, own || caller.role != Role::Operator)
        }
        None => return false,
    };
    is_seen && only.is_none_or(|only| only == campaign)
}
