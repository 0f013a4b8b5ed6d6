//! Standard Prometheus metrics of the process (CPU time, memory, file descriptors), read from `/proc` at each scrape.
use crate::clock::Clock;
use std::{fmt::Write, fs, sync::OnceLock};

/// Number of clock ticks per second on Linux. CPU times in `/proc/self/stat` are counted in clock ticks.
const TICKS_PER_SECOND: f64 = 100.0;

/// Start time of the process, in seconds since 1970.
static STARTED: OnceLock<i64> = OnceLock::new();

/// Records the current time as the start time of the process. Only the first call has an effect.
pub fn record_process_start_time() {
    STARTED.get_or_init(|| Clock::default().now().timestamp());
}

/// Appends the metrics of the process in the Prometheus text format. Omits values that `/proc` does not contain.
pub fn append_metrics(text: &mut String) {
    let (status, limits) = (read("status"), read("limits"));
    let started = STARTED.get().and_then(|seconds| u32::try_from(*seconds).ok()).map(f64::from);
    let kilobytes = |name: &str| Some(number(&status, name)? * 1024.0);
    // Reading the folder opens one more descriptor, which is subtracted.
    let descriptors = || fs::read_dir("/proc/self/fd").ok()?.count().checked_sub(1).and_then(|count| u32::try_from(count).ok());
    for (name, help, value) in [
        ("process_cpu_seconds_total", "Processor time used, user and system.", cpu_seconds(&read("stat"))),
        ("process_resident_memory_bytes", "Resident memory.", kilobytes("VmRSS:")),
        ("process_virtual_memory_bytes", "Virtual memory.", kilobytes("VmSize:")),
        ("process_open_fds", "Open file descriptors.", descriptors().map(f64::from)),
        ("process_max_fds", "Maximum number of open file descriptors.", number(&limits, "Max open files")),
        ("process_start_time_seconds", "Start time of the process since 1970.", started),
    ] {
        let kind = if name.ends_with("_total") { "counter" } else { "gauge" };
        if let Some(value) = value {
            let _ = write!(text, "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n");
        }
    }
}

fn read(file: &str) -> String {
    fs::read_to_string(format!("/proc/self/{file}")).unwrap_or_default()
}

/// Returns the number after `name` in the first line that begins with `name`; `None` when no number follows.
fn number(text: &str, name: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

/// Returns the CPU time of the process in seconds, from the text of `/proc/self/stat`. Parsing starts after the last `)`, because the
/// program name in parentheses may contain spaces.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11).map(str::parse::<f64>);
    let (user, system) = (fields.next()?.ok()?, fields.next()?.ok()?);
    Some((user + system) / TICKS_PER_SECOND)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_of_the_process_is_shown_with_its_help() {
        record_process_start_time();
        let mut text = String::new();
        append_metrics(&mut text);
        for name in ["cpu_seconds_total", "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds", "start_time_seconds"] {
            assert!(text.contains(&format!("# HELP process_{name} ")) && text.contains(&format!("\nprocess_{name} ")), "{name} in {text}");
        }
        assert_eq!(cpu_seconds("7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0"), Some(2.0));
    }
}
