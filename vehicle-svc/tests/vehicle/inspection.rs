//! Saves of inspections on both databases: rules, optimistic concurrency and idempotency.

use crate::yard::{CAMPAIGN, Yard, status};
use patio_kit::errors::{self, ErrorReason, reason};
use patio_proto::{
    access::Role,
    campaign::Milestone,
    vehicle::{self as pb, Gate, VehicleStatus},
};
use patio_testing::each_database;
use std::time::{Duration, Instant};

#[tokio::test]
async fn the_next_vehicle_follows_walking_order_and_wraps_around() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-10", "A-2", "B-1", "- 3", "0-7"]).await;
        let walk = yard.walk().await;
        let spaces: Vec<_> = walk.iter().map(|v| v.parking_space.as_str()).collect();
        assert_eq!(spaces, ["- 3", "0-7", "A-2", "A-10", "B-1"]);
        assert_eq!(yard.vehicle(walk[2].id).await.next, Some(walk[3].id));
        assert_eq!(yard.vehicle(walk[4].id).await.next, Some(walk[0].id), "wraps round");
        let saved = yard.save(Role::Operator, status(walk[3].id, VehicleStatus::Ok)).await.unwrap();
        assert_eq!(saved.next, Some(walk[4].id));
        assert_eq!(yard.vehicle(walk[2].id).await.next, Some(walk[4].id), "an inspected vehicle is skipped");
        let ask = pb::GetVehicleRequest { id: walk[2].id, yard: Some(2) };
        let in_yard = yard.vehicles().get_vehicle(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
        assert_eq!(in_yard.next, None, "no other vehicle is left in yard A, and a vehicle is never its own next");
    })
    .await;
}

#[tokio::test]
async fn a_save_marks_the_vehicle_as_inspected_updates_counters_and_is_audited_once() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "B-1"]).await;
        let walk = yard.walk().await;
        let save = pb::SaveVehicleRequest { operator_notes: Some("scratch\nleft".into()), ..status(walk[0].id, VehicleStatus::Ng) };
        let saved = yard.save(Role::Operator, save).await.unwrap();
        assert_eq!((saved.status(), saved.inspected, saved.version, saved.modified_by), (VehicleStatus::Ng, true, 2, Some(4)));
        assert_eq!(yard.counts("Recall A", Role::Operator).await, [("A".to_owned(), 2, 1), ("B".to_owned(), 1, 0)]);
        yard.counters_equal_the_rows().await;
        let ask = patio_proto::audit::ListEventsRequest { limit: 10, ..Default::default() };
        let mut audit = patio_proto::audit::audit_service_client::AuditServiceClient::new(yard.host.channels.vehicle.clone());
        let events = audit.list_events(yard.person(1, Role::Admin).grpc_request(ask.clone())).await.unwrap().into_inner().events;
        let events: Vec<_> = events.into_iter().filter(|event| event.kind != "service-step").collect();
        assert_eq!(events.len(), 1);
        assert!(events[0].new_values.contains("scratch\\nleft") && events[0].user_id == Some(4), "{events:?}");
        let refused = audit.list_events(yard.person(5, Role::Admin).grpc_request(ask)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::NotAllowed), "the audit log is for the developer account alone");
    })
    .await;
}

#[tokio::test]
async fn a_save_of_a_stale_version_is_rejected_and_changes_nothing() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let id = yard.walk().await[0].id;
        yard.save(Role::Operator, pb::SaveVehicleRequest { if_version: Some(1), ..status(id, VehicleStatus::Ok) }).await.unwrap();
        let late = pb::SaveVehicleRequest { if_version: Some(1), ..status(id, VehicleStatus::Repair) };
        let refused = yard.save(Role::Operator, late).await.unwrap_err();
        assert_eq!((reason(&refused), yard.vehicle(id).await.status()), (Some(ErrorReason::StaleVersion), VehicleStatus::Ok));
    })
    .await;
}

#[tokio::test]
async fn a_save_with_a_different_seen_identifier_is_rejected_and_changes_nothing() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let walk = yard.walk().await;
        let vin_of = async |id| {
            let vehicle = yard.vehicle(id).await;
            format!("{} {}", vehicle.model_code, vehicle.serial_number)
        };
        let (id, vin) = (walk[0].id, vin_of(walk[0].id).await);
        let seen = |vin: &str| pb::SaveVehicleRequest { seen_vin_number: Some(vin.to_owned()), ..status(id, VehicleStatus::Ok) };
        let other = vin_of(walk[1].id).await;
        let refused = yard.save(Role::Admin, seen(&other)).await.unwrap_err();
        assert_eq!((reason(&refused), errors::status_value(&refused, "vin_number")), (Some(ErrorReason::OtherVehicle), Some(vin.clone())));
        assert_eq!(yard.vehicle(id).await.version, 1);
        assert_eq!(reason(&yard.save(Role::Operator, seen("")).await.unwrap_err()), Some(ErrorReason::BadRequest));
        // Case and blanks of the seen VIN do not matter.
        let written = vin.to_lowercase().replace(' ', "  ");
        yard.save(Role::Operator, seen(&written)).await.unwrap();
        assert_eq!(yard.vehicle(id).await.status(), VehicleStatus::Ok);
        // A supervisor who corrects a VIN sends the previous one as seen.
        let corrected = pb::SaveVehicleRequest { vin_number: Some("HB20 999999".into()), ..seen(&vin) };
        yard.save(Role::Admin, corrected).await.unwrap();
        assert_eq!(reason(&yard.save(Role::Operator, seen(&vin)).await.unwrap_err()), Some(ErrorReason::OtherVehicle));
    })
    .await;
}

#[tokio::test]
async fn of_fifty_concurrent_saves_of_one_version_exactly_one_succeeds() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let saves = (0..50).map(|n| {
            let notes = Some(format!("by {n}"));
            yard.save(
                Role::Operator,
                pb::SaveVehicleRequest { if_version: Some(1), operator_notes: notes, ..status(id, VehicleStatus::Ok) },
            )
        });
        let outcomes = futures::future::join_all(saves).await;
        let (won, lost): (Vec<_>, Vec<_>) = outcomes.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 49));
        assert!(lost.iter().all(|refused| reason(refused.as_ref().unwrap_err()) == Some(ErrorReason::StaleVersion)));
        assert_eq!(yard.vehicle(id).await.operator_notes, won[0].as_ref().unwrap().operator_notes);
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn concurrent_saves_of_different_vehicles_of_one_campaign_all_succeed() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..40).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let walk = yard.walk().await;
        let saves = walk.iter().map(|vehicle| yard.save(Role::Operator, status(vehicle.id, VehicleStatus::Ok)));
        let refused: Vec<_> = futures::future::join_all(saves).await.into_iter().filter_map(Result::err).collect();
        assert!(refused.is_empty(), "{refused:?}");
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_repeated_save_is_written_once_and_its_idempotency_key_cannot_be_reused() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let walk = yard.walk().await;
        let save = pb::SaveVehicleRequest { idempotency_key: "k1".into(), if_version: Some(1), ..status(walk[0].id, VehicleStatus::Ok) };
        let twice = futures::future::join_all((0..8).map(|_| yard.save(Role::Operator, save.clone()))).await;
        assert!(twice.iter().all(|answer| answer.as_ref().is_ok_and(|v| v.version == 2)), "{twice:?}");
        let other = pb::SaveVehicleRequest { idempotency_key: "k1".into(), ..status(walk[1].id, VehicleStatus::Ok) };
        assert_eq!(reason(&yard.save(Role::Operator, other).await.unwrap_err()), Some(ErrorReason::KeyReused));
    })
    .await;
}

#[tokio::test]
async fn only_supervisors_change_vin_space_and_supervisor_notes() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let walk = yard.walk().await;
        let (id, bare) = (walk[0].id, pb::SaveVehicleRequest { id: walk[0].id, ..Default::default() });
        let forbidden = [
            pb::SaveVehicleRequest { vin_number: Some("HB20 999999".into()), ..bare.clone() },
            pb::SaveVehicleRequest { parking_space: Some("B-9".into()), ..bare.clone() },
            pb::SaveVehicleRequest { admin_notes: Some("x".into()), ..bare.clone() },
        ];
        for save in &forbidden {
            for role in [Role::Operator, Role::Manager] {
                let with_more = pb::SaveVehicleRequest { operator_notes: Some("kept?".into()), ..save.clone() };
                assert_eq!(reason(&yard.save(role, with_more).await.unwrap_err()), Some(ErrorReason::FieldNotAllowed));
            }
        }
        assert_eq!((yard.vehicle(id).await.version, yard.vehicle(id).await.operator_notes), (1, String::new()), "nothing is saved");
        let same = pb::SaveVehicleRequest {
            vin_number: Some("HB20 000001".into()),
            parking_space: Some("A-1".into()),
            admin_notes: Some(String::new()),
            ..bare.clone()
        };
        yard.save(Role::Operator, same).await.unwrap();
        for save in forbidden {
            yard.save(Role::Admin, save).await.unwrap();
        }
        let after = yard.vehicle(id).await;
        assert_eq!(
            (after.serial_number.as_str(), after.id_yard, after.yard_group.as_str(), after.admin_notes.as_str()),
            ("999999", Some(4), "B", "x")
        );
        yard.counters_equal_the_rows().await;
        let odd = pb::SaveVehicleRequest { parking_space: Some("7-1".into()), ..bare.clone() };
        assert_eq!(yard.save(Role::Admin, odd).await.unwrap().id_yard, Some(4), "an unknown letter leaves the yard as it was");
        let taken = pb::SaveVehicleRequest { vin_number: Some("HB20 00-0002".into()), ..bare };
        assert_eq!(reason(&yard.save(Role::Admin, taken).await.unwrap_err()), Some(ErrorReason::VinTaken));
    })
    .await;
}

#[tokio::test]
async fn operators_make_only_the_allowed_status_changes() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        for (to, allowed) in [
            (VehicleStatus::Repair, false),
            (VehicleStatus::GateOut, false),
            (VehicleStatus::Ng, true),
            (VehicleStatus::Ok, false),
            (VehicleStatus::RepairOk, false),
            (VehicleStatus::Repair, true),
            (VehicleStatus::RepairOk, true),
            (VehicleStatus::Unspecified, false),
        ] {
            let outcome = yard.save(Role::Operator, status(id, to)).await;
            assert_eq!(outcome.is_ok(), allowed, "{to:?}");
            if let Err(refused) = outcome {
                assert_eq!(reason(&refused), Some(ErrorReason::StatusNotAllowed));
            }
        }
        yard.save(Role::Admin, status(id, VehicleStatus::SOffBl)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn malformed_saves_name_the_field() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let bare = pb::SaveVehicleRequest { id, ..Default::default() };
        for (save, field) in [
            (pb::SaveVehicleRequest { vin_number: Some("ONE".into()), ..bare.clone() }, "vin_number"),
            (pb::SaveVehicleRequest { operator_notes: Some("a\u{0}b".into()), ..bare.clone() }, "operator_notes"),
            (pb::SaveVehicleRequest { admin_notes: Some("n".repeat(4001)), ..bare.clone() }, "admin_notes"),
            (pb::SaveVehicleRequest { parking_space: Some("A".repeat(41)), ..bare.clone() }, "parking_space"),
        ] {
            let refused = yard.save(Role::Admin, save).await.unwrap_err();
            assert!(reason(&refused) == Some(ErrorReason::BadRequest) && refused.message().starts_with(field), "{refused:?}");
        }
        let nobody = yard.save(Role::Operator, status(999, VehicleStatus::Ok)).await.unwrap_err();
        assert_eq!(reason(&nobody), Some(ErrorReason::NoVehicle));
    })
    .await;
}

#[tokio::test]
async fn a_closed_campaign_accepts_no_saves_and_an_outdated_gate_message_is_ignored() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        yard.gate(CAMPAIGN, "Recall A", Gate::Closed, 3).await;
        yard.gate(CAMPAIGN, "Recall A", Gate::Open, 2).await;
        assert_eq!(reason(&yard.save(Role::Admin, status(id, VehicleStatus::Ok)).await.unwrap_err()), Some(ErrorReason::CampaignClosed));
        yard.gate(CAMPAIGN, "Recall B", Gate::Open, 4).await;
        assert_eq!(yard.save(Role::Operator, status(id, VehicleStatus::Ok)).await.unwrap().campaign_name, "Recall B");
    })
    .await;
}

#[tokio::test]
async fn campaign_svc_receives_the_begun_and_complete_milestones_before_the_response() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        for (vehicle, milestone) in yard.walk().await.iter().zip([Milestone::Begun, Milestone::Complete]) {
            let begun = Instant::now();
            yard.save(Role::Operator, status(vehicle.id, VehicleStatus::Ok)).await.unwrap();
            // A response waits at most 300 ms for the delivery of the milestone.
            if begun.elapsed() >= Duration::from_millis(300) {
                yard.wait_for_milestone(milestone).await;
            }
        }
        let reported: Vec<_> = yard.milestones.lock().unwrap().iter().map(|report| (report.campaign_id, report.milestone())).collect();
        assert_eq!(reported, [(CAMPAIGN, Milestone::Begun), (CAMPAIGN, Milestone::Complete)]);
        let cached = yard.host.cache.get(&patio_kit::campaign_progress_cache::campaign_progress_cache_key(CAMPAIGN)).await.unwrap();
        assert_eq!((cached.total, cached.inspected, cached.next_known), (2, 2, false));
    })
    .await;
}

#[tokio::test]
async fn a_save_that_names_another_campaign_is_rejected_and_changes_nothing() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let named = |campaign| pb::SaveVehicleRequest { campaign_id: Some(campaign), ..status(id, VehicleStatus::Ok) };
        for role in [Role::Operator, Role::Admin] {
            let refused = yard.save(role, named(CAMPAIGN + 1)).await.unwrap_err();
            assert_eq!(reason(&refused), Some(ErrorReason::FieldNotAllowed), "{role:?}");
        }
        assert_eq!(yard.vehicle(id).await.version, 1);
        assert_eq!(yard.save(Role::Operator, named(CAMPAIGN)).await.unwrap().status(), VehicleStatus::Ok);
    })
    .await;
}
