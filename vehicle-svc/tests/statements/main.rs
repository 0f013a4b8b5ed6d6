//! A page costs a fixed number of statements. Alone in its process, since it listens to every statement in it.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on fails")]
#[path = "../vehicle/yard.rs"]
#[expect(dead_code, reason = "this test needs a part of what the others need")]
mod yard;

use patio_kit::testing::{each_database, statements};
use patio_proto::{access::Role, common::Page, vehicle as pb};
use yard::{CAMPAIGN, Yard};

/// Proves that a page of so many rows takes so many statements.
async fn costs(yard: &Yard, ask: pb::ListVehiclesRequest, (rows, most): (usize, usize)) {
    statements::taken("").await;
    let reply = yard.vehicles().list_vehicles(yard.person(4, Role::Operator).sign(ask)).await.unwrap().into_inner();
    assert_eq!(reply.vehicles.len(), rows);
    let mut taken = statements::taken("campaign").await;
    taken.retain(|statement| !statement.contains("from turns")); // told in the background
    assert_eq!(taken.len(), most, "{taken:#?}");
}

#[tokio::test]
async fn a_page_costs_the_same_statements_whatever_its_size_and_the_tables() {
    statements::listen();
    each_database(async |host| {
        let spaces: Vec<String> = (0..700).map(|n| format!("A-{n}")).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let page = |size| pb::ListVehiclesRequest { campaign_id: CAMPAIGN, page: Some(Page { index: 1, size }), ..Default::default() };
        let searched = |size| pb::ListVehiclesRequest { search: "a-".into(), ..page(size) };
        for size in [10, 200] {
            costs(&yard, page(size), (usize::try_from(size).unwrap(), 2)).await; // the campaign with its count, the page
            costs(&yard, searched(size), (usize::try_from(size).unwrap(), 3)).await; // and one more that counts what is found
        }
        statements::taken("").await;
        let ask = pb::GetProgressRequest { campaign_ids: vec![CAMPAIGN, 8, 9], ..Default::default() };
        yard.yards().get_progress(yard.person(4, Role::Operator).sign(ask)).await.unwrap();
        assert_eq!(statements::taken("campaigns").await.len(), 1, "progress of any number of campaigns is one statement");
    })
    .await;
}
