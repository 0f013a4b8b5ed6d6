//! Route that streams changes of campaigns and vehicles to the web app as server-sent events, so that open pages stay current.
use crate::{
    extract::{auth::AuthenticatedCaller, query, request_parts::QueryParams},
    http::problem::{ApiResult, Problem, ProblemBody},
    limits::event_stream_limit::EventStreamPermit,
    routes::{
        inspection_pace::{self, Pace},
        vehicle_list::ListedVehicle,
    },
    state::AppState,
    views::conflict::{self, Conflict},
};
use axum::{
    extract::State,
    response::{
        IntoResponse, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures::{Stream, StreamExt, future};
use http::{HeaderName, HeaderValue, StatusCode};
use patio_kit::client::user_names::UserNameMap;
use patio_proto::vehicle::{self as pb, WatchEvent, watch_event};
use serde::{Deserialize, Serialize};
use std::{convert::Infallible, pin::pin, time::Duration};
use tonic::Status;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// Returns the route that streams changes of campaigns and vehicles.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(events))
}

/// Interval at which keep-alive comments are sent in an event stream.
const KEEP_ALIVE_INTERVAL: Duration = Duration::from_secs(15);
/// Header that stops proxies such as nginx from buffering the event stream.
const NO_BUFFERING_HEADER: (HeaderName, HeaderValue) = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// Data of a `vehicles` event: the current state of up to 50 changed vehicles.
#[derive(Serialize, ToSchema)]
struct LiveVehicles {
    campaign_id: i64,
    /// Revision of the campaign's vehicle list after the change.
    revision: i64,
    vehicles: Vec<ListedVehicle>,
    by_hmc: Option<String>,
}

/// Data of a `changed` event, sent instead of a `vehicles` event when the changed vehicles cannot be listed, for example because too
/// many vehicles changed. The client should fetch the changes.
#[derive(Serialize, ToSchema)]
struct LiveChanged {
    campaign_id: i64,
    revision: i64,
}

/// Data of a `campaign` event, sent when a campaign was created, changed or deleted; the client should fetch the campaign again.
#[derive(Serialize, ToSchema)]
struct LiveCampaign {
    campaign_id: i64,
}

/// Data of a server-sent event. The type of the data depends on the event name: `vehicles`, `changed`, `campaign`, `conflict` or
/// `pace`.
#[derive(Serialize, ToSchema)]
#[serde(untagged)]
enum LiveEvent {
    Vehicles(LiveVehicles),
    Changed(LiveChanged),
    Campaign(LiveCampaign),
    Conflict(Box<Conflict>),
    Pace(Pace),
}

impl LiveEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::Vehicles(_) => "vehicles",
            Self::Changed(_) => "changed",
            Self::Campaign(_) => "campaign",
            Self::Conflict(_) => "conflict",
            Self::Pace(_) => "pace",
        }
    }

    fn of(event: watch_event::Event, people: &UserNameMap) -> Self {
        match event {
            watch_event::Event::Vehicles(pb::VehiclesChanged { campaign_id, revision, vehicles, .. }) if vehicles.is_empty() => {
                Self::Changed(LiveChanged { campaign_id, revision })
            }
            watch_event::Event::Vehicles(pb::VehiclesChanged { campaign_id, revision, vehicles, by }) => Self::Vehicles(LiveVehicles {
                campaign_id,
                revision,
                vehicles: vehicles.into_iter().map(Into::into).collect(),
                by_hmc: by.map(|id| people.name(id)),
            }),
            watch_event::Event::CampaignId(campaign_id) => Self::Campaign(LiveCampaign { campaign_id }),
            watch_event::Event::Conflict(conflict) => Self::Conflict(Box::new(Conflict::new(*conflict, people))),
            watch_event::Event::Pace(pace) => Self::Pace(Pace::new(pace, people)),
        }
    }
}

/// Returns the ids of all users that an event refers to.
fn people(event: &watch_event::Event) -> Vec<i64> {
    match event {
        watch_event::Event::Vehicles(changed) => changed.by.into_iter().collect(),
        watch_event::Event::CampaignId(_) => Vec::new(),
        watch_event::Event::Conflict(conflict) => conflict::user_ids(conflict).collect(),
        watch_event::Event::Pace(pace) => inspection_pace::user_ids(pace).collect(),
    }
}

/// Optional query parameter that limits the events to one campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// Id of the campaign whose events are sent; events of all campaigns when absent.
    #[param(minimum = 1, nullable = false)]
    campaign: Option<i64>,
}

/// Streams changes of campaigns, vehicles, conflicts and work pace as server-sent events until the session ends. A keep-alive comment
/// is sent every 15 seconds.
///
/// Events may arrive twice or out of order. Ignore a vehicle unless its version is greater than the version of your copy. Update the
/// revision of your vehicle list only if the event's revision is yours plus 1. After an interruption, events may be missing: open a new
/// stream, then fetch the changes since your revision.
#[utoipa::path(get, path = "/events", tag = "live", params(EventsQuery),
    responses((status = 200, description = "Events named `vehicles`, `changed`, `campaign`, `conflict` or `pace`, each with its own type of data.", body = LiveEvent, content_type = "text/event-stream"),
        (status = 429, description = "Too many streams are open: 12 of the caller, or the limit of the server.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.EventService/Watch"))))]
async fn events(
    State(api): State<AppState>,
    signed: AuthenticatedCaller,
    QueryParams(query): QueryParams<EventsQuery>,
) -> ApiResult<Response> {
    let campaign_id = query::validate_campaign_id(query.campaign)?;
    let permit = api.streams.try_acquire(signed.caller.user_id).ok_or_else(too_many_streams_problem)?;
    let feed = api.events().watch(signed.grpc_request(pb::WatchRequest { campaign_id })).await?.into_inner();
    let (host, caller) = (api.host.clone(), signed.caller.clone());
    let over = async move {
        let (ended, left) = (pin!(host.identity.wait_until_caller_invalid(&caller)), pin!(host.tasks.wait_until_draining()));
        future::select(ended, left).await;
    };
    let alive = KeepAlive::new().interval(KEEP_ALIVE_INTERVAL).text("still there");
    Ok(([NO_BUFFERING_HEADER], Sse::new(shown(api, signed, feed, permit).take_until(over)).keep_alive(alive)).into_response())
}

/// Returns the 429 response to a request that exceeds the limit of open event streams.
pub fn too_many_streams_problem() -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_STREAMS", "Too many live connections. Close other tabs.").with_retry_after(30)
}

/// Converts change messages of vehicle-svc to server-sent events, until vehicle-svc ends the stream.
fn shown(
    api: AppState,
    signed: AuthenticatedCaller,
    feed: impl Stream<Item = Result<WatchEvent, Status>>,
    permit: EventStreamPermit,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let changes =
        feed.take_while(|event| future::ready(event.is_ok())).filter_map(|event| future::ready(event.ok().and_then(|event| event.event)));
    let while_open = changes.map(move |change| {
        let _counted = &permit; // keeps the permit until the stream ends
        change
    });
    while_open.then(move |change| {
        let (api, signed) = (api.clone(), signed.clone());
        async move {
            let people = api.names.resolve_names(signed.call_context(), people(&change)).await;
            let event = LiveEvent::of(change, &people);
            let data = serde_json::to_string(&event).unwrap_or_default();
            Ok(Event::default().event(event.name()).data(data))
        }
    })
}
