//! Effect of milestone reports of vehicle-svc on the status of a campaign.
use crate::support::{ADMIN, MANAGER, OPERATOR, World, refused};
use patio_kit::errors::ErrorReason;
use patio_proto::campaign::{
    CampaignStatus::{Closed, Ongoing, PendingReview, Ready},
    Milestone::{Begun, Complete, Incomplete},
    ReportMilestoneRequest,
    milestone_service_client::MilestoneServiceClient,
};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn every_milestone_changes_every_status_as_specified() {
    each_database(async |host| {
        let world = World::start(host).await;
        for (from, turn, to) in [
            (Ready, Begun, Ongoing),
            (Ongoing, Begun, Ongoing),
            (PendingReview, Begun, PendingReview),
            (Closed, Begun, Closed),
            (Ready, Complete, PendingReview),
            (Ongoing, Complete, PendingReview),
            (PendingReview, Complete, PendingReview),
            (Closed, Complete, Closed),
            (Ready, Incomplete, Ready),
            (Ongoing, Incomplete, Ongoing),
            (PendingReview, Incomplete, Ongoing),
            (Closed, Incomplete, Closed),
        ] {
            let name = format!("{from:?} {turn:?}");
            let id = world.campaign_at(&name, from).await;
            world.turn(id, turn, 1).await;
            assert_eq!(world.get(id).await.unwrap().status(), to, "{name}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_old_or_repeated_report_is_ignored() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        world.turn(id, Complete, 5).await;
        world.turn(id, Incomplete, 5).await;
        world.turn(id, Incomplete, 4).await;
        assert_eq!(world.get(id).await.unwrap().status(), PendingReview);
        world.turn(id, Incomplete, 6).await;
        assert_eq!(world.get(id).await.unwrap().status(), Ongoing);
        world.turn(id, Complete, 5).await;
        assert_eq!(world.get(id).await.unwrap().status(), Ongoing);
    })
    .await;
}

#[tokio::test]
async fn a_report_from_before_a_reopening_is_ignored() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Closed).await;
        world.turn(id, Complete, 7).await;
        world.step(ADMIN, id, Ongoing).await.unwrap();
        world.turn(id, Complete, 7).await;
        assert_eq!(world.get(id).await.unwrap().status(), Ongoing);
    })
    .await;
}

#[tokio::test]
async fn a_report_on_a_draft_or_missing_campaign_changes_nothing() {
    each_database(async |host| {
        let world = World::start(host).await;
        let draft = world.draft("Brakes").await.unwrap().id;
        world.turn(draft, Begun, 1).await;
        world.turn(4711, Begun, 1).await;
        assert_eq!(world.publish(draft).await.unwrap().status(), Ready);
    })
    .await;
}

#[tokio::test]
async fn a_milestone_is_audited_without_a_user() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.step(OPERATOR, id, Ongoing).await.unwrap();
        let before = world.get(id).await.unwrap();
        world.host.clock.advance(chrono::TimeDelta::minutes(1));
        world.turn(id, Complete, 1).await;
        let after = world.get(id).await.unwrap();
        assert_eq!((after.modified_by, after.modified_at), (Some(OPERATOR.0), before.modified_at));
        let entry = world.audit().await.remove(0);
        assert_eq!((entry.kind.as_str(), entry.user_id, entry.role), ("campaign-changed", None, 0));
        assert_eq!((entry.old_values.as_str(), entry.new_values.as_str()), (r#"{"status":"Ongoing"}"#, r#"{"status":"Pending Review"}"#));
        world.turn(id, Complete, 2).await;
        assert_eq!(world.audit().await.len(), 3, "a report without effect adds no audit entry");
    })
    .await;
}

#[tokio::test]
async fn a_report_and_a_save_at_once_lose_neither() {
    each_database(async |host| {
        let world = World::start(host).await;
        for round in 0..5 {
            let id = world.campaign_at(&format!("Round {round}"), Ongoing).await;
            let new = format!("Renamed {round}");
            let (renamed, ()) = futures::join!(world.rename(id, &new), world.turn(id, Complete, 1));
            renamed.unwrap();
            let after = world.get(id).await.unwrap();
            assert_eq!((after.name.as_str(), after.status()), (new.as_str(), PendingReview));
        }
    })
    .await;
}

#[tokio::test]
async fn only_services_report_milestones() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let report = |turn| ReportMilestoneRequest { campaign_id: id, milestone: turn, revision: 1 };
        let mut client = MilestoneServiceClient::new(world.host.channels.campaign.clone());
        for who in [OPERATOR, MANAGER, ADMIN] {
            let answer = client.report_milestone(world.by(who, report(Begun.into()))).await;
            assert_eq!(refused(answer), (Code::PermissionDenied, ErrorReason::NotAllowed));
        }
        for turn in [0, 9] {
            let answer = client.report_milestone(world.by(crate::support::SERVICE, report(turn))).await;
            assert_eq!(refused(answer), (Code::InvalidArgument, ErrorReason::BadRequest));
        }
        assert_eq!(world.get(id).await.unwrap().status(), Ready);
    })
    .await;
}
