//! gRPC service for live updates: the stream of change events, and the pace of work (vehicles per hour, active users) in each
//! campaign.
use super::{ApiContext, Reply, reply};
use crate::{
    error::Error,
    live::{ChangeFeedItem, inspection_activity, inspection_pace},
    yard_filter::YardFilter,
};
use futures::{
    StreamExt, TryStreamExt,
    future::{self, Either},
    stream::{self, BoxStream},
};
use patio_kit::{
    auth::identity::{self, Caller},
    errors::{self, ErrorReason},
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, WatchEvent, event_service_server::EventService, watch_event::Event},
};
use std::pin::pin;
use tokio::sync::broadcast::{Receiver, error::RecvError};
use tonic::{Code, Request, Status};

/// Maximum number of campaigns in one request for the pace of work (vehicles per hour, active users).
const MAX_CAMPAIGNS: usize = 1_000;

/// gRPC service that streams change events and returns the pace of work (vehicles per hour, active users).
pub struct ChangeEventApi {
    host: ServiceHost,
    context: ApiContext,
}

impl ChangeEventApi {
    /// Creates the gRPC service. The event streams end when this process shuts down.
    pub fn new(host: &ServiceHost, context: ApiContext) -> Self {
        Self { host: host.clone(), context }
    }
}

#[tonic::async_trait]
impl EventService for ChangeEventApi {
    type WatchStream = BoxStream<'static, Result<WatchEvent, Status>>;

    async fn watch(&self, request: Request<pb::WatchRequest>) -> Reply<Self::WatchStream> {
        let caller = identity::authenticated_caller(&request)?;
        let (only, receiver, host) = (request.get_ref().campaign_id, self.context.live.subscribe(), self.host.clone());
        let watching = caller.clone();
        let over = async move {
            let (ended, left) = (pin!(host.identity.wait_until_caller_invalid(&watching)), pin!(host.tasks.wait_until_draining()));
            match future::select(ended, left).await {
                Either::Left(_) | Either::Right(_) => {}
            }
        };
        let yard_filter = YardFilter::for_role(caller.role, None);
        let receiving = caller.clone();
        let events = events(receiver)
            .try_filter(move |event| future::ready(is_visible_to(event, only, &caller)))
            .map_ok(move |event| hide_invisible_parts(event, yard_filter, &receiving));
        reply(events.take_until(over).boxed())
    }

    async fn notify_campaign_changed(
        &self,
        request: Request<pb::NotifyCampaignChangedRequest>,
    ) -> Reply<pb::NotifyCampaignChangedResponse> {
        self.context.live.publish_campaign_changed(request.get_ref().campaign_id);
        reply(pb::NotifyCampaignChangedResponse {})
    }

    async fn get_pace(&self, request: Request<pb::GetPaceRequest>) -> Reply<pb::GetPaceResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let ids = request.into_inner().campaign_ids;
        if ids.len() > MAX_CAMPAIGNS {
            return Err(Error::InvalidField(format!("at most {MAX_CAMPAIGNS} campaigns at once")).into());
        }
        let mut paces =
            inspection_pace::compute_inspection_pace(&self.context.db, &ids, self.context.clock.now()).await.map_err(Error::from)?;
        for pace in &mut paces {
            inspection_pace::hide_invisible_details(pace, &caller);
        }
        reply(pb::GetPaceResponse { paces })
    }

    async fn get_activity(&self, request: Request<pb::GetActivityRequest>) -> Reply<pb::GetActivityResponse> {
        let caller = identity::authenticated_caller(&request)?;
        let (caller, request) = (&caller, request.get_ref());
        reply(
            self.context
                .db
                .read_from_replica(|db| async move { inspection_activity::load_inspection_activity(&db, caller, request).await })
                .await?,
        )
    }
}

/// Converts the change feed to a gRPC stream of events. The stream ends with the status `Unavailable` when events may
/// have been lost.
fn events(receiver: Receiver<ChangeFeedItem>) -> impl futures::Stream<Item = Result<WatchEvent, Status>> {
    stream::try_unfold(receiver, |mut receiver| async {
        match receiver.recv().await {
            Ok(ChangeFeedItem::Event(event)) => Ok(Some(((*event).clone(), receiver))),
            Ok(ChangeFeedItem::Lagged) | Err(RecvError::Lagged(_)) => {
                let words = "events may have been missed; fetch the changes since the last revision";
                Err(errors::status(Code::Unavailable, ErrorReason::Unavailable, &words))
            }
            Err(RecvError::Closed) => Ok(None),
        }
    })
}

/// Returns the event without data that the caller may not see. If the caller is an operator, a pace event loses the counts of other
/// users. If `yard_filter` excludes any vehicle of the event, the event loses all vehicle rows.
fn hide_invisible_parts(event: WatchEvent, yard_filter: YardFilter, caller: &Caller) -> WatchEvent {
    match event.event {
        Some(Event::Pace(mut changed)) => {
            inspection_pace::hide_invisible_details(&mut changed, caller);
            WatchEvent { event: Some(Event::Pace(changed)) }
        }
        Some(Event::Vehicles(changed)) if changed.vehicles.iter().any(|row| !yard_filter.includes(row.id_yard.map(i64::from))) => {
            WatchEvent { event: Some(Event::Vehicles(pb::VehiclesChanged { vehicles: Vec::new(), ..changed })) }
        }
        event => WatchEvent { event },
    }
}

/// Returns `true` when the caller may see the event and the event belongs to the campaign `only`. If `only` is `None`, events of
/// all campaigns match.
fn is_visible_to(event: &WatchEvent, only: Option<i64>, caller: &Caller) -> bool {
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
