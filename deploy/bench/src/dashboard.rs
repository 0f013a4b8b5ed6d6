//! Benchmark of the dashboards, and of Patio without visitors.
use crate::{
    Bench, fill,
    load::{Shot, count, once},
    measure::work,
    table::{Table, micros},
};
use anyhow::{Context, ensure};
use chrono::TimeDelta;
use futures::future::try_join_all;
use patio_kit::clock::Clock;
use std::time::{Duration, Instant};

/// Maximum time in milliseconds in which all requests of a dashboard are answered.
const DASHBOARD_LIMIT: f64 = 50.0;
/// Number of times that a dashboard is opened.
const OPENINGS: usize = 21;
/// Maximum share of a core that Patio uses without visitors, in per cent.
const IDLE_LIMIT: f64 = 0.1;

/// Measures how long a supervisor waits for the requests that the page of a campaign and the home page send at once.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let campaign = bench.campaigns.first().context("no campaign was imported")?;
    let days_ago = |days| (Clock::default().now() - TimeDelta::days(days)).format("%Y-%m-%dT%H:%M:%SZ");
    let of_campaign = |name: &str| format!("/api/campaigns/{campaign}{name}");
    let pages = [
        (
            "dashboard of a campaign, all requests",
            vec![
                of_campaign(""),
                of_campaign(&format!("/activity?from={}", days_ago(90))),
                of_campaign("/pace"),
                of_campaign("/held"),
                format!("/api/yards/vehicle-counts?campaign_name={}", fill::campaign_name(0).replace(' ', "%20")),
                format!("/api/conflicts?per_page=50&state=open&campaign_id={campaign}"),
                format!("/api/vehicles/campaign/{campaign}?page=0&per_page=200&status=Repair"),
            ],
        ),
        (
            "home page of a supervisor, all requests",
            vec![
                "/api/campaigns?order=work&per_page=12".to_owned(),
                "/api/yards?per_page=200".to_owned(),
                format!("/api/activity?from={}", days_ago(7)),
                "/api/conflicts?per_page=50&state=open".to_owned(),
            ],
        ),
    ];
    for (page, paths) in pages {
        let mut times = Vec::with_capacity(OPENINGS);
        for _ in 0..OPENINGS {
            let begun = Instant::now();
            let requests = paths.iter().map(|path| once(bench.patio.at, Shot::get(path.clone(), &bench.admin.headers)));
            for (answer, path) in try_join_all(requests).await?.iter().zip(&paths) {
                ensure!(answer.status.is_success(), "{path}: {}", answer.status);
            }
            times.push(begun.elapsed());
        }
        times.sort();
        let milli = |time: &Duration| micros(*time) / 1000.0;
        let (median, slowest) = (milli(&times[OPENINGS / 2]), milli(&times[OPENINGS - 1]));
        table.most(
            (bench.stack, page),
            (median, DASHBOARD_LIMIT),
            "ms",
            format!("{} requests, slowest opening {slowest:.1} ms", paths.len()),
        );
        for path in &paths {
            let begun = Instant::now();
            once(bench.patio.at, Shot::get(path.clone(), &bench.admin.headers)).await?;
            table.value(bench.stack, "  alone", format!("{:.1} ms", milli(&begun.elapsed())), path.clone());
        }
    }
    Ok(())
}

/// Measures the CPU time without visitors, as a share of one core.
///
/// # Errors
/// Returns no error in practice, since nothing is requested.
pub async fn measure_idle(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let time = bench.sizes.time * 10;
    tokio::time::sleep(time / 2).await; // work that follows earlier requests ends
    let groups = bench.patio.groups();
    let idle = work(&groups, &[], async {
        tokio::time::sleep(time).await;
        Ok(())
    });
    let times = idle.await?.times;
    let per_cent = |time_used: Duration| 100.0 * time_used.as_secs_f64() / time.as_secs_f64();
    let by_process: Vec<_> = groups.iter().zip(&times).map(|(group, used)| format!("{} {:.2}", group.name, per_cent(*used))).collect();
    let total = per_cent(times.iter().sum());
    let limit = IDLE_LIMIT * count(u64::try_from(bench.patio.own.len())?);
    table.most((bench.stack, "without visitors, share of a core"), (total, limit), "%", by_process.join(" "));
    Ok(())
}
