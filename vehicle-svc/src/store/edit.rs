//! Many vehicles written at once.
use crate::{
    place::{self, Place},
    store::{dialect, kept::Before, named::Named},
};
use chrono::{DateTime, Utc};
use patio_kit::{db::Tx, on};
use serde::Serialize;
use sqlx::{AssertSqlSafe, query};
use std::collections::HashMap;

type Result<T> = std::result::Result<T, sqlx::Error>;

/// So many vehicles that get the same values are written by a statement of their own.
const MANY: usize = 100;

/// What a vehicle becomes.
#[derive(Debug, Clone, Serialize)]
pub struct New {
    /// Its number.
    pub id: i64,
    /// Where it stands.
    pub space: String,
    /// None when the space leads to no yard.
    pub yard: Option<i64>,
    /// The group the space is listed under.
    pub yard_group: String,
    /// Sorts as people walk.
    pub walk: String,
    /// What searching looks through.
    pub haystack: String,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    pub inspected: bool,
    /// Supervisor notes.
    pub admin_notes: String,
    /// Team leader notes.
    pub operator_notes: String,
}

impl New {
    /// A vehicle at a place, as it is in all else.
    #[must_use]
    pub fn at(vehicle: &Named, place: Place) -> Self {
        Self {
            id: vehicle.id,
            haystack: place::haystack(&vehicle.identifier(), &place.space),
            space: place.space,
            yard: place.yard_id,
            yard_group: place.group,
            walk: place.walk_key,
            status: vehicle.status.clone(),
            inspected: vehicle.inspected,
            admin_notes: vehicle.admin_notes.clone(),
            operator_notes: vehicle.operator_notes.clone(),
        }
    }

    /// Whether the vehicle leaves its place.
    fn moves(&self, vehicle: &Named) -> bool {
        vehicle.parking_space != self.space || vehicle.yard_id != self.yard
    }

    /// What an undoing needs of the vehicle as it was.
    #[must_use]
    pub fn before(&self, vehicle: &Named) -> Before {
        let told = |old: &String, new: &String| Some(old.clone()).filter(|old| old != new);
        Before {
            id: vehicle.id,
            version: vehicle.version,
            content: vehicle.content,
            status: told(&vehicle.status, &self.status),
            inspected: Some(vehicle.inspected).filter(|old| *old != self.inspected),
            stood: self.moves(vehicle).then(|| (vehicle.parking_space.clone(), vehicle.yard_id)),
            operator_notes: told(&vehicle.operator_notes, &self.operator_notes),
            admin_notes: told(&vehicle.admin_notes, &self.admin_notes),
        }
    }
}

/// Values that vehicles get alike; what is none stays as it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Alike<'a> {
    /// Empty for none.
    pub status: Option<&'a str>,
    /// Whether they count as inspected.
    pub inspected: Option<bool>,
    /// Team leader notes.
    pub operator_notes: Option<&'a str>,
    /// Supervisor notes.
    pub admin_notes: Option<&'a str>,
}

impl<'a> Alike<'a> {
    /// What a vehicle gets, unless it leaves its place.
    fn of(vehicle: &Named, new: &'a New) -> Option<Self> {
        let told = |old: &String, new: &'a String| Some(new.as_str()).filter(|_| old != new);
        (!new.moves(vehicle)).then(|| Self {
            status: told(&vehicle.status, &new.status),
            inspected: Some(new.inspected).filter(|inspected| *inspected != vehicle.inspected),
            operator_notes: told(&vehicle.operator_notes, &new.operator_notes),
            admin_notes: told(&vehicle.admin_notes, &new.admin_notes),
        })
    }
}

/// Writes vehicles, each with what it becomes: those that get the same by one statement, all others by another one.
pub async fn write(tx: &mut Tx<'_>, all: &[(Named, New)], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let (mut groups, mut others) = (HashMap::<Alike, Vec<&New>>::new(), Vec::new());
    for (vehicle, new) in all {
        match Alike::of(vehicle, new) {
            Some(same) => groups.entry(same).or_default().push(new),
            None => others.push(new),
        }
    }
    for (same, group) in groups {
        if group.len() < MANY {
            others.extend(group);
        } else {
            alike(tx, &group.iter().map(|new| new.id).collect::<Vec<_>>(), same, by, at).await?;
        }
    }
    if others.is_empty() { Ok(()) } else { each(tx, &others, by, at).await }
}

/// Gives vehicles the same values.
pub async fn alike(tx: &mut Tx<'_>, ids: &[i64], same: Alike<'_>, by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let text = format!(
        "update vehicles
            set modified_by = $2, modified_at = $3, version = version + 1, status = coalesce($4, status), inspected = coalesce($5, inspected),
                operator_notes = coalesce($6, operator_notes), admin_notes = coalesce($7, admin_notes),
                status_by = case when coalesce($4, status) = status then status_by else $2 end,
                status_at = case when coalesce($4, status) = status then status_at else $3 end,
                operator_notes_by = case when coalesce($6, operator_notes) = operator_notes then operator_notes_by else $2 end,
                operator_notes_at = case when coalesce($6, operator_notes) = operator_notes then operator_notes_at else $3 end,
                admin_notes_by = case when coalesce($7, admin_notes) = admin_notes then admin_notes_by else $2 end,
                admin_notes_at = case when coalesce($7, admin_notes) = admin_notes then admin_notes_at else $3 end
          where id in ({})",
        dialect::ids(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&ids).bind(by).bind(at).bind(same.status).bind(same.inspected)
        .bind(same.operator_notes).bind(same.admin_notes).execute(c).await.map(drop))
}

/// Gives each vehicle values of its own.
async fn each(tx: &mut Tx<'_>, all: &[&New], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let text = format!(
        "update vehicles
            set parking_space = e.space, yard_id = e.yard, yard_group = e.yard_group, walk_key = e.walk, haystack = e.haystack,
                status = e.status, inspected = e.inspected, admin_notes = e.admin_notes, operator_notes = e.operator_notes,
                modified_by = $2, modified_at = $3, version = version + 1,
                space_by = case when parking_space = e.space then space_by else $2 end,
                space_at = case when parking_space = e.space then space_at else $3 end,
                status_by = case when vehicles.status = e.status then status_by else $2 end,
                status_at = case when vehicles.status = e.status then status_at else $3 end,
                operator_notes_by = case when vehicles.operator_notes = e.operator_notes then operator_notes_by else $2 end,
                operator_notes_at = case when vehicles.operator_notes = e.operator_notes then operator_notes_at else $3 end,
                admin_notes_by = case when vehicles.admin_notes = e.admin_notes then admin_notes_by else $2 end,
                admin_notes_at = case when vehicles.admin_notes = e.admin_notes then admin_notes_at else $3 end
           from ({}) as e
          where vehicles.id = e.id",
        dialect::edits(tx.is_postgres())
    );
    let rows = serde_json::to_string(all).map_err(|cause| sqlx::Error::Encode(Box::new(cause)))?;
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&rows).bind(by).bind(at).execute(c).await.map(drop))
}
