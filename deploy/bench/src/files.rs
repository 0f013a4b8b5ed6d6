//! Benchmark of file operations: imports, exports and bulk changes.
use crate::{
    Bench,
    fill::{self, vehicle},
    load::{Shot, count},
    measure,
    proc::{self, Group},
    table::Table,
};
use anyhow::ensure;
use serde_json::json;
use std::{fmt::Write, path::Path, time::Duration};

/// Number of runs per operation.
const TIMES: u32 = 5;
/// Number of runs per kind of bulk change, in each of two campaigns.
const BULK_TIMES: u32 = 5;
/// Number of vehicles in a bulk change.
const MANY: u32 = 10_000;

/// Costs of several runs.
#[derive(Default)]
struct Sum {
    patio: Vec<Duration>,
    peak: u64,
    by_group: Vec<(String, Duration)>,
}

/// Returns the interquartile mean: it ignores outliers, and averages out the coarse clock ticks of a short operation.
fn middle(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    let quarter = times.len() / 4;
    let middle = &times[quarter..times.len() - quarter];
    middle.iter().sum::<Duration>() / u32::try_from(middle.len().max(1)).unwrap_or(u32::MAX)
}

impl Sum {
    fn take<T>(&mut self, groups: &[Group], work: measure::Work<T>) -> T {
        self.by_group.resize_with(groups.len(), Default::default);
        for ((sum, group), time) in self.by_group.iter_mut().zip(groups).zip(&work.times) {
            *sum = (group.name.clone(), sum.1 + *time);
        }
        self.patio.push(work.times.iter().sum());
        self.peak = self.peak.max(work.peak);
        work.done
    }

    fn add_to(self, table: &mut Table, (stack, name): (&str, &str), (floor, goal): (Vec<Duration>, f64), most: Option<f64>) {
        let milli = |time: Duration| time.as_secs_f64() * 1000.0;
        let turns = count(self.patio.len() as u64);
        let each = self.by_group.iter().map(|(name, time)| (name, milli(*time) / turns)).filter(|(_, time)| *time >= 1.0);
        let mut more = each.fold(String::new(), |mut text, (name, time)| {
            let _ = write!(text, "{name} {time:.0} ");
            text
        });
        for (name, times) in [("all", &self.patio), ("floors", &floor)] {
            let _ = write!(more, "| {name} {:.0?} ", times.iter().map(|time| milli(*time)).collect::<Vec<_>>());
        }
        table.ratio((stack, name), (milli(middle(self.patio)), milli(middle(floor)), "ms"), goal, more);
        if let Some(most) = most {
            table.most((stack, "  memory above idle"), (count(self.peak) / 1024.0, most), "MiB", String::new());
        }
    }
}

impl Bench {
    /// Runs a baseline in a separate process. Returns its CPU time together with that of the database.
    async fn floor_work(&self, arguments: &[&str]) -> anyhow::Result<Duration> {
        let all = [Group { name: "all".to_owned(), root: std::process::id() }];
        let patio = &self.patio.own;
        let time = |groups: &[Group]| proc::cpu(groups).iter().sum::<Duration>();
        let before = (time(&all), time(patio));
        let done = tokio::process::Command::new(std::env::current_exe()?).arg("floor").args(arguments).status().await?;
        ensure!(done.success(), "the baseline process {arguments:?} failed");
        // A database process exits shortly after its client; until then, its CPU time is not counted with its parent.
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok((time(&all) - before.0).saturating_sub(time(patio) - before.1))
    }

    async fn patio_work<T>(&self, sum: &mut Sum, doing: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
        let groups = self.patio.groups();
        Ok(sum.take(&groups, measure::work(&groups, &self.patio.own, doing).await?))
    }
}

/// Measures imports, exports and bulk changes.
///
/// # Errors
/// Returns an error when a request is rejected or a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    import(bench, table).await?;
    report(bench, table).await?;
    bulk(bench, table).await
}

async fn import(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let (mut sum, mut floor, path) = (Sum::default(), Vec::new(), bench.ground.path("import.xlsx"));
    for turn in 0..TIMES {
        let file = fill::workbook(&format!("Import {turn}"), 50 + turn, bench.sizes.each)?;
        std::fs::write(&path, &file)?;
        floor.push(bench.floor_work(&["import", &path.to_string_lossy(), &bench.source]).await?);
        bench.patio_work(&mut sum, bench.patio.import(&bench.admin, &file)).await?;
    }
    sum.add_to(table, (bench.stack, &format!("import of {} rows", bench.sizes.each)), (floor, 1.4), Some(64.0));
    Ok(())
}

async fn report(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let (mut sum, mut floor, path) = (Sum::default(), Vec::new(), bench.ground.path("report.xlsx"));
    for campaign in bench.campaigns.iter().cycle().take(usize::try_from(TIMES)?) {
        floor.push(bench.floor_work(&["report", &path.to_string_lossy(), &bench.source, &campaign.to_string()]).await?);
        let asked = Shot::get(format!("/api/campaigns/{campaign}/generate_campaign_vehicle_report"), &bench.admin.headers);
        bench.patio_work(&mut sum, bench.patio.done(asked)).await?;
    }
    sum.add_to(table, (bench.stack, &format!("report of {} rows", bench.sizes.each)), (floor, 1.3), Some(48.0));
    Ok(())
}

async fn bulk(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    tidy(bench).await?;
    let path = bench.ground.path("keys.txt");
    let many = MANY.min(bench.sizes.each / (2 * BULK_TIMES));
    // Both kinds of bulk change have the same baseline statement.
    let (mut statuses, mut files, mut floor) = (Sum::default(), Sum::default(), Vec::new());
    for (number, campaign) in (0..bench.sizes.campaigns).zip(&bench.campaigns).take(2) {
        let all = |turn: u32| (turn * many..(turn + 1) * many).map(move |row| vehicle(number, row, bench.sizes.each));
        for turn in 0..BULK_TIMES {
            floor.push(one_floor(bench, &path, *campaign, all(turn)).await?);
            let vins: Vec<String> = all(turn).map(|[model, serial, _]| format!("{model} {serial}")).collect();
            let ask = json!({ "vins": vins, "action": "insert", "status": "Gate Out", "campaign_id": campaign });
            bench.patio_work(&mut statuses, bench.patio.post("/api/vehicles/bulk/status", &bench.admin.headers, &ask)).await?;
            let all = all(turn + BULK_TIMES);
            floor.push(one_floor(bench, &path, *campaign, all.clone()).await?);
            let csv =
                all.fold("Model Code,Serial Number,Status\n".to_owned(), |csv, [model, serial, _]| csv + &format!("{model},{serial},ok\n"));
            bench
                .patio_work(&mut files, bench.patio.upload(&bench.admin, "/api/vehicles/csv", "file", ("bench.csv", csv.as_bytes())))
                .await?;
        }
    }
    statuses.add_to(table, (bench.stack, &format!("bulk status of {many} vehicles")), (floor.clone(), 1.5), None);
    files.add_to(table, (bench.stack, &format!("CSV of {many} vehicles")), (floor, 1.5), None);
    Ok(())
}

/// Runs `vacuum analyze` after the imports, so that autovacuum does not disturb later measurements.
async fn tidy(bench: &Bench) -> anyhow::Result<()> {
    if bench.stack == "five" {
        let pool = sqlx::PgPool::connect(&bench.source).await?;
        sqlx::raw_sql("vacuum analyze").execute(&pool).await?;
        pool.close().await;
    }
    Ok(())
}

/// Measures the baseline of bulk changes: one `UPDATE … FROM` of vehicles by their keys.
async fn one_floor(bench: &Bench, path: &Path, campaign: i64, all: impl Iterator<Item = [String; 3]>) -> anyhow::Result<Duration> {
    let keys = all.map(|[model, serial, _]| patio_proto::vin::comparison_key(&format!("{model} {serial}")));
    std::fs::write(path, keys.collect::<Vec<_>>().join("\n"))?;
    bench.floor_work(&["bulk", &path.to_string_lossy(), &bench.source, &campaign.to_string()]).await
}
