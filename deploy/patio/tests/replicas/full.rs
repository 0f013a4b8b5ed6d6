//! PostgreSQL with a full disk.
use super::{MISSING, Yard, print_counts, print_to_stderr};
use crate::outside::disk::Disk;
use patio_harness::{Postgres, TestFolder, acquire_heavy_test_slot, wait_until};
use patio_testing::patience;
use std::time::{Duration, Instant};

/// Size of the disk: enough for a new server and some saves.
const MEGABYTES: u32 = 200;

#[test]
fn a_full_disk_of_postgresql_rejects_saves_clearly_loses_nothing_and_needs_no_restart() {
    let _turn = acquire_heavy_test_slot();
    let Some(disk) = Disk::mount(MEGABYTES) else {
        return print_to_stderr("no permission to mount a disk: test of a full disk skipped");
    };
    let started = Postgres::start(disk.path()).and_then(|postgres| Yard::start_on(postgres, TestFolder::create_temporary(), ("warn", 1)));
    let Some(yard) = started else { return print_to_stderr(MISSING) };
    let load = &yard.load;
    let reads = load.during(|| {
        load.settle();
        let filler = disk.fill();
        let mut full = load.taken();
        wait_until("saves are rejected", Duration::from_secs(60), || {
            full = load.taken();
            full.asked_to_wait > 0
        });
        load.taken();
        load.until("reads continue", |counts| counts.reads > 60);
        let full = load.taken();
        std::fs::remove_file(filler).unwrap();
        let freed = Instant::now();
        load.until_well(patience(Duration::from_secs(5)));
        print_counts(
            &format!("the disk of PostgreSQL full, well again {:.2} s after there was room", freed.elapsed().as_secs_f64()),
            &full,
        );
        assert!(full.failed.iter().all(|what| what.contains("503 wait")), "{:#?}", full.failed);
        full.reads
    });
    assert!(reads > 30, "reads continue");
}
