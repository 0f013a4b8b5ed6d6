//! The statements that must differ per database.
//!
//! A list of ids comes in as one JSON array, however long it is. SQLite unfolds it with `json_each`,
//! PostgreSQL with `jsonb_array_elements_text`; neither knows the other's function.
use super::columns;
use patio_kit::db::Db;

/// One statement in both spellings.
pub struct Twin {
    sqlite: &'static str,
    postgres: &'static str,
}

impl Twin {
    /// The spelling that a database understands.
    pub fn on(&self, db: &Db) -> &'static str {
        if db.is_postgres() { self.postgres } else { self.sqlite }
    }
}

/// The live campaigns that a list shows: `$1` pattern, `$2` to `$5` statuses, `$6` ids or null.
///
/// SQLite plans a statement anew for each pattern that stands bare behind `like`, which was a fifth of the page.
macro_rules! listed {
    ($what:expr, $ids:literal, $end:literal) => {
        concat!(
            "select ",
            $what,
            " from campaigns
              where state = 'live' and name_key like cast($1 as text) escape '\\' and status in ($2, $3, $4, $5)
                and (cast($6 as text) is null or id in (",
            $ids,
            "))",
            $end
        )
    };
}

macro_rules! twin {
    ($what:expr, $end:literal) => {
        Twin {
            sqlite: listed!($what, "select value from json_each($6)", $end),
            postgres: listed!($what, "select cast(value as bigint) from jsonb_array_elements_text(cast($6 as jsonb))", $end),
        }
    };
}

/// One page of them, newest first: `$7` rows after `$8` others.
pub const PAGE: Twin = twin!(columns!(), " order by created_at desc, id desc limit $7 offset $8");
/// How many they are.
pub const COUNT: Twin = twin!("count(*)", "");
