//! A page of campaigns of any size costs a fixed number of SQL statements.
use crate::support::{World, page};
use patio_proto::campaign::ListCampaignsRequest;
use patio_testing::{each_database, runs_alone, statements};

/// Asserts that a list request returns `rows` campaigns with two SQL statements and `calls` calls to vehicle-svc.
async fn costs(world: &World, ask: ListCampaignsRequest, (rows, calls): (usize, usize)) {
    statements::taken("").await;
    world.yard.calls();
    assert_eq!(world.list(ask).await.unwrap().campaigns.len(), rows);
    let statements = statements::taken("campaigns").await;
    assert_eq!(statements.len(), 2, "the page and its count, but not {statements:#?}");
    let called = world.yard.calls();
    assert_eq!(called.len(), calls, "{called:?}");
}

#[tokio::test]
async fn a_page_of_ten_and_one_of_two_hundred_cost_the_same_few_statements() {
    // The capture sees all SQL statements of this process.
    if !runs_alone("statements::a_page_of_ten_and_one_of_two_hundred_cost_the_same_few_statements") {
        return;
    }
    statements::listen();
    each_database(async |host| {
        let world = World::start(host).await;
        for number in 0..210 {
            let id = world.ready(&format!("Campaign {number}")).await;
            world.count(id, 2, (3, 1, Some(id))).await;
        }
        let in_yard = |size| ListCampaignsRequest { yard: Some(2), ..page(0, size) };
        costs(&world, in_yard(10), (10, 2)).await; // yard filter: one call for its campaigns, one for their counters
        costs(&world, in_yard(200), (200, 2)).await;
        costs(&world, page(1, 10), (10, 1)).await; // one call for the counters of all ten
        costs(&world, page(0, 200), (200, 1)).await; // one call for the campaigns not in the cache
        costs(&world, page(0, 200), (200, 0)).await; // no call when all are in the cache
        costs(&world, ListCampaignsRequest { search: "campaign 2".to_owned(), ..page(0, 200) }, (21, 1)).await;
    })
    .await;
}
