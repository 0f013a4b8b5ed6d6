//! Benchmark of Patio. Each operation is compared with a baseline ("floor"): a minimal program with the same SQL statements.
mod cores;
mod dashboard;
mod doors;
mod files;
mod fill;
mod floor;
mod lists;
mod load;
mod measure;
mod mixed;
mod overload;
mod proc;
mod stack;
mod table;
mod vehicles;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use cores::Cores;
use fill::Person;
use measure::Sizes;
use patio_kit::cli;
use stack::{Ground, Served};
use std::{
    path::PathBuf,
    process::ExitCode,
    time::{Duration, Instant},
};
use table::Table;

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Starts Patio, imports campaigns, measures, and prints the results.
    Run(Options),
    /// Runs one process of a baseline (used internally).
    #[command(hide = true, subcommand)]
    Floor(floor::Floor),
}

#[derive(Args)]
struct Options {
    /// Parts to measure; all parts by default.
    parts: Vec<Part>,
    /// Deployment form of Patio.
    #[arg(long, value_enum, default_value_t = Form::Both)]
    stack: Form,
    /// Uses 200,000 vehicles and short rounds: takes minutes instead of a quarter of an hour.
    #[arg(long)]
    quick: bool,
    /// Uses a few hundred vehicles and minimal rounds: tests the benchmark itself, the results mean nothing.
    #[arg(long)]
    smoke: bool,
    /// Number of campaigns with 100,000 vehicles each.
    #[arg(long)]
    campaigns: Option<u32>,
    /// Folder of Patio's executables; by default that of this program.
    #[arg(long)]
    programs: Option<PathBuf>,
    /// Also writes the results as JSON to this file.
    #[arg(long)]
    json: Option<PathBuf>,
    /// Duration of one round of an operation, in seconds.
    #[arg(long)]
    seconds: Option<f64>,
    /// Pins the load generator to half of the cores, and Patio and its databases to the other half.
    #[arg(long)]
    apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Reading and saving one vehicle.
    Vehicle,
    /// Pages of vehicles, campaigns and yards.
    Lists,
    /// The full vehicle list of a campaign.
    Whole,
    /// All requests of a campaign's page and of the home page.
    Dashboard,
    /// CPU time without visitors.
    Idle,
    /// Sign-ins.
    Doors,
    /// Imports, exports and bulk changes.
    Files,
    /// Latency during an import.
    Mixed,
    /// Overload with three times the capacity.
    Overload,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Separate services on PostgreSQL and Redis.
    Five,
    /// One combined process on SQLite.
    One,
    /// Both forms, one after the other.
    Both,
}

impl Options {
    fn wants(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }

    fn cores(&self) -> anyhow::Result<Cores> {
        if self.apart { Cores::apart() } else { Ok(Cores::default()) }
    }

    fn sizes(&self) -> Sizes {
        let seconds = |usual: f64| Duration::from_secs_f64(self.seconds.unwrap_or(usual));
        let full = Sizes { campaigns: 10, each: 100_000, rounds: 5, time: seconds(4.0), connections: 16 };
        let sizes = match (self.smoke, self.quick) {
            (true, _) => Sizes { campaigns: 2, each: 300, rounds: 1, time: seconds(0.2), connections: 2 },
            (false, true) => Sizes { campaigns: 2, rounds: 3, time: seconds(2.0), ..full },
            (false, false) => full,
        };
        Sizes { campaigns: self.campaigns.unwrap_or(sizes.campaigns), ..sizes }
    }
}

/// Environment of the measurements: a running Patio with data, and the settings.
pub struct Bench {
    /// Deployment form, `five` or `one`.
    pub stack: &'static str,
    /// Number of vehicles, rounds and connections.
    pub sizes: Sizes,
    /// Database servers and folder of the run.
    pub ground: Ground,
    /// The measured Patio.
    pub patio: Served,
    /// Database argument of the baseline processes.
    pub source: String,
    /// A signed-in supervisor.
    pub admin: Person,
    /// A signed-in operator.
    pub operator: Person,
    /// Ids of the campaigns, in the order of their import.
    pub campaigns: Vec<i64>,
    /// Cost of the campaigns page when only one campaign existed, in microseconds of CPU time.
    pub campaigns_page: Option<f64>,
}

fn main() -> ExitCode {
    cli::report_result(&match Cli::parse().command {
        Command::Run(options) => match options.cores() {
            Ok(cores) => cli::block_on(run(options, cores)),
            Err(cause) => Err(cause),
        },
        Command::Floor(floor) => cli::block_on(floor::run(floor)),
    })
}

async fn run(options: Options, cores: Cores) -> anyhow::Result<()> {
    let mut table = Table::default();
    for (form, stack) in [(Form::Five, "five"), (Form::One, "one")] {
        if options.stack == form || options.stack == Form::Both {
            measure_one(&options, cores, stack, &mut table).await?;
        }
    }
    println!("\n{}", table.text());
    if let Some(file) = &options.json {
        std::fs::write(file, table.json()?)?;
    }
    Ok(())
}

async fn measure_one(options: &Options, cores: Cores, stack: &'static str, table: &mut Table) -> anyhow::Result<()> {
    let programs = match &options.programs {
        Some(folder) => folder.canonicalize()?,
        None => std::env::current_exe()?.parent().context("no folder")?.to_owned(),
    };
    let bench = Bench::start(stack, options.sizes(), Ground::new(&programs, cores)?).await?;
    if options.wants(Part::Vehicle) {
        timed("vehicle", vehicles::measure(&bench, table)).await?;
    }
    if options.wants(Part::Lists) {
        timed("lists", lists::measure(&bench, table)).await?;
    }
    if options.wants(Part::Whole) {
        timed("whole", lists::measure_whole(&bench, table)).await?;
    }
    if options.wants(Part::Dashboard) {
        timed("dashboard", dashboard::measure(&bench, table)).await?;
    }
    if options.wants(Part::Idle) {
        timed("idle", dashboard::measure_idle(&bench, table)).await?;
    }
    if options.wants(Part::Doors) {
        timed("doors", doors::measure(&bench, table)).await?;
    }
    if options.wants(Part::Files) {
        timed("files", files::measure(&bench, table)).await?;
    }
    if options.wants(Part::Mixed) {
        timed("mixed", mixed::measure(&bench, table)).await?;
    }
    if options.wants(Part::Overload) {
        timed("overload", overload::measure(&bench, table)).await?;
    }
    Ok(())
}

async fn timed(part: &str, work: impl Future<Output = anyhow::Result<()>>) -> anyhow::Result<()> {
    let started = Instant::now();
    work.await.with_context(|| format!("part {part}"))?;
    println!("      part {part} took {:.0} s", started.elapsed().as_secs_f64());
    Ok(())
}

impl Bench {
    async fn start(stack: &'static str, sizes: Sizes, mut ground: Ground) -> anyhow::Result<Self> {
        let patio = if stack == "five" {
            ground.start_databases()?;
            ground.separate_processes()?
        } else {
            ground.one_process()?
        };
        let admin = patio.sign_in("1000").await?;
        let operator = patio.new_person(&admin, "3000", "op").await?;
        let mut bench =
            Self { stack, sizes, ground, patio, source: String::new(), admin, operator, campaigns: Vec::new(), campaigns_page: None };
        bench.fill().await?;
        bench.source = if stack == "five" { floor_schema(&bench.ground).await? } else { floor_file(&bench.ground).await? };
        Ok(bench)
    }

    async fn fill(&mut self) -> anyhow::Result<()> {
        let started = Instant::now();
        for campaign in 0..self.sizes.campaigns {
            let file = fill::workbook(&fill::campaign_name(campaign), campaign, self.sizes.each)?;
            self.campaigns.push(self.patio.import(&self.admin, &file).await?);
            if campaign == 0 {
                self.campaigns_page = Some(lists::campaigns_page(&self.patio, &self.operator, self.sizes).await?);
            }
        }
        rustix::fs::sync(); // pending disk writes of the imports must not disturb the measurements
        println!("{}: {} vehicles imported in {:.0} s", self.stack, self.sizes.vehicles(), started.elapsed().as_secs_f64());
        Ok(())
    }
}

/// Copies the vehicles with all indexes to a schema that the baselines may write to. Returns the database URL.
async fn floor_schema(ground: &Ground) -> anyhow::Result<String> {
    let url = ground.database()?;
    let pool = sqlx::PgPool::connect(&url).await?;
    let text = "create schema floor; create table floor.vehicles (like vehicle.vehicles including all);
        insert into floor.vehicles overriding system value select * from vehicle.vehicles;
        select setval(pg_get_serial_sequence('floor.vehicles', 'id'), (select max(id) from floor.vehicles))";
    sqlx::raw_sql(text).execute(&pool).await?;
    sqlx::raw_sql("vacuum analyze").execute(&pool).await?;
    Ok(url)
}

/// Copies the SQLite file with the vehicles to one that the baselines may write to. Returns their database argument.
async fn floor_file(ground: &Ground) -> anyhow::Result<String> {
    let (own, copy) = (ground.path("data").join("vehicle.db"), ground.path("floor.db"));
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", own.display())).await?;
    sqlx::query("vacuum into $1").bind(copy.to_string_lossy()).execute(&pool).await?;
    sqlx::raw_sql("pragma optimize").execute(&pool).await?;
    pool.close().await;
    let pool = sqlx::SqlitePool::connect(&format!("sqlite:{}", copy.display())).await?;
    sqlx::raw_sql("pragma journal_mode = wal; insert or ignore into campaigns (id, name, gate) values (1000000, '', 'draft')")
        .execute(&pool)
        .await?;
    pool.close().await;
    Ok(format!("sqlite:{},{}", own.display(), copy.display()))
}
