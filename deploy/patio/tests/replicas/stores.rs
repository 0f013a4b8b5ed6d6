//! Stopping, restarting and freezing Redis and PostgreSQL under load.
use super::{Yard, large::Large, print_counts, print_to_stderr};
use patio_harness::{ADMIN_PASSWORD, Signal};
use std::{
    thread,
    time::{Duration, Instant},
};

/// Maximum latency of any call.
const LONGEST: Duration = Duration::from_secs(3);
/// Maximum recovery time after PostgreSQL accepts connections again.
const WELL_AFTER_RESTART: Duration = Duration::from_secs(2);
/// Maximum recovery time after a frozen database server continues.
const WELL_AFTER_FREEZING: Duration = Duration::from_secs(1);
/// Maximum growth in KiB of the memory of all ten processes after a freeze; measurements vary by this much anyway.
const FLAT: i64 = 16 * 1024;

impl Yard {
    /// Returns the maximum latency to assert in this form of the test.
    pub fn longest(&self) -> Duration {
        self.bound(LONGEST, LONGEST + Duration::from_millis(500))
    }

    /// Adds a column to every table under load, as a later version would: no request fails.
    pub fn tables_may_grow(&mut self) {
        let Self { load, postgres, long, .. } = self;
        // A partition gets its columns from the partitioned table.
        let all = "select oid::regclass from pg_class where relkind in ('r', 'p') and not relispartition
            and relnamespace::regnamespace::text in ('auth', 'campaign', 'vehicle', 'imports')";
        let tables = postgres.run_sql_in_database("patio", all);
        load.during(|| {
            load.settle();
            let grow = |table| format!("alter table {table} add column of_a_later_version text not null default ''");
            postgres.run_sql_statements("patio", &tables.lines().map(grow).collect::<Vec<_>>());
            load.pass(*long, Duration::from_secs(2));
        });
        let counts = load.taken();
        print_counts(&format!("added a column to {} tables", tables.lines().count()), &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (d) Kills or freezes Redis: no request fails, and the limit of five sign-in attempts stays exact.
    pub fn redis_may_go(&mut self) {
        let gateways = self.gateways();
        let Self { load, redis, long, admin, .. } = self;
        admin.create_user("4000", ADMIN_PASSWORD, "op");
        load.during(|| {
            load.settle();
            let tried = |n: usize| gateways[n % 2].try_sign_in("4000", "not-the-password").status;
            assert_eq!([tried(0), tried(1)], [401, 401]);
            redis.kill();
            assert_eq!([tried(2), tried(3)], [401, 401]);
            assert_eq!([tried(4), tried(5)], [429, 429], "failed sign-ins are counted without Redis");
            thread::sleep(Duration::from_secs(if *long { 20 } else { 2 }));
            redis.start_server();
            assert_eq!(tried(6), 429, "and with Redis again");
            load.pass(*long, Duration::from_secs(1));
        });
        let counts = load.taken();
        print_counts("Redis killed and away", &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (e) Freezes Redis, which keeps its connections: no request fails, and no process accumulates connections or memory.
    pub fn redis_may_freeze(&mut self) {
        let longest = self.longest();
        let Self { patio, load, redis, long, .. } = &*self;
        load.during(|| {
            load.settle();
            let (open, held) = (patio.open_descriptor_count(), patio.resident_memory_kib());
            redis.send_signal(Signal::Suspend);
            thread::sleep(Duration::from_secs(if *long { 20 } else { 3 }));
            let (counts, piled, grown) = (load.taken(), patio.open_descriptor_count(), patio.resident_memory_kib());
            redis.send_signal(Signal::Continue);
            let (back, well) = (Instant::now(), load.until_well(Duration::from_secs(8)));
            print_counts(
                &format!("Redis frozen, {open} then {piled} descriptors, {held} then {grown} KiB, well {:?} after", well - back),
                &counts,
            );
            assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
            assert!(counts.slowest < longest, "{:?}", counts.slowest);
            assert!(well - back < self.bound(WELL_AFTER_FREEZING, Duration::from_secs(3)), "{:?}", well - back);
            self.is_flat((open, piled), (held, grown));
        });
        load.again();
    }

    /// (f) Restarts PostgreSQL: requests get 503 with `Retry-After`, and everything recovers soon.
    pub fn postgres_may_be_restarted(&mut self) {
        let longest = self.longest();
        let soon = self.bound(WELL_AFTER_RESTART, Duration::from_secs(5));
        let Self { load, postgres, long, .. } = self;
        // A normal stop by the administrator, and a simulated crash.
        for signal in if *long { vec![Signal::Interrupt, Signal::Quit] } else { vec![Signal::Interrupt] } {
            load.during(|| {
                load.settle();
                postgres.stop_server(signal);
                thread::sleep(Duration::from_secs(if *long { 15 } else { 2 }));
                let away = load.taken();
                postgres.start_server();
                let (back, well) = (Instant::now(), load.until_well(Duration::from_secs(8)));
                let after = load.taken();
                print_counts(&format!("PostgreSQL stopped ({signal:?}), recovered {:?} after it was back", well - back), &away);
                assert!(away.asked_to_wait > 0, "somebody asked");
                assert!(away.failed.iter().all(|what| what.contains("503 wait")), "{:#?}", away.failed);
                assert!(away.slowest.max(after.slowest) < longest, "{:?} {:?}", away.slowest, after.slowest);
                assert!(well - back < soon, "{:?}", well - back);
            });
            load.again();
        }
    }

    /// (g) Freezes PostgreSQL, which keeps its connections: every request is answered within three seconds, no process
    /// accumulates connections or memory, and everything recovers soon.
    pub fn postgres_may_freeze(&mut self) {
        let longest = self.longest();
        let Self { patio, load, postgres, long, .. } = &*self;
        let large = Large::prepared(self, "before PostgreSQL is frozen");
        load.during(|| {
            load.settle();
            let (open, held) = (patio.open_descriptor_count(), patio.resident_memory_kib());
            postgres.send_signal(Signal::Suspend);
            let (begun, answers) = (Instant::now(), large.asked_for());
            thread::sleep(Duration::from_secs(if *long { 30 } else { 4 }).saturating_sub(begun.elapsed()));
            let (frozen, piled, grown) = (load.taken(), patio.open_descriptor_count(), patio.resident_memory_kib());
            postgres.send_signal(Signal::Continue);
            let (back, well) = (Instant::now(), load.until_well(Duration::from_secs(8)));
            let after = load.taken();
            print_to_stderr(&format!(
                "PostgreSQL frozen, recovered {:?} after it continued, {held} KiB before and {grown} then",
                well - back
            ));
            print_counts(&format!("PostgreSQL frozen, descriptors {open} before and {piled} then"), &frozen);
            assert!(frozen.asked_to_wait > 0, "somebody asked");
            let is_expected = |what: &String| what.contains("503 wait") || what.contains("504");
            assert!(frozen.failed.iter().all(is_expected), "{:#?}", frozen.failed);
            assert!(frozen.slowest.max(after.slowest) < longest, "{:?} {:?}", frozen.slowest, after.slowest);
            assert!(well - back < self.bound(WELL_AFTER_FREEZING, Duration::from_secs(4)), "{:?}", well - back);
            self.is_flat((open, piled), (held, grown));
            Large::assert_rejected_within(&answers, longest);
        });
        large.is_whole();
        load.again();
    }

    /// Asserts that no process accumulated connections, files or memory (in KiB).
    #[track_caller]
    fn is_flat(&self, (open, piled): (usize, usize), (held, grown): (i64, i64)) {
        assert!(piled <= open + 20, "{piled} descriptors are open, {open} before");
        assert!(grown <= held + FLAT, "{grown} KiB are held, {held} were");
    }
}
