//! What runs for every request or every row, by itself: `cargo bench -p bench`.
use auth_svc::lockout::sign_in_counter_names;
use auth_svc::lockout_rules::{FailureCounters, LockoutOperation, apply_lockout_operation};
use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use patio_kit::pagination::PageWindow;
use patio_proto::{access::Role, vin::Vin, walking_order, yard};
use patio_testing::{host, token};
use std::hint::black_box;
use vehicle_svc::{
    campaign::search_index::CampaignSearchIndex,
    store::vehicles::{SearchIndexEntry, VehicleFilter},
};

/// Number of vehicles in a large campaign.
const MANY: i64 = 100_000;

fn entries() -> Vec<SearchIndexEntry> {
    let letter = |id: i64| char::from(b'A' + u8::try_from(id % 26).unwrap_or_default());
    let entry = |id| SearchIndexEntry {
        id,
        search_text: format!("hb20 {id:06}\n{}-{}", letter(id).to_ascii_lowercase(), id % 500),
        yard_id: Some(id % 26),
        walk_key: String::new(),
    };
    (0..MANY).map(entry).collect()
}

/// Measures the authentication of a token, cached and new.
fn tokens(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let (Ok(runtime), Ok(folder)) = (runtime, tempfile::tempdir()) else { return };
    let host = runtime.block_on(host(folder.path(), None));
    let known = token(&host, 7, Role::Operator);
    let mut group = c.benchmark_group("token");
    group.bench_function("seen before", |b| b.iter(|| host.identity.authenticate(black_box(&known)).is_ok()));
    group.bench_function("seen for the first time", |b| {
        b.iter_batched(|| token(&host, 7, Role::Operator), |fresh| host.identity.authenticate(&fresh).is_ok(), BatchSize::SmallInput);
    });
    group.finish();
}

/// Measures the lockout check of a sign-in attempt, without the password hash.
fn lockout(c: &mut Criterion) {
    let counter_names = sign_in_counter_names("account", "192.0.2.1", None);
    c.bench_function("lockout/book and settle", |b| {
        let mut cells = FailureCounters::new();
        b.iter(|| {
            apply_lockout_operation(&mut cells, &counter_names, LockoutOperation::Reserve, black_box(1_000));
            apply_lockout_operation(&mut cells, &counter_names, LockoutOperation::Release, 1_000)
        });
    });
}

/// Measures the parsing of one imported row.
fn rows(c: &mut Criterion) {
    c.bench_function("row/identifier and place", |b| {
        b.iter(|| {
            let identifier = Vin::new(black_box("HB20"), black_box("000123"));
            let space = black_box("A-102");
            (
                identifier.map(|one| one.comparison_key()),
                walking_order::sort_key(space),
                yard::parking_space_yard_id(space),
                yard::parking_space_yard_group(space).len(),
            )
        });
    });
}

/// Measures pages of a large vehicle list, with and without a search.
fn rosters(c: &mut Criterion) {
    let all = entries();
    let mut roster = CampaignSearchIndex::new(1);
    all.iter().for_each(|entry| roster.add_vehicle(entry));
    let mut group = c.benchmark_group("roster");
    group.bench_function("page in the middle", |b| {
        b.iter(|| roster.search_page(&VehicleFilter::default(), PageWindow { index: 1_000, size: 50 }))
    });
    for (name, length) in [("one character", 1), ("two", 2), ("four", 4), ("seven", 7)] {
        let mut n = 0;
        group.bench_function(format!("search of {name}"), |b| {
            b.iter_batched(
                || {
                    n = (n + 7_919) % MANY;
                    let needle = format!("0 {n:06}").chars().rev().take(length).collect::<Vec<_>>().into_iter().rev().collect();
                    VehicleFilter { needle, ..VehicleFilter::default() }
                },
                |filter| roster.search_page(&filter, PageWindow { index: 0, size: 50 }),
                BatchSize::SmallInput,
            );
        });
    }
    group.sample_size(10).throughput(Throughput::Elements(MANY.unsigned_abs()));
    group.bench_function("made", |b| {
        b.iter(|| {
            let mut roster = CampaignSearchIndex::new(1);
            all.iter().for_each(|entry| roster.add_vehicle(entry));
            roster
        });
    });
    group.finish();
}

criterion_group!(hot, tokens, lockout, rows, rosters);
criterion_main!(hot);
