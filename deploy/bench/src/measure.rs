//! Measures an operation and its baselines in alternating rounds, so that disturbances on the machine affect all equally.
use crate::{
    load::{self, Load, Shots, Volley, count},
    proc::{self, Group},
    table::micros,
};
use anyhow::ensure;
use std::{
    fmt::Write,
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
    time::Duration,
};

/// Amount of data and duration of the measurements.
#[derive(Debug, Clone, Copy)]
pub struct Sizes {
    /// Number of campaigns.
    pub campaigns: u32,
    /// Number of vehicles per campaign.
    pub each: u32,
    /// Number of rounds per operation.
    pub rounds: u32,
    /// Duration of a round.
    pub time: Duration,
    /// Number of connections of the load.
    pub connections: u32,
}

impl Sizes {
    /// Returns the total number of vehicles.
    #[must_use]
    pub fn vehicles(&self) -> u64 {
        u64::from(self.campaigns) * u64::from(self.each)
    }
}

/// A server to measure, with the requests for it.
pub struct Target {
    /// Address of the server.
    pub at: SocketAddr,
    /// Processes whose CPU time is measured.
    pub groups: Vec<Group>,
    /// Requests to send.
    pub shots: Shots,
}

/// Measured cost of requests.
pub struct Cost {
    /// CPU time per request in microseconds, of all processes.
    pub micros: f64,
    /// CPU time per request in microseconds, by process.
    pub by_process: Vec<(String, f64)>,
    /// Responses and latencies.
    pub volley: Volley,
}

impl Cost {
    /// Returns a description for the result table.
    #[must_use]
    pub fn words(&self) -> String {
        let mut text = String::new();
        for (name, micros) in self.by_process.iter().filter(|(_, micros)| *micros >= 0.05) {
            let _ = write!(text, "{name} {micros:.0} ");
        }
        let waits = |share| count(self.volley.waits.value_at_quantile(share)) / 1000.0;
        let _ = write!(text, "| {:.0}/s p50 {:.2} ms p99 {:.2} ms", self.volley.rate(), waits(0.5), waits(0.99));
        text
    }
}

/// Loads every target in turn, for several rounds. The first round is a warm-up and is not measured.
///
/// # Errors
/// Returns an error when a target gives an unexpected response.
pub async fn in_turns(sizes: Sizes, targets: &[Target]) -> anyhow::Result<Vec<Cost>> {
    let mut spent: Vec<(Vec<Duration>, Option<Volley>)> =
        targets.iter().map(|target| (vec![Duration::ZERO; target.groups.len()], None)).collect();
    let next: Vec<_> = targets.iter().map(|_| Arc::new(AtomicU64::new(0))).collect();
    for round in 0..=sizes.rounds {
        for ((target, (times, sum)), next) in targets.iter().zip(&mut spent).zip(&next) {
            let time = if round == 0 { sizes.time / 4 } else { sizes.time };
            let before = proc::cpu(&target.groups);
            let volley = load::fire(target.at, Load { connections: sizes.connections, time, pace: None }, next, &target.shots).await?;
            let after = proc::cpu(&target.groups);
            ensure!(volley.refused == 0, "{} of {} requests were rejected: {:?}", volley.refused, volley.answers, volley.first_refusal);
            if round > 0 {
                times.iter_mut().zip(before.iter().zip(after)).for_each(|(sum, (before, after))| *sum += after.saturating_sub(*before));
                match sum {
                    Some(sum) => sum.add(volley)?,
                    None => *sum = Some(volley),
                }
            }
        }
    }
    targets.iter().zip(spent).map(|(target, (times, volley))| cost(target, &times, volley)).collect()
}

fn cost(target: &Target, times: &[Duration], volley: Option<Volley>) -> anyhow::Result<Cost> {
    let Some(volley) = volley else { anyhow::bail!("no round was measured") };
    let answers = count(volley.answers.max(1));
    let by_process: Vec<_> = target.groups.iter().zip(times).map(|(group, time)| (group.name.clone(), micros(*time) / answers)).collect();
    Ok(Cost { micros: by_process.iter().map(|(_, micros)| micros).sum(), by_process, volley })
}

/// Result and cost of one piece of work: CPU time per process group, and peak memory above idle.
pub struct Work<T> {
    /// Result of the work.
    pub done: T,
    /// CPU time by process group.
    pub times: Vec<Duration>,
    /// Peak memory above idle in KiB, summed over the groups of `watched`.
    pub peak: u64,
}

/// Measures one piece of work. Samples the memory of `watched` every few milliseconds.
///
/// # Errors
/// Returns the error of the work.
pub async fn work<T>(groups: &[Group], watched: &[Group], doing: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<Work<T>> {
    let idle = proc::memory(watched);
    let before = proc::cpu(groups);
    let mut peak = idle;
    let mut doing = std::pin::pin!(doing);
    let done = loop {
        tokio::select! {
            done = doing.as_mut() => break done?,
            () = tokio::time::sleep(Duration::from_millis(5)) => peak = peak.max(proc::memory(watched)),
        }
    };
    let after = proc::cpu(groups);
    let times = before.iter().zip(after).map(|(before, after)| after.saturating_sub(*before)).collect();
    Ok(Work { done, times, peak: peak - idle })
}
