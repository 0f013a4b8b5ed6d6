//! The vehicles that a call for many of them names, locked until it has changed them.
use crate::{
    place::Place,
    store::{
        dialect,
        rows::{fields, rows, truth},
    },
};
use patio_kit::{db::Tx, on};
use patio_proto::identifier::Identifier;
use serde::Deserialize;
use sqlx::{AssertSqlSafe, FromRow, query_as};
use std::{collections::HashMap, sync::Arc};

type Result<T> = std::result::Result<T, sqlx::Error>;

/// A vehicle that is named, with what of it was [`Wanted`].
#[derive(Debug, Clone, FromRow, Deserialize)]
pub struct Named {
    /// Which of the identifiers names it, from 1; 0 when it was asked for by number.
    pub asked: i64,
    /// Its number.
    pub id: i64,
    /// Its campaign.
    pub campaign_id: i64,
    /// What its campaign is called, and whether it is open; fetched once and not with each vehicle.
    #[sqlx(skip)]
    #[serde(skip)]
    pub campaign: Arc<Seen>,
    /// None when the space leads to no yard.
    pub yard_id: Option<i64>,
    /// Empty for none.
    pub status: String,
    /// Whether it counts as inspected.
    #[serde(deserialize_with = "truth")]
    pub inspected: bool,
    /// Its version.
    pub version: i64,
    /// The number of its content.
    pub content: i64,
    /// First part of the identifier. It and all below are only fetched when something of them is wanted.
    #[sqlx(default)]
    #[serde(default)]
    pub model_code: String,
    /// Second part of the identifier.
    #[sqlx(default)]
    #[serde(default)]
    pub serial_number: String,
    /// Where it stands.
    #[sqlx(default)]
    #[serde(default)]
    pub parking_space: Option<String>,
    /// The group the space is listed under.
    #[sqlx(default)]
    #[serde(default)]
    pub yard_group: Option<String>,
    /// Sorts as people walk.
    #[sqlx(default)]
    #[serde(default)]
    pub walk_key: Option<String>,
    /// Team leader notes.
    #[sqlx(default)]
    #[serde(default)]
    pub operator_notes: Option<String>,
    /// Supervisor notes.
    #[sqlx(default)]
    #[serde(default)]
    pub admin_notes: Option<String>,
}

/// How many of the fields are fetched of any vehicle.
const OF_ANY: usize = 8;

impl Named {
    /// The identifier as people see it.
    #[must_use]
    pub fn vin(&self) -> String {
        format!("{} {}", self.model_code, self.serial_number)
    }

    /// The identifier in its parts.
    #[must_use]
    pub fn identifier(&self) -> Identifier {
        Identifier { model_code: self.model_code.clone(), serial_number: self.serial_number.clone() }
    }

    /// Where it stands, with all that was derived from it.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        let (space, group, walk_key) = (self.parking_space.clone()?, self.yard_group.clone()?, self.walk_key.clone()?);
        Some(Place { space, yard_id: self.yard_id, group, walk_key })
    }
}

/// What is fetched of vehicles beside what every change needs: texts that no change looks at cost as much as all the rest.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Model code and serial number, which come with any of the others as well.
    pub identifier: bool,
    /// Where they stand.
    pub place: bool,
    /// Team leader notes.
    pub operator_notes: bool,
    /// Supervisor notes.
    pub admin_notes: bool,
}

/// The number of a vehicle's content: the version that brought it, also after another one brought it back.
macro_rules! content {
    () => {
        "case when v.restored_version = v.version then v.content else v.version end"
    };
}
pub(super) use content;

impl Wanted {
    /// All there is.
    const ALL: Self = Self { identifier: true, place: true, operator_notes: true, admin_notes: true };

    /// The fields that are fetched.
    fn fields(self) -> &'static [&'static str] {
        let all = fields::<Named>();
        if self == Self::default() { &all[..OF_ANY] } else { all }
    }

    /// The columns behind `asked`, in the order of the fields.
    fn columns(self) -> String {
        let mut columns =
            concat!("v.id, v.campaign_id, v.yard_id, v.status, v.inspected, v.version, ", content!(), " as content").to_owned();
        for name in self.fields().iter().skip(OF_ANY) {
            let wanted = match *name {
                "operator_notes" => self.operator_notes,
                "admin_notes" => self.admin_notes,
                "model_code" | "serial_number" => true,
                _ => self.place,
            };
            columns += &if wanted { format!(", v.{name}") } else { format!(", cast(null as text) as {name}") };
        }
        columns
    }
}

/// The vehicles that are asked for by keys, the first parameter, in campaigns that people see, those of a campaign or a yard.
macro_rules! asked {
    () => {
        " from vehicles v join asked a on a.word = v.vin_key join campaigns c on c.id = v.campaign_id
          where c.gate in ('open', 'closed') and (cast($2 as bigint) is null or v.campaign_id = $2)
            and (cast($3 as bigint) is null or v.yard_id = $3)"
    };
}
pub(super) use asked;

/// Among which vehicles a call looks for those that it names, and whether it changes them.
#[derive(Debug, Clone, Copy)]
pub struct Scope {
    /// Only this campaign.
    pub campaign: Option<i64>,
    /// Only this yard.
    pub yard: Option<i64>,
    /// Whether they stay locked until the commit.
    pub locks: bool,
}

/// A campaign that people see.
#[derive(Debug, Default, FromRow)]
pub struct Seen {
    id: i64,
    /// What it is called.
    pub name: String,
    /// Whether its vehicles can be changed.
    pub is_open: bool,
}

/// The campaigns that people see. One that was opened a moment ago is not among them, and counts as not there yet.
#[derive(Debug)]
pub(super) struct Held(HashMap<i64, Arc<Seen>>);

impl Held {
    /// Whether people see a campaign.
    pub(super) fn has(&self, campaign: i64) -> bool {
        self.0.contains_key(&campaign)
    }

    /// Vehicles by number, with their campaigns, without those of others.
    fn with_campaigns(&self, mut found: Vec<Named>) -> Vec<Named> {
        found.sort_unstable_by_key(|vehicle| vehicle.id);
        found.retain_mut(|vehicle| match self.0.get(&vehicle.campaign_id) {
            Some(campaign) => {
                vehicle.campaign = campaign.clone();
                true
            }
            None => false,
        });
        found
    }
}

impl Scope {
    /// Finds the campaigns, and keeps them from opening and closing until the commit if the vehicles are to be locked: once each,
    /// and not with each of thousands of vehicles.
    pub(super) async fn hold(self, tx: &mut Tx<'_>) -> Result<Held> {
        let text = format!(
            "select id, name, gate = 'open' as is_open from campaigns
              where gate in ('open', 'closed') and (cast($1 as bigint) is null or id = $1) order by id {}",
            dialect::for_update(tx.is_postgres() && self.locks, "", "for key share")
        );
        let seen: Vec<Seen> = on!(tx.on(), c => query_as(AssertSqlSafe(text)).bind(self.campaign).fetch_all(c).await)?;
        Ok(Held(seen.into_iter().map(|campaign| (campaign.id, Arc::new(campaign))).collect()))
    }
}

/// Keeps others from changing the vehicles until the commit: all take them in the same order, or two could wait for each other
/// for ever. `SQLite`, which has one writer, would put thousands of rows in order for nothing.
pub(super) fn locked(tx: &Tx<'_>, locks: bool) -> &'static str {
    dialect::for_update(tx.is_postgres() && locks, "", "order by v.id for no key update of v")
}

/// Finds, by number, the vehicles with the given identifier keys in campaigns that people see.
pub async fn by_keys(tx: &mut Tx<'_>, keys: &[&str], wanted: Wanted, scope: Scope) -> Result<Vec<Named>> {
    let held = scope.hold(tx).await?;
    let text = format!(
        concat!("with asked as ({}) select a.place as asked, {}", asked!(), " {}"),
        dialect::texts(tx.is_postgres()),
        wanted.columns(),
        locked(tx, scope.locks)
    );
    let keys = serde_json::to_string(keys).unwrap_or_default();
    Ok(held.with_campaigns(rows!(tx, Named, wanted.fields(), text, &keys, scope.campaign, scope.yard)?))
}

/// The vehicles with the given numbers, by number, in campaigns that people see; locked until the commit if so told, without their campaigns.
pub async fn by_ids(tx: &mut Tx<'_>, ids: &[i64], locks: bool) -> Result<Vec<Named>> {
    let held = Scope { campaign: None, yard: None, locks: false }.hold(tx).await?;
    let text = format!(
        "select cast(0 as bigint) as asked, {} from vehicles v join campaigns c on c.id = v.campaign_id
          where v.id {} and c.gate in ('open', 'closed') {}",
        Wanted::ALL.columns(),
        dialect::among(tx.is_postgres()),
        locked(tx, locks)
    );
    let ids = serde_json::to_string(ids).unwrap_or_default();
    Ok(held.with_campaigns(rows!(tx, Named, Wanted::ALL.fields(), text, &ids)?))
}
