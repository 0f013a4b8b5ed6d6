//! CPU time and memory of processes, read from /proc.
use std::{collections::HashMap, fs, time::Duration};

/// Clock ticks per second in /proc/PID/stat; always 100 on Linux.
const TICKS: u32 = 100;

/// A process and all of its descendants.
#[derive(Debug, Clone)]
pub struct Group {
    /// Name in the result table.
    pub name: String,
    /// Id of the root process.
    pub root: u32,
}

/// Required fields of /proc/PID/stat.
struct Stat {
    parent: u32,
    ticks: u32,
}

fn stat(pid: u32) -> Option<Stat> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    let number = |at: usize| fields.get(at)?.parse::<u32>().ok();
    // Includes the CPU time of child processes that have exited.
    let ticks = (11..15).map(number).sum::<Option<u32>>()?;
    Some(Stat { parent: number(1)?, ticks })
}

/// Returns the CPU time of the calling thread, or `None` if /proc does not show it.
#[must_use]
pub fn own_thread() -> Option<Duration> {
    let text = fs::read_to_string("/proc/thread-self/stat").ok()?;
    let fields = text.rsplit_once(')')?.1.split_whitespace().skip(11).take(2);
    let ticks = fields.map(|field| field.parse::<u32>().ok()).sum::<Option<u32>>()?;
    Some(Duration::from_secs(1) * ticks / TICKS)
}

fn all() -> HashMap<u32, Stat> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).filter_map(|pid| Some((pid, stat(pid)?))).collect()
}

fn is_below(all: &HashMap<u32, Stat>, mut pid: u32, root: u32) -> bool {
    while pid != root {
        match all.get(&pid) {
            Some(stat) if stat.parent > 1 => pid = stat.parent,
            _ => return false,
        }
    }
    true
}

/// Returns the CPU time of each process group.
#[must_use]
pub fn cpu(groups: &[Group]) -> Vec<Duration> {
    let all = all();
    let of = |root| all.iter().filter(|(pid, _)| is_below(&all, **pid, root)).map(|(_, stat)| stat.ticks).sum::<u32>();
    groups.iter().map(|group| Duration::from_secs(1) * of(group.root) / TICKS).collect()
}

/// Returns the anonymous and shared memory of the process groups, in KiB.
#[must_use]
pub fn memory(groups: &[Group]) -> u64 {
    groups.iter().map(|group| group.root).map(with_children).sum()
}

fn with_children(pid: u32) -> u64 {
    let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
    let children = tasks.filter_map(|task| fs::read_to_string(task.path().join("children")).ok());
    let below: u64 = children.map(|all| all.split_whitespace().filter_map(|pid| pid.parse().ok()).map(with_children).sum::<u64>()).sum();
    own_memory(pid).unwrap_or_default() + below
}

fn own_memory(pid: u32) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name)?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    Some(field("RssAnon:")? + field("RssShmem:").unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_taken_time_and_holds_memory() {
        let me = [Group { name: "me".into(), root: std::process::id() }];
        let (before, alone) = (cpu(&me)[0], own_thread().unwrap());
        let mut sum = 0u64;
        while cpu(&me)[0] < before + Duration::from_millis(50) {
            sum = (0..100_000).fold(sum, |sum, n| sum.wrapping_mul(31).wrapping_add(n));
        }
        assert_ne!(sum, 1);
        assert!(own_thread().unwrap() > alone, "it did the work");
        assert!(memory(&me) > 100);
    }
}
