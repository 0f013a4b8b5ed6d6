//! Benchmark of lists: pages of vehicles and campaigns, and the full vehicle list of a campaign.
use crate::{
    Bench,
    fill::{Person, scatter, vehicle},
    load::{self, Shot, Shots},
    measure::{self, Sizes, Target, in_turns},
    stack::Served,
    table::{Table, micros},
    vehicles::beside,
};
use http::{
    HeaderMap, HeaderValue, StatusCode,
    header::{ACCEPT_ENCODING, ETAG, IF_NONE_MATCH},
};
use patio_proto::walking_order;
use std::{sync::Arc, time::Duration};

/// Number of rows per page.
const PAGE: usize = 50;
/// `Accept-Encoding` header that browsers send.
const BROWSER: HeaderValue = HeaderValue::from_static("gzip, deflate, br, zstd");

/// Returns the CPU time in microseconds of a request of the campaigns page.
///
/// # Errors
/// Returns an error when a request is rejected.
pub async fn campaigns_page(patio: &Served, person: &Person, sizes: Sizes) -> anyhow::Result<f64> {
    let headers = person.headers.clone();
    let shots: Shots = Arc::new(move |number| {
        let path = if number % 2 == 0 { "/api/campaigns?per_page=1" } else { "/api/yards?per_page=28" };
        Shot::get(path.to_owned(), &headers)
    });
    let target = Target { at: patio.at, groups: patio.groups(), shots };
    Ok(in_turns(sizes, &[target]).await?.first().map_or(0.0, |cost| cost.micros))
}

/// Measures pages of vehicles and campaigns.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let baseline = bench.floor().await?;
    let campaign = bench.campaigns.first().copied().unwrap_or_default();
    let mut keys: Vec<String> = (0..bench.sizes.each).map(|row| walking_order::sort_key(&vehicle(0, row, bench.sizes.each)[2])).collect();
    keys.sort();
    let positions: Arc<Vec<String>> = Arc::new(keys.iter().step_by(PAGE).cloned().collect());
    let pages = u64::try_from(positions.len())?;
    let headers = bench.operator.headers.clone();
    let patio: Shots = Arc::new(move |number| {
        Shot::get(format!("/api/vehicles/campaign/{campaign}?per_page={PAGE}&page={}", scatter(number) % pages), &headers)
    });
    let floor: Shots = Arc::new(move |number| {
        let place = usize::try_from(scatter(number) % pages).unwrap_or_default();
        Shot::get(format!("/page/{campaign}?walk_key={}&id=0", positions[place]), &HeaderMap::new())
    });
    beside(bench, table, "list of 50 with total, any page", 1.5, bench.targets(&baseline, patio, &floor)).await?;
    for length in [1, 2, 4, 7] {
        let searches = searches(bench, campaign, length);
        beside(bench, table, &format!("  searched for {length} characters"), 2.0, bench.targets(&baseline, searches, &floor)).await?;
    }
    let large = campaigns_page(&bench.patio, &bench.operator, bench.sizes).await?;
    if let Some(small) = bench.campaigns_page {
        let name = format!("campaigns and yards at {}, then {}", bench.sizes.each, bench.sizes.vehicles());
        table.ratio((bench.stack, &name), (large, small, "us"), 1.2, String::new());
    }
    Ok(())
}

/// Returns requests that search the campaign for a part of a VIN or parking space.
fn searches(bench: &Bench, campaign: i64, length: usize) -> Shots {
    let (headers, each) = (bench.operator.headers.clone(), bench.sizes.each);
    Arc::new(move |number| {
        let chance = scatter(number);
        let [model, serial, space] = vehicle(0, u32::try_from(chance % u64::from(each)).unwrap_or_default(), each);
        let whole = if number % 3 == 0 { space } else { format!("{model} {serial}") };
        let from = usize::try_from(chance >> 32).unwrap_or_default() % (whole.len().saturating_sub(length) + 1);
        let part: String = whole.chars().skip(from).take(length).collect();
        Shot::get(format!("/api/vehicles/campaign/{campaign}?per_page={PAGE}&search={}", part.replace(' ', "%20")), &headers)
    })
}

/// Measures the full vehicle list.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure_whole(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let baseline = bench.ground.floor(&bench.source, false).await?;
    let campaign = bench.campaigns.last().copied().unwrap_or_default();
    let path = format!("/api/vehicles/campaign/{campaign}/all");
    let with = |headers: &HeaderMap, encoding: HeaderValue| {
        let mut headers = headers.clone();
        headers.insert(ACCEPT_ENCODING, encoding);
        headers
    };
    let shots = |path: String, headers: HeaderMap| -> Shots { Arc::new(move |_| Shot::get(path.clone(), &headers)) };
    let gzip = HeaderValue::from_static("gzip");
    let sizes = Sizes { connections: 2, ..bench.sizes };
    let targets = [
        (&bench.patio, shots(path.clone(), with(&bench.operator.headers, BROWSER))),
        (&baseline, shots(format!("/whole/{campaign}"), with(&HeaderMap::new(), gzip))),
    ]
    .map(|(served, shots)| Target { at: served.at, groups: served.groups(), shots });
    let costs = in_turns(sizes, &targets).await?;
    if let [patio, floor] = &costs[..] {
        let milli = |micros: f64| micros / 1000.0;
        table.ratio((bench.stack, "whole list"), (milli(patio.micros), milli(floor.micros), "ms"), 1.3, patio.words());
        table.value(bench.stack, "  its floor, one SELECT with gzip", format!("{:.1} ms", milli(floor.micros)), floor.words());
    }
    one_by_one(bench, table, &path).await?;
    repeated(bench, table, &path).await
}

/// Measures size, time to first byte and memory of one download.
async fn one_by_one(bench: &Bench, table: &mut Table, path: &str) -> anyhow::Result<()> {
    let mut headers = bench.operator.headers.clone();
    headers.insert(ACCEPT_ENCODING, BROWSER);
    let (mut first, mut peak, mut size) = (Duration::MAX, 0, 0);
    for _ in 0..5 {
        let work = measure::work(&[], &bench.patio.own, bench.patio.done(Shot::get(path.to_owned(), &headers))).await?;
        first = first.min(work.done.first_byte);
        peak = peak.max(work.peak);
        size = work.done.body.len();
    }
    let (vehicles, mebi) = (load::count(u64::from(bench.sizes.each)), load::count(1 << 20));
    let limit = 1.5 * vehicles / 100_000.0;
    table.most((bench.stack, "  size"), (load::count(u64::try_from(size)?) / 1e6, limit), "MB", String::new());
    table.most((bench.stack, "  first byte, best of 5"), (micros(first) / 1000.0, 20.0), "ms", String::new());
    table.most((bench.stack, "  memory above idle"), (load::count(peak << 10) / mebi, 16.0), "MiB", String::new());
    Ok(())
}

/// Measures repeated requests of the list with its ETag.
async fn repeated(bench: &Bench, table: &mut Table, path: &str) -> anyhow::Result<()> {
    let answer = bench.patio.done(Shot::get(path.to_owned(), &bench.operator.headers)).await?;
    let Some(tag) = answer.headers.get(ETAG).cloned() else {
        table.most((bench.stack, "  repeated by ETag: it has none"), (f64::INFINITY, 60.0), "us", String::new());
        return Ok(());
    };
    let mut headers = bench.operator.headers.clone();
    headers.insert(IF_NONE_MATCH, tag);
    let path = path.to_owned();
    let shots: Shots = Arc::new(move |_| Shot { expected: Some(StatusCode::NOT_MODIFIED), ..Shot::get(path.clone(), &headers) });
    let cost = in_turns(bench.sizes, &[Target { at: bench.patio.at, groups: bench.patio.groups(), shots }]).await?;
    for cost in &cost {
        table.most((bench.stack, "  repeated by ETag"), (cost.micros, 60.0), "us", cost.words());
    }
    Ok(())
}
