//! What a page of campaigns costs.
use crate::support::{World, page};
use patio_kit::testing::each_database;
use patio_proto::campaign::ListCampaignsRequest;
use std::{fmt::Debug, sync::{LazyLock, Mutex}, time::Duration};
use tracing_subscriber::{Layer, layer::{Context, SubscriberExt}};

/// Every statement that sqlx told of, but what opens a connection or asks whether the database is there.
static STATEMENTS: LazyLock<Mutex<Vec<String>>> = LazyLock::new(Mutex::default);

/// Takes down what sqlx logs of each statement it ran.
struct Listener;

impl<S: tracing::Subscriber> Layer<S> for Listener {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            let mut statement = Statement::default();
            event.record(&mut statement);
            if statement.0 != "select 1" && !statement.0.to_lowercase().starts_with("pragma") {
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
        if field.name() == "summary" {
            value.clone_into(&mut self.0);
        }
    }
}

/// How many statements and calls to vehicle-svc a page takes.
async fn cost(world: &World, ask: ListCampaignsRequest, rows: usize) -> (usize, usize) {
    settled().await;
    world.yard.calls();
    STATEMENTS.lock().unwrap().clear();
    assert_eq!(world.list(ask).await.unwrap().campaigns.len(), rows);
    settled().await;
    let statements = std::mem::take(&mut *STATEMENTS.lock().unwrap());
    assert!(statements.iter().all(|text| text.starts_with("select")), "{statements:?}");
    (statements.len(), world.yard.calls().len())
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
        assert_eq!(cost(&world, in_yard(10), 10).await, (2, 2), "with a yard: its campaigns, their counters");
        assert_eq!(cost(&world, in_yard(200), 200).await, (2, 2));
        assert_eq!(cost(&world, page(1, 10), 10).await, (2, 1), "one call for the counters of all ten");
        assert_eq!(cost(&world, page(0, 200), 200).await, (2, 1), "one call for those that the cache does not know");
        assert_eq!(cost(&world, page(0, 200), 200).await, (2, 0), "and none when it knows all");
        assert_eq!(cost(&world, ListCampaignsRequest { search: "campaign 2".to_owned(), ..page(0, 200) }, 21).await, (2, 1));
    })
    .await;
}
