//! Tests of the event stream and the work pace.
use crate::stack::Stack;
use axum::body::Body;
use futures::{StreamExt, stream, stream::BoxStream};
use http_body_util::BodyExt;
use patio_proto::{
    access::Role,
    auth::Revocation,
    vehicle::{self as v, watch_event::Event},
};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};
use tonic::{Request, Response, Status, async_trait};

/// Test double that sends one event of each kind and then ends the stream; for campaign 9 the stream stays open.
#[derive(Clone)]
pub struct Live;

fn feed_events() -> [Event; 5] {
    let rows = vec![v::VehicleSummary { id: 5, status: 2, version: 8, ..Default::default() }];
    let person = v::UserPace { user_id: 3, yard: Some(2), saves: Some(4), per_hour: Some(8.0), ..Default::default() };
    [
        Event::Vehicles(v::VehiclesChanged { campaign_id: 7, revision: 12, vehicles: rows, by: Some(3) }),
        Event::Vehicles(v::VehiclesChanged { campaign_id: 7, revision: 13, ..Default::default() }),
        Event::CampaignId(7),
        Event::Conflict(Box::new(v::Conflict { id: 1, mine_by: 3, ..Default::default() })),
        Event::Pace(v::Pace { campaign_id: 7, people: vec![person], per_hour: 8.0, remaining: 2, ..Default::default() }),
    ]
}

#[async_trait]
impl v::event_service_server::EventService for Live {
    type WatchStream = BoxStream<'static, Result<v::WatchEvent, Status>>;

    async fn watch(&self, request: Request<v::WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        let events = stream::iter(feed_events().map(|event| Ok(v::WatchEvent { event: Some(event) })));
        let whole = if request.into_inner().campaign_id == Some(9) { events.chain(stream::pending()).boxed() } else { events.boxed() };
        Ok(Response::new(whole))
    }

    async fn notify_campaign_changed(
        &self,
        _: Request<v::NotifyCampaignChangedRequest>,
    ) -> Result<Response<v::NotifyCampaignChangedResponse>, Status> {
        Err(Status::unimplemented("the gateway does not call this rpc"))
    }

    async fn get_pace(&self, request: Request<v::GetPaceRequest>) -> Result<Response<v::GetPaceResponse>, Status> {
        let known = |campaign_id: i64| v::Pace { campaign_id, remaining: 2, ..Default::default() };
        let ids = request.into_inner().campaign_ids;
        Ok(Response::new(v::GetPaceResponse { paces: ids.into_iter().filter(|id| *id < 100).map(known).collect() }))
    }

    async fn get_activity(&self, request: Request<v::GetActivityRequest>) -> Result<Response<v::GetActivityResponse>, Status> {
        let ask = request.into_inner();
        let counts = Some(v::ActivityCounts { inspected: 3, saves: 4, found_wrong: 1 });
        let statuses = vec![v::StatusCount { status: v::VehicleStatus::Ng.into(), vehicles: 1 }];
        let yard = v::YardActivity { yard: Some(2), counts, total: 9, inspected: 5, statuses };
        Ok(Response::new(v::GetActivityResponse {
            hours: vec![v::HourActivity { at: ask.from, counts }],
            yards: if ask.campaign_id.is_some() { vec![yard] } else { Vec::new() },
            people: vec![v::UserActivity { user_id: 3, counts }],
            total: 9,
            inspected: 5,
            inspected_before: 2,
        }))
    }
}

/// Parses server-sent events into names and data.
fn parsed(text: &str) -> Vec<(String, Value)> {
    let events = text.split("\n\n").filter(|event| event.starts_with("event:"));
    let each = events.map(|event| {
        let field = |name: &str| event.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
        (field("event:"), serde_json::from_str(&field("data:")).unwrap())
    });
    each.collect()
}

#[tokio::test]
async fn each_event_has_its_name_and_data() {
    let stack = Stack::new().await;
    let answer = stack.ask("GET", "/api/events?campaign=7", None).await;
    assert_eq!(
        (answer.status.as_u16(), answer.header("content-type"), answer.header("cache-control")),
        (200, "text/event-stream", "no-store")
    );
    let events = parsed(&answer.text());
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["vehicles", "changed", "campaign", "conflict", "pace"]);
    assert_eq!(
        (&events[0].1["vehicles"][0]["status"], &events[0].1["by_hmc"], &events[0].1["revision"]),
        (&json!("ng"), &json!("ana"), &json!(12))
    );
    assert_eq!(events[1].1, json!({ "campaign_id": 7, "revision": 13 }));
    assert_eq!((&events[3].1["mine_by_hmc"], &events[4].1["people"][0]["yard_name"]), (&json!("ana"), &json!("A")));
    assert_eq!(stack.ask("GET", "/api/events?campaign=0", None).await.status, 400);
}

#[tokio::test]
async fn a_stream_ends_with_its_session_and_on_shutdown() {
    let stack = Stack::new().await;
    let open = async |user: i64| {
        let request = stack.request((user, Role::Operator), "GET", "/api/events?campaign=9").body(Body::empty()).unwrap();
        tower::ServiceExt::oneshot(stack.app.clone(), request).await.unwrap().into_body()
    };
    let ends = async |body: Body| tokio::time::timeout(Duration::from_secs(20), body.collect()).await.unwrap().unwrap().to_bytes();
    let (mut ended, stays) = (open(4).await, open(5).await);
    assert!(ended.frame().await.unwrap().is_ok());
    let expires_at = Some(patio_kit::clock::to_timestamp(stack.host.clock.now() + chrono::TimeDelta::hours(1)));
    stack.host.identity.add_revocations(&[Revocation { sequence: 1, user_id: 4, expires_at, ..Default::default() }]);
    ends(ended).await;
    stack.host.tasks.begin_drain();
    ends(stays).await;
}

#[tokio::test]
async fn open_streams_per_user_are_limited() {
    let stack = Stack::new().await;
    let open = async |user: i64| {
        let request = stack.request((user, Role::Operator), "GET", "/api/events?campaign=9").body(Body::empty()).unwrap();
        tower::ServiceExt::oneshot(stack.app.clone(), request).await.unwrap()
    };
    let mut streams = Vec::new();
    for _ in 0..12 {
        streams.push(open(4).await);
    }
    assert!(streams.iter().all(|answer| answer.status() == 200));
    assert_eq!((open(4).await.status().as_u16(), open(5).await.status().as_u16()), (429, 200));
    streams.pop();
    assert_eq!(open(4).await.status(), 200, "closing a stream frees a slot");
}

#[tokio::test]
async fn paces_are_returned_by_campaign() {
    let stack = Stack::new().await;
    assert_eq!(stack.ask("GET", "/api/campaigns/7/pace", None).await.json()["remaining"], 2);
    let nobody = stack.ask("GET", "/api/campaigns/700/pace", None).await;
    assert_eq!((nobody.status.as_u16(), nobody.code().as_str()), (404, "NO_CAMPAIGN"));
    let several = stack.ask("GET", "/api/pace?campaigns=1,2,700", None).await.json();
    assert_eq!(several.as_array().unwrap().iter().map(|pace| pace["campaign_id"].as_i64().unwrap()).collect::<Vec<_>>(), [1, 2]);
    for bad in ["", "?campaigns=", "?campaigns=1,,2", "?campaigns=0", "?campaigns=%2B1", &format!("?campaigns={}1", "1,".repeat(200))] {
        assert_eq!(stack.ask("GET", &format!("/api/pace{bad}"), None).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn work_is_returned_by_hour_yard_and_user() {
    let stack = Stack::new().await;
    let range = "from=2026-11-20T10:00:00Z&to=2026-11-21T10:00:00Z";
    let activity = stack.ask("GET", &format!("/api/campaigns/7/activity?{range}"), None).await.json();
    assert_eq!(activity["hours"], json!([{ "at": "2026-11-20T10:00:00Z", "inspected": 3, "saves": 4, "found_wrong": 1 }]));
    assert_eq!(activity["people"], json!([{ "hmc": "ana", "inspected": 3, "saves": 4, "found_wrong": 1 }]));
    assert_eq!((&activity["yards"][0]["yard_name"], &activity["yards"][0]["total_vehicles"]), (&json!("A"), &json!(9)));
    assert_eq!(activity["yards"][0]["statuses"], json!([{ "status": "ng", "vehicles": 1 }]));
    assert_eq!((&activity["total"], &activity["inspected"], &activity["inspected_before"]), (&json!(9), &json!(5), &json!(2)));
    let all = stack.ask("GET", "/api/activity", None).await;
    assert_eq!((all.status.as_u16(), &all.json()["yards"]), (200, &json!([])));
    for bad in ["from=2026-11-20T10:00:00Z&to=2026-11-19T10:00:00Z", "from=2026-01-20T10:00:00Z&to=2026-11-19T10:00:00Z", "from=yesterday"]
    {
        assert_eq!(stack.ask("GET", &format!("/api/activity?{bad}"), None).await.status, 400, "{bad}");
    }
}

#[tokio::test]
async fn a_stream_outlives_the_idle_timeout() {
    let stack = Stack::new().await;
    let mut config = crate::stack::config();
    config.listen = ([127, 0, 0, 1], 0).into();
    (config.head_timeout, config.body_timeout) = (Duration::from_millis(300), Duration::from_millis(300));
    let mut connection = TcpStream::connect(stack.listen(config).await).await.unwrap();
    let token = stack.token(4, Role::Operator);
    let request = format!("GET /api/events?campaign=9 HTTP/1.1\r\nhost: patio\r\nauthorization: Bearer {token}\r\n\r\n");
    connection.write_all(request.as_bytes()).await.unwrap();
    let mut got = Vec::new();
    let rest = tokio::time::timeout(Duration::from_secs(3), async { while connection.read_buf(&mut got).await.unwrap() > 0 {} }).await;
    let got = String::from_utf8_lossy(&got);
    assert!(rest.is_err() && got.starts_with("HTTP/1.1 200") && got.contains("event: pace"), "{got}");
}
