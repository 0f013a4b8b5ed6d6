//! Measures Patio beside floors built from the same workspace, in the same run.
mod cores;
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
use patio_kit::command;
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
    /// Starts Patio, fills it, measures, and prints the table.
    Run(Options),
    /// One process of a floor.
    #[command(hide = true, subcommand)]
    Floor(floor::Floor),
}

#[derive(Args)]
struct Options {
    /// What is measured; everything when nothing is named.
    parts: Vec<Part>,
    /// In which form Patio runs.
    #[arg(long, value_enum, default_value_t = Form::Both)]
    stack: Form,
    /// 200,000 vehicles and short turns: minutes instead of a quarter of an hour.
    #[arg(long)]
    quick: bool,
    /// A few hundred vehicles and turns of a moment: proves that the bench works, measures nothing.
    #[arg(long)]
    smoke: bool,
    /// How many campaigns of 100,000 vehicles are filled.
    #[arg(long)]
    campaigns: Option<u32>,
    /// Where Patio's programs are; beside this one when left out.
    #[arg(long)]
    programs: Option<PathBuf>,
    /// Writes the table as JSON, too.
    #[arg(long)]
    json: Option<PathBuf>,
    /// How long one turn of an operation is, in seconds.
    #[arg(long)]
    seconds: Option<f64>,
    /// Keeps the load on half of the cores, and Patio with its databases on the others.
    #[arg(long)]
    apart: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// One vehicle: read and saved.
    Vehicle,
    /// Pages of vehicles and of campaigns, yards.
    Lists,
    /// The whole list of a campaign.
    Whole,
    /// Signing in.
    Doors,
    /// Imports, reports and bulk changes.
    Files,
    /// Waits while an import runs.
    Mixed,
    /// Three times what can be served.
    Overload,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Form {
    /// Five processes on PostgreSQL and Redis.
    Five,
    /// One process on SQLite.
    One,
    /// Both, one after the other.
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

/// Everything a part needs.
pub struct Bench {
    /// `five` or `one`.
    pub stack: &'static str,
    /// How much.
    pub sizes: Sizes,
    /// The databases and the folder.
    pub ground: Ground,
    /// Patio.
    pub patio: Served,
    /// What the floors are given as their database.
    pub source: String,
    /// A supervisor.
    pub admin: Person,
    /// An operator.
    pub operator: Person,
    /// The campaigns, in the order of their import.
    pub campaigns: Vec<i64>,
    /// What the campaigns page cost when there was one campaign.
    pub campaigns_page: Option<f64>,
}

fn main() -> ExitCode {
    command::ended(&match Cli::parse().command {
        Command::Run(options) => match options.cores() {
            Ok(cores) => command::run(run(options, cores)),
            Err(cause) => Err(cause),
        },
        Command::Floor(floor) => command::run(floor::run(floor)),
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
            ground.five_processes()?
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
        rustix::fs::sync(); // what the imports wrote is not to be in the way of what is measured
        println!("{}: {} vehicles imported in {:.0} s", self.stack, self.sizes.vehicles(), started.elapsed().as_secs_f64());
        Ok(())
    }
}

/// A copy of the vehicles that floors may write to, with all indexes.
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

/// The same as a file.
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
