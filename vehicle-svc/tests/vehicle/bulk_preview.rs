//! Dry runs of bulk changes: replaced statuses, open conflicts, and the number of listed vehicles.
use crate::{
    conflicts::by_field,
    editing::{edit, row, status},
    yard::Yard,
};
use patio_kit::{
    errors::{ErrorReason, reason},
    service_host::ServiceHost,
};
use patio_proto::{
    access::Role,
    vehicle::{
        BulkParkingSpaceRequest, BulkResponse, BulkStatusRequest, EditRow, ParkingSpaceChange, StatusAction, StatusCount,
        VehicleStatus as Status,
    },
};
use patio_testing::each_database;

/// User ids of two inspectors and a team leader.
const ANA: i64 = 14;
const BIA: i64 = 15;
const LEADER: i64 = 16;

fn vins(count: i64) -> Vec<String> {
    (1..=count).map(|n| format!("HB20 {n:06}")).collect()
}

async fn bulk(yard: &Yard, ask: BulkStatusRequest) -> BulkResponse {
    yard.bulk().bulk_status(yard.long_request(LEADER, Role::Manager, ask)).await.unwrap().into_inner()
}

fn set_ok(vins: Vec<String>) -> BulkStatusRequest {
    BulkStatusRequest {
        vins,
        action: StatusAction::Insert.into(),
        status: Status::Ok.into(),
        dry_run: true,
        ..BulkStatusRequest::default()
    }
}

fn counts(all: &[StatusCount]) -> Vec<(Status, i64)> {
    all.iter().map(|count| (count.status(), count.vehicles)).collect()
}

/// Creates a yard of six vehicles: two ng (the second with an open conflict), one Repair, one ok, two without a status.
async fn mixed_yard(host: ServiceHost) -> Yard {
    let yard = Yard::with(host, &["A-1", "A-2", "A-3", "A-4", "A-5", "A-6"]).await;
    let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
    let none = Status::Unspecified;
    for (id, saw, status) in [
        (ids[0], none, Status::Ng),
        (ids[1], none, Status::Ng),
        (ids[2], none, Status::Ok),
        (ids[2], Status::Ok, Status::Repair),
        (ids[3], none, Status::Ok),
    ] {
        yard.by(ANA, by_field(id, saw, status)).await.unwrap();
    }
    assert_eq!(yard.by(BIA, by_field(ids[1], none, Status::NotFound)).await.unwrap().open_conflicts, 1);
    yard
}

#[tokio::test]
async fn a_dry_run_counts_the_statuses_it_replaces_and_the_vehicles_in_conflict() {
    each_database(async |host| {
        let yard = mixed_yard(host).await;
        let planned = bulk(&yard, set_ok(vins(6))).await;
        assert_eq!((planned.updated, planned.open_conflicts), (5, 1));
        assert_eq!(counts(&planned.replaced_statuses), [(Status::Ng, 2), (Status::Repair, 1)], "vehicles without a status lose nothing");
        let marked: Vec<_> = planned.preview.iter().filter(|one| one.has_open_conflict).map(|one| one.vin_number.as_str()).collect();
        assert_eq!(marked, ["HB20 000002"]);
        let remove = BulkStatusRequest { action: StatusAction::Remove.into(), status: 0, ..set_ok(vins(6)) };
        let removed = bulk(&yard, remove).await;
        assert_eq!(counts(&removed.replaced_statuses), [(Status::Ng, 2), (Status::Ok, 1), (Status::Repair, 1)]);
        let rows = vins(2).into_iter().map(|vin| ParkingSpaceChange { vin, parking_space: "C-1".into() }).collect();
        let moving = BulkParkingSpaceRequest { rows, dry_run: true, ..BulkParkingSpaceRequest::default() };
        let moved = yard.bulk().bulk_parking_space(yard.long_request(LEADER, Role::Manager, moving)).await.unwrap().into_inner();
        assert_eq!((counts(&moved.replaced_statuses), moved.open_conflicts), (Vec::new(), 1), "a move replaces no status");
        let done = bulk(&yard, BulkStatusRequest { dry_run: false, ..set_ok(vins(6)) }).await;
        assert_eq!((done.updated, done.replaced_statuses.len(), done.open_conflicts, done.preview.len()), (5, 0, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn the_check_of_a_csv_file_counts_the_statuses_it_replaces() {
    each_database(async |host| {
        let yard = mixed_yard(host).await;
        let mut rows: Vec<_> = (1..=5).map(|n| status(n + 1, &format!("{n:06}"), "Repair")).collect();
        rows.push(EditRow { parking_space: Some("A-7".into()), ..row(7, "000006") });
        let planned = edit(&yard, Role::Manager, rows.clone(), true).await;
        assert_eq!((planned.updated, planned.open_conflicts), (6, 1), "the third vehicle keeps its status and is no longer inspected");
        assert_eq!(counts(&planned.replaced_statuses), [(Status::Ng, 2), (Status::Ok, 1)]);
        rows.push(status(8, "000009", "ok"));
        let refused = edit(&yard, Role::Manager, rows.clone(), false).await;
        assert_eq!((refused.total_errors, refused.open_conflicts, refused.replaced_statuses.len()), (1, 1, 2), "as in a dry run");
        rows.pop();
        let done = edit(&yard, Role::Manager, rows, false).await;
        assert_eq!((done.updated, done.open_conflicts, done.replaced_statuses.len()), (6, 0, 0));
    })
    .await;
}

#[tokio::test]
async fn a_dry_run_lists_as_many_vehicles_as_requested() {
    each_database(async |host| {
        let spaces: Vec<String> = (1..=30).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        for (preview_limit, listed) in [(0, 20), (1, 1), (25, 25), (1_000, 30)] {
            let planned = bulk(&yard, BulkStatusRequest { preview_limit, ..set_ok(vins(30)) }).await;
            let lines: Vec<i64> = planned.preview.iter().map(|one| one.line).collect();
            assert_eq!(lines, (1..=listed).collect::<Vec<_>>(), "{preview_limit}");
        }
        let last = yard.walk().await[29].id;
        yard.by(ANA, by_field(last, Status::Unspecified, Status::Ng)).await.unwrap();
        let planned = bulk(&yard, BulkStatusRequest { preview_limit: 3, ..set_ok(vins(30)) }).await;
        let lines: Vec<i64> = planned.preview.iter().map(|one| one.line).collect();
        assert_eq!(lines, [30, 1, 2], "the vehicle that loses a status comes first");
        for preview_limit in [-1, 1_001] {
            let ask = BulkStatusRequest { preview_limit, ..set_ok(vins(30)) };
            let refused = yard.bulk().bulk_status(yard.long_request(LEADER, Role::Manager, ask)).await.unwrap_err();
            assert_eq!(reason(&refused), Some(ErrorReason::BadRequest), "{preview_limit}");
        }
    })
    .await;
}
