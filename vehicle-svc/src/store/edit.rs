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
            place: self.place.filter(|place| vehicle.parking_space != place.space || vehicle.yard_id != place.yard_id),
            status: self.status.filter(|status| vehicle.status != *status),
            inspected: self.inspected.filter(|inspected| vehicle.inspected != *inspected),
            operator_notes: self.operator_notes.filter(|notes| vehicle.operator_notes != *notes),
            admin_notes: self.admin_notes.filter(|notes| vehicle.admin_notes != *notes),
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
            stood: self.place.map(|_| (vehicle.parking_space.clone(), vehicle.yard_id)),
            operator_notes: self.operator_notes.map(|_| vehicle.operator_notes.clone()),
            admin_notes: self.admin_notes.map(|_| vehicle.admin_notes.clone()),
        }
    }
}

/// A vehicle with all that it becomes.
#[derive(Serialize)]
struct Whole<'a> {
    id: i64,
    space: &'a str,
    yard: Option<i64>,
    yard_group: &'a str,
    walk: &'a str,
    haystack: String,
    status: &'a str,
    inspected: bool,
    admin_notes: &'a str,
    operator_notes: &'a str,
}

impl<'a> Whole<'a> {
    fn of(vehicle: &'a Named, patch: &Patch<'a>) -> Self {
        let space = patch.place.map_or(vehicle.parking_space.as_str(), |place| &place.space);
        Self {
            id: vehicle.id,
            space,
            yard: patch.place.map_or(vehicle.yard_id, |place| place.yard_id),
            yard_group: patch.place.map_or(&vehicle.yard_group, |place| &place.group),
            walk: patch.place.map_or(&vehicle.walk_key, |place| &place.walk_key),
            haystack: place::haystack(&vehicle.identifier(), space),
            status: patch.status.unwrap_or(&vehicle.status),
            inspected: patch.inspected.unwrap_or(vehicle.inspected),
            admin_notes: patch.admin_notes.unwrap_or(&vehicle.admin_notes),
            operator_notes: patch.operator_notes.unwrap_or(&vehicle.operator_notes),
        }
    }
}

/// Writes vehicles, each with what it becomes: those that get the same by one statement, all others by another one.
pub async fn write(tx: &mut Tx<'_>, all: &[(&Named, Patch<'_>)], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
    let (mut groups, mut others) = (HashMap::<&Patch, Vec<&Named>>::new(), Vec::new());
    for (vehicle, patch) in all {
        match patch.place {
            None => groups.entry(patch).or_default().push(vehicle),
            Some(_) => others.push(Whole::of(vehicle, patch)),
        }
    }
    for (patch, group) in groups {
        if group.len() < MANY {
            others.extend(group.into_iter().map(|vehicle| Whole::of(vehicle, patch)));
        } else {
            alike(tx, &group.iter().map(|vehicle| vehicle.id).collect::<Vec<_>>(), *patch, by, at).await?;
        }
    }
    if others.is_empty() { Ok(()) } else { each(tx, &others, by, at).await }
}

/// Gives vehicles the same values, and leaves them in their places.
pub async fn alike(tx: &mut Tx<'_>, ids: &[i64], same: Patch<'_>, by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
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
          where id {}",
        dialect::among(tx.is_postgres())
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    on!(tx.on(), c => query(AssertSqlSafe(text)).bind(&ids).bind(by).bind(at).bind(same.status).bind(same.inspected)
        .bind(same.operator_notes).bind(same.admin_notes).execute(c).await.map(drop))
}

/// Gives each vehicle values of its own.
async fn each(tx: &mut Tx<'_>, all: &[Whole<'_>], by: Option<i64>, at: DateTime<Utc>) -> Result<()> {
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
