//! Progress counters: when they come from the cache and when from vehicle-svc.
use crate::support::{MANAGER, OPERATOR, World, page, yard::Trouble};
use patio_kit::{
    cache::Cache,
    campaign_progress_cache::{self, CachedCampaignProgress},
};
use patio_proto::{campaign::ListCampaignsRequest, yard::DASH_YARD_ID};
use patio_testing::each_database;
use tonic::Code;

/// Returns the listed counters of a campaign: vehicles, inspected vehicles and the next vehicle.
async fn shown(world: &World, id: i64) -> (i64, i64, Option<i64>) {
    let reply = world.list(page(0, 200)).await.unwrap();
    let campaign = reply.campaigns.into_iter().find(|campaign| campaign.id == id).unwrap();
    (campaign.total_vehicles, campaign.total_inspected, campaign.next)
}

async fn a_list_requests_counters_once_and_again_after_a_commit(world: World) {
    let (one, two) = (world.ready("One").await, world.ready("Two").await);
    for id in [one, two] {
        world.host.cache.remove(&campaign_progress_cache::campaign_progress_cache_key(id)).await;
        world.yard.count(id, 2, (4, 1, Some(77)));
    }
    world.yard.calls();
    assert_eq!(shown(&world, one).await, (4, 1, Some(77)));
    assert_eq!(world.yard.calls(), [format!("progress of [{two}, {one}] in None")]);
    assert_eq!(shown(&world, two).await, (4, 1, Some(77)));
    assert_eq!(world.yard.calls(), Vec::<String>::new(), "both are in the cache");

    world.yard.count(one, 2, (4, 2, Some(78)));
    let committed = CachedCampaignProgress { total: 4, inspected: 2, next: None, next_known: false, in_dash: false };
    assert!(world.host.cache.put_if_newer(&campaign_progress_cache::campaign_progress_cache_key(one), 2, &committed).await);
    assert_eq!(shown(&world, one).await, (4, 2, Some(78)));
    assert_eq!(world.yard.calls(), [format!("progress of [{one}] in None")], "only the changed campaign is requested");
    assert_eq!(shown(&world, one).await, (4, 2, Some(78)));
    assert_eq!(world.yard.calls(), Vec::<String>::new());
}

#[tokio::test]
async fn the_memory_cache_saves_counter_requests() {
    each_database(async |host| a_list_requests_counters_once_and_again_after_a_commit(World::start(host).await).await).await;
}

#[tokio::test]
async fn a_redis_cache_saves_counter_requests() {
    let Some(server) = patio_testing::from_environment(patio_testing::REDIS) else {
        eprintln!("{} is not set: Redis skipped", patio_testing::REDIS);
        return;
    };
    each_database(async |mut host| {
        host.cache = Cache::new_in_redis(&format!("{server}/3")).unwrap();
        a_list_requests_counters_once_and_again_after_a_commit(World::start(host).await).await;
    })
    .await;
}

#[tokio::test]
async fn a_response_older_than_a_commit_is_not_cached() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.yard.count(id, 2, (4, 1, Some(77)));
        let committed = CachedCampaignProgress { total: 4, inspected: 3, next: None, next_known: false, in_dash: false };
        assert!(world.host.cache.put_if_newer(&campaign_progress_cache::campaign_progress_cache_key(id), 9, &committed).await);
        world.yard.calls();
        for _ in 0..2 {
            shown(&world, id).await;
            assert_eq!(world.yard.calls().len(), 1, "revision 1 must not cover revision 9");
        }
        assert_eq!(world.host.cache.get(&campaign_progress_cache::campaign_progress_cache_key(id)).await, Some(committed));
    })
    .await;
}

#[tokio::test]
async fn counters_of_one_yard_are_never_returned_as_totals() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.host.cache.remove(&campaign_progress_cache::campaign_progress_cache_key(id)).await;
        world.yard.count(id, 2, (4, 1, Some(77)));
        world.yard.count(id, 3, (6, 6, None));
        let in_yard = ListCampaignsRequest { yard: Some(3), ..page(0, 10) };
        assert_eq!(world.list(in_yard.clone()).await.unwrap().campaigns[0].total_vehicles, 6);
        assert_eq!(shown(&world, id).await, (10, 7, Some(77)));
        assert_eq!(world.list(in_yard).await.unwrap().campaigns[0].total_vehicles, 6);
    })
    .await;
}

#[tokio::test]
async fn counters_that_an_operator_may_not_see_are_not_taken_from_the_cache_nor_put_into_it() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.host.cache.remove(&campaign_progress_cache::campaign_progress_cache_key(id)).await;
        world.yard.count(id, 2, (4, 1, Some(77)));
        world.yard.count(id, DASH_YARD_ID, (2, 0, Some(70)));
        world.yard.calls();
        let asked = format!("progress of [{id}] in None");
        for (who, calls) in [(OPERATOR, 1), (OPERATOR, 1), (MANAGER, 1), (MANAGER, 0), (OPERATOR, 1)] {
            world.list_as(who, page(0, 10)).await.unwrap();
            assert_eq!(world.yard.calls(), vec![asked.clone(); calls], "{who:?}");
        }
        for (who, is_seen) in [(OPERATOR, false), (MANAGER, true)] {
            let listed = world.list_as(who, ListCampaignsRequest { yard: Some(DASH_YARD_ID), ..page(0, 10) }).await;
            assert_eq!(listed.is_ok(), is_seen, "{who:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn without_redis_counters_come_from_vehicle_svc() {
    each_database(async |mut host| {
        host.cache = Cache::new_in_redis("redis://127.0.0.1:1").unwrap();
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.yard.count(id, 2, (4, 1, Some(77)));
        assert_eq!(shown(&world, id).await, (4, 1, Some(77)));
    })
    .await;
}

#[tokio::test]
async fn without_vehicle_svc_campaigns_are_listed_with_cached_progress_or_with_unknown_progress() {
    each_database(async |host| {
        let world = World::start(host).await;
        let id = world.ready("Brakes").await;
        world.yard.count(id, 2, (4, 1, Some(77)));
        world.host.cache.remove(&campaign_progress_cache::campaign_progress_cache_key(id)).await;
        world.get(id).await.unwrap();
        world.yard.misbehave(Some(Trouble::Away));
        assert_eq!(shown(&world, id).await, (4, 1, Some(77)));
        world.host.cache.remove(&campaign_progress_cache::campaign_progress_cache_key(id)).await;
        let listed = world.list(page(0, 10)).await.unwrap().campaigns.remove(0);
        assert_eq!((listed.name.as_str(), listed.progress_unknown, listed.total_vehicles), ("Brakes", true, 0));
        assert!(world.get(id).await.unwrap().progress_unknown);
        assert_eq!(world.rename(id, "Hose").await.unwrap_err().code(), Code::Unavailable, "a change needs the counters");
        world.yard.misbehave(None);
        let listed = world.list(page(0, 10)).await.unwrap().campaigns.remove(0);
        assert_eq!((listed.progress_unknown, listed.total_vehicles), (false, 4));
    })
    .await;
}
