//! Group commit of concurrent saves: each save succeeds or fails by itself, on both databases.
use crate::yard::{CAMPAIGN, Yard, status};
use futures::future::join_all;
use patio_kit::{
    db::Engine,
    errors::{ErrorReason, reason},
};
use patio_proto::{
    access::Role,
    campaign::Milestone,
    vehicle::{self as pb, VehicleStatus},
};
use patio_testing::{LONG_CALL_TIMEOUT, each_database};
use sqlx::Connection;
use std::{collections::BTreeSet, time::Duration};

fn spaces(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("{}-{n}", ["A", "B", "C"][n % 3])).collect()
}

async fn yard(host: patio_kit::service_host::ServiceHost, count: usize) -> (Yard, Vec<pb::Vehicle>) {
    let all = spaces(count);
    let yard = Yard::with(host, &all.iter().map(String::as_str).collect::<Vec<_>>()).await;
    let walk = yard.walk().await;
    (yard, walk)
}

#[tokio::test]
async fn concurrent_saves_are_each_counted_published_and_numbered_once() {
    each_database(async |host| {
        let (yard, walk) = yard(host, 120).await;
        let begun = yard.changes(0).await.revision;
        let saves = walk[..100].iter().map(|v| {
            let notes = Some(format!("of {}", v.id));
            let key = format!("key {}", v.id);
            let save = pb::SaveVehicleRequest { operator_notes: notes, idempotency_key: key, ..status(v.id, VehicleStatus::Ok) };
            yard.save(Role::Operator, save)
        });
        let saved: Vec<_> = join_all(saves).await.into_iter().map(Result::unwrap).collect();
        let mine: BTreeSet<i64> = saved.iter().map(|v| v.id).collect();
        for vehicle in &saved {
            assert_eq!((vehicle.version, vehicle.operator_notes.clone()), (2, format!("of {}", vehicle.id)));
            assert_ne!(vehicle.next, Some(vehicle.id), "a vehicle that was just saved is not the next one");
        }
        assert!(saved.iter().any(|v| v.next.is_some_and(|next| !mine.contains(&next))), "some replies name a remaining vehicle as next");
        yard.counters_equal_the_rows().await;
        let changes = yard.changes(begun).await;
        assert_eq!(changes.revision, begun + 100, "every save takes one revision");
        assert_eq!(changes.vehicles.iter().map(|v| v.id).collect::<BTreeSet<_>>(), mine);
        let ask = patio_proto::audit::ListEventsRequest { limit: 200, ..Default::default() };
        let mut audit = patio_proto::audit::audit_service_client::AuditServiceClient::new(yard.host.channels.vehicle.clone());
        let events = audit.list_events(yard.person(1, Role::Admin).grpc_request(ask)).await.unwrap().into_inner().events;
        let subjects: Vec<_> = events.iter().filter(|event| event.kind == "vehicle-changed").map(|event| event.subject.clone()).collect();
        assert_eq!((subjects.len(), subjects.iter().collect::<BTreeSet<_>>().len()), (100, 100));
        yard.wait_for_milestone(Milestone::Begun).await;
        let reported: Vec<_> = yard.milestones.lock().unwrap().iter().map(|report| (report.milestone(), report.revision)).collect();
        assert!(
            !reported.is_empty() && reported.iter().all(|report| *report == (Milestone::Begun, reported[0].1)),
            "work begins once: {reported:?}"
        );
        let rest = walk[100..].iter().map(|v| yard.save(Role::Operator, status(v.id, VehicleStatus::Ng)));
        assert!(join_all(rest).await.iter().all(Result::is_ok));
        yard.wait_for_milestone(Milestone::Complete).await;
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_rejected_save_does_not_affect_others_in_its_group() {
    each_database(async |host| {
        let (yard, walk) = yard(host, 60).await;
        assert_eq!(walk[0].serial_number, "000001", "the save of this vehicle is rejected, so its identifier stays taken");
        let saves = walk.iter().enumerate().map(|(n, v)| {
            let bare = status(v.id, VehicleStatus::Ok);
            let (role, save) = match n % 6 {
                0 => (Role::Operator, pb::SaveVehicleRequest { if_version: Some(9), ..bare }),
                1 => (Role::Operator, pb::SaveVehicleRequest { parking_space: Some("D-1".into()), ..bare }),
                2 => (Role::Admin, pb::SaveVehicleRequest { vin_number: Some("HB20 000001".into()), ..bare }),
                3 => (Role::Operator, pb::SaveVehicleRequest { id: v.id + 1_000_000, ..bare }),
                4 => (Role::Admin, pb::SaveVehicleRequest { vin_number: Some(format!("HB20 9{n:05}")), ..bare }),
                _ => (Role::Operator, bare),
            };
            yard.save(role, save)
        });
        for (n, outcome) in join_all(saves).await.into_iter().enumerate() {
            let expected = match n % 6 {
                0 => Some(ErrorReason::StaleVersion),
                1 => Some(ErrorReason::FieldNotAllowed),
                2 => Some(ErrorReason::VinTaken),
                3 => Some(ErrorReason::NoVehicle),
                _ => None,
            };
            assert_eq!(outcome.as_ref().err().and_then(reason), expected, "{n}: {outcome:?}");
        }
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn concurrent_saves_of_one_vehicle_are_written_one_after_another() {
    each_database(async |host| {
        let (yard, walk) = yard(host, 3).await;
        let saves = (0..30).map(|n| {
            let notes = Some(format!("note {n}"));
            yard.save(Role::Operator, pb::SaveVehicleRequest { operator_notes: notes, ..status(walk[n % 3].id, VehicleStatus::Ok) })
        });
        let saved: Vec<_> = join_all(saves).await.into_iter().map(Result::unwrap).collect();
        for vehicle in &walk {
            let versions: BTreeSet<i64> = saved.iter().filter(|v| v.id == vehicle.id).map(|v| v.version).collect();
            assert_eq!(versions, (2..12).collect(), "each of ten saves of one vehicle has a version of its own");
        }
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn next_stays_in_the_requested_yard_and_wraps_around() {
    each_database(async |host| {
        let (yard, walk) = yard(host, 30).await;
        let of = |yard: i32| walk.iter().filter(move |v| v.id_yard == Some(yard)).collect::<Vec<_>>();
        let all: BTreeSet<i32> = walk.iter().filter_map(|v| v.id_yard).collect();
        let lasts: Vec<(i32, i64, i64)> = all.iter().map(|yard| (*yard, of(*yard)[0].id, of(*yard).last().unwrap().id)).collect();
        assert_eq!(lasts.len(), 3);
        let saves = lasts.iter().map(|(in_yard, _, last)| {
            yard.save(Role::Operator, pb::SaveVehicleRequest { yard: Some(*in_yard), ..status(*last, VehicleStatus::Ok) })
        });
        let saved: Vec<_> = join_all(saves).await.into_iter().map(Result::unwrap).collect();
        for (vehicle, (_, first, _)) in saved.iter().zip(&lasts) {
            assert_eq!(vehicle.next, Some(*first), "the last vehicle of a yard leads to its first");
        }
    })
    .await;
}

#[tokio::test]
async fn saves_and_bulk_changes_across_campaigns_do_not_deadlock() {
    each_database(async |host| {
        let (yard, walk) = yard(host, 180).await;
        yard.import(8, &spaces(180).iter().map(String::as_str).collect::<Vec<_>>()).await.unwrap();
        yard.open(8, "Recall B", 1).await;
        let first = walk.iter().map(|v| v.id).min().unwrap();
        let vins: Vec<_> = (1..=30).step_by(3).map(|n| format!("HB20 {n:06}")).collect();
        for round in 0..12 {
            // The bulk change updates yard A in both campaigns; the saves update yard B in the first and A in the second.
            let action = [pb::StatusAction::Insert, pb::StatusAction::Remove][usize::try_from(round % 2).unwrap()].into();
            let ask = pb::BulkStatusRequest { vins: vins.clone(), action, status: VehicleStatus::Ng.into(), ..Default::default() };
            let mut bulk = yard.bulk();
            let change = bulk.bulk_status(yard.long_request(5, Role::Manager, ask));
            let saves = (0..4).map(|n| 30 + round * 12 + n * 3).flat_map(|n| [first + n + 1, first + 180 + n]);
            let saves = saves.map(|id| yard.save(Role::Operator, status(id, VehicleStatus::Ok)));
            let (changed, saved) = tokio::join!(change, join_all(saves));
            changed.unwrap();
            assert!(saved.iter().all(Result::is_ok), "{saved:?}");
        }
        yard.counters_equal_the_rows().await;
        let db = yard.host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        if let Engine::Postgres(pool) = db.read_pool() {
            tokio::time::sleep(Duration::from_millis(1200)).await; // PostgreSQL updates its statistics when connections are idle
            let deadlocks = "select deadlocks from pg_stat_database where datname = current_database()";
            assert_eq!(sqlx::query_scalar::<_, i64>(deadlocks).fetch_one(pool).await.unwrap(), 0, "locks are taken in one order");
        }
    })
    .await;
}

#[tokio::test]
async fn a_preview_takes_no_locks_and_a_campaign_closes_after_a_running_bulk_change() {
    each_database(async |host| {
        let (yard, walk) = yard(host, 30).await;
        let db = yard.host.open_database(vehicle_svc::SCHEMA).await.unwrap();
        let Engine::Postgres(pool) = db.read_pool() else { return };
        let mut held = pool.acquire().await.unwrap();
        let mut saving = held.begin().await.unwrap();
        sqlx::query("select id from vehicles where id = $1 for update").bind(walk[0].id).execute(&mut *saving).await.unwrap();
        let vins: Vec<_> = (1..=30).map(|n| format!("HB20 {n:06}")).collect();
        let ask = pb::BulkStatusRequest {
            vins,
            action: pb::StatusAction::Insert.into(),
            status: VehicleStatus::Ng.into(),
            dry_run: true,
            ..Default::default()
        };
        let (mut asking, mut changing) = (yard.bulk(), yard.bulk());
        let preview = asking.bulk_status(yard.long_request(5, Role::Manager, ask.clone()));
        let preview = tokio::time::timeout(LONG_CALL_TIMEOUT, preview).await.unwrap().unwrap().into_inner();
        assert_eq!((preview.updated, preview.preview.len()), (30, 20));
        let change = changing.bulk_status(yard.long_request(5, Role::Manager, pb::BulkStatusRequest { dry_run: false, ..ask }));
        let close = async {
            let blocked = "select count(*) from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))";
            let waits = async {
                while sqlx::query_scalar::<_, i64>(blocked).fetch_one(&mut *saving).await.unwrap() == 0 {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), waits).await.expect("the bulk change waits for the locked vehicle");
            let mut close = std::pin::pin!(yard.gate(CAMPAIGN, "Recall A", pb::Gate::Closed, 2));
            let early = tokio::time::timeout(Duration::from_millis(300), &mut close).await;
            assert!(early.is_err(), "the campaign closed during the bulk change");
            saving.commit().await.unwrap();
            close.await;
        };
        let (changed, ()) = tokio::join!(change, close);
        assert_eq!(changed.unwrap().into_inner().updated, 30);
        yard.counters_equal_the_rows().await;
    })
    .await;
}
