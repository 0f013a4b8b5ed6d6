//! Delta synchronization: the changes after a revision.
use crate::yard::{CAMPAIGN, Yard, status};
use patio_kit::errors::{ErrorReason, reason};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, VehicleStatus},
};
use patio_testing::{LONG_CALL_TIMEOUT, each_database};
use std::{
    collections::BTreeMap,
    sync::atomic::{AtomicBool, Ordering},
};

impl Yard {
    /// Fetches the full list as a phone does. Returns its revision, and each vehicle's version by id.
    async fn whole_list(&self) -> (i64, BTreeMap<i64, i64>) {
        let ask = pb::ListAllVehiclesRequest { campaign_id: CAMPAIGN, known: None };
        let mut chunks = self.vehicles().list_all_vehicles(self.person(4, Role::Operator).grpc_request(ask)).await.unwrap().into_inner();
        let (mut revision, mut rows) = (0, BTreeMap::new());
        while let Some(chunk) = chunks.message().await.unwrap() {
            revision = revision.max(chunk.revision);
            rows.extend(chunk.vehicles.iter().map(|row| (row.id, row.version)));
        }
        (revision, rows)
    }

    async fn bulk_status(&self, vins: Vec<String>) {
        let (action, ok) = (pb::StatusAction::Insert.into(), VehicleStatus::Ok.into());
        let ask = pb::BulkStatusRequest { vins, action, status: ok, ..Default::default() };
        self.bulk().bulk_status(self.person(3, Role::Manager).grpc_request_with_timeout(LONG_CALL_TIMEOUT, ask)).await.unwrap();
    }
}

#[tokio::test]
async fn every_kind_of_change_is_listed_once_and_nothing_else_is() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "A-3"]).await;
        let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
        let (mut revision, _) = yard.whole_list().await;
        assert_eq!(yard.changes(revision).await, pb::ListChangesResponse { revision, ..Default::default() });
        let mut assert_listed = async |what: &str, expected: &[i64]| {
            let changes = yard.changes(revision).await;
            assert!(changes.revision > revision && !changes.whole && changes.removed.is_empty(), "{what}: {changes:?}");
            assert_eq!(changes.vehicles.iter().map(|row| row.id).collect::<Vec<_>>(), expected, "{what}");
            revision = changes.revision;
        };
        yard.save(Role::Operator, status(ids[1], VehicleStatus::Ng)).await.unwrap();
        assert_listed("a save", &[ids[1]]).await;
        yard.bulk_status(vec!["HB20 000001".into(), "HB20 000003".into()]).await;
        assert_listed("a bulk change", &[ids[0], ids[2]]).await;
        let person = yard.person(3, Role::Manager);
        let rows = vec![pb::ParkingSpaceChange { vin: "HB20 000003".into(), parking_space: "B-1".into() }];
        yard.bulk()
            .bulk_parking_space(
                person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::BulkParkingSpaceRequest { rows, ..Default::default() }),
            )
            .await
            .unwrap();
        assert_listed("a move", &[ids[2]]).await;
        let row = pb::EditRow {
            model_code: "HB20".into(),
            serial_number: "000001".into(),
            operator_notes: Some("x".into()),
            ..Default::default()
        };
        yard.bulk()
            .bulk_edit(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::BulkEditRequest { rows: vec![row], ..Default::default() }))
            .await
            .unwrap();
        assert_listed("a file", &[ids[0]]).await;
        let jobs = yard.jobs().list_jobs(person.grpc_request(pb::ListJobsRequest::default())).await.unwrap().into_inner().jobs;
        yard.jobs().undo_job(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::UndoJobRequest { id: jobs[0].id })).await.unwrap();
        assert_listed("an undone file", &[ids[0]]).await;
    })
    .await;
}

#[tokio::test]
async fn too_many_changes_and_unknown_revisions_require_the_full_list() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..2_001).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let (revision, _) = yard.whole_list().await;
        assert!(yard.changes(0).await.whole && yard.changes(revision + 1).await.whole);
        yard.bulk_status((1..=2_000).map(|n| format!("HB20 {n:06}")).collect()).await;
        let all = yard.changes(revision).await;
        assert!(!all.whole && all.vehicles.len() == 2_000, "the maximum number of changes is listed");
        yard.bulk_status(vec!["HB20 002001".into()]).await;
        assert!(yard.changes(revision).await.whole, "one more than the maximum, in two changes");
        assert_eq!(yard.changes(all.revision).await.vehicles.len(), 1);
        let job =
            yard.jobs().list_jobs(yard.person(3, Role::Manager).grpc_request(pb::ListJobsRequest::default())).await.unwrap().into_inner();
        yard.jobs().undo_job(yard.long_request(3, Role::Manager, pb::UndoJobRequest { id: job.jobs[0].id })).await.unwrap();
        let (now, _) = yard.whole_list().await;
        let rows = (1..=2_001).map(|n| pb::ParkingSpaceChange { vin: format!("HB20 {n:06}"), parking_space: "B-1".into() }).collect();
        let ask = pb::BulkParkingSpaceRequest { rows, ..Default::default() };
        yard.bulk().bulk_parking_space(yard.long_request(3, Role::Manager, ask)).await.unwrap();
        let whole = yard.changes(now).await;
        assert!(whole.whole && whole.revision > now, "one more than the maximum, in one change");
        let gone = pb::RemoveCampaignRequest { campaign_id: CAMPAIGN };
        yard.fleet().remove_campaign(yard.service().grpc_request(gone)).await.unwrap();
        let ask = pb::ListChangesRequest { campaign_id: CAMPAIGN, since: whole.revision };
        let refused = yard.vehicles().list_changes(yard.person(4, Role::Operator).grpc_request(ask)).await.unwrap_err();
        assert_eq!(reason(&refused), Some(ErrorReason::NoCampaign));
    })
    .await;
}

/// A phone that follows the changes during concurrent saves and bulk changes ends with the same data as the server.
#[tokio::test]
async fn a_client_that_follows_the_changes_misses_none_during_concurrent_saves() {
    each_database(async |host| {
        let spaces: Vec<String> = (0..60).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
        let done = AtomicBool::new(false);
        let saving = async {
            let one = |id: &i64| yard.save(Role::Admin, status(*id, VehicleStatus::Ng));
            for round in 0..4 {
                let saves = futures::future::join_all(ids.iter().skip(round).step_by(3).map(one));
                let (saved, ()) = futures::join!(saves, yard.bulk_status((1..=20).map(|n| format!("HB20 {n:06}")).collect()));
                assert!(saved.iter().all(Result::is_ok), "{saved:?}");
            }
            done.store(true, Ordering::Relaxed);
        };
        let following = async {
            let (mut revision, mut rows) = yard.whole_list().await;
            loop {
                let last = done.load(Ordering::Relaxed);
                let changes = yard.changes(revision).await;
                assert!(!changes.whole);
                rows.extend(changes.vehicles.iter().map(|row| (row.id, row.version)));
                revision = changes.revision;
                if last {
                    return rows;
                }
            }
        };
        let ((), rows) = futures::join!(saving, following);
        assert_eq!(rows, yard.whole_list().await.1);
    })
    .await;
}
