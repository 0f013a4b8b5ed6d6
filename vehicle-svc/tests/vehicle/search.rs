//! Search: case-insensitive, literal, and fast on a large campaign.
use crate::yard::{CAMPAIGN, Yard};
use patio_proto::{access::Role, common::Page, normalization, vehicle::ListVehiclesRequest, vin};
use patio_testing::each_database;
use std::time::{Duration, Instant};

const SPACES: [&str; 12] = ["A-1", "A%2", "B_3", "C\\4", "D'5", "e\"6", "ÇÃ-7", "עברית-8", "🚗-9", "- 12", "--", "A-10"];
const TEXTS: [&str; 20] = [
    "",
    "a-1",
    "%",
    "_",
    "\\",
    "'",
    "\"",
    "' or 1=1 --",
    "çã",
    "ÇÃ",
    "עברית",
    "\u{202e}",
    "🚗",
    "-",
    "hb20 000003",
    "0000",
    "\0",
    "a\0",
    "%%",
    "\\%",
];

async fn found(yard: &Yard, search: &str) -> Vec<String> {
    let ask = ListVehiclesRequest {
        campaign_id: CAMPAIGN,
        page: Some(Page { index: 0, size: 200 }),
        search: search.to_owned(),
        ..ListVehiclesRequest::default()
    };
    let reply = yard.vehicles().list_vehicles(yard.person(4, Role::Manager).grpc_request(ask)).await.unwrap().into_inner();
    reply.vehicles.into_iter().map(|vehicle| vehicle.parking_space).collect()
}

#[tokio::test]
async fn a_search_finds_exactly_the_vehicles_that_contain_its_text() {
    each_database(async |host| {
        let yard = Yard::with(host, &SPACES).await;
        let walk = yard.walk().await;
        let long = "x".repeat(200);
        for text in TEXTS.into_iter().chain([long.as_str()]) {
            let holding = |needle: &str, form: fn(&str) -> String| -> Vec<_> {
                let holds = |value: &str| form(value).to_lowercase().contains(needle);
                let found =
                    walk.iter().filter(|one| holds(&format!("{} {}", one.model_code, one.serial_number)) || holds(&one.parking_space));
                found.map(|one| one.parking_space.clone()).collect()
            };
            let as_written = holding(&normalization::normalize_identifier(text).to_lowercase(), str::to_owned);
            let key = vin::comparison_key(text).to_lowercase();
            let expected = if as_written.is_empty() && !key.is_empty() && !text.starts_with('-') {
                holding(&key, vin::comparison_key)
            } else {
                as_written
            };
            assert_eq!(found(&yard, text).await, expected, "{text:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_vehicle_is_found_by_every_spelling_of_its_identifier_and_of_its_space() {
    each_database(async |host| {
        let yard = Yard::with(host, &["B-230", "C-1"]).await;
        for spelling in [
            "HB20 000001",
            "HB20000001",
            "*HB20000001*",
            "hb20-000001",
            " 000001 ",
            "IHB20000001",
            "ihb20 000001",
            "B-230",
            "b - 230",
            "b230",
            "B\u{2013}230",
        ] {
            assert_eq!(found(&yard, spelling).await, ["B-230"], "{spelling:?}");
        }
        for other in ["IHB21000001", "- 1", "I"] {
            assert_eq!(found(&yard, other).await, Vec::<String>::new(), "{other:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_search_among_a_hundred_thousand_vehicles_takes_less_than_100_ms() {
    if !patio_testing::long("a_search_among_a_hundred_thousand_vehicles_takes_less_than_100_ms") {
        return;
    }
    each_database(async |host| {
        let spaces: Vec<String> = (0..100_000).map(|n| format!("{}-{n}", char::from(b'A' + u8::try_from(n % 26).unwrap()))).collect();
        let yard = Yard::with(host, &spaces.iter().map(String::as_str).collect::<Vec<_>>()).await;
        let mut slowest = (Duration::ZERO, "");
        for text in TEXTS.into_iter().chain(["a-26", "nothing of the kind"]) {
            found(&yard, text).await;
            let started = Instant::now();
            found(&yard, text).await;
            slowest = slowest.max((started.elapsed(), text));
        }
        patio_testing::print_to_stderr(&format!("the slowest search among 100,000 vehicles took {:?}: {:?}", slowest.0, slowest.1));
        assert!(slowest.0 < Duration::from_millis(100), "{slowest:?}");
    })
    .await;
}
