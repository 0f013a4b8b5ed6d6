//! The yard named `-`, which operators do not see, on both databases.
use crate::yard::{CAMPAIGN, Yard, status};
use patio_proto::{
    access::Role,
    common::Page,
    vehicle::{self as pb, VehicleStatus, watch_event::Event},
    yard::DASH_YARD_ID,
};
use patio_testing::each_database;
use std::time::Duration;

const SPACES: [&str; 5] = ["- 1", "A-1", "--", "B-1", "9-9"];
const ALL: [&str; 5] = ["000001", "000002", "000003", "000004", "000005"];
const SEEN: [&str; 3] = ["000002", "000004", "000005"];

/// Returns serial numbers sorted, for comparison.
fn sorted(serials: impl Iterator<Item = String>) -> Vec<String> {
    let mut serials: Vec<_> = serials.collect();
    serials.sort();
    serials
}

fn serial(vin: &str) -> String {
    vin.rsplit(' ').next().unwrap_or_default().to_owned()
}

/// Returns the serial numbers of one page, and the total.
async fn page(yard: &Yard, role: Role, of_yard: Option<i32>, search: &str) -> (Vec<String>, i64) {
    let page = Some(Page { index: 0, size: 200 });
    let ask = pb::ListVehiclesRequest { campaign_id: CAMPAIGN, search: search.into(), yard: of_yard, page, ..Default::default() };
    let reply = yard.vehicles().list_vehicles(yard.person(4, role).grpc_request(ask)).await.unwrap().into_inner();
    (sorted(reply.vehicles.into_iter().map(|vehicle| vehicle.serial_number)), reply.meta.unwrap().total_count)
}

async fn whole(yard: &Yard, role: Role) -> Vec<String> {
    let ask = pb::ListAllVehiclesRequest { campaign_id: CAMPAIGN, known: None };
    let mut chunks = yard.vehicles().list_all_vehicles(yard.person(4, role).grpc_request(ask)).await.unwrap().into_inner();
    let mut all = Vec::new();
    while let Some(chunk) = chunks.message().await.unwrap() {
        all.extend(chunk.vehicles.into_iter().map(|row| serial(&row.vin_number)));
    }
    sorted(all.into_iter())
}

async fn progress(yard: &Yard, role: Role, of_yard: Option<i32>) -> Option<(i64, i64, Option<i64>)> {
    let ask = pb::GetProgressRequest { campaign_ids: vec![CAMPAIGN], yard: of_yard, ..Default::default() };
    let reply = yard.yards().get_progress(yard.person(4, role).grpc_request(ask)).await.unwrap().into_inner();
    reply.progress.first().map(|one| (one.total_vehicles, one.total_inspected, one.next))
}

#[tokio::test]
async fn lists_searches_and_counters_of_an_operator_omit_the_yard_named_dash() {
    each_database(async |host| {
        let yard = Yard::with(host, &SPACES).await;
        for (role, seen) in [(Role::Operator, &SEEN[..]), (Role::Manager, &ALL), (Role::Admin, &ALL)] {
            let total = seen.len() as i64;
            assert_eq!(page(&yard, role, None, "").await, (seen.iter().map(|one| (*one).to_owned()).collect(), total), "{role:?}");
            assert_eq!(page(&yard, role, None, "hb20").await.1, total, "{role:?}");
            assert_eq!(page(&yard, role, None, "HB20000001").await.1, i64::from(seen.len() == ALL.len()), "{role:?}");
            assert_eq!(page(&yard, role, Some(DASH_YARD_ID), "").await.1, if seen.len() == ALL.len() { 2 } else { 0 }, "{role:?}");
            assert_eq!(whole(&yard, role).await, seen, "{role:?}");
            let (vehicles, inspected, _) = progress(&yard, role, None).await.unwrap();
            assert_eq!((vehicles, inspected), (total, 0), "{role:?}");
            assert_eq!(progress(&yard, role, Some(DASH_YARD_ID)).await.is_some(), seen.len() == ALL.len(), "{role:?}");
            let by_name = pb::GetProgressRequest { campaign_name: "Recall A".into(), ..Default::default() };
            let by_name = yard.yards().get_progress(yard.person(4, role).grpc_request(by_name)).await.unwrap().into_inner();
            assert_eq!((by_name.progress[0].total_vehicles, by_name.progress[0].in_dash), (total, 2), "{role:?}");
            let of_dash = yard.person(4, role).grpc_request(pb::ListCampaignsOfYardRequest { yard: DASH_YARD_ID });
            let campaigns = yard.yards().list_campaigns_of_yard(of_dash).await.unwrap().into_inner().campaign_ids;
            assert_eq!(campaigns.len(), usize::from(seen.len() == ALL.len()), "{role:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_search_index_omits_the_yard_named_dash_for_operators() {
    each_database(async |host| {
        let spaces: Vec<String> = (1..=1_200).map(|n| format!("{}-{n}", ["A", " ", "B"][n % 3])).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        // The first responses come from the database, later ones from the search index.
        for _ in 0..8 {
            assert_eq!(page(&yard, Role::Operator, None, "").await.1, 800);
            assert_eq!(page(&yard, Role::Operator, None, "hb20 0000").await.1, 66);
            assert_eq!(page(&yard, Role::Operator, Some(DASH_YARD_ID), "").await.1, 0);
            assert_eq!(page(&yard, Role::Manager, None, "").await.1, 1_200);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(whole(&yard, Role::Operator).await.len(), 800);
    })
    .await;
}

#[tokio::test]
async fn an_operators_next_vehicle_skips_the_yard_named_dash_but_saves_there_succeed() {
    each_database(async |host| {
        let yard = Yard::with(host, &SPACES).await;
        let walk = yard.walk().await;
        let at = |space: &str| walk.iter().find(|vehicle| vehicle.parking_space == space).unwrap().id;
        let dashes = [at("- 1"), at("--")];
        let mut led = Vec::new();
        let mut next = progress(&yard, Role::Operator, None).await.unwrap().2;
        while let Some(id) = next {
            led.push(id);
            let asked = pb::GetVehicleRequest { id, yard: None };
            let seen = yard.vehicles().get_vehicle(yard.person(4, Role::Operator).grpc_request(asked)).await.unwrap().into_inner();
            next = yard.save(Role::Operator, status(id, VehicleStatus::Ok)).await.unwrap().next;
            assert_eq!(seen.next, next);
        }
        led.sort_unstable();
        let mut expected = [at("A-1"), at("B-1"), at("9-9")];
        expected.sort_unstable();
        assert_eq!(led, expected);
        assert_eq!(progress(&yard, Role::Operator, None).await, Some((3, 3, None)));
        let (total, inspected, left) = progress(&yard, Role::Manager, None).await.unwrap();
        assert_eq!((total, inspected, left.is_some_and(|id| dashes.contains(&id))), (5, 3, true));
        // Another user may have moved a vehicle there while its inspection was pending on a phone.
        let saved = yard.save(Role::Operator, status(dashes[0], VehicleStatus::Ng)).await.unwrap();
        assert_eq!((saved.inspected, saved.next), (true, None));
        let by_manager = yard.vehicle(dashes[0]).await;
        assert_eq!((by_manager.status(), by_manager.next), (VehicleStatus::Ng, Some(dashes[1])));
    })
    .await;
}

#[tokio::test]
async fn a_vehicle_moved_to_the_yard_named_dash_leaves_an_operators_list() {
    each_database(async |host| {
        let yard = Yard::with(host, &SPACES).await;
        let walk = yard.walk().await;
        let moved = walk.iter().find(|vehicle| vehicle.parking_space == "A-1").unwrap().id;
        let since = yard.progress().await.revision;
        let mut streams = Vec::new();
        for role in [Role::Operator, Role::Manager] {
            let watch = yard.person(6, role).grpc_request(pb::WatchRequest { campaign_id: Some(CAMPAIGN) });
            streams.push((role, yard.live().watch(watch).await.unwrap().into_inner()));
        }
        let to_dash = pb::SaveVehicleRequest { id: moved, parking_space: Some("- 7".into()), ..Default::default() };
        yard.save(Role::Admin, to_dash).await.unwrap();
        for (role, rows, removed) in [(Role::Operator, vec![], vec![moved]), (Role::Manager, vec![moved], vec![])] {
            let ask = pb::ListChangesRequest { campaign_id: CAMPAIGN, since };
            let changes = yard.vehicles().list_changes(yard.person(4, role).grpc_request(ask)).await.unwrap().into_inner();
            let ids: Vec<i64> = changes.vehicles.iter().map(|row| row.id).collect();
            assert_eq!((ids, changes.removed, changes.whole), (rows, removed, false), "{role:?}");
        }
        for (role, mut events) in streams {
            let rows = loop {
                let event = tokio::time::timeout(Duration::from_secs(10), events.message()).await.unwrap().unwrap().unwrap();
                if let Some(Event::Vehicles(changed)) = event.event {
                    break changed.vehicles;
                }
            };
            assert_eq!(rows.len(), usize::from(role == Role::Manager), "{role:?}");
        }
    })
    .await;
}
