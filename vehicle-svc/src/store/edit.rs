//! Many vehicles written at once.
use crate::{
    place::{self, Place},
    store::{dialect, had, kept::Before, named::Named},
};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use serde::Serialize;
use sqlx::{AssertSqlSafe, query};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// So many vehicles that get the same values are written by a statement of their own.
const MANY: usize = 100;

/// What a vehicle becomes; what is none stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Patch<'a> {
    /// Where it stands.
    pub place: Option<&'a Place>,
    /// Empty for none.
    pub status: Option<&'a str>,
    /// Whether it counts as inspected.
    pub inspected: Option<bool>,
    /// Team leader notes.
    pub operator_notes: Option<&'a str>,
    /// Supervisor notes.
    pub admin_notes: Option<&'a str>,
}

impl Patch<'_> {
    /// What is left of it for a vehicle that is so already in part.
    #[must_use]
    pub fn of(self, vehicle: &Named) -> Self {
        Self {
            place: self.place.filter(|place| vehicle.parking_space.as_ref() != Some(&place.space) || vehicle.yard_id != place.yard_id),
            status: self.status.filter(|status| vehicle.status != *status),
            inspected: self.inspected.filter(|inspected| vehicle.inspected != *inspected),
            operator_notes: self.operator_notes.filter(|notes| vehicle.operator_notes.as_deref() != Some(*notes)),
            admin_notes: self.admin_notes.filter(|notes| vehicle.admin_notes.as_deref() != Some(*notes)),
        }
    }

    /// Whether nothing is left of it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Patch::default()
    }

    /// What an undoing needs of the vehicle as it was.
    #[must_use]
    pub fn before(&self, vehicle: &Named) -> Before {
        Before {
            id: vehicle.id,
            version: vehicle.version,
            content: vehicle.content,
            status: self.status.map(|_| vehicle.status.clone()),
            inspected: self.inspected.map(|_| vehicle.inspected),
            stood: self.place.and(vehicle.parking_space.clone()).map(|space| (space, vehicle.yard_id)),
            operator_notes: self.operator_notes.and(vehicle.operator_notes.clone()),
            admin_notes: self.admin_notes.and(vehicle.admin_notes.clone()),
        }
    }
}

/// A vehicle with what it becomes; what is none stays as it is.
#[derive(Serialize)]
struct Own<'a> {
    id: i64,
    space: Option<&'a str>,
    yard: Option<i64>,
    yard_group: Option<&'a str>,
    walk: Option<&'a str>,
    haystack: Option<String>,
    status: Option<&'a str>,
    inspected: Option<bool>,
    admin_notes: Option<&'a str>,
    operator_notes: Option<&'a str>,
}

impl<'a> Own<'a> {
    fn of(vehicle: &'a Named, patch: &Patch<'a>) -> Self {
        let Patch { place, status, inspected, operator_notes, admin_notes } = *patch;
        Self {
            id: vehicle.id,
            space: place.map(|place| place.space.as_str()),
            yard: place.and_then(|place| place.yard_id),
            yard_group: place.map(|place| place.group.as_str()),
            walk: place.map(|place| place.walk_key.as_str()),
            haystack: place.map(|place| place::haystack(&vehicle.identifier(), &place.space)),
            status,
            inspected,
            admin_notes,
            operator_notes,
        }
    }
}

/// Writes vehicles, each with what it becomes: those that get the same by one statement, all others by another one.
pub async fn write(tx: &mut Tx<'_>, all: &[(&Named, Patch<'_>)], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let (mut groups, mut others) = (HashMap::<&Patch, Vec<&Named>>::new(), Vec::new());
    for (vehicle, patch) in all {
        match patch.place {
            None => groups.entry(patch).or_default().push(vehicle),
            Some(_) => others.push(Own::of(vehicle, patch)),
        }
    }
    for (patch, group) in groups {
        if group.len() < MANY {
            others.extend(group.into_iter().map(|vehicle| Own::of(vehicle, patch)));
        } else {
            alike(tx, &group.iter().map(|vehicle| vehicle.id).collect::<Vec<_>>(), *patch, by, at).await?;
        }
    }
    if others.is_empty() { Ok(()) } else { each(tx, &others, by, at).await }
}

/// Gives a column a value, if there is one, and notes who did so when, if it is another one.
fn noted(column: &str, value: &str) -> String {
    format!(
        ", {column} = coalesce({value}, vehicles.{column}),
           {column}_by = case when {value} <> vehicles.{column} then $2 else {column}_by end,
           {column}_at = case when {value} <> vehicles.{column} then $3 else {column}_at end"
    )
}

/// Gives vehicles the same values, and leaves them in their places.
pub async fn alike(tx: &mut Tx<'_>, ids: &[i64], same: Patch<'_>, by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let set = [
        same.status.map(|_| noted("status", "$4") + concat!(", statuses_had = vehicles.statuses_had | ", had::bit!("$4"))),
        same.inspected.map(|_| ", inspected = $5".to_owned()),
        same.operator_notes.map(|_| noted("operator_notes", "$6")),
        same.admin_notes.map(|_| noted("admin_notes", "$7")),
    ];
    let set: String = set.into_iter().flatten().collect();
    let text = format!(
        "update vehicles set modified_by = $2, modified_at = $3, version = version + 1{set} where id {}",
        dialect::among(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&ids).bind(by).bind(at).bind(same.status).bind(same.inspected)
        .bind(same.operator_notes).bind(same.admin_notes).execute(c).await.map(drop))
}

/// Gives each vehicle values of its own.
async fn each(tx: &mut Tx<'_>, all: &[Own<'_>], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let text = format!(
        "update vehicles
            set parking_space = coalesce(e.space, parking_space), yard_id = case when e.space is null then yard_id else e.yard end,
                yard_group = coalesce(e.yard_group, vehicles.yard_group), walk_key = coalesce(e.walk, walk_key),
                haystack = coalesce(e.haystack, vehicles.haystack), inspected = coalesce(e.inspected, vehicles.inspected),
                modified_by = $2, modified_at = $3, version = version + 1,
                space_by = case when e.space <> parking_space then $2 else space_by end,
                space_at = case when e.space <> parking_space then $3 else space_at end,
                statuses_had = vehicles.statuses_had | {}{}{}{}
           from ({}) as e
          where vehicles.id = e.id",
        had::bit!("e.status"),
        noted("status", "e.status"),
        noted("operator_notes", "e.operator_notes"),
        noted("admin_notes", "e.admin_notes"),
        dialect::edits(tx.is_postgres())
    );
    let rows = serde_json::to_string(all).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&rows).bind(by).bind(at).execute(c).await.map(drop))
}
