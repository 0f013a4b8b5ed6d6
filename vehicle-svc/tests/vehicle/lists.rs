//! Lists and searches during changes of their vehicles, on both databases.
use crate::yard::{CAMPAIGN, Yard, status};
use patio_proto::{
    access::Role,
    common::Page,
    vehicle::{self as pb, VehicleStatus},
};
use patio_testing::each_database;
use std::time::Duration;

/// Returns the serial numbers of one page, and the total.
async fn page(yard: &Yard, search: &str, of_yard: Option<i32>, index: i32) -> (Vec<String>, i64) {
    let page = Some(Page { index, size: 50 });
    let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, search: search.into(), yard: of_yard, page, ..Default::default() };
    let reply = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
    (reply.vehicles.into_iter().map(|vehicle| vehicle.serial_number).collect(), reply.meta.unwrap().total_count)
}

#[tokio::test]
async fn the_search_index_returns_the_same_pages_as_the_database() {
    each_database(async |host| {
        let spaces: Vec<String> = (1..=1_200).map(|n| format!("{}-{n}", ['A', 'B'][n % 2])).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let serials = |all: &[usize]| all.iter().map(|n| format!("{n:06}")).collect::<Vec<_>>();
        for moved in [false, true] {
            let in_c = if moved { 1 } else { 0 };
            // The first responses come from the database, later ones from the search index; both must be equal.
            for _ in 0..8 {
                assert_eq!(page(&yard, "-1199", None, 0).await, (serials(&[1199]), 1));
                assert_eq!(page(&yard, "HB20 0012", None, 0).await, (serials(&[1200]), 1));
                assert_eq!(page(&yard, "b-11", None, 0).await.1, 56 - in_c, "spaces B-11, B-110 to B-119 and B-1100 onwards");
                assert_eq!(page(&yard, "c-1", Some(11), 0).await.1, in_c);
                assert_eq!(page(&yard, "", None, 23).await.0.len(), 50);
                assert_eq!(page(&yard, "", None, 24).await, (vec![], 1_200));
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            if !moved {
                let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, search: "HB20 000011".into(), ..Default::default() };
                let found = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
                let vehicle = &found.vehicles[0];
                assert_eq!(vehicle.parking_space, "B-11");
                let move_it = pb::SaveVehicleRequest { id: vehicle.id, parking_space: Some("C-1".into()), ..Default::default() };
                yard.save(Role::Admin, move_it).await.unwrap();
            }
        }
    })
    .await;
}

#[tokio::test]
async fn the_full_list_is_sent_again_only_after_a_change() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let heads = async |known: Option<i64>| {
            let ask = pb::ListAllVehiclesRequest { campaign_id: CAMPAIGN, known };
            let mut chunks =
                yard.vehicles().list_all_vehicles(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
            let head = chunks.message().await.unwrap().unwrap();
            (head.revision, head.unchanged, chunks.message().await.unwrap().map_or(0, |chunk| chunk.vehicles.len()))
        };
        let (first, unchanged, rows) = heads(None).await;
        assert_eq!((unchanged, rows), (false, 2));
        assert_eq!(heads(Some(first)).await, (first, true, 0));
        let id = yard.walk().await[0].id;
        let notes = |n: i32| pb::SaveVehicleRequest { id, operator_notes: Some(format!("{n}")), ..Default::default() };
        let mut known = first;
        for save in [status(id, VehicleStatus::Ok), notes(1), notes(2)] {
            yard.save(Role::Operator, save).await.unwrap();
            let (now, unchanged, rows) = heads(Some(known)).await;
            assert!(now > known && !unchanged && rows == 2, "{now} after {known}");
            known = now;
        }
    })
    .await;
}

#[tokio::test]
async fn a_vehicle_moved_to_the_front_is_never_its_own_next() {
    each_database(async |host| {
        let yard = Yard::with(host, &["B-1", "B-2", "B-3"]).await;
        let walk = yard.walk().await;
        let ask = pb::SaveVehicleRequest { id: walk[2].id, parking_space: Some("A-1".into()), ..Default::default() };
        assert_eq!(yard.save(Role::Admin, ask).await.unwrap().next, Some(walk[0].id));
        yard.save(Role::Operator, status(walk[0].id, VehicleStatus::Ok)).await.unwrap();
        assert_eq!(yard.save(Role::Operator, status(walk[1].id, VehicleStatus::Ok)).await.unwrap().next, None);
    })
    .await;
}
