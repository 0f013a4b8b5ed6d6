//! Updating the text fields of a campaign, and syncing its name to vehicle-svc.
use crate::support::{ADMIN, MANAGER, OPERATOR, World, refused, yard::Trouble};
use patio_kit::errors::{self, ErrorReason};
use patio_proto::{
    campaign::{CampaignStatus::Closed, UpdateCampaignRequest},
    common::HistoryWindow,
    vehicle::Gate,
};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn a_team_leader_edits_every_text_and_the_rest_stays() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let before = world.get(id).await.unwrap();
        world.host.clock.advance(chrono::TimeDelta::minutes(1));
        let (description, image, model_type) = ("first\nsecond".to_owned(), "/assets/hose.png".to_owned(), "HB20".to_owned());
        let save = UpdateCampaignRequest {
            id,
            description: Some(description),
            image: Some(image),
            model_type: Some(model_type),
            ..Default::default()
        };
        let after = world.save(MANAGER, save).await.unwrap();
        assert_eq!(
            (after.description.as_str(), after.image.as_str(), after.model_type.as_str()),
            ("first\nsecond", "/assets/hose.png", "HB20")
        );
        assert_eq!((after.name.as_str(), after.part.as_str(), after.status), ("Brakes", "Hose", before.status));
        assert_eq!((after.created_by, after.modified_by, after.created_at), (MANAGER.0, Some(MANAGER.0), before.created_at));
        assert!(after.modified_at.unwrap().seconds > before.modified_at.unwrap().seconds);
        assert_eq!(world.get(id).await.unwrap(), after);
        let entry = world.audit().await.remove(0);
        assert_eq!(entry.old_values, r#"{"description":"","image":"","model_type":""}"#);
        assert_eq!(entry.new_values, r#"{"description":"first\nsecond","image":"/assets/hose.png","model_type":"HB20"}"#);
    })
    .await;
}

#[tokio::test]
async fn a_team_leader_sets_and_removes_a_due_date() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let due_at = Some(patio_kit::clock::to_timestamp("2026-11-28T20:00:00Z".parse().unwrap()));
        let set = UpdateCampaignRequest { id, due_at, ..Default::default() };
        let refusal = world.save(OPERATOR, set.clone()).await.unwrap_err();
        assert_eq!(refusal.message(), "Your access level does not allow changing the due date.");
        assert_eq!(refused::<()>(Err(refusal)), (Code::PermissionDenied, ErrorReason::FieldNotAllowed));
        assert_eq!(world.save(MANAGER, set.clone()).await.unwrap().due_at, due_at);
        assert_eq!(world.rename(id, "Brake hose").await.unwrap().due_at, due_at, "other changes leave the due date");
        let entry = world.audit().await.remove(1);
        assert_eq!((&*entry.old_values, &*entry.new_values), (r#"{"due_at":""}"#, r#"{"due_at":"2026-11-28T20:00:00Z"}"#));
        let both = UpdateCampaignRequest { clear_due_at: true, ..set.clone() };
        let late = UpdateCampaignRequest { due_at: Some(prost_types::Timestamp { seconds: i64::MAX, nanos: 0 }), ..set };
        for bad in [both, late] {
            assert_eq!(refused(world.save(MANAGER, bad).await), (Code::InvalidArgument, ErrorReason::BadRequest));
        }
        let clear = UpdateCampaignRequest { id, clear_due_at: true, ..Default::default() };
        assert_eq!(world.save(MANAGER, clear).await.unwrap().due_at, None);
        assert_eq!(world.get(id).await.unwrap().due_at, None);
    })
    .await;
}

#[tokio::test]
async fn a_name_is_unique_in_any_spelling_drafts_included_until_it_is_free_again() {
    each_database(async |host| {
        let world = World::start(host).await;
        let (first, second) = (world.ready("Brake Hose").await, world.ready("Wipers").await);
        let draft = world.draft("Steering").await.unwrap();
        for taken in ["brake hose", "  BRAKE HOSE ", "Ｂrake Hose", "steering"] {
            assert_eq!(refused(world.rename(second, taken).await), (Code::AlreadyExists, ErrorReason::NameTaken), "{taken}");
            assert_eq!(refused(world.draft(taken).await), (Code::AlreadyExists, ErrorReason::NameTaken), "{taken}");
        }
        assert_eq!(world.rename(first, " BRAKE hose ").await.unwrap().name, "BRAKE hose", "the own name may change its spelling");
        world.delete(first).await.unwrap();
        world.discard(draft.id).await.unwrap();
        assert_eq!(world.rename(second, "Brake Hose").await.unwrap().name, "Brake Hose");
        world.ready("Steering").await;
    })
    .await;
}

#[tokio::test]
async fn of_concurrent_requests_for_one_name_one_succeeds() {
    each_database(async |host| {
        let world = World::start(host).await;
        let mut ids = Vec::new();
        for number in 0..8 {
            ids.push(world.ready(&format!("Campaign {number}")).await);
        }
        let answers = futures::future::join_all(ids.iter().map(|id| world.rename(*id, "The one"))).await;
        let (won, lost): (Vec<_>, Vec<_>) = answers.into_iter().partition(Result::is_ok);
        assert_eq!((won.len(), lost.len()), (1, 7));
        assert!(lost.into_iter().all(|answer| refused(answer) == (Code::AlreadyExists, ErrorReason::NameTaken)));
    })
    .await;
}

#[tokio::test]
async fn invalid_fields_are_reported_by_name() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let save = UpdateCampaignRequest {
            id,
            name: Some("a\u{202e}b".to_owned()),
            image: Some("//elsewhere/x.png".to_owned()),
            description: Some("nul \u{0}".to_owned()),
            part: Some("x".repeat(2001)),
            status: Some(9),
            ..Default::default()
        };
        let refusal = world.save(ADMIN, save).await.unwrap_err();
        for field in ["name", "image", "description", "part", "status"] {
            assert!(errors::status_value(&refusal, field).is_some(), "{field}: {}", refusal.message());
        }
        assert_eq!(errors::status_value(&refusal, "model_type"), None);
        assert_eq!(refused::<()>(Err(refusal)), (Code::InvalidArgument, ErrorReason::BadRequest));
        assert_eq!(refused(world.rename(id, " ").await), (Code::InvalidArgument, ErrorReason::BadRequest));
        assert_eq!(refused(world.rename(4711, "Other").await), (Code::NotFound, ErrorReason::NoCampaign));
    })
    .await;
}

#[tokio::test]
async fn a_new_name_is_synced_to_vehicle_svc_until_acknowledged() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.rename(id, "Brake hose").await.unwrap();
        assert_eq!(world.yard.synced(id).unwrap().name, "Brake hose");
        world.get(id).await.unwrap(); // fills the cache, which provides the counters from here on
        world.yard.misbehave(Some(Trouble::Away));
        assert_eq!(world.rename(id, "Hose").await.unwrap().name, "Hose");
        assert_eq!(world.yard.synced(id).unwrap().name, "Brake hose");
        world.sweep_after(6).await;
        assert_eq!(world.yard.synced(id).unwrap().name, "Brake hose", "vehicle-svc is still unavailable");
        world.yard.misbehave(None);
        world.sweep_after(6).await;
        let synced = world.yard.synced(id).unwrap();
        assert_eq!((synced.name.as_str(), synced.gate), ("Hose", Gate::Open));
        world.yard.calls();
        world.sweep_after(60).await;
        assert_eq!(world.yard.calls(), Vec::<String>::new(), "a synced campaign is not synced again");
    })
    .await;
}

#[tokio::test]
async fn one_failing_campaign_does_not_block_the_sync_of_others() {
    each_database(async |host| {
        let world = World::start(host).await;
        let (first, second) = (world.ready("First").await, world.ready("Second").await);
        world.get(first).await.unwrap();
        world.get(second).await.unwrap();
        world.yard.misbehave(Some(Trouble::Away));
        world.rename(first, "First!").await.unwrap();
        world.rename(second, "Second!").await.unwrap();
        world.yard.misbehave(Some(Trouble::Broken(first)));
        world.sweep_after(6).await;
        assert_eq!(
            (world.yard.synced(first).unwrap().name.as_str(), world.yard.synced(second).unwrap().name.as_str()),
            ("First", "Second!")
        );
    })
    .await;
}

#[tokio::test]
async fn the_history_of_a_campaign_has_its_import_and_changes_in_pages_that_join() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.campaign_at("Brakes", Closed).await;
        world.rename(world.ready("Doors").await, "Other doors").await.unwrap();
        world.rename(id, "New brakes").await.unwrap();
        let all = world.history(MANAGER, id, HistoryWindow { limit: 50, ..Default::default() }).await.unwrap();
        let events: Vec<_> = all.iter().map(|event| (&*event.kind, &*event.new_values)).collect();
        assert_eq!(events[0], ("campaign-changed", r#"{"name":"New brakes"}"#));
        assert_eq!(events[1], ("campaign-changed", r#"{"status":"Closed"}"#));
        assert_eq!(events[2], ("campaign-changed", r#"{"status":"Ongoing"}"#));
        assert_eq!((events[3].0, events.len()), ("campaign-imported", 4));
        let (mut pages, mut window) = (Vec::new(), HistoryWindow { limit: 1, ..Default::default() });
        while let Some(event) = world.history(MANAGER, id, window).await.unwrap().pop() {
            window = HistoryWindow { before: event.at, before_id: event.id, limit: 1 };
            pages.push(event);
        }
        assert_eq!(pages, all, "entries of one time, which the fixed clock makes, are on one page each");
        assert_eq!(world.history(OPERATOR, id, window).await.unwrap_err().code(), Code::PermissionDenied);
        assert_eq!(world.history(MANAGER, 999, window).await.unwrap_err().code(), Code::NotFound);
    })
    .await;
}
