//! Closing and reopening: a Closed campaign never accepts another save.
use crate::support::{ADMIN, MANAGER, OPERATOR, World, refused, yard::Trouble};
use patio_kit::errors::ErrorReason;
use patio_proto::{
    campaign::{
        CampaignStatus::{Closed, Ongoing, PendingReview},
        UpdateCampaignRequest,
    },
    vehicle::Gate,
};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn closing_closes_the_gate_and_reopening_opens_it() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", PendingReview).await;
        assert_eq!(world.yard.gate(id), Gate::Open);
        world.yard.calls();
        assert_eq!(world.step(MANAGER, id, Closed).await.unwrap().status(), Closed);
        assert_eq!(world.yard.gate(id), Gate::Closed);
        assert!(world.yard.calls().contains(&format!("set {id} Closed by Service")), "the gate is set with a service token");
        assert_eq!(world.step(ADMIN, id, Ongoing).await.unwrap().status(), Ongoing);
        assert_eq!(world.yard.gate(id), Gate::Open);
        world.sweep_after(60).await;
        assert_eq!(world.yard.gate(id), Gate::Open);
    })
    .await;
}

#[tokio::test]
async fn closing_changes_nothing_while_vehicle_svc_is_unavailable() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        world.get(id).await.unwrap();
        world.yard.misbehave(Some(Trouble::Away));
        let refusal = world.step(MANAGER, id, Closed).await.unwrap_err();
        assert_eq!(refusal.code(), Code::Unavailable);
        assert_eq!(world.get(id).await.unwrap().status(), Ongoing);
        assert_eq!(world.audit().await.iter().filter(|e| e.new_values.contains("Closed")).count(), 0);
        world.yard.misbehave(None);
        assert_eq!(world.step(MANAGER, id, Closed).await.unwrap().status(), Closed);
        assert_eq!(world.yard.gate(id), Gate::Closed);
    })
    .await;
}

#[tokio::test]
async fn the_sweeper_reopens_the_gate_of_an_unfinished_close() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        world.get(id).await.unwrap();
        world.yard.misbehave(Some(Trouble::Deaf));
        assert_eq!(world.step(MANAGER, id, Closed).await.unwrap_err().code(), Code::Unavailable);
        assert_eq!((world.yard.gate(id), world.get(id).await.unwrap().status()), (Gate::Closed, Ongoing));
        world.yard.misbehave(None);
        world.sweeper.sweep().await;
        assert_eq!(world.yard.gate(id), Gate::Closed, "the sweeper leaves a close alone that may be in progress");
        world.sweep_after(6).await;
        assert_eq!((world.yard.gate(id), world.get(id).await.unwrap().status()), (Gate::Open, Ongoing));
    })
    .await;
}

#[tokio::test]
async fn concurrent_changes_during_a_close_leave_campaign_and_gate_consistent() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        let held = world.yard.hold_next_closing();
        let (closed, renamed) = futures::join!(world.step(MANAGER, id, Closed), async {
            while world.yard.synced(id).unwrap().name != "Hose" {
                world.rename(id, "Hose").await.unwrap();
            }
            world.sweep_after(6).await;
            held.notify_one();
        });
        let closed = closed.unwrap();
        assert_eq!((renamed, closed.status(), closed.name.as_str()), ((), Closed, "Hose"));
        let synced = world.yard.synced(id).unwrap();
        assert_eq!((synced.gate, synced.name.as_str()), (Gate::Closed, "Hose"));
        world.sweep_after(60).await;
        assert_eq!(world.yard.gate(id), Gate::Closed);
    })
    .await;
}

#[tokio::test]
async fn a_close_of_a_campaign_that_is_deleted_meanwhile_is_refused() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        let held = world.yard.hold_next_closing();
        let (closed, deleted) = futures::join!(world.step(MANAGER, id, Closed), async {
            let deleted = world.delete(id).await;
            held.notify_one();
            deleted
        });
        deleted.unwrap();
        assert_eq!(refused(closed), (Code::NotFound, ErrorReason::NoCampaign));
    })
    .await;
}

#[tokio::test]
async fn ten_people_who_close_one_campaign_all_succeed() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        let answers = futures::future::join_all((0..10).map(|_| world.step(MANAGER, id, Closed))).await;
        assert!(answers.into_iter().all(|answer| answer.unwrap().status() == Closed));
        assert_eq!(world.yard.gate(id), Gate::Closed);
        assert_eq!(world.audit().await.iter().filter(|e| e.new_values.contains("Closed")).count(), 1);
        world.sweep_after(60).await;
        assert_eq!(world.yard.gate(id), Gate::Closed);
    })
    .await;
}

#[tokio::test]
async fn closing_with_a_taken_name_closes_no_gate() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        world.ready("Wipers").await;
        let save = UpdateCampaignRequest { id, name: Some("wipers".to_owned()), status: Some(Closed.into()), ..Default::default() };
        assert_eq!(refused(world.save(ADMIN, save.clone()).await), (Code::AlreadyExists, ErrorReason::NameTaken));
        assert_eq!((world.yard.gate(id), world.get(id).await.unwrap().status()), (Gate::Open, Ongoing));
        let both = world.save(ADMIN, UpdateCampaignRequest { name: Some("Hose".to_owned()), ..save }).await.unwrap();
        assert_eq!((both.status(), both.name.as_str()), (Closed, "Hose"));
        let synced = world.yard.synced(id).unwrap();
        assert_eq!((synced.gate, synced.name.as_str()), (Gate::Closed, "Hose"));
    })
    .await;
}

#[tokio::test]
async fn a_concurrent_start_does_not_reopen_the_gate() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Ongoing).await;
        let held = world.yard.hold_next_closing();
        let (closed, started) = futures::join!(world.step(MANAGER, id, Closed), async {
            let started = world.step(OPERATOR, id, Ongoing).await;
            held.notify_one();
            started
        });
        assert_eq!((closed.unwrap().status(), started.unwrap().status()), (Closed, Ongoing));
        assert_eq!(world.yard.gate(id), Gate::Closed);
    })
    .await;
}
