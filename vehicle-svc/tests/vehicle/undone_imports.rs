//! Undo of imports: the campaign is deleted unless one of its vehicles was changed.
use crate::{
    jobs::{bulk, jobs, undo},
    yard::{CAMPAIGN, Yard, status},
};
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    vehicle::{JobKind, StatusAction, UndoBlocker, VehicleStatus},
};
use patio_testing::each_database;
use std::{sync::atomic::Ordering, time::Duration};

#[tokio::test]
async fn an_import_becomes_a_job_when_its_campaign_is_opened_and_not_when_it_failed() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        yard.import(8, &["B-1"]).await.unwrap();
        assert_eq!(jobs(&yard, Role::Manager).await.len(), 1);
        let ask = patio_proto::vehicle::RemoveCampaignRequest { campaign_id: 8 };
        yard.fleet().remove_campaign(yard.service().grpc_request(ask)).await.unwrap();
        assert_eq!(jobs(&yard, Role::Manager).await.len(), 1, "a draft that was discarded leaves no job");
    })
    .await;
}

#[tokio::test]
async fn undoing_an_unchanged_import_deletes_its_campaign() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2"]).await;
        let import = jobs(&yard, Role::Manager).await[0].clone();
        assert_eq!((import.kind(), import.vehicles), (JobKind::Import, 2));
        let done = undo(&yard, Role::Manager, import.id).await.unwrap();
        assert_eq!((done.undone, done.restored, done.total_left), (true, 2, 0));
        assert!(yard.counts("Recall A", Role::Admin).await.is_empty());
        let shown = &jobs(&yard, Role::Manager).await[0];
        assert_eq!(
            (shown.hindrance(), shown.campaigns[0].name.as_str(), shown.campaigns[0].deleted),
            (UndoBlocker::Undone, "Recall A", true)
        );
        assert_eq!(undo(&yard, Role::Manager, import.id).await.unwrap(), done, "a repeated undo returns the same");
    })
    .await;
}

#[tokio::test]
async fn undoing_an_import_with_changed_vehicles_is_rejected_and_lists_them() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "A-3"]).await;
        let import = jobs(&yard, Role::Manager).await[0].id;
        let blocker = async || jobs(&yard, Role::Manager).await.into_iter().find(|job| job.id == import).unwrap().hindrance();
        assert_eq!(blocker().await, UndoBlocker::Unspecified);
        let job = bulk(&yard, Role::Manager, &[1, 2], StatusAction::Insert, VehicleStatus::Ok).await;
        assert_eq!(blocker().await, UndoBlocker::Inspected);
        let third = yard.walk().await[2].id;
        yard.save(Role::Admin, status(third, VehicleStatus::Ng)).await.unwrap();
        let stays = undo(&yard, Role::Manager, import).await.unwrap();
        assert_eq!((stays.undone, stays.restored, stays.total_left), (false, 0, 3));
        undo(&yard, Role::Manager, job).await.unwrap();
        let stays = undo(&yard, Role::Manager, import).await.unwrap();
        let left: Vec<_> = stays.left.iter().map(|left| left.vin_number.as_str()).collect();
        assert_eq!((stays.undone, left), (false, vec!["HB20 000003"]), "a vehicle whose change was undone counts as unchanged");
        assert_eq!(yard.walk().await.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn while_campaign_svc_is_unavailable_the_campaign_is_closed_and_it_is_deleted_afterwards() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1"]).await;
        let (import, id) = (jobs(&yard, Role::Manager).await[0].id, yard.walk().await[0].id);
        yard.away.store(true, Ordering::Relaxed);
        assert!(undo(&yard, Role::Manager, import).await.unwrap().undone);
        let refused = yard.save(Role::Admin, status(id, VehicleStatus::Ok)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::CampaignClosed), "a campaign pending deletion accepts no saves");
        yard.open(CAMPAIGN, "Renamed", 9).await;
        let refused = yard.save(Role::Admin, status(id, VehicleStatus::Ok)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::CampaignClosed), "a later gate message does not reopen the campaign");
        yard.away.store(false, Ordering::Relaxed);
        for _ in 0..100 {
            if yard.counts("Recall A", Role::Admin).await.is_empty() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        panic!("the campaign was not deleted");
    })
    .await;
}
