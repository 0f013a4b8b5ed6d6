//! Rules for migrations: old and new versions can run together, and no save waits for a migration.
use super::migrations::SCHEMAS;
use patio_harness::{Database, POSTGRES_URL_VARIABLE};
use patio_kit::db::Schema;
use patio_testing::{host, print_to_stderr};
use sqlx::{Connection, PgConnection, migrate::Migrator};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

/// Migrations exempt from the rules, because they predate the first release.
const BEFORE_THE_FIRST: [&str; 1] = ["0003_signing_turns.sql"];
/// Per service, number of the last migration that may block saves. Later ones must also pass [`harm`].
const LAST: [(&str, i64); 4] = [("auth-svc", 4), ("campaign-svc", 2), ("vehicle-svc", 10), ("import-svc", 3)];

/// Migrations that put a partitioned log of the same name and columns in the place of the audit log. Statements of older versions then
/// run on the new log, and its former table loses only what the new one has.
const PARTITIONED: [&str; 3] = ["0020_audit_bound.sql", "0021_audit_bound_checked.sql", "0023_audit_months.sql"];

/// Tables with few rows, which may be locked because that takes no time.
const FEW_ROWS: [&str; 2] = ["signing_keys", "own_keys"];

#[test]
fn migrations_only_add() {
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
                let found = taken(&text).into_iter().chain(harm(&text, side).filter(|_| number > last));
                let found: Vec<_> = found.filter(|_| !PARTITIONED.contains(&name.as_str())).collect();
                assert!(found.is_empty(), "{service} {side} {name}: {found:#?}");
            }
        }
    }
    assert!(seen >= 8, "only {seen} migrations were checked");
}

/// Returns the parts of a migration that would break a running older version.
fn taken(text: &str) -> Vec<String> {
    let parts = |mark: &str| {
        text.split(mark).skip(1).map(|rest| rest.split([',', ';']).next().unwrap_or_default().trim().to_owned()).collect::<Vec<_>>()
    };
    let mut found: Vec<_> = ["drop table", "drop column", "rename ", "alter column"]
        .into_iter()
        .filter(|taking| text.contains(taking))
        .map(str::to_owned)
        .collect();
    // Dropping a foreign key breaks no older version.
    found.extend(parts("drop constraint").into_iter().filter(|dropped| !dropped.ends_with("_fkey")));
    // Rows written by an older version have no value for a new mandatory column.
    found.extend(parts("add column").into_iter().filter(|added| added.contains("not null") && !added.contains("default")));
    found.into_iter().map(|what| format!("a version that still runs relies on what `{what}` takes")).collect()
}

/// Returns how a migration (in lower case) would block saves for longer than a second, with the recommended alternative.
fn harm(text: &str, side: &str) -> impl Iterator<Item = String> {
    let lines: String = text.lines().filter(|line| !line.trim_start().starts_with("--")).flat_map(|line| [line, "\n"]).collect();
    let statements: Vec<Vec<&str>> = lines
        .split(';')
        .map(|statement| statement.split_whitespace().collect())
        .filter(|statement: &Vec<_>| !statement.is_empty())
        .collect();
    let made: BTreeSet<_> = statements
        .iter()
        .filter(|statement| statement.starts_with(&["create", "table"]))
        .filter_map(|statement| named(statement, "table"))
        .collect();
    let (mut found, mut locked) = (Vec::new(), BTreeSet::new());
    for statement in &statements {
        let (shown, first) = (statement.join(" "), statement[0]);
        let mut add_finding = |why: &str| found.push(format!("`{}`: {why}", shown.chars().take(80).collect::<String>()));
        let is_there = |table: &Option<String>| table.as_ref().is_some_and(|table| !made.contains(table));
        let is_long = |table: &Option<String>| is_there(table) && !FEW_ROWS.iter().any(|few| table.as_deref() == Some(few));
        if ["update", "delete"].contains(&first) && is_long(&named(statement, if first == "update" { "update" } else { "from" })) {
            add_finding("all rows stay locked until the migration ends; let the running service update them in batches");
        }
        if side != "postgres" {
            continue;
        }
        let is_index = shown.contains(" index ") && ["create", "drop"].contains(&first);
        let is_beside = shown.contains("concurrently");
        if is_index && !is_beside && (first == "drop" || is_there(&named(statement, "on"))) {
            add_finding(
                "the table is locked; use `concurrently`, as the only statement of a migration that begins with `-- no-transaction`",
            );
        }
        if is_beside && (statements.len() > 1 || !text.starts_with("-- no-transaction")) {
            add_finding("this needs a separate migration that begins with `-- no-transaction`");
        }
        if first == "alter" && is_there(&named(statement, "table")) {
            locked.extend(named(statement, "table"));
            if shown.contains("add constraint") && !shown.contains("not valid") {
                add_finding("all rows are checked under a lock; use `not valid`, and `validate constraint` in a separate migration");
            }
            if ["serial", "identity", "stored", "random"].iter().any(|each| shown.contains(each)) {
                add_finding("all rows are rewritten under a lock; add an empty column and let the running service fill it in batches");
            }
        }
        locked.extend(
            statement
                .iter()
                .enumerate()
                .filter(|(_, word)| **word == "references")
                .filter_map(|(at, _)| named(&statement[at..], "references"))
                .filter(|table| !made.contains(table)),
        );
    }
    if locked.len() > 1 {
        found.push(format!("{locked:?}: while it waits for one table it holds the other; make each a step of its own"));
    }
    found.into_iter()
}

/// Returns the table name that follows a keyword in a statement.
fn named(statement: &[&str], word: &str) -> Option<String> {
    let after = statement.iter().skip_while(|each| **each != word).skip(1);
    let name = after.copied().find(|each| !["if", "not", "exists", "only"].contains(each))?;
    Some(name.split('(').next().unwrap_or_default().to_owned())
}

#[test]
fn a_migration_that_would_block_saves_is_rejected_with_an_alternative() {
    let refused = [
        ("create index a on vehicles (b);", "concurrently"),
        ("create unique index if not exists a on vehicles(b);", "concurrently"),
        ("drop index a;", "concurrently"),
        ("create index concurrently a on vehicles (b);", "-- no-transaction"),
        ("-- no-transaction\ncreate index concurrently a on vehicles (b); alter table vehicles add column c text;", "separate migration"),
        ("update vehicles set a = b;", "in batches"),
        ("delete from only vehicles;", "in batches"),
        ("alter table vehicles add constraint a check (b > 0);", "not valid"),
        ("alter table vehicles add column a bigserial;", "in batches"),
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
        "delete from signing_keys;",
        "-- update vehicles set a = b;\ncreate table a (b bigint references vehicles (id));",
    ];
    for step in fine {
        assert_eq!(harm(step, "postgres").collect::<Vec<_>>(), [""; 0], "{step}");
    }
    assert_eq!(harm("create index a on vehicles (b); drop index c;", "sqlite").count(), 0, "SQLite has no alternative");
    assert_eq!(harm("update vehicles set a = b;", "sqlite").count(), 1);
}

/// Per table and column: type, and whether an insert may omit the column.
type Columns = BTreeMap<(String, String), (String, bool)>;

async fn columns(database: &mut PgConnection, schema: Schema) -> Columns {
    let all = "select table_name::text, column_name::text, data_type::text,
                      is_nullable = 'YES' or column_default is not null or is_identity = 'YES'
               from information_schema.columns where table_schema = $1 and table_name <> '_sqlx_migrations'";
    let rows: Vec<(String, String, String, bool)> = sqlx::query_as(all).bind(schema.name).fetch_all(database).await.unwrap();
    rows.into_iter().map(|(table, name, of, may_lack)| ((table, name), (of, may_lack))).collect()
}

/// Returns the constraints of all tables, including unique indexes.
async fn rules(database: &mut PgConnection, schema: Schema) -> BTreeSet<(String, String)> {
    let all = "select conrelid::regclass::text, pg_get_constraintdef(oid) from pg_constraint where connamespace = cast($1 as regnamespace)
               union select indrelid::regclass::text, pg_get_indexdef(indexrelid) from pg_index join pg_class on oid = indrelid
               where indisunique and relnamespace = cast($1 as regnamespace)";
    sqlx::query_as(all).bind(schema.name).fetch_all(database).await.unwrap().into_iter().collect()
}

/// Each version can write to the tables of the next one: new columns are optional, existing ones are unchanged, and there are
/// no new constraints.
#[tokio::test]
async fn each_version_can_write_to_the_tables_of_the_next() {
    let _turn = patio_harness::acquire_light_test_slot();
    let Some(fresh) = Database::create() else { return print_to_stderr(&format!("{POSTGRES_URL_VARIABLE} is not set: skipped")) };
    let url = fresh.url();
    let mut database = PgConnection::connect(&url).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let host = host(folder.path(), Some(url)).await;
    for schema in SCHEMAS {
        let mut before: Option<(Columns, BTreeSet<_>)> = None;
        for step in schema.postgres.iter() {
            let known = Migrator::with_migrations(schema.postgres.iter().filter(|each| each.version <= step.version).cloned().collect());
            host.open_database(Schema { postgres: Box::leak(Box::new(known)), ..schema }).await.unwrap().close().await;
            let now = (columns(&mut database, schema).await, rules(&mut database, schema).await);
            let described = format!("{}.sql", step.description.replace(' ', "_"));
            let is_first = BEFORE_THE_FIRST.iter().chain(&PARTITIONED).any(|name| name.ends_with(&described));
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
