//! Drafts: creating, publishing and discarding the hidden campaign of an import.
use crate::support::{ADMIN, MANAGER, OPERATOR, SERVICE, World, page, refused, yard::Trouble};
use chrono::TimeDelta;
use patio_kit::errors::{self, ErrorReason};
use patio_proto::{
    access::Role,
    campaign::{
        CampaignStatus::{Ongoing, Ready},
        CreateDraftRequest, DiscardDraftRequest, HeartbeatDraftRequest, PublishDraftRequest,
    },
    vehicle::Gate,
};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn nobody_sees_a_draft_until_it_is_published_as_ready() {
    each_database(async |host| {
        let world = World::start(host).await;
        let draft = world.draft("Brakes").await.unwrap();
        assert_eq!(world.names(page(0, 10)).await, (vec![], 0));
        let unseen = (Code::NotFound, ErrorReason::NoCampaign);
        assert_eq!(refused(world.get(draft.id).await), unseen);
        assert_eq!(refused(world.rename(draft.id, "Hose").await), unseen);
        assert_eq!(refused(world.step(ADMIN, draft.id, Ongoing).await), unseen);
        assert_eq!(refused(world.delete(draft.id).await), unseen);
        world.count(draft.id, 2, (5, 0, Some(31))).await;
        let live = world.publish(draft.id).await.unwrap();
        assert_eq!((live.id, live.status(), live.total_vehicles, live.next), (draft.id, Ready, 5, Some(31)));
        assert_eq!((live.name.as_str(), live.part.as_str(), live.created_by), ("Brakes", "Hose", MANAGER.0));
        assert_eq!(world.get(draft.id).await.unwrap(), live);
        assert_eq!(world.names(page(0, 10)).await, (vec!["Brakes".to_owned()], 1));
        let synced = world.yard.synced(draft.id).unwrap();
        assert_eq!((synced.name.as_str(), synced.gate), ("Brakes", Gate::Open));
        let entries = world.audit().await;
        assert_eq!((entries.len(), entries[0].kind.as_str(), entries[0].user_id), (1, "campaign-imported", Some(MANAGER.0)));
        assert!(entries[0].summary.contains("with 5 vehicles"), "{}", entries[0].summary);
    })
    .await;
}

#[tokio::test]
async fn repeated_requests_of_one_import_create_one_draft() {
    each_database(async |host| {
        let world = World::start(host).await;
        let asks = futures::future::join_all((0..6).map(|_| world.draft("Brakes"))).await;
        let ids: Vec<_> = asks.into_iter().map(|answer| answer.unwrap().id).collect();
        assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
        let live = world.publish(ids[0]).await.unwrap();
        assert_eq!(world.publish(ids[0]).await.unwrap(), live, "publishing is repeatable");
        assert_eq!(world.draft("Brakes").await.unwrap().id, live.id);
        assert_eq!(world.audit().await.len(), 1);
    })
    .await;
}

#[tokio::test]
async fn an_import_id_gives_no_access_to_the_draft_of_another_user() {
    each_database(async |host| {
        let world = World::start(host).await;
        world.draft("Brakes").await.unwrap();
        let ask = CreateDraftRequest { import_id: "import of Brakes".to_owned(), name: "Wipers".to_owned(), ..Default::default() };
        for who in [MANAGER, ADMIN] {
            let answer = world.drafts().create_draft(world.for_person(who, ask.clone())).await;
            assert_eq!(refused(answer), (Code::AlreadyExists, ErrorReason::KeyReused));
        }
        let free = CreateDraftRequest { import_id: String::new(), ..ask };
        world.drafts().create_draft(world.for_person(ADMIN, free.clone())).await.unwrap();
        let other = CreateDraftRequest { name: "Steering".to_owned(), ..free };
        world.drafts().create_draft(world.for_person(ADMIN, other)).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn a_draft_belongs_to_its_importer_and_a_service_may_continue_it() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.draft("Brakes").await.unwrap().id;
        let none = (Code::NotFound, ErrorReason::NoCampaign);
        assert_eq!(refused(world.drafts().heartbeat_draft(world.for_person(ADMIN, HeartbeatDraftRequest { id })).await), none);
        assert_eq!(refused(world.drafts().publish_draft(world.for_person(ADMIN, PublishDraftRequest { id })).await), none);
        assert_eq!(refused(world.drafts().discard_draft(world.for_person(ADMIN, DiscardDraftRequest { id })).await), none);
        world.drafts().heartbeat_draft(world.by(SERVICE, HeartbeatDraftRequest { id })).await.unwrap();
        world.drafts().publish_draft(world.by(SERVICE, PublishDraftRequest { id })).await.unwrap();
        let own = CreateDraftRequest { name: "Wipers".to_owned(), ..Default::default() };
        assert_eq!(
            refused(world.drafts().create_draft(world.by(SERVICE, own.clone())).await),
            (Code::PermissionDenied, ErrorReason::NotAllowed)
        );
        let operator = world.drafts().create_draft(world.for_person(OPERATOR, own)).await;
        assert_eq!(refused(operator), (Code::PermissionDenied, ErrorReason::NotAllowed));
    })
    .await;
}

#[tokio::test]
async fn a_taken_name_and_invalid_draft_fields_are_reported() {
    each_database(async |host| {
        let world = World::start(host).await;
        world.ready("Brakes").await;
        let ask = CreateDraftRequest { import_id: "another".to_owned(), name: " BRAKES ".to_owned(), ..Default::default() };
        let refusal = world.drafts().create_draft(world.for_person(MANAGER, ask)).await.unwrap_err();
        assert_eq!(errors::status_value(&refusal, "name").as_deref(), Some("BRAKES"));
        assert_eq!(refused::<()>(Err(refusal)), (Code::AlreadyExists, ErrorReason::NameTaken));
        let bad = CreateDraftRequest { name: "x".repeat(121), description: "\u{7}".to_owned(), ..Default::default() };
        let refusal = world.drafts().create_draft(world.for_person(MANAGER, bad)).await.unwrap_err();
        assert!(errors::status_value(&refusal, "name").is_some() && errors::status_value(&refusal, "description").is_some());
        assert_eq!(refused::<()>(Err(refusal)), (Code::InvalidArgument, ErrorReason::BadRequest));
    })
    .await;
}

#[tokio::test]
async fn a_discarded_draft_leaves_nothing_and_its_name_is_free() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.draft("Brakes").await.unwrap().id;
        world.count(id, 2, (5, 0, None)).await;
        world.yard.calls();
        world.discard(id).await.unwrap();
        assert_eq!(world.yard.calls(), [format!("remove {id} by Service")]);
        world.discard(id).await.unwrap();
        world.discard(4711).await.unwrap();
        assert_eq!(refused(world.publish(id).await), (Code::NotFound, ErrorReason::NoCampaign));
        let again = world.draft("Brakes").await.unwrap().id;
        assert!(again > id, "ids are never reused");
        let live = world.publish(again).await.unwrap();
        assert_eq!(refused(world.discard(live.id).await), (Code::FailedPrecondition, ErrorReason::BadTransition));
        assert_eq!(world.get(live.id).await.unwrap().status(), Ready);
    })
    .await;
}

#[tokio::test]
async fn a_publish_that_fails_half_way_can_be_repeated() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.draft("Brakes").await.unwrap().id;
        for trouble in [Trouble::Away, Trouble::Deaf] {
            world.yard.misbehave(Some(trouble));
            assert_eq!(world.publish(id).await.unwrap_err().code(), Code::Unavailable);
            assert_eq!(world.names(page(0, 10)).await, (vec![], 0), "{trouble:?}");
        }
        world.yard.misbehave(None);
        assert_eq!(world.publish(id).await.unwrap().status(), Ready);
    })
    .await;
}

#[tokio::test]
async fn a_draft_without_heartbeats_is_discarded_and_one_with_heartbeats_stays() {
    each_database(async |host| {
        let world = World::start(host).await;
        let (silent, alive) = (world.draft("Silent").await.unwrap().id, world.draft("Alive").await.unwrap().id);
        let live = world.ready("Live").await;
        world.host.clock.advance(TimeDelta::seconds(15));
        let touch = HeartbeatDraftRequest { id: alive };
        world.drafts().heartbeat_draft(world.for_person(MANAGER, touch)).await.unwrap();
        world.drafts().heartbeat_draft(world.for_person(MANAGER, HeartbeatDraftRequest { id: live })).await.unwrap();
        world.yard.calls();
        world.sweep_after(5).await;
        assert_eq!(world.yard.calls(), Vec::<String>::new(), "20 s are not silence yet");
        world.sweep_after(11).await;
        assert_eq!(world.yard.calls(), [format!("remove {silent} by Service")]);
        let late = world.drafts().heartbeat_draft(world.for_person(MANAGER, HeartbeatDraftRequest { id: silent })).await;
        assert_eq!(refused(late), (Code::NotFound, ErrorReason::NoCampaign));
        assert_eq!(world.publish(alive).await.unwrap().status(), Ready);
        world.draft("Silent").await.unwrap();
        world.sweep_after(3000).await;
        assert_eq!(world.names(page(0, 10)).await.0, ["Live", "Alive"]);
    })
    .await;
}

#[tokio::test]
async fn a_stale_draft_is_discarded_after_an_outage_of_vehicle_svc() {
    each_database(async |host| {
        let world = World::start(host).await;
        let (first, second) = (world.draft("First").await.unwrap().id, world.draft("Second").await.unwrap().id);
        world.yard.misbehave(Some(Trouble::Away));
        world.sweep_after(31).await;
        world.draft("First").await.unwrap();
        world.yard.misbehave(None);
        world.yard.calls();
        world.sweep_after(11).await;
        let mut calls = world.yard.calls();
        calls.sort();
        assert_eq!(calls, [format!("remove {first} by Service"), format!("remove {second} by Service")]);
    })
    .await;
}

#[tokio::test]
async fn roles_below_team_leader_cannot_import() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.draft("Brakes").await.unwrap().id;
        let denied = (Code::PermissionDenied, ErrorReason::NotAllowed);
        let who = (MANAGER.0, Role::Operator);
        assert_eq!(refused(world.drafts().heartbeat_draft(world.for_person(who, HeartbeatDraftRequest { id })).await), denied);
        assert_eq!(refused(world.drafts().publish_draft(world.for_person(who, PublishDraftRequest { id })).await), denied);
        assert_eq!(refused(world.drafts().discard_draft(world.for_person(who, DiscardDraftRequest { id })).await), denied);
        for who in [OPERATOR, MANAGER, ADMIN] {
            let by_hand = world.drafts().discard_draft(world.by(who, DiscardDraftRequest { id })).await;
            assert_eq!(refused(by_hand), denied, "users may make these calls only through import-svc");
        }
    })
    .await;
}

#[tokio::test]
async fn the_service_sweeps_by_itself() {
    each_database(async |host| {
        let world = World::start_sweeping(host, std::time::Duration::from_secs(1)).await;
        let id = world.draft("Brakes").await.unwrap().id;
        world.host.clock.advance(TimeDelta::seconds(31));
        world.eventually(|| world.yard.calls().contains(&format!("remove {id} by Service"))).await;
        world.host.tasks.stop();
        assert!(world.host.tasks.wait_until_tasks_ended(std::time::Duration::from_secs(5)).await, "a drain ends the sweeper");
    })
    .await;
}
