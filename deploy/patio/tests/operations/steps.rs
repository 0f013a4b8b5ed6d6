//! What a step that brings tables up to date may do, so that versions run side by side on them and nobody waits for it.
use super::migrations::SCHEMAS;
use patio_harness::{Database, POSTGRES};
use patio_kit::db::Schema;
use patio_testing::{host, tell};
use sqlx::{Connection, PgConnection, migrate::Migrator};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Steps that were made before the first release ran anywhere.
const BEFORE_THE_FIRST: [&str; 1] = ["0003_signing_turns.sql"];
/// The last steps that nobody had to be kept from waiting for: those after them keep to [`harm`], too.
const LAST: [(&str, i64); 4] = [("auth-svc", 4), ("campaign-svc", 2), ("vehicle-svc", 10), ("import-svc", 3)];

#[test]
fn steps_only_add() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut seen = 0;
    for (service, last) in LAST {
        for side in ["sqlite", "postgres"] {
            for entry in std::fs::read_dir(root.join(service).join("migrations").join(side)).unwrap().flatten() {
                let (name, text) = (entry.file_name(), std::fs::read_to_string(entry.path()).unwrap().to_lowercase());
                let name = name.to_string_lossy().into_owned();
                if name.starts_with("0001") || BEFORE_THE_FIRST.contains(&name.as_str()) {
                    continue;
                }
                seen += 1;
                let number: i64 = name.split('_').next().unwrap().parse().unwrap();
                let found = taken(&text).into_iter().chain(harm(&text, side).filter(|_| number > last)).collect::<Vec<_>>();
                assert!(found.is_empty(), "{service} {side} {name}: {found:#?}");
            }
        }
    }
    assert!(seen >= 8, "{seen} steps were looked at");
}

/// What a step takes from a version that still runs.
fn taken(text: &str) -> Vec<String> {
    let parts = |mark: &str| {
        text.split(mark).skip(1).map(|rest| rest.split([',', ';']).next().unwrap_or_default().trim().to_owned()).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = ["drop table", "drop column", "rename ", "alter column"]
        .into_iter()
        .filter(|taking| text.contains(taking))
        .map(str::to_owned)
        .collect();
    // A reference that is no longer checked takes nothing from anybody.
    found.extend(parts("drop constraint").into_iter().filter(|dropped| !dropped.ends_with("_fkey")));
    // A row of the version before has no value for it.
    found.extend(parts("add column").into_iter().filter(|added| added.contains("not null") && !added.contains("default")));
    found.into_iter().map(|what| format!("a version that still runs relies on what `{what}` takes")).collect()
}

/// How a step, in lower case, would hold up those who save meanwhile for longer than a second; what to do instead.
fn harm(text: &str, side: &str) -> impl Iterator<Item = String> {
    let lines: String = text.lines().filter(|line| !line.trim_start().starts_with("--")).flat_map(|line| [line, "\n"]).collect();
    let statements: Vec<Vec<&str>> =
        lines.split(';').map(|one| one.split_whitespace().collect()).filter(|one: &Vec<_>| !one.is_empty()).collect();
    let made: BTreeSet<_> =
        statements.iter().filter(|one| one.starts_with(&["create", "table"])).filter_map(|one| named(one, "table")).collect();
    let (mut found, mut locked) = (Vec::new(), BTreeSet::new());
    for one in &statements {
        let (shown, first) = (one.join(" "), one[0]);
        let mut tell = |why: &str| found.push(format!("`{}`: {why}", shown.chars().take(80).collect::<String>()));
        let is_there = |table: &Option<String>| table.as_ref().is_some_and(|table| !made.contains(table));
        if ["update", "delete"].contains(&first) && is_there(&named(one, if first == "update" { "update" } else { "from" })) {
            tell("rows are locked until the step has seen all of them; let the service do it in parts once it runs");
        }
        if side != "postgres" {
            continue;
        }
        let is_index = shown.contains(" index ") && ["create", "drop"].contains(&first);
        let is_beside = shown.contains("concurrently");
        if is_index && !is_beside && (first == "drop" || is_there(&named(one, "on"))) {
            tell("the table is locked meanwhile; say `concurrently`, as the only statement of a step that begins with `-- no-transaction`");
        }
        if is_beside && (statements.len() > 1 || !text.starts_with("-- no-transaction")) {
            tell("this needs a step of its own that begins with `-- no-transaction`");
        }
        if first == "alter" && is_there(&named(one, "table")) {
            locked.extend(named(one, "table"));
            if shown.contains("add constraint") && !shown.contains("not valid") {
                tell("all rows are looked at under a lock; say `not valid`, and `validate constraint` in a step of its own");
            }
            if ["serial", "identity", "stored", "random"].iter().any(|each| shown.contains(each)) {
                tell("all rows are written anew under a lock; add it empty and let the service fill it in parts");
            }
        }
        locked.extend(
            one.iter()
                .enumerate()
                .filter(|(_, word)| **word == "references")
                .filter_map(|(at, _)| named(&one[at..], "references"))
                .filter(|table| !made.contains(table)),
        );
    }
    if locked.len() > 1 {
        found.push(format!("{locked:?}: while it waits for one table it holds the other; make each a step of its own"));
    }
    found.into_iter()
}

/// The table that is named after a word.
fn named(statement: &[&str], word: &str) -> Option<String> {
    let after = statement.iter().skip_while(|each| **each != word).skip(1);
    let name = after.copied().find(|each| !["if", "not", "exists", "only"].contains(each))?;
    Some(name.split('(').next().unwrap_or_default().to_owned())
}

#[test]
fn a_step_that_would_hold_up_whoever_saves_is_refused_with_what_to_do_instead() {
    let refused = [
        ("create index a on vehicles (b);", "concurrently"),
        ("create unique index if not exists a on vehicles(b);", "concurrently"),
        ("drop index a;", "concurrently"),
        ("create index concurrently a on vehicles (b);", "-- no-transaction"),
        ("-- no-transaction\ncreate index concurrently a on vehicles (b); alter table vehicles add column c text;", "of its own"),
        ("update vehicles set a = b;", "in parts"),
        ("delete from only vehicles;", "in parts"),
        ("alter table vehicles add constraint a check (b > 0);", "not valid"),
        ("alter table vehicles add column a bigserial;", "in parts"),
        ("alter table vehicles add column a text; alter table campaigns add column a text;", "each a step"),
        ("create table a (b bigint references vehicles (id)); alter table campaigns add column a text;", "each a step"),
    ];
    for (step, instead) in refused {
        let found: Vec<_> = harm(step, "postgres").collect();
        assert!(found.len() == 1 && found[0].contains(instead), "{step}: {found:#?}");
    }
    let fine = [
        "create table a (b text); create index a_b on a (b); update a set b = '';",
        "-- no-transaction\ncreate index concurrently a on vehicles (b);",
        "alter table vehicles add column a text; alter table vehicles add column b bigint not null default 0;",
        "alter table vehicles add constraint a check (b > 0) not valid;",
        "-- update vehicles set a = b;\ncreate table a (b bigint references vehicles (id));",
    ];
    for step in fine {
        assert_eq!(harm(step, "postgres").collect::<Vec<_>>(), [""; 0], "{step}");
    }
    assert_eq!(harm("create index a on vehicles (b); drop index c;", "sqlite").count(), 0, "SQLite has no other way");
    assert_eq!(harm("update vehicles set a = b;", "sqlite").count(), 1);
}

/// A column as a version that writes it knows it: its type, and whether it may be left out.
type Columns = BTreeMap<(String, String), (String, bool)>;

async fn columns(database: &mut PgConnection, schema: Schema) -> Columns {
    let all = "select table_name::text, column_name::text, data_type::text,
                      is_nullable = 'YES' or column_default is not null or is_identity = 'YES'
               from information_schema.columns where table_schema = $1 and table_name <> '_sqlx_migrations'";
    let rows: Vec<(String, String, String, bool)> = sqlx::query_as(all).bind(schema.name).fetch_all(database).await.unwrap();
    rows.into_iter().map(|(table, name, of, may_lack)| ((table, name), (of, may_lack))).collect()
}

/// What rows have to keep to: the tables and the rules, also those that an index keeps.
async fn rules(database: &mut PgConnection, schema: Schema) -> BTreeSet<(String, String)> {
    let all = "select conrelid::regclass::text, pg_get_constraintdef(oid) from pg_constraint where connamespace = cast($1 as regnamespace)
               union select indrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index join pg_class on oid = indrelid
               where indisunique and relnamespace = cast($1 as regnamespace)";
    sqlx::query_as(all).bind(schema.name).fetch_all(database).await.unwrap().into_iter().collect()
}

/// What the version before writes is taken by the tables of the next: a column that it does not know may be left out, one
/// that it knows is what it was, and its rows have to keep to nothing new.
#[tokio::test]
async fn each_version_can_write_to_the_tables_of_the_next() {
    let _turn = patio_harness::shared();
    let Some(fresh) = Database::fresh() else { return tell(&format!("{POSTGRES} is not set: skipped")) };
    let url = fresh.url();
    let mut database = PgConnection::connect(&url).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path(), Some(url)).await;
    for schema in SCHEMAS {
        let mut before: Option<(Columns, BTreeSet<_>)> = None;
        for step in schema.postgres.iter() {
            let known = Migrator::with_migrations(schema.postgres.iter().filter(|each| each.version <= step.version).cloned().collect());
            host.database(Schema { postgres: Box::leak(Box::new(known)), ..schema }).await.unwrap().close().await;
            let now = (columns(&mut database, schema).await, rules(&mut database, schema).await);
            let is_first = BEFORE_THE_FIRST.iter().any(|name| name.contains(&step.description.replace(' ', "_")));
            if let Some(before) = before.filter(|_| !is_first) {
                let odd = refuses(&before, &now);
                assert!(odd.is_empty(), "{} {} {}: {odd:#?}", schema.name, step.version, step.description);
            }
            before = Some(now);
        }
    }
    database.close().await.unwrap();
}

fn refuses(before: &(Columns, BTreeSet<(String, String)>), now: &(Columns, BTreeSet<(String, String)>)) -> Vec<String> {
    let was_there = |table: &str| before.0.keys().any(|(known, _)| table.rsplit('.').next() == Some(known));
    let lost = before.0.iter().filter(|(name, (of, may_lack))| now.0.get(*name).is_none_or(|now| now.0 != *of || (*may_lack && !now.1)));
    let needed = now.0.iter().filter(|(name, (_, may_lack))| !may_lack && was_there(&name.0) && !before.0.contains_key(*name));
    let ruled = now.1.difference(&before.1).filter(|(table, _)| was_there(table));
    lost.chain(needed).map(|what| format!("{what:?}")).chain(ruled.map(|what| format!("{what:?}"))).collect()
}
