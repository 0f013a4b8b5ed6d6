//! CPU affinity: the load generator and the measured programs can run on separate halves of the cores.
use anyhow::ensure;
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
use std::{
    io,
    process::{Child, Command},
};

/// CPU affinity for the programs to start; the default sets none.
#[derive(Clone, Copy, Default)]
pub struct Cores(Option<Halves>);

#[derive(Clone, Copy)]
struct Halves {
    load: CpuSet,
    served: CpuSet,
}

impl Cores {
    /// Pins the calling thread and its future child threads to half of the cores, and programs started later to the other half.
    ///
    /// # Errors
    /// Returns an error on a single core, or when the system denies setting the affinity.
    pub fn apart() -> anyhow::Result<Self> {
        let (all, mut halves) = (sched_getaffinity(None)?, Halves { load: CpuSet::new(), served: CpuSet::new() });
        let cores: Vec<usize> = (0..CpuSet::MAX_CPU).filter(|core| all.is_set(*core)).collect();
        ensure!(cores.len() > 1, "--apart needs at least two cores");
        let (served, load) = cores.split_at(cores.len() / 2);
        load.iter().for_each(|core| halves.load.set(*core));
        served.iter().for_each(|core| halves.served.set(*core));
        sched_setaffinity(None, &halves.load)?;
        Ok(Self(Some(halves)))
    }

    /// Starts a program on its half of the cores.
    ///
    /// # Errors
    /// Returns an error when the program cannot be started.
    pub fn start(self, command: &mut Command) -> io::Result<Child> {
        let Some(halves) = self.0 else { return command.spawn() };
        sched_setaffinity(None, &halves.served)?;
        let started = command.spawn();
        sched_setaffinity(None, &halves.load)?;
        started
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Stdio;

    fn of(status: &str) -> Option<&str> {
        status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:\t"))
    }

    #[test]
    fn programs_and_the_load_share_no_core() {
        let all = sched_getaffinity(None).unwrap();
        if all.count() < 2 {
            assert!(Cores::apart().is_err());
            return;
        }
        let cores = Cores::apart().unwrap();
        let output = cores.start(Command::new("cat").arg("/proc/self/status").stdout(Stdio::piped())).unwrap().wait_with_output().unwrap();
        let (served, own) = (String::from_utf8(output.stdout).unwrap(), std::fs::read_to_string("/proc/thread-self/status").unwrap());
        assert_ne!(of(&served).unwrap(), of(&own).unwrap());
        assert_eq!(sched_getaffinity(None).unwrap().count(), all.count() - all.count() / 2);
    }
}
