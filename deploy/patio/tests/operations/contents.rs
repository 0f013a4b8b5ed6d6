//! Complete content of a database, in a form that allows comparing two databases.
use futures::TryStreamExt;
use ring::digest::{Context, SHA256};
use sqlx::{AssertSqlSafe, Connection, PgConnection, SqliteConnection};
use std::{collections::BTreeMap, path::Path};

/// Per table, the number of rows and their digest; per sequence, index or rule, its definition.
pub type Contents = BTreeMap<String, String>;

/// Returns the differences as lines with the left and the right value.
pub fn differences(left: &Contents, right: &Contents) -> Vec<String> {
    let names: std::collections::BTreeSet<_> = left.keys().chain(right.keys()).collect();
    names
        .into_iter()
        .filter(|name| left.get(*name) != right.get(*name))
        .map(|name| format!("{name}: {:?}, {:?}", left.get(name), right.get(name)))
        .collect()
}

/// Reads the content of all schemas of a `PostgreSQL` database: tables with owners, sequences, indexes and rules.
pub async fn of_postgres(url: &str) -> Contents {
    let mut database = PgConnection::connect(url).await.unwrap();
    let tables: Vec<(String, String)> = sqlx::query_as(
        "select schemaname || '.' || tablename, tableowner::text from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema')",
    )
    .fetch_all(&mut database)
    .await
    .unwrap();
    let mut all = Contents::new();
    for (table, owner) in tables {
        let look =
            format!("select count(*), md5(string_agg(hash, '' order by hash)) from (select md5(t::text) as hash from {table} t) rows");
        let (rows, digest): (i64, Option<String>) = sqlx::query_as(AssertSqlSafe(look)).fetch_one(&mut database).await.unwrap();
        all.insert(table, format!("{rows} rows {} of {owner}", digest.unwrap_or_default()));
    }
    let others: Vec<(String, Option<String>)> = sqlx::query_as(
        "select 'counter ' || schemaname || '.' || sequencename, last_value || ' of ' || sequenceowner from pg_sequences
         union all select 'index ' || schemaname || '.' || indexname, indexdef from pg_indexes
          where schemaname not in ('pg_catalog', 'information_schema')
         union all select 'rule ' || conrelid::regclass || ' ' || conname, pg_get_constraintdef(oid) from pg_constraint where conrelid > 0
         union all select 'schema ' || nspname, nspowner::regrole::text from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'public'",
    )
    .fetch_all(&mut database)
    .await
    .unwrap();
    all.extend(others.into_iter().map(|(name, what)| (name, what.unwrap_or_default())));
    all
}

/// Reads the content of the four `SQLite` databases in a folder.
pub async fn of_sqlite(folder: &Path) -> Contents {
    let mut all = Contents::new();
    for name in ["auth", "campaign", "vehicle", "imports"] {
        let file = folder.join(format!("{name}.db"));
        let mut database = SqliteConnection::connect(file.to_str().unwrap()).await.unwrap();
        let made: Vec<(String, String, Option<String>)> =
            sqlx::query_as("select type, name, sql from sqlite_master").fetch_all(&mut database).await.unwrap();
        for (kind, table, sql) in made {
            if kind == "table" {
                let (rows, digest) = rows(&mut database, &table).await;
                all.insert(format!("{name}.{table}"), format!("{rows} rows {digest}"));
            }
            all.insert(format!("{kind} {name}.{table}"), sql.unwrap_or_default());
        }
        database.close().await.unwrap();
    }
    all
}

async fn rows(database: &mut SqliteConnection, table: &str) -> (usize, String) {
    let columns = format!("select group_concat('quote(\"' || name || '\")', ' || '','' || ') from pragma_table_info('{table}')");
    let columns: String = sqlx::query_scalar(AssertSqlSafe(columns)).fetch_one(&mut *database).await.unwrap();
    let look = format!("select {columns} as line from \"{table}\" order by line");
    let (mut count, mut digest) = (0, Context::new(&SHA256));
    let mut lines = sqlx::query_scalar::<_, String>(AssertSqlSafe(look)).fetch(database);
    while let Some(line) = lines.try_next().await.unwrap() {
        count += 1;
        digest.update(line.as_bytes());
        digest.update(b"\n");
    }
    (count, digest.finish().as_ref().iter().take(16).map(|byte| format!("{byte:02x}")).collect())
}
