//! Work by hour, yard and user, and the numbers of vehicles with each status.
use crate::yard::{CAMPAIGN, Yard, status};
use chrono::{DateTime, TimeDelta, Utc};
use patio_kit::{
    clock,
    errors::{ErrorReason, reason},
};
use patio_proto::{
    access::Role,
    vehicle::{self as pb, ActivityCounts, GetActivityRequest, SaveVehicleRequest, VehicleStatus},
};
use patio_testing::{LONG_CALL_TIMEOUT, each_database};
use std::collections::BTreeMap;
use tonic::Status;

impl Yard {
    async fn activity_as(&self, (id, role): (i64, Role), ask: GetActivityRequest) -> Result<pb::GetActivityResponse, Status> {
        self.live().get_activity(self.person(id, role).grpc_request(ask)).await.map(tonic::Response::into_inner)
    }

    /// Returns the work of the campaign in the last day, as the team leader sees it.
    async fn activity(&self) -> pb::GetActivityResponse {
        let activity = self.activity_as((3, Role::Manager), last_day(self.host.clock.now(), Some(CAMPAIGN))).await.unwrap();
        // What is kept must equal what a count of all vehicles finds.
        let walk = self.walk().await;
        let inspected = walk.iter().filter(|vehicle| vehicle.inspected).count() as i64;
        assert_eq!((activity.total, activity.inspected, activity.inspected_before), (walk.len() as i64, inspected, 0));
        assert_eq!(sum(activity.hours.iter().map(|hour| hour.counts)).inspected, inspected);
        let wrong = [VehicleStatus::Ng, VehicleStatus::Repair, VehicleStatus::RepairOk];
        let found_wrong = walk.iter().filter(|vehicle| wrong.contains(&vehicle.status())).count() as i64;
        assert_eq!(sum(activity.hours.iter().map(|hour| hour.counts)).found_wrong, found_wrong);
        let mut counted = BTreeMap::<_, i64>::new();
        for vehicle in walk.iter().filter(|vehicle| vehicle.status != 0) {
            *counted.entry((vehicle.id_yard, vehicle.status)).or_default() += 1;
        }
        let statuses = activity.yards.iter().flat_map(|yard| yard.statuses.iter().map(|count| ((yard.yard, count.status), count.vehicles)));
        assert_eq!(statuses.collect::<BTreeMap<_, _>>(), counted);
        for yard in &activity.yards {
            let here = walk.iter().filter(|vehicle| vehicle.id_yard == yard.yard);
            assert_eq!(yard.counts.unwrap().inspected, here.filter(|vehicle| vehicle.inspected).count() as i64, "{yard:?}");
        }
        activity
    }
}

fn last_day(now: DateTime<Utc>, campaign_id: Option<i64>) -> GetActivityRequest {
    GetActivityRequest { campaign_id, from: Some(clock::to_timestamp(now - TimeDelta::days(1))), to: Some(clock::to_timestamp(now)) }
}

fn sum(counts: impl Iterator<Item = Option<ActivityCounts>>) -> ActivityCounts {
    counts.flatten().fold(ActivityCounts::default(), |sum, more| ActivityCounts {
        inspected: sum.inspected + more.inspected,
        saves: sum.saves + more.saves,
        found_wrong: sum.found_wrong + more.found_wrong,
    })
}

fn counts(inspected: i64, saves: i64, found_wrong: i64) -> Option<ActivityCounts> {
    Some(ActivityCounts { inspected, saves, found_wrong })
}

#[tokio::test]
async fn campaigns_are_active_for_twelve_hours_after_a_save() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "- 1"]).await;
        let active = async |id, role| {
            let reply = yard.yards().list_active_campaigns(yard.person(id, role).grpc_request(pb::ListActiveCampaignsRequest {})).await;
            let reply = reply.unwrap().into_inner();
            (reply.own_campaign_ids, reply.other_campaign_ids)
        };
        let (none, this) = (vec![], vec![CAMPAIGN]);
        assert_eq!(active(4, Role::Operator).await, (none.clone(), none.clone()));
        let walk = yard.walk().await;
        let at = |space: &str| walk.iter().find(|vehicle| vehicle.parking_space == space).unwrap().id;
        yard.save(Role::Operator, status(at("- 1"), VehicleStatus::Ok)).await.unwrap();
        assert_eq!(active(5, Role::Operator).await, (none.clone(), none.clone()), "an operator does not see the yard '-'");
        assert_eq!(active(5, Role::Manager).await, (none.clone(), this.clone()));
        yard.save(Role::Operator, status(at("A-1"), VehicleStatus::Ok)).await.unwrap();
        assert_eq!(active(4, Role::Operator).await, (this.clone(), none.clone()));
        assert_eq!(active(5, Role::Operator).await, (none.clone(), this.clone()));
        yard.host.clock.advance(TimeDelta::hours(11));
        assert_eq!(active(4, Role::Operator).await.0, this);
        yard.host.clock.advance(TimeDelta::hours(2));
        assert_eq!(active(4, Role::Operator).await, (none.clone(), none));
    })
    .await;
}

#[tokio::test]
async fn each_save_counts_in_its_hour_yard_and_user() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "B-1"]).await;
        let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
        let save =
            async |who, id, wants| yard.vehicles().save_vehicle(yard.person(who, Role::Operator).grpc_request(status(id, wants))).await;
        save(4, ids[0], VehicleStatus::Ok).await.unwrap();
        save(5, ids[2], VehicleStatus::Ng).await.unwrap();
        yard.host.clock.advance(TimeDelta::hours(1));
        save(5, ids[2], VehicleStatus::Repair).await.unwrap();
        let repeated = SaveVehicleRequest { idempotency_key: "once".into(), ..status(ids[1], VehicleStatus::Ok) };
        for _ in 0..2 {
            yard.save(Role::Operator, repeated.clone()).await.unwrap();
        }
        let activity = yard.activity().await;
        let hours: Vec<_> = activity.hours.iter().map(|hour| hour.counts).collect();
        assert_eq!(hours, [counts(2, 2, 1), counts(1, 2, 0)]);
        let begins: Vec<i64> = activity.hours.iter().map(|hour| hour.at.unwrap().seconds).collect();
        let now = yard.host.clock.now().timestamp();
        assert_eq!(begins, [now - now % 3_600 - 3_600, now - now % 3_600]);
        assert_eq!(
            activity.people.iter().map(|user| (user.user_id, user.counts)).collect::<Vec<_>>(),
            [(4, counts(2, 2, 0)), (5, counts(1, 2, 1))]
        );
        assert_eq!(
            activity.yards.iter().map(|yard| (yard.yard, yard.counts)).collect::<Vec<_>>(),
            [(Some(2), counts(2, 2, 0)), (Some(4), counts(1, 2, 1))]
        );
        let later = GetActivityRequest {
            from: Some(clock::to_timestamp(yard.host.clock.now())),
            ..last_day(yard.host.clock.now(), Some(CAMPAIGN))
        };
        let later = yard.activity_as((3, Role::Manager), later).await.unwrap();
        assert_eq!((later.inspected_before, later.hours.len(), later.inspected), (2, 1, 3));
    })
    .await;
}

#[tokio::test]
async fn moves_bulk_changes_and_their_undoing_keep_the_sums() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "A-2", "B-1", "7-1"]).await;
        let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
        yard.save(Role::Operator, status(ids[0], VehicleStatus::Ng)).await.unwrap();
        let moved = SaveVehicleRequest { parking_space: Some("B-9".into()), ..status(ids[0], VehicleStatus::RepairOk) };
        yard.save(Role::Admin, moved).await.unwrap();
        yard.activity().await;
        let person = yard.person(3, Role::Manager);
        let vins = (1..=4).map(|n| format!("HB20 {n:06}"));
        let (action, ok) = (pb::StatusAction::Insert.into(), VehicleStatus::Ok.into());
        let ask = pb::BulkStatusRequest { vins: vins.clone().collect(), action, status: ok, ..Default::default() };
        yard.bulk().bulk_status(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, ask)).await.unwrap();
        let activity = yard.activity().await;
        assert_eq!(
            activity.people.iter().map(|user| (user.user_id, user.counts)).collect::<Vec<_>>(),
            [(4, counts(1, 2, 1))],
            "no user's work"
        );
        let rows = vins.map(|vin| pb::ParkingSpaceChange { vin, parking_space: "C-1".into() }).collect();
        yard.bulk()
            .bulk_parking_space(
                person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::BulkParkingSpaceRequest { rows, ..Default::default() }),
            )
            .await
            .unwrap();
        yard.activity().await;
        let row =
            pb::EditRow { model_code: "HB20".into(), serial_number: "000002".into(), status: Some("ng".into()), ..Default::default() };
        yard.bulk()
            .bulk_edit(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::BulkEditRequest { rows: vec![row], ..Default::default() }))
            .await
            .unwrap();
        yard.activity().await;
        for _ in 0..3 {
            let jobs = yard.jobs().list_jobs(person.grpc_request(pb::ListJobsRequest::default())).await.unwrap().into_inner().jobs;
            let last = jobs.into_iter().find(|job| job.undone_at.is_none() && job.kind() != pb::JobKind::Import).unwrap();
            yard.jobs().undo_job(person.grpc_request_with_timeout(LONG_CALL_TIMEOUT, pb::UndoJobRequest { id: last.id })).await.unwrap();
            yard.activity().await;
        }
        assert_eq!(yard.activity().await.inspected, 1);
        yard.fleet().remove_campaign(yard.service().grpc_request(pb::RemoveCampaignRequest { campaign_id: CAMPAIGN })).await.unwrap();
        let all = yard.activity_as((3, Role::Manager), last_day(yard.host.clock.now(), None)).await.unwrap();
        assert_eq!((all.hours.len(), all.total, all.people.len()), (0, 0, 0), "a deleted campaign leaves no work");
    })
    .await;
}

#[tokio::test]
async fn operators_see_their_own_work_and_no_hidden_yard() {
    each_database(async |host| {
        let yard = Yard::with(host, &["A-1", "- 1"]).await;
        let ids: Vec<i64> = yard.walk().await.iter().map(|vehicle| vehicle.id).collect();
        for (who, role, id) in [(3, Role::Manager, 0), (3, Role::Manager, 1)] {
            yard.vehicles().save_vehicle(yard.person(who, role).grpc_request(status(ids[id], VehicleStatus::Ok))).await.unwrap();
        }
        let now = yard.host.clock.now();
        for campaign in [Some(CAMPAIGN), None] {
            let leader = yard.activity_as((3, Role::Manager), last_day(now, campaign)).await.unwrap();
            assert_eq!((leader.total, leader.inspected, leader.people.len(), leader.hours[0].counts), (2, 2, 1, counts(2, 2, 0)));
            let operator = yard.activity_as((4, Role::Operator), last_day(now, campaign)).await.unwrap();
            assert_eq!((operator.total, operator.inspected, operator.people.len(), operator.hours[0].counts), (1, 1, 0, counts(1, 1, 0)));
        }
        let unknown = yard.activity_as((4, Role::Operator), last_day(now, Some(99))).await.unwrap_err();
        assert_eq!(reason(&unknown), Some(ErrorReason::NoCampaign));
        let long = GetActivityRequest { from: Some(clock::to_timestamp(now - TimeDelta::days(93))), ..last_day(now, None) };
        for bad in [long, GetActivityRequest::default()] {
            assert_eq!(reason(&yard.activity_as((4, Role::Operator), bad).await.unwrap_err()), Some(ErrorReason::BadRequest));
        }
    })
    .await;
}
