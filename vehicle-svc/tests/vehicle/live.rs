//! Change feed on one and on several replicas, and the pace of work.
use crate::yard::{CAMPAIGN, Yard, status};
use chrono::TimeDelta;
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    auth::Revocation,
    vehicle::{self as pb, Base, Gate, OnConflict, SaveVehicleRequest, VehicleStatus, WatchEvent, watch_event::Event},
};
use patio_testing::{LONG_CALL_TIMEOUT, REDIS, each_database, from_environment, host_on, print_to_stderr};
use std::time::Duration;
use tonic::{Status, Streaming};

/// Timeout for an expected event, long enough for a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

impl Yard {
    async fn watch(&self, who: i64, role: Role, campaign_id: Option<i64>) -> Streaming<WatchEvent> {
        let ask = self.person(who, role).grpc_request(pb::WatchRequest { campaign_id });
        self.live().watch(ask).await.unwrap().into_inner()
    }

    async fn paces(&self) -> Vec<pb::Pace> {
        let ask = pb::GetPaceRequest { campaign_ids: vec![CAMPAIGN, 99] };
        self.live().get_pace(self.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner().paces
    }
}

/// Returns the next event, or `None` at the end of the stream.
async fn heard(stream: &mut Streaming<WatchEvent>) -> Result<Option<WatchEvent>, Status> {
    tokio::time::timeout(PATIENCE, stream.message()).await.unwrap()
}

/// Returns the next event that `pass` accepts, and skips all others.
async fn next<T>(stream: &mut Streaming<WatchEvent>, pass: impl Fn(Event) -> Option<T>) -> T {
    loop {
        if let Some(found) = heard(stream).await.unwrap().unwrap().event.and_then(&pass) {
            return found;
        }
    }
}

fn vehicles(event: Event) -> Option<pb::VehiclesChanged> {
    if let Event::Vehicles(changed) = event { Some(changed) } else { None }
}

fn campaign(event: Event) -> Option<i64> {
    if let Event::CampaignId(id) = event { Some(id) } else { None }
}

fn conflict(event: Event) -> Option<pb::Conflict> {
    if let Event::Conflict(conflict) = event { Some(*conflict) } else { None }
}

#[tokio::test]
async fn a_stream_receives_every_kind_of_change() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..51).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let mut stream = yard.watch(5, Role::Operator, Some(CAMPAIGN)).await;
        let id = yard.walk().await[0].id;
        yard.save(Role::Operator, status(id, VehicleStatus::Ng)).await.unwrap();
        let saved = next(&mut stream, vehicles).await;
        assert_eq!((saved.vehicles[0].id, saved.vehicles[0].status(), saved.by), (id, VehicleStatus::Ng, Some(4)));
        assert_eq!(yard.changes(saved.revision - 1).await.vehicles, saved.vehicles, "the event has the same rows as the list of changes");
        let bulk = async |count: i32| {
            let vins = (1..=count).map(|n| format!("HB20 {n:06}")).collect();
            let (action, ok) = (pb::StatusAction::Insert.into(), VehicleStatus::Ok.into());
            let ask = pb::BulkStatusRequest { vins, action, status: ok, ..Default::default() };
            yard.bulk().bulk_status(yard.long_request(3, Role::Manager, ask)).await.unwrap();
        };
        bulk(50).await;
        let many = next(&mut stream, vehicles).await;
        assert_eq!((many.vehicles.len(), many.by), (50, Some(3)));
        let person = yard.person(3, Role::Manager);
        let job = yard.jobs().list_jobs(person.grpc_request(pb::ListJobsRequest::default())).await.unwrap().into_inner().jobs[0].id;
        yard.jobs().undo_job(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::UndoJobRequest { id: job })).await.unwrap();
        let undone = next(&mut stream, vehicles).await;
        assert_eq!((undone.vehicles.len(), undone.revision), (50, many.revision + 1));
        bulk(51).await;
        assert!(next(&mut stream, vehicles).await.vehicles.is_empty(), "an event about too many vehicles has no rows");
        yard.gate(CAMPAIGN, "Recall A", Gate::Closed, 2).await;
        assert_eq!(next(&mut stream, campaign).await, CAMPAIGN);
        let gone = pb::RemoveCampaignRequest { campaign_id: CAMPAIGN };
        yard.fleet().remove_campaign(yard.service().grpc_request(gone)).await.unwrap();
        assert_eq!(next(&mut stream, campaign).await, CAMPAIGN);
    })
    .await;
}

#[tokio::test]
async fn conflicts_are_sent_to_both_users_and_to_team_leaders() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let mut others = [yard.watch(77, Role::Operator, None).await, yard.watch(5, Role::Operator, Some(CAMPAIGN + 1)).await];
        let mut theirs = [
            yard.watch(4, Role::Operator, None).await,
            yard.watch(5, Role::Operator, None).await,
            yard.watch(3, Role::Manager, None).await,
        ];
        let base = Some(Base { status: Some(0), ..Default::default() });
        let save = |wants| SaveVehicleRequest { base: base.clone(), on_conflict: OnConflict::Keep.into(), ..status(id, wants) };
        yard.vehicles().save_vehicle(yard.person(4, Role::Operator).grpc_request(save(VehicleStatus::Ok))).await.unwrap();
        yard.vehicles().save_vehicle(yard.person(5, Role::Operator).grpc_request(save(VehicleStatus::Ng))).await.unwrap();
        let made = next(&mut theirs[0], conflict).await;
        let ask = pb::ResolveConflictRequest { id: made.id, choice: pb::Side::Theirs.into() };
        yard.conflicts().resolve_conflict(yard.person(3, Role::Manager).grpc_request(ask)).await.unwrap();
        for stream in &mut theirs[1..] {
            assert_eq!(next(stream, conflict).await.id, made.id);
        }
        for stream in &mut theirs {
            assert_eq!(next(stream, conflict).await.chosen(), pb::Side::Theirs, "the chosen value is sent");
        }
        yard.gate(CAMPAIGN, "Recall B", Gate::Open, 2).await;
        yard.gate(CAMPAIGN + 1, "Another", Gate::Open, 2).await;
        let end = loop {
            match heard(&mut others[0]).await.unwrap().unwrap().event.unwrap() {
                Event::Conflict(conflict) => panic!("{conflict:?}"),
                Event::CampaignId(id) => break id,
                Event::Vehicles(_) | Event::Pace(_) => {}
            }
        };
        assert_eq!(end, CAMPAIGN);
        assert_eq!(campaign(heard(&mut others[1]).await.unwrap().unwrap().event.unwrap()), Some(CAMPAIGN + 1), "other events are dropped");
    })
    .await;
}

#[tokio::test]
async fn a_stream_ends_with_its_session_at_shutdown_and_when_it_lags() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let mut idle = yard.watch(5, Role::Operator, None).await;
        let mut ended = yard.watch(6, Role::Operator, None).await;
        let expires_at = Some(patio_kit::clock::to_timestamp(yard.host.clock.now() + TimeDelta::hours(1)));
        yard.host.identity.add_revocations(&[Revocation { sequence: 1, user_id: 6, expires_at, ..Default::default() }]);
        while let Some(event) = heard(&mut ended).await.unwrap() {
            assert!(event.event.is_some());
        }
        for revision in 2..2_500 {
            yard.gate(CAMPAIGN, "Recall A", Gate::Open, revision).await;
        }
        let cut_off = loop {
            match heard(&mut idle).await {
                Ok(event) => assert!(event.is_some()),
                Err(refusal) => break refusal,
            }
        };
        assert_eq!(reason(&cut_off), Some(ErrorReason::Unavailable), "a stream that is not read is closed");
        let mut last = yard.watch(5, Role::Operator, None).await;
        yard.host.tasks.begin_drain();
        assert_eq!(heard(&mut last).await.unwrap(), None);
    })
    .await;
}

#[tokio::test]
async fn paces_list_users_at_work_and_estimate_the_finish() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "B-1", "B-2", "C-1", "C-2"]).await;
        let mut stream = yard.watch(5, Role::Operator, Some(CAMPAIGN)).await;
        let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
        let idle = yard.paces().await;
        assert_eq!(idle, [pb::Pace { campaign_id: CAMPAIGN, remaining: 6, ..Default::default() }], "an unknown campaign is left out");
        yard.save(Role::Operator, status(ids[0], VehicleStatus::Ok)).await.unwrap();
        let published = next(&mut stream, |event| if let Event::Pace(pace) = event { Some(pace) } else { None }).await;
        assert_eq!((published.people[0].user_id, published.people[0].yard, published.remaining), (4, Some(2), 5));
        assert_eq!((published.people[0].saves, published.people[0].per_hour), (None, None), "user 5 is an operator");
        yard.host.clock.advance(TimeDelta::minutes(10));
        yard.save(Role::Operator, status(ids[2], VehicleStatus::Ok)).await.unwrap();
        let pace = yard.paces().await.remove(0);
        assert_eq!(
            (pace.people[0].yard, pace.people[0].saves, pace.remaining),
            (Some(4), Some(2), 4),
            "the yard of the last saved vehicle"
        );
        assert!((11.5..=12.0).contains(&pace.per_hour), "two saves in ten minutes: {pace:?}");
        let left = pace.finish_at.unwrap().seconds - yard.host.clock.now().timestamp();
        assert!((1_190..1_260).contains(&left), "four vehicles at twelve an hour: {left} s");
        yard.host.clock.advance(TimeDelta::minutes(16));
        let later = yard.paces().await.remove(0);
        assert!(later.people.is_empty() && later.per_hour > 0.0, "no user is at work, but the last half hour counts: {later:?}");
        yard.host.clock.advance(TimeDelta::minutes(20));
        let later = yard.paces().await.remove(0);
        assert_eq!((later.per_hour, later.finish_at, later.remaining), (0.0, None, 4));
    })
    .await;
}

#[tokio::test]
async fn operators_do_not_see_that_a_colleague_works_in_the_yard_named_dash() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "- 1"]).await;
        let hidden = yard.walk().await.into_iter().find(|vehicle| vehicle.parking_space.starts_with('-')).unwrap();
        yard.save(Role::Admin, status(hidden.id, VehicleStatus::Ok)).await.unwrap();
        let yard_of = async |role| {
            let ask = pb::GetPaceRequest { campaign_ids: vec![CAMPAIGN] };
            let reply = yard.live().get_pace(yard.person(4, role).grpc_request(ask)).await.unwrap().into_inner();
            reply.paces[0].people[0].yard
        };
        assert_eq!((yard_of(Role::Operator).await, yard_of(Role::Manager).await), (None, Some(patio_proto::yard::DASH_YARD_ID)));
    })
    .await;
}

/// Opens a stream at replica `to` and waits until it receives events of replica `from`.
async fn connected(from: &Yard, to: &Yard) -> Streaming<WatchEvent> {
    for _ in 0..60 {
        let mut stream = to.watch(5, Role::Operator, None).await;
        from.gate(CAMPAIGN, "Recall A", Gate::Open, 1).await;
        if let Ok(Ok(Some(_))) = tokio::time::timeout(Duration::from_secs(1), stream.message()).await {
            return stream;
        }
    }
    panic!("the replicas do not connect to each other")
}

/// Runs two replicas of vehicle-svc on one database, each with its own streams.
#[tokio::test]
async fn a_change_at_one_replica_reaches_the_other_within_two_seconds() {
    let (Some(redis), Some(_)) = (from_environment(REDIS), from_environment(patio_testing::POSTGRES)) else {
        return print_to_stderr("replica test skipped: no URL of Redis or PostgreSQL is set");
    };
    each_database(async |host| {
        let Some(url) = host.settings.database_url.clone() else { return }; // SQLite has one process
        let folder = tempfile::tempdir().unwrap();
        // The test harness uses the databases 4 to 15 of the Redis server, and the browser tests the first ones.
        let redis = Some(format!("{redis}/3"));
        let one = Yard::with(host_on(folder.path(), Some(url.expose().to_owned()), redis.clone()).await, &["A-1", "A-2"]).await;
        let other = Yard::beside(host_on(folder.path(), Some(url.expose().to_owned()), redis).await).await;
        let (mut here, mut there) = (connected(&other, &one).await, connected(&one, &other).await);
        let ids: Vec<i64> = one.walk().await.iter().map(|vehicle| vehicle.id).collect();
        let begun = std::time::Instant::now();
        one.save(Role::Operator, status(ids[0], VehicleStatus::Ng)).await.unwrap();
        let changed = next(&mut there, |event| vehicles(event).filter(|changed| !changed.vehicles.is_empty())).await;
        assert!(begun.elapsed() < patio_testing::patience(Duration::from_secs(2)), "{:?}", begun.elapsed());
        assert_eq!((changed.vehicles[0].id, changed.by), (ids[0], Some(4)));
        assert_eq!(next(&mut here, vehicles).await.vehicles, changed.vehicles);
        other.save(Role::Operator, status(ids[1], VehicleStatus::Ok)).await.unwrap();
        assert_eq!(next(&mut here, vehicles).await.vehicles[0].id, ids[1], "events also travel in the other direction");
        assert_eq!(other.paces().await[0].people[0].saves, Some(2), "a pace includes the saves at both replicas");
    })
    .await;
}

/// With Redis configured but unavailable, changes of the other replica are found by polling and published once.
#[tokio::test]
async fn without_redis_changes_of_other_replicas_are_found_by_polling_the_database() {
    each_database(async |host| {
        let Some(url) = host.settings.database_url.clone() else { return }; // SQLite has one process
        let folder = tempfile::tempdir().unwrap();
        let away = Some("redis://127.0.0.1:1".to_owned());
        let one = Yard::with(host_on(folder.path(), Some(url.expose().to_owned()), away.clone()).await, &["A-1"]).await;
        let other = Yard::beside(host_on(folder.path(), Some(url.expose().to_owned()), away).await).await;
        let (mut here, mut there) = (one.watch(5, Role::Operator, None).await, other.watch(5, Role::Operator, None).await);
        one.save(Role::Operator, status(one.walk().await[0].id, VehicleStatus::Ng)).await.unwrap();
        let own = next(&mut here, |event| vehicles(event).filter(|changed| !changed.vehicles.is_empty())).await;
        let found = next(&mut there, |event| vehicles(event).filter(|changed| changed.revision >= own.revision)).await;
        assert!(found.vehicles.is_empty(), "a polled change has no rows");
        let again = tokio::time::timeout(Duration::from_secs(5), next(&mut there, vehicles)).await;
        assert!(again.is_err(), "the change was published twice: {again:?}");
        let again = tokio::time::timeout(Duration::from_millis(100), next(&mut here, vehicles)).await;
        assert!(again.is_err(), "the replica that wrote it publishes it only once: {again:?}");
    })
    .await;
}

/// The caller disconnects between commit and response; the save is still published.
#[tokio::test]
async fn a_save_is_published_even_if_its_caller_disconnects() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..40).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let mut stream = yard.watch(5, Role::Operator, None).await;
        for (number, vehicle) in yard.walk().await.iter().enumerate() {
            let cut = Duration::from_micros(100 * u64::try_from(number).unwrap());
            let _ = tokio::time::timeout(cut, yard.save(Role::Operator, status(vehicle.id, VehicleStatus::Ok))).await;
        }
        let mut published = std::collections::BTreeSet::new();
        let saved = async || yard.walk().await.iter().filter(|vehicle| vehicle.inspected).map(|vehicle| vehicle.id).collect();
        loop {
            let there: std::collections::BTreeSet<i64> = saved().await;
            if there == published && published.len() > 1 {
                break;
            }
            let changed = next(&mut stream, vehicles).await;
            assert!(!changed.vehicles.is_empty(), "the event was published at once, not found by polling");
            published.extend(changed.vehicles.iter().map(|row| row.id));
        }
    })
    .await;
}
