//! Rules of bulk changes: closed campaigns, supervisor notes, kept yards, blank values and the reasons of skipped vehicles.
use crate::{
    editing::{edit, errors, row, status},
    jobs::{bulk, jobs, undo},
    yard::{CAMPAIGN, Yard},
};
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    vehicle::{
        BulkParkingSpaceRequest, BulkResponse, BulkStatusRequest, EditRow, Gate, ParkingSpaceChange, SaveVehicleRequest, StatusAction,
        VehicleStatus,
    },
};
use patio_testing::each_database;

async fn set(yard: &Yard, vin: &str, action: StatusAction, to: VehicleStatus) -> BulkResponse {
    let ask = BulkStatusRequest { vins: vec![vin.into()], action: action.into(), status: to.into(), ..BulkStatusRequest::default() };
    yard.bulk().bulk_status(yard.long_request(3, Role::Manager, ask)).await.unwrap().into_inner()
}

async fn move_to(yard: &Yard, vin: &str, space: &str) -> BulkResponse {
    let rows = vec![ParkingSpaceChange { vin: vin.into(), parking_space: space.into() }];
    let ask = BulkParkingSpaceRequest { rows, ..BulkParkingSpaceRequest::default() };
    yard.bulk().bulk_parking_space(yard.long_request(3, Role::Manager, ask)).await.unwrap().into_inner()
}

#[tokio::test]
async fn only_supervisors_undo_a_job_that_changes_supervisor_notes_of_some_vehicles() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "A-3"]).await;
        let plain = |n: i64| status(n + 1, &format!("{n:06}"), "ok");
        let noted = |n| EditRow { admin_notes: Some("mine".into()), ..plain(n) };
        edit(&yard, Role::Admin, vec![noted(1), noted(2), plain(3)], false).await;
        let edited = jobs(&yard, Role::Admin).await[0].id;
        let removed = bulk(&yard, Role::Admin, &[1, 2, 3], StatusAction::Remove, VehicleStatus::Unspecified).await;
        for job in [removed, edited] {
            let refused = undo(&yard, Role::Manager, job).await.unwrap_err();
            assert_eq!(reason(&refused), Some(ErrorReason::FieldNotAllowed));
            assert_eq!(undo(&yard, Role::Admin, job).await.unwrap().restored, 3);
        }
        assert!(yard.walk().await.iter().all(|vehicle| vehicle.admin_notes.is_empty() && !vehicle.inspected));
    })
    .await;
}

#[tokio::test]
async fn the_undo_of_a_move_restores_a_yard_that_the_parking_space_does_not_name() {
    each_database(async |host| {
        let yard = Yard::with(host, &["B-1"]).await;
        let id = yard.walk().await[0].id;
        let odd = SaveVehicleRequest { id, parking_space: Some("7-1".into()), ..SaveVehicleRequest::default() };
        assert_eq!(yard.save(Role::Admin, odd).await.unwrap().id_yard, Some(4), "the vehicle stays in yard B");
        move_to(&yard, "HB20 000001", "C-1").await;
        assert_eq!(yard.walk().await[0].id_yard, Some(11));
        let job = jobs(&yard, Role::Manager).await[0].id;
        assert_eq!(undo(&yard, Role::Manager, job).await.unwrap().restored, 1);
        let restored = yard.walk().await.remove(0);
        assert_eq!((restored.parking_space.as_str(), restored.id_yard), ("7-1", Some(4)));
        yard.counters_equal_the_rows().await;
    })
    .await;
}

#[tokio::test]
async fn a_blank_parking_space_or_status_of_a_file_is_an_error() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "A-3"]).await;
        // A word joiner is invisible, but import-svc sends it as a filled cell.
        let rows = vec![
            EditRow { parking_space: Some("\u{2060}".into()), ..row(2, "000001") },
            status(3, "000002", " "),
            status(4, "000003", "ok"),
        ];
        let refused = edit(&yard, Role::Manager, rows, false).await;
        let errors = errors(&refused);
        assert_eq!((errors.len(), errors[0]), (2, (2, "Parking Space is empty.")));
        assert!(errors[1].0 == 3 && errors[1].1.starts_with("Unknown status"), "{errors:?}");
        assert!(yard.walk().await.iter().all(|vehicle| vehicle.version == 1), "nothing is changed");
    })
    .await;
}

#[tokio::test]
async fn a_bulk_change_leaves_the_vehicles_of_a_closed_campaign_as_they_are() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        yard.gate(CAMPAIGN, "Recall A", Gate::Closed, 2).await;
        let before = yard.walk().await;
        let set = set(&yard, "HB20 000001", StatusAction::Insert, VehicleStatus::Ok).await;
        let moved = move_to(&yard, "HB20 000001", "B-1").await;
        for reply in [&set, &moved] {
            assert_eq!((reply.updated, reply.skipped[0].code.as_str()), (0, "CAMPAIGN_CLOSED"));
        }
        assert_eq!(yard.walk().await, before);
    })
    .await;
}

#[tokio::test]
async fn a_skipped_vehicle_has_the_reason_of_the_requested_change() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let vin = "HB20 000001";
        let code = |reply: &BulkResponse| reply.skipped[0].code.clone();
        assert_eq!(code(&set(&yard, vin, StatusAction::Remove, VehicleStatus::Unspecified).await), "NO_STATUS");
        assert_eq!(set(&yard, vin, StatusAction::Insert, VehicleStatus::Ok).await.updated, 1);
        assert_eq!(code(&set(&yard, vin, StatusAction::Insert, VehicleStatus::Ok).await), "SAME_STATUS");
        assert_eq!(code(&move_to(&yard, vin, "A-1").await), "SAME_SPACE");
    })
    .await;
}
