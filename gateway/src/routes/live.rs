//! What others change, as it happens.
use super::{
    conflicts::{self, Conflict},
    paces::{self, Pace},
    whole_list::ListedVehicle,
};
use crate::{
    api::Api,
    bearer::Signed,
    error::{Problem, ProblemBody, Reply},
    input::Asked,
    limits::Open,
    names::People,
    page,
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
use patio_proto::vehicle::{self as pb, WatchEvent, watch_event::Event as Told};
use serde::{Deserialize, Serialize};
use std::{convert::Infallible, pin::pin, time::Duration};
use tonic::Status;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::{router::OpenApiRouter, routes};

/// The calls of this noun.
pub fn routes() -> OpenApiRouter<Api> {
    OpenApiRouter::new().routes(routes!(events))
}

/// How often something is sent when nothing happens.
const ALIVE: Duration = Duration::from_secs(15);
/// Tells proxies not to hold back what comes.
const BUFFERING: (HeaderName, HeaderValue) = (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));

/// `event: vehicles`: up to 50 vehicles as they are now.
#[derive(Serialize, ToSchema)]
struct LiveVehicles {
    campaign_id: i64,
    /// That the change came with.
    revision: i64,
    vehicles: Vec<ListedVehicle>,
    by_hmc: Option<String>,
}

/// `event: changed`: more vehicles than are told; the changes have to be asked for.
#[derive(Serialize, ToSchema)]
struct LiveChanged {
    campaign_id: i64,
    revision: i64,
}

/// `event: campaign`: its status, name or texts changed, or it came or went; it has to be asked for.
#[derive(Serialize, ToSchema)]
struct LiveCampaign {
    campaign_id: i64,
}

/// The data of an event, by its name: `vehicles`, `changed`, `campaign`, `conflict` or `pace`.
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

    fn of(told: Told, people: &People) -> Self {
        match told {
            Told::Vehicles(pb::VehiclesChanged { campaign_id, revision, vehicles, .. }) if vehicles.is_empty() => {
                Self::Changed(LiveChanged { campaign_id, revision })
            }
            Told::Vehicles(pb::VehiclesChanged { campaign_id, revision, vehicles, by }) => Self::Vehicles(LiveVehicles {
                campaign_id,
                revision,
                vehicles: vehicles.into_iter().map(Into::into).collect(),
                by_hmc: by.map(|id| people.name(id)),
            }),
            Told::CampaignId(campaign_id) => Self::Campaign(LiveCampaign { campaign_id }),
            Told::Conflict(conflict) => Self::Conflict(Box::new(Conflict::of(*conflict, people))),
            Told::Pace(pace) => Self::Pace(Pace::of(pace, people)),
        }
    }
}

/// Everybody that an event names.
fn people(told: &Told) -> Vec<i64> {
    match told {
        Told::Vehicles(changed) => changed.by.into_iter().collect(),
        Told::CampaignId(_) => Vec::new(),
        Told::Conflict(conflict) => conflicts::people(conflict).collect(),
        Told::Pace(pace) => paces::people(pace).collect(),
    }
}

/// Of which campaign.
#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// Of all when absent.
    #[param(minimum = 1, nullable = false)]
    campaign: Option<i64>,
}

/// Tells what others change, as server-sent events, until the session ends. A comment comes every 15 seconds.
///
/// Events may come twice and in another order than what they tell of: a vehicle counts when its version is greater than
/// the one that is held, and a revision may be taken over only when it is one more than the one that is held. A stream
/// that is cut off may have left something out: open another one, then ask for the changes since the revision held.
#[utoipa::path(get, path = "/events", tag = "live", params(EventsQuery),
    responses((status = 200, description = "`event: vehicles`, `changed`, `campaign`, `conflict` or `pace`, with the like-named as data.", body = LiveEvent, content_type = "text/event-stream"),
        (status = 429, description = "So many streams are open already: 12 of one person, or all that there may be.", body = ProblemBody)),
    extensions(("x-rpc" = json!("/patio.vehicle.v1.LiveService/Watch"))))]
async fn events(State(api): State<Api>, signed: Signed, Asked(query): Asked<EventsQuery>) -> Reply<Response> {
    let campaign_id = page::campaign(query.campaign)?;
    let room = api.streams.open(signed.caller.user_id).ok_or_else(too_many)?;
    let told = api.live().watch(signed.sign(pb::WatchRequest { campaign_id })).await?.into_inner();
    let (host, caller) = (api.host.clone(), signed.caller.clone());
    let over = async move {
        let (ended, left) = (pin!(host.identity.ended(&caller)), pin!(host.tasks.left()));
        future::select(ended, left).await;
    };
    let alive = KeepAlive::new().interval(ALIVE).text("still there");
    Ok(([BUFFERING], Sse::new(shown(api, signed, told, room).take_until(over)).keep_alive(alive)).into_response())
}

/// The refusal of one stream too many.
pub fn too_many() -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, "TOO_MANY_STREAMS", "too many streams are open already").after(30)
}

/// What is told, until vehicle-svc ends it.
fn shown(
    api: Api,
    signed: Signed,
    told: impl Stream<Item = Result<WatchEvent, Status>>,
    room: Open,
) -> impl Stream<Item = Result<Event, Infallible>> {
    let told =
        told.take_while(|event| future::ready(event.is_ok())).filter_map(|event| future::ready(event.ok().and_then(|event| event.event)));
    let while_open = told.map(move |told| {
        let _counted = &room; // as long as the stream is there
        told
    });
    while_open.then(move |told| {
        let (api, signed) = (api.clone(), signed.clone());
        async move {
            let people = api.names.of(&signed, people(&told)).await;
            let event = LiveEvent::of(told, &people);
            let data = serde_json::to_string(&event).unwrap_or_default();
            Ok(Event::default().event(event.name()).data(data))
        }
    })
}
