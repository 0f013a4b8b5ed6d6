//! A PostgreSQL whose disk is full.
use super::{MISSING, Yard, tell, told};
use crate::outside::disk::Disk;
use patio_harness::{Folder, Postgres, heavy, until};
use patio_testing::patience;
use std::time::{Duration, Instant};

/// Room for what a fresh server takes, and some saves.
const MEGABYTES: u32 = 200;

#[test]
fn a_full_disk_of_postgresql_refuses_saves_in_words_loses_nothing_and_needs_no_restart() {
    let _turn = heavy();
    let Some(disk) = Disk::mount(MEGABYTES) else {
        return tell("no disk may be mounted here: that a full one harms nothing is not shown");
    };
    let started = Postgres::start(disk.path()).and_then(|postgres| Yard::start_on(postgres, Folder::temporary(), ("warn", 1)));
    let Some(yard) = started else { return tell(MISSING) };
    let load = &yard.load;
    let reads = load.during(|| {
        load.settle();
        let filler = disk.fill();
        let mut full = load.taken();
        until("saves are refused", Duration::from_secs(60), || {
            full = load.taken();
            full.asked_to_wait > 0
        });
        load.taken();
        load.until("reads go on", |counts| counts.reads > 60);
        let full = load.taken();
        std::fs::remove_file(filler).unwrap();
        let freed = Instant::now();
        load.until_well(patience(Duration::from_secs(5)));
        told(&format!("the disk of PostgreSQL full, well again {:.2} s after there was room", freed.elapsed().as_secs_f64()), &full);
        assert!(full.failed.iter().all(|what| what.contains("503 wait")), "{:#?}", full.failed);
        full.reads
    });
    assert!(reads > 30, "reads go on");
}
