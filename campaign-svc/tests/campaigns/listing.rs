//! Lists of campaigns: pages, search, status and yard filters.
use crate::support::{MANAGER, World, page, refused, search, yard::Trouble};
use patio_kit::errors::{self, ErrorReason};
use patio_proto::campaign::{
    CampaignOrder,
    CampaignStatus::{Closed, Ongoing, PendingReview, Ready},
    GetCampaignRequest, ListCampaignsRequest,
};
use patio_testing::each_database;
use tonic::Code;

#[tokio::test]
async fn the_newest_come_first_page_by_page() {
    each_database(async |host| {
        let world = World::start(host).await;
        for number in 0..25 {
            world.ready(&format!("Campaign {number}")).await;
        }
        let named = |numbers: std::ops::Range<i32>| numbers.rev().map(|number| format!("Campaign {number}")).collect::<Vec<_>>();
        assert_eq!(world.names(ListCampaignsRequest::default()).await, (named(15..25), 25), "ten per page by default");
        assert_eq!(world.names(page(2, 10)).await, (named(0..5), 25));
        assert_eq!(world.names(page(7, 10)).await, (vec![], 25), "after the last page the count is still returned");
        assert_eq!(world.names(page(-1, 5000)).await, (named(0..25), 25));
        let meta = world.list(page(1, 7)).await.unwrap().meta.unwrap();
        assert_eq!((meta.index, meta.size, meta.total_count), (1, 7, 25));
    })
    .await;
}

#[tokio::test]
async fn a_search_finds_its_text_anywhere_in_any_case_and_nothing_else() {
    each_database(async |host| {
        let world = World::start(host).await;
        for name in ["100% Brakes", "A_B test", r"C:\parts", "AXB TEST", "Água Ünits", "Ｗide", "'; drop table campaigns; --"] {
            world.ready(name).await;
        }
        for (text, found) in [
            ("%", vec!["100% Brakes"]),
            ("_", vec!["A_B test"]),
            ("\\", vec![r"C:\parts"]),
            ("a_b", vec!["A_B test"]),
            ("A_", vec!["A_B test"]),
            ("BRAKES", vec!["100% Brakes"]),
            ("0% b", vec!["100% Brakes"]),
            ("TeSt", vec!["AXB TEST", "A_B test"]),
            ("ÁGUA ü", vec!["Água Ünits"]),
            ("wide", vec!["Ｗide"]),
            ("ＷＩＤＥ", vec!["Ｗide"]),
            ("'", vec!["'; drop table campaigns; --"]),
            ("\"", vec![]),
            ("100%%", vec![]),
            ("*", vec![]),
        ] {
            let (names, total) = world.names(search(text)).await;
            assert_eq!(
                (names, total),
                (found.iter().map(|name| (*name).to_owned()).collect(), i64::try_from(found.len()).unwrap()),
                "{text}"
            );
        }
        assert_eq!(world.names(search("")).await.1, 7);
    })
    .await;
}

#[tokio::test]
async fn statuses_narrow_a_list() {
    each_database(async |host| {
        let world = World::start(host).await;
        for status in [Ready, Ongoing, PendingReview, Closed] {
            world.campaign_at(&format!("{status:?}"), status).await;
        }
        for (statuses, found) in [
            (vec![], vec!["Closed", "PendingReview", "Ongoing", "Ready"]),
            (vec![Closed], vec!["Closed"]),
            (vec![Ready, Ongoing, PendingReview], vec!["PendingReview", "Ongoing", "Ready"]),
        ] {
            let ask = ListCampaignsRequest { statuses: statuses.into_iter().map(i32::from).collect(), ..page(0, 10) };
            assert_eq!(world.names(ask).await.0, found);
        }
    })
    .await;
}

#[tokio::test]
async fn the_order_by_work_begins_with_active_campaigns_and_holds_over_pages() {
    each_database(async |host| {
        let world = World::start(host).await;
        let mut ids = Vec::new();
        for (name, status) in
            [("own", Ready), ("others", Ready), ("own, closed", Closed), ("ongoing", Ongoing), ("own, in review", PendingReview)]
        {
            ids.push(world.campaign_at(name, status).await);
        }
        for name in ["ready", "ready, newer"] {
            world.campaign_at(name, Ready).await;
        }
        world.yard.set_active(&[ids[0], ids[2], ids[4]], &[ids[1]]);
        let by_work = |index| ListCampaignsRequest { order: CampaignOrder::Work.into(), ..page(index, 4) };
        assert_eq!(world.names(by_work(0)).await, (["own", "others", "ongoing", "ready, newer"].map(str::to_owned).to_vec(), 7));
        assert_eq!(world.names(by_work(1)).await, (["ready", "own, in review", "own, closed"].map(str::to_owned).to_vec(), 7));
        let found = ListCampaignsRequest { search: "own".to_owned(), ..by_work(0) };
        assert_eq!(world.names(found).await, (["own", "own, in review", "own, closed"].map(str::to_owned).to_vec(), 3));
        world.yard.misbehave(Some(Trouble::Away));
        let alone = world.names(by_work(0)).await.0;
        assert_eq!(alone, ["ongoing", "ready, newer", "ready", "others"].map(str::to_owned), "without vehicle-svc, by status");
    })
    .await;
}

#[tokio::test]
async fn a_yard_shows_the_campaigns_with_vehicles_in_it_and_counts_only_those() {
    each_database(async |host| {
        let world = World::start(host).await;
        let (brakes, wipers, hose) = (world.ready("Brakes").await, world.ready("Wipers").await, world.ready("Hose").await);
        world.count(brakes, 2, (10, 4, Some(5))).await;
        world.count(brakes, 3, (20, 20, None)).await;
        world.count(wipers, 3, (6, 6, None)).await;
        world.count(hose, 3, (0, 0, None)).await;
        let draft = world.draft("Draft").await.unwrap().id;
        world.count(draft, 3, (9, 0, None)).await;
        world.yard.calls();
        let reply = world.list(ListCampaignsRequest { yard: Some(3), ..page(0, 10) }).await.unwrap();
        let seen: Vec<_> = reply.campaigns.iter().map(|c| (c.id, c.id_yard, c.total_vehicles, c.total_inspected, c.next)).collect();
        assert_eq!(seen, [(wipers, Some(3), 6, 6, None), (brakes, Some(3), 20, 20, None)]);
        assert_eq!(reply.meta.unwrap().total_count, 2);
        assert_eq!(world.yard.calls(), ["campaigns of 3".to_owned(), format!("progress of {:?} in Some(3)", [wipers, brakes])]);
        assert_eq!(world.names(ListCampaignsRequest { yard: Some(28), ..page(0, 10) }).await, (vec![], 0));
        let one = world.names(ListCampaignsRequest { yard: Some(3), search: "brake".to_owned(), ..page(0, 10) }).await;
        assert_eq!(one, (vec!["Brakes".to_owned()], 1));
        let whole = world.get(brakes).await.unwrap();
        assert_eq!((whole.id_yard, whole.total_vehicles, whole.total_inspected, whole.next), (None, 30, 24, Some(5)));
        let ask = world.by(MANAGER, GetCampaignRequest { id: brakes, yard: Some(2) });
        let there = world.campaigns().get_campaign(ask).await.unwrap().into_inner();
        assert_eq!((there.id_yard, there.total_vehicles, there.total_inspected, there.next), (Some(2), 10, 4, Some(5)));
    })
    .await;
}

#[tokio::test]
async fn invalid_list_parameters_are_reported_by_name() {
    each_database(async |host| {
        let world = World::start(host).await;
        for (field, ask) in [
            ("yard", ListCampaignsRequest { yard: Some(29), ..page(0, 10) }),
            ("statuses", ListCampaignsRequest { statuses: vec![1, 0], ..page(0, 10) }),
            ("search", search("nul \u{0}")),
            ("search", search(&"x".repeat(201))),
        ] {
            let refusal = world.list(ask).await.unwrap_err();
            assert!(errors::status_value(&refusal, field).is_some(), "{field}");
            assert_eq!(refused::<()>(Err(refusal)), (Code::InvalidArgument, ErrorReason::BadRequest));
        }
        assert_eq!(refused(world.get(0).await), (Code::NotFound, ErrorReason::NoCampaign));
        assert_eq!(refused(world.get(i64::MIN).await), (Code::NotFound, ErrorReason::NoCampaign));
    })
    .await;
}
