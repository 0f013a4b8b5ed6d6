//! Redis and PostgreSQL away, restarted and frozen under load.
use super::{Yard, large::Large, tell, told};
use patio_harness::{ADMIN_PASSWORD, Signal};
use std::{
    thread,
    time::{Duration, Instant},
};

/// No call waits longer than this for its answer.
const LONGEST: Duration = Duration::from_secs(3);
/// How long after PostgreSQL lets people in again all is well.
const WELL_AFTER_RESTART: Duration = Duration::from_secs(2);
/// How long after a frozen store goes on all is well.
const WELL_AFTER_FREEZING: Duration = Duration::from_secs(1);
/// What all ten processes together may have more in memory after a store was frozen than before, in KiB: what a look at it
/// differs by anyway.
const FLAT: i64 = 16 * 1024;

impl Yard {
    /// How long an answer may take here.
    pub fn longest(&self) -> Duration {
        self.bound(LONGEST, LONGEST + Duration::from_millis(500))
    }

    /// A later version gives every table another column while this one works on them: no request fails.
    pub fn tables_may_grow(&mut self) {
        let Self { load, postgres, long, .. } = self;
        let all = "select schemaname || '.' || tablename from pg_tables where schemaname in ('auth', 'campaign', 'vehicle', 'imports')";
        let tables = postgres.sql_on("patio", all);
        load.during(|| {
            load.settle();
            let grow = |table| format!("alter table {table} add column of_a_later_version text not null default ''");
            postgres.sql_each("patio", &tables.lines().map(grow).collect::<Vec<_>>());
            load.pass(*long, Duration::from_secs(2));
        });
        let counts = load.taken();
        told(&format!("{} tables given another column", tables.lines().count()), &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (d) Redis dies and stays away, or freezes: no request fails, and five tries are five tries.
    pub fn redis_may_go(&mut self) {
        let gateways = self.gateways();
        let Self { load, redis, long, admin, .. } = self;
        admin.create_person("4000", ADMIN_PASSWORD, "op");
        load.during(|| {
            load.settle();
            let tried = |n: usize| gateways[n % 2].try_sign_in("4000", "not-the-password").status;
            assert_eq!([tried(0), tried(1)], [401, 401]);
            redis.kill();
            assert_eq!([tried(2), tried(3)], [401, 401]);
            assert_eq!([tried(4), tried(5)], [429, 429], "the lockout counts on without Redis");
            thread::sleep(Duration::from_secs(if *long { 20 } else { 2 }));
            redis.up();
            assert_eq!(tried(6), 429, "and when it is back");
            load.pass(*long, Duration::from_secs(1));
        });
        let counts = load.taken();
        told("Redis killed and away", &counts);
        assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
        load.again();
    }

    /// (e) Redis answers nothing and keeps its connections: no request fails, nothing piles up.
    pub fn redis_may_freeze(&mut self) {
        let longest = self.longest();
        let Self { patio, load, redis, long, .. } = &*self;
        load.during(|| {
            load.settle();
            let (open, held) = (patio.descriptors(), patio.memory());
            redis.signal(Signal::Suspend);
            thread::sleep(Duration::from_secs(if *long { 20 } else { 3 }));
            let (counts, piled, grown) = (load.taken(), patio.descriptors(), patio.memory());
            redis.signal(Signal::Continue);
            let (back, well) = (Instant::now(), load.until_well(Duration::from_secs(8)));
            told(&format!("Redis frozen, {open} then {piled} descriptors, {held} then {grown} KiB, well {:?} after", well - back), &counts);
            assert!(counts.failed.is_empty(), "{:#?}", counts.failed);
            assert!(counts.slowest < longest, "{:?}", counts.slowest);
            assert!(well - back < self.bound(WELL_AFTER_FREEZING, Duration::from_secs(3)), "{:?}", well - back);
            self.is_flat((open, piled), (held, grown));
        });
        load.again();
    }

    /// (f) PostgreSQL is restarted: who asks meanwhile is told to wait, and all is well soon after.
    pub fn postgres_may_be_restarted(&mut self) {
        let longest = self.longest();
        let soon = self.bound(WELL_AFTER_RESTART, Duration::from_secs(5));
        let Self { load, postgres, long, .. } = self;
        // As an administrator stops it, and as in a crash.
        for signal in if *long { vec![Signal::Interrupt, Signal::Quit] } else { vec![Signal::Interrupt] } {
            load.during(|| {
                load.settle();
                postgres.down(signal);
                thread::sleep(Duration::from_secs(if *long { 15 } else { 2 }));
                let away = load.taken();
                postgres.up();
                let (back, well) = (Instant::now(), load.until_well(Duration::from_secs(8)));
                let after = load.taken();
                told(&format!("PostgreSQL away ({signal:?}), well again {:?} after it was back", well - back), &away);
                assert!(away.asked_to_wait > 0, "somebody asked");
                assert!(away.failed.iter().all(|what| what.contains("503 wait")), "{:#?}", away.failed);
                assert!(away.slowest.max(after.slowest) < longest, "{:?} {:?}", away.slowest, after.slowest);
                assert!(well - back < soon, "{:?}", well - back);
            });
            load.again();
        }
    }

    /// (g) PostgreSQL answers nothing and keeps its connections: nobody waits longer than three seconds for an answer, nothing
    /// piles up meanwhile, and all is well soon after.
    pub fn postgres_may_freeze(&mut self) {
        let longest = self.longest();
        let Self { patio, load, postgres, long, .. } = &*self;
        let large = Large::prepared(self, "before PostgreSQL is frozen");
        load.during(|| {
            load.settle();
            let (open, held) = (patio.descriptors(), patio.memory());
            postgres.signal(Signal::Suspend);
            let (begun, answers) = (Instant::now(), large.asked_for());
            thread::sleep(Duration::from_secs(if *long { 30 } else { 4 }).saturating_sub(begun.elapsed()));
            let (frozen, piled, grown) = (load.taken(), patio.descriptors(), patio.memory());
            postgres.signal(Signal::Continue);
            let (back, well) = (Instant::now(), load.until_well(Duration::from_secs(8)));
            let after = load.taken();
            tell(&format!("PostgreSQL frozen, well again {:?} after it went on, {held} KiB before and {grown} then", well - back));
            told(&format!("PostgreSQL frozen, descriptors {open} before and {piled} then"), &frozen);
            assert!(frozen.asked_to_wait > 0, "somebody asked");
            let told_why = |what: &String| what.contains("503 wait") || what.contains("504");
            assert!(frozen.failed.iter().all(told_why), "{:#?}", frozen.failed);
            assert!(frozen.slowest.max(after.slowest) < longest, "{:?} {:?}", frozen.slowest, after.slowest);
            assert!(well - back < self.bound(WELL_AFTER_FREEZING, Duration::from_secs(4)), "{:?}", well - back);
            self.is_flat((open, piled), (held, grown));
            Large::is_told_soon(&answers, longest);
        });
        large.is_whole();
        load.again();
    }

    /// Nothing piled up in any process: connections, files, memory in KiB.
    #[track_caller]
    fn is_flat(&self, (open, piled): (usize, usize), (held, grown): (i64, i64)) {
        assert!(piled <= open + 20, "{piled} descriptors are open, {open} were");
        assert!(grown <= held + FLAT, "{grown} KiB are held, {held} were");
    }
}
