//! What a page of campaigns costs.
use crate::support::{World, page};
use patio_kit::testing::each_database;
use patio_proto::campaign::ListCampaignsRequest;
use std::{
    fmt::Debug,
    sync::{LazyLock, Mutex},
    time::Duration,
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
};

/// Every statement on campaigns that sqlx told of.
///
/// What goes on beside a call is none: opening a connection, asking whether the database is there, sealing the audit log.
static STATEMENTS: LazyLock<Mutex<Vec<String>>> = LazyLock::new(Mutex::default);

/// Takes down what sqlx logs of each statement it ran.
struct Listener;

impl<S: tracing::Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            let mut statement = Statement::default();
            event.record(&mut statement);
            if statement.0.contains("campaigns") {
                STATEMENTS.lock().unwrap().push(statement.0);
            }
        }
    }
}

#[derive(Default)]
struct Statement(String);

impl tracing::field::Visit for Statement {
    fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn Debug) {}

    fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
        if ["summary", "db.statement"].contains(&field.name()) {
            self.0 += value;
        }
    }
}

/// Proves that a page of so many rows takes two statements, and as many calls to vehicle-svc as expected.
async fn costs(world: &World, ask: ListCampaignsRequest, (rows, calls): (usize, usize)) {
    settled().await;
    world.yard.calls();
    STATEMENTS.lock().unwrap().clear();
    assert_eq!(world.list(ask).await.unwrap().campaigns.len(), rows);
    settled().await;
    let statements = STATEMENTS.lock().unwrap().clone();
    assert_eq!(statements.len(), 2, "the page and its count, but not {statements:#?}");
    let called = world.yard.calls();
    assert_eq!(called.len(), calls, "{called:?}");
}

/// Lets the threads of the database tell their last statement.
async fn settled() {
    tokio::time::sleep(Duration::from_millis(100)).await;
}

#[tokio::test]
async fn a_page_of_ten_and_one_of_two_hundred_cost_the_same_few_statements() {
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(Listener)).unwrap();
    each_database(async |host| {
        let world = World::start(host).await;
        for number in 0..210 {
            let id = world.ready(&format!("Campaign {number}")).await;
            world.count(id, 2, (3, 1, Some(id))).await;
        }
        let in_yard = |size| ListCampaignsRequest { yard: Some(2), ..page(0, size) };
        costs(&world, in_yard(10), (10, 2)).await; // with a yard: its campaigns, their counters
        costs(&world, in_yard(200), (200, 2)).await;
        costs(&world, page(1, 10), (10, 1)).await; // one call for the counters of all ten
        costs(&world, page(0, 200), (200, 1)).await; // one call for those that the cache does not know
        costs(&world, page(0, 200), (200, 0)).await; // and none when it knows all
        costs(&world, ListCampaignsRequest { search: "campaign 2".to_owned(), ..page(0, 200) }, (21, 1)).await;
    })
    .await;
}
