//! Deletion of a campaign with its vehicles, also after failures of either service.
use crate::support::{ADMIN, World, page, refused, yard::Trouble};
use campaign_svc::{SCHEMA, Sweeper};
use patio_kit::errors::ErrorReason;
use patio_proto::campaign::{CampaignStatus::Ongoing, UpdateCampaignRequest};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn a_deleted_campaign_is_gone_with_its_vehicles_and_its_name_is_free() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.count(id, 2, (7, 3, None)).await;
        world.delete(id).await.unwrap();
        assert_eq!(world.names(page(0, 10)).await, (vec![], 0));
        let not_found = (Code::NotFound, ErrorReason::NoCampaign);
        assert_eq!(refused(world.get(id).await), not_found);
        assert_eq!(refused(world.step(ADMIN, id, Ongoing).await), not_found);
        assert_eq!(refused(world.delete(id).await), not_found);
        assert_eq!(world.yard.synced(id), None);
        let entry = world.audit().await.remove(0);
        assert_eq!((entry.kind.as_str(), entry.subject), ("campaign-deleted", format!("campaign {id}")));
        assert_eq!(entry.old_values, r#"{"name":"Brakes","total_inspected":3,"total_vehicles":7}"#);
        assert!(world.ready("Brakes").await > id);
    })
    .await;
}

#[tokio::test]
async fn the_sweeper_finishes_a_deletion_that_vehicle_svc_missed() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.yard.misbehave(Some(Trouble::Away));
        world.delete(id).await.unwrap();
        assert_eq!(refused(world.get(id).await), (Code::NotFound, ErrorReason::NoCampaign), "the campaign is invisible at once");
        world.delete(id).await.unwrap();
        world.draft("Brakes").await.unwrap();
        world.yard.misbehave(None);
        world.yard.calls();
        world.sweep_after(5).await;
        assert_eq!(world.yard.calls(), Vec::<String>::new(), "the first deletion may still be in progress");
        world.sweep_after(6).await;
        assert_eq!(world.yard.calls(), [format!("remove {id} by Service")]);
        world.sweep_after(15).await;
        assert_eq!(world.yard.calls(), Vec::<String>::new(), "the tombstone is purged");
        assert_eq!(world.audit().await.iter().filter(|e| e.kind == "campaign-deleted").count(), 1);
    })
    .await;
}

#[tokio::test]
async fn a_deletion_whose_answer_was_lost_is_repeated_without_harm() {
    each_database(async |host| {
        let world = World::start(host).await;
        let (id, other) = (world.ready("Brakes").await, world.ready("Wipers").await);
        world.yard.misbehave(Some(Trouble::Deaf));
        world.delete(id).await.unwrap();
        world.yard.misbehave(None);
        world.sweep_after(11).await;
        world.sweep_after(11).await;
        assert_eq!((world.yard.synced(id), world.yard.synced(other).is_some()), (None, true));
        assert_eq!(world.names(page(0, 10)).await.0, ["Wipers"]);
    })
    .await;
}

#[tokio::test]
async fn several_replicas_sweep_at_the_same_time_without_harm() {
    each_database(async |host| {
        let world = World::start(host).await;
        let mut kept = Vec::new();
        for number in 0..5 {
            kept.push(world.ready(&format!("Kept {number}")).await);
            world.draft(&format!("Silent {number}")).await.unwrap();
        }
        for id in &kept {
            world.get(*id).await.unwrap();
        }
        let deleted = world.ready("Deleted").await;
        world.yard.misbehave(Some(Trouble::Away));
        world.delete(deleted).await.unwrap();
        for (number, id) in kept.iter().enumerate() {
            world.rename(*id, &format!("Renamed {number}")).await.unwrap();
        }
        world.yard.misbehave(None);
        let second = Sweeper::new(&world.host, &world.host.open_database(SCHEMA).await.unwrap());
        world.host.clock.advance(chrono::TimeDelta::seconds(40));
        futures::join!(world.sweeper.sweep(), second.sweep(), world.sweeper.sweep(), second.sweep());
        assert_eq!(world.yard.synced(deleted), None);
        for (number, id) in kept.iter().enumerate() {
            assert_eq!(world.yard.synced(*id).unwrap().name, format!("Renamed {number}"));
        }
        assert_eq!(world.names(page(0, 10)).await.1, 5);
        world.yard.calls();
        world.sweep_after(60).await;
        assert_eq!(world.yard.calls(), Vec::<String>::new(), "no work is left");
    })
    .await;
}

#[tokio::test]
async fn a_deletion_does_not_wait_long_for_its_audit_counters() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.host.cache.remove(&patio_kit::campaign_progress_cache::campaign_progress_cache_key(id)).await;
        world.yard.misbehave(Some(Trouble::Away));
        world.delete(id).await.unwrap();
        let entry = world.audit().await.remove(0);
        assert_eq!(entry.old_values, r#"{"name":"Brakes","total_inspected":null,"total_vehicles":null}"#);
    })
    .await;
}

#[tokio::test]
async fn a_save_and_a_deletion_at_once_leave_no_campaign_behind() {
    each_database(async |host| {
        let world = World::start(host).await;
        for round in 0..5 {
            let id = world.ready(&format!("Round {round}")).await;
            let save = UpdateCampaignRequest { id, part: Some("Clip".to_owned()), ..Default::default() };
            let (saved, deleted) = futures::join!(world.save(ADMIN, save), world.delete(id));
            deleted.unwrap();
            assert!(saved.is_ok() || refused(saved) == (Code::NotFound, ErrorReason::NoCampaign));
            assert_eq!(refused(world.get(id).await), (Code::NotFound, ErrorReason::NoCampaign));
        }
    })
    .await;
}

#[tokio::test]
async fn a_response_does_not_wait_for_a_long_removal() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        let held = world.yard.hold_next_removal();
        world.delete(id).await.unwrap();
        assert_eq!(refused(world.get(id).await), (Code::NotFound, ErrorReason::NoCampaign));
        assert!(world.yard.synced(id).is_some(), "its vehicles are still there");
        held.notify_one();
        world.eventually(|| world.yard.synced(id).is_none()).await;
    })
    .await;
}
