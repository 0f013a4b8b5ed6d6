//! Benchmark of an overload with three times the capacity: throughput, latency and speed of rejections.
use crate::{
    Bench,
    doors::tries,
    load::{Load, Shot, Shots, Volley, count, fire},
    mixed::{SAVES, both, reads, saves},
    stack::PASSWORD,
    table::Table,
};
use http::HeaderMap;
use std::{
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};
use tokio::time::sleep;

/// Request rate as a multiple of the capacity.
const TIMES: f64 = 3.0;
/// Number of connections: enough to keep the request rate although each waits for its response.
const CALLERS: u32 = 400;
/// Sign-ins and readiness probes per second during the overload.
const BESIDE: f64 = 4.0;

/// Pause between two overloads, so that the first has ended.
const PAUSE: Duration = Duration::from_secs(1);

/// Measures throughput and latency in an overload.
///
/// # Errors
/// Returns an error when a connection fails.
pub async fn measure(bench: &Bench, table: &mut Table) -> anyhow::Result<()> {
    let (at, number) = (bench.patio.at, Arc::new(AtomicU64::new(1 << 40)));
    let (reads, saves) = (reads(bench), saves(bench));
    let mixed = both(&reads, &saves);
    let (sign_ins, nobody) = (tries("3000", PASSWORD, None), HeaderMap::new());
    let probes: Shots = Arc::new(move |_| Shot::get("/healthz".to_owned(), &nobody));
    let load = Load { connections: bench.sizes.connections, time: bench.sizes.time, pace: None };
    let paced = |pace: f64, connections| Load { connections, pace: Some(pace), ..load };
    let beside = async || tokio::try_join!(fire(at, paced(BESIDE, 2), &number, &probes), fire(at, paced(BESIDE, 4), &number, &sign_ins));
    let alone = async |shots: &Shots| anyhow::Ok(tokio::try_join!(fire(at, load, &number, shots), beside())?.0);
    let mut all = Fired::new()?;
    for _ in 0..bench.sizes.rounds {
        sleep(PAUSE).await;
        all.alone.add(alone(&reads).await?, alone(&saves).await?)?;
        let knee = alone(&mixed).await?;
        let paced_both = async |times: f64, callers| {
            let (much, few) = (knee.good() * times / SAVES * (SAVES - 1.0), knee.good() * times / SAVES);
            tokio::try_join!(fire(at, paced(much, callers), &number, &reads), fire(at, paced(few, callers / 8), &number, &saves), beside())
        };
        let (read, saved, _) = paced_both(0.25, 32).await?;
        all.calm.add(read, saved)?;
        paced_both(TIMES, CALLERS).await?; // not measured: an overload begins with queued requests
        let (read, saved, (probed, signed)) = paced_both(TIMES, CALLERS).await?;
        all.overload.add(read, saved)?;
        all.beside.add(probed, signed)?;
        sleep(PAUSE).await;
        all.knee.add(knee)?;
        all.knee.add(alone(&mixed).await?)?; // measured again, since the speed of the machine may have changed
    }
    add_lines(bench.stack, table, &all);
    Ok(())
}

/// Results of two kinds of requests, usually reads and saves.
struct Pair(Volley, Volley);

impl Pair {
    fn new() -> anyhow::Result<Self> {
        Ok(Self(Volley::none()?, Volley::none()?))
    }

    fn add(&mut self, one: Volley, other: Volley) -> anyhow::Result<()> {
        self.0.add(one)?;
        self.1.add(other)
    }
}

/// Results of all rounds, separately for reads and saves, except for `knee`, where they are mixed.
struct Fired {
    knee: Volley,
    calm: Pair,
    /// Results of only reads, and of only saves.
    alone: Pair,
    overload: Pair,
    /// Results of readiness probes and sign-ins during the overload.
    beside: Pair,
}

impl Fired {
    fn new() -> anyhow::Result<Self> {
        let [calm, alone, overload, beside] = [Pair::new()?, Pair::new()?, Pair::new()?, Pair::new()?];
        Ok(Self { knee: Volley::none()?, calm, alone, overload, beside })
    }

    /// Returns the share of the capacity that is lost in an overload.
    ///
    /// Reads and saves are weighted by their individual capacity, because a save costs several times as much as a read.
    fn lost(&self) -> f64 {
        let share = |read: f64, saved: f64| read / self.alone.0.good() + saved / self.alone.1.good();
        let (knee, now) = (self.knee.good() / SAVES, &self.overload);
        1.0 - share(now.0.good(), now.1.good()) / share(knee * (SAVES - 1.0), knee)
    }
}

fn waited(volley: &Volley, share: f64) -> f64 {
    count(volley.waits.value_at_quantile(share)) / 1000.0
}

fn refused_in(volley: &Volley, share: f64) -> f64 {
    count(volley.refusals.value_at_quantile(share)) / 1000.0
}

fn add_lines(stack: &str, table: &mut Table, all: &Fired) {
    let Fired { knee, calm, overload: Pair(read, saved), beside: Pair(probed, signed), .. } = all;
    let share = |volley: &Volley| 100.0 * count(volley.refused) / count(volley.answers.max(1));
    let (knee, good, asked) = (knee.good(), read.good() + saved.good(), read.rate() + saved.rate());
    let more =
        format!("{good:.0}/s of {knee:.0}/s, asked {asked:.0}/s; refused {:.0} % of reads, {:.0} % of saves", share(read), share(saved));
    table.most((stack, "goodput lost at three times the load"), (100.0 * all.lost(), 10.0), "%", more);
    let refusals = refused_in(read, 0.99).max(refused_in(saved, 0.99));
    table.most((stack, "refused after, p99"), (refusals, 50.0), "ms", format!("half of them after {:.1} ms", refused_in(read, 0.5)));
    for (name, calm, volley) in [("reads", &calm.0, read), ("saves", &calm.1, saved)] {
        let more = format!("p50 {:.1} ms; calm p50 {:.1} ms", waited(volley, 0.5), waited(calm, 0.5));
        table.most((stack, &format!("accepted {name}, p99")), (waited(volley, 0.99), 2.0 * waited(calm, 0.99)), "ms", more);
    }
    let failed = format!("of {} and {}; probes p99 {:.1} ms", probed.answers, signed.answers, waited(probed, 0.99));
    table.most((stack, "probes and sign-ins that failed meanwhile"), (count(probed.refused + signed.refused), 0.0), "", failed);
}
