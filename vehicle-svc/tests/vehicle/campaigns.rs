//! Vehicles of whole campaigns on both databases: imports, removal, lists, yards and bulk changes.

use crate::yard::{CAMPAIGN, Yard, status};
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    common::Page,
    vehicle::{self as pb, StatusAction, VehicleStatus},
};
use patio_testing::each_database;

#[tokio::test]
async fn a_draft_is_invisible_until_it_is_opened() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        assert_eq!(yard.import(8, &["B-1", "B-2"]).await.unwrap(), 2);
        let ask = pb::ListVehiclesRequest { campaign_id: 8, ..Default::default() };
        let refused = yard.vehicles().list_vehicles(yard.person(4, Role::Admin).grpc_request(ask.clone())).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::NoCampaign));
        assert!(yard.counts("", Role::Admin).await.is_empty());
        yard.open(8, "Recall C", 1).await;
        let seen = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
        assert_eq!((seen.meta.unwrap().total_count, seen.campaign_name.as_str()), (2, "Recall C"));
        let again = yard.import(8, &["B-3"]).await.unwrap_err();
        assert_eq!(reason(&again), Some(ErrorReason::NoCampaign), "an open campaign takes no import");
    })
    .await;
}

#[tokio::test]
async fn removing_a_campaign_deletes_its_counters_and_rejects_a_late_import() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "B-1", "C-1"]).await;
        let id = yard.walk().await[0].id;
        for removed in [3, 0] {
            let ask = pb::RemoveCampaignRequest { campaign_id: CAMPAIGN };
            let reply = yard.fleet().remove_campaign(yard.service().grpc_request(ask)).await.unwrap().into_inner();
            assert_eq!(reply.removed, removed);
        }
        assert_eq!(reason(&yard.save(Role::Admin, status(id, VehicleStatus::Ok)).await.unwrap_err()), Some(ErrorReason::NoVehicle));
        assert!(yard.counts("Recall A", Role::Admin).await.is_empty());
        assert_eq!(reason(&yard.import(CAMPAIGN, &["A-1"]).await.unwrap_err()), Some(ErrorReason::NoCampaign));
        yard.open(CAMPAIGN, "Risen", 99).await;
        assert!(yard.counts("Risen", Role::Admin).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_import_with_a_duplicate_vehicle_names_it() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let twin = |serial: &str| pb::NewVehicle { model_code: "I30".into(), serial_number: serial.into(), parking_space: "A-1".into() };
        let chunks = [&["0008", "0009"][..], &["000-9"]].map(|serials| pb::ImportVehiclesRequest {
            campaign_id: 9,
            vehicles: serials.iter().map(|serial| twin(serial)).collect(),
            source: String::new(),
        });
        let request = yard.service_for(3, Role::Manager).grpc_request(tokio_stream::iter(chunks));
        let refused = yard.fleet().import_vehicles(request).await.unwrap_err();
        assert!(reason(&refused) == Some(ErrorReason::VinTaken) && refused.message().contains("I30 000-9"), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn an_import_of_several_chunks_is_complete_and_rejects_duplicates_across_chunks() {
    each_database(async |host| {
        let yard = Yard::beside(host).await;
        let spaces: Vec<String> = (0..11_234).map(|n| format!("{}-{n}", ['A', 'B', 'C'][n % 3])).collect();
        let spaces: Vec<&str> = spaces.iter().map(String::as_str).collect();
        assert_eq!(yard.import(8, &spaces).await.unwrap(), 11_234);
        let again = yard.import(8, &spaces[..6_000]).await.unwrap_err();
        assert!(reason(&again) == Some(ErrorReason::VinTaken) && again.message().contains("HB20 00"), "{again:?}");
        yard.open(8, "Recall C", 1).await;
        let ask = pb::ListVehiclesRequest { campaign_id: 8, ..Default::default() };
        let seen = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
        assert_eq!(seen.meta.unwrap().total_count, 11_234, "each vehicle counts once, and the second attempt stored nothing");
    })
    .await;
}

#[tokio::test]
async fn the_full_list_streams_every_vehicle_once_in_walking_order() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..2_500).map(|n| format!("{}-{}", ['A', 'B', 'C'][n % 3], n)).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let ask = pb::ListAllVehiclesRequest { campaign_id: CAMPAIGN, known: None };
        let mut stream = yard.vehicles().list_all_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
        let mut rows = Vec::new();
        while let Some(chunk) = stream.message().await.unwrap() {
            rows.extend(chunk.vehicles);
        }
        let keys: Vec<_> = rows.iter().map(|row| (patio_proto::walking_order::sort_key(&row.parking_space), row.id)).collect();
        assert!(keys.len() == 2_500 && keys.is_sorted());
        assert_eq!(rows[0].vin_number, "HB20 000001");
    })
    .await;
}

#[tokio::test]
async fn search_matches_contained_text_and_treats_wildcards_literally() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-10", "Z_9", "%-5"]).await;
        for (search, found) in [("hb20 00", 4), ("a-1", 2), ("_", 1), ("%", 1), ("\\", 0), ("'; drop", 0), ("", 4)] {
            let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, search: search.into(), ..Default::default() };
            let reply = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
            assert_eq!((reply.vehicles.len(), reply.meta.unwrap().total_count), (found, found as i64), "{search}");
        }
        let page = Page { index: 1, size: 3 };
        let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, page: Some(page), yard: Some(2), ..Default::default() };
        let reply = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
        assert_eq!((reply.vehicles.len(), reply.meta.unwrap().total_count), (0, 2), "yard A has two, both on the first page");
    })
    .await;
}

#[tokio::test]
async fn there_are_28_yards_and_operators_do_not_see_the_yard_named_dash() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "- 3", "0-7", "7-7"]).await;
        for (role, yards, dash) in [(Role::Operator, 27, false), (Role::Manager, 28, true)] {
            let page = Some(Page { index: 0, size: 200 });
            let ask = pb::ListYardsRequest { page, search: String::new() };
            let reply = yard.yards().list_yards(yard.person(4, role).grpc_request(ask)).await.unwrap().into_inner();
            assert_eq!(reply.meta.unwrap().total_count, yards);
            assert_eq!(reply.yards.iter().any(|y| y.name == "-"), dash);
            assert_eq!(yard.counts("Recall A", role).await.iter().any(|(name, ..)| name == "-"), dash);
        }
        assert_eq!(yard.progress().await.total_vehicles, 4, "a space without a yard counts in the campaign");
    })
    .await;
}

#[tokio::test]
async fn bulk_insert_and_remove_match_their_dry_run() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "B-1"]).await;
        let vins: Vec<String> = ["hb20 000001", "HB20\t000002", "HB20 000009", "HB20 000001"].map(str::to_owned).to_vec();
        let mut ask = pb::BulkStatusRequest {
            vins,
            action: StatusAction::Insert.into(),
            status: VehicleStatus::Ok.into(),
            dry_run: true,
            ..Default::default()
        };
        for (dry_run, inspected) in [(true, 0), (false, 2)] {
            ask.dry_run = dry_run;
            let reply = yard.bulk().bulk_status(yard.long_request(5, Role::Manager, ask.clone())).await.unwrap().into_inner();
            assert_eq!((reply.matched, reply.updated, reply.not_found), (2, 2, vec!["HB20 000009".to_owned()]));
            assert_eq!(yard.progress().await.total_inspected, inspected);
            let shown: Vec<_> = reply.preview.iter().map(|one| (one.line, one.vin_number.as_str(), one.changes[0].old.as_str())).collect();
            assert_eq!(shown, if dry_run { vec![(2, "HB20 000002", ""), (4, "HB20 000001", "")] } else { vec![] });
        }
        let again = yard.bulk().bulk_status(yard.long_request(5, Role::Manager, ask.clone())).await.unwrap().into_inner();
        assert_eq!((again.updated, again.skipped.len()), (0, 2));
        ask.status = VehicleStatus::Repair.into();
        yard.bulk().bulk_status(yard.long_request(5, Role::Manager, ask.clone())).await.unwrap();
        assert_eq!(yard.progress().await.total_inspected, 0, "Repair is not inspected in bulk");
        ask.action = StatusAction::Remove.into();
        let removed = yard.bulk().bulk_status(yard.long_request(5, Role::Manager, ask.clone())).await.unwrap().into_inner();
        assert_eq!((removed.updated, yard.walk().await.iter().filter(|v| v.status != 0).count()), (2, 0));
        yard.counters_equal_the_rows().await;
        let refused = yard.bulk().bulk_status(yard.long_request(4, Role::Operator, ask)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::NotAllowed));
    })
    .await;
}

const KEPT: [&str; 1] = ["One vehicle keeps its supervisor notes. Only a supervisor can clear them."];

#[tokio::test]
async fn removing_a_status_as_team_leader_keeps_the_supervisor_notes() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let id = yard.walk().await[0].id;
        let save =
            pb::SaveVehicleRequest { admin_notes: Some("keep".into()), operator_notes: Some("go".into()), ..status(id, VehicleStatus::Ng) };
        yard.save(Role::Admin, save).await.unwrap();
        let ask = pb::BulkStatusRequest { vins: vec!["HB20 000001".into()], action: StatusAction::Remove.into(), ..Default::default() };
        for (role, dry_run, said) in
            [(Role::Admin, true, vec![]), (Role::Manager, true, KEPT.to_vec()), (Role::Manager, false, KEPT.to_vec())]
        {
            let ask = pb::BulkStatusRequest { dry_run, ..ask.clone() };
            let reply = yard.bulk().bulk_status(yard.long_request(5, role, ask)).await.unwrap().into_inner();
            assert_eq!((reply.updated, reply.warnings), (1, said.into_iter().map(str::to_owned).collect()), "{role:?} {dry_run}");
        }
        let after = yard.vehicle(id).await;
        assert_eq!((after.admin_notes.as_str(), after.operator_notes.as_str(), after.inspected), ("keep", "", false));
    })
    .await;
}

#[tokio::test]
async fn bulk_moves_take_vehicles_to_their_new_yards() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "B-1"]).await;
        let new = |vin: &str, space: &str| pb::ParkingSpaceChange { vin: vin.into(), parking_space: space.into() };
        let rows = vec![new("HB20 000001", "C-1"), new("HB20 000002", "A-2"), new("HB20 000003", "9-9"), new("X 1", "A-1")];
        let ask = pb::BulkParkingSpaceRequest { rows, ..Default::default() };
        let reply = yard.bulk().bulk_parking_space(yard.long_request(5, Role::Manager, ask)).await.unwrap().into_inner();
        assert_eq!((reply.matched, reply.updated, reply.skipped.len(), reply.not_found.len()), (3, 2, 1, 1));
        let walk = yard.walk().await;
        let yards: Vec<_> = walk.iter().map(|v| (v.parking_space.as_str(), v.id_yard)).collect();
        assert_eq!(yards, [("9-9", None), ("A-2", Some(2)), ("C-1", Some(11))]);
        yard.counters_equal_the_rows().await;
    })
    .await;
}
